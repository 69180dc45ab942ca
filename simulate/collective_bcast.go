package simulate

// Algorithms of barrier and bcast beyond SimGrid's defaults.

// barrierDoubling is recursive doubling; the ranks beyond a power of two go
// through a partner.
func barrierDoubling(c *call, p *plan, phase int) bool {
	p.tag = tagBarrier
	power := floorPower(c.size)
	if c.me >= power {
		p.exchange(c.me-power, 0, c.me-power, 0)
		return false
	}
	if c.me < c.size-power {
		p.recv(c.me+power, 0)
	}
	for mask := 1; mask < power; mask <<= 1 {
		p.exchange(c.me^mask, 0, c.me^mask, 0)
	}
	if c.me < c.size-power {
		p.send(c.me+power, 0)
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
func barrierBruck(c *call, p *plan, phase int) bool {
	p.tag = tagBarrier
	for d := 1; d < c.size; d <<= 1 {
		p.exchange((c.me+d)%c.size, 0, (c.me-d+c.size)%c.size, 0)
	}
	return false
}

// barrierTree goes up a binomial tree and down again.
func barrierTree(c *call, p *plan, phase int) bool {
	p.tag = tagBarrier
	depth := 1
	for depth < c.size {
		depth <<= 1
	}
	hop := func(jump int, up bool) {
		partner := c.me ^ jump
		if partner&(jump-1) != 0 || partner >= c.size {
			return
		}
		if (partner > c.me) == up {
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
func bcastChainOf(c *call, p *plan, bytes int64, prev int, next []int, again func(bytes int64)) {
	p.tag = tagBcast
	segment := max(pipelineSegment/c.unit, 1)
	count := bytes / c.unit
	if c.root != 0 {
		if c.me == c.root {
			p.send(0, bytes)
		} else if c.me == 0 {
			p.recv(c.root, bytes)
		}
	}
	if count <= segment {
		if c.me != 0 {
			p.recv(prev, bytes)
		}
		for _, n := range next {
			p.send(n, bytes)
		}
		return
	}
	pieces := int(count / segment)
	first := p.open
	if c.me != 0 {
		for range pieces {
			p.irecv(prev, segment*c.unit)
		}
	}
	for i := range pieces {
		if c.me != 0 && len(next) > 0 {
			p.wait(first + int32(i))
		}
		for _, n := range next {
			p.isend(n, segment*c.unit)
		}
	}
	p.waitAll()
	if rest := count % segment; rest != 0 {
		again(rest * c.unit)
	}
}

// bcastPipeline is Open MPI's segmented pipeline along a chain from root.
func bcastPipeline(c *call, p *plan, phase int) bool {
	p.tag = tagBcast
	count := c.send / c.unit
	size, bytes := float64(c.size), float64(c.send)
	segment := int64(128 << 10)
	switch { // Open MPI's fitted lines
	case size < 1.6134e-6*bytes+2.1102:
	case size < 2.3679e-6*bytes+1.1787:
		segment = 64 << 10
	case size < 3.2118e-6*bytes+8.7936:
		segment = 16 << 10
	}
	per := max(segmentCount(segment, c.unit, count), 1)
	pieces := max((count+per-1)/per, 1)
	last := (count - (pieces-1)*per) * c.unit
	full := per * c.unit
	t := chainTree(1, c)
	forward := func(bytes int64) {
		for _, n := range t.next {
			p.isend(n, bytes)
		}
	}
	if c.me == c.root {
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
		first := p.open
		forward(full)
		for k := first; k < p.open; k++ {
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
func bcastSplitBinary(c *call, p *plan, phase int) bool {
	count := c.send / c.unit
	segment := int64(1 << 10)
	if c.send >= 370728 {
		segment = 8 << 10
	}
	half := [2]int64{(count + 1) / 2, count / 2}
	segment = max(segment, c.unit)
	per := segment / c.unit
	if half[0] == 0 || half[1] == 0 || segment > half[0]*c.unit || segment > half[1]*c.unit {
		return bcastBinomial(c, p, phase)
	}
	p.tag = tagBcast
	pieces := [2]int64{(half[0] + per - 1) / per, (half[1] + per - 1) / per}
	last := func(side int) int64 { return (half[side] - (pieces[side]-1)*per) * c.unit }
	full := per * c.unit
	t := karyTree(2, c)
	side := ((c.me+c.size-c.root)%c.size + 1) % 2
	switch {
	case c.me == c.root:
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
	pair := (c.me + 1) % c.size
	if side == 1 {
		pair = (c.me + c.size - 1) % c.size
	}
	tail := (c.root + c.size - 1) % c.size
	switch {
	case c.size%2 == 0 && c.me == c.root:
		p.send(tail, half[1]*c.unit)
	case c.size%2 == 0 && c.me == tail:
		p.recv(c.root, half[1]*c.unit)
	case c.me != c.root:
		p.exchange(pair, half[side]*c.unit, pair, half[1-side]*c.unit)
	}
	return false
}

// bcastKnomial is a tree in which a rank serves three others at a time.
func bcastKnomial(c *call, p *plan, phase int) bool {
	p.smpSetup(c)
	p.tag = tagBcast
	const k = 4
	relative := (c.me - c.root + c.size) % c.size
	mask := 1
	for ; mask < c.size; mask *= k {
		if relative%(k*mask) != 0 {
			p.recv((relative/(k*mask)*(k*mask)+c.root)%c.size, c.send)
			break
		}
	}
	for mask /= k; mask > 0; mask /= k {
		for i := 1; i < k; i++ {
			if relative+mask*i < c.size {
				p.isend((c.me+mask*i)%c.size, c.send)
			}
		}
		p.waitAll()
	}
	return false
}

// bcastScatterDoubling scatters along a binomial tree and allgathers by
// recursive doubling.
func bcastScatterDoubling(c *call, p *plan, phase int) bool {
	if c.send == 0 {
		return false
	}
	p.tag = tagBcast
	block := (c.send + int64(c.size) - 1) / int64(c.size)
	p.scatterForBcast(c, block)
	relative := (c.me - c.root + c.size) % c.size
	real := func(r int) int { return (r + c.root) % c.size }
	// held is what the subtree of ranks that starts at first holds.
	held := func(first, ranks int) int64 {
		n := int64(0)
		for i := first; i < min(first+ranks, c.size); i++ {
			n += min(max(c.send-int64(i)*block, 0), block)
		}
		return n
	}
	for i, mask := 0, 1; mask < c.size; i, mask = i+1, mask<<1 {
		partner := relative ^ mask
		theirs, mine := partner>>i<<i, relative>>i<<i
		if partner < c.size {
			p.exchange(real(partner), held(mine, mask), real(partner), held(theirs, mask))
		}
		if theirs+mask <= c.size {
			continue
		}
		complete := c.size - mine - mask
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
func (p *plan) scatterForBcast(c *call, block int64) {
	relative := (c.me - c.root + c.size) % c.size
	held := int64(0)
	if relative == 0 {
		held = c.send
	}
	mask := 1
	for ; mask < c.size; mask <<= 1 {
		if relative&mask != 0 {
			// What arrives is what the sender has beyond the blocks it keeps.
			held = min(max(c.send-int64(relative)*block, 0), block*int64(mask))
			if held > 0 {
				p.recv((c.me-mask+c.size)%c.size, held)
			}
			break
		}
	}
	for mask >>= 1; mask > 0; mask >>= 1 {
		if relative+mask < c.size {
			if n := held - block*int64(mask); n > 0 {
				p.send((c.me+mask)%c.size, n)
				held -= n
			}
		}
	}
}

// bcastScatterRing scatters along a binomial tree and allgathers round a ring.
func bcastScatterRing(c *call, p *plan, phase int) bool {
	p.tag = tagBcast
	p.scatterRing(c)
	return false
}

func (p *plan) scatterRing(c *call) {
	block := (c.send + int64(c.size) - 1) / int64(c.size)
	p.scatterForBcast(c, block)
	size := func(rank int) int64 {
		i := int64((rank - c.root + c.size) % c.size)
		return min(max(c.send-i*block, 0), block)
	}
	left, right := (c.me-1+c.size)%c.size, (c.me+1)%c.size
	for i := 1; i < c.size; i++ {
		p.exchange(right, size((c.me-i+1+c.size)%c.size), left, size((c.me-i+c.size)%c.size))
	}
}
