package report

import (
	"fmt"

	"auspex/analyze"
)

// Answer writes what a query found, best first.
func (p *Page) Answer(a *analyze.Answer, top int) {
	p.Paragraph(AnswerWords(a))
	p.notes(a.Warnings)
	if len(a.Rows) == 0 {
		return
	}
	regions, units := false, false
	for _, r := range a.Rows {
		regions, units = regions || r.Region != nil, units || r.Unit != nil
	}
	var columns []column
	if a.Experiments > 1 {
		columns = append(columns, words("experiment"))
	}
	if regions {
		columns = append(columns, region("region"))
	}
	if units {
		columns = append(columns, number("unit"))
	}
	columns = append(columns, words("degree"))
	for _, m := range a.Metrics {
		columns = append(columns, number(m))
	}
	shown := a.Rows[:min(top, len(a.Rows))]
	var rows [][]string
	for _, r := range shown {
		var row []string
		if a.Experiments > 1 {
			row = append(row, r.Experiment)
		}
		if regions {
			row = append(row, optional(r.Region))
		}
		if units {
			row = append(row, fmt.Sprint(r.Unit))
		}
		row = append(row, degreeCell(r.Degree))
		for _, m := range a.Metrics {
			row = append(row, value(r.Metrics[m]))
		}
		rows = append(rows, row)
	}
	p.Line("")
	p.table(columns, rows)
	p.more(len(shown), len(a.Rows), "row")
	p.covers(sharesOf(shown, func(r analyze.Answered) analyze.Real { return r.Share }), "the run")
}

func optional(s *string) string {
	if s == nil {
		return dash
	}
	return *s
}

// AnswerWords says how much was found and how well the best fits.
func AnswerWords(a *analyze.Answer) string {
	if len(a.Rows) == 0 {
		return "Nothing fits: " + a.Query + "."
	}
	fitting, best, equals := 0, a.Rows[0], 0
	for _, r := range a.Rows {
		if r.Degree >= fits {
			fitting++
		}
		switch {
		case r.Degree > best.Degree:
			best, equals = r, 1
		case r.Degree == best.Degree:
			equals++
		}
	}
	where := ""
	if best.Region != nil {
		where = *best.Region
	}
	where = spoken(where, best.Unit)
	if a.Experiments > 1 {
		where += " of " + best.Experiment
	}
	how := fitWords(best.Degree) + " " + degreeText(best.Degree)
	switch {
	case a.Limited && len(a.Rows) == 1:
		return fmt.Sprintf("LIMIT leaves 1 row: %s, which fits %s.", where, how)
	case equals > 1:
		return fmt.Sprintf("%s %s and %s fit best, %s.", countWords(a, fitting), where, plural(equals-1, "other"), how)
	}
	return fmt.Sprintf("%s %s fits best, %s.", countWords(a, fitting), where, how)
}

// countWords says how many rows fit well: of all there are, or of those that
// the query's LIMIT leaves.
func countWords(a *analyze.Answer, fitting int) string {
	degree := fmt.Sprintf("to a degree of %g or more", fits)
	less := len(a.Rows) - fitting
	switch {
	case a.Limited && less == 0:
		return fmt.Sprintf("LIMIT leaves %s, which all fit %s; of these,", plural(len(a.Rows), "row"), degree)
	case a.Limited:
		verb := "fit"
		if fitting == 1 {
			verb = "fits"
		}
		return fmt.Sprintf("LIMIT leaves %s, %d of which %s %s; of these,", plural(len(a.Rows), "row"), fitting, verb, degree)
	case fitting == 0:
		return fmt.Sprintf("No row fits %s; %s less.", degree, fitVerb(less, "row"))
	case less == 0:
		return fmt.Sprintf("%s %s.", fitVerb(fitting, "row"), degree)
	}
	return fmt.Sprintf("%s %s, %d less.", fitVerb(fitting, "row"), degree, less)
}

// fitVerb counts what fits: "1 row fits".
func fitVerb(n int, noun string) string {
	if n == 1 {
		return plural(n, noun) + " fits"
	}
	return plural(n, noun) + " fit"
}

// fitWords says how well a row fits a condition.
func fitWords(degree analyze.Real) string {
	switch {
	case degree >= 0.9:
		return "fully"
	case degree >= 0.5:
		return "fairly well"
	case degree >= 0.25:
		return "in part"
	}
	return "only slightly"
}
