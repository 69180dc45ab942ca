package waits

import (
	"slices"
	"sort"
)

// log is what a location did since it last met all others. Entries are numbered from
// the start of the trace; older ones than anyone asks for are dropped, and those that
// make the log too long are summed up by region. Nothing in it points anywhere but the
// lists themselves, so that the garbage collector has nothing to follow.
type log struct {
	entries []entry
	base    int64   // number of entries[0]
	sums    []sum   // of what lies before, by region
	waits   []past  // of entries, in their order
	causes  []cause // of the waits, in their order
	track           // of the critical path, before entries[0]
}

// entry is time in one region; a call may hold waits.
type entry struct {
	begin  int64 // ns
	own    int64 // ns without the waits
	path   int32
	kind   entryKind
	waited bool // it holds some
}

type entryKind uint8

const (
	work   entryKind = iota // which may go on
	done                    // work that does not
	call                    // for which others may wait, or which may wait
	access                  // a call that is one to a window
)

// past is a wait that was judged.
type past struct {
	at     int64 // number of its entry
	until  int64 // when it was over
	before detour
	causes int32 // where its causes end in the log's, which add up to it
}

// sum is what some entries took together.
type sum struct {
	path   int32
	own    int64
	causes []cause // of their waits
}

// cause is time of a region of a location that made others wait.
type cause struct {
	of int32 // number of the two among Analyzer.suspects
	ns float64
}

// maxLog is how many entries a location keeps.
const maxLog = 4096

// work adds computation. What takes no time, as calls that begin a message do in a
// replay, has no entry, but ends that before it.
func (l *log) work(path int32, begin, ns int64) {
	if n := len(l.entries); n > 0 {
		e := &l.entries[n-1]
		if e.kind == work && e.path == path {
			e.own += ns
			return
		}
		if ns == 0 && e.kind == work {
			e.kind = done
		}
	}
	if ns != 0 {
		l.entries = append(l.entries, entry{path: path, begin: begin, own: ns})
	}
}

// call adds a call and returns its number.
func (l *log) call(path int32, begin, ns int64, kind entryKind) int64 {
	l.entries = append(l.entries, entry{path: path, begin: begin, own: ns, kind: kind})
	return l.base + int64(len(l.entries)) - 1
}

// full tells that the next entry would make the log too long.
func (l *log) full() bool { return len(l.entries)+len(l.sums) >= maxLog }

// next is the number the next entry will have.
func (l *log) next() int64 { return l.base + int64(len(l.entries)) }

// at is the number of the first entry that begins no earlier than a time.
func (l *log) at(time int64) int64 {
	return l.base + int64(sort.Search(len(l.entries), func(i int) bool { return l.entries[i].begin >= time }))
}

// entry is the one of a number; nil where it is not kept by itself any more.
func (l *log) entry(at int64) *entry {
	if i := at - l.base; i >= 0 && i < int64(len(l.entries)) {
		return &l.entries[i]
	}
	return nil
}

// between are the entries from one number up to another.
func (l *log) between(from, to int64) []entry {
	i, j := max(from-l.base, 0), min(to-l.base, int64(len(l.entries)))
	if i > j {
		return nil
	}
	return l.entries[i:j]
}

// past is the place of the first wait of entries from a number on. Mostly those that
// are asked for are among the last.
func (l *log) past(at int64) int {
	i, waits := len(l.waits), l.waits
	for i > 0 && waits[i-1].at >= at {
		i--
	}
	return i
}

// suffered are the causes of what entries from one number up to another waited for, and
// the one before them after a time.
func (l *log) suffered(from, to, after int64) []cause {
	end, waits := l.past(to), l.waits
	i := end
	for i > 0 && waits[i-1].at >= from {
		i--
	}
	for i > 0 && waits[i-1].at == from-1 && waits[i-1].until > after {
		i--
	}
	if i == end {
		return nil
	}
	return l.causes[l.causesFrom(i):waits[end-1].causes]
}

// causesFrom is where the causes of waits from a place on begin.
func (l *log) causesFrom(wait int) int {
	if wait == 0 {
		return 0
	}
	return int(l.waits[wait-1].causes)
}

