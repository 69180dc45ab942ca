package fuzzy

// Line gives the corners of a shape that consists of straight lines: level before
// the first and after the last. Two corners at one place make a step, where the
// larger counts. It is nil for smooth shapes.
func (s *Shape) Line() (xs, ys []float64) { return s.line.xs, s.line.ys }

// Modified takes a modified set apart: the modifier, the set below, and the place
// and height of the maximum that the modifier goes by.
func Modified(s Set) (by Modifier, of Set, topX, topY float64, ok bool) {
	m, ok := s.(*modified)
	if !ok {
		return "", nil, 0, 0, false
	}
	return m.by, m.of, m.topX, m.topY, true
}

// Joined takes apart sets that are joined by AND or OR.
func Joined(s Set) (or bool, logic Logic, sets []Set, ok bool) {
	j, ok := s.(*joined)
	if !ok {
		return false, Logic{}, nil, false
	}
	return j.or, j.logic, j.sets, true
}

// Power is the exponent of the modifiers that are one, such as 2 of very.
func (m Modifier) Power() (float64, bool) { return m.power() }

// Dust is the height below which a set is nothing but rounding, which norm would
// blow up: it is empty then.
const Dust = dust
