package analyze

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// noisy is a region measured five times.
func noisy(rng *rand.Rand, mean float64) condensed {
	const runs = 5
	var sum, squares float64
	for range runs {
		v := mean * (1 + 0.05*rng.NormFloat64())
		sum, squares = sum+v, squares+v*v
	}
	m := sum / runs
	return condensed{value: m, deviation: math.Sqrt((squares - runs*m*m) / (runs - 1)), runs: runs}
}

// TestNoiseIsNoDifference: of hundreds of regions that did not change hardly one
// is called significant, though one in twenty would pass a test of its own; those
// that did change are found.
func TestNoiseIsNoDifference(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	alone, wrong, found := 0, 0, 0
	for range 20 {
		same := &Comparison{}
		for i := range 400 {
			same.add(fmt.Sprint(i), noisy(rng, 1), noisy(rng, 1), "")
		}
		same.judge()
		for _, r := range same.Regions {
			if r.chance < 0.05 {
				alone++
			}
			if *r.Significant {
				wrong++
			}
		}
		changed := &Comparison{}
		for i := range 400 {
			factor := 1.0
			if i < 100 {
				factor = 1.3
			}
			changed.add(fmt.Sprint(i), noisy(rng, 1), noisy(rng, factor), "")
		}
		changed.judge()
		for i, r := range changed.Regions {
			if i < 100 && *r.Significant {
				found++
			}
		}
	}
	if alone < 200 || wrong > 8 {
		t.Errorf("%d of 8000 regions that did not change are called significant, %d by a test of their own", wrong, alone)
	}
	if found < 1900 {
		t.Errorf("%d of 2000 regions that changed are found", found)
	}
}

// TestFewRuns: what was not repeated is neither.
func TestFewRuns(t *testing.T) {
	c := &Comparison{}
	c.add("a", condensed{value: 1, runs: 1}, condensed{value: 2, runs: 3}, "")
	c.add("b", condensed{value: 1, runs: 3}, condensed{value: 2, runs: 3}, "")
	c.judge()
	if c.Regions[0].Significant != nil || c.Regions[1].Significant == nil || !*c.Regions[1].Significant {
		t.Errorf("%+v", c.Regions)
	}
}
