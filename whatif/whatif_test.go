package whatif_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"auspex/simulate/loggp"
	"auspex/trace"
	"auspex/whatif"
)

func compute(b *trace.Builder, region string, seconds float64) {
	b.Add(&trace.Action{Kind: trace.Location, File: region})
	b.Add(&trace.Action{Kind: trace.Compute, Value: seconds * 1e9})
}

func programs(ranks int, add func(rank int, b *trace.Builder)) *trace.Trace {
	tr := &trace.Trace{Name: "written", Nanoseconds: true}
	for r := range ranks {
		b := trace.NewBuilder(r)
		add(r, b)
		tr.Programs = append(tr.Programs, b.Program())
	}
	return tr
}

// uneven is a run of two steps with a barrier after each: A takes 1 s and on
// rank 1 3 s, B 1 s everywhere. It takes 3 + 1 = 4 s.
func uneven(t *testing.T, measured float64) *whatif.Case {
	t.Helper()
	tr := programs(4, func(r int, b *trace.Builder) {
		a := 1.0
		if r == 1 {
			a = 3
		}
		compute(b, "main/A", a)
		b.Add(&trace.Action{Kind: trace.Barrier})
		compute(b, "main/B", 1)
		b.Add(&trace.Action{Kind: trace.Barrier})
	})
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Measured: measured})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestNoComputation: a trace that computes nowhere has nothing to be made faster.
func TestNoComputation(t *testing.T) {
	b := trace.NewBuilder(0)
	b.Add(&trace.Action{Kind: trace.Init})
	b.Add(&trace.Action{Kind: trace.Finalize})
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: &trace.Trace{Name: "idle", Programs: []trace.Program{b.Program()}}, Network: whatif.SharedMemory()})
	if err != nil {
		t.Fatal(err)
	}
	l, err := c.Opportunities(t.Context())
	if err != nil || len(l.Opportunities) != 0 || len(l.Shares) != 0 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestPrice(t *testing.T) {
	for _, c := range []struct {
		flag, value string
		want        float64
	}{
		{"faster", "A=2", 2.5}, {"faster", "B=2", 3.5}, {"remove", "main/B", 3}, {"balance", "A", 2.5}, {"balance", "all", 2.5},
		{"like-median", "1", 2}, {"hosts", "speed=2x", 2}, {"network", "ideal", 4}, {"noise", "none", 4}, {"balance", "B", 4}, {"like-median", "0", 4},
	} {
		ch, err := whatif.ParseChange(c.flag, c.value)
		if err != nil {
			t.Fatal(err)
		}
		a, err := uneven(t, 0).Price(t.Context(), []whatif.Change{ch})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(a.NewSeconds-c.want) > 1e-9 || a.BaseSeconds != 4 {
			t.Errorf("%s: from %g to %g s, should be %g", ch, a.BaseSeconds, a.NewSeconds, c.want)
		}
		if a.Interval[0] > a.NewSeconds || a.Interval[1] < a.NewSeconds {
			t.Errorf("%s: %g is not in %v", ch, a.NewSeconds, a.Interval)
		}
	}
}

// TestLikeMedian: a rank becomes like the others, region by region; what they do
// elsewhere it does in place of what it did more.
func TestLikeMedian(t *testing.T) {
	for _, c := range []struct {
		name  string
		rank  int
		ranks []map[string]float64
		want  float64
	}{
		{"of two, like the other", 1, []map[string]float64{{"A": 1}, {"A": 3}}, 1},
		{"the faster of two, like the other", 0, []map[string]float64{{"A": 1}, {"A": 3}}, 3},
		{"of three, halfway between the others", 2, []map[string]float64{{"A": 1}, {"A": 2}, {"A": 5}}, 2},
		{"in every region", 1, []map[string]float64{{"A": 1, "B": 2}, {"A": 3, "B": 6}}, 3},
		{"a region that the others do not enter", 1, []map[string]float64{{"A": 1}, {"A": 1, "B": 4}}, 1},
		{"the same work in a region of its own", 1, []map[string]float64{{"fast": 1}, {"slow": 4}}, 1},
		{"regions whose medians no rank has", 3, []map[string]float64{{"A": 2}, {"B": 2}, {"A": 1, "B": 1}, {"A": 4, "B": 4}}, 2},
		{"a rank that does nothing", 1, []map[string]float64{{"A": 1}, {}}, 1},
	} {
		tr := programs(len(c.ranks), func(r int, b *trace.Builder) {
			for _, region := range []string{"A", "B", "fast", "slow"} {
				if s := c.ranks[r][region]; s > 0 {
					compute(b, region, s)
				}
			}
			b.Add(&trace.Action{Kind: trace.Barrier})
		})
		w, err := whatif.New(t.Context(), whatif.Setup{Trace: tr})
		if err != nil {
			t.Fatal(err)
		}
		a, err := w.Price(t.Context(), []whatif.Change{{Kind: whatif.LikeMedian, Rank: c.rank}})
		if err != nil || math.Abs(a.NewSeconds-c.want) > 1e-9 {
			t.Errorf("%s: %+v, %v; want %g s", c.name, a, err, c.want)
		}
	}
}

