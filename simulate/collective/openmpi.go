package collective

import "auspex/trace"

// The openmpi selector: Open MPI 4.1 as it is. SimGrid follows the same table of
// decisions (ompi_rules.go), in places with other algorithms. What ranks send each
// other here is what the library's own monitoring of messages says that they do.
func openmpiAlgorithm(c *Call) (Algorithm, error) {
	switch c.Kind {
	case trace.Bcast:
		return openmpiBcast(c), nil
	case trace.Reduce:
		return openmpiReduce(c), nil
	case trace.Allreduce:
		return openmpiAllreduce(c), nil
	case trace.Allgather:
		if choose(ompiAllgatherRules, c.Size, c.Send) == 3 && !powerOfTwo(c.Size) {
			return allgatherBruck, nil
		}
		return ompiAllgather(c), nil
	case trace.Allgatherv:
		switch alg := choose(ompiAllgathervRules, c.Size, total(c.Recvs)/int64(c.Size)); {
		case alg == 1:
			return openmpiGathervBcast, nil
		case alg == 4 && c.Size%2 != 0:
			return allgathervPassOn, nil
		}
		return ompiAllgatherv(c), nil
	case trace.Alltoall:
		if choose(ompiAlltoallRules, c.Size, c.Send) == 2 {
			return alltoallRing, nil
		}
		return ompiAlltoall(c), nil
	case trace.Alltoallv:
		if choose(ompiAlltoallvRules, c.Size, 0) == 2 {
			return alltoallvRing, nil
		}
		return alltoallvLinear, nil
	}
	return ompiAlgorithm(c)
}

func openmpiBcast(c *Call) Algorithm {
	switch choose(ompiBcastRules, c.Size, c.Send) {
	case 1:
		return bcastTree(flatTree)
	case 2, 3:
		return bcastTree(func(c *Call) tree { return chainTree(1, c) })
	case 4:
		return bcastSplitBinary
	case 5:
		return bcastTree(func(c *Call) tree { return karyTree(2, c) })
	case 6:
		return bcastTree(binomialTree)
	case 7:
		return bcastKnomialTree
	case 8:
		return bcastScatterDoubling
	}
	return bcastScatterRing
}

// bcastTree hands the whole down a tree.
func bcastTree(of func(c *Call) tree) Algorithm {
	return func(c *Call, p *Plan, phase int) bool {
		p.Tag = tagBcast
		t := of(c)
		if c.Me != c.Root {
			p.recv(t.prev, c.Send)
		}
		for _, n := range t.next {
			p.isend(n, c.Send)
		}
		p.waitAll()
		return false
	}
}

func openmpiReduce(c *Call) Algorithm {
	switch choose(ompiReduceRules, c.Size, c.Send) {
	case 2, 3:
		return reduceWhole(func(c *Call) tree { return chainTree(1, c) })
	case 4:
		return reduceWhole(func(c *Call) tree { return karyTree(2, c) })
	case 5:
		return reduceWhole(func(c *Call) tree { return inOrderBinomial(c, c.Root) })
	case 6:
		return reduceInOrderBinary
	case 7:
		if c.Send/c.Unit >= int64(floorPower(c.Size)) {
			return reduceRabenseifner
		}
	}
	return reduceInTurn
}

// reduceWhole reduces the whole up a tree.
func reduceWhole(of func(c *Call) tree) Algorithm {
	return func(c *Call, p *Plan, phase int) bool {
		p.reduceTree(c, of(c), 0)
		return false
	}
}

func openmpiAllreduce(c *Call) Algorithm {
	count := c.Send / c.Unit
	few := count < int64(c.Size) // too few elements for a ring
	switch choose(ompiAllreduceRules, c.Size, c.Send) {
	case 2:
		return openmpiReduceBcast
	case 4:
		if !few {
			return openmpiAllreduceRing
		}
	case 5:
		if !few && count >= int64(c.Size)*segmentCount(ringSegment, c.Unit, count) {
			return allreduceRingSegmented
		}
		if !few {
			return openmpiAllreduceRing
		}
	case 6:
		if !few {
			return openmpiRabenseifner
		}
	}
	return allreduceDoubling
}

