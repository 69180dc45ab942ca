package analyze

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// FlatName takes off what this expression would.
func TestFlatNameIsAnExpression(t *testing.T) {
	number := regexp.MustCompile(`(\s*\[\d+\]|#\d+)$`)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOfN(rapid.SampledFrom([]rune("ab #[]3 7\té")), 0, 9, -1).Draw(t, "name")
		want := number.ReplaceAllString(name, "")
		if want == "" {
			want = name
		}
		if got := FlatName(name); got != want {
			t.Fatalf("%q is %q, not %q", name, got, want)
		}
	})
}
