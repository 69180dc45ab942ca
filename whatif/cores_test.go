package whatif_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"auspex/simulate/loggp"
	"auspex/trace"
	"auspex/whatif"
)

// halfCore is a run of ten turns of 1 s on two ranks, with a barrier after each.
// Rank 1 had no core for 0.75 s in each turn's computation, of which A is 0.75 s and
// B 0.25 s. After the fifth barrier it had none for 1 s more. Starting and ending took
// 0.5 s.
func halfCore(t *testing.T, measured float64) *whatif.Case {
	t.Helper()
	tr := programs(2, func(_ int, b *trace.Builder) {
		for range 10 {
			compute(b, "A", 0.75)
			compute(b, "B", 0.25)
			b.Add(&trace.Action{Kind: trace.Barrier})
		}
	})
	stops := make(trace.Stops, 2)
	for turn := range int64(10) {
		stops[1] = append(stops[1], trace.Stop{Action: 3 * turn, Seconds: 0.75})
		if turn == 4 {
			stops[1] = append(stops[1], trace.Stop{Action: 3*turn + 2, Within: true, Seconds: 1})
		}
	}
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Measured: measured, Outside: 0.5, Stops: stops, Late: []float64{0, 0.25}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCores: work is what changes to regions change; a rank stands still for as
// long a share of it as before, until it gets a core.
func TestCores(t *testing.T) {
	c := halfCore(t, 19)
	all := whatif.Change{Kind: whatif.Cores}
	like := whatif.Change{Kind: whatif.LikeMedian, Rank: 1}
	fasterA := whatif.Change{Kind: whatif.Faster, Region: "A", Factor: 3} // half of all work
	for _, x := range []struct {
		name    string
		changes []whatif.Change
		want    float64 // of 19 s: 10 s work, 7.5 s and 1 s without a core, 0.5 s else
	}{
		{"as it is", nil, 19},
		{"freed", []whatif.Change{like}, 10.25},
		{"a core for every rank", []whatif.Change{all}, 10.25},
		{"the other rank lacks nothing", []whatif.Change{{Kind: whatif.LikeMedian, Rank: 0}}, 19},
		{"its work is no more than the other's", []whatif.Change{{Kind: whatif.Balance, Region: "all"}}, 19},
		{"half the work is interrupted half as long", []whatif.Change{fasterA}, 0.5 + 5 + 4.25},
		{"hosts twice as fast likewise", []whatif.Change{{Kind: whatif.Hosts, Factor: 2}}, 0.5 + 5 + 4.25},
		{"half the work and a core", []whatif.Change{fasterA, all}, 5.25},
		{"a core and half the work", []whatif.Change{all, fasterA}, 5.25},
		{"even computation is as long, and what stops it elsewhere is no noise", []whatif.Change{{Kind: whatif.NoNoise}}, 19},
		{"even and a core", []whatif.Change{all, {Kind: whatif.NoNoise}}, 10.25},
	} {
		a, err := c.Price(t.Context(), x.changes)
		if err != nil || math.Abs(a.NewSeconds-x.want) > 1e-6 {
			t.Errorf("%s: %+v, %v; want %g s", x.name, a, err, x.want)
		}
	}
}

// TestStopsOfCalls: two ranks exchange messages all the time and lack cores. They run
// for 0.05 s in their work and for 3 s in MPI, and stand still for 0.3 s and 18 s in
// them. Neither less work nor even work gives back what they stood still in MPI.
func TestStopsOfCalls(t *testing.T) {
	tr := programs(2, func(_ int, b *trace.Builder) {
		for range 10 {
			compute(b, "A", 0.005)
			b.Add(&trace.Action{Kind: trace.Barrier})
		}
	})
	stops := make(trace.Stops, 2)
	for rank := range stops {
		for turn := range int64(10) {
			stops[rank] = append(stops[rank],
				trace.Stop{Action: 2 * turn, Seconds: 0.03},
				trace.Stop{Action: 2*turn + 1, Within: true, Seconds: 1.8, Rest: 0.3})
		}
	}
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Network: whatif.SharedMemory(), Measured: 21.4, Stops: stops})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		change whatif.Change
		most   float64
	}{
		{whatif.Change{Kind: whatif.Faster, Region: "A", Factor: 2}, 0.175},
		{whatif.Change{Kind: whatif.Remove, Region: "A"}, 0.35},
		{whatif.Change{Kind: whatif.Hosts, Factor: 2}, 0.175},
		{whatif.Change{Kind: whatif.NoNoise}, 0},
	} {
		a, err := c.Price(t.Context(), []whatif.Change{x.change})
		if err != nil || math.Abs(21.4-a.NewSeconds-x.most) > 1e-6 {
			t.Errorf("%s: gains %.3f s of %.3f (%v)", x.change, 21.4-a.NewSeconds, x.most, err)
		}
	}
	if a, err := c.Price(t.Context(), []whatif.Change{{Kind: whatif.Cores}}); err != nil || a.NewSeconds > 21.4-18.3 {
		t.Errorf("a core for every rank: %+v, %v", a, err)
	}
}