// TestLikeMedianOfLess: a rank that is like the others in its region, or longer in it by
// next to nothing, does not do there what they do elsewhere.
func TestLikeMedianOfLess(t *testing.T) {
	for _, more := range []float64{0, 1e-12, 0.5} {
		tr := programs(2, func(r int, b *trace.Builder) {
			if r == 0 {
				compute(b, "B", 3)
			}
			b.Add(&trace.Action{Kind: trace.Barrier})
			compute(b, "A", 1+float64(r)*more)
			b.Add(&trace.Action{Kind: trace.Barrier})
		})
		w, err := whatif.New(t.Context(), whatif.Setup{Trace: tr})
		if err != nil {
			t.Fatal(err)
		}
		a, err := w.Price(t.Context(), []whatif.Change{{Kind: whatif.LikeMedian, Rank: 1}})
		if err != nil || math.Abs(a.NewSeconds-4-more) > 1e-9 {
			t.Errorf("%g s more: %+v, %v; want %g s", more, a, err, 4+more)
		}
	}
}

// TestOneAfterTheOther: a change is made to what the changes before it left.
func TestOneAfterTheOther(t *testing.T) {
	balance, like := whatif.Change{Kind: whatif.Balance, Region: "A"}, whatif.Change{Kind: whatif.LikeMedian, Rank: 1}
	for _, c := range []struct {
		changes []whatif.Change
		want    float64
	}{
		{[]whatif.Change{balance, like}, 2.5}, // all have 1.5 s, and so have the others
		{[]whatif.Change{like, balance}, 2},
		{[]whatif.Change{balance, balance}, 2.5},
		{[]whatif.Change{{Kind: whatif.Remove, Region: "A"}, balance, like}, 1},
		{[]whatif.Change{{Kind: whatif.Faster, Region: "A", Factor: 2}, like}, 1.5},
	} {
		a, err := uneven(t, 0).Price(t.Context(), c.changes)
		if err != nil || math.Abs(a.NewSeconds-c.want) > 1e-9 {
			t.Errorf("%v: %+v, %v; want %g s", c.changes, a, err, c.want)
		}
	}
}

// TestMeasured: what the replay does not know, here a second, stays.
func TestMeasured(t *testing.T) {
	a, err := uneven(t, 5).Price(t.Context(), []whatif.Change{{Kind: whatif.Balance, Region: "A"}})
	if err != nil || math.Abs(a.NewSeconds-3.5) > 1e-9 {
		t.Errorf("%v, %v", a, err)
	}
}

func TestCombined(t *testing.T) {
	a, err := uneven(t, 0).Price(t.Context(), []whatif.Change{{Kind: whatif.Balance, Region: "A"}, {Kind: whatif.Faster, Region: "A", Factor: 3}})
	if err != nil || math.Abs(a.NewSeconds-1.5) > 1e-9 {
		t.Errorf("%v, %v", a, err)
	}
}

