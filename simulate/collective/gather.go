package collective

// Algorithms of gather, scatter and allgather beyond SimGrid's defaults.

// gatherInTurn receives from one rank after the other.
func gatherInTurn(c *Call, p *Plan, phase int) bool {
	p.Tag = tagGather
	if c.Me != c.Root {
		p.send(c.Root, c.Send)
		return false
	}
	for i := range c.Size {
		if i != c.Me {
			p.recv(i, c.Recv)
		}
	}
	return false
}

// subtree is how many ranks hang below child in the in-order binomial tree.
func subtree(c *Call, child int) int {
	virtual := (child - c.Root + c.Size) % c.Size
	me := (c.Me - c.Root + c.Size) % c.Size
	return min(virtual-me, c.Size-virtual)
}

// gatherBinomial collects up the in-order binomial tree.
func gatherBinomial(c *Call, p *Plan, phase int) bool {
	p.Tag = tagGather
	t := inOrderBinomial(c, c.Root)
	each := c.Send
	if c.Me == c.Root {
		each = c.Recv
	}
	held := each
	for _, n := range t.next {
		bytes := int64(subtree(c, n)) * each
		p.recv(n, bytes)
		held += bytes
	}
	if c.Me != c.Root {
		p.send(t.prev, held)
	}
	return false
}

