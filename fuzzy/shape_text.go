package fuzzy

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"auspex/expr"
)

// String prints the shape as ParseShape reads it: S(0, 64)@9.
func (s *Shape) String() string {
	var b strings.Builder
	b.WriteString(string(s.kind) + "(")
	for i, p := range s.params {
		switch {
		case i == 0:
		case s.kind == Points && i%2 == 1:
			b.WriteString(" ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(strconv.FormatFloat(p, 'g', -1, 64))
	}
	b.WriteString(")" + at(s.samples))
	return b.String()
}

func at(samples int) string {
	if samples == 0 {
		return ""
	}
	return "@" + strconv.Itoa(samples)
}

// ParseShape reads a shape, such as trapezoid(0, 1, 2, 3), S(0, 64)@9 or
// points(0 0, 5 0.2, 10 1).
func ParseShape(src string) (*Shape, error) {
	c, err := expr.NewCursor(src)
	if err != nil {
		return nil, err
	}
	s, err := shapeFrom(c)
	if err != nil {
		return nil, err
	}
	if err := c.End(); err != nil {
		return nil, err
	}
	return s, nil
}

// atShape reports whether a shape begins here: a word with a parenthesis.
func atShape(c *expr.Cursor) bool {
	open := c.PeekAt(1)
	return c.Peek().Kind == expr.Word && !isModifier(c.Peek().Text) && !expr.Reserved(c.Peek().Text) &&
		open.Kind == expr.Op && open.Text == "("
}

func shapeFrom(c *expr.Cursor) (*Shape, error) {
	kind, err := kindFrom(c)
	if err != nil {
		return nil, err
	}
	start := c.Peek()
	if err := c.Expect("("); err != nil {
		return nil, err
	}
	var params []float64
	for {
		v, err := signedNumber(c)
		if err != nil {
			return nil, err
		}
		params = append(params, v)
		if kind == Points && len(params)%2 == 1 {
			continue // the y of a point follows without a comma
		}
		if !c.Accept(",") {
			break
		}
	}
	if err := c.Expect(")"); err != nil {
		return nil, err
	}
	s, err := NewShape(kind, params...)
	if err != nil {
		return nil, c.Errorf(start, "%v", err)
	}
	n, err := samplesFrom(c)
	if err != nil || n == 0 {
		return s, err
	}
	if s, err = s.Sampled(n); err != nil {
		return nil, c.Errorf(start, "%v", err)
	}
	return s, nil
}

func kindFrom(c *expr.Cursor) (Kind, error) {
	t := c.Next()
	kind, ok := kindOf(t.Text)
	if t.Kind != expr.Word || !ok {
		err := c.Errorf(t, "expected a shape, found %s", t)
		var names []string
		for _, k := range Kinds() {
			names = append(names, string(k))
		}
		if err.Hint = expr.DidYouMean(t.Text, names); err.Hint == "" {
			err.Hint = "known are " + strings.Join(names, ", ")
		}
		return "", err
	}
	return kind, nil
}

// samplesFrom reads the @9 after a shape; 0 if there is none.
func samplesFrom(c *expr.Cursor) (int, error) {
	if !c.Accept("@") {
		return 0, nil
	}
	t := c.Next()
	if t.Kind != expr.Num || t.Value != math.Trunc(t.Value) || t.Value < 2 || t.Value > maxSamples {
		return 0, c.Errorf(t, "expected a number of points from 2 to %d after @, found %s", maxSamples, t)
	}
	return int(t.Value), nil
}

func signedNumber(c *expr.Cursor) (float64, error) {
	sign := 1.0
	if c.Accept("-") {
		sign = -1
	}
	t := c.Next()
	if t.Kind != expr.Num {
		return 0, c.Errorf(t, "expected a number, found %s", t)
	}
	return sign * t.Value, nil
}

// Form is a shape without its numbers, such as S@9, to be stretched over a
// range. Factors and performance scores are declared this way (Soft
// performance analysis, Table 1 and eq. 1).
type Form struct {
	Kind    Kind
	Samples int // 0 is exact
}

// ParseForm reads the name of a form: linear, S, S@9.
func ParseForm(src string) (Form, error) {
	c, err := expr.NewCursor(src)
	if err != nil {
		return Form{}, err
	}
	kind, err := kindFrom(c)
	if err != nil {
		return Form{}, err
	}
	n, err := samplesFrom(c)
	if err != nil {
		return Form{}, err
	}
	f := Form{kind, n}
	if err := c.End(); err != nil {
		return Form{}, err
	}
	if _, err := f.Over(0, 1); err != nil {
		return Form{}, err
	}
	return f, nil
}

// Over stretches the form over [lo, hi]: a triangle and Pi peak in the middle,
// a trapezoid is 1 over the middle half, a Gaussian fits three sigma a side.
func (f Form) Over(lo, hi float64) (*Shape, error) {
	mid, half := lo+(hi-lo)/2, (hi-lo)/2
	var params []float64
	switch f.Kind {
	case Linear, SCurve, ZCurve:
		params = []float64{lo, hi}
	case Triangle:
		params = []float64{lo, mid, hi}
	case Trapezoid:
		params = []float64{lo, lo + half/2, hi - half/2, hi}
	case PiCurve:
		params = []float64{mid, half}
	case Gaussian:
		params = []float64{mid, half / 3}
	default:
		return nil, fmt.Errorf("%s cannot be stretched over a range; give its numbers", f.Kind)
	}
	if !(lo < hi) {
		return nil, fmt.Errorf("the range from %v to %v is empty", lo, hi)
	}
	s, err := NewShape(f.Kind, params...)
	if err != nil || f.Samples == 0 {
		return s, err
	}
	return s.Sampled(f.Samples)
}
