package diagnose

import (
	"math"
	"slices"

	"auspex/account"
	"auspex/analyze"
	"auspex/model"
)

// UnitWork is the work that would balance a region: the share each unit should
// get where all have equal shares now, and the factor to its present work.
// Both are missing for a unit that takes next to no part in the region: what
// its work would cost is not known.
type UnitWork struct {
	Unit     Name         `json:"unit"`
	Measured analyze.Real `json:"measured"`
	Share    analyze.Real `json:"share"`
	Factor   analyze.Real `json:"factor"`
}

// lostTime is how long the units wait for the slowest, in the mean.
func lostTime(times []float64) float64 {
	_, most := analyze.Extremes(times)
	return most - analyze.Mean(times)
}

// idleShare is the share of the units' time that idle ones waste.
func (s *study) idleShare() analyze.Real {
	return analyze.Real(float64(len(s.idle)) / float64(len(s.units.names)))
}

// balance tells how to share out the work of a region so that all take the
// same time: in inverse proportion to what a unit's part of it was measured to
// cost, in instructions where those are the cause, as the authors of
// "Debugging SPMD programs" did by hand (section 5), else in time.
func (s *study) balance(c *Cause, kept []attribute, spent []float64, peers []int) {
	c.BalanceBy = s.time.metric.Name
	cost := spent
	if slices.Contains(c.Attributes, model.Instructions) {
		c.BalanceBy = model.Instructions
		for _, a := range kept {
			if a.name == model.Instructions {
				cost = a.seen
			}
		}
	}
	least := leastPart(pick(cost, peers))
	inverse, sum, n := 0.0, 0.0, 0.0
	for _, i := range peers {
		if v := cost[i]; v >= least {
			inverse += 1 / v
			sum += v
			n++
		}
	}
	if n < 2 {
		return // nobody to share the work with
	}
	c.Balance = make([]UnitWork, len(cost))
	for i, v := range cost {
		c.Balance[i] = UnitWork{Unit: s.units.names[s.active[i]], Measured: analyze.Real(v), Share: analyze.Missing, Factor: analyze.Missing}
	}
	for _, i := range peers {
		if v := cost[i]; v >= least {
			c.Balance[i].Share, c.Balance[i].Factor = analyze.Real(1/v/inverse), analyze.Real(sum/n/v)
		}
	}
}

// slowestOf is the unit with most of the time that is compared; of those that
// have as much the one with most in all.
func slowestOf(times, spent []float64) int {
	best := 0
	for i := range times {
		if near := 1e-9 * (math.Abs(times[i]) + spent[i]); times[i] > times[best]+near || times[i] >= times[best]-near && spent[i] > spent[best] {
			best = i
		}
	}
	return best
}

// peersOf are the units whose times stand for themselves beside those of the
// slowest: the same was taken off all of them for what sets roles apart.
func peersOf(times, spent []float64, slowest int) []int {
	var out []int
	off := times[slowest] - spent[slowest]
	tolerance := 0.1 * spent[slowest] // a call or two that only one role makes below the region
	for i := range times {
		if math.Abs(times[i]-spent[i]-off) <= tolerance {
			out = append(out, i)
		}
	}
	return out
}

// leastPart is the least cost of a unit that takes part in a region's work: a
// master beside its workers has no share of it.
func leastPart(cost []float64) float64 {
	sorted := slices.Sorted(slices.Values(cost))
	least := sorted[len(sorted)-1]
	for i := len(sorted) - 2; i >= 0 && sorted[i] > 0 && sorted[i]*account.OtherWork >= least; i-- {
		least = sorted[i]
	}
	return least
}
