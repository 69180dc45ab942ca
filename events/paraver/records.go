package paraver

import (
	"errors"

	"auspex/events"
	"auspex/trace"
)

// events takes 2:where:time:type:value:….
func (r *reader) events(f *fields) error {
	loc, err := r.where(f)
	if err != nil {
		return err
	}
	at, err := r.time(f)
	if err != nil {
		return err
	}
	l := &r.locs[loc]
	r.order(l, at)
	now := call{begin: at, root: -1}
	entered, left, instant := false, false, false
	users := r.users[:0]
	var instructions, cycles int64
	for f.at < len(f.b) {
		kind, ok1 := f.next()
		value, ok2 := f.next()
		if !ok1 || !ok2 {
			return errors.New("an event without a value")
		}
		switch {
		case kind >= typePointToPoint && kind <= typeIO, kind == typeBarrier, kind == typeJoin:
			switch {
			case value == 0 && entered && kind == now.kind: // in one record: it took no time
				instant = true
			case value == 0:
				left = true
			default:
				entered, now.kind, now.value = true, kind, value
			}
		case kind == typeSendSize:
			now.bytes = value
		case kind == typeRoot:
			now.root = value
		case kind == typeComm:
			now.comm = value
		case kind == typeInstructions:
			instructions = value
		case kind == typeCycles:
			cycles = value
		case kind == typeUser, kind == typeOutlined:
			users = append(users, function{kind, value})
		case kind >= typeCaller && kind < typeCaller+callerLevels:
			now.callers[kind-typeCaller] = value
		}
	}
	// What belongs to the begin of a call may stand in several records: the
	// call is entered when all of them have been read.
	if more := l.entering && l.next.begin == at && !left && !entered; more {
		l.next.merge(&now)
	} else if err := r.enter(loc, l); err != nil {
		return err
	}
	if instructions > 0 || cycles > 0 {
		r.count(l, at, instructions, cycles)
	}
	if left && l.inCall {
		if err := r.leave(loc, l, at); err != nil {
			return err
		}
	}
	r.users = users
	for _, f := range users {
		if err := r.cut(loc, l, at); err != nil {
			return err
		}
		l.user(f)
	}
	if entered {
		l.entering, l.next = true, now
	}
	if !instant {
		return nil
	}
	if err := r.enter(loc, l); err != nil {
		return err
	}
	return r.leave(loc, l, at)
}

// merge adds what another record of the same instant says.
func (c *call) merge(more *call) {
	c.bytes, c.comm = max(c.bytes, more.bytes), max(c.comm, more.comm)
	c.root = max(c.root, more.root)
	for i, v := range more.callers {
		c.callers[i] = max(c.callers[i], v)
	}
}

// cut hands over what came before a user function that is entered or left: it is of
// the functions that were open till then.
func (r *reader) cut(loc int32, l *location, at int64) error {
	if l.inCall {
		return nil
	}
	if !l.anyState && !l.entering && at > l.last {
		l.waiting = append(l.waiting, events.Span{Loc: loc, Kind: trace.Compute, Root: -1, Begin: l.last, End: at})
		l.last = at
	}
	if n := len(l.waiting); n > 0 && l.waiting[n-1].Begin < at {
		r.settle(l)
	}
	path, kept := r.path(nil, l), l.waiting[:0]
	for i := range l.waiting {
		s := l.waiting[i]
		if s.Begin >= at {
			kept = append(kept, s)
			continue
		}
		rest := s
		r.in(&s, path)
		s.End = min(s.End, at)
		if err := r.visit(&s); err != nil {
			return visitError{err}
		}
		if rest.End > at {
			rest.Begin, rest.Instructions, rest.Cycles = at, 0, 0
			kept = append(kept, rest)
		}
	}
	l.waiting = kept
	return nil
}

// maxUser bounds how deep user functions nest.
const maxUser = 256

// user opens a user function, or closes the innermost one.
func (l *location) user(f function) {
	if f.value != 0 && len(l.stack) < maxUser {
		l.stack = append(l.stack, f)
	} else if f.value == 0 && len(l.stack) > 0 {
		l.stack = l.stack[:len(l.stack)-1]
	}
}

// count books what counters counted since their last event, if that was
// computation: a running state that ends now, or is under way.
func (r *reader) count(l *location, at, instructions, cycles int64) {
	for i := len(l.waiting) - 1; i >= 0 && l.waiting[i].End >= at; i-- {
		s := &l.waiting[i]
		running := s.Kind == trace.Compute || s.Kind == stateOpen && s.Root == stateRunning
		if running && s.Begin < at {
			s.Instructions += instructions
			s.Cycles += cycles
			r.t.header.Counted = true
			return
		}
	}
}

// enter begins a call, if one is to be, and hands over what came before it.
func (r *reader) enter(loc int32, l *location) error {
	if !l.entering {
		return nil
	}
	l.entering = false
	c := l.next
	// The state of the call itself may stand before its event, and so may the
	// computation after a call that takes no time.
	if n := len(l.waiting); n == 0 || l.waiting[n-1].Kind != stateOpen || l.waiting[n-1].Begin < c.begin {
		r.settle(l)
	} else if l.waiting[n-1].Root != stateRunning {
		c.until = l.waiting[n-1].End
		l.waiting = l.waiting[:n-1]
	}
	path := r.before(&c, l)
	l.call, l.inCall = c, true
	if !l.anyState && c.begin > l.last {
		l.waiting = append(l.waiting, events.Span{Loc: loc, Kind: trace.Compute, Root: -1, Begin: l.last, End: c.begin})
	}
	return r.release(l, path)
}

// of tells whether a message is of a call that ends now, or of an earlier one. It
// leaves at the begin of its call, so that one that leaves when a call ends is of
// the next.
func of(c *call, at int64, h *timedHalf) bool {
	return h.at < at || h.at == at && (h.Side == events.Received || c.begin == at)
}

// leave ends a call.
func (r *reader) leave(loc int32, l *location, at int64) error {
	c := &l.call
	name := r.t.labels.callName(c.kind, c.value)
	where := r.t.header.Paths[r.path(c, l)]
	where.Name = join(where.Name, name)
	s := &r.span
	*s = events.Span{Loc: loc, Kind: callKind(c.kind, name), Path: r.paths.Of(where), Root: -1, Begin: c.begin, End: at, Bytes: c.bytes, Messages: s.Messages[:0]}
	switch c.kind {
	case typeBarrier:
		s.Kind, s.Comm = events.ThreadBarrier, l.barriers
		l.barriers++
	case typeJoin:
		s.Kind, s.Comm = events.ThreadBarrier, -1
	}
	if s.Kind.Collective() {
		s.Comm = r.t.commOf(r.t.header.Locations[loc].Rank, c.comm)
	}
	if s.Kind.Collective() && events.Rooted(s.Kind) {
		s.Root = r.rootOf(loc, c, s)
	}
	for len(l.early) > 0 && of(c, at, &l.early[0]) {
		s.Messages = append(s.Messages, l.early[0].Half)
		l.early = l.early[1:]
	}
	kept := l.halves[:0]
	for i := range l.halves {
		if h := &l.halves[i]; of(c, at, h) {
			s.Messages = append(s.Messages, h.Half)
		} else {
			kept = append(kept, *h)
		}
	}
	l.halves = kept
	if n := len(l.waiting); at > c.begin && n > 0 && l.waiting[n-1].Kind == stateOpen && l.waiting[n-1].Begin == c.begin {
		l.waiting = l.waiting[:n-1]
	}
	l.inCall, l.last = false, at
	if err := r.visit(s); err != nil {
		return visitError{err}
	}
	return nil
}
