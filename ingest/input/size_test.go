package input

import (
	"testing"

	"auspex/model"
)

// TestThreadsFactor: it is the number of threads of some process, not a mean.
func TestThreadsFactor(t *testing.T) {
	e := &model.Experiment{Units: []model.Unit{{}}}
	for thread := range 8 {
		e.Units = append(e.Units, model.Unit{Process: 1, Thread: thread})
	}
	SetSizeFactors(e)
	for name, want := range map[string]float64{"ranks": 2, "threads": 8} {
		if f, ok := e.Factor(name); !ok || f.Number != want {
			t.Errorf("%s is %v, want %g", name, f, want)
		}
	}
}

// One unit that is the mean of many processes is not a run of one.
func TestRanksOfAverages(t *testing.T) {
	for over, want := range map[string]float64{"343": 343, "ranks": 0} {
		e := &model.Experiment{Units: []model.Unit{{}}}
		e.SetFactor(model.NewFactor(model.AveragedOver, over))
		SetSizeFactors(e)
		if f, ok := e.Factor("ranks"); f.Number != want || ok != (want > 0) {
			t.Errorf("over %s: ranks is %v", over, f)
		}
	}
}
