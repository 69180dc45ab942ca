package calibrate

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"auspex/simulate"
	"auspex/trace"
)

// Small messages replay as they were measured: there and back, both ways in a row,
// and after computation. The sender goes on after a message has left, the receiver
// takes as long to take it in, and frames have headers that a slow link's bucket
// counts, too; times after computation are noisy, and at some sizes the machine was
// busy with something else.
func TestSmallMessagesReplayAsMeasured(t *testing.T) {
	const eager, send, leaves, take, headers, cold = 65536, 9e-6, 5e-6, 6e-6, 90, 30e-6
	chance := rand.New(rand.NewPCG(1, 2))
	for _, rate := range []float64{12.5e6, 125e6} {
		m := &Measurement{Hosts: map[int]string{0: "a", 1: "b"}, Library: "Open MPI v4", Kernels: map[int]Rounds{0: {"integer": {1}}, 1: {"integer": {1}}}}
		want := map[Kind]map[float64]float64{PingPong: {}, Exchange: {}, Cold: {}}
		add := func(kind Kind, bytes int64, seconds float64) {
			if times := want[kind]; times != nil {
				times[float64(bytes)] = seconds
			}
			if bytes == 1 || bytes == 8 || bytes == 256 || bytes == 384 {
				seconds *= 1.8
			}
			m.Samples = append(m.Samples, Sample{Kind: kind, From: 0, To: 1, Bytes: bytes, Median: seconds, Least: seconds, Times: 9})
		}
		for _, z := range sizes() {
			frames := 1 + math.Floor(float64(z)/1400)
			wire := (float64(z) + headers*frames) / rate
			rested := max(0, wire-3000/rate)
			add(PingPong, z, max(leaves+take+rested, wire/2))
			add(Exchange, z, max(send+take, wire))
			add(Cold, z, (leaves+take+cold+rested)*(0.9+0.2*chance.Float64()))
			if z < eager {
				add(Send, z, send)
				add(Isend, z, send)
				add(Recv, z, 3e-7)
			}
		}
		add(Threshold, eager, 0)
		_, p, options := fitted(t, m)
		for _, kind := range []struct {
			measured Kind
			play     func(bytes int64) *trace.Trace
			less     float64
			times    float64
			within   float64
		}{
			{PingPong, func(bytes int64) *trace.Trace { t, _ := pingPong(bytes); return t }, 0, 2 * many, 0.15},
			{Exchange, manyExchanges, 0, many, 0.15},
			{Cold, coldExchange, rest, 1, 0.2},
		} {
			for _, pt := range below(m.curve(kind.measured, func(int, int) bool { return true }), 1400) {
				r, err := simulate.Run(context.Background(), kind.play(int64(pt.size)), p, []int{0, 1}, options, simulate.Hooks{})
				if err != nil {
					t.Fatal(err)
				}
				seconds := want[kind.measured][pt.size]
				if got := (r.Seconds - kind.less) / kind.times; math.Abs(got/seconds-1) > kind.within {
					t.Errorf("%g bytes/s: %s of %g bytes replays as %.2f µs, measured %.2f µs", rate, kind.measured, pt.size, 1e6*got, 1e6*seconds)
				}
			}
		}
	}
}