// gatherSync asks for a first part of each rank's data, then for the rest.
func gatherSync(c *Call, p *Plan, phase int) bool {
	p.Tag = tagGather
	bytes := c.Send
	if c.Me == c.Root {
		bytes = c.Recv
	}
	segment := int64(1 << 10)
	if bytes > 92160 {
		segment = 32 << 10
	}
	first := segmentCount(segment, c.Unit, bytes/c.Unit) * c.Unit
	if c.Me != c.Root {
		p.recv(c.Root, 0)
		p.send(c.Root, first)
		p.send(c.Root, bytes-first)
		return false
	}
	for i := range c.Size {
		if i != c.Me {
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
func scatterInTurn(c *Call, p *Plan, phase int) bool {
	p.Tag = tagScatter
	if c.Me != c.Root {
		p.recv(c.Root, c.Recv)
		return false
	}
	for i := range c.Size {
		if i != c.Me {
			p.send(i, c.Send)
		}
	}
	return false
}

// scatterAtOnce starts all sends, then waits for them.
func scatterAtOnce(c *Call, p *Plan, phase int) bool {
	p.Tag = tagScatter
	if c.Me != c.Root {
		p.recv(c.Root, c.Recv)
		return false
	}
	for i := range c.Size {
		if i != c.Me {
			p.isend(i, c.Send)
		}
	}
	p.waitAll()
	return false
}

// scatterBinomial hands out down the in-order binomial tree.
func scatterBinomial(c *Call, p *Plan, phase int) bool {
	p.Tag = tagScatter
	t := inOrderBinomial(c, c.Root)
	each := c.Recv
	if c.Me == c.Root {
		each = c.Send
	} else if len(t.next) > 0 {
		p.recv(t.prev, c.Recv*int64(c.Size))
	} else {
		p.recv(t.prev, c.Recv)
	}
	for _, n := range t.next {
		p.send(n, int64(subtree(c, n))*each)
	}
	return false
}

// allgatherNeighbours sends blocks on to the right as they come from the left.
func allgatherNeighbours(c *Call, p *Plan, phase int) bool {
	if c.Send != c.Recv {
		return allgatherLinear(c, p, phase)
	}
	p.Tag = tagAllgather
	for range c.Size - 1 {
		p.irecv((c.Me-1+c.Size)%c.Size, c.Recv)
	}
	for i := range c.Size - 1 {
		s := p.isend((c.Me+1)%c.Size, c.Send)
		p.wait(int32(i))
		p.wait(s)
	}
	p.waitAll()
	return false
}

// allgatherBruck doubles what it holds with every step (Bruck et al. 1997).
func allgatherBruck(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAllgather
	distance := 1
	for ; distance <= c.Size/2; distance <<= 1 {
		n := int64(distance) * c.Recv
		p.exchange((c.Me-distance+c.Size)%c.Size, n, (c.Me+distance)%c.Size, n)
	}
	if rest := c.Size - distance; rest > 0 {
		n := int64(rest) * c.Recv
		p.exchange((c.Me-distance+c.Size)%c.Size, n, (c.Me+distance)%c.Size, n)
	}
	return false
}

// allgatherDoubling is recursive doubling for any number of ranks.
func allgatherDoubling(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAllgather
	held := c.Recv
	for i, mask := 0, 1; mask < c.Size; i, mask = i+1, mask<<1 {
		partner := c.Me ^ mask
		theirs, mine := partner>>i<<i, c.Me>>i<<i
		// What the other subtree holds by now.
		in := int64(max(min(mask, c.Size-theirs), 0)) * c.Recv
		if partner < c.Size {
			p.exchange(partner, held, partner, int64(mask)*c.Recv)
			held += in
		}
		if theirs+mask > c.Size && theirs < c.Size {
			before := len(p.Steps)
			p.relay(c, mask, mine, theirs, in)
			if partner >= c.Size && len(p.Steps) > before {
				held += in
			}
		}
	}
	return false
}

// allgatherRing exchanges with ever farther ranks on both sides.
func allgatherRing(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAllgather
	d := phase + 1
	p.exchange((c.Me+d)%c.Size, c.Send, (c.Me-d+c.Size)%c.Size, c.Recv)
	return phase+2 < c.Size
}

// neighbourExchange lets pairs of neighbours exchange what they got last, with
// the left and the right one by turns; size tells the bytes of each rank.
func (p *Plan) neighbourExchange(c *Call, size func(int) int64) {
	even := c.Me%2 == 0
	right, left := (c.Me+1)%c.Size, (c.Me-1+c.Size)%c.Size
	neighbour, offset := [2]int{right, left}, [2]int{2, -2}
	from := [2]int{c.Me, c.Me}
	if !even {
		neighbour, offset = [2]int{left, right}, [2]int{-2, 2}
		from = [2]int{left, left}
	}
	p.exchange(neighbour[0], size(c.Me), neighbour[0], size(neighbour[0]))
	last := from[0]
	for i := 1; i < c.Size/2; i++ {
		k := i % 2
		from[k] = (from[k] + offset[k] + c.Size) % c.Size
		p.exchange(neighbour[k], size(last)+size(last+1), neighbour[k], size(from[k])+size(from[k]+1))
		last = from[k]
	}
}

// allgatherNeighbourExchange needs an even number of ranks.
func allgatherNeighbourExchange(c *Call, p *Plan, phase int) bool {
	if c.Size%2 != 0 {
		return allgatherRing(c, p, phase)
	}
	p.Tag = tagAllgather
	p.neighbourExchange(c, func(int) int64 { return c.Recv })
	return false
}

// allgatherPair exchanges with one partner after the other; the ranks must be a
// power of two.
func allgatherPair(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAllgather
	partner := c.Me ^ (phase + 1)
	p.exchange(partner, c.Send, partner, c.Recv)
	return phase+2 < c.Size
}

// allgathervBruck is allgatherBruck with blocks of different sizes.
func allgathervBruck(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAllgatherv
	blocks := func(first, n int) int64 {
		sum := int64(0)
		for i := range n {
			sum += c.Recvs[(first+i)%c.Size]
		}
		return sum
	}
	for d := 1; d < c.Size; d <<= 1 {
		from, to := (c.Me+d)%c.Size, (c.Me-d+c.Size)%c.Size
		n := min(d, c.Size-d)
		p.exchange(to, blocks(c.Me, n), from, blocks(from, n))
	}
	return false
}

// allgathervPipelinedRing is a ring whose large blocks are cut into pieces, of
// the size that SimGrid takes.
func allgathervPipelinedRing(c *Call, p *Plan, phase int) bool {
	piece := c.Recvs[0]
	for _, n := range c.Recvs {
		piece = min(piece, n)
	}
	p.pipelinedRing(c, max(piece, 32768*8))
	return false
}

// pipelinedRing passes everybody's block round, in pieces.
func (p *Plan) pipelinedRing(c *Call, piece int64) {
	p.Tag = tagAllgatherv
	left, right := (c.Me-1+c.Size)%c.Size, (c.Me+1)%c.Size
	total := int64(0)
	for _, n := range c.Recvs {
		total += n
	}
	toSend, toRecv := total-c.Recvs[right], total-c.Recvs[c.Me]
	s, r := c.Me, left
	var sent, received int64
	for toSend > 0 || toRecv > 0 {
		out, in := min(c.Recvs[s]-sent, piece), min(c.Recvs[r]-received, piece)
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
		if sent += out; sent == c.Recvs[s] {
			sent, s = 0, (s-1+c.Size)%c.Size
		}
		if received += in; received == c.Recvs[r] {
			received, r = 0, (r-1+c.Size)%c.Size
		}
	}
}

// allgathervNeighbourExchange needs an even number of ranks.
func allgathervNeighbourExchange(c *Call, p *Plan, phase int) bool {
	if c.Size%2 != 0 {
		return allgathervRing(c, p, phase)
	}
	p.Tag = tagAllgatherv
	p.neighbourExchange(c, func(i int) int64 { return c.Recvs[i] })
	return false
}

// allgathervRing exchanges with ever farther ranks on both sides.
func allgathervRing(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAllgatherv
	d := phase + 1
	from := (c.Me - d + c.Size) % c.Size
	p.exchange((c.Me+d)%c.Size, c.Send, from, c.Recvs[from])
	return phase+2 < c.Size
}

// allgathervPair exchanges with one partner after the other.
func allgathervPair(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAllgatherv
	partner := c.Me ^ (phase + 1)
	p.exchange(partner, c.Send, partner, c.Recvs[partner])
	return phase+2 < c.Size
}
