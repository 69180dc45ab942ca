package job_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"auspex/events"
	"auspex/events/job"
	"auspex/pop"
	"auspex/training"
	"auspex/waits"
	"auspex/whatif"
)

const steps = 10

// overlapping is a job of two ranks, in µs: each step loads for 1000, or for late
// more on rank 1, and computes for 2000. A reduction of 2000 begins when so much of
// the computation is left. It is the device's, beside its kernels, or the host's,
// beside operators of the thread of autograd.
func overlapping(left, late int64, onHost bool) []*job.Lane {
	const load, compute, reduce = 1000, 2000, 2000
	var lanes []*job.Lane
	for number := range 2 {
		r := newRank(number, 0)
		r.t.Tracks = append(r.t.Tracks, training.Track{Process: "0", Thread: "8", Device: true, Stream: 8}, training.Track{Process: "1", Thread: "2"}, training.Track{Process: "1", Thread: "3"})
		at := int64(0)
		for step := range steps {
			ready := at + load
			if number == 1 {
				ready += late
			}
			r.during("load", at, ready)
			done := ready + compute
			together := at + load + late + compute - left // when the later rank is ready
			end := together + reduce
			r.during("train", ready, max(done, end))
			for k := ready; k < done; k += 500 {
				if onHost {
					r.add(training.Operator, 3, "aten::mm", k, k+480)
				} else {
					r.add(training.Kernel, 2, "gemm", k, k+480)
				}
			}
			if onHost {
				i := r.add(training.Annotation, 4, "gloo:all_reduce", done-left, end)
				r.t.Messages = append(r.t.Messages, training.Message{Interval: i, Collective: "all_reduce", Seq: -1, Bytes: 1 << 20})
			} else {
				i := r.add(training.Kernel, 1, "ncclDevKernel_AllReduce_Sum", done-left, end)
				r.t.Messages = append(r.t.Messages, training.Message{Interval: i, Collective: "allreduce", Group: "g", GroupSize: 2, Seq: int64(step), Bytes: 1 << 20})
			}
			at = max(done, end)
		}
		lanes = append(lanes, job.LaneOf(r.t))
	}
	return lanes
}

func priced(t *testing.T, src events.Source, changes ...whatif.Change) *whatif.Answer {
	t.Helper()
	took, err := events.Seconds(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	program, err := events.Program(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: program, Network: whatif.SharedMemory(), Measured: took})
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Price(t.Context(), changes)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestHidden: what a rank computes beside a collective is no network's to give
// back. Of 2 ms a step on the network all, half or nothing is hidden.
func TestHidden(t *testing.T) {
	for _, onHost := range []bool{false, true} {
		for left, step := range map[int64]float64{2000: 3e-3, 1000: 4e-3, 0: 5e-3} {
			t.Run(fmt.Sprintf("host %v, %d µs", onHost, left), func(t *testing.T) {
				src, err := job.New("job", overlapping(left, 0, onHost))
				if err != nil {
					t.Fatal(err)
				}
				a := priced(t, src, whatif.Change{Kind: whatif.Ideal})
				if math.Abs(a.BaseSeconds-steps*step) > 1e-5 || math.Abs(a.NewSeconds-steps*3e-3) > 0.01*steps*step {
					t.Errorf("%g s with an ideal network of %g s, should be %g of %g", a.NewSeconds, a.BaseSeconds, steps*3e-3, steps*step)
				}
				run, err := pop.Measure(t.Context(), src)
				if err != nil {
					t.Fatal(err)
				}
				if f := pop.Of(run); math.Abs(*f.Transfer-3e-3/step) > 0.01 {
					t.Errorf("transfer is %g, should be %g", *f.Transfer, 3e-3/step)
				}
			})
		}
	}
}

// TestHiddenStraggler: a rank that loads 4 ms longer makes the other wait, from when
// that has nothing to compute until it is ready itself; without that the job is the one
// above, however much of the reduction both hide.
func TestHiddenStraggler(t *testing.T) {
	for _, onHost := range []bool{false, true} {
		for left, step := range map[int64]float64{2000: 3e-3, 1000: 4e-3, 0: 5e-3} {
			src, err := job.New("job", overlapping(left, 4000, onHost))
			if err != nil {
				t.Fatal(err)
			}
			a := priced(t, src, whatif.Change{Kind: whatif.LikeMedian, Rank: 1})
			if math.Abs(a.BaseSeconds-steps*(step+4e-3)) > 1e-5 || math.Abs(a.NewSeconds-steps*step) > 0.02*steps*step {
				t.Errorf("host %v, %d µs: %g s with rank 1 like the other of %g s, should be %g of %g", onHost, left, a.NewSeconds, a.BaseSeconds, steps*step, steps*(step+4e-3))
			}
			r, err := waits.Analyze(t.Context(), src)
			if err != nil {
				t.Fatal(err)
			}
			waits := steps * (4e-3 - float64(left)/1e6)
			if math.Abs(r.Waited-waits) > 0.02*waits || !strings.Contains(r.Words, "for `load` on rank 1") {
				t.Errorf("host %v, %d µs: %s", onHost, left, r.Words)
			}
		}
	}
}

// TestSum: the spans of a rank follow each other without gaps, so that they are its
// time.
func TestSum(t *testing.T) {
	src, err := job.New("job", overlapping(1000, 500, true))
	if err != nil {
		t.Fatal(err)
	}
	at := map[int32]int64{}
	err = src.Each(t.Context(), func(s *events.Span) error {
		if s.Begin != at[s.Loc] || s.End < s.Begin {
			t.Errorf("rank %d: a span from %d to %d follows %d", s.Loc, s.Begin, s.End, at[s.Loc])
		}
		at[s.Loc] = s.End
		return nil
	})
	if err != nil || at[0] != at[1] || at[0] != steps*4_500_000 {
		t.Errorf("the ranks end at %v, %v", at, err)
	}
}
