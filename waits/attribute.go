package waits

import (
	"cmp"
	"slices"
)

// scratch is room for one attribution, and for what is judged at one time.
type scratch struct {
	late, own profile
	blamed    []cause // of the wait that is judged
	calls     index   // for once
	latest    []int32
	kept      []due
	turns     []turn // of events of one moment
	before    [][]int32
	done      []bool
}

// profile is what a location did in a part of its log.
type profile struct {
	part
	times  tally[int64]   // ns by path
	waited tally[float64] // ns by suspect
}

// tally is sums by key, and the keys that have one in the order in which they came.
type tally[N int64 | float64] struct {
	sums []N
	keys []int32 // room for all
	used int     // so many have a sum
}

func (t *tally[N]) list() []int32 { return t.keys[:t.used] }

// size makes room for so many keys.
func (t *tally[N]) size(keys int) {
	if n := keys - len(t.sums); n > 0 {
		t.sums, t.keys = append(t.sums, make([]N, n)...), append(t.keys, make([]int32, n)...)
	}
}

func (t *tally[N]) clear() {
	sums := t.sums
	for _, key := range t.list() {
		sums[key] = 0
	}
	t.used = 0
}

// part is that of a location's log from one entry up to another. In the one before the
// first it met another location at a time: what it waited for after that counts, and
// where call is set also what was no waiting.
type part struct {
	from, to int64
	met      int64
	loc      int32
	call     bool
}

// nobody is the location of the part that none is the same as.
const nobody = -1

// fill makes the profile of a part of a log.
func (p *profile) fill(l *log, of *part) {
	p.clear()
	if of.from < l.base && of.to >= l.base {
		p.before(l.sums)
	} else if met := l.entry(of.from - 1); met != nil && of.call {
		p.spend([]entry{*met})
	}
	p.spend(l.between(of.from, of.to))
	if causes := l.suffered(of.from, of.to, of.met); len(causes) > 0 {
		p.pass(causes)
	}
}

// before adds what entries that are not there any more took together.
func (p *profile) before(sums []sum) {
	for i := range sums {
		p.pass(sums[i].causes)
		p.spend([]entry{{path: sums[i].path, own: sums[i].own}})
	}
}

// clear makes it one of nothing.
func (p *profile) clear() {
	p.times.clear()
	p.waited.clear()
}

// size makes room for so many paths and suspects.
func (p *profile) size(paths, suspects int) {
	p.times.size(paths)
	p.waited.size(suspects)
}

// spend adds times of paths. Most of an analysis is here and in pass: they append to
// lists that have room by index, which leaves all they need in registers.
func (p *profile) spend(entries []entry) {
	times, paths, n := p.times.sums, p.times.keys, p.times.used
	for i := range entries {
		own, path := entries[i].own, entries[i].path
		if own == 0 {
			continue
		}
		t := times[path]
		times[path] = t + own
		if t == 0 {
			paths[n] = path
			n++
		}
	}
	p.times.used = n
}

// pass adds causes.
func (p *profile) pass(causes []cause) {
	waited, suspects, n := p.waited.sums, p.waited.keys, p.waited.used
	for i := range causes {
		of, ns := causes[i].of, causes[i].ns
		w := waited[of]
		waited[of] = w + ns
		if w == 0 && ns > 0 {
			suspects[n] = of
			n++
		}
	}
	p.waited.used = n
}

// suspects are regions of locations that made others wait; causes are their numbers.
type suspects struct {
	of   index
	list []suspect
}

type suspect struct {
	loc, path int32
	row, sum  int32 // of a table, where it was booked last
}

