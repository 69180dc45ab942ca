package expr

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"auspex/internal/mistake"
)

// Error says what is wrong with a text and where.
type Error struct {
	Source  string // the whole text
	Offset  int    // byte offset of the offending token in Source
	Message string // what is wrong
	Hint    string // what to do about it, or ""
	Err     error  // the cause, or nil
}

// Error gives the message on one line, with the column counted from 1.
func (e *Error) Error() string {
	line, col, _ := e.place()
	where := fmt.Sprintf("column %d", col)
	if line > 1 || strings.Contains(e.Source, "\n") {
		where = fmt.Sprintf("line %d, column %d", line, col)
	}
	text := where + ": " + e.Message
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Place is where in the text; a column is a character, not a byte.
func (e *Error) Place() mistake.Place {
	line, column, _ := e.place()
	return mistake.Place{Line: line, Column: column}
}

// shownWidth is how much of a long line Caret shows.
const shownWidth = 100

// Caret draws the message with the offending line and a caret under the place:
//
//	column 10: unknown metric wtiem; did you mean wtime?
//	  (wtiem is high)
//	   ^
func (e *Error) Caret() string {
	_, col, line := e.place()
	runes := []rune(line)
	at := col - 1
	from, to := 0, len(runes)
	if to > shownWidth {
		from = max(0, min(at-shownWidth/2, to-shownWidth))
		to = from + shownWidth
	}
	var b strings.Builder
	b.WriteString(e.Error())
	b.WriteString("\n  ")
	shift := at - from
	if from > 0 {
		b.WriteString("…")
		shift++
	}
	for _, r := range runes[from:to] {
		if !unicode.IsPrint(r) { // tabs and escape codes would move the caret
			r = ' '
		}
		b.WriteRune(r)
	}
	if to < len(runes) {
		b.WriteString("…")
	}
	b.WriteString("\n  ")
	b.WriteString(strings.Repeat(" ", shift))
	b.WriteString("^")
	return b.String()
}

// place finds line and column (from 1) of Offset and the text of that line.
func (e *Error) place() (line, col int, text string) {
	off := min(max(e.Offset, 0), len(e.Source))
	before := e.Source[:off]
	start := strings.LastIndexByte(before, '\n') + 1
	end := len(e.Source)
	if n := strings.IndexByte(e.Source[off:], '\n'); n >= 0 {
		end = off + n
	}
	line = strings.Count(before, "\n") + 1
	col = utf8.RuneCountInString(e.Source[start:off]) + 1
	return line, col, e.Source[start:end]
}
