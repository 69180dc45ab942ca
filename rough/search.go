package rough

import (
	"cmp"
	"context"
	"slices"
)

// maxWork bounds the branch and bound search, in clauses looked at: about half a
// second.
const maxWork = 30_000_000

// shortest returns a smallest set of attributes that meets all clauses, among
// those one with the most occurrences, and whether that was proved. If not, it
// is the best set found, none of whose attributes can be left out.
func shortest(ctx context.Context, clauses []Set, occurrences []int64) (Set, bool) {
	s := &solver{ctx: ctx, clauses: clauses, occurrences: occurrences, work: maxWork}
	s.best = irreducible(greedy(clauses, occurrences), clauses)
	s.length, s.occurs = s.best.Len(), total(s.best, occurrences)
	s.frequent = slices.Clone(occurrences)
	slices.SortFunc(s.frequent, func(a, b int64) int { return cmp.Compare(b, a) })
	s.branch(Set{}, Set{}, 0, 0)
	return irreducible(s.best, clauses), s.work > 0
}

// greedy takes the attribute that meets the most clauses not yet met until all
// are.
func greedy(clauses []Set, occurrences []int64) Set {
	var chosen Set
	for {
		hits := make([]int, len(occurrences))
		left := false
		for _, c := range clauses {
			if !c.meets(chosen) {
				left = true
				for _, a := range c.Attributes() {
					hits[a]++
				}
			}
		}
		if !left {
			return chosen
		}
		best := 0
		for a := range hits {
			if hits[a] > hits[best] || hits[a] == hits[best] && occurrences[a] > occurrences[best] {
				best = a
			}
		}
		chosen = chosen.with(best)
	}
}

// irreducible leaves out attributes, the last first, that no clause needs.
func irreducible(s Set, clauses []Set) Set {
	list := s.Attributes()
	slices.Reverse(list)
	for _, a := range list {
		without := s.without(a)
		if !slices.ContainsFunc(clauses, func(c Set) bool { return !c.meets(without) }) {
			s = without
		}
	}
	return s
}

// solver is the state of the search: the best set so far and the work left.
type solver struct {
	ctx         context.Context
	clauses     []Set
	occurrences []int64
	frequent    []int64 // occurrences, most first
	best        Set
	length      int
	occurs      int64
	work        int
}

// branch tries all ways to meet the remaining clauses that could beat the
// best. Attributes in banned were tried before and are not used again.
func (s *solver) branch(chosen, banned Set, length int, occurs int64) {
	if s.work -= len(s.clauses); s.work <= 0 || s.ctx.Err() != nil {
		s.work = 0
		return
	}
	var pick Set
	open, need := false, 0
	var packed Set // clauses without common attributes each need one of their own
	for _, c := range s.clauses {
		if c.meets(chosen) {
			continue
		}
		c = c.minus(banned)
		if c.empty() {
			return
		}
		if !open || c.Len() < pick.Len() {
			pick, open = c, true
		}
		if !c.meets(packed) {
			packed = union(packed, c)
			need++
		}
	}
	if !open {
		if length < s.length || length == s.length && occurs > s.occurs {
			s.best, s.length, s.occurs = chosen, length, occurs
		}
		return
	}
	if !s.promising(length, need, occurs) {
		return
	}
	list := pick.Attributes()
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(s.occurrences[b], s.occurrences[a]) })
	for _, a := range list {
		s.branch(chosen.with(a), banned, length+1, occurs+s.occurrences[a])
		banned = banned.with(a)
	}
}

// promising tells whether a set of length attributes that needs at least need
// more could still become shorter than the best, or as short and more frequent.
func (s *solver) promising(length, need int, occurs int64) bool {
	if length+need != s.length {
		return length+need < s.length
	}
	for _, n := range s.frequent[:need] {
		occurs += n
	}
	return occurs > s.occurs
}

func union(s, t Set) Set {
	for k := range s {
		s[k] |= t[k]
	}
	return s
}
