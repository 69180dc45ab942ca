package source

import (
	"bytes"
	"math"
	"strings"
)

// Directives of the C preprocessor stay in the text; this file finds them, so
// that they can be blanked out where the grammar cannot take them, and so that
// a pair of insertions can be kept on one side of an `#ifdef`.

// directive is one preprocessor line, with its continuation lines.
type directive struct {
	Span
	word string // if, ifdef, ifndef, elif, else, endif, define, pragma, …
	rest string // what follows the word, on the first line
}

// directives lists the preprocessor lines of text. In C and C++ a `#` inside a
// block comment is no directive.
func directives(text []byte, lang Language) []directive {
	var ds []directive
	inComment := false
	for pos := 0; pos < len(text); {
		end := lineEnd(text, pos)
		line := text[pos:end]
		body := bytes.TrimLeft(line, " \t")
		if !inComment && len(body) > 0 && body[0] == '#' {
			for end < len(text) && continued(text[pos:end]) {
				end = lineEnd(text, end)
			}
			word, rest := splitWord(bytes.TrimLeft(body[1:], " \t"))
			ds = append(ds, directive{Span{pos, end}, word, rest})
		} else if lang != Fortran {
			inComment = endsInComment(line, inComment)
		}
		pos = end
	}
	return ds
}

func splitWord(b []byte) (word, rest string) {
	i := 0
	for i < len(b) && isNameByte(b[i]) {
		i++
	}
	return string(b[:i]), string(bytes.TrimSpace(b[i:]))
}

func continued(line []byte) bool {
	return bytes.HasSuffix(bytes.TrimRight(line, "\r\n"), []byte{'\\'})
}

// endsInComment follows block comments over one line of C.
func endsInComment(line []byte, in bool) bool {
	for i := 0; i < len(line); i++ {
		switch {
		case in:
			if line[i] == '*' && i+1 < len(line) && line[i+1] == '/' {
				in = false
				i++
			}
		case line[i] == '"' || line[i] == '\'':
			quote := line[i]
			for i++; i < len(line) && line[i] != quote; i++ {
				if line[i] == '\\' {
					i++
				}
			}
		case line[i] == '/' && i+1 < len(line) && line[i+1] == '/':
			return false
		case line[i] == '/' && i+1 < len(line) && line[i+1] == '*':
			in = true
			i++
		}
	}
	return in
}

// lineEnd gives the offset just after the newline that ends the line of pos.
func lineEnd(text []byte, pos int) int {
	if i := bytes.IndexByte(text[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(text)
}

// lineStart gives the offset of the first byte of the line of pos.
func lineStart(text []byte, pos int) int {
	return bytes.LastIndexByte(text[:pos], '\n') + 1
}

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// blank replaces everything but line ends by spaces.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}

// condition is one open `#if`: which one, and which of its branches.
type condition struct{ group, branch int }

// conditions knows, for every byte, under which `#if` branches it stands.
type conditions struct {
	starts []int         // offsets at which the context changes, ascending
	stacks [][]condition // the context from that offset on
	open   []int         // offset of each group's #if line
}

func newConditions(ds []directive) *conditions {
	c := &conditions{starts: []int{0}, stacks: [][]condition{nil}}
	var stack []condition
	for _, d := range ds {
		switch d.word {
		case "if", "ifdef", "ifndef":
			stack = append(stack[:len(stack):len(stack)], condition{len(c.open), 0})
			c.open = append(c.open, d.Start)
		case "elif", "else", "elifdef", "elifndef":
			if len(stack) == 0 {
				continue
			}
			top := stack[len(stack)-1]
			stack = append(stack[:len(stack)-1:len(stack)-1], condition{top.group, top.branch + 1})
		case "endif":
			if len(stack) == 0 {
				continue
			}
			stack = stack[:len(stack)-1]
		default:
			continue
		}
		c.starts = append(c.starts, d.End)
		c.stacks = append(c.stacks, stack)
	}
	return c
}

func (c *conditions) at(pos int) []condition {
	lo, hi := 0, len(c.starts)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; c.starts[mid] <= pos {
			lo = mid
		} else {
			hi = mid
		}
	}
	return c.stacks[lo]
}

// same tells whether a and b stand under the same branches of the same `#if`s,
// so that text put at both is compiled either twice or never.
func (c *conditions) same(a, b int) bool {
	x, y := c.at(a), c.at(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

// markDevice marks the functions between `declare target` and its end, and the
// one after `acc routine`, as device code.
func markDevice(units []*Unit, ds []directive) {
	target := 0 // open declare target regions
	next := false
	i := 0
	mark := func(until int) {
		for ; i < len(units) && units[i].Start < until; i++ {
			if target > 0 || next {
				units[i].Traits |= Device
			}
			next = false
		}
	}
	for _, d := range ds {
		if d.word != "pragma" {
			continue
		}
		mark(d.Start)
		switch text := strings.Join(strings.Fields(strings.ToLower(d.rest)), " "); {
		case strings.HasPrefix(text, "omp end declare target"):
			target = max(0, target-1)
		case text == "omp declare target", strings.HasPrefix(text, "omp begin declare target"):
			target++
		case strings.HasPrefix(text, "acc routine"):
			next = true
		}
	}
	mark(math.MaxInt)
}