// TestMostWithCores: with a core each, ranks take no longer than they did less what
// every one of them stood still, whatever a replay makes of stops that both had in
// the same calls. More than that is promised only where something else changes.
func TestMostWithCores(t *testing.T) {
	tr := programs(2, func(_ int, b *trace.Builder) {
		for range 10 {
			compute(b, "A", 0.5)
			b.Add(&trace.Action{Kind: trace.Barrier})
		}
	})
	stops := make(trace.Stops, 2)
	for turn := range int64(10) {
		stops[turn%2] = append(stops[turn%2], trace.Stop{Action: 2*turn + 1, Within: true, Seconds: 1.2})
	}
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Network: loggp.Network{Latency: 0.5}, Measured: 15, Stops: stops, Late: []float64{0.5, 1}})
	if err != nil {
		t.Fatal(err)
	}
	cores := whatif.Change{Kind: whatif.Cores}
	if a, err := c.Price(t.Context(), []whatif.Change{cores}); err != nil || math.Abs(a.NewSeconds-(15-6-0.5)) > 1e-9 {
		t.Errorf("a core for every rank: %+v, %v; want 8.5 s", a, err)
	}
	less, err := c.Price(t.Context(), []whatif.Change{cores, {Kind: whatif.Faster, Region: "A", Factor: 2}})
	if err != nil || less.NewSeconds > 8.5-2.5+1e-9 {
		t.Errorf("and half the work: %+v, %v; 2.5 s less", less, err)
	}
	slower := whatif.Change{Kind: whatif.Faster, Region: "A", Factor: 0.5}
	if a, err := c.Price(t.Context(), []whatif.Change{cores, slower}); err != nil || a.NewSeconds < 10 {
		t.Errorf("and twice the work: %+v, %v; at least 10 s", a, err)
	}
}

