package fuzzy

import "slices"

// Kind is the form of the curve.
func (s *Shape) Kind() Kind { return s.kind }

// Params are the numbers of the form, as they are written; of points, x and
// degree in turn.
func (s *Shape) Params() []float64 { return slices.Clone(s.params) }

// Samples is the number of points the curve is drawn through, 0 for the exact
// curve.
func (s *Shape) Samples() int { return s.samples }

// drawnSteps is how many even steps a drawing of a curve takes.
const drawnSteps = 120

// Draw follows the curve of a set from lo to hi for a picture: the degrees at
// rising places, among them all where the curve changes its formula.
func Draw(s Set, lo, hi float64) (xs, ys []float64) { return curve(s, lo, hi, drawnSteps) }
