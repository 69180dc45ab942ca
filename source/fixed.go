package source

import (
	"bytes"

	"auspex/internal/lazyregexp"
)

// Fixed form is turned into free form a statement at a time before it is
// parsed: a label and columns 7 to the limit of the initial line and of its
// continuation lines become one line; comments between them go; whatever lies
// beyond the limit goes. Every byte remembers where it came from.

type lineKind int

const (
	commentLine lineKind = iota
	directiveLine
	initialLine
	continuationLine
)

// fixedLine is one line of a fixed-form source, taken apart.
type fixedLine struct {
	kind  lineKind
	whole Span // with its newline
	label Span // columns 1 to 5
	body  Span // columns 7 to the limit
	full  bool // the body reaches the last column
}

// splitFixed takes a line apart. A tab within the first six columns moves to
// column 7, and a digit other than 0 after it marks a continuation, which is
// what compilers have agreed on.
func splitFixed(text []byte, whole Span, limit int, openmp bool) fixedLine {
	l := fixedLine{kind: commentLine, whole: whole}
	line := bytes.TrimRight(text[whole.Start:whole.End], "\r\n")
	if len(bytes.TrimSpace(line)) == 0 {
		return l
	}
	first := 0
	switch line[0] {
	case '#':
		l.kind = directiveLine
		return l
	case 'c', 'C', '*', '!', 'd', 'D':
		if !openmp || !conditionalSentinel(line) {
			return l
		}
		first = 2
	}
	i, col, field6 := first, first+1, byte(' ') // col counts from 1
	for i < len(line) && col <= 6 {
		c := line[i]
		if c == '!' && col < 6 {
			if col == first+1 || len(bytes.TrimSpace(line[first:i])) == 0 {
				return l
			}
			break
		}
		i++
		if c == '\t' {
			col = 7
			if i < len(line) && '1' <= line[i] && line[i] <= '9' {
				field6 = line[i]
				i++
			}
			l.label = Span{whole.Start + first, whole.Start + i - 1}
			break
		}
		if col == 6 {
			field6 = c
		} else {
			l.label = Span{whole.Start + first, whole.Start + i}
		}
		col++
	}
	l.body = Span{whole.Start + i, whole.Start + len(line)}
	if limit > 0 && len(line)-i > limit-6 {
		l.body.End = l.body.Start + limit - 6
	}
	l.full = limit > 0 && l.body.End-l.body.Start == limit-6
	l.kind = initialLine
	if field6 != ' ' && field6 != '0' {
		l.kind = continuationLine
	}
	return l
}

// conditionalSentinel recognises `!$`, `c$` and `*$` lines, which are code
// where OpenMP is compiled: only blanks and digits follow in columns 3 to 5.
func conditionalSentinel(line []byte) bool {
	if len(line) < 3 || line[1] != '$' {
		return false
	}
	for _, c := range line[2:min(5, len(line))] {
		if c != ' ' && (c < '0' || c > '9') {
			return c == '\t'
		}
	}
	return true
}

// convertFixed makes free form of fixed form.
func convertFixed(text []byte, limit int, openmp bool) *mapped {
	var ls []fixedLine
	for pos := 0; pos < len(text); {
		end := lineEnd(text, pos)
		if text[pos] == '#' {
			for end < len(text) && continued(text[pos:end]) {
				end = lineEnd(text, end)
			}
		}
		ls = append(ls, splitFixed(text, Span{pos, end}, limit, openmp))
		pos = end
	}
	m := &mapped{from: make([]int32, 0, len(text))}
	for i := 0; i < len(ls); {
		switch l := ls[i]; l.kind {
		case initialLine, continuationLine:
			stmt, next := gather(ls, i)
			m.statement(text, stmt)
			i = next
		default:
			m.comment(text, l)
			i++
		}
	}
	m.from = append(m.from, int32(len(text)))
	return m
}

// gather gives the lines of the statement that begins at ls[i], and the index
// of the line after it. Comments are skipped only if a continuation follows.
func gather(ls []fixedLine, i int) (stmt []fixedLine, next int) {
	stmt, next = []fixedLine{ls[i]}, i+1
	for j := i + 1; j < len(ls) && ls[j].kind != initialLine; j++ {
		if ls[j].kind == continuationLine {
			stmt, next = append(stmt, ls[j]), j+1
		}
	}
	return stmt, next
}

// comment keeps a comment (directives of OpenMP are comments) under the mark
// of free form; a preprocessor line leaves an empty line.
func (m *mapped) comment(text []byte, l fixedLine) {
	line := bytes.TrimRight(text[l.whole.Start:l.whole.End], "\r\n")
	if l.kind == commentLine && len(bytes.TrimSpace(line)) > 0 {
		m.put('!', l.whole.Start)
		for k := 1; k < len(line); k++ {
			c := line[k]
			if c == '\n' || c == '\r' || c == 0 {
				c = ' '
			}
			m.put(c, l.whole.Start+k)
		}
	}
	m.put('\n', l.whole.Start+len(line))
}

