package rough

import (
	"context"
	"slices"
)

// Result is what a decision table says about its decision.
type Result struct {
	Distinct int // rows that differ in something

	// Core holds the attributes no reduct can do without: each is the only
	// difference of some two rows with different decisions.
	Core []int
	// Reducts are the minimal sets of attributes that tell apart all rows that
	// can be told apart; the shortest first, among those the one whose
	// attributes occur most often.
	Reducts [][]int
	// Complete tells whether Reducts are all there are; if not, there is only
	// the chosen one.
	Complete bool
	// Chosen is the first of Reducts: the shortest whose attributes occur most
	// often in the matrix. It is a reduct in any case. Exact tells that there
	// is none shorter, and none as short that occurs more often; otherwise it
	// is the best found within the bound on work.
	Chosen []int
	Exact  bool

	// Occurrences counts, by attribute, the pairs of rows with different
	// decisions that it tells apart: how often it occurs in the matrix of all
	// rows.
	Occurrences []int64
	// Inexplicable lists pairs of rows with different decisions and no
	// difference, a row for each class, the first InexplicableLimit of them;
	// InexplicablePairs counts all such pairs of classes.
	Inexplicable      []Pair
	InexplicablePairs int64
}

// InexplicableLimit bounds the list of inexplicable pairs.
const InexplicableLimit = 1000

// Pair is two rows, by ID.
type Pair struct{ A, B int }

// Reduce finds core, reducts and the chosen reduct of t.
//
// The entries of the discernibility matrix form a conjunction of disjunctions.
// Up to MatrixLimit distinct rows it is turned into its disjunctive form, with
// absorption at every step, which gives all reducts. Where that form would
// grow too large, or there are more rows, only the chosen reduct is looked for,
// by branch and bound; where that takes too long, the best it came to is made
// irreducible and returned, with Exact false.
func Reduce(ctx context.Context, t Table) (*Result, error) {
	classes, err := Collapse(t)
	if err != nil {
		return nil, err
	}
	in := newIndex(classes, len(t.Attributes))
	res := &Result{Distinct: len(classes), Occurrences: in.occurrences(), Core: in.core()}
	res.Inexplicable, res.InexplicablePairs = in.inexplicable()

	var terms []Set
	clauses, all := allClauses(ctx, classes)
	if all {
		terms, res.Complete = disjunctive(ctx, clauses)
		res.Exact = res.Complete
	}
	if !res.Complete {
		var best Set
		if all {
			best, res.Exact = shortest(ctx, clauses, res.Occurrences)
		} else {
			best, res.Exact = in.shortest(ctx, res.Occurrences)
		}
		terms = []Set{best}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	slices.SortFunc(terms, func(a, b Set) int { return byRule(a, b, res.Occurrences) })
	for _, s := range terms {
		res.Reducts = append(res.Reducts, s.Attributes())
	}
	res.Chosen = res.Reducts[0]
	return res, nil
}

// byRule orders reducts as the paper chooses among them: the least number of
// attributes, then the most occurrences; ties by attribute number.
func byRule(a, b Set, occurrences []int64) int {
	if d := a.Len() - b.Len(); d != 0 {
		return d
	}
	if x, y := total(a, occurrences), total(b, occurrences); x != y {
		if x > y {
			return -1
		}
		return 1
	}
	return slices.Compare(a.Attributes(), b.Attributes())
}

func total(s Set, occurrences []int64) int64 {
	sum := int64(0)
	for _, a := range s.Attributes() {
		sum += occurrences[a]
	}
	return sum
}
