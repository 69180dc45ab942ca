// Package figure writes numbers as they stand in a sentence: without exponents, and
// times in the unit that a person would choose.
package figure

import (
	"math"
	"strconv"
)

// Seconds writes a time with so many digits that count: 1.52 s, 18.2 µs.
func Seconds(s float64, digits int) string {
	switch a := math.Abs(s); {
	case a >= 0.1 || a == 0 || math.IsNaN(a):
		return Number(s, digits) + " s"
	case a >= 1e-4:
		return Number(s*1e3, digits) + " ms"
	case a >= 1e-7:
		return Number(s*1e6, digits) + " µs"
	}
	return Number(s*1e9, digits) + " ns"
}

// Number writes a number with so many digits that count, and all of those before the
// point: 1,234 with three is 1230.
func Number(v float64, digits int) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		rounded = v // beside the largest of all numbers
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
