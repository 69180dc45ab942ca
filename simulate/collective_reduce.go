package simulate

// Algorithms of reduce, allreduce and reduce_scatter beyond SimGrid's defaults.

// reduceInTurn receives from one rank after the other, the last first.
func reduceInTurn(c *call, p *plan, phase int) bool {
	p.tag = tagReduce
	if c.me != c.root {
		p.send(c.root, c.send)
		return false
	}
	for i := c.size - 1; i >= 0; i-- {
		if i != c.me {
			p.recv(i, c.send)
		}
	}
	return false
}

// reduceTree reduces segments up a tree: a rank always has the next receive
// open while it waits for the one before.
func (p *plan) reduceTree(c *call, t tree, segment int64) {
	p.tag = tagReduce
	count := c.send / c.unit
	if count == 0 {
		return
	}
	per := segmentCount(segment, c.unit, count)
	pieces := (count + per - 1) / per
	size := func(i int64) int64 { return min(per, count-i*per) * c.unit }
	if len(t.next) == 0 {
		for i := int64(0); i < pieces; i++ {
			p.send(t.prev, size(i))
		}
		return
	}
	before := none
	for i := int64(0); i <= pieces; i++ {
		for child, n := range t.next {
			current := none
			if i < pieces {
				current = p.irecv(n, size(i))
			}
			if before != none {
				p.wait(before)
			}
			before = current
			if child == 0 && i > 0 {
				if t.prev >= 0 && c.me != c.root {
					p.send(t.prev, size(i-1))
				}
				if i == pieces {
					p.waitAll()
					return
				}
			}
		}
	}
}

func reduceChain(c *call, p *plan, phase int) bool {
	p.reduceTree(c, chainTree(c.size/2, c), 64<<10)
	return false
}

func reducePipeline(c *call, p *plan, phase int) bool {
	segment := int64(64 << 10)
	size, kib := float64(c.size), float64(c.send)/1024
	switch { // Open MPI's fitted lines
	case size > 0.0410*kib+9.7128:
		segment = 1 << 10
	case size > 0.0033*kib+1.6761:
		segment = 32 << 10
	}
	p.reduceTree(c, chainTree(1, c), segment)
	return false
}

func reduceBinary(c *call, p *plan, phase int) bool {
	p.reduceTree(c, karyTree(2, c), 32<<10)
	return false
}

func reduceInOrderBinomial(c *call, p *plan, phase int) bool {
	segment := int64(0)
	small := c.size < 8 && c.send < 20480 || c.send < 2048 || c.send/c.unit <= 1
	if !small && float64(c.size) > 0.6016*float64(c.send)/1024+1.3496 {
		segment = 1 << 10
	}
	p.reduceTree(c, inOrderBinomial(c, c.root), segment)
	return false
}

// reduceInOrderBinary reduces to the last rank, which hands the result to root.
func reduceInOrderBinary(c *call, p *plan, phase int) bool {
	last := c.size - 1
	at := *c
	at.root = last
	p.reduceTree(&at, inOrderBinary(c), 0)
	p.tag = tagReduce
	if last != c.root {
		switch c.me {
		case c.root:
			p.recv(last, c.send)
		case last:
			p.send(c.root, c.send)
		}
	}
	return false
}

// fold pairs up the ranks beyond a power of two: before the main part, the
// even one of each pair gives its data to the odd one. It returns the rank
// among those that go on, -1 for those that do not, the power of two, and the
// way back from such ranks.
func (p *plan) fold(c *call, bytes int64) (me, power int, real func(int) int) {
	power = floorPower(c.size)
	rest := c.size - power
	real = func(r int) int {
		if r < rest {
			return 2*r + 1
		}
		return r + rest
	}
	switch {
	case c.me >= 2*rest:
		return c.me - rest, power, real
	case c.me%2 == 0:
		p.send(c.me+1, bytes)
		return -1, power, real
	}
	p.recv(c.me-1, bytes)
	return c.me / 2, power, real
}

// unfold gives the ranks that fold left out their result.
func (p *plan) unfold(c *call, power int, bytes int64) {
	if c.me < 2*(c.size-power) {
		if c.me%2 == 0 {
			p.recv(c.me+1, bytes)
		} else {
			p.send(c.me-1, bytes)
		}
	}
}

