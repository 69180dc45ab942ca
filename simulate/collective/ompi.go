package collective

import (
	"fmt"

	"auspex/trace"
)

// The ompi selector: Open MPI's decision rules over the algorithms SimGrid has
// for them.
func ompiAlgorithm(c *Call) (Algorithm, error) {
	switch c.Kind {
	case trace.Barrier:
		return ompiBarrier(c), nil
	case trace.Bcast:
		return ompiBcast(c), nil
	case trace.Reduce:
		return ompiReduce(c), nil
	case trace.Allreduce:
		return ompiAllreduce(c), nil
	case trace.Alltoall:
		return needsPower(c, ompiAlltoall(c), ompiAlltoallRules, c.Send, 2)
	case trace.Alltoallv:
		if choose(ompiAlltoallvRules, c.Size, 0) == 2 {
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
func needsPower(c *Call, a Algorithm, table []decision, bytes int64, pair int) (Algorithm, error) {
	if choose(table, c.Size, bytes) == pair && !powerOfTwo(c.Size) {
		return nil, fmt.Errorf("%s: the rules choose pairwise exchange, which needs a power of two ranks, not %d; use another selector", c.Kind, c.Size)
	}
	return a, nil
}

func ompiBarrier(c *Call) Algorithm {
	switch choose(ompiBarrierRules, c.Size, 0) {
	case 3:
		return barrierDoubling
	case 4:
		return barrierBruck
	case 6:
		return barrierTree
	}
	return barrierLinear
}

func ompiBcast(c *Call) Algorithm {
	switch choose(ompiBcastRules, c.Size, c.Send) {
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
func (p *Plan) writeOut(c *Call, a Algorithm) {
	for phase := 0; a(c, p, phase); phase++ {
	}
}

// bcastChain is a pipeline from rank 0 to the last.
func bcastChain(c *Call, p *Plan, phase int) bool {
	var next []int
	if c.Me+1 < c.Size {
		next = []int{c.Me + 1}
	}
	bcastChainOf(c, p, c.Send, c.Me-1, next, func(bytes int64) { p.bcastRest(c, bytes) })
	return false
}

// bcastBinary is a pipeline down a binary tree from rank 0.
func bcastBinary(c *Call, p *Plan, phase int) bool {
	var next []int
	for _, n := range []int{2*c.Me + 1, 2*c.Me + 2} {
		if n < c.Size {
			next = append(next, n)
		}
	}
	bcastChainOf(c, p, c.Send, (c.Me-1)/2, next, func(bytes int64) { p.bcastRest(c, bytes) })
	return false
}

// bcastRest broadcasts what a pipeline left over.
func (p *Plan) bcastRest(c *Call, bytes int64) {
	rest := *c
	rest.Send = bytes
	p.writeOut(&rest, ompiBcast(&rest))
}

func ompiReduce(c *Call) Algorithm {
	switch choose(ompiReduceRules, c.Size, c.Send) {
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

func ompiAllreduce(c *Call) Algorithm {
	switch choose(ompiAllreduceRules, c.Size, c.Send) {
	case 3:
		return allreduceDoubling
	case 4:
		return ompiAllreduceRing
	case 5:
		if c.Send > 0 && c.Send/c.Unit >= int64(c.Size)*segmentCount(ringSegment, c.Unit, c.Send/c.Unit) {
			return allreduceRingSegmented
		}
		return ompiAllreduceRing
	case 6:
		return allreduceRabenseifner
	}
	return ompiReduceBcast
}

// ompiReduceBcast is a reduce to rank 0 and a bcast, each by its own rule.
func ompiReduceBcast(c *Call, p *Plan, phase int) bool {
	part := *c
	part.Root = 0
	p.writeOut(&part, ompiReduce(&part))
	p.writeOut(&part, ompiBcast(&part))
	return false
}

func ompiAllreduceRing(c *Call, p *Plan, phase int) bool {
	if c.Send/c.Unit < int64(c.Size) {
		return ompiReduceBcast(c, p, phase)
	}
	allreduceRing(c, p, func(bytes int64) {
		rest := *c
		rest.Send = bytes
		p.writeOut(&rest, ompiAllreduce(&rest))
	})
	return false
}

func ompiAlltoall(c *Call) Algorithm {
	switch choose(ompiAlltoallRules, c.Size, c.Send) {
	case 2:
		return alltoallPair
	case 3:
		return alltoallBruck
	}
	return alltoallLinear
}

func ompiGather(c *Call) Algorithm {
	bytes := c.Send
	if c.Me == c.Root {
		bytes = c.Recv
	}
	switch choose(ompiGatherRules, c.Size, bytes) {
	case 2:
		return gatherBinomial
	case 3:
		return gatherSync
	}
	return gatherInTurn
}

func ompiScatter(c *Call) Algorithm {
	bytes := c.Recv
	if c.Me == c.Root {
		bytes = c.Send
	}
	switch choose(ompiScatterRules, c.Size, bytes) {
	case 2:
		return scatterBinomial
	case 3:
		return scatterAtOnce
	}
	return scatterInTurn
}

func ompiAllgather(c *Call) Algorithm {
	switch choose(ompiAllgatherRules, c.Size, c.Send) {
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

func ompiAllgatherv(c *Call) Algorithm {
	switch choose(ompiAllgathervRules, c.Size, total(c.Recvs)/int64(c.Size)) {
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
func ompiGathervBcast(c *Call, p *Plan, phase int) bool {
	part := *c
	part.Root = 0
	p.writeOut(&part, gathervLinear)
	part.Send = 0
	for _, n := range c.Recvs {
		part.Send = max(part.Send, n)
	}
	p.writeOut(&part, ompiBcast(&part))
	return false
}

func ompiReduceScatter(c *Call) Algorithm {
	switch choose(ompiReduceScatterRules, c.Size, total(c.Sends)) {
	case 2:
		return reduceScatterHalving
	case 3:
		return reduceScatterRing
	case 4:
		return reduceScatterButterfly
	}
	return reduceScatterDefault
}
