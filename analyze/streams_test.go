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
	for _, l := range streamLedgers(t, b) {
		for _, line := range l.Lines {
			if line.Kind == account.Imbalance && line.Share > 0.001 {
				t.Errorf("%s: imbalance of %g in %v", l.Type, line.Share, line.Region)
			}
		}
	}
}

// Streams of one device have different work, which is no imbalance; those of one number
// have the same on each device, or the devices are uneven.
func TestStreamsOfOneDevice(t *testing.T) {
	for _, c := range []struct {
		other  float64 // what the first stream of the second device computes
		uneven bool
	}{{8, false}, {2, true}} {
		b := model.NewBuilder()
		wall := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
		host := b.Region(model.Region{Name: "train", Kind: model.Function, Parent: model.NoParent})
		gemm := b.Region(model.Region{Name: "gemm", Kind: model.Kernel, Parent: model.NoParent})
		for process, first := range []float64{8, c.other} {
			for thread, seconds := range []float64{10, first, 1} {
				region := gemm
				if thread == 0 {
					region = host
				}
				b.Set(b.Unit(model.Unit{Process: process, Thread: thread}), region, wall, seconds)
			}
		}
		uneven := false
		for _, l := range streamLedgers(t, b) {
			for _, line := range l.Lines {
				uneven = uneven || l.Type == string(StreamUnit) && line.Kind == account.Imbalance && line.Share > 0.01
			}
		}
		if uneven != c.uneven {
			t.Errorf("%+v: uneven %v", c, uneven)
		}
	}
}

// streamLedgers are those of a job whose hosts have a thread each.
func streamLedgers(t *testing.T, b *model.Builder) []*account.Ledger {
	t.Helper()
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
	return ledgers
}
