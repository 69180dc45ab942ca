package job

import (
	"cmp"
	"slices"
	"strings"

	"auspex/training"
)

// Lane is what is kept of one rank.
type Lane struct {
	rank   int
	file   string
	begin  int64
	end    int64
	calls  []training.Call
	ranges []span // that the program named, without overlap, by time
	pairs  int    // messages between two ranks, which are left out
}

// span is a stretch of time in a named range.
type span struct {
	from, to int64
	name     string
}

// LaneOf takes from a rank's profile what its lane needs.
func LaneOf(t *training.Trace) *Lane {
	r := training.Summarize(t)
	l := &Lane{rank: t.Rank, file: t.File}
	l.begin, l.end = t.Span()
	l.begin, l.end = l.begin+t.Base, l.end+t.Base
	for _, c := range r.Calls {
		if c.Pair {
			l.pairs++
			continue
		}
		l.calls = append(l.calls, c)
	}
	l.ranges = namedRanges(t)
	return l
}

// namedRanges are the innermost ranges of the thread on which the program named
// the most time.
func namedRanges(t *training.Trace) []span {
	var best []span
	longest := int64(0)
	for track := range t.Tracks {
		if t.Tracks[track].Device {
			continue
		}
		var open, flat []span
		close := func(until int64) {
			for len(open) > 0 && open[len(open)-1].to <= until {
				last := open[len(open)-1]
				open = open[:len(open)-1]
				if last.to > last.from {
					flat = append(flat, last)
				}
				if len(open) > 0 {
					open[len(open)-1].from = max(open[len(open)-1].from, last.to)
				}
			}
		}
		for _, i := range t.On(track) {
			v := t.At(int(i))
			if v.Kind != training.Annotation || isMark(t.Names[v.Name]) {
				continue
			}
			from, to := v.Start+t.Base, v.End()+t.Base
			close(from)
			if len(open) > 0 && isFramework(t.Names[v.Name]) {
				continue
			}
			if len(open) > 0 {
				outer := &open[len(open)-1]
				if from > outer.from {
					flat = append(flat, span{outer.from, from, outer.name})
				}
				outer.from, to = from, min(to, outer.to)
			}
			open = append(open, span{from, to, t.Names[v.Name]})
		}
		close(1<<63 - 1)
		total := int64(0)
		for _, s := range flat {
			total += s.to - s.from
		}
		if total > longest {
			longest, best = total, flat
		}
	}
	slices.SortFunc(best, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	return best
}

// isMark tells ranges that say nothing of what the rank does: steps, and
// collectives themselves.
func isMark(name string) bool {
	for _, prefix := range []string{"ProfilerStep#", "nccl:", "gloo:", "mpi:", "ucc:"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// isFramework tells ranges that PyTorch opens by itself: they count where the
// program named none around them.
func isFramework(name string) bool {
	for _, prefix := range []string{"Optimizer.", "DistributedDataParallel.", "enumerate(DataLoader)#"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
