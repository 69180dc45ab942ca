package predict

import (
	"auspex/trace"
)

// partner is who an action's partner is, whatever the number of processes.
type partner struct {
	by  partnerKind
	n   int32
	off offset
}

type partnerKind uint8

const (
	number   partnerKind = iota // a rank by its number; nobody and anyone are below 0
	fromLast                    // so many before the last
	around                      // as far away in the grid, over its edge to the other side
	inside                      // as far away, or nobody where that is over the edge
	onward                      // so many numbers further, however ranks are laid out
	flipped                     // whose number differs in these bits
	opposite                    // half of the ranks away
	parent                      // whose number lacks the lowest bit: up a binomial tree
	mirrored                    // on the other side of a square grid's diagonal
	// Of the calls of a loop, by its counter:
	ahead
	behind
	flippedBy
	atCounter
	opponent // in a round of a tournament in which each of an even number plays each
)

// nobodyAt is a partner that a rank cannot have.
const nobodyAt = -999

// of is the partner of the rank with a seat, when the counter of the loop that the call
// is in is d.
func (p partner) of(s seat, d int) int32 {
	n := s.part.size()
	to := -1
	switch p.by {
	case number:
		if p.n < 0 {
			return p.n
		}
		to = int(p.n)
	case fromLast:
		to = n - 1 - int(p.n)
	case around:
		to = s.part.reach(s.me, p.off)
	case inside:
		var ok bool
		if to, ok = s.part.step(s.me, p.off); !ok {
			return trace.NullPeer
		}
	case onward:
		to = (s.me + int(p.n) + n) % n
	case flipped:
		to = s.me ^ int(p.n)
	case opposite:
		to = (s.me + n/2) % n
	case parent:
		to = s.me & (s.me - 1)
	case mirrored:
		if len(s.part) == 2 && s.part[0] == s.part[1] {
			place := s.part.at(s.me)
			to = s.part.rank([3]int{place[1], place[0]})
		}
	case ahead:
		to = (s.me + d) % n
	case behind:
		to = ((s.me-d)%n + n) % n
	case flippedBy:
		to = s.me ^ d
	case atCounter:
		to = d
	case opponent:
		to = s.opponent(d)
	}
	if to < 0 || to >= n {
		return nobodyAt
	}
	return int32(to)
}

// opponent is who a rank meets in a round of a tournament: the last stands still, the
// others go around (the circle method of schedules).
func (s seat) opponent(round int) int {
	others := s.part.size() - 1
	if others < 1 || s.me == others {
		return round
	}
	if to := ((2*round-s.me)%others + others) % others; to != s.me {
		return to
	}
	return others
}

// step is the rank at an offset, if the grid goes that far.
func (g grid) step(from int, off offset) (int, bool) {
	place := g.at(from)
	for d, n := range g {
		place[d] += int(off[d])
		if place[d] < 0 || place[d] >= n {
			return 0, false
		}
	}
	return g.rank(place), true
}

// between is how far it is from one place to another without going over an edge.
func (g grid) between(from, to int) (off offset) {
	a, b := g.at(from), g.at(to)
	for d := range g {
		off[d] = int32(b[d] - a[d])
	}
	return off
}

// candidates are who a partner may be that one rank has in one run.
func candidates(a *trace.Action, peer int32, s seat) []partner {
	last := int32(s.part.size()) - 1
	switch {
	case peer < 0:
		return []partner{{n: peer}}
	case a.Kind.Collective():
		return []partner{{by: fromLast, n: last - peer}, {n: peer}, {by: opposite}}
	}
	list := []partner{
		{by: around, off: s.part.away(s.me, int(peer))},
		{by: inside, off: s.part.between(s.me, int(peer))},
		{by: flipped, n: int32(s.me) ^ peer},
		{by: onward, n: (grid{s.part.size()}).away(s.me, int(peer))[0]},
		{n: peer},
		{by: fromLast, n: last - peer},
	}
	for _, by := range []partnerKind{opposite, parent, mirrored} {
		if p := (partner{by: by}); p.of(s, 0) == peer {
			list = append(list, p)
		}
	}
	return list
}

// inLoop are who a partner may be in a loop with a counter.
var inLoop = []partner{{by: ahead}, {by: behind}, {by: flippedBy}, {by: atCounter}, {by: opponent}}

// label is an action's tag: a number, or that much more than a rank or a counter.
type label struct {
	by labelKind
	n  int32
}

type labelKind uint8

const (
	tagged   labelKind = iota // the number itself
	tagMe                     // more than the rank's own number
	tagPeer                   // more than its partner's
	tagCount                  // more than the loop's counter
	tagRound                  // more than how often the loop was gone through
	tagKinds
)

// base is what a tag is told from.
func (k labelKind) base(s seat, peer int32, d, round int) int32 {
	switch k {
	case tagMe:
		return int32(s.me)
	case tagPeer:
		return peer
	case tagCount:
		return int32(d)
	case tagRound:
		return int32(round)
	}
	return 0
}
