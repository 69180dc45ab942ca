package sample

import (
	"bytes"
	"testing"

	"auspex/trace"
)

// UnevenTrace is the trace of ranks that meet five times, each of which computes
// longer than the one before it.
func UnevenTrace(t testing.TB, ranks int) []byte {
	t.Helper()
	program := &trace.Trace{Name: "uneven", Nanoseconds: true}
	for r := range ranks {
		b := trace.NewBuilder(r)
		b.Add(&trace.Action{Kind: trace.Init})
		for range 5 {
			b.Add(&trace.Action{Kind: trace.Location, File: "main/work"})
			b.Add(&trace.Action{Kind: trace.Compute, Value: float64(1+r) * 1e9})
			b.Add(&trace.Action{Kind: trace.Barrier})
		}
		b.Add(&trace.Action{Kind: trace.Finalize})
		program.Programs = append(program.Programs, b.Program())
	}
	var data bytes.Buffer
	if err := trace.Write(&data, program); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}
