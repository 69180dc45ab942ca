package account

import (
	"math/rand/v2"
	"slices"
	"testing"

	"auspex/model"
)

// sampledRun is a run of units that all do the same in every region, but for one that
// takes a region as many times as long; where samples fall is left to chance. All wait
// for it in the last region.
func sampledRun(seed uint64, units, looks int, parts []float64, slow int, times float64) Input {
	random := rand.New(rand.NewPCG(seed, 1))
	const one = 0.01
	work, all := make([][]float64, units), make([]float64, units)
	classes := append(slices.Repeat([]Class{Work}, len(parts)), Waits)
	for u := range units {
		work[u] = make([]float64, len(classes))
		own := slices.Clone(parts)
		if u == 0 {
			own[slow] *= times
		}
		for range int(float64(looks) * sum(own)) {
			at, r := random.Float64()*sum(own), 0
			for r < len(own)-1 && at >= own[r] {
				at -= own[r]
				r++
			}
			work[u][r] += one
		}
		all[u] = sum(work[u])
	}
	for u := range units {
		work[u][len(parts)] = slices.Max(all) - all[u]
	}
	in := run(classes, work...)
	in.Samples = model.NewMatrix(units, len(classes), model.Zero)
	for i, v := range in.Wall.Data {
		in.Samples.Data[i] = v / one
	}
	in.Stretches = slices.Repeat([]int{-1}, len(classes))
	return in
}

// Where 40 samples of a unit fall is no imbalance; times of the same size that were
// measured are.
func TestWhereSamplesFallIsNoImbalance(t *testing.T) {
	measured := 0
	for seed := range uint64(100) {
		in := sampledRun(seed, 8, 40, []float64{0.4, 0.3, 0.2, 0.1}, 0, 1)
		if l := draw(t, in); len(l.Spreads) > 0 || l.Headline().Kind == Imbalance && l.Headline().Region != "" {
			t.Errorf("seed %d: %+v", seed, l.Lines)
		}
		in.Samples, in.Stretches = model.Matrix{}, nil
		if l := draw(t, in); len(l.Spreads) > 0 {
			measured++
		}
	}
	if measured < 90 {
		t.Errorf("measured, only %d differ", measured)
	}
}

// A unit with three times the work is seen in 400 samples; in 10 the loss is told, but
// not where.
func TestSampledImbalance(t *testing.T) {
	parts := []float64{0.4, 0.3, 0.2, 0.1}
	for seed := range uint64(50) {
		l := draw(t, sampledRun(seed, 8, 400, parts, 1, 3))
		if h := l.Headline(); h.Kind != Imbalance || h.Region != "b" || len(l.Spreads) != 1 {
			t.Errorf("seed %d: %+v", seed, l.Lines)
		}
		l = draw(t, sampledRun(seed, 8, 10, parts, 1, 2))
		if len(l.Spreads) == 0 && !slices.ContainsFunc(l.Lines, func(x Line) bool { return x.Words == Unplaced && x.Share >= Trouble }) {
			t.Errorf("seed %d, few: %+v", seed, l.Lines)
		}
	}
}

// A region whose calls were timed is measured however few samples hit it.
func TestMeasuredAmongSamples(t *testing.T) {
	in := sampledRun(1, 8, 10, []float64{0.5, 0.5}, 1, 2)
	if l := draw(t, in); len(l.Spreads) > 0 {
		t.Fatalf("by samples: %+v", l.Lines)
	}
	in.Stretches = []int{0, 1, 2}
	if l := draw(t, in); l.Headline().Region != "b" {
		t.Errorf("measured: %+v", l.Lines)
	}
}
