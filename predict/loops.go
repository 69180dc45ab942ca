package predict

import (
	"math/bits"
	"slices"
)

// counter is how a loop counts that a rank goes through once for each of several
// partners: the collective operations that programs write by hand.
type counter struct {
	name   string
	values func(me, n int) []int
}

// counters are, of n ranks: rings and all pairs (from 1, from 0, downwards), dissemination
// and recursive doubling or halving, binomial trees from their leaves and from their
// root, and chains to the ranks after and before.
var counters = []*counter{
	{"from 1 to p − 1", func(me, n int) []int { return from(1, n) }},
	{"from p − 1 to 1", func(me, n int) []int { return reversed(from(1, n)) }},
	{"from 0 to p − 2", func(me, n int) []int { return from(0, n-1) }},
	{"1, 2, 4 …", func(me, n int) []int { return powers(n) }},
	{"… 4, 2, 1", func(me, n int) []int { return reversed(powers(n)) }},
	{"up a binomial tree", children},
	{"down a binomial tree", func(me, n int) []int { return reversed(children(me, n)) }},
	{"over all ranks", func(me, n int) []int { return from(0, n) }},
	{"over all other ranks", func(me, n int) []int {
		return slices.DeleteFunc(from(0, n), func(d int) bool { return d == me })
	}},
	{"over the ranks after it", func(me, n int) []int { return from(me+1, n) }},
	{"over the ranks before it", func(me, n int) []int { return from(0, me) }},
	{"over the ranks after it, from the last", func(me, n int) []int { return reversed(from(me+1, n)) }},
	{"over the ranks before it, from the nearest", func(me, n int) []int { return reversed(from(0, me)) }},
}

func from(a, b int) (list []int) {
	for ; a < b; a++ {
		list = append(list, a)
	}
	return list
}

func reversed(list []int) []int {
	slices.Reverse(list)
	return list
}

// powers are those of two below n.
func powers(n int) (list []int) {
	for d := 1; d < n; d *= 2 {
		list = append(list, d)
	}
	return list
}

// children are how far from a rank those below it in a binomial tree are.
func children(me, n int) []int {
	most := n
	if me > 0 {
		most = 1 << bits.TrailingZeros(uint(me))
	}
	return slices.DeleteFunc(powers(most), func(d int) bool { return me+d >= n })
}

// longestBody is how many calls one turn of a loop may have.
const longestBody = 12

// counting are the loops with a counter that may begin here.
func (p *parser) counting(pos []int) (list []option) {
	last := len(p.streams) - 1
	for _, c := range counters {
		if pos[last] >= len(p.streams[last].calls) {
			return nil
		}
		comm := int(p.action(last, pos[last]).Comm)
		if comm >= len(p.streams[last].seats) {
			return nil
		}
		values, longest := make([][]int, len(p.streams)), 0
		for i, s := range p.streams {
			seat := s.seats[comm]
			values[i] = c.values(seat.me, seat.part.size())
			longest = max(longest, len(values[i]))
		}
		for body := 1; body <= longestBody && longest > 1; body++ {
			if o, ok := p.gone(pos, c, values, body); ok {
				list = append(list, o)
				break
			}
		}
	}
	return list
}

// gone is a loop of so many calls that the streams go through once for each value.
func (p *parser) gone(pos []int, c *counter, values [][]int, body int) (option, bool) {
	o := option{step: &step{turns: c}, by: make([]int, len(pos))}
	for i, s := range p.streams {
		if o.by[i] = body * len(values[i]); pos[i]+o.by[i] > len(s.calls) {
			return o, false
		}
	}
	some := slices.IndexFunc(o.by, func(n int) bool { return n > 0 })
	for i := range p.streams { // most loops are none already by the kinds of their calls
		for call := range o.by[i] {
			a, first := p.action(i, pos[i]+call), p.action(some, pos[some]+call%body)
			if a.Kind != first.Kind || a.Comm != first.Comm {
				return o, false
			}
		}
	}
	counts := false
	for k := range body {
		var list []occurrence
		for i, s := range p.streams {
			for round, d := range values[i] {
				list = append(list, occurrence{s, p.action(i, pos[i]+round*body+k), d, round})
			}
		}
		one := p.common(list, true)
		if one == nil {
			return o, false
		}
		one.call = p.number(pos, k)
		for _, who := range one.peers {
			counts = counts || who.by >= ahead
		}
		o.step.body = append(o.step.body, one)
	}
	return o, counts
}

// repeated are the loops that may begin here in which every turn is the same, and of
// which there are as many as some law of the number of processes says.
func (p *parser) repeated(pos []int) (list []option) {
	last := len(p.streams) - 1
	for body := 1; body <= longestBody; body++ {
		if p.streams[last].repeats(pos[last], body) {
			continue // such a loop was looked at where it began
		}
		o := option{step: &step{}, by: make([]int, len(pos))}
		var seen []observed
		same, ok := true, true
		for i, s := range p.streams {
			turns := s.turns(pos[i], body)
			o.by[i] = turns * body
			point := observed{s.of, float64(turns)}
			switch n := len(seen); {
			case turns == 0:
				ok = false
			case n == 0 || seen[n-1].of.size() != s.of.size():
				seen = append(seen, point)
			case seen[n-1].value != point.value:
				ok = false
			}
			same = same && seen != nil && turns == int(seen[0].value)
		}
		if !ok || same || !lawful(seen) {
			continue
		}
		for k := range body {
			one, err := p.single(pos, k)
			if err != nil || listed(&one.action) {
				ok = false
				break
			}
			o.step.body = append(o.step.body, one)
		}
		if o.step.rounds = seen; ok {
			return append(list, o)
		}
	}
	return list
}

// repeats tells whether the call before a place is that at the end of so many.
func (s *stream) repeats(pos, body int) bool {
	return pos > 0 && pos+body <= len(s.calls) && s.calls[pos-1] == s.calls[pos+body-1]
}

// turns is how often a stream goes on with the same calls, so many at a time.
func (s *stream) turns(pos, body int) int {
	if pos+body > len(s.calls) {
		return 0
	}
	end := pos + body
	for end < len(s.calls) && s.calls[end] == s.calls[end-body] {
		end++
	}
	return (end - pos) / body
}

// lawful tells whether numbers of turns follow a law.
func lawful(seen []observed) bool {
	_, err := roundsLaw(seen)
	return err == nil
}

// roundsLaw is the law of numbers of turns: a whole multiple of what grows, or with a
// whole number besides where three runs agree.
func roundsLaw(seen []observed) (law, error) {
	for _, fits := range []func(part, []observed) (law, bool){multiple, affine} {
		for _, p := range parts {
			if l, ok := fits(p, seen); ok && p.grows() && len(seen) > 1 {
				return l, nil
			}
		}
	}
	return law{}, noLaw(seen)
}
