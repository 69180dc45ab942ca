package calibrate

import (
	"bytes"
	"context"
	"testing"

	"auspex/platform"
	"auspex/simulate"
	"auspex/trace"
)

// A rank's messages to itself do not cross its network link: they replay at the
// speed that was measured for them.
func TestMessagesToItself(t *testing.T) {
	c := &Calibration{
		Network: Network{Latency: 50e-6, Bandwidth: 1.2e8,
			LatencyFactor: []Segment{{0, []float64{1}}}, BandwidthFactor: []Segment{{0, []float64{1}}}},
		SendOverhead: []Segment{{0, []float64{1e-6, 0}}}, RecvOverhead: []Segment{{0, []float64{1e-6, 0}}}, Isend: []Segment{{0, []float64{1e-6, 0}}},
		EagerBelow: 65536, Selector: "ompi", Library: "Open MPI", Speeds: []float64{1, 1},
	}
	m := imagine(t, c, func() float64 { return 1 })
	inMemory := func(bytes int64) float64 { return 3e-6 + float64(bytes)/4e9 }
	for _, z := range sizes() {
		m.Samples = append(m.Samples, Sample{Kind: Self, Bytes: z, Median: inMemory(z), Times: 9})
	}
	fitted, err := Fit(m, Rounds{"integer": {1}, "memory": {2}})
	if err != nil {
		t.Fatal(err)
	}
	if fitted.Loopback == nil {
		t.Fatal("there is no loopback")
	}
	var file bytes.Buffer
	if err := fitted.WriteTOML(&file, 2); err != nil {
		t.Fatal(err)
	}
	p, err := platform.Read("calibration.toml", &file)
	if err != nil {
		t.Fatal(err)
	}
	options := simulate.Defaults()
	for key, value := range p.Config {
		if err := options.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	for _, z := range []int64{1 << 20, 16 << 20} {
		b := trace.NewBuilder(0)
		b.Add(&trace.Action{Kind: trace.Init})
		b.Add(&trace.Action{Kind: trace.Irecv, Count: z, Type: trace.Byte})
		b.Add(&trace.Action{Kind: trace.Send, Count: z, Type: trace.Byte})
		b.Add(&trace.Action{Kind: trace.WaitAll})
		b.Add(&trace.Action{Kind: trace.Finalize})
		r, err := simulate.Run(context.Background(), &trace.Trace{Programs: []trace.Program{b.Program()}}, p, []int{0}, options, simulate.Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "a message to itself", r.Seconds, inMemory(z), 0.1)
	}
}
