package timeline

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"auspex/events"
	"auspex/internal/figure"
	"auspex/trace"
	"auspex/waits"
)

// Timeline is a trace ready to be drawn.
type Timeline struct {
	name      string
	locations []events.Location
	ranks     int
	begin     int64 // ns; windows count from it
	end       int64
	parts     []string
	calls     int // of parts: how many, at the front, are no regions
	states    *lanes
	causes    []string
	waits     *lanes
	path      []segment
	messages  []message
	dropped   int // messages that were not kept
	notes     []string
}

// segment is a stretch of the critical path.
type segment struct {
	loc        int32
	begin, end int64
}

// message is one from call to call.
type message struct {
	from, to       int32 // locations
	sent, received int64 // ns
	bytes          int64
}

const (
	// maxMessages is how many messages are kept.
	maxMessages = 1 << 20
	// maxNamed is how many regions and causes have a colour of their own.
	maxNamed = 20
)

// The parts that are no regions, first in the list of parts.
var callParts = []string{"pause", "send", "receive", "wait", "collective", "barrier of threads", "lock", "other MPI"}

func callPart(k trace.Kind) int32 {
	switch k {
	case events.Pause, trace.Sleep:
		return 0
	case trace.Send, trace.Isend, trace.Put:
		return 1
	case trace.Recv, trace.Irecv, trace.SendRecv, trace.Get:
		return 2
	case trace.Wait, trace.WaitAll, trace.Test, trace.Flush, trace.Lock, trace.Unlock:
		return 3
	case events.ThreadBarrier:
		return 5
	case events.Lock:
		return 6
	}
	if k.Collective() {
		return 4
	}
	return 7
}

// Build reads a trace.
func Build(ctx context.Context, src events.Source) (*Timeline, error) { return build(ctx, src, finest) }

func build(ctx context.Context, src events.Source, limit int) (*Timeline, error) {
	h := src.Header()
	b := &builder{t: &Timeline{begin: 1<<63 - 1, end: -1 << 63}, limit: limit}
	seen := 0
	err := src.Each(ctx, func(s *events.Span) error {
		if seen++; seen&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if b.waits == nil { // replays name their locations when they begin
			b.start(src.Header())
		}
		b.span(s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if b.waits == nil {
		return nil, fmt.Errorf("timeline: %s holds nothing that took time", cmp.Or(h.Name, "the trace"))
	}
	return b.finish(src.Header()), nil
}

// builder collects a timeline.
type builder struct {
	t       *Timeline
	header  *events.Header
	limit   int
	waits   *waits.Analyzer
	matcher events.Matcher
	judged  []waits.Wait
	missed  int       // waits that were not kept
	work    []float64 // ns of computation, by path
	blamed  []float64 // ns of waits, by path of the largest cause
}

func (b *builder) start(h *events.Header) {
	b.header = h
	b.t.states = newLanes(len(h.Locations), b.limit)
	b.waits = waits.NewAnalyzer(h)
	b.waits.Each = func(w waits.Wait) {
		if len(b.judged) >= b.limit {
			b.missed++
			return
		}
		b.judged = append(b.judged, w)
	}
}

func (b *builder) span(s *events.Span) {
	t := b.t
	t.begin, t.end = min(t.begin, s.Begin), max(t.end, s.End)
	part := int32(len(callParts)) + s.Path
	if s.Kind != trace.Compute {
		part = callPart(s.Kind)
	} else {
		b.work = addTo(b.work, s.Path, s.End-s.Begin)
	}
	t.states.add(s.Loc, block{s.Begin, s.End, part, 1})
	b.waits.Span(s)
	for i := range s.Messages {
		m := &s.Messages[i]
		send, receive, ok := b.matcher.Half(b.header.Locations[s.Loc].Rank, s, m)
		if !ok {
			continue
		}
		if len(t.messages) >= maxMessages {
			t.dropped++
			continue
		}
		t.messages = append(t.messages, message{send.Loc, receive.Loc, send.Begin, receive.End, m.Bytes})
	}
}

func addTo(sums []float64, i int32, ns int64) []float64 {
	for len(sums) <= int(i) {
		sums = append(sums, 0)
	}
	sums[i] += float64(ns)
	return sums
}

func (b *builder) finish(h *events.Header) *Timeline {
	t := b.t
	t.name, t.ranks, t.locations = h.Name, h.Ranks, h.Locations
	t.notes = append([]string{}, h.AllNotes()...)
	number, names := largest(b.work, h.Paths, "other computation")
	t.calls = len(callParts)
	t.parts = append(slices.Clone(callParts), names...)
	for i := range t.states.list {
		list := t.states.list[i].levels[0]
		for k := range list {
			if p := list[k].part; int(p) >= t.calls {
				list[k].part = int32(t.calls) + number[int(p)-t.calls]
			}
		}
	}
	t.states.level()
	b.finishWaits(h)
	slices.SortFunc(t.messages, func(x, y message) int { return cmp.Compare(x.sent, y.sent) })
	if t.states.quantum > 0 {
		t.notes = append(t.notes, fmt.Sprintf("stretches shorter than %s are summed up with their neighbours", figure.Seconds(float64(t.states.quantum)/1e9, 3)))
	}
	return t
}

// finishWaits makes lanes of the waits, and the critical path.
func (b *builder) finishWaits(h *events.Header) {
	t := b.t
	b.waits.Finish()
	for _, w := range b.judged {
		b.blamed = addTo(b.blamed, max(w.Cause, 0), w.Until-w.Begin)
	}
	number, names := largest(b.blamed, h.Paths, "other causes")
	t.causes = names
	t.waits = newLanes(len(h.Locations), b.limit)
	slices.SortFunc(b.judged, func(x, y waits.Wait) int {
		return cmp.Or(cmp.Compare(x.Loc, y.Loc), cmp.Compare(x.Until, y.Until), cmp.Compare(x.Begin, y.Begin))
	})
	for _, w := range b.judged {
		t.waits.add(w.Loc, block{w.Begin, w.Until, number[max(w.Cause, 0)], 1})
	}
	t.waits.level()
	if b.missed > 0 {
		t.notes = append(t.notes, fmt.Sprintf("%d waits are too many to be drawn, and the critical path is left out", b.missed))
		return
	}
	t.path = criticalPath(b.judged, t)
}

// largest numbers paths by their time: the largest have a number and a name of
// their own, the others share the last.
func largest(sums []float64, paths []events.Path, others string) (number []int32, names []string) {
	order := make([]int32, 0, len(sums))
	for i, s := range sums {
		if s > 0 {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(x, y int32) int { return cmp.Or(cmp.Compare(sums[y], sums[x]), cmp.Compare(x, y)) })
	number, names = make([]int32, len(sums)), []string{}
	known := map[string]int32{}
	for _, p := range order {
		name := cmp.Or(paths[p].Name, "computation")
		n, ok := known[name]
		if !ok && len(names) < maxNamed {
			n = int32(len(names))
			known[name], names = n, append(names, name)
		} else if !ok {
			n = maxNamed
		}
		number[p] = n
	}
	if len(order) > 0 && slices.Contains(number, maxNamed) {
		names = append(names, others)
	}
	return number, names
}
