package training_test

import (
	"bytes"
	"strings"
	"testing"

	"auspex/ingest/kineto"
	"auspex/training"
)

// The figures are added up from the events by a script that shares nothing with
// the package.

func TestKindsAndRanks(t *testing.T) {
	ranks := []*training.DeviceResult{
		deviceOf(t, "kineto/hta-2ranks/sampled_rank-0.json.gz"),
		deviceOf(t, "kineto/hta-2ranks/sampled_rank-1.json.gz"),
	}
	for i, want := range []struct {
		kind    string
		count   int
		seconds float64
	}{{"computing", 1144, 0.210320}, {"communicating", 10, 0.396199}, {"memory", 50, 0.001325}} {
		k := ranks[0].Kinds[i]
		if k.Kind != want.kind || k.Count != want.count {
			t.Errorf("%+v, not %+v", k, want)
		}
		near(t, want.kind, k.Seconds, want.seconds, 1e-6)
	}
	across := training.Across(ranks)
	if k := across[0]; !strings.HasPrefix(k.Kernel, "ncclKernel_SendRecv") || len(k.Ranks) != 2 || k.Ranks[0].Count != 10 || k.Kind != "communicating" {
		t.Fatalf("the kernel that takes most is %+v", k)
	}
	near(t, "the mean of rank 0", across[0].Ranks[0].Mean, 0.0396199, 1e-6)
	near(t, "the mean of rank 1", across[0].Ranks[1].Mean, 0.0379053, 1e-6)
	near(t, "the spread", across[0].Spread, 396199.0/379053.0, 1e-6)
}

func TestMemory(t *testing.T) {
	r := deviceOf(t, "kineto/h100-vs-mi300/h100-gaunernst_bert-small-uncased__1016001.json.gz")
	if len(r.Memory) != 1 || r.Memory[0].Allocated != 101305344 || r.Memory[0].Reserved != 121634816 || r.Memory[0].Count != 109 {
		t.Errorf("memory: %+v", r.Memory)
	}
	if r := deviceOf(t, "kineto/hta-2ranks/sampled_rank-0.json.gz"); len(r.Memory) != 0 {
		t.Errorf("memory where nothing was kept: %+v", r.Memory)
	}
}

// TestWithin: of a step, the kernels launched in it.
func TestWithin(t *testing.T) {
	trace, err := kineto.ReadFile(t.Context(), shared(t, "kineto/hta-2ranks/sampled_rank-0.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if trace.Within([]int{7}) != nil {
		t.Error("a step that the trace has not")
	}
	kernels := 0
	for _, k := range training.Device(trace.Within([]int{551})).Kernels {
		kernels += k.Count
	}
	if kernels != 577 {
		t.Errorf("%d kernels in step 551, not 577", kernels)
	}
}

// TestOverlay: what is written is a trace with the same intervals, with queues
// as long as Device says, and a critical path as long.
func TestOverlay(t *testing.T) {
	trace, err := kineto.ReadFile(t.Context(), shared(t, "kineto/hta-2ranks/sampled_rank-0.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	var most float64
	for _, c := range trace.Counters() {
		if c.Name == "queue of stream 7" {
			for _, s := range c.Samples {
				most = max(most, s.Value)
			}
		}
	}
	if most != 80 {
		t.Errorf("the longest queue is %v, not 80", most)
	}
	var out bytes.Buffer
	if err := training.Overlay(&out, trace); err != nil {
		t.Fatal(err)
	}
	again, err := kineto.Read(t.Context(), "overlay.json", &out)
	if err != nil {
		t.Fatal(err)
	}
	if again.Len() != trace.Len() {
		t.Errorf("%d intervals, not %d", again.Len(), trace.Len())
	}
	a, b := training.Device(trace), training.Device(again)
	near(t, "computing", b.All.Computing, a.All.Computing, 1e-6)
	near(t, "communicating", b.All.Communicating, a.All.Communicating, 1e-6)
}
