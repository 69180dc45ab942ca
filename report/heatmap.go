package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"auspex/analyze"
	"auspex/view"
)

// The picture's measures in characters.
const (
	heatLabel     = 28 // widest name of a region
	heatValue     = 9  // the largest value of a row
	heatCell      = 6  // widest cell, where units are few
	heatLeastCols = 8
)

// heatShades go from little to much; nothing at all is a blank.
var heatShades = []rune("░▒▓█")

// heatColors go with finer steps, from pale to dark red (of 256).
var heatColors = []int{229, 222, 215, 208, 202, 196, 160, 124}

// HeatColumns is how many columns of units a picture on this page has; 0 where
// none can be drawn.
func (p *Page) HeatColumns() int {
	if !p.Pictures {
		return 0
	}
	return max(heatLeastCols, p.Width-p.heatLabel()-heatValue-4)
}

func (p *Page) heatLabel() int { return min(heatLabel, p.Width/3) }

// Heat draws regions × units, each row from 0 to its own largest value: a row
// of one shade is balanced. kinds, if given, has the kind of every unit, shown
// as a row of digits.
func (p *Page) Heat(h *view.Heatmap, kinds []int) {
	if !p.Pictures || len(h.Rows) == 0 || len(h.Cols) == 0 || math.IsNaN(float64(h.Most)) {
		return
	}
	p.Heading(fmt.Sprintf("Regions × units (%s %s)", h.Scope, h.Metric))
	wide := max(1, min(heatCell, p.HeatColumns()/len(h.Cols)))
	label := p.heatLabel()
	line := func(name, cells, value string) {
		p.Line("%s", strings.TrimRight(fmt.Sprintf("  %s %s %*s", pad(elide(name, label), label), cells, heatValue, value), " "))
	}
	if kinds != nil {
		line("kind", p.heatKinds(h, kinds, wide), "largest")
	}
	for r, row := range h.Rows {
		values := h.Max[r*len(h.Cols) : (r+1)*len(h.Cols)]
		most := 0.0
		for _, v := range values {
			if v > most { // missing is not larger
				most = v
			}
		}
		var cells strings.Builder
		for _, v := range values {
			cells.WriteString(p.heatOf(v/most, wide))
		}
		line(heatName(h, row), cells.String(), Quantity(analyze.Real(most), metricUnit(h.Metric)))
	}
	line("unit", heatAxis(h, wide), "")
	p.Paragraph("  " + heatLegend(h))
}

// heatName is a region's own name, or its path where that is not its alone.
func heatName(h *view.Heatmap, row view.HeatRow) string {
	same := 0
	for _, r := range h.Rows {
		if r.Name == row.Name {
			same++
		}
	}
	if same > 1 {
		return row.Region
	}
	return shortName(row.Name)
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-text.StringWidthWithoutEscSequences(s)))
}

// heatOf is one cell of the given share of the row's largest value.
func (p *Page) heatOf(share float64, wide int) string {
	if !(share > 0) {
		return strings.Repeat(" ", wide)
	}
	step := func(steps int) int { return min(steps, max(1, int(math.Ceil(share*float64(steps))))) - 1 }
	cell := strings.Repeat(string(heatShades[step(len(heatShades))]), wide)
	if !p.Color {
		return cell
	}
	return fmt.Sprintf("\x1b[38;5;%dm%s%s", heatColors[step(len(heatColors))], cell, text.Reset.EscapeSeq())
}

// heatKinds marks each column by the kind of its units; a dot where they are
// of several.
func (p *Page) heatKinds(h *view.Heatmap, kinds []int, wide int) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	var b strings.Builder
	for _, c := range h.Cols {
		mark := "?"
		for u := c.From; u < c.To && u < len(kinds); u++ {
			one := " "
			switch k := kinds[u]; {
			case k >= len(digits):
				one = "+"
			case k >= 0:
				one = digits[k : k+1]
			}
			if u > c.From && one != mark {
				mark = "·"
				break
			}
			mark = one
		}
		b.WriteString(pad(mark, wide))
	}
	return b.String()
}

// heatAxis names the first and the last unit under their columns.
func heatAxis(h *view.Heatmap, wide int) string {
	first, last := h.Cols[0].Unit, h.Cols[len(h.Cols)-1].Last
	width := wide * len(h.Cols)
	if len(h.Cols) == 1 || len(first)+len(last)+1 > width {
		return pad(first, width)
	}
	return first + strings.Repeat(" ", width-len(first)-len(last)) + last
}

func heatLegend(h *view.Heatmap) string {
	words := "each row from 0 to its largest: " + string(heatShades)
	units := h.ToUnit - h.FromUnit
	if each := (units + len(h.Cols) - 1) / len(h.Cols); each > 1 {
		words += fmt.Sprintf("; a column is up to %s, the largest of them shown", plural(each, "unit"))
	}
	return words
}
