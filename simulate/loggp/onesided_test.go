package loggp

import (
	"context"
	"math"
	"testing"

	"auspex/events"
	"auspex/trace"
)

// acts is the trace of ranks that do as told.
func acts(ranks ...[]trace.Action) *trace.Trace {
	t := &trace.Trace{Name: "made"}
	for i, list := range ranks {
		b := trace.NewBuilder(i)
		for _, a := range list {
			a.Type = trace.Byte
			b.Add(&a)
		}
		t.Programs = append(t.Programs, b.Program())
	}
	return t
}

func work(seconds float64) trace.Action { return trace.Action{Kind: trace.Sleep, Value: seconds} }

// TestOneSided: latency 1, bandwidth 10 B/s. A put of 20 B takes 3 s, a get 4, word of
// something 1; a fence of two ranks takes a round of latency once both are there.
func TestOneSided(t *testing.T) {
	put, get := trace.Action{Kind: trace.Put, Peer: 1, Count: 20}, trace.Action{Kind: trace.Get, Peer: 1, Count: 20}
	flush, left := trace.Action{Kind: trace.Flush, Peer: 1}, trace.Action{Kind: trace.Flush, Peer: 1, Tag: trace.FlushLocal}
	lock, unlock, fence := trace.Action{Kind: trace.Lock, Peer: 1, Tag: trace.LockAlone}, trace.Action{Kind: trace.Unlock, Peer: 1}, trace.Action{Kind: trace.Fence}
	for name, c := range map[string]struct {
		ranks  [][]trace.Action
		finish []float64
	}{
		"put, left":      {[][]trace.Action{{put, left}, {}}, []float64{3, 0}},
		"put, arrived":   {[][]trace.Action{{put, flush}, {}}, []float64{4, 0}},
		"get":            {[][]trace.Action{{get, flush}, {}}, []float64{4, 0}},
		"hidden":         {[][]trace.Action{{get, work(9), flush}, {}}, []float64{9, 0}},
		"others' window": {[][]trace.Action{{put, {Kind: trace.Flush, Peer: 0}}, {}}, []float64{0, 0}},
		"fence":          {[][]trace.Action{{put, fence}, {fence}}, []float64{4, 4}},
		"late at fence":  {[][]trace.Action{{put, fence}, {work(9), fence}}, []float64{10, 10}},
		"lock":           {[][]trace.Action{{lock, put, unlock}, {}}, []float64{6, 0}},
		"locked":         {[][]trace.Action{{lock, work(5), unlock}, {work(1), lock, unlock}}, []float64{7, 9}},
	} {
		res, err := Run(context.Background(), acts(c.ranks...), Options{Network: Network{Latency: 1, Bandwidth: 10}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, want := range c.finish {
			if math.Abs(res.Finish[i]-want) > 1e-9 {
				t.Errorf("%s: rank %d ends at %g, want %g", name, i, res.Finish[i], want)
			}
		}
	}
}

// TestLockHolder: who waited for a lock is told with whom it waited for.
func TestLockHolder(t *testing.T) {
	lock, unlock := trace.Action{Kind: trace.Lock, Tag: trace.LockAlone}, trace.Action{Kind: trace.Unlock}
	holders := map[int32]int32{}
	o := Options{Network: Ideal(), Header: &events.Header{}, Spans: func(s *events.Span) error {
		if s.Kind == trace.Lock {
			holders[s.Loc] = s.Peer
		}
		return nil
	}}
	if _, err := Run(context.Background(), acts([]trace.Action{lock, work(5), unlock}, []trace.Action{work(1), lock, unlock}), o); err != nil {
		t.Fatal(err)
	}
	if holders[0] != -1 || holders[1] != 0 {
		t.Errorf("%v", holders)
	}
}
