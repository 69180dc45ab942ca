package fuzzy

import (
	"strings"

	"auspex/expr"
)

// Condition is a statement about metrics (Soft performance analysis, Figure 3):
// an [*Is], or several under AND, OR and NOT ([*Group], [*Denial]).
type Condition interface {
	// String prints text that parses back to an equal condition.
	String() string
	// Pos is the byte offset in the text it was parsed from.
	Pos() int

	write(b *strings.Builder, nested bool)
}

// Is says a phrase of a metric: (wtime is very high).
type Is struct {
	Metric expr.Node
	Phrase Phrase
}

// Group is two or more conditions joined by AND, or by OR.
type Group struct {
	Or bool
	Xs []Condition
}

// Denial is NOT in front of a condition.
type Denial struct {
	X      Condition
	Offset int
}

// Pos is the byte offset in the text it was parsed from.
func (c *Is) Pos() int     { return c.Metric.Pos() }
func (c *Group) Pos() int  { return c.Xs[0].Pos() }
func (c *Denial) Pos() int { return c.Offset }

// ParseCondition reads a whole text as a condition.
func ParseCondition(src string) (Condition, error) {
	c, err := expr.NewCursor(src)
	if err != nil {
		return nil, err
	}
	cond, err := ConditionFrom(c)
	if err != nil {
		return nil, err
	}
	if err := c.End(); err != nil {
		return nil, err
	}
	return cond, nil
}

// ConditionFrom parses a condition from where the cursor stands and stops
// before the first token that cannot continue it. AND binds tighter than OR.
// The parentheses that Figure 3 puts around each METRIC is F_Expr may be left
// out.
func ConditionFrom(c *expr.Cursor) (Condition, error) {
	return expr.Joined(c, statementFrom, func(or bool, xs []Condition) Condition { return &Group{Or: or, Xs: xs} }, nil)
}

func statementFrom(c *expr.Cursor) (Condition, error) {
	if err := c.Enter(); err != nil {
		return nil, err
	}
	defer c.Leave()
	t := c.Peek()
	if c.AcceptWord("not") {
		x, err := statementFrom(c)
		if err != nil {
			return nil, err
		}
		return &Denial{X: x, Offset: t.Pos}, nil
	}
	if t.Kind == expr.Op && t.Text == "(" && !metricInParentheses(c) {
		c.Next()
		x, err := ConditionFrom(c)
		if err != nil {
			return nil, err
		}
		return x, c.Expect(")")
	}
	metric, err := c.Expr()
	if err != nil {
		return nil, err
	}
	if !c.AcceptWord("is") {
		e := c.Errorf(c.Peek(), "expected IS after the metric %s, found %s", metric, c.Peek())
		switch t := c.Peek(); {
		case t.Kind == expr.Word:
			e.Hint = "names with spaces stand in double quotes"
		case t.Text == "(":
			e.Hint = "there are no functions: a row's value is the sum over what it is about"
		case t.Text != "" && strings.Contains("<>=!", t.Text[:1]):
			e.Hint = "conditions are words or shapes, such as is high or is S(4, 6)"
		}
		return nil, e
	}
	phrase, err := PhraseFrom(c)
	if err != nil {
		return nil, err
	}
	return &Is{Metric: metric, Phrase: phrase}, nil
}

// metricInParentheses tells (a+b)/c is high from (a is high): behind the
// matching parenthesis an expression goes on, or its IS follows.
func metricInParentheses(c *expr.Cursor) bool {
	depth := 0
	for k := 0; ; k++ {
		switch t := c.PeekAt(k); {
		case t.Kind == expr.EOF:
			return false
		case t.Kind != expr.Op:
		case t.Text == "(":
			depth++
		case t.Text == ")":
			if depth--; depth == 0 {
				after := c.PeekAt(k + 1)
				return after.Is("is") || after.Kind == expr.Op && strings.Contains("+-*/", after.Text)
			}
		}
	}
}

func (c *Is) String() string     { return printed(c) }
func (c *Group) String() string  { return printed(c) }
func (c *Denial) String() string { return printed(c) }

func (c *Is) write(b *strings.Builder, nested bool) {
	if nested {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	b.WriteString(c.Metric.String() + " is " + c.Phrase.String())
}

func (c *Group) write(b *strings.Builder, nested bool) {
	expr.WriteJoined(b, c.Or, nested, len(c.Xs), func(i int) { c.Xs[i].write(b, true) })
}

func (c *Denial) write(b *strings.Builder, _ bool) {
	b.WriteString("NOT ")
	c.X.write(b, true)
}

// Statements calls visit for every METRIC is phrase in the condition, from left
// to right, until one fails.
func Statements(c Condition, visit func(*Is) error) error {
	switch c := c.(type) {
	case *Is:
		return visit(c)
	case *Denial:
		return Statements(c.X, visit)
	case *Group:
		for _, x := range c.Xs {
			if err := Statements(x, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// Combine computes the degree of a condition from the degrees of its
// statements.
func Combine(c Condition, logic Logic, degree func(*Is) float64) float64 {
	switch c := c.(type) {
	case *Is:
		return degree(c)
	case *Denial:
		return 1 - Combine(c.X, logic, degree)
	}
	g := c.(*Group)
	ys := make([]float64, len(g.Xs))
	for i, x := range g.Xs {
		ys[i] = Combine(x, logic, degree)
	}
	if g.Or {
		return logic.Or(ys...)
	}
	return logic.And(ys...)
}
