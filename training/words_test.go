package training_test

import (
	"strings"
	"testing"

	"auspex/training"
)

// Each sentence here has a case in which it would be false and is not said.

func TestOneStepHasNoPattern(t *testing.T) {
	fast := made{load: always(5)}
	one := find(t, job(1, fast, made{load: always(60)}, fast))
	if !strings.Contains(one.Words, "Rank 1 makes the others wait: it") {
		t.Errorf("%s", one.Words)
	}
	if three := find(t, job(3, fast, made{load: always(60)}, fast)); !strings.Contains(three.Words, "Rank 1 makes the others wait (persistent): it") {
		t.Errorf("%s", three.Words)
	}
}

// One rank is held against nobody; what it could do better by itself is told.
func TestOneRankOfHowMany(t *testing.T) {
	const held = " For 33 % of the time the devices have nothing to do while the hosts are in code outside any range. Without that the job would take up to 33 % less time." +
		" Fix: look at what the hosts do there, and do it less often, in a thread of its own, or in fewer operators." +
		" For 28 % of the time the devices have nothing to do because the hosts launch kernels more slowly than these run. Without that the job would take 28 % less time, or less still." +
		" Fix: larger batches, fused kernels (torch.compile) or graphs, so that each launch brings more work."
	for world, want := range map[int]string{
		0: "Only one rank is here: there is nobody to compare it with.",
		1: "The job has one rank: there is nobody to wait for.",
		8: "Only one of 8 ranks is here: there is nobody to compare it with.",
	} {
		ranks := job(2, made{load: always(5)})
		ranks[0].World = world
		if r := find(t, ranks); r.Words != want+held {
			t.Errorf("of %d: %s", world, r.Words)
		}
	}
}

// TestStagesAndWorkersThatAreTheOnlyOnes: the last stage is said to have more to
// do only where there are others, and a few workers to be slow only where there
// are several.
func TestStagesAndWorkersThatAreTheOnlyOnes(t *testing.T) {
	uneven := func(step, d, s int, _ bool) float64 { return 0.1 + 0.2*float64((step+d)%2) }
	for _, c := range []struct {
		data, stages int
		time         func(step, d, s int, forward bool) float64
		want, not    string
	}{
		{1, 1, uneven, "", "workers are slow"},
		{1, 1, uneven, "", "last pipeline stage"},
		{4, 1, uneven, "", "last pipeline stage"},
		{4, 3, func(_, _, s int, _ bool) float64 { return 0.1 + 0.1*float64(b2i(s == 2)) }, "last pipeline stage has more to do", ""},
		{4, 3, func(_, _, s int, _ bool) float64 { return 0.1 + 0.1*float64(b2i(s == 0)) }, "", "last pipeline stage"},
	} {
		r, err := training.WhatIf(pipeline(t, 4, c.data, c.stages, 6, c.time))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.Words, c.want) || c.not != "" && strings.Contains(r.Words, c.not) {
			t.Errorf("%d × %d: %s", c.data, c.stages, r.Words)
		}
	}
}

// TestGraphsAreNotShortKernels: a graph's launch is longer than its kernels, and
// that graphs would help is not said of it.
func TestGraphsAreNotShortKernels(t *testing.T) {
	for call, said := range map[string]bool{"cudaLaunchKernel": true, "cudaGraphLaunch": false} {
		trace := &training.Trace{Names: []string{call, "gemm"}, Tracks: []training.Track{{}, {Device: true}}}
		for i := range int64(4) {
			trace.Add(training.Interval{Kind: training.Runtime, Start: 100 * i, Length: 50, Correlation: uint32(i + 1)})
			trace.Add(training.Interval{Kind: training.Kernel, Name: 1, Track: 1, Start: 100*i + 60, Length: 20, Correlation: uint32(i + 1)})
		}
		if words := training.Device(trace).Words; strings.Contains(words, "graphs would help") != said {
			t.Errorf("%s: %s", call, words)
		}
	}
}

// TestMoreDataOrASlowDevice: kernels that all take longer are a slow device; where
// those of the optimizer, which depends on the model alone, do not, it may be that
// or more data, and neither is said to be so.
func TestMoreDataOrASlowDevice(t *testing.T) {
	for cause, optimizer := range map[string]float64{"slow kernels": 2, "longer kernels": 1} {
		r := find(t, computing(4, 4, func(rank int) (float64, float64) {
			if rank == 2 {
				return 2, optimizer
			}
			return 1, 1
		}))
		if len(r.Stragglers) != 1 || r.Stragglers[0].Rank != 2 || r.Stragglers[0].Cause != cause {
			t.Errorf("%s: %s", cause, r.Words)
		}
	}
}

// computing makes a job whose devices compute for 20 ms a step, update the model
// for 5 ms and meet, each rank times its own factors.
func computing(steps, ranks int, factors func(rank int) (compute, optimizer float64)) []*training.Rank {
	var list []*training.Rank
	longest := int64(0)
	length := func(r int) (int64, int64) {
		c, o := factors(r)
		return int64(c * 20 * millisecond), int64(o * 5 * millisecond)
	}
	for r := range ranks {
		c, o := length(r)
		longest = max(longest, c+o)
	}
	step := longest + 3*millisecond
	for r := range ranks {
		t := &training.Trace{
			Rank: r, World: ranks, Names: []string{"ProfilerStep#0", "gemm", "multi_tensor_apply_kernel<adam>", "ncclDevKernel_AllReduce_Sum", "aten::mm", "aten::_fused_adamw_", "cudaLaunchKernel", "cudaDeviceSynchronize"},
			Tracks: []training.Track{{Process: "1", Thread: "1"}, {Process: "0", Thread: "7", Device: true, Stream: 7}},
		}
		c, o := length(r)
		for s := range int64(steps) {
			at, id := s*step, uint32(2*s+1)
			t.Names = append(t.Names, "ProfilerStep#"+string(rune('1'+s)))
			t.Add(training.Interval{Kind: training.Annotation, Name: uint32(len(t.Names) - 1), Start: at, Length: step})
			t.Add(training.Interval{Kind: training.Operator, Name: 4, Start: at, Length: millisecond / 10})
			t.Add(training.Interval{Kind: training.Runtime, Name: 6, Start: at + 1000, Length: 1000, Correlation: id})
			t.Add(training.Interval{Kind: training.Operator, Name: 5, Start: at + millisecond/5, Length: millisecond / 10})
			t.Add(training.Interval{Kind: training.Runtime, Name: 6, Start: at + millisecond/5 + 1000, Length: 1000, Correlation: id + 1})
			t.Add(training.Interval{Kind: training.Runtime, Name: 7, Start: at + millisecond, Length: step - 2*millisecond})
			t.Add(training.Interval{Kind: training.Kernel, Name: 1, Track: 1, Start: at + millisecond, Length: c, Correlation: id})
			t.Add(training.Interval{Kind: training.Kernel, Name: 2, Track: 1, Start: at + millisecond + c, Length: o, Correlation: id + 1})
			t.Add(training.Interval{Kind: training.Kernel, Name: 3, Track: 1, Start: at + millisecond + c + o, Length: step - 2*millisecond - c - o})
		}
		list = append(list, training.Summarize(t))
	}
	return list
}
