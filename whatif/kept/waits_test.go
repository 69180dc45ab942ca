package kept

import (
	"testing"

	"auspex/model"
)

// TestMostly: a function is named where the late ranks were longer in it, by most
// of what they were longer in all, and that explains the waiting.
func TestMostly(t *testing.T) {
	names := []string{"prog", "prepare", "solve"}
	for _, c := range []struct {
		name    string
		seconds [][]float64
		late    []int
		waited  float64
		want    string
	}{
		{"one function", [][]float64{{0, 0}, {0.1, 0.1}, {0.2, 1}}, []int{1}, 0.8, "solve"},
		{"two functions, neither most", [][]float64{{0.1, 0.2}, {0.1, 0.3}, {0.2, 0.4}}, []int{1}, 0.5, ""},
		{"both ranks are late by turns", [][]float64{{0, 0}, {1, 1}, {1, 1}}, []int{0, 1}, 0.8, ""},
		{"the late rank computes no longer in all", [][]float64{{0, 0}, {1, 1}, {1, 1.01}}, []int{1}, 0.8, ""},
		{"the late rank computes less", [][]float64{{0, 0}, {1, 0.5}, {1, 1}}, []int{1}, 0.8, ""},
		{"two of four", [][]float64{{0, 0, 0, 0}, {1, 1, 1, 1}, {0, 2, 2, 0}}, []int{2, 1}, 4, "solve"},
		{"no samples in functions", [][]float64{{0.1, 1}, {0, 0}, {0, 0}}, []int{1}, 0.9, "prog"},
	} {
		if got := (&functions{names, c.seconds}).mostly(c.late, c.waited); got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}

// TestOwnerOf: what samples found below a region of the trace is that region's, what is
// below another within it is not, and a trace of the whole program has it all.
func TestOwnerOf(t *testing.T) {
	regions := []model.Region{
		{Name: "a/b", Parent: model.NoParent}, {Name: "main", Parent: 0}, {Name: "loop@3", Parent: 1},
		{Name: "f", Parent: 2}, {Name: "g", Parent: 1}, {Name: "start", Parent: 0},
	}
	paths := model.Paths(regions)
	for _, c := range []struct {
		traced map[string]bool
		want   []string
	}{
		{map[string]bool{"main": true, "main/loop@3": true}, []string{"", "main", "main/loop@3", "main/loop@3", "main", ""}},
		{map[string]bool{`a\/b`: true}, []string{`a\/b`, `a\/b`, `a\/b`, `a\/b`, `a\/b`, `a\/b`}},
	} {
		for r, want := range c.want {
			if got, known := ownerOf(regions, paths, r, c.traced); got != want || known != (want != "") {
				t.Errorf("%s: of %q, not %q", paths[r], got, want)
			}
		}
	}
}
