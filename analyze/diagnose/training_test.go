package diagnose

import (
	"slices"
	"testing"

	"auspex/analyze"
	"auspex/internal/sample"
	"auspex/model"
	"auspex/training"
)

// TestTrainingCore: the late rank is alone in its kind, and the core is the range
// by its own name, on whatever path the profile has it.
func TestTrainingCore(t *testing.T) {
	b := model.NewBuilder()
	wtime := b.Metric(model.NewMetric(model.WallTime, "s", model.Exclusive))
	whole := b.Region(model.Region{Name: "ProfilerStep", Kind: model.Function, Parent: model.NoParent})
	forward := b.Region(model.Region{Name: "fwd", Kind: model.Function, Parent: whole})
	for rank := range 3 {
		b.Add(b.Unit(model.Unit{Process: rank}), forward, wtime, 1)
	}
	e, err := b.Build(model.Header{Name: "job"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := analyze.Open(sample.Stored(t, e))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		straggler training.Straggler
		cccr      []string
	}{
		{training.Straggler{Rank: 1, Side: training.Host, Region: "fwd", Share: 0.5}, []string{"fwd"}},
		{training.Straggler{Rank: 1, Side: training.Host, Share: 0.5}, []string{"ProfilerStep"}},
		{training.Straggler{Rank: 1, Side: training.Host, Share: 0.5, Operators: []training.OperatorTime{{Operator: "aten::sort"}}}, []string{"aten::sort"}},
	} {
		var r Diagnosis
		r.Training(&training.Result{Ranks: make([]training.RankResult, 3), Stragglers: []training.Straggler{c.straggler}, Seconds: 1}, d, analyze.ShippedWords())
		if !slices.Equal(r.CCCR, c.cccr) || !slices.ContainsFunc(r.Kinds, func(k []Name) bool { return len(k) == 1 && k[0].Process == 1 }) {
			t.Errorf("cores %v, kinds %v", r.CCCR, r.Kinds)
		}
	}
}
