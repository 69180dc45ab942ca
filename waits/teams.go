package waits

import "auspex/events"

type teamKey struct{ rank, number int32 }

// maxTeams is how many barriers of threads may be under way.
const maxTeams = 1 << 16

// team judges barriers of the threads of a rank.
func (a *Analyzer) team(v entrant, s *events.Span) {
	if s.Comm < 0 {
		a.alone(&v.visit)
		return
	}
	key := teamKey{a.locs[v.loc].rank, s.Comm}
	m := a.teams[key]
	if m == nil {
		if len(a.teams) >= maxTeams {
			a.unmet()
		}
		m, a.idle = newMeeting(a.idle)
		m.kind, m.root = s.Kind, -1
		a.teams[key] = m
	}
	m.visits = append(m.visits, v)
	if len(m.visits) < a.threads(key.rank) {
		return
	}
	delete(a.teams, key)
	until := m.last().ready
	*a.event(until) = event{until: until, whole: m}
}

// unmet gives up barriers that some thread never reached.
func (a *Analyzer) unmet() {
	for _, m := range a.teams {
		for i := range m.visits {
			a.alone(&m.visits[i].visit)
		}
	}
	clear(a.teams)
}

// alone books a wait in a barrier of threads of which nothing tells for whom.
func (a *Analyzer) alone(v *visit) {
	r := &a.regions[v.path]
	r.alone += float64(v.end - v.begin)
	r.has |= hasAlone
}

// threads is how many locations a rank has.
func (a *Analyzer) threads(rank int32) int {
	end := len(a.locs)
	if int(rank)+1 < len(a.first) {
		end = int(a.first[rank+1])
	}
	return end - int(a.first[rank])
}
