package training

import (
	"cmp"
	"iter"
	"slices"
)

// places adds up where a rank's time goes, step by step. Ranks whose processors
// meet (gloo, MPI) are followed along the host, ranks whose devices meet (NCCL)
// along the device.
func (t *Trace) places(r *Rank, m *marks) {
	if m.main < 0 {
		return
	}
	busy := make([]bool, len(t.Tracks)) // threads that execute operators
	for i := range t.Len() {
		v := t.At(i)
		if v.Kind == Operator {
			busy[v.Track] = true
		}
	}
	for i := range t.Len() { // threads of collectives are told apart
		v := t.At(i)
		if v.Kind == Annotation && HostCollective(t.Names[v.Name]) && int(v.Track) != m.main {
			busy[v.Track] = false
		}
	}
	var others []iter.Seq[segment]
	for track := range t.Tracks {
		if busy[track] && track != m.main && !t.Tracks[track].Device {
			others = append(others, t.flatten(track, nil))
		}
	}
	line := overlay(fill(t.flatten(m.main, m.isStep), r.Steps), others, inRegion)
	if t.MeetsOnDevice() {
		line = t.held(r, t.noteHost(r, m, line))
		line = overlay(exposed(line, r.Calls), []iter.Seq[segment]{t.deviceLine(m)}, func(_, device place) place { return device })
	} else {
		line = t.held(r, idle(line, r.Calls))
	}
	sums := make([]map[place]int64, len(r.Steps))
	for i := range sums {
		sums[i] = map[place]int64{}
	}
	for s := range line {
		sums[stepAt(r.Steps, s.start)][s.place] += s.end - s.start
	}
	name := func(id uint32) string {
		if id == none {
			return ""
		}
		return t.Names[id]
	}
	for i, sum := range sums {
		for p, time := range sum {
			r.Steps[i].Places = append(r.Steps[i].Places, PlaceSum{name(p.region), name(p.op), p.doing, time})
		}
		slices.SortFunc(r.Steps[i].Places, func(a, b PlaceSum) int {
			return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Region, b.Region), cmp.Compare(a.Op, b.Op))
		})
	}
	t.regions(r, m)
}

// noteHost counts the calls that wait for the device and adds up what the host
// itself works, without those calls and without what operators that wait take
// while the device has something to do, step by step as the line passes.
func (t *Trace) noteHost(r *Rank, m *marks, line iter.Seq[segment]) iter.Seq[segment] {
	var busy [][2]int64
	for i := range t.Len() {
		if v := t.At(i); v.Kind.OnDevice() {
			busy = append(busy, [2]int64{v.Start, v.End()})
		}
	}
	busy = union(busy, 0)
	r.HostOps, r.HostCalls = map[string]int64{}, map[string]int{}
	for track := range t.Tracks {
		if t.Tracks[track].Device {
			continue
		}
		for _, i := range t.On(track) {
			if v := t.At(int(i)); v.Kind == Runtime && WaitsForDevice(t.Names[v.Name]) {
				r.Steps[stepAt(m.host, v.Start)].Waits++
			}
		}
	}
	return func(yield func(segment) bool) {
		for s := range line {
			works := s.end - s.start
			if s.op != none && mayWait(t.Names[s.op]) {
				for len(busy) > 0 && busy[0][1] <= s.start {
					busy = busy[1:]
				}
				works = lengths(without([][2]int64{{s.start, s.end}}, busy))
			}
			if s.doing == Working && works > 0 {
				r.Steps[stepAt(m.host, s.start)].Host += works
				if s.op != none {
					r.HostOps[t.Names[s.op]] += works
					r.HostCalls[t.Names[s.op]]++
				}
			}
			if !yield(s) {
				return
			}
		}
	}
}

// inRegion is the operator of another thread in the region of the main one,
// which waits for it.
func inRegion(main, other place) place {
	if main.region != none {
		other.region = main.region
	}
	return other
}

// MeetsOnDevice tells whether most collectives are kernels.
func (t *Trace) MeetsOnDevice() bool {
	device := 0
	for i := range t.Len() {
		v := t.At(i)
		switch {
		case t.isCollective(v):
			device++
		case v.Kind == Annotation && HostCollective(t.Names[v.Name]):
			device--
		}
	}
	return device > 0
}

// MeetsOnHost tells whether the host itself takes part in collectives, and the device
// in no more.
func (t *Trace) MeetsOnHost() bool {
	return !t.MeetsOnDevice() && slices.ContainsFunc(t.Names, HostCollective[string])
}

// exposed gives the host's time in which a collective is under way on the
// device to the collective.
func exposed(line iter.Seq[segment], calls []Call) iter.Seq[segment] {
	return func(yield func(segment) bool) {
		first := 0
		for s := range line {
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

// fill closes the gaps of the main thread within the steps: there no interval
// is open, and the program does something that the profiler does not see.
func fill(line iter.Seq[segment], steps []Step) iter.Seq[segment] {
	return func(yield func(segment) bool) {
		if len(steps) == 0 {
			return
		}
		at, end := steps[0].Start, steps[len(steps)-1].End
		for s := range line {
			if s.end <= at || s.start >= end {
				continue
			}
			if s.start > at && !yield(segment{at, s.start, place{none, none, Working}}) {
				return
			}
			s.start = max(s.start, at)
			s.end = min(s.end, end)
			if !yield(s) {
				return
			}
			at = s.end
		}
		if at < end {
			yield(segment{at, end, place{none, none, Working}})
		}
	}
}

// regions adds up the ranges that the program named, each as a whole.
func (t *Trace) regions(r *Rank, m *marks) {
	for _, i := range t.On(m.main) {
		v := t.At(int(i))
		if v.Kind == Annotation && !m.isStep(v) {
			r.Steps[stepAt(m.host, v.Start)].Regions[t.Names[v.Name]] += v.Length
		}
	}
}
