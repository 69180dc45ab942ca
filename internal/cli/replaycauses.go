package cli

import (
	"context"
	"errors"
	"strings"

	"auspex/analyze/diagnose"
	"auspex/whatif"
	"auspex/whatif/kept"
)

// gainsNothing is the share of the run below which a replay gains nothing.
const gainsNothing = 0.002

// replayCauses replays the run without each cause, where a trace was kept: only
// what gains something is a cause.
func (a *app) replayCauses(ctx context.Context, name string, found *diagnose.Diagnosis) error {
	if len(found.Causes) == 0 {
		return nil
	}
	t, _, err := a.openKept(ctx, name)
	if errors.Is(err, kept.ErrNoTrace) {
		return nil
	}
	if err != nil {
		return err
	}
	c, err := a.whatifCase(ctx, t, platformFlags{})
	if err != nil {
		return nil // a trace that cannot be replayed says nothing
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
	return nil
}
