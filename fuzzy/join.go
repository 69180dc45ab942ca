package fuzzy

import (
	"math"
	"strings"
)

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

func (s *joined) cut(level float64) (lo, hi float64) {
	level = s.logic.SideLevel(s.or, level)
	if math.IsNaN(level) {
		return math.Inf(-1), math.Inf(1)
	}
	for i, t := range s.sets {
		l, h := t.cut(level)
		switch {
		case i == 0:
			lo, hi = l, h
		case s.or:
			lo, hi = min(lo, l), max(hi, h)
		default:
			lo, hi = max(lo, l), min(hi, h)
		}
	}
	return lo, hi
}

func (s *joined) knots() []float64 {
	var ks []float64
	for _, t := range s.sets {
		ks = append(ks, t.knots()...)
	}
	return ks
}

func (s *joined) peak() (x, y float64) { return findPeak(s) }
