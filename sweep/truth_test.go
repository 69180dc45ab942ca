package sweep

import (
	"math"
	"math/rand/v2"
	"testing"
)

// planted is a study with noise whose truth is known: the time over n, which
// scales with some loss, and m, with a cliff between two values of n or none.
func planted(t *testing.T, seed uint64, noise float64, cliffAt int, factor float64) *Table {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 21))
	slope, even := 0.3+0.7*random.Float64(), 0.02*random.Float64()
	ns := map[float64]int{1: 0, 2: 1, 4: 2, 8: 3, 16: 4, 32: 5}
	table, _, _, _ := answered(t, answerStudy, func(v map[string]float64) float64 {
		y := 100*math.Pow(v["n"], -slope) + even*v["n"]
		y *= (1 + v["m"]/50) * (1 + v["k"]/100)
		if cliffAt > 0 && ns[v["n"]] >= cliffAt {
			y *= factor
		}
		return y * math.Exp(noise*random.NormFloat64())
	}, nil)
	return table
}

// TestPlantedCliffs counts cliffs that are found where they were planted, and
// those that are told where there is none. The studies are always the same.
func TestPlantedCliffs(t *testing.T) {
	const studies = 200
	for _, noise := range []float64{0, 0.02, 0.05} {
		found, alarms := 0, 0
		for seed := range uint64(studies) {
			at := 1 + int(seed)%5
			table := planted(t, seed, noise, at, 3)
			values := table.Axes[0].Values
			if c := table.Cliff; c != nil && c.Axis == "n" && c.From == values[at-1] && c.To == values[at] {
				found++
			}
			if planted(t, seed+1000, noise, 0, 1).Cliff != nil {
				alarms++
			}
		}
		t.Logf("noise %g: %d of %d cliffs found, %d of %d studies without one have one", noise, found, studies, alarms, studies)
		if found < studies*95/100 || alarms > studies/100 {
			t.Errorf("noise %g: %d of %d cliffs found, %d of %d false", noise, found, studies, alarms, studies)
		}
	}
}

// TestCliffsWhereAnAxisFalls plants one that shows when there is too little of
// something, and holds gains that end against it: they are none.
func TestCliffsWhereAnAxisFalls(t *testing.T) {
	table, _, _, _ := answered(t, answerStudy, func(v map[string]float64) float64 {
		if v["n"] < 8 {
			return 40 * (1 + v["m"]/50)
		}
		return 10 * (1 + v["m"]/50)
	}, nil)
	if c := table.Cliff; c == nil || c.Axis != "n" || c.From != "8" || c.To != "4" || math.Abs(c.Ratio-4) > 1e-6 {
		t.Errorf("%+v", table.Cliff)
	}
	for name, f := range map[string]func(n float64) float64{
		"saturates": func(n float64) float64 { return max(100/n, 30) }, "saturates late": func(n float64) float64 { return max(100/n, 10) },
		"one step": func(n float64) float64 { return max(100/n, 50) }, "Amdahl": func(n float64) float64 { return 5 + 95/n }, "ends": func(n float64) float64 { return 10 - n/4 },
	} {
		table, _, _, _ := answered(t, answerStudy, func(v map[string]float64) float64 { return f(v["n"]) }, nil)
		if table.Cliff != nil {
			t.Errorf("%s: %+v", name, table.Cliff)
		}
	}
}

// TestPlantedBest holds the best point and the axis that matters to the truth.
func TestPlantedBest(t *testing.T) {
	const studies = 200
	right := 0
	for seed := range uint64(studies) {
		random := rand.New(rand.NewPCG(seed, 5))
		weights := []float64{0.1 + 0.4*random.Float64(), 0.1 + 0.4*random.Float64(), 0.1 + 0.4*random.Float64()}
		strong := int(seed % 3)
		weights[strong] = 2
		names := []string{"n", "m", "k"}
		most := map[string]float64{"n": 32, "m": 3, "k": 2}
		table, _, _, _ := answered(t, answerStudy, func(v map[string]float64) float64 {
			y := 0.0
			for i, name := range names { // every axis has the same range, its weight tells what it does
				y += weights[i] * math.Log(v[name]) / math.Log(most[name])
			}
			return math.Exp(y + 0.02*random.NormFloat64())
		}, nil)
		if table.Effects[0].Axis == names[strong] && table.Rows[0].Values[strong] == "1" {
			right++
		}
	}
	t.Logf("%d of %d studies have the right axis and best point", right, studies)
	if right < studies*98/100 {
		t.Errorf("%d of %d", right, studies)
	}
}
