package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"auspex/analyze"
)

// Scores writes performance scores and their aggregate.
func (p *Page) Scores(s *analyze.Scores, top int) {
	p.Paragraph(meaningWords(s.Meaning, s.Base, s.By, s.Metrics))
	p.notes(s.Warnings)
	columns := []column{region(string(s.By)), number("aggregate"), words("")}
	for _, m := range s.Metrics {
		columns = append(columns, number(m.Metric), number("score"))
	}
	shown := s.Rows[:min(top, len(s.Rows))]
	var rows [][]string
	for _, r := range shown {
		row := []string{rowName(r.Region, r.Unit), Ratio(r.Aggregate, 3), bar(float64(r.Aggregate), 10)}
		for k := range s.Metrics {
			row = append(row, value(r.Values[k]), Ratio(r.Scores[k], 3))
		}
		rows = append(rows, row)
	}
	p.Heading(fmt.Sprintf("Scores of %s (%s%s)", s.Experiment, metricsText(s.Metrics), foldedText(s.By, s.Folded)))
	p.table(columns, rows)
	p.more(len(shown), len(s.Rows), string(s.By))
	p.covers(sharesOf(shown, func(r analyze.Scored) analyze.Real { return r.Share }), "the run")
}

// Ranking writes the order and what put each row where it is.
func (p *Page) Ranking(r *analyze.Ranking, top int) {
	p.Paragraph(RankingWords(r))
	p.notes(r.Warnings)
	shown := r.Rows[:min(top, len(r.Rows))]
	var rows [][]string
	for _, row := range shown {
		rows = append(rows, []string{strconv.Itoa(row.Rank), rowName(row.Region, row.Unit), Ratio(row.Aggregate, 3), bar(float64(row.Aggregate), 10), becauseText(row)})
	}
	p.Heading(fmt.Sprintf("Ranking of %s (%s%s)", r.Experiment, metricsText(r.Metrics), foldedText(r.By, r.Folded)))
	p.table([]column{number("rank"), region(string(r.By)), number("aggregate"), words(""), words("because of")}, rows)
	p.more(len(shown), len(r.Rows), string(r.By))
	p.covers(sharesOf(shown, func(r analyze.Ranked) analyze.Real { return r.Share }), "the run")
}

// RankingWords says what comes first and why.
func RankingWords(r *analyze.Ranking) string {
	text := meaningWords(r.Meaning, r.Base, r.By, r.Metrics)
	if len(r.Rows) == 0 {
		return text + " Nothing could be scored."
	}
	first := r.Rows[0]
	if first.Aggregate == 0 {
		return text + " All scores are 0: nothing comes first."
	}
	var tied []string
	for _, row := range r.Rows {
		if row.Rank == first.Rank {
			tied = append(tied, spoken(row.Region, row.Unit))
		}
	}
	if len(tied) > 1 {
		text += fmt.Sprintf(" %s share the first rank with an aggregate score of %s: %s", plural(len(tied), string(r.By)), Ratio(first.Aggregate, 3), someOf(tied, 4))
	} else {
		text += fmt.Sprintf(" First comes %s with an aggregate score of %s", tied[0], Ratio(first.Aggregate, 3))
	}
	if len(tied) == 1 && len(first.Because) > 1 && !first.Because[0].Share.IsMissing() {
		text += fmt.Sprintf(", %s of it from %s", Percent(first.Because[0].Share), first.Because[0].Metric)
	}
	text += "."
	const sentences = 3
	lead := " By the words of the vocabulary, which rate values and not scores, "
	for _, row := range r.Rows[:min(sentences, len(r.Rows))] {
		if said := rankedWords(row); said != "" {
			text += lead + said
			lead = " "
		}
	}
	return text
}

// rankedWords says what words a row deserves by its metrics.
func rankedWords(r analyze.Ranked) string {
	var parts []string
	for _, b := range r.Because {
		if b.Word != "" {
			parts = append(parts, deserves(b.Word, b.Metric, b.Degree, b.Sharp))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s is %s.", spoken(r.Region, r.Unit), listed(parts))
}

func meaningWords(m analyze.Meaning, base string, by analyze.By, metrics []analyze.ScoreMetric) string {
	own := 0 // shapes with numbers, which need no base
	for _, metric := range metrics {
		if strings.Contains(metric.Shape, "(") {
			own++
		}
	}
	against := "the value in " + base
	switch {
	case base == "parent":
		against = "the parent region's value"
	case base == "program" && by != analyze.ByRegion:
		against = "the largest unit's value"
	case base == "program":
		against = "the whole program's value, or the largest region's where that is more, as of a ratio"
	}
	text := "A high score means a large impact."
	switch m {
	case analyze.Quality:
		text = "A high score is good."
	case analyze.Severity:
		text = "A high score is a severe problem."
	}
	switch own {
	case 0:
		return text + " 1 stands for " + against + "."
	case len(metrics):
		return text
	}
	return text + " Of metrics without numbers of their own, 1 stands for " + against + "."
}

func metricsText(metrics []analyze.ScoreMetric) string {
	var parts []string
	for _, m := range metrics {
		text := m.Metric
		if m.Shape != "linear" {
			text += "@" + m.Shape
		}
		if len(metrics) > 1 {
			text += ":" + factorText(m.Weight)
		}
		parts = append(parts, text)
	}
	return listed(parts)
}

// foldedText says what the values of a row are sums or means over.
func foldedText(by analyze.By, folded []analyze.Folding) string {
	of := "units"
	switch by {
	case analyze.ByRegion:
	case analyze.ByUnit:
		of = "regions"
	default:
		return ""
	}
	how := analyze.FoldedAll
	if len(folded) > 0 && !slices.ContainsFunc(folded, func(f analyze.Folding) bool { return f != folded[0] }) {
		how = folded[0]
	}
	if how == analyze.FoldedAll {
		return "; over all " + of
	}
	return fmt.Sprintf("; %s over %s", how, of)
}

func metricNames(metrics []analyze.ScoreMetric) string {
	var names []string
	for _, m := range metrics {
		names = append(names, m.Metric)
	}
	return listed(names)
}

func becauseText(r analyze.Ranked) string {
	var parts []string
	for _, b := range r.Because {
		if b.Score > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", b.Metric, Ratio(b.Score, 3)))
		}
	}
	return listed(parts)
}

// rowName names a row by its region or unit.
func rowName(region string, unit any) string {
	switch {
	case unit == nil:
		return region
	case region == "":
		return fmt.Sprint(unit)
	}
	return spoken(region, unit)
}