// statement writes one logical line. Blanks inside a split character constant
// matter to nobody here, so the padding up to the last column is left out.
func (m *mapped) statement(text []byte, stmt []fixedLine) {
	if body := stmt[0].body; !endsUnit(text[body.Start:body.End]) {
		for k := stmt[0].label.Start; k < stmt[0].label.End; k++ {
			m.put(text[k], k)
		}
	}
	m.put(' ', stmt[0].body.Start)
	begin := len(m.text)
	var quote byte
	hollerith, depth := 0, 0
	if formatStatement.Match(text[stmt[0].body.Start:stmt[0].body.End]) {
		depth = -1 << 20 // its items may stand apart by blanks alone
	}
	last := stmt[0].body.Start
	for n, l := range stmt {
		if n > 0 && quote == 0 && hollerith == 0 {
			glued := stmt[n-1].full && l.body.Start < l.body.End && text[l.body.Start] != ' '
			if !glued {
				m.put(' ', l.body.Start)
			}
		}
	body:
		for k := l.body.Start; k < l.body.End; k++ {
			c := text[k]
			switch {
			case hollerith > 0:
				if hollerith--; c == '\'' {
					c = ' '
				}
				m.put(c, k)
				if hollerith == 0 {
					m.put('\'', k)
				}
				last = k + 1
				continue
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '!':
				break body
			case c == '\'' || c == '"':
				quote = c
			case c == 'h' || c == 'H':
				if hollerith = m.takeHollerith(); hollerith > 0 {
					m.put('\'', k)
					last = k + 1
					continue
				}
			}
			if c == 0 {
				c = ' '
			}
			if quote == 0 {
				switch {
				case c == '(':
					depth++
				case c == ')':
					depth--
				case depth > 0 && (isNameByte(c) || c == '.' && k+1 < l.body.End && isDigit(text[k+1])):
					m.closeName(begin, c)
				}
				if isLetter(c) {
					m.closeOperator()
				}
			}
			m.put(c, k)
			if c != ' ' {
				last = k + 1
			}
		}
	}
	m.unpack(begin)
	m.put('\n', last)
}

// closeOperator takes blanks back that stand between a dot and a letter: they
// may split `.AND.`, and mean nothing anywhere.
func (m *mapped) closeOperator() {
	i := len(m.text)
	for i > 0 && m.text[i-1] == ' ' {
		i--
	}
	if i > 0 && m.text[i-1] == '.' {
		m.text, m.from = m.text[:i], m.from[:i]
	}
}

// closeName takes blanks back that stand between two bytes of a name or number:
// inside of parentheses they part nothing, and either may be split over lines.
func (m *mapped) closeName(begin int, next byte) {
	i := len(m.text)
	for i > begin && m.text[i-1] == ' ' {
		i--
	}
	if i == begin || i == len(m.text) {
		return
	}
	before := m.text[i-1]
	fraction := before == '.' && isDigit(next) && i-1 > begin && isDigit(m.text[i-2])
	if fraction || next == '.' && isDigit(before) || next != '.' && isNameByte(before) {
		m.text, m.from = m.text[:i], m.from[:i]
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// endsUnit recognises the END of a program unit, whose label, though allowed,
// the grammar does not know; it is found again in the original text.
func endsUnit(stmt []byte) bool { return unitEnd.Match(stmt) }

var (
	unitEnd         = lazyregexp.New(`(?i)^\s*end\s*((subroutine|function|program|procedure)\b[^=(]*)?(!.*)?$`)
	formatStatement = lazyregexp.New(`(?i)^\s*format\s*\(`)
	labelledEnd     = lazyregexp.New(`(?im)^[ \t]*[0-9]+[ \t]+(end[ \t]*((subroutine|function|program|procedure)\b[^=(\n]*)?(!.*)?)$`)
	labelAtStart    = lazyregexp.New(`^[ \t]*([0-9]+)[ \t]*$`)
)

// takeHollerith takes back the digits just written: a count before an H makes
// a Hollerith constant unless it ends a name.
func (m *mapped) takeHollerith() int {
	i, n, unit := len(m.text), 0, 1
	for i > 0 && '0' <= m.text[i-1] && m.text[i-1] <= '9' && unit < 10000 {
		n += int(m.text[i-1]-'0') * unit
		unit *= 10
		i--
	}
	if unit == 1 || i == 0 || isNameByte(m.text[i-1]) || m.text[i-1] == '.' || m.text[i-1] == '*' || m.text[i-1] == '\n' {
		return 0
	}
	m.text = m.text[:i]
	m.from = m.from[:i]
	return n
}
