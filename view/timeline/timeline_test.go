package timeline

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

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

func source(ranks int, paths ...string) *fixed {
	f := &fixed{header: events.Header{Name: "hand", Ranks: ranks, Comms: [][]int32{nil}}}
	for r := range ranks {
		f.header.Locations = append(f.header.Locations, events.Location{Rank: int32(r)})
	}
	for _, p := range paths {
		f.header.Paths = append(f.header.Paths, events.Path{Name: p})
	}
	return f
}

func (f *fixed) add(loc int32, kind trace.Kind, path int32, begin, end int64, halves ...events.Half) {
	f.spans = append(f.spans, events.Span{Loc: loc, Kind: kind, Path: path, Root: -1, Begin: begin, End: end, Messages: halves})
}

// lateSender: rank 1 waits from 2 s to 5 s for a message of rank 0, which works
// until then; both end at 8 s and 6 s.
func lateSender() *fixed {
	const s = 1_000_000_000
	f := source(2, "slow", "MPI_Send", "MPI_Recv", "rest")
	f.add(1, trace.Compute, 3, 0, 2*s)
	f.add(0, trace.Compute, 0, 0, 5*s)
	f.add(0, trace.Send, 1, 5*s, 5*s+s/2, events.Half{Side: events.Sent, Peer: 1, Bytes: 40, Posted: 5 * s})
	f.add(1, trace.Recv, 2, 2*s, 5*s+s/2, events.Half{Side: events.Received, Peer: 0, Bytes: 40, Posted: 2 * s})
	f.add(0, trace.Compute, 3, 5*s+s/2, 6*s)
	f.add(1, trace.Compute, 3, 5*s+s/2, 8*s)
	return f
}

func TestLateSender(t *testing.T) {
	line, err := Build(t.Context(), lateSender())
	if err != nil {
		t.Fatal(err)
	}
	p, err := line.Draw(Window{})
	if err != nil {
		t.Fatal(err)
	}
	if p.RunSeconds != 8 || p.To != 8 || len(p.Rows) != 2 || len(p.Bars.Row) != 6 {
		t.Fatalf("%+v", p)
	}
	if len(p.Waits.Row) != 1 || p.Waits.Row[0] != 1 || p.Waits.Begin[0] != 2 || p.Waits.End[0] != 5 || p.Causes[p.Waits.Part[0]] != "slow" {
		t.Errorf("waits %+v for %v", p.Waits, p.Causes)
	}
	if !slices.Equal(p.Path.Row, []int32{0, 1}) || !slices.Equal(p.Path.End, []float64{5, 8}) {
		t.Errorf("the critical path is %+v", p.Path)
	}
	m := p.Messages
	if m.Count != 1 || m.FromRow[0] != 0 || m.ToRow[0] != 1 || m.Sent[0] != 5 || m.Arrived[0] != 5.5 || m.Bytes[0] != 40 {
		t.Errorf("messages %+v", m)
	}
	if part := p.Parts[p.Bars.Part[0]]; part != "slow" || p.Bars.Part[0] < int32(p.Calls) {
		t.Errorf("rank 0 begins with %s", part)
	}
	if _, err := json.Marshal(p); err != nil {
		t.Error(err)
	}
	zoomed, err := line.Draw(Window{From: 6, To: 8, FromLane: 1})
	if err != nil || zoomed.Messages.Count != 0 || len(zoomed.Bars.Row) != 1 || zoomed.Bars.Begin[0] != 6 || len(zoomed.Waits.Row) != 0 {
		t.Errorf("zoomed: %+v, %v", zoomed, err)
	}
	few, err := line.Draw(Window{Rows: 1, Cols: 8})
	if err != nil || len(few.Rows) != 1 || few.Rows[0].To.Rank != 1 || few.Bars.Share[0] > 1 {
		t.Errorf("in one row: %+v, %v", few, err)
	}
}

