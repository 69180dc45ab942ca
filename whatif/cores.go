package whatif

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"auspex/trace"
)

// A rank that could run and has no core stands still: within computation, or
// within MPI. A run of ours tells when (trace.Stops), and a replay lets each rank
// stand still where it did. What it does is its work, and changes to regions change
// that. How long it stands still for as much work is the machine's affair: a quota,
// or neighbours that get their turn, take a share of its time, so that half the work
// is interrupted half as long; what it runs within MPI is interrupted as long as
// before. It ends where the rank gets a core.

// stood is how long a rank had no core.
type stood struct {
	computing, within float64
	ran               float64 // in the calls within which it had none
}

func sumStops(stops trace.Stops) []stood {
	out := make([]stood, len(stops))
	for rank, list := range stops {
		for _, s := range list {
			if s.Within {
				out[rank].within += s.Seconds
				out[rank].ran += s.Rest
			} else {
				out[rank].computing += s.Seconds
			}
		}
	}
	return out
}

func (s stood) all() float64 { return s.computing + s.within }

// coreRows are the parts of the ranks' stops in computation and of those within calls,
// which a change may alter.
func (c *Case) coreRows(s *setting) (computing, within []float64) {
	if s.work.Cores == nil {
		s.work.Cores = slices.Repeat([]float64{1}, c.ranks)
		s.work.Calls = slices.Repeat([]float64{1}, c.ranks)
	}
	return s.work.Cores, s.work.Calls
}

var errNoStops = errors.New("it is not known how long ranks waited for a core: experiments that auspex run --trace made on Linux tell")

// enough gives every rank a core.
func (c *Case) enough(s *setting) error {
	switch {
	case c.platform != nil:
		return fmt.Errorf("%s: a platform has the cores it has; without --platform it is that of the run", Change{Kind: Cores})
	case c.stood != nil:
		computing, within := c.coreRows(s)
		clear(computing)
		clear(within)
	case c.stretch != nil:
		for r := range c.profile.Seconds {
			for rank, by := range c.stretch {
				scaleRow(s, c, r)[rank] /= by
			}
		}
	default:
		return fmt.Errorf("%s: %w", Change{Kind: Cores}, errNoStops)
	}
	clear(s.late)
	return nil
}

// mostWithCores is the longest that a run can take in which every rank has a core and
// nothing else is changed: each does what it did and waits no longer than it did, less
// the time in which it could have run. A replay may say more where ranks lacked cores
// within calls whose messages it has to explain.
func (c *Case) mostWithCores() float64 {
	least := math.Inf(1)
	for rank, s := range c.stood {
		still := s.all()
		if c.late != nil {
			still += c.late[rank]
		}
		least = min(least, still)
	}
	return max(c.measured-least, 0)
}

// withCores finds out how much too long a replay with a core for every rank is: a rank
// may also have stood still while it waited for others to compute, and that it does on
// any network. With other changes beside, it is as much too long.
func (c *Case) withCores(ctx context.Context) error {
	if c.measured == 0 || !slices.ContainsFunc(c.stood, func(s stood) bool { return s.all() > 0 }) {
		return nil
	}
	o, err := c.replay(ctx, []Change{{Kind: Cores}})
	if err != nil || c.predicted(o) <= c.mostWithCores() {
		return err
	}
	ideal, err := c.replay(ctx, []Change{{Kind: Cores}, {Kind: Ideal}})
	if err != nil {
		return err
	}
	waits := max(c.outside-ideal.sooner, 0) + ideal.seconds
	c.tooLong = max(c.predicted(o)-max(c.mostWithCores(), waits, c.busiest(o)), 0)
	return nil
}

// wantsCores is the share of their time in MPI from which on ranks lacked cores for
// a good part of it.
const wantsCores = 0.1

// lackedInCalls is for what share of their time outside of computation all ranks
// together had no core; the run took so long for what the trace holds.
func (c *Case) lackedInCalls(run float64) float64 {
	still, all := 0.0, 0.0
	work := c.profile.Ranks()
	for rank, s := range c.stood {
		still += s.within
		all += max(run-work[rank]-s.computing-c.profile.Pauses[rank], s.within)
	}
	if still <= 0 {
		return 0
	}
	return still / all
}

// usualStops has a rank stand still as long as the median of the others.
func (c *Case) usualStops(s *setting, rank int) {
	if c.stood == nil || c.stood[rank].all() <= 0 {
		return
	}
	computing, within := c.coreRows(s)
	all := make([]float64, c.ranks)
	for i, t := range c.stood {
		all[i] = computing[i]*t.computing + within[i]*t.within
	}
	mine := all[rank]
	slices.Sort(all)
	if usual := medianWithout(all, mine); usual < mine {
		computing[rank] *= usual / mine
		within[rank] *= usual / mine
	}
}

