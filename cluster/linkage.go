package cluster

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"sync/atomic"
)

// Linkage is a classification at a fixed radius: two points are of one kind
// when a chain of points leads from one to the other in steps no longer than
// the radius. That is what OPTICS with MinPts 2 and a cut at the radius gives,
// for with MinPts 2 a point's reachability is its distance to the nearest
// point before it; but it needs no ordering, so it stays fast for large sets
// and can be asked again with a coordinate changed.
type Linkage struct {
	Radius float64
	Labels []int // by point, numbered from 0 by first member

	points Points
	minPts int // 0 for 2
	same   *reduced
	tree   *tree
	kind   []int32 // by position in the tree
}

// Link classifies p at radius.
func Link(ctx context.Context, p Points, radius float64) (*Linkage, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if !(radius >= 0) {
		return nil, fmt.Errorf("cluster: radius is %v, must be a distance of 0 or more", radius)
	}
	l := &Linkage{Radius: radius, Labels: make([]int, p.N), points: p}
	if p.N == 0 {
		return l, ctx.Err()
	}
	l.same = unique(p)
	l.tree = newTree(l.same.rows)
	u := newUnion(ctx, l.tree, radius*radius)
	if err := u.within(0); err != nil {
		return nil, err
	}
	l.number(u)
	return l, nil
}

// number turns the sets of u into labels.
func (l *Linkage) number(u *union) {
	root := make([]int32, len(l.tree.id)) // by representative
	for pos, rep := range l.tree.id {
		root[rep] = u.find(int32(pos))
	}
	number := make([]int32, len(root)) // by root, +1
	next := int32(0)
	for i, rep := range l.same.of {
		if number[root[rep]] == 0 {
			next++
			number[root[rep]] = next
		}
		l.Labels[i] = int(number[root[rep]]) - 1
	}
	l.kind = make([]int32, len(root))
	for pos, rep := range l.tree.id {
		l.kind[pos] = number[root[rep]] - 1
	}
}

// Replace classifies anew, at the same radius, with one coordinate of every
// point replaced.
func (l *Linkage) Replace(ctx context.Context, coordinate int, values []float64) (*Linkage, error) {
	p := l.points
	if coordinate < 0 || coordinate >= p.Dim || len(values) != p.N {
		return nil, fmt.Errorf("cluster: cannot put %d values into coordinate %d of %d points of %d coordinates", len(values), coordinate, p.N, p.Dim)
	}
	p.Data = append([]float64(nil), p.Data...)
	for i, v := range values {
		p.Data[i*p.Dim+coordinate] = v
	}
	if l.minPts > 0 {
		return LinkDense(ctx, p, l.Radius, l.minPts)
	}
	return Link(ctx, p, l.Radius)
}

// union joins the points of a tree into sets, on all cores.
type union struct {
	ctx    context.Context
	t      *tree
	forks  forks
	bound  float64        // squared radius
	parent []atomic.Int32 // by position
	whole  []atomic.Bool  // by node: known to be in one set
}

func newUnion(ctx context.Context, t *tree, bound float64) *union {
	u := &union{ctx: ctx, t: t, forks: newForks(), bound: bound}
	u.parent = make([]atomic.Int32, len(t.id))
	u.whole = make([]atomic.Bool, len(t.nodes))
	for i := range u.parent {
		u.parent[i].Store(int32(i))
	}
	return u
}

// find returns the root of i's set, shortening the way for the next time.
func (u *union) find(i int32) int32 {
	for {
		p := u.parent[i].Load()
		if p == i {
			return i
		}
		up := u.parent[p].Load()
		if up != p {
			u.parent[i].CompareAndSwap(p, up)
		}
		i = up
	}
}

// join makes one set of the sets of i and j. Roots only ever point to smaller
// positions, so two goroutines cannot close a circle.
func (u *union) join(i, j int32) {
	for {
		i, j = u.find(i), u.find(j)
		if i == j {
			return
		}
		if i > j {
			i, j = j, i
		}
		if u.parent[j].CompareAndSwap(j, i) {
			return
		}
	}
}

// one reports whether all points below n are known to be in one set.
func (u *union) one(n int32) bool {
	if u.whole[n].Load() {
		return true
	}
	nd := &u.t.nodes[n]
	if nd.left != 0 {
		if !u.whole[nd.left].Load() || !u.whole[nd.right].Load() || u.find(nd.first) != u.find(u.t.nodes[nd.right].first) {
			return false
		}
	} else {
		root := u.find(nd.first)
		for pos := nd.first + 1; pos < nd.end; pos++ {
			if u.find(pos) != root {
				return false
			}
		}
	}
	u.whole[n].Store(true)
	return true
}

// within joins all points below n that the radius links.
func (u *union) within(n int32) error {
	nd := &u.t.nodes[n]
	if nd.left == 0 {
		u.leaves(nd, nd)
		u.one(n)
		return u.ctx.Err()
	}
	err := u.forks.both(nd.end-nd.first,
		func() error { return u.within(nd.left) },
		func() error { return u.within(nd.right) })
	if err == nil {
		err = u.between(nd.left, nd.right)
	}
	u.one(n)
	return err
}

// between joins the points below a with those below b, near ones first: once
// both are one set nothing is left to do.
func (u *union) between(a, b int32) error {
	if u.one(a) && u.one(b) && u.find(u.t.nodes[a].first) == u.find(u.t.nodes[b].first) {
		return nil
	}
	if u.t.apart(a, b, u.bound) > u.bound {
		return nil
	}
	if u.t.leaf(a) && u.t.leaf(b) {
		u.leaves(&u.t.nodes[a], &u.t.nodes[b])
		return u.ctx.Err()
	}
	a, near, far := u.t.halve(a, b)
	return u.forks.both(u.t.size(near)+u.t.size(far),
		func() error { return u.between(a, near) },
		func() error { return u.between(a, far) })
}

func (u *union) leaves(a, b *node) {
	var dist [leafSize]float64
	for i := a.first; i < a.end; i++ {
		root := u.find(i)
		for m := u.t.scanLeaf(u.t.row(i), b, u.bound, &dist); m != 0; m &= m - 1 {
			if j := b.first + int32(bits.TrailingZeros64(m)); u.parent[j].Load() != root {
				u.join(i, j)
			}
		}
	}
}

func (t *tree) size(n int32) int32 { return t.nodes[n].end - t.nodes[n].first }

// halve prepares the comparison of two nodes, not both leaves, by parts: it
// returns the smaller node and the children of the larger, nearer one first.
func (t *tree) halve(a, b int32) (whole, near, far int32) {
	if t.leaf(b) || !t.leaf(a) && t.nodes[a].radius > t.nodes[b].radius {
		a, b = b, a
	}
	near, far = t.nodes[b].left, t.nodes[b].right
	if t.centres(a, far) < t.centres(a, near) {
		near, far = far, near
	}
	return a, near, far
}

// centres is the squared distance between the centres of two nodes.
func (t *tree) centres(a, b int32) float64 {
	return squared(t.of(t.centre, a), t.of(t.centre, b), math.Inf(1))
}
