package kept

import (
	"slices"
	"testing"

	"auspex/model"
	"auspex/whatif"
)

// TestCallers: what has no name, or is kept by a library for itself, is of its caller;
// functions with a source, libraries' own functions and the program as a whole are not.
func TestCallers(t *testing.T) {
	regions := []model.Region{
		{Name: "prog", Parent: model.NoParent}, {Name: "main", File: "a.c", Parent: 0}, {Name: "chemistry", File: "a.c", Parent: 1},
		{Name: "<libm.so.6>", Parent: 2}, {Name: "__sin_fma", Parent: 2}, {Name: "exp", Parent: 2}, {Name: "__ieee754_exp_fma", Parent: 5},
		{Name: "_mine", File: "b.c", Parent: 1}, {Name: "<unknown>", Parent: 0}, {Name: model.Blocked, Parent: 2},
	}
	if got, want := callers(regions), []int{0, 1, 2, 2, 2, 5, 5, 7, 8, 9}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestShares: of what a rank computes in a region, and 0 where it computes nothing.
func TestShares(t *testing.T) {
	got := (&functions{[]string{"relax", "chemistry"}, [][]float64{{1, 1, 0}, {0, 3, 0}}}).shares("prog")
	want := []whatif.Function{{Name: "relax", Region: "prog", Shares: []float64{1, 0.25, 0}}, {Name: "chemistry", Region: "prog", Shares: []float64{0, 0.75, 0}}}
	if !slices.EqualFunc(got, want, func(a, b whatif.Function) bool {
		return a.Name == b.Name && a.Region == b.Region && slices.Equal(a.Shares, b.Shares)
	}) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
