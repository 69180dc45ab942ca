package render

import (
	"fmt"
	"strings"

	"auspex/fuzzy"
)

// shape renders the degree of x.
func shape(s *fuzzy.Shape, x string) (string, error) {
	if xs, ys := s.Line(); xs != nil {
		return bounded(polyline(xs, ys, x))
	}
	p := s.Params()
	switch s.Kind() {
	case fuzzy.SCurve:
		return rise(x, p[0], p[1]), nil
	case fuzzy.ZCurve:
		return "(1 - " + rise(x, p[0], p[1]) + ")", nil
	case fuzzy.PiCurve:
		return fmt.Sprintf("CASE WHEN %s <= %s THEN %s ELSE 1 - %s END", x, number(p[0]),
			rise(x, p[0]-p[1], p[0]), rise(x, p[0], p[0]+p[1])), nil
	case fuzzy.Gaussian:
		t := fmt.Sprintf("((%s - %s) / %s)", x, number(p[0]), number(p[1]))
		return fmt.Sprintf("exp(-0.5e0 * %s * %s)", t, t), nil
	}
	return fmt.Sprintf("CASE WHEN %[1]s = %[2]s THEN 1e0 WHEN %[1]s <> %[2]s THEN 0e0 END", x, number(p[0])), nil
}

// rise renders the S curve from a to c. The upper branches come first: most rows that
// a query computes degrees for are there.
func rise(x string, a, c float64) string {
	left := fmt.Sprintf("((%s - %s) / %s)", x, number(a), number(c-a))
	right := fmt.Sprintf("((%s - %s) / %s)", x, number(c), number(c-a))
	return fmt.Sprintf("CASE WHEN %[1]s >= %[3]s THEN 1e0 WHEN %[1]s > %[4]s THEN 1e0 - 2e0 * %[6]s * %[6]s "+
		"WHEN %[1]s > %[2]s THEN 2e0 * %[5]s * %[5]s WHEN %[1]s <= %[2]s THEN 0e0 END",
		x, number(a), number(c), number(a+(c-a)/2), left, right)
}

// polyline has its branches in rising order of x. NULL fails them all and so answers
// NULL.
func polyline(xs, ys []float64, x string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CASE WHEN %s < %s THEN %s", x, number(xs[0]), number(ys[0]))
	last := len(xs) - 1
	for i, at := range xs[:last] {
		if xs[i+1] == at {
			if i == 0 || xs[i-1] != at {
				fmt.Fprintf(&b, " WHEN %s = %s THEN %s", x, number(at), number(stepTop(xs, ys, i)))
			}
			continue
		}
		y0, y1 := ys[i], ys[i+1]
		end := "<"
		if i+1 == last || xs[i+2] != xs[i+1] {
			end = "<="
		}
		fmt.Fprintf(&b, " WHEN %s %s %s THEN ", x, end, number(xs[i+1]))
		if y0 == y1 {
			b.WriteString(number(y0))
			continue
		}
		fmt.Fprintf(&b, "%s + %s * ((%s - %s) / %s)", number(y0), number(y1-y0), x, number(at), number(xs[i+1]-at))
	}
	fmt.Fprintf(&b, " WHEN %s >= %s THEN %s END", x, number(xs[last]), number(ys[last]))
	return b.String()
}

// stepTop is the degree at the place of point i, the first of those that share it.
func stepTop(xs, ys []float64, i int) float64 {
	y := ys[i]
	for j := i + 1; j < len(xs) && xs[j] == xs[i]; j++ {
		y = max(y, ys[j])
	}
	return y
}
