package web

import (
	"context"

	"auspex/account"
	"auspex/analyze"
	"auspex/analyze/diagnose"
	"auspex/report"
	"auspex/store"
	job "auspex/training/kept"
	"auspex/view"
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

// What the list says a training job loses most of.
const (
	lateRank   account.Kind = "late_rank"   // the others wait for one
	deviceIdle account.Kind = "device_idle" // the mean of the accelerators has nothing to do
)

// jobGlance puts what a training job loses in the place of what its profile says:
// its helper threads idle by nature, and ranks wait inside their backward pass.
func jobGlance(e *store.Experiment, g *view.Glance) error {
	late, err := job.Stragglers(e)
	if err != nil || late == nil || !late.Tells() {
		return err
	}
	g.Loss, g.Whole = nil, 0
	g.Efficiency = analyze.Efficiency{LoadBalance: analyze.Missing, Communication: analyze.Missing, Parallel: analyze.Missing}
	if len(late.Stragglers) > 0 {
		worst := late.Stragglers[0]
		g.Loss = &account.Headline{Kind: lateRank, Region: account.Place(worst.Region), Share: worst.Share}
		g.Whole = worst.Share
		return nil
	}
	devices, err := job.DevicesOf(e)
	if err != nil || devices == nil || len(devices.Devices) == 0 {
		return err
	}
	idle, all := 0.0, 0.0
	for _, d := range devices.Devices {
		idle, all = idle+d.All.Idle, all+d.Seconds
	}
	if all > 0 && idle/all >= account.Trouble {
		g.Loss, g.Whole = &account.Headline{Kind: deviceIdle, Share: idle / all}, idle/all
	}
	return nil
}

// traceSays tells a diagnosis what the traces that the experiment kept know
// beyond its profile, as `auspex diagnose` does, and puts it into words.
func (s *Server) traceSays(ctx context.Context, q *asked, d *analyze.Dataset, words analyze.Words, o diagnose.Options, found *diagnose.Diagnosis) error {
	e, err := analyze.Find(s.config.Store, q.path("name"))
	if err != nil {
		return err
	}
	traced := kept.Has(e)
	found.Untraced = !traced && kept.Waited(found) && kept.Untraced(d)
	if (len(found.Causes) > 0 || kept.Waited(found)) && traced {
		_ = kept.AnswersOf(e).Judge(ctx, found) // a trace that cannot be opened says nothing
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	found.Words = report.DiagnosisWords(found)
	if o.Metric != "" || o.RegionOf != "" || o.Level != "" && o.Level != diagnose.Processes {
		return nil
	}
	late, err := job.Stragglers(e)
	if err == nil && late != nil && late.Tells() {
		found.Training(late, d, words)
	}
	return err
}
