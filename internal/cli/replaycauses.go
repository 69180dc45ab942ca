package cli

import (
	"context"
	"errors"

	"auspex/analyze/diagnose"
	"auspex/whatif/kept"
)

// replayCauses replays the run without each cause, where a trace was kept.
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
	kept.ReplayCauses(ctx, c, found)
	return nil
}
