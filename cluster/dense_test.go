package cluster

import (
	"slices"
	"testing"
)

// Three close, two close, one apart: with MinPts 3 only the three are a kind
// of several.
func TestLinkDense(t *testing.T) {
	p := Points{N: 6, Dim: 2, Data: []float64{0, 0, 0.1, 0, 0.2, 0, 5, 0, 5.1, 0, 0.1, 9}}
	for minPts, want := range map[int][]int{2: {0, 0, 0, 1, 1, 2}, 3: {0, 0, 0, 1, 2, 3}, 4: {0, 1, 2, 3, 4, 5}} {
		l, err := LinkDense(t.Context(), p, 0.15, minPts)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(l.Labels, want) {
			t.Errorf("MinPts %d: %v", minPts, l.Labels)
		}
		again, err := l.Replace(t.Context(), 1, make([]float64, 6))
		if err != nil {
			t.Fatal(err)
		}
		changes, err := l.Zeroing(t.Context(), [][]int{{0}, {1}, {}})
		if err != nil {
			t.Fatal(err)
		}
		if !changes[0] || changes[1] != Changed(l.Labels, again.Labels) || changes[2] {
			t.Errorf("MinPts %d: %v", minPts, changes)
		}
	}
	if _, err := LinkDense(t.Context(), p, 0.15, 0); err == nil {
		t.Error("MinPts 0 is taken")
	}
}
