package source

import "bytes"

// token is a name, a number or a single punctuation byte of C, outside
// comments, constants and directives.
type token struct {
	Span
	name  bool
	depth int // open braces before it
}

var cKeywords = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "return": true,
	"sizeof": true, "else": true, "do": true, "catch": true, "defined": true, "case": true, "asm": true,
	"__attribute__": true, "alignas": true, "decltype": true, "constexpr": true, "goto": true}

func startsStatement(text []byte, ts []token, i int) bool {
	if i == 0 {
		return false
	}
	switch p := text[ts[i-1].Start]; p {
	case ';', '{', '}':
		return true
	case ')':
		// after a blanked macro or a condition, on a line of its own
		return bytes.IndexByte(text[ts[i-1].End:ts[i].Start], '\n') >= 0
	}
	return false
}

func matching(text []byte, ts []token, i int) int {
	depth := 0
	for ; i < len(ts); i++ {
		switch text[ts[i].Start] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		case '{', '}':
			return -1
		}
	}
	return -1
}

// scanTokens cuts C text into tokens as far as brackets and names go.
func scanTokens(text []byte) []token {
	var ts []token
	depth := 0
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			i++
		case c == '/' && i+1 < len(text) && text[i+1] == '/':
			i = lineEnd(text, i)
		case c == '/' && i+1 < len(text) && text[i+1] == '*':
			end := bytes.Index(text[i+2:], []byte("*/"))
			if end < 0 {
				return ts
			}
			i += end + 4
		case c == '"' || c == '\'':
			i = skipQuoted(text, i)
		case c == '#' && len(bytes.TrimSpace(text[lineStart(text, i):i])) == 0:
			end := lineEnd(text, i)
			for end < len(text) && continued(text[i:end]) {
				end = lineEnd(text, end)
			}
			i = end
		case isNameByte(c):
			j := i
			for j < len(text) && isNameByte(text[j]) {
				j++
			}
			ts = append(ts, token{Span{i, j}, c < '0' || c > '9', depth})
			i = j
		default:
			if c == '}' && depth > 0 {
				depth--
			}
			ts = append(ts, token{Span{i, i + 1}, false, depth})
			if c == '{' {
				depth++
			}
			i++
		}
	}
	return ts
}

func skipQuoted(text []byte, i int) int {
	quote := text[i]
	for i++; i < len(text) && text[i] != quote && text[i] != '\n'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(text))
}

// braces pairs up the braces of a text.
type braces struct {
	tokens []token
	close  map[int]int // offset of `{` to offset of its `}`
	index  map[int]int // offset of `{` to its place in tokens
}

func matchBraces(text []byte) *braces {
	b := &braces{tokens: scanTokens(text), close: map[int]int{}, index: map[int]int{}}
	var open []int
	for i, t := range b.tokens {
		switch text[t.Start] {
		case '{':
			open = append(open, t.Start)
			b.index[t.Start] = i
		case '}':
			if len(open) > 0 {
				b.close[open[len(open)-1]] = t.Start
				open = open[:len(open)-1]
			}
		}
	}
	return b
}

// matched tells whether a span is a pair of braces and what is between them.
func (b *braces) matched(s Span) bool {
	end, ok := b.close[s.Start]
	return ok && end == s.End-1
}

// headerStart goes back from a function's `{` to the end of what came before
// it, so that words the parser set apart are seen too.
func (b *braces) headerStart(text []byte, open int) int {
	i, ok := b.index[open]
	if !ok {
		return open
	}
	for ; i > 0; i-- {
		if c := text[b.tokens[i-1].Start]; c == ';' || c == '{' || c == '}' {
			break
		}
	}
	return b.tokens[i].Start
}
