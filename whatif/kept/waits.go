package kept

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"auspex/analyze"
	"auspex/model"
	"auspex/simulate/loggp"
	"auspex/waits"
)

// unexplained is the share of a run that its replay may be shorter without a word.
const unexplained = 0.2

// Waits is where the run's ranks waited, and for what. What samples say of the late
// ranks names the functions within the regions of the trace.
func (r *Run) Waits(ctx context.Context) (*waits.Report, error) {
	src, err := r.Source(ctx)
	if err != nil {
		return nil, err
	}
	found, err := waits.Analyze(ctx, src)
	if err != nil || r.Timed != nil {
		return found, err
	}
	longer := 0.0
	if more := r.Seconds - r.Outside - r.Stalled - found.Seconds; more > unexplained*r.Seconds {
		longer = more
	}
	untold := r.Untold
	if r.Data == nil { // of a file nothing else is known
		untold = found.Untold
	}
	found.Leaves(untold, longer)
	found.Notes = append(found.Notes, "the trace holds no times of messages: those of a replay as between ranks of one machine were taken")
	if r.Ends > 0 {
		found.Notes = append(found.Notes, fmt.Sprintf("the shares are of the time between starting and ending, which took %.3g s more", r.Ends))
	}
	if r.Data != nil {
		calls, err := callsOf(r.Data)
		if err != nil {
			return nil, err
		}
		found.Rename(func(path string) string { return asCalled(path, calls) })
	}
	if r.Data == nil || r.Program.NP() == 0 || r.Program.Actions() > maxQuick {
		return found, nil
	}
	profile, err := loggp.NewProfile(ctx, r.Program)
	if err != nil {
		return nil, err
	}
	traced := map[string]bool{}
	for i, row := range profile.Seconds {
		if slices.Max(row) > 0 {
			traced[profile.Regions[i]] = true
		}
	}
	within, err := functionsWithin(r.Data, r.Program.NP(), traced)
	if err != nil {
		return found, err
	}
	found.Within(func(c *waits.Cause) string {
		f := within[c.Region]
		if f == nil {
			return ""
		}
		if name := f.mostly(c.Ranks, c.Seconds); name != c.Region && !strings.HasSuffix(c.Region, "/"+model.EscapeName(name)) {
			return name
		}
		return ""
	})
	return found, nil
}

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
func functionsWithin(d *analyze.Dataset, ranks int, traced map[string]bool) (map[string]*functions, error) {
	if !d.Has(model.WallTime) {
		return nil, nil
	}
	wall, err := d.Matrix(model.WallTime + ".exc")
	if err != nil {
		return nil, err
	}
	paths, within := model.Paths(d.Regions), map[string]*functions{}
	for r, region := range d.Regions {
		owner, known := ownerOf(d.Regions, paths, r, traced)
		if d.Communication[r] || !known {
			continue
		}
		f := within[owner]
		if f == nil {
			f = &functions{}
			within[owner] = f
		}
		seconds := f.of(region.Name, ranks)
		for u, unit := range d.Units {
			if unit.Process < 0 || unit.Process >= ranks {
				return nil, nil
			}
			if unit.Thread == 0 {
				seconds[unit.Process] += wall.At(u, r)
			}
		}
	}
	return within, nil
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