func TestBadWindows(t *testing.T) {
	line, err := Build(t.Context(), lateSender())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []Window{{From: 9}, {From: -1}, {From: 5, To: 4}, {From: math.NaN()}, {FromLane: 2}, {ToLane: 3}, {FromLane: -1}} {
		if _, err := line.Draw(w); err == nil {
			t.Errorf("%+v was drawn", w)
		}
	}
	if _, err := Build(t.Context(), source(2)); err == nil || !strings.Contains(err.Error(), "hand holds nothing") {
		t.Errorf("an empty trace: %v", err)
	}
}

// many is a trace of short stretches: computation in turns, calls between.
func many(ranks, steps int) *fixed {
	f := source(ranks, "a", "b", "MPI_Wait")
	for k := range steps {
		for r := range ranks {
			at := int64(k) * 1000
			f.add(int32(r), trace.Compute, int32(k*4/steps&1), at, at+900)
			f.add(int32(r), trace.Wait, 2, at+900, at+1000)
		}
	}
	return f
}

// TestLevels: a long trace is summed up into steps, and what took most of the
// time is what is shown, at every level of detail and also where not everything
// could be kept.
func TestLevels(t *testing.T) {
	for _, limit := range []int{finest, 5000} {
		line, err := build(t.Context(), many(4, 20000), limit)
		if err != nil {
			t.Fatal(err)
		}
		if limit == finest && (len(line.states.steps) < 2 || line.states.quantum != 0) {
			t.Errorf("levels %v", line.states.steps)
		}
		if limit != finest && (line.states.count > 2*limit || len(line.notes) == 0) {
			t.Errorf("%d stretches are kept, noted %v", line.states.count, line.notes)
		}
		for _, w := range []Window{{Cols: 100}, {Cols: 100, From: 0.003, To: 0.0041}, {Cols: 100, Rows: 1}} {
			p, err := line.Draw(w)
			if err != nil {
				t.Fatal(err)
			}
			for i, part := range p.Bars.Part {
				middle := (p.Bars.Begin[i] + p.Bars.End[i]) / 2
				want := "a"
				if int(middle/0.005)&1 == 1 {
					want = "b"
				}
				if p.Parts[part] != want || p.Bars.Share[i] < 0.8 || p.Bars.Share[i] > 1 {
					t.Fatalf("limit %d, window %+v: at %g s %s with %g, not %s", limit, w, middle, p.Parts[part], p.Bars.Share[i], want)
				}
			}
		}
	}
}

// TestCoarser holds what summing up may do: order, no overlap, times inside of
// what there was, no part that was not there.
func TestCoarser(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []block
		at := int64(0)
		for range rapid.IntRange(0, 60).Draw(t, "blocks") {
			at += rapid.Int64Range(0, 30).Draw(t, "gap")
			b := block{at, at + rapid.Int64Range(1, 50).Draw(t, "length"), rapid.Int32Range(0, 3).Draw(t, "part"), 1}
			list, at = append(list, b), b.end
		}
		quantum := rapid.Int64Range(1, 200).Draw(t, "quantum")
		var c coarser
		out := c.of(list, quantum, nil)
		if len(list) > 0 && (out[0].begin != list[0].begin || out[len(out)-1].end != list[len(list)-1].end) {
			t.Fatalf("%v became %v", list, out)
		}
		for i, b := range out {
			if b.end <= b.begin || b.share <= 0 || b.share > 1 || i > 0 && b.begin < out[i-1].end {
				t.Fatalf("%v became %v", list, out)
			}
			within := between(list, b.begin, b.end)
			if !slices.ContainsFunc(within, func(x block) bool { return x.part == b.part }) {
				t.Fatalf("%v has a part that is not there", b)
			}
		}
	})
}

// BenchmarkZoom draws windows of a trace of a million stretches.
func BenchmarkZoom(b *testing.B) {
	line, err := Build(b.Context(), many(64, 8192))
	if err != nil {
		b.Fatal(err)
	}
	k := 0
	for b.Loop() {
		k++
		to := line.end >> (k % 10)
		if _, err := line.Draw(Window{To: float64(to) / 1e9}); err != nil {
			b.Fatal(err)
		}
	}
}