func TestRefused(t *testing.T) {
	for _, c := range [][2]string{{"faster", "A"}, {"faster", "=2"}, {"faster", "A=0"}, {"network", "fast"}, {"network", "bandwidth=0"}, {"collective", "allreduce=best"}, {"hosts", "2"}, {"noise", "some"}, {"eager", "-1"}, {"ranks-per-node", "0"}, {"like-median", "x"},
		{"faster", "A=1e300"}, {"faster", "A=1e-7"}, {"faster", "A=NaN"}, {"faster", "A=-1"}, {"faster", "A=inf"}, {"hosts", "speed=1.1e6x"}, {"hosts", "speed=NaN"}, {"network", "latency=-1"}, {"network", "latency=5e-324"}, {"network", "bandwidth=inf"}} {
		if _, err := whatif.ParseChange(c[0], c[1]); err == nil {
			t.Errorf("--%s %s was not refused", c[0], c[1])
		}
	}
	for _, ch := range []whatif.Change{{Kind: whatif.Remove, Region: "nowhere"}, {Kind: whatif.LikeMedian, Rank: 9}, {Kind: whatif.RanksPerNode, Rank: 2}} {
		if _, err := uneven(t, 0).Price(t.Context(), []whatif.Change{ch}); err == nil {
			t.Errorf("%s was not refused", ch)
		}
	}
}

// TestChangesReadBack: what is printed can be asked for.
func TestChangesReadBack(t *testing.T) {
	for _, c := range [][2]string{{"faster", "main/A=2.5"}, {"balance", "all"}, {"remove", "x/"}, {"like-median", "3"}, {"network", "ideal"}, {"network", "bandwidth=2x"}, {"network", "latency=0"}, {"collective", "allreduce=ring"}, {"eager", "100"}, {"hosts", "speed=1.5x"}, {"ranks-per-node", "2"}, {"noise", "none"}, {"cores", "enough"}} {
		ch, err := whatif.ParseChange(c[0], c[1])
		if err != nil {
			t.Fatal(err)
		}
		if want := "--" + c[0] + " " + c[1]; ch.String() != want {
			t.Errorf("%q is printed as %q", want, ch)
		}
	}
}

// TestShapley: the shares add up to what taking all causes away wins.
func TestShapley(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	tr := programs(6, func(r int, b *trace.Builder) {
		for range 20 {
			for _, region := range []string{"A", "B", "C"} {
				compute(b, region, 0.01*(1+float64(r)*rng.Float64()))
			}
			b.Add(&trace.Action{Kind: trace.Allreduce, Count: 8})
		}
	})
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Network: loggp.Network{Latency: 1e-3}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := c.Opportunities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, s := range l.Shares {
		sum += s.Seconds
	}
	if len(l.Shares) < 3 || math.Abs(sum-l.LossSeconds) > 1e-9 {
		t.Errorf("%d shares add up to %g s of %g s", len(l.Shares), sum, l.LossSeconds)
	}
	for i := 1; i < len(l.Opportunities); i++ {
		if l.Opportunities[i].Gain > l.Opportunities[i-1].Gain {
			t.Errorf("%v is not sorted by gain", l.Opportunities)
		}
	}
}

// TestConfounders plants regions whose imbalance nobody waits for: each rank has
// as much less to do in the region Filler as it has more in the region Planted,
// so that they even out before anybody looks. Balancing either alone makes the
// run longer; neither may be listed as a loss. A region that does cost, Real, is
// there in half of the runs and must be found.
func TestConfounders(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	falseCauses, runs := 0, 200
	for i := range runs {
		withReal := i%2 == 0
		ranks := 2 + rng.IntN(7)
		slow := rng.IntN(ranks)
		extra := make([]float64, ranks)
		mean := 0.0
		for r := range extra {
			if r != slow {
				extra[r] = rng.Float64()
				mean += extra[r] / float64(ranks-1)
			}
		}
		extra[slow] = mean // so that the slow rank gains nothing from balance
		tr := programs(ranks, func(r int, b *trace.Builder) {
			for range 5 {
				compute(b, "Planted", 0.5+extra[r])
				compute(b, "Filler", 1.5-extra[r])
				if withReal {
					s := 1.0
					if r == slow {
						s = 2
					}
					compute(b, "Real", s)
				}
				b.Add(&trace.Action{Kind: trace.Allreduce, Count: 8})
			}
		})
		c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr})
		if err != nil {
			t.Fatal(err)
		}
		l, err := c.Opportunities(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, o := range l.Opportunities {
			switch o.Change {
			case "--balance Planted", "--balance Filler":
				falseCauses++
			case "--balance Real":
				found = true
			}
		}
		if found != withReal {
			t.Errorf("run %d of %d ranks: Real found %v, planted %v", i, ranks, found, withReal)
		}
	}
	t.Logf("%d of %d planted confounders are called causes", falseCauses, 2*runs)
	if share := float64(falseCauses) / float64(2*runs); share > 0.05 {
		t.Errorf("%.1f %% of the planted confounders are called causes", 100*share)
	}
}

