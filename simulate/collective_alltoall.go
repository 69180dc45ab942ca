package simulate

// Algorithms of alltoall and alltoallv.

// alltoallLinear posts all receives, then all sends the other way round.
func alltoallLinear(c *call, p *plan, phase int) bool {
	p.tag = tagAlltoall
	for i := 1; i < c.size; i++ {
		p.irecv((c.me+i)%c.size, c.recv)
	}
	for i := 1; i < c.size; i++ {
		p.isend((c.me-i+c.size)%c.size, c.send)
	}
	p.waitAll()
	return false
}

// alltoallPair exchanges with one partner after the other; the ranks must be a
// power of two.
func alltoallPair(c *call, p *plan, phase int) bool {
	p.tag = tagAlltoall
	partner := c.me ^ (phase + 1)
	p.exchange(partner, c.send, partner, c.recv)
	return phase+2 < c.size
}

// alltoallBruck sends ever farther, blocks of several ranks at once (Bruck et
// al., IEEE TPDS 1997).
func alltoallBruck(c *call, p *plan, phase int) bool {
	p.tag = tagAlltoall
	for distance := 1; distance < c.size; distance <<= 1 {
		blocks := 0
		for b := 1; b < c.size; b++ {
			if b&distance != 0 {
				blocks++
			}
		}
		bytes := int64(blocks) * c.send
		p.exchange((c.me+distance)%c.size, bytes, (c.me-distance+c.size)%c.size, bytes)
	}
	return false
}

// alltoallvPair exchanges with one partner after the other.
func alltoallvPair(c *call, p *plan, phase int) bool {
	p.tag = tagAlltoallv
	partner := c.me ^ (phase + 1)
	p.exchange(partner, c.sends[partner], partner, c.recvs[partner])
	return phase+2 < c.size
}

func powerOfTwo(n int) bool { return n&(n-1) == 0 }