func (s *suspects) number(loc, path int32) int32 {
	n := s.of.of(joint(loc, path))
	if int(n) == len(s.list) {
		s.list = append(s.list, suspect{loc, path, untoldRow, 0})
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
	a.blamed = a.blamed[:0]
	twice := a.attribute(row, part, v, late)
	for i := range tied {
		a.attribute(row, part, v, &tied[i])
	}
	if twice || len(tied) > 0 {
		a.joinBlamed()
	}
	a.fewBlamed()
}

// attribute shares a wait among its causes (Böhme et al., section 4.2): region
// by region, what the late one spent longer than the waiting one since they
// last synchronised, and the waits it suffered itself, whose causes are known. It adds
// them to those to blame, and tells whether some of them may be there twice.
func (a *Analyzer) attribute(row int32, wait float64, v, late *visit) (twice bool) {
	since := a.common(v, late)
	n := len(a.blamed)
	total, direct, twice := a.excess(v, late, since, false)
	if total < wait/2 {
		// They did not leave the calls in which they met at the same time: these
		// count as well.
		a.blamed = a.blamed[:n]
		total, direct, twice = a.excess(v, late, since, true)
	}
	if total <= 0 { // it was not longer at anything: its own call is to blame
		a.blamed = append(a.blamed[:n], cause{a.suspects.number(late.loc, late.path), wait})
		total, direct = wait, 1
	}
	part := wait / total
	list := a.blamed[n:]
	for i := range list {
		list[i].ns *= part
	}
	if row != untoldRow {
		a.book(row, list, direct)
	}
	return twice
}

// excess lists what the late one spent longer than the waiting one since they met: first
// the regions it was in itself, so many of them, then what it waited for. Where both
// waited for the same, neither is late by that; nor by what the other has waited for
// already.
func (a *Analyzer) excess(v, late *visit, since sync, calls bool) (total float64, direct int, twice bool) {
	suspects := len(a.suspects.list)
	a.late.size(len(a.spent), suspects)
	a.own.size(len(a.spent), suspects)
	if of := (part{since.late, late.at, since.time, late.loc, calls}); a.late.part != of {
		a.late.part = of
		a.late.fill(&a.locs[late.loc].log, &a.late.part)
	}
	a.own.fill(&a.locs[v.loc].log, &part{since.own, v.at, since.time, v.loc, calls})
	times, ownTimes := a.late.times.sums, a.own.times.sums
	waited, ownWaited := a.late.waited.sums, a.own.waited.sums
	blamed := a.blamed
	for _, p := range a.late.times.list() {
		ns := float64(times[p] - ownTimes[p])
		if ns <= 0 {
			continue
		}
		of := a.suspects.number(late.loc, p)
		if int(of) < suspects { // it was waited for before
			ns -= ownWaited[of]
		}
		if ns > 0 {
			blamed = append(blamed, cause{of, ns})
			total += ns
		}
	}
	direct = len(blamed) - len(a.blamed)
	for _, of := range a.late.waited.list() {
		ns := waited[of] - ownWaited[of]
		switch s := &a.suspects.list[of]; s.loc {
		case v.loc:
			ns -= float64(max(ownTimes[s.path]-times[s.path], 0))
		case late.loc:
			twice = twice || times[s.path] > ownTimes[s.path]
		}
		if ns > 0 {
			blamed = append(blamed, cause{of, ns})
			total += ns
		}
	}
	a.blamed = blamed
	return total, direct, twice
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

// fewBlamed keeps the largest of those to blame.
func (a *Analyzer) fewBlamed() {
	if len(a.blamed) <= maxCauses {
		return
	}
	slices.SortFunc(a.blamed, func(x, y cause) int {
		return cmp.Or(cmp.Compare(y.ns, x.ns), cmp.Compare(x.of, y.of))
	})
	for _, c := range a.blamed[maxCauses:] {
		a.blamed[0].ns += c.ns
	}
	a.blamed = a.blamed[:maxCauses]
}

// joinBlamed sums up those that are there more than once.
func (a *Analyzer) joinBlamed() {
	a.own.clear()
	a.own.size(0, len(a.suspects.list))
	a.own.pass(a.blamed)
	suspects, waited, blamed := a.own.waited.list(), a.own.waited.sums, a.blamed
	a.blamed = blamed[:len(suspects)]
	for i, of := range suspects {
		blamed[i] = cause{of, waited[of]}
	}
}
