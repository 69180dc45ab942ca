package pop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"auspex/events"
	"auspex/internal/figure"
	"auspex/simulate/loggp"
	"auspex/trace"
)

// Run is what the factors are made of. Times are seconds; what was not measured
// is 0.
type Run struct {
	Name    string
	Ranks   int
	Units   int       // ranks × threads
	Useful  []float64 // of each unit
	Seconds float64   // from the first unit's start to the last one's end
	// Ideal is the run time on the ideal network, and IdealUseful the greatest
	// time outside of MPI there.
	Ideal, IdealUseful float64
	// Ends is how long the mean rank took for starting and ending; 0 where it is
	// not known.
	Ends float64
	// NoCore is how much longer the ideal network's run is for what ranks stood still
	// within MPI without a core; no part of Ideal.
	NoCore float64
	// Paused is how long the ranks of a replay paused together: outside of MPI, or in
	// calls that the trace does not know.
	Paused float64
	paused string // what is said of the rank that did so longest
	// Instructions and Cycles are those of useful time.
	Instructions, Cycles float64
	// MPIUseful is the time outside of MPI of each rank's first thread, where
	// ranks have several threads: what hybrid factors are split by.
	MPIUseful []float64
	Notes     []string // what could not be told, and why
}

// Measure sums up a measured trace and replays it on the ideal network.
func Measure(ctx context.Context, src events.Source) (Run, error) {
	h := src.Header()
	r := Run{Name: h.Name, Ranks: h.Ranks, Units: len(h.Locations), Useful: make([]float64, len(h.Locations))}
	outside := make([]float64, h.Ranks)
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	err := src.Each(ctx, func(s *events.Span) error {
		first, last = min(first, s.Begin), max(last, s.End)
		if s.Kind == trace.Compute {
			r.Useful[s.Loc] += s.Seconds()
			r.Instructions += float64(s.Instructions)
			r.Cycles += float64(s.Cycles)
		}
		if h.Locations[s.Loc].Thread == 0 && (s.Kind == trace.Init || s.Kind == trace.Finalize) {
			r.Ends += s.Seconds() / float64(h.Ranks)
		}
		if h.Locations[s.Loc].Thread == 0 && (s.Kind == trace.Compute || s.Kind == events.Pause || s.Kind == events.ThreadBarrier || s.Kind == events.Lock) {
			outside[h.Locations[s.Loc].Rank] += s.Seconds()
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	if last < first {
		return r, errors.New(h.Name + ": the trace holds no time")
	}
	r.Seconds = float64(last-first) / 1e9
	if r.Units > r.Ranks {
		r.MPIUseful = outside
	}
	t, err := events.Program(ctx, src)
	if err != nil {
		return r, err
	}
	r.Notes = append(r.Notes, missing(r.Useful, h)...)
	if h.Partial {
		r.Notes = append(r.Notes, "serialization and transfer are left out: what the ranks wait for those that are not here cannot be told from communication")
		return r, nil
	}
	if h.Incomplete != "" {
		r.Notes = append(r.Notes, "serialization and transfer are left out: the trace is incomplete ("+h.Incomplete+")")
		return r, nil
	}
	ideal, err := onIdeal(ctx, t, loggp.Options{}, true)
	if errors.Is(err, loggp.ErrDeadlock) {
		r.Notes = append(r.Notes, fmt.Sprintf("the trace cannot be replayed to its end, so serialization and transfer are left out (%v)", err))
		return r, nil
	}
	if err != nil {
		return r, err
	}
	r.Ideal, r.IdealUseful = ideal.Seconds, greatest(ideal.Compute)
	if err := r.handshakes(ctx, t, loggp.Options{}); err != nil {
		return r, err
	}
	if longer := r.Ideal/r.Seconds - 1; longer > 0 { // no network is faster than the ideal one
		r.Ideal = r.Seconds
		if longer > clocksApart {
			reason := "where clocks of ranks differ or calls overlap"
			if h.Unordered {
				reason = "the records of the trace are not in the order of time"
			}
			r.Notes = append(r.Notes, fmt.Sprintf("the replay on an ideal network takes %.1f %% longer than the run, as "+reason+": it is taken to be as long, and transfer is not known better than that", 100*longer))
		}
	}
	return r, nil
}

// clocksApart is the share of a run by which its ideal replay may be longer without a
// word.
const clocksApart = 0.005

// missing notes ranks that a trace holds no computation of: they count as idle.
func missing(useful []float64, h *events.Header) []string {
	ranks := make([]float64, h.Ranks)
	for i, l := range h.Locations {
		ranks[l.Rank] += useful[i]
	}
	var none []string
	for rank, s := range ranks {
		if s == 0 {
			none = append(none, strconv.Itoa(rank))
		}
	}
	switch n := len(none); {
	case n == 0:
		return nil
	case n == 1:
		return []string{"the trace holds no computation of rank " + none[0] + ", which counts as idle"}
	case n > 8:
		none = append(none[:8], fmt.Sprintf("… (%d in all)", n))
	}
	return []string{"the trace holds no computation of ranks " + strings.Join(none, ", ") + ", which count as idle"}
}

// Replay is the run of a trace without times: its computation, the run time
// given, and the ideal network's. Of work its Work and Regions are taken.
func Replay(ctx context.Context, t *trace.Trace, seconds float64, work loggp.Options) (Run, error) {
	held := work
	work.Stops = computing(work.Stops)
	ideal, err := onIdeal(ctx, t, work, false)
	if err != nil {
		return Run{}, err
	}
	r := Run{Name: t.Name, Ranks: t.NP(), Units: t.NP(), Useful: ideal.Compute, Seconds: cmp.Or(seconds, ideal.Seconds), Ideal: ideal.Seconds, IdealUseful: greatest(ideal.Compute), Paused: sum(ideal.Paused)}
	r.noLonger()
	replayed, err := r.withoutCores(ctx, t, held, ideal)
	if err != nil {
		return r, err
	}
	if longest := greatest(ideal.Paused); longest >= longPause*r.Seconds {
		r.paused = pausedWords(ideal.Paused)
		r.Notes = append(r.Notes, r.paused+": that counts as no computation, and those who wait for it as serialization")
	}
	if t.Longest() < synchronousFrom { // none does
		r.withoutHandshakes(replayed.Seconds)
		return r, nil
	}
	return r, r.handshakes(ctx, t, held)
}

// pausedWords says how long ranks paused: the one that did so longest where it stands
// out, else all of them.
func pausedWords(seconds []float64) string {
	longest, mean := greatest(seconds), sum(seconds)/float64(len(seconds))
	who := fmt.Sprintf("rank %d was blocked or asleep for %s", slices.Index(seconds, longest), figure.Seconds(longest, 3))
	if len(seconds) > 1 && longest < standsOut*mean {
		who = fmt.Sprintf("the ranks were blocked or asleep for %s in the mean", figure.Seconds(mean, 3))
	}
	return who + ", or in MPI calls that the trace does not hold"
}

// standsOut is how many times the mean a rank pauses that is named by itself.
const standsOut = 1.5

// computing are the stops in computation, which is as much longer. Those within MPI
// are no computation, and no waiting on an ideal network.
func computing(stops trace.Stops) trace.Stops {
	var out trace.Stops
	for rank, list := range stops {
		out = append(out, nil)
		for _, s := range list {
			if !s.Within {
				out[rank] = append(out[rank], s)
			}
		}
	}
	return out
}

// withoutCores replays with the stops within MPI as well, where there are any.
func (r *Run) withoutCores(ctx context.Context, t *trace.Trace, o loggp.Options, ideal *loggp.Result) (*loggp.Result, error) {
	if !slices.ContainsFunc(o.Stops, func(list []trace.Stop) bool {
		return slices.ContainsFunc(list, func(s trace.Stop) bool { return s.Within })
	}) {
		return ideal, nil
	}
	held, err := onIdeal(ctx, t, o, false)
	if err != nil {
		return nil, err
	}
	if r.NoCore = max(min(held.Seconds, r.Seconds)-r.Ideal, 0); r.NoCore >= longPause*r.Seconds {
		r.Notes = append(r.Notes, fmt.Sprintf("the run time on an ideal network is without what ranks stood within MPI for want of a core; with that it is %s", figure.Seconds(r.Ideal+r.NoCore, 3)))
	}
	return held, nil
}

// noLonger makes the replay as long as the run where it is longer: a rank whose stops
// are not told apart from its waiting waits for both in turn. The run time is what was
// measured, and no network is faster than the ideal one.
func (r *Run) noLonger() {
	longer := r.Ideal/r.Seconds - 1
	if !(longer > 0) {
		return
	}
	by := r.Seconds / r.Ideal
	r.Ideal, r.IdealUseful, r.Paused = r.Seconds, r.IdealUseful*by, r.Paused*by
	for i := range r.Useful {
		r.Useful[i] *= by
	}
	if longer > clocksApart {
		r.Notes = append(r.Notes, fmt.Sprintf("the replay on an ideal network takes %.1f %% longer than the run: its times are taken to be as much shorter, and transfer is not known", 100*longer))
	}
}

// handshakes notes what the run time on the ideal network would be if no message
// waited for its receiver, as `auspex whatif --network ideal` has it.
func (r *Run) handshakes(ctx context.Context, t *trace.Trace, o loggp.Options) error {
	o.Network = loggp.Ideal()
	without, err := loggp.Run(ctx, t, o)
	if err != nil {
		return err
	}
	r.withoutHandshakes(without.Seconds)
	return nil
}

// withoutHandshakes is told how long the run takes if no message waits.
func (r *Run) withoutHandshakes(seconds float64) {
	if seconds < (1-clocksApart)*(r.Ideal+r.NoCore) {
		cores := ""
		if r.NoCore > 0 {
			cores = " with the cores it had"
		}
		r.Notes = append(r.Notes, fmt.Sprintf("on the ideal network messages of %d KiB and more wait for their receivers; where none did, as with whatif --network ideal, the run would take %s%s", synchronousFrom>>10, figure.Seconds(seconds, 3), cores))
	}
}

// longPause is the share of the run from which a pause, or a want of cores, is worth a
// note.
const longPause = 0.05

// Profiled takes from a profile how long each unit was outside of communication: a
// trace does not tell what of its pauses that is. On the ideal network nobody is
// outside longer than the run takes there.
func (r *Run) Profiled(useful []float64) {
	r.Units, r.Useful = len(useful), useful
	r.IdealUseful = min(greatest(useful), r.Ideal)
	if r.paused != "" {
		r.Notes[slices.IndexFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, r.paused) })] = r.paused + ": what of that is outside of MPI counts as computation"
	}
}

