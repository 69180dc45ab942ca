package whatif

import (
	"cmp"
	"fmt"
	"slices"

	"auspex/simulate/loggp"
)

// Bound prices changes of a run of which only a profile is known: computation by
// region and rank, and how long it took. No run can be shorter than what its
// busiest rank computes and pauses, nor become shorter by more than all ranks have
// less to do: each second less shortens what the others wait for by a second at
// most. So the gain is at most what is said here; how much of it comes depends on
// who waits for whom, which a profile does not tell.
type Bound struct {
	profile *loggp.Profile
	seconds float64
	waits   []float64
	all     [][]float64
}

// NewBound starts from a profile, of the busiest thread of each rank. Of what counts
// as computation each rank may have waited as long as waits says; nil for not at
// all. All is the computation of all threads by region and rank; nil where there are
// no others.
func NewBound(p *loggp.Profile, seconds float64, waits []float64, all [][]float64) *Bound {
	if all == nil {
		all = p.Seconds
	}
	return &Bound{p, seconds, waits, all}
}

// noTrace is said with every bound.
const noTrace = "for want of a trace this is a bound: the gain is at most this"

// Price bounds what changes would bring.
func (b *Bound) Price(changes []Change) (*Answer, error) {
	c := &Case{profile: b.profile, measured: b.seconds, ranks: b.ranks()}
	for _, ch := range changes {
		switch ch.Kind {
		case Faster, Balance, Remove, LikeMedian, Hosts:
		default:
			return nil, fmt.Errorf("%s needs a trace: run the program with auspex run --trace", ch)
		}
	}
	s, err := c.setting(changes)
	if err != nil {
		return nil, err
	}
	compute, less := make([]float64, b.ranks()), 0.0
	for r, row := range b.profile.Seconds {
		for rank, t := range row {
			compute[rank] += s.work.Seconds(int32(r), rank, 1e9*t)
			all := b.all[r][rank]
			less += max(0, all-s.work.Seconds(int32(r), rank, 1e9*all))
		}
	}
	for rank := range compute {
		compute[rank] += sum(c.givenTo(&s, rank))
	}
	for rank, t := range b.profile.Pauses {
		after := s.work.Pause(rank, t)
		compute[rank] += after
		less += t - after
	}
	for rank, w := range b.waits {
		compute[rank] = max(compute[rank]-w, 0)
	}
	most := slices.Max(compute)
	a := &Answer{BaseSeconds: b.seconds, NewSeconds: min(max(most, b.seconds-less), b.seconds), Measured: true, Replayed: b.seconds, Bound: true, Changes: []string{}, Notes: []string{noTrace}}
	if b.seconds > 0 {
		a.Gain = 1 - a.NewSeconds/b.seconds
	}
	for _, ch := range changes {
		a.Changes = append(a.Changes, ch.String())
	}
	a.Interval = [2]float64{a.NewSeconds, b.seconds}
	a.Limit = c.limit(&outcome{seconds: a.NewSeconds, compute: compute}, s)
	a.Words = fmt.Sprintf("A bound, for want of a trace: with these changes the run of %s cannot become shorter than %s, %.1f %% less.", seconds(b.seconds), seconds(a.NewSeconds), 100*a.Gain)
	return a, nil
}

func (b *Bound) ranks() int {
	if len(b.profile.Seconds) == 0 {
		return 0
	}
	return len(b.profile.Seconds[0])
}

// Opportunities lists the bounds of what could be changed.
func (b *Bound) Opportunities() (*List, error) {
	c := &Case{profile: b.profile, measured: b.seconds, ranks: b.ranks()}
	l := &List{BaseSeconds: b.seconds, Measured: true, Bound: true, Notes: []string{noTrace}, Opportunities: []Opportunity{}, Shares: []Share{}}
	for _, ch := range c.candidates() {
		if ch.Kind == Ideal || ch.Kind == NoNoise {
			continue
		}
		l.Tried++
		a, err := b.Price([]Change{ch})
		if err != nil {
			return nil, err
		}
		if a.Gain >= least {
			l.Opportunities = append(l.Opportunities, Opportunity{Change: ch.String(), Words: ch.Spoken(), Region: ch.Region, Gain: a.Gain, NewSeconds: a.NewSeconds, change: ch})
		}
	}
	slices.SortStableFunc(l.Opportunities, func(x, y Opportunity) int { return cmp.Compare(y.Gain, x.Gain) })
	l.Words = "For want of a trace these are bounds: none of these changes can gain more."
	if len(l.Opportunities) == 0 {
		l.Words = fmt.Sprintf("For want of a trace there are only bounds, and by these none of %d changes could make the run of %s shorter by a thousandth or more.", l.Tried, seconds(b.seconds))
	}
	return l, nil
}
