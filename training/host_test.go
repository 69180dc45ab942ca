package training_test

import (
	"fmt"
	"strings"
	"testing"

	"auspex/training"
)

// ahead makes a job whose hosts run a step ahead of their devices: in each step a
// host waits for the last step but one, works, launches a kernel and an
// all-reduce, and goes on. Pause is what a rank's host does beside that, in
// milliseconds.
func ahead(steps, ranks int, pause func(rank, step int) int) []*training.Rank {
	const work, kernel, transfer = 10 * millisecond, 2 * millisecond, 1 * millisecond
	host := make([]int64, ranks)
	free := int64(0) // when the devices have met
	var met []int64  // in each step
	traces := make([]*training.Trace, ranks)
	for r := range traces {
		traces[r] = &training.Trace{
			Rank: r, World: ranks,
			Tracks: []training.Track{{Process: "1", Thread: "1"}, {Process: "0", Thread: "7", Device: true, Stream: 7}, {Process: "0", Thread: "9", Device: true, Stream: 9}},
		}
	}
	add := func(r int, kind training.Kind, name string, track uint16, start, length int64, correlation uint32) {
		t := traces[r]
		t.Names = append(t.Names, name)
		t.Add(training.Interval{Kind: kind, Name: uint32(len(t.Names) - 1), Track: track, Start: start, Length: length, Correlation: correlation})
	}
	for step := range steps {
		arrived := make([]int64, ranks)
		last := int64(0)
		for r := range ranks {
			begin := host[r]
			if step >= 2 && met[step-2] > host[r] {
				add(r, training.Runtime, "cudaStreamSynchronize", 0, host[r], met[step-2]-host[r], 0)
				host[r] = met[step-2]
			}
			if ms := pause(r, step); ms > 0 {
				add(r, training.Annotation, "log_values", 0, host[r], int64(ms)*millisecond, 0)
				host[r] += int64(ms) * millisecond
			}
			add(r, training.Operator, "aten::mm", 0, host[r], work, 0)
			host[r] += work
			id := uint32(step + 1)
			add(r, training.Runtime, "cudaLaunchKernel", 0, host[r]-millisecond, millisecond/100, id)
			start := max(host[r], free)
			add(r, training.Kernel, "gemm", 1, start, kernel, id)
			arrived[r] = start + kernel
			last = max(last, arrived[r])
			add(r, training.Annotation, fmt.Sprintf("ProfilerStep#%d", step), 0, begin, host[r]-begin, 0)
		}
		for r := range ranks {
			add(r, training.Kernel, "ncclDevKernel_AllReduce_Sum", 2, arrived[r], last+transfer-arrived[r], 0)
		}
		free = last + transfer
		met = append(met, free)
	}
	var list []*training.Rank
	for _, t := range traces {
		list = append(list, training.Summarize(t))
	}
	return list
}

// TestBehindIsNotSlow: a host that paused once stays behind those that run ahead
// of their devices, and its device is the last step after step; but it works no
// longer than they do. One that pauses in every step does.
func TestBehindIsNotSlow(t *testing.T) {
	for _, c := range []struct {
		what    string
		pause   func(rank, step int) int
		pattern string // "" for no alarm
	}{
		{"once", func(rank, step int) int { return 6 * b2i(rank == 1 && step == 1) }, ""},
		{"in every step", func(rank, step int) int { return 6 * b2i(rank == 1) }, "(persistent): it spends 72 ms over 12 steps in log_values"},
		{"in some", func(rank, step int) int { return 15 * b2i(rank == 1 && step%4 == 2) }, "(now and then): it spends 45 ms"},
		{"in turn", func(rank, step int) int { return 12 * b2i(rank == step%4) }, ""},
	} {
		r := find(t, ahead(12, 4, c.pause))
		if c.pattern == "" && len(r.Stragglers) > 0 || c.pattern != "" && !strings.Contains(r.Words, "Rank 1 makes the others wait "+c.pattern) {
			t.Errorf("%s: %s %q", c.what, r.Words, r.Notes)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestTwoLateInEveryStep: two ranks that are both late in every step, one more
// in this, the other in that, do not take turns.
func TestTwoLateInEveryStep(t *testing.T) {
	fast := made{load: always(10)}
	r := find(t, job(8, fast, made{load: by(30, 22)}, made{load: by(22, 30)}, fast, fast))
	if len(r.Stragglers) != 2 {
		t.Errorf("%s %q", r.Words, r.Notes)
	}
}

// TestNearbyClocks: clocks that differ by more than anybody would overlook in a
// step are aligned, and nobody is late for them.
func TestNearbyClocks(t *testing.T) {
	fast := made{load: always(10)}
	off := made{load: always(10), clock: 4 * millisecond}
	r := find(t, job(4, fast, off, fast, fast))
	if len(r.Stragglers) != 0 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "clock of rank 1") {
		t.Errorf("%s %q", r.Words, r.Notes)
	}
}
