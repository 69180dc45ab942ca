package analyze

import (
	"auspex/expr"
	"auspex/fuzzy"
	"auspex/internal/mistake"
	"auspex/model"
)

// Words are what an analysis speaks with: a vocabulary and how AND and OR
// join degrees.
type Words struct {
	*fuzzy.Vocabulary
	Logic fuzzy.Logic
}

// ShippedWords are the words that need no file.
func ShippedWords() Words { return Words{Vocabulary: fuzzy.Shipped()} }

// known tells whether a name is a metric of the experiment or a built-in one.
func (d *Dataset) known(name string) bool {
	if d.Has(name) {
		return true
	}
	_, _, ok := findBuiltIn(name)
	return ok
}

// knownNames lists the names a user may write.
func (d *Dataset) knownNames() []string { return append(d.MetricNames(), BuiltIns()...) }

// canonical writes metrics under the names the vocabulary uses, so that
// PAPI_TOT_INS has the words of instructions.
func (d *Dataset) canonical(n expr.Node) expr.Node {
	return expr.Substitute(n, func(name *expr.Name) expr.Node {
		m, err := d.Resolve(name.Name)
		if err != nil {
			return name
		}
		return &expr.Name{Name: canonicalName(m, name.Name), Offset: name.Offset}
	})
}

// canonicalName keeps the scope where it was written.
func canonicalName(m model.Metric, written string) string {
	if _, _, scoped := model.SplitScope(written); scoped {
		return m.Column()
	}
	return m.Name
}

// Expand replaces the vocabulary's names in an expression by what they stand for,
// down to metrics of the experiment under their canonical names.
func (d *Dataset) Expand(words Words, n expr.Node) (expr.Node, error) {
	node, err := words.Expand(n, d.known, d.knownNames())
	if err != nil {
		return nil, err
	}
	return d.canonical(node), nil
}

// quantity is a metric that words can be said of: what to compute, and the
// variable that holds the words; nil where the vocabulary has none.
type quantity struct {
	text     string    // as it was asked for
	node     expr.Node // what is computed
	variable *fuzzy.Variable
}

// quantity resolves a metric expression or the name of a variable. Words of
// wtime are words of its share, so the quantity may be another than the one
// written.
func (d *Dataset) quantity(words Words, text string) (quantity, error) {
	written, err := expr.Parse(text)
	if err != nil {
		return quantity{}, err
	}
	q := quantity{text: text}
	variable, over := words.VariableOf(d.canonical(written))
	if variable != nil {
		if q.node, err = d.Expand(words, over); err == nil {
			q.variable = variable
			return q, nil
		}
	}
	if q.node, err = d.Expand(words, written); err != nil {
		return quantity{}, inText(err, text)
	}
	if q.variable == nil {
		q.variable, _ = words.VariableOf(q.node)
	}
	return q, nil
}

// inText fills in the text that an error's offset points into.
func inText(err error, text string) error {
	if place, ok := err.(*expr.Error); ok && place.Source == "" {
		place.Source = text
	}
	return err
}

// noWords explains that nothing can be said of a metric.
func noWords(text string) error {
	return mistake.Refuse("the vocabulary has no words for %s; `auspex terms learn EXPERIMENT --metric '%s' --terms low,medium,high` makes some, and --vocabulary FILE reads them", text, text)
}

// QuantityAsWritten resolves a metric expression without turning it into what
// its words are defined over: a threshold on wtime is in seconds.
func (d *Dataset) QuantityAsWritten(words Words, text string) (expr.Node, error) {
	written, err := expr.Parse(text)
	if err != nil {
		return nil, err
	}
	node, err := d.Expand(words, written)
	return node, inText(err, text)
}
