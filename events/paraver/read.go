package paraver

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"auspex/events"
	"auspex/trace"
)

// States that Extrae writes, as far as they are told apart here.
const (
	stateIdle       = 0
	stateRunning    = 1
	stateNotCreated = 2
	stateSync       = 5
)

// maxWaiting is how many states of a location wait for the call that ends them
// and tells where they are.
const maxWaiting = 256

// reader turns records into spans.
type reader struct {
	t         *Trace
	visit     func(*events.Span) error
	paths     *events.Paths
	locs      []location
	span      events.Span
	users     []function // that a record enters and leaves
	unordered bool       // a record stands after later ones of its location
	at, reach int64      // begin of the latest record, and the latest time of all
	// rooted counts the collectives with a root by communicator and rank.
	rooted [][]int32
	names  []string // for path
}

// location is what is known of a thread while its records go by.
type location struct {
	waiting  []events.Span // states outside of calls, not handed over yet
	halves   []timedHalf   // messages whose span has not come yet
	early    []timedHalf   // likewise, by time: their records stand after it
	stack    []function    // those that are open
	call     call
	inCall   bool
	next     call // about to be entered
	entering bool
	anyState bool
	barriers int32 // of threads, so far
	last     int64 // end of the latest call
	record   int64 // begin of the latest record
}

// function is one of the program: an event's type and value; a value of 0 leaves one.
type function struct{ kind, value int64 }

// call is a call of MPI, or a barrier of threads, under way.
type call struct {
	kind, value int64
	begin       int64
	until       int64 // end of its state, 0 where it has none
	bytes       int64
	root, comm  int64
	callers     [callerLevels]int64
}

// timedHalf is a half of a message and when it happens.
type timedHalf struct {
	at int64
	events.Half
}

func newReader(t *Trace, visit func(*events.Span) error) *reader {
	r := &reader{t: t, visit: visit, paths: events.NewPaths(&t.header), locs: make([]location, len(t.header.Locations))}
	if t.roots.known {
		for loc, halves := range t.early {
			r.locs[loc].early = halves
		}
		for loc, has := range t.stated {
			r.locs[loc].anyState = has
		}
	}
	return r
}

var errShort = errors.New("the record is cut short")

// maxDigits is how many a number may have: one that is too large for 64 bits then has
// the wrong sign.
const maxDigits = 19

// fields reads numbers between colons.
type fields struct {
	b  []byte
	at int
}

func (f *fields) next() (int64, bool) {
	n, digits, negative := int64(0), 0, false
	if f.at < len(f.b) && f.b[f.at] == '-' {
		negative = true
		f.at++
	}
	for f.at < len(f.b) && f.b[f.at] >= '0' && f.b[f.at] <= '9' {
		n = n*10 + int64(f.b[f.at]-'0')
		digits++
		f.at++
	}
	if f.at < len(f.b) && f.b[f.at] == ':' {
		f.at++
	} else {
		f.at = len(f.b)
	}
	if negative {
		n = -n
	}
	return n, digits > 0 && digits <= maxDigits && (n >= 0) != (negative && n != 0)
}

// record takes one line.
func (r *reader) record(line []byte) error {
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
		line = line[:len(line)-1]
	}
	if len(line) < 2 || line[1] != ':' {
		return nil // the head, or nothing
	}
	f := fields{b: line, at: 2}
	switch line[0] {
	case '1':
		return r.state(&f)
	case '2':
		return r.events(&f)
	case '3':
		return r.message(&f)
	}
	return nil
}

// where reads cpu:app:task:thread.
func (r *reader) where(f *fields) (int32, error) {
	var v [4]int64
	for i := range v {
		var ok bool
		if v[i], ok = f.next(); !ok {
			return 0, errShort
		}
	}
	apps := r.t.apps
	if v[1] < 1 || v[1] >= int64(len(apps)) {
		return 0, fmt.Errorf("program %d, but there are %d", v[1], len(apps)-1)
	}
	rank := int64(apps[v[1]-1]) + v[2] - 1
	if v[2] < 1 || rank >= int64(apps[v[1]]) {
		return 0, fmt.Errorf("process %d, but there are %d", v[2], apps[v[1]]-apps[v[1]-1])
	}
	first := r.t.first[rank]
	end := int32(len(r.locs))
	if int(rank)+1 < len(r.t.first) {
		end = r.t.first[rank+1]
	}
	if v[3] < 1 || v[3] > int64(end-first) {
		return 0, fmt.Errorf("thread %d of process %d, which has %d", v[3], v[2], end-first)
	}
	return first + int32(v[3]) - 1, nil
}

// commOf is the communicator that a number stands for in a rank's program: its
// world where there is no number.
func (t *Trace) commOf(rank int32, number int64) int32 {
	app := sort.Search(len(t.comms)-1, func(i int) bool { return t.apps[i+1] > rank })
	c, ok := t.comms[app][number]
	if !ok && number > 0 {
		return t.undefined(app, rank, number)
	}
	if users := t.users[c]; users != nil && !t.roots.known {
		users[rank] = true
	}
	return c
}

func (r *reader) time(f *fields) (int64, error) {
	v, ok := f.next()
	if !ok || v < 0 || v > maxTime/r.t.scale {
		return 0, fmt.Errorf("the record has no time from 0 to %.2g s", float64(maxTime)/1e9)
	}
	r.reach = max(r.reach, v*r.t.scale)
	return v * r.t.scale, nil
}

// maxTime is the latest that a record may tell, in ns.
const maxTime = 1 << 61

