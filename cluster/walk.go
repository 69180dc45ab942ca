package cluster

import (
	"context"
	"math"
	"math/bits"
	"slices"
)

// walk is the expansion of OPTICS over the points of a tree (Ankerst,
// Breunig, Kriegel and Sander, "OPTICS: Ordering Points To Identify the
// Clustering Structure", 1999), exact, but with the far updates put off.
//
// The original updates all points within eps of each point it orders. Here a
// point at once updates only the neighbours in its list. That is enough as
// long as the next reachability is within the lists' reach, for any update
// left out could only have given a larger value. Once the next reachability
// would be larger, all updates put off are done together, and by then most
// points have left the queue and need none.
type walk struct {
	t     *tree
	nb    *neighbours
	eps2  float64
	seeds seeds
	done  []bool
	from  []int32 // by position: what its key comes from, -1 for nothing

	leafOf []int32   // by position
	parent []int32   // by node
	open   []int32   // by node: points not yet ordered
	owed   []int32   // ordered points whose far updates are put off
	top    []float64 // by node: no open point has a larger key
	packed []int32   // positions in the order the tree's blocks hold them
	filled []int32   // by node: how many points of a leaf its blocks hold
}

func newWalk(t *tree, nb *neighbours, eps2 float64) *walk {
	n, m := len(t.id), len(t.nodes)
	w := &walk{
		t: t, nb: nb, eps2: eps2,
		seeds:  seeds{key: make([]float64, n), id: t.id, slot: make([]int32, n)},
		done:   make([]bool, n),
		from:   make([]int32, n),
		leafOf: make([]int32, n),
		parent: make([]int32, m), open: make([]int32, m), top: make([]float64, m),
		packed: make([]int32, n), filled: make([]int32, m),
	}
	for i := range n {
		w.seeds.key[i], w.seeds.slot[i] = math.Inf(1), -1
		w.packed[i], w.from[i] = int32(i), -1
	}
	w.parent[0] = -1
	for k := range t.nodes {
		nd := &t.nodes[k]
		w.open[k], w.filled[k], w.top[k] = nd.end-nd.first, nd.end-nd.first, math.Inf(1)
		if nd.left != 0 {
			w.parent[nd.left], w.parent[nd.right] = int32(k), int32(k)
			continue
		}
		for pos := nd.first; pos < nd.end; pos++ {
			w.leafOf[pos] = int32(k)
		}
	}
	return w
}

// run orders all points, calling visit for each with its squared reachability
// and the position it was reached from, -1 for a new start.
func (w *walk) run(ctx context.Context, visit func(pos, from int32, reach float64)) error {
	start := make([]int32, len(w.t.id)) // positions in the caller's order
	for pos, id := range w.t.id {
		start[id] = int32(pos)
	}
	for step := 0; ; {
		if len(w.seeds.heap) == 0 || w.seeds.key[w.seeds.heap[0]] > w.nb.reach {
			if len(w.owed) > 0 {
				if err := w.settle(ctx); err != nil {
					return err
				}
				continue
			}
		}
		var pos int32
		if len(w.seeds.heap) > 0 {
			pos = w.seeds.pop()
		} else {
			for len(start) > 0 && w.done[start[0]] {
				start = start[1:]
			}
			if len(start) == 0 {
				return nil
			}
			pos = start[0]
		}
		visit(pos, w.from[pos], w.seeds.key[pos])
		w.order(pos)
		if step++; step%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// order takes pos out of the open points and updates its listed neighbours.
func (w *walk) order(pos int32) {
	w.done[pos] = true
	core := w.nb.core[pos]
	isCore := !math.IsInf(core, 1)
	if isCore && w.nb.reach < w.eps2 {
		w.owed = append(w.owed, pos)
	}
	for n := w.leafOf[pos]; n >= 0; n = w.parent[n] {
		w.open[n]--
	}
	if !isCore {
		return
	}
	for k := w.nb.start[pos]; k < w.nb.start[pos+1]; k++ {
		p := w.nb.pos[k]
		if v := max(core, w.nb.dist[k]); !w.done[p] && v < w.seeds.key[p] {
			w.lower(p, pos, v)
		}
	}
}

// lower notes that p can be reached at key from the ordered point o.
func (w *walk) lower(p, o int32, key float64) {
	w.from[p] = o
	w.seeds.lower(p, key)
}

// settle does all updates put off, leaf by leaf.
func (w *walk) settle(ctx context.Context) error {
	slices.Sort(w.owed)
	for rest := w.owed; len(rest) > 0; {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		leaf := w.leafOf[rest[0]]
		k := 1
		for k < len(rest) && w.leafOf[rest[k]] == leaf {
			k++
		}
		w.spread(leaf, rest[:k], 0)
		rest = rest[k:]
	}
	w.owed = w.owed[:0]
	return nil
}

// spread updates the open points below node n from the given points of a leaf.
func (w *walk) spread(leaf int32, from []int32, n int32) {
	if w.open[n] == 0 {
		return
	}
	var apart float64
	bound := min(w.eps2, w.top[n])
	if len(from) == 1 {
		apart = w.t.pointApart(w.t.row(from[0]), n, bound)
	} else {
		apart = w.t.apart(leaf, n, bound)
	}
	if apart > bound {
		return
	}
	if nd := &w.t.nodes[n]; nd.left != 0 {
		w.spread(leaf, from, nd.left)
		w.spread(leaf, from, nd.right)
		w.top[n] = max(w.top[nd.left], w.top[nd.right])
		return
	}
	w.spreadToLeaf(from, n)
}

func (w *walk) spreadToLeaf(from []int32, n int32) {
	if w.open[n] <= w.filled[n]-lanes {
		w.pack(n)
	}
	nd := &w.t.nodes[n]
	packed := w.packed[nd.first:][:w.filled[n]]
	lowered := false
	var dist [leafSize]float64
	for _, o := range from {
		core := w.nb.core[o]
		if core >= w.top[n] {
			continue
		}
		for m := w.t.scan(w.t.row(o), nd, len(packed), min(w.eps2, w.top[n]), &dist); m != 0; m &= m - 1 {
			l := bits.TrailingZeros64(m)
			p := packed[l]
			if v := max(core, dist[l]); v < w.seeds.key[p] && !w.done[p] {
				w.lower(p, o, v)
				lowered = true
			}
		}
	}
	if lowered {
		w.top[n] = 0
		for _, p := range packed {
			if !w.done[p] {
				w.top[n] = max(w.top[n], w.seeds.key[p])
			}
		}
	}
}

// pack fills the blocks of a leaf anew with only its open points, so that
// nothing is spent on comparing with the others.
func (w *walk) pack(leaf int32) {
	nd := &w.t.nodes[leaf]
	open := w.packed[nd.first:][:0]
	for _, p := range w.packed[nd.first:][:w.filled[leaf]] {
		if !w.done[p] {
			open = append(open, p)
		}
	}
	w.filled[leaf] = int32(len(open))
	w.t.fill(nd, open)
}
