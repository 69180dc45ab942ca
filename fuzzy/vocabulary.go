package fuzzy

import (
	"fmt"
	"math"
	"strings"

	"auspex/expr"
)

// Vocabulary is what words mean: the terms of metrics, and how factors of
// experiments are compared.
type Vocabulary struct {
	Variables []*Variable
	Factors   []*Factor
}

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
// quantity to compute for them: the metric as it was written, or what the
// variable takes instead of it (the share of wtime for wtime). It gives nil
// where the vocabulary has no words for the metric.
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
	if strings.EqualFold(x.Name, written) {
		return x.Metric
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
	own, plain := x.Metric.(*expr.Name)
	if suffix != "" && !plain {
		return nil
	}
	if suffix != "" && is(own, base) {
		return metric
	}
	for _, n := range x.InsteadOf {
		if is(n, base) {
			if suffix == "" {
				return x.Metric
			}
			return &expr.Name{Name: own.Name + suffix, Offset: metric.Pos()}
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

// Meaning is what a phrase said of a metric comes to.
type Meaning struct {
	Metric expr.Node // what to compute
	Set    Set       // what to compare it with
}

// Resolve finds out what a phrase means when it is said of metric. Terms are
// looked up among the metric's own and then among the global ones. An error is
// an [*expr.Error] whose Offset points at the word, with Source left for the
// caller to fill in.
func (v *Vocabulary) Resolve(metric expr.Node, p Phrase, logic Logic) (Meaning, error) {
	variable, own := v.VariableOf(metric)
	var over expr.Node
	var first Phrase
	var failed *expr.Error
	settle := func(leaf Phrase, quantity expr.Node) {
		switch {
		case over == nil:
			over, first = quantity, leaf
		case failed == nil && !expr.Equal(over, quantity):
			failed = &expr.Error{Offset: leaf.Pos(), Message: fmt.Sprintf("%s is about %s, but %s is about %s",
				first, over, leaf, quantity), Hint: "say it in two statements"}
		}
	}
	sets := map[string]Set{}
	leaves(p, func(leaf Phrase) {
		ref, ok := leaf.(*TermRef)
		if !ok {
			settle(leaf, metric) // a shape is meant in the metric's own unit
			return
		}
		if variable != nil {
			if t := find(variable.Terms, ref.Name); t != nil {
				sets[ref.Name] = t.Set
				settle(leaf, own)
				return
			}
		}
		for _, x := range v.Variables {
			if t := find(x.Global, ref.Name); t != nil {
				sets[ref.Name] = t.Set
				if quantity := x.over(metric); quantity != nil {
					settle(leaf, quantity)
				} else {
					settle(leaf, metric)
				}
				return
			}
		}
		if failed == nil {
			failed = v.unknown(metric, variable, ref)
		}
	})
	if failed != nil {
		return Meaning{}, failed
	}
	set, err := Bind(p, logic, func(t *TermRef) (Set, error) { return sets[t.Name], nil })
	if err != nil {
		return Meaning{}, err
	}
	return Meaning{Metric: over, Set: set}, nil
}

// unknown makes the error for a term that nobody knows.
func (v *Vocabulary) unknown(metric expr.Node, variable *Variable, t *TermRef) *expr.Error {
	var global, own []string
	common := false // high is no slip of the pen for HIGH_TRAFFIC
	for _, x := range v.Variables {
		common = common || find(x.Terms, t.Name) != nil
		for _, g := range x.Global {
			global = append(global, g.Name)
		}
	}
	e := &expr.Error{Offset: t.Offset}
	if variable == nil {
		e.Message = fmt.Sprintf("the vocabulary has no terms for %s, so %s means nothing", metric, t)
		if e.Hint = expr.DidYouMean(t.Name, global); e.Hint == "" || common {
			e.Hint = "define or learn terms for it, or write a shape such as S(0, 10)"
		}
		return e
	}
	for _, x := range variable.Terms {
		own = append(own, x.Name)
	}
	e.Message = fmt.Sprintf("unknown term %s of %s", t, metric)
	if e.Hint = expr.DidYouMean(t.Name, append(own, global...)); e.Hint == "" {
		e.Hint = "known are " + strings.Join(own, ", ")
	}
	return e
}

// finite reports whether v is an ordinary number.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
