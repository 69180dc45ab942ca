package expr

import (
	"fmt"
	"strconv"
)

// maxSQL bounds the rendered text. Only divisions nested in divisors, which
// double it at each level, can ever get there.
const maxSQL = 256 << 10

// SQL renders n as a DuckDB expression that equals what [Eval] computes, with
// NULL for missing. ident gives the SQL of a metric, a DOUBLE; a NaN or an
// infinity in it counts as missing. It should be a column, not a computation,
// because the text repeats it.
func SQL(n Node, ident func(name string) (string, error)) (string, error) {
	text, err := render(n, ident, finite)
	if err != nil {
		return "", err
	}
	return finite(text), nil
}

// LooseSQL renders n without the tests for missing values. Where SQL gives a
// number it gives the same one; elsewhere it may give anything. That is enough
// for a first, cheap filter.
func LooseSQL(n Node, ident func(name string) (string, error)) (string, error) {
	return render(n, ident, func(sql string) string { return sql })
}

// finite turns what is not a finite number into NULL.
func finite(sql string) string {
	return "CASE WHEN isfinite(" + sql + ") THEN " + sql + " END"
}

// render leaves infinities and NaN as they are: they pass through + - * and
// the numerator without becoming finite again, so that one test at the end
// finds them, and division by zero with them. Only a divisor has to be tested
// on the spot, since x/∞ = 0.
func render(n Node, ident func(string) (string, error), divisor func(string) string) (string, error) {
	var text string
	switch n := n.(type) {
	case *Number:
		return SQLNumber(n.Value), nil
	case *Name:
		var err error
		if text, err = ident(n.Name); err != nil {
			return "", err
		}
	case *Negation:
		x, err := render(n.X, ident, divisor)
		if err != nil {
			return "", err
		}
		text = "(- " + x + ")"
	case *Binary:
		x, err := render(n.X, ident, divisor)
		if err != nil {
			return "", err
		}
		y, err := render(n.Y, ident, divisor)
		if err != nil {
			return "", err
		}
		if _, constant := n.Y.(*Number); n.Op == '/' && !constant {
			y = divisor(y)
		}
		text = "(" + x + " " + string(n.Op) + " " + y + ")"
	default:
		return "", fmt.Errorf("unknown expression %T", n)
	}
	if len(text) > maxSQL {
		return "", fmt.Errorf("too many divisions inside divisors for the database; simplify the expression")
	}
	return text, nil
}

// SQLNumber writes v so that DuckDB reads the same DOUBLE; without the
// exponent it would be a decimal of few digits.
func SQLNumber(v float64) string { return strconv.FormatFloat(v, 'e', -1, 64) }
