package waits

// node is a stretch of the critical path up to some moment of a location.
type node struct {
	before  *node
	step    step
	seconds float64
	call    bool
	older   map[step]float64 // instead of before, where that was summed up
}

// step is a region of a location.
type step struct{ loc, path int32 }

// maxNodes is how long paths may become before they are summed up.
const maxNodes = 1 << 21

// extend lengthens a location's path by work.
func (a *Analyzer) extend(loc int32, l *location, path int32, seconds float64) {
	if h := l.head; h != nil && !h.call && h.step.path == path {
		// Whoever branches off here does so at a call, which has a node of its
		// own: nobody else sees this one grow.
		h.seconds += seconds
		return
	}
	a.lengthen(l, node{before: l.head, step: step{loc, path}, seconds: seconds})
}

// call lengthens a location's path by a call.
func (a *Analyzer) call(loc int32, l *location, path int32, seconds float64) {
	a.lengthen(l, node{before: l.head, step: step{loc, path}, seconds: seconds, call: true})
}

// slab is how many nodes are made at once.
const slab = 256

func (a *Analyzer) lengthen(l *location, n node) {
	if a.nodes++; a.nodes > maxNodes {
		a.judge(a.reached())
		a.flatten()
		n.before = l.head
	}
	if len(a.room) == 0 {
		a.room = make([]node, slab)
	}
	a.room[0] = n
	l.head, a.room = &a.room[0], a.room[1:]
}

// fold sums up the path before a meeting of all: every path goes through the
// one who came last.
func (a *Analyzer) fold(m *meeting) {
	gather(m.last().before, a.folded)
	for i := range m.visits {
		m.visits[i].node.before = nil
	}
	a.nodes = 0
}

// gather adds the steps of a path to a sum.
func gather(n *node, to map[step]float64) {
	for ; n != nil; n = n.before {
		to[n.step] += n.seconds
		for s, v := range n.older {
			to[s] += v
		}
	}
}

// flatten sums up the paths of all locations where they never meet all at once.
func (a *Analyzer) flatten() {
	for i := range a.locs {
		if h := a.locs[i].head; h != nil && h.before != nil {
			older := map[step]float64{}
			gather(h.before, older)
			for s, v := range h.older {
				older[s] += v
			}
			h.before, h.older = nil, older
		}
	}
	a.nodes = 0
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
		gather(a.locs[last].head, a.folded)
	}
	return a.folded
}
