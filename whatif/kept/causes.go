package kept

import (
	"context"
	"strings"

	"auspex/analyze/diagnose"
	"auspex/whatif"
)

// gainsNothing is the share of the run below which a replay gains nothing.
const gainsNothing = 0.002

// ReplayCauses replays the run without each cause that a diagnosis found: only
// what gains something is a cause. Where the trace does not tell why the run took as
// long as it did, where ranks pause, of which it does not tell the regions, where
// one hands out work, or where threads of a rank differ, which it replays as one, its
// replay judges nothing.
func ReplayCauses(ctx context.Context, c *whatif.Case, found *diagnose.Diagnosis) {
	if !c.Explained() || c.Pauses() || c.HandsOut() || found.Level == diagnose.Threads {
		return
	}
	for i := range found.Causes {
		cause := &found.Causes[i]
		region := cause.Region
		if _, rest, ok := strings.Cut(region, "/"); ok {
			region = rest // a trace's paths begin inside the program
		}
		answer, err := c.Price(ctx, []whatif.Change{{Kind: whatif.Balance, Region: region + "/"}})
		if err != nil {
			continue // the trace knows other regions
		}
		gain := max(answer.Gain, 0)
		cause.Replayed, cause.Association = &gain, gain < gainsNothing
	}
}
