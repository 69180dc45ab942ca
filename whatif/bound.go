package whatif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"auspex/simulate/loggp"
)

// Bound prices changes of a run of which only a profile is known: computation by
// region and rank, and how long it took. At any moment of a run something is being
// done that the end waits for. How much of that is a region's is not known, but no
// more than all threads of all ranks spend in it: by so much at most the run becomes
// shorter, and by no more than if all of it were that region. Nor does it become
// shorter than what a rank computes by itself. So the gain is at most what is said
// here; how much of it comes depends on who waits for whom, which a profile does not
// tell.
type Bound struct {
	// Why is why there are only bounds, "" for want of a trace.
	Why string
	// NoTrace is why there is no trace, or how to get one.
	NoTrace string
	// First is the computation of the first thread of each rank, by region: while
	// other threads communicate, it may wait under the name of a region. Nil where
	// nobody may.
	First [][]float64
	// Sparse are regions of which too few samples were taken to say what they cost: a change
	// of one is priced where it is asked for, and offered nowhere.
	Sparse map[string]bool

	profile *loggp.Profile
	seconds float64
	waits   []float64
	all     [][]float64
	// communicated is how long threads of a rank did that are not its first.
	communicated []float64
}

// NewBound starts from a profile, of the busiest thread of each rank. Of what counts
// as computation it may have waited as long as waits says for communication of other
// threads of its rank; nil for not at all. All is the computation of all threads by
// region and rank; nil where there are no others.
func NewBound(p *loggp.Profile, seconds float64, waits []float64, all [][]float64) *Bound {
	if all == nil {
		all = p.Seconds
	}
	b := &Bound{profile: p, seconds: seconds, waits: make([]float64, len(p.Pauses)), all: all}
	copy(b.waits, waits)
	b.communicated = slices.Clone(b.waits)
	for r, row := range p.Seconds {
		for rank, t := range row { // while others work, a thread may wait for them, spinning or blocked
			b.waits[rank] += max(all[r][rank]-t, 0)
		}
	}
	return b
}

func (b *Bound) why() string {
	if b.Why == "" {
		return "for want of a trace"
	}
	return b.Why
}

// lead begins a sentence with it.
func (b *Bound) lead() string {
	if b.Why == "" {
		return b.why()
	}
	return b.Why + ","
}

// note is said with every bound.
func (b *Bound) note() string { return b.lead() + " this is a bound: the gain is at most this" }

// inAll is said where work is balanced: a profile has no steps.
const inAll = "balanced is what ranks have in all; where the work moves from rank to rank, evening out each step may gain more, which only a trace tells"

// Price bounds what changes would bring.
func (b *Bound) Price(changes []Change) (*Answer, error) {
	c := b.whole()
	for _, ch := range changes {
		switch ch.Kind {
		case Faster, Balance, Remove, LikeMedian, Hosts:
		default:
			return nil, fmt.Errorf("%s needs a trace: %s", ch, cmp.Or(b.NoTrace, "run the program with auspex run --trace"))
		}
	}
	s, err := c.setting(changes)
	if err != nil {
		return nil, err
	}
	compute, less := make([]float64, b.ranks()), 0.0
	shortest := 1.0 // what becomes of a second where most is gained
	for r, row := range b.profile.Seconds {
		for rank, t := range row {
			compute[rank] += s.work.Seconds(int32(r), rank, 1e9*t)
			if all := b.all[r][rank]; all > 0 {
				after := s.work.Seconds(int32(r), rank, 1e9*all)
				less += max(0, all-after)
				shortest = min(shortest, after/all)
			}
		}
	}
	for rank := range compute {
		if !b.threaded(rank) { // else another thread may do it
			compute[rank] += sum(c.givenTo(&s, rank))
		}
	}
	for rank, t := range b.profile.Pauses {
		after := s.work.Pause(-1, rank, t)
		if less += t - after; after < t {
			shortest = 0
		}
		if b.ranks() == 1 { // else it may be another rank that it waits for
			compute[rank] += after
		}
	}
	least := max(b.seconds-less, b.seconds*shortest)
	for rank, w := range b.waits {
		least = max(least, compute[rank]-w)
	}
	a := &Answer{BaseSeconds: b.seconds, NewSeconds: min(least, b.seconds), Measured: true, Replayed: b.seconds, Bound: true, Changes: []string{}, Notes: []string{b.note()}}
	if b.seconds > 0 {
		a.Gain = 1 - a.NewSeconds/b.seconds
	}
	if b.ranks() > 1 && slices.ContainsFunc(changes, func(ch Change) bool { return ch.Kind == Balance }) {
		a.Notes = append(a.Notes, inAll)
	}
	for _, ch := range changes {
		a.Changes = append(a.Changes, ch.String())
	}
	a.Interval = [2]float64{a.NewSeconds, b.seconds}
	a.Limit = c.limit(&outcome{seconds: a.NewSeconds, compute: compute}, s)
	a.Words = a.boundWords(b.why())
	return a, nil
}

// boundWords says why an answer is a bound, and which.
func (a *Answer) boundWords(why string) string {
	return fmt.Sprintf("A bound, %s: with these changes the run of %s cannot become shorter than %s, %.1f %% less.", why, seconds(a.BaseSeconds), seconds(a.NewSeconds), 100*a.Gain)
}

// whole is the run with the work of all threads: which of them does it, and what of
// it comes to light in the busiest one, may be another with changes.
func (b *Bound) whole() *Case {
	p := *b.profile
	p.Seconds = b.all
	return &Case{profile: &p, measured: b.seconds, ranks: b.ranks(), hidden: hidden{b.First, b.communicated}}
}

// hidden is how long ranks may have waited in what counts as their computation.
type hidden struct {
	first  [][]float64 // of the first threads, by region and rank
	others []float64   // what the others of a rank communicated
}

// in is how long a rank may have waited under the name of a region.
func (h hidden) in(region, rank int) float64 {
	if h.first == nil {
		return 0
	}
	return min(h.first[region][rank], h.others[rank])
}

// all is how long it may have waited in all regions together.
func (h hidden) all(rank int) float64 {
	total := 0.0
	for _, row := range h.first {
		total += row[rank]
	}
	return min(total, h.others[rank])
}

// threaded tells whether a rank has other threads that work.
func (b *Bound) threaded(rank int) bool {
	for r, row := range b.profile.Seconds {
		if b.all[r][rank] > row[rank] {
			return true
		}
	}
	return false
}

func (b *Bound) ranks() int {
	if len(b.profile.Seconds) == 0 {
		return 0
	}
	return len(b.profile.Seconds[0])
}

// Opportunities lists the bounds of what could be changed.
func (b *Bound) Opportunities() (*List, error) {
	c := b.whole()
	l := &List{BaseSeconds: b.seconds, Measured: true, Bound: true, Notes: []string{b.note()}, Opportunities: []Opportunity{}, Shares: []Share{}}
	for _, ch := range c.candidates() {
		if ch.Kind == Ideal || ch.Kind == NoNoise || b.Sparse[ch.Region] {
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
	if b.ranks() > 1 {
		l.Notes = append(l.Notes, inAll)
	}
	why := strings.ToUpper(b.lead()[:1]) + b.lead()[1:]
	l.Words = why + " these are bounds: none of these changes can gain more."
	if len(l.Opportunities) == 0 {
		l.Words = fmt.Sprintf("%s there are only bounds, and by these none of %d changes could make the run of %s shorter by a thousandth or more.", why, l.Tried, seconds(b.seconds))
	}
	return l, nil
}
