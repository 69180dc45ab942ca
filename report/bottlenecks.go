package report

import (
	"fmt"

	"auspex/analyze"
)

// Bottlenecks writes what passes a threshold or comes close to it.
func (p *Page) Bottlenecks(b *analyze.Bottlenecks, top int) {
	p.Paragraph(BottleneckWords(b))
	p.notes(b.Warnings)
	if len(b.Rows) == 0 {
		return
	}
	columns := []column{region("region"), number(b.Metric), words("bottleneck")}
	for _, s := range b.Severity {
		columns = append(columns, words(s.Name))
	}
	if b.Negligible != "" {
		columns = append(columns, words("negligible"))
	}
	shown := b.Rows[:min(top, len(b.Rows))]
	var rows [][]string
	for _, r := range shown {
		row := []string{rowName(r.Region, r.Unit), value(r.Value), yesNo(r.Crisp)}
		for i := range b.Severity {
			cell := ""
			if r.Crisp {
				cell = degreeCell(r.Severity.Of[i])
			}
			row = append(row, cell)
		}
		if b.Negligible != "" {
			row = append(row, degreeCell(r.Negligible))
		}
		rows = append(rows, row)
	}
	by := analyze.ByRegion
	if b.Rows[0].Unit != nil {
		by = analyze.BySummary
	}
	summed := foldedText(by, []analyze.Folding{b.Folded})
	p.Heading(fmt.Sprintf("Bottlenecks of %s (%s above %g%s)", b.Experiment, b.Metric, b.Threshold, summed))
	p.table(columns, rows)
	p.more(len(shown), len(b.Rows), "row")
	p.covers(sharesOf(shown, func(r analyze.Bottleneck) analyze.Real { return r.Share }), "the run")
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// BottleneckWords says what is a bottleneck, how severe the first ones are and
// what the threshold just missed.
func BottleneckWords(b *analyze.Bottlenecks) string {
	const sentences = 3
	crisp, said := 0, ""
	for _, r := range b.Rows {
		if !r.Crisp {
			continue
		}
		if crisp++; crisp <= sentences {
			said += " " + severityWords(b, r)
		}
	}
	text := fmt.Sprintf("%s: %s above %g.", plural(crisp, "bottleneck"), b.Metric, b.Threshold)
	if crisp == 0 {
		text = fmt.Sprintf("No bottleneck: %s is nowhere above %g.", b.Metric, b.Threshold)
	}
	text += said
	for _, r := range b.Rows {
		if !r.Crisp {
			where := "just below"
			if float64(r.Value) == b.Threshold {
				where = "at"
			}
			text += fmt.Sprintf(" %s at %s is %s the threshold: negligible %s.", spoken(r.Region, r.Unit), value(r.Value), where, degreeText(r.Negligible))
			break
		}
	}
	return text
}

func severityWords(b *analyze.Bottlenecks, r analyze.Bottleneck) string {
	var parts []string
	for i, s := range b.Severity {
		degree := r.Severity.Of[i]
		if degree >= leastDegree {
			sharp := i == 0 || i == len(b.Severity)-1
			parts = append(parts, deserves(s.Name, "", degree, sharp))
		}
	}
	if len(parts) == 0 {
		return fmt.Sprintf("%s at %s is hardly severe.", spoken(r.Region, r.Unit), value(r.Value))
	}
	return fmt.Sprintf("%s at %s is %s.", spoken(r.Region, r.Unit), value(r.Value), listed(parts))
}
