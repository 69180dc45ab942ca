package whatif_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"auspex/platform"
	"auspex/simulate"
	"auspex/trace"
	"auspex/whatif"
)

// cluster is four hosts behind a switch.
const cluster = `<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
    <cluster id="c" prefix="node-" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="50us"/>
  </zone>
</platform>
`

// everything is a small program that every change can change: two regions that
// differ by rank and step, messages small and large, a reduction and a broadcast.
func everything() *trace.Trace {
	return programs(4, func(r int, b *trace.Builder) {
		b.Add(&trace.Action{Kind: trace.Init})
		for step := range 3 {
			compute(b, "main/A", 0.01*float64(1+r+step))
			for _, bytes := range []int64{100, 200000} {
				b.Add(&trace.Action{Kind: trace.Irecv, Type: trace.Byte, Peer: int32(r+3) % 4, Count: bytes, Tag: 1})
				b.Add(&trace.Action{Kind: trace.Isend, Type: trace.Byte, Peer: int32(r+1) % 4, Count: bytes, Tag: 1})
				b.Add(&trace.Action{Kind: trace.WaitAll})
			}
			compute(b, "main/B", 0.02)
			b.Add(&trace.Action{Kind: trace.Allreduce, Type: trace.Byte, Count: 80000})
			b.Add(&trace.Action{Kind: trace.Bcast, Type: trace.Byte, Count: 80000})
		}
		b.Add(&trace.Action{Kind: trace.Finalize})
	})
}

// TestPairs: every change goes with every other, in either order of the command
// line, without a platform and with one; what cannot be said so. Nothing that
// only takes something away makes the run longer than it may.
func TestPairs(t *testing.T) {
	p, err := platform.Read("cluster.xml", strings.NewReader(cluster))
	if err != nil {
		t.Fatal(err)
	}
	anywhere := [][2]string{
		{"faster", "A=2"}, {"faster", "main/B=0.5"}, {"balance", "A"}, {"balance", "all"}, {"remove", "B"}, {"like-median", "3"},
		{"network", "ideal"}, {"network", "bandwidth=2x"}, {"network", "latency=0"}, {"network", "latency=3"}, {"eager", "0"}, {"eager", "1000000"}, {"hosts", "speed=1.5x"}, {"noise", "none"},
	}
	for _, place := range []struct {
		name    string
		machine *whatif.Machine
		changes [][2]string
	}{
		{"without a platform", nil, append(slices.Clone(anywhere), [2]string{"collective", "allreduce=ring"}, [2]string{"collective", "bcast=binomial"})},
		{"on a platform", &whatif.Machine{Platform: p, Hosts: []int{0, 1, 2, 3}, Options: simulate.Defaults()}, append(slices.Clone(anywhere), [2]string{"collective", "allreduce=ompi"}, [2]string{"collective", "allreduce=ring"}, [2]string{"collective", "bcast=linear"}, [2]string{"ranks-per-node", "2"})},
	} {
		c, err := whatif.New(t.Context(), whatif.Setup{Trace: everything(), Network: whatif.SharedMemory(), Machine: place.machine})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range place.changes {
			for _, y := range place.changes {
				var changes []whatif.Change
				for _, text := range [][2]string{x, y} {
					ch, err := whatif.ParseChange(text[0], text[1])
					if err != nil {
						t.Fatal(err)
					}
					changes = append(changes, ch)
				}
				a, err := c.Price(t.Context(), changes)
				if err != nil {
					t.Errorf("%s, %v: %v", place.name, changes, err)
					continue
				}
				if !(a.NewSeconds > 0) || math.IsInf(a.NewSeconds, 0) || a.Interval[0] > a.NewSeconds || a.Interval[1] < a.NewSeconds || a.Limit.By == "" || len(a.Changes) != 2 {
					t.Errorf("%s, %v: %+v", place.name, changes, a)
				}
				first, err := c.Price(t.Context(), changes[:1])
				if err != nil {
					t.Fatal(err)
				}
				if k := changes[1].Kind; (k == whatif.Remove || k == whatif.Ideal) && a.NewSeconds > first.NewSeconds*(1+1e-9) {
					t.Errorf("%s: %s takes %g s, and with %s %g s", place.name, changes[0], first.NewSeconds, changes[1], a.NewSeconds)
				}
			}
		}
	}
}

