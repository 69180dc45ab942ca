package cli

import (
	"context"
	"errors"

	"auspex/analyze"
	"auspex/analyze/diagnose"
	"auspex/store"
	"auspex/whatif/kept"
)

// fullDiagnosis is a diagnosis with what the trace that the experiment kept, if any, says
// of its causes and of waiting: whoever tells it, the figures are the same.
func fullDiagnosis(ctx context.Context, e *store.Experiment, d *analyze.Dataset, words analyze.Words, o diagnose.Options) (*diagnose.Diagnosis, error) {
	found, err := diagnose.Run(ctx, d, words, o)
	if err != nil || len(found.Causes) == 0 && !kept.Waited(found) {
		return found, err
	}
	r, err := kept.Open(ctx, e)
	if errors.Is(err, kept.ErrNoTrace) {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	if c, err := r.Case(ctx); err == nil { // a trace that cannot be replayed says nothing
		kept.ReplayCauses(ctx, c, found)
		r.TellWaits(ctx, found)
	}
	return found, ctx.Err()
}
