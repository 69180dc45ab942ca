package fuzzy

import (
	"fmt"
	"math"
)

// SQL renders the degree of x.
func (s *Shape) SQL(x string) (string, error) {
	if s.line.xs != nil {
		return bounded(s.line.sql(x))
	}
	p := s.params
	switch s.kind {
	case SCurve:
		return riseSQL(x, p[0], p[1]), nil
	case ZCurve:
		return "(1 - " + riseSQL(x, p[0], p[1]) + ")", nil
	case PiCurve:
		return fmt.Sprintf("CASE WHEN %s <= %s THEN %s ELSE 1 - %s END", x, num(p[0]),
			riseSQL(x, p[0]-p[1], p[0]), riseSQL(x, p[0], p[0]+p[1])), nil
	case Gaussian:
		t := fmt.Sprintf("((%s - %s) / %s)", x, num(p[0]), num(p[1]))
		return fmt.Sprintf("exp(-0.5e0 * %s * %s)", t, t), nil
	}
	return fmt.Sprintf("CASE WHEN %[1]s = %[2]s THEN 1e0 WHEN %[1]s <> %[2]s THEN 0e0 END", x, num(p[0])), nil
}

// riseSQL computes what rise does. The upper branches come first: most rows that
// a query computes degrees for are there.
func riseSQL(x string, a, c float64) string {
	left := fmt.Sprintf("((%s - %s) / %s)", x, num(a), num(c-a))
	right := fmt.Sprintf("((%s - %s) / %s)", x, num(c), num(c-a))
	return fmt.Sprintf("CASE WHEN %[1]s >= %[3]s THEN 1e0 WHEN %[1]s > %[4]s THEN 1e0 - 2e0 * %[6]s * %[6]s "+
		"WHEN %[1]s > %[2]s THEN 2e0 * %[5]s * %[5]s WHEN %[1]s <= %[2]s THEN 0e0 END",
		x, num(a), num(c), num(a+(c-a)/2), left, right)
}

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
