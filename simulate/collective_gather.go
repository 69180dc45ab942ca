package simulate

// Algorithms of gather, scatter and allgather beyond SimGrid's defaults.

// gatherInTurn receives from one rank after the other.
func gatherInTurn(c *call, p *plan, phase int) bool {
	p.tag = tagGather
	if c.me != c.root {
		p.send(c.root, c.send)
		return false
	}
	for i := range c.size {
		if i != c.me {
			p.recv(i, c.recv)
		}
	}
	return false
}

// subtree is how many ranks hang below child in the in-order binomial tree.
func subtree(c *call, child int) int {
	virtual := (child - c.root + c.size) % c.size
	me := (c.me - c.root + c.size) % c.size
	return min(virtual-me, c.size-virtual)
}

// gatherBinomial collects up the in-order binomial tree.
func gatherBinomial(c *call, p *plan, phase int) bool {
	p.tag = tagGather
	t := inOrderBinomial(c, c.root)
	each := c.send
	if c.me == c.root {
		each = c.recv
	}
	held := each
	for _, n := range t.next {
		bytes := int64(subtree(c, n)) * each
		p.recv(n, bytes)
		held += bytes
	}
	if c.me != c.root {
		p.send(t.prev, held)
	}
	return false
}

// gatherSync asks for a first part of each rank's data, then for the rest.
func gatherSync(c *call, p *plan, phase int) bool {
	p.tag = tagGather
	bytes := c.send
	if c.me == c.root {
		bytes = c.recv
	}
	segment := int64(1 << 10)
	if bytes > 92160 {
		segment = 32 << 10
	}
	first := segmentCount(segment, c.unit, bytes/c.unit) * c.unit
	if c.me != c.root {
		p.recv(c.root, 0)
		p.send(c.root, first)
		p.send(c.root, bytes-first)
		return false
	}
	for i := range c.size {
		if i != c.me {
			r := p.irecv(i, first)
			p.send(i, 0)
			p.irecv(i, bytes-first)
			p.wait(r)
		}
	}
	p.waitAll()
	return false
}

// scatterInTurn sends to one rank after the other.
func scatterInTurn(c *call, p *plan, phase int) bool {
	p.tag = tagScatter
	if c.me != c.root {
		p.recv(c.root, c.recv)
		return false
	}
	for i := range c.size {
		if i != c.me {
			p.send(i, c.send)
		}
	}
	return false
}

// scatterAtOnce starts all sends, then waits for them.
func scatterAtOnce(c *call, p *plan, phase int) bool {
	p.tag = tagScatter
	if c.me != c.root {
		p.recv(c.root, c.recv)
		return false
	}
	for i := range c.size {
		if i != c.me {
			p.isend(i, c.send)
		}
	}
	p.waitAll()
	return false
}

// scatterBinomial hands out down the in-order binomial tree.
func scatterBinomial(c *call, p *plan, phase int) bool {
	p.tag = tagScatter
	t := inOrderBinomial(c, c.root)
	each := c.recv
	if c.me == c.root {
		each = c.send
	} else if len(t.next) > 0 {
		p.recv(t.prev, c.recv*int64(c.size))
	} else {
		p.recv(t.prev, c.recv)
	}
	for _, n := range t.next {
		p.send(n, int64(subtree(c, n))*each)
	}
	return false
}

// allgatherNeighbours sends blocks on to the right as they come from the left.
func allgatherNeighbours(c *call, p *plan, phase int) bool {
	if c.send != c.recv {
		return allgatherLinear(c, p, phase)
	}
	p.tag = tagAllgather
	for range c.size - 1 {
		p.irecv((c.me-1+c.size)%c.size, c.recv)
	}
	for i := range c.size - 1 {
		s := p.isend((c.me+1)%c.size, c.send)
		p.wait(int32(i))
		p.wait(s)
	}
	p.waitAll()
	return false
}

// allgatherBruck doubles what it holds with every step (Bruck et al. 1997).
func allgatherBruck(c *call, p *plan, phase int) bool {
	p.tag = tagAllgather
	distance := 1
	for ; distance <= c.size/2; distance <<= 1 {
		n := int64(distance) * c.recv
		p.exchange((c.me-distance+c.size)%c.size, n, (c.me+distance)%c.size, n)
	}
	if rest := c.size - distance; rest > 0 {
		n := int64(rest) * c.recv
		p.exchange((c.me-distance+c.size)%c.size, n, (c.me+distance)%c.size, n)
	}
	return false
}

// allgatherDoubling is recursive doubling for any number of ranks.
func allgatherDoubling(c *call, p *plan, phase int) bool {
	p.tag = tagAllgather
	held := c.recv
	for i, mask := 0, 1; mask < c.size; i, mask = i+1, mask<<1 {
		partner := c.me ^ mask
		theirs, mine := partner>>i<<i, c.me>>i<<i
		// What the other subtree holds by now.
		in := int64(max(min(mask, c.size-theirs), 0)) * c.recv
		if partner < c.size {
			p.exchange(partner, held, partner, int64(mask)*c.recv)
			held += in
		}
		if theirs+mask > c.size && theirs < c.size {
			before := len(p.steps)
			p.relay(c, mask, mine, theirs, in)
			if partner >= c.size && len(p.steps) > before {
				held += in
			}
		}
	}
	return false
}

