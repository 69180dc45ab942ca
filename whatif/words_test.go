package whatif_test

import (
	"slices"
	"strings"
	"testing"

	"auspex/trace"
	"auspex/whatif"
)

// TestGainsInWords: that gains do not add up is said where they do not.
func TestGainsInWords(t *testing.T) {
	separate := programs(2, func(_ int, b *trace.Builder) {
		compute(b, "A", 3)
		b.Add(&trace.Action{Kind: trace.Barrier})
		compute(b, "B", 1)
		b.Add(&trace.Action{Kind: trace.Barrier})
	})
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: separate})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []struct {
		c          *whatif.Case
		said, kept string
	}{
		{c, "After it `B` twice as fast would bring another 12.5 %.", "do not add up"},
		{uneven(t, 0), "Gains do not add up:", "another"},
	} {
		l, err := w.c.Opportunities(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(l.Words, w.said) || strings.Contains(l.Words, w.kept) {
			t.Errorf("%s", l.Words)
		}
	}
}

// TestSmallGain: a gain that runs would not show is called that, and none only
// where there is none.
func TestSmallGain(t *testing.T) {
	for _, c := range []struct{ flag, value, said string }{
		{"faster", "B=1.1", "it would take 3.909 s (3.718 s to 4.1 s), 2.3 % less, no more than runs vary."},
		{"faster", "A=2", "37.5 % less. Then"},
		{"balance", "B", ": no gain."},
		{"hosts", "speed=0.5x", "100.0 % more. Then"},
		{"hosts", "speed=0.11x", "809.1 % more. Then"},
		{"hosts", "speed=0.1x", ", 10 times as long. Then"},
		{"hosts", "speed=0.00001x", ", 100000 times as long. Then"},
		{"remove", "all", "it would take 0 s (0 s to 0.4 s), 100.0 % less. Then nothing is left of what the trace tells."},
	} {
		ch, err := whatif.ParseChange(c.flag, c.value)
		if err != nil {
			t.Fatal(err)
		}
		a, err := uneven(t, 4).Price(t.Context(), []whatif.Change{ch})
		if err != nil || !strings.Contains(a.Words, c.said) {
			t.Errorf("%s: %s, %v", ch, a.Words, err)
		}
	}
}

// TestPromiseInWords: why a promise was not kept is said only where it is so.
func TestPromiseInWords(t *testing.T) {
	p := whatif.Promise{Changes: []string{"--faster A=2"}, BaseSeconds: 4, NewSeconds: 3, Interval: [2]float64{2.8, 3.2},
		Regions: []whatif.PromisedRegion{{Region: "A", Before: 2, Promised: 1}, {Region: "B", Before: 1, Promised: 1}, {Region: "C", Before: 0.5, Promised: 0.5}}}
	for _, c := range []struct {
		name    string
		came    float64
		regions map[string]float64
		said    string
	}{
		{"kept", 3.1, map[string]float64{"A": 1.1, "B": 1, "C": 0.5}, "It came to 3.1 s: the promise was kept."},
		{"a region did not follow", 4, map[string]float64{"A": 2, "B": 1, "C": 0.5}, "33.3 % more than promised: it was not kept. `A` did not follow: 1 s promised, 2 s came."},
		{"one did, the other way", 4, map[string]float64{"A": 0.5, "B": 1, "C": 0.5}, "No region took much more than promised, so the difference is in communication, start or end."},
		{"shorter than promised", 2.5, map[string]float64{"A": 0.6, "B": 1.1, "C": 0.5}, "16.7 % less than promised: it was not kept. `A` did not follow: 1 s promised, 0.6 s came."},
		{"all as promised", 4, map[string]float64{"A": 1, "B": 1, "C": 0.5}, "No region took much more than promised, so the difference is in communication, start or end."},
		{"many a little", 3.21, map[string]float64{"A": 1.03, "B": 1.03, "C": 0.53}, "so the difference is in communication"},
		{"many a little, together most of it", 3.11, map[string]float64{"A": 1.03, "B": 1.03, "C": 0.53}, "No single region is far off, but together they took 90 ms more than promised."},
	} {
		p := p
		if c.came < 3.2 && c.name != "kept" {
			p.Interval[1] = 3.05
		}
		if k := p.Check(c.came, c.regions); !strings.HasSuffix(k.Words, c.said) && !strings.Contains(k.Words, c.said) {
			t.Errorf("%s: %s", c.name, k.Words)
		}
	}
}

// TestSpoken: every change is said in words, and none in flags.
func TestSpoken(t *testing.T) {
	for _, c := range []struct{ flag, value, said string }{
		{"faster", "A=2", "`A` twice as fast"},
		{"faster", "A=1.5", "`A` 1.5 times as fast"},
		{"faster", "all=3", "all work 3 times as fast"},
		{"balance", "A", "`A` balanced over the ranks"},
		{"balance", "all", "all work balanced over the ranks"},
		{"remove", "A", "`A` removed"},
		{"like-median", "7", "rank 7 as fast as the others"},
		{"ranks-per-node", "4", "4 ranks on a node"},
		{"network", "ideal", "an ideal network"},
		{"network", "bandwidth=2x", "twice the bandwidth"},
		{"network", "latency=0", "no latency"},
		{"network", "latency=0.5x", "half the latency"},
		{"collective", "allreduce=ring", "allreduce by ring"},
		{"eager", "0", "no message sent eagerly"},
		{"eager", "65536", "messages below 65536 bytes sent eagerly"},
		{"hosts", "speed=1.5x", "hosts 1.5 times as fast"},
		{"noise", "none", "no noise"},
		{"cores", "enough", "a core for every rank"},
	} {
		ch, err := whatif.ParseChange(c.flag, c.value)
		if err != nil || ch.Spoken() != c.said {
			t.Errorf("%s %s: %q, %v", c.flag, c.value, ch.Spoken(), err)
		}
	}
}

