package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"auspex/events"
	"auspex/internal/figure"
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
	replay   bool  // see ForReplay
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
	s := &Source{lanes: lanes, header: events.Header{Name: name, Ranks: len(lanes), Joined: true}}
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
		return nil, fmt.Errorf("%s: the ranks have no collective in common: their traces must say of which group it is and which number it has, or hold the same ones", name)
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
	if !slices.ContainsFunc(lanes, func(l *Lane) bool { return len(l.ranges) > 0 }) {
		s.header.NameNotes = append(s.header.NameNotes, "the program named no ranges: all that ranks do between collectives is `"+elsewhere+"`, whatever it is")
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
		note("the clocks of ranks were set by the ends of collectives, which are %s apart after that", figure.Seconds(float64(residual)/1e9, 3))
	}
	s.times()
	s.calls = s.inOrder()
	s.readiness()
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
	s.shift, residual = s.clocks()
	return left, lost, residual
}

// Header is what the trace says beside its spans.
func (s *Source) Header() *events.Header { return &s.header }

// ForReplay is the job with collectives where the ranks need what they bring.
func (s *Source) ForReplay() events.Source {
	r := *s
	r.replay = true
	return &r
}

// Each hands over the spans, rank after rank in the order of their ends.
func (s *Source) Each(ctx context.Context, visit func(*events.Span) error) error {
	s.header.Paths = nil
	paths := events.NewPaths(&s.header)
	walkers := make([]walker, len(s.lanes))
	for i := range walkers {
		walkers[i] = s.walk(i, paths)
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
