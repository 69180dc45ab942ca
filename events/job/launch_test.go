package job_test

import (
	"math"
	"testing"

	"auspex/events/job"
	"auspex/training"
	"auspex/whatif"
)

// hostBound is a job of two ranks, in µs: hosts launch a kernel of 10 and a reduction of
// 10 that the next kernel needs, each after working for 40, on rank 1 so many times as
// long, and never wait. Each of four steps begins with loading for 200.
func hostBound(slow int64) (lanes []*job.Lane, end int64) {
	const parts, each, runs, latency = 25, 40, 10, 5
	list := []*rank{newRank(0, 0), newRank(1, 0)}
	var streams [2]uint16
	var host, device [2]int64
	for number, r := range list {
		streams[number] = r.stream(20)
	}
	for step := range 4 {
		for number, r := range list {
			r.during("load", host[number], host[number]+200)
			host[number] += 200
		}
		begin := host
		for k := range parts {
			var ready, launched [2]int64
			for number, r := range list {
				work := int64(each)
				if number == 1 {
					work *= slow
				}
				host[number] += work
				from := max(host[number]+latency, device[number])
				r.launch("gemm", host[number], from, from+runs)
				host[number] += work
				launched[number] = host[number]
				ready[number] = max(from+runs, host[number]+latency)
			}
			end = max(ready[0], ready[1]) + runs
			for number, r := range list {
				r.together(streams[number], launched[number], ready[number], end, training.Message{Collective: "allreduce", Group: "g", GroupSize: 2, Seq: int64(step*parts + k)})
				device[number] = end
			}
		}
		for number, r := range list {
			r.during("forward", begin[number], host[number])
		}
	}
	for _, r := range list {
		lanes = append(lanes, job.LaneOf(r.t))
	}
	return lanes, end
}

// TestHostBound: while a rank's device waits for a slow one, its host goes on launching;
// without the slow one it waits for its own host. What that does in a range counts where
// the range is made faster, however much of it was hidden.
func TestHostBound(t *testing.T) {
	lanes, took := hostBound(3)
	_, cured := hostBound(1)
	src, err := job.New("job", lanes)
	if err != nil {
		t.Fatal(err)
	}
	a := priced(t, src, whatif.Change{Kind: whatif.LikeMedian, Rank: 1})
	if math.Abs(a.BaseSeconds-float64(took)/1e6) > 1e-5 || math.Abs(a.NewSeconds-float64(cured)/1e6) > 0.02*a.NewSeconds {
		t.Errorf("%g s of %g s, should be %g of %g", a.NewSeconds, a.BaseSeconds, float64(cured)/1e6, float64(took)/1e6)
	}
	// Both hosts load four times for 200.
	a = priced(t, src, whatif.Change{Kind: whatif.Faster, Region: "load", Factor: 2})
	if saved := a.BaseSeconds - a.NewSeconds; math.Abs(saved-400e-6) > 20e-6 {
		t.Errorf("%g s less with half the loading, should be 0.0004", saved)
	}
}
