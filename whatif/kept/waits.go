package kept

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"auspex/internal/figure"
	"auspex/model"
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
		found.Notes = append(found.Notes, fmt.Sprintf("the shares are of the time between starting and ending, which took %s more", figure.Seconds(r.Ends, 3)))
	}
	if r.Data != nil {
		calls, err := callsOf(r.Data)
		if err != nil {
			return nil, err
		}
		found.Rename(calls.name)
	}
	if r.Data == nil || r.Program.NP() == 0 || r.Program.Actions() > maxQuick {
		return found, nil
	}
	profile, err := r.profiled(ctx)
	if err != nil {
		return nil, err
	}
	traced := map[string]bool{}
	for i, row := range profile.Seconds {
		if slices.Max(row) > 0 {
			traced[profile.Regions[i]] = true
		}
	}
	within, err := functionsWithin(r.Data, model.WallTime, r.Program.NP(), traced)
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
