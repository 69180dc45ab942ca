package waits

import (
	"cmp"
	"slices"

	"auspex/events"
	"auspex/trace"
)

// group is a communicator.
type group struct {
	size    int
	under   []*meeting // collectives that not all have left
	first   int64      // number of under[0]
	entered []int64    // collectives of each location
	last    []int64    // where each location's log stood after the last that held up all
	time    int64      // of that
	free    []*meeting
}

// meeting is a collective that some have left.
type meeting struct {
	kind   trace.Kind
	comm   int32
	root   int32
	visits []visit
}

// maxUnder is how many collectives of a communicator may be under way.
const maxUnder = 1024

// collective adds a visit to its meeting; when it is whole, it is to be judged.
func (a *Analyzer) collective(v visit, s *events.Span) {
	g := a.group(s.Comm)
	if int(v.loc) >= len(g.entered) {
		return
	}
	if g.entered[v.loc] == 0 {
		a.locs[v.loc].in = append(a.locs[v.loc].in, s.Comm)
	}
	n := g.entered[v.loc] - g.first
	g.entered[v.loc]++
	if n < 0 {
		return // more take part than the communicator has: the others have left
	}
	for int64(len(g.under)) <= n {
		if len(g.under) >= maxUnder { // somebody never comes: the oldest is given up
			g.under = g.under[1:]
			g.first++
			n--
		}
		var m *meeting
		if k := len(g.free); k > 0 {
			m, g.free = g.free[k-1], g.free[:k-1]
			m.visits = m.visits[:0]
		} else {
			m = &meeting{}
		}
		m.kind, m.comm, m.root = s.Kind, s.Comm, -1
		g.under = append(g.under, m)
	}
	m := g.under[n]
	if s.Root >= 0 {
		m.root = s.Root
	}
	m.visits = append(m.visits, v)
	if len(m.visits) < g.size {
		return
	}
	for len(g.under) > 0 && len(g.under[0].visits) == g.size {
		g.under = g.under[1:]
		g.first++
	}
	a.meeting(m)
}

// last is who came last; of those at the same time the one with the lowest number.
func (m *meeting) last() *visit {
	last := &m.visits[0]
	for i := range m.visits[1:] {
		if v := &m.visits[i+1]; later(v.ready, v.loc, last.ready, last.loc) {
			last = v
		}
	}
	return last
}

// maxTied is how many that came last at the same time are told apart.
const maxTied = 16

// tied are others that came at the very time of the last.
func (m *meeting) tied(last *visit) []visit {
	var list []visit
	for i := range m.visits {
		if v := &m.visits[i]; v.loc != last.loc && v.ready == last.ready && len(list) < maxTied-1 {
			list = append(list, *v)
		}
	}
	return list
}

// meeting notes a collective that all have left.
func (a *Analyzer) meeting(m *meeting) {
	if synchronises(m.kind) {
		until := m.last().ready
		a.note(event{until: until, whole: m})
		if m.comm == 0 {
			a.judge(until)
		}
		return
	}
	if patternOf(m.kind) == EarlyScan {
		a.scanned(m)
	} else {
		a.rooted(m)
	}
	g := &a.comms[m.comm]
	g.free = append(g.free, m)
}

// group is the communicator of a number.
func (a *Analyzer) group(comm int32) *group {
	for len(a.comms) <= int(comm) {
		a.comms = append(a.comms, group{})
	}
	g := &a.comms[comm]
	if g.entered == nil {
		g.size = a.header.Ranks
		if int(comm) < len(a.header.Comms) && a.header.Comms[comm] != nil {
			g.size = len(a.header.Comms[comm])
		}
		g.entered, g.last = make([]int64, len(a.locs)), make([]int64, len(a.locs))
	}
	return g
}

// synchronises tells whether nobody leaves before all have come.
func synchronises(k trace.Kind) bool {
	p := patternOf(k)
	return p == WaitAtNxN || p == WaitAtBarrier || p == WaitAtFence
}

// rooted finds the waits of a collective for its root, or of the root for others.
func (a *Analyzer) rooted(m *meeting) {
	root := slices.IndexFunc(m.visits, func(v visit) bool { return a.header.Locations[v.loc].Rank == m.root })
	if root < 0 {
		return
	}
	at := m.visits[root]
	if p := patternOf(m.kind); p == EarlyReduce {
		if late := *m.last(); late.loc != at.loc && min(late.begin, at.end) > at.begin {
			a.note(event{until: min(late.begin, at.end), pattern: p, v: at, late: late, tied: m.tied(&late), step: late.at + 1})
		}
	} else {
		for i := range m.visits {
			if i != root {
				a.waited(p, m.visits[i], at, at.at+1, at.begin)
			}
		}
	}
}

