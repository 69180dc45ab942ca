package source

import (
	"bytes"
	"strings"
)

// branchChoice says which of the n branches of an `#if` group stays.
type branchChoice func(opening directive, n int) int

func firstBranch(opening directive, _ int) int {
	if opening.word == "if" && strings.HasPrefix(opening.rest, "0") {
		return 1
	}
	return 0
}

// lastBranch takes the last branch, which is empty where there is no #else;
// but a lone #ifndef is likely the guard around a whole file.
func lastBranch(opening directive, n int) int {
	if n > 1 || opening.word == "ifndef" {
		return n - 1
	}
	return 1
}

// blankBranches blanks all preprocessor lines but pragmas, and all branches of
// every `#if` group but one.
func blankBranches(text []byte, ds []directive, choose branchChoice) {
	var open [][]directive // #if, #elif…, #else, #endif of each open group
	for _, d := range ds {
		switch d.word {
		case "pragma":
			continue
		case "if", "ifdef", "ifndef":
			open = append(open, []directive{d})
		case "elif", "else", "elifdef", "elifndef", "endif":
			if len(open) > 0 {
				open[len(open)-1] = append(open[len(open)-1], d)
			}
		}
		blank(text[d.Start:d.End])
		if d.word != "endif" || len(open) == 0 {
			continue
		}
		g := open[len(open)-1]
		open = open[:len(open)-1]
		branches := len(g) - 1
		keep := choose(g[0], branches)
		for i := range branches {
			if i != keep {
				blank(text[g[i].End:g[i+1].Start])
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
		if next.name && newLine || t.depth > 0 && text[next.Start] == '{' || t.depth > 0 && text[next.Start] == '}' {
			blank(text[t.Start:tokens[close].End])
		}
	}
}
