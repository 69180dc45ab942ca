package training_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"auspex/training"
)

// looped makes traces of ranks that launch a kernel in each step and meet on their
// devices, in milliseconds: load on the host, compute on the device, then, where it is
// set, save. A host that does not wait goes on to the next step at once.
type looped struct {
	load, compute, save func(rank, step int) int64
	ahead               bool        // hosts do not wait for their devices
	lost                map[int]int // by rank: a step whose range is not in the trace
}

func (l looped) ranks(n, steps int) []*training.Rank {
	at := func(of func(int, int) int64, rank, step int) int64 {
		if of == nil {
			return 0
		}
		return of(rank, step) * millisecond
	}
	list := make([]*training.Trace, n)
	host, device := make([]int64, n), make([]int64, n)
	for r := range list {
		list[r] = &training.Trace{Rank: r, World: n, Tracks: []training.Track{{Process: "1", Thread: "1"}, {Process: "0", Thread: "7", Device: true, Stream: 7}}}
	}
	for step := range steps {
		begin, ready := make([]int64, n), make([]int64, n)
		together := int64(0)
		for r, t := range list {
			add := adder(t)
			begin[r] = host[r]
			load := at(l.load, r, step)
			add(training.Annotation, 0, "load_batch", host[r], load, 0)
			add(training.Operator, 0, "aten::stack", host[r], load, 0)
			host[r] += load
			add(training.Annotation, 0, "backward", host[r], 40_000, 0)
			for k := range uint32(2) { // the kernel and the collective
				add(training.Runtime, 0, "cudaLaunchKernel", host[r]+int64(k)*10_000, 5_000, uint32(2*step)+k+1)
			}
			host[r] += 40_000
			from := max(host[r], device[r])
			length := at(l.compute, r, step)
			add(training.Kernel, 1, "gemm", from, length, uint32(2*step)+1)
			ready[r] = from + length
			together = max(together, ready[r])
		}
		end := together + millisecond
		for r, t := range list {
			add := adder(t)
			add(training.Kernel, 1, "ncclDevKernel_AllReduce_Sum", ready[r], end-ready[r], uint32(2*step)+2)
			device[r] = end
			if !l.ahead {
				add(training.Runtime, 0, "cudaDeviceSynchronize", host[r], end-host[r], 0)
				host[r] = end
			}
			if save := at(l.save, r, step); save > 0 {
				add(training.Annotation, 0, "save_checkpoint", host[r], save, 0)
				add(training.Operator, 0, "aten::copy_", host[r], save+1, 0) // rounded
				host[r] += save
			}
			if lost, is := l.lost[r]; !is || lost != step {
				add(training.Annotation, 0, fmt.Sprintf("ProfilerStep#%d", step), begin[r], host[r]-begin[r], 0)
			}
		}
	}
	var out []*training.Rank
	for _, t := range list {
		out = append(out, training.Summarize(t))
	}
	return out
}

// adder adds intervals to a trace by their names.
func adder(t *training.Trace) func(kind training.Kind, track uint16, name string, start, length int64, link uint32) {
	return func(kind training.Kind, track uint16, name string, start, length int64, link uint32) {
		n := slices.Index(t.Names, name)
		if n < 0 {
			n = len(t.Names)
			t.Names = append(t.Names, name)
		}
		t.Add(training.Interval{Kind: kind, Name: uint32(n), Track: track, Start: start, Length: length, Correlation: link})
	}
}

func each(ms int64) func(int, int) int64 { return func(int, int) int64 { return ms } }

// TestSavingAtTheEnd: who saves at the end of some steps is waited for in the next.
func TestSavingAtTheEnd(t *testing.T) {
	r := find(t, looped{load: each(2), compute: each(10), save: func(rank, step int) int64 {
		if rank == 0 && step%3 == 2 {
			return 30
		}
		return 0
	}}.ranks(4, 9))
	if len(r.Stragglers) != 1 || r.Stragglers[0].Rank != 0 || r.Stragglers[0].Cause != "saving" || r.Stragglers[0].Region != "save_checkpoint" {
		t.Fatal(r.Words)
	}
	// 9 steps of 13 ms, and 90 ms of saving.
	said(t, r.Words, "The job runs at 57 % of the speed", true)
	if s := r.Seconds; s < 0.205 || s > 0.21 {
		t.Errorf("the run takes %g s, should be 0.207", s)
	}
}

