package collective

// Algorithms of barrier and bcast beyond SimGrid's defaults.

// barrierDoubling is recursive doubling; the ranks beyond a power of two go
// through a partner.
func barrierDoubling(c *Call, p *Plan, phase int) bool {
	p.Tag = tagBarrier
	power := floorPower(c.Size)
	if c.Me >= power {
		p.exchange(c.Me-power, 0, c.Me-power, 0)
		return false
	}
	if c.Me < c.Size-power {
		p.recv(c.Me+power, 0)
	}
	for mask := 1; mask < power; mask <<= 1 {
		p.exchange(c.Me^mask, 0, c.Me^mask, 0)
	}
	if c.Me < c.Size-power {
		p.send(c.Me+power, 0)
	}
	return false
}

func floorPower(n int) int {
	p := 1
	for p <= n/2 {
		p <<= 1
	}
	return p
}

// barrierBruck is the dissemination barrier.
func barrierBruck(c *Call, p *Plan, phase int) bool {
	p.Tag = tagBarrier
	for d := 1; d < c.Size; d <<= 1 {
		p.exchange((c.Me+d)%c.Size, 0, (c.Me-d+c.Size)%c.Size, 0)
	}
	return false
}

// barrierTree goes up a binomial tree and down again.
func barrierTree(c *Call, p *Plan, phase int) bool {
	p.Tag = tagBarrier
	depth := 1
	for depth < c.Size {
		depth <<= 1
	}
	hop := func(jump int, up bool) {
		partner := c.Me ^ jump
		if partner&(jump-1) != 0 || partner >= c.Size {
			return
		}
		if (partner > c.Me) == up {
			p.recv(partner, 0)
		} else {
			p.send(partner, 0)
		}
	}
	for jump := 1; jump < depth; jump <<= 1 {
		hop(jump, true)
	}
	for jump := depth >> 1; jump > 0; jump >>= 1 {
		hop(jump, false)
	}
	return false
}

const pipelineSegment = 8192 // bytes, of the non-topology-specific algorithms

// bcastChainOf is a pipeline along a tree over the ranks from 0: root first
// hands the whole to rank 0; what is left over a whole number of segments is
// broadcast by again.
func bcastChainOf(c *Call, p *Plan, bytes int64, prev int, next []int, again func(bytes int64)) {
	p.Tag = tagBcast
	segment := max(pipelineSegment/c.Unit, 1)
	count := bytes / c.Unit
	if c.Root != 0 {
		if c.Me == c.Root {
			p.send(0, bytes)
		} else if c.Me == 0 {
			p.recv(c.Root, bytes)
		}
	}
	if count <= segment {
		if c.Me != 0 {
			p.recv(prev, bytes)
		}
		for _, n := range next {
			p.send(n, bytes)
		}
		return
	}
	pieces := int(count / segment)
	first := p.Open
	if c.Me != 0 {
		for range pieces {
			p.irecv(prev, segment*c.Unit)
		}
	}
	for i := range pieces {
		if c.Me != 0 && len(next) > 0 {
			p.wait(first + int32(i))
		}
		for _, n := range next {
			p.isend(n, segment*c.Unit)
		}
	}
	p.waitAll()
	if rest := count % segment; rest != 0 {
		again(rest * c.Unit)
	}
}

