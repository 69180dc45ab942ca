package render

import (
	"errors"
	"fmt"
	"strings"

	"auspex/fuzzy"
)

// set renders the degree of x for DuckDB. x is a column of type DOUBLE in which
// missing is NULL and never NaN, such as expression gives.
func set(s fuzzy.Set, x string) (string, error) {
	if flat, ok := s.(*fuzzy.Shape); ok {
		return shape(flat, x)
	}
	if by, of, topX, topY, ok := fuzzy.Modified(s); ok {
		y, err := set(of, x)
		if err != nil {
			return "", err
		}
		return bounded(modified(by, x, y, topX, topY))
	}
	if isOr, logic, sets, ok := fuzzy.Joined(s); ok {
		return joined(isOr, logic, sets, x)
	}
	return "", fmt.Errorf("the database has no words for %s", s)
}

func modified(by fuzzy.Modifier, x, y string, topX, topY float64) string {
	if p, ok := by.Power(); ok {
		return fmt.Sprintf("pow(%s, %s)", y, number(p))
	}
	switch by {
	case fuzzy.Not:
		return "(1 - " + y + ")"
	case fuzzy.Norm:
		return norm(y, topY)
	case fuzzy.Intensify:
		return intensify(y)
	case fuzzy.Slightly:
		return intensify(norm(fmt.Sprintf("least(pow(%s, 1.25e0), 1 - pow(%s, 2))", y, y), topY))
	case fuzzy.Above:
		return fmt.Sprintf("CASE WHEN %s <= %s THEN 0e0 ELSE 1 - %s END", x, number(topX), y)
	case fuzzy.Below:
		return fmt.Sprintf("CASE WHEN %[1]s < %[2]s THEN 1 - %[3]s WHEN %[1]s >= %[2]s THEN 0e0 END", x, number(topX), y)
	}
	return y
}

func norm(y string, top float64) string {
	if top < fuzzy.Dust {
		return "(0 * " + y + ")"
	}
	return fmt.Sprintf("CASE WHEN %[1]s >= %[2]s THEN 1e0 ELSE %[1]s / %[2]s END", y, number(top))
}

func intensify(y string) string {
	return fmt.Sprintf("CASE WHEN %[1]s < 0.5e0 THEN 2 * pow(%[1]s, 2) ELSE 1 - 2 * pow(1 - %[1]s, 2) END", y)
}

func joined(isOr bool, logic fuzzy.Logic, sets []fuzzy.Set, x string) (string, error) {
	var ys []string
	for _, t := range sets {
		y, err := set(t, x)
		if err != nil {
			return "", err
		}
		ys = append(ys, y)
	}
	switch {
	case isOr:
		return bounded(or(logic, ys...))
	case logic == fuzzy.Minimum: // one x is missing for all, so nobody has to ask whether some are
		return bounded("least(" + strings.Join(ys, ", ") + ")")
	}
	return bounded(and(logic, ys...))
}

var errLong = errors.New("the phrase is too long for the database; use fewer modifiers")

func bounded(text string) (string, error) {
	if len(text) > maxText {
		return "", errLong
	}
	return text, nil
}

// and renders And of SQL expressions.
func and(l fuzzy.Logic, ys ...string) string {
	product, compensatory, gamma := l.Parts()
	if len(ys) == 1 {
		return ys[0]
	}
	all := "(" + strings.Join(ys, ") * (") + ")"
	switch {
	case product:
		return "(" + all + ")"
	case compensatory:
		none := "(1 - (" + strings.Join(ys, ")) * (1 - (") + "))"
		return fmt.Sprintf("(pow(%s, %s) * pow(1 - %s, %s))", all, number(1-gamma), none, number(gamma))
	}
	// least() passes over NULL, and is slower than this.
	if len(ys) == 2 {
		return fmt.Sprintf("CASE WHEN %[1]s IS NULL OR %[1]s < %[2]s THEN %[1]s ELSE %[2]s END", ys[0], ys[1])
	}
	return "CASE WHEN (" + strings.Join(ys, ") IS NOT NULL AND (") + ") IS NOT NULL THEN least(" + strings.Join(ys, ", ") + ") END"
}

// or renders Or of SQL expressions.
func or(l fuzzy.Logic, ys ...string) string {
	product, _, _ := l.Parts()
	if len(ys) == 1 {
		return ys[0]
	}
	if product {
		known := "coalesce(" + strings.Join(ys, ", ") + ") IS NULL"
		none := "(1 - coalesce(" + strings.Join(ys, ", 0)) * (1 - coalesce(") + ", 0))"
		return "CASE WHEN " + known + " THEN NULL ELSE 1 - " + none + " END"
	}
	return "greatest(" + strings.Join(ys, ", ") + ")"
}
