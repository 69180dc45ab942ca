package calibrate

import "math"

// fitLoopback finds the latency and the bandwidth inside a host, from the ranks
// of one host or, where each has a host of its own, from messages of a rank to
// itself. The replay applies the network's factors and the ranks' own times to
// such messages too, so the two constants are those that are nearest with them,
// in relative error.
func (c *Calibration) fitLoopback(m *Measurement, send, recv []piece) {
	points := m.curve(PingPong, func(a, b int) bool { return m.Hosts[a] == m.Hosts[b] })
	if len(m.curve(PingPong, func(a, b int) bool { return m.Hosts[a] != m.Hosts[b] })) == 0 {
		points = nil // the ranks of the one host are the hosts of the platform
	}
	if len(points) < fewestSizes {
		points = m.curve(Self, func(int, int) bool { return true })
	}
	if len(points) < fewestSizes {
		return
	}
	// Of latency·a + b/bandwidth = t, weighted by 1/t, least squares.
	var uu, uv, vv, u, v float64
	for _, p := range points {
		own := 0.0
		if p.size < float64(c.EagerBelow) {
			own = at(send, p.size) + at(recv, p.size) - affineAt(c.Early, p.size)
		}
		rest := max(p.seconds-own, leastNetwork*p.seconds)
		wire := p.size + c.Envelope
		a := factor(c.LatencyFactor, wire) / p.seconds
		b := wire / factor(c.BandwidthFactor, wire) / p.seconds
		t := rest / p.seconds
		uu, uv, vv, u, v = uu+a*a, uv+a*b, vv+b*b, u+a*t, v+b*t
	}
	latency, perByte := 0.0, v/vv
	if d := uu*vv - uv*uv; d > 1e-12*uu*vv {
		latency, perByte = (u*vv-v*uv)/d, (v*uu-u*uv)/d
	}
	switch {
	case perByte <= 0:
		latency, perByte = u/uu, 0
	case latency < 0:
		latency, perByte = 0, v/vv
	}
	c.Loopback = &Loopback{Latency: max(latency, 1e-9), Bandwidth: min(1/math.Max(perByte, 1e-12), 1e12)}
}

// factor is the value of a stepwise one at a size on the wire.
func factor(segs []Segment, size float64) float64 {
	value := 1.0
	for i, s := range segs {
		if i > 0 && size <= s.From {
			break
		}
		value = s.Values[0]
	}
	return value
}