// bcastPipeline is Open MPI's segmented pipeline along a chain from root.
func bcastPipeline(c *Call, p *Plan, phase int) bool {
	p.Tag = tagBcast
	count := c.Send / c.Unit
	size, bytes := float64(c.Size), float64(c.Send)
	segment := int64(128 << 10)
	switch { // Open MPI's fitted lines
	case size < 1.6134e-6*bytes+2.1102:
	case size < 2.3679e-6*bytes+1.1787:
		segment = 64 << 10
	case size < 3.2118e-6*bytes+8.7936:
		segment = 16 << 10
	}
	per := max(segmentCount(segment, c.Unit, count), 1)
	pieces := max((count+per-1)/per, 1)
	last := (count - (pieces-1)*per) * c.Unit
	full := per * c.Unit
	t := chainTree(1, c)
	forward := func(bytes int64) {
		for _, n := range t.next {
			p.isend(n, bytes)
		}
	}
	if c.Me == c.Root {
		for i := int64(0); i < pieces; i++ {
			if i == pieces-1 {
				forward(last)
			} else {
				forward(full)
			}
			p.waitAll()
		}
		return false
	}
	// Two receives are open at a time; the older one is waited for, passed on,
	// and the sends completed before the next round.
	current := p.irecv(t.prev, full)
	for i := int64(1); i < pieces; i++ {
		following := p.irecv(t.prev, full)
		p.wait(current)
		first := p.Open
		forward(full)
		for k := first; k < p.Open; k++ {
			p.wait(k)
		}
		current = following
	}
	p.wait(current)
	if len(t.next) > 0 {
		forward(last)
	}
	p.waitAll()
	return false
}

// bcastSplitBinary sends one half of the data down each subtree of a binary
// tree, then pairs of ranks exchange halves.
func bcastSplitBinary(c *Call, p *Plan, phase int) bool {
	count := c.Send / c.Unit
	segment := int64(1 << 10)
	if c.Send >= 370728 {
		segment = 8 << 10
	}
	half := [2]int64{(count + 1) / 2, count / 2}
	segment = max(segment, c.Unit)
	per := segment / c.Unit
	if half[0] == 0 || half[1] == 0 || segment > half[0]*c.Unit || segment > half[1]*c.Unit {
		return bcastBinomial(c, p, phase)
	}
	p.Tag = tagBcast
	pieces := [2]int64{(half[0] + per - 1) / per, (half[1] + per - 1) / per}
	last := func(side int) int64 { return (half[side] - (pieces[side]-1)*per) * c.Unit }
	full := per * c.Unit
	t := karyTree(2, c)
	side := ((c.Me+c.Size-c.Root)%c.Size + 1) % 2
	switch {
	case c.Me == c.Root:
		for i := int64(0); i < pieces[0]; i++ {
			for s, n := range t.next {
				switch {
				case i < pieces[s]-1:
					p.send(n, full)
				case i == pieces[s]-1:
					p.send(n, last(s))
				}
			}
		}
	case len(t.next) > 0:
		current := p.irecv(t.prev, full)
		for i := int64(1); i < pieces[side]; i++ {
			size := full
			if i == pieces[side]-1 {
				size = last(side)
			}
			following := p.irecv(t.prev, size)
			p.wait(current)
			for _, n := range t.next {
				p.send(n, full)
			}
			current = following
		}
		p.wait(current)
		for _, n := range t.next {
			p.send(n, last(side))
		}
		p.waitAll()
	default:
		for i := int64(0); i < pieces[side]; i++ {
			if i == pieces[side]-1 {
				p.recv(t.prev, last(side))
			} else {
				p.recv(t.prev, full)
			}
		}
	}
	pair := (c.Me + 1) % c.Size
	if side == 1 {
		pair = (c.Me + c.Size - 1) % c.Size
	}
	tail := (c.Root + c.Size - 1) % c.Size
	switch {
	case c.Size%2 == 0 && c.Me == c.Root:
		p.send(tail, half[1]*c.Unit)
	case c.Size%2 == 0 && c.Me == tail:
		p.recv(c.Root, half[1]*c.Unit)
	case c.Me != c.Root:
		p.exchange(pair, half[side]*c.Unit, pair, half[1-side]*c.Unit)
	}
	return false
}

// bcastKnomial is a tree in which a rank serves three others at a time.
func bcastKnomial(c *Call, p *Plan, phase int) bool {
	p.smpSetup(c)
	p.knomial(c)
	return false
}

