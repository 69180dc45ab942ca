package peers

import (
	"math"
	"testing"

	"auspex/p2psap"
	"auspex/platform"
)

func profile(again float64, points ...platform.Moment) *platform.Profile {
	return &platform.Profile{Points: points, Again: again}
}

func TestCourse(t *testing.T) {
	inf := math.Inf(1)
	steps := course{3, profile(-1, platform.Moment{At: 1, Value: 2}, platform.Moment{At: 4, Value: 0}, platform.Moment{At: 4, Value: 1})}
	loop := course{3, profile(2, platform.Moment{At: 1, Value: 2}, platform.Moment{At: 3, Value: 0})}
	for _, c := range []struct {
		course              course
		at, value, until    float64
		amount, done, least float64
	}{
		{course{base: 3}, 7, 3, inf, 6, 9, 3},
		{steps, 0, 3, 1, 4, 1.5, 1}, // 3 in the first second, 1 at 2 a second
		{steps, 1, 2, 4, 7, 5, 1},   // 6 until 4 s; of two values at 4 s the last holds
		{steps, 9, 1, inf, 2, 11, 1},
		{loop, 0.5, 3, 1, 1.5, 1, 2},
		{loop, 3, 0, 6, 1, 6.5, 2},   // off until the next turn: from 5 s on, with its first value at 6 s
		{loop, 5.5, 0, 6, 0, 5.5, 2}, // before the first value of a turn the last of the one before holds
		{loop, 11, 2, 13, 4, 13, 2},
		{loop, 11, 2, 13, 5, 16.5, 2},
	} {
		if v, until := c.course.at(c.at); v != c.value || math.Abs(until-c.until) > 1e-9 && !math.IsInf(until, 1) {
			t.Errorf("at %g it is %g until %g, not %g until %g", c.at, v, until, c.value, c.until)
		}
		if got := c.course.done(c.at, c.amount); math.Abs(got-c.done) > 1e-9 {
			t.Errorf("%g from %g on are done at %g, not at %g", c.amount, c.at, got, c.done)
		}
		if got := c.course.least(); got != c.least {
			t.Errorf("the least is %g, not %g", got, c.least)
		}
	}
	for _, never := range []course{{3, profile(-1, platform.Moment{At: 1, Value: 0})}, {0, profile(1, platform.Moment{At: 0, Value: 0})}} {
		if at := never.done(1, 1); !math.IsInf(at, 1) {
			t.Errorf("what stands still is done at %g", at)
		}
	}
}

// Two synchronous peers, 3 ms an iteration, 1,130 bytes on the wire over 1 Mbit/s
// (9.04 ms) and 1.02 ms of latency; eleven iterations, ten exchanges. The words
// that messages came (1.04 ms) pass while the peers compute.
func TestPlatformChangesUnderPeers(t *testing.T) {
	const compute, wire, latency = 3e-3, 1130 / 125e3, 1.02e-3
	whole := 11*compute + 10*(wire+latency)
	for _, c := range []struct {
		name string
		of   platform.Quantity
		p    *platform.Profile
		want float64
	}{
		{"half the speed", platform.HostSpeed, profile(-1, platform.Moment{At: 0, Value: 0.5}), whole + 11*compute},
		{"a pause of a second in the first iteration", platform.HostSpeed, profile(-1, platform.Moment{At: 0.5e-3, Value: 0}, platform.Moment{At: 1.0005, Value: 1}), whole + 1},
		{"half the bandwidth", platform.LinkBandwidth, profile(-1, platform.Moment{At: 0, Value: 62500}), whole + 10*wire},
		// The first message has passed half of itself when the link becomes wider.
		{"twice the bandwidth in mid-message", platform.LinkBandwidth, profile(-1, platform.Moment{At: compute + wire/2, Value: 250e3}), whole - wire/4 - 9*wire/2},
		{"a longer way", platform.LinkLatency, profile(-1, platform.Moment{At: 0, Value: 0.101}), whole + 10*0.1},
		{"no latency", platform.LinkLatency, profile(-1, platform.Moment{At: 0, Value: 0}), whole - 10*1e-3},
		{"a link that fails in mid-message", platform.LinkState, profile(-1, platform.Moment{At: 5e-3, Value: 0}, platform.Moment{At: 2, Value: 1}), whole + 1.995},
		{"a link that is off at the beginning", platform.LinkState, profile(-1, platform.Moment{At: 0, Value: 0}, platform.Moment{At: 2, Value: 1}), whole + 2 - compute},
	} {
		p := Chain([]int{1, 1}, compute, 0, 1000)
		p.Scheme = p2psap.Synchronous
		site := site(t, two)
		site.Changes = nil
		if c.of == platform.HostSpeed {
			site.Changes = []platform.Change{{Of: c.of, Index: 0, Profile: c.p}, {Of: c.of, Index: 2, Profile: c.p}}
		} else {
			for i, l := range site.Links {
				if l.Bandwidth == 125e3 { // one each way
					site.Changes = append(site.Changes, platform.Change{Of: c.of, Index: int32(i), Profile: c.p})
				}
			}
		}
		if r := run(t, p, Options{Platform: site, Hosts: []int{0, 2}, Limit: 11}); math.Abs(r.Seconds-c.want) > 1e-9 {
			t.Errorf("%s: %v s, want %v", c.name, r.Seconds, c.want)
		}
	}
}

// While the link is off, messages that may be lost are; the run goes on, and ends
// after the link is back.
func TestLinkOffUnderAsynchronousPeers(t *testing.T) {
	p := Chain([]int{1, 1}, 1e-3, 0, 1000)
	p.Scheme, p.Steps, p.Coupling = p2psap.Asynchronous, 100, 0.5
	o := Options{Platform: site(t, two), Hosts: []int{0, 2}}
	calm := run(t, p, o)
	for i, l := range o.Platform.Links {
		if l.Bandwidth == 125e3 {
			o.Platform.Changes = append(o.Platform.Changes, platform.Change{Of: platform.LinkState, Index: int32(i), Profile: profile(-1, platform.Moment{At: 0.01, Value: 0}, platform.Moment{At: 5, Value: 1})})
		}
	}
	r := run(t, p, o)
	if calm.Lost != 0 || r.Lost == 0 || r.Seconds < 5 || r.Seconds > 5+2*calm.Seconds {
		t.Errorf("%v s and %d lost, %v s and %d without", r.Seconds, r.Lost, calm.Seconds, calm.Lost)
	}
}
