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
	seen := 0
	err := src.Each(ctx, func(s *events.Span) error {
		if seen++; seen&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
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

// Analyzer takes spans one after the other.
type Analyzer struct {
	// Each, where set, is told of every wait when it is judged, at the latest by
	// Finish: not in the order of time.
	Each func(Wait)

	header   *events.Header
	locs     []location
	first    []int32 // first location of each rank
	boxes    []mailbox
	comms    []group
	teams    map[teamKey]*meeting
	patterns map[int32]Pattern    // see patternAt
	pairs    map[uint64]*pairSync // beyond those that are near
	found    []*event             // waits and meetings that are to be judged
	now      []*event             // those that are
	judged   []*event             // to be used again
	rows     table
	inDoubt  float64 // seconds of waits that the clocks do not tell
	begin    int64
	end      int64
	spans    int64
	onPaths  []float64          // non-waiting time of all locations by path
	others   map[int32]float64  // of that, calls that exchange nothing that is understood
	inCalls  map[string]float64 // of that, pauses within calls (see trace.WithinCall) and barriers of unknown threads
	intakes  []*intake          // to be used again
	spare    []*message
	scratch
	room   []node                     // for nodes to come
	nodes  int                        // of the critical path since it was last folded
	older  map[*node]map[step]float64 // what was summed up before nodes
	folded map[step]float64
}

// location is one thread's history since it last met others.
type location struct {
	log    log
	head   *node // the critical path up to now
	works  bool  // the head is work, which may go on
	in     []int32
	near   []pairSync // with those that have higher numbers
	access *visit     // its latest to a window
	end    int64
}

type teamKey struct{ rank, number int32 }

// NewAnalyzer starts an analysis of a trace with the given header.
func NewAnalyzer(h *events.Header) *Analyzer {
	a := &Analyzer{header: h, teams: map[teamKey]*meeting{}, pairs: map[uint64]*pairSync{}, begin: 1<<63 - 1, folded: map[step]float64{}, inCalls: map[string]float64{}, others: map[int32]float64{}, patterns: map[int32]Pattern{}}
	a.locs = make([]location, len(h.Locations))
	a.boxes = make([]mailbox, h.Ranks)
	a.first = make([]int32, h.Ranks)
	for i := len(h.Locations) - 1; i >= 0; i-- {
		a.first[h.Locations[i].Rank] = int32(i)
	}
	a.rows.init()
	return a
}

// Span takes one span.
func (a *Analyzer) Span(s *events.Span) {
	a.spans++
	a.begin, a.end = min(a.begin, s.Begin), max(a.end, s.End)
	l := &a.locs[s.Loc]
	if l.log.full() {
		// What is summed up can be judged no more, and others may be silent for long.
		a.judge(max(a.reached(), l.log.kept()))
		l.log.shorten()
	}
	l.end = max(l.end, s.End)
	seconds := float64(s.End-s.Begin) / 1e9
	for len(a.onPaths) <= int(s.Path) {
		a.onPaths = append(a.onPaths, 0)
	}
	a.onPaths[s.Path] += seconds
	switch s.Kind {
	case events.Other:
		a.others[s.Path] += seconds
	case events.Pause:
		if call := trace.CallWithin(a.header.Paths[s.Path].Name); call != "" {
			a.inCalls[call] += seconds
		}
	}
	if (s.Kind == trace.Compute || s.Kind == events.Pause || s.Kind == events.Other || s.Kind == trace.Isend || s.Kind == trace.Irecv) && len(s.Messages) == 0 {
		l.log.work(s.Path, s.Begin, seconds)
		a.extend(s.Loc, l, s.Path, seconds)
		return
	}
	v := visitOf(a, s, l)
	switch {
	case s.Kind.Collective():
		a.collective(v, s)
	case isAccess(s.Kind):
		v.access = nil
		kept := v // a copy, so that other calls need no room of their own
		l.access = &kept
	case s.Kind == trace.Lock:
		a.lock(v, s, WindowLock)
	case s.Kind == events.ThreadBarrier:
		a.team(v, s)
	case s.Kind == events.Lock:
		a.lock(v, s, LockWait)
	default:
		a.messages(v, s)
	}
}

// visit is a call of one location: what is needed to judge it later.
type visit struct {
	loc, path  int32
	begin, end int64
	ready      int64  // for a collective: before begin where it computed on beside it
	at         int64  // number of its entry in the location's log
	access     *visit // the latest to a window before it
	node       *node  // its own on the critical path
	before     *node  // the path up to its begin
	ordered    bool   // it takes one message and no other, so that the order matters
	of         label  // that message's
}

// visitOf books a call as if nobody had waited in it.
func visitOf(a *Analyzer, s *events.Span, l *location) visit {
	seconds := float64(s.End-s.Begin) / 1e9
	at := l.log.call(s.Path, s.Begin, seconds)
	before := l.head
	a.call(s.Loc, l, s.Path, seconds)
	return visit{loc: s.Loc, path: s.Path, begin: s.Begin, end: s.End, ready: s.Begin - s.Lead, at: at, node: l.head, before: before, access: l.access}
}

// lock finds a wait for a lock: it lasts until the holder lets go.
func (a *Analyzer) lock(v visit, s *events.Span, p Pattern) {
	if s.Peer < 0 || int(s.Peer) >= len(a.locs) || s.Peer == s.Loc {
		return
	}
	holder := &a.locs[s.Peer]
	next := holder.log.next()
	late := visit{loc: s.Peer, path: s.Path, at: next, begin: s.End}
	if p == WindowLock { // it has told already that it let go
		late.node, late.before = holder.head, holder.head
	}
	a.waited(p, v, late, next, s.End)
}
