package fuzzy

import (
	"fmt"
	"math"
	"slices"

	"auspex/expr"
)

// TermsFromCentres makes terms around centres, one per name in rising order:
// the first falls from its centre to the next, the last rises to its own, and
// those between are triangles, so that the degrees of any value add up to 1.
// The centres come from quantiles, from a clustering or from a person.
func TermsFromCentres(names []string, centres []float64) ([]*Term, error) {
	if len(names) != len(centres) {
		return nil, fmt.Errorf("%d names for %d centres", len(names), len(centres))
	}
	if len(names) < 2 {
		return nil, fmt.Errorf("terms divide a range, so there must be two or more")
	}
	cs := slices.Clone(centres)
	slices.Sort(cs)
	var terms []*Term
	for i, name := range names {
		if !finite(cs[i]) {
			return nil, fmt.Errorf("the centre %v of %s is not a number to build on", cs[i], name)
		}
		if i+1 < len(cs) && cs[i] == cs[i+1] {
			return nil, fmt.Errorf("%s and %s would have the same centre %v: too many values are alike to tell these terms apart", name, names[i+1], cs[i])
		}
		if err := checkTermName(name); err != nil {
			return nil, err
		}
		if find(terms, name) != nil {
			return nil, fmt.Errorf("the term %s is named twice", name)
		}
		var s *Shape
		var err error
		switch i {
		case 0:
			s, err = NewShape(Linear, cs[1], cs[0])
		case len(cs) - 1:
			s, err = NewShape(Linear, cs[i-1], cs[i])
		default:
			s, err = NewShape(Triangle, cs[i-1], cs[i], cs[i+1])
		}
		if err != nil {
			return nil, err
		}
		terms = append(terms, &Term{Name: name, Definition: &Literal{Shape: s}, Set: s})
	}
	return terms, nil
}

// TermsFromQuantiles makes terms whose centres cut the data into equally
// frequent parts: three terms sit at the quantiles 1/6, 1/2 and 5/6. Missing
// values do not count.
func TermsFromQuantiles(names []string, data []float64) ([]*Term, error) {
	xs := known(data)
	if len(xs) == 0 {
		return nil, fmt.Errorf("there are no values to learn from")
	}
	slices.Sort(xs)
	centres := make([]float64, len(names))
	for i := range centres {
		centres[i] = quantile(xs, (float64(i)+0.5)/float64(len(names)))
	}
	return TermsFromCentres(names, centres)
}

// LearnedVariable wraps learned terms for a vocabulary; its universe is the
// range of the data.
func LearnedVariable(name string, metric expr.Node, terms []*Term, data []float64) (*Variable, error) {
	xs := known(data)
	if len(xs) == 0 {
		return nil, fmt.Errorf("there are no values to learn from")
	}
	lo, hi := slices.Min(xs), slices.Max(xs)
	if lo == hi {
		return nil, fmt.Errorf("every value of %s is %v: there is nothing to tell apart", metric, lo)
	}
	return &Variable{Name: name, Metric: metric, Low: lo, High: hi, Terms: terms}, nil
}

// known copies the values that are numbers.
func known(data []float64) []float64 {
	var xs []float64
	for _, x := range data {
		if finite(x) {
			xs = append(xs, x)
		}
	}
	return xs
}

// quantile interpolates between the sorted values.
func quantile(xs []float64, q float64) float64 {
	at := q * float64(len(xs)-1)
	i := int(math.Floor(at))
	if i+1 >= len(xs) {
		return xs[len(xs)-1]
	}
	return xs[i] + (xs[i+1]-xs[i])*(at-float64(i))
}
