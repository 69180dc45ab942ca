package report

import (
	"fmt"

	"auspex/analyze"
)

// Classification writes how far regions deserve the words of a metric, in the
// form of Figure 2 of Soft performance analysis: a bar for every word.
func (p *Page) Classification(c *analyze.Classification, top int) {
	p.Paragraph(ClassificationWords(c))
	p.notes(c.Warnings)
	shown := c.Rows[:min(top, len(c.Rows))]
	columns := []column{region("region")}
	if c.Across == analyze.AcrossEach {
		columns = append(columns, number("unit"))
	}
	columns = append(columns, number(c.Quantity))
	for _, t := range c.Terms {
		columns = append(columns, words(t))
	}
	var rows [][]string
	for _, r := range shown {
		row := []string{r.Region}
		if c.Across == analyze.AcrossEach {
			row = append(row, fmt.Sprint(r.Unit))
		}
		row = append(row, value(r.Value))
		for _, degree := range r.Terms.Of {
			row = append(row, degreeCell(degree))
		}
		rows = append(rows, row)
	}
	p.Heading(fmt.Sprintf("Membership of %s (%s)", c.Experiment, acrossWords(c)))
	p.table(columns, rows)
	p.more(len(shown), len(c.Rows), "row")
	p.covers(sharesOf(shown, func(r analyze.Classified) analyze.Real { return r.Share }), "the run")
}

func acrossWords(c *analyze.Classification) string {
	switch c.Across {
	case analyze.AcrossMax:
		return "the unit with the most"
	case analyze.AcrossEach:
		return "each unit by itself"
	}
	return "over all units"
}

// ClassificationWords says of the regions with the largest values which word
// fits them best.
func ClassificationWords(c *analyze.Classification) string {
	const sentences = 3
	var parts []string
	for _, r := range c.Rows {
		word, degree := r.Terms.Best()
		if word == "" || len(parts) == sentences {
			break
		}
		sharp := word == c.Terms[0] || word == c.Terms[len(c.Terms)-1]
		metric := ""
		if len(parts) == 0 {
			metric = c.Metric
		}
		parts = append(parts, fmt.Sprintf("%s is %s", spoken(r.Region, r.Unit), deserves(word, metric, degree, sharp)))
	}
	if len(parts) == 0 {
		return fmt.Sprintf("No region of %s deserves any of these words for %s.", c.Experiment, c.Metric)
	}
	return listed(parts) + "."
}
