package perfql

import (
	"math"
	"strings"

	"auspex/expr"
	"auspex/fuzzy"
)

// maxStatements bounds how many METRIC is F_Expr a query may have, so that its
// SQL stays something a database can plan.
const maxStatements = 64

// Parse reads a query. Its errors are [*expr.Error]s.
func Parse(src string) (*Query, error) {
	c, err := expr.NewCursor(src)
	if err != nil {
		return nil, err
	}
	q := &Query{Source: src}
	if q.Condition, err = fuzzy.ConditionFrom(c); err != nil {
		return nil, err
	}
	count := 0
	err = fuzzy.Statements(q.Condition, func(is *fuzzy.Is) error {
		if count++; count > maxStatements {
			return q.ErrorAt(is.Pos(), "a query has at most 64 statements", "")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for c.Peek().Kind != expr.EOF {
		t := c.Next()
		word := strings.ToUpper(t.Text)
		parse := clauses[word]
		if t.Kind != expr.Word || parse == nil {
			return nil, unexpected(c, t)
		}
		if seen[word] {
			return nil, c.Errorf(t, "%s was already given", word)
		}
		seen[word] = true
		if err := parse(q, c); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// clauses may follow the condition in any order.
var clauses = map[string]func(*Query, *expr.Cursor) error{
	"OVER":  (*Query).over,
	"WHERE": (*Query).where,
	"BY":    (*Query).by,
	"WITH":  (*Query).with,
	"ORDER": (*Query).order,
	"LIMIT": (*Query).limit,
}

func unexpected(c *expr.Cursor, t expr.Token) error {
	if e := misspelt(c, t); e != nil {
		return e
	}
	e := c.Errorf(t, "unexpected %s after the condition", t)
	if t.Kind == expr.Word {
		e.Hint = expr.DidYouMean(t.Text, []string{"AND", "OR", "OVER", "WHERE", "BY", "WITH", "ORDER BY", "LIMIT"})
	}
	if e.Hint == "" {
		e.Hint = "AND, OR, OVER, WHERE, BY, WITH DEGREE, ORDER BY or LIMIT can follow"
	}
	return e
}

// misspelt finds a modifier behind a word that was taken for the term: vry high.
func misspelt(c *expr.Cursor, t expr.Token) error {
	before := c.PeekAt(-2)
	if t.Kind != expr.Word || before.Kind != expr.Word {
		return nil
	}
	var modifiers []string
	for _, m := range fuzzy.Modifiers() { // the first letter is seldom wrong, and terms are as short as modifiers
		if strings.EqualFold(string(m)[:1], before.Text[:1]) {
			modifiers = append(modifiers, string(m))
		}
	}
	hint := expr.DidYouMean(before.Text, modifiers)
	if hint == "" {
		return nil
	}
	e := c.Errorf(before, "unknown word %s before %s", before, t)
	e.Hint = hint
	return e
}

func (q *Query) over(c *expr.Cursor) error {
	if c.Peek().Is("experiments") || c.Peek().Is("experiment") {
		c.Next()
	}
	for {
		t := c.Next()
		if !isName(t) {
			return c.Errorf(t, "expected the name of an experiment, found %s", t)
		}
		q.Over = append(q.Over, ExperimentName{Name: t.Text, Offset: t.Pos})
		if !c.Accept(",") {
			return nil
		}
	}
}

// isName accepts what may stand for a name of an experiment or node.
func isName(t expr.Token) bool {
	return t.Kind == expr.Quoted || t.Kind == expr.Text && t.Text != "" || t.Kind == expr.Word && !expr.Reserved(t.Text)
}

func (q *Query) where(c *expr.Cursor) error {
	var err error
	q.Where, err = filterFrom(c)
	return err
}

func (q *Query) by(c *expr.Cursor) error {
	t := c.Next()
	for _, g := range []Grouping{ByRegion, ByUnit, BySummary, ByName} {
		if t.Is(g.String()) {
			q.By = g
			return nil
		}
	}
	e := c.Errorf(t, "expected region, name, unit or summary after BY, found %s", t)
	e.Hint = expr.DidYouMean(t.Text, []string{"region", "name", "unit", "summary"})
	return e
}

func (q *Query) with(c *expr.Cursor) error {
	if err := c.ExpectWord("degree"); err != nil {
		return err
	}
	op := c.Next()
	if op.Kind != expr.Op || op.Text != ">" && op.Text != ">=" {
		return c.Errorf(op, "expected > or >= after WITH DEGREE, found %s", op)
	}
	t := c.Next()
	if t.Kind != expr.Num || t.Value > 1 {
		return c.Errorf(t, "expected a degree from 0 to 1, found %s", t)
	}
	q.Degree = &Threshold{OrEqual: op.Text == ">=", Value: t.Value}
	return nil
}

func (q *Query) order(c *expr.Cursor) error {
	if err := c.ExpectWord("by"); err != nil {
		return err
	}
	for {
		k, err := keyFrom(c)
		if err != nil {
			return err
		}
		q.Order = append(q.Order, k)
		if len(q.Order) > maxStatements {
			return c.Errorf(c.Peek(), "ORDER BY has at most %d keys", maxStatements)
		}
		if !c.Accept(",") {
			return nil
		}
	}
}

func keyFrom(c *expr.Cursor) (Key, error) {
	var k Key
	t, after := c.Peek(), c.PeekAt(1)
	operator := after.Kind == expr.Op && strings.Contains("+-*/", after.Text)
	if t.Kind == expr.Word && isKeyWord(t.Text) && !operator {
		c.Next()
		k.By = strings.ToLower(t.Text)
	} else {
		var err error
		if k.Metric, err = c.Expr(); err != nil {
			return k, err
		}
	}
	switch {
	case c.AcceptWord("asc"):
	case c.AcceptWord("desc"):
		k.Desc = true
	default:
		k.Desc = k.defaultDesc()
	}
	return k, nil
}

func (q *Query) limit(c *expr.Cursor) error {
	t := c.Next()
	if t.Kind != expr.Num || t.Value != math.Trunc(t.Value) || t.Value < 1 || t.Value > 1e9 {
		return c.Errorf(t, "expected a number of rows, 1 or more, after LIMIT, found %s", t)
	}
	q.Limit = int(t.Value)
	return nil
}
