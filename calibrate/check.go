package calibrate

import (
	"bytes"
	"context"
	"math"
	"slices"
	"sort"

	"auspex/platform"
	"auspex/simulate"
	"auspex/trace"
)

// Compared is a size's measured and replayed time.
type Compared struct {
	Bytes     int64   `json:"bytes"`
	Measured  float64 `json:"measured_seconds"`
	Simulated float64 `json:"simulated_seconds"`
}

// Error is the relative error of the replay.
func (c Compared) Error() float64 { return math.Abs(c.Simulated/c.Measured - 1) }

// Check replays the ping-pong on the calibrated platform.
func (c *Calibration) Check(ctx context.Context, m *Measurement) ([]Compared, error) {
	inside := func(a, b int) bool { return m.Hosts[a] == m.Hosts[b] }
	points := m.curve(PingPong, func(a, b int) bool { return !inside(a, b) })
	if len(points) == 0 {
		points = m.curve(PingPong, inside)
	}
	return c.compare(ctx, points, pingPong)
}

// Summary returns the median and the worst error.
func Summary(all []Compared) (middle, worst float64) {
	var errs []float64
	for _, c := range all {
		errs = append(errs, c.Error())
	}
	if len(errs) == 0 {
		return 0, 0
	}
	sort.Float64s(errs)
	return median(errs), errs[len(errs)-1]
}

// fitBothWays lets large messages both ways decide whether they hinder each
// other: not at all, as acknowledgements do, which take their share of the way
// back, or more than that, as over TCP, where large messages both ways often go
// one after the other.
func (c *Calibration) fitBothWays(pings, points []point) error {
	large := len(below(points, max(float64(c.EagerBelow), largeMessage)))
	points = points[large:]
	var ratios []float64
	for i, p := range points {
		if large+i < len(pings) && p.size >= largestMessages {
			ratios = append(ratios, p.seconds/pings[large+i].seconds)
		}
	}
	if hindered := mean(ratios); hindered > muchHindered {
		c.BothWays = 2 * c.Bandwidth / hindered
		return nil
	}
	// What counts is how the time grows from one size to the next: what a
	// message costs at any size says nothing about acknowledgements.
	least := math.Inf(1)
	chosen := true
	for _, on := range []bool{true, false} {
		c.CrossTraffic = on
		all, err := c.compare(context.Background(), points, exchange)
		if err != nil {
			return err
		}
		off := 0.0
		for i := 1; i < len(all); i++ {
			a, b := all[i-1], all[i]
			off += math.Abs((b.Simulated - a.Simulated) - (b.Measured - a.Measured))
		}
		if off < least {
			least, chosen = off, on
		}
	}
	c.CrossTraffic = chosen
	return nil
}

// muchHindered is by how much slower messages both ways are than acknowledgements
// explain (5 %), with some room for chance.
const muchHindered = 1.08

// largeMessage is a size at which bandwidth, not latency, makes the time; of the
// largest it does so alone.
const largeMessage, largestMessages = 256 << 10, 4 << 20

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x / float64(len(v))
	}
	return sum
}

func (c *Calibration) compare(ctx context.Context, points []point, play func(bytes int64) (*trace.Trace, float64)) ([]Compared, error) {
	p, options, err := c.pair()
	if err != nil {
		return nil, err
	}
	var all []Compared
	for _, pt := range points {
		t, share := play(int64(pt.size))
		r, err := simulate.Run(ctx, t, p, []int{0, 1}, options, simulate.Hooks{})
		if err != nil {
			return nil, err
		}
		all = append(all, Compared{int64(pt.size), pt.seconds, r.Seconds * share})
	}
	return all, nil
}

// pair is a platform of two hosts with the calibration's constants.
func (c *Calibration) pair() (*platform.Platform, simulate.Options, error) {
	options := simulate.Defaults()
	var file bytes.Buffer
	if err := c.writeTOML(&file, 2); err != nil {
		return nil, options, err
	}
	p, err := platform.Read("calibration.toml", &file)
	if err != nil {
		return nil, options, err
	}
	for key, value := range p.Config {
		if err := options.Set(key, value); err != nil {
			return nil, options, err
		}
	}
	return p, options, nil
}

// LogGP gives the network in the four numbers of that model.
func (c *Calibration) LogGP(ctx context.Context) (simulate.LogGP, error) {
	p, options, err := c.pair()
	if err != nil {
		return simulate.LogGP{}, err
	}
	t, _ := pingPong(0)
	b, err := simulate.Estimate(ctx, t, p, []int{0, 1}, options)
	if err != nil {
		return simulate.LogGP{}, err
	}
	return b.LogGP, nil
}

// many is how often messages follow one another, so that the first do not count.
const many = 50

// pingPong is a message there and back, over and over as it is measured, and the
// share of it that is one.
func pingPong(bytes int64) (*trace.Trace, float64) {
	send := trace.Action{Kind: trace.Send, Count: bytes, Type: trace.Byte}
	recv := trace.Action{Kind: trace.Recv, Count: bytes, Type: trace.Byte}
	return play([2][]trace.Action{slices.Repeat([]trace.Action{send, recv}, many), slices.Repeat([]trace.Action{recv, send}, many)}), 0.5 / many
}

// exchange is a message each way at once.
func exchange(bytes int64) (*trace.Trace, float64) {
	both := trace.Action{Kind: trace.SendRecv, Count: bytes, Count2: bytes, Type: trace.Byte, Type2: trace.Byte}
	return play([2][]trace.Action{{both}, {both}}), 1
}

// play makes a trace of two ranks that talk to each other.
func play(actions [2][]trace.Action) *trace.Trace {
	t := &trace.Trace{}
	for rank, list := range actions {
		b := trace.NewBuilder(rank)
		b.Add(&trace.Action{Kind: trace.Init})
		for _, a := range list {
			a.Peer, a.Peer2 = int32(1-rank), int32(1-rank)
			b.Add(&a)
		}
		b.Add(&trace.Action{Kind: trace.Finalize})
		t.Programs = append(t.Programs, b.Program())
	}
	return t
}
