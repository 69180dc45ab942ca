package cluster

import (
	"math"
	"slices"
)

// leafSize is the number of points below which a node is not split. Comparing
// two leaves point by point then costs about as much as a few dozen bound
// computations, which is where splitting stops paying.
const leafSize = 32

// tree is a binary space partition over points. Every node knows both the box
// and the ball around its points: boxes are tight when few coordinates carry
// the spread, balls when all of them carry a little, as measurement noise does.
// Points are copied in tree order, so that a node is one contiguous block;
// "position" below is an index into that order.
type tree struct {
	dim    int
	rows   []float64 // by position
	id     []int32   // position to index of the caller's point
	nodes  []node    // parents before children; nodes[0] is the root
	centre []float64 // by node: mean of its points
	low    []float64 // by node: box
	high   []float64
}

type node struct {
	first, end  int32   // positions [first, end)
	left, right int32   // children; left is 0 for a leaf, as no child is the root
	radius      float64 // of the ball around the centre
}

func (t *tree) leaf(n int32) bool       { return t.nodes[n].left == 0 }
func (t *tree) row(pos int32) []float64 { return t.rows[int(pos)*t.dim : (int(pos)+1)*t.dim] }
func (t *tree) of(v []float64, n int32) []float64 {
	return v[int(n)*t.dim : (int(n)+1)*t.dim]
}

// newTree indexes p, which must hold at least one point.
func newTree(p Points) *tree {
	t := &tree{dim: p.Dim, id: make([]int32, p.N), rows: make([]float64, len(p.Data))}
	for i := range t.id {
		t.id[i] = int32(i)
	}
	t.split(p, 0, int32(p.N))
	for pos, i := range t.id {
		copy(t.row(int32(pos)), p.Row(int(i)))
	}
	t.fitBalls()
	return t
}

// split appends the node for positions [first, end) and everything below it,
// and returns its number.
func (t *tree) split(p Points, first, end int32) int32 {
	n := int32(len(t.nodes))
	t.nodes = append(t.nodes, node{first: first, end: end})
	box := len(t.low)
	t.low = append(t.low, p.Row(int(t.id[first]))...)
	t.high = append(t.high, p.Row(int(t.id[first]))...)
	low, high := t.low[box:], t.high[box:]
	for _, i := range t.id[first+1 : end] {
		for k, x := range p.Row(int(i)) {
			if x < low[k] {
				low[k] = x
			} else if x > high[k] {
				high[k] = x
			}
		}
	}
	if end-first <= leafSize {
		return n
	}
	axis := 0
	for k := range low {
		if high[k]-low[k] > high[axis]-low[axis] {
			axis = k
		}
	}
	if p.Dim == 0 || high[axis] == low[axis] {
		return n // all the same point
	}
	cut := t.cut(p, first, end, axis, (low[axis]+high[axis])/2)
	left := t.split(p, first, cut)
	right := t.split(p, cut, end)
	t.nodes[n].left, t.nodes[n].right = left, right
	return n
}

// cut reorders [first, end) along axis and returns where the right half
// starts. Cutting at the middle of the extent keeps separate clouds apart;
// where that would leave a sliver it cuts at the median, which keeps the tree
// shallow.
func (t *tree) cut(p Points, first, end int32, axis int, middle float64) int32 {
	ids := t.id[first:end]
	at := func(i int32) float64 { return p.Data[int(i)*p.Dim+axis] }
	k := 0
	for j, i := range ids {
		if at(i) <= middle {
			ids[k], ids[j] = i, ids[k]
			k++
		}
	}
	if least := len(ids) / 10; k < least || len(ids)-k < least || k == 0 || k == len(ids) {
		slices.SortFunc(ids, func(a, b int32) int {
			switch x, y := at(a), at(b); {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return int(a - b)
		})
		k = len(ids) / 2
	}
	return first + int32(k)
}

// fitBalls computes every node's centre and radius.
func (t *tree) fitBalls() {
	t.centre = make([]float64, len(t.low))
	for n := len(t.nodes) - 1; n >= 0; n-- {
		nd := &t.nodes[n]
		c := t.of(t.centre, int32(n))
		if nd.left == 0 {
			for pos := nd.first; pos < nd.end; pos++ {
				for k, x := range t.row(pos) {
					c[k] += x
				}
			}
			scale(c, 1/float64(nd.end-nd.first))
		} else {
			a, b := t.of(t.centre, nd.left), t.of(t.centre, nd.right)
			share := float64(t.nodes[nd.left].end-nd.first) / float64(nd.end-nd.first)
			for k := range c {
				c[k] = share*a[k] + (1-share)*b[k]
			}
		}
		top := 0.0
		for pos := nd.first; pos < nd.end; pos++ {
			top = max(top, squared(c, t.row(pos), math.Inf(1)))
		}
		// A hair wider, so that rounding cannot put a point outside its ball.
		nd.radius = math.Sqrt(top) * (1 + 1e-12)
	}
}

func scale(v []float64, by float64) {
	for k := range v {
		v[k] *= by
	}
}

// apart returns a lower bound of the squared distance between any point of
// node a and any point of node b. It stops early once the bound passes limit.
func (t *tree) apart(a, b int32, limit float64) float64 {
	ra, rb := t.nodes[a].radius, t.nodes[b].radius
	ball := 0.0
	if d := math.Sqrt(squared(t.of(t.centre, a), t.of(t.centre, b), math.Inf(1))) * (1 - 1e-12); d > ra+rb {
		if ball = (d - ra - rb) * (d - ra - rb); ball > limit {
			return ball
		}
	}
	box := 0.0
	la, ha := t.of(t.low, a), t.of(t.high, a)
	lb, hb := t.of(t.low, b), t.of(t.high, b)
	for k := range la {
		if g := lb[k] - ha[k]; g > 0 {
			box += g * g
		} else if g := la[k] - hb[k]; g > 0 {
			box += g * g
		}
	}
	return max(ball, box)
}

// pointApart is apart for the single point q.
func (t *tree) pointApart(q []float64, n int32, limit float64) float64 {
	r := t.nodes[n].radius
	ball := 0.0
	if d := math.Sqrt(squared(q, t.of(t.centre, n), math.Inf(1))) * (1 - 1e-12); d > r {
		if ball = (d - r) * (d - r); ball > limit {
			return ball
		}
	}
	box := 0.0
	low, high := t.of(t.low, n), t.of(t.high, n)
	for k, x := range q {
		if g := low[k] - x; g > 0 {
			box += g * g
		} else if g := x - high[k]; g > 0 {
			box += g * g
		}
	}
	return max(ball, box)
}
