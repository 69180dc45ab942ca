package simulate

import (
	"fmt"

	"auspex/trace"
)

// The ompi selector: Open MPI's decision rules over the algorithms SimGrid has
// for them.
func ompiAlgorithm(c *call) (algorithm, error) {
	switch c.kind {
	case trace.Barrier:
		return ompiBarrier(c), nil
	case trace.Bcast:
		return ompiBcast(c), nil
	case trace.Reduce:
		return ompiReduce(c), nil
	case trace.Allreduce:
		return ompiAllreduce(c), nil
	case trace.Alltoall:
		return needsPower(c, ompiAlltoall(c), ompiAlltoallRules, c.send, 2)
	case trace.Alltoallv:
		if choose(ompiAlltoallvRules, c.size, 0) == 2 {
			return needsPower(c, alltoallvPair, ompiAlltoallvRules, 0, 2)
		}
		return alltoallvLinear, nil
	case trace.Gather:
		return ompiGather(c), nil
	case trace.Scatter:
		return ompiScatter(c), nil
	case trace.Allgather:
		return ompiAllgather(c), nil
	case trace.Allgatherv:
		return ompiAllgatherv(c), nil
	case trace.ReduceScatter:
		return ompiReduceScatter(c), nil
	}
	return defaultAlgorithm(c)
}

// needsPower refuses pairwise exchange for other numbers of ranks than powers
// of two, as SimGrid does.
func needsPower(c *call, a algorithm, table []decision, bytes int64, pair int) (algorithm, error) {
	if choose(table, c.size, bytes) == pair && !powerOfTwo(c.size) {
		return nil, fmt.Errorf("%s: the rules choose pairwise exchange, which needs a power of two ranks, not %d; use another selector", c.kind, c.size)
	}
	return a, nil
}

func ompiBarrier(c *call) algorithm {
	switch choose(ompiBarrierRules, c.size, 0) {
	case 3:
		return barrierDoubling
	case 4:
		return barrierBruck
	case 6:
		return barrierTree
	}
	return barrierLinear
}

func ompiBcast(c *call) algorithm {
	switch choose(ompiBcastRules, c.size, c.send) {
	case 1:
		return bcastChain
	case 2, 3:
		return bcastPipeline
	case 4:
		return bcastSplitBinary
	case 5:
		return bcastBinary
	case 6:
		return bcastBinomial
	case 7:
		return bcastKnomial
	case 8:
		return bcastScatterDoubling
	}
	return bcastScatterRing
}

// writeOut appends all phases of an algorithm.
func (p *plan) writeOut(c *call, a algorithm) {
	for phase := 0; a(c, p, phase); phase++ {
	}
}

// bcastChain is a pipeline from rank 0 to the last.
func bcastChain(c *call, p *plan, phase int) bool {
	var next []int
	if c.me+1 < c.size {
		next = []int{c.me + 1}
	}
	bcastChainOf(c, p, c.send, c.me-1, next, func(bytes int64) { p.bcastRest(c, bytes) })
	return false
}

// bcastBinary is a pipeline down a binary tree from rank 0.
func bcastBinary(c *call, p *plan, phase int) bool {
	var next []int
	for _, n := range []int{2*c.me + 1, 2*c.me + 2} {
		if n < c.size {
			next = append(next, n)
		}
	}
	bcastChainOf(c, p, c.send, (c.me-1)/2, next, func(bytes int64) { p.bcastRest(c, bytes) })
	return false
}

// bcastRest broadcasts what a pipeline left over.
func (p *plan) bcastRest(c *call, bytes int64) {
	rest := *c
	rest.send = bytes
	p.writeOut(&rest, ompiBcast(&rest))
}

func ompiReduce(c *call) algorithm {
	switch choose(ompiReduceRules, c.size, c.send) {
	case 2:
		return reduceChain
	case 3:
		return reducePipeline
	case 4:
		return reduceBinary
	case 5:
		return reduceInOrderBinomial
	case 6:
		return reduceInOrderBinary
	}
	return reduceInTurn // Rabenseifner's is not used by SimGrid either
}

