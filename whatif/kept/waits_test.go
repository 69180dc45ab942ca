package kept

import "testing"

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
