package web

import (
	"context"

	"auspex/analyze"
	"auspex/analyze/diagnose"
	"auspex/report"
	job "auspex/training/kept"
	"auspex/whatif/kept"
)

// stragglers answers as `auspex stragglers EXPERIMENT`; null where the experiment
// does not come from a training job.
func (s *Server) stragglers(_ context.Context, q *asked) (any, error) {
	e, err := analyze.Find(s.config.Store, q.path("name"))
	if err != nil {
		return nil, err
	}
	return job.Stragglers(e)
}

// devices answers as `auspex device EXPERIMENT`; null where its traces have none.
func (s *Server) devices(_ context.Context, q *asked) (any, error) {
	e, err := analyze.Find(s.config.Store, q.path("name"))
	if err != nil {
		return nil, err
	}
	return job.DevicesOf(e)
}

// traceSays tells a diagnosis what the traces that the experiment kept know
// beyond its profile, as `auspex diagnose` does, and puts it into words.
func (s *Server) traceSays(ctx context.Context, q *asked, d *analyze.Dataset, words analyze.Words, o diagnose.Options, found *diagnose.Diagnosis) error {
	e, err := analyze.Find(s.config.Store, q.path("name"))
	if err != nil {
		return err
	}
	if len(found.Causes) > 0 && kept.Has(e) {
		if r, err := s.traced.get(ctx, e); err == nil { // a trace that cannot be replayed says nothing
			kept.ReplayCauses(ctx, r.pricing, found)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	found.Words = report.DiagnosisWords(found)
	if o.Metric != "" || o.RegionOf != "" || o.Level != "" && o.Level != diagnose.Processes {
		return nil
	}
	late, err := job.Stragglers(e)
	if err == nil && late != nil && late.ClockResidual != nil {
		found.Training(late, d, words)
	}
	return err
}
