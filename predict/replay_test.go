package predict

import (
	"testing"

	"auspex/trace"
)

// Which of several messages came first is no difference between runs; what is done
// about it is.
func TestRunsThatDiffer(t *testing.T) {
	run := func(first, second int32) *trace.Trace {
		return made(3, func(rank, _ int, do func(trace.Action)) {
			if rank > 0 {
				do(trace.Action{Kind: trace.Send, Type: trace.Byte, Peer: 0, Count: 8})
				return
			}
			do(trace.Action{Kind: trace.Recv, Type: trace.Byte, Peer: first, Count: 8})
			do(trace.Action{Kind: trace.Send, Type: trace.Byte, Peer: second, Count: 8})
		})
	}
	if where := differ(run(1, 1), run(2, 1), cameFirst); where != "" {
		t.Error(where)
	}
	if where := differ(run(1, 1), run(2, 2), cameFirst); where == "" {
		t.Error("a message to another rank is no difference")
	}
	if where := differ(run(1, 1), run(2, 1), waits); where == "" {
		t.Error("a message from another rank is no difference")
	}
}
