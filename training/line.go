package training

import (
	"cmp"
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

// flatten says at which place a thread is when. Stretches without any interval
// are left out.
func (t *Trace) flatten(track int, ignore func(*Interval) bool) []segment {
	var line []segment
	type frame struct {
		end int64
		place
	}
	var stack []frame
	at := int64(0)
	emit := func(to int64) {
		for len(stack) > 0 {
			top := stack[len(stack)-1]
			end := min(top.end, to)
			if end > at {
				line = append(line, segment{at, end, top.place})
				at = end
			}
			if top.end > to {
				return
			}
			stack = stack[:len(stack)-1]
		}
		at = max(at, to)
	}
	for _, i := range t.On(track) {
		v := t.At(int(i))
		if v.Kind == Python || v.Kind == DeviceAnnotation || ignore != nil && ignore(v) {
			continue
		}
		emit(v.Start)
		at = max(at, v.Start)
		p := place{none, none, Working}
		if len(stack) > 0 {
			p = stack[len(stack)-1].place
		}
		switch {
		case v.Kind == Annotation && p.region == none:
			p.region, p.op = v.Name, none
		case v.Kind == Operator && p.op == none, v.Kind == Runtime && p.op == none:
			p.op = v.Name
		}
		if v.Kind == Runtime && waitsForDevice(t.Names[v.Name]) {
			p.doing = OnTheDevice
		}
		stack = append(stack, frame{v.End(), p})
	}
	emit(1<<63 - 1)
	return line
}

// waitsForDevice tells calls that return when the device is done. A copy of
// pageable memory waits as well.
func waitsForDevice(call string) bool {
	return strings.Contains(call, "Synchronize") || strings.HasPrefix(call, "cudaMemcpy") || strings.HasPrefix(call, "hipMemcpy")
}

// overlay puts the other threads' time over the main thread's: while one of
// them works, the main thread waits for it, and its place in the program is
// the main thread's region with the other's operator.
func overlay(main []segment, others [][]segment) []segment {
	var over []segment
	for _, o := range others {
		over = append(over, o...)
	}
	slices.SortFunc(over, func(a, b segment) int { return cmp.Compare(a.start, b.start) })
	var out []segment
	next := 0
	for _, m := range main {
		at := m.start
		for next < len(over) && over[next].end <= at {
			next++
		}
		for i := next; i < len(over) && over[i].start < m.end; i++ {
			o := over[i]
			from, to := max(o.start, at), min(o.end, m.end)
			if to <= from {
				continue
			}
			if from > at {
				out = append(out, segment{at, from, m.place})
			}
			p := o.place
			if m.region != none {
				p.region = m.region
			}
			out = append(out, segment{from, to, p})
			at = to
		}
		if at < m.end {
			out = append(out, segment{at, m.end, m.place})
		}
	}
	return out
}

// idle gives the time in which no operator runs, or in which a call waits for
// the device, to the collectives that are under way then: before a rank is
// ready for one it waits for the device, afterwards for the other ranks and
// the network.
func idle(line []segment, calls []Call) []segment {
	var out []segment
	first := 0 // the first call that may still be under way
	for _, s := range line {
		if s.op != none && s.doing == Working {
			out = append(out, s)
			continue
		}
		for first < len(calls) && calls[first].End <= s.start {
			first++
		}
		out = append(out, split(s, calls[first:])...)
	}
	return out
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
