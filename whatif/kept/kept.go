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
	"math"
	"slices"
	"strings"

	"auspex/analyze"
	"auspex/events"
	"auspex/internal/figure"
	"auspex/model"
	"auspex/pop"
	"auspex/simulate/loggp"
	"auspex/store"
	"auspex/trace"
	"auspex/waits"
	"auspex/whatif"
)

// The attachments in which an experiment's trace lies: as a program that can be
// replayed, or as the times that another tool measured (events.Record).
const (
	TraceName = "run.trace"
	SpansName = "spans.trace"
	StopsName = "stops.trace" // when its ranks had no core: trace.Stops
)

// ErrNoTrace tells that an experiment has no trace beside it.
var ErrNoTrace = errors.New("kept no trace")

// Run is an experiment with its trace.
type Run struct {
	Data    *analyze.Dataset
	Program *trace.Trace
	Timed   events.Source  // what was measured when; nil where only the order is known
	Seconds float64        // as measured
	Spread  float64        // of repeated runs, as a share
	Ends    float64        // seconds of the mean rank in starting and ending, as the ledger has it
	Outside float64        // seconds in starting and ending MPI and in its files, of the mean rank
	Stalled float64        // seconds that the mean rank stood still within MPI where all shared their cores
	Stops   trace.Stops    // when ranks had no core, starting and ending left out; nil where unknown
	Stretch []float64      // where that is unknown: wall time over CPU time of each rank's computation; nil where unknown
	Late    []float64      // seconds that starting and ending took each rank longer since it shared its core; nil where unknown
	Untold  []waits.Untold // calls that wait for other ranks and of which the trace does not tell for whom
	Partial bool           // threads did much of the work that the trace does not hold
	Others  float64        // what share of the work that is, where it is much
	Notes   []string       // what was made of the profile
	NoTrace string         // why there is no trace, or how to get one

	profile *loggp.Profile // once asked for
	onIdeal *pop.Run       // likewise; see ideal
}

// Has tells whether an experiment kept a trace.
func Has(e *store.Experiment) bool {
	local := e.Attached() // a site's store does not list them
	for _, name := range []string{TraceName, SpansName} {
		if slices.Contains(local, name) {
			return true
		}
		if _, err := e.Attachment(name); local == nil && err == nil {
			return true
		}
	}
	return false
}

// Open opens an experiment's trace. Where there is none, ErrNoTrace comes with
// what else is known of the run.
func Open(ctx context.Context, e *store.Experiment) (*Run, error) {
	d, err := analyze.Open(e)
	if err != nil {
		return nil, err
	}
	r := &Run{Data: d}
	r.Seconds, err = Seconds(d)
	data, missing := e.Attachment(TraceName)
	if errors.Is(missing, store.ErrNotFound) {
		spans, missing := e.Attachment(SpansName)
		if errors.Is(missing, store.ErrNotFound) { // also where no time was measured
			r.NoTrace = noTrace(d)
			return r, fmt.Errorf("the experiment %q %w: %s", d.Name, ErrNoTrace, r.NoTrace)
		}
		if err := cmp.Or(err, missing); err != nil {
			return nil, err
		}
		return r, r.measured(ctx, spans)
	}
	if err := cmp.Or(err, missing); err != nil {
		return nil, err
	}
	if r.Program, err = trace.Decode(d.Name, data); err != nil {
		return nil, err
	}
	if err := cmp.Or(r.whole(), r.threads()); err != nil {
		return r, err
	}
	if r.Spread, err = spreadOf(d, r.Seconds); err != nil {
		return nil, err
	}
	if r.Outside, err = outsideOf(d); err != nil {
		return nil, err
	}
	if r.Untold, err = untoldOf(d, r.Program); err != nil {
		return nil, err
	}
	ends, err := d.StartEnd()
	if err != nil {
		return nil, err
	}
	r.Ends = ends * r.Seconds
	of, err := usedBy(d, r.Program.NP())
	if err != nil {
		return nil, err
	}
	if r.Stops, r.Late, err = stopsOf(e, r.Program.NP()); err != nil || r.Stops != nil {
		r.Notes = append(append(r.Notes, r.untoldNote()...), whatif.StopNotes(r.Stops, r.Late, r.Seconds)...)
		return r, err
	}
	r.Late, r.Stalled = of.late(), of.stalled()
	stops := whatif.Stops{Seconds: of.stops(), Run: r.Seconds - r.Outside}
	var notes []string
	r.Stretch, notes, err = stops.Spread(ctx, r.Program, of.stretch(), whatif.SharedMemory())
	r.Notes = append(append(r.Notes, r.untoldNote()...), notes...)
	return r, err
}

const askForTrace = "run it with auspex run --trace"

// Untraced tells whether an experiment without a trace would have one, had it been asked
// for.
func Untraced(d *analyze.Dataset) bool { return noTrace(d) == askForTrace }

// callsMPI tells whether a program was seen to call MPI.
func callsMPI(d *analyze.Dataset) bool {
	return slices.ContainsFunc(d.Regions, func(r model.Region) bool { return strings.HasPrefix(r.Name, "MPI_") })
}