// state takes 1:where:begin:end:state.
func (r *reader) state(f *fields) error {
	loc, err := r.where(f)
	if err != nil {
		return err
	}
	begin, err := r.time(f)
	if err != nil {
		return err
	}
	end, err := r.time(f)
	if err != nil {
		return err
	}
	state, ok := f.next()
	if !ok {
		return errShort
	}
	if end < begin {
		return fmt.Errorf("a state that ends before it begins, at %d", end)
	}
	l := &r.locs[loc]
	r.order(l, begin)
	l.anyState = true
	switch { // the state of the call itself
	case state == stateRunning:
	case l.entering && begin == l.next.begin:
		l.next.until = end
		return nil
	case l.inCall && begin == l.call.begin:
		l.call.until = end
		return nil
	}
	// A state stands before the events of its begin, so this one comes after
	// the call, which took no time.
	if err := r.enter(loc, l); err != nil {
		return err
	}
	if n := len(l.waiting); n > 0 && l.waiting[n-1].Kind == stateOpen {
		r.settle(l)
	}
	if len(l.waiting) >= maxWaiting {
		if err := r.release(l, r.path(nil, l)); err != nil {
			return err
		}
	}
	// Whether it belongs to a call is known when the events of its begin have
	// been read.
	l.waiting = append(l.waiting, events.Span{Loc: loc, Kind: stateOpen, Root: int32(state), Begin: begin, End: end})
	return nil
}

// order sees whether the records of a location come by time.
func (r *reader) order(l *location, at int64) {
	r.unordered = r.unordered || at < l.record
	l.record = at
	r.at = max(r.at, at)
}

// stateOpen marks a state of which it is not known yet what it is; Root holds
// its number.
const stateOpen = trace.Kind(255)

// settle decides what the latest state is: part of the call under way, or
// something outside.
func (r *reader) settle(l *location) {
	n := len(l.waiting)
	if n == 0 || l.waiting[n-1].Kind != stateOpen {
		return
	}
	s := &l.waiting[n-1]
	if l.inCall && s.Begin >= l.call.begin {
		l.waiting = l.waiting[:n-1]
		return
	}
	s.Kind = events.Pause
	switch s.Root {
	case stateRunning:
		s.Kind = trace.Compute
	case stateIdle, stateNotCreated:
		s.Path = unemployed
	case stateSync:
		s.Kind, s.Comm = events.ThreadBarrier, -1
	}
	s.Root = -1
}

// unemployed is the path of a thread that has nothing to do, until that path is in
// the header's list. It is of no region: none is interrupted.
const unemployed = -1

// Idle is the name of that path.
const Idle = "idle"

// synchronizing ends the path of a thread that waits for others outside of a call that
// would tell for whom.
const synchronizing = "synchronization"

// in gives a span its region.
func (r *reader) in(s *events.Span, path int32) {
	switch {
	case s.Path == unemployed:
		path = r.paths.Of(events.Path{Name: Idle})
	case s.Kind == events.ThreadBarrier:
		where := r.t.header.Paths[path]
		where.Name = join(where.Name, synchronizing)
		path = r.paths.Of(where)
	}
	s.Path = path
}

// release hands over the states that waited, as being in a region.
func (r *reader) release(l *location, path int32) error {
	open := -1
	for i := range l.waiting {
		if l.waiting[i].Kind == stateOpen {
			open = i // the latest one, which begins where the call ends
			break
		}
		r.in(&l.waiting[i], path)
		if err := r.visit(&l.waiting[i]); err != nil {
			return visitError{err}
		}
	}
	if open >= 0 {
		l.waiting[0] = l.waiting[open]
		l.waiting = l.waiting[:1]
	} else {
		l.waiting = l.waiting[:0]
	}
	return nil
}

// path is the region of a call, or of what happens outside of calls: the user functions
// that are open, or who called.
func (r *reader) path(c *call, l *location) int32 {
	names := r.functions(l)
	if c != nil && len(names) == 0 {
		names = r.callers(r.names, c)
	}
	return r.region(names)
}

func (r *reader) region(names []string) int32 {
	if len(names) == 0 {
		names = []string{"program"}
	}
	return r.paths.Of(events.Path{Name: strings.Join(names, "/")})
}

// functions are the user functions that are open, outermost first.
func (r *reader) functions(l *location) []string {
	r.names = r.names[:0]
	for _, f := range l.stack {
		if name := r.t.labels.name(f.kind, f.value); name != "" {
			r.names = append(r.names, name)
		}
	}
	return r.names
}

// callers are the functions that a call comes from, outermost first, as many as the
// trace has.
func (r *reader) callers(into []string, c *call) []string {
	names := into[:0]
	for i := callerLevels - 1; i >= 0; i-- {
		if name := r.t.labels.name(typeCaller+int64(i), c.callers[i]); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Leading begins the names of computation that is known by the call after it.
const Leading = "before "

// before is the region of the computation that a call ends. Where nothing tells which
// functions computed, it stands in those that both this call and the one before came
// from, by the name of what is known: the call, and by which ways it was come to.
func (r *reader) before(c *call, l *location) int32 {
	if names := r.functions(l); len(names) > 0 {
		return r.region(names)
	}
	if !r.t.called {
		return r.region(nil)
	}
	way, earlier := r.callers(nil, c), r.callers(nil, &l.call)
	shared := 0
	for shared < min(len(way), len(earlier)) && way[shared] == earlier[shared] {
		shared++
	}
	name := Leading + r.t.labels.callName(c.kind, c.value)
	if len(way) > 0 {
		name += "@" + way[len(way)-1]
	}
	if shared < len(way)-1 {
		name += " from " + way[shared]
	}
	return r.region(append(way[:shared:shared], name))
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}
