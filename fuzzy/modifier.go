package fuzzy

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Modifier is a word that changes a fuzzy set, named as in the FuzzyJ toolkit.
type Modifier string

// The modifiers, with y the degree they change.
const (
	Not        Modifier = "not"          // 1 − y
	Norm       Modifier = "norm"         // y / largest y
	Very       Modifier = "very"         // y²
	Extremely  Modifier = "extremely"    // y³
	Plus       Modifier = "plus"         // y^1.25
	Somewhat   Modifier = "somewhat"     // y^½
	MoreOrLess Modifier = "more_or_less" // y^⅓
	Intensify  Modifier = "intensify"    // 2y² below ½, 1 − 2(1−y)² above
	Slightly   Modifier = "slightly"     // intensify(norm(plus A AND not very A))
	Above      Modifier = "above"        // 0 up to the first maximum, then 1 − y
	Below      Modifier = "below"        // 1 − y before the first maximum, then 0
)

// Modifiers lists them all.
func Modifiers() []Modifier {
	return []Modifier{Not, Norm, Very, Extremely, Plus, Somewhat, MoreOrLess, Intensify, Slightly, Above, Below}
}

func isModifier(word string) bool {
	_, ok := modifierOf(word)
	return ok
}

func modifierOf(word string) (Modifier, bool) {
	m := Modifier(strings.ToLower(word))
	return m, slices.Contains(Modifiers(), m)
}

// power is the exponent of the modifiers that raise a degree to one.
func (m Modifier) power() (float64, bool) {
	switch m {
	case Very:
		return 2, true
	case Extremely:
		return 3, true
	case Plus:
		return 1.25, true
	case Somewhat:
		return 0.5, true
	case MoreOrLess:
		return 1. / 3, true
	}
	return 0, false
}

// Modify makes the set that the modifier turns s into.
func Modify(m Modifier, s Set) Set {
	if m == Slightly {
		both := &joined{logic: Minimum, sets: []Set{Modify(Plus, s), Modify(Not, Modify(Very, s))}}
		return &modified{by: Intensify, of: Modify(Norm, both), text: phrase(m, s)}
	}
	t := &modified{by: m, of: s, text: phrase(m, s)}
	if m == Norm || m == Above || m == Below {
		t.topX, t.topY = s.peak()
	}
	return t
}

// phrase prints a modified set; what is joined needs parentheses.
func phrase(m Modifier, s Set) string {
	if j, ok := s.(*joined); ok && len(j.sets) > 1 {
		return string(m) + " (" + s.String() + ")"
	}
	return string(m) + " " + s.String()
}

// modified is a set seen through one modifier.
type modified struct {
	by         Modifier
	of         Set
	text       string
	topX, topY float64 // first maximum of the set below, for Norm, Above and Below
}

func (s *modified) String() string   { return s.text }
func (s *modified) knots() []float64 { return append(s.of.knots(), s.bend()...) }

func (s *modified) bend() []float64 {
	if s.by == Above || s.by == Below {
		return []float64{s.topX}
	}
	return nil
}

func (s *modified) Degree(x float64) float64 {
	y := s.of.Degree(x)
	if math.IsNaN(y) {
		return y
	}
	if p, ok := s.by.power(); ok {
		return math.Pow(y, p)
	}
	switch s.by {
	case Not:
		return 1 - y
	case Norm:
		if s.topY == 0 {
			return 0
		}
		return clamp(y / s.topY)
	case Intensify:
		if y < 0.5 {
			return 2 * y * y
		}
		return 1 - 2*(1-y)*(1-y)
	case Above:
		if x <= s.topX {
			return 0
		}
		return 1 - y
	case Below:
		if x >= s.topX {
			return 0
		}
		return 1 - y
	}
	return y
}

func (s *modified) SQL(x string) (string, error) {
	y, err := s.of.SQL(x)
	if err != nil {
		return "", err
	}
	if p, ok := s.by.power(); ok {
		return bounded(fmt.Sprintf("pow(%s, %s)", y, num(p)))
	}
	switch s.by {
	case Not:
		y = "(1 - " + y + ")"
	case Norm:
		if s.topY == 0 {
			y = "(0 * " + y + ")"
		} else {
			y = fmt.Sprintf("CASE WHEN %[1]s >= %[2]s THEN 1e0 ELSE %[1]s / %[2]s END", y, num(s.topY))
		}
	case Intensify:
		y = fmt.Sprintf("CASE WHEN %[1]s < 0.5e0 THEN 2 * pow(%[1]s, 2) ELSE 1 - 2 * pow(1 - %[1]s, 2) END", y)
	case Above:
		y = fmt.Sprintf("%s WHEN %s <= %s THEN 0e0 ELSE 1 - %s END", ignoreMissing(x), x, num(s.topX), y)
	case Below:
		y = fmt.Sprintf("%s WHEN %s >= %s THEN 0e0 ELSE 1 - %s END", ignoreMissing(x), x, num(s.topX), y)
	}
	return bounded(y)
}

// peak keeps its place under the modifiers that only grow with y.
func (s *modified) peak() (x, y float64) {
	switch s.by {
	case Not, Above, Below:
		return findPeak(s)
	}
	x, _ = s.of.peak()
	return x, s.Degree(x)
}

// joined is several sets under AND or OR.
type joined struct {
	or    bool
	logic Logic
	sets  []Set
}

func (s *joined) Degree(x float64) float64 {
	ys := make([]float64, 0, 4)
	for _, t := range s.sets {
		ys = append(ys, t.Degree(x))
	}
	if s.or {
		return s.logic.Or(ys...)
	}
	return s.logic.And(ys...)
}

func (s *joined) SQL(x string) (string, error) {
	var ys []string
	for _, t := range s.sets {
		y, err := t.SQL(x)
		if err != nil {
			return "", err
		}
		ys = append(ys, y)
	}
	switch {
	case s.or:
		return bounded(s.logic.OrSQL(ys...))
	case s.logic == Minimum: // one x is missing for all, so the terms need not be asked
		return bounded(ignoreMissing(x) + " ELSE least(" + strings.Join(ys, ", ") + ") END")
	}
	return bounded(s.logic.AndSQL(ys...))
}

func (s *joined) String() string {
	word := " AND "
	if s.or {
		word = " OR "
	}
	var parts []string
	for _, t := range s.sets {
		text := t.String()
		if j, ok := t.(*joined); ok && len(j.sets) > 1 {
			text = "(" + text + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, word)
}

func (s *joined) knots() []float64 {
	var ks []float64
	for _, t := range s.sets {
		ks = append(ks, t.knots()...)
	}
	return ks
}

func (s *joined) peak() (x, y float64) { return findPeak(s) }
