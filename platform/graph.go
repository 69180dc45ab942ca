package platform

import (
	"container/heap"
	"fmt"
	"math"
	"sync"
)

// graph is the routing of a zone that gives some routes and leaves the rest to
// a shortest path over them. The length of a route is its number of links.
// Which of several shortest paths is taken follows SimGrid 3.32 to the letter;
// the links are listed in the order they are crossed, where SimGrid 3.32 mixes
// up the order in Dijkstra zones (which changes no time).
type graph struct {
	edges
	loopback int32
	floyd    bool            // else Dijkstra
	appeared map[int32]int32 // points in the order their first routes came
	trees    treeFinder
}

func newGraph(floyd bool) *graph {
	return &graph{edges: edges{}, loopback: -1, floyd: floyd, appeared: map[int32]int32{}}
}

// treeFinder finds the shortest paths from one point.
type treeFinder interface {
	// tree tells for every point the one before it on the path from a, -1
	// for points that cannot be reached and for a itself.
	tree(a int32) []int32
}

func (g *graph) addRoute(a, b int32, e edge, back []int32, oneWay bool) error {
	for _, v := range [2]int32{a, b} {
		if _, seen := g.appeared[v]; !seen {
			g.appeared[v] = int32(len(g.appeared))
		}
	}
	return g.add(a, b, e, back, oneWay)
}

func (g *graph) seal(b *builder, z *zone) (err error) {
	if g.loopback, err = b.loopback(z); err != nil {
		return err
	}
	if g.floyd {
		g.trees, err = newFloyd(z.size, g.edges)
		return err
	}
	order := make([]int32, z.size)
	for v, when := range g.appeared {
		order[v] = when
	}
	g.trees, g.appeared = newDijkstra(g.edges, order), nil
	return nil
}

func (g *graph) local(p *Platform, a, b int32, links []int32) ([]int32, int32, int32, error) {
	if a == b {
		if e, ok := g.edges[[2]int32{a, a}]; ok {
			return append(links, e.links...), -1, -1, nil
		}
		if g.loopback >= 0 {
			return append(links, g.loopback), -1, -1, nil
		}
		return nil, -1, -1, errNoPath
	}
	var few [32]int32
	path := append(few[:0], b)
	before := g.trees.tree(a)
	for v := b; v != a; {
		if v = before[v]; v < 0 {
			return nil, -1, -1, errNoPath
		}
		path = append(path, v)
	}
	first, gwB := int32(-1), int32(-1)
	for i := len(path) - 1; i > 0; i-- {
		e := g.edges[[2]int32{path[i], path[i-1]}]
		if i == len(path)-1 {
			first = e.gwA
		} else if gwB != e.gwA { // cross the zone between two routes
			var err error
			if links, err = p.between(gwB, e.gwA, links); err != nil {
				return nil, -1, -1, err
			}
		}
		links = append(links, e.links...)
		gwB = e.gwB
	}
	return links, first, gwB, nil
}

// floyd finds all paths at once when the zone is complete.
type floyd struct {
	size   int32
	before []int32 // row a is the tree of a
}

// maxFloyd bounds a Floyd zone, whose paths take time with the cube of its size.
const maxFloyd = 1024

func (f *floyd) tree(a int32) []int32 { return f.before[a*f.size : (a+1)*f.size] }

func newFloyd(size int32, es edges) (*floyd, error) {
	if size > maxFloyd {
		return nil, fmt.Errorf("it has %d points and Floyd routing is limited to %d: use Dijkstra", size, maxFloyd)
	}
	const far = math.MaxInt64 / 4
	n := int(size)
	f := &floyd{size: size, before: make([]int32, n*n)}
	cost := make([]int64, n*n)
	for i := range cost {
		cost[i], f.before[i] = far, -1
	}
	for ends, e := range es {
		i := int(ends[0])*n + int(ends[1])
		cost[i], f.before[i] = int64(len(e.links)), ends[0]
	}
	for c := range n {
		fromC, beforeC := cost[c*n:(c+1)*n], f.before[c*n:(c+1)*n]
		for a := range n {
			toC := cost[a*n+c]
			if toC == far {
				continue
			}
			fromA, beforeA := cost[a*n:(a+1)*n], f.before[a*n:(a+1)*n]
			for b, rest := range fromC {
				if toC+rest < fromA[b] {
					fromA[b], beforeA[b] = toC+rest, beforeC[b]
				}
			}
		}
	}
	return f, nil
}

// dijkstra finds the paths from a point when they are first asked for.
type dijkstra struct {
	out   [][]arc // by point
	order []int32 // by point: when it first occurred in a route; breaks ties

	mu    sync.Mutex
	known map[int32][]int32
	held  int
}

type arc struct {
	to   int32
	cost int64
}

// maxHeldPaths bounds the memory of the paths a Dijkstra zone remembers.
const maxHeldPaths = 1 << 24

func newDijkstra(es edges, order []int32) *dijkstra {
	d := &dijkstra{out: make([][]arc, len(order)), order: order, known: map[int32][]int32{}}
	for ends, e := range es {
		d.out[ends[0]] = append(d.out[ends[0]], arc{ends[1], int64(len(e.links))})
	}
	return d
}

func (d *dijkstra) tree(a int32) []int32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t, ok := d.known[a]; ok {
		return t
	}
	if d.held += len(d.out); d.held > maxHeldPaths {
		clear(d.known)
		d.held = len(d.out)
	}
	t := d.search(a)
	d.known[a] = t
	return t
}

// search is Dijkstra's algorithm. Of the points at equal distance the one that
// occurred first in a route goes first, and a later path of the same length
// does not replace an earlier one.
func (d *dijkstra) search(a int32) []int32 {
	cost := make([]int64, len(d.out))
	before := make([]int32, len(d.out))
	for i := range cost {
		cost[i], before[i] = math.MaxInt64, -1
	}
	cost[a] = 0
	queue := frontier{{point: a, order: d.order[a]}}
	for len(queue) > 0 {
		v := heap.Pop(&queue).(reached)
		if v.cost > cost[v.point] {
			continue
		}
		for _, e := range d.out[v.point] {
			if c := v.cost + e.cost; c < cost[e.to] {
				cost[e.to], before[e.to] = c, v.point
				heap.Push(&queue, reached{cost: c, point: e.to, order: d.order[e.to]})
			}
		}
	}
	return before
}

// reached is a point at the edge of what a search has seen.
type reached struct {
	cost         int64
	point, order int32
}

type frontier []reached

func (f frontier) Len() int { return len(f) }
func (f frontier) Less(i, j int) bool {
	if f[i].cost != f[j].cost {
		return f[i].cost < f[j].cost
	}
	return f[i].order < f[j].order
}
func (f frontier) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *frontier) Push(x any)   { *f = append(*f, x.(reached)) }
func (f *frontier) Pop() any {
	last := len(*f) - 1
	x := (*f)[last]
	*f = (*f)[:last]
	return x
}
