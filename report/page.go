// Package report turns results into words, tables and pictures. It knows the
// result types and nothing of how they came about.
//
// A Page is where text goes: its width decides how tables are fitted and
// whether bars can be drawn, its Color whether words are emphasised.
package report

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"

	"auspex/model"
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

// Paragraph writes running text, wrapped at the page's width. What a user wrote
// may be quoted in it, and must not give the terminal orders.
func (p *Page) Paragraph(words string) {
	lines := strings.Split(words, "\n")
	for i := range lines {
		lines[i] = model.CleanText(lines[i])
	}
	words = strings.Join(lines, "\n")
	if p.Width > 0 {
		words = strings.Join(wrapped(words, p.Width), "\n")
	}
	for line := range strings.Lines(words + "\n") {
		fmt.Fprintln(p.Out, strings.TrimRight(line, " \n"))
	}
}

// Heading writes a title above what follows.
func (p *Page) Heading(title string) {
	if p.Width > 0 {
		title = strings.Join(wrapped(title, p.Width), "\n")
	}
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

// wraps tells a column whose text goes on below where it is the last and the page is
// narrow.
func (c column) wraps() bool { return !c.numeric && !c.flexible }

func words(title string) column  { return column{title: title} }
func number(title string) column { return column{title: title, numeric: true} }
func region(title string) column { return column{title: title, flexible: true} }

const (
	columnGap   = 2
	leastRegion = 16  // a region's name is not cut below this
	mostRegion  = 120 // and a path is longer on no page; --json has all of it
)

// table writes rows of text under their titles.
func (p *Page) table(columns []column, rows [][]string) { p.stream(columns, slices.Values(rows)) }

// stream writes rows that are made when they are asked for: once to see how wide the
// columns are, and once to write each part of them. A row is only looked at
// until the next.
func (p *Page) stream(columns []column, rows iter.Seq[[]string]) {
	widths := make([]int, len(columns))
	for i, c := range columns {
		widths[i] = cellWidth(c.title)
	}
	for row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], cellWidth(cell))
		}
	}
	limit := p.fit(columns, widths)
	if c := columns[0]; c.wraps() && 2*widths[0] > p.Width && p.Width > 0 {
		widths[0] = max(cellWidth(c.title), min(widths[0], p.Width/3))
	}
	out := bufio.NewWriterSize(p.Out, 64<<10)
	defer out.Flush()
	for i, part := range p.parts(columns, widths) {
		if i > 0 {
			out.WriteByte('\n')
		}
		p.columns(out, layout{columns, widths, limit}, part, rows)
	}
}

// parts shares the columns out where the page is too narrow for all of them: one part
// stands below the other, and each begins with the first column, which says what a row
// is of. Where that leaves no room for others, all stay in one. What wraps stays in the
// part before it.
func (p *Page) parts(columns []column, widths []int) [][]int {
	parts, used := [][]int{{0}}, widths[0]
	for i := 1; i < len(columns); i++ {
		now := len(parts) - 1
		wraps := i == len(columns)-1 && columns[i].wraps()
		used += columnGap + widths[i]
		if p.Width > 0 && used > p.Width && 2*widths[0] <= p.Width && len(parts[now]) > 1 && !wraps {
			parts, used = append(parts, []int{0}), widths[0]+columnGap+widths[i]
			now++
		}
		parts[now] = append(parts[now], i)
	}
	return parts
}

// layout is how a table is set; limit is how wide the cells of flexible columns may be.
type layout struct {
	columns []column
	widths  []int
	limit   int
}

// columns writes some of the columns of a table.
func (p *Page) columns(out *bufio.Writer, of layout, part []int, rows iter.Seq[[]string]) {
	last, used := len(of.columns)-1, 0
	for _, i := range part[:len(part)-1] {
		used += of.widths[i] + columnGap
	}
	var line []byte
	write := func(row []string, style func(string) string, hang bool) {
		line = line[:0]
		for _, i := range part {
			if i >= len(row) {
				continue
			}
			cell := strings.ReplaceAll(row[i], "\n", " ")
			if of.columns[i].flexible && cellWidth(cell) > of.limit {
				cell = elide(cell, of.limit)
			}
			if hang && i == last && of.columns[i].wraps() {
				if cell = p.hung(used, cell); strings.HasPrefix(cell, "\n") {
					line = bytes.TrimRight(line, " ")
				}
			}
			if hang && i == 0 && cellWidth(cell) > of.widths[0] { // it has a line to itself
				line = append(append(line, cell...), '\n')
				cell = ""
			}
			pad := max(0, of.widths[i]-cellWidth(cell))
			if of.columns[i].numeric {
				line = appendSpaces(line, pad)
				pad = 0
			}
			line = append(line, style(cell)...)
			line = appendSpaces(line, pad+columnGap)
		}
		out.Write(append(bytes.TrimRight(line, " "), '\n'))
	}
	titles := make([]string, len(of.columns))
	for i, c := range of.columns {
		titles[i] = c.title
	}
	write(titles, p.Strong, false)
	for row := range rows {
		write(row, func(cell string) string { return cell }, true)
	}
}

// hung wraps what stands right of the first columns of a line: beside them where there
// is room, else below them. A bar says nothing that the line does not: it is left out.
func (p *Page) hung(used int, words string) string {
	const beside, indent = 24, 4
	if p.Width == 0 || used+cellWidth(words) <= p.Width {
		return words
	}
	if strings.Trim(words, "▏▎▍▌▋▊▉█ ") == "" {
		return ""
	}
	room, begin := p.Width-used, ""
	if room < beside {
		room, used, begin = p.Width-indent, indent, "\n"+strings.Repeat(" ", indent)
	}
	return begin + strings.Join(wrapped(words, room), "\n"+strings.Repeat(" ", used))
}

// wrapped is a text in lines of a width.
func wrapped(words string, width int) []string {
	lines := strings.Split(text.WrapSoft(words, width), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

func appendSpaces(line []byte, n int) []byte {
	for range n {
		line = append(line, ' ')
	}
	return line
}

// cellWidth is how many columns of a terminal a text takes.
func cellWidth(cell string) int {
	for i := range len(cell) {
		if cell[i] >= utf8.RuneSelf || cell[i] == '\x1b' {
			return text.StringWidthWithoutEscSequences(cell)
		}
	}
	return len(cell)
}

// fit narrows the flexible columns until the table is as wide as the page, and
// returns how wide their cells may be.
func (p *Page) fit(columns []column, widths []int) (limit int) {
	total, flexible, widest := 0, 0, 0
	const leastWords = 24 // of the last column, which wraps
	for i, c := range columns {
		width := widths[i] + columnGap
		if i == len(columns)-1 {
			if width = widths[i]; c.wraps() {
				width = min(width, leastWords)
			}
		}
		total += width
		if c.flexible {
			flexible++
			widest = max(widest, widths[i])
		}
	}
	limit = min(widest, mostRegion)
	if over := total - flexible*(widest-limit) - p.Width; p.Width > 0 && over > 0 && flexible > 0 {
		limit = max(leastRegion, limit-(over+flexible-1)/flexible)
	}
	for i, c := range columns {
		if c.flexible {
			widths[i] = min(widths[i], limit)
		}
	}
	return limit
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
