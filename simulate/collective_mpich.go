package simulate

import "auspex/trace"

// The mpich selector: MPICH's rules (Thakur, Rabenseifner and Gropp,
// "Optimization of collective communication operations in MPICH", 2005), with
// the thresholds that MPICH 3 and 4 have by default (MPIR_CVAR_BCAST_SHORT_MSG_SIZE
// and so on) and without its algorithms for shared memory. SimGrid's replay
// cannot run its own version of them, which differs in places.
func mpichAlgorithm(c *call) (algorithm, error) {
	switch c.kind {
	case trace.Barrier:
		return barrierBruck, nil
	case trace.Bcast:
		switch {
		case c.send < 12288 || c.size < 8:
			return bcastBinomial, nil
		case c.send < 524288 && powerOfTwo(c.size):
			return bcastScatterDoubling, nil
		}
		return bcastScatterRing, nil
	case trace.Reduce:
		if c.send > 2048 && c.send/c.unit >= int64(floorPower(c.size)) {
			return reduceRabenseifner, nil
		}
		return reduceBinomial, nil
	case trace.Allreduce:
		if c.send > 2048 && c.send/c.unit >= int64(floorPower(c.size)) {
			return allreduceRabenseifner, nil
		}
		return allreduceDoubling, nil
	case trace.Scan, trace.Exscan:
		return scanDoubling, nil
	case trace.Alltoall:
		switch {
		case c.send <= 256 && c.size >= 8:
			return alltoallBruck, nil
		case c.send <= 32768:
			return alltoallBlocks, nil
		case powerOfTwo(c.size):
			return alltoallPair, nil
		}
		return alltoallRing, nil
	case trace.Alltoallv:
		return alltoallvBlocks, nil
	case trace.Gather:
		return gatherBinomial, nil
	case trace.Scatter:
		return scatterBinomial, nil
	case trace.Allgather:
		total := c.recv * int64(c.size)
		switch {
		case powerOfTwo(c.size) && total < 524288:
			return allgatherDoubling, nil
		case total < 81920:
			return allgatherBruck, nil
		}
		return allgatherRound, nil
	case trace.Allgatherv:
		total := int64(0)
		for _, n := range c.recvs {
			total += n
		}
		switch {
		case powerOfTwo(c.size) && total < 524288:
			return allgathervDoubling, nil
		case total < 81920:
			return allgathervBruck, nil
		}
		return allgathervRound, nil
	case trace.ReduceScatter:
		total := int64(0)
		for _, n := range c.sends {
			total += n
		}
		if total < 524288 {
			return reduceScatterHalving, nil
		}
		return reduceScatterPair, nil
	}
	return defaultAlgorithm(c)
}

// reduceBinomial reduces up a binomial tree.
func reduceBinomial(c *call, p *plan, phase int) bool {
	p.tag = tagReduce
	relative := (c.me - c.root + c.size) % c.size
	for mask := 1; mask < c.size; mask <<= 1 {
		if relative&mask != 0 {
			p.send((relative-mask+c.root)%c.size, c.send)
			break
		}
		if from := relative | mask; from < c.size {
			p.recv((from+c.root)%c.size, c.send)
		}
	}
	return false
}

