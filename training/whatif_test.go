package training_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"auspex/training"
)

// pipeline makes the table of a job: forward and backward passes of each
// microbatch on each stage, sends and receives between stages, and the end of
// the step. Time tells how long a pass takes.
func pipeline(t interface{ Fatal(...any) }, steps, data, stages, batches int, time func(step, data, stage int, forward bool) float64) *training.Operations {
	table := training.NewOperations()
	for step := range steps {
		for d := range data {
			for s := range stages {
				at := 0.0
				add := func(kind string, seq int, length float64) {
					err := table.Add(training.Operation{
						Rank: d*stages + s, Data: d, Stage: s, Step: step, Kind: kind, Seq: seq, Start: float64(step)*100 + at, Time: length, Whole: s,
					})
					if err != nil {
						t.Fatal(err)
					}
					at += length
				}
				for b := range batches {
					if s > 0 {
						add("forward-recv", b, 0.001)
					}
					add("forward-compute", b, time(step, d, s, true))
					if s < stages-1 {
						add("forward-send", b, 0.001)
					}
				}
				for b := range batches {
					if s < stages-1 {
						add("backward-recv", b, 0.001)
					}
					add("backward-compute", b, time(step, d, s, false))
					if s > 0 {
						add("backward-send", b, 0.001)
					}
				}
				add("grads-reduce-scatter", 0, 0.01)
				add("optimizer-clip-main-grad", 0, 0.001)
				add("optimizer", 0, 0.01)
			}
		}
	}
	return table
}

// TestEqualWorkersLoseNothing: where all take the same time there is next to nothing
// to gain.
func TestEqualWorkersLoseNothing(t *testing.T) {
	r, err := training.WhatIf(pipeline(t, 2, 2, 3, 4, func(int, int, int, bool) float64 { return 0.1 }))
	if err != nil {
		t.Fatal(err)
	}
	if *r.Slowdown < 0.98 || *r.Slowdown > 1.02 || !strings.Contains(r.Words, "No straggler") {
		t.Errorf("S %.6f: %s", *r.Slowdown, r.Words)
	}
}

// TestOneSlowWorker: the rank and the stage of a worker that takes three times
// as long stand out, and the loss is gone without it.
func TestOneSlowWorker(t *testing.T) {
	r, err := training.WhatIf(pipeline(t, 3, 4, 3, 6, func(_, d, s int, _ bool) float64 {
		if d == 2 && s == 1 {
			return 0.3
		}
		return 0.1
	}))
	if err != nil {
		t.Fatal(err)
	}
	for d, rank := range r.Ranks {
		if d != 2 && *rank.Slowdown >= *r.Ranks[2].Slowdown {
			t.Errorf("rank %d costs %.3f, the slow one %.3f", d, *rank.Slowdown, *r.Ranks[2].Slowdown)
		}
	}
	if r.Stages[1].Slowdown <= max(r.Stages[0].Slowdown, r.Stages[2].Slowdown) {
		t.Errorf("stage 1 is the slow one: %v", r.Stages)
	}
	if *r.WorstWorkers < 0.9 || !strings.Contains(r.Words, "stage 1 of data-parallel rank 2") {
		t.Errorf("the worst worker explains %.3f: %s", *r.WorstWorkers, r.Words)
	}
	for _, s := range r.Steps {
		if s.LastRank == nil || *s.LastRank != 2 {
			t.Errorf("step %d waits for rank 2: %+v", s.Step, s)
		}
	}
}

// TestWhatIfBounds: with any times, what one rank alone costs is no more than
// what all together cost, and times scale.
func TestWhatIfBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.Float64Range(0.01, 1), 2*2*2*2, 2*2*2*2).Draw(t, "times")
		at := func(step, d, s int, forward bool) float64 {
			i := step*8 + d*4 + s*2
			if forward {
				i++
			}
			return times[i]
		}
		one, err := training.WhatIf(pipeline(t, 2, 2, 2, 3, at))
		if err != nil {
			t.Fatal(err)
		}
		twice, err := training.WhatIf(pipeline(t, 2, 2, 2, 3, func(step, d, s int, f bool) float64 { return 2 * at(step, d, s, f) }))
		if err != nil {
			t.Fatal(err)
		}
		if !(*one.Slowdown > 0) || math.IsInf(*one.Slowdown, 0) || !(*one.Ideal > 0) {
			t.Fatalf("S %v of %v s", *one.Slowdown, *one.Ideal)
		}
		// Passes dominate: the doubled job takes between once and twice as long.
		if twice.Seconds < one.Seconds*0.999 || twice.Seconds > one.Seconds*2.001 {
			t.Fatalf("twice the work takes %.4f s instead of %.4f", twice.Seconds, one.Seconds)
		}
	})
}

func TestBadOperations(t *testing.T) {
	for _, op := range []training.Operation{
		{Stage: -1}, {Data: -1}, {Seq: -2}, {Time: -1}, {Time: math.NaN()}, {Start: math.Inf(1)}, {Stage: 1 << 30},
	} {
		if err := training.NewOperations().Add(op); err == nil {
			t.Errorf("%+v was taken", op)
		}
	}
	if _, err := training.WhatIf(training.NewOperations()); err == nil {
		t.Error("a table of nothing has an answer")
	}
	table := training.NewOperations()
	for i := range 2 {
		if err := table.Add(training.Operation{Rank: i, Kind: "forward-compute", Time: 1 + float64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := training.WhatIf(table); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("two ranks of one stage: %v", err)
	}
	table = training.NewOperations()
	if err := table.Add(training.Operation{Kind: "forward-compute", Time: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := training.WhatIf(table); err == nil || !strings.Contains(err.Error(), "optimizer") {
		t.Errorf("a step without an end: %v", err)
	}
}

// BenchmarkWhatIf is a job of 1,024 workers and 1,000 steps; run it with
// -benchtime 1x.
func BenchmarkWhatIf(b *testing.B) {
	for range b.N {
		b.StopTimer()
		table := pipeline(b, 1000, 128, 8, 8, func(step, d, s int, _ bool) float64 {
			return 0.1 + 0.001*float64((step*31+d*17+s*7)%13)
		})
		b.StartTimer()
		r, err := training.WhatIf(table)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(table.Len()), "operations")
		b.ReportMetric(*r.Slowdown, "S")
	}
}
