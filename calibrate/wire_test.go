package calibrate

import (
	"context"
	"slices"
	"testing"

	"auspex/platform"
	"auspex/simulate"
	"auspex/trace"
)

// No row of messages of any size replays faster than the wire, however much of a
// message's time its sender is busy with it, and whatever links pass at once.
func TestNoStreamIsFasterThanTheWire(t *testing.T) {
	const eager, latency, messages = 65536, 10e-6, 40
	for _, rate := range []float64{12e6, 120e6} {
		for _, busy := range []float64{0, 0.5, 1.2} { // the sender, of the wire's time
			for _, free := range []float64{0, 2000, 6000} {
				m := &Measurement{Hosts: map[int]string{0: "a", 1: "b"}, Library: "Open MPI v4", Kernels: map[int]Rounds{0: {"integer": {1}}, 1: {"integer": {1}}}}
				add := func(kind Kind, bytes int64, seconds float64) {
					m.Samples = append(m.Samples, Sample{Kind: kind, From: 0, To: 1, Bytes: bytes, Median: seconds, Least: seconds, Times: 9})
				}
				for _, z := range sizes() {
					wire := float64(z) / rate
					alone := max(0, wire-free/rate)
					add(PingPong, z, latency+alone)
					add(Exchange, z, max(latency+alone, wire))
					add(Cold, z, latency+20e-6+alone)
					if z < eager {
						add(Send, z, latency/4+busy*wire)
						add(Isend, z, latency/4+busy*wire)
						add(Recv, z, latency/10)
					}
				}
				add(Threshold, eager, 0)
				c, p, options := fitted(t, m)
				for _, z := range sizes() {
					row := func(kind trace.Kind) []trace.Action {
						return slices.Repeat([]trace.Action{{Kind: kind, Count: z, Type: trace.Byte}}, messages)
					}
					r, err := simulate.Run(context.Background(), play([2][]trace.Action{row(trace.Send), row(trace.Recv)}), p, []int{0, 1}, options, simulate.Hooks{})
					if err != nil {
						t.Fatal(err)
					}
					// What a link passes at once makes 256 kB look faster by 2.4 %.
					if least := (messages*float64(z) - c.Burst) / rate; r.Seconds < 0.97*least {
						t.Errorf("rate %g, sender busy %g, %g bytes free: %d messages of %d bytes take %g s, the wire alone %g s", rate, busy, free, messages, z, r.Seconds, least)
					}
				}
			}
		}
	}
}

// fitted is the fit of a measurement, and a platform of two hosts with its constants.
func fitted(t *testing.T, m *Measurement) (*Calibration, *platform.Platform, simulate.Options) {
	t.Helper()
	c, err := Fit(m, Rounds{"integer": {1}})
	if err != nil {
		t.Fatal(err)
	}
	p, options, err := c.pair()
	if err != nil {
		t.Fatal(err)
	}
	return c, p, options
}
