package cluster

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
)

// Zeroing tells, for every given set of coordinates, whether the
// classification changes when those coordinates are set to 0 in all points
// and the radius stays (step 2 of the search for critical regions in
// "Debugging SPMD programs", section 3; sets of several
// coordinates are its step 3).
//
// It does not classify anew. Zeroing takes known terms out of every distance,
// so distances only shrink and kinds can only merge: the classification
// changes exactly when some two points of different kinds come within the
// radius. One walk over pairs of nodes looks for such pairs, for all sets at
// once.
func (l *Linkage) Zeroing(ctx context.Context, sets [][]int) ([]bool, error) {
	z := &zeroing{ctx: ctx, l: l, t: l.tree, forks: newForks(), sets: sets, bound: l.Radius * l.Radius}
	z.merges = make([]atomic.Bool, len(sets))
	for s, set := range sets {
		for _, c := range set {
			if c < 0 || c >= l.points.Dim {
				return nil, fmt.Errorf("cluster: set %d names coordinate %d, points have %d", s, c, l.points.Dim)
			}
		}
	}
	if l.minPts > 0 {
		return l.zeroingAnew(ctx, sets)
	}
	changes := make([]bool, len(sets))
	if l.points.N == 0 {
		return changes, ctx.Err()
	}
	z.pure = make([]int32, len(l.tree.nodes))
	for n := len(z.pure) - 1; n >= 0; n-- {
		z.pure[n] = z.kindOf(n)
	}
	active := make([]int32, len(sets))
	for s := range active {
		active[s] = int32(s)
	}
	if err := z.within(0, active); err != nil {
		return nil, err
	}
	for s := range changes {
		changes[s] = z.merges[s].Load()
	}
	return changes, nil
}

// mixed marks a node that holds several kinds.
const mixed = -1

type zeroing struct {
	ctx    context.Context
	l      *Linkage
	t      *tree
	forks  forks
	sets   [][]int
	bound  float64       // squared radius
	merges []atomic.Bool // by set: a pair was found
	pure   []int32       // by node: its kind, or mixed
}

func (z *zeroing) kindOf(n int) int32 {
	nd := &z.t.nodes[n]
	if nd.left != 0 {
		if z.pure[nd.left] != z.pure[nd.right] {
			return mixed
		}
		return z.pure[nd.left]
	}
	kind := z.l.kind[nd.first]
	for _, k := range z.l.kind[nd.first:nd.end] {
		if k != kind {
			return mixed
		}
	}
	return kind
}

func (z *zeroing) within(n int32, active []int32) error {
	nd := &z.t.nodes[n]
	if z.pure[n] != mixed {
		return nil
	}
	if nd.left == 0 {
		return z.between(n, n, active)
	}
	err := z.forks.both(nd.end-nd.first,
		func() error { return z.within(nd.left, active) },
		func() error { return z.within(nd.right, active) })
	if err != nil {
		return err
	}
	return z.between(nd.left, nd.right, active)
}

// between looks for merging pairs between the points below a and below b, for
// the active sets.
func (z *zeroing) between(a, b int32, active []int32) error {
	if z.pure[a] != mixed && z.pure[a] == z.pure[b] {
		return nil
	}
	active, most := z.possible(a, b, active)
	if len(active) == 0 {
		return nil
	}
	if z.t.leaf(a) && z.t.leaf(b) {
		z.leaves(&z.t.nodes[a], &z.t.nodes[b], active, z.bound+most)
		return z.ctx.Err()
	}
	a, near, far := z.t.halve(a, b)
	return z.forks.both(z.t.size(near)+z.t.size(far),
		func() error { return z.between(a, near, active) },
		func() error { return z.between(a, far, active) })
}

// possible returns the active sets that are still open and whose zeroing could
// bring points of a and b within the radius, and the most that any of them
// takes out of a squared distance.
//
// Leaving out coordinates is a projection: it moves the ball around a node
// with its centre and makes it no larger, and drops the box's gaps in those
// coordinates.
func (z *zeroing) possible(a, b int32, active []int32) (still []int32, most float64) {
	t := z.t
	ca, cb := t.of(t.centre, a), t.of(t.centre, b)
	la, ha, lb, hb := t.of(t.low, a), t.of(t.high, a), t.of(t.low, b), t.of(t.high, b)
	gap := func(k int) float64 { return square(max(0, lb[k]-ha[k], la[k]-hb[k])) }
	shift := func(k int) float64 { return square(ca[k] - cb[k]) }
	span := func(k int) float64 { return square(max(hb[k]-la[k], ha[k]-lb[k])) }

	var gaps, shifts float64
	for k := range ca {
		gaps += gap(k)
		shifts += shift(k)
	}
	slack := 1e-12 * (gaps + shifts) // rounding of the subtractions below
	balls := t.nodes[a].radius + t.nodes[b].radius
	still = make([]int32, 0, len(active))
	for _, s := range active {
		box, centres, takes := gaps-slack, shifts-slack, 0.0
		for _, c := range z.sets[s] {
			box -= gap(c)
			centres -= shift(c)
			takes += span(c)
		}
		ball := max(0, math.Sqrt(max(0, centres))-balls)
		if !z.merges[s].Load() && box <= z.bound && square(ball) <= z.bound {
			most = max(most, takes)
			still = append(still, s)
		}
	}
	return still, most
}

func square(x float64) float64 { return x * x }

// leaves tries all pairs of points; reach is the squared distance within which
// an active set could merge them.
func (z *zeroing) leaves(a, b *node, active []int32, reach float64) {
	var dist [leafSize]float64
	reach *= 1 + 1e-12
	for i := a.first; i < a.end; i++ {
		for m := z.t.scanLeaf(z.t.row(i), b, reach, &dist); m != 0; m &= m - 1 {
			l := bits.TrailingZeros64(m)
			j := b.first + int32(l)
			if z.l.kind[i] == z.l.kind[j] {
				continue
			}
			for _, s := range active {
				if !z.merges[s].Load() && z.close(i, j, z.sets[s], dist[l]) {
					z.merges[s].Store(true)
				}
			}
		}
	}
}

// close reports whether positions i and j, dist apart when squared, are within
// the radius without the coordinates in set.
func (z *zeroing) close(i, j int32, set []int, dist float64) bool {
	a, b := z.t.row(i), z.t.row(j)
	rest := dist
	for _, c := range set {
		d := a[c] - b[c]
		rest -= d * d
	}
	if rest > z.bound+1e-9*dist {
		return false
	}
	// Close to the radius: sum what is left, as classifying anew would.
	rest = 0
	for k := range a {
		if !slices.Contains(set, k) {
			rest = math.FMA(a[k]-b[k], a[k]-b[k], rest)
		}
	}
	return rest <= z.bound
}
