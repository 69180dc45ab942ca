package fuzzy

import (
	"fmt"
	"slices"
	"strings"

	"auspex/expr"
)

// Meaning is what a phrase said of a metric comes to.
type Meaning struct {
	Metric expr.Node // what to compute, see [Vocabulary.Expand]
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

// Expand replaces the names of variables by the metrics they stand for, of the
// first way to write the quantity that known has all names of. What known
// itself has stays. all lists the known names, for suggestions. Errors are as
// those of Resolve.
func (v *Vocabulary) Expand(n expr.Node, known func(name string) bool, all []string) (expr.Node, error) {
	var failed *expr.Error
	out := expr.Substitute(n, func(name *expr.Name) expr.Node {
		if known(name.Name) || failed != nil {
			return name
		}
		x := v.Variable(name.Name)
		if x == nil {
			failed = &expr.Error{Offset: name.Offset, Message: "unknown metric " + expr.Quote(name.Name)}
			names := slices.Clone(all)
			for _, x := range v.Variables {
				names = append(names, x.Name)
			}
			if failed.Hint = expr.DidYouMean(name.Name, names); failed.Hint == "" && len(all) > 0 && len(all) <= 20 {
				failed.Hint = "known are " + strings.Join(all, ", ")
			}
			return name
		}
		for _, way := range append([]expr.Node{x.Metric}, x.Also...) {
			if !slices.ContainsFunc(expr.Names(way), func(m string) bool { return !known(m) }) {
				return expr.Substitute(way, func(m *expr.Name) expr.Node {
					return &expr.Name{Name: m.Name, Offset: name.Offset}
				})
			}
		}
		failed = &expr.Error{Offset: name.Offset, Message: fmt.Sprintf("%s was not measured", name)}
		for _, way := range append([]expr.Node{x.Metric}, x.Also...) {
			if way.String() != name.String() {
				failed.Message += fmt.Sprintf(", nor what it is computed from, %s", way)
				break
			}
		}
		return name
	})
	if failed != nil {
		return nil, failed
	}
	return out, nil
}
