package whatif_test

import (
	"math"
	"testing"

	"auspex/trace"
	"auspex/whatif"
)

// TestSharesOfMasterAndWorker: of a master that starts for a while and then waits for
// its worker, neither its noise nor its work costs much. Balanced, the worker's tasks
// would all stand where the master starts, and evening those out would gain half of
// the run; that is no noise's.
func TestSharesOfMasterAndWorker(t *testing.T) {
	message := func(kind trace.Kind, peer int32) *trace.Action {
		return &trace.Action{Kind: kind, Type: trace.Byte, Peer: peer, Count: 100}
	}
	tr := programs(2, func(r int, b *trace.Builder) {
		if r == 0 {
			compute(b, "work", 0.02)
		}
		for i := range 20 {
			if r == 0 {
				compute(b, "work", 0.0001)
				b.Add(message(trace.Send, 1))
				compute(b, "work", 0.0001)
				b.Add(message(trace.Recv, 1))
			} else {
				b.Add(message(trace.Recv, 0))
				compute(b, "work", 0.05+0.0001*float64(i%3))
				b.Add(message(trace.Send, 0))
			}
		}
	})
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Network: whatif.SharedMemory()})
	if err != nil {
		t.Fatal(err)
	}
	l, err := c.Opportunities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	alone, sum := map[string]float64{}, 0.0
	for _, o := range l.Opportunities {
		alone[o.Change] = o.Gain
	}
	for _, s := range l.Shares {
		if sum += s.Seconds; s.Share > alone[s.Change]+0.01 {
			t.Errorf("%s costs %.1f %% and gains %.1f %% alone", s.Change, 100*s.Share, 100*alone[s.Change])
		}
	}
	if len(l.Shares) == 0 || math.Abs(sum-l.LossSeconds) > 1e-9 {
		t.Errorf("shares %+v, together %g", l.Shares, l.LossSeconds)
	}
}
