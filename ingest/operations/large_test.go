package operations

import (
	"fmt"
	"os"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// TestWriteLargeTable makes the table that scripts/training-size measures with:
// AUSPEX_LARGE_TABLE names the file, AUSPEX_LARGE_STEPS the number of steps of
// 1,024 workers (1,000 where it is not set).
func TestWriteLargeTable(t *testing.T) {
	path := os.Getenv("AUSPEX_LARGE_TABLE")
	if path == "" {
		t.Skip("AUSPEX_LARGE_TABLE is not set")
	}
	steps := 1000
	if text := os.Getenv("AUSPEX_LARGE_STEPS"); text != "" {
		if _, err := fmt.Sscan(text, &steps); err != nil {
			t.Fatal(err)
		}
	}
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	w := parquet.NewGenericWriter[row](out, parquet.MaxRowsPerRowGroup(1<<20))
	var list []row
	for step := range steps {
		list = list[:0]
		for data := range 128 {
			for stage := range 8 {
				list = worker(list, step, data, stage)
			}
		}
		if _, err := w.Write(list); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// worker appends a step of one worker: eight microbatches forward and backward
// through eight stages, and the end of the step.
func worker(list []row, step, data, stage int) []row {
	at := float64(step) * 100
	add := func(kind string, seq int, length float64) {
		list = append(list, row{
			DPRank: int32(data), Stage: int32(stage), Rank: int64(data*8 + stage), Step: int64(step), OpType: kind, Start: at, Duration: length,
			Seq: int64(seq), Whole: float64(stage),
		})
		at += length
	}
	time := 0.1 + 0.001*float64((step*31+data*17+stage*7)%13)
	for b := range 8 {
		if stage > 0 {
			add("forward-recv", b, 0.001)
		}
		add("forward-compute", b, time)
		if stage < 7 {
			add("forward-send", b, 0.001)
		}
	}
	for b := range 8 {
		if stage < 7 {
			add("backward-recv", b, 0.001)
		}
		add("backward-compute", b, time)
		if stage > 0 {
			add("backward-send", b, 0.001)
		}
	}
	add("grads-reduce-scatter", 0, 0.01)
	add("optimizer-clip-main-grad", 0, 0.001)
	add("optimizer", 0, 0.01)
	return list
}
