package report

import (
	"fmt"
	"strconv"

	"auspex/training"
)

// Stragglers writes which rank the others wait for, and what each rank did.
func (p *Page) Stragglers(r *training.Result, top int) {
	p.Paragraph(r.Words)
	p.notes(r.Notes)
	cell := func(v *float64, format string, scale float64) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprintf(format, *v*scale)
	}
	columns := []column{number("rank"), number("slowdown")}
	timed := len(r.Ranks) > 0 && r.Ranks[0].Late != nil
	if timed {
		columns = append(columns, number("late ms"), number("steps ms"), number("kernels ms"), number("collectives, summed ms"), region("longest range on the host"), number("ms"))
	}
	var rows [][]string
	for _, rank := range r.Ranks[:min(top, len(r.Ranks))] {
		row := []string{strconv.Itoa(rank.Rank), cell(rank.Slowdown, "%.3f", 1)}
		if timed {
			row = append(row, cell(rank.Late, "%.1f", 1e3), cell(rank.Seconds, "%.1f", 1e3), cell(rank.Kernels, "%.1f", 1e3), cell(rank.Collective, "%.1f", 1e3))
			if len(rank.Regions) > 0 {
				row = append(row, rank.Regions[0].Region, fmt.Sprintf("%.1f", rank.Regions[0].Seconds*1e3))
			} else {
				row = append(row, "-", "-")
			}
		}
		rows = append(rows, row)
	}
	p.Heading("Ranks")
	p.table(columns, rows)
	p.more(len(rows), len(r.Ranks), "rank")
	if len(r.Stages) > 0 {
		rows = nil
		for _, s := range r.Stages {
			rows = append(rows, []string{strconv.Itoa(s.Stage), fmt.Sprintf("%.3f", s.Slowdown)})
		}
		p.Heading("Pipeline stages")
		p.table([]column{number("stage"), number("slowdown")}, rows)
	}
	if len(r.Kinds) > 0 {
		rows = nil
		for _, k := range r.Kinds {
			rows = append(rows, []string{k.Kind, fmt.Sprintf("%.3f", k.Slowdown)})
		}
		p.Heading("Kinds of operation")
		p.table([]column{words("kind"), number("slowdown")}, rows)
	}
	rows = nil
	for _, s := range r.Steps[:min(top, len(r.Steps))] {
		last := "-"
		if s.LastRank != nil {
			last = strconv.Itoa(*s.LastRank)
		}
		rows = append(rows, []string{strconv.Itoa(s.Step), fmt.Sprintf("%.1f", s.Seconds*1e3), last, fmt.Sprintf("%.1f", s.Waited*1e3)})
	}
	if len(rows) > 0 {
		p.Heading("Steps")
		p.table([]column{number("step"), number("ms"), number("last rank"), number("others waited ms")}, rows)
		p.more(len(rows), len(r.Steps), "step")
	}
}
