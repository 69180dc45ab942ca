package rough

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// maxClauses is the number of different entries up to which all are kept.
const maxClauses = 20_000

// allClauses returns the entries of the discernibility matrix that are sets of
// attributes, without those that contain another (absorption): a set of
// attributes tells all rows apart if it meets every clause. It reports false if
// there are too many.
func allClauses(ctx context.Context, classes []Class) ([]Set, bool) {
	if len(classes) > MatrixLimit {
		return nil, false
	}
	seen := map[Set]bool{}
	for i := range classes {
		for j := i + 1; j < len(classes); j++ {
			if e := compare(&classes[i], &classes[j]); !e.Same && !e.Inexplicable {
				seen[e.Attributes] = true
			}
		}
		if ctx.Err() != nil || len(seen) > maxClauses {
			return nil, false
		}
	}
	return absorb(slices.Collect(maps.Keys(seen))), true
}

// absorb sorts sets by size and drops those that contain another.
func absorb(sets []Set) []Set {
	slices.SortFunc(sets, bySize)
	var kept []Set
	for _, s := range sets {
		if !slices.ContainsFunc(kept, func(k Set) bool { return k.within(s) }) {
			kept = append(kept, s)
		}
	}
	return kept
}

func bySize(a, b Set) int {
	if d := a.Len() - b.Len(); d != 0 {
		return d
	}
	for k := range a {
		if c := cmp.Compare(a[k], b[k]); c != 0 {
			return c
		}
	}
	return 0
}

// The disjunctive form is given up when it has more terms than this, or took
// more comparisons of terms.
const (
	maxTerms       = 2_000
	maxComparisons = 50_000_000
)

// disjunctive multiplies the clauses out, one by one, with absorption at every
// step (Berge's algorithm). It reports false if the form grew too large.
func disjunctive(ctx context.Context, clauses []Set) ([]Set, bool) {
	terms := []Set{{}}
	work := 0
	for _, clause := range clauses {
		var met, unmet []Set
		for _, t := range terms {
			if t.meets(clause) {
				met = append(met, t)
			} else {
				unmet = append(unmet, t)
			}
		}
		// No term contains another, so only a term that grew can contain one,
		// and only one that did not grow.
		terms = met
		for _, t := range unmet {
			for _, a := range clause.Attributes() {
				grown := t.with(a)
				if !slices.ContainsFunc(met, func(m Set) bool { return m.within(grown) }) {
					terms = append(terms, grown)
				}
			}
			work += len(met) * clause.Len()
			if ctx.Err() != nil || len(terms) > maxTerms || work > maxComparisons {
				return nil, false
			}
		}
	}
	return terms, true
}
