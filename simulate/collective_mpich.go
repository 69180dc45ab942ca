package simulate

// mpichReduceScatter exchanges pairwise for more than 2^19 elements, as
// SimGrid's version of MPICH's rule counts them, and doubles below.
func mpichReduceScatter(c *call) algorithm {
	elements := int64(0)
	for _, n := range c.sends {
		elements += n / c.unit
	}
	if elements > 524288 {
		return reduceScatterPair
	}
	return reduceScatterDoubling
}

// reduceScatterPair sends each rank its block, one partner after the other.
func reduceScatterPair(c *call, p *plan, phase int) bool {
	p.tag = tagReduceScatter
	to, from := (c.me+phase+1)%c.size, (c.me-phase-1+c.size)%c.size
	p.exchange(to, c.sends[to], from, c.sends[c.me])
	return phase+2 < c.size
}

func mpichAlgorithm(c *call) (algorithm, error) { return defaultAlgorithm(c), nil }

// reduceScatterDoubling is recursive doubling for any number of ranks: with
// each step, a rank learns the sums of twice as many.
func reduceScatterDoubling(c *call, p *plan, phase int) bool {
	p.tag = tagReduceScatter
	total := int64(0)
	for _, n := range c.sends {
		total += n
	}
	// A message holds all blocks but those of the subtree that starts at root.
	without := func(root, ranks int) int64 {
		n := total
		for i := root; i < min(root+ranks, c.size); i++ {
			n -= c.sends[i]
		}
		return n
	}
	for i, mask := 0, 1; mask < c.size; i, mask = i+1, mask<<1 {
		partner := c.me ^ mask
		theirs, mine := partner>>i<<i, c.me>>i<<i
		sent, received := without(mine, mask), without(theirs, mask)
		if theirs >= c.size {
			received = total
		}
		if partner < c.size {
			p.exchange(partner, sent, partner, received)
		}
		p.relay(c, mask, mine, theirs, received)
	}
	return false
}

// relay completes a step of recursive doubling where the number of ranks is no
// power of two: in a half-empty subtree, those that had a partner pass what
// they got on to those that had none.
func (p *plan) relay(c *call, mask, mine, theirs int, bytes int64) {
	if theirs+mask <= c.size {
		return
	}
	complete := c.size - mine - mask
	k := 0
	for j := mask; j > 1; j >>= 1 {
		k++
	}
	for m := mask >> 1; m > 0; m, k = m>>1, k-1 {
		partner := c.me ^ m
		root := c.me >> k << k
		switch {
		case partner > c.me && c.me < root+complete && partner >= root+complete:
			p.send(partner, bytes)
		case partner < c.me && partner < root+complete && c.me >= root+complete:
			p.recv(partner, bytes)
		}
	}
}
