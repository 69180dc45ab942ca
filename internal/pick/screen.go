package pick

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"auspex/instrument"
)

// Look is how a line is to be shown.
type Look int

// The looks.
const (
	Plain Look = iota
	Strong
	Faint
	Chosen // under the cursor
)

// Line is a line of the screen.
type Line struct {
	Text string
	Look Look
}

const help = "space tick  / find  ←→ fold  + − all  n none  d default  s save  q quit"

// Screen gives exactly height lines of at most width characters.
func (m *Model) Screen(width, height int) []Line {
	width, height = max(width, 1), max(height, 1)
	m.height = height // with room for nothing but the tree
	framed := height > 3
	if framed {
		m.height = height - 3
	}
	m.top = max(min(m.top, m.cursor), m.cursor-m.height+1, 0)
	var lines []Line
	if framed {
		lines = append(lines, Line{m.heading(), Strong})
	}
	for i := range m.height {
		at := m.top + i
		if at >= len(m.shown) {
			lines = append(lines, Line{})
			continue
		}
		lines = append(lines, m.row(at, width))
	}
	if len(m.shown) == 0 {
		lines[len(lines)-m.height] = Line{"nothing holds " + m.query, Faint}
	}
	if framed {
		lines = append(lines, Line{m.details(), Plain}, Line{m.prompt(), Faint})
	}
	for i := range lines {
		lines[i].Text = cut(clean(lines[i].Text), width)
	}
	return lines
}

func (m *Model) heading() string {
	files, regions := 0, 0
	for _, n := range m.nodes {
		if n.region == nil {
			files++
		} else if n.region.Possible {
			regions++
		}
	}
	return fmt.Sprintf("%d of %d regions in %d files ticked: %s", len(m.ticked), regions, files, m.title)
}

func (m *Model) prompt() string {
	switch {
	case m.typing:
		return "/" + m.query + "▏  enter keeps it, esc shows all again"
	case m.query != "":
		return "/" + m.query + "  esc shows all  " + help
	}
	return help
}

// row writes a node: fold, tick, name, and at the end of the line where it is.
func (m *Model) row(at, width int) Line {
	i := m.shown[at]
	n := &m.nodes[i]
	fold := " "
	if n.after > i+1 {
		fold = "▸"
		if at+1 < len(m.shown) && m.nodes[m.shown[at+1]].depth > n.depth {
			fold = "▾"
		}
	}
	mark, right, look := "[ ]", "", Plain
	switch {
	case n.region == nil:
		ticked, all := m.countIn(i)
		right = fmt.Sprintf("%d of %d", ticked, all)
		if mark = "[~]"; ticked == 0 {
			mark = "[ ]"
		} else if ticked == all {
			mark = "[x]"
		}
	default:
		right = fmt.Sprintf("%d–%d", n.region.Line, n.region.EndLine)
		if !n.region.Possible {
			mark, look = " – ", Faint
		} else if m.ticked[n.key] {
			mark = "[x]"
		}
	}
	if at == m.cursor {
		look = Chosen
	}
	left := strings.Repeat("  ", n.depth) + fold + " " + mark + " "
	room := width - utf8.RuneCountInString(left) - utf8.RuneCountInString(right) - 1
	if room < 8 {
		return Line{left + n.label, look}
	}
	label := cutFront(clean(n.label), room)
	return Line{left + label + strings.Repeat(" ", room-utf8.RuneCountInString(label)+1) + right, look}
}

// countIn counts what is ticked in a file and what could be.
func (m *Model) countIn(file int) (ticked, all int) {
	for i := file + 1; i < m.nodes[file].after; i++ {
		if !m.nodes[i].region.Possible {
			continue
		}
		all++
		if m.ticked[m.nodes[i].key] {
			ticked++
		}
	}
	return ticked, all
}

// details tells more of what is under the cursor.
func (m *Model) details() string {
	at := m.current()
	switch {
	case m.message != "":
		return m.message
	case at < 0:
		return ""
	}
	n := &m.nodes[at]
	if n.region == nil {
		return fmt.Sprintf("%s, %d functions", n.file.Language, len(n.file.Regions))
	}
	what := "function"
	if n.region.Kind == instrument.LoopRegion {
		what = "loop"
	}
	text := fmt.Sprintf("%s of %d lines", what, n.region.EndLine-n.region.Line+1)
	switch {
	case !n.region.Possible:
		text += ", cannot be measured: " + n.region.Why
	case n.region.Chosen:
		text += ", measured by default"
	default:
		text += ", not measured by default: " + n.region.Why
	}
	return text
}

// clean takes out what would move the cursor: names are whatever a file holds.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}

func cut(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	return string([]rune(s)[:width-1]) + "…"
}

// cutFront keeps the end, where the names of files differ.
func cutFront(s string, width int) string {
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	return "…" + string(r[len(r)-width+1:])
}
