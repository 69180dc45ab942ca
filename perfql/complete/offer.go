package complete

import (
	"cmp"
	"slices"
	"strings"

	"auspex/expr"
	"auspex/fuzzy"
)

func (c *completer) add(kind, about string, texts ...string) {
	for _, text := range texts {
		c.options = append(c.options, Option{text, kind, about})
	}
}

// offer lists what can come next.
func (c *completer) offer() {
	switch c.next {
	case expectMetric:
		c.offerMetrics()
		c.add("keyword", "", "NOT")
	case expectIs:
		c.add("keyword", "", "IS")
	case expectTerm:
		c.offerTerms()
	case expectEither:
		c.offerTerms()
		c.offerMetrics()
	case expectMore:
		c.add("keyword", "", "AND", "OR")
		c.add("keyword", "other experiments", "OVER")
		c.add("keyword", "only some rows", "WHERE")
		c.add("keyword", "what a row is: region, name, unit or summary", "BY")
		c.add("keyword", "only rows that fit so far", "WITH DEGREE >")
		c.add("keyword", "", "ORDER BY", "LIMIT")
	case expectExperiment:
		for _, name := range c.names {
			c.add("experiment", "", expr.Quote(name))
		}
	case expectField:
		c.add("field", "", "region", "kind", "node", "process", "thread")
		c.add("keyword", "", "NOT")
	case expectOperator:
		if c.field == "process" || c.field == "thread" {
			c.add("keyword", "", "=", "!=", "<", "<=", ">", ">=", "IN", "NOT IN")
		} else {
			c.add("keyword", "like a pattern", "~")
			c.add("keyword", "", "=", "!=", "IN", "NOT IN")
		}
	case expectValue:
		c.offerValues()
	case expectRow:
		c.add("keyword", "each region over all units", "region")
		c.add("keyword", "each function over all its call paths and units", "name")
		c.add("keyword", "each unit over all regions", "unit")
		c.add("keyword", "each region in each unit", "summary")
	case expectDegree:
		c.add("keyword", "", "DEGREE >")
	case expectBy:
		c.add("keyword", "", "BY")
	case expectOrder:
		c.add("keyword", "how far the row fits", "degree")
		c.offerMetrics()
	}
}

func (c *completer) offerMetrics() {
	for _, e := range c.experiments {
		for _, m := range e.Metrics {
			c.add("metric", m.About, expr.Quote(m.Name))
		}
	}
	if len(c.experiments) > 0 {
		c.add("metric", "computed", c.experiments[0].BuiltIn...)
	}
	for _, v := range c.words.Variables {
		if slices.ContainsFunc(c.experiments, func(e Experiment) bool { return e.Able(v.Metric) }) {
			c.add("metric", cmp.Or(v.About, v.Metric.String()), expr.Quote(v.Name))
		}
	}
}

// offerTerms lists the words of the metric before the cursor, then the others.
func (c *completer) offerTerms() {
	if v := c.variable(); v != nil {
		for _, t := range v.Terms {
			c.add("term", t.Definition.String()+" of "+v.Name, expr.Quote(t.Name))
		}
	}
	for _, v := range c.words.Variables {
		for _, t := range v.Global {
			c.add("term", t.Definition.String()+" of "+v.Name, expr.Quote(t.Name))
		}
	}
	for _, m := range fuzzy.Modifiers() {
		c.add("modifier", "", string(m))
	}
	for _, k := range fuzzy.Kinds() {
		c.add("shape", "", string(k)+"(")
	}
}

// variable finds the words of the metric before the cursor.
func (c *completer) variable() *fuzzy.Variable {
	n, err := expr.Parse(strings.Join(c.metric, " "))
	if err != nil {
		return nil
	}
	for _, e := range c.experiments {
		if v, _ := c.words.VariableOf(e.Canonical(n)); v != nil {
			return v
		}
	}
	v, _ := c.words.VariableOf(n)
	return v
}

func (c *completer) offerValues() {
	for _, e := range c.experiments {
		for _, value := range e.Values(c.field) {
			switch c.field {
			case "region":
				c.add("region", "", quoteText(value))
			case "kind":
				c.add("value", "", value)
			default:
				c.add("value", "", quoteText(value))
			}
		}
	}
}

// quoteText writes a text as PERFQL does.
func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