// opened is the case of a run of ranks.
func opened(t *testing.T, ranks int, add func(rank int, b *trace.Builder)) *whatif.Case {
	t.Helper()
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: programs(ranks, add), Network: whatif.SharedMemory()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// inTurn is a step of so many seconds by rank, and a barrier.
func inTurn(seconds ...float64) func(rank int, b *trace.Builder) {
	return func(rank int, b *trace.Builder) {
		compute(b, "A", seconds[rank])
		b.Add(&trace.Action{Kind: trace.Barrier})
	}
}

// TestWhatGainsAsMuch: of changes that gain as much none is said to gain most.
func TestWhatGainsAsMuch(t *testing.T) {
	for _, c := range []struct {
		seconds []float64
		said    string
	}{
		{[]float64{1, 2, 1, 1}, "would gain most with rank 1 as fast as the others or `A` twice as fast: 1 s, 50.0 % less."},
		{[]float64{1, 2.2, 1, 1}, "would gain most with rank 1 as fast as the others: 1 s, 54.5 % less."},
		{[]float64{1, 1, 1, 1}, "would gain most with `A` twice as fast: 0.5 s"},
		{[]float64{1, 3, 1, 3}, "would gain most with ranks 1 and 3 as fast as the others: 1 s, 66.7 % less."},
		{[]float64{1, 3, 1, 1.02}, "would gain most with rank 1 as fast as the others: 1.02 s, 66.0 % less."},
	} {
		l, err := opened(t, 4, inTurn(c.seconds...)).Opportunities(t.Context())
		if err != nil || !strings.Contains(l.Words, c.said) {
			t.Errorf("%s, %v", l.Words, err)
		}
	}
}

// TestSmallGainOfAList: that the best change gains no more than runs vary is said where
// it is so.
func TestSmallGainOfAList(t *testing.T) {
	for _, c := range []struct {
		small, rest float64
		said        bool
	}{{1, 49, true}, {10, 40, false}} {
		l, err := opened(t, 1, func(_ int, b *trace.Builder) {
			compute(b, "A", c.small)
			b.Add(&trace.Action{Kind: trace.Sleep, Value: c.rest})
		}).Opportunities(t.Context())
		if err != nil || len(l.Opportunities) == 0 || strings.Contains(l.Words, "no more than runs vary.") != c.said {
			t.Errorf("%s, %v", l.Words, err)
		}
	}
}

// TestWhoComputesLongest: one rank only where one does, and most of it only where it is
// more than half.
func TestWhoComputesLongest(t *testing.T) {
	ideal := []whatif.Change{{Kind: whatif.Ideal}}
	for _, c := range []struct {
		add  func(rank int, b *trace.Builder)
		said string
	}{
		{inTurn(1, 2, 1, 2), "ranks 1 and 3 compute longest, most of it in `A` (load"},
		{inTurn(1, 2, 1, 1), "rank 1 computes longest, most of it in `A` (load"},
		{inTurn(2, 2, 2, 2), "computation limits it, most of all `A`."},
		{func(rank int, b *trace.Builder) {
			for i, name := range []string{"A", "B", "C"} {
				compute(b, name, float64(1+rank%2)+0.1*float64(i))
			}
			b.Add(&trace.Action{Kind: trace.Barrier})
		}, "ranks 1 and 3 compute longest, the largest part of it in `C` (load"},
		{func(rank int, b *trace.Builder) {
			compute(b, []string{"A", "B"}[rank%2], 1)
			b.Add(&trace.Action{Kind: trace.Barrier})
		}, "most of all `A` and `B`."},
		{func(rank int, b *trace.Builder) { // by turns
			for step := range 4 {
				compute(b, "A", float64(1+(step+rank)%2))
				b.Add(&trace.Action{Kind: trace.Barrier})
			}
		}, "all ranks compute as long, 75 % of the time."},
	} {
		a, err := opened(t, 4, c.add).Price(t.Context(), ideal)
		if err != nil || !strings.Contains(a.Words, c.said) {
			t.Errorf("%s, %v", a.Words, err)
		}
	}
}

// TestIdealNetworkHoldsNoSender: what an ideal network brings because no message waits
// for its receiver is told apart, where it is something.
func TestIdealNetworkHoldsNoSender(t *testing.T) {
	for _, c := range []struct {
		bytes int64
		said  bool
	}{{1 << 20, true}, {1 << 10, false}} {
		by := opened(t, 2, func(rank int, b *trace.Builder) {
			for step := range 20 {
				compute(b, "A", float64(1+(step+rank)%2))
				b.Add(&trace.Action{Kind: []trace.Kind{trace.Send, trace.Recv}[rank], Peer: int32(1 - rank), Count: c.bytes, Type: trace.Byte})
			}
		})
		a, err := by.Price(t.Context(), []whatif.Change{{Kind: whatif.Ideal}})
		if err != nil {
			t.Fatal(err)
		}
		l, err := by.Opportunities(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		const note = "on the ideal network no message waits for its receiver; where those of 64 KiB and more still did, it would take 40 s"
		if slices.Contains(a.Notes, note) != c.said || slices.Contains(l.Notes, note) != c.said {
			t.Errorf("%d bytes: %s %q %q", c.bytes, a.Words, a.Notes, l.Notes)
		}
	}
}
