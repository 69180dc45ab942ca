package fuzzy

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Kind names a form of membership curve.
type Kind string

// The forms of Soft performance analysis §4 and of the FuzzyJ toolkit its
// authors used.
const (
	Linear    Kind = "linear"    // linear(a, b): 0 at a, 1 at b, level outside
	Triangle  Kind = "triangle"  // triangle(a, b, c): feet a and c, top b
	Trapezoid Kind = "trapezoid" // trapezoid(a, b, c, d): 1 from b to c
	SCurve    Kind = "S"         // S(a, c): rises smoothly from a to c
	ZCurve    Kind = "Z"         // Z(a, c): falls smoothly from a to c
	PiCurve   Kind = "Pi"        // Pi(centre, width): S up to the centre, Z down from it
	Gaussian  Kind = "gaussian"  // gaussian(mean, sigma)
	Singleton Kind = "singleton" // singleton(v): 1 at v alone
	Points    Kind = "points"    // points(x y, x y, …): straight lines between
)

// Kinds lists the forms.
func Kinds() []Kind {
	return []Kind{Linear, Triangle, Trapezoid, SCurve, ZCurve, PiCurve, Gaussian, Singleton, Points}
}

// kindOf finds a form by its name, whatever the case.
func kindOf(word string) (Kind, bool) {
	for _, k := range Kinds() {
		if strings.EqualFold(word, string(k)) {
			return k, true
		}
	}
	return "", false
}

// Shape is a fuzzy set given by a form and its numbers.
type Shape struct {
	kind    Kind
	params  []float64 // of Points: x and y in turn
	samples int       // points drawn per curve, 0 for the exact curve
	line    polyline  // of the forms that consist of straight lines
}

// Bounds that keep the text of a shape reasonable.
const (
	maxSamples = 1001
	maxPoints  = 1000
)

