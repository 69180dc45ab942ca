package training_test

import (
	"fmt"
	"testing"

	"auspex/ingest/kineto"
	"auspex/training"
)

func deviceOf(t *testing.T, path string) *training.DeviceResult {
	t.Helper()
	trace, err := kineto.ReadFile(t.Context(), shared(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return training.Device(trace)
}

// The figures of this file were added up from the events by a script of twenty
// lines that shares nothing with the package.

func TestBreakdown(t *testing.T) {
	r := deviceOf(t, "kineto/hta-2ranks/sampled_rank-0.json.gz")
	near(t, "computing", r.All.Computing, 0.210320, 1e-6)
	near(t, "communicating", r.All.Communicating, 0.396199, 1e-6)
	near(t, "both", r.All.Both, 0.059216, 1e-6)
	near(t, "overlap", *r.All.Overlap, 0.149460, 1e-4)
	b := r.All
	near(t, "the whole", b.Computing+b.Communicating-b.Both+b.Copying+b.Idle, r.Seconds, 1e-9)
	if len(r.Steps) != 2 || r.Steps[0].Step != 551 {
		t.Errorf("steps: %+v", r.Steps)
	}
}

func TestIdleAndQueues(t *testing.T) {
	r := deviceOf(t, "kineto/hta-2ranks/sampled_rank-0.json.gz")
	if len(r.Idle) != 5 || r.Idle[0].Stream != 7 || r.Idle[0].QueueMax != 80 {
		t.Fatalf("streams: %+v", r.Idle)
	}
	for _, s := range r.Idle {
		if s.HostLate < 0 || s.Other < 0 || s.Busy+s.HostLate+s.KernelGap+s.Other > r.Seconds*1.0001 {
			t.Errorf("stream %d: %+v", s.Stream, s)
		}
	}
}

// TestDistributions: quarters of pauses, queues and bandwidths, delays of
// operators.
func TestDistributions(t *testing.T) {
	r := deviceOf(t, "kineto/hta-2ranks/sampled_rank-0.json.gz")
	same := func(what string, got *training.Distribution, want training.Distribution, scale float64) {
		t.Helper()
		if got == nil || got.Count != want.Count {
			t.Fatalf("%s: %+v", what, got)
		}
		for i, v := range [][2]float64{{got.Mean, want.Mean}, {got.Deviation, want.Deviation}, {got.Least, want.Least}, {got.Quarter, want.Quarter}, {got.Median, want.Median}, {got.Three, want.Three}, {got.Most, want.Most}} {
			near(t, fmt.Sprint(what, " ", i), v[0], v[1]*scale, 1e-5)
		}
	}
	s := r.Idle[0]
	same("host late", s.HostLateGaps, training.Distribution{Count: 175, Mean: 2273.811429, Deviation: 6093.300275, Least: 11, Quarter: 60, Median: 205, Three: 1563, Most: 56614}, 1e-6)
	same("other", s.OtherGaps, training.Distribution{Count: 876, Mean: 687.328767, Deviation: 4518.768807, Least: 1, Quarter: 10, Median: 47, Three: 304.5, Most: 67856}, 1e-6)
	same("queue", s.Queue, training.Distribution{Count: 2104, Mean: 25.458175, Deviation: 22.214858, Least: 0, Quarter: 3, Median: 22, Three: 42, Most: 80}, 1)
	if s.KernelGaps != nil {
		t.Errorf("no kernel follows another within 30 ns: %+v", s.KernelGaps)
	}
	for _, c := range r.Copies {
		if c.Kind == "Memcpy HtoD (Pinned -> Device)" {
			same("bandwidth", c.Bandwidths, training.Distribution{Count: 8, Mean: 5307020451, Deviation: 2224006339, Least: 2909090.909, Quarter: 5256292910, Median: 6019238988, Three: 6553600000, Most: 6838539130}, 1)
		}
	}
	for _, o := range r.Operators {
		if o.Name == "aten::mm" {
			near(t, "from operator to launch", o.LaunchDelay, 32.539130e-6, 1e-6)
			near(t, "from launch to kernel", o.StartDelay, 16997.034783e-6, 1e-6)
		}
	}
}

func TestKernelsAndOperators(t *testing.T) {
	r := deviceOf(t, "kineto/hta-2ranks/sampled_rank-0.json.gz")
	count := 0
	for _, k := range r.Kernels {
		count += k.Count
		if k.Least > k.Mean*1.0000001 || k.Mean > k.Most*1.0000001 {
			t.Errorf("%+v", k)
		}
	}
	if count != 1154 || r.Kernels[0].Kind != "communicating" {
		t.Errorf("%d kernels, the first %+v", count, r.Kernels[0])
	}
	// This trace has no external ids that operators share: launches tell.
	for i, want := range []struct {
		name string
		time float64
	}{{"record_param_comms", 0.290059}, {"c10d::_allgather_base_", 0.106140}, {"torch::autograd::CppNode<SplitLookupFunction_rowwise_adagrad_Op>", 0.062869}, {"aten::mm", 0.040954}} {
		if r.Operators[i].Name != want.name {
			t.Fatalf("operator %d is %s, not %s", i, r.Operators[i].Name, want.name)
		}
		near(t, want.name, r.Operators[i].Seconds, want.time, 1e-6)
	}
}

func TestLaunchesAndCopies(t *testing.T) {
	r := deviceOf(t, "kineto/hta-2ranks/sampled_rank-0.json.gz")
	if r.Launches.Count != 1154 || r.Launches.Short != 250 {
		t.Errorf("launches: %+v", r.Launches)
	}
	for _, c := range r.Copies {
		if c.Kind == "Memcpy HtoD (Pinned -> Device)" {
			if c.Count != 8 || c.Bytes != 4849696 {
				t.Errorf("copies: %+v", c)
			}
			near(t, "bandwidth", c.Bandwidth, 4849696/812e-6, 1e-6)
			return
		}
	}
	t.Error("no copies to the device")
}

func TestModulesAndSequences(t *testing.T) {
	r := deviceOf(t, "kineto/h100-vs-mi300/h100-gaunernst_bert-small-uncased__1016001.json.gz")
	if len(r.Modules) == 0 || r.Modules[0].Name != "Linear_25" || r.Modules[0].Kernels != 1 {
		t.Errorf("modules: %+v", r.Modules[:min(2, len(r.Modules))])
	}
	loader := deviceOf(t, "ml-training/loader/loader-rank1.json.gz")
	if len(loader.Patterns) == 0 || loader.Patterns[0].Operator != "aten::mm" || loader.Patterns[0].Count != 18 || len(loader.Patterns[0].Kernels) != 2 {
		t.Errorf("sequences: %+v", loader.Patterns[:min(1, len(loader.Patterns))])
	}
	if len(loader.Annotations) == 0 || loader.Annotations[0].Name != "DistributedDataParallel.forward" {
		t.Errorf("ranges on the device: %+v", loader.Annotations)
	}
}

// TestCriticalPath: the path is no longer than the trace, and on a device that
// waits for its host it is the host's.
func TestCriticalPath(t *testing.T) {
	r := deviceOf(t, "ml-training/loader/loader-rank1.json.gz")
	p := r.Path
	if whole := p.Kernels + p.Collectives + p.Copies + p.Launching + p.Host; whole > 0.32 || p.Host < 0.5*whole {
		t.Errorf("%+v", p)
	}
}

// TestCompareDevices: the same model on two devices launches the same
// operators, whatever the kernels are called.
func TestCompareDevices(t *testing.T) {
	a := deviceOf(t, "kineto/h100-vs-mi300/h100-gaunernst_bert-small-uncased__1016001.json.gz")
	b := deviceOf(t, "kineto/h100-vs-mi300/mi300-gaunernst_bert-small-uncased__1016001.json.gz")
	c := training.Compare(a, b, "h100", "mi300")
	for _, o := range c.Operators {
		if o.State == "added" || o.State == "removed" {
			t.Errorf("%s is %s", o.Operator, o.State)
		}
	}
	if c.Operators[0].Operator != "aten::_flash_attention_forward" || c.Operators[0].State != "slower" {
		t.Errorf("the largest change is %+v", c.Operators[0])
	}
	same := training.Compare(a, a, "h100", "h100")
	for _, o := range same.Operators {
		if o.State != "same" {
			t.Errorf("%s is %s than itself", o.Operator, o.State)
		}
	}
}

func TestNoDevice(t *testing.T) {
	trace := &training.Trace{Names: []string{"aten::mm"}, Tracks: []training.Track{{}}}
	trace.Add(training.Interval{Length: 5})
	if r := training.Device(trace); r.Words != "Nothing in this trace happened on an accelerator." || len(r.Kernels) != 0 {
		t.Errorf("%+v", r)
	}
}
