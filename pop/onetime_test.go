package pop_test

import (
	"math"
	"strings"
	"testing"

	"auspex/pop"
	"auspex/simulate/loggp"
	"auspex/trace"
)

func traceOf(ranks ...[]trace.Action) *trace.Trace {
	t := &trace.Trace{Name: "by hand"}
	for r, actions := range ranks {
		b := trace.NewBuilder(r)
		for i := range actions {
			b.Add(&actions[i])
		}
		t.Programs = append(t.Programs, b.Program())
	}
	return t
}

// TestRunTimeStays: a rank that hands its part to a late root and goes on is not held
// up: the run of 2 s is one of 2 s on the ideal network, too.
func TestRunTimeStays(t *testing.T) {
	reduce := trace.Action{Kind: trace.Reduce, Count: 8}
	second := trace.Action{Kind: trace.Compute, Value: 1e9}
	r, err := pop.Replay(t.Context(), traceOf([]trace.Action{second, second, reduce}, []trace.Action{second, reduce, second}), 2, loggp.Options{})
	if err != nil || r.Seconds != 2 || r.Ideal != 2 || len(r.Notes) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestHandshakes: a large message waits for its receiver; it is said what the run
// would take if it did not.
func TestHandshakes(t *testing.T) {
	second := trace.Action{Kind: trace.Compute, Value: 1e9}
	r, err := pop.Replay(t.Context(), traceOf([]trace.Action{{Kind: trace.Send, Peer: 1, Count: 100000}, second}, []trace.Action{second, second, {Kind: trace.Recv, Peer: 0, Count: 100000}}), 3, loggp.Options{})
	if err != nil || math.Abs(r.Ideal-3) > 1e-9 || !strings.Contains(strings.Join(r.Notes, ""), "messages of 32 KiB and more wait for their receivers; where none did, as with whatif --network ideal, the run would take 2 s") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestWithoutACoreInMPI: rank 0 computes 1 s and then stands 3 s in a barrier without a
// core, for which rank 1 waits in the next. That is neither computation nor waiting on
// an ideal network, and no message's cost.
func TestWithoutACoreInMPI(t *testing.T) {
	second, barrier := trace.Action{Kind: trace.Compute, Value: 1e9}, trace.Action{Kind: trace.Barrier}
	stops := trace.Stops{{{Action: 1, Within: true, Seconds: 3}}, nil}
	r, err := pop.Replay(t.Context(), traceOf([]trace.Action{second, barrier, barrier}, []trace.Action{second, barrier, barrier}), 5, loggp.Options{Stops: stops})
	f := pop.Of(r)
	if err != nil || r.Ideal != 1 || r.NoCore != 3 || *f.Parallel != 0.2 || *f.Serialization != 1 || math.Abs(*f.Transfer-0.2) > 1e-9 || math.Abs(*f.Cores-0.4) > 1e-9 {
		t.Errorf("%+v %+v, %v", r, f, err)
	}
	if want := "Look at cores (ranks could have gone on within MPI and had no core) and transfer"; !strings.Contains(f.Words(), want) {
		t.Errorf("%s\nwant: %s", f.Words(), want)
	}
}

// TestNoLongerThanTheRun: where stops make the replay longer than the run, the run time
// is the run's, and no factor is above 1.
func TestNoLongerThanTheRun(t *testing.T) {
	second, barrier := trace.Action{Kind: trace.Compute, Value: 1e9}, trace.Action{Kind: trace.Barrier}
	stops := trace.Stops{{{Action: 0, Seconds: 3}}, nil}
	r, err := pop.Replay(t.Context(), traceOf([]trace.Action{second, barrier, barrier}, []trace.Action{second, second, barrier, barrier}), 3, loggp.Options{Stops: stops})
	f := pop.Of(r)
	if err != nil || r.Seconds != 3 || r.Ideal != 3 || *f.Communication > 1 || *f.Transfer > 1+1e-9 || len(r.Notes) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}