// noTrace says why an experiment has no trace, or how to get one.
func noTrace(d *analyze.Dataset) string {
	for _, note := range d.Notes {
		if why, ok := strings.CutPrefix(note, model.NoTraceNote); ok {
			return why
		}
	}
	if d.Format != "" && d.Format != "auspex" {
		return "it is the profile that was imported; of a trace, give the file or folder itself"
	}
	if !callsMPI(d) {
		return "the program makes no MPI calls, and those are what a trace is of"
	}
	return askForTrace
}

// measured opens the times that another tool measured.
func (r *Run) measured(ctx context.Context, spans []byte) error {
	recorded, err := events.OpenRecord(spans)
	if err != nil {
		return fmt.Errorf("the trace of %q: %w", r.Data.Name, err)
	}
	recorded.Header().Name = r.Data.Name
	r.Timed = recorded
	if err := r.Clock(ctx); err != nil {
		return err
	}
	if r.Untold, err = untoldIn(ctx, r.Timed); err != nil {
		return err
	}
	recorded.Header().Notes = append(recorded.Header().Notes, r.untoldNote()...)
	r.Program, err = events.Program(ctx, r.Timed)
	return err
}

// Clock takes from measured times how long the run took, and how much of that was
// outside of what a replay holds.
func (r *Run) Clock(ctx context.Context) (err error) {
	if r.Seconds, err = events.Seconds(ctx, r.Timed); err != nil {
		return err
	}
	if r.Outside, err = events.Outside(ctx, r.Timed); err != nil {
		return err
	}
	stood, err := events.NoCores(ctx, r.Timed)
	r.Notes = append(r.Notes, whatif.WithinNotes(stood, r.Seconds)...)
	return err
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

// Source is the run as spans of time: as measured, or from a replay in which
// computation takes as long as in the run.
func (r *Run) Source(ctx context.Context) (events.Source, error) {
	if r.Timed != nil {
		return r.Timed, nil
	}
	o, err := r.Work(ctx)
	if err != nil {
		return nil, err
	}
	o.Network = whatif.SharedMemory()
	src := loggp.NewSource(r.Program, o)
	src.Header().Notes = r.Notes
	return src, nil
}

// Named is the run as spans of time, with the names that its calls have in the program.
func (r *Run) Named(ctx context.Context) (events.Source, error) {
	src, err := r.Source(ctx)
	if err != nil || r.Timed != nil || r.Data == nil {
		return src, err
	}
	calls, err := callsOf(r.Data)
	if err != nil {
		return nil, err
	}
	return events.Renamed(src, calls.name), nil
}

// longStood is the share of the ranks' time from which on it is told that they had no core.
const longStood = 0.01

// NotIn says what of the run another form leaves out: with times, and where it keeps what
// ranks do without the times of that.
func (r *Run) NotIn(timed bool) (notes []string) {
	if r.Timed == nil && timed {
		notes = append(notes, "the trace holds no times of messages: those of a replay as between ranks of one machine are written")
	}
	if r.Ends > 0 {
		notes = append(notes, fmt.Sprintf("starting and ending, which took %s, are not in it", figure.Seconds(r.Ends, 3)))
	}
	stood := 0.0
	for _, stops := range r.Stops {
		for _, s := range stops {
			stood += s.Seconds
		}
	}
	if !timed && stood > longStood*r.Seconds*float64(len(r.Stops)) {
		notes = append(notes, fmt.Sprintf("what ranks stood still without a core, %s of all together, is not in it", figure.Seconds(stood, 3)))
	}
	return notes
}

// Work is how long computation takes in a replay: as long as in the run.
func (r *Run) Work(ctx context.Context) (loggp.Options, error) {
	if r.Stretch == nil {
		return loggp.Options{Stops: r.Stops}, nil
	}
	profile, err := r.profiled(ctx)
	if err != nil {
		return loggp.Options{}, err
	}
	return Scaled(profile, r.Stretch), nil
}

// profiled sums the trace up, once.
func (r *Run) profiled(ctx context.Context) (*loggp.Profile, error) {
	if r.profile == nil {
		profile, err := loggp.NewProfile(ctx, r.Program)
		if err != nil {
			return nil, err
		}
		r.profile = profile
	}
	return r.profile, nil
}

// Factors is what the run's efficiencies are made of: as measured where the times
// are kept, else from a replay of its computation.
func (r *Run) Factors(ctx context.Context) (pop.Run, error) {
	if r.Timed != nil {
		run, err := pop.Measure(ctx, r.Timed)
		run.Notes = slices.Concat(r.Timed.Header().Notes, run.Notes, r.otherFactors(run, "the times of calls in its trace"))
		return run, err
	}
	run, err := r.ideal(ctx)
	run.Notes = append(run.Notes, r.otherFactors(run, "a replay of its trace")...)
	run.Ends, run.Notes = r.Ends, append(run.Notes, r.Notes...)
	if r.Ends > 0 {
		run.Notes = append(run.Notes, fmt.Sprintf("the run time on an ideal network is that between starting and ending, which took %s more", figure.Seconds(r.Ends, 3)))
	}
	return run, err
}

// sameFactor is how far factors may be apart that are told alike.
const sameFactor = 0.0005

// otherFactors says where show has other factors of the run, and why.
func (r *Run) otherFactors(run pop.Run, from string) []string {
	if r.Data == nil || run.Ranks == 0 {
		return nil
	}
	times, err := r.Data.Times()
	if err != nil {
		return nil // show has none
	}
	theirs, own := times.Efficiency(), pop.Of(run)
	if own.Parallel == nil || own.LoadBalance == nil || !(theirs.Parallel > 0) || !(theirs.LoadBalance > 0) {
		return nil
	}
	if math.Abs(float64(theirs.Parallel)-*own.Parallel) < sameFactor && math.Abs(float64(theirs.LoadBalance)-*own.LoadBalance) < sameFactor {
		return nil
	}
	return []string{fmt.Sprintf("auspex show has parallel efficiency %.3f and load balance %.3f: those are of its profile, all time outside of communication; these are of %s", theirs.Parallel, theirs.LoadBalance, from)}
}

// littlePause is the share of the time that ranks may pause in without that their
// profile is asked what of it was MPI's.
const littlePause = 0.01

// ideal replays the run on the ideal network, once. Where the trace does not tell all
// that the ranks did outside of communication, their profile does.
func (r *Run) ideal(ctx context.Context) (pop.Run, error) {
	if r.onIdeal == nil {
		run, err := r.replayIdeal(ctx)
		if err != nil {
			return run, err
		}
		run.Notes = slices.Clip(run.Notes)
		r.onIdeal = &run
	}
	return *r.onIdeal, nil
}

func (r *Run) replayIdeal(ctx context.Context) (pop.Run, error) {
	work, err := r.Work(ctx)
	if err != nil {
		return pop.Run{}, err
	}
	run, err := pop.Replay(ctx, r.Program, r.Seconds, work)
	if err == nil && r.Data != nil && r.Timed == nil && run.Ranks > 1 {
		useful, outside, err := threadTimes(r.Data, run.Ranks)
		if err != nil {
			return run, err
		}
		if times, err := r.Data.Times(); err == nil {
			run.Notes = append(run.Notes, SleepersNote(times)...)
		}
		if len(useful) > run.Ranks {
			run.Threads(useful, outside)
			return run, nil
		}
	}
	told := run.Paused <= littlePause*r.Seconds*float64(run.Ranks) && r.Seconds-r.Outside-r.Stalled-run.Ideal-run.NoCore <= unexplained*r.Seconds
	if err != nil || r.Data == nil || r.Timed != nil || told {
		return run, err
	}
	times, err := r.Data.Times()
	if err != nil {
		return run, err
	}
	run.Profiled(times.Judged())
	return run, nil
}

// maxQuick is how many actions are replayed where nobody asked for a replay:
// some seconds.
const maxQuick = 20e6

// ErrLarge tells that a trace is too large to be replayed unasked.
var ErrLarge = errors.New("the trace is large: auspex efficiency tells serialization and transfer")

// Communication is what the run on the ideal network tells of it.
func (r *Run) Communication(ctx context.Context) (parts Communication, err error) {
	if r.Program.Actions() > maxQuick {
		return parts, ErrLarge
	}
	if r.Timed != nil && r.Timed.Header().Incomplete != "" {
		return parts, errors.New("the trace is incomplete")
	}
	ideal, err := r.ideal(ctx)
	if err != nil {
		return parts, err
	}
	ideal.Ends = r.Ends
	f := pop.Of(ideal)
	if f.Serialization != nil {
		parts.Serialization = *f.Serialization
	}
	if f.Cores != nil {
		parts.Cores = *f.Cores
	}
	return parts, nil
}

// Setup is what a case of the run is made of.
func (r *Run) Setup() whatif.Setup {
	notes := r.Notes
	if r.Timed != nil {
		notes = slices.Concat(r.Timed.Header().Remarks(), r.Notes)
	}
	return whatif.Setup{Trace: r.Program, Network: whatif.SharedMemory(), Measured: r.Seconds, Spread: r.Spread, Outside: r.Outside + r.Stalled, Timed: r.Timed != nil, Untold: r.untold(), Waits: r.waiting(), Partial: r.Partial, Stops: r.Stops, Stretch: r.Stretch, Late: r.Late, Functions: r.functions(), Notes: notes}
}

// Case is what changes of the run are priced in.
func (r *Run) Case(ctx context.Context) (*whatif.Case, error) {
	setup := r.Setup()
	var err error
	if setup.Profile, err = r.profiled(ctx); err != nil {
		return nil, err
	}
	return whatif.New(ctx, setup)
}

// Scaled makes the computation of each rank of a trace so many times as long.
func Scaled(profile *loggp.Profile, by []float64) loggp.Options {
	w := loggp.Work{Scale: make([][]float64, len(profile.Regions))}
	for r := range w.Scale {
		w.Scale[r] = by
	}
	return loggp.Options{Work: w, Regions: profile.Table}
}
