package rough

import (
	"context"
)

// index answers questions about all pairs of classes by grouping, without
// looking at pairs.
type index struct {
	classes    []Class
	attributes int
	whole      []int32 // by class: its group when all attributes are used
}

func newIndex(classes []Class, attributes int) *index {
	in := &index{classes: classes, attributes: attributes}
	all := Set{}
	for a := range attributes {
		all = all.with(a)
	}
	in.whole = in.groups(all)
	return in
}

// groups numbers the groups of classes that agree in the attributes of s.
func (in *index) groups(s Set) []int32 {
	group := make([]int32, len(in.classes))
	for _, a := range s.Attributes() {
		in.split(group, a)
	}
	return group
}

func (in *index) split(group []int32, a int) {
	refine(group, func(c int) int { return in.classes[c].Values[a] })
}

// occurrences counts for every attribute the pairs of rows it tells apart:
// pairs with different decisions, less those of them with equal values. Among
// n rows of which n_d have decision d there are (n² - Σ n_d²)/2 such pairs.
func (in *index) occurrences() []int64 {
	unequal := func(group []int32) int64 {
		type key struct {
			group    int32
			decision int
		}
		rows, same := map[int32]int64{}, map[key]int64{}
		for c, g := range group {
			n := int64(len(in.classes[c].IDs))
			rows[g] += n
			same[key{g, in.classes[c].Decision}] += n
		}
		pairs := int64(0)
		for _, n := range rows {
			pairs += n * n
		}
		for _, n := range same {
			pairs -= n * n
		}
		return pairs / 2
	}
	all := unequal(make([]int32, len(in.classes)))
	counts := make([]int64, in.attributes)
	for a := range counts {
		counts[a] = all - unequal(in.groups(SetOf(a)))
	}
	return counts
}

// core returns the attributes without which some pair is lost that all
// attributes tell apart.
func (in *index) core() []int {
	core := []int{}
	before := make([]int32, len(in.classes)) // groups by the attributes below a
	after := make([][]int32, in.attributes+1)
	after[in.attributes] = make([]int32, len(in.classes))
	for a := in.attributes - 1; a > 0; a-- {
		after[a] = append([]int32(nil), after[a+1]...)
		in.split(after[a], a)
	}
	for a := range in.attributes {
		others := append([]int32(nil), before...)
		refine(others, func(c int) int { return int(after[a+1][c]) })
		if len(in.lost(others, 1)) > 0 {
			core = append(core, a)
		}
		in.split(before, a)
	}
	return core
}

// lost returns up to limit clauses of pairs that all attributes tell apart and
// the grouping does not.
func (in *index) lost(group []int32, limit int) []Set {
	// Within a group look at each class against the first of another decision
	// and other values. If the group has two decisions and two values at all,
	// some such pair exists: of two classes that differ in values only and two
	// that differ in decision only, two differ in both.
	type first struct{ class, value, decision int }
	seen := map[int32]*first{}
	var clauses []Set
	found := func(a, b int) bool {
		clauses = append(clauses, differing(&in.classes[a], &in.classes[b]))
		return len(clauses) >= limit
	}
	for c, g := range group {
		f, ok := seen[g]
		if !ok {
			seen[g] = &first{c, -1, -1}
			continue
		}
		value := in.whole[c] != in.whole[f.class]
		decision := in.classes[c].Decision != in.classes[f.class].Decision
		switch {
		case value && decision:
			if found(f.class, c) {
				return clauses
			}
		case value:
			if f.value < 0 {
				f.value = c
			}
			if f.decision >= 0 && found(f.decision, c) {
				return clauses
			}
		case decision:
			if f.decision < 0 {
				f.decision = c
			}
			if f.value >= 0 && found(f.value, c) {
				return clauses
			}
		}
	}
	return clauses
}

// inexplicable lists pairs of classes that agree in all attributes but not in
// the decision, and counts them.
func (in *index) inexplicable() ([]Pair, int64) {
	members := map[int32][]int{}
	var pairs []Pair
	count := int64(0)
	for c, g := range in.whole {
		for _, other := range members[g] {
			if len(pairs) == InexplicableLimit {
				break
			}
			pairs = append(pairs, Pair{in.classes[other].IDs[0], in.classes[c].IDs[0]})
		}
		count += int64(len(members[g]))
		members[g] = append(members[g], c)
	}
	return pairs, count
}

// The number of clauses taken in at a time, and how often, by index.shortest.
const (
	batch   = 64
	batches = 200
)

// shortest is the same question as the other shortest, for tables with more
// pairs than can be looked at. It starts with no clauses, finds a smallest set
// for the clauses it has, adds clauses that set does not meet, and is done
// when there are none: the set then is the smallest for all clauses, for it is
// for some of them.
func (in *index) shortest(ctx context.Context, occurrences []int64) (Set, bool) {
	var clauses []Set
	var set Set
	exact := true
	for range batches {
		lost := in.lost(in.groups(set), batch)
		if len(lost) == 0 {
			return set, exact
		}
		clauses = absorb(append(clauses, lost...))
		set, exact = shortest(ctx, clauses, occurrences)
		if ctx.Err() != nil {
			return set, false
		}
		if !exact {
			break
		}
	}
	return in.complete(set), false
}

// complete adds attributes until nothing is lost, then leaves out those not
// needed.
func (in *index) complete(set Set) Set {
	for lost := in.lost(in.groups(set), batch); len(lost) > 0; lost = in.lost(in.groups(set), batch) {
		for _, c := range lost {
			if !c.meets(set) {
				set = set.with(c.Attributes()[0])
			}
		}
	}
	for _, a := range set.Attributes() {
		if without := set.without(a); len(in.lost(in.groups(without), 1)) == 0 {
			set = without
		}
	}
	return set
}
