package training

import (
	"iter"
	"slices"
	"strings"
)

// place is where the host's time goes: in which range that the program named,
// in which outermost operator there, and whether it waits for the device.
type place struct {
	region uint32 // name of the outermost annotation within the step, or none
	op     uint32 // name of the outermost operator or runtime call, or none
	doing  Doing
}

// Doing is what the host does at a place.
type Doing uint8

// What the host may do.
const (
	Working      Doing = iota // its own work, or sleeping
	OnTheDevice               // waiting for the device
	InCollective              // waiting in or for a collective
)

const none = ^uint32(0)

// segment is a stretch of a thread's time at one place.
type segment struct {
	start, end int64
	place
}

// rounding is by how much what lies inside an interval may seem to outlast it, in
// nanoseconds: profilers round starts and lengths.
const rounding = 1000

// flatten says at which place a thread is when. Stretches without any interval
// are left out.
func (t *Trace) flatten(track int, ignore func(*Interval) bool) iter.Seq[segment] {
	return func(yield func(segment) bool) {
		w := walk{yield: yield}
		for _, i := range t.On(track) {
			v := t.At(int(i))
			if v.Kind == Python || v.Kind == DeviceAnnotation || ignore != nil && ignore(v) {
				continue
			}
			w.until(v.Start)
			if w.stopped {
				return
			}
			w.cut(v.End() - rounding)
			w.stack = append(w.stack, frame{v.End(), t.placeOf(v, w.place())})
		}
		w.until(1<<63 - 1)
	}
}

// placeOf is the place of an interval that began at another.
func (t *Trace) placeOf(v *Interval, p place) place {
	switch {
	case v.Kind == Annotation && p.region == none:
		p.region = v.Name
		if p.op != none && !mayWait(t.Names[p.op]) { // an operator that waits does so inside a range, too
			p.op = none
		}
	case v.Kind == Operator && p.op == none, v.Kind == Runtime && p.op == none:
		p.op = v.Name
	}
	if v.Kind == Runtime && WaitsForDevice(t.Names[v.Name]) {
		p.doing = OnTheDevice
	}
	return p
}

// walk goes along a thread with the intervals that are open.
type walk struct {
	yield   func(segment) bool
	stack   []frame
	at      int64
	stopped bool
}

type frame struct {
	end int64
	place
}

func (w *walk) place() place {
	if len(w.stack) == 0 {
		return place{none, none, Working}
	}
	return w.stack[len(w.stack)-1].place
}

// cut ends what is open and ends before a time: what begins inside an interval
// and outlasts it is no part of it.
func (w *walk) cut(end int64) {
	for len(w.stack) > 0 && w.stack[len(w.stack)-1].end < end {
		w.stack = w.stack[:len(w.stack)-1]
	}
}

// until yields the stretches up to a time.
func (w *walk) until(to int64) {
	for len(w.stack) > 0 && !w.stopped {
		top := w.stack[len(w.stack)-1]
		if end := min(top.end, to); end > w.at {
			w.stopped = !w.yield(segment{w.at, end, top.place})
			w.at = end
		}
		if top.end > to {
			return
		}
		w.stack = w.stack[:len(w.stack)-1]
	}
	w.at = to
}

// WaitsForDevice tells calls that return when the device is done. A copy of
// pageable memory waits as well.
func WaitsForDevice(call string) bool {
	return strings.Contains(call, "Synchronize") || strings.HasPrefix(call, "cudaMemcpy") || strings.HasPrefix(call, "hipMemcpy")
}

// overlay puts the other threads' time over the main thread's: while one of
// them works, the main thread waits for it. The place is made of both.
func overlay(main iter.Seq[segment], others []iter.Seq[segment], both func(main, other place) place) iter.Seq[segment] {
	return func(yield func(segment) bool) {
		over := newMerged(others)
		defer over.stop()
		for m := range main {
			at := m.start
			over.skip(at)
			for o, ok := over.first(); ok && o.start < m.end; o, ok = over.first() {
				from, to := max(o.start, at), min(o.end, m.end)
				if to > from {
					if from > at && !yield(segment{at, from, m.place}) {
						return
					}
					if !yield(segment{from, to, both(m.place, o.place)}) {
						return
					}
					at = to
				}
				if o.end > m.end {
					break // the rest lies over what follows
				}
				over.advance()
			}
			if at < m.end && !yield(segment{at, m.end, m.place}) {
				return
			}
		}
	}
}

// merged is the stretches of several threads, the earliest first.
type merged struct {
	heads []segment
	next  []func() (segment, bool)
	stops []func()
}

func newMerged(list []iter.Seq[segment]) *merged {
	m := &merged{}
	for _, s := range list {
		next, stop := iter.Pull(s)
		m.stops = append(m.stops, stop)
		if head, ok := next(); ok {
			m.heads, m.next = append(m.heads, head), append(m.next, next)
		}
	}
	return m
}

func (m *merged) stop() {
	for _, stop := range m.stops {
		stop()
	}
}

func (m *merged) earliest() int {
	best := -1
	for i := range m.heads {
		if best < 0 || m.heads[i].start < m.heads[best].start {
			best = i
		}
	}
	return best
}

func (m *merged) first() (segment, bool) {
	if i := m.earliest(); i >= 0 {
		return m.heads[i], true
	}
	return segment{}, false
}

func (m *merged) advance() {
	i := m.earliest()
	head, ok := m.next[i]()
	if ok {
		m.heads[i] = head
		return
	}
	m.heads, m.next = slices.Delete(m.heads, i, i+1), slices.Delete(m.next, i, i+1)
}

// skip passes over what ended before a time.
func (m *merged) skip(at int64) {
	for o, ok := m.first(); ok && o.end <= at; o, ok = m.first() {
		m.advance()
	}
}

// idle gives the time in which no operator runs, or in which a call waits for
// the device, to the collectives that are under way then: before a rank is
// ready for one it waits for the device, afterwards for the other ranks and
// the network.
func idle(line iter.Seq[segment], calls []Call) iter.Seq[segment] {
	return func(yield func(segment) bool) {
		first := 0 // the first call that may still be under way
		for s := range line {
			if s.op != none && s.doing == Working {
				if !yield(s) {
					return
				}
				continue
			}
			for first < len(calls) && calls[first].End <= s.start {
				first++
			}
			for _, part := range split(s, calls[first:]) {
				if !yield(part) {
					return
				}
			}
		}
	}
}

// split cuts a stretch at the borders of the calls that overlap it.
func split(s segment, calls []Call) []segment {
	var cuts []int64
	for _, c := range calls {
		if c.Start >= s.end {
			break
		}
		for _, at := range []int64{c.Start, c.Arrived, c.End} {
			if at > s.start && at < s.end {
				cuts = append(cuts, at)
			}
		}
	}
	slices.Sort(cuts)
	var out []segment
	from := s.start
	for _, to := range append(cuts, s.end) {
		if to == from {
			continue
		}
		part := segment{from, to, s.place}
		for _, c := range calls {
			if c.Start >= to {
				break
			}
			switch {
			case c.Arrived <= from && c.End >= to:
				part.doing = InCollective
			case c.Start <= from && c.Arrived >= to && part.doing == Working:
				part.doing = OnTheDevice
			}
		}
		out = append(out, part)
		from = to
	}
	return out
}