// On a platform an algorithm can be named, and the sentence says where the run would
// take so long. By hand, four ranks, 8 MB at 125 MB/s (64 ms), latencies left out: by
// recursive doubling the whole goes twice both ways, round a ring a quarter six times;
// one by one, the root gets it three times and hands it out three times.
func TestAlgorithmOnPlatform(t *testing.T) {
	p, err := platform.Read("cluster.xml", strings.NewReader(cluster))
	if err != nil {
		t.Fatal(err)
	}
	o := simulate.Defaults()
	o.CrossTraffic = false
	o.BandwidthFactor, o.LatencyFactor = nil, nil
	reduction := programs(4, func(_ int, b *trace.Builder) {
		b.Add(&trace.Action{Kind: trace.Init})
		b.Add(&trace.Action{Kind: trace.Allreduce, Type: trace.Double, Count: 1e6})
		b.Add(&trace.Action{Kind: trace.Finalize})
	})
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: reduction, Machine: &whatif.Machine{Name: "four.xml", Platform: p, Hosts: []int{0, 1, 2, 3}, Options: o}})
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]float64{"recursive-doubling": 2, "ring": 1.5, "rabenseifner": 1.5, "linear": 6} {
		ch, err := whatif.ParseChange("collective", "allreduce="+word)
		if err != nil {
			t.Fatal(err)
		}
		a, err := c.Price(t.Context(), []whatif.Change{ch})
		if err != nil {
			t.Fatal(err)
		}
		if want *= 8e6 / 125e6; math.Abs(a.NewSeconds/want-1) > 0.02 {
			t.Errorf("%s: %g s, want %g s", word, a.NewSeconds, want)
		}
		if !strings.HasPrefix(a.Words, "On four.xml the run would take ") {
			t.Errorf("%s", a.Words)
		}
	}
	ch, err := whatif.ParseChange("collective", "reduce=ring")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Price(t.Context(), []whatif.Change{ch}); err == nil || !strings.Contains(err.Error(), "binomial, linear, rabenseifner") {
		t.Errorf("reduce=ring: %v", err)
	}
}

// What the platform's replay does not tell of a run is taken to stay, and the interval
// holds the time without it; what the trace does not hold is no part of that.
func TestUntoldMayGo(t *testing.T) {
	p, err := platform.Read("cluster.xml", strings.NewReader(cluster))
	if err != nil {
		t.Fatal(err)
	}
	price := func(untold, outside float64) *whatif.Answer {
		t.Helper()
		machine := &whatif.Machine{Platform: p, Hosts: []int{0, 1, 2, 3}, Options: simulate.Defaults()}
		plain, err := whatif.New(t.Context(), whatif.Setup{Trace: everything(), Machine: machine})
		if err != nil {
			t.Fatal(err)
		}
		c, err := whatif.New(t.Context(), whatif.Setup{Trace: everything(), Machine: machine, Measured: plain.Base() + untold + outside, Outside: outside})
		if err != nil {
			t.Fatal(err)
		}
		a, err := c.Price(t.Context(), []whatif.Change{{Kind: whatif.Bandwidth, Factor: 2}})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	told, more, less, outside := price(0, 0), price(0.1, 0), price(-0.05, 0), price(0, 0.1)
	for _, c := range []struct {
		name string
		a    *whatif.Answer
		side int
		want float64
	}{{"longer than its replay", more, 0, told.NewSeconds}, {"shorter", less, 1, told.NewSeconds}} {
		if in := [2]bool{c.a.Interval[0] <= c.want, c.a.Interval[1] >= c.want}; !in[c.side] {
			t.Errorf("a run %s: %v does not hold %g s", c.name, c.a.Interval, c.want)
		}
	}
	if width := outside.Interval[1] - outside.Interval[0]; outside.NewSeconds-outside.Interval[0] > 0.51*width {
		t.Errorf("with time outside the trace: %g s, from %g to %g s", outside.NewSeconds, outside.Interval[0], outside.Interval[1])
	}
}

// TestNonsense: what cannot be is refused with a word that helps.
func TestNonsense(t *testing.T) {
	for _, c := range []struct{ flag, value, says string }{
		{"faster", "nosuch=2", `no region "nosuch"`}, {"faster", "A=-1", "REGION=2"}, {"faster", "A=0", "REGION=2"}, {"faster", "A=NaN", "REGION=2"}, {"faster", "A=Inf", "REGION=2"}, {"faster", "A=x", "REGION=2"},
		{"balance", "", "a region"}, {"balance", "nosuch", "no region"}, {"remove", "nosuch/", "no region"},
		{"like-median", "-1", "write a number"}, {"like-median", "4", "no rank 4"}, {"like-median", "1.5", "write a number"},
		{"network", "bandwidth=-1", "bandwidth=2x"}, {"network", "bandwidth=0", "bandwidth=2x"}, {"network", "latency=-1", "latency=0"}, {"network", "speed=2", "ideal"}, {"network", "", "ideal"},
		{"collective", "alltoall=ring", "CALL=ALGORITHM"}, {"collective", "allreduce", "ring"}, {"collective", "allreduce=mpich", "--platform"},
		{"eager", "-1", "number of bytes"}, {"eager", "1k", "number of bytes"}, {"hosts", "speed=0", "speed=1.5x"}, {"hosts", "speed=-2x", "speed=1.5x"},
		{"ranks-per-node", "0", "write a number"}, {"ranks-per-node", "2", "--platform"}, {"noise", "all", "none"}, {"cores", "8", "enough"}, {"cores", "enough", "not known how long"}, {"colour", "red", "no change"},
	} {
		ch, err := whatif.ParseChange(c.flag, c.value)
		if err == nil {
			_, err = uneven(t, 0).Price(t.Context(), []whatif.Change{ch})
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("--%s %s: %v, which does not say %q", c.flag, c.value, err, c.says)
		}
	}
}