// allreduceDoubling exchanges everything with ever farther partners.
func allreduceDoubling(c *call, p *plan, phase int) bool {
	p.tag = tagAllreduce
	me, power, real := p.fold(c, c.send)
	if me >= 0 {
		for mask := 1; mask < power; mask <<= 1 {
			partner := real(me ^ mask)
			p.exchange(partner, c.send, partner, c.send)
		}
	}
	p.unfold(c, power, c.send)
	return false
}

// allreduceRabenseifner is a reduce-scatter by recursive halving and an
// allgather by recursive doubling.
func allreduceRabenseifner(c *call, p *plan, phase int) bool {
	p.tag = tagAllreduce
	me, power, real := p.fold(c, c.send)
	if me >= 0 {
		count := c.send / c.unit
		block := count / int64(power)
		// span is the bytes of blocks from..to; the last block takes the rest.
		span := func(from, to int) int64 {
			n := int64(to-from) * block
			if to == power {
				n += count - block*int64(power)
			}
			return n * c.unit
		}
		p.halveAndDouble(me, power, real, span)
	}
	p.unfold(c, power, c.send)
	return false
}

// halveAndDouble is the main part of Rabenseifner's algorithm: ranks differ in
// the lowest bit first.
func (p *plan) halveAndDouble(me, power int, real func(int) int, span func(from, to int) int64) {
	send, recv, last := 0, 0, power
	mask := 1
	for ; mask < power; mask <<= 1 {
		partner := me ^ mask
		var out, in int64
		if me < partner {
			send = recv + power/(mask*2)
			out, in = span(send, last), span(recv, send)
		} else {
			recv = send + power/(mask*2)
			out, in = span(send, recv), span(recv, last)
		}
		p.exchange(real(partner), out, real(partner), in)
		send = recv
		if mask<<1 < power {
			last = recv + power/(mask<<1)
		}
	}
	for mask >>= 1; mask > 0; mask >>= 1 {
		partner := me ^ mask
		var out, in int64
		if me < partner {
			if mask != power/2 {
				last += power / (mask * 2)
			}
			recv = send + power/(mask*2)
			out, in = span(send, recv), span(recv, last)
		} else {
			recv = send - power/(mask*2)
			out, in = span(send, last), span(recv, send)
		}
		p.exchange(real(partner), out, real(partner), in)
		if me > partner {
			send = recv
		}
	}
}

// allreduceRing sends blocks round a ring twice: once to add them up, once to
// hand out the sums. What does not divide evenly is done by again.
func allreduceRing(c *call, p *plan, again func(bytes int64)) {
	p.tag = tagAllreduce
	block := c.send / c.unit / int64(c.size) * c.unit
	for range 2 * (c.size - 1) {
		p.exchange((c.me+1)%c.size, block, (c.me-1+c.size)%c.size, block)
	}
	if rest := c.send / c.unit % int64(c.size); rest != 0 {
		again(rest * c.unit)
	}
}

// evenly divides count into parts: the first split parts have early elements,
// the others late.
func evenly(count, parts int64) (split, early, late int64) {
	early, late, split = count/parts, count/parts, count%parts
	if split != 0 {
		early++
	}
	return split, early, late
}

// ringSegment is the largest segment of the segmented ring, in bytes.
const ringSegment = 1 << 20

// allreduceRingSegmented is the ring with blocks cut into segments.
func allreduceRingSegmented(c *call, p *plan, phase int) bool {
	p.tag = tagAllreduce
	size, count := int64(c.size), c.send/c.unit
	per := segmentCount(ringSegment, c.unit, count)
	phases := count / (size * per)
	if rest := count % (size * per); rest >= size && rest > size*per/2 {
		phases++
	}
	split, early, late := evenly(count, size)
	block := func(r int64) int64 {
		if r < split {
			return early
		}
		return late
	}
	_, most, _ := evenly(early, phases)
	to, from := (c.me+1)%c.size, (c.me-1+c.size)%c.size
	me := int64(c.me)
	for ph := int64(0); ph < phases; ph++ {
		piece := func(r int64) int64 {
			split, early, late := evenly(block(r), phases)
			if ph < split {
				return early * c.unit
			}
			return late * c.unit
		}
		current := p.irecv(from, most*c.unit)
		p.send(to, piece(me))
		for k := int64(2); k < size; k++ {
			following := p.irecv(from, most*c.unit)
			p.wait(current)
			p.send(to, piece((me+size-k+1)%size))
			current = following
		}
		p.wait(current)
		p.waitAll()
	}
	for k := int64(0); k < size-1; k++ {
		p.exchange(to, block((me+1+size-k)%size)*c.unit, from, early*c.unit)
	}
	return false
}

