package waits

import (
	"cmp"
	"slices"
	"sort"
)

// scratch is room for one attribution.
type scratch struct {
	late, own     []float64 // time by path
	touched       []int32
	passed, shown []cause // what the late one waited for, and the waiting one
	out           []cause
	blank         []cause // room for causes to come
	turns         []turn  // of events of one moment
	before        [][]int32
	done          []bool
}

// maxCauses is how many causes of one wait are kept apart; the smaller ones
// beyond join the largest.
const maxCauses = 64

// attribute shares a wait among its causes (Böhme et al., section 4.2): region
// by region, what the late one spent longer than the waiting one since they
// last synchronised, and the waits it suffered itself, whose causes are known.
func (a *Analyzer) attribute(row int, wait float64, v, late visit) []cause {
	since := a.common(v, late)
	total, direct := a.excess(v, late, since, false)
	if total < wait/2 {
		// They did not leave the calls in which they met at the same time: these
		// count as well.
		total, direct = a.excess(v, late, since, true)
	}
	if total <= 0 { // it was not longer at anything: its own call is to blame
		a.out, total, direct = append(a.out[:0], cause{late.loc, late.path, wait}), wait, 1
	}
	for i := range a.out {
		c := &a.out[i]
		c.seconds *= wait / total
		if row != untoldRow {
			a.rows.cause(row, *c, a.header.Locations[c.loc].Rank, i < direct)
		}
	}
	if len(a.blank) < len(a.out) {
		a.blank = make([]cause, max(slab, len(a.out)))
	}
	kept := a.blank[:len(a.out):len(a.out)]
	a.blank = a.blank[len(a.out):]
	copy(kept, a.out)
	return few(kept)
}

// excess lists what the late one spent longer than the waiting one since they met:
// first the regions it was in itself, so many of them, then what it waited for.
// Where both waited for the same, neither is late by that; nor by what the other has
// waited for already. Of the calls in which they met, what was waited for after that
// counts, and where calls is set also what was no waiting.
func (a *Analyzer) excess(v, late visit, since sync, calls bool) (total float64, direct int) {
	for len(a.late) < len(a.header.Paths) {
		a.late, a.own = append(a.late, 0), append(a.own, 0)
	}
	a.touched, a.out = a.touched[:0], a.out[:0]
	a.passed = joined(a.spent(&a.locs[late.loc].log, since.late, late.at, since.time, calls, a.late, a.passed[:0]))
	a.shown = joined(a.spent(&a.locs[v.loc].log, since.own, v.at, since.time, calls, a.own, a.shown[:0]))
	for _, p := range a.touched {
		if s := a.late[p] - a.own[p] - secondsOf(a.shown, late.loc, p); s > 0 {
			a.out = append(a.out, cause{late.loc, p, s})
			total += s
		}
	}
	direct = len(a.out)
	shown := a.shown
	for _, c := range a.passed {
		s := c.seconds
		for len(shown) > 0 && shown[0].key() < c.key() {
			shown = shown[1:]
		}
		if len(shown) > 0 && shown[0].key() == c.key() {
			s -= shown[0].seconds
		}
		if c.loc == v.loc {
			s -= max(a.own[c.path]-a.late[c.path], 0)
		}
		if s > 0 {
			a.out = append(a.out, cause{c.loc, c.path, s})
			total += s
		}
	}
	for _, p := range a.touched {
		a.late[p], a.own[p] = 0, 0
	}
	return total, direct
}

// spent adds the entries of a log from a number up to another to times by path, and
// what they waited for to a list of causes. They met at a time, in the entry before the
// first: see excess.
func (a *Analyzer) spent(l *log, from, to, met int64, calls bool, times []float64, causes []cause) []cause {
	if e := l.entry(from - 1); e != nil {
		for _, w := range e.waits {
			if w.until > met {
				causes = append(causes, w.causes...)
			}
		}
		if calls {
			a.spend(e, times)
		}
	}
	list := l.between(from, to)
	for i := range list {
		e := &list[i]
		for k := range e.waits {
			causes = append(causes, e.waits[k].causes...)
		}
		a.spend(e, times)
	}
	return causes
}

// spend adds an entry to times by path.
func (a *Analyzer) spend(e *entry, times []float64) {
	if e.seconds <= 0 {
		return
	}
	if a.late[e.path] == 0 && a.own[e.path] == 0 {
		a.touched = append(a.touched, e.path)
	}
	times[e.path] += e.seconds
}

// key sorts causes by location and path.
func (c *cause) key() uint64 { return pairKey(c.loc, c.path) }

// joined sorts causes and sums up equal ones.
func joined(causes []cause) []cause {
	if len(causes) < 2 {
		return causes
	}
	sortCauses(causes)
	n := 0
	for i := 1; i < len(causes); i++ {
		if causes[n].key() == causes[i].key() {
			causes[n].seconds += causes[i].seconds
			continue
		}
		n++
		causes[n] = causes[i]
	}
	return causes[:n+1]
}

// fewCauses is up to how many are put in order one by one: most lists are shorter, and
// come in pieces that are in order.
const fewCauses = 32

// sortCauses sorts a list by key.
func sortCauses(causes []cause) {
	if len(causes) > fewCauses {
		slices.SortFunc(causes, func(x, y cause) int { return cmp.Compare(x.key(), y.key()) })
		return
	}
	for i := 1; i < len(causes); i++ {
		c, k := causes[i], i
		for ; k > 0 && causes[k-1].key() > c.key(); k-- {
			causes[k] = causes[k-1]
		}
		causes[k] = c
	}
}

// secondsOf is that of one cause among joined ones.
func secondsOf(causes []cause, loc, path int32) float64 {
	is := pairKey(loc, path)
	i := sort.Search(len(causes), func(i int) bool { return causes[i].key() >= is })
	if i < len(causes) && causes[i].key() == is {
		return causes[i].seconds
	}
	return 0
}

// largest is the path of the largest cause.
func largest(causes []cause) int32 {
	path, most := int32(-1), 0.0
	for _, c := range causes {
		if c.seconds > most {
			path, most = c.path, c.seconds
		}
	}
	return path
}

// few joins equal causes and keeps the largest.
func few(causes []cause) []cause {
	causes = joined(causes)
	if len(causes) > maxCauses {
		slices.SortFunc(causes, func(x, y cause) int {
			switch {
			case x.seconds > y.seconds:
				return -1
			case x.seconds < y.seconds:
				return 1
			}
			return 0
		})
		for _, c := range causes[maxCauses:] {
			causes[0].seconds += c.seconds
		}
		causes = causes[:maxCauses]
	}
	return causes
}
