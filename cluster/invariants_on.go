//go:build invariants

package cluster

import (
	"fmt"
	"math"
)

// check panics if a bound of the tree could hide a point.
func (t *tree) check() {
	seen := make([]bool, len(t.id))
	for _, id := range t.id {
		if seen[id] {
			panic(fmt.Sprintf("cluster: point %d is in the tree twice", id))
		}
		seen[id] = true
	}
	for n := range t.nodes {
		nd := &t.nodes[n]
		if nd.left != 0 && (t.nodes[nd.left].first != nd.first || t.nodes[nd.left].end != t.nodes[nd.right].first || t.nodes[nd.right].end != nd.end) {
			panic(fmt.Sprintf("cluster: the children of node %d do not make it up", n))
		}
		c, low, high := t.of(t.centre, int32(n)), t.of(t.low, int32(n)), t.of(t.high, int32(n))
		for pos := nd.first; pos < nd.end; pos++ {
			if math.Sqrt(squared(c, t.row(pos), math.Inf(1))) > nd.radius {
				panic(fmt.Sprintf("cluster: position %d is outside the ball of node %d", pos, n))
			}
			for k, x := range t.row(pos) {
				if x < low[k] || x > high[k] {
					panic(fmt.Sprintf("cluster: position %d is outside the box of node %d", pos, n))
				}
			}
		}
	}
}

// check panics if lists are not mutual or hold more than they should.
func (nb *neighbours) check(t *tree) {
	for i := range t.id {
		for k := nb.start[i]; k < nb.start[i+1]; k++ {
			j := nb.pos[k]
			if d := squared(t.row(int32(i)), t.row(j), math.Inf(1)); d != nb.dist[k] || d > nb.reach {
				panic(fmt.Sprintf("cluster: neighbours %d and %d listed at %v are %v apart, lists reach %v", i, j, nb.dist[k], d, nb.reach))
			}
			mutual := false
			for m := nb.start[j]; m < nb.start[j+1] && !mutual; m++ {
				mutual = nb.pos[m] == int32(i)
			}
			if !mutual {
				panic(fmt.Sprintf("cluster: %d lists %d but not the other way round", i, j))
			}
		}
	}
}

// check panics if the ordering is not one.
func (o *Ordering) check() {
	place := make([]int, len(o.Order))
	for i := range place {
		place[i] = -1
	}
	for k, i := range o.Order {
		if place[i] >= 0 {
			panic(fmt.Sprintf("cluster: point %d is ordered twice", i))
		}
		place[i] = k
	}
	for i, from := range o.Predecessor {
		if (from < 0) != math.IsInf(o.Reachability[i], 1) {
			panic(fmt.Sprintf("cluster: point %d has predecessor %d and reachability %v", i, from, o.Reachability[i]))
		}
		if from >= 0 && (place[from] >= place[i] || o.Reachability[i] < o.Core[from] && o.Core[from] != o.Core[i]) {
			panic(fmt.Sprintf("cluster: point %d cannot be reached from %d", i, from))
		}
	}
}
