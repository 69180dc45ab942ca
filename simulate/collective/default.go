package collective

import (
	"slices"

	"auspex/trace"
)

// SimGrid's default selector: mostly the textbook's linear algorithms.
func defaultAlgorithm(c *Call) (Algorithm, error) {
	switch c.Kind {
	case trace.Barrier:
		return barrierLinear, nil
	case trace.Bcast:
		return bcastBinomial, nil
	case trace.Reduce:
		return reduceLinear, nil
	case trace.Allreduce:
		return allreduceReduceBcast, nil
	case trace.Scan, trace.Exscan:
		return scanLinear, nil
	case trace.Alltoall:
		return needsPower(c, ompiAlltoall(c), ompiAlltoallRules, c.Send, 2)
	case trace.Alltoallv:
		return alltoallvLinear, nil
	case trace.Gather:
		return gatherLinear, nil
	case trace.Scatter:
		return scatterLinear, nil
	case trace.Allgather:
		return allgatherLinear, nil
	case trace.Gatherv:
		return gathervLinear, nil
	case trace.Allgatherv:
		return allgathervLinear, nil
	case trace.Scatterv:
		return scattervLinear, nil
	}
	return reduceScatterDefault, nil // trace.ReduceScatter
}

// barrierLinear: all report to rank 0, which then tells all.
func barrierLinear(c *Call, p *Plan, phase int) bool {
	p.Tag = tagBarrier
	if c.Me > 0 {
		p.send(0, 0)
		p.recv(0, 0)
		return false
	}
	for i := 1; i < c.Size; i++ {
		p.irecv(i, 0)
	}
	p.waitAll()
	for i := 1; i < c.Size; i++ {
		p.isend(i, 0)
	}
	p.waitAll()
	return false
}

// bcastBinomial: the distance to the next receiver halves with every step.
func bcastBinomial(c *Call, p *Plan, phase int) bool {
	p.Tag = tagBcast
	p.binomialDown(c, c.Root, c.Send)
	return false
}

// binomialDown hands bytes down the binomial tree from root.
func (p *Plan) binomialDown(c *Call, root int, bytes int64) {
	relative := (c.Me - root + c.Size) % c.Size
	mask := 1
	for ; mask < c.Size; mask <<= 1 {
		if relative&mask != 0 {
			p.recv((c.Me-mask+c.Size)%c.Size, bytes)
			break
		}
	}
	for mask >>= 1; mask > 0; mask >>= 1 {
		if relative+mask < c.Size {
			p.send((c.Me+mask)%c.Size, bytes)
		}
	}
}

func reduceLinear(c *Call, p *Plan, phase int) bool {
	p.Tag = tagReduce
	p.gatherTo(c, c.Root, c.Send)
	return false
}

// gatherTo: all send to root, which receives them all at once.
func (p *Plan) gatherTo(c *Call, root int, bytes int64) {
	if c.Me != root {
		p.isend(root, bytes)
	} else {
		p.Steps = slices.Grow(p.Steps, c.Size) // to grow bit by bit takes twice the room
		for i := range c.Size {
			if i != root {
				p.irecv(i, bytes)
			}
		}
	}
	p.waitAll()
}

// scatterFrom: root sends to all at once.
func (p *Plan) scatterFrom(c *Call, root int, bytes func(int) int64, mine int64) {
	if c.Me != root {
		p.irecv(root, mine)
	} else {
		for i := range c.Size {
			if i != root {
				p.isend(i, bytes(i))
			}
		}
	}
	p.waitAll()
}

func allreduceReduceBcast(c *Call, p *Plan, phase int) bool {
	if phase == 0 {
		p.Tag = tagReduce
		p.gatherTo(c, 0, c.Send)
		return true
	}
	p.Tag = tagBcast
	p.binomialDown(c, 0, c.Send)
	return false
}

func scanLinear(c *Call, p *Plan, phase int) bool {
	p.Tag = tagScan
	for i := range c.Me {
		p.irecv(i, c.Send)
	}
	for i := c.Me + 1; i < c.Size; i++ {
		p.isend(i, c.Send)
	}
	p.waitAll()
	return false
}

func alltoallvLinear(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAlltoallv
	for i := range c.Size {
		if i != c.Me {
			p.irecv(i, c.Recvs[i])
		}
	}
	for i := range c.Size {
		if i != c.Me {
			p.isend(i, c.Sends[i])
		}
	}
	p.waitAll()
	return false
}

func gatherLinear(c *Call, p *Plan, phase int) bool {
	p.Tag = tagGather
	if c.Me != c.Root {
		p.isend(c.Root, c.Send)
	} else {
		for i := range c.Size {
			if i != c.Root {
				p.irecv(i, c.Recv)
			}
		}
	}
	p.waitAll()
	return false
}

func gathervLinear(c *Call, p *Plan, phase int) bool {
	p.Tag = tagGatherv
	if c.Me != c.Root {
		p.isend(c.Root, c.Send)
	} else {
		for i := range c.Size {
			if i != c.Root {
				p.irecv(i, c.Recvs[i])
			}
		}
	}
	p.waitAll()
	return false
}

func scatterLinear(c *Call, p *Plan, phase int) bool {
	p.Tag = tagScatter
	p.scatterFrom(c, c.Root, func(int) int64 { return c.Send }, c.Recv)
	return false
}

func scattervLinear(c *Call, p *Plan, phase int) bool {
	p.Tag = tagScatterv
	p.scatterFrom(c, c.Root, func(i int) int64 { return c.Sends[i] }, c.Recv)
	return false
}

func allgatherLinear(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAllgather
	for i := range c.Size {
		if i != c.Me {
			p.isend(i, c.Send)
			p.irecv(i, c.Recv)
		}
	}
	p.waitAll()
	return false
}

func allgathervLinear(c *Call, p *Plan, phase int) bool {
	p.Tag = tagAllgatherv
	for i := range c.Size {
		if i != c.Me {
			p.isend(i, c.Send)
			p.irecv(i, c.Recvs[i])
		}
	}
	p.waitAll()
	return false
}

// reduceScatterDefault reduces to rank 0 and scatters from there where all
// counts are equal, and leaves the rest to a rule of MPICH's.
func reduceScatterDefault(c *Call, p *Plan, phase int) bool {
	total := int64(0)
	for _, n := range c.Sends {
		if n != c.Sends[0] {
			return unevenReduceScatter(c)(c, p, phase)
		}
		total += n
	}
	p.Tag = tagReduce
	p.gatherTo(c, 0, total)
	p.Tag = tagScatterv
	p.scatterFrom(c, 0, func(i int) int64 { return c.Sends[i] }, c.Sends[c.Me])
	return false
}
