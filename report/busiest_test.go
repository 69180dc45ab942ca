package report

import (
	"slices"
	"testing"

	"auspex/simulate"
)

// The busiest links come first, and those that are as busy in their order.
func TestBusiest(t *testing.T) {
	var links []simulate.LinkUse
	for i, u := range []float64{0.2, 0.9, 0.2, 0.5, 0.9, 0.1, 0.9} {
		links = append(links, simulate.LinkUse{Name: string(rune('a' + i)), Utilisation: u})
	}
	for n, want := range map[int]string{1: "b", 2: "be", 4: "begd", 6: "begdac", 9: "begdacf"} {
		got := ""
		for _, l := range busiest(slices.Clone(links), n) {
			got += l.Name
		}
		if got != want {
			t.Errorf("%d: %s, not %s", n, got, want)
		}
	}
}
