package diagnose

import (
	"cmp"
	"maps"
	"math"
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
// the widest gap between the means. None, if it is not the nodes.
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
	limit := (average(pick(times, there)) + average(pick(times, elsewhere))) / 2
	var late []int
	for i, v := range times {
		if v > limit {
			late = append(late, i)
		}
	}
	if !slow.have(late, on) {
		return nil
	}
	return slow
}

// have tells whether it is the nodes that some units have in common: nearly all of
// each node's, and nearly none elsewhere. It cannot be told of several nodes whose units
// are one run of ranks: their part of the problem may be the reason as well.
func (n nodeNames) have(late []int, on []string) bool {
	there, elsewhere := n.units(on)
	if len(there) == 0 || len(elsewhere) == 0 || len(n) > 1 && there[len(there)-1]-there[0] == len(there)-1 {
		return false
	}
	units, slow, inside := map[string]float64{}, map[string]float64{}, 0.0
	for _, node := range on {
		units[node]++
	}
	for _, i := range late {
		slow[on[i]]++
		if slices.Contains(n, on[i]) {
			inside++
		}
	}
	return inside >= nearlyAll*float64(len(late)) && !slices.ContainsFunc(n, func(node string) bool { return slow[node] < nearlyAll*units[node] })
}

// nodesOf are the nodes that some units have in common; none where it is not the nodes.
func nodesOf(units []int, on []string) nodeNames {
	all, of := map[string]float64{}, map[string]float64{}
	for _, node := range on {
		all[node]++
	}
	for _, i := range units {
		of[on[i]]++
	}
	var out nodeNames
	for _, node := range slices.Sorted(maps.Keys(of)) {
		if of[node] >= nearlyAll*all[node] {
			out = append(out, node)
		}
	}
	if !out.have(units, on) {
		return nil
	}
	return out
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
	if !(all > 0) || free < 2 || between < mostlyByNode*all && !a.slowNodes.standOut(on, times) || (all-between)/all >= alongTheRanks(times) {
		return attribute{}, false
	}
	if left := all - between; left > 1e-12*all {
		f := between / among / (left / free)
		return a, (distuv.F{D1: among, D2: free}).Survival(f) < significance
	}
	return a, true
}

// farOut is how many standard deviations from the others slow nodes are, whatever share
// of the variance is theirs: a few of very many nodes have little of it.
const farOut = 5

// standOut tells whether the nodes' units are so far from the others.
func (n nodeNames) standOut(on []string, times []float64) bool {
	there, elsewhere := n.units(on)
	of, than := pick(times, there), pick(times, elsewhere)
	noise := math.Sqrt(max(covariance(of, of)/float64(len(of)), covariance(than, than)/float64(len(than))))
	return average(of)-average(than) >= farOut*noise
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
