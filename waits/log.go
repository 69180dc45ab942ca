package waits

// log is what a location did since it last met others. Entries are numbered
// from the start of the trace; older ones than anyone asks for are dropped, and
// those that make the log too long are summed up by region.
type log struct {
	entries []entry
	base    int64 // number of entries[0]
}

// entry is time in one region; a call may hold a wait.
type entry struct {
	path    int32
	call    bool
	seconds float64 // without the wait
	wait    float64
	causes  []cause // of the wait; they add up to it
}

// cause is a region of a location that made others wait.
type cause struct {
	loc, path int32
	seconds   float64
}

// maxLog is how many entries a location keeps.
const maxLog = 4096

// work adds computation.
func (l *log) work(path int32, seconds float64) {
	if n := len(l.entries); n > 0 && !l.entries[n-1].call && l.entries[n-1].path == path {
		l.entries[n-1].seconds += seconds
		return
	}
	l.add(entry{path: path, seconds: seconds})
}

// call adds a call and returns its number.
func (l *log) call(path int32, seconds float64) int64 {
	return l.add(entry{path: path, call: true, seconds: seconds})
}

func (l *log) add(e entry) int64 {
	if len(l.entries) >= maxLog {
		l.shorten()
	}
	l.entries = append(l.entries, e)
	return l.base + int64(len(l.entries)) - 1
}

// next is the number the next entry will have.
func (l *log) next() int64 { return l.base + int64(len(l.entries)) }

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
		s.wait += e.wait
		s.causes = few(append(s.causes, e.causes...))
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
	l.entries = l.entries[:n+m]
}

// waited turns part of a call into a wait. The causes are the log's from now on.
func (l *log) waited(at int64, wait float64, causes []cause) {
	if i := at - l.base; i >= 0 && i < int64(len(l.entries)) {
		e := &l.entries[i]
		e.seconds = max(e.seconds-wait, 0)
		e.wait += wait
		if e.causes == nil {
			e.causes = causes
		} else {
			e.causes = append(e.causes, causes...)
		}
	}
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
	l.entries = l.entries[:n]
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
