package report

import (
	"fmt"
	"strconv"

	"auspex/analyze"
)

// Scores writes performance scores and their aggregate.
func (p *Page) Scores(s *analyze.Scores, top int) {
	p.Paragraph(meaningWords(s.Meaning, s.Base, s.By))
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
	p.Heading(fmt.Sprintf("Scores of %s (%s%s)", s.Experiment, metricsText(s.Metrics), summedText(s.By)))
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
	p.Heading(fmt.Sprintf("Ranking of %s (%s%s)", r.Experiment, metricsText(r.Metrics), summedText(r.By)))
	p.table([]column{number("rank"), region(string(r.By)), number("aggregate"), words(""), words("because of")}, rows)
	p.more(len(shown), len(r.Rows), string(r.By))
	p.covers(sharesOf(shown, func(r analyze.Ranked) analyze.Real { return r.Share }), "the run")
}

// RankingWords says what comes first and why.
func RankingWords(r *analyze.Ranking) string {
	text := meaningWords(r.Meaning, r.Base, r.By)
	if len(r.Rows) == 0 {
		return text + " Nothing could be scored."
	}
	first := r.Rows[0]
	text += fmt.Sprintf(" First comes %s with an aggregate score of %s", spoken(first.Region, first.Unit), Ratio(first.Aggregate, 3))
	if len(first.Because) > 1 && !first.Because[0].Share.IsMissing() {
		text += fmt.Sprintf(", %s of it from %s", Percent(first.Because[0].Share), first.Because[0].Metric)
	}
	text += "."
	const sentences = 3
	for _, row := range r.Rows[:min(sentences, len(r.Rows))] {
		if said := rankedWords(row); said != "" {
			text += " " + said
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

func meaningWords(m analyze.Meaning, base string, by analyze.By) string {
	against := "the value in " + base
	switch {
	case base == "parent":
		against = "the parent region's value"
	case base == "program" && by != analyze.ByRegion:
		against = "the largest unit's value"
	case base == "program":
		against = "the whole program's value, or the largest region's where that is more, as of a ratio"
	}
	switch m {
	case analyze.Quality:
		return "A high score is good. 1 stands for " + against + "."
	case analyze.Severity:
		return "A high score is a severe problem. 1 stands for " + against + "."
	}
	return "A high score means a large impact. 1 stands for " + against + "."
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

// summedText says what the values of a row are sums over.
func summedText(by analyze.By) string {
	switch by {
	case analyze.ByRegion:
		return "; summed over units"
	case analyze.ByUnit:
		return "; summed over regions"
	}
	return ""
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
