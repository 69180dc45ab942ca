package events

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"auspex/trace"
)

// listed is a trace in memory.
type listed struct {
	header Header
	spans  []Span
}

func (l *listed) Header() *Header { return &l.header }

func (l *listed) Each(_ context.Context, visit func(*Span) error) error {
	for i := range l.spans {
		if err := visit(&l.spans[i]); err != nil {
			return err
		}
	}
	return nil
}

func drawTrace(t *rapid.T) *listed {
	ranks := rapid.IntRange(1, 4).Draw(t, "ranks")
	l := &listed{header: Header{Name: "drawn", Ranks: ranks, Comms: [][]int32{nil, {0}}, Notes: []string{"a note"}}}
	for r := range ranks {
		l.header.Locations = append(l.header.Locations, Location{Rank: int32(r)})
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "paths") {
		l.header.Paths = append(l.header.Paths, Path{Name: fmt.Sprint("main/f", i), File: "a.c", Line: i})
	}
	kinds := []trace.Kind{trace.Compute, trace.Send, trace.WaitAll, trace.Allreduce, Pause, Lock, Other}
	count := rapid.Int64Range(0, 1<<40)
	for range rapid.IntRange(0, 20).Draw(t, "spans") {
		begin := rapid.Int64Range(-1000, 1<<50).Draw(t, "begin")
		s := Span{
			Loc: int32(rapid.IntRange(0, ranks-1).Draw(t, "loc")), Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
			Path: int32(rapid.IntRange(0, len(l.header.Paths)-1).Draw(t, "path")), Comm: int32(rapid.IntRange(0, 1).Draw(t, "comm")),
			Root: int32(rapid.IntRange(-1, ranks-1).Draw(t, "root")), Peer: int32(rapid.IntRange(-1, ranks).Draw(t, "peer")),
			Begin: begin, End: begin + count.Draw(t, "long"), Bytes: count.Draw(t, "bytes"), Instructions: count.Draw(t, "instructions"), Cycles: count.Draw(t, "cycles"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "messages") {
			s.Messages = append(s.Messages, Half{
				Side: Side(rapid.IntRange(0, 2).Draw(t, "side")), Peer: int32(rapid.IntRange(-1, ranks-1).Draw(t, "with")), Tag: rapid.Int32Range(-5, 1<<30).Draw(t, "tag"),
				Comm: 0, Bytes: count.Draw(t, "size"), Posted: begin - count.Draw(t, "before"),
			})
		}
		l.spans = append(l.spans, s)
	}
	return l
}

// What was recorded comes back as it was, more than once.
func TestRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawTrace(t)
		var b bytes.Buffer
		if err := Record(context.Background(), &b, want); err != nil {
			t.Fatal(err)
		}
		got, err := OpenRecord(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(*got.Header()) != fmt.Sprint(want.header) {
			t.Fatalf("header %v, want %v", *got.Header(), want.header)
		}
		for range 2 {
			at := 0
			err = got.Each(context.Background(), func(s *Span) error {
				w := want.spans[at]
				if at++; !slices.Equal(s.Messages, w.Messages) {
					t.Fatalf("messages %v, want %v", s.Messages, w.Messages)
				}
				mine := *s
				mine.Messages, w.Messages = nil, nil
				if fmt.Sprint(mine) != fmt.Sprint(w) {
					t.Fatalf("span %v, want %v", mine, w)
				}
				return nil
			})
			if err != nil || at != len(want.spans) {
				t.Fatalf("%d of %d spans: %v", at, len(want.spans), err)
			}
		}
	})
}

// A damaged record is refused or read as another one, with every index in range.
func FuzzOpenRecord(f *testing.F) {
	var b bytes.Buffer
	l := &listed{header: Header{Ranks: 2, Locations: []Location{{0, 0}, {1, 0}}, Paths: []Path{{Name: "main"}}, Comms: [][]int32{nil}}}
	l.spans = []Span{{Kind: trace.Compute, End: 5, Root: -1}, {Loc: 1, Kind: trace.Allreduce, Begin: 1, End: 9, Root: -1, Messages: []Half{{Side: Received, Bytes: 8}}}}
	if err := Record(context.Background(), &b, l); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()/2])
	f.Add([]byte(recordMark))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := OpenRecord(data)
		if err != nil {
			return
		}
		h, seen := r.Header(), 0
		r.Each(context.Background(), func(s *Span) error {
			if int(s.Loc) >= len(h.Locations) || int(s.Path) >= len(h.Paths) || s.End < s.Begin {
				t.Fatalf("%+v", s)
			}
			if seen++; seen > 10_000 {
				return context.Canceled
			}
			return nil
		})
	})
}
