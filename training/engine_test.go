package training_test

import (
	"slices"
	"testing"

	"auspex/ingest/operations"
	"auspex/simulate/loggp"
	"auspex/trace"
	"auspex/training"
)

// TestSameAsTheEngine: the engine that replays traces of MPI programs gives the
// same times as this package's replay. Each operation of each worker becomes a
// process of its own: it receives from all that it waits for, computes, and
// sends to all that wait for it, over the ideal network.
func TestSameAsTheEngine(t *testing.T) {
	for _, job := range []string{"ST", "AR"} {
		t.Run(job, func(t *testing.T) {
			file := shared(t, "llm-stragglers/trace-"+job+".parquet")
			for step := range 2 {
				table, err := operations.Read(t.Context(), file, file)
				if err != nil {
					t.Fatal(err)
				}
				nodes, measured, ideal, err := training.Nodes(table, step)
				if err != nil {
					t.Fatal(err)
				}
				near(t, "the step", engine(t, nodes, func(n training.Node) float64 { return n.Measured }), measured, 1e-6)
				near(t, "the ideal step", engine(t, nodes, func(n training.Node) float64 { return n.Ideal }), ideal, 1e-6)
			}
		})
	}
}

func engine(t *testing.T, nodes []training.Node, seconds func(training.Node) float64) float64 {
	t.Helper()
	next := make([][]int, len(nodes))
	for i := range nodes {
		slices.Sort(nodes[i].After)
		nodes[i].After = slices.Compact(nodes[i].After)
		for _, before := range nodes[i].After {
			next[before] = append(next[before], i)
		}
	}
	tr := &trace.Trace{Name: "operations", Nanoseconds: true}
	for i, n := range nodes {
		b := trace.NewBuilder(i)
		b.Add(&trace.Action{Kind: trace.Init})
		for _, before := range n.After {
			b.Add(&trace.Action{Kind: trace.Recv, Peer: int32(before), Count: 1, Type: trace.Byte})
		}
		b.Add(&trace.Action{Kind: trace.Compute, Value: seconds(n) * 1e9})
		for _, after := range next[i] {
			b.Add(&trace.Action{Kind: trace.Send, Peer: int32(after), Count: 1, Type: trace.Byte})
		}
		b.Add(&trace.Action{Kind: trace.Finalize})
		tr.Programs = append(tr.Programs, b.Program())
	}
	r, err := loggp.Run(t.Context(), tr, loggp.Options{Network: loggp.Ideal()})
	if err != nil {
		t.Fatal(err)
	}
	return r.Seconds
}