// TestCoresSaid: that a want of cores limits a run is said where it does, and that
// they are among what could be changed.
func TestCoresSaid(t *testing.T) {
	c := halfCore(t, 19)
	a, err := c.Price(t.Context(), []whatif.Change{{Kind: whatif.Ideal}})
	if err != nil || a.Limit.By != "cores" || !strings.Contains(a.Words, "rank 1 computes longest, and could not for 46 % of the time") {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err = c.Price(t.Context(), []whatif.Change{{Kind: whatif.Cores}}); err != nil || a.Limit.By != "computation" || strings.Contains(a.Words, "want of cores") {
		t.Errorf("with cores: %+v, %v", a, err)
	}
	l, err := c.Opportunities(t.Context())
	if err != nil || l.Opportunities[0].Change != "--cores enough" && l.Opportunities[0].Change != "--like-median 1" {
		t.Errorf("%+v, %v", l, err)
	}
	none, err := uneven(t, 5).Opportunities(t.Context())
	if err != nil || slices.ContainsFunc(none.Opportunities, func(o whatif.Opportunity) bool { return o.Change == "--cores enough" }) {
		t.Errorf("where nothing is known of cores: %+v, %v", none, err)
	}
}

// TestCoresPromised: what a region should take has the stops in it that remain.
func TestCoresPromised(t *testing.T) {
	c := halfCore(t, 19)
	for _, x := range []struct {
		change whatif.Change
		want   float64 // of A, 7.5 s of work
	}{
		{whatif.Change{Kind: whatif.Ideal}, 7.5 * 1.75},
		{whatif.Change{Kind: whatif.Cores}, 7.5},
		{whatif.Change{Kind: whatif.Faster, Region: "A", Factor: 3}, 2.5 * 1.75},
	} {
		changes := []whatif.Change{x.change}
		a, err := c.Price(t.Context(), changes)
		if err != nil {
			t.Fatal(err)
		}
		p, err := c.Promise(a, changes)
		if err != nil || p.Regions[0].Region != "A" || math.Abs(p.Regions[0].Before-7.5*1.75) > 1e-9 || math.Abs(p.Regions[0].Promised-x.want) > 1e-9 {
			t.Errorf("%s: %+v, %v; want %g s", x.change, p, err, x.want)
		}
	}
}

// TestStopNotes: ranks that had no core for a fiftieth of the run are named.
func TestStopNotes(t *testing.T) {
	stops := trace.Stops{{{Seconds: 0.019}}, {{Seconds: 0.25}, {Within: true, Seconds: 0.25}}, nil}
	notes := whatif.StopNotes(stops, nil, 1)
	if len(notes) != 1 || !strings.Contains(notes[0], "no core: rank 1 for 0.5 s;") {
		t.Errorf("%q", notes)
	}
	if notes = whatif.StopNotes(stops, nil, 100); notes != nil {
		t.Errorf("of a long run: %q", notes)
	}
	notes = whatif.StopNotes(stops, []float64{0.4, 0, 0.01}, 1)
	if len(notes) != 2 || !strings.Contains(notes[1], "started and ended, some could have run and had no core: rank 0 for 0.4 s;") {
		t.Errorf("with those of starting: %q", notes)
	}
}

// TestStoppedByTurns: a rank computes while the other waits for it and has no core
// meanwhile, by turns. Each stands still for half of the run, and a core for each of
// them brings nothing.
func TestStoppedByTurns(t *testing.T) {
	stops := make(trace.Stops, 2)
	message := func(kind trace.Kind, peer int) *trace.Action {
		return &trace.Action{Kind: kind, Peer: int32(peer), Count: 8, Type: trace.Byte}
	}
	tr := programs(2, func(rank int, b *trace.Builder) {
		for turn := range int64(10) {
			first, second := trace.Send, trace.Recv
			if rank == 1 {
				first, second = trace.Recv, trace.Send
			}
			at := 3*turn + 2 // of the receive
			if rank == 0 {
				compute(b, "A", 0.1)
				b.Add(message(first, 1))
				b.Add(message(second, 1))
			} else {
				b.Add(message(first, 0))
				compute(b, "A", 0.1)
				b.Add(message(second, 0))
				at = 3 * turn
			}
			stops[rank] = append(stops[rank], trace.Stop{Action: at, Within: true, Seconds: 0.1})
		}
	})
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Network: whatif.SharedMemory(), Measured: 2, Stops: stops})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := c.Price(t.Context(), []whatif.Change{{Kind: whatif.Cores}}); err != nil || math.Abs(a.NewSeconds-2) > 0.01 {
		t.Errorf("%+v, %v; want 2 s", a, err)
	}
}

// TestWithinNotes: of measured times it is told which ranks had no core within MPI, from a
// fiftieth of the run on.
func TestWithinNotes(t *testing.T) {
	if got := strings.Join(whatif.WithinNotes([]float64{0.5, 0.1}, 10), ""); got != "some could have gone on within MPI and had no core: rank 0 for 0.5 s; here that is the network's, and an ideal one would not end it" {
		t.Error(got)
	}
	if got := whatif.WithinNotes([]float64{0.1, 0}, 10); got != nil {
		t.Error(got)
	}
}
