package job

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"auspex/events"
	"auspex/trace"
	"auspex/training"
)

// walker goes along a lane, from collective to collective.
type walker struct {
	s     *Source
	lane  int
	at    int64 // on the rank's own clock
	now   int64 // likewise, in the lane: what was computed beside a collective comes before it
	call  int
	piece int
	still int
	done  bool
	ready []events.Span
	paths *events.Paths
	marks []mark                   // to come, by time
	known map[*training.Call]int64 // when the rank was ready for calls, in the lane
	due   []mark                   // collectives and receives that it computes on beside, in order
	joins map[*training.Call]int32 // which of the lane's collectives and receives they are
	hosts launcher
}

// mark is a call at a time of the rank's own clock.
type mark struct {
	at   int64
	call *training.Call
}

func (s *Source) walk(lane int, paths *events.Paths) walker {
	l := s.lanes[lane]
	w := walker{s: s, lane: lane, at: l.begin, now: l.begin, paths: paths, known: map[*training.Call]int64{}, joins: map[*training.Call]int32{}, hosts: launcher{of: map[int]int32{}, paths: paths}}
	for _, c := range s.calls[lane] {
		w.marks = append(w.marks, mark{l.readyAt[c], c})
	}
	slices.SortStableFunc(w.marks, func(a, b mark) int { return cmp.Compare(a.at, b.at) })
	return w
}

// next prepares the computation up to the next call that the rank stands still in, and
// that.
func (w *walker) next() {
	w.ready = w.ready[:0]
	l, calls := w.s.lanes[w.lane], w.s.calls[w.lane]
	for len(w.ready) == 0 && !w.done {
		if w.call == len(calls) {
			w.done = true
			w.compute(l.end)
			w.meet(len(w.due))
			return
		}
		c := calls[w.call]
		w.call++
		m := w.s.messages[c]
		if m != nil && m.send == c {
			w.send(c, m)
			continue
		}
		if until := l.neededAt(c); w.s.replay && until > c.End {
			w.due = append(w.due, mark{until, c})
			continue
		}
		w.compute(c.Arrived)
		w.beside(c)
		w.meet(len(w.due))
		w.join(c, max(c.End, w.now))
	}
}

// join adds a collective, or a message that is received, which is what the rank stands
// still for until a time.
func (w *walker) join(c *training.Call, end int64) {
	if m := w.s.messages[c]; m != nil {
		w.receive(c, m, end)
		return
	}
	m := w.s.meetings[c]
	s := events.Span{Kind: kindOf(c.Name), Path: w.pathOf(c), Comm: m.comm, Root: -1, Bytes: max(c.Bytes, 0), Transfer: m.took}
	w.joined(&s, c)
	w.add(s, end)
}

// joined says when the rank was ready for a call, and behind which other one it was.
func (w *walker) joined(s *events.Span, c *training.Call) {
	w.reach(w.s.lanes[w.lane].readyAt[c])
	s.Lead = w.now - w.known[c]
	l := w.s.lanes[w.lane]
	if w.s.replay && l.launches {
		s.Launch = w.hosts.asked(l, c)
	}
	if n, is := w.joins[l.before[c]]; is {
		s.Behind = int32(len(w.joins)) - n
	}
	if n, is := w.joins[l.after[c]]; is {
		s.After = int32(len(w.joins)) - n
	}
	w.joins[c] = int32(len(w.joins))
}

// meet adds the first of what the rank computed on beside. The order stays, since who
// is to be met may wait for this rank elsewhere.
func (w *walker) meet(n int) {
	for _, d := range w.due[:n] {
		w.join(d.call, w.now)
	}
	w.due = w.due[n:]
}

// reach notes what the rank is ready for at a time.
func (w *walker) reach(at int64) {
	for ; len(w.marks) > 0 && w.marks[0].at <= at; w.marks = w.marks[1:] {
		w.known[w.marks[0].call] = w.now
	}
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
// call's end; the call is what is left until then.
func (w *walker) beside(c *training.Call) {
	end := max(c.End, w.at)
	for _, own := range w.s.lanes[w.lane].hidden(c, w.at) {
		w.at = own[0]
		w.work(trace.Compute, own[1])
	}
	w.at = end
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
		w.work(kind, limit)
	}
}

// work adds what the rank does until a time: in stretches, which end where it enters
// another range, is ready for a call, or needs what a collective brought.
func (w *walker) work(kind trace.Kind, until int64) {
	for w.at < until {
		w.reach(w.at)
		needed, next := 0, int64(math.MaxInt64)
		for i, d := range w.due {
			if d.at <= w.at {
				needed, next = i+1, math.MaxInt64
			} else {
				next = min(next, d.at)
			}
		}
		w.meet(needed)
		if len(w.marks) > 0 {
			next = min(next, w.marks[0].at)
		}
		path, end := w.stretch(min(until, next))
		s := events.Span{Kind: kind, Path: path, Root: -1}
		if l := w.s.lanes[w.lane]; w.s.replay && l.launches && kind == trace.Compute {
			end, s.Launch = w.hosts.stretch(l, w.at, end)
		}
		w.add(s, w.now+end-w.at)
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

// add adds a span that lasts until a time of the lane.
func (w *walker) add(s events.Span, end int64) {
	off := w.off()
	s.Loc, s.Begin, s.End = int32(w.lane), w.now-off, end-off
	w.ready = append(w.ready, s)
	w.now = end
}

// off is the rank's own clock at the beginning of the job.
func (w *walker) off() int64 { return w.s.start + w.s.shift[w.lane] }