func ompiAllreduce(c *call) algorithm {
	switch choose(ompiAllreduceRules, c.size, c.send) {
	case 3:
		return allreduceDoubling
	case 4:
		return ompiAllreduceRing
	case 5:
		if c.send > 0 && c.send/c.unit >= int64(c.size)*segmentCount(ringSegment, c.unit, c.send/c.unit) {
			return allreduceRingSegmented
		}
		return ompiAllreduceRing
	case 6:
		return allreduceRabenseifner
	}
	return ompiReduceBcast
}

// ompiReduceBcast is a reduce to rank 0 and a bcast, each by its own rule.
func ompiReduceBcast(c *call, p *plan, phase int) bool {
	part := *c
	part.root = 0
	p.writeOut(&part, ompiReduce(&part))
	p.writeOut(&part, ompiBcast(&part))
	return false
}

func ompiAllreduceRing(c *call, p *plan, phase int) bool {
	if c.send/c.unit < int64(c.size) {
		return ompiReduceBcast(c, p, phase)
	}
	allreduceRing(c, p, func(bytes int64) {
		rest := *c
		rest.send = bytes
		p.writeOut(&rest, ompiAllreduce(&rest))
	})
	return false
}

func ompiAlltoall(c *call) algorithm {
	switch choose(ompiAlltoallRules, c.size, c.send) {
	case 2:
		return alltoallPair
	case 3:
		return alltoallBruck
	}
	return alltoallLinear
}

func ompiGather(c *call) algorithm {
	bytes := c.send
	if c.me == c.root {
		bytes = c.recv
	}
	switch choose(ompiGatherRules, c.size, bytes) {
	case 2:
		return gatherBinomial
	case 3:
		return gatherSync
	}
	return gatherInTurn
}

func ompiScatter(c *call) algorithm {
	bytes := c.recv
	if c.me == c.root {
		bytes = c.send
	}
	switch choose(ompiScatterRules, c.size, bytes) {
	case 2:
		return scatterBinomial
	case 3:
		return scatterAtOnce
	}
	return scatterInTurn
}

func ompiAllgather(c *call) algorithm {
	switch choose(ompiAllgatherRules, c.size, c.send) {
	case 2:
		return allgatherBruck
	case 3:
		return allgatherDoubling
	case 4:
		return allgatherRing
	case 5:
		return allgatherNeighbourExchange
	case 6:
		return allgatherPair
	}
	return allgatherNeighbours
}

func ompiAllgatherv(c *call) algorithm {
	total := int64(0)
	for _, n := range c.recvs {
		total += n
	}
	switch choose(ompiAllgathervRules, c.size, total/int64(c.size)) {
	case 2:
		return allgathervBruck
	case 3:
		return allgathervPipelinedRing
	case 4:
		return allgathervNeighbourExchange
	case 5:
		return allgathervPair
	}
	return ompiGathervBcast
}

// ompiGathervBcast gathers at rank 0 and broadcasts. The replay knows no
// displacements, so SimGrid takes all blocks to lie at the start of the buffer
// and broadcasts only the largest one.
func ompiGathervBcast(c *call, p *plan, phase int) bool {
	part := *c
	part.root = 0
	p.writeOut(&part, gathervLinear)
	part.send = 0
	for _, n := range c.recvs {
		part.send = max(part.send, n)
	}
	p.writeOut(&part, ompiBcast(&part))
	return false
}

func ompiReduceScatter(c *call) algorithm {
	total := int64(0)
	for _, n := range c.sends {
		total += n
	}
	switch choose(ompiReduceScatterRules, c.size, total) {
	case 2:
		return reduceScatterHalving
	case 3:
		return reduceScatterRing
	case 4:
		return reduceScatterButterfly
	}
	return reduceScatterDefault
}