// openmpiReduceBcast is a reduce to rank 0 and a bcast, each by its own rule.
func openmpiReduceBcast(c *Call, p *Plan, phase int) bool {
	part := *c
	part.Root = 0
	p.writeOut(&part, openmpiReduce(&part))
	p.writeOut(&part, openmpiBcast(&part))
	return false
}

// openmpiAllreduceRing sends blocks round a ring twice: once to add them up, once to
// hand out the sums. Blocks are as equal as can be.
func openmpiAllreduceRing(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAllreduce
	split, early, late := evenly(c.Send/c.Unit, int64(c.Size))
	block := func(i int) int64 {
		if i = (i + 2*c.Size) % c.Size; int64(i) < split {
			return early * c.Unit
		}
		return late * c.Unit
	}
	to, from := (c.Me+1)%c.Size, (c.Me-1+c.Size)%c.Size
	for first := range 2 { // of the block sent first, from one's own
		for k := range c.Size - 1 {
			p.exchange(to, block(c.Me+first-k), from, block(c.Me+first-k-1))
		}
	}
	return false
}

// openmpiRabenseifner is Rabenseifner's allreduce. Of the ranks beyond a power of two,
// the odd one of each pair adds up one half for the even one, which goes on.
func openmpiRabenseifner(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAllreduce
	power := floorPower(c.Size)
	rest, count := c.Size-power, c.Send/c.Unit
	me := c.Me - rest
	if c.Me < 2*rest {
		left, right := count/2*c.Unit, (count-count/2)*c.Unit
		if c.Me%2 != 0 {
			p.exchange(c.Me-1, left, c.Me-1, right)
			p.send(c.Me-1, right)
			p.recv(c.Me-1, c.Send)
			return false
		}
		p.exchange(c.Me+1, right, c.Me+1, left)
		p.recv(c.Me+1, right)
		me = c.Me / 2
	}
	split, early, late := evenly(count, int64(power))
	span := func(from, to int) int64 {
		upTo := func(i int64) int64 { return i*late + min(i, split)*(early-late) }
		return (upTo(int64(to)) - upTo(int64(from))) * c.Unit
	}
	real := func(r int) int {
		if r < rest {
			return 2 * r
		}
		return r + rest
	}
	p.halveAndDouble(me, power, real, span)
	if c.Me < 2*rest {
		p.send(c.Me+1, c.Send)
	}
	return false
}

// allgathervPassOn passes everybody's block round a ring.
func allgathervPassOn(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAllgatherv
	to, from := (c.Me+1)%c.Size, (c.Me-1+c.Size)%c.Size
	for k := range c.Size - 1 {
		p.exchange(to, c.Recvs[(c.Me-k+c.Size)%c.Size], from, c.Recvs[(from-k+c.Size)%c.Size])
	}
	return false
}

// alltoallvRing exchanges with ranks ever farther away, to one side and from the other.
func alltoallvRing(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAlltoallv
	for step := 1; step < c.Size; step++ {
		to, from := (c.Me+step)%c.Size, (c.Me-step+c.Size)%c.Size
		p.exchange(to, c.Sends[to], from, c.Recvs[from])
	}
	return false
}

// bcastKnomialTree is the tree in which a rank serves three others at a time.
func bcastKnomialTree(c *Call, p *Plan, phase int) bool {
	p.knomial(c)
	return false
}

// openmpiGathervBcast gathers all blocks at rank 0 and broadcasts them.
func openmpiGathervBcast(c *Call, p *Plan, phase int) bool {
	part := *c
	part.Root = 0
	p.writeOut(&part, gathervLinear)
	part.Send = total(c.Recvs)
	p.writeOut(&part, openmpiBcast(&part))
	return false
}

// total is the sum of blocks, in bytes.
func total(blocks []int64) int64 {
	sum := int64(0)
	for _, n := range blocks {
		sum += n
	}
	return sum
}
