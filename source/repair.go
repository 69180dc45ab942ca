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
		if next.name && newLine || t.depth > 0 && text[next.Start] == '{' || t.depth > 0 && text[next.Start] == '}' {
			blank(text[t.Start:tokens[close].End])
		}
	}
}