func TestBound(t *testing.T) {
	p := &loggp.Profile{Regions: []string{"A", "B"}, Seconds: [][]float64{{1, 3}, {1, 1}}, Counts: [][]int64{{0, 0}, {0, 0}}, Pauses: make([]float64, 2)}
	a, err := whatif.NewBound(p, 5, nil, nil).Price([]whatif.Change{{Kind: whatif.Balance, Region: "A"}})
	if err != nil || !a.Bound || math.Abs(a.NewSeconds-4) > 1e-9 || a.Interval != [2]float64{4, 5} {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := whatif.NewBound(p, 5, nil, nil).Price([]whatif.Change{{Kind: whatif.Ideal}}); err == nil {
		t.Error("a profile knows nothing of the network")
	}
	if l, err := whatif.NewBound(p, 5, nil, nil).Opportunities(); err != nil || len(l.Opportunities) == 0 || !l.Bound {
		t.Errorf("%+v, %v", l, err)
	}
	// What other threads have less to do counts, too.
	p.Seconds[0] = []float64{0.5, 1.5}
	for _, x := range []struct {
		all  [][]float64
		want float64
	}{{nil, 4}, {[][]float64{{1, 3}, {1, 1}}, 3}} {
		a, err := whatif.NewBound(p, 5, nil, x.all).Price([]whatif.Change{{Kind: whatif.Faster, Region: "A", Factor: 2}})
		if err != nil || math.Abs(a.NewSeconds-x.want) > 1e-9 {
			t.Errorf("%g s, want %g, %v", a.NewSeconds, x.want, err)
		}
	}
	// The rank that counts as computing longest may have waited for a second of it.
	p.Seconds[0] = []float64{4, 2}
	less := []whatif.Change{{Kind: whatif.Remove, Region: "B"}}
	a, err = whatif.NewBound(p, 5, []float64{1, 0}, nil).Price(less)
	if err != nil {
		t.Fatal(err)
	}
	without, err := whatif.NewBound(p, 5, nil, nil).Price(less)
	if err != nil || math.Abs(without.NewSeconds-a.NewSeconds-1) > 1e-9 {
		t.Errorf("%g s, and %g s where a second may be waiting, %v", without.NewSeconds, a.NewSeconds, err)
	}
}

func TestPromise(t *testing.T) {
	c := uneven(t, 4)
	changes := []whatif.Change{{Kind: whatif.Balance, Region: "A"}}
	a, err := c.Price(t.Context(), changes)
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Promise(a, changes)
	if err != nil {
		t.Fatal(err)
	}
	if k := p.Check(2.55, map[string]float64{"prog/main/A": 1.5, "prog/main/B": 1}); !k.Kept || len(k.Differ) != 0 {
		t.Errorf("%+v", k)
	}
	if k := p.Check(4, map[string]float64{"prog/main/A": 3, "prog/main/B": 1}); k.Kept || len(k.Differ) != 1 || k.Differ[0].Region != "main/A" {
		t.Errorf("%+v", k)
	}
}

func ExampleCase_Price() {
	tr := programs(2, func(r int, b *trace.Builder) {
		compute(b, "solve", float64(1+r))
		b.Add(&trace.Action{Kind: trace.Barrier})
	})
	c, _ := whatif.New(context.Background(), whatif.Setup{Trace: tr})
	a, _ := c.Price(context.Background(), []whatif.Change{{Kind: whatif.Balance, Region: "solve"}})
	fmt.Println(a.Words)
	// Output: The run takes 2 s; with `solve` balanced over the ranks it would take 1.5 s (1.38 s to 1.62 s), 25.0 % less. Then computation limits it, most of all `solve`.
}

// TestSlowNetwork: a run that took far longer than its replay had a slower
// network, which is fitted: half of what it takes is gone with twice the
// bandwidth. What was spent in starting and ending is no network's, and where
// ranks shared cores nothing is fitted.
func TestSlowNetwork(t *testing.T) {
	tr := programs(2, func(r int, b *trace.Builder) {
		b.Add(&trace.Action{Kind: trace.Init})
		for range 10 {
			compute(b, "A", 0.01)
			b.Add(&trace.Action{Kind: trace.Irecv, Type: trace.Byte, Peer: int32(1 - r), Count: 1e6})
			b.Add(&trace.Action{Kind: trace.Isend, Type: trace.Byte, Peer: int32(1 - r), Count: 1e6})
			b.Add(&trace.Action{Kind: trace.WaitAll})
		}
		b.Add(&trace.Action{Kind: trace.Finalize})
	})
	for _, c := range []struct {
		name    string
		setup   whatif.Setup
		want    float64 // with twice the bandwidth
		fitted  bool
		network string
	}{
		{"as slow as 10 MB/s", whatif.Setup{Measured: 1.1}, 0.6, true, "bandwidth=2x"},
		{"as slow as 10 MB/s, ideal", whatif.Setup{Measured: 1.1}, 0.1, true, "ideal"},
		{"all but starting", whatif.Setup{Measured: 1.1, Outside: 0.98}, 1.1, false, "bandwidth=2x"},
		{"half of it starting", whatif.Setup{Measured: 1.1, Outside: 0.5}, 0.85, true, "bandwidth=2x"},
		{"shared cores", whatif.Setup{Measured: 1.1, Stretch: []float64{3, 4}}, 1.1, false, "bandwidth=2x"},
		{"shared cores, which explain little", whatif.Setup{Measured: 1.1, Stretch: []float64{1.5, 1.5}}, 0.62, true, "bandwidth=2x"},
	} {
		c.setup.Trace, c.setup.Network = tr, whatif.SharedMemory()
		w, err := whatif.New(t.Context(), c.setup)
		if err != nil {
			t.Fatal(err)
		}
		ch, err := whatif.ParseChange("network", c.network)
		if err != nil {
			t.Fatal(err)
		}
		a, err := w.Price(t.Context(), []whatif.Change{ch})
		if err != nil || math.Abs(a.NewSeconds-c.want) > 0.02 {
			t.Errorf("%s: %+v, %v; want %g s", c.name, a, err, c.want)
			continue
		}
		if fitted := strings.Contains(strings.Join(a.Notes, " "), "its network is taken to be"); fitted != c.fitted {
			t.Errorf("%s: noted %q", c.name, a.Notes)
		}
	}
}

// TestFreed: a rank that had half a core took twice its CPU time. Freed, it is
// like the other one, alone or with other changes.
func TestFreed(t *testing.T) {
	tr := programs(2, func(_ int, b *trace.Builder) {
		for range 10 {
			compute(b, "A", 0.75)
			compute(b, "B", 0.25)
			b.Add(&trace.Action{Kind: trace.Barrier})
		}
	})
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Measured: 20.5, Stretch: []float64{1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	like := whatif.Change{Kind: whatif.LikeMedian, Rank: 1}
	for _, x := range []struct {
		changes []whatif.Change
		want    float64
	}{
		{nil, 20.5}, {[]whatif.Change{like}, 10.5}, {[]whatif.Change{{Kind: whatif.Balance, Region: "all"}}, 15.5},
		{[]whatif.Change{{Kind: whatif.Faster, Region: "A", Factor: 3}, like}, 5.5}, {[]whatif.Change{like, {Kind: whatif.Balance, Region: "all"}}, 10.5}, {[]whatif.Change{like, {Kind: whatif.NoNoise}}, 10.5},
	} {
		a, err := c.Price(t.Context(), x.changes)
		if err != nil || math.Abs(a.NewSeconds-x.want) > 1e-9 {
			t.Errorf("%v: %+v, %v; want %g s", x.changes, a, err, x.want)
		}
	}
}

// TestWorkerIsNoStraggler: a rank that takes thrice as long as the other may be slower
// at the same work; one that takes twenty times as long has other work.
func TestWorkerIsNoStraggler(t *testing.T) {
	for _, x := range []struct {
		seconds float64
		listed  bool
	}{{3, true}, {20, false}} {
		tr := programs(2, func(rank int, b *trace.Builder) {
			compute(b, "A", []float64{1, x.seconds}[rank])
			b.Add(&trace.Action{Kind: trace.Barrier})
		})
		c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr})
		if err != nil {
			t.Fatal(err)
		}
		list, err := c.Opportunities(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(list.Opportunities, func(o whatif.Opportunity) bool { return o.Change == "--like-median 1" }); got != x.listed {
			t.Errorf("%g s: %+v", x.seconds, list.Opportunities)
		}
	}
}

// TestPauses: a rank that is blocked for 2 s of 4 s is freed like one that computes
// for longer, and is what limits the run while it is not.
func TestPauses(t *testing.T) {
	tr := programs(3, func(r int, b *trace.Builder) {
		compute(b, "main/A", 2)
		if r == 1 {
			b.Add(&trace.Action{Kind: trace.Sleep, Value: 2})
		}
		b.Add(&trace.Action{Kind: trace.Barrier})
	})
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Measured: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		change  whatif.Change
		seconds float64
		by      string
	}{
		{whatif.Change{Kind: whatif.LikeMedian, Rank: 1}, 2, "computation"},
		{whatif.Change{Kind: whatif.LikeMedian, Rank: 0}, 4, "blocked"},
		{whatif.Change{Kind: whatif.Faster, Region: "main/A", Factor: 2}, 3, "blocked"},
		{whatif.Change{Kind: whatif.Hosts, Factor: 2}, 3, "blocked"}, // it waits for no processor
	} {
		a, err := c.Price(t.Context(), []whatif.Change{x.change})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(a.NewSeconds-x.seconds) > 0.01 || a.Limit.By != x.by || x.by == "blocked" != strings.Contains(a.Words, "Then rank 1 limits it, which is blocked or asleep") {
			t.Errorf("%s: %.3f s, limited by %s: %s", x.change, a.NewSeconds, a.Limit.By, a.Words)
		}
	}
	// A pause that may be a call of MPI that the trace does not know is not called so.
	unknown, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Measured: 4, Untold: 0.7})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := unknown.Price(t.Context(), []whatif.Change{{Kind: whatif.Hosts, Factor: 2}}); err != nil || a.Limit.By == "blocked" {
		t.Errorf("%+v, %v", a, err)
	}
	l, err := c.Opportunities(t.Context())
	if err != nil || len(l.Opportunities) == 0 || l.Opportunities[0].Change != "--like-median 1" || !c.Pauses() {
		t.Errorf("%+v, %v", l, err)
	}
	// However long it is blocked, it has the same work as the others.
	long := programs(3, func(r int, b *trace.Builder) {
		compute(b, "main/A", 0.1)
		if r == 1 {
			b.Add(&trace.Action{Kind: trace.Sleep, Value: 2})
		}
		b.Add(&trace.Action{Kind: trace.Barrier})
	})
	if c, err = whatif.New(t.Context(), whatif.Setup{Trace: long, Measured: 2.1}); err != nil {
		t.Fatal(err)
	}
	if l, err := c.Opportunities(t.Context()); err != nil || len(l.Opportunities) == 0 || l.Opportunities[0].Change != "--like-median 1" {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestEndsStay: starting and ending take 0.5 s of a run, and no change makes them
// shorter, also where the replay of the rest takes longer than that did.
func TestEndsStay(t *testing.T) {
	tr := programs(2, func(r int, b *trace.Builder) {
		compute(b, "A", 1+float64(r))
		b.Add(&trace.Action{Kind: trace.Barrier})
	})
	for measured, want := range map[float64]float64{2.5: 1.5, 2.1: 0.5 + 1.6/2} {
		c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Network: whatif.SharedMemory(), Measured: measured, Outside: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		a, err := c.Price(t.Context(), []whatif.Change{{Kind: whatif.Faster, Region: "A", Factor: 2}})
		if err != nil || math.Abs(a.NewSeconds-want) > 0.01 {
			t.Errorf("of %g s: %.3f s, want %.3f (%v)", measured, a.NewSeconds, want, err)
		}
	}
}
