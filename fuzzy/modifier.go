package fuzzy

import (
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

// between is plus A AND not very A, the heart of slightly. It is no word of its
// own.
const between Modifier = "between"

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
	t := &modified{by: m, of: s, text: phrase(m, s)}
	switch m {
	case Norm, Above, Below:
		t.topX, t.topY = s.peak()
	case Slightly:
		_, t.topY = findPeak(&modified{by: between, of: s})
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
	topX, topY float64 // first maximum of the set below, for Norm, Above and Below; of between, for Slightly
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
		return s.norm(y)
	case Intensify:
		return intensify(y)
	case between:
		return min(math.Pow(y, 1.25), 1-y*y)
	case Slightly:
		return intensify(s.norm(min(math.Pow(y, 1.25), 1-y*y)))
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

// dust is the height below which a set is nothing but rounding, which norm
// would blow up: it is empty then.
const dust = 1e-9

func (s *modified) norm(y float64) float64 {
	if s.topY < dust {
		return 0
	}
	return clamp(y / s.topY)
}

func intensify(y float64) float64 {
	if y < 0.5 {
		return 2 * y * y
	}
	return 1 - 2*(1-y)*(1-y)
}

// cut looks for the degree below that the modifier lifts above level.
func (s *modified) cut(level float64) (lo, hi float64) {
	if p, ok := s.by.power(); ok {
		return s.of.cut(math.Pow(level, 1/p))
	}
	switch s.by {
	case Norm:
		return s.of.cut(level * s.topY)
	case Intensify:
		if level < 0.5 {
			return s.of.cut(math.Sqrt(level / 2))
		}
		return s.of.cut(1 - math.Sqrt((1-level)/2))
	case Slightly, between:
		return s.of.cut(0)
	case Above:
		return s.topX, math.Inf(1)
	case Below:
		return math.Inf(-1), s.topX
	}
	return math.Inf(-1), math.Inf(1)
}

// peak keeps its place under the modifiers that only grow with y.
func (s *modified) peak() (x, y float64) {
	switch s.by {
	case Not, Above, Below, Slightly:
		return findPeak(s)
	}
	x, _ = s.of.peak()
	return x, s.Degree(x)
}