// scanned finds the waits of a scan: each rank waits for the last of those before it.
func (a *Analyzer) scanned(m *meeting) {
	places := map[int32]int{}
	if int(m.comm) < len(a.header.Comms) {
		for i, rank := range a.header.Comms[m.comm] {
			places[rank] = i
		}
	}
	slices.SortFunc(m.visits, func(x, y visit) int {
		r, s := a.header.Locations[x.loc].Rank, a.header.Locations[y.loc].Rank
		return cmp.Or(cmp.Compare(places[r], places[s]), cmp.Compare(r, s))
	})
	late := m.visits[0]
	for _, v := range m.visits[1:] {
		a.waited(EarlyScan, v, late, late.at+1, late.begin)
		if later(v.begin, v.loc, late.begin, late.loc) {
			late = v
		}
	}
}

// meet judges a meeting that nobody leaves before all have come.
func (a *Analyzer) meet(m *meeting) {
	p := patternOf(m.kind)
	if m.kind == events.ThreadBarrier {
		p = ThreadBarrierWait
	}
	late := *m.last()
	tied := m.tied(&late)
	firstLeave, first := m.visits[0].end, m.visits[0].loc
	for i := range m.visits {
		if m.visits[i].end < firstLeave {
			firstLeave, first = m.visits[i].end, m.visits[i].loc
		}
	}
	for i := range m.visits {
		v := m.visits[i]
		if v.loc != late.loc {
			a.share(&event{until: min(late.ready, v.end), pattern: p, v: v, late: late, tied: tied})
		}
		if v.end > firstLeave && firstLeave >= late.ready && p != ThreadBarrierWait {
			ns := v.end - max(firstLeave, v.begin)
			if row := a.told(Completion, &v, first, ns); row != untoldRow {
				a.rows.cause(row, cause{v.loc, v.path, float64(ns) / 1e9}, a.header.Locations[v.loc].Rank, true)
			}
		}
	}
	a.inStep(m)
}

// leavesAhead tells whether some computed much longer beside a collective than
// others: they are ahead of those when they leave it, not in step with them.
func (m *meeting) leavesAhead() bool {
	least, most := int64(1<<63-1), int64(0)
	for i := range m.visits {
		lead := m.visits[i].begin - m.visits[i].ready
		least, most = min(least, lead), max(most, lead)
	}
	return least < most/2
}

// inStep notes that those who met are in step from here on.
func (a *Analyzer) inStep(m *meeting) {
	if m.kind == events.ThreadBarrier {
		for i := range m.visits {
			for j := range m.visits[:i] {
				a.met(m.visits[i].loc, m.visits[j].loc, m.visits[i].at+1, m.visits[j].at+1, m.last().ready)
			}
		}
		return
	}
	g := &a.comms[m.comm]
	if m.leavesAhead() {
		g.free = append(g.free, m)
		return
	}
	g.time = m.last().ready
	for i := range m.visits {
		g.last[m.visits[i].loc] = m.visits[i].at + 1
	}
	if m.comm == 0 {
		a.forget(m)
	}
	g.free = append(g.free, m)
}

// forget drops what lies before a meeting of all, but for the call itself: nobody
// will ask for it.
func (a *Analyzer) forget(m *meeting) {
	for i := range m.visits {
		v := &m.visits[i]
		a.locs[v.loc].log.forget(v.at)
	}
	for i := range a.boxes {
		a.boxes[i].forget(m.last().ready)
	}
	clear(a.pairs)
	for i := range a.locs {
		a.locs[i].near = a.locs[i].near[:0]
	}
	a.fold(m)
}

// maxTeams is how many barriers of threads may be under way.
const maxTeams = 1 << 16

// team judges barriers of the threads of a rank.
func (a *Analyzer) team(v visit, s *events.Span) {
	if s.Comm < 0 {
		a.alone(v)
		return
	}
	key := teamKey{a.header.Locations[v.loc].Rank, s.Comm}
	m := a.teams[key]
	if m == nil {
		if len(a.teams) >= maxTeams {
			a.unmet()
		}
		m = &meeting{kind: s.Kind, root: -1}
		a.teams[key] = m
	}
	m.visits = append(m.visits, v)
	if len(m.visits) < a.threads(key.rank) {
		return
	}
	delete(a.teams, key)
	a.note(event{until: m.last().begin, whole: m})
}

// unmet gives up barriers that some thread never reached.
func (a *Analyzer) unmet() {
	for _, m := range a.teams {
		for i := range m.visits {
			a.alone(m.visits[i])
		}
	}
	clear(a.teams)
}

// alone books a wait in a barrier of threads of which nothing tells for whom.
func (a *Analyzer) alone(v visit) {
	a.inCalls[events.LastName(a.header.Paths[v.path].Name)] += float64(v.end-v.begin) / 1e9
}

// threads is how many locations a rank has.
func (a *Analyzer) threads(rank int32) int {
	end := len(a.locs)
	if int(rank)+1 < len(a.first) {
		end = int(a.first[rank+1])
	}
	return end - int(a.first[rank])
}
