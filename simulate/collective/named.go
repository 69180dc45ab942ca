package collective

import (
	"slices"

	"auspex/trace"
)

// named are the algorithms that can be asked for by name, whatever a library's table
// would choose.
var named = map[trace.Kind]map[string]Algorithm{
	trace.Allreduce: {
		"linear":             reduceAndBcast(reduceInTurn, bcastTree(flatTree)),
		"binomial":           reduceAndBcast(reduceBinomially, bcastTree(binomialTree)),
		"recursive-doubling": allreduceDoubling,
		"ring":               withEnough(openmpiAllreduceRing, allreduceDoubling),
		"rabenseifner":       withEnough(openmpiRabenseifner, allreduceDoubling),
	},
	trace.Bcast: {
		"linear":             bcastTree(flatTree),
		"binomial":           bcastTree(binomialTree),
		"recursive-doubling": bcastScatterDoubling,
		"ring":               bcastScatterRing,
	},
	trace.Reduce: {
		"linear":       reduceInTurn,
		"binomial":     reduceBinomially,
		"rabenseifner": withEnough(reduceRabenseifner, reduceBinomially),
	},
	trace.ReduceScatter: {
		"linear":             reduceScatterPair,
		"recursive-doubling": reduceScatterDoubling,
		"ring":               reduceScatterRing,
	},
}

// Named is the algorithm of a name.
func Named(k trace.Kind, name string) (Algorithm, bool) {
	a, ok := named[k][name]
	return a, ok
}

// Names are those that Named knows for a collective.
func Names(k trace.Kind) []string {
	var list []string
	for name := range named[k] {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

var reduceBinomially = reduceWhole(func(c *Call) tree { return inOrderBinomial(c, c.Root) })

// reduceAndBcast is an allreduce by way of rank 0.
func reduceAndBcast(reduce, bcast Algorithm) Algorithm {
	return func(c *Call, p *Plan, phase int) bool {
		part := *c
		part.Root = 0
		p.writeOut(&part, reduce)
		p.writeOut(&part, bcast)
		return false
	}
}

// withEnough divides data among the ranks where there is an element for each, and does
// without else.
func withEnough(divided, whole Algorithm) Algorithm {
	return func(c *Call, p *Plan, phase int) bool {
		if c.Send/c.Unit < int64(c.Size) {
			return whole(c, p, phase)
		}
		return divided(c, p, phase)
	}
}
