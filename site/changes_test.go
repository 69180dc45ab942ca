package site

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// noises are the ways in which runs scatter: evenly, with a few that take far
// longer, and by steps of a coarse clock.
var noises = map[string]func(*rand.Rand) float64{
	"normal": func(r *rand.Rand) float64 { return math.Exp(0.03 * r.NormFloat64()) },
	"heavy tail": func(r *rand.Rand) float64 {
		x := math.Exp(0.02 * r.NormFloat64())
		if r.IntN(12) == 0 {
			x *= 1 + r.ExpFloat64()
		}
		return x
	},
	"coarse clock": func(r *rand.Rand) float64 { return 1 + 0.05*math.Round(r.NormFloat64()) },
}

// TestPlantedChanges plants a change of a fifth in the middle of series of 40
// runs and looks for it, and counts what is told of series without one. The
// series are always the same.
func TestPlantedChanges(t *testing.T) {
	const tries = 200
	for name, noise := range noises {
		random := rand.New(rand.NewPCG(21, uint64(len(name))))
		found, wrong, alarms := 0, 0, 0
		for range tries {
			at := 10 + random.IntN(20)
			changed, even := make([]float64, 40), make([]float64, 40)
			for i := range changed {
				even[i] = 5 * noise(random)
				if changed[i] = 5 * noise(random); i >= at {
					changed[i] *= 1.2
				}
			}
			near := false
			for _, c := range Changes(changed) {
				if c.At >= at-2 && c.At <= at+2 && c.After > c.Before {
					near = true
				} else {
					wrong++
				}
			}
			if near {
				found++
			}
			if len(Changes(even)) > 0 {
				alarms++
			}
		}
		t.Logf("%s: %d of %d changes found, %d told besides; %d of %d series without a change have one", name, found, tries, wrong, alarms, tries)
		least, most := tries*95/100, tries*5/100
		if name == "heavy tail" { // the place is known less exactly
			least, most = tries*85/100, tries*15/100
		}
		if found < least || alarms > tries*3/100 || wrong > most {
			t.Errorf("%s: %d found, %d besides, %d false", name, found, wrong, alarms)
		}
	}
}

// TestPlantedSlowdowns counts days that are told as slower: of those that are,
// and of those that are like the month before.
func TestPlantedSlowdowns(t *testing.T) {
	const tries = 1000
	for name, noise := range noises {
		random := rand.New(rand.NewPCG(4, uint64(len(name))))
		times := func(n int, seconds float64) []float64 {
			out := make([]float64, n)
			for i := range out {
				out[i] = seconds * noise(random)
			}
			slices.Sort(out)
			return out
		}
		found, alarms := 0, 0
		for range tries {
			month, runs := 8+random.IntN(40), 1+random.IntN(4)
			if tookLonger(times(runs, 20), times(month, 10)) {
				found++
			}
			if tookLonger(times(runs, 10), times(month, 10)) {
				alarms++
			}
		}
		t.Logf("%s: %d of %d days that took twice as long, %d of %d like all others", name, found, tries, alarms, tries)
		if alarms > tries*2/100 || name != "heavy tail" && found < tries {
			t.Errorf("%s: %d found, %d false", name, found, alarms)
		}
	}
	if tookLonger([]float64{100}, []float64{1, 1, 1, 1, 1, 1, 1}) || tookLonger(nil, make([]float64, 20)) || !tookLonger([]float64{1.1}, []float64{1, 1, 1, 1, 1, 1, 1, 1}) {
		t.Error("few runs, none, or equal ones")
	}
}
