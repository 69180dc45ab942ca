package analyze

import (
	"testing"

	"auspex/account"
	"auspex/model"
)

// A stream that communicates has no kernels to compute, and is not compared with one
// that has: two devices with the same work are balanced.
func TestStreamsThatCommunicate(t *testing.T) {
	b := model.NewBuilder()
	wall := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	host := b.Region(model.Region{Name: "train", Kind: model.Function, Parent: model.NoParent})
	gemm := b.Region(model.Region{Name: "gemm", Kind: model.Kernel, Parent: model.NoParent})
	reduce := b.Region(model.Region{Name: "ncclDevKernel_AllReduce", Kind: model.Comm, Parent: model.NoParent})
	for process := range 2 {
		for thread, of := range []struct {
			region  int
			seconds float64
		}{{host, 10}, {gemm, 8}, {reduce, 4}} {
			b.Set(b.Unit(model.Unit{Process: process, Thread: thread}), of.region, wall, of.seconds)
		}
	}
	h := model.Header{Name: "streams", Runs: 1}
	h.SetFactor(model.NumberFactor(model.ProcessorThreads, 1))
	e, err := b.Build(h)
	if err != nil {
		t.Fatal(err)
	}
	ledgers, err := inMemory(e).Ledgers()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range ledgers {
		for _, line := range l.Lines {
			if line.Kind == account.Imbalance && line.Share > 0.001 {
				t.Errorf("%s: imbalance of %g in %v", l.Type, line.Share, line.Region)
			}
		}
	}
}
