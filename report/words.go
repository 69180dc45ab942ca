package report

import (
	"fmt"
	"strconv"
	"strings"

	"auspex/analyze"
)

// Degrees become words here and nowhere else. The adverb says how far a word
// is deserved, and the degree always stands beside it.

// adverb puts a degree into words; sharp is for words at the end of a scale,
// since nothing is extremely medium.
func adverb(degree analyze.Real, sharp bool) string {
	switch {
	case degree >= 0.9 && sharp:
		return "extremely"
	case degree >= 0.9:
		return "clearly"
	case degree >= 0.75 && sharp:
		return "very"
	case degree >= 0.5:
		return "fairly"
	case degree >= 0.25:
		return "somewhat"
	default:
		return "slightly"
	}
}

// deserves says how far a word fits: "fairly high". A phrase that has its own
// adverbs is left as it is.
func deserves(word string, degree analyze.Real, sharp bool) string {
	if strings.ContainsAny(word, " (") {
		return word
	}
	return adverb(degree, sharp) + " " + plainWord(word)
}

// degreeText writes a degree beside its word.
func degreeText(degree analyze.Real) string { return "(degree " + Ratio(degree, 2) + ")" }

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

// covers says what share of the run the rows of a table take by their own time.
func (p *Page) covers(shares []analyze.Real) {
	sum := analyze.Real(0)
	for _, share := range shares {
		if share.IsMissing() {
			return
		}
		sum += share
	}
	if len(shares) > 1 {
		p.Line("These %d take %s of the run.", len(shares), Percent(sum))
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
func shortest(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }
