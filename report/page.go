// Package report turns results into words, tables and pictures. It knows the
// result types and nothing of how they came about.
//
// A Page is where text goes: its width decides how tables are fitted and
// whether bars can be drawn, its Color whether words are emphasised.
package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Page is a place to write for people. Width 0 means as wide as need be, as
// in a pipe.
type Page struct {
	Out   io.Writer
	Width int
	Color bool
	// Pictures is set where blocks and shades can be drawn: on a terminal that
	// takes UTF-8.
	Pictures bool
}

// Line writes one line.
func (p *Page) Line(format string, args ...any) {
	fmt.Fprintf(p.Out, format+"\n", args...)
}

// Paragraph writes running text, wrapped at the page's width.
func (p *Page) Paragraph(words string) {
	if p.Width > 0 {
		words = text.WrapSoft(words, p.Width)
	}
	for line := range strings.Lines(words + "\n") {
		fmt.Fprintln(p.Out, strings.TrimRight(line, " \n"))
	}
}

// Heading writes a title above what follows.
func (p *Page) Heading(title string) {
	fmt.Fprintf(p.Out, "\n%s\n", p.Strong(title))
}

// Strong emphasises where the page has colour.
func (p *Page) Strong(s string) string {
	if !p.Color {
		return s
	}
	return text.Bold.EscapeSeq() + s + text.Reset.EscapeSeq()
}

// Tables are set in columns; numbers stand to the right.
type column struct {
	title   string
	numeric bool
	// flexible columns give way where the page is narrow: the middle of a
	// long region path is left out.
	flexible bool
}

func words(title string) column  { return column{title: title} }
func number(title string) column { return column{title: title, numeric: true} }
func region(title string) column { return column{title: title, flexible: true} }

const (
	columnGap   = 2
	leastRegion = 16 // a region's name is not cut below this
)

// table writes rows of text under their titles.
func (p *Page) table(columns []column, rows [][]string) {
	p.fit(columns, rows)
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", strings.Repeat(" ", columnGap)
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	header := table.Row{}
	var configs []table.ColumnConfig
	for i, c := range columns {
		header = append(header, p.Strong(c.title))
		align := text.AlignLeft
		if c.numeric {
			align = text.AlignRight
		}
		configs = append(configs, table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align})
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(configs)
	for _, r := range rows {
		row := table.Row{}
		for _, cell := range r {
			row = append(row, cell)
		}
		t.AppendRow(row)
	}
	for line := range strings.Lines(t.Render() + "\n") {
		fmt.Fprintln(p.Out, strings.TrimRight(line, " \n"))
	}
}

// fit shortens flexible cells until the table is as wide as the page.
func (p *Page) fit(columns []column, rows [][]string) {
	if p.Width == 0 {
		return
	}
	total, flexible, widest := 0, 0, 0
	widths := make([]int, len(columns))
	for i, c := range columns {
		widths[i] = text.StringWidthWithoutEscSequences(c.title)
		for _, r := range rows {
			widths[i] = max(widths[i], text.StringWidthWithoutEscSequences(r[i]))
		}
		total += widths[i] + columnGap
		if c.flexible {
			flexible++
			widest = max(widest, widths[i])
		}
	}
	if flexible == 0 || total <= p.Width {
		return
	}
	limit := max(leastRegion, widest-(total-p.Width+flexible-1)/flexible)
	for i, c := range columns {
		if !c.flexible {
			continue
		}
		for _, r := range rows {
			r[i] = elide(r[i], limit)
		}
	}
}

// elide shortens text to a width by leaving out its middle; the end of a
// region path tells more than its beginning.
func elide(s string, width int) string {
	runes := []rune(s)
	if len(runes) <= width {
		return s
	}
	if width < 5 {
		return string(runes[:width])
	}
	head := (width - 1) / 3
	tail := width - 1 - head
	return string(runes[:head]) + "…" + string(runes[len(runes)-tail:])
}
