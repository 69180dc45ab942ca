package whatif

import (
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
// is interrupted half as long. It ends where the rank gets a core.

// stood is how long a rank had no core.
type stood struct {
	computing, within float64
}

func sumStops(stops trace.Stops) []stood {
	out := make([]stood, len(stops))
	for rank, list := range stops {
		for _, s := range list {
			if s.Within {
				out[rank].within += s.Seconds
			} else {
				out[rank].computing += s.Seconds
			}
		}
	}
	return out
}

func (s stood) all() float64 { return s.computing + s.within }

// coreRow is the parts of the ranks' stops, which a change may alter.
func (c *Case) coreRow(s *setting) []float64 {
	if s.work.Cores == nil {
		s.work.Cores = slices.Repeat([]float64{1}, c.ranks)
	}
	return s.work.Cores
}

var errNoStops = errors.New("it is not known how long ranks waited for a core: experiments that auspex run --trace made on Linux tell")

// enough gives every rank a core.
func (c *Case) enough(s *setting) error {
	switch {
	case c.platform != nil:
		return fmt.Errorf("%s: a platform has the cores it has; without --platform it is that of the run", Change{Kind: Cores})
	case c.stood != nil:
		clear(c.coreRow(s))
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

// usualStops has a rank stand still as long as the median of the others.
func (c *Case) usualStops(s *setting, rank int) {
	if c.stood == nil || c.stood[rank].all() <= 0 {
		return
	}
	row := c.coreRow(s)
	all := make([]float64, c.ranks)
	for i := range all {
		all[i] = row[i] * c.stood[i].all()
	}
	mine := all[rank]
	slices.Sort(all)
	row[rank] = min(mine, medianWithout(all, mine)) / c.stood[rank].all()
}

// evenStops spreads what ranks stood still in computation evenly over it.
func (c *Case) evenStops(s *setting) {
	if c.stood == nil {
		return
	}
	row, work := c.coreRow(s), c.profile.Ranks()
	for r := range c.profile.Seconds {
		scale := scaleRow(s, c, r)
		for rank, t := range work {
			if t > 0 {
				scale[rank] *= 1 + row[rank]*c.stood[rank].computing/t
			}
		}
	}
	clear(row)
}

// lessWork scales the stops of ranks as their work is scaled. What a rank is to do
// beyond twice its own work is interrupted as the work of all ranks is: how often it
// would be, one that had next to none does not tell.
func (c *Case) lessWork(s *setting) {
	if c.stood == nil || s.work.Scale == nil && s.work.Speed == 0 {
		return
	}
	row, before, after := c.coreRow(s), c.profile.Ranks(), c.workOf(s)
	still := 0.0
	for _, t := range c.stood {
		still += t.computing
	}
	rate := still / max(sum(before), math.SmallestNonzeroFloat64)
	for rank := range row {
		switch own := c.stood[rank].computing; {
		case before[rank] <= 0:
		case after[rank] <= 2*before[rank]:
			row[rank] *= after[rank] / before[rank]
		case own > 0:
			row[rank] *= 2 + (after[rank]-2*before[rank])*rate/own
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

// StopNotes says which ranks had no core for a part of a run that took so long. Late
// is how long they had none while they started and ended; nil for not at all.
func StopNotes(stops trace.Stops, late []float64, run float64) []string {
	inside := make([]float64, len(stops))
	for rank, s := range sumStops(stops) {
		inside[rank] = s.all()
	}
	var notes []string
	if ranks := longOf(inside, run); ranks != "" {
		notes = append(notes, "some could have run and had no core: "+ranks+"; where others waited for them, that counts as their computation")
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