// Threads takes from a profile how long each thread was outside of communication, and
// the first one of each rank outside of MPI: a trace holds the first alone.
func (r *Run) Threads(useful, outside []float64) {
	r.Profiled(useful)
	r.MPIUseful, r.IdealUseful = outside, min(greatest(outside), r.Ideal)
}

// synchronousFrom is the size from which a message waits for its receiver even on
// the ideal network: BSC's scripts call Dimemas with -S 32K.
const synchronousFrom = 32 << 10

// onIdeal replays on the ideal network as Dimemas does: large messages wait for
// their receivers, and, where joint, nobody leaves a collective before all have come.
// A run time that is that of a replay has none of the latter, nor must its ideal one.
// Where the run itself got through only because messages were buffered, none waits.
func onIdeal(ctx context.Context, t *trace.Trace, o loggp.Options, joint bool) (*loggp.Result, error) {
	o.Network = loggp.Ideal()
	o.Network.EagerBelow, o.Network.Joint = synchronousFrom, joint
	r, err := loggp.Run(ctx, t, o)
	if errors.Is(err, loggp.ErrDeadlock) {
		o.Network.EagerBelow = 0
		return loggp.Run(ctx, t, o)
	}
	return r, err
}

func sum(values []float64) float64 {
	s := 0.0
	for _, v := range values {
		s += v
	}
	return s
}

func greatest(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return slices.Max(values)
}
