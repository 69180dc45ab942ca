package perfql

import (
	"math"
	"strconv"
	"strings"

	"auspex/expr"
)

// Filter is the condition after WHERE: a [*Test], or several under AND, OR and
// NOT ([*All], [*Inverse]).
type Filter interface {
	write(b *strings.Builder, nested bool)
	// Touches reports which relations it asks about.
	Touches() (regions, units bool)
	// chooses tells whether it holds for a region in a unit. A filter that does
	// not touch one of them may be asked without.
	chooses(r *Region, u *Unit) bool
}

// Test compares one field with values.
type Test struct {
	Field  string // region, kind, node, process or thread
	Op     string // = != ~ < <= > >= IN
	Values []Value
}

// Value is a text, or a range of whole numbers.
type Value struct {
	Text     string
	From, To int64
	Number   bool
}

// All is two or more filters joined by AND, or by OR.
type All struct {
	Or bool
	Xs []Filter
}

// Inverse is NOT in front of a filter.
type Inverse struct{ X Filter }

// fields lists what can be tested, and whether its values are numbers.
var fields = map[string]bool{"region": false, "kind": false, "node": false, "process": true, "thread": true}

func filterFrom(c *expr.Cursor) (Filter, error) {
	return expr.Joined(c, testFrom, func(or bool, xs []Filter) Filter { return &All{Or: or, Xs: xs} }, nil)
}

func testFrom(c *expr.Cursor) (Filter, error) {
	if err := c.Enter(); err != nil {
		return nil, err
	}
	defer c.Leave()
	if c.AcceptWord("not") {
		x, err := testFrom(c)
		if err != nil {
			return nil, err
		}
		return &Inverse{X: x}, nil
	}
	if c.Accept("(") {
		x, err := filterFrom(c)
		if err != nil {
			return nil, err
		}
		return x, c.Expect(")")
	}
	t := c.Next()
	field := strings.ToLower(t.Text)
	numeric, ok := fields[field]
	if t.Kind != expr.Word || !ok {
		e := c.Errorf(t, "expected region, kind, node, process or thread, found %s", t)
		e.Hint = expr.DidYouMean(t.Text, []string{"region", "kind", "node", "process", "thread"})
		return nil, e
	}
	op, inverse, err := opFrom(c, field, numeric)
	if err != nil {
		return nil, err
	}
	values, err := valuesFrom(c, op == "IN", numeric)
	if err != nil {
		return nil, err
	}
	test := &Test{Field: field, Op: op, Values: values}
	if inverse {
		return &Inverse{X: test}, nil
	}
	return test, nil
}

// opFrom reads the comparison; NOT IN is IN turned round.
func opFrom(c *expr.Cursor, field string, numeric bool) (op string, inverse bool, err error) {
	t := c.Next()
	if t.Is("not") && c.Peek().Is("in") {
		t, inverse = c.Next(), true
	}
	op = strings.ToUpper(t.Text)
	if op == "<>" {
		op = "!="
	}
	switch {
	case t.Is("in"), t.Kind == expr.Op && (op == "=" || op == "!="):
		return op, inverse, nil
	case t.Kind == expr.Op && (op == "<" || op == "<=" || op == ">" || op == ">="):
		if !numeric {
			return "", false, c.Errorf(t, "%s is a text and has no order", field)
		}
		return op, inverse, nil
	case t.Kind == expr.Op && op == "~":
		if numeric {
			return "", false, c.Errorf(t, "%s is a number; ~ compares texts", field)
		}
		return op, inverse, nil
	}
	return "", false, c.Errorf(t, "expected =, !=, ~, <, <=, >, >= or IN after %s, found %s", field, t)
}

// valuesFrom reads one value, or the list after IN, with or without
// parentheses.
func valuesFrom(c *expr.Cursor, list, numeric bool) ([]Value, error) {
	if !list {
		v, err := valueFrom(c, numeric, false)
		return []Value{v}, err
	}
	open := c.Accept("(")
	var values []Value
	for {
		v, err := valueFrom(c, numeric, true)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
		if !c.Accept(",") {
			break
		}
	}
	if open {
		return values, c.Expect(")")
	}
	return values, nil
}

func valueFrom(c *expr.Cursor, numeric, ranges bool) (Value, error) {
	t := c.Next()
	if !numeric {
		if t.Kind == expr.Num && !strings.ContainsAny(t.Text, ".eE") || isName(t) {
			return Value{Text: t.Text}, nil
		}
		return Value{}, c.Errorf(t, "expected a text such as 'mpi_*', found %s", t)
	}
	from, err := wholeNumber(c, t)
	if err != nil {
		return Value{}, err
	}
	v := Value{From: from, To: from, Number: true}
	if ranges && c.Accept("..") {
		end := c.Next()
		if v.To, err = wholeNumber(c, end); err != nil {
			return Value{}, err
		}
		if v.To < v.From {
			return Value{}, c.Errorf(t, "the range %d..%d is empty", v.From, v.To)
		}
	}
	return v, nil
}

func wholeNumber(c *expr.Cursor, t expr.Token) (int64, error) {
	if t.Kind != expr.Num || t.Value != math.Trunc(t.Value) || t.Value > math.MaxInt32 {
		return 0, c.Errorf(t, "expected a whole number, found %s", t)
	}
	return int64(t.Value), nil
}

func (f *Test) write(b *strings.Builder, _ bool) {
	b.WriteString(f.Field + " " + f.Op + " ")
	for i, v := range f.Values {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(v.String())
	}
}

// String prints the value as it is written in a query.
func (v Value) String() string {
	switch {
	case !v.Number:
		return "'" + strings.ReplaceAll(v.Text, "'", "''") + "'"
	case v.From == v.To:
		return strconv.FormatInt(v.From, 10)
	}
	return strconv.FormatInt(v.From, 10) + ".." + strconv.FormatInt(v.To, 10)
}

func (f *All) write(b *strings.Builder, nested bool) {
	expr.WriteJoined(b, f.Or, nested, len(f.Xs), func(i int) { f.Xs[i].write(b, true) })
}

func (f *Inverse) write(b *strings.Builder, _ bool) {
	b.WriteString("NOT ")
	f.X.write(b, true)
}
