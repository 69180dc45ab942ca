package calibrate

import (
	"errors"
	"math"
	"slices"
)

// Rounds are the seconds that each kernel took on one processor, round by round.
type Rounds map[string][]float64

// fitSpeeds compares processors: the geometric mean over the kernels of how much
// faster each is than the reference. Speeds that noise cannot tell apart are
// called equal: two cores of one machine must not become 1.12 and 0.80.
func (c *Calibration) fitSpeeds(m *Measurement, reference Rounds) error {
	estimates := make([]estimate, len(m.Hosts))
	for rank := range estimates {
		e, ok := compareRounds(m.Kernels[rank], reference)
		if !ok {
			return errors.New("calibrate: no kernel was measured both here and there")
		}
		estimates[rank] = e
	}
	c.Speeds = equalized(estimates)
	return nil
}

// drift is by how much one and the same machine may become slower or faster within a
// minute, where others share its cores.
const drift = 0.2

// OwnSpeeds calls ranks on the machine of this name, where the reference was measured,
// as fast as the reference, unless they differ by more than a machine drifts: they may
// have a share of it only.
func (c *Calibration) OwnSpeeds(machine string) {
	for rank, name := range c.Hosts {
		if name == machine && math.Abs(math.Log(c.Speeds[rank])) < drift {
			c.Speeds[rank] = 1
		}
	}
}

// estimate is the logarithm of a speed and its standard error.
type estimate struct{ log, err float64 }

func compareRounds(rounds, reference Rounds) (estimate, bool) {
	sum, variance, n := 0.0, 0.0, 0.0
	for name, seconds := range rounds {
		if ref := reference[name]; len(ref) > 0 {
			here, there := typical(ref), typical(seconds)
			sum += here.log - there.log
			variance += here.err*here.err + there.err*there.err
			n++
		}
	}
	if n == 0 {
		return estimate{}, false
	}
	return estimate{sum / n, math.Sqrt(variance) / n}, true
}

// typical is the mean without the slowest fifth, which are the rounds that
// something else got in the way of. It is not the least: a host with a share of a
// processor is as slow as its mean.
func typical(seconds []float64) estimate {
	sorted := slices.Sorted(slices.Values(seconds))
	kept := sorted[:len(sorted)-len(sorted)/5]
	average := mean(kept)
	if len(kept) < 2 {
		return estimate{log: math.Log(average)}
	}
	sum := 0.0
	for _, s := range kept {
		sum += (s/average - 1) * (s/average - 1)
	}
	n := float64(len(kept))
	return estimate{math.Log(average), math.Sqrt(sum / (n - 1) / n)}
}

// equalSpeed is a difference that no measurement of a second can vouch for, and
// surely that many standard errors.
const equalSpeed, surely = 0.03, 3

// equalized gives speeds, those of one group their common mean and that of the
// reference's group 1. A group is a run of neighbours none of which differs from
// the first more than could be chance.
func equalized(list []estimate) []float64 {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case list[a].log < list[b].log:
			return -1
		case list[a].log > list[b].log:
			return 1
		}
		return 0
	})
	speeds := make([]float64, len(list))
	for start := 0; start < len(order); {
		first := list[order[start]]
		end, sum := start, 0.0
		for ; end < len(order) && chance(first, list[order[end]]); end++ {
			sum += list[order[end]].log
		}
		common := estimate{sum / float64(end-start), first.err / math.Sqrt(float64(end-start))}
		if chance(common, estimate{}) {
			common.log = 0
		}
		for ; start < end; start++ {
			speeds[order[start]] = math.Exp(common.log)
		}
	}
	return speeds
}

// chance reports whether two may be the same.
func chance(a, b estimate) bool {
	return math.Abs(a.log-b.log) <= max(equalSpeed, surely*math.Hypot(a.err, b.err))
}
