package launch

import (
	"math"
	"testing"

	"auspex/probe"
	"auspex/trace"
)

// A loop of which eight turns ran and five were skipped: two messages a turn, a
// cold first one, then computation of 100 and 300 ns, and 40 at the turn's end.
func TestTurns(t *testing.T) {
	b := trace.NewBuilder(0)
	b.Means = true
	r := recorder{ctx: t.Context(), to: b, at: -1}
	r.turns = turns{to: b, deviations: map[int]float64{}}
	event := func(kind probe.EventKind, tag int, compute float64, count int64) {
		t.Helper()
		e := probe.Event{Kind: kind, Comm: 0, Tag: tag, Peer: 1, Compute: compute, Count: count, Site: -1}
		if kind == probe.EventTurn || kind == probe.EventRepeat {
			e.Comm, e.Peer = 7, 0
		}
		if err := r.Event(&e); err != nil {
			t.Fatal(err)
		}
	}
	event(probe.EventInit, 0, 0, 0)
	event(probe.EventTurn, 0, 10, 0)
	for turn := range 8 {
		cold := 0.0
		if turn < 2 {
			cold = 5000
		}
		event(probe.EventSend, 0, 100+cold, 800)
		event(probe.EventSend, 0, 300, 800+int64(turn%2)*200)
		event(probe.EventTurn, 1, 40, 0)
	}
	event(probe.EventRepeat, 0, 0, 5)
	event(probe.EventFinalize, 0, 60, 0)
	whole := trace.Trace{Programs: []trace.Program{b.Program()}}
	sends, computes := 0, []float64{}
	sum := 0.0
	c := whole.Cursor(0)
	var a trace.Action
	for c.Next(&a) {
		switch a.Kind {
		case trace.Send:
			sends++
		case trace.Compute:
			computes = append(computes, a.Value)
			sum += a.Value
		}
	}
	if sends != 2*13 {
		t.Errorf("%d messages, want those of 13 turns", sends)
	}
	// All that was measured, and five turns as the warm ones were.
	if want := 10 + 8*440 + 2*5000 + 5*440 + 60.0; math.Abs(sum-want) > 1e-6 {
		t.Errorf("%v ns of computation, want %v: %v", sum, want, computes)
	}
	if got := r.turns.deviations[7]; math.Abs(got-0.2) > 1e-9 {
		t.Errorf("messages of 800 and 1000 bytes differ by %v", got)
	}
	if err := r.Event(&probe.Event{Kind: probe.EventRepeat, Comm: 7, Count: 5, Site: -1}); err == nil {
		t.Error("turns repeated outside of any loop")
	}
}
