package job_test

import (
	"fmt"
	"math"
	"testing"

	"auspex/events/job"
	"auspex/training"
	"auspex/whatif"
)

// buckets is a job of three ranks, in µs: each step loads for 100, or for late more on
// rank 1, and computes for 1000 so many times; after each of these a reduction of 200
// begins on a stream of its own, which the end of the step waits for. The call that lost
// names, by rank, is not in the trace.
func buckets(n int, late int64, numbered bool, lost map[int]int) (lanes []*job.Lane, end int64) {
	const ranks, reduce = 3, 200
	var list []*rank
	for number := range ranks {
		r := newRank(number, 0)
		r.t.World = ranks
		r.t.Tracks = append(r.t.Tracks, training.Track{Process: "0", Thread: "8", Device: true, Stream: 8})
		list = append(list, r)
	}
	for step := range steps {
		var own [ranks]int64
		for number, r := range list {
			own[number] = end + 100
			if number == 1 {
				own[number] += late
			}
			r.during("load", end, own[number])
			r.during(fmt.Sprintf("ProfilerStep#%d", step), end, own[number]+int64(n)*1000)
		}
		before := end
		for k := range n {
			var start [ranks]int64
			last := int64(0)
			for number, r := range list {
				r.during("backward", own[number], own[number]+1000)
				r.add(training.Kernel, 2, "gemm", own[number], own[number]+1000)
				own[number] += 1000
				start[number] = max(own[number], before)
				last = max(last, start[number])
			}
			before = last + reduce
			for number, r := range list {
				if at, is := lost[number]; is && at == step*n+k {
					continue
				}
				i := r.add(training.Kernel, 1, "ncclDevKernel_AllReduce_Sum", start[number], before)
				m := training.Message{Interval: i, Collective: "allreduce", Group: "g", GroupSize: ranks, Seq: -1, Bytes: 1 << 20}
				if numbered {
					m.Seq = int64(step*n + k)
				}
				r.t.Messages = append(r.t.Messages, m)
			}
		}
		end = before
	}
	for _, r := range list {
		lanes = append(lanes, job.LaneOf(r.t))
	}
	return lanes, end
}

// TestQueuedReductions: while the first reduction waits for the late rank, the others
// compute on and queue the next ones. Without what makes that rank late all is as if it
// had never been.
func TestQueuedReductions(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 8} {
		lanes, took := buckets(n, 3500, true, nil)
		_, cured := buckets(n, 0, true, nil)
		src, err := job.New("job", lanes)
		if err != nil {
			t.Fatal(err)
		}
		a := priced(t, src, whatif.Change{Kind: whatif.LikeMedian, Rank: 1})
		if math.Abs(a.BaseSeconds-float64(took)/1e6) > 1e-6 || math.Abs(a.NewSeconds-float64(cured)/1e6) > 0.005*a.NewSeconds {
			t.Errorf("%d reductions a step: %g s of %g s, should be %g of %g", n, a.NewSeconds, a.BaseSeconds, float64(cured)/1e6, float64(took)/1e6)
		}
	}
}

// TestLostCall: a call that one trace lacks leaves the others where they are.
func TestLostCall(t *testing.T) {
	lanes, _ := buckets(4, 3500, false, map[int]int{2: 13})
	_, cured := buckets(4, 0, false, nil)
	src, err := job.New("job", lanes)
	if err != nil {
		t.Fatal(err)
	}
	a := priced(t, src, whatif.Change{Kind: whatif.LikeMedian, Rank: 1})
	if math.Abs(a.NewSeconds-float64(cured)/1e6) > 0.05*a.NewSeconds {
		t.Errorf("%g s, should be %g", a.NewSeconds, float64(cured)/1e6)
	}
}
