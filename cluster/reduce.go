package cluster

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"

	"auspex/internal/crew"
)

// ExactLimit is the number of distinct points up to which Optics is exact.
const ExactLimit = 100_000

// reduced is a smaller set of points that stands for all. A representative is
// one of the points itself and counts with the weight of its members.
type reduced struct {
	rows   Points    // representatives
	point  []int32   // by representative: its point number
	weight []int32   // by representative: how many points it stands for
	of     []int32   // by point: its representative
	off    []float64 // by point: squared distance to it; nil when all are 0
}

// unique merges identical points.
func unique(p Points) *reduced {
	r := &reduced{of: make([]int32, p.N)}
	size := 1
	for size < 2*p.N {
		size *= 2
	}
	table := make([]int32, size) // representative + 1
	for i := range p.N {
		row := p.Row(i)
		h := hash(row) & uint64(size-1)
		for table[h] != 0 && !slices.Equal(row, p.Row(int(r.point[table[h]-1]))) {
			h = (h + 1) & uint64(size-1)
		}
		if table[h] == 0 {
			r.point = append(r.point, int32(i))
			r.weight = append(r.weight, 0)
			table[h] = int32(len(r.point))
		}
		r.of[i] = table[h] - 1
		r.weight[r.of[i]]++
	}
	r.rows = p
	if len(r.point) < p.N {
		r.rows = gather(p, r.point)
	}
	return r
}

func hash(row []float64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, x := range row {
		h ^= math.Float64bits(x + 0) // adding 0 makes -0 and 0 one value
		h *= 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return h
}

// gather copies the chosen rows.
func gather(p Points, chosen []int32) Points {
	out := Points{N: len(chosen), Dim: p.Dim, Data: make([]float64, 0, len(chosen)*p.Dim)}
	for _, i := range chosen {
		out.Data = append(out.Data, p.Row(int(i))...)
	}
	return out
}

// thin reduces r to at most about limit representatives. Half of limit is
// drawn at random (with a fixed seed); every other point is represented by a
// drawn one nearby. "Nearby" is twice the median core distance of the drawn,
// eps at most, so density survives, and what the draw missed, such as a small
// kind of its own, stays in. Only if more than half of limit would stay is
// nearby stretched to eps.
func (r *reduced) thin(ctx context.Context, limit, minPts int, eps2 float64) error {
	n := r.rows.N
	drawn := draw(n, limit/2)
	t := newTree(gather(r.rows, drawn))
	rest := make([]int32, 0, n-len(drawn))
	for i, next := int32(0), drawn; int(i) < n; i++ {
		if len(next) > 0 && next[0] == i {
			next = next[1:]
		} else {
			rest = append(rest, i)
		}
	}

	host := make([]int32, n) // index into drawn, -1 for none
	dist := make([]float64, n)
	for k, i := range drawn {
		host[i] = int32(k)
	}
	near := typicalCore(t, max(2, minPts), eps2)
	left, err := attach(ctx, t, r.rows, rest, min(eps2, 4*near), host, dist)
	if err == nil && len(left) > limit/2 && near < eps2 {
		left, err = attach(ctx, t, r.rows, left, eps2, host, dist)
	}
	if err != nil {
		return err
	}
	for k, i := range left {
		host[i] = int32(len(drawn) + k)
	}
	r.adopt(append(drawn, left...), host, dist)
	return nil
}

// adopt makes chosen the representatives, host telling where all others go.
func (r *reduced) adopt(chosen, host []int32, dist []float64) {
	weight := make([]int32, len(chosen))
	point := make([]int32, len(chosen))
	for k, i := range chosen {
		point[k] = r.point[i]
	}
	for i, h := range host {
		weight[h] += r.weight[i]
	}
	r.off = make([]float64, len(r.of))
	for i, old := range r.of {
		r.of[i], r.off[i] = host[old], dist[old]
	}
	r.rows = gather(r.rows, chosen)
	r.point, r.weight = point, weight
}

// draw returns k of the numbers below n, ascending, the same every time.
func draw(n, k int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	if k < n {
		rng := rand.New(rand.NewPCG(2, uint64(n)))
		for i := range k {
			j := i + rng.IntN(n-i)
			all[i], all[j] = all[j], all[i]
		}
		all = slices.Clip(all[:k])
		slices.Sort(all)
	}
	return all
}

// typicalCore is the median squared core distance of a sample of t's points.
func typicalCore(t *tree, minPts int, eps2 float64) float64 {
	step := max(1, len(t.id)/256)
	ones := make([]int32, len(t.id))
	for i := range ones {
		ones[i] = 1
	}
	var cores []float64
	c := nearest{want: minPts}
	for i := 0; i < len(t.id); i += step {
		c.reset(1)
		c.search(t, ones, int32(i), 0, eps2)
		cores = append(cores, c.radius())
	}
	slices.Sort(cores)
	return cores[len(cores)/2]
}

// attach finds for each of the wanted points a point of t within bound, not
// always the nearest, and returns those that have none.
func attach(ctx context.Context, t *tree, p Points, wanted []int32, bound float64, host []int32, dist []float64) ([]int32, error) {
	const chunk = 1024
	lost := make([][]int32, (len(wanted)+chunk-1)/chunk)
	var wg crew.Crew
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for ctx.Err() == nil {
				c := int(next.Add(1) - 1)
				if c >= len(lost) {
					return
				}
				for _, i := range wanted[c*chunk : min(len(wanted), (c+1)*chunk)] {
					h, d := t.nearby(p.Row(int(i)), bound)
					if h < 0 {
						lost[c] = append(lost[c], i)
					} else {
						host[i], dist[i] = t.id[h], d
					}
				}
			}
		})
	}
	wg.Wait()
	return slices.Concat(lost...), ctx.Err()
}

// nearby returns the closest position to q in the leaf it would fall into if
// that is within bound, else the closest of all within bound, else -1.
func (t *tree) nearby(q []float64, bound float64) (pos int32, dist float64) {
	n := int32(0)
	for !t.leaf(n) {
		l, r := t.nodes[n].left, t.nodes[n].right
		toLeft := squared(q, t.of(t.centre, l), math.Inf(1))
		n = r
		if toLeft <= squared(q, t.of(t.centre, r), toLeft) {
			n = l
		}
	}
	if pos, dist = t.closest(q, n, -1, bound); pos >= 0 {
		return pos, dist
	}
	return t.closest(q, 0, -1, bound)
}

// closest improves on (pos, bound) with the points below node n.
func (t *tree) closest(q []float64, n, pos int32, bound float64) (int32, float64) {
	nd := &t.nodes[n]
	if nd.left == 0 {
		var dist [leafSize]float64
		for m := t.scanLeaf(q, nd, bound, &dist); m != 0; m &= m - 1 {
			l := bits.TrailingZeros64(m)
			if d := dist[l]; d < bound || pos < 0 {
				pos, bound = nd.first+int32(l), d
			}
		}
		return pos, bound
	}
	near, far := nd.left, nd.right
	dn, df := t.pointApart(q, near, bound), t.pointApart(q, far, bound)
	if df < dn {
		near, far, dn, df = far, near, df, dn
	}
	if dn <= bound {
		pos, bound = t.closest(q, near, pos, bound)
	}
	if df <= bound {
		pos, bound = t.closest(q, far, pos, bound)
	}
	return pos, bound
}
