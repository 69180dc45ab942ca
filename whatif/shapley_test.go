package whatif

import (
	"math"
	"testing"
)

// TestNoNegativeShares: a cause that gains a little alone and costs something once
// another is gone has no share, and neither has one that gains nothing then; what is
// left adds up to what it wins.
func TestNoNegativeShares(t *testing.T) {
	won := func(set int) float64 {
		w := 0.0
		if set&1 != 0 {
			w += 4
		}
		if set&2 != 0 {
			w += 2
		}
		switch set & 12 {
		case 4: // gains alone
			w += 0.1
		case 8:
			w += 0.0005
		}
		if set&4 != 0 && set&3 != 0 {
			w -= 0.5
		}
		return w
	}
	among, values := shares(4, won, 0.01)
	if among != 3 || math.Abs(values[0]-4) > 1e-12 || math.Abs(values[1]-2) > 1e-12 {
		t.Errorf("%b, %v", among, values)
	}
	if among, _ = shares(2, func(int) float64 { return 0 }, 0.01); among != 0 {
		t.Errorf("nothing is won: %b", among)
	}
}
