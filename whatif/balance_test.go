package whatif_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"auspex/events"
	"auspex/trace"
	"auspex/whatif"
)

func balanced(t *testing.T, tr *trace.Trace, region string) (*whatif.Case, *whatif.Answer) {
	t.Helper()
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr})
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Price(t.Context(), []whatif.Change{{Kind: whatif.Balance, Region: region}})
	if err != nil {
		t.Fatal(err)
	}
	return c, a
}

// TestBalanceMovesWork: a rank that never enters a region takes its part of it
// between the same synchronisations, and is no partner where it is busy already.
func TestBalanceMovesWork(t *testing.T) {
	type step struct {
		region  string
		seconds float64
	}
	barrier := step{"barrier", 0}
	for _, c := range []struct {
		name, region string
		ranks        [][]step
		want         float64
	}{
		{"two programs in one run", "all", [][]step{{{"A", 2}}, {{"B", 2}}}, 2},
		{"one of two programs", "A", [][]step{{{"A", 2}}, {{"B", 2}}}, 2},
		{"only those of a program share it", "A", [][]step{{{"A", 3}}, {{"A", 1}}, {{"B", 2}}, {{"B", 2}}}, 2},
		{"two coupled programs", "all", [][]step{{{"A", 2}, barrier, {"A", 2}}, {{"B", 1}, barrier, {"B", 1}}}, 3},
		{"one rank has more to do, elsewhere", "B", [][]step{{{"A", 1}, {"B", 2}}, {{"A", 1}}}, 2},
		{"and all of it", "all", [][]step{{{"A", 1}, {"B", 2}}, {{"A", 1}}}, 2},
		{"one rank alone before all others", "A", [][]step{{{"A", 1}, barrier, {"B", 10}}, {barrier, {"B", 10}}}, 10.5},
		{"a rank that computes nothing", "all", [][]step{{{"A", 3}}, {{"A", 1}}, {}}, 4. / 3},
		{"a rank that computes nothing, and a region", "A", [][]step{{{"A", 3}}, {{"A", 1}}, {}}, 4. / 3},
	} {
		tr := programs(len(c.ranks), func(r int, b *trace.Builder) {
			b.Add(&trace.Action{Kind: trace.Init})
			for _, s := range c.ranks[r] {
				if s == barrier {
					b.Add(&trace.Action{Kind: trace.Barrier})
				} else {
					compute(b, s.region, s.seconds)
				}
			}
			b.Add(&trace.Action{Kind: trace.Barrier})
		})
		if _, a := balanced(t, tr, c.region); math.Abs(a.NewSeconds-c.want) > 1e-9 {
			t.Errorf("%s: %g s, want %g", c.name, a.NewSeconds, c.want)
		}
	}
}

// TestBalanceAfterSplit: where ranks make communicators, they meet: what a rank is given
// of work done after that holds nobody up there.
func TestBalanceAfterSplit(t *testing.T) {
	for _, kind := range []trace.Kind{trace.CommSplit, trace.CommDup} {
		tr := programs(2, func(r int, b *trace.Builder) {
			b.Add(&trace.Action{Kind: kind, Count: int64(r)})
			if r == 0 {
				compute(b, "A", 4)
			}
			b.Add(&trace.Action{Kind: trace.Barrier})
		})
		if _, a := balanced(t, tr, "A"); math.Abs(a.NewSeconds-2) > 1e-9 {
			t.Errorf("%s: %g s, want 2", kind, a.NewSeconds)
		}
	}
}

// TestBalanceOfLess: what a rank that never enters a region is given of it has been
// changed already, and is so once.
func TestBalanceOfLess(t *testing.T) {
	tr := programs(2, func(r int, b *trace.Builder) {
		if r == 0 {
			compute(b, "A", 4)
		}
		b.Add(&trace.Action{Kind: trace.Barrier})
	})
	for _, stretch := range [][]float64{nil, {1, 1}} {
		c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Stretch: stretch})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []struct {
			factor, want float64
		}{{2, 1}, {0.5, 4}} {
			faster, balance := whatif.Change{Kind: whatif.Faster, Region: "A", Factor: x.factor}, whatif.Change{Kind: whatif.Balance, Region: "A"}
			for _, changes := range [][]whatif.Change{{faster, balance}, {balance, faster}} {
				a, err := c.Price(t.Context(), changes)
				if err != nil || math.Abs(a.NewSeconds-x.want) > 1e-9 {
					t.Errorf("%v: %+v, %v; want %g s", changes, a, err, x.want)
				}
			}
		}
	}
}

// TestBalanceKeepsWork: no work goes or comes, so that no promise is below all work
// over the ranks; and with all work balanced, imbalance does not limit a run.
func TestBalanceKeepsWork(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 200 {
		ranks, turns := 2+rng.IntN(4), 1+rng.IntN(4)
		work := 0.0
		tr := programs(ranks, func(r int, b *trace.Builder) {
			compute(b, "start", 0.1)
			work += 0.1
			for range turns {
				for _, region := range []string{"A", "B", "C"} {
					if rng.IntN(2) == 0 {
						s := rng.Float64()
						compute(b, region, s)
						work += s
					}
				}
				b.Add(&trace.Action{Kind: trace.Allreduce, Count: 1})
			}
		})
		for _, region := range []string{"all", "A", "start"} {
			c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr})
			if err != nil {
				t.Fatal(err)
			}
			changes := []whatif.Change{{Kind: whatif.Balance, Region: region}}
			a, err := c.Price(t.Context(), changes)
			if err != nil {
				continue // nobody has it
			}
			if least := work / float64(ranks); a.NewSeconds < least*(1-1e-9) {
				t.Errorf("run %d, %s: %g s, and all work over the ranks is %g s", i, region, a.NewSeconds, least)
			}
			if region == "all" && a.Limit.LoadBalance < 1-1e-9 {
				t.Errorf("run %d: all is balanced, and the load balance is %g", i, a.Limit.LoadBalance)
			}
			src, err := c.Source(t.Context(), changes)
			if err != nil {
				t.Fatal(err)
			}
			after := 0.0
			err = src.Each(t.Context(), func(s *events.Span) error {
				if s.Kind == trace.Compute {
					after += s.Seconds()
				}
				return nil
			})
			if err != nil || math.Abs(after-work) > 1e-6*work {
				t.Errorf("run %d, %s: work of %g s became %g s, %v", i, region, work, after, err)
			}
		}
	}
}

// TestEvenIsBalanced: ranks that do the same in another order, in a trace that names
// regions by the call that follows.
func TestEvenIsBalanced(t *testing.T) {
	tr := &trace.Trace{Name: "evenodd", Nanoseconds: true}
	for r := range 4 {
		b := trace.NewBuilder(r)
		for range 10 {
			b.Add(&trace.Action{Kind: trace.Compute, Value: 1e8})
			kinds := []trace.Kind{trace.Send, trace.Recv}
			for i := range kinds {
				b.Add(&trace.Action{Kind: kinds[(i+r)%2], Type: trace.Byte, Peer: int32(r ^ 1), Count: 1000})
			}
		}
		tr.Programs = append(tr.Programs, b.Program())
	}
	for _, region := range []string{"all", "before send"} {
		if _, a := balanced(t, tr, region); math.Abs(a.Gain) > 1e-9 {
			t.Errorf("--balance %s: %s", region, a.Words)
		}
	}
}
