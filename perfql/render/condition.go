package render

import (
	"fmt"
	"math"
	"strings"

	"auspex/fuzzy"
)

// combined renders what [fuzzy.Combine] computes. degree gives the SQL of a
// statement's degree, best a column, because the text repeats it.
func combined(c fuzzy.Condition, logic fuzzy.Logic, degree func(*fuzzy.Is) (string, error)) (string, error) {
	switch c := c.(type) {
	case *fuzzy.Is:
		return degree(c)
	case *fuzzy.Denial:
		y, err := combined(c.X, logic, degree)
		return "(1 - " + y + ")", err
	case *fuzzy.Group:
		ys := make([]string, len(c.Xs))
		for i, x := range c.Xs {
			y, err := combined(x, logic, degree)
			if err != nil {
				return "", err
			}
			ys[i] = y
		}
		if c.Or {
			return bounded(or(logic, ys...))
		}
		return bounded(and(logic, ys...))
	}
	return "", fmt.Errorf("unknown condition %T", c)
}

// exceeds renders whether the degree of a condition is above level, or at
// least level. Under [fuzzy.Minimum] that is asked of each statement by itself, which
// a database answers faster than about the whole.
func exceeds(c fuzzy.Condition, logic fuzzy.Logic, orEqual bool, level float64, degree func(*fuzzy.Is) (string, error)) (string, error) {
	if g, ok := c.(*fuzzy.Group); ok && logic == fuzzy.Minimum {
		var parts []string
		for _, x := range g.Xs {
			part, err := exceeds(x, logic, orEqual, level, degree)
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
	y, err := combined(c, logic, degree)
	if err != nil {
		return "", err
	}
	if orEqual {
		return y + " >= " + number(level), nil
	}
	return y + " > " + number(level), nil
}

// narrow renders a cheap test that every row passes whose degree is above
// level, or "" where there is none. test gives the one for a statement, see
// [fuzzy.Cut].
func narrow(c fuzzy.Condition, logic fuzzy.Logic, level float64, test func(is *fuzzy.Is, level float64) string) string {
	g, ok := c.(*fuzzy.Group)
	if !ok {
		if is, ok := c.(*fuzzy.Is); ok {
			return test(is, level)
		}
		return ""
	}
	if level = logic.SideLevel(g.Or, level); math.IsNaN(level) {
		return ""
	}
	var parts []string
	for _, x := range g.Xs {
		if part := narrow(x, logic, level, test); part != "" {
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
