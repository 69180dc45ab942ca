package whatif

import (
	"strings"
	"testing"
)

// TestNothingAfterTheFirst: a change that brings nothing more once another is made, or
// costs a little, is said to bring nothing.
func TestNothingAfterTheFirst(t *testing.T) {
	for after, said := range map[float64]string{
		-0.0004: "20.0 % alone and nothing after the first.", -0.01: "alone and nothing after", 0.0004: "alone and nothing after", 0.0006: "alone and 0.1 % after the first.",
	} {
		l := &List{BaseSeconds: 10, Opportunities: []Opportunity{{Words: "A", NewSeconds: 5, Gain: 0.5}, {Words: "B", NewSeconds: 8, Gain: 0.2, After: &after}}}
		if words := l.words(true); !strings.Contains(words, said) || strings.Contains(words, "-0.0") {
			t.Errorf("%g: %s", after, words)
		}
	}
}
