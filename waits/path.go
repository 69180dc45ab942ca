package waits

import "sort"

// The critical path is read off the logs, backwards: an entry comes after the one before
// it of its location or, where it waited, after what the late one did up to then.

// detour is how the path comes to a call that waited: through another location, whose
// entry of a number is the one before it. The location is -1 where it comes as to any.
type detour struct {
	at  int64
	ns  int64 // of the call that are on the path
	loc int32
}

// step is a region of a location.
type step struct{ loc, path int32 }

// track is what is kept of a location for the path alone.
type track struct {
	older  []stretch      // entries before those of the log, the latest last
	cut    int64          // number of the first that is kept by itself
	before map[step]int64 // the path up to there, in ns, where that is not in Analyzer.folded
}

// stretch is an entry of which only its place on the path is kept.
type stretch struct {
	begin  int64
	before detour
	path   int32
}

// maxOlder is how many stretches all locations keep before they are summed up.
const maxOlder = 1 << 20

// detour is how the path comes to an entry.
func (l *log) detour(at int64) detour {
	if w := l.last(at); w != nil {
		return w.before
	}
	return detour{loc: -1, ns: l.entry(at).own}
}

// stretch is the entry of a number on the path.
func (l *log) stretch(n int64) stretch {
	if n < l.base {
		return l.older[int64(len(l.older))-(l.base-n)]
	}
	e := l.entry(n)
	return stretch{e.begin, l.detour(n), e.path}
}

// retire keeps the first entries for the path alone.
func (l *log) retire(entries int) {
	for i := range l.entries[:entries] {
		l.older = append(l.older, l.stretch(l.base+int64(i)))
	}
}

// cutAt drops what lies before a number from the path.
func (l *log) cutAt(number int64, before map[step]int64) {
	if drop := int64(len(l.older)) - (l.base - number); drop > 0 {
		drop = min(drop, int64(len(l.older)))
		l.older = l.older[:copy(l.older, l.older[drop:])]
	}
	l.cut, l.before = max(l.cut, number), before
}

// since is the number of the first stretch that begins no earlier than a time.
func (l *log) since(time int64) int64 {
	if n := len(l.older); n > 0 && l.older[n-1].begin >= time {
		i := sort.Search(n, func(i int) bool { return l.older[i].begin >= time })
		return l.base - int64(n-i)
	}
	return l.at(time)
}

// fold sums up the path before a meeting of all: every path goes through the one who
// came last.
func (a *Analyzer) fold(m *meeting) {
	last := m.last()
	a.gather(last.loc, last.at-1, a.stretches(), a.folded)
	for i := range m.visits {
		v := &m.visits[i]
		a.locs[v.loc].cutAt(v.at, nil)
	}
}

// gather adds the path that ends with an entry to a sum. It has no more stretches than
// there are: where clocks contradict one another it could come back to itself.
func (a *Analyzer) gather(loc int32, at int64, most int, to map[step]int64) {
	for range most {
		l := &a.locs[loc].log
		if at < l.cut {
			for s, ns := range l.before {
				to[s] += ns
			}
			return
		}
		s := l.stretch(at)
		to[step{loc, s.path}] += s.before.ns
		if at--; s.before.loc >= 0 {
			loc, at = s.before.loc, s.before.at
		}
	}
}

// stretches is how many there are, and one for what lies before.
func (a *Analyzer) stretches() int {
	n := 1
	for i := range a.locs {
		n += len(a.locs[i].older) + len(a.locs[i].entries)
	}
	return n
}

// flatten sums up the paths of all locations up to a time, where they never meet all at
// once. What waited after that comes from entries after it, or the last before it.
func (a *Analyzer) flatten(time int64) {
	cuts, before := make([]int64, len(a.locs)), make([]map[step]int64, len(a.locs))
	most := a.stretches()
	for i := range a.locs {
		l := &a.locs[i].log
		cuts[i], before[i] = max(l.cut, l.since(time)), map[step]int64{}
		a.gather(int32(i), cuts[i]-1, most, before[i])
	}
	a.older = 0
	for i := range a.locs {
		a.locs[i].cutAt(cuts[i], before[i])
		a.older += len(a.locs[i].older)
	}
}

// criticalPath is the time on the critical path by region and location, in ns.
func (a *Analyzer) criticalPath() map[step]int64 {
	last := -1
	for i := range a.locs {
		if a.locs[i].next() > 0 && (last < 0 || a.locs[i].end > a.locs[last].end) {
			last = i
		}
	}
	if last >= 0 {
		a.gather(int32(last), a.locs[last].next()-1, a.stretches(), a.folded)
	}
	return a.folded
}
