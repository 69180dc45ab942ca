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

// TestNoLongerThanTheRun: where stops make the replay longer than the run, the run time
// is the run's, and no factor is above 1.
func TestNoLongerThanTheRun(t *testing.T) {
	second, barrier := trace.Action{Kind: trace.Compute, Value: 1e9}, trace.Action{Kind: trace.Barrier}
	stops := trace.Stops{{{Action: 1, Within: true, Seconds: 3}}, nil}
	r, err := pop.Replay(t.Context(), traceOf([]trace.Action{second, barrier, barrier}, []trace.Action{second, second, barrier, barrier}), 3, loggp.Options{Stops: stops})
	f := pop.Of(r)
	if err != nil || r.Seconds != 3 || r.Ideal != 3 || *f.Communication > 1 || *f.Transfer > 1+1e-9 || len(r.Notes) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}
