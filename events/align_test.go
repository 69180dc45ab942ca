package events_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"auspex/events"
	"auspex/trace"
)

// fixed is a source of given spans.
type fixed struct {
	header events.Header
	spans  []events.Span
}

func (f *fixed) Header() *events.Header { return &f.header }

func (f *fixed) Each(_ context.Context, visit func(*events.Span) error) error {
	for i := range f.spans {
		if err := visit(&f.spans[i]); err != nil {
			return err
		}
	}
	return nil
}

// pingPong is two ranks; the clock of rank 1 is behind by so many ns. A message
// leaves at 1000 and arrives at 1100, its answer leaves at 2000 and arrives at
// 2100.
func pingPong(behind int64) *fixed {
	f := &fixed{header: events.Header{Name: "ping-pong", Ranks: 2, Locations: []events.Location{{Rank: 0}, {Rank: 1}}, Paths: []events.Path{{Name: "p"}}}}
	call := func(loc int32, kind trace.Kind, begin, end int64, side events.Side) {
		if loc == 1 {
			begin, end = begin-behind, end-behind
		}
		f.spans = append(f.spans, events.Span{Loc: loc, Kind: kind, Root: -1, Begin: begin, End: end, Messages: []events.Half{{Side: side, Peer: 1 - loc, Posted: begin}}})
	}
	call(0, trace.Send, 1000, 1010, events.Sent)
	call(1, trace.Recv, 900, 1100, events.Received)
	call(1, trace.Send, 2000, 2010, events.Sent)
	call(0, trace.Recv, 1900, 2100, events.Received)
	return f
}

// TestAlign: a clock that is behind by 500 lets the message arrive 400 before it
// was sent; a shift of 400 is enough. One that is right stays as it is.
func TestAlign(t *testing.T) {
	src, err := events.Align(t.Context(), pingPong(500))
	if err != nil {
		t.Fatal(err)
	}
	var ends []int64
	if err := src.Each(t.Context(), func(s *events.Span) error { ends = append(ends, s.End); return nil }); err != nil {
		t.Fatal(err)
	}
	if ends[1] != 1000 || ends[0] != 1010 {
		t.Errorf("the calls end at %v", ends)
	}
	notes := strings.Join(src.Header().Notes, "")
	if !strings.Contains(notes, "0.4 µs before") || !strings.Contains(notes, "0 s remain") {
		t.Errorf("noted: %q", notes)
	}
	right := pingPong(0)
	if src, err := events.Align(t.Context(), right); err != nil || src != events.Source(right) || len(right.header.Notes) > 0 {
		t.Errorf("clocks that fit were shifted: %v, %v", src, err)
	}
}

func TestChrome(t *testing.T) {
	var b bytes.Buffer
	if err := events.WriteChrome(t.Context(), &b, pingPong(0)); err != nil {
		t.Fatal(err)
	}
	var read struct {
		TraceEvents []map[string]any `json:"traceEvents"`
	}
	if err := json.Unmarshal(b.Bytes(), &read); err != nil || len(read.TraceEvents) != 2+4 {
		t.Errorf("%d events, %v", len(read.TraceEvents), err)
	}
}

// TestProgram: a measured trace replays with its computation, without its
// waiting.
func TestProgram(t *testing.T) {
	f := pingPong(0)
	f.spans = append([]events.Span{{Loc: 0, Kind: trace.Compute, Root: -1, Begin: 0, End: 1000}}, f.spans...)
	tr, err := events.Program(t.Context(), f)
	if err != nil || tr.NP() != 2 {
		t.Fatal(tr, err)
	}
	var kinds []string
	c := tr.Cursor(0)
	var a trace.Action
	for c.Next(&a) {
		kinds = append(kinds, a.Kind.String())
	}
	if got := strings.Join(kinds, " "); got != "init location compute send recv finalize" {
		t.Errorf("rank 0 does %s", got)
	}
}

// TestProgramAgreesOnSizes: of a broadcast all but the root send nothing, and replay it
// with the root's size, in whatever order the calls come. Each communicator counts its
// own collectives.
func TestProgramAgreesOnSizes(t *testing.T) {
	f := pingPong(0)
	f.header.Ranks, f.header.Comms = 3, [][]int32{{0, 1, 2}, {1, 2}}
	f.header.Locations = append(f.header.Locations, events.Location{Rank: 2})
	f.spans = nil
	call := func(kind trace.Kind, comm, root int32, bytes ...int64) {
		for i, rank := range f.header.Comms[comm] {
			f.spans = append(f.spans, events.Span{Loc: rank, Kind: kind, Comm: comm, Root: root, Begin: 10, End: 20, Bytes: bytes[i]})
		}
	}
	call(trace.Bcast, 0, 1, 0, 4112, 0)
	call(trace.Allgatherv, 1, -1, 30, 10)
	call(trace.Gatherv, 0, 0, 8, 0, 16)
	call(trace.Allreduce, 0, -1, 24, 24, 24)
	tr, err := events.Program(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	for rank, want := range []string{"bcast 4112 gather 16 allreduce 24", "bcast 4112 allgather 30 gather 16 allreduce 24", "bcast 4112 allgather 30 gather 16 allreduce 24"} {
		var does []string
		c := tr.Cursor(rank)
		var a trace.Action
		for c.Next(&a) {
			if a.Kind.Collective() && a.Kind != trace.CommSplit {
				does = append(does, fmt.Sprint(a.Kind, " ", a.Count))
			}
		}
		if got := strings.ToLower(strings.Join(does, " ")); got != want {
			t.Errorf("rank %d does %s, not %s", rank, got, want)
		}
	}
}
