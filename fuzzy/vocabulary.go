package fuzzy

import (
	"math"
	"strings"

	"auspex/expr"
)

// Vocabulary is what words mean: the terms of metrics, how factors of
// experiments are compared, and what the time in regions is.
type Vocabulary struct {
	Variables []*Variable
	Factors   []*Factor
	Times     []Time
}

// Time says what the time in regions of some names is.
type Time struct {
	Pattern string // of names, in which * stands for anything
	Is      string // one of TimeWords
}

// TimeWords are what the time in a region can be.
var TimeWords = []string{"work", "communication", "waiting", "io", "start_end"}

// Variable is a linguistic variable: a quantity and the words for its size.
type Variable struct {
	Name      string
	About     string      // one line for the reader, or ""
	Metric    expr.Node   // the quantity that the terms are defined over
	Also      []expr.Node // other ways to write the same quantity
	InsteadOf []expr.Node // metrics whose terms these are, although Metric is what is compared
	Low, High float64     // the universe: where values are expected
	Terms     []*Term     // in the order in which they were written
	Global    []*Term     // words that can be said of any metric, such as HIGH_EXECUTION_TIME
}

// Term is a word with its fuzzy set.
type Term struct {
	Name       string
	Definition Phrase // a shape, or words made of the variable's other terms
	Set        Set
}

// Classify gives the degree of x in each of the terms, in their order.
func (v *Variable) Classify(x float64) []float64 {
	ys := make([]float64, len(v.Terms))
	for i, t := range v.Terms {
		ys[i] = t.Set.Degree(x)
	}
	return ys
}

// Covers reports whether some term says anything of x.
func (v *Variable) Covers(x float64) bool {
	for _, t := range v.Terms {
		if t.Set.Degree(x) > 0 {
			return true
		}
	}
	return false
}

// Merge puts other's variables and factors before v's and drops those of v
// that have the same names: a user's file wins over the shipped words.
func (v *Vocabulary) Merge(other *Vocabulary) *Vocabulary {
	m := &Vocabulary{}
	m.Variables = append(m.Variables, other.Variables...)
	m.Factors = append(m.Factors, other.Factors...)
	m.Times = append(append(m.Times, other.Times...), v.Times...)
	for _, x := range v.Variables {
		if other.Variable(x.Name) == nil {
			m.Variables = append(m.Variables, x)
		}
	}
	for _, f := range v.Factors {
		if other.Factor(f.Name) == nil {
			m.Factors = append(m.Factors, f)
		}
	}
	return m
}

// Variable finds a variable by its name, or nil.
func (v *Vocabulary) Variable(name string) *Variable {
	for _, x := range v.Variables {
		if strings.EqualFold(x.Name, name) {
			return x
		}
	}
	return nil
}

// Factor finds a factor by its name, or nil.
func (v *Vocabulary) Factor(name string) *Factor {
	for _, f := range v.Factors {
		if strings.EqualFold(f.Name, name) {
			return f
		}
	}
	return nil
}

// VariableOf finds the variable whose terms are said of metric, and the
// quantity to compute for them: the metric as it was written, or the variable
// itself where that is taken instead of it (time_share for wtime), which
// [Vocabulary.Expand] turns into metrics. It gives nil where the vocabulary has
// no words for the metric.
func (v *Vocabulary) VariableOf(metric expr.Node) (*Variable, expr.Node) {
	for _, x := range v.Variables {
		if over := x.over(metric); over != nil {
			return x, over
		}
	}
	return nil, nil
}

// over is the quantity to compute when x's terms are said of metric, or nil if
// they are not its terms.
func (x *Variable) over(metric expr.Node) expr.Node {
	written := metric.String()
	is := func(n expr.Node, text string) bool { return strings.EqualFold(n.String(), text) }
	self := func(suffix string) expr.Node { return &expr.Name{Name: x.Name + suffix, Offset: metric.Pos()} }
	if strings.EqualFold(x.Name, written) {
		return self("")
	}
	for _, n := range append([]expr.Node{x.Metric}, x.Also...) {
		if is(n, written) {
			return metric
		}
	}
	// wtime.inc has the terms of wtime, over time_share.inc.
	base, suffix := written, ""
	if i := strings.LastIndexByte(written, '.'); i > 0 && (written[i:] == ".inc" || written[i:] == ".exc") {
		base, suffix = written[:i], written[i:]
	}
	_, plain := x.Metric.(*expr.Name)
	if suffix != "" && !plain {
		return nil
	}
	if suffix != "" && (strings.EqualFold(x.Name, base) || is(x.Metric, base)) {
		return metric
	}
	for _, n := range x.InsteadOf {
		if is(n, base) {
			return self(suffix)
		}
	}
	return nil
}

// find looks a term up by its name.
func find(terms []*Term, name string) *Term {
	for _, t := range terms {
		if strings.EqualFold(t.Name, name) {
			return t
		}
	}
	return nil
}

// finite reports whether v is an ordinary number.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
