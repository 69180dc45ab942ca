package report

import (
	"fmt"

	"auspex/analyze"
)

// ExperimentSimilarity writes Figure 6 and Tables 1 and 2 of Soft performance
// analysis: regions and factors of experiments against a base.
func (p *Page) ExperimentSimilarity(e *analyze.ExperimentSimilarity, top int) {
	for _, words := range FindingsWords(e) {
		p.Paragraph(words)
	}
	if len(e.Findings) == 0 {
		p.Paragraph(fmt.Sprintf("Against %s, %s", e.Base, programWords(e)))
	}
	p.notes(e.Warnings)
	columns := []column{region("")}
	for _, name := range e.Experiments {
		columns = append(columns, words(name))
	}
	if len(e.FactorInfo) > 0 {
		p.factorTable(e)
		p.Heading("Similarity of factors to " + e.Base)
		var rows [][]string
		for _, f := range e.FactorInfo {
			rows = append(rows, heatRow(f.Name, e.Factors[f.Name]))
		}
		p.table(columns, rows)
	}
	v := "the largest value compared"
	if e.PaperBase {
		v = "the base's value"
	}
	p.Heading(fmt.Sprintf("Similarity of performance to %s (%s, %s over units, scored against %s)", e.Base, metricsText(e.Metrics), e.Over, v))
	shown := e.Regions[:min(top, len(e.Regions))]
	rows := [][]string{heatRow("whole program", e.Program)}
	for _, r := range shown {
		rows = append(rows, heatRow(r.Region, r.Similarity))
	}
	p.table(columns, rows)
	p.more(len(shown), len(e.Regions), "region")
}

func heatRow(name string, similarity []analyze.Real) []string {
	row := []string{name}
	for _, s := range similarity {
		row = append(row, heat(s))
	}
	return row
}

// factorTable writes the values of the factors and their sets.
func (p *Page) factorTable(e *analyze.ExperimentSimilarity) {
	columns := []column{words("factor"), words("set"), words("category")}
	for _, name := range e.Experiments {
		columns = append(columns, number(name))
	}
	var rows [][]string
	for _, f := range e.FactorInfo {
		row := []string{f.Name, f.Set, f.Category}
		for _, v := range f.Values {
			row = append(row, factorText(v))
		}
		rows = append(rows, row)
	}
	p.Heading("Factors")
	p.table(columns, rows)
}

// FindingsWords says what each factor does to performance. Where many
// comparisons come to the same, one sentence stands for them.
func FindingsWords(e *analyze.ExperimentSimilarity) []string {
	const each = 3
	type verdict struct {
		factor, region string
		sensitive      bool
	}
	same := map[verdict][]analyze.SensitivityToward{}
	var order []verdict
	for _, f := range e.Findings {
		v := verdict{f.Factor, f.Region, f.Sensitive}
		if same[v] == nil {
			order = append(order, v)
		}
		same[v] = append(same[v], f)
	}
	metric := metricNames(e.Metrics)
	var sentences []string
	for _, v := range order {
		if len(same[v]) <= each {
			for _, f := range same[v] {
				sentences = append(sentences, findingWords(f, metric, ""))
			}
			continue
		}
		worst := same[v][0]
		for _, f := range same[v] {
			if !(f.Performance >= worst.Performance) {
				worst = f
			}
		}
		sentences = append(sentences, findingWords(worst, metric, fmt.Sprintf("In %d comparisons, at most with ", len(same[v]))))
	}
	return sentences
}

// findingWords says what one factor does to performance while others stay.
func findingWords(f analyze.SensitivityToward, metric, lead string) string {
	what := f.Category
	if what == "" {
		what = f.Factor
	}
	subject := metric
	if f.Region != "" {
		subject = metric + " of " + f.Region
	}
	joint, verdict := "yet", what+" hardly matters here"
	switch {
	case f.Sensitive && f.FactorSimilarity >= 0.85:
		joint, verdict = "but", "it is very sensitive to "+f.Factor
	case f.Sensitive:
		joint, verdict = "and", "it is sensitive to "+f.Factor
	}
	if !f.Sensitive && !f.Same.IsMissing() && f.Performance < 0.85 {
		joint, verdict = "and", fmt.Sprintf("but those with the same %s are no more alike (%s), so it need not be the reason", f.Factor, similarityText(f.Same))
	}
	if len(f.Uncontrolled) > 0 {
		verdict += fmt.Sprintf("; %s, which is not under control, differed too", listed(f.Uncontrolled))
	}
	if lead == "" {
		lead = "With "
	}
	if f.Others != "" {
		lead += f.Others + ", "
	} else {
		lead = ""
	}
	return fmt.Sprintf("%s%s %s (%s) %s %s is %s (%s): %s.", lead, f.Factor, differWords(f.FactorSimilarity), similarityText(f.FactorSimilarity),
		joint, subject, plainWord(f.Word), similarityText(f.Performance), verdict)
}

// similarityText keeps a third digit where two would hide a difference.
func similarityText(s analyze.Real) string {
	if s > 0.9 {
		return Ratio(s, 3)
	}
	return Ratio(s, 2)
}

func differWords(s analyze.Real) string {
	switch {
	case s < 0.5:
		return "differs strongly"
	case s < 0.85:
		return "differs"
	}
	return "differs slightly"
}

func programWords(e *analyze.ExperimentSimilarity) string {
	least := 0
	for i, s := range e.Program {
		if s < e.Program[least] {
			least = i
		}
	}
	if e.Program[least] >= alike {
		return fmt.Sprintf("all experiments perform alike: the least alike has a similarity of %s.", Ratio(e.Program[least], 3))
	}
	return fmt.Sprintf("%s is least alike in %s of the whole program (%s).", e.Experiments[least], metricsText(e.Metrics), Ratio(e.Program[least], 3))
}