// evenStops spreads what ranks stood still in computation evenly over it. What they
// did within calls is no noise of their work, and stays.
func (c *Case) evenStops(s *setting) {
	if c.stood == nil {
		return
	}
	computing, _ := c.coreRows(s)
	work := c.profile.Ranks()
	for r := range c.profile.Seconds {
		scale := scaleRow(s, c, r)
		for rank, t := range work {
			if t > 0 {
				scale[rank] *= 1 + computing[rank]*c.stood[rank].computing/t
			}
		}
	}
	clear(computing)
}

// lessWork scales the stops of ranks in computation as their work is scaled. What a
// rank is to do beyond twice its own work is interrupted as the work of all ranks is:
// how often it would be, one that had next to none does not tell. Those within calls
// follow only as far as the rank stood still longer there, for as long as it ran, than
// in its work: who has used up its share of a core in its work and is stopped in the
// next call is stopped there for its work.
func (c *Case) lessWork(s *setting) {
	if c.stood == nil || s.work.Scale == nil && s.work.Speed == 0 {
		return
	}
	computing, within := c.coreRows(s)
	before, after := c.profile.Ranks(), c.workOf(s)
	still := 0.0
	for _, t := range c.stood {
		still += t.computing
	}
	rate := still / max(sum(before), math.SmallestNonzeroFloat64)
	for rank, t := range c.stood {
		if before[rank] <= 0 {
			continue
		}
		times := after[rank] / before[rank]
		if times < 1 && t.within > 0 {
			ran := max(t.ran, c.measured-c.outside-before[rank]-t.all()-c.profile.Pauses[rank])
			left := t.all()*(after[rank]+ran)/(before[rank]+ran) - times*t.computing
			within[rank] *= min(max(left/t.within, 0), 1)
		}
		switch {
		case times <= 2:
			computing[rank] *= times
		case t.computing > 0:
			computing[rank] *= 2 + (after[rank]-2*before[rank])*rate/t.computing
		}
	}
}

// workOf is each rank's computation with changes, without stops.
func (c *Case) workOf(s *setting) []float64 {
	out := make([]float64, c.ranks)
	for r, seconds := range c.profile.Seconds {
		for rank, t := range seconds {
			out[rank] += s.work.Seconds(int32(r), rank, 1e9*t)
		}
	}
	if s.given != nil {
		for rank := range out {
			out[rank] += sum(c.givenTo(s, rank))
		}
	}
	return out
}

// longer is how many times as long as its work each rank's computation takes, with
// what it stands still in it; as it was where there is no setting.
func (c *Case) longer(s *setting) []float64 {
	out := slices.Repeat([]float64{1}, c.ranks)
	if c.stood == nil {
		return out
	}
	work := c.profile.Ranks()
	if s != nil {
		work = c.workOf(s)
	}
	for rank, t := range work {
		still := c.stood[rank].computing
		if s != nil && s.work.Cores != nil {
			still *= s.work.Cores[rank]
		}
		if t > 0 {
			out[rank] += still / t
		}
	}
	return out
}

// told is the share of the run from which on it is said that ranks stood still.
const told = 0.02

// WithinNotes says which ranks of a measured trace had no core within MPI for a part of a
// run that took so long: a replay of measured times has nothing else for it than the network.
func WithinNotes(stood []float64, run float64) []string {
	ranks := longOf(stood, run)
	if ranks == "" {
		return nil
	}
	return []string{"some could have gone on within MPI and had no core: " + ranks + "; here that is the network's, and an ideal one would not end it"}
}

// StopNotes says which ranks had no core for a part of a run that took so long. Late
// is how long they had none while they started and ended; nil for not at all.
func StopNotes(stops trace.Stops, late []float64, run float64) []string {
	inside := make([]float64, len(stops))
	for rank, s := range sumStops(stops) {
		inside[rank] = s.all()
	}
	var notes []string
	if ranks := longOf(inside, run); ranks != "" {
		notes = append(notes, "some could have run and had no core: "+ranks+"; outside of MPI that counts as their computation")
	}
	if ranks := longOf(late, run); ranks != "" {
		notes = append(notes, "while MPI started and ended, some could have run and had no core: "+ranks+"; all wait for the last, and with a core for every rank that is gone, too")
	}
	return notes
}

// longOf names ranks with their times, where these are worth telling.
func longOf(times []float64, run float64) string {
	var ranks []string
	for rank, t := range times {
		if t >= told*run && t > 0 {
			ranks = append(ranks, fmt.Sprintf("rank %d for %s", rank, seconds(t)))
		}
	}
	if len(ranks) > 4 {
		ranks = append(ranks[:4], fmt.Sprintf("… (%d in all)", len(ranks)))
	}
	return strings.Join(ranks, ", ")
}
