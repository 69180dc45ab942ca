package cli

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"auspex/model"
	"auspex/store"
)

// spmd is a program of many processes in six kinds: 200 regions in five
// levels, six metrics, and the kinds made in one region of the deepest level
// by the instructions it executes.
func spmd(units int) *model.Experiment {
	e := &model.Experiment{Header: model.Header{Name: "spmd", Runs: 1}}
	for u := range units {
		e.Units = append(e.Units, model.Unit{Process: u})
	}
	levels := []int{1, 10, 30, 60, 99}
	first, guilty := 0, 0
	for level, count := range levels {
		for k := range count {
			r := model.Region{Name: fmt.Sprintf("r%d_%d", level, k), Kind: model.Function, Parent: model.NoParent}
			if level > 0 {
				r.Parent = first - levels[level-1] + k*levels[level-1]/count
			}
			e.Regions = append(e.Regions, r)
		}
		first += count
		guilty = first - count/2
	}
	for _, name := range []string{model.CPUTime, model.Instructions, model.Cycles, model.L1Misses, model.L2Misses, model.BytesSent} {
		e.Metrics = append(e.Metrics, model.NewMetric(name, "", model.Exclusive))
	}
	s := &e.Summaries
	rows := units * len(e.Regions)
	s.Unit, s.Region = make([]int32, rows), make([]int32, rows)
	s.Values = make([][]float64, len(e.Metrics))
	for m := range s.Values {
		s.Values[m] = make([]float64, rows)
	}
	random := rand.New(rand.NewPCG(3, 7))
	noisy := func(v float64) float64 { return v * (0.99 + 0.02*random.Float64()) }
	row := 0
	for u := range units {
		for r := range e.Regions {
			work := 1.0
			if r == guilty {
				work = 40 + 40*float64(u%6)
			}
			s.Unit[row], s.Region[row] = int32(u), int32(r)
			for m, per := range []float64{1, 2e9, 2.4e9, 6e7, 8e6, 1e5} {
				s.Values[m][row] = noisy(work * per)
			}
			s.Values[5][row] = noisy(1e5)
			row++
		}
	}
	return e
}

func BenchmarkDiagnose(b *testing.B) {
	for _, units := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(units), func(b *testing.B) {
			dir := b.TempDir()
			if err := store.Open(dir).Put(spmd(units), false); err != nil {
				b.Fatal(err)
			}
			whole(b, 0, "--store", dir, "diagnose", "spmd")
		})
	}
}
