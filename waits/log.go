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
	base    int64 // number of entries[0]
	sums    []sum // of what lies before, by region
	waits   []past
	causes  []cause // of the waits
	track           // of the critical path, before entries[0]
}

// entry is time in one region; a call may hold waits.
type entry struct {
	begin int64 // ns
	own   int64 // ns without the waits
	path  int32
	first int32 // place of its first wait, counted from 1; 0 for none
	last  int32 // of its last, where it has any
	kind  entryKind
}

type entryKind uint8

const (
	work   entryKind = iota // which may go on
	call                    // for which others may wait, or which may wait
	access                  // a call that is one to a window
)

// past is a wait that was judged.
type past struct {
	until    int64 // when it was over
	from, to int32 // its causes, which add up to it
	next     int32 // wait of its entry, counted from 1; 0 for none
	before   detour
}

// sum is what some entries took together.
type sum struct {
	path   int32
	own    int64
	causes []cause // of their waits
}

// cause is time of a region of a location that made others wait.
type cause struct {
	of int32 // number of the two, see Analyzer.suspect
	ns float64
}

// maxLog is how many entries a location keeps.
const maxLog = 4096

// work adds computation.
func (l *log) work(path int32, begin, ns int64) {
	if n := len(l.entries); n > 0 {
		if e := &l.entries[n-1]; e.kind == work && e.path == path {
			e.own += ns
			return
		}
	}
	l.entries = append(l.entries, entry{path: path, begin: begin, own: ns})
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

// between are the entries from one number up to another, and the sums where those from
// before are asked for as well.
func (l *log) between(from, to int64) ([]entry, []sum) {
	i, j := max(from-l.base, 0), min(to-l.base, int64(len(l.entries)))
	if i > j {
		return nil, nil
	}
	if from < l.base {
		return l.entries[i:j], l.sums
	}
	return l.entries[i:j], nil
}

// until is when the last wait of an entry was over, or when it began.
func (l *log) until(e *entry) int64 {
	if e.first == 0 {
		return e.begin
	}
	return l.waits[e.last-1].until
}

// waited turns part of a call into a wait, which the critical path leaves by a detour.
// What was blamed is copied.
func (l *log) waited(e *entry, wait, until int64, by detour, blamed []cause) {
	if by.loc < 0 { // the path goes on as before
		by = l.detour(e)
	}
	e.own = max(e.own-wait, 0)
	from := int32(len(l.causes))
	l.causes = append(l.causes, blamed...)
	l.link(e, past{until: until, from: from, to: int32(len(l.causes)), before: by})
}

// link adds a wait to those of an entry.
func (l *log) link(e *entry, w past) {
	w.next = 0
	l.waits = append(l.waits, w)
	n := int32(len(l.waits))
	if e.first == 0 {
		e.first = n
	} else {
		l.waits[e.last-1].next = n
	}
	e.last = n
}

// forget drops what lies before a number.
func (l *log) forget(before int64, room *log) {
	if before < l.base {
		return
	}
	i := min(before-l.base, int64(len(l.entries)))
	l.entries = l.entries[:copy(l.entries, l.entries[i:])]
	l.base += i
	l.sums = l.sums[:0]
	l.pack(room)
}

// pack keeps of the waits only those of entries that are still there.
func (l *log) pack(room *log) {
	room.waits, room.causes = append(room.waits[:0], l.waits...), append(room.causes[:0], l.causes...)
	l.waits, l.causes = l.waits[:0], l.causes[:0]
	for i := range l.entries {
		e := &l.entries[i]
		n := e.first
		e.first = 0
		for n > 0 {
			w := room.waits[n-1]
			n = w.next
			from := int32(len(l.causes))
			l.causes = append(l.causes, room.causes[w.from:w.to]...)
			w.from, w.to = from, int32(len(l.causes))
			l.link(e, w)
		}
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
	l.pack(&a.room)
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
		e := &l.entries[i]
		s := at(e.path)
		s.own += e.own
		for n := e.first; n > 0; n = l.waits[n-1].next {
			w := &l.waits[n-1]
			s.causes = append(s.causes, l.causes[w.from:w.to]...)
		}
	}
	most := entries + len(l.sums)
	if l.sums = l.sums[:0]; len(sums) >= most {
		return
	}
	for _, s := range sums {
		l.sums = append(l.sums, sum{s.path, s.own, slices.Clone(a.few(s.causes))})
	}
}