// TestHostAhead: hosts that do not wait for their devices hide what they load; what
// a device computes belongs to the step that launched it.
func TestHostAhead(t *testing.T) {
	l := looped{ahead: true, compute: each(20), load: func(rank, _ int) int64 {
		if rank == 2 {
			return 6
		}
		return 1
	}}
	r := find(t, l.ranks(4, 8))
	if len(r.Stragglers) != 0 {
		t.Error(r.Words)
	}
	if s := r.Seconds; s < 0.168 || s > 0.18 {
		t.Errorf("the run takes %g s, should be 8 × 21 ms and the first load", s)
	}
}

// TestDrift: what grows along a line drifts, also from nothing on.
func TestDrift(t *testing.T) {
	r := find(t, looped{load: each(1), compute: func(rank, step int) int64 {
		if rank == 3 {
			return 20 + 2*int64(step)
		}
		return 20
	}}.ranks(4, 10))
	if len(r.Stragglers) != 1 || r.Stragglers[0].Rank != 3 || r.Stragglers[0].Pattern != training.Drifting {
		t.Error(r.Words)
	}
}

// TestTogether: ranks that are late for one reason are told once, with what they
// cost together; of different reasons each with what it costs alone.
func TestTogether(t *testing.T) {
	node := find(t, looped{load: each(1), compute: func(rank, _ int) int64 {
		if rank >= 4 && rank < 8 {
			return 30
		}
		return 20
	}}.ranks(12, 6))
	if len(node.Stragglers) != 4 || strings.Count(node.Words, "Fix:") != 1 {
		t.Errorf("%d stragglers: %s", len(node.Stragglers), node.Words)
	}
	said(t, node.Words, "Ranks 4 to 7 make the others wait", true)
	two := find(t, looped{load: func(rank, _ int) int64 {
		if rank == 1 {
			return 16
		}
		return 1
	}, compute: func(rank, _ int) int64 {
		if rank == 6 {
			return 30
		}
		return 20
	}}.ranks(8, 6))
	if len(two.Stragglers) != 2 {
		t.Fatal(two.Words)
	}
	// Steps of 37.04 ms: without rank 1 they take 5 ms less, without both 15.
	said(t, two.Words, "The job runs at 87 % of the speed it would have without that alone", true)
	said(t, two.Words, "Without that alone nothing would be gained", true)
	said(t, two.Words, "The job runs at 60 % of the speed it would have without all of these", true)
}

// TestGoesRound: where every rank in turn holds up the others, nobody is named, but
// what it costs is told.
func TestGoesRound(t *testing.T) {
	r := find(t, looped{compute: each(10), load: func(rank, step int) int64 {
		if step%8 == rank {
			return 21
		}
		return 1
	}}.ranks(8, 16))
	if len(r.Stragglers) != 0 || len(r.Notes) == 0 {
		t.Fatalf("%s %v", r.Words, r.Notes)
	}
	said(t, r.Words, "the others wait for one rank or another, 6", true)
	said(t, strings.Join(r.Notes, "\n"), "a different rank from step to step", true)
}

// TestShortTrace: steps that one rank lacks are compared on none.
func TestShortTrace(t *testing.T) {
	slow := looped{compute: each(10), load: func(rank, _ int) int64 {
		if rank == 1 {
			return 11
		}
		return 1
	}}
	whole, short := find(t, slow.ranks(4, 6)), slow.ranks(4, 6)
	short[2] = slow.ranks(4, 3)[2]
	r := find(t, short)
	if len(r.Stragglers) != 1 || len(whole.Stragglers) != 1 {
		t.Fatalf("%s %s", whole.Words, r.Words)
	}
	if d := r.Stragglers[0].Share - whole.Stragglers[0].Share; d < -0.01 || d > 0.01 {
		t.Errorf("rank 1 costs %g, of the whole traces %g", r.Stragglers[0].Share, whole.Stragglers[0].Share)
	}
	said(t, strings.Join(r.Notes, "\n"), "rank 2 has 3 of 6 steps", true)
}

// TestLostSteps: where the range of a step was lost, what the rank did in it is not
// counted to another one, which would look like chance.
func TestLostSteps(t *testing.T) {
	slow := looped{compute: each(10), load: func(rank, _ int) int64 {
		if rank == 1 {
			return 6
		}
		return 1
	}}
	for _, lost := range []map[int]int{{2: 2}, {3: 0}, {0: 5}, {0: 3, 1: 1, 2: 5}} {
		slow.lost = lost
		r := find(t, slow.ranks(4, 6))
		if len(r.Stragglers) != 1 || r.Stragglers[0].Rank != 1 {
			t.Errorf("without %v: %s", lost, r.Words)
		}
	}
}
