package store

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"auspex/model"
)

// synthetic is the experiment the speed goals are stated for when units is
// 4,096: 500 regions, 8 metrics, 16 million values.
func synthetic(b *testing.B, units int) *model.Experiment {
	b.Helper()
	const regions, metrics = 500, 8
	e := &model.Experiment{Header: model.Header{Name: "synthetic", Runs: 1}}
	for u := range units {
		e.Units = append(e.Units, model.Unit{Process: u})
	}
	for r := range regions {
		e.Regions = append(e.Regions, model.Region{Name: fmt.Sprint("region", r), Kind: model.Function, Parent: (r+1)/2 - 1})
	}
	s := &e.Summaries
	s.Values = make([][]float64, metrics)
	random := rand.New(rand.NewPCG(1, 2))
	for m := range metrics {
		e.Metrics = append(e.Metrics, model.NewMetric(fmt.Sprint("metric", m), "", model.Exclusive))
		s.Values[m] = make([]float64, units*regions)
		for i := range s.Values[m] {
			s.Values[m][i] = random.Float64()
		}
	}
	for u := range units {
		for r := range regions {
			s.Unit = append(s.Unit, int32(u))
			s.Region = append(s.Region, int32(r))
		}
	}
	return e
}

func BenchmarkPut(b *testing.B) {
	e := synthetic(b, 4096)
	b.SetBytes(int64(8 * len(e.Metrics) * e.Summaries.Rows()))
	for i := 0; b.Loop(); i++ {
		if err := Open(b.TempDir()).Put(e, false); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMatrix loads one metric of 4,096 × 500 values, the row index
// included.
func BenchmarkMatrix(b *testing.B) {
	s := Open(b.TempDir())
	if err := s.Put(synthetic(b, 4096), false); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(8 * 4096 * 500)
	for b.Loop() {
		e, err := s.Get("synthetic")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := e.Matrix(3); err != nil {
			b.Fatal(err)
		}
	}
}
