package loggp_test

import (
	"testing"

	"auspex/events"
	"auspex/simulate/loggp"
	"auspex/trace"
)

// TestStops works out what a rank without a core costs: two ranks compute 1 s, and
// in a second turn 1 s and 4 s, with a barrier after each and 1 s at the end.
func TestStops(t *testing.T) {
	tr := written(t, 2, func(r int, b *trace.Builder) {
		compute(b, "A", 1)
		b.Add(&trace.Action{Kind: trace.Barrier})
		compute(b, "B", 1+3*float64(r))
		b.Add(&trace.Action{Kind: trace.Barrier})
		compute(b, "C", 1)
	})
	for _, c := range []struct {
		name  string
		rank  int
		stop  trace.Stop
		part  float64
		want  float64 // 6 s without
		still float64
	}{
		{"in computation that others wait for", 1, trace.Stop{Action: 2, Seconds: 2}, 1, 8, 2},
		{"half of it", 1, trace.Stop{Action: 2, Seconds: 2}, 0.5, 7, 1},
		{"gone", 1, trace.Stop{Action: 2, Seconds: 2}, 0, 6, 0},
		{"in computation that waits for others", 0, trace.Stop{Action: 2, Seconds: 2}, 1, 6, 2},
		{"within a call that would have been over", 1, trace.Stop{Action: 3, Within: true, Seconds: 2}, 1, 8, 2},
		{"half of that", 1, trace.Stop{Action: 3, Within: true, Seconds: 2}, 0.5, 7, 1},
		{"within a call that waits longer", 0, trace.Stop{Action: 3, Within: true, Seconds: 2}, 1, 6, 0},
		{"within a call that ends meanwhile", 0, trace.Stop{Action: 3, Within: true, Seconds: 3.5}, 1, 6.5, 0.5},
		{"after a turn of its own", 0, trace.Stop{Action: 3, Within: true, Seconds: 3.5, Rest: 1}, 1, 7.5, 1.5},
		{"after a wait for others", 0, trace.Stop{Action: 3, Within: true, Seconds: 0.5, Rest: 3}, 1, 6, 0},
	} {
		stops := make(trace.Stops, 2)
		stops[c.rank] = []trace.Stop{c.stop}
		o := loggp.Options{Stops: stops, Work: loggp.Work{Cores: []float64{1, 1}, Calls: []float64{1, 1}}}
		o.Work.Cores[c.rank], o.Work.Calls[c.rank] = c.part, c.part
		r := replay(t, tr, o)
		near(t, c.name, r.Seconds, c.want)
		near(t, c.name+", without a core", r.Stopped[c.rank], c.still)
		near(t, c.name+", the other", r.Stopped[1-c.rank], 0)
		if got := told(t, tr, o, c.rank); got != int64(1e9*r.Finish[c.rank]) {
			t.Errorf("%s: spans of rank %d end at %d ns and leave no gap until then, it at %g s", c.name, c.rank, got, r.Finish[c.rank])
		}
	}
	if r := replay(t, tr, loggp.Options{}); r.Stopped != nil {
		t.Errorf("%v stopped where nothing is known of it", r.Stopped)
	}
}

// TestStopOfSeveralActions: a call that waits for a receive and for a send stops once,
// from its beginning on, whichever comes last.
func TestStopOfSeveralActions(t *testing.T) {
	for _, last := range []string{"send", "receive"} {
		tr := written(t, 2, func(r int, b *trace.Builder) {
			me, other := int32(r), int32(1-r)
			compute(b, "A", 1+3*float64(r))
			b.Add(&trace.Action{Kind: trace.Irecv, Type: trace.Byte, Peer: other, Count: 8})
			b.Add(&trace.Action{Kind: trace.Isend, Type: trace.Byte, Peer: other, Count: 8})
			waits := []trace.Action{{Kind: trace.Wait, Peer: other, Peer2: me}, {Kind: trace.Wait, Peer: me, Peer2: other}}
			if last == "receive" {
				waits[0], waits[1] = waits[1], waits[0]
			}
			b.Add(&waits[0])
			b.Add(&waits[1])
		})
		for seconds, still := range map[float64]float64{2: 0, 4: 1} {
			stops := trace.Stops{{{Action: 4, Within: true, Before: 1, Seconds: seconds}}, nil}
			r := replay(t, tr, loggp.Options{Stops: stops})
			near(t, last+" last", r.Finish[0], 4+still)
			near(t, last+" last, without a core", r.Stopped[0], still)
		}
	}
}

// told is where a rank's spans end that follow on each other without a gap.
func told(t *testing.T, tr *trace.Trace, o loggp.Options, rank int) int64 {
	t.Helper()
	end := int64(0)
	err := loggp.NewSource(tr, o).Each(t.Context(), func(s *events.Span) error {
		if int(s.Loc) == rank && s.Begin == end {
			end = s.End
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return end
}

// TestStopWhileWaitingForSeveral: rank 0 waits for 3 s for its receive, and is stopped
// for 2 s of them. The call completes a receive and a send, and the stop stands at
// either of the two.
func TestStopWhileWaitingForSeveral(t *testing.T) {
	tr := written(t, 2, func(r int, b *trace.Builder) {
		if r == 1 {
			compute(b, "A", 3)
		}
		b.Add(&trace.Action{Kind: trace.Irecv, Type: trace.Byte, Peer: int32(1 - r), Count: 8})
		b.Add(&trace.Action{Kind: trace.Isend, Type: trace.Byte, Peer: int32(1 - r), Count: 8})
		b.Add(&trace.Action{Kind: trace.Wait, Peer: int32(1 - r), Peer2: int32(r)})
		b.Add(&trace.Action{Kind: trace.Wait, Peer: int32(r), Peer2: int32(1 - r)})
	})
	for _, at := range []int64{2, 3} {
		r := replay(t, tr, loggp.Options{Stops: trace.Stops{{{Action: at, Within: true, Seconds: 2, Rest: 1}}, nil}})
		near(t, "the run", r.Seconds, 3)
		near(t, "rank 0's computation", r.Compute[0], 0)
	}
}

// TestStopInASendThatWaits: a small send in which a rank spun for long waited for its
// receiver, and what it stood still there is no computation; one in which it only
// stood still is held up.
func TestStopInASendThatWaits(t *testing.T) {
	tr := written(t, 2, func(r int, b *trace.Builder) {
		if r == 0 {
			b.Add(&trace.Action{Kind: trace.Send, Type: trace.Byte, Peer: 1, Count: 8})
			return
		}
		compute(b, "A", 3)
		b.Add(&trace.Action{Kind: trace.Recv, Type: trace.Byte, Peer: 0, Count: 8})
	})
	for rest, want := range map[float64]float64{1.5: 0, 1e-5: 1.5} {
		r := replay(t, tr, loggp.Options{Stops: trace.Stops{{{Action: 0, Within: true, Seconds: 1.5, Rest: rest}}, nil}})
		if got := r.Compute[0]; got < want || got > want+1e-4 {
			t.Errorf("after %g s in the call: %g s of computation, not %g", rest, got, want)
		}
	}
}
