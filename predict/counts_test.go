package predict

import (
	"strings"
	"testing"

	"auspex/trace"
)

// circle is a step of n processes that compute 1 s + 8 s / n and pass 100 bytes on.
func circle(n int) *trace.Trace {
	t := &trace.Trace{Name: "ring", Nanoseconds: true}
	for rank := range n {
		b := trace.NewBuilder(rank)
		b.Add(&trace.Action{Kind: trace.Init})
		b.Add(&trace.Action{Kind: trace.Compute, Value: 1e9 + 8e9/float64(n)})
		b.Add(&trace.Action{Kind: trace.Irecv, Type: trace.Byte, Peer: int32((rank + n - 1) % n), Count: 100})
		b.Add(&trace.Action{Kind: trace.Isend, Type: trace.Byte, Peer: int32((rank + 1) % n), Count: 100})
		b.Add(&trace.Action{Kind: trace.WaitAll})
		b.Add(&trace.Action{Kind: trace.Finalize})
		t.Programs = append(t.Programs, b.Program())
	}
	return t
}

// TestCountsNotRun: the trace of 16 processes from those of 8 and 4, in whatever
// order they are given.
func TestCountsNotRun(t *testing.T) {
	made, note, err := Extrapolate([]*trace.Trace{circle(8), circle(4)}, 16)
	if err != nil || made.NP() != 16 {
		t.Fatalf("%v, %v", made, err)
	}
	if !strings.Contains(note, "1 s + 8 s / np") || !strings.Contains(note, "those of 4 and 8") {
		t.Errorf("noted: %s", note)
	}
	if got := computed(made, 5); got < 1.499e9 || got > 1.501e9 {
		t.Errorf("rank 5 computes for %g ns", got)
	}
	for _, c := range []struct {
		from []*trace.Trace
		np   int
	}{{[]*trace.Trace{circle(8)}, 16}, {[]*trace.Trace{circle(4), circle(8)}, 8}, {[]*trace.Trace{circle(2), circle(8)}, 16}, {nil, 16}} {
		if _, _, err := Extrapolate(c.from, c.np); err == nil {
			t.Errorf("%d traces for %d processes were not refused", len(c.from), c.np)
		}
	}
}
