package predict

import (
	"math"
	"slices"

	"auspex/platform"
	"auspex/simulate"
)

// What a prediction is off by, as standard deviations relative to it: how far one
// run of a program is from another on the machine that the traces were taken on,
// and how far a replay on a calibrated platform is from the truth. They were
// chosen on the runs at 1 Gbit/s in docs/accuracy and checked on those at
// 100 Mbit/s; that what the prediction is held against scatters, too, and counts
// as the middle of two runs, was chosen on the programs known before of a second
// machine and checked on those that were not (TestIntervalsHold).
const runSpread, platformSpread, heldAgainst = 0.08, simulate.PlatformSpread, 2.0

// interval is the median of the replays of several runs' traces and the 90 %
// interval around it, which holds all of these runs. The runs' own scatter counts
// where it is more than is usual, to either side by itself: two or three runs that
// happen to agree prove nothing, and one that was held up says nothing of shorter
// ones. cut is the standard deviation, in seconds, of what was estimated for loops
// cut short; least is what the runs take at the least, of which another one may take
// less only by as much as computation scatters.
func interval(seconds []float64, cut, least float64) (middle, low, high float64) {
	middle = median(seconds)
	usual := runSpread * math.Sqrt(1/float64(len(seconds))+1/heldAgainst)
	below, above := sides(seconds, middle)
	half := func(side float64) float64 {
		run := max(usual*middle, side*math.Sqrt(1/float64(len(seconds))+1/heldAgainst))
		return normal90 * math.Hypot(math.Hypot(run, platformSpread*middle), cut)
	}
	low, high = middle-half(below), middle+half(above)
	low = max(low, least-normal90*math.Hypot(usual*least, cut), 0)
	return middle, min(low, slices.Min(seconds)), max(high, slices.Max(seconds))
}

// deflated is where an interval begins if so many seconds of the runs may have been
// waiting for a core: what they take at the least without that, as computation
// scatters, limits it.
func deflated(low, least, inflated float64) float64 {
	if inflated == 0 {
		return low
	}
	return min(low, max(0, low-inflated, (1-normal90*runSpread)*(least-inflated)))
}

// sides are the standard deviations of runs below and above their middle, each as if
// the other side were alike; 0 for one run.
func sides(seconds []float64, middle float64) (below, above float64) {
	n := len(seconds)
	if n < 2 {
		return 0, 0
	}
	for _, v := range seconds {
		if square := 2 * (v - middle) * (v - middle) / float64(n-1); v < middle {
			below += square
		} else {
			above += square
		}
	}
	few := student(n-1) / normal90
	return math.Sqrt(below) * few, math.Sqrt(above) * few
}

// normal90 is the 95 % quantile of the normal distribution: a two-sided interval
// of 90 %.
const normal90 = 1.644854

// student is the same of Student's distribution with so many degrees of freedom.
func student(freedom int) float64 {
	table := []float64{6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782, 1.771, 1.761, 1.753}
	if freedom <= len(table) {
		return table[freedom-1]
	}
	// Expansion around the normal quantile (Abramowitz and Stegun, 26.7.5).
	const z = normal90
	n := float64(freedom)
	return z + (z*z*z+z)/(4*n) + (5*z*z*z*z*z+16*z*z*z+3*z)/(96*n*n)
}

// cutSpread is the standard deviation, in seconds, of what was estimated for
// loops cut short, on the rank where it is largest.
func cutSpread(t *taken, p *platform.Platform, hosts []int) float64 {
	largest := 0.0
	for rank := range t.NP() {
		variance := 0.0
		for _, c := range t.Cuts {
			if c.Rank == rank {
				variance += c.Spread * c.Spread
			}
		}
		largest = max(largest, math.Sqrt(variance)/p.Hosts[hosts[rank]].Speed)
	}
	return largest
}
