package calibrate

import (
	"bytes"
	"context"
	"math"
	"testing"

	"auspex/platform"
	"auspex/simulate"
	"auspex/trace"
)

// measured is what the ping-pong program would print of a calibrated network.
func measured(t *testing.T, c *Calibration) *Measurement {
	t.Helper()
	m := &Measurement{Hosts: map[int]string{0: "a", 1: "b"}, Library: c.Library, Kernels: map[int]Rounds{0: {"integer": {1}}, 1: {"integer": {1}}}}
	p, options, err := c.pair()
	if err != nil {
		t.Fatal(err)
	}
	seconds := func(tr *trace.Trace) float64 {
		r, err := simulate.Run(context.Background(), tr, p, []int{0, 1}, options, simulate.Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		return r.Seconds
	}
	add := func(kind Kind, bytes int64, seconds float64) {
		m.Samples = append(m.Samples, Sample{Kind: kind, From: 0, To: 1, Bytes: bytes, Median: seconds, Least: seconds, Times: 9})
	}
	for _, z := range sizes() {
		there, share := pingPong(z)
		add(PingPong, z, share*seconds(there))
		add(Exchange, z, seconds(manyExchanges(z))/many)
		add(Cold, z, seconds(coldExchange(z))-rest)
		if z < c.EagerBelow {
			for kind, segs := range map[Kind][]Segment{Send: c.SendOverhead, Recv: {{0, []float64{1e-7, 0}}}, Isend: c.Isend} {
				add(kind, z, segs[0].Values[0])
			}
		}
	}
	m.Samples = append(m.Samples, Sample{Kind: Threshold, From: 0, To: 1, Bytes: c.EagerBelow, Times: 1})
	warm := seconds(exchangeOnce(64))
	add(Cool, 0, warm)
	for work := int64(16 << 10); work <= 8<<20; work *= 4 {
		took := float64(work) / 10e9
		add(Work, work, took)
		add(Cool, work, warm-math.Expm1(-took/c.Cooling)*c.Cold[0].Values[0])
	}
	left := 0.0
	if c.HoldLarge {
		left = seconds(manyExchanges(1<<20)) / many
	}
	add(Overlap, 1<<20, left)
	skewed := seconds(exchangeOnce(1 << 20))
	if c.InOrder {
		skewed *= 2
	}
	add(Skewed, 1<<20, skewed)
	for z := c.EagerBelow; c.Leaves > 0 && z <= c.Leaves; z *= 2 {
		add(Send, z, 1e-4)
	}
	if c.ReceiveAlone > 0 {
		add(Receives, c.ReceiveAlone, 0)
	}
	if c.SendBuffer > 0 {
		add(SendBuffer, c.SendBuffer, 0)
	}
	return m
}

func exchangeOnce(bytes int64) *trace.Trace {
	t, _ := exchange(bytes)
	return t
}

// What a replay knows of ranks that computed, of links that rested, of sends that
// end after their message and of large messages is found again, and not found where
// it is not there.
func TestFitFindsWhatGoesBefore(t *testing.T) {
	for _, truth := range []Rest{
		{Early: []Segment{{0, []float64{2e-6, 0}}}, Cold: []Segment{{0, []float64{20e-6, 0}}}, Cooling: 1e-4, Burst: 3000, HoldLarge: true, ReceiveAlone: 1 << 20, SendBuffer: 50000, InOrder: true, Leaves: 2 << 20},
		{Cold: []Segment{{0, []float64{5e-6, 0}}}, Cooling: 2e-5},
	} {
		c := &Calibration{
			Network:      Network{Envelope: envelope, Latency: 0.2e-6, Bandwidth: 12e6, LatencyFactor: []Segment{{0, []float64{1}}}, BandwidthFactor: []Segment{{0, []float64{1}}}},
			Rest:         truth,
			SendOverhead: []Segment{{0, []float64{4e-6, 0}}}, Isend: []Segment{{0, []float64{4e-6, 0}}},
			RecvOverhead: []Segment{{0, []float64{1e-7 + affineAt(truth.Early, 0), 0}}},
			EagerBelow:   65536, Selector: "ompi", Library: "Open MPI v4", Speeds: []float64{1, 1},
		}
		got, err := Fit(measured(t, c), Rounds{"integer": {1}})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := affineAt(got.Early, 8), affineAt(truth.Early, 8); math.Abs(got-want) > 0.3e-6 {
			t.Errorf("early %g s, not %g s", got, want)
		}
		near(t, "cold", got.Cold[0].Values[0], truth.Cold[0].Values[0], 0.15)
		near(t, "cooling", got.Cooling, truth.Cooling, 0.12)
		if math.Abs(got.Burst-truth.Burst) > 1000 {
			t.Errorf("links pass %g bytes at once, not %g", got.Burst, truth.Burst)
		}
		if got.HoldLarge != truth.HoldLarge {
			t.Errorf("large messages wait: %v", got.HoldLarge)
		}
		if got.InOrder != truth.InOrder || got.Leaves != truth.Leaves {
			t.Errorf("in order: %v; %d bytes leave", got.InOrder, got.Leaves)
		}
		if got.ReceiveAlone != truth.ReceiveAlone {
			t.Errorf("receivers fetch below %d bytes, not %d", got.ReceiveAlone, truth.ReceiveAlone)
		}
		if got.SendBuffer != truth.SendBuffer {
			t.Errorf("a buffer of %d bytes, not %d", got.SendBuffer, truth.SendBuffer)
		}

		// Both forms of the file say so.
		var short, long bytes.Buffer
		if err := got.WriteTOML(&short, 2); err != nil {
			t.Fatal(err)
		}
		if err := got.WriteXML(&long, 2); err != nil {
			t.Fatal(err)
		}
		for name, file := range map[string]*bytes.Buffer{"a.toml": &short, "a.xml": &long} {
			p, err := platform.Read(name, file)
			if err != nil {
				t.Fatal(err)
			}
			o := simulate.Defaults()
			for key, value := range p.Config {
				if err := o.Set(key, value); err != nil {
					t.Fatal(err)
				}
			}
			if o.InOrder != got.InOrder || o.Leaves != got.Leaves || o.SendBuffer != got.SendBuffer || o.ReceiveAlone != got.ReceiveAlone || o.HoldLarge != got.HoldLarge || o.Burst != got.Burst || len(o.Cold) != len(got.Cold) || math.Abs(o.Cooling-got.Cooling) > 1e-5*got.Cooling {
				t.Errorf("%s: %+v", name, o)
			}
		}
	}
}
