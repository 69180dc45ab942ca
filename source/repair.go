package source

import (
	"bytes"
	"strings"
)

// branchChoice says which branch of an `#if` group with n branches stays.
type branchChoice func(n int) int

func firstBranch(int) int  { return 0 }
func lastBranch(n int) int { return n - 1 }

// blankBranches blanks all preprocessor lines but pragmas, and all branches of
// every `#if` group but one. `#if 0` never keeps its first branch.
func blankBranches(text []byte, ds []directive, choose branchChoice) {
	type group struct {
		lines []directive // #if, #elif…, #else, #endif
	}
	var open []*group
	for _, d := range ds {
		switch d.word {
		case "pragma":
			continue
		case "if", "ifdef", "ifndef":
			open = append(open, &group{[]directive{d}})
		case "elif", "else", "elifdef", "elifndef", "endif":
			if len(open) > 0 {
				g := open[len(open)-1]
				g.lines = append(g.lines, d)
			}
		}
		blank(text[d.Start:d.End])
		if d.word != "endif" || len(open) == 0 {
			continue
		}
		g := open[len(open)-1]
		open = open[:len(open)-1]
		branches := len(g.lines) - 1
		keep := choose(branches)
		if never := g.lines[0].word == "if" && strings.HasPrefix(g.lines[0].rest, "0"); never && keep == 0 {
			keep = 1
		}
		for i := range branches {
			if i != keep {
				blank(text[g.lines[i].End:g.lines[i+1].Start])
			}
		}
	}
}

// blankMacros blanks what looks like a macro used as a statement: a name with
// parentheses that starts a statement and is followed by neither `;` nor an
// operator. hypre's `hypre_BoxLoop1Begin(…)` before a block is of that sort.
// The blanked text is only ever parsed, so a wrong guess costs one function.
func blankMacros(text []byte) {
	tokens := scanTokens(text)
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if !t.name || i+1 >= len(tokens) || text[tokens[i+1].Start] != '(' || !startsStatement(text, tokens, i) {
			continue
		}
		if cKeywords[string(text[t.Start:t.End])] {
			continue
		}
		close := matching(text, tokens, i+1)
		if close < 0 || close+1 >= len(tokens) {
			continue
		}
		next := tokens[close+1]
		newLine := bytes.IndexByte(text[tokens[close].End:next.Start], '\n') >= 0
		if next.name && newLine || depthOf(tokens, i) > 0 && text[next.Start] == '{' || depthOf(tokens, i) > 0 && text[next.Start] == '}' {
			blank(text[t.Start:tokens[close].End])
		}
	}
}

// token is a name, a number or a single punctuation byte of C, outside
// comments, constants and directives.
type token struct {
	Span
	name  bool
	depth int // open braces before it
}

func depthOf(ts []token, i int) int { return ts[i].depth }

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
