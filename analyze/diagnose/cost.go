package diagnose

import (
	"slices"

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
func (s *study) balance(c *Cause, kept []attribute, times []float64) {
	c.BalanceBy = s.time.metric.Name
	cost := times
	if slices.Contains(c.Attributes, model.Instructions) {
		c.BalanceBy = model.Instructions
		for _, a := range kept {
			if a.name == model.Instructions {
				cost = a.values
			}
		}
	}
	least := negligibleShare * analyze.Mean(cost)
	inverse, sum, n := 0.0, 0.0, 0.0
	for _, v := range cost {
		if v > least {
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
		w := UnitWork{Unit: s.units.names[s.active[i]], Measured: analyze.Real(v), Share: analyze.Missing, Factor: analyze.Missing}
		if v > least {
			w.Share, w.Factor = analyze.Real(1/v/inverse), analyze.Real(sum/n/v)
		}
		c.Balance[i] = w
	}
}
