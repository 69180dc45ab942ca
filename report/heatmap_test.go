package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"auspex/analyze"
	"auspex/view"
)

// heatOfRows is a map of rows of values, a column a group of units.
func heatOfRows(each int, rows ...[]float64) *view.Heatmap {
	h := &view.Heatmap{Metric: "wtime", Scope: "exclusive", Most: 1}
	for r, values := range rows {
		name := fmt.Sprintf("region%d", r)
		h.Rows = append(h.Rows, view.HeatRow{Region: "main/" + name, Name: name})
		h.Max = append(h.Max, values...)
	}
	for c := range rows[0] {
		from, to := c*each, (c+1)*each
		h.Cols = append(h.Cols, view.HeatCol{Unit: fmt.Sprint(from), Last: fmt.Sprint(to - 1), From: from, To: to})
		h.ToUnit = to
	}
	return h
}

func drawn(p Page, h *view.Heatmap, kinds []int) string {
	var b bytes.Buffer
	p.Out = &b
	p.Heat(h, kinds)
	return b.String()
}

func TestHeat(t *testing.T) {
	got := drawn(Page{Width: 60, Pictures: true}, heatOfRows(1, []float64{0, 1, 2, 3}, []float64{4, math.NaN(), 0.1, 4}), []int{0, 0, 11, -1})
	want := `
Regions × units (exclusive wtime)
  kind                 0     0     b              largest
  region0                    ▒▒▒▒▒▒▓▓▓▓▓▓██████   3.000 s
  region1              ██████      ░░░░░░██████   4.000 s
  unit                 0                      3
  each row from 0 to its largest: ░▒▓█
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestHeatOfManyUnits(t *testing.T) {
	for _, width := range []int{40, 80, 100, 237} {
		p := Page{Width: width, Pictures: true}
		cols := p.HeatColumns()
		values := make([]float64, cols)
		kinds := make([]int, 125*cols)
		for c := range values {
			values[c] = float64(c)
			if c < cols/2 {
				for u := 125 * c; u < 125*(c+1); u++ {
					kinds[u] = 1
				}
			}
		}
		kinds[0] = 2 // the first column is mixed
		got := drawn(p, heatOfRows(125, values), kinds)
		if !strings.Contains(got, "a column is up to 125 units") && width >= 80 {
			t.Errorf("at %d columns:\n%s", width, got)
		}
		for line := range strings.Lines(got) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d characters on a page of %d: %s", n, width, line)
			}
		}
		if first := strings.Fields(strings.Split(got, "\n")[2])[1]; !strings.HasPrefix(first, "·11") || !strings.HasSuffix(first, "00") {
			t.Errorf("kinds are %s", first)
		}
	}
}

func TestHeatKeepsQuiet(t *testing.T) {
	h := heatOfRows(1, []float64{1, 2})
	if got := drawn(Page{}, h, nil); got != "" {
		t.Errorf("drawn where pictures cannot be: %q", got)
	}
	if got := drawn(Page{Width: 80, Pictures: true}, h, nil); strings.Contains(got, "\x1b") || strings.Contains(got, "kind") {
		t.Errorf("colour or kinds nobody asked for: %q", got)
	}
	if got := drawn(Page{Width: 80, Pictures: true, Color: true}, h, nil); !strings.Contains(got, "\x1b[38;5;124m") {
		t.Errorf("no colour: %q", got)
	}
	h.Most = analyze.Missing
	if got := drawn(Page{Width: 80, Pictures: true}, h, nil); got != "" {
		t.Errorf("drawn without any value: %q", got)
	}
}

func TestHeatOfOneName(t *testing.T) {
	h := heatOfRows(1, []float64{1, 2}, []float64{1, 2})
	h.Rows[0].Name, h.Rows[1].Name = "step", "step"
	h.Rows[0].Region, h.Rows[1].Region = "a/step", "b/step"
	got := drawn(Page{Width: 80, Pictures: true}, h, nil)
	if !strings.Contains(got, "a/step") || !strings.Contains(got, "b/step") {
		t.Errorf("the two cannot be told apart:\n%s", got)
	}
}
