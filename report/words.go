package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"auspex/analyze"
	"auspex/fuzzy"
	"auspex/internal/figure"
)

// Degrees become words here and nowhere else. A word may carry a modifier of the
// language; then the degree beside it is that of the modified word, so that asking
// for it (`wtime is very high`) gives the same number.

// strengths are the modifiers that a term at the end of a scale may carry, the
// strongest first; nothing is extremely medium.
var strengths = []fuzzy.Modifier{fuzzy.Extremely, fuzzy.Very}

// fits is the degree from which a word is said of something.
const fits = 0.5

// deserves says how far a word fits, perhaps in a metric, with the degree: "very
// high in wtime (degree 0.81)". The strongest modifier is taken with which the
// word still fits; a word that hardly fits is said to. A phrase that has its own
// words is left as it is.
func deserves(word, metric string, degree analyze.Real, sharp bool) string {
	said, shown := plainWord(word), degree
	switch {
	case strings.ContainsAny(word, " ("):
	case degree < fits/2:
		said = "hardly " + said
	case degree < fits:
		said = "partly " + said
	case sharp:
		for _, m := range strengths {
			power, _ := m.Power()
			if y := analyze.Real(math.Pow(float64(degree), power)); y >= fits {
				said, shown = string(m)+" "+said, y
				break
			}
		}
	}
	if metric != "" {
		said += " in " + metric
	}
	return said + " " + degreeText(shown)
}

// degreeText writes a degree beside its word.
func degreeText(degree analyze.Real) string { return "(" + degreeSaid(degree) + ")" }

// leastDegree is the least degree that two digits tell from none.
const leastDegree = 0.005

// degreeSaid writes a degree: what is more than nothing is not written as 0.00.
func degreeSaid(degree analyze.Real) string {
	if degree > 0 && degree < leastDegree {
		return "degree below 0.01"
	}
	return "degree " + Ratio(degree, 2)
}

// plainWord writes a term as it is spoken: nearly_the_same.
func plainWord(term string) string { return strings.ReplaceAll(term, "_", " ") }

// listed joins parts as people do: a, b and c.
func listed(parts []string) string {
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return parts[0]
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// value writes a number whose unit is not known.
func value(r analyze.Real) string {
	if v := float64(r); v != 0 && v < 0.001 && v > -0.001 {
		return shortest(v)
	}
	return Quantity(r, "")
}

// spoken names a region or unit in a sentence.
func spoken(region string, unit any) string {
	switch {
	case unit == nil:
		return region
	case region == "":
		return fmt.Sprintf("unit %v", unit)
	}
	return fmt.Sprintf("%s in unit %v", region, unit)
}

// notes writes what a result has to add.
func (p *Page) notes(warnings []string) {
	for _, w := range warnings {
		p.Paragraph("note: " + w)
	}
}

// more says what a table left out.
func (p *Page) more(shown, all int, noun string) {
	if all > shown {
		p.Line("… and %s more; --top shows them", plural(all-shown, noun))
	}
}

// covers says what share of a run the rows of a table take by their own time.
func (p *Page) covers(shares []analyze.Real, run string) {
	sum := analyze.Real(0)
	for _, share := range shares {
		if share.IsMissing() {
			return
		}
		sum += share
	}
	if len(shares) > 1 {
		p.Line("These %d take %s of %s.", len(shares), Percent(sum), run)
	}
}

// sharesOf picks the shares of a table's rows.
func sharesOf[T any](rows []T, share func(T) analyze.Real) []analyze.Real {
	var shares []analyze.Real
	for _, r := range rows {
		shares = append(shares, share(r))
	}
	return shares
}

// degreeCell draws a degree with its number.
func degreeCell(degree analyze.Real) string {
	if degree.IsMissing() {
		return dash
	}
	return strings.TrimRight(Ratio(degree, 2)+" "+bar(float64(degree), 8), " ")
}

// shortest writes a small number with three digits.
func shortest(v float64) string {
	if math.Abs(v) >= 999.5 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return figure.Number(v, 3)
}
