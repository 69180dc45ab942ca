package collective

// Algorithms of alltoall and alltoallv.

// alltoallLinear posts all receives, then all sends the other way round.
func alltoallLinear(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAlltoall
	for i := 1; i < c.Size; i++ {
		p.irecv((c.Me+i)%c.Size, c.Recv)
	}
	for i := 1; i < c.Size; i++ {
		p.isend((c.Me-i+c.Size)%c.Size, c.Send)
	}
	p.waitAll()
	return false
}

// alltoallPair exchanges with one partner after the other; the ranks must be a
// power of two.
func alltoallPair(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAlltoall
	partner := c.Me ^ (phase + 1)
	p.exchange(partner, c.Send, partner, c.Recv)
	return phase+2 < c.Size
}

// alltoallBruck sends ever farther, blocks of several ranks at once (Bruck et
// al., IEEE TPDS 1997).
func alltoallBruck(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAlltoall
	for distance := 1; distance < c.Size; distance <<= 1 {
		blocks := 0
		for b := 1; b < c.Size; b++ {
			if b&distance != 0 {
				blocks++
			}
		}
		bytes := int64(blocks) * c.Send
		p.exchange((c.Me+distance)%c.Size, bytes, (c.Me-distance+c.Size)%c.Size, bytes)
	}
	return false
}

// alltoallvPair exchanges with one partner after the other.
func alltoallvPair(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAlltoallv
	partner := c.Me ^ (phase + 1)
	p.exchange(partner, c.Sends[partner], partner, c.Recvs[partner])
	return phase+2 < c.Size
}

func powerOfTwo(n int) bool { return n&(n-1) == 0 }
