package analyze

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A glob matches what the regular expression does that says the same.
func TestGlobsMatchAsRegularExpressionsDo(t *testing.T) {
	signs := rapid.SliceOf(rapid.SampledFrom([]rune("aAbB*?/(é")))
	rapid.Check(t, func(t *rapid.T) {
		pattern, text := string(signs.Draw(t, "pattern")), string(signs.Draw(t, "text"))
		quoted := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
		want := regexp.MustCompile("(?is)^" + quoted + "$").MatchString(text)
		if got := newGlob(pattern).match(text); got != want {
			t.Errorf("%q matches %q: %v, want %v", pattern, text, got, want)
		}
	})
}

// A path with a * in it is that path, and not whatever it would match.
func TestAPathWithAStarIsItself(t *testing.T) {
	d := &Dataset{Paths: []string{"main", "main/(*T).Run", "main/(other T).Run"}}
	for r := range d.matching("main/(*T).Run") {
		if r != 1 {
			t.Errorf("region %d is matched too", r)
		}
	}
}
