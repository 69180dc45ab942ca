package waits

import (
	"auspex/events"
	"auspex/trace"
)

// group is a communicator.
type group struct {
	size    int
	under   []*meeting // collectives that not all have left
	first   int64      // number of under[0]
	entered []int64    // collectives of each location
	last    []int64    // where each location's log stood after its last one
	free    []*meeting
}

// meeting is a collective that some have left.
type meeting struct {
	kind   trace.Kind
	root   int32
	visits []visit
}

// maxUnder is how many collectives of a communicator may be under way.
const maxUnder = 1024

// collective adds a visit to its meeting, and judges that when it is whole.
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
		m.kind, m.root = s.Kind, -1
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
	a.meet(m)
	for i := range m.visits {
		g.last[m.visits[i].loc] = m.visits[i].at + 1
	}
	if s.Comm == 0 && synchronises(m.kind) {
		a.forget(m)
	}
	for len(g.under) > 0 && len(g.under[0].visits) == g.size {
		g.free = append(g.free, g.under[0])
		g.under = g.under[1:]
		g.first++
	}
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
	return p == WaitAtNxN || p == WaitAtBarrier
}

// meet judges a whole collective.
func (a *Analyzer) meet(m *meeting) {
	last, root := 0, -1
	firstLeave := m.visits[0].end
	for i := range m.visits {
		if m.visits[i].ready > m.visits[last].ready {
			last = i
		}
		firstLeave = min(firstLeave, m.visits[i].end)
		if a.header.Locations[m.visits[i].loc].Rank == m.root {
			root = i
		}
	}
	switch p := patternOf(m.kind); p {
	case LateBroadcast:
		if root < 0 {
			return
		}
		for i := range m.visits {
			if i != root {
				a.waited(p, m.visits[i], m.visits[root], m.visits[root].begin)
			}
		}
	case EarlyReduce:
		if root >= 0 && last != root {
			a.waited(p, m.visits[root], m.visits[last], m.visits[last].begin)
		}
	default:
		a.meetAll(p, m, last, firstLeave)
	}
}

// meetAll judges a collective that nobody leaves before all have come.
func (a *Analyzer) meetAll(p Pattern, m *meeting, last int, firstLeave int64) {
	late := m.visits[last]
	for i := range m.visits {
		v := m.visits[i]
		if i != last {
			a.waited(p, v, late, late.ready)
		}
		if v.end > firstLeave && firstLeave >= late.ready && p != ThreadBarrierWait {
			w := float64(v.end-max(firstLeave, v.begin)) / 1e9
			row := a.rows.row(Completion, v.path)
			rank := a.header.Locations[v.loc].Rank
			a.rows.add(row, rank, w)
			a.rows.cause(row, cause{v.loc, v.path, w}, rank, true)
		}
	}
}

// forget drops what lies before a meeting of all: nobody will ask for it.
func (a *Analyzer) forget(m *meeting) {
	for i := range m.visits {
		v := &m.visits[i]
		a.locs[v.loc].log.forget(v.at + 1)
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
	key := teamKey{a.header.Locations[v.loc].Rank, s.Comm}
	m := a.teams[key]
	if m == nil {
		if len(a.teams) >= maxTeams { // of barriers that some thread never reached
			clear(a.teams)
		}
		m = &meeting{kind: s.Kind, root: -1}
		a.teams[key] = m
	}
	m.visits = append(m.visits, v)
	if len(m.visits) < a.threads(key.rank) {
		return
	}
	last := 0
	for i := range m.visits {
		if m.visits[i].begin > m.visits[last].begin {
			last = i
		}
	}
	a.meetAll(ThreadBarrierWait, m, last, 0)
	for i := range m.visits {
		for j := range m.visits[:i] {
			a.met(m.visits[i].loc, m.visits[j].loc, m.visits[i].at+1, m.visits[j].at+1)
		}
	}
	delete(a.teams, key)
}

// threads is how many locations a rank has.
func (a *Analyzer) threads(rank int32) int {
	end := len(a.locs)
	if int(rank)+1 < len(a.first) {
		end = int(a.first[rank+1])
	}
	return end - int(a.first[rank])
}
