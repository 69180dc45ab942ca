package fuzzy

import "math"

func (s *Shape) cut(level float64) (lo, hi float64) {
	if s.line.xs != nil {
		return s.line.cut(level)
	}
	lo, hi = math.Inf(-1), math.Inf(1)
	p := s.params
	switch s.kind {
	case SCurve:
		lo = climb(p[0], p[1], level)
	case ZCurve:
		hi = climb(p[1], p[0], level)
	case PiCurve:
		lo, hi = climb(p[0]-p[1], p[0], level), climb(p[0]+p[1], p[0], level)
	case Gaussian:
		if level > 0 {
			r := p[1] * math.Sqrt(-2*math.Log(level))
			lo, hi = p[0]-r, p[0]+r
		}
	default: // Singleton
		lo, hi = p[0], p[0]
	}
	return lo, hi
}

// climb is where a curve that is 0 at foot and 1 at top reaches level.
func climb(foot, top, level float64) float64 {
	if level < 0.5 {
		return foot + (top-foot)*math.Sqrt(level/2)
	}
	return top - (top-foot)*math.Sqrt((1-level)/2)
}
