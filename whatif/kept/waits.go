package kept

import (
	"context"
	"fmt"
	"slices"

	"auspex/analyze"
	"auspex/model"
	"auspex/simulate/loggp"
	"auspex/waits"
)

// unexplained is the share of a run that its replay may be shorter without a word.
const unexplained = 0.2

// Waits is where the run's ranks waited, and for what. Where its program was not
// compiled with regions, what samples say of the late ranks names the functions.
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
	whole := ""
	for i, row := range profile.Seconds {
		if slices.Max(row) > 0 {
			if whole != "" {
				return found, nil // it has regions of its own
			}
			whole = profile.Regions[i]
		}
	}
	f, err := functionsOf(r.Data, r.Program.NP())
	if err != nil || f == nil {
		return found, err
	}
	found.Within(func(c *waits.Cause) string {
		if c.Region != whole {
			return ""
		}
		if name := f.mostly(c.Ranks, c.Seconds); name != whole {
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

// functionsOf sums computation up by function; nil where it has none, or where
// there are other processes than ranks.
func functionsOf(d *analyze.Dataset, ranks int) (*functions, error) {
	if !d.Has(model.WallTime) {
		return nil, nil
	}
	wall, err := d.Matrix(model.WallTime + ".exc")
	if err != nil {
		return nil, err
	}
	f, index := &functions{}, map[string]int{}
	for r, region := range d.Regions {
		if d.Communication[r] {
			continue
		}
		i, known := index[region.Name]
		if !known {
			i = len(f.names)
			index[region.Name] = i
			f.names, f.seconds = append(f.names, region.Name), append(f.seconds, make([]float64, ranks))
		}
		for u, unit := range d.Units {
			if unit.Process < 0 || unit.Process >= ranks {
				return nil, nil
			}
			if unit.Thread == 0 {
				f.seconds[i][unit.Process] += wall.At(u, r)
			}
		}
	}
	return f, nil
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
