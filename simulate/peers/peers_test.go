package peers

import (
	"context"
	"math"
	"strings"
	"testing"

	"auspex/p2psap"
	"auspex/platform"
)

func site(t testing.TB, text string) *platform.Platform {
	t.Helper()
	p, err := platform.Read("site.toml", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const two = `
[[cluster]]
name = "a"
nodes = 2
speed = "1Gf"
bandwidth = "100Mbps"
latency = "10us"

[[cluster]]
name = "b"
nodes = "2-3"
prefix = "b-"
speed = "1Gf"
bandwidth = "100Mbps"
latency = "10us"

[[link]]
between = ["a", "b"]
bandwidth = "1Mbps"
latency = "1ms"
`

func run(t testing.TB, p *Program, o Options) *Result {
	t.Helper()
	r, err := Run(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSynchronousIterationsAreThoseMeasured(t *testing.T) {
	for _, steps := range []int{1, 7, 100, 1855} {
		p := Chain([]int{2, 2}, 1e-3, 0, 1000)
		p.Scheme, p.Steps, p.Coupling = p2psap.Synchronous, steps, 0.3
		r := run(t, p, Options{Platform: site(t, two)})
		for i, n := range r.Iterations {
			if n != steps {
				t.Errorf("peer %d made %d iterations, want %d", i, n, steps)
			}
		}
		if r.Seconds < float64(steps)*1e-3 || r.Overtaken+r.Lost != 0 {
			t.Errorf("%d steps: %+v", steps, r)
		}
	}
}

// One peer, no messages: time is the computing, and the vote costs nothing.
func TestOnePeer(t *testing.T) {
	p := Chain([]int{1}, 0.25, 0, 0)
	p.Steps = 8
	if r := run(t, p, Options{Platform: site(t, two)}); math.Abs(r.Seconds-2) > 1e-12 {
		t.Errorf("%v s, want 2", r.Seconds)
	}
	p.Scheme = p2psap.Asynchronous
	// Eight iterations, one more to freeze at, one more to vote on.
	if r := run(t, p, Options{Platform: site(t, two)}); math.Abs(r.Seconds-2.5) > 1e-12 {
		t.Errorf("asynchronous: %v s, want 2.5", r.Seconds)
	}
}

// A synchronous step of two peers over a link of 1 Mbit/s: computing, then the
// longer of the two messages' way. 1,000 bytes are 1,130 on the wire (head 64,
// one segment of 66): 9.04 ms at 125,000 bytes/s, then the latencies 1.02 ms. The
// word that a message came is 130 bytes, 1.04 ms: the next message, which is ready
// after 1 ms, waits for it.
func TestSlowLinkHoldsUpSynchronousPeers(t *testing.T) {
	p := Chain([]int{1, 1}, 1e-3, 0, 1000)
	p.Scheme = p2psap.Synchronous
	o := Options{Platform: site(t, two), Hosts: []int{0, 2}, Limit: 11}
	r := run(t, p, o)
	want := 11*1e-3 + 10*(1130/125e3+1.02e-3) + 9*(130/125e3-1e-3)
	if math.Abs(r.Seconds-want) > 1e-9 {
		t.Errorf("%v s, want %v", r.Seconds, want)
	}
	p.Scheme = p2psap.Asynchronous
	r = run(t, p, o)
	if math.Abs(r.Seconds-11e-3) > 1e-12 {
		t.Errorf("asynchronous: %v s, want 0.011", r.Seconds)
	}
}

// A link that is a token bucket gets back the time that it rested before a message,
// up to what the bucket holds.
func TestBucketsSaveWhatTheyRest(t *testing.T) {
	p := Chain([]int{1, 1}, 3e-3, 0, 1000)
	p.Scheme = p2psap.Synchronous
	seconds := func(bucket int) float64 {
		return run(t, p, Options{Platform: site(t, two), Hosts: []int{0, 2}, Limit: 11, Burst: func(bandwidth float64) int {
			if bandwidth == 125e3 {
				return bucket
			}
			return 0
		}}).Seconds
	}
	const compute, message, word, latency = 3e-3, 1130 / 125e3, 130 / 125e3, 1.02e-3
	plain := 11*compute + 10*(message+latency)
	if got := seconds(0); math.Abs(got-plain) > 1e-9 {
		t.Errorf("%v s without a bucket, want %v", got, plain)
	}
	// Before the first message the link has rested for the computing; before the
	// others for the computing and the latency, less the word.
	if got, want := seconds(10000), plain-compute-9*(compute+latency-word); math.Abs(got-want) > 1e-9 {
		t.Errorf("%v s with a large bucket, want %v", got, want)
	}
	if got, want := seconds(125), plain-10*1e-3; math.Abs(got-want) > 1e-9 {
		t.Errorf("%v s with a bucket of 1 ms, want %v", got, want)
	}
}

func TestFasterScheme(t *testing.T) {
	seconds := map[p2psap.Scheme]float64{}
	for _, s := range []p2psap.Scheme{p2psap.Synchronous, p2psap.Asynchronous, p2psap.Hybrid} {
		p := Chain([]int{2, 2}, 1e-2, 0, 4000)
		p.Scheme, p.Steps, p.Coupling = s, 200, 0.2
		seconds[s] = run(t, p, Options{Platform: site(t, two), Queue: 64 << 10}).Seconds
	}
	if seconds[p2psap.Synchronous] < seconds[p2psap.Asynchronous] || seconds[p2psap.Synchronous] < seconds[p2psap.Hybrid] {
		t.Errorf("the synchronous scheme is not held up by the slow link: %v", seconds)
	}
}

func TestFull(t *testing.T) {
	p := Chain([]int{1, 1}, 1e-3, 0, 100000)
	p.Scheme = p2psap.Asynchronous
	o := Options{Platform: site(t, two), Hosts: []int{0, 2}, Limit: 2000, Queue: 10000}
	p.Peer[0].Sends = append(p.Peer[0].Sends, p.Peer[0].Sends[0]) // a second tag
	if r := run(t, p, o); r.Lost == 0 {
		t.Errorf("a queue of 10 kB lost none of %d messages of 100 kB", r.Messages)
	}
	o.Queue = 0
	if r := run(t, p, o); r.Lost != 0 {
		t.Errorf("%d messages lost without a bound", r.Lost)
	}
}

func TestChurn(t *testing.T) {
	for _, s := range []p2psap.Scheme{p2psap.Synchronous, p2psap.Asynchronous, p2psap.Hybrid} {
		p := Chain([]int{2, 2}, 1e-2, 0, 1000)
		p.Scheme, p.Steps, p.Coupling, p.Every, p.State = s, 300, 0.2, 10, 10000
		o := Options{Platform: site(t, two)}
		calm := run(t, p, o)
		o.Churn = Churn{Mean: 10, Restart: 0.5}
		spread, err := Replays(context.Background(), p, o, 200)
		if err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		if spread.Failures == 0 || !(spread.Mean > calm.Seconds) || !(spread.Low <= spread.Mean && spread.Mean <= spread.High) || spread.Deviation == 0 {
			t.Errorf("%v: %+v, calm %v s", s, spread, calm.Seconds)
		}
		again, err := Replays(context.Background(), p, o, 200)
		if err != nil || *again != *spread {
			t.Errorf("%v: the same seeds gave %+v and %+v, %v", s, spread, again, err)
		}
	}
}

func TestHostStates(t *testing.T) {
	p := Chain([]int{4}, 0.1, 0, 1000)
	p.Scheme, p.Steps, p.Every = p2psap.Synchronous, 20, 1
	site := site(t, two)
	calm := run(t, p, Options{Platform: site})
	site.Changes = append(site.Changes, platform.Change{Of: platform.HostState, Index: 1,
		Profile: &platform.Profile{Points: []platform.Moment{{At: 0.95, Value: 0}, {At: 5, Value: 1}}, Again: -1}})
	r := run(t, p, Options{Platform: site})
	if r.Failures != 1 || r.Seconds < calm.Seconds+4 || r.Seconds > calm.Seconds+4.5 {
		t.Errorf("off from 0.95 to 5 s: %v s, %v s without", r.Seconds, calm.Seconds)
	}
}

func TestWrong(t *testing.T) {
	site := site(t, two)
	good := func() *Program {
		p := Chain([]int{2}, 1, 0, 1)
		p.Steps = 5
		return p
	}
	for name, change := range map[string]func(*Program, *Options){
		"no steps":     func(p *Program, _ *Options) { p.Steps = 0 },
		"clusters":     func(p *Program, _ *Options) { p.Clusters = []int{3} },
		"no peer":      func(p *Program, _ *Options) { p.Peer[0].Sends[0].To = 9 },
		"negative":     func(p *Program, _ *Options) { p.Peer[1].Compute = -1 },
		"not a number": func(p *Program, _ *Options) { p.Peer[1].Compute = math.NaN() },
		"coupling":     func(p *Program, _ *Options) { p.Coupling = 2 },
		"hosts":        func(_ *Program, o *Options) { o.Hosts = []int{0} },
		"host":         func(_ *Program, o *Options) { o.Hosts = []int{0, 99} },
		"churn":        func(_ *Program, o *Options) { o.Churn.Mean = -1 },
	} {
		p, o := good(), Options{Platform: site}
		change(p, &o)
		if _, err := Run(context.Background(), p, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// BenchmarkTenThousand is the promise of docs/p2psap.md: 10,000 peers, 100
// iterations, asynchronous, with churn.
func BenchmarkTenThousand(b *testing.B) {
	const n = 10000
	text := "[[cluster]]\nname = \"p\"\nnodes = 10000\nspeed = \"1Gf\"\nbandwidth = \"10Mbps\"\nlatency = \"5ms\"\n"
	site := site(b, text)
	p := Chain([]int{n / 4, n / 4, n / 4, n / 4}, 0.01, 0, 8000)
	p.Scheme, p.Every, p.State = p2psap.Asynchronous, 10, 100000
	for b.Loop() {
		r := run(b, p, Options{Platform: site, Limit: 100, Churn: Churn{Mean: 100, Restart: 0.2}})
		b.ReportMetric(float64(r.Failures), "failures")
	}
}

// The coupling of a program whose peers depend on one another less than usual is found
// from the iterations of an asynchronous run; a run that the usual one explains changes
// nothing.
func TestCouplingFromIterations(t *testing.T) {
	program := Chain([]int{2, 2}, 20e-6, 0, 800)
	program.Scheme, program.Steps = p2psap.Asynchronous, 4000
	o := Options{Platform: site(t, two)}
	made := func(coupling float64) float64 {
		program.Coupling = coupling
		sum := 0.0
		for _, n := range run(t, program, o).Iterations {
			sum += float64(n) / 4
		}
		return sum
	}
	for _, coupling := range []float64{0.05, 0.1} {
		iterations := made(coupling)
		if usual := made(0.5); usual < contradicted*iterations {
			t.Fatalf("%g iterations at a coupling of %g, %g at the usual one", iterations, coupling, usual)
		}
		program.Coupling = 0.5
		if got, err := FitCoupling(t.Context(), program, o, iterations); err != nil || math.Abs(got/coupling-1) > 0.1 {
			t.Errorf("coupling %g, want %g (%v)", got, coupling, err)
		}
	}
	near := 1.2 * made(0.5)
	if got, err := FitCoupling(t.Context(), program, o, near); err != nil || got != 0.5 {
		t.Errorf("coupling %g from a run that the usual one explains (%v)", got, err)
	}
}