// last is the last wait of an entry; nil where it has none.
func (l *log) last(at int64) *past {
	if e := l.entry(at); e == nil || !e.waited {
		return nil
	}
	i := sort.Search(len(l.waits), func(i int) bool { return l.waits[i].at > at })
	return &l.waits[i-1]
}

// waited turns part of a call into a wait, by which the critical path comes to it on a detour.
// What was blamed is copied.
func (l *log) waited(at, wait, until int64, by detour, blamed []cause) {
	e := l.entry(at)
	if e == nil {
		return
	}
	if by.loc < 0 { // the path goes on as before
		by = l.detour(at)
	}
	e.own, e.waited = max(e.own-wait, 0), true
	if n := len(l.waits); n > 0 && l.waits[n-1].at > at { // clocks contradict one another
		l.insert(past{at: at, until: until, before: by}, blamed)
		return
	}
	l.causes = append(l.causes, blamed...)
	l.waits = append(l.waits, past{at, until, by, int32(len(l.causes))})
}

// insert adds a wait of an entry before others that have waited already.
func (l *log) insert(w past, blamed []cause) {
	i := l.past(w.at + 1)
	from := l.causesFrom(i)
	w.causes = int32(from)
	l.causes = slices.Insert(l.causes, from, blamed...)
	l.waits = slices.Insert(l.waits, i, w)
	for ; i < len(l.waits); i++ {
		l.waits[i].causes += int32(len(blamed))
	}
}

// forget drops what lies before a number.
func (l *log) forget(before int64) {
	if before < l.base {
		return
	}
	i := min(before-l.base, int64(len(l.entries)))
	l.entries = l.entries[:copy(l.entries, l.entries[i:])]
	l.base += i
	l.sums = l.sums[:0]
	l.forgetWaits()
}

// forgetWaits drops those of entries that are not there any more.
func (l *log) forgetWaits() {
	i := 0
	for i < len(l.waits) && l.waits[i].at < l.base {
		i++
	}
	from := l.causesFrom(i)
	l.causes = l.causes[:copy(l.causes, l.causes[from:])]
	l.waits = l.waits[:copy(l.waits, l.waits[i:])]
	for i := range l.waits {
		l.waits[i].causes -= int32(from)
	}
}

// shorten sums up the older half of a location's log by region. What is summed up can
// be judged no more, and others may be silent for long: so what was found is judged
// before.
func (a *Analyzer) shorten(l *location) {
	half := (len(l.entries)+len(l.sums))/2 - len(l.sums)
	a.judge(max(a.reached(), l.entries[half].begin))
	l.retire(half)
	a.sumUp(&l.log, half)
	l.entries = l.entries[:copy(l.entries, l.entries[half:])]
	l.base += int64(half)
	l.forgetWaits()
	if a.older += half; a.older > maxOlder {
		a.flatten(l.entries[0].begin)
	}
}

// sumUp adds the first entries of a log to its sums. Where these would be as many as the
// entries they stand for, nothing is gained, and the oldest are forgotten.
func (a *Analyzer) sumUp(l *log, entries int) {
	of := map[int32]*sum{}
	sums := make([]*sum, 0, len(l.sums))
	at := func(path int32) *sum {
		s := of[path]
		if s == nil {
			s = &sum{path: path}
			of[path], sums = s, append(sums, s)
		}
		return s
	}
	for _, s := range l.sums {
		*at(s.path) = s
	}
	for i := range l.entries[:entries] {
		at(l.entries[i].path).own += l.entries[i].own
	}
	for i, from := 0, int32(0); i < l.past(l.base+int64(entries)); i++ {
		w := &l.waits[i]
		s := at(l.entry(w.at).path)
		s.causes = append(s.causes, l.causes[from:w.causes]...)
		from = w.causes
	}
	most := entries + len(l.sums)
	if l.sums = l.sums[:0]; len(sums) >= most {
		return
	}
	for _, s := range sums {
		a.blamed = s.causes
		a.joinBlamed()
		a.fewBlamed()
		l.sums = append(l.sums, sum{s.path, s.own, slices.Clone(a.blamed)})
	}
}
