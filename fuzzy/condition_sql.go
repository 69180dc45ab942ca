package fuzzy

import (
	"fmt"
	"math"
	"strings"
)

// CombineSQL renders what Combine computes. degree gives the SQL of a
// statement's degree, best a column, because the text repeats it.
func CombineSQL(c Condition, logic Logic, degree func(*Is) (string, error)) (string, error) {
	switch c := c.(type) {
	case *Is:
		return degree(c)
	case *Denial:
		y, err := CombineSQL(c.X, logic, degree)
		return "(1 - " + y + ")", err
	case *Group:
		ys := make([]string, len(c.Xs))
		for i, x := range c.Xs {
			y, err := CombineSQL(x, logic, degree)
			if err != nil {
				return "", err
			}
			ys[i] = y
		}
		if c.Or {
			return bounded(logic.OrSQL(ys...))
		}
		return bounded(logic.AndSQL(ys...))
	}
	return "", fmt.Errorf("unknown condition %T", c)
}

// ExceedsSQL renders whether the degree of a condition is above level, or at
// least level. Under [Minimum] that is asked of each statement by itself, which
// a database answers faster than about the whole.
func ExceedsSQL(c Condition, logic Logic, orEqual bool, level float64, degree func(*Is) (string, error)) (string, error) {
	if g, ok := c.(*Group); ok && logic == Minimum {
		var parts []string
		for _, x := range g.Xs {
			part, err := ExceedsSQL(x, logic, orEqual, level, degree)
			if err != nil {
				return "", err
			}
			parts = append(parts, part)
		}
		if g.Or {
			return "(" + strings.Join(parts, " OR ") + ")", nil
		}
		return "(" + strings.Join(parts, " AND ") + ")", nil
	}
	y, err := CombineSQL(c, logic, degree)
	if err != nil {
		return "", err
	}
	if orEqual {
		return y + " >= " + num(level), nil
	}
	return y + " > " + num(level), nil
}

// NarrowSQL renders a cheap test that every row passes whose degree is above
// level, or "" where there is none. test gives the one for a statement, see
// [Cut].
func NarrowSQL(c Condition, logic Logic, level float64, test func(is *Is, level float64) string) string {
	g, ok := c.(*Group)
	if !ok {
		if is, ok := c.(*Is); ok {
			return test(is, level)
		}
		return ""
	}
	if level = logic.sideLevel(g.Or, level); math.IsNaN(level) {
		return ""
	}
	var parts []string
	for _, x := range g.Xs {
		if part := NarrowSQL(x, logic, level, test); part != "" {
			parts = append(parts, part)
		} else if g.Or {
			return "" // this side may hold anywhere
		}
	}
	word := " AND "
	if g.Or {
		word = " OR "
	}
	if len(parts) < 2 {
		return strings.Join(parts, word)
	}
	return "(" + strings.Join(parts, word) + ")"
}
