package training

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Sum is the time of one kind of operation of one worker, of which each moment
// counts once; Kind is "" for the time in which it had none.
type Sum struct {
	Rank    int
	Kind    string
	Seconds float64
	Count   int
}

// Transfer tells whether a kind of operation moves data instead of computing.
func Transfer(kind string) bool {
	return slices.ContainsFunc([]string{"-send", "-recv", "-sync"}, func(end string) bool { return strings.HasSuffix(kind, end) }) ||
		slices.ContainsFunc([]string{"-all-", "all-reduce", "allreduce", "all-gather", "allgather", "all-to-all", "alltoall", "reduce-scatter", "reducescatter", "nccl"}, func(part string) bool { return strings.Contains(kind, part) })
}

// Computes tells whether a kind of operation is known to compute.
func Computes(kind string) bool {
	return isKnown(kind) && !Transfer(kind) || strings.HasSuffix(kind, "-compute")
}

// Profile is where the workers of a settled table spend their time, moment by
// moment: transfers beside computation cost nothing, and of two that wait at once
// the one that began first counts. What is left of the steps is idle.
func (o *Operations) Profile() []Sum {
	rows := map[[2]int32][]uint32{} // by data-parallel rank and stage
	var order [][2]int32
	for slab := range o.rows {
		for i, r := range o.rows[slab] {
			if r.step == dropped {
				continue
			}
			k := [2]int32{r.data, o.ops[r.op].stage}
			if rows[k] == nil {
				order = append(order, k)
			}
			rows[k] = append(rows[k], uint32(slab*rowSlab+i))
		}
	}
	all := o.stepTime()
	var list []Sum
	for _, k := range order {
		sums := o.worker(rows[k])
		idle := all
		for i := range sums {
			sums[i].Rank = o.workers[[2]int{int(k[0]), int(k[1])}]
			idle -= sums[i].Seconds
		}
		list = append(list, sums...)
		if idle > 1e-9*all {
			list = append(list, Sum{Rank: sums[0].Rank, Seconds: idle})
		}
	}
	return list
}

func (o *Operations) row(i uint32) *opRow { return &o.rows[i/rowSlab][i%rowSlab] }

// worker sums the operations of one worker, step by step: in some tables each
// step's times begin at 0.
func (o *Operations) worker(rows []uint32) []Sum {
	slices.SortFunc(rows, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(o.row(a).step, o.row(b).step), cmp.Compare(o.row(a).start, o.row(b).start))
	})
	sums := make([]Sum, len(o.kinds))
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && o.row(rows[n]).step == o.row(rows[0]).step {
			n++
		}
		o.step(sums, rows[:n])
		rows = rows[n:]
	}
	list := sums[:0]
	for kind, s := range sums {
		if s.Count > 0 {
			s.Kind = o.kinds[kind]
			list = append(list, s)
		}
	}
	return list
}

// step adds the operations of a step, which are in order of their starts: first
// what is computed, then of the transfers what no computation hides.
func (o *Operations) step(sums []Sum, rows []uint32) {
	var busy [][2]float64 // while it computes, in order and apart
	for _, transfers := range []bool{false, true} {
		at, hidden := math.Inf(-1), 0
		for _, i := range rows {
			r := o.row(i)
			kind := o.ops[r.op].kind
			if Transfer(o.kinds[kind]) != transfers {
				continue
			}
			sums[kind].Count++
			start, end := max(r.start, at), r.start+float64(r.time)
			at = max(at, end)
			if start >= end {
				continue
			}
			sums[kind].Seconds += end - start
			if !transfers {
				busy = append(busy, [2]float64{start, end})
				continue
			}
			for hidden < len(busy) && busy[hidden][1] <= start {
				hidden++
			}
			for h := hidden; h < len(busy) && busy[h][0] < end; h++ {
				sums[kind].Seconds -= min(end, busy[h][1]) - max(start, busy[h][0])
			}
		}
	}
}

// stepTime is how long the steps took, each from the first worker that began to
// the last that ended, or to where the next step begins before that. Time between
// steps that are not in the table does not count.
func (o *Operations) stepTime() float64 {
	spans := make([][2]float64, len(o.steps))
	for i := range spans {
		spans[i] = [2]float64{math.Inf(1), math.Inf(-1)}
	}
	for _, rows := range o.rows {
		for _, r := range rows {
			if r.step != dropped {
				s := &spans[r.step]
				s[0], s[1] = min(s[0], r.start), max(s[1], r.start+float64(r.time))
			}
		}
	}
	slices.SortFunc(spans, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	all := 0.0
	for i, s := range spans {
		if s[0] > s[1] {
			continue
		}
		if i+1 < len(spans) && spans[i+1][0] > (s[0]+s[1])/2 { // else they begin at 0
			s[1] = min(s[1], spans[i+1][0])
		}
		all += s[1] - s[0]
	}
	return all
}
