package report

import (
	"fmt"
	"strings"

	"auspex/model"
	"auspex/sweep"
)

// SweepTable writes what a study answers, the shortest points first.
func (p *Page) SweepTable(t *sweep.Table, top int) {
	p.Paragraph(t.Words)
	if len(t.Rows) > 0 {
		var columns []column
		for _, a := range t.Axes {
			columns = append(columns, region(a.Name))
		}
		columns = append(columns, number("seconds"), number("× shortest"))
		var rows [][]string
		for i, r := range t.Rows {
			if top > 0 && i == top {
				break
			}
			var row []string
			for _, v := range r.Values {
				row = append(row, model.CleanText(v))
			}
			ratio := "–"
			if t.Rows[0].Seconds > 0 {
				ratio = fmt.Sprintf("%.2f", r.Seconds/t.Rows[0].Seconds)
			}
			rows = append(rows, append(row, fmt.Sprintf("%.6g", r.Seconds), ratio))
		}
		p.Heading("Points")
		p.table(columns, rows)
		if top > 0 && len(t.Rows) > top {
			p.Line("… and %d more; --top 0 shows all", len(t.Rows)-top)
		}
	}
	if len(t.Effects) > 1 {
		p.Heading("What matters")
		var rows [][]string
		for _, e := range t.Effects {
			rows = append(rows, []string{e.Axis, fmt.Sprintf("%.1f %%", 100*e.Share), fmt.Sprintf("%.2f", e.Ratio), model.CleanText(e.Best)})
		}
		p.table([]column{words("axis"), number("of the variance"), number("worst / best"), words("best")}, rows)
	}
	p.sweepPicture(t.Picture)
	if t.Next != nil {
		p.sweepNext(t)
	}
}

// picturedColumns is how many fit beside each other.
const picturedColumns = 10

// sweepPicture writes the times over the two axes that matter most.
func (p *Page) sweepPicture(of *sweep.Picture) {
	if of == nil || of.Y == "" || len(of.Columns) > picturedColumns {
		return
	}
	p.Heading(model.CleanText(fmt.Sprintf("Seconds by %s and %s, the others at their best", of.Y, of.X)))
	columns := []column{words(of.Y)}
	for _, c := range of.Columns {
		columns = append(columns, number(model.CleanText(of.X+" "+c)))
	}
	var rows [][]string
	for i, name := range of.Rows {
		row := []string{model.CleanText(name)}
		for _, c := range of.Cells[i] {
			if c == nil {
				row = append(row, "–")
			} else {
				row = append(row, fmt.Sprintf("%.4g", c.Seconds))
			}
		}
		rows = append(rows, row)
	}
	p.table(columns, rows)
}

func (p *Page) sweepNext(t *sweep.Table) {
	p.Heading("Next")
	if t.Done < 2 {
		p.Line("Too few points are done to say.")
		return
	}
	if len(t.Next) == 0 {
		p.Line("No further run is likely to change the answer.")
		return
	}
	columns := []column{}
	for _, a := range t.Axes {
		columns = append(columns, region(a.Name))
	}
	columns = append(columns, number("expected s"), words("why"))
	var rows [][]string
	for _, n := range t.Next {
		var row []string
		for _, v := range n.Values {
			row = append(row, model.CleanText(v))
		}
		expected := "–"
		if n.Expected > 0 {
			expected = fmt.Sprintf("%.4g", n.Expected)
		}
		rows = append(rows, append(row, expected, model.CleanText(n.Why)))
	}
	p.table(columns, rows)
}

// SweepStatus writes how far a study has come.
func (p *Page) SweepStatus(s *sweep.Status) {
	p.Line("%s: %d of %d points done, %d failed, %d missing", model.CleanText(s.Name), s.Done, s.Points, s.Failed, s.Missing)
	if s.Twice > 0 {
		p.Line("%d points were done more than once; the first result counts", s.Twice)
	}
	if s.Stopped {
		p.Line("it was cancelled; auspex sweep resume continues it")
	}
	if len(s.Running) > 0 {
		p.Line("Slurm still has: %s", strings.Join(s.Running, ", "))
	}
	for _, f := range s.Errors {
		why := model.CleanText(strings.ReplaceAll(f.Error, "\n", "; "))
		if f.Points == 1 {
			p.Line("%s failed: %s", model.CleanText(f.First), why)
		} else {
			p.Line("%d points failed, the first of them %s: %s", f.Points, model.CleanText(f.First), why)
		}
	}
}
