package analyze

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"auspex/fuzzy"
	"auspex/model"
	"auspex/perfql"
	"auspex/store"
)

// synthetic stores units × regions summaries of some metrics, every unit in
// every region, with a tenth of the regions communication.
func synthetic(b *testing.B, units, regions int, metrics ...string) *store.Store {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	e := &model.Experiment{Header: model.Header{Name: "synthetic"}}
	for _, name := range metrics {
		e.Metrics = append(e.Metrics, model.NewMetric(name, "", model.Exclusive))
	}
	for u := range units {
		e.Units = append(e.Units, model.Unit{Node: fmt.Sprint("n", u/64), Process: u})
	}
	e.Regions = append(e.Regions, model.Region{Name: "main", Parent: model.NoParent})
	for r := 1; r < regions; r++ {
		region := model.Region{Name: fmt.Sprint("r", r), Parent: 0}
		if r%10 == 0 {
			region.Name, region.Kind = fmt.Sprint("MPI_", r), model.MPI
		}
		e.Regions = append(e.Regions, region)
	}
	rows := units * regions
	e.Summaries.Unit, e.Summaries.Region = make([]int32, rows), make([]int32, rows)
	e.Summaries.Values = make([][]float64, len(metrics))
	for k := range metrics {
		e.Summaries.Values[k] = make([]float64, rows)
	}
	for i := range rows {
		u, r := i/regions, i%regions
		e.Summaries.Unit[i], e.Summaries.Region[i] = int32(u), int32(r)
		for k := range metrics {
			e.Summaries.Values[k][i] = random.Float64() * float64(1+r%50)
		}
	}
	s := store.Open(b.TempDir())
	if err := s.Put(e, false); err != nil {
		b.Fatal(err)
	}
	return s
}

// reopened opens the experiment anew, so that each round reads it from disk.
func reopened(b *testing.B, s *store.Store) *Dataset {
	b.Helper()
	stored, err := s.Get("synthetic")
	if err != nil {
		b.Fatal(err)
	}
	d, err := Open(stored)
	if err != nil {
		b.Fatal(err)
	}
	return d
}

// A two-metric query over 20 million region summaries, read from the store, on
// two cores is to take less than a second.
func BenchmarkQuery20M(b *testing.B) {
	s := synthetic(b, 40960, 500, model.WallTime, model.L2Misses)
	for _, c := range []struct{ name, query string }{
		{"shapes", "(wtime is S(30, 60)) AND (l2_misses is very Z(1, 20)) BY summary WITH DEGREE > 0.5 LIMIT 100"},
		{"words", "(wtime is high) AND (l2_misses is S(1e5, 1e6)) LIMIT 100"},
		{"imbalance", "(wtime is not low) AND (imbalance is high) LIMIT 100"},
	} {
		b.Run(c.name, func(b *testing.B) {
			q, err := perfql.Parse(c.query)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := Query(context.Background(), sharedEngine, q, ShippedWords(), searched(reopened(b, s))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Over 4,096 units × 500 regions these are to take less than half a second
// each, loading included.
func BenchmarkWords2M(b *testing.B) {
	s := synthetic(b, 4096, 500, model.WallTime, model.L2Misses)
	var metrics []ScoreMetric
	for _, text := range []string{"wtime:0.7", "imbalance:0.3"} {
		m, err := ParseScoreMetric(text)
		if err != nil {
			b.Fatal(err)
		}
		metrics = append(metrics, m)
	}
	words := ShippedWords()
	for _, c := range []struct {
		name string
		run  func(d *Dataset) error
	}{
		{"classify", func(d *Dataset) error { _, err := Classify(d, words, "wtime", nil, nil, AcrossMean); return err }},
		{"classify-max", func(d *Dataset) error { _, err := Classify(d, words, "wtime", nil, nil, AcrossMax); return err }},
		{"classify-each", func(d *Dataset) error { _, err := Classify(d, words, "wtime", nil, nil, AcrossEach); return err }},
		{"score", func(d *Dataset) error { _, err := Score(d, words, metrics, ScoreBase{}, ByRegion, Impact); return err }},
		{"rank-units", func(d *Dataset) error {
			scores, err := Score(d, words, metrics, ScoreBase{}, ByUnit, Impact)
			if err == nil {
				_, err = Rank(d, words, scores)
			}
			return err
		}},
		{"rules", func(d *Dataset) error {
			_, err := ApplyRules(d, words, ShippedRules(), nil, fuzzy.Centroid)
			return err
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if err := c.run(reopened(b, s)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
