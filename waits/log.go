package waits

import "sort"

// log is what a location did since it last met all others. Entries are numbered
// from the start of the trace; older ones than anyone asks for are dropped, and
// those that make the log too long are summed up by region.
type log struct {
	entries []entry
	base    int64  // number of entries[0]
	summed  int    // how many of the first entries are sums
	room    []past // for waits to come
}

// entry is time in one region; a call may hold a wait.
type entry struct {
	path    int32
	call    bool
	begin   int64   // ns
	seconds float64 // without the waits
	waits   []past  // one after the other
}

// past is a wait that was judged.
type past struct {
	until  int64   // when it was over
	causes []cause // they add up to it
}

// until is when the last wait of an entry was over, or when it began.
func (e *entry) until() int64 {
	if n := len(e.waits); n > 0 {
		return e.waits[n-1].until
	}
	return e.begin
}

// cause is a region of a location that made others wait.
type cause struct {
	loc, path int32
	seconds   float64
}

// maxLog is how many entries a location keeps.
const maxLog = 4096

// work adds computation.
func (l *log) work(path int32, begin int64, seconds float64) {
	if n := len(l.entries); n > 0 && !l.entries[n-1].call && l.entries[n-1].path == path {
		l.entries[n-1].seconds += seconds
		return
	}
	l.add(entry{path: path, begin: begin, seconds: seconds})
}

// call adds a call and returns its number.
func (l *log) call(path int32, begin int64, seconds float64) int64 {
	return l.add(entry{path: path, call: true, begin: begin, seconds: seconds})
}

// full tells that the next entry would make the log too long.
func (l *log) full() bool { return len(l.entries) >= maxLog }

func (l *log) add(e entry) int64 {
	l.entries = append(l.entries, e)
	return l.base + int64(len(l.entries)) - 1
}

// next is the number the next entry will have.
func (l *log) next() int64 { return l.base + int64(len(l.entries)) }

// at is the number of the first entry that begins no earlier than a time.
func (l *log) at(time int64) int64 {
	own := l.entries[l.summed:]
	return l.base + int64(l.summed+sort.Search(len(own), func(i int) bool { return own[i].begin >= time }))
}

// apart tells whether a number is that of an entry which is kept by itself.
func (l *log) apart(at int64) bool { return at >= l.base+int64(l.summed) }

// kept is from when on entries stay as they are when the log is shortened.
func (l *log) kept() int64 { return l.entries[len(l.entries)/2].begin }

// shorten sums up the older half by region.
func (l *log) shorten() {
	half := len(l.entries) / 2
	sums := map[int32]*entry{}
	var order []int32
	for i := range l.entries[:half] {
		e := &l.entries[i]
		s := sums[e.path]
		if s == nil {
			s = &entry{path: e.path, call: true}
			sums[e.path] = s
			order = append(order, e.path)
		}
		s.seconds += e.seconds
		for _, w := range e.waits {
			if s.waits == nil {
				s.waits = []past{{}}
			}
			s.waits[0] = past{w.until, few(append(s.waits[0].causes, w.causes...))}
		}
	}
	var kept []entry
	for _, p := range order {
		kept = append(kept, *sums[p])
	}
	if len(kept) >= half { // nothing to be gained: forget the oldest
		kept = kept[:0]
	}
	n := len(kept)
	copy(l.entries, kept)
	m := copy(l.entries[n:], l.entries[half:])
	l.base += int64(half - n)
	l.entries, l.summed = l.entries[:n+m], n
}

// waited turns part of a call into a wait. The causes are the log's from now on.
func (l *log) waited(at int64, wait float64, until int64, causes []cause) {
	if e := l.entry(at); e != nil {
		e.seconds = max(e.seconds-wait, 0)
		if e.waits == nil { // most have one
			if len(l.room) == 0 {
				l.room = make([]past, slab)
			}
			e.waits, l.room = l.room[:0:1], l.room[1:]
		}
		e.waits = append(e.waits, past{until, causes})
	}
}

// entry is the one of a number; nil where it is not kept by itself any more.
func (l *log) entry(at int64) *entry {
	if i := at - l.base; i >= int64(l.summed) && i < int64(len(l.entries)) {
		return &l.entries[i]
	}
	return nil
}

// forget drops what lies before a number.
func (l *log) forget(before int64) {
	i := before - l.base
	if i <= 0 {
		return
	}
	i = min(i, int64(len(l.entries)))
	n := copy(l.entries, l.entries[i:])
	clear(l.entries[n:])
	l.entries, l.summed = l.entries[:n], max(l.summed-int(i), 0)
	l.base += i
}

// between are the entries from one number up to another.
func (l *log) between(from, to int64) []entry {
	i := max(from-l.base, 0)
	j := min(to-l.base, int64(len(l.entries)))
	if i >= j {
		return nil
	}
	return l.entries[i:j]
}
