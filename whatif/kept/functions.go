package kept

import (
	"cmp"
	"slices"
	"strings"

	"auspex/analyze"
	"auspex/model"
	"auspex/whatif"
)

// functions are the seconds that each process computed in each function.
type functions struct {
	names   []string
	seconds [][]float64 // by function and process
}

// of are the seconds of the processes in a function.
func (f *functions) of(name string, processes int) []float64 {
	i := slices.Index(f.names, name)
	if i < 0 {
		i = len(f.names)
		f.names, f.seconds = append(f.names, name), append(f.seconds, make([]float64, processes))
	}
	return f.seconds[i]
}

// functionsWithin sums computation up by function, for each region of the trace that
// they are called in; nil where there are other processes than ranks.
func functionsWithin(d *analyze.Dataset, metric string, ranks int, traced map[string]bool) (map[string]*functions, error) {
	if !d.Has(metric) {
		return nil, nil
	}
	times, err := d.Matrix(metric + ".exc")
	if err != nil {
		return nil, err
	}
	paths, within := model.Paths(d.Regions), map[string]*functions{}
	callers := callers(d.Regions)
	for r := range d.Regions {
		owner, known := ownerOf(d.Regions, paths, r, traced)
		if d.Communication[r] || !known {
			continue
		}
		f := within[owner]
		if f == nil {
			f = &functions{}
			within[owner] = f
		}
		seconds := f.of(d.Regions[callers[r]].Name, ranks)
		for u, unit := range d.Units {
			if unit.Process < 0 || unit.Process >= ranks {
				return nil, nil
			}
			if unit.Thread == 0 {
				seconds[unit.Process] += times.At(u, r)
			}
		}
	}
	return within, nil
}

// callers is for each region the one that its time is told of: itself or the function
// that calls it, but for the program as a whole.
func callers(regions []model.Region) []int {
	of := make([]int, len(regions))
	for r, region := range regions { // parents come before what is inside of them
		if of[r] = r; region.OfCaller() && region.Parent != model.NoParent && regions[region.Parent].Parent != model.NoParent {
			of[r] = of[region.Parent]
		}
	}
	return of
}

// ownerOf is the innermost region of the trace around a region of the profile. Traces
// name those below the program without it.
func ownerOf(regions []model.Region, paths []string, r int, traced map[string]bool) (string, bool) {
	root := r
	for regions[root].Parent >= 0 {
		root = regions[root].Parent
	}
	for at := r; at >= 0; at = regions[at].Parent {
		if path := strings.TrimPrefix(paths[at], paths[root]+"/"); traced[path] {
			return path, true
		}
	}
	return "", false
}

// mostly is the function in which the late ranks computed longer than the others
// by more than half of what they computed longer in all; none where that does not
// explain half of the waiting, or where there are no others.
func (f *functions) mostly(late []int, waited float64) string {
	best, name, total, others := 0.0, "", 0.0, 0
	for i, row := range f.seconds {
		of, rest := 0.0, 0.0
		others = len(row) - len(late)
		for rank, s := range row {
			if slices.Contains(late, rank) {
				of += s / float64(len(late))
			} else {
				rest += s / float64(others)
			}
		}
		longer := of - rest
		total += longer
		if longer > best {
			best, name = longer, f.names[i]
		}
	}
	if others < 1 || best <= total/2 || total*float64(others) < waited/2 {
		return ""
	}
	return name
}

// functions lists what samples found within the regions of the trace, by CPU time:
// that is what a trace has as computation.
func (r *Run) functions() func(map[string]bool) ([]whatif.Function, error) {
	if r.Data == nil || r.Timed != nil || !r.Data.Has(model.CPUTime) {
		return nil
	}
	return func(traced map[string]bool) ([]whatif.Function, error) {
		within, err := functionsWithin(r.Data, model.CPUTime, r.Program.NP(), traced)
		if err != nil {
			return nil, err
		}
		var out []whatif.Function
		for region, f := range within {
			out = append(out, f.shares(region)...)
		}
		slices.SortFunc(out, func(a, b whatif.Function) int {
			return cmp.Or(cmp.Compare(a.Region, b.Region), cmp.Compare(a.Name, b.Name))
		})
		return out, nil
	}
}

// shares are the parts of a region's computation that are in each of its functions.
func (f *functions) shares(region string) []whatif.Function {
	all := make([]float64, len(f.seconds[0]))
	for _, row := range f.seconds {
		for rank, s := range row {
			all[rank] += s
		}
	}
	var out []whatif.Function
	for i, row := range f.seconds {
		of := whatif.Function{Name: f.names[i], Region: region, Shares: make([]float64, len(row))}
		for rank, s := range row {
			if all[rank] > 0 {
				of.Shares[rank] = s / all[rank]
			}
		}
		out = append(out, of)
	}
	return out
}
