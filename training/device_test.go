package training_test

import (
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
