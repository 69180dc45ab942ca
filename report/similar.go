package report

import (
	"fmt"
	"slices"
	"strings"

	"auspex/analyze"
)

// UnitSimilarity writes how alike the units are in one region.
func (p *Page) UnitSimilarity(u *analyze.UnitSimilarity, top int) {
	p.Paragraph(UnitSimilarityWords(u))
	p.notes(u.Warnings)
	if len(u.Rows) == 0 {
		return
	}
	columns := []column{number("unit"), words("similarity")}
	for _, m := range u.Metrics {
		columns = append(columns, number(m.Metric))
	}
	columns = append(columns, words(""))
	shown := u.Rows[:min(top, len(u.Rows))]
	var rows [][]string
	for _, r := range shown {
		row := []string{fmt.Sprint(r.Unit), heat(r.Similarity)}
		for _, v := range r.Values {
			row = append(row, value(v))
		}
		odd := ""
		if r.Odd {
			odd = "odd"
		}
		rows = append(rows, append(row, odd))
	}
	p.Heading(fmt.Sprintf("Units against the typical one in %s", u.Region))
	p.table(columns, rows)
	p.more(len(shown), len(u.Rows), "unit")
	const readable = 16
	if n := len(u.Matrix); n > 1 && n <= readable {
		p.Heading("Units against each other")
		p.matrix(unitNames(u.Units), u.Matrix)
	}
}

// alike is the similarity from which things are called alike, whatever the others
// are.
const alike = 0.95

// UnitSimilarityWords names the odd ones out.
func UnitSimilarityWords(u *analyze.UnitSimilarity) string {
	metrics := metricNames(u.Metrics)
	known := slices.IndexFunc(u.Rows, func(r analyze.UnitLike) bool { return r.Similarity.IsMissing() }) // they come last
	if known < 0 {
		known = len(u.Rows)
	}
	switch {
	case len(u.Rows) == 0:
		return fmt.Sprintf("No unit entered %s.", pathText(u.Region))
	case len(u.Rows) == 1:
		return fmt.Sprintf("Only unit %v entered %s: there is nothing to compare it with.", u.Rows[0].Unit, pathText(u.Region))
	case known == 0:
		return fmt.Sprintf("None of the %s can be compared in %s of %s.", plural(len(u.Rows), "unit"), metrics, pathText(u.Region))
	case known == 1:
		return fmt.Sprintf("Only unit %v can be compared in %s of %s: there is nothing to compare it with.", u.Rows[0].Unit, metrics, pathText(u.Region))
	case len(u.Odd) == 0 && u.Rows[0].Similarity < alike:
		return fmt.Sprintf("The %s differ in %s of %s, none much more than the others: the least typical has a similarity of %s.",
			plural(known, "unit"), metrics, pathText(u.Region), Ratio(u.Rows[0].Similarity, 3))
	case len(u.Odd) == 0:
		return fmt.Sprintf("All %s are alike in %s of %s: the least typical has a similarity of %s.",
			plural(known, "unit"), metrics, pathText(u.Region), Ratio(u.Rows[0].Similarity, 3))
	}
	verb := "differ"
	if len(u.Odd) == 1 {
		verb = "differs"
	}
	return fmt.Sprintf("%s of %s %s from the typical one in %s of %s: %s (the farthest has a similarity of %s).",
		plural(len(u.Odd), "unit"), grouped(known), verb, metrics, pathText(u.Region), someOf(unitNames(u.Odd), 12), Ratio(u.Rows[0].Similarity, 3))
}

func unitNames(units []any) []string {
	var names []string
	for _, u := range units {
		names = append(names, fmt.Sprint(u))
	}
	return names
}

// someOf lists the first of many.
func someOf(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
}

// RegionSimilarity writes how alike regions of one experiment are.
func (p *Page) RegionSimilarity(r *analyze.RegionSimilarity) {
	p.Paragraph(RegionSimilarityWords(r))
	p.notes(r.Warnings)
	columns := []column{number(""), region("region")}
	for _, m := range r.Metrics {
		columns = append(columns, number(m.Metric))
	}
	var rows [][]string
	var letters []string
	for i, name := range r.Regions {
		letters = append(letters, fmt.Sprintf("%d", i+1))
		row := []string{letters[i], name}
		for _, v := range r.Values[i] {
			row = append(row, value(v))
		}
		rows = append(rows, row)
	}
	p.Heading("Regions of " + r.Experiment)
	p.table(columns, rows)
	p.Heading("Similarity")
	p.matrix(letters, r.Matrix)
}

// sentenceName is how long a name may be inside a sentence; tables have it whole.
const sentenceName = 72

// RegionSimilarityWords names the most and the least alike pair.
func RegionSimilarityWords(r *analyze.RegionSimilarity) string {
	var nearest, apart [2]int
	most, least := analyze.Real(-1), analyze.Real(2)
	for i := range r.Matrix {
		for j := range i {
			if s := r.Matrix[i][j]; s > most {
				most, nearest = s, [2]int{j, i}
			}
			if s := r.Matrix[i][j]; s < least {
				least, apart = s, [2]int{j, i}
			}
		}
	}
	if most < 0 {
		return "Nothing could be compared."
	}
	first, second := elide(r.Regions[nearest[0]], sentenceName), elide(r.Regions[nearest[1]], sentenceName)
	switch {
	case len(r.Regions) == 2:
		return fmt.Sprintf("%s and %s have a similarity of %s.", first, second, Ratio(most, 3))
	case most == least:
		return fmt.Sprintf("All pairs that can be compared have the same similarity, %s.", Ratio(most, 3))
	}
	return fmt.Sprintf("Most alike are %s and %s (%s), least alike %s and %s (%s).", first, second, Ratio(most, 3),
		elide(r.Regions[apart[0]], sentenceName), elide(r.Regions[apart[1]], sentenceName), Ratio(least, 3))
}

// matrix writes similarities of all with all.
func (p *Page) matrix(names []string, m [][]analyze.Real) {
	columns := []column{number("")}
	for _, name := range names {
		columns = append(columns, number(name))
	}
	var rows [][]string
	for i, name := range names {
		row := []string{name}
		for _, s := range m[i] {
			row = append(row, Ratio(s, 2))
		}
		rows = append(rows, row)
	}
	p.table(columns, rows)
}

// heat writes a similarity with a block that is the fuller the larger it is.
func heat(s analyze.Real) string {
	if s.IsMissing() {
		return dash
	}
	blocks := []rune(" ▁▂▃▄▅▆▇█")
	return Ratio(s, 3) + " " + string(blocks[int(min(max(float64(s), 0), 1)*8+0.5)])
}
