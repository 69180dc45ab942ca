package collective

// Algorithms of reduce, allreduce and reduce_scatter beyond SimGrid's defaults.

// reduceInTurn receives from one rank after the other, the last first.
func reduceInTurn(c *Call, p *Plan, phase int) bool {
	p.Tag = tagReduce
	if c.Me != c.Root {
		p.send(c.Root, c.Send)
		return false
	}
	for i := c.Size - 1; i >= 0; i-- {
		if i != c.Me {
			p.recv(i, c.Send)
		}
	}
	return false
}

// reduceTree reduces segments up a tree: a rank always has the next receive
// open while it waits for the one before.
func (p *Plan) reduceTree(c *Call, t tree, segment int64) {
	p.Tag = tagReduce
	count := c.Send / c.Unit
	if count == 0 {
		return
	}
	per := segmentCount(segment, c.Unit, count)
	pieces := (count + per - 1) / per
	size := func(i int64) int64 { return min(per, count-i*per) * c.Unit }
	if len(t.next) == 0 {
		for i := int64(0); i < pieces; i++ {
			p.send(t.prev, size(i))
		}
		return
	}
	before := int32(-1)
	for i := int64(0); i <= pieces; i++ {
		for child, n := range t.next {
			current := int32(-1)
			if i < pieces {
				current = p.irecv(n, size(i))
			}
			if before >= 0 {
				p.wait(before)
			}
			before = current
			if child == 0 && i > 0 {
				if t.prev >= 0 && c.Me != c.Root {
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

func reduceChain(c *Call, p *Plan, phase int) bool {
	p.reduceTree(c, chainTree(c.Size/2, c), 64<<10)
	return false
}

func reducePipeline(c *Call, p *Plan, phase int) bool {
	segment := int64(64 << 10)
	size, kib := float64(c.Size), float64(c.Send)/1024
	switch { // Open MPI's fitted lines
	case size > 0.0410*kib+9.7128:
		segment = 1 << 10
	case size > 0.0033*kib+1.6761:
		segment = 32 << 10
	}
	p.reduceTree(c, chainTree(1, c), segment)
	return false
}

func reduceBinary(c *Call, p *Plan, phase int) bool {
	p.reduceTree(c, karyTree(2, c), 32<<10)
	return false
}

func reduceInOrderBinomial(c *Call, p *Plan, phase int) bool {
	segment := int64(0)
	small := c.Size < 8 && c.Send < 20480 || c.Send < 2048 || c.Send/c.Unit <= 1
	if !small && float64(c.Size) > 0.6016*float64(c.Send)/1024+1.3496 {
		segment = 1 << 10
	}
	p.reduceTree(c, inOrderBinomial(c, c.Root), segment)
	return false
}

// reduceInOrderBinary reduces to the last rank, which hands the result to root.
func reduceInOrderBinary(c *Call, p *Plan, phase int) bool {
	last := c.Size - 1
	at := *c
	at.Root = last
	p.reduceTree(&at, inOrderBinary(c), 0)
	p.Tag = tagReduce
	if last != c.Root {
		switch c.Me {
		case c.Root:
			p.recv(last, c.Send)
		case last:
			p.send(c.Root, c.Send)
		}
	}
	return false
}

// fold pairs up the ranks beyond a power of two: before the main part, the
// even one of each pair gives its data to the odd one. It returns the rank
// among those that go on, -1 for those that do not, the power of two, and the
// way back from such ranks.
func (p *Plan) fold(c *Call, bytes int64) (me, power int, real func(int) int) {
	power = floorPower(c.Size)
	rest := c.Size - power
	real = func(r int) int {
		if r < rest {
			return 2*r + 1
		}
		return r + rest
	}
	switch {
	case c.Me >= 2*rest:
		return c.Me - rest, power, real
	case c.Me%2 == 0:
		p.send(c.Me+1, bytes)
		return -1, power, real
	}
	p.recv(c.Me-1, bytes)
	return c.Me / 2, power, real
}

// unfold gives the ranks that fold left out their result.
func (p *Plan) unfold(c *Call, power int, bytes int64) {
	if c.Me < 2*(c.Size-power) {
		if c.Me%2 == 0 {
			p.recv(c.Me+1, bytes)
		} else {
			p.send(c.Me-1, bytes)
		}
	}
}

// allreduceDoubling exchanges everything with ever farther partners.
func allreduceDoubling(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAllreduce
	me, power, real := p.fold(c, c.Send)
	if me >= 0 {
		for mask := 1; mask < power; mask <<= 1 {
			partner := real(me ^ mask)
			p.exchange(partner, c.Send, partner, c.Send)
		}
	}
	p.unfold(c, power, c.Send)
	return false
}

// allreduceRabenseifner is a reduce-scatter by recursive halving and an
// allgather by recursive doubling.
func allreduceRabenseifner(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAllreduce
	me, power, real := p.fold(c, c.Send)
	if me >= 0 {
		count := c.Send / c.Unit
		block := count / int64(power)
		// span is the bytes of blocks from..to; the last block takes the rest.
		span := func(from, to int) int64 {
			n := int64(to-from) * block
			if to == power {
				n += count - block*int64(power)
			}
			return n * c.Unit
		}
		p.halveAndDouble(me, power, real, span)
	}
	p.unfold(c, power, c.Send)
	return false
}

// halveAndDouble is the main part of Rabenseifner's algorithm: ranks differ in
// the lowest bit first.
func (p *Plan) halveAndDouble(me, power int, real func(int) int, span func(from, to int) int64) {
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
func allreduceRing(c *Call, p *Plan, again func(bytes int64)) {
	p.Tag = tagAllreduce
	block := c.Send / c.Unit / int64(c.Size) * c.Unit
	for range 2 * (c.Size - 1) {
		p.exchange((c.Me+1)%c.Size, block, (c.Me-1+c.Size)%c.Size, block)
	}
	if rest := c.Send / c.Unit % int64(c.Size); rest != 0 {
		again(rest * c.Unit)
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
func allreduceRingSegmented(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAllreduce
	size, count := int64(c.Size), c.Send/c.Unit
	per := segmentCount(ringSegment, c.Unit, count)
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
	to, from := (c.Me+1)%c.Size, (c.Me-1+c.Size)%c.Size
	me := int64(c.Me)
	for ph := int64(0); ph < phases; ph++ {
		piece := func(r int64) int64 {
			split, early, late := evenly(block(r), phases)
			if ph < split {
				return early * c.Unit
			}
			return late * c.Unit
		}
		current := p.irecv(from, most*c.Unit)
		p.send(to, piece(me))
		for k := int64(2); k < size; k++ {
			following := p.irecv(from, most*c.Unit)
			p.wait(current)
			p.send(to, piece((me+size-k+1)%size))
			current = following
		}
		p.wait(current)
		p.waitAll()
	}
	for k := int64(0); k < size-1; k++ {
		p.exchange(to, block((me+1+size-k)%size)*c.Unit, from, early*c.Unit)
	}
	return false
}

// reduceScatterHalving is recursive halving.
func reduceScatterHalving(c *Call, p *Plan, phase int) bool {
	p.Tag = tagReduceScatter
	total := int64(0)
	for _, n := range c.Sends {
		total += n
	}
	if total == 0 {
		return false
	}
	me, power, real := p.fold(c, total)
	rest := c.Size - power
	if me >= 0 {
		span := func(from, to int) int64 {
			n := int64(0)
			for i := from; i < to; i++ {
				if i < rest {
					n += c.Sends[2*i] + c.Sends[2*i+1]
				} else {
					n += c.Sends[i+rest]
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
	if c.Me < 2*rest {
		if c.Me%2 == 0 {
			if c.Sends[c.Me] > 0 {
				p.recv(c.Me+1, c.Sends[c.Me])
			}
		} else if c.Sends[c.Me-1] > 0 {
			p.send(c.Me-1, c.Sends[c.Me-1])
		}
	}
	return false
}

// reduceScatterRing sends blocks round a ring until each has met all ranks.
func reduceScatterRing(c *Call, p *Plan, phase int) bool {
	p.Tag = tagReduceScatter
	largest := int64(0)
	for _, n := range c.Sends {
		largest = max(largest, n)
	}
	to, from := (c.Me+1)%c.Size, (c.Me-1+c.Size)%c.Size
	current := p.irecv(from, largest)
	p.send(to, c.Sends[from])
	for k := 2; k < c.Size; k++ {
		following := p.irecv(from, largest)
		p.wait(current)
		p.send(to, c.Sends[(c.Me+c.Size-k)%c.Size])
		current = following
	}
	p.waitAll()
	return false
}

// reduceScatterButterfly is recursive halving that differs in the lowest bit
// first, so that blocks end at mirrored ranks and change places at last.
func reduceScatterButterfly(c *Call, p *Plan, phase int) bool {
	p.Tag = tagReduceScatter
	total := int64(0)
	for _, n := range c.Sends {
		total += n
	}
	bits := 0
	for 1<<bits < floorPower(c.Size) {
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
	rest := c.Size - power
	if me < 0 {
		p.recv(real(mirror((c.Me+1)/2)), c.Sends[c.Me])
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
			n += c.Sends[i]
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
		p.send(real(partner)-1, c.Sends[block])
		block++
	}
	if partner != me {
		p.exchange(real(partner), c.Sends[block], real(partner), c.Sends[c.Me])
	}
	return false
}
