package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"auspex/events"
	"auspex/trace"
	"auspex/training"
)

// Source is a training job as a measured trace.
type Source struct {
	header   events.Header
	lanes    []*Lane
	meetings map[*training.Call]*meeting
	messages map[*training.Call]*message
	calls    [][]*training.Call // of each lane, in order
	shift    []int64
	start    int64 // when the first rank begins: times count from there
}

// New joins the lanes of a job.
func New(name string, lanes []*Lane) (*Source, error) {
	if len(lanes) < 2 {
		return nil, errors.New(name + ": the traces of at least two ranks are needed")
	}
	slices.SortStableFunc(lanes, func(a, b *Lane) int { return cmp.Compare(a.rank, b.rank) })
	for i := 1; i < len(lanes); i++ {
		if lanes[i].rank == lanes[i-1].rank && lanes[i].rank >= 0 {
			return nil, fmt.Errorf("%s and %s are both of rank %d", lanes[i-1].file, lanes[i].file, lanes[i].rank)
		}
	}
	s := &Source{lanes: lanes, header: events.Header{Name: name, Ranks: len(lanes)}}
	note := func(format string, args ...any) {
		s.header.Notes = append(s.header.Notes, fmt.Sprintf(format, args...))
	}
	left, lost, residual := s.join()
	if short, end := s.shortest(); short != nil {
		note("the trace of rank %d ends before the others: what came after that is left out", short.rank)
		s.until(end)
		left, lost, residual = s.join()
	}
	if len(s.meetings)+len(s.messages) == 0 {
		return nil, fmt.Errorf("%s: the ranks have no collective in common: their traces must say of which group it is and which number it has, or hold equally many", name)
	}
	if left > 0 {
		note("%d calls of collectives are not in the traces of all ranks of their group: the time in them is no computation, and whom they waited for is not told", left)
	}
	numbered := true
	for i, l := range lanes {
		s.header.Locations = append(s.header.Locations, events.Location{Rank: int32(i)})
		s.header.Numbers = append(s.header.Numbers, l.rank)
		numbered = numbered && l.rank == i
	}
	if numbered {
		s.header.Numbers = nil
	}
	if len(s.messages) > 0 {
		note("ranks send to one another, as the stages of a pipeline do: what stages wait because the pipeline fills and empties (its bubble) is among the waits for messages, and in serialization")
	}
	if lost > 0 {
		note("of %d messages between two ranks the other side is not known: the time in them is no computation, and whom they waited for is not told", lost)
	}
	if world := lanes[0].world; world > len(lanes) {
		s.header.Partial = true
		note("the job has %d ranks, and the traces of %d are here: what these wait for the others is not known", world, len(lanes))
	}
	if !numbered {
		var ranks []string
		for _, l := range lanes[:min(len(lanes), 8)] {
			ranks = append(ranks, fmt.Sprint(l.rank))
		}
		note("only some ranks are here: where ranks are counted from 0 on, as --like-median does, they are the job's ranks %s%s", strings.Join(ranks, ", "), strings.Repeat(", …", min(max(len(lanes)-8, 0), 1)))
	}
	if slices.ContainsFunc(s.shift, func(by int64) bool { return by != 0 }) {
		note("the clocks of ranks were set by the ends of collectives, which are %.3g ms apart after that", float64(residual)/1e6)
	}
	s.calls = s.inOrder()
	for _, l := range lanes {
		l.still = s.standing(l)
	}
	s.start = lanes[0].begin - s.shift[0]
	for i, l := range lanes {
		s.start = min(s.start, l.begin-s.shift[i])
	}
	return s, nil
}

// join finds what the lanes do together, and by how much their clocks differ.
func (s *Source) join() (left, lost int, residual int64) {
	s.meetings, s.header.Comms, left = meet(s.lanes)
	s.messages, lost = messagesOf(s.lanes)
	s.shift, residual = shifts(s.lanes, s.meetings)
	return left, lost, residual
}

// Header is what the trace says beside its spans.
func (s *Source) Header() *events.Header { return &s.header }

// Each hands over the spans, rank after rank in the order of their ends.
func (s *Source) Each(ctx context.Context, visit func(*events.Span) error) error {
	s.header.Paths = nil
	paths := events.NewPaths(&s.header)
	walkers := make([]walker, len(s.lanes))
	for i := range walkers {
		walkers[i] = walker{s: s, lane: i, at: s.lanes[i].begin, paths: paths}
		walkers[i].next()
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := -1
		for i := range walkers {
			if w := &walkers[i]; len(w.ready) > 0 && (first < 0 || w.ready[0].End < walkers[first].ready[0].End) {
				first = i
			}
		}
		if first < 0 {
			return nil
		}
		w := &walkers[first]
		if err := visit(&w.ready[0]); err != nil {
			return err
		}
		if w.ready = w.ready[1:]; len(w.ready) == 0 {
			w.next()
		}
	}
}

