package calibrate

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"auspex/platform"
	"auspex/signature"
	"auspex/simulate"
	"auspex/simulate/collective"
	"auspex/trace"
)

// sizes are those that the ping-pong program measures.
func sizes() []int64 {
	var list []int64
	for z := int64(1); z <= 16<<20; {
		list = append(list, z)
		switch {
		case z == 1 || z >= 1<<20:
			z *= 2
		case z&(z-1) != 0:
			z = z / 3 * 4
		default:
			z = z / 2 * 3
		}
	}
	return list
}

// imagine makes the measurement that a calibrated network would give, by replay.
func imagine(t rapid.TB, c *Calibration, noise func() float64) *Measurement {
	m := &Measurement{Hosts: map[int]string{0: "a", 1: "b"}, Library: c.Library, Kernels: map[int]Rounds{}}
	for rank, speed := range c.Speeds {
		m.Kernels[rank] = Rounds{"integer": {1 / speed}, "memory": {2 / speed}}
	}
	var points []point
	for _, z := range sizes() {
		points = append(points, point{float64(z), 1, 1})
	}
	for kind, play := range map[Kind]func(int64) (*trace.Trace, float64){PingPong: pingPong, Exchange: exchange} {
		all, err := c.compare(context.Background(), points, play)
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range all {
			m.Samples = append(m.Samples, Sample{Kind: kind, From: 0, To: 1, Bytes: got.Bytes, Median: got.Simulated * noise(), Times: 9})
		}
	}
	for _, z := range sizes() {
		if z < c.EagerBelow {
			for kind, segs := range map[Kind][]Segment{Send: c.SendOverhead, Recv: c.RecvOverhead, Isend: c.Isend} {
				v := segs[0].Values
				m.Samples = append(m.Samples, Sample{Kind: kind, From: 0, To: 1, Bytes: z, Median: (v[0] + v[1]*float64(z)) * noise(), Times: 9})
			}
		}
	}
	m.Samples = append(m.Samples, Sample{Kind: Threshold, From: 0, To: 1, Bytes: c.EagerBelow, Times: 1})
	return m
}

// A fit of what the simulator makes of known constants finds them again.
func TestFitRecoversConstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		latency := rapid.Float64Range(5e-6, 200e-6).Draw(t, "latency")
		bandwidth := rapid.Float64Range(5e6, 5e9).Draw(t, "bandwidth")
		own := rapid.Float64Range(0.2e-6, 0.2*latency).Draw(t, "overhead")
		eager := rapid.Int64Range(4000, 300000).Draw(t, "eager")
		cross := rapid.Bool().Draw(t, "crosstraffic")
		amplitude := rapid.Float64Range(0, 0.01).Draw(t, "noise")
		c := &Calibration{
			Network: Network{Envelope: envelope, Latency: latency, Bandwidth: bandwidth,
				LatencyFactor: []Segment{{0, []float64{1}}}, BandwidthFactor: []Segment{{0, []float64{1}}}},
			SendOverhead: []Segment{{0, []float64{own, 0}}}, RecvOverhead: []Segment{{0, []float64{own, 0}}}, Isend: []Segment{{0, []float64{own, 0}}},
			EagerBelow: eager, CrossTraffic: cross, Selector: "mpich", Library: "MPICH Version: 4", Speeds: []float64{1, 0.5},
		}
		noise := func() float64 { return 1 + rapid.Float64Range(-amplitude, amplitude).Draw(t, "off") }
		m := imagine(t, c, noise)
		got, err := Fit(m, Rounds{"integer": {1}, "memory": {2}})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "latency", got.Latency, latency, 0.05)
		near(t, "bandwidth", got.Bandwidth, bandwidth, 0.05) // a difference of two times, each off by a hundredth
		near(t, "os", got.SendOverhead[0].Values[0], own, 0.05)
		near(t, "or", got.RecvOverhead[0].Values[0], own, 0.05)
		near(t, "ois", got.Isend[0].Values[0], own, 0.05)
		near(t, "speed", got.Speeds[1], 0.5, 1e-9)
		if got.EagerBelow != eager || got.Selector != "mpich" {
			t.Errorf("the threshold is %d, not %d; the selector is %s", got.EagerBelow, eager, got.Selector)
		}
		if got.CrossTraffic != cross && amplitude < 0.002 {
			t.Errorf("crosstraffic is %v, not %v", got.CrossTraffic, cross)
		}
		all, err := got.Check(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		if middle, worst := Summary(all); middle > 0.02 || worst > 0.05 {
			t.Errorf("the replay of the fit is off by %.3f in the middle, %.3f at worst", middle, worst)
		}
	})
}

func near(t rapid.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*want {
		t.Errorf("%s is %g, not %g", what, got, want)
	}
}

// Steps in the curve become pieces: eager and rendezvous differ.
func TestPieces(t *testing.T) {
	truth := []piece{{0, 10e-6, 2e-9}, {1000, 20e-6, 1e-9}, {65000, 100e-6, 8e-9}}
	var points []point
	for _, z := range sizes() {
		points = append(points, point{float64(z), at(truth, float64(z)), at(truth, float64(z))})
	}
	got := fitPieces(points)
	if len(got) != len(truth) {
		t.Fatalf("%d pieces: %v", len(got), got)
	}
	for _, p := range points {
		near(t, fmt.Sprintf("%.0f bytes", p.size), at(got, p.size), p.seconds, 0.001)
	}
	if fitPieces(nil) != nil {
		t.Error("pieces of nothing")
	}
}

