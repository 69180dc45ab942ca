package training

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

const (
	stepPrefix      = "ProfilerStep#"
	optimizerPrefix = "Optimizer.step#" // PyTorch names every optimizer's step
)

// marks say where the steps of a trace begin and end.
type marks struct {
	main  int // the thread that makes the steps; -1 where there is none
	steps []Step
	host  []Step          // the same as the host has them, see behind
	names map[uint32]bool // of the ranges that are steps
}

// behind moves the ends of steps to where the device has done what was launched in
// them: a host that does not wait for its device is steps ahead of it, and what
// ranks that meet on their devices wait for is there.
func (t *Trace) behind(m *marks) {
	m.host = slices.Clone(m.steps)
	if len(m.steps) == 0 || t.MeetsOnHost() {
		return
	}
	onDevice := func(v *Interval) bool { return v.Kind.OnDevice() }
	numbers, launches := t.launches(onDevice)
	for i := range t.Len() {
		v := t.At(i)
		if !onDevice(v) {
			continue
		}
		if n := numbers.find(v.Correlation); n >= 0 && launches[n] != NotLaunched {
			step := &m.steps[stepAt(m.host, launches[n])]
			step.End = max(step.End, v.End())
		}
	}
	for i := 1; i < len(m.steps); i++ {
		before := m.steps[i-1].End
		m.steps[i].Start, m.steps[i].End = max(m.steps[i].Start, before), max(m.steps[i].End, before)
	}
}

// isStep tells ranges that stand for a step as a whole.
func (m *marks) isStep(v *Interval) bool { return v.Kind == Annotation && m.names[v.Name] }

// marks finds the steps: the profiler's, else ranges that the program numbers,
// else what lies between two steps of the optimizer. A trace without any is one
// step.
func (t *Trace) marks() *marks {
	if m := t.numbered(func(prefix string) bool { return prefix == stepPrefix }, 0); m != nil {
		return m
	}
	if m := t.numbered(func(prefix string) bool { return !HostCollective(prefix) }, 0.5); m != nil {
		return m
	}
	m := &marks{main: t.busiest()}
	m.steps = t.betweenOptimizers(m.main)
	return m
}

// series is a row of ranges on one thread whose names differ in a number.
type series struct {
	track  int
	prefix string
	ranges []*Interval
}

// numbered makes steps of the ranges with one prefix that cover most of the
// trace, at least a share of it; nil without any. Where one number is missing, its
// range was lost: what lies between its neighbours is that step, and not part of the
// one before it.
func (t *Trace) numbered(wanted func(prefix string) bool, least float64) *marks {
	type key struct {
		track  uint16
		prefix string
	}
	found := map[key]*series{}
	var order []*series
	for i := range t.Len() {
		v := t.At(i)
		if v.Kind != Annotation {
			continue
		}
		prefix, _, ok := cutNumber(t.Names[v.Name])
		if !ok || !wanted(prefix) {
			continue
		}
		k := key{v.Track, prefix}
		if found[k] == nil {
			found[k] = &series{track: int(v.Track), prefix: prefix}
			order = append(order, found[k])
		}
		found[k].ranges = append(found[k].ranges, v)
	}
	var best *series
	var most int64
	for _, s := range order {
		if covered := s.check(t); covered > most {
			best, most = s, covered
		}
	}
	first, last := t.Span()
	if best == nil || float64(most) < least*float64(last-first) || least > 0 && len(best.ranges) < 2 {
		return nil
	}
	m := &marks{main: best.track, names: map[uint32]bool{}}
	for i, v := range best.ranges {
		_, n, _ := cutNumber(t.Names[v.Name])
		m.names[v.Name] = true
		if i > 0 {
			if last := m.steps[len(m.steps)-1]; n == last.Number+2 && 2*(v.Start-last.End) >= last.End-last.Start {
				m.steps = append(m.steps, Step{Number: n - 1, Start: last.End, End: v.Start, Regions: map[string]int64{}})
			}
		}
		m.steps = append(m.steps, Step{Number: n, Start: v.Start, End: v.End(), Regions: map[string]int64{}})
	}
	return m
}

// check puts the ranges in order and adds them up; 0 where they overlap or their
// numbers do not rise, as those of steps do.
func (s *series) check(t *Trace) int64 {
	slices.SortFunc(s.ranges, func(a, b *Interval) int { return cmp.Compare(a.Start, b.Start) })
	var sum int64
	for i, v := range s.ranges {
		if i > 0 {
			_, before, _ := cutNumber(t.Names[s.ranges[i-1].Name])
			_, n, _ := cutNumber(t.Names[v.Name])
			if n <= before || v.Start < s.ranges[i-1].End()-v.Length/100 {
				return 0
			}
		}
		sum += v.Length
	}
	return sum
}

// cutNumber takes the number off the end of a name.
func cutNumber(name string) (prefix string, n int, ok bool) {
	prefix = strings.TrimRight(name, "0123456789")
	if prefix == name {
		return "", 0, false
	}
	n, err := strconv.Atoi(name[len(prefix):])
	return prefix, n, err == nil
}

// busiest is the thread of the host with the most time in operators, -1 where
// there is none.
func (t *Trace) busiest() int {
	best, most := -1, int64(-1)
	times := make([]int64, len(t.Tracks))
	for i := range t.Len() {
		v := t.At(i)
		if v.Kind == Operator || v.Kind == Annotation && !HostCollective(t.Names[v.Name]) {
			times[v.Track] += v.Length
		}
	}
	for track, time := range times {
		if !t.Tracks[track].Device && time > most {
			best, most = track, time
		}
	}
	return best
}

// betweenOptimizers cuts the trace behind each step of the optimizer that is
// called most often; what follows the last belongs to the last.
func (t *Trace) betweenOptimizers(main int) []Step {
	if t.Len() == 0 {
		return nil
	}
	ends := map[uint32][]int64{}
	most := none
	if main >= 0 {
		for _, i := range t.On(main) {
			v := t.At(int(i))
			if v.Kind != Annotation || !strings.HasPrefix(t.Names[v.Name], optimizerPrefix) {
				continue
			}
			ends[v.Name] = append(ends[v.Name], v.End())
			if most == none || len(ends[v.Name]) > len(ends[most]) {
				most = v.Name
			}
		}
	}
	at, last := t.Span()
	cuts := []int64{last}
	if most != none {
		cuts = append(ends[most][:len(ends[most])-1], last)
	}
	var steps []Step
	for i, end := range cuts {
		steps = append(steps, Step{Number: i, Start: at, End: end, Regions: map[string]int64{}})
		at = end
	}
	return steps
}

// stepAt finds the step that a time falls in: the last that began before it.
func stepAt(steps []Step, at int64) int {
	// Not slices.BinarySearchFunc: it copies a step at each look.
	return max(sort.Search(len(steps), func(i int) bool { return steps[i].Start > at })-1, 0)
}
