package source

import (
	"bytes"
	"strings"

	"auspex/internal/lazyregexp"
)

// branchChoice says which branch of an `#if` group stays, and a number past the
// last one for none. The group is its directives, from #if to #endif.
type branchChoice func(group []directive) int

func firstBranch(group []directive) int {
	if group[0].word == "if" && strings.HasPrefix(group[0].rest, "0") {
		return 1
	}
	return 0
}

// lastBranch takes the last branch, which is empty where there is no #else;
// but a lone #ifndef is likely the guard around a whole file.
func lastBranch(group []directive) int {
	if n := len(group) - 1; n > 1 || group[0].word == "ifndef" {
		return n - 1
	}
	return 1
}

// oneOfNeighbours is firstBranch, but of groups without #else that follow each
// other it keeps only the first: they are likely alternatives, such as the end
// of a header for each of several types.
func oneOfNeighbours(text []byte) branchChoice {
	end := -1 // of the group closed before
	return func(group []directive) int {
		last := group[len(group)-1]
		follows := end >= 0 && end <= group[0].Start && len(group) == 2 && len(bytes.TrimSpace(text[end:group[0].Start])) == 0
		end = last.End
		if follows {
			return len(group)
		}
		return firstBranch(group)
	}
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
		keep := choose(g)
		for i := range branches {
			if i != keep {
				blank(text[g[i].End:g[i+1].Start])
			}
		}
	}
}

// pointerAttribute is an attribute between a pointer's star and a name, which the
// grammar does not know: `static void *__attribute__((noinline)) f(…)`.
var pointerAttribute = lazyregexp.New(`\*\s*(__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\))`)

func blankPointerAttributes(text []byte) {
	for _, at := range pointerAttribute.FindAllSubmatchIndex(text, -1) {
		blank(text[at[2]:at[3]])
	}
}

// kindOfResult is the kind in an interface that is a type, which the grammar does not
// know: `procedure(real(real64)), pointer :: f`.
var kindOfResult = lazyregexp.New(`(?i)\bprocedure[ \t]*\([ \t]*(?:real|integer|complex|logical|character)[ \t]*(\([^()\n]*\))[ \t]*\)`)

func blankKindOfResult(text []byte) {
	for _, at := range kindOfResult.FindAllSubmatchIndex(text, -1) {
		blank(text[at[2]:at[3]])
	}
}

// blankMacros blanks what looks like a macro used as a statement: a name with
// parentheses that starts a statement and is followed by neither `;` nor an
// operator, as hypre's `hypre_BoxLoop1Begin(…)` before a block is, and a name alone,
// as PnetCDF's `CHECK_ERR` after a call.
// The blanked text is only ever parsed, so a wrong guess costs one function.
func blankMacros(text []byte) {
	tokens := scanTokens(text)
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if !t.name || i+1 >= len(tokens) || !startsStatement(text, tokens, i) || cKeywords[string(text[t.Start:t.End])] {
			continue
		}
		if standsAlone(text, t, tokens[i+1]) {
			blank(text[t.Start:t.End])
		}
		if text[tokens[i+1].Start] != '(' {
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

// standsAlone tells whether nothing follows a name on its line, and then the end of the
// block or a statement that begins with a keyword: no declaration goes on like that.
func standsAlone(text []byte, name, next token) bool {
	if bytes.IndexByte(text[name.End:next.Start], '\n') < 0 {
		return false
	}
	switch string(text[next.Start:next.End]) {
	case "}", "if", "for", "while", "switch", "return", "do", "goto":
		return true
	}
	return false
}
