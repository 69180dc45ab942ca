package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"auspex/analyze"
	"auspex/internal/figure"
	"auspex/model"
)

// dash stands for a value that is missing.
const dash = "–"

// Seconds writes a time with the unit a person would choose.
func Seconds(r analyze.Real) string {
	v := float64(r)
	if r.IsMissing() {
		return dash
	}
	for _, unit := range []struct {
		size float64
		name string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}} {
		if math.Abs(v) >= unit.size {
			return significantDigits(v/unit.size) + " " + unit.name
		}
	}
	if v == 0 {
		return "0 s"
	}
	return significantDigits(v/1e-9) + " ns"
}

// timeUnits are the units people read times in.
var timeUnits = []struct {
	size float64
	name string
}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}

// quantities writes the values of one table. Times share a unit, the one that the
// largest of them would be written in, so that they can be read against each other.
func quantities(unit string, values []analyze.Real) func(analyze.Real) string {
	if unit != "s" {
		return func(r analyze.Real) string { return Quantity(r, unit) }
	}
	most := 0.0
	for _, v := range values {
		if !v.IsMissing() {
			most = max(most, math.Abs(float64(v)))
		}
	}
	shared := timeUnits[0]
	for _, u := range timeUnits {
		if shared = u; most >= u.size || most == 0 {
			break
		}
	}
	return func(r analyze.Real) string {
		switch {
		case r.IsMissing():
			return dash
		case r == 0:
			return "0 " + shared.name
		}
		return tableDigits(float64(r)/shared.size, most/shared.size) + " " + shared.name
	}
}

// secondsOf writes the times of a table's rows, in one unit.
func secondsOf[T any](rows []T, times func(T) []float64) func(float64) string {
	return quantitiesOf("s", rows, times)
}

// quantitiesOf is secondsOf of what is in another unit.
func quantitiesOf[T any](unit string, rows []T, values func(T) []float64) func(float64) string {
	var all []analyze.Real
	for _, r := range rows {
		for _, v := range values(r) {
			all = append(all, analyze.Real(v))
		}
	}
	write := quantities(unit, all)
	return func(v float64) string { return write(analyze.Real(v)) }
}

// rounding is the part of a table's largest number that sums are off by.
const rounding = 1e-12

// tableDigits writes a number of a table as exactly as its largest one: four
// digits of that; what would be all zeros has two digits of its own.
func tableDigits(v, most float64) string {
	digits := 3
	switch {
	case most >= 1000:
		digits = 0
	case most >= 100:
		digits = 1
	case most >= 10:
		digits = 2
	}
	if math.Abs(v) < rounding*most {
		return "0"
	}
	if math.Abs(v) < 0.5*math.Pow10(-digits) {
		return figure.Number(v, 2)
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// significantDigits writes a number with four digits that matter.
func significantDigits(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1e9:
		return strconv.FormatFloat(v, 'e', 3, 64)
	case a >= 1000:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 2, 64)
	default:
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
}

// Ratio writes a plain number such as max/mean or an efficiency.
func Ratio(r analyze.Real, digits int) string {
	if r.IsMissing() {
		return dash
	}
	if math.Abs(float64(r)) >= 1e9 {
		return significantDigits(float64(r))
	}
	return unsignedZero(strconv.FormatFloat(float64(r), 'f', digits, 64))
}

// unsignedZero leaves the sign of what is rounded to nothing out.
func unsignedZero(number string) string {
	if strings.Trim(number, "-0.") == "" {
		return strings.TrimPrefix(number, "-")
	}
	return number
}

// Percent writes a share.
func Percent(r analyze.Real) string {
	if r.IsMissing() {
		return dash
	}
	return Ratio(100*r, 1) + " %"
}

// Quantity writes a value in its metric's unit.
func Quantity(r analyze.Real, unit string) string {
	if r.IsMissing() {
		return dash
	}
	if unit == "s" {
		return Seconds(r)
	}
	v := float64(r)
	for _, step := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(v) >= step.size {
			return significantDigits(v/step.size) + " " + step.name
		}
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e9 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return significantDigits(v)
}

// Counted writes a count with its noun: 1 unit, 2 units.
func Counted(n int, noun string) string { return plural(n, noun) }

// plural writes a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	ending := "s"
	switch stem, isY := strings.CutSuffix(noun, "y"); {
	case isY:
		noun, ending = stem, "ies" // summary, query; no noun here ends in a vowel and y
	case strings.HasSuffix(noun, "s") || strings.HasSuffix(noun, "ch"):
		ending = "es"
	}
	return grouped(n) + " " + noun + ending
}

// grouped writes a count with a comma every three digits.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// bar draws a share of a width with eighths of a block.
func bar(share float64, width int) string {
	if math.IsNaN(share) {
		return ""
	}
	eighths := int(math.Round(min(max(share, 0), 1) * float64(width) * 8))
	drawn := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		const parts = "▏▎▍▌▋▊▉" // three bytes each
		drawn += parts[3*(rest-1) : 3*rest]
	}
	return drawn
}

func day(t time.Time) string { return t.Format("2006-01-02 15:04") }

func factorText(v any) string {
	switch v := v.(type) {
	case nil:
		return dash
	case float64:
		return model.NumberWord(v)
	default:
		return fmt.Sprint(v)
	}
}
