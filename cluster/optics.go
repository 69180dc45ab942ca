package cluster

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
)

// Options of Optics.
type Options struct {
	// MinPts is the number of points, itself included, that a core point has
	// within its core distance. At least 1.
	MinPts int
	// Eps is the largest distance at which points are neighbours; +Inf for all.
	Eps float64
	// Progress, if set, is told how much of the work is done. It is never
	// called from two goroutines at once.
	Progress func(done, total int)
}

// Ordering is what OPTICS finds: the points in an order in which clusters are
// contiguous, with the distance at which each joins those before it. Plotted
// in that order the reachability shows clusters as valleys.
type Ordering struct {
	Order        []int     // point numbers
	Reachability []float64 // by point; +Inf where a new start was made
	Core         []float64 // by point; +Inf for points that are not core points
	Predecessor  []int     // by point: the point it was reached from, -1 for none
	Exact        bool      // false above ExactLimit points, see Optics
}

// Optics orders p. Up to ExactLimit distinct points the result is exactly that
// of the published algorithm with ties resolved by point number, identical
// points following each other. Above it, a fixed random sample of half that
// size is ordered with all points that are not close to any of the sample, and
// each remaining point follows the one it is close to (see reduce).
func Optics(ctx context.Context, p Points, o Options) (*Ordering, error) {
	return optics(ctx, p, o, ExactLimit)
}

func optics(ctx context.Context, p Points, o Options, limit int) (*Ordering, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if o.MinPts < 1 {
		return nil, fmt.Errorf("cluster: MinPts is %d, must be at least 1", o.MinPts)
	}
	if !(o.Eps >= 0) {
		return nil, fmt.Errorf("cluster: Eps is %v, must be a distance of 0 or more", o.Eps)
	}
	res := &Ordering{
		Order:        make([]int, 0, p.N),
		Reachability: make([]float64, p.N),
		Core:         make([]float64, p.N),
		Predecessor:  make([]int, p.N),
		Exact:        true,
	}
	if p.N == 0 {
		return res, ctx.Err()
	}
	m := &meter{report: o.Progress}
	eps2 := o.Eps * o.Eps
	r := unique(p)
	if r.rows.N > limit {
		res.Exact = false
		if err := r.thin(ctx, limit, o.MinPts, eps2); err != nil {
			return nil, err
		}
	}
	m.total = 2 * r.rows.N
	t := newTree(r.rows)
	weight := make([]int32, r.rows.N) // by position
	for pos, rep := range t.id {
		weight[pos] = r.weight[rep]
	}
	nb, err := findNeighbours(ctx, t, weight, o.MinPts, eps2, m.add)
	if err != nil {
		return nil, err
	}
	members := r.members()
	err = newWalk(t, nb, eps2).run(ctx, func(pos, from int32, reach float64) {
		rep := t.id[pos]
		self := int(r.point[rep])
		res.Predecessor[self] = -1
		if from >= 0 {
			res.Predecessor[self] = int(r.point[t.id[from]])
		}
		res.visit(r, members(rep), self, reach, nb.core[pos])
		m.add(1)
	})
	if err != nil {
		return nil, err
	}
	res.check()
	return res, nil
}

// visit appends a representative and, right after it, the points it stands
// for. A copy of a point just ordered has reachability max(core, 0), or what
// the point itself had where that was less: both are at most what any open
// point has, so copies are next in line by the published rule as well.
func (o *Ordering) visit(r *reduced, members []int32, self int, reach2, core2 float64) {
	o.Order = append(o.Order, self)
	o.Reachability[self], o.Core[self] = math.Sqrt(reach2), math.Sqrt(core2)
	for _, m := range members {
		if int(m) == self {
			continue
		}
		v := min(reach2, core2)
		if r.off != nil && r.off[m] > 0 && !math.IsInf(core2, 1) {
			v = max(core2, r.off[m])
		}
		o.Order = append(o.Order, int(m))
		o.Reachability[m], o.Core[m] = math.Sqrt(v), math.Sqrt(core2)
		o.Predecessor[m] = self
		if math.IsInf(v, 1) {
			o.Predecessor[m] = -1
		}
	}
}

// members returns a lookup from representative to its points, ascending.
func (r *reduced) members() func(rep int32) []int32 {
	start := make([]int32, r.rows.N+1)
	for _, rep := range r.of {
		start[rep+1]++
	}
	for i := range r.rows.N {
		start[i+1] += start[i]
	}
	next := slices.Clone(start)
	list := make([]int32, len(r.of))
	for i, rep := range r.of {
		list[next[rep]] = int32(i)
		next[rep]++
	}
	return func(rep int32) []int32 { return list[start[rep]:start[rep+1]] }
}

// meter counts work from several goroutines and reports it now and then.
type meter struct {
	mu          sync.Mutex
	done, total int
	report      func(done, total int)
}

func (m *meter) add(n int) {
	if m.report == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.done
	m.done += n
	if step := max(1, m.total/200); m.done/step != before/step || m.done == m.total {
		m.report(m.done, m.total)
	}
}
