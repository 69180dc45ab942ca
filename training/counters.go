package training

import (
	"cmp"
	"slices"
	"strings"
)

// ProfiledRange is what the accelerator's counters counted in one kernel, where
// the profiler was asked for them.
type ProfiledRange struct {
	At     int64
	Kernel uint32 // index of Trace.Names
	Values []CounterValue
}

// CounterValue is one counter in one kernel.
type CounterValue struct {
	Counter uint32 // index of Trace.Names
	Value   float64
}

// CounterStat is a counter over all runs of a kernel that one operator launched.
type CounterStat struct {
	Kernel   string  `json:"kernel"`
	Operator string  `json:"operator"` // "" where it is not known
	Counter  string  `json:"counter"`
	Count    int     `json:"count"` // runs of the kernel
	Sum      float64 `json:"sum"`
	Mean     float64 `json:"mean"`
}

// counters adds up the counters by kernel and operator. Ranges bear no numbers
// that link them with their launches: where there are as many launches as ranges,
// the first range is the first launch's, and so on.
func (t *Trace) counters() []CounterStat {
	ranges := slices.Clone(t.Ranges)
	slices.SortStableFunc(ranges, func(a, b ProfiledRange) int { return cmp.Compare(a.At, b.At) })
	var operators []uint32
	if len(ranges) > 0 {
		operators = t.launchedBy()
	}
	type key struct{ kernel, operator, counter uint32 }
	sums := map[key]*CounterStat{}
	list := []CounterStat{}
	for i, r := range ranges {
		operator := none
		if len(operators) == len(ranges) {
			operator = operators[i]
		}
		for _, v := range r.Values {
			k := key{r.Kernel, operator, v.Counter}
			if sums[k] == nil {
				sums[k] = &CounterStat{Kernel: t.Names[r.Kernel], Counter: t.Names[v.Counter]}
				if operator != none {
					sums[k].Operator = t.Names[operator]
				}
			}
			sums[k].Count++
			sums[k].Sum += v.Value
		}
	}
	for _, s := range sums {
		s.Mean = s.Sum / float64(s.Count)
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b CounterStat) int {
		return cmp.Or(cmp.Compare(a.Counter, b.Counter), cmp.Compare(b.Sum, a.Sum), cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Operator, b.Operator))
	})
	return list
}

// launchedBy is the innermost operator around each launch of a kernel, or none,
// in the order of the launches.
func (t *Trace) launchedBy() []uint32 {
	type launch struct {
		at       int64
		operator uint32
	}
	var launches []launch
	for track := range t.Tracks {
		var open []*Interval
		for _, i := range t.On(track) {
			v := t.At(int(i))
			if v.Kind != Operator && v.Kind != Runtime {
				continue
			}
			for len(open) > 0 && open[len(open)-1].End() <= v.Start {
				open = open[:len(open)-1]
			}
			switch {
			case v.Kind == Operator:
				open = append(open, v)
			case strings.Contains(t.Names[v.Name], "LaunchKernel"):
				l := launch{v.Start, none}
				if len(open) > 0 {
					l.operator = open[len(open)-1].Name
				}
				launches = append(launches, l)
			}
		}
	}
	slices.SortStableFunc(launches, func(a, b launch) int { return cmp.Compare(a.at, b.at) })
	var operators []uint32
	for _, l := range launches {
		operators = append(operators, l.operator)
	}
	return operators
}
