package platform

import "math"

// vivaldi is the routing between peers: each has a link out and a link in, and
// between two of them lies a latency that their coordinates in a space of delays
// give (Dabek, Cox, Kaashoek, Morris, SIGCOMM 2004): the distance in the plane and
// both heights above it, in ms.
type vivaldi struct{ peers []peer }

type peer struct {
	out, in int32 // links
	at      [3]float64
}

func (v *vivaldi) local(_ *Platform, a, b int32, links []int32) ([]int32, int32, int32, error) {
	return append(links, v.peers[a].out, v.peers[b].in), -1, -1, nil
}

// latency is the seconds between two peers.
func (v *vivaldi) latency(a, b int32) float64 {
	p, q := v.peers[a].at, v.peers[b].at
	return (math.Hypot(p[0]-q[0], p[1]-q[1]) + math.Abs(p[2]) + math.Abs(q[2])) / 1000
}

// addPeer adds a host with its two links to the present zone.
func (b *builder) addPeer(v *vivaldi, name string, speed, in, out float64, at [3]float64) error {
	if err := b.addHost(name, speed, 1); err != nil {
		return err
	}
	l := named(b.names.join("link_", name))
	l.ending = up
	first, err := b.addLink(l, out, 0, Shared)
	if err != nil {
		return err
	}
	l.ending = down
	second, err := b.addLink(l, in, 0, Shared)
	v.peers = append(v.peers, peer{out: first, in: second, at: at})
	return err
}