// NewShape makes an exact shape.
func NewShape(kind Kind, params ...float64) (*Shape, error) {
	s := &Shape{kind: kind, params: slices.Clone(params)}
	for _, p := range params {
		if math.IsNaN(p) || math.Abs(p) > 1e300 {
			return nil, fmt.Errorf("%s: %v is not a usable number", kind, p)
		}
	}
	want := map[Kind]int{Linear: 2, Triangle: 3, Trapezoid: 4, SCurve: 2, ZCurve: 2, PiCurve: 2, Gaussian: 2, Singleton: 1}[kind]
	switch {
	case kind == Points:
		if len(params) < 2 || len(params)%2 != 0 || len(params) > 2*maxPoints {
			return nil, fmt.Errorf("points takes 1 to %d pairs, as in points(0 0, 10 1)", maxPoints)
		}
	case want == 0:
		return nil, fmt.Errorf("unknown shape %s", kind)
	case len(params) != want:
		return nil, fmt.Errorf("%s takes %d numbers, not %d", kind, want, len(params))
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	s.draw()
	return s, nil
}

// check looks for numbers that make no curve.
func (s *Shape) check() error {
	p := s.params
	switch s.kind {
	case Linear:
		if p[0] == p[1] {
			return fmt.Errorf("linear needs two different numbers, not %v twice", p[0])
		}
	case SCurve, ZCurve:
		if p[0] >= p[1] {
			return fmt.Errorf("%s(a, c) needs a < c", s.kind)
		}
	case Triangle, Trapezoid:
		if !slices.IsSorted(p) || p[0] == p[len(p)-1] {
			return fmt.Errorf("%s needs its numbers in rising order", s.kind)
		}
	case PiCurve, Gaussian:
		if p[1] <= 0 {
			return fmt.Errorf("the width of %s must be positive", s.kind)
		}
		if p[0]+p[1] == p[0] {
			return fmt.Errorf("the width of %s is too small beside its centre", s.kind)
		}
	case Points:
		for i := 0; i < len(p); i += 2 {
			if i > 0 && p[i] < p[i-2] {
				return fmt.Errorf("points need their x in rising order: %v comes after %v", p[i], p[i-2])
			}
			if p[i+1] < 0 || p[i+1] > 1 {
				return fmt.Errorf("the degree %v of a point is not in [0, 1]", p[i+1])
			}
		}
	}
	return nil
}

// draw makes the lines of the forms that have them.
func (s *Shape) draw() {
	p := s.params
	switch s.kind {
	case Linear:
		s.line = polyline{[]float64{p[0], p[1]}, []float64{0, 1}}
		if p[0] > p[1] {
			s.line = polyline{[]float64{p[1], p[0]}, []float64{1, 0}}
		}
	case Triangle:
		s.line = polyline{p, []float64{0, 1, 0}}
	case Trapezoid:
		s.line = polyline{p, []float64{0, 1, 1, 0}}
	case Points:
		for i := 0; i < len(p); i += 2 {
			s.line.xs, s.line.ys = append(s.line.xs, p[i]), append(s.line.ys, p[i+1])
		}
	}
}

// Sampled draws the smooth curves S, Z and Pi as n points (Pi: n a side)
// joined by straight lines, as the FuzzyJ toolkit does with 9 (Pi: 5). Only so
// are the printed figures of Soft performance analysis, Table 2, reproduced.
func (s *Shape) Sampled(n int) (*Shape, error) {
	if s.kind != SCurve && s.kind != ZCurve && s.kind != PiCurve {
		return nil, fmt.Errorf("%s cannot be sampled, only S, Z and Pi can", s.kind)
	}
	if n < 2 || n > maxSamples {
		return nil, fmt.Errorf("a curve is sampled at 2 to %d points, not %d", maxSamples, n)
	}
	t := &Shape{kind: s.kind, params: s.params, samples: n}
	add := func(lo, hi float64) {
		for i := range n {
			x := lo + (hi-lo)*float64(i)/float64(n-1)
			if i == n-1 {
				x = hi
			}
			if k := len(t.line.xs); k == 0 || x > t.line.xs[k-1] {
				t.line.xs, t.line.ys = append(t.line.xs, x), append(t.line.ys, s.Degree(x))
			}
		}
	}
	if s.kind == PiCurve {
		centre, width := s.params[0], s.params[1]
		add(centre-width, centre)
		add(centre, centre+width)
	} else {
		add(s.params[0], s.params[1])
	}
	return t, nil
}

// Degree is the membership of x.
func (s *Shape) Degree(x float64) float64 {
	if s.line.xs != nil {
		return s.line.degree(x)
	}
	if math.IsNaN(x) {
		return x
	}
	p := s.params
	switch s.kind {
	case SCurve:
		return rise(x, p[0], p[1])
	case ZCurve:
		return 1 - rise(x, p[0], p[1])
	case PiCurve:
		if x <= p[0] {
			return rise(x, p[0]-p[1], p[0])
		}
		return 1 - rise(x, p[0], p[0]+p[1])
	case Gaussian:
		t := (x - p[0]) / p[1]
		return math.Exp(-0.5 * t * t)
	}
	if x == p[0] { // Singleton
		return 1
	}
	return 0
}

// rise is the S-function: two parabolas that meet half-way between a and c.
func rise(x, a, c float64) float64 {
	switch {
	case x <= a:
		return 0
	case x >= c:
		return 1
	case x <= a+(c-a)/2:
		t := (x - a) / (c - a)
		return 2 * t * t
	}
	t := (x - c) / (c - a)
	return 1 - 2*t*t
}

func (s *Shape) knots() []float64 {
	p := s.params
	switch {
	case s.line.xs != nil:
		return slices.Clone(s.line.xs)
	case s.kind == SCurve || s.kind == ZCurve:
		return []float64{p[0], p[0] + (p[1]-p[0])/2, p[1]}
	case s.kind == PiCurve:
		return []float64{p[0] - p[1], p[0] - p[1]/2, p[0], p[0] + p[1]/2, p[0] + p[1]}
	case s.kind == Gaussian:
		return []float64{p[0] - 8*p[1], p[0], p[0] + 8*p[1]}
	}
	return []float64{p[0]}
}

func (s *Shape) peak() (x, y float64) {
	switch {
	case s.line.xs != nil:
		return s.line.peak()
	case s.kind == SCurve:
		return s.params[1], 1
	}
	return s.params[0], 1
}
