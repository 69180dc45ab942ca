package waits

// node is a stretch of the critical path up to some moment of a location.
type node struct {
	before  *node // or nil, where what came before is in Analyzer.older or nowhere
	step    step
	seconds float64
}

// step is a region of a location.
type step struct{ loc, path int32 }

// maxNodes is how long paths may become before they are summed up.
const maxNodes = 1 << 21

// extend lengthens a location's path by work.
func (a *Analyzer) extend(loc int32, l *location, path int32, seconds float64) {
	if h := l.head; l.works && h.step.path == path {
		// Whoever branches off here does so at a call, which has a node of its
		// own: nobody else sees this one grow.
		h.seconds += seconds
		return
	}
	a.lengthen(l, step{loc, path}, seconds)
	l.works = true
}

// call lengthens a location's path by a call.
func (a *Analyzer) call(loc int32, l *location, path int32, seconds float64) {
	a.lengthen(l, step{loc, path}, seconds)
	l.works = false
}

// slab is how many nodes are made at once.
const slab = 256

func (a *Analyzer) lengthen(l *location, s step, seconds float64) {
	if a.nodes++; a.nodes > maxNodes {
		a.judge(a.reached())
		a.flatten()
	}
	if len(a.room) == 0 {
		a.room = make([]node, slab)
	}
	n := &a.room[0]
	a.room = a.room[1:]
	n.before, n.step, n.seconds = l.head, s, seconds
	l.head = n
}

// fold sums up the path before a meeting of all: every path goes through the
// one who came last.
func (a *Analyzer) fold(m *meeting) {
	a.gather(m.last().before, a.folded)
	for i := range m.visits {
		m.visits[i].node.before = nil
	}
	clear(a.older)
	a.nodes = 0
}

// gather adds the steps of a path to a sum.
func (a *Analyzer) gather(n *node, to map[step]float64) {
	for ; n != nil; n = n.before {
		to[n.step] += n.seconds
		if n.before == nil {
			a.recall(n, to)
		}
	}
}

// recall adds what was summed up before a node.
func (a *Analyzer) recall(n *node, to map[step]float64) {
	for s, v := range a.older[n] {
		to[s] += v
	}
}

// flatten sums up the paths of all locations where they never meet all at once.
func (a *Analyzer) flatten() {
	older := map[*node]map[step]float64{}
	for i := range a.locs {
		h := a.locs[i].head
		if h == nil {
			continue
		}
		sum := map[step]float64{}
		if h.before == nil {
			a.recall(h, sum)
		}
		a.gather(h.before, sum)
		older[h] = sum
	}
	for h := range older {
		h.before = nil
	}
	a.older, a.nodes = older, 0
}

// criticalPath is the time on the critical path by region and location.
func (a *Analyzer) criticalPath() map[step]float64 {
	last := -1
	for i := range a.locs {
		if a.locs[i].head != nil && (last < 0 || a.locs[i].end > a.locs[last].end) {
			last = i
		}
	}
	if last >= 0 {
		a.gather(a.locs[last].head, a.folded)
	}
	return a.folded
}
