package cluster

import (
	"context"
	"math"
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

	leafOf  []int32   // by position
	parent  []int32   // by node
	live    []int32   // permutation of positions: within a leaf, the ones not yet ordered first
	slot    []int32   // by position: place in live
	open    []int32   // by node: points not yet ordered
	pending []int32   // by node: ordered points whose far updates are put off
	owed    []int32   // those points
	owing   []bool    // by position
	top     []float64 // by node: no open point has a larger key
}

func newWalk(t *tree, nb *neighbours, eps2 float64) *walk {
	n, m := len(t.id), len(t.nodes)
	w := &walk{
		t: t, nb: nb, eps2: eps2,
		seeds:  seeds{key: make([]float64, n), id: t.id, slot: make([]int32, n)},
		done:   make([]bool, n),
		leafOf: make([]int32, n), live: make([]int32, n), slot: make([]int32, n), owing: make([]bool, n),
		parent: make([]int32, m), open: make([]int32, m), pending: make([]int32, m), top: make([]float64, m),
	}
	for i := range n {
		w.seeds.key[i], w.seeds.slot[i] = math.Inf(1), -1
		w.live[i], w.slot[i] = int32(i), int32(i)
	}
	w.parent[0] = -1
	for k := range t.nodes {
		nd := &t.nodes[k]
		w.open[k], w.top[k] = nd.end-nd.first, math.Inf(1)
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

// run orders all points, calling visit for each with its squared reachability.
func (w *walk) run(ctx context.Context, visit func(pos int32, reach float64)) error {
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
		visit(pos, w.seeds.key[pos])
		w.order(pos)
		if step++; step%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// order takes pos out of the open points and updates its listed neighbours.
func (w *walk) order(pos int32) {
	w.done[pos] = true
	leaf := w.leafOf[pos]
	last := w.t.nodes[leaf].first + w.open[leaf] - 1
	k := w.slot[pos]
	w.live[k], w.live[last] = w.live[last], pos
	w.slot[w.live[k]], w.slot[pos] = k, last

	core := w.nb.core[pos]
	isCore := !math.IsInf(core, 1)
	far := isCore && w.nb.reach < w.eps2
	if w.owing[pos] = far; far {
		w.owed = append(w.owed, pos)
	}
	for n := leaf; n >= 0; n = w.parent[n] {
		w.open[n]--
		if far {
			w.pending[n]++
		}
	}
	if !isCore {
		return
	}
	for k := w.nb.start[pos]; k < w.nb.start[pos+1]; k++ {
		p := w.nb.pos[k]
		if v := max(core, w.nb.dist[k]); !w.done[p] && v < w.seeds.key[p] {
			w.seeds.lower(p, v)
		}
	}
}

// settle does all updates put off.
func (w *walk) settle(ctx context.Context) error {
	if err := w.settlePair(ctx, 0, 0); err != nil {
		return err
	}
	for _, pos := range w.owed {
		w.owing[pos] = false
		for n := w.leafOf[pos]; n >= 0; n = w.parent[n] {
			w.pending[n] = 0
		}
	}
	w.owed = w.owed[:0]
	return nil
}

// settlePair updates the open points below node b from the ordered points
// below node a that owe it.
func (w *walk) settlePair(ctx context.Context, a, b int32) error {
	if w.pending[a] == 0 || w.open[b] == 0 {
		return nil
	}
	// Bounds cost as much as a few distances: not worth it for a handful.
	limit := min(w.eps2, w.top[b])
	if int(w.pending[a])*int(w.open[b]) > 8 && w.t.apart(a, b, limit) > limit {
		return nil
	}
	na, nb := &w.t.nodes[a], &w.t.nodes[b]
	switch {
	case nb.left != 0 && (na.left == 0 || nb.end-nb.first >= na.end-na.first):
		if err := w.settlePair(ctx, a, nb.left); err != nil {
			return err
		}
		if err := w.settlePair(ctx, a, nb.right); err != nil {
			return err
		}
		w.top[b] = max(w.top[nb.left], w.top[nb.right])
		return nil
	case na.left != 0:
		if err := w.settlePair(ctx, na.left, b); err != nil {
			return err
		}
		return w.settlePair(ctx, na.right, b)
	}
	w.settleLeaves(a, b)
	return ctx.Err()
}

func (w *walk) settleLeaves(a, b int32) {
	ordered := w.live[w.t.nodes[a].first+w.open[a] : w.t.nodes[a].end]
	open := w.live[w.t.nodes[b].first:][:w.open[b]]
	for _, o := range ordered {
		if !w.owing[o] || w.nb.core[o] >= w.top[b] {
			continue
		}
		core, row := w.nb.core[o], w.t.row(o)
		top := 0.0
		for _, p := range open {
			key := w.seeds.key[p]
			if core < key {
				bound := min(w.eps2, key)
				if d := squared(row, w.t.row(p), bound); d <= bound && max(d, core) < key {
					key = max(d, core)
					w.seeds.lower(p, key)
				}
			}
			top = max(top, key)
		}
		w.top[b] = top
	}
}
