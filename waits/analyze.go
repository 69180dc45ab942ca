package waits

import (
	"context"
	"errors"

	"auspex/events"
	"auspex/trace"
)

// Analyze looks for waiting in a trace.
func Analyze(ctx context.Context, src events.Source) (*Report, error) {
	h := src.Header()
	a := NewAnalyzer(h)
	err := src.Each(ctx, func(s *events.Span) error {
		a.Span(s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if a.spans == 0 {
		return nil, errors.New(h.Name + ": the trace holds no time")
	}
	return a.Report(), nil
}

// Wait is a wait that was judged: a location stood in a call until another one
// was there.
type Wait struct {
	Pattern      Pattern
	Loc, Path    int32 // who waited, and in which call
	Late         int32 // the location that was waited for
	Begin, Until int64 // ns
	Cause        int32 // the path of the largest cause, -1 where there is none
}

// Analyzer takes spans one after the other. What it works on is in lists that are used
// again, of numbers that count in other lists instead of pointers: in the middle of a
// trace nothing is allocated, and there is nothing for the garbage collector to follow.
type Analyzer struct {
	// Each, where set, is told of every wait when it is judged, at the latest by
	// Finish: not in the order of time.
	Each func(Wait)

	header   *events.Header
	locs     []location
	first    []int32   // first location of each rank
	spent    []float64 // by path, ns of all locations without waiting
	regions  []region  // by path
	mail     mail
	intakes  intakes
	comms    []group
	teams    map[teamKey]*meeting
	idle     []*meeting // of threads, to be used again
	pairs    pairs
	found    found
	table    table
	suspects suspects
	inDoubt  int64 // ns of waits that the clocks do not tell
	begin    int64
	end      int64
	spans    int64
	older    int            // stretches of the critical path that are no entries any more
	folded   map[step]int64 // the path up to the last meeting of all, in ns
	scratch
}

// location is one thread's history since it last met others.
type location struct {
	log
	in       []int32 // the communicators in whose collectives it was
	rank     int32
	end      int64
	accessed int64 // 1 more than the number of its first access to a window; 0 where there is none
}

// region is what else is known of a path. Times are those of all locations, in ns.
type region struct {
	other float64 // in calls that exchange nothing that is understood
	pause float64 // and pauses
	alone float64 // and barriers of unknown threads
	has   has
	row   int32 // 1 more than that of the table where a wait there was booked last
	waits kind  // what waiting for a message is there
	named bool  // that is known
}

// has are kinds of time that a region has, even if none of it.
type has uint8

const (
	hasOther has = 1 << iota
	hasPause
	hasAlone
)

// NewAnalyzer starts an analysis of a trace with the given header.
func NewAnalyzer(h *events.Header) *Analyzer {
	a := &Analyzer{header: h, teams: map[teamKey]*meeting{}, begin: 1<<63 - 1, folded: map[step]int64{}}
	a.locs = make([]location, len(h.Locations))
	a.mail.boxes = make([]mailbox, h.Ranks)
	a.first = make([]int32, h.Ranks)
	for i := len(h.Locations) - 1; i >= 0; i-- {
		a.locs[i].rank = h.Locations[i].Rank
		a.first[a.locs[i].rank] = int32(i)
	}
	return a
}

// Span takes one span.
func (a *Analyzer) Span(s *events.Span) {
	a.spans++
	if s.Begin < a.begin {
		a.begin = s.Begin
	}
	l := &a.locs[s.Loc]
	if l.full() {
		a.shorten(l)
	}
	if l.end < s.End {
		l.end, a.end = s.End, max(a.end, s.End)
	}
	ns := s.End - s.Begin
	a.spend(s.Path, float64(ns))
	ns = max(ns, 0)
	if timeOnly[s.Kind] {
		if s.Kind >= events.Other {
			a.unlike(s)
		}
		if len(s.Messages) == 0 {
			l.work(s.Path, s.Begin, ns)
			return
		}
	}
	if isAccess(s.Kind) {
		at := l.call(s.Path, s.Begin, ns, access)
		if l.accessed == 0 {
			l.accessed = at + 1
		}
		return
	}
	v := visit{s.Loc, s.Path, s.Begin, s.End, l.call(s.Path, s.Begin, ns, call)}
	switch {
	case s.Kind.Collective():
		a.collective(entrant{v, s.Begin - s.Lead}, s)
	case s.Kind == trace.Lock:
		a.lock(&v, s, windowLock)
	case s.Kind == events.ThreadBarrier:
		a.team(entrant{v, s.Begin}, s)
	case s.Kind == events.Lock:
		a.lock(&v, s, lockWait)
	default:
		a.messages(&v, l.rank, s)
	}
}

// timeOnly are the kinds of spans that, without messages, are no more than time of their
// location.
var timeOnly = [256]bool{trace.Compute: true, events.Pause: true, events.Other: true, trace.Isend: true, trace.Irecv: true}

// spend adds to the time of a region.
func (a *Analyzer) spend(path int32, ns float64) {
	if int(path) >= len(a.spent) {
		a.enter(path)
	}
	a.spent[path] += ns
}

// enter makes room for the region of a path.
func (a *Analyzer) enter(path int32) {
	more := int(path) + 1 - len(a.spent)
	a.spent, a.regions = append(a.spent, make([]float64, more)...), append(a.regions, make([]region, more)...)
}

// unlike notes time of a region that is neither computation nor understood.
func (a *Analyzer) unlike(s *events.Span) {
	r, ns := &a.regions[s.Path], float64(s.End-s.Begin)
	switch s.Kind {
	case events.Other:
		r.other += ns
		r.has |= hasOther
	case events.Pause:
		r.pause += ns
		r.has |= hasPause
	}
}

// visit is a call of one location: what is needed to judge it later.
type visit struct {
	loc, path  int32
	begin, end int64
	at         int64 // number of its entry in the location's log
}

// lock finds a wait for a lock: it lasts until the holder lets go.
func (a *Analyzer) lock(v *visit, s *events.Span, k kind) {
	if s.Peer < 0 || int(s.Peer) >= len(a.locs) || s.Peer == s.Loc {
		return
	}
	next := a.locs[s.Peer].next()
	late := visit{loc: s.Peer, path: s.Path, at: next, begin: s.End}
	if e := a.waited(k, v, &late, next, s.End); e != nil {
		e.aside = k != windowLock || next == 0 // of others the holder has yet to tell that it let go
	}
}
