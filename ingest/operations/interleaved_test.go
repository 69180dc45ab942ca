package operations

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// interleaved is a step of two stages with two chunks each (chunks 0 and 2 of
// the model on stage 0, 1 and 3 on stage 1), two micro-batches and one
// data-parallel rank: all forward passes, then all backward passes. Only
// transfers that happen are written down.
func interleaved(slow float64) (rows []row, seconds float64) {
	free := [2]float64{}
	ready := map[[2]int]float64{} // by chunk of the model and micro-batch
	seq := map[string]int64{}
	add := func(stage int, kind string, chunk int, at, time float64) {
		key := fmt.Sprint(stage, kind)
		part := int64(chunk / 2)
		rows = append(rows, row{Stage: int32(stage), Rank: int64(stage), OpType: kind, Start: at, Duration: time, Seq: seq[key], Chunk: &part, Whole: float64(chunk)})
		seq[key]++
	}
	pass := func(way string, chunk, next, batch int, time float64) {
		stage := chunk % 2
		if stage == 1 {
			time *= slow
		}
		at := max(free[stage], ready[[2]int{chunk, batch}])
		add(stage, way+"-compute", chunk, at, time)
		free[stage] = at + time
		if next >= 0 && next < 4 {
			add(stage, way+"-send", chunk, free[stage], 0.25)
			add(next%2, way+"-recv", next, free[stage], 0.25)
			ready[[2]int{next, batch}] = free[stage] + 0.25
		}
	}
	for chunk := range 4 {
		for batch := range 2 {
			pass("forward", chunk, chunk+1, batch, 1)
		}
	}
	clear(ready)
	for chunk := 3; chunk >= 0; chunk-- {
		for batch := range 2 {
			pass("backward", chunk, chunk-1, batch, 2)
		}
	}
	for stage := range 2 {
		add(stage, "optimizer", stage, free[stage], 0.5)
		seconds = max(seconds, free[stage]+0.5)
	}
	return rows, seconds
}

// TestInterleaved: where stages hold several chunks, transfers belong to the
// computations that have a partner; the replay takes about as long as the step
// did, with or without sequence numbers and numbers of chunks over all stages.
func TestInterleaved(t *testing.T) {
	rows, seconds := interleaved(1.5)
	columns := []string{"dp_rank", "stage", "rank", "step", "optype", "start_ts", "duration", "seq_id", "mc", "gmc"}
	want := answer(t, "t.parquet", write(t, rows))
	// A receive is taken to start after the computation before, so the replay
	// may be a little longer.
	if want.Seconds < 0.99*seconds || want.Seconds > 1.06*seconds {
		t.Errorf("a step of %v s is replayed in %v s", seconds, want.Seconds)
	}
	if *want.Slowdown < 1.05 || want.Stages[1].Slowdown <= want.Stages[0].Slowdown {
		t.Errorf("S %v, stages %v", *want.Slowdown, want.Stages)
	}
	for _, without := range [][]string{{"seq_id"}, {"gmc"}, {"seq_id", "gmc"}} {
		names := slices.DeleteFunc(slices.Clone(columns), func(c string) bool { return slices.Contains(without, c) })
		got := answer(t, "t.csv", csvOf(rows, names, paperValue))
		same(t, fmt.Sprint("S without ", without), *got.Slowdown, *want.Slowdown)
		same(t, fmt.Sprint("a stage without ", without), got.Stages[1].Slowdown, want.Stages[1].Slowdown)
	}
}

// TestNanosecondsFromZero: starts that count nanoseconds from the job's start
// are not taken for seconds since 1970.
func TestNanosecondsFromZero(t *testing.T) {
	rows := rows()
	names := []string{"dp_rank", "stage", "step", "optype", "start_ts", "duration"}
	got := answer(t, "t.csv", csvOf(rows, names, func(r row, column string) string {
		switch column {
		case "start_ts":
			return fmt.Sprintf("%.0f", r.Start*1e9)
		case "duration":
			return fmt.Sprintf("%.0f", r.Duration*1e9)
		}
		return paperValue(r, column)
	}))
	same(t, "seconds", got.Seconds, 6)
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "nanoseconds") {
		t.Errorf("notes: %q", got.Notes)
	}
}
