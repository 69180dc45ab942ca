// Package kept opens the trace that an experiment kept, with what its profile
// says of the time the run took.
//
// Open finds the trace; Source is the run as spans of time, for package waits
// and view/timeline; Case is what package whatif prices changes of.
package kept

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"auspex/analyze"
	"auspex/events"
	"auspex/pop"
	"auspex/simulate/loggp"
	"auspex/store"
	"auspex/trace"
	"auspex/whatif"
)

// TraceName is the attachment in which an experiment's trace lies.
const TraceName = "run.trace"

// ErrNoTrace tells that an experiment has no trace beside it.
var ErrNoTrace = errors.New("kept no trace")

// Run is an experiment with its trace.
type Run struct {
	Data    *analyze.Dataset
	Program *trace.Trace
	Seconds float64   // as measured
	Spread  float64   // of repeated runs, as a share
	Outside float64   // seconds in starting and ending MPI and in its files, of the mean rank
	Stretch []float64 // wall time over CPU time of each rank's computation; nil where unknown
}

// Open opens an experiment's trace. Where there is none, ErrNoTrace comes with
// what else is known of the run.
func Open(e *store.Experiment) (*Run, error) {
	d, err := analyze.Open(e)
	if err != nil {
		return nil, err
	}
	r := &Run{Data: d}
	r.Seconds, err = Seconds(d)
	data, missing := e.Attachment(TraceName)
	if errors.Is(missing, store.ErrNotFound) { // also where no time was measured
		return r, fmt.Errorf("the experiment %q %w: run it with auspex run --trace", d.Name, ErrNoTrace)
	}
	if err := cmp.Or(err, missing); err != nil {
		return nil, err
	}
	if r.Program, err = trace.Decode(d.Name, data); err != nil {
		return nil, err
	}
	if r.Spread, err = spreadOf(d, r.Seconds); err != nil {
		return nil, err
	}
	if r.Outside, err = outsideOf(d); err != nil {
		return nil, err
	}
	r.Stretch, err = stretchOf(d, r.Program.NP())
	return r, err
}

// Seconds is how long the longest process of an experiment took.
func Seconds(d *analyze.Dataset) (float64, error) {
	units, err := analyze.UnitTimes(d)
	if err != nil {
		return 0, err
	}
	most := 0.0
	for _, u := range units {
		most = max(most, float64(u.Total))
	}
	return most, nil
}

// Source is the run as spans of time, from a replay in which computation takes
// as long as in the run.
func (r *Run) Source(ctx context.Context) (events.Source, error) {
	o, err := r.Work(ctx)
	if err != nil {
		return nil, err
	}
	o.Network = whatif.SharedMemory()
	return loggp.NewSource(r.Program, o), nil
}

// Work is how long computation takes in a replay: as long as in the run.
func (r *Run) Work(ctx context.Context) (loggp.Options, error) {
	if r.Stretch == nil {
		return loggp.Options{}, nil
	}
	return Scaled(ctx, r.Program, r.Stretch)
}

// maxQuick is how many actions are replayed where nobody asked for a replay:
// some seconds.
const maxQuick = 20e6

// ErrLarge tells that a trace is too large to be replayed unasked.
var ErrLarge = errors.New("the trace is large: auspex efficiency tells serialization and transfer")

// Serialization is POP's factor: the greatest useful time over the run time,
// both on the ideal network.
func (r *Run) Serialization(ctx context.Context) (float64, error) {
	if r.Program.Actions() > maxQuick {
		return 0, ErrLarge
	}
	work, err := r.Work(ctx)
	if err != nil {
		return 0, err
	}
	ideal, err := pop.Replay(ctx, r.Program, r.Seconds, work)
	if err != nil {
		return 0, err
	}
	if f := pop.Of(ideal).Serialization; f != nil {
		return *f, nil
	}
	return 0, nil
}

// Case is what changes of the run are priced in.
func (r *Run) Case(ctx context.Context) (*whatif.Case, error) {
	return whatif.New(ctx, whatif.Setup{Trace: r.Program, Network: whatif.SharedMemory(), Measured: r.Seconds, Spread: r.Spread, Outside: r.Outside, Stretch: r.Stretch})
}

// Scaled makes the computation of each rank of a trace so many times as long.
func Scaled(ctx context.Context, t *trace.Trace, by []float64) (loggp.Options, error) {
	profile, err := loggp.NewProfile(ctx, t)
	if err != nil {
		return loggp.Options{}, err
	}
	w := loggp.Work{Scale: make([][]float64, len(profile.Regions))}
	for r := range w.Scale {
		w.Scale[r] = by
	}
	return loggp.Options{Work: w, Regions: profile.Table}, nil
}
