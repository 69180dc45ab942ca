package perfql

import (
	"errors"
	"fmt"
	"slices"

	"auspex/expr"
	"auspex/fuzzy"
)

// checked is a query bound to one experiment: every word has its meaning.
type checked struct {
	query      *Query
	experiment *Experiment
	metrics    []Metric          // distinct metrics, as columns a0, a1, …
	quantities []expr.Node       // distinct expressions of them, as columns x0, x1, …
	statements map[*fuzzy.Is]int // index of its degree
	degrees    []degree          // distinct degrees, as columns d0, d1, …
	shown      []shown           // metrics to be shown, in the order of the query
	order      []int             // quantity of each key, -1 if it is none
}

// degree is how far a quantity deserves a phrase.
type degree struct {
	quantity int
	set      fuzzy.Set
}

// shown is a metric of the answer and the quantity that gives it.
type shown struct {
	text     string
	quantity int
}

// check resolves every metric and term of the query.
func check(q *Query, v *fuzzy.Vocabulary, logic fuzzy.Logic, e *Experiment) (*checked, error) {
	k := &checked{query: q, experiment: e, statements: map[*fuzzy.Is]int{}}
	r := resolver{k, v}
	err := fuzzy.Statements(q.Condition, func(is *fuzzy.Is) error {
		m, err := v.Resolve(r.canonical(is.Metric), is.Phrase, logic)
		if err != nil {
			if _, other := r.expand(is.Metric); other != nil {
				return other // an unknown metric is the better news
			}
			return err
		}
		quantity, err := r.expand(m.Metric)
		if err != nil {
			return err
		}
		d := degree{r.quantity(quantity), m.Set}
		k.statements[is] = r.degree(d)
		at := -1
		if written, err := r.expand(is.Metric); err == nil {
			at = r.quantity(written)
			r.show(is.Metric, at)
		}
		if at != d.quantity {
			r.show(m.Metric, d.quantity)
		}
		return nil
	})
	for _, key := range q.Order {
		at := -1
		if err == nil && key.By == "" {
			var n expr.Node
			if n, err = r.expand(key.Metric); err == nil {
				at = r.quantity(n)
				r.show(key.Metric, at)
			}
		}
		k.order = append(k.order, at)
	}
	if err == nil {
		err = k.collect()
	}
	var place *expr.Error
	if errors.As(err, &place) {
		place.Source = q.Source
	}
	return k, err
}

// resolver turns the names of a query into metrics of an experiment.
type resolver struct {
	*checked
	vocabulary *fuzzy.Vocabulary
}

func (r resolver) known(name string) bool {
	_, ok := r.experiment.Metric(name)
	return ok
}

// canonical writes known metrics as the vocabulary does.
func (r resolver) canonical(n expr.Node) expr.Node {
	return expr.Substitute(n, func(name *expr.Name) expr.Node {
		if m, ok := r.experiment.Metric(name.Name); ok {
			return &expr.Name{Name: m.Name, Offset: name.Offset}
		}
		return name
	})
}

// expand leaves only metrics of the experiment, under their canonical names.
func (r resolver) expand(n expr.Node) (expr.Node, error) {
	out, err := r.vocabulary.Expand(n, r.known, r.experiment.Known)
	if err != nil {
		return nil, err
	}
	return r.canonical(out), nil
}

func (r resolver) quantity(n expr.Node) int {
	if i := slices.IndexFunc(r.quantities, func(m expr.Node) bool { return expr.Equal(n, m) }); i >= 0 {
		return i
	}
	r.quantities = append(r.quantities, n)
	return len(r.quantities) - 1
}

func (r resolver) show(n expr.Node, quantity int) {
	if k := (shown{n.String(), quantity}); !slices.Contains(r.shown, k) {
		r.shown = append(r.shown, k)
	}
}

func (r resolver) degree(d degree) int {
	same := func(o degree) bool { return o.quantity == d.quantity && o.set.String() == d.set.String() }
	if i := slices.IndexFunc(r.degrees, same); i >= 0 {
		return i
	}
	r.degrees = append(r.degrees, d)
	return len(r.degrees) - 1
}

// collect lists the metrics that the quantities are made of.
func (k *checked) collect() error {
	for _, n := range k.quantities {
		var err error
		expr.Walk(n, func(name *expr.Name) {
			m, _ := k.experiment.Metric(name.Name)
			if slices.ContainsFunc(k.metrics, func(o Metric) bool { return o.Name == m.Name }) {
				return
			}
			if m.sql(k.query.By) == "" {
				err = k.query.ErrorAt(name.Offset, fmt.Sprintf("%s is not defined for a whole %s", m.Name, k.query.By), "choose another BY")
			}
			k.metrics = append(k.metrics, m)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
