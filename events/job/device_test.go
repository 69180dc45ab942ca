package job_test

import (
	"math"
	"strings"
	"testing"

	"auspex/events/job"
	"auspex/pop"
	"auspex/training"
	"auspex/waits"
)

// launch adds a launch on the host and the kernel that it launches.
func (r *rank) launch(name string, at, from, to int64) int {
	link := uint32(r.t.Len() + 1)
	call := r.add(training.Runtime, 0, "cudaLaunchKernel", at, at+1)
	kernel := r.add(training.Kernel, 1, name, from, to)
	r.t.At(call).Correlation, r.t.At(kernel).Correlation = link, link
	return kernel
}

// TestLaunched: a device that runs behind its host computes what the host
// launched, in the range in which it did; so do its collectives.
func TestLaunched(t *testing.T) {
	var lanes []*job.Lane
	for number := range 2 {
		r := newRank(number, 0)
		r.during("forward", 0, 10)
		r.launch("gemm", 1, 20, 120)
		r.during("backward", 10, 20)
		r.launch("gemm", 11, 121, 321)
		i := r.launch("ncclDevKernel_AllReduce_Sum", 15, 321, 400)
		r.t.Messages = append(r.t.Messages, training.Message{Interval: i, Collective: "allreduce", Group: "g", GroupSize: 2, Seq: 1, Bytes: 8})
		lanes = append(lanes, job.LaneOf(r.t))
	}
	src, err := job.New("job", lanes)
	if err != nil {
		t.Fatal(err)
	}
	const want = "0 compute forward 0-10\n0 compute backward 10-20\n0 compute forward 20-120\n0 compute backward 120-321\n0 allreduce backward/ncclDevKernel_AllReduce_Sum 321-400\n"
	var own strings.Builder
	for line := range strings.Lines(told(t, src)) {
		if line[0] == '0' {
			own.WriteString(line)
		}
	}
	if own.String() != want {
		t.Errorf("rank 0:\n%s, should be\n%s", own.String(), want)
	}
}

// stages is a pipeline of two stages and two micro-batches, forward only, in µs.
// The second stage asks for its messages at once and computes when they come.
func stages() []*job.Lane {
	one, two := newRank(0, 0), newRank(1, 0)
	message := func(r *rank, collective string, peer int, from, to int64) {
		r.t.Tracks = append(r.t.Tracks, training.Track{Process: "0", Thread: "9", Device: true, Stream: 9})
		i := r.add(training.Kernel, uint16(len(r.t.Tracks)-1), "ncclDevKernel_SendRecv", from, to)
		m := training.Message{Interval: i, Collective: collective, Group: "p", GroupSize: 2, Seq: -1, Bytes: 1 << 20}
		if collective == "send" {
			m.Target = &peer
		} else {
			m.Source = &peer
		}
		r.t.Messages = append(r.t.Messages, m)
	}
	one.during("forward", 0, 5)
	one.launch("gemm", 1, 10, 1010)
	message(one, "send", 1, 1010, 1210)
	one.launch("gemm", 2, 1010, 2010)
	message(one, "send", 1, 2010, 2210)
	message(two, "recv", 0, 10, 1210)
	two.during("forward", 0, 5)
	two.launch("gemm", 1, 1210, 2210)
	message(two, "recv", 0, 1210, 2210)
	two.launch("gemm", 2, 2210, 3210)
	return []*job.Lane{job.LaneOf(one.t), job.LaneOf(two.t)}
}

// TestPipeline: what a stage waits for its input is no computation, and is told
// as waiting for the stage before it.
func TestPipeline(t *testing.T) {
	src, err := job.New("job", stages())
	if err != nil {
		t.Fatal(err)
	}
	run, err := pop.Measure(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	for rank, s := range run.Useful {
		if math.Abs(s-2e-3) > 2e-5 {
			t.Errorf("rank %d computes for %g s, should be 0.002", rank, s)
		}
	}
	if math.Abs(run.Ideal-3.01e-3) > 2e-5 {
		t.Errorf("%g s on an ideal network, should be 0.00301", run.Ideal)
	}
	r, err := waits.Analyze(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.Waited-1e-3) > 2e-5 || !strings.Contains(r.Words, "for `forward` on rank 0") {
		t.Errorf("%g s: %s", r.Waited, r.Words)
	}
}

// TestUnknownPartner: where a message's other side is not told, the time in it is
// still no computation.
func TestUnknownPartner(t *testing.T) {
	lanes := twoRanks(0)
	r := newRank(0, 0)
	r.reduce("g", 1, 400, 750)
	i := r.add(training.Kernel, 1, "ncclDevKernel_SendRecv", 800, 1100)
	r.t.Messages = append(r.t.Messages, training.Message{Interval: i, Collective: "recv", Group: "p", GroupSize: 3, Seq: -1})
	src, err := job.New("job", []*job.Lane{job.LaneOf(r.t), lanes[0]})
	if err != nil {
		t.Fatal(err)
	}
	run, err := pop.Measure(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(run.Useful[0]-50e-6) > 1e-9 {
		t.Errorf("rank 0 computes for %g s, should be 50 µs", run.Useful[0])
	}
	if notes := strings.Join(src.Header().Notes, "\n"); !strings.Contains(notes, "the other side is not known") {
		t.Errorf("noted %q", notes)
	}
}

// TestAhead: ranks that computed on beside a collective that one came late to are
// ahead of it when they leave. What it computes then, as they did before, is not
// what they wait for in the next.
func TestAhead(t *testing.T) {
	var lanes []*job.Lane
	for number, late := range []int64{0, 0, 900} {
		r := newRank(number, 0)
		r.t.Tracks = append(r.t.Tracks, training.Track{Process: "0", Thread: "8", Device: true, Stream: 8})
		for step := range int64(3) {
			at := step * 2000
			r.during("load", at, at+100+late)
			ready := at + 100 + late
			r.during("backward", ready, ready+10)
			for k := range int64(4) {
				i := r.launch("gemm", ready+k, ready+200*k, ready+200*k+200)
				r.t.At(i).Track = 2
			}
			first := at + 1000 + 200 // when the late one comes to the first collective
			r.reduce("g", 2*step, ready+200, first+50)
			r.reduce("g", 2*step+1, max(ready+800, first+50), at+1850)
		}
		lanes = append(lanes, job.LaneOf(r.t))
	}
	src, err := job.New("job", lanes)
	if err != nil {
		t.Fatal(err)
	}
	r, err := waits.Analyze(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		if row.Pattern == waits.WaitAtNxN && row.Causes[0].Region != "load" {
			t.Errorf("%s: %+v", r.Words, row.Causes)
		}
	}
	if !strings.Contains(r.Words, "for `load` on rank 2") {
		t.Error(r.Words)
	}
}
