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
	if err != nil {
		return found, err
	}
	return withTrace(ctx, found, func() (*kept.Answers, error) { return kept.AnswersOf(e), nil })
}

// withTrace has a diagnosis know what the trace says, if there is something to ask it.
func withTrace(ctx context.Context, found *diagnose.Diagnosis, answers func() (*kept.Answers, error)) (*diagnose.Diagnosis, error) {
	if len(found.Causes) == 0 && !kept.Waited(found) {
		return found, nil
	}
	a, err := answers()
	if err != nil {
		return nil, err
	}
	err = a.Judge(ctx, found)
	if errors.Is(err, kept.ErrNoTrace) {
		r, _ := a.Run(ctx)
		found.Untraced = kept.Waited(found) && kept.Untraced(r.Data)
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	return found, ctx.Err()
}
