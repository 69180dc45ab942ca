package growth

import "math"

// hypothesis is the exponents of a model, and whether s/p stands for c₀.
type hypothesis struct {
	Term
	shared bool
}

// hypotheses, the simplest first: a constant, then p alone, which may also
// shrink, then with its logarithm; last what falls before it rises.
var hypotheses = func() []hypothesis {
	list := []hypothesis{{}}
	for _, shared := range []bool{false, true} {
		for j := range mostLogs + 1 {
			for _, i := range exponents {
				if i > 0 || j > 0 {
					list = append(list, hypothesis{Term{I: i, J: j}, shared})
				}
				if i > 0 && j == 0 && !shared {
					list = append(list, hypothesis{Term: Term{I: -i}})
				}
			}
		}
	}
	return list
}()

// exponents of p.
var exponents = []float64{0, 1. / 4, 1. / 3, 1. / 2, 2. / 3, 3. / 4, 1, 5. / 4, 4. / 3, 3. / 2, 5. / 3, 7. / 4, 2, 9. / 4, 7. / 3, 5. / 2, 8. / 3, 11. / 4, 3}

const mostLogs = 2

func term(p, i float64, j int) float64 { return math.Pow(p, i) * math.Pow(math.Log2(p), float64(j)) }

// small is the part of the largest value below which errors are no longer
// relative: what is hardly there scatters by more than its size.
const small = 0.02

// series is points, and what their errors are measured by.
type series struct {
	points          []Point
	smallest, floor float64 // number of processes; value
}

func newSeries(points []Point) series {
	s := series{points: points, smallest: math.Inf(1)}
	for _, p := range points {
		s.smallest, s.floor = min(s.smallest, p.P), max(s.floor, small*math.Abs(p.Value))
	}
	if s.floor == 0 {
		s.floor = 1
	}
	return s
}

// scale is what an error at a value is measured by.
func (s series) scale(value float64) float64 { return max(s.floor, math.Abs(value)) }

// fitted is a hypothesis with its coefficients.
type fitted struct {
	c0, shared float64
	Term
	smape, squares float64
	v00, v01, v11  float64 // covariance of c₀ (or s) and c for errors of size 1
}

func (f fitted) value(p float64) float64 {
	value := f.c0 + f.shared/p
	if f.C != 0 {
		value += f.C * term(p, f.I, f.J)
	}
	return value
}

// lever is how an error of size 1 in the points shows at p, squared.
func (f fitted) lever(p float64) float64 {
	if f.v11 == 0 {
		return f.v00
	}
	b, x := 1.0, term(p, f.I, f.J)
	if f.shared > 0 {
		b = 1 / p
	}
	return f.v00*b*b + 2*f.v01*b*x + f.v11*x*x
}

// judge fits a hypothesis to all points, and to all but one in turn.
func (s series) judge(h hypothesis) (fitted, bool) {
	f, ok := s.fit(h, -1)
	if !ok {
		return f, false
	}
	for k, p := range s.points {
		without, ok := s.fit(h, k)
		if !ok {
			return f, false
		}
		f.smape += apart(without.value(p.P), p.Value) / float64(len(s.points))
	}
	return f, true
}

func apart(a, b float64) float64 {
	if scale := (math.Abs(a) + math.Abs(b)) / 2; scale > 0 {
		return math.Abs(a-b) / scale
	}
	return 0
}

// fit is least squares over all points but one. What would be below zero at a
// size from the smallest on goes through the origin, or is no hypothesis.
func (s series) fit(h hypothesis, but int) (fitted, bool) {
	f := fitted{Term: h.Term}
	var sbb, sbx, sby, sxx, sxy float64
	for k, p := range s.points {
		if k == but {
			continue
		}
		w, b, x := 1/s.scale(p.Value), 1.0, term(p.P, h.I, h.J)
		if h.shared {
			b = 1 / p.P
		}
		b, x = w*b, w*x
		y := w * p.Value
		sbb, sbx, sby, sxx, sxy = sbb+b*b, sbx+b*x, sby+b*y, sxx+x*x, sxy+x*y
	}
	if h == (hypothesis{}) {
		f.c0, f.v00 = sby/sbb, 1/sbb
		return s.squared(f, but), true
	}
	spread := sxx - sbx*sbx/sbb
	if !(spread > 1e-12*sxx) || math.IsInf(sxx, 0) {
		return f, false
	}
	f.C = (sxy - sbx*sby/sbb) / spread
	f.c0 = (sby - f.C*sbx) / sbb
	f.v00, f.v01, f.v11 = sxx/(sbb*spread), -sbx/(sbb*spread), 1/spread
	if h.shared {
		f.c0, f.shared = 0, f.c0
		return s.squared(f, but), f.shared > 0 && f.C > 0
	}
	shrinks := h.I < 0
	if shrinks && f.c0 < 0 || !shrinks && f.value(s.smallest) < 0 {
		f.c0, f.C = 0, sxy/sxx
		f.v00, f.v01, f.v11 = 0, 0, 1/sxx
	}
	return s.squared(f, but), f.C >= 0 || shrinks && f.value(s.smallest) >= 0
}

// squared adds up the squares of the errors.
func (s series) squared(f fitted, but int) fitted {
	for k, p := range s.points {
		if k != but {
			d := (p.Value - f.value(p.P)) / s.scale(p.Value)
			f.squares += d * d
		}
	}
	return f
}