func (p *Plan) knomial(c *Call) {
	p.Tag = tagBcast
	const k = 4
	relative := (c.Me - c.Root + c.Size) % c.Size
	mask := 1
	for ; mask < c.Size; mask *= k {
		if relative%(k*mask) != 0 {
			p.recv((relative/(k*mask)*(k*mask)+c.Root)%c.Size, c.Send)
			break
		}
	}
	for mask /= k; mask > 0; mask /= k {
		for i := 1; i < k; i++ {
			if relative+mask*i < c.Size {
				p.isend((c.Me+mask*i)%c.Size, c.Send)
			}
		}
		p.waitAll()
	}
}

// bcastScatterDoubling scatters along a binomial tree and allgathers by
// recursive doubling.
func bcastScatterDoubling(c *Call, p *Plan, phase int) bool {
	if c.Send == 0 {
		return false
	}
	p.Tag = tagBcast
	block := (c.Send + int64(c.Size) - 1) / int64(c.Size)
	p.scatterForBcast(c, block)
	relative := (c.Me - c.Root + c.Size) % c.Size
	real := func(r int) int { return (r + c.Root) % c.Size }
	// held is what the subtree of ranks that starts at first holds.
	held := func(first, ranks int) int64 {
		n := int64(0)
		for i := first; i < min(first+ranks, c.Size); i++ {
			n += min(max(c.Send-int64(i)*block, 0), block)
		}
		return n
	}
	for i, mask := 0, 1; mask < c.Size; i, mask = i+1, mask<<1 {
		partner := relative ^ mask
		theirs, mine := partner>>i<<i, relative>>i<<i
		if partner < c.Size {
			p.exchange(real(partner), held(mine, mask), real(partner), held(theirs, mask))
		}
		if theirs+mask <= c.Size {
			continue
		}
		complete := c.Size - mine - mask
		k := i
		for m := mask >> 1; m > 0; m, k = m>>1, k-1 {
			to := relative ^ m
			top := relative >> k << k
			switch {
			case to > relative && relative < top+complete && to >= top+complete:
				p.send(real(to), held(theirs, mask))
			case to < relative && to < top+complete && relative >= top+complete:
				p.recv(real(to), held(theirs, mask))
			}
		}
	}
	return false
}

// scatterForBcast hands every rank its block of the data down a binomial tree.
func (p *Plan) scatterForBcast(c *Call, block int64) {
	relative := (c.Me - c.Root + c.Size) % c.Size
	held := int64(0)
	if relative == 0 {
		held = c.Send
	}
	mask := 1
	for ; mask < c.Size; mask <<= 1 {
		if relative&mask != 0 {
			// What arrives is what the sender has beyond the blocks it keeps.
			held = min(max(c.Send-int64(relative)*block, 0), block*int64(mask))
			if held > 0 {
				p.recv((c.Me-mask+c.Size)%c.Size, held)
			}
			break
		}
	}
	for mask >>= 1; mask > 0; mask >>= 1 {
		if relative+mask < c.Size {
			if n := held - block*int64(mask); n > 0 {
				p.send((c.Me+mask)%c.Size, n)
				held -= n
			}
		}
	}
}

// bcastScatterRing scatters along a binomial tree and allgathers round a ring.
func bcastScatterRing(c *Call, p *Plan, phase int) bool {
	p.Tag = tagBcast
	p.scatterRing(c)
	return false
}

func (p *Plan) scatterRing(c *Call) {
	block := (c.Send + int64(c.Size) - 1) / int64(c.Size)
	p.scatterForBcast(c, block)
	size := func(rank int) int64 {
		i := int64((rank - c.Root + c.Size) % c.Size)
		return min(max(c.Send-i*block, 0), block)
	}
	left, right := (c.Me-1+c.Size)%c.Size, (c.Me+1)%c.Size
	for i := 1; i < c.Size; i++ {
		p.exchange(right, size((c.Me-i+1+c.Size)%c.Size), left, size((c.Me-i+c.Size)%c.Size))
	}
}
