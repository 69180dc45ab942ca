package training

import (
	"cmp"
	"iter"
	"slices"
)

// deviceLine is what the device computes and copies when, at the place of the
// program that launched it.
func (t *Trace) deviceLine(m *marks) iter.Seq[segment] {
	return func(yield func(segment) bool) {
		correlations := t.correlations(t.isOwn)
		from := t.launchedFrom(m, correlations)
		for v, start := range t.ownOnDevice() {
			p := place{none, none, OnTheDevice}
			if n := correlations.find(v.Correlation); n >= 0 {
				p = from[n]
			}
			if !yield(segment{start, v.End(), p}) {
				return
			}
		}
	}
}

// isOwn tells what a device does that is no collective.
func (t *Trace) isOwn(v *Interval) bool { return v.Kind.OnDevice() && !t.isCollective(v) }

// correlations are the numbers that link some of what the device did with its
// launch.
func (t *Trace) correlations(of func(*Interval) bool) *ids {
	return t.numbers(func(v *Interval) uint32 {
		if of(v) {
			return v.Correlation
		}
		return 0
	})
}

// launches are the numbers of some of what the device did, and when each was
// launched.
func (t *Trace) launches(of func(*Interval) bool) (*ids, []int64) {
	numbers := t.correlations(of)
	at := slices.Repeat([]int64{NotLaunched}, numbers.len())
	for i := range t.Len() {
		if v := t.At(i); v.Kind == Runtime {
			if n := numbers.find(v.Correlation); n >= 0 {
				at[n] = v.Start
			}
		}
	}
	return numbers, at
}

// ownOnDevice goes through what the device does that is no collective, by its
// start. Of what overlaps the earlier counts: the later begins where that ends.
func (t *Trace) ownOnDevice() iter.Seq2[*Interval, int64] {
	return func(yield func(*Interval, int64) bool) {
		var busy []uint32
		for i := range t.Len() {
			if t.isOwn(t.At(i)) {
				busy = append(busy, uint32(i))
			}
		}
		byStart := func(a, b uint32) int {
			return cmp.Or(cmp.Compare(t.At(int(a)).Start, t.At(int(b)).Start), cmp.Compare(a, b))
		}
		if !slices.IsSortedFunc(busy, byStart) {
			slices.SortFunc(busy, byStart)
		}
		at := int64(absent)
		for _, i := range busy {
			v := t.At(int(i))
			start := max(v.Start, at)
			if v.End() <= start {
				continue
			}
			if !yield(v, start) {
				return
			}
			at = v.End()
		}
	}
}

// Launched is a stretch in which the device computed or copied.
type Launched struct {
	From, To int64
	Began    int64 // From, less the pause that is counted to it
	At       int64 // when the host launched it; NotLaunched where the trace does not tell
}

// NotLaunched stands for a launch that the trace does not hold.
const NotLaunched = int64(absent)

// Launched lists what the device did that is no collective, in order and without
// overlap, with the time of its launch. Where two follow each other within the
// pause that a launch takes, the later begins where the former ends.
func (t *Trace) Launched() []Launched {
	correlations, launches := t.launches(t.isOwn)
	var list []Launched
	for v, start := range t.ownOnDevice() {
		l := Launched{start, v.End(), start, NotLaunched}
		if n := correlations.find(v.Correlation); n >= 0 {
			l.At = launches[n]
		}
		if k := len(list); k > 0 && l.From-list[k-1].To <= launchPause {
			l.From = list[k-1].To
		}
		list = append(list, l)
	}
	return list
}

// launchedFrom finds the places of launches by what links them with what they
// launched: the outermost operator, and the range of the main thread that is
// open at the time.
func (t *Trace) launchedFrom(m *marks, correlations *ids) []place {
	from := slices.Repeat([]place{{none, none, OnTheDevice}}, correlations.len())
	var ranges []*Interval // of the main thread, outermost, one after the other
	for _, i := range t.On(m.main) {
		v := t.At(int(i))
		if v.Kind == Annotation && !m.isStep(v) && (len(ranges) == 0 || v.End() > ranges[len(ranges)-1].End()) {
			ranges = append(ranges, v)
		}
	}
	for track := range t.Tracks {
		if t.Tracks[track].Device {
			continue
		}
		var open []*Interval
		for _, i := range t.On(track) {
			v := t.At(int(i))
			if v.Kind != Operator && v.Kind != Runtime {
				continue
			}
			open = slices.DeleteFunc(open, func(o *Interval) bool { return o.End() <= v.Start })
			if v.Kind == Operator {
				open = append(open, v)
				continue
			}
			at := correlations.find(v.Correlation)
			if at < 0 {
				continue
			}
			p := &from[at]
			if len(open) > 0 {
				p.op = open[0].Name
			}
			n, _ := slices.BinarySearchFunc(ranges, v.Start+1, func(r *Interval, at int64) int { return cmp.Compare(r.Start, at) })
			if n > 0 && v.Start < ranges[n-1].End() {
				p.region = ranges[n-1].Name
			}
		}
	}
	return from
}