// walker goes along a lane, from collective to collective.
type walker struct {
	s     *Source
	lane  int
	at    int64 // on the rank's own clock
	call  int
	piece int
	still int
	done  bool
	ready []events.Span
	paths *events.Paths
}

// next prepares the computation up to the next collective, and that.
func (w *walker) next() {
	w.ready = w.ready[:0]
	if w.done {
		return
	}
	l, calls := w.s.lanes[w.lane], w.s.calls[w.lane]
	if w.call == len(calls) {
		w.done = true
		w.compute(l.end)
		return
	}
	c := calls[w.call]
	w.call++
	if m := w.s.messages[c]; m != nil {
		w.message(c, m)
		return
	}
	w.compute(c.Arrived)
	// What the rank computed beside it comes first, so that the collective is what
	// it stood still for.
	ready := w.at
	path := w.pathOf(c)
	begin, end := w.beside(c)
	w.add(events.Span{Kind: kindOf(c.Name), Path: path, Comm: w.s.meetings[c].comm, Root: -1, Bytes: max(c.Bytes, 0), Lead: begin - ready}, begin, end)
}

// pathOf is the region of a call: the kernel in the range that launched it.
func (w *walker) pathOf(c *training.Call) int32 {
	l := w.s.lanes[w.lane]
	name := cmp.Or(l.rangeAt(c.Launched), elsewhere)
	if training.HostCollective(c.Name) {
		name = l.within(w.at, &w.piece)
	}
	kernel, _, _ := strings.Cut(c.Name, "(") // without its arguments
	return w.paths.Of(events.Path{Name: name + "/" + kernel})
}

// beside adds what the rank computed while a call was under way, and goes to the
// call's end; the call is what is left between the two times.
func (w *walker) beside(c *training.Call) (begin, end int64) {
	begin, end = w.at, max(c.End, w.at)
	for _, own := range w.s.lanes[w.lane].hidden(c, w.at) {
		for w.at = own[0]; w.at < own[1]; {
			path, to := w.stretch(own[1])
			w.add(events.Span{Kind: trace.Compute, Path: path, Root: -1}, begin, begin+to-w.at)
			begin, w.at = begin+to-w.at, to
		}
	}
	w.at = end
	return begin, end
}

// compute adds what the rank does until a time, piece by piece. Where it stands
// still in a message, that is no computation.
func (w *walker) compute(until int64) {
	l := w.s.lanes[w.lane]
	for w.at < until {
		kind, limit := trace.Compute, until
		for ; w.still < len(l.still) && l.still[w.still][1] <= w.at; w.still++ {
		}
		if w.still < len(l.still) {
			if s := l.still[w.still]; s[0] > w.at {
				limit = min(limit, s[0])
			} else {
				kind, limit = events.Other, min(limit, s[1])
			}
		}
		path, end := w.stretch(limit)
		w.add(events.Span{Kind: kind, Path: path, Root: -1}, w.at, end)
		w.at = end
	}
}

// stretch is the range that the rank is in, and when it leaves it, at latest at a
// given time.
func (w *walker) stretch(until int64) (path int32, end int64) {
	l := w.s.lanes[w.lane]
	name := l.within(w.at, &w.piece)
	if w.piece < len(l.ranges) {
		if r := l.ranges[w.piece]; r.from > w.at {
			until = min(until, r.from)
		} else {
			until = min(until, r.to)
		}
	}
	return w.paths.Of(events.Path{Name: name}), until
}

func (w *walker) add(s events.Span, begin, end int64) {
	off := w.off()
	s.Loc, s.Begin, s.End = int32(w.lane), begin-off, end-off
	w.ready = append(w.ready, s)
}

// off is the rank's own clock at the beginning of the job.
func (w *walker) off() int64 { return w.s.start + w.s.shift[w.lane] }

// elsewhere names what is outside of all ranges.
const elsewhere = "elsewhere"

// within is the range at a time, from a place in the list on.
func (l *Lane) within(at int64, piece *int) string {
	for *piece < len(l.ranges) && l.ranges[*piece].to <= at {
		*piece++
	}
	if *piece < len(l.ranges) && l.ranges[*piece].from <= at {
		return l.ranges[*piece].name
	}
	return elsewhere
}

// kindOf says by its name what a collective of NCCL, RCCL or gloo does. A
// broadcast's root is not told, so that all are taken to wait for all.
func kindOf(name string) trace.Kind {
	low := strings.ReplaceAll(strings.ToLower(name), "_", "")
	for _, k := range []struct {
		part string
		kind trace.Kind
	}{
		{"allreduce", trace.Allreduce}, {"reducescatter", trace.ReduceScatter}, {"allgather", trace.Allgather}, {"alltoall", trace.Alltoall}, {"sendrecv", trace.Alltoall}, {"barrier", trace.Barrier},
	} {
		if strings.Contains(low, k.part) {
			return k.kind
		}
	}
	return trace.Allreduce
}
