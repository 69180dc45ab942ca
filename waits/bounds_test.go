package waits_test

import (
	"math"
	"runtime"
	"testing"

	"auspex/events"
	"auspex/trace"
	"auspex/waits"
)

// relay feeds two ranks that take turns at being late by 10 ns, for some turns; every
// now and then, where it is asked for, both meet.
func relay(a *waits.Analyzer, turns int64, meet bool) {
	const work, send, receive, call = 0, 1, 2, 3
	for i := range turns {
		late, other := int32(i%2), int32(1-i%2)
		begin := 100 * i
		a.Span(&events.Span{Loc: late, Kind: trace.Compute, Path: work, Root: -1, Begin: begin, End: begin + 90})
		a.Span(&events.Span{Loc: other, Kind: trace.Compute, Path: work, Root: -1, Begin: begin, End: begin + 80})
		a.Span(&events.Span{Loc: late, Kind: trace.Send, Path: send, Root: -1, Begin: begin + 90, End: begin + 95, Messages: []events.Half{{Side: events.Sent, Peer: other, Tag: int32(i), Posted: begin + 90}}})
		a.Span(&events.Span{Loc: other, Kind: trace.Recv, Path: receive, Root: -1, Begin: begin + 80, End: begin + 95, Messages: []events.Half{{Side: events.Received, Peer: late, Tag: int32(i), Posted: begin + 80}}})
		for loc := range int32(2) {
			if kind := trace.Barrier; meet && i%100 == 99 {
				a.Span(&events.Span{Loc: loc, Kind: kind, Path: call, Root: -1, Begin: begin + 95, End: begin + 100})
			} else {
				a.Span(&events.Span{Loc: loc, Kind: trace.Compute, Path: work, Root: -1, Begin: begin + 95, End: begin + 100})
			}
		}
	}
}

func relayed() *waits.Analyzer {
	return waits.NewAnalyzer(&events.Header{Ranks: 2, Locations: []events.Location{{Rank: 0}, {Rank: 1}}, Comms: [][]int32{nil},
		Paths: []events.Path{{Name: "A"}, {Name: "S"}, {Name: "R"}, {Name: "B"}}})
}

// kept is how many bytes an analysis holds after some turns of a relay.
func kept(turns int64, meet bool) int64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	a := relayed()
	relay(a, turns, meet)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(a)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// TestMemory: what an analysis keeps does not grow with the trace, whether the ranks ever
// meet or not.
func TestMemory(t *testing.T) {
	if few, many := kept(2000, true), kept(100_000, true); many > few+100<<10 {
		t.Errorf("of ranks that meet %d bytes are kept after 2000 turns, %d after 100,000", few, many)
	}
	if testing.Short() {
		t.Skip("3 million spans")
	}
	// A million stretches of the critical path are kept, of 40 bytes each, in lists that
	// have up to twice the room.
	if few, many := kept(300_000, false), kept(500_000, false); max(few, many) > 130<<20 {
		t.Errorf("of ranks that never meet %d bytes are kept after 300,000 turns, %d after 500,000", few, many)
	}
}

// TestLongPath: where ranks never meet all at once, the critical path is summed up now and
// then, and stays as long as the run.
func TestLongPath(t *testing.T) {
	const turns = 300_000 // of six spans, more than are kept
	for _, meet := range []bool{true, false} {
		a := relayed()
		relay(a, turns, meet)
		r := a.Report()
		path := 0.0
		for _, o := range r.CriticalPath {
			path += o.Seconds
		}
		if math.Abs(path-r.Seconds) > 1e-9*r.Seconds {
			t.Errorf("the critical path is %g s long, the run %g s", path, r.Seconds)
		}
		if want := turns * 10e-9; math.Abs(r.Waited-want) > 0.001*want {
			t.Errorf("ranks wait %g s, not %g", r.Waited, want)
		}
		balanced(t, r)
	}
}

// TestOwnMessage: a rank that sends to itself waits for itself; the critical path goes on
// before that as to any call.
func TestOwnMessage(t *testing.T) {
	src := write(t, `
0 compute A 0 2
0 send S 2 2.5 ->0
0 recv R 2.2 2.5 <-0
1 compute A 0 1`)
	r, err := waits.Analyze(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	path := 0.0
	for _, o := range r.CriticalPath {
		path += o.Seconds
	}
	if path < 2.5 || path > 2.8 { // the two calls are at the same time
		t.Errorf("the critical path is %g s long: %+v", path, r.CriticalPath)
	}
}
