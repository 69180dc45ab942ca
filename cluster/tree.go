package cluster

import (
	"math"
	"slices"
)

// leafSize is the number of points up to which a node is not split: as many as
// one call of compare takes, which costs about as much as one more level of
// bounds would.
const leafSize = 4 * lanes

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
	blocks []float64 // leaves once more, in blocks of lanes for compare
	centre []float64 // by node: mean of its points
	low    []float64 // by node: box
	high   []float64
}

type node struct {
	first, end  int32   // positions [first, end)
	left, right int32   // children; left is 0 for a leaf, as no child is the root
	block       int32   // of a leaf: its first block
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
	t.fitBounds()
	t.fillBlocks()
	t.check()
	return t
}

// split appends the node for positions [first, end) and everything below it,
// and returns its number.
func (t *tree) split(p Points, first, end int32) int32 {
	n := int32(len(t.nodes))
	t.nodes = append(t.nodes, node{first: first, end: end})
	if end-first <= leafSize {
		return n
	}
	axis, middle := t.widest(p, t.id[first:end])
	cut := t.cut(p, first, end, axis, middle)
	left := t.split(p, first, cut)
	right := t.split(p, cut, end)
	t.nodes[n].left, t.nodes[n].right = left, right
	return n
}

// widest returns the coordinate in which the points spread most, and the
// middle of that spread, judged by some of them where there are many.
func (t *tree) widest(p Points, ids []int32) (axis int, middle float64) {
	const some = 256
	step := max(1, len(ids)/some)
	widest := -1.0
	for k := range p.Dim {
		low, high := math.Inf(1), math.Inf(-1)
		for i := 0; i < len(ids); i += step {
			x := p.Data[int(ids[i])*p.Dim+k]
			low, high = min(low, x), max(high, x)
		}
		if high-low > widest {
			axis, middle, widest = k, low+(high-low)/2, high-low
		}
	}
	return axis, middle
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

// fitBounds computes every node's box, centre and radius, children first.
func (t *tree) fitBounds() {
	size := len(t.nodes) * t.dim
	t.centre, t.low, t.high = make([]float64, size), make([]float64, size), make([]float64, size)
	for n := int32(len(t.nodes)) - 1; n >= 0; n-- {
		nd := &t.nodes[n]
		c, low, high := t.of(t.centre, n), t.of(t.low, n), t.of(t.high, n)
		if nd.left == 0 {
			t.fitLeaf(nd, c, low, high)
		} else {
			share := float64(t.nodes[nd.left].end-nd.first) / float64(nd.end-nd.first)
			cl, cr := t.of(t.centre, nd.left), t.of(t.centre, nd.right)
			for k := range c {
				c[k] = share*cl[k] + (1-share)*cr[k]
				low[k] = min(t.of(t.low, nd.left)[k], t.of(t.low, nd.right)[k])
				high[k] = max(t.of(t.high, nd.left)[k], t.of(t.high, nd.right)[k])
			}
		}
		far := 0.0
		for pos := nd.first; pos < nd.end; pos++ {
			far = max(far, squared(c, t.row(pos), math.Inf(1)))
		}
		// A hair wider, so that rounding cannot put a point outside its ball.
		nd.radius = math.Sqrt(far) * (1 + 1e-12)
	}
}

func (t *tree) fitLeaf(nd *node, centre, low, high []float64) {
	copy(low, t.row(nd.first))
	copy(high, t.row(nd.first))
	for pos := nd.first; pos < nd.end; pos++ {
		for k, x := range t.row(pos) {
			centre[k] += x / float64(nd.end-nd.first)
			low[k], high[k] = min(low[k], x), max(high[k], x)
		}
	}
}

// fillBlocks copies the leaves into blocks; lanes past a leaf's end hold NaN,
// which is at no distance.
func (t *tree) fillBlocks() {
	total := int32(0)
	for n := range t.nodes {
		if nd := &t.nodes[n]; nd.left == 0 {
			nd.block = total
			total += (nd.end - nd.first + lanes - 1) / lanes
		}
	}
	t.blocks = make([]float64, int(total)*lanes*t.dim)
	all := make([]int32, len(t.id))
	for pos := range all {
		all[pos] = int32(pos)
	}
	for n := range t.nodes {
		if nd := &t.nodes[n]; nd.left == 0 {
			t.fill(nd, all[nd.first:nd.end])
		}
	}
}

// fill writes the points at the given positions into the blocks of a leaf.
func (t *tree) fill(nd *node, positions []int32) {
	blocks := t.blocksOf(nd, len(positions))
	for first := 0; first < len(positions); first += lanes {
		for k := range t.dim {
			row := blocks[first*t.dim+k*lanes:][:lanes]
			for l := range row {
				row[l] = math.NaN()
				if first+l < len(positions) {
					row[l] = t.rows[int(positions[first+l])*t.dim+k]
				}
			}
		}
	}
}

// blocksOf returns the blocks of a leaf that hold its first count points.
func (t *tree) blocksOf(nd *node, count int) []float64 {
	size := lanes * t.dim
	n := (count + lanes - 1) / lanes
	return t.blocks[int(nd.block)*size:][:n*size]
}

// scan computes the squared distances of q to the first count points in the
// blocks of a leaf and returns a mask of those that are at most bound.
func (t *tree) scan(q []float64, nd *node, count int, bound float64, out *[leafSize]float64) uint64 {
	mask := compare(q, t.blocksOf(nd, count), count, bound, out)
	return mask & (math.MaxUint64 >> (leafSize - count)) // no lane past the end
}

// scanLeaf is scan for all points of a leaf.
func (t *tree) scanLeaf(q []float64, nd *node, bound float64, out *[leafSize]float64) uint64 {
	return t.scan(q, nd, int(nd.end-nd.first), bound, out)
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
