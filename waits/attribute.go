package waits

import (
	"cmp"
	"math"
	"slices"
)

// scratch is room for one attribution, and for what is judged at one time.
type scratch struct {
	times  []sides // ns by path
	paths  []int32 // those with times
	passed []int32 // the suspects that either side waited for
	blamed []cause // of the wait that is judged
	room   log
	calls  index // for once
	latest []int32
	kept   []due
	turns  []turn // of events of one moment
	before [][]int32
	done   []bool
}

// The sides of an attribution: the late one, and the waiting one.
const (
	lateSide = iota
	ownSide
)

// sides are times of both.
type sides [2]int64

// suspects are regions of locations that made others wait; causes are their numbers.
type suspects struct {
	of   index
	list []suspect
}

type suspect struct {
	waited    [2]float64 // ns that both sides of an attribution waited for it
	loc, path int32
}

func (s *suspects) number(loc, path int32) int32 {
	n := s.of.of(joint(loc, path))
	if int(n) == len(s.list) {
		s.list = append(s.list, suspect{loc: loc, path: path})
	}
	return n
}

// maxCauses is how many causes of one wait are kept apart; the smaller ones
// beyond join the largest.
const maxCauses = 64

// blame lists the causes of a wait for one that was late, and others as late as that,
// and books them.
func (a *Analyzer) blame(row int32, wait int64, v, late *visit, tied []visit) {
	part := float64(wait) / float64(1+len(tied))
	a.blamed = a.attribute(row, part, v, late, a.blamed[:0])
	for i := range tied {
		a.blamed = a.attribute(row, part, v, &tied[i], a.blamed)
	}
	a.blamed = a.few(a.blamed)
}

// attribute shares a wait among its causes (Böhme et al., section 4.2): region
// by region, what the late one spent longer than the waiting one since they
// last synchronised, and the waits it suffered itself, whose causes are known. It adds
// them to a list.
func (a *Analyzer) attribute(row int32, wait float64, v, late *visit, list []cause) []cause {
	since := a.common(v, late)
	n := len(list)
	list, total, direct := a.excess(v, late, since, false, list)
	if total < wait/2 {
		// They did not leave the calls in which they met at the same time: these
		// count as well.
		list, total, direct = a.excess(v, late, since, true, list[:n])
	}
	if total <= 0 { // it was not longer at anything: its own call is to blame
		list, total, direct = append(list[:n], cause{a.suspects.number(late.loc, late.path), wait}), wait, 1
	}
	for i := range list[n:] {
		c := &list[n+i]
		c.ns *= wait / total
		if row != untoldRow {
			a.table.cause(row, *c, i < direct)
		}
	}
	return list
}

// excess lists what the late one spent longer than the waiting one since they met:
// first the regions it was in itself, so many of them, then what it waited for.
// Where both waited for the same, neither is late by that; nor by what the other has
// waited for already. Of the calls in which they met, what was waited for after that
// counts, and where calls is set also what was no waiting.
func (a *Analyzer) excess(v, late *visit, since sync, calls bool, list []cause) (_ []cause, total float64, direct int) {
	if n := len(a.regions); len(a.times) < n {
		a.times = append(a.times, make([]sides, n-len(a.times))...)
	}
	a.paths, a.passed = a.paths[:0], a.passed[:0]
	a.spent(lateSide, &a.locs[late.loc].log, since.late, late.at, since.time, calls)
	a.spent(ownSide, &a.locs[v.loc].log, since.own, v.at, since.time, calls)
	n := len(list)
	for _, p := range a.paths {
		more := a.times[p][lateSide] - a.times[p][ownSide]
		if more <= 0 {
			continue
		}
		of := a.suspects.number(late.loc, p)
		if ns := float64(more) - a.suspects.list[of].waited[ownSide]; ns > 0 {
			list = append(list, cause{of, ns})
			total += ns
		}
	}
	direct = len(list) - n
	for _, of := range a.passed {
		w := &a.suspects.list[of]
		ns := w.waited[lateSide] - w.waited[ownSide]
		if w.loc == v.loc {
			t := &a.times[w.path]
			ns -= float64(max(t[ownSide]-t[lateSide], 0))
		}
		w.waited = [2]float64{}
		if ns > 0 {
			list = append(list, cause{of, ns})
			total += ns
		}
	}
	for _, p := range a.paths {
		a.times[p] = sides{}
	}
	return list, total, direct
}

// spent adds the entries of a log from a number up to another to the times of a side, and
// what they waited for. They met at a time, in the entry before the first: see excess.
func (a *Analyzer) spent(side int, l *log, from, to, met int64, calls bool) {
	if e := l.entry(from - 1); e != nil {
		if e.first > 0 {
			a.suffered(side, l, e, met)
		}
		if calls {
			a.spend(side, e.path, e.own)
		}
	}
	entries, sums := l.between(from, to)
	for i := range sums {
		s := &sums[i]
		a.pass(side, s.causes)
		a.spend(side, s.path, s.own)
	}
	for i := range entries {
		e := &entries[i]
		if e.first > 0 {
			a.suffered(side, l, e, math.MinInt64)
		}
		a.spend(side, e.path, e.own)
	}
}

// spend adds to the time of a path.
func (a *Analyzer) spend(side int, path int32, ns int64) {
	if ns <= 0 {
		return
	}
	t := &a.times[path]
	if t[lateSide]|t[ownSide] == 0 {
		a.paths = append(a.paths, path)
	}
	t[side] += ns
}

// suffered adds the causes of the waits of an entry that were over after a time.
func (a *Analyzer) suffered(side int, l *log, e *entry, after int64) {
	for n := e.first; n > 0; {
		w := &l.waits[n-1]
		if n = w.next; w.until > after {
			a.pass(side, l.causes[w.from:w.to])
		}
	}
}

// pass adds causes to what a side waited for.
func (a *Analyzer) pass(side int, causes []cause) {
	for _, c := range causes {
		w := &a.suspects.list[c.of]
		if w.waited[lateSide] == 0 && w.waited[ownSide] == 0 {
			a.passed = append(a.passed, c.of)
		}
		w.waited[side] += c.ns
	}
}

// largest is the path of the largest cause of the wait that is judged; of those as large
// that of the location with the lowest number.
func (a *Analyzer) largest() int32 {
	if len(a.blamed) == 0 {
		return -1
	}
	most := slices.MaxFunc(a.blamed, func(x, y cause) int {
		if x.ns != y.ns {
			return cmp.Compare(x.ns, y.ns)
		}
		v, w := &a.suspects.list[x.of], &a.suspects.list[y.of]
		return cmp.Or(cmp.Compare(w.loc, v.loc), cmp.Compare(w.path, v.path))
	})
	return a.suspects.list[most.of].path
}

// few joins equal causes and keeps the largest.
func (a *Analyzer) few(causes []cause) []cause {
	causes = a.joined(causes)
	if len(causes) <= maxCauses {
		return causes
	}
	slices.SortFunc(causes, func(x, y cause) int {
		return cmp.Or(cmp.Compare(y.ns, x.ns), cmp.Compare(x.of, y.of))
	})
	for _, c := range causes[maxCauses:] {
		causes[0].ns += c.ns
	}
	return causes[:maxCauses]
}

// joined sums up equal causes.
func (a *Analyzer) joined(causes []cause) []cause {
	if len(causes) < 2 {
		return causes
	}
	a.passed = a.passed[:0]
	a.pass(lateSide, causes)
	for i, of := range a.passed {
		w := &a.suspects.list[of]
		causes[i] = cause{of, w.waited[lateSide]}
		w.waited = [2]float64{}
	}
	return causes[:len(a.passed)]
}
