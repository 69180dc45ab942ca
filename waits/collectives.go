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
	visits []entrant
}

// entrant is a visit to a collective.
type entrant struct {
	visit
	ready int64 // before begin where it computed on beside it
}

// maxUnder is how many collectives of a communicator may be under way.
const maxUnder = 1024

// collective adds a visit to its meeting; when it is whole, it is to be judged.
func (a *Analyzer) collective(v entrant, s *events.Span) {
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
			g.leave()
			n--
		}
		var m *meeting
		m, g.free = newMeeting(g.free)
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
		g.leave()
	}
	a.meeting(m)
}

// newMeeting takes one of those to be used again, or makes one.
func newMeeting(free []*meeting) (*meeting, []*meeting) {
	if n := len(free); n > 0 {
		m := free[n-1]
		m.visits = m.visits[:0]
		return m, free[:n-1]
	}
	return &meeting{}, free
}

// leave drops the oldest collective under way.
func (g *group) leave() {
	g.under = slices.Delete(g.under, 0, 1)
	g.first++
}

// last is who came last; of those at the same time the one with the lowest number.
func (m *meeting) last() *entrant {
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
func (m *meeting) tied(last *entrant) []visit {
	var list []visit
	for i := range m.visits {
		if v := &m.visits[i]; v.loc != last.loc && v.ready == last.ready && len(list) < maxTied-1 {
			list = append(list, v.visit)
		}
	}
	return list
}

// meeting notes a collective that all have left.
func (a *Analyzer) meeting(m *meeting) {
	if synchronises(m.kind) {
		until := m.last().ready
		*a.event(until) = event{until: until, whole: m}
		if m.comm == 0 {
			a.judge(until)
		}
		return
	}
	if kindOf(m.kind) == earlyScan {
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
	how := kindOf(k)
	return how == waitAtNxN || how == waitAtBarrier || how == waitAtFence
}

// rooted finds the waits of a collective for its root, or of the root for others.
func (a *Analyzer) rooted(m *meeting) {
	root := slices.IndexFunc(m.visits, func(v entrant) bool { return a.locs[v.loc].rank == m.root })
	if root < 0 {
		return
	}
	at := &m.visits[root]
	k := kindOf(m.kind)
	if k == earlyReduce {
		if late := m.last(); late.loc != at.loc {
			if e := a.waited(k, &at.visit, &late.visit, late.at+1, late.begin); e != nil {
				e.tied = m.tied(late)
			}
		}
		return
	}
	for i := range m.visits {
		if i != root {
			a.waited(k, &m.visits[i].visit, &at.visit, at.at+1, at.begin)
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
	slices.SortFunc(m.visits, func(x, y entrant) int {
		r, s := a.locs[x.loc].rank, a.locs[y.loc].rank
		return cmp.Or(cmp.Compare(places[r], places[s]), cmp.Compare(r, s))
	})
	late := &m.visits[0].visit
	for i := range m.visits[1:] {
		v := &m.visits[i+1].visit
		a.waited(earlyScan, v, late, late.at+1, late.begin)
		if later(v.begin, v.loc, late.begin, late.loc) {
			late = v
		}
	}
}

// meet judges a meeting that nobody leaves before all have come.
func (a *Analyzer) meet(m *meeting) {
	k := kindOf(m.kind)
	if m.kind == events.ThreadBarrier {
		k = threadBarrierWait
	}
	late := m.last()
	firstLeave, first := m.visits[0].end, m.visits[0].loc
	for i := range m.visits {
		if m.visits[i].end < firstLeave {
			firstLeave, first = m.visits[i].end, m.visits[i].loc
		}
	}
	a.late.loc = nobody // the waits for it are judged; from here on it stays the same
	e := event{kind: k, late: late.visit, tied: m.tied(late)}
	for i := range m.visits {
		v := &m.visits[i]
		if v.loc != late.loc {
			e.v, e.until = v.visit, min(late.ready, v.end)
			a.share(&e)
		}
		if v.end > firstLeave && firstLeave >= late.ready && k != threadBarrierWait {
			a.completed(&v.visit, first, v.end-max(firstLeave, v.begin))
		}
	}
	a.inStep(m)
}

// completed books time in a collective after the first has left it: it has no cause but
// the call itself.
func (a *Analyzer) completed(v *visit, first int32, ns int64) {
	if row := a.told(completion, v, first, ns); row != untoldRow {
		a.book(row, []cause{{a.suspects.number(v.loc, v.path), float64(ns)}}, 1)
	}
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
		a.idle = append(a.idle, m)
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
	a.fold(m)
	for i := range m.visits {
		v := &m.visits[i]
		a.locs[v.loc].forget(v.at)
	}
	for i, time := 0, m.last().ready; i < len(a.mail.boxes); i++ {
		a.mail.boxes[i].forget(time)
	}
	a.pairs.clear()
}