// allgatherRing exchanges with ever farther ranks on both sides.
func allgatherRing(c *call, p *plan, phase int) bool {
	p.tag = tagAllgather
	d := phase + 1
	p.exchange((c.me+d)%c.size, c.send, (c.me-d+c.size)%c.size, c.recv)
	return phase+2 < c.size
}

// neighbourExchange lets pairs of neighbours exchange what they got last, with
// the left and the right one by turns; size tells the bytes of each rank.
func (p *plan) neighbourExchange(c *call, size func(int) int64) {
	even := c.me%2 == 0
	right, left := (c.me+1)%c.size, (c.me-1+c.size)%c.size
	neighbour, offset := [2]int{right, left}, [2]int{2, -2}
	from := [2]int{c.me, c.me}
	if !even {
		neighbour, offset = [2]int{left, right}, [2]int{-2, 2}
		from = [2]int{left, left}
	}
	p.exchange(neighbour[0], size(c.me), neighbour[0], size(neighbour[0]))
	last := from[0]
	for i := 1; i < c.size/2; i++ {
		k := i % 2
		from[k] = (from[k] + offset[k] + c.size) % c.size
		p.exchange(neighbour[k], size(last)+size(last+1), neighbour[k], size(from[k])+size(from[k]+1))
		last = from[k]
	}
}

// allgatherNeighbourExchange needs an even number of ranks.
func allgatherNeighbourExchange(c *call, p *plan, phase int) bool {
	if c.size%2 != 0 {
		return allgatherRing(c, p, phase)
	}
	p.tag = tagAllgather
	p.neighbourExchange(c, func(int) int64 { return c.recv })
	return false
}

// allgatherPair exchanges with one partner after the other; the ranks must be a
// power of two.
func allgatherPair(c *call, p *plan, phase int) bool {
	p.tag = tagAllgather
	partner := c.me ^ (phase + 1)
	p.exchange(partner, c.send, partner, c.recv)
	return phase+2 < c.size
}

// allgathervBruck is allgatherBruck with blocks of different sizes.
func allgathervBruck(c *call, p *plan, phase int) bool {
	p.tag = tagAllgatherv
	blocks := func(first, n int) int64 {
		sum := int64(0)
		for i := range n {
			sum += c.recvs[(first+i)%c.size]
		}
		return sum
	}
	for d := 1; d < c.size; d <<= 1 {
		from, to := (c.me+d)%c.size, (c.me-d+c.size)%c.size
		n := min(d, c.size-d)
		p.exchange(to, blocks(c.me, n), from, blocks(from, n))
	}
	return false
}

// allgathervPipelinedRing is a ring whose large blocks are cut into pieces, of
// the size that SimGrid takes.
func allgathervPipelinedRing(c *call, p *plan, phase int) bool {
	piece := c.recvs[0]
	for _, n := range c.recvs {
		piece = min(piece, n)
	}
	p.pipelinedRing(c, max(piece, 32768*8))
	return false
}

// pipelinedRing passes everybody's block round, in pieces.
func (p *plan) pipelinedRing(c *call, piece int64) {
	p.tag = tagAllgatherv
	left, right := (c.me-1+c.size)%c.size, (c.me+1)%c.size
	total := int64(0)
	for _, n := range c.recvs {
		total += n
	}
	toSend, toRecv := total-c.recvs[right], total-c.recvs[c.me]
	s, r := c.me, left
	var sent, received int64
	for toSend > 0 || toRecv > 0 {
		out, in := min(c.recvs[s]-sent, piece), min(c.recvs[r]-received, piece)
		if toSend == 0 {
			out = 0
		}
		if toRecv == 0 {
			in = 0
		}
		switch {
		case out > 0 && in > 0:
			p.exchange(right, out, left, in)
		case in > 0:
			p.recv(left, in)
		case out > 0:
			p.send(right, out)
		}
		toSend -= out
		toRecv -= in
		if sent += out; sent == c.recvs[s] {
			sent, s = 0, (s-1+c.size)%c.size
		}
		if received += in; received == c.recvs[r] {
			received, r = 0, (r-1+c.size)%c.size
		}
	}
}

// allgathervNeighbourExchange needs an even number of ranks.
func allgathervNeighbourExchange(c *call, p *plan, phase int) bool {
	if c.size%2 != 0 {
		return allgathervRing(c, p, phase)
	}
	p.tag = tagAllgatherv
	p.neighbourExchange(c, func(i int) int64 { return c.recvs[i] })
	return false
}

// allgathervRing exchanges with ever farther ranks on both sides.
func allgathervRing(c *call, p *plan, phase int) bool {
	p.tag = tagAllgatherv
	d := phase + 1
	from := (c.me - d + c.size) % c.size
	p.exchange((c.me+d)%c.size, c.send, from, c.recvs[from])
	return phase+2 < c.size
}

// allgathervPair exchanges with one partner after the other.
func allgathervPair(c *call, p *plan, phase int) bool {
	p.tag = tagAllgatherv
	partner := c.me ^ (phase + 1)
	p.exchange(partner, c.send, partner, c.recvs[partner])
	return phase+2 < c.size
}
