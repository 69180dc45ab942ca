package perfql

import (
	"errors"
	"slices"

	"auspex/expr"
	"auspex/fuzzy"
)

// Bound is a query bound to one experiment: every word has its meaning. It is
// answered here (Answer) or rendered for a database (package render).
type Bound struct {
	Query      *Query
	Name       string   // of the experiment
	By         Grouping // what a row is: a region, a unit or a summary
	Logic      fuzzy.Logic
	Metrics    []Metric          // distinct metrics
	Quantities []expr.Node       // distinct expressions of them
	Statements map[*fuzzy.Is]int // index of its degree
	Degrees    []Degree          // distinct degrees
	Shown      []Shown           // metrics to be shown, in the order of the query
	Order      []int             // quantity of each key, -1 if it is none

	experiment *Experiment
}

// Degree is how far a quantity deserves a phrase.
type Degree struct {
	Quantity int
	Set      fuzzy.Set
}

// Shown is a metric of the answer and the quantity that gives it: one that the
// query mentions, or the one compared instead of it (time_share for wtime).
type Shown struct {
	Text     string
	Quantity int
}

// Bind resolves every metric and term of the query.
func Bind(q *Query, v *fuzzy.Vocabulary, logic fuzzy.Logic, e *Experiment) (*Bound, error) {
	k := &Bound{Query: q, Name: e.Name, By: q.By.rows(), Logic: logic, experiment: e, Statements: map[*fuzzy.Is]int{}}
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
		d := Degree{r.quantity(quantity), m.Set}
		k.Statements[is] = r.degree(d)
		at := -1
		if written, err := r.expand(is.Metric); err == nil {
			at = r.quantity(written)
			r.show(is.Metric, at)
		}
		if at != d.Quantity {
			r.show(m.Metric, d.Quantity)
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
		k.Order = append(k.Order, at)
	}
	if err == nil {
		err = k.collect()
	}
	var place *expr.Error
	if errors.As(err, &place) {
		place.Source = q.Source
	}
	if err != nil {
		return nil, err
	}
	return k, nil
}

// resolver turns the names of a query into metrics of an experiment.
type resolver struct {
	*Bound
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
	if i := slices.IndexFunc(r.Quantities, func(m expr.Node) bool { return expr.Equal(n, m) }); i >= 0 {
		return i
	}
	r.Quantities = append(r.Quantities, n)
	return len(r.Quantities) - 1
}

func (r resolver) show(n expr.Node, quantity int) {
	if k := (Shown{n.String(), quantity}); !slices.Contains(r.Shown, k) {
		r.Shown = append(r.Shown, k)
	}
}

func (r resolver) degree(d Degree) int {
	same := func(o Degree) bool { return o.Quantity == d.Quantity && o.Set.String() == d.Set.String() }
	if i := slices.IndexFunc(r.Degrees, same); i >= 0 {
		return i
	}
	r.Degrees = append(r.Degrees, d)
	return len(r.Degrees) - 1
}

// MetricNamed is where a metric stands among the query's.
func (k *Bound) MetricNamed(name string) int {
	m, _ := k.experiment.Metric(name)
	return slices.IndexFunc(k.Metrics, func(o Metric) bool { return o.Name == m.Name })
}

// Columns lists the columns of the values relation that the query reads.
func (k *Bound) Columns() []string {
	var names []string
	for _, m := range k.Metrics {
		for part := &m; part != nil; part = part.Over {
			if name := part.Source(k.By); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// collect lists the metrics that the quantities are made of.
func (k *Bound) collect() error {
	for _, n := range k.Quantities {
		var err error
		expr.Walk(n, func(name *expr.Name) {
			m, _ := k.experiment.Metric(name.Name)
			if slices.ContainsFunc(k.Metrics, func(o Metric) bool { return o.Name == m.Name }) {
				return
			}
			if err == nil {
				err = m.resolve()
			}
			k.Metrics = append(k.Metrics, m)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
