package events

import (
	"slices"
	"testing"
)

// TestContradictingClocks: rank 1 needs to be shifted by 10 against rank 0, and by
// no more than 4, as where clocks drift. 3 are left whatever is done, and a rank
// that only hears from rank 1 follows.
func TestContradictingClocks(t *testing.T) {
	shift, rest := shifts([]need{{0, 1, 10}, {1, 0, -4}, {1, 2, 5}}, 3, 10)
	if rest != 3 || !slices.Equal(shift, []int64{0, 7, 9}) {
		t.Errorf("shifted by %d, %d left", shift, rest)
	}
	shift, rest = shifts([]need{{0, 1, 10}, {1, 0, -12}, {1, 2, 5}}, 3, 10)
	if rest != 0 || !slices.Equal(shift, []int64{0, 10, 15}) {
		t.Errorf("clocks that agree: shifted by %d, %d left", shift, rest)
	}
}
