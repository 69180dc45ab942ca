package diagnose

import (
	"cmp"
	"maps"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// byNode is the attribute that says on which node a unit ran.
const byNode = "node"

// nodes names the node of every active unit; nil where not all are known, or
// none holds several.
func (s *study) nodes() []string {
	of := make([]string, len(s.units.names))
	for u, unit := range s.d.Units {
		if k := s.units.of[u]; k >= 0 {
			of[k] = unit.Node
		}
	}
	out := pick(of, s.active)
	distinct := slices.Compact(slices.Sorted(slices.Values(out)))
	if s.units.level == Nodes || slices.Contains(out, "") || len(distinct) < 2 || len(out) < 2*len(distinct) {
		return nil
	}
	return out
}

// mostlyByNode is the least share of the variance between nodes: units on one
// node are nearly as slow as each other where it is the node's fault.
const mostlyByNode = 0.8

// nodeNames are some of the nodes.
type nodeNames []string

// units parts the units into those on the nodes and the others.
func (n nodeNames) units(on []string) (there, elsewhere []int) {
	for i, node := range on {
		if slices.Contains(n, node) {
			there = append(there, i)
		} else {
			elsewhere = append(elsewhere, i)
		}
	}
	return there, elsewhere
}

// nearlyAll of the units of a slow node are slow, and of the slow units on one.
const nearlyAll = 0.85

// slowest are the nodes on which it takes longer, the slowest first: those above
// the widest gap between the means. None, if some of them have units that do not
// take longer, or there are slow units elsewhere: then it is not the nodes. Nor can
// it be told of several whose units are one run of ranks: their part of the problem
// may be the reason as well.
func slowest(means map[string]float64, on []string, times []float64) nodeNames {
	names := slices.SortedFunc(maps.Keys(means), func(a, b string) int {
		return cmp.Or(cmp.Compare(means[b], means[a]), cmp.Compare(a, b))
	})
	cut := 1
	for k := 2; k < len(names); k++ {
		if means[names[k-1]]-means[names[k]] > means[names[cut-1]]-means[names[cut]] {
			cut = k
		}
	}
	slow := nodeNames(names[:cut])
	there, elsewhere := slow.units(on)
	if cut > 1 && there[len(there)-1]-there[0] == len(there)-1 {
		return nil
	}
	limit := (average(pick(times, there)) + average(pick(times, elsewhere))) / 2
	units, late := map[string]float64{}, map[string]float64{}
	for i, node := range on {
		units[node]++
		if times[i] > limit {
			late[node]++
		}
	}
	inside, all := 0.0, 0.0
	for node, n := range late {
		all += n
		if slices.Contains(slow, node) {
			inside += n
		}
	}
	if inside < nearlyAll*all || slices.ContainsFunc(slow, func(node string) bool { return late[node] < nearlyAll*units[node] }) {
		return nil
	}
	return slow
}

// placed asks of times that no metric explains whether the nodes do, by analysis
// of variance. The values are the means over the units of a node.
func (s *study) placed(times []float64) (attribute, bool) {
	on := s.nodes()
	if on == nil {
		return attribute{}, false
	}
	sums, counts := map[string]float64{}, map[string]float64{}
	for i, node := range on {
		sums[node] += times[i]
		counts[node]++
	}
	a := attribute{name: byNode, metric: byNode, values: make([]float64, len(on)), nodes: on}
	for i, node := range on {
		a.values[i] = sums[node] / counts[node]
	}
	a.seen = a.values
	for node, n := range counts {
		sums[node] /= n
	}
	if a.slowNodes = slowest(sums, on, times); a.slowNodes == nil {
		return attribute{}, false
	}
	all, between := covariance(times, times), covariance(a.values, a.values)
	among, free := float64(len(sums)-1), float64(len(on)-len(sums))
	if !(all > 0) || free < 2 || between < mostlyByNode*all || (all-between)/all >= alongTheRanks(times) {
		return attribute{}, false
	}
	if left := all - between; left > 1e-12*all {
		f := between / among / (left / free)
		return a, (distuv.F{D1: among, D2: free}).Survival(f) < significance
	}
	return a, true
}

// alongTheRanks is what a smooth curve over the units, in their order, leaves
// of the times' variance. Neighbours share a node, so that a gradient looks
// like one of nodes, too, and is none.
func alongTheRanks(times []float64) float64 {
	first, second := make([]float64, len(times)), make([]float64, len(times))
	for i := range times {
		first[i] = float64(i)
		second[i] = first[i] * first[i]
	}
	return unexplained([]attribute{{values: first}, {values: second}}, []int{0, 1}, times)
}
