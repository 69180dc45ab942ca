package web

import (
	"auspex/analyze"
	"auspex/analyze/diagnose"
	"auspex/report"
	"auspex/view"
)

// What a page can show is bounded; a profile of a few hundred kilobytes can
// have a hundred thousand call paths. Every answer that is cut says how many
// rows there are, and the command of the same question prints them all.
const (
	// shownRows is how many rows an answer has that nobody limited.
	shownRows = 500
	// shownRegions is how many regions of a tree are told at once.
	shownRegions = 5000
)

// first cuts a list to its first rows, and tells how long it was.
func first[Row any](rows []Row, most int) ([]Row, int) {
	return rows[:min(most, len(rows))], len(rows)
}

// classification is one whose rows may have been cut.
type classification struct {
	*analyze.Classification
	Words string `json:"words"`
	Total int    `json:"total"`
}

func cutClassification(c *analyze.Classification, most int) (cut classification) {
	cut.Classification, cut.Words = c, report.ClassificationWords(c)
	c.Rows, cut.Total = first(c.Rows, most)
	return cut
}

// bottlenecks are those whose rows and dots may have been cut.
type bottlenecks struct {
	*view.DrawnBottlenecks
	Words string `json:"words"`
	Total int    `json:"total"`
	Over  int    `json:"over"` // rows that pass the threshold
}

func cutBottlenecks(b *view.DrawnBottlenecks, most int) (cut bottlenecks) {
	cut.DrawnBottlenecks, cut.Words = b, report.BottleneckWords(b.Bottlenecks)
	for _, row := range b.Rows {
		if row.Crisp {
			cut.Over++
		}
	}
	b.Values, _ = first(b.Values, most)
	b.Rows, cut.Total = first(b.Rows, most)
	return cut
}

// comparison is one whose regions may have been cut.
type comparison struct {
	*analyze.Comparison
	Words string `json:"words"` // as the terminal has it
	Total int    `json:"total"`
}

func cutComparison(c *analyze.Comparison, most int) (cut comparison) {
	cut.Comparison, cut.Words = c, report.ComparisonWords(c)
	c.Regions, cut.Total = first(c.Regions, most)
	return cut
}

// diagnosis is one whose lists of regions may have been cut.
type diagnosis struct {
	*diagnose.Diagnosis
	Total int `json:"total"` // of the regions that are costly in all units
}

func cutDiagnosis(d *diagnose.Diagnosis, most int) (cut diagnosis) {
	cut.Diagnosis = d
	d.Internal.Regions, cut.Total = first(d.Internal.Regions, most)
	d.Internal.CCCR, _ = first(d.Internal.CCCR, most)
	return cut
}
