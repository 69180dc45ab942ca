package predict

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"

	"auspex/trace"
)

// A kind is ranks that make the same kinds of calls in the same order and compute about
// as much: one of them stands for all (Zhai, Chen and Zheng, "PHANTOM", PPoPP 2010).
type kind struct {
	ranks []int
	rank  int // the one that stands for the others: the middle of them by computation
}

// mostKinds is of how many kinds a rank is measured: each costs a run.
const mostKinds = 4

// alike is how many times as long as the least of a kind the most of it computes, at the
// start; where that makes more kinds than are measured, ranks of the same calls are put
// together further.
const alike = 1.1

// kindsOf finds the kinds of ranks in the traces of several runs: those that are most
// first, and of as many those that compute most.
func kindsOf(traces []*taken) []kind {
	ranks := traces[0].NP()
	work := make([]float64, ranks)
	calls := map[uint64][]int{}
	for rank := range ranks {
		key := shape(traces[0].Trace, rank, true)
		calls[key] = append(calls[key], rank)
		work[rank] = workIn(traces, rank)
	}
	kinds := kindsWithin(calls, work, alike)
	for apart := alike * alike; len(kinds) > mostKinds && len(kinds) > len(calls); apart *= apart {
		kinds = kindsWithin(calls, work, apart)
	}
	slices.SortFunc(kinds, func(a, b kind) int {
		return cmp.Or(cmp.Compare(len(b.ranks), len(a.ranks)), cmp.Compare(work[b.rank], work[a.rank]), cmp.Compare(a.rank, b.rank))
	})
	return kinds
}

func kindsWithin(calls map[uint64][]int, work []float64, apart float64) (kinds []kind) {
	for _, list := range calls {
		kinds = append(kinds, split(list, work, apart)...)
	}
	return kinds
}

// workIn is what a rank computes, in the middle of several runs.
func workIn(traces []*taken, rank int) float64 {
	var list []float64
	for _, t := range traces {
		list = append(list, computed(t.Trace, rank))
	}
	return median(list)
}

// split parts ranks of the same calls by what they compute.
func split(ranks []int, work []float64, apart float64) (kinds []kind) {
	list := slices.SortedFunc(slices.Values(ranks), func(a, b int) int { return cmp.Or(cmp.Compare(work[a], work[b]), cmp.Compare(a, b)) })
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && work[list[to]] <= apart*work[list[from]] {
			to++
		}
		kinds = append(kinds, kind{slices.Sorted(slices.Values(list[from:to])), list[(from+to-1)/2]})
		from = to
	}
	return kinds
}

// shape is a sum over what kinds of calls a rank makes, with or without waits.
func shape(t *trace.Trace, rank int, waits bool) uint64 {
	sum := fnv.New64a()
	var text [4]byte
	c := t.Cursor(rank)
	for a := (trace.Action{}); advance(&c, &a); {
		if a.Kind == trace.Wait && !waits {
			continue
		}
		binary.LittleEndian.PutUint32(text[:], uint32(a.Kind))
		sum.Write(text[:])
	}
	return sum.Sum64()
}
