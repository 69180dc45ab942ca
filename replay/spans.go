package replay

import (
	"cmp"
	"slices"

	"auspex/trace"
)

// Spans are what ranks did when, ordered by rank and time once they are Sorted.
type Spans struct {
	Rank, Part []int32
	Begin, End []float64
	Limit      int           // how many are recorded at most; 0: MaxSpans
	Full       bool          // some were left out
	last       map[int32]int // by rank: the position of its last one
}

// timelineParts are what a rank's time is split into, as simulate.RankTime has it.
var timelineParts = []string{"compute", "sleep", "send", "receive", "wait", "collective"}

// partOf is what an action's time counts as.
func partOf(k trace.Kind) int {
	switch k {
	case trace.Compute:
		return 0
	case trace.Sleep:
		return 1
	case trace.Send, trace.Isend, trace.Put:
		return 2
	case trace.Recv, trace.Irecv, trace.Get:
		return 3
	case trace.Wait, trace.WaitAll, trace.Test, trace.SendRecv, trace.Flush, trace.Lock, trace.Unlock:
		return 4
	}
	return 5
}

// MaxSpans bounds what is recorded: more nobody can look at.
const MaxSpans = 4 << 20

// Action records what a rank did; it makes Spans a simulate.Timeline. Actions
// of one part that follow each other are one.
func (s *Spans) Action(rank int, kind trace.Kind, begin, end float64) {
	if end <= begin {
		return
	}
	r, part := int32(rank), int32(partOf(kind))
	if s.last == nil {
		s.last = map[int32]int{}
	}
	if at, there := s.last[r]; there && s.Part[at] == part && s.End[at] == begin {
		s.End[at] = end
		return
	}
	if len(s.Rank) >= cmp.Or(s.Limit, MaxSpans) {
		s.Full = true
		return
	}
	s.last[r] = len(s.Rank)
	s.Rank, s.Part = append(s.Rank, r), append(s.Part, part)
	s.Begin, s.End = append(s.Begin, begin), append(s.End, end)
}

// Sort orders by rank; those of one rank are in order of time already.
func (s *Spans) Sort() {
	order := make([]int, len(s.Rank))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Rank[a], s.Rank[b]) })
	s.Rank, s.Part = ordered(s.Rank, order), ordered(s.Part, order)
	s.Begin, s.End = ordered(s.Begin, order), ordered(s.End, order)
	s.last = nil
}

func ordered[T any](from []T, order []int) []T {
	out := make([]T, len(from))
	for i, k := range order {
		out[i] = from[k]
	}
	return out
}