// What is written is what simulate reads.
func TestWrittenPlatform(t *testing.T) {
	c := &Calibration{
		Network: Network{Envelope: envelope, Latency: 30e-6, Bandwidth: 1.1e8, LatencyFactor: []Segment{{0, []float64{1}}, {2.5e6, []float64{3}}},
			BandwidthFactor: []Segment{{0, []float64{0.5}}, {2.5e6, []float64{1}}}},
		Loopback:     &Loopback{Latency: 1e-6, Bandwidth: 5e9},
		SendOverhead: []Segment{{0, []float64{1e-6, 1e-10}}},
		EagerBelow:   65536, Selector: "ompi", Speeds: []float64{1, 0.8},
		Signature: &signature.Signature{Version: 2, Machine: `a "b" <c>`, Cores: 2, Kernels: map[string][]signature.Time{"memory": {{Busy: 1, Seconds: 0.004, Error: 0.01}}}},
	}
	var short, xml bytes.Buffer
	if err := c.WriteTOML(&short, 4); err != nil {
		t.Fatal(err)
	}
	if err := c.WriteXML(&xml, 0); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]*bytes.Buffer{"a.toml": &short, "a.xml": &xml} {
		p, err := platform.Read(name, text)
		if err != nil {
			t.Fatal(err)
		}
		options := simulate.Defaults()
		for key, value := range p.Config {
			if err := options.Set(key, value); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if options.EagerBelow != 65536 || options.Selector != collective.OMPI || options.BandwidthFactor[1].From != 2.5e6 || options.SendOverhead[0].Values[1] != 1e-10 {
			t.Errorf("%s: the options are %+v", name, options)
		}
		if s, err := signature.Read(strings.NewReader(options.Signature)); err != nil || s.Machine != c.Signature.Machine || s.Kernels["memory"][0] != c.Signature.Kernels["memory"][0] {
			t.Errorf("%s: the signature is %+v, %v", name, s, err)
		}
		if p.Hosts[1].Speed != 0.8e9 {
			t.Errorf("%s: the second host has the speed %g", name, p.Hosts[1].Speed)
		}
		r, err := p.Route(0, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		near(t, name+": latency", r.Latency, 30e-6, 1e-6)
	}
}

func TestRead(t *testing.T) {
	const head = "host 0 a\nhost 1 b\n"
	for _, c := range []struct{ name, text, want string }{
		{"cut short", head + "pingpong 0 1 1 1e-6 1e-6 5\n", "end"},
		{"a time below nothing", head + "pingpong 0 1 1 -1 1e-6 5\ndone\n", "line 3"},
		{"a rank that is none", "host x a\ndone\n", "line 1"},
		{"a kernel that takes no time", "kernel 0 integer 0\ndone\n", "line 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Read(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v", err)
			}
		})
	}
	m, err := Read(strings.NewReader("Warning: something\n" + head + "one two three four five six seven\npingpong 0 1 8 2e-6 1e-6 5\ndone\n"))
	if err != nil || len(m.Samples) != 1 || m.Hosts[1] != "b" {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := Fit(m, nil); err == nil || !strings.Contains(err.Error(), "sizes") {
		t.Errorf("a fit of one size: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("host 0 a\nhost 1 b\nlibrary MPICH\npingpong 0 1 8 2e-6 1e-6 5\nthreshold 0 1 64 0 0 1\nkernel 0 integer 1\ndone\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		_, _ = Fit(m, Rounds{"integer": {1}})
	})
}

// The four numbers of LogGP are those of the network that was written.
func TestLogGP(t *testing.T) {
	c := &Calibration{
		Network:      Network{Envelope: envelope, Latency: 20e-6, Bandwidth: 1e8},
		SendOverhead: []Segment{{0, []float64{3e-6, 0}}}, RecvOverhead: []Segment{{0, []float64{2e-6, 0}}}, Isend: []Segment{{0, []float64{1e-6, 0}}},
		EagerBelow: 65536, Speeds: []float64{1, 1}, Hosts: []string{"a", "b"}, Selector: "ompi",
		Loopback: &Loopback{Latency: 1e-6, Bandwidth: 1e10},
	}
	c.LatencyFactor, c.BandwidthFactor = []Segment{{0, []float64{1}}}, []Segment{{0, []float64{1}}}
	got, err := c.LogGP(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]float64{"L": {got.Latency, 20e-6}, "o": {got.Overhead, 3e-6}, "G": {got.PerByte, 1e-8}, "g": {got.Gap, 3e-6}} {
		if math.Abs(pair[0]/pair[1]-1) > 0.06 { // acknowledgements take a twentieth
			t.Errorf("%s is %v, want %v", name, pair[0], pair[1])
		}
	}
}

// A rank on the machine where the reference was measured is as fast as that, whatever
// the machine did meanwhile; one with a share of it is not, nor is one elsewhere.
func TestOwnSpeeds(t *testing.T) {
	c := &Calibration{Hosts: []string{"me", "me", "other", "me"}, Speeds: []float64{1.07, 0.85, 1.07, 0.5}}
	c.OwnSpeeds("me")
	if want := []float64{1, 1, 1.07, 0.5}; !slices.Equal(c.Speeds, want) {
		t.Errorf("%v, not %v", c.Speeds, want)
	}
}