// reduceRabenseifner is a reduce-scatter by recursive halving, and a gather of
// the blocks up a binomial tree to root.
func reduceRabenseifner(c *call, p *plan, phase int) bool {
	p.tag = tagReduce
	me, power, real := p.fold(c, c.send)
	// Root takes part even if fold leaves it out: its partner hands over.
	rest := c.size - power
	root := c.root - rest
	if c.root < 2*rest {
		root = c.root / 2
	}
	if me >= 0 {
		count := c.send / c.unit
		block := count / int64(power)
		span := func(from, to int) int64 {
			n := int64(to-from) * block
			if to == power {
				n += count - block*int64(power)
			}
			return n * c.unit
		}
		// Halving: with each step, the half that the partner needs is sent.
		first, last := 0, power
		for mask := power >> 1; mask > 0; mask >>= 1 {
			partner := real(me ^ mask)
			middle := (first + last) / 2
			if me&mask == 0 {
				p.exchange(partner, span(middle, last), partner, span(first, middle))
				last = middle
			} else {
				p.exchange(partner, span(first, middle), partner, span(middle, last))
				first = middle
			}
		}
		// Gathering: the nearest blocks join first, towards root's side.
		for mask := 1; mask < power; mask <<= 1 {
			partner := me ^ mask
			mine, theirs := span(me&^(mask-1), me&^(mask-1)+mask), span(partner&^(mask-1), partner&^(mask-1)+mask)
			if (root^me)&mask != 0 { // root is on the partner's side
				p.send(real(partner), mine)
				break
			}
			p.recv(real(partner), theirs)
		}
	}
	if holder := real(root); holder != c.root {
		switch c.me {
		case holder:
			p.send(c.root, c.send)
		case c.root:
			p.recv(holder, c.send)
		}
	}
	return false
}

// allgatherRound passes blocks on to the right, one at a time.
func allgatherRound(c *call, p *plan, phase int) bool {
	p.tag = tagAllgather
	p.exchange((c.me+1)%c.size, c.recv, (c.me-1+c.size)%c.size, c.recv)
	return phase+2 < c.size
}

// allgathervRound does so with blocks of different sizes, cut into pieces.
func allgathervRound(c *call, p *plan, phase int) bool {
	const piece = 32768
	p.pipelinedRing(c, piece-piece%c.unit)
	return false
}

// allgathervDoubling is recursive doubling for a power of two.
func allgathervDoubling(c *call, p *plan, phase int) bool {
	p.tag = tagAllgatherv
	blocks := func(first, n int) int64 {
		sum := int64(0)
		for _, b := range c.recvs[first : first+n] {
			sum += b
		}
		return sum
	}
	for n := 1; n < c.size; n <<= 1 {
		partner := c.me ^ n
		p.exchange(partner, blocks(c.me&^(n-1), n), partner, blocks(partner&^(n-1), n))
	}
	return false
}

// scanDoubling exchanges partial sums with ever farther partners.
func scanDoubling(c *call, p *plan, phase int) bool {
	p.tag = tagScan
	for mask := 1; mask < c.size; mask <<= 1 {
		if partner := c.me ^ mask; partner < c.size {
			p.exchange(partner, c.send, partner, c.send)
		}
	}
	return false
}

const alltoallBlock = 32 // partners at a time

// alltoallBlocks has all exchanges with a block of partners under way at once.
func alltoallBlocks(c *call, p *plan, phase int) bool {
	p.tag = tagAlltoall
	return p.blocks(c, phase, func(int) int64 { return c.send }, func(int) int64 { return c.recv })
}

func alltoallvBlocks(c *call, p *plan, phase int) bool {
	p.tag = tagAlltoallv
	return p.blocks(c, phase, func(i int) int64 { return c.sends[i] }, func(i int) int64 { return c.recvs[i] })
}

func (p *plan) blocks(c *call, phase int, send, recv func(int) int64) bool {
	first := phase*alltoallBlock + 1
	end := min(first+alltoallBlock, c.size)
	for i := first; i < end; i++ {
		from := (c.me + i) % c.size
		p.irecv(from, recv(from))
	}
	for i := first; i < end; i++ {
		to := (c.me - i + c.size) % c.size
		p.isend(to, send(to))
	}
	p.waitAll()
	return end < c.size
}

// alltoallRing exchanges with ever farther ranks on both sides.
func alltoallRing(c *call, p *plan, phase int) bool {
	p.tag = tagAlltoall
	d := phase + 1
	p.exchange((c.me+d)%c.size, c.send, (c.me-d+c.size)%c.size, c.recv)
	return phase+2 < c.size
}

// unevenReduceScatter is what SimGrid makes of MPICH's rule for a reduce-scatter with unequal
// counts: pairwise exchange for more than 2^19 elements, doubling below.
func unevenReduceScatter(c *call) algorithm {
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