// reduceScatterHalving is recursive halving.
func reduceScatterHalving(c *call, p *plan, phase int) bool {
	p.tag = tagReduceScatter
	total := int64(0)
	for _, n := range c.sends {
		total += n
	}
	if total == 0 {
		return false
	}
	me, power, real := p.fold(c, total)
	rest := c.size - power
	if me >= 0 {
		span := func(from, to int) int64 {
			n := int64(0)
			for i := from; i < to; i++ {
				if i < rest {
					n += c.sends[2*i] + c.sends[2*i+1]
				} else {
					n += c.sends[i+rest]
				}
			}
			return n
		}
		send, recv, last := 0, 0, power
		for mask := power >> 1; mask > 0; mask >>= 1 {
			partner := me ^ mask
			var out, in int64
			if me < partner {
				send = recv + mask
				out, in = span(send, last), span(recv, send)
			} else {
				recv = send + mask
				out, in = span(send, recv), span(recv, last)
			}
			if out > 0 && in > 0 {
				r := p.irecv(real(partner), in)
				p.send(real(partner), out)
				p.wait(r)
			}
			send, last = recv, recv+mask
		}
		p.waitAll()
	}
	if c.me < 2*rest {
		if c.me%2 == 0 {
			if c.sends[c.me] > 0 {
				p.recv(c.me+1, c.sends[c.me])
			}
		} else if c.sends[c.me-1] > 0 {
			p.send(c.me-1, c.sends[c.me-1])
		}
	}
	return false
}

// reduceScatterRing sends blocks round a ring until each has met all ranks.
func reduceScatterRing(c *call, p *plan, phase int) bool {
	p.tag = tagReduceScatter
	largest := int64(0)
	for _, n := range c.sends {
		largest = max(largest, n)
	}
	to, from := (c.me+1)%c.size, (c.me-1+c.size)%c.size
	current := p.irecv(from, largest)
	p.send(to, c.sends[from])
	for k := 2; k < c.size; k++ {
		following := p.irecv(from, largest)
		p.wait(current)
		p.send(to, c.sends[(c.me+c.size-k)%c.size])
		current = following
	}
	p.waitAll()
	return false
}

// reduceScatterButterfly is recursive halving that differs in the lowest bit
// first, so that blocks end at mirrored ranks and change places at last.
func reduceScatterButterfly(c *call, p *plan, phase int) bool {
	p.tag = tagReduceScatter
	total := int64(0)
	for _, n := range c.sends {
		total += n
	}
	bits := 0
	for 1<<bits < floorPower(c.size) {
		bits++
	}
	mirror := func(x int) int {
		y := 0
		for i := range bits {
			y |= x >> i & 1 << (bits - 1 - i)
		}
		return y
	}
	me, power, real := p.fold(c, total)
	rest := c.size - power
	if me < 0 {
		p.recv(real(mirror((c.me+1)/2)), c.sends[c.me])
		return false
	}
	first := func(i int) int { // the first real block of a virtual one
		if i < rest {
			return 2 * i
		}
		return i + rest
	}
	span := func(from, blocks int) int64 {
		n := int64(0)
		for i := first(from); i < first(from+blocks); i++ {
			n += c.sends[i]
		}
		return n
	}
	blocks, send, recv := power, 0, 0
	for mask := 1; mask < power; mask <<= 1 {
		partner := real(me ^ mask)
		blocks /= 2
		if me&mask == 0 {
			send += blocks
		} else {
			recv += blocks
		}
		p.exchange(partner, span(send, blocks), partner, span(recv, blocks))
		send = recv
	}
	partner := mirror(me)
	block := first(send)
	if partner < rest {
		p.send(real(partner)-1, c.sends[block])
		block++
	}
	if partner != me {
		p.exchange(real(partner), c.sends[block], real(partner), c.sends[c.me])
	}
	return false
}
