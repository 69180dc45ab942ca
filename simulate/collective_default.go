package simulate

import "auspex/trace"

// SimGrid's default selector: mostly the textbook's linear algorithms.
func defaultAlgorithm(c *call) (algorithm, error) {
	switch c.kind {
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
		return needsPower(c, ompiAlltoall(c), ompiAlltoallRules, c.send, 2)
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
func barrierLinear(c *call, p *plan, phase int) bool {
	p.tag = tagBarrier
	if c.me > 0 {
		p.send(0, 0)
		p.recv(0, 0)
		return false
	}
	for i := 1; i < c.size; i++ {
		p.irecv(i, 0)
	}
	p.waitAll()
	for i := 1; i < c.size; i++ {
		p.isend(i, 0)
	}
	p.waitAll()
	return false
}

// bcastBinomial: the distance to the next receiver halves with every step.
func bcastBinomial(c *call, p *plan, phase int) bool {
	p.tag = tagBcast
	p.binomialDown(c, c.root, c.send)
	return false
}

// binomialDown hands bytes down the binomial tree from root.
func (p *plan) binomialDown(c *call, root int, bytes int64) {
	relative := (c.me - root + c.size) % c.size
	mask := 1
	for ; mask < c.size; mask <<= 1 {
		if relative&mask != 0 {
			p.recv((c.me-mask+c.size)%c.size, bytes)
			break
		}
	}
	for mask >>= 1; mask > 0; mask >>= 1 {
		if relative+mask < c.size {
			p.send((c.me+mask)%c.size, bytes)
		}
	}
}

func reduceLinear(c *call, p *plan, phase int) bool {
	p.tag = tagReduce
	p.gatherTo(c, c.root, c.send)
	return false
}

// gatherTo: all send to root, which receives them all at once.
func (p *plan) gatherTo(c *call, root int, bytes int64) {
	if c.me != root {
		p.isend(root, bytes)
	} else {
		for i := range c.size {
			if i != root {
				p.irecv(i, bytes)
			}
		}
	}
	p.waitAll()
}

// scatterFrom: root sends to all at once.
func (p *plan) scatterFrom(c *call, root int, bytes func(int) int64, mine int64) {
	if c.me != root {
		p.irecv(root, mine)
	} else {
		for i := range c.size {
			if i != root {
				p.isend(i, bytes(i))
			}
		}
	}
	p.waitAll()
}

func allreduceReduceBcast(c *call, p *plan, phase int) bool {
	if phase == 0 {
		p.tag = tagReduce
		p.gatherTo(c, 0, c.send)
		return true
	}
	p.tag = tagBcast
	p.binomialDown(c, 0, c.send)
	return false
}

func scanLinear(c *call, p *plan, phase int) bool {
	p.tag = tagScan
	for i := range c.me {
		p.irecv(i, c.send)
	}
	for i := c.me + 1; i < c.size; i++ {
		p.isend(i, c.send)
	}
	p.waitAll()
	return false
}

func alltoallvLinear(c *call, p *plan, phase int) bool {
	p.tag = tagAlltoallv
	for i := range c.size {
		if i != c.me {
			p.irecv(i, c.recvs[i])
		}
	}
	for i := range c.size {
		if i != c.me {
			p.isend(i, c.sends[i])
		}
	}
	p.waitAll()
	return false
}

func gatherLinear(c *call, p *plan, phase int) bool {
	p.tag = tagGather
	if c.me != c.root {
		p.isend(c.root, c.send)
	} else {
		for i := range c.size {
			if i != c.root {
				p.irecv(i, c.recv)
			}
		}
	}
	p.waitAll()
	return false
}

func gathervLinear(c *call, p *plan, phase int) bool {
	p.tag = tagGatherv
	if c.me != c.root {
		p.isend(c.root, c.send)
	} else {
		for i := range c.size {
			if i != c.root {
				p.irecv(i, c.recvs[i])
			}
		}
	}
	p.waitAll()
	return false
}

func scatterLinear(c *call, p *plan, phase int) bool {
	p.tag = tagScatter
	p.scatterFrom(c, c.root, func(int) int64 { return c.send }, c.recv)
	return false
}

func scattervLinear(c *call, p *plan, phase int) bool {
	p.tag = tagScatterv
	p.scatterFrom(c, c.root, func(i int) int64 { return c.sends[i] }, c.recv)
	return false
}

func allgatherLinear(c *call, p *plan, phase int) bool {
	p.tag = tagAllgather
	for i := range c.size {
		if i != c.me {
			p.isend(i, c.send)
			p.irecv(i, c.recv)
		}
	}
	p.waitAll()
	return false
}

func allgathervLinear(c *call, p *plan, phase int) bool {
	p.tag = tagAllgatherv
	for i := range c.size {
		if i != c.me {
			p.isend(i, c.send)
			p.irecv(i, c.recvs[i])
		}
	}
	p.waitAll()
	return false
}

// reduceScatterDefault reduces to rank 0 and scatters from there where all
// counts are equal, and leaves the rest to a rule of MPICH's.
func reduceScatterDefault(c *call, p *plan, phase int) bool {
	total := int64(0)
	for _, n := range c.sends {
		if n != c.sends[0] {
			return unevenReduceScatter(c)(c, p, phase)
		}
		total += n
	}
	p.tag = tagReduce
	p.gatherTo(c, 0, total)
	p.tag = tagScatterv
	p.scatterFrom(c, 0, func(i int) int64 { return c.sends[i] }, c.sends[c.me])
	return false
}
