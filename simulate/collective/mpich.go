package collective

import "auspex/trace"

// The mpich selector: MPICH's rules (Thakur, Rabenseifner and Gropp,
// "Optimization of collective communication operations in MPICH", 2005), with
// the thresholds that MPICH 3 and 4 have by default (MPIR_CVAR_BCAST_SHORT_MSG_SIZE
// and so on) and without its algorithms for shared memory. SimGrid's replay
// cannot run its own version of them, which differs in places.
func mpichAlgorithm(c *Call) (Algorithm, error) {
	switch c.Kind {
	case trace.Barrier:
		return barrierBruck, nil
	case trace.Bcast:
		switch {
		case c.Send < 12288 || c.Size < 8:
			return bcastBinomial, nil
		case c.Send < 524288 && powerOfTwo(c.Size):
			return bcastScatterDoubling, nil
		}
		return bcastScatterRing, nil
	case trace.Reduce:
		if c.Send > 2048 && c.Send/c.Unit >= int64(floorPower(c.Size)) {
			return reduceRabenseifner, nil
		}
		return reduceBinomial, nil
	case trace.Allreduce:
		if c.Send > 2048 && c.Send/c.Unit >= int64(floorPower(c.Size)) {
			return allreduceRabenseifner, nil
		}
		return allreduceDoubling, nil
	case trace.Scan, trace.Exscan:
		return scanDoubling, nil
	case trace.Alltoall:
		switch {
		case c.Send <= 256 && c.Size >= 8:
			return alltoallBruck, nil
		case c.Send <= 32768:
			return alltoallBlocks, nil
		case powerOfTwo(c.Size):
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
		total := c.Recv * int64(c.Size)
		switch {
		case powerOfTwo(c.Size) && total < 524288:
			return allgatherDoubling, nil
		case total < 81920:
			return allgatherBruck, nil
		}
		return allgatherRound, nil
	case trace.Allgatherv:
		total := int64(0)
		for _, n := range c.Recvs {
			total += n
		}
		switch {
		case powerOfTwo(c.Size) && total < 524288:
			return allgathervDoubling, nil
		case total < 81920:
			return allgathervBruck, nil
		}
		return allgathervRound, nil
	case trace.ReduceScatter:
		total := int64(0)
		for _, n := range c.Sends {
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
func reduceBinomial(c *Call, p *Plan, phase int) bool {
	p.Tag = tagReduce
	relative := (c.Me - c.Root + c.Size) % c.Size
	for mask := 1; mask < c.Size; mask <<= 1 {
		if relative&mask != 0 {
			p.send((relative-mask+c.Root)%c.Size, c.Send)
			break
		}
		if from := relative | mask; from < c.Size {
			p.recv((from+c.Root)%c.Size, c.Send)
		}
	}
	return false
}

// reduceRabenseifner is a reduce-scatter by recursive halving, and a gather of
// the blocks up a binomial tree to root.
func reduceRabenseifner(c *Call, p *Plan, phase int) bool {
	p.Tag = tagReduce
	me, power, real := p.fold(c, c.Send)
	// Root takes part even if fold leaves it out: its partner hands over.
	rest := c.Size - power
	root := c.Root - rest
	if c.Root < 2*rest {
		root = c.Root / 2
	}
	if me >= 0 {
		count := c.Send / c.Unit
		block := count / int64(power)
		span := func(from, to int) int64 {
			n := int64(to-from) * block
			if to == power {
				n += count - block*int64(power)
			}
			return n * c.Unit
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
	if holder := real(root); holder != c.Root {
		switch c.Me {
		case holder:
			p.send(c.Root, c.Send)
		case c.Root:
			p.recv(holder, c.Send)
		}
	}
	return false
}

// allgatherRound passes blocks on to the right, one at a time.
func allgatherRound(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAllgather
	p.exchange((c.Me+1)%c.Size, c.Recv, (c.Me-1+c.Size)%c.Size, c.Recv)
	return phase+2 < c.Size
}

// allgathervRound does so with blocks of different sizes, cut into pieces.
func allgathervRound(c *Call, p *Plan, phase int) bool {
	const piece = 32768
	p.pipelinedRing(c, piece-piece%c.Unit)
	return false
}

// allgathervDoubling is recursive doubling for a power of two.
func allgathervDoubling(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAllgatherv
	blocks := func(first, n int) int64 {
		sum := int64(0)
		for _, b := range c.Recvs[first : first+n] {
			sum += b
		}
		return sum
	}
	for n := 1; n < c.Size; n <<= 1 {
		partner := c.Me ^ n
		p.exchange(partner, blocks(c.Me&^(n-1), n), partner, blocks(partner&^(n-1), n))
	}
	return false
}

// scanDoubling exchanges partial sums with ever farther partners.
func scanDoubling(c *Call, p *Plan, phase int) bool {
	p.Tag = tagScan
	for mask := 1; mask < c.Size; mask <<= 1 {
		if partner := c.Me ^ mask; partner < c.Size {
			p.exchange(partner, c.Send, partner, c.Send)
		}
	}
	return false
}

const alltoallBlock = 32 // partners at a time

// alltoallBlocks has all exchanges with a block of partners under way at once.
func alltoallBlocks(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAlltoall
	return p.blocks(c, phase, func(int) int64 { return c.Send }, func(int) int64 { return c.Recv })
}

func alltoallvBlocks(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAlltoallv
	return p.blocks(c, phase, func(i int) int64 { return c.Sends[i] }, func(i int) int64 { return c.Recvs[i] })
}

func (p *Plan) blocks(c *Call, phase int, send, recv func(int) int64) bool {
	first := phase*alltoallBlock + 1
	end := min(first+alltoallBlock, c.Size)
	for i := first; i < end; i++ {
		from := (c.Me + i) % c.Size
		p.irecv(from, recv(from))
	}
	for i := first; i < end; i++ {
		to := (c.Me - i + c.Size) % c.Size
		p.isend(to, send(to))
	}
	p.waitAll()
	return end < c.Size
}

// alltoallRing exchanges with ever farther ranks on both sides.
func alltoallRing(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAlltoall
	d := phase + 1
	p.exchange((c.Me+d)%c.Size, c.Send, (c.Me-d+c.Size)%c.Size, c.Recv)
	return phase+2 < c.Size
}

// unevenReduceScatter is what SimGrid makes of MPICH's rule for a reduce-scatter with unequal
// counts: pairwise exchange for more than 2^19 elements, doubling below.
func unevenReduceScatter(c *Call) Algorithm {
	elements := int64(0)
	for _, n := range c.Sends {
		elements += n / c.Unit
	}
	if elements > 524288 {
		return reduceScatterPair
	}
	return reduceScatterDoubling
}

// reduceScatterPair sends each rank its block, one partner after the other.
func reduceScatterPair(c *Call, p *Plan, phase int) bool {
	p.Tag = tagReduceScatter
	to, from := (c.Me+phase+1)%c.Size, (c.Me-phase-1+c.Size)%c.Size
	p.exchange(to, c.Sends[to], from, c.Sends[c.Me])
	return phase+2 < c.Size
}

// reduceScatterDoubling is recursive doubling for any number of ranks: with
// each step, a rank learns the sums of twice as many.
func reduceScatterDoubling(c *Call, p *Plan, phase int) bool {
	p.Tag = tagReduceScatter
	total := int64(0)
	for _, n := range c.Sends {
		total += n
	}
	// A message holds all blocks but those of the subtree that starts at root.
	without := func(root, ranks int) int64 {
		n := total
		for i := root; i < min(root+ranks, c.Size); i++ {
			n -= c.Sends[i]
		}
		return n
	}
	for i, mask := 0, 1; mask < c.Size; i, mask = i+1, mask<<1 {
		partner := c.Me ^ mask
		theirs, mine := partner>>i<<i, c.Me>>i<<i
		sent, received := without(mine, mask), without(theirs, mask)
		if partner < c.Size {
			p.exchange(partner, sent, partner, received)
		}
		p.relay(c, mask, mine, theirs, received)
	}
	return false
}

// relay completes a step of recursive doubling where the number of ranks is no
// power of two: in a half-empty subtree, those that had a partner pass what
// they got on to those that had none.
func (p *Plan) relay(c *Call, mask, mine, theirs int, bytes int64) {
	if theirs+mask <= c.Size {
		return
	}
	complete := c.Size - mine - mask
	k := 0
	for j := mask; j > 1; j >>= 1 {
		k++
	}
	for m := mask >> 1; m > 0; m, k = m>>1, k-1 {
		partner := c.Me ^ m
		root := c.Me >> k << k
		switch {
		case partner > c.Me && c.Me < root+complete && partner >= root+complete:
			p.send(partner, bytes)
		case partner < c.Me && partner < root+complete && c.Me >= root+complete:
			p.recv(partner, bytes)
		}
	}
}
