package predict

import (
	"math"

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

// interval is the median of the replays of several runs' traces and half the width
// of the 90 % interval around it. The runs' own scatter counts where it is more
// than is usual; two or three runs that happen to agree prove nothing. cut is the
// standard deviation, in seconds, of what was estimated for loops cut short.
func interval(seconds []float64, cut float64) (middle, half float64) {
	n := float64(len(seconds))
	middle = median(seconds)
	run := runSpread * middle
	if len(seconds) > 1 {
		sum, mean := 0.0, 0.0
		for _, v := range seconds {
			mean += v / n
		}
		for _, v := range seconds {
			sum += (v - mean) * (v - mean)
		}
		run = max(run, math.Sqrt(sum/(n-1))*student(len(seconds)-1)/normal90)
	}
	run *= math.Sqrt(1/n + 1/heldAgainst)
	return middle, normal90 * math.Hypot(math.Hypot(run, platformSpread*middle), cut)
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
