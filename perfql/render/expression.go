package render

import (
	"fmt"
	"strconv"

	"auspex/expr"
)

// maxText bounds the rendered text. Divisions nested in divisors double it at each
// level, and stacked modifiers repeat what they modify.
const maxText = 256 << 10

// expression renders n as an expression that equals what [expr.Eval] computes, with
// NULL for missing. ident gives the SQL of a metric, a DOUBLE; a NaN or an
// infinity in it counts as missing. It should be a column, not a computation,
// because the text repeats it.
func expression(n expr.Node, ident func(name string) (string, error)) (string, error) {
	text, err := arithmetic(n, ident, finite)
	if err != nil {
		return "", err
	}
	return finite(text), nil
}

// looseExpression renders n without the tests for missing values. Where
// expression gives a number it gives the same one; elsewhere it may give anything. That is enough
// for a first, cheap filter.
func looseExpression(n expr.Node, ident func(name string) (string, error)) (string, error) {
	return arithmetic(n, ident, func(sql string) string { return sql })
}

// finite turns what is not a finite number into NULL.
func finite(sql string) string {
	return "CASE WHEN isFinite(" + sql + ") THEN " + sql + " END"
}

// arithmetic leaves infinities and NaN as they are: they pass through + - * and
// the numerator without becoming finite again, so that one test at the end
// finds them, and division by zero with them. Only a divisor has to be tested
// on the spot, since x/∞ = 0.
func arithmetic(n expr.Node, ident func(string) (string, error), divisor func(string) string) (string, error) {
	var text string
	switch n := n.(type) {
	case *expr.Number:
		return number(n.Value), nil
	case *expr.Name:
		var err error
		if text, err = ident(n.Name); err != nil {
			return "", err
		}
	case *expr.Negation:
		x, err := arithmetic(n.X, ident, divisor)
		if err != nil {
			return "", err
		}
		text = "(- " + x + ")"
	case *expr.Binary:
		x, err := arithmetic(n.X, ident, divisor)
		if err != nil {
			return "", err
		}
		y, err := arithmetic(n.Y, ident, divisor)
		if err != nil {
			return "", err
		}
		if _, constant := n.Y.(*expr.Number); n.Op == '/' && !constant {
			y = divisor(y)
		}
		text = "(" + x + " " + string(n.Op) + " " + y + ")"
	default:
		return "", fmt.Errorf("unknown expression %T", n)
	}
	if len(text) > maxText {
		return "", fmt.Errorf("too many divisions inside divisors for the database; simplify the expression")
	}
	return text, nil
}

// number writes v so that DuckDB reads the same DOUBLE; without the
// exponent it would be a decimal of few digits.
func number(v float64) string { return strconv.FormatFloat(v, 'e', -1, 64) }
