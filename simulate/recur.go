package simulate

import (
	"bytes"
	"math"

	"auspex/trace"
)

// Programs repeat themselves, and so do their replays: when the whole state is
// what it was some iterations ago, only later, everything that happened since
// will happen again. Then as many such periods as all ranks have left are
// skipped at once, and what they would have added to clocks and sums is added.
//
// States are compared at quiet moments, when no message is on its way: that
// leaves the ranks, what they wait for, and when the next of them wakes up. The
// first quiet moment after a loop of one rank, the leader, has begun another
// iteration is looked at; Brent's method ("An improved Monte Carlo factorization
// algorithm", BIT 20, 1980) finds periods of several iterations as well, with
// one earlier state kept for each depth of nested loops.
//
// Equal means: equal in all that is counted, and dates alike to what rounding
// does to them (alike). docs/RATIONALE.md says how far that can lead astray.

const (
	// alike is the difference of dates, relative to the clock, that rounding
	// can make in an iteration: some hundred additions.
	alike = 64 * 0x1p-52
	// stray and, relative to the clock, drift are how far skipped periods may carry
	// the dates away if each differs from the last as the ones compared do. Up to
	// a hundred simulated seconds that is below precision.
	stray = precision / 1000
	drift = 1e-11

	maxDepth = 4 // loops nested deeper are not looked at
)

// recurrence is the search for periods.
type recurrence struct {
	off    bool
	leader int32  // the rank whose loops are watched, or none
	turned uint32 // depths of its loops that turned since the last look, as bits
	depths [maxDepth]struct {
		before *snapshot
		taken  int64 // the leader's values at its last turn
		steps  int   // looks since the state before was taken
		limit  int   // looks until it is replaced
	}
	kept    bool   // there is a state before that may come again
	watched int32  // rank whose loops it is of: the leader when it was taken
	skipped int64  // actions
	now     state  // scratch
	place   []byte // likewise
}

// newRecurrence starts the search, unless somebody watches every action.
func newRecurrence(o *Options, h Hooks) recurrence {
	return recurrence{leader: none, off: o.EveryIteration || o.CriticalPath || h.Timeline != nil}
}

// turn notes that a loop of a rank has begun another iteration. The first rank
// whose loop does becomes the leader.
func (c *recurrence) turn(id int32, cursor *trace.Cursor) {
	depth := cursor.Turned()
	if c.off || c.leader != none && c.leader != id || depth >= maxDepth {
		return
	}
	c.leader = id
	d := &c.depths[depth]
	if d.taken == cursor.Taken() { // else this iteration was unlike others
		c.turned |= 1 << depth
	}
	d.taken = cursor.Taken()
}

// ended notes that a rank has come to its end.
func (c *recurrence) ended(id int32) {
	if c.leader == id {
		c.leader, c.turned = none, 0
	}
}

// giveUp lets the memory of earlier states go: they cannot come again once the rank has
// left the loops they are of.
func (c *recurrence) giveUp() {
	for depth := range c.depths {
		if s := c.depths[depth].before; s != nil {
			*s = snapshot{leader: s.leader}
		}
	}
	c.kept = false
}

// look compares the state with earlier ones and skips what will repeat.
func (e *engine) look() {
	c := &e.recur
	turned := c.turned
	c.turned = 0
	for depth := range c.depths {
		if turned&(1<<depth) == 0 {
			continue
		}
		d := &c.depths[depth]
		if d.before == nil || !e.samePlace(d.before) {
			if d.before == nil {
				d.before = &snapshot{}
			}
			e.snap(d.before)
			d.steps, d.limit = 0, 1
			continue
		}
		if apart, ok := e.compare(d.before); ok {
			if n := e.periods(d.before, apart); n > 0 {
				e.skip(d.before, n)
				e.snap(d.before)
				d.steps, d.limit = 0, 1
				return
			}
		}
		if d.steps++; d.steps >= d.limit {
			e.snap(d.before)
			d.steps, d.limit = 0, 2*d.limit
		}
	}
}

// samePlace tells whether the leader is where it was, or in another loop.
func (e *engine) samePlace(s *snapshot) bool {
	c := &e.recur
	c.place = e.ranks[c.leader].cursor.AppendPlace(c.place[:0])
	return bytes.Equal(c.place, s.leader)
}

// compare tells whether the state is what it was, and how far dates are apart.
func (e *engine) compare(s *snapshot) (apart float64, same bool) {
	counts, dates := s.counts, s.dates.reader()
	for i := 0; i <= len(e.ranks); i++ {
		now := e.stateAt(i)
		if !bytes.HasPrefix(counts, now.counts) {
			return 0, false
		}
		for k, x := range now.dates { // as many as then, since the counts are the same
			apart = max(apart, math.Abs(x-dates.nextFloat(k)))
		}
		if !(apart <= alike*e.now) {
			return 0, false
		}
		counts = counts[len(now.counts):]
	}
	return apart, len(counts) == 0 && len(dates.bytes) == 0
}

// periods returns how often what happened since s can happen again: until a
// loop ends, or until the dates might have drifted.
func (e *engine) periods(s *snapshot, apart float64) uint64 {
	n := uint64(math.MaxUint32)
	left, done := s.left.reader(), s.done.reader()
	for i := range e.ranks {
		cursor := &e.ranks[i].cursor
		turns := uint64(0)
		for k := range cursor.Depth() {
			before, now := left.next(k), cursor.Left(k)
			if before == now {
				continue
			}
			if turns > 0 || now > before {
				return 0 // an inner loop is in another iteration
			}
			turns = before - now
			n = min(n, now/turns)
		}
		if before := int64(done.next(0)); turns == 0 && cursor.Done() != before {
			return 0 // it went on outside of loops, or through all of one
		}
	}
	if most := (stray + drift*e.now) / apart; most < float64(n) {
		n = uint64(most)
	}
	return n
}

// skip does what happened since s another n times.
func (e *engine) skip(s *snapshot, n uint64) {
	times := float64(n)
	shift := times * (e.now - s.now)
	left, done, sums := s.left.reader(), s.done.reader(), s.times.reader()
	for i := range e.ranks {
		r, before := &e.ranks[i], int64(done.next(0))
		for k := range r.cursor.Depth() {
			if turns := left.next(k) - r.cursor.Left(k); turns > 0 {
				r.cursor.Skip(k, n*turns, int64(n)*(r.cursor.Done()-before))
			}
		}
		for k, seconds := range e.times[i].sums() {
			again(times, seconds, sums.nextFloat(k))
		}
		r.began += shift
		e.cpus.work[i].since += shift
	}
	for i := range e.net.reserves {
		e.net.reserves[i].at += shift
	}
	e.net.again(times, s)
	skipped := int64(n) * (e.actions - s.actions)
	e.actions += skipped
	e.recur.skipped += skipped
	e.shiftWords(shift)
	e.queue.shift(shift)
	e.now += shift
}
