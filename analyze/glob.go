package analyze

import "strings"

// glob is a pattern of whole texts in which * stands for any text and ? for
// any one sign, in any case.
type glob []rune

func newGlob(pattern string) glob { return glob(strings.ToLower(pattern)) }

// match goes back to the last * alone, so that a text of n signs takes at most
// n times the pattern's length, and mostly n.
func (g glob) match(text string) bool { return g.matchLower([]rune(strings.ToLower(text))) }

// matchLower matches a text in small letters.
func (g glob) matchLower(t []rune) bool {
	at, star, resume := 0, -1, 0
	for i := 0; i < len(t); {
		switch {
		case at < len(g) && g[at] == '*':
			star, resume = at, i
			at++
		case at < len(g) && (g[at] == '?' || g[at] == t[i]):
			at++
			i++
		case star >= 0:
			resume++
			at, i = star+1, resume
		default:
			return false
		}
	}
	for at < len(g) && g[at] == '*' {
		at++
	}
	return at == len(g)
}
