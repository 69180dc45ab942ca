package training

import "slices"

// ids is a set of the numbers that link intervals, sorted. A slice, as a trace
// of a gigabyte links a million of them.
type ids struct {
	sorted []uint32
	last   int // where the last number was found
}

// newIDs makes a set of numbers, which it takes over.
func newIDs(list []uint32) *ids {
	if !slices.IsSorted(list) { // profilers write mostly in order
		slices.Sort(list)
	}
	return &ids{sorted: slices.Clip(slices.Compact(list))}
}

func (s *ids) len() int { return len(s.sorted) }

// find is the place of a number, -1 where it is not in the set. What follows in
// a trace mostly follows in the set.
func (s *ids) find(id uint32) int {
	for next := s.last; next < min(s.last+2, len(s.sorted)); next++ {
		if s.sorted[next] == id {
			s.last = next
			return next
		}
	}
	if i, ok := slices.BinarySearch(s.sorted, id); ok {
		s.last = i
		return i
	}
	return -1
}

// links says of all that the device did by what it was launched.
type links struct {
	correlations *ids
	launch       []uint32 // by correlation: index of the launch, or none
	operator     []uint32 // by correlation: name of the innermost operator around the launch, or none
	after        []uint32 // by correlation: nanoseconds from that operator's beginning to the launch, where it is its first; or none
}

// openOperator is an operator under way.
type openOperator struct {
	*Interval
	launched bool
}

// links finds launches and operators. Where a trace has no launches, the
// external id that operator and kernel share tells the operator.
func (t *Trace) links() *links {
	l := &links{correlations: t.numbers(func(v *Interval) uint32 {
		if v.Kind.OnDevice() {
			return v.Correlation
		}
		return 0
	})}
	l.launch = slices.Repeat([]uint32{none}, l.correlations.len())
	l.operator = slices.Repeat([]uint32{none}, l.correlations.len())
	l.after = slices.Repeat([]uint32{none}, l.correlations.len())
	t.byExternal(l)
	var open []openOperator
	for track := range t.Tracks {
		if t.Tracks[track].Device {
			continue
		}
		open = open[:0]
		for _, i := range t.On(track) {
			v := t.At(int(i))
			if v.Kind != Operator && v.Kind != Runtime {
				continue
			}
			for len(open) > 0 && open[len(open)-1].End() <= v.Start {
				open = open[:len(open)-1]
			}
			if v.Kind == Operator {
				open = append(open, openOperator{v, false})
				continue
			}
			at := l.at(v)
			if at < 0 {
				continue
			}
			l.launch[at] = i
			if len(open) > 0 {
				in := &open[len(open)-1]
				l.operator[at] = in.Name
				if !in.launched {
					in.launched, l.after[at] = true, uint32(min(v.Start-in.Start, int64(none)-1))
				}
			}
		}
	}
	return l
}

// numbers collects the numbers of the intervals that have one.
func (t *Trace) numbers(of func(*Interval) uint32) *ids {
	n := 0
	for i := range t.Len() {
		if of(t.At(i)) != 0 {
			n++
		}
	}
	list := make([]uint32, 0, n)
	for i := range t.Len() {
		if id := of(t.At(i)); id != 0 {
			list = append(list, id)
		}
	}
	return newIDs(list)
}

// byExternal names the operators by external id.
func (t *Trace) byExternal(l *links) {
	externals := t.numbers(func(v *Interval) uint32 {
		if v.Kind == Kernel && v.Correlation != 0 {
			return v.External
		}
		return 0
	})
	names := slices.Repeat([]uint32{none}, externals.len())
	for i := range t.Len() {
		if v := t.At(i); v.Kind == Operator && v.External != 0 {
			if at := externals.find(v.External); at >= 0 {
				names[at] = v.Name
			}
		}
	}
	for i := range t.Len() {
		if v := t.At(i); v.Kind == Kernel && v.Correlation != 0 && v.External != 0 {
			l.operator[l.at(v)] = names[externals.find(v.External)]
		}
	}
}

// at is the place of an interval's correlation, -1 where it has none or nothing
// on the device shares it.
func (l *links) at(v *Interval) int {
	if v.Correlation == 0 {
		return -1
	}
	return l.correlations.find(v.Correlation)
}

// launchOf is what launched an interval, nil where it is not known.
func (l *links) launchOf(t *Trace, v *Interval) *Interval {
	at := l.at(v)
	if at < 0 || l.launch[at] == none {
		return nil
	}
	return t.At(int(l.launch[at]))
}

// operatorOf is the name of the operator that launched an interval, or none.
func (l *links) operatorOf(v *Interval) uint32 {
	at := l.at(v)
	if at < 0 {
		return none
	}
	return l.operator[at]
}
