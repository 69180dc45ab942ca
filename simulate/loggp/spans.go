package loggp

import (
	"math"

	"auspex/events"
	"auspex/trace"
)

// teller turns what ranks do into spans.
type teller struct {
	paths *events.Paths
	calls map[callKey]int32
	span  events.Span
}

type callKey struct {
	region int32
	kind   trace.Kind
	still  bool // without a core in it
}

func newTeller(e *engine) teller {
	h := e.o.Header
	h.Name, h.Ranks = e.trace.Name, len(e.ranks)
	h.Locations, h.Paths, h.Comms = nil, nil, [][]int32{nil}
	for i := range e.ranks {
		h.Locations = append(h.Locations, events.Location{Rank: int32(i)})
	}
	return teller{paths: events.NewPaths(h), calls: map[callKey]int32{}}
}

// path is the region of a computation or a call.
func (t *teller) path(e *engine, region int32, k trace.Kind) int32 {
	key := callKey{region: region, kind: k}
	if p, ok := t.calls[key]; ok {
		return p
	}
	name := ""
	if region >= 0 {
		name = e.table.Names[region]
	}
	if name == "" && k == trace.Compute { // it stood still before it computed
		name = "program"
	}
	if k != trace.Compute && trace.CallWithin(name) == "" {
		if name != "" {
			name += "/"
		}
		name += events.CallName(k)
	}
	p := t.paths.Of(events.Path{Name: name})
	t.calls[key] = p
	return p
}

func nanos(seconds float64) int64 {
	return int64(math.Round(min(seconds*1e9, math.MaxInt64/2)))
}

// action hands over what a rank has just done.
func (t *teller) action(e *engine, id int32, r *rank) error {
	a := &r.action
	s := &t.span
	*s = events.Span{Loc: id, Kind: a.Kind, Path: t.path(e, r.region, a.Kind), Root: -1, Begin: nanos(r.began), End: nanos(r.clock), Messages: s.Messages[:0]}
	switch {
	case a.Kind == trace.Sleep:
		s.Kind = events.Pause
	case a.MakesUnknown():
		s.Kind = events.Other
	case a.Kind == trace.CommSplit, a.Kind == trace.CommDup:
		s.Kind = trace.Barrier
		t.comm(e, s, r)
	case a.Kind == trace.Init, a.Kind == trace.Finalize, a.Kind == trace.CommSize, a.Kind == trace.Test:
		s.Kind = events.Other
	case a.Kind.Collective():
		t.comm(e, s, r)
		if events.Rooted(a.Kind) {
			s.Root, _ = r.comms[a.Comm].comm.world(max(a.Peer, 0))
		}
		s.Bytes = r.size(a.Count, a.Type)
	case a.Kind == trace.Lock:
		s.Peer = r.holder
	case a.Kind != trace.Compute:
		s.Messages = e.halves(id, r, s.Messages)
	}
	return e.o.Spans(s)
}

// withoutCore is the region of a call in which a rank has no core.
func (t *teller) withoutCore(e *engine, region int32, k trace.Kind) int32 {
	key := callKey{region, k, true}
	p, ok := t.calls[key]
	if !ok {
		p = t.paths.Of(events.Path{Name: e.o.Header.Paths[t.path(e, region, k)].Name + "/" + events.NoCore})
		t.calls[key] = p
	}
	return p
}

// stood hands over that a rank had no core: within a call, in the region in which it
// computes, or in which it did before.
func (t *teller) stood(e *engine, id int32, r *rank, within bool) error {
	kind, path := events.Other, int32(0)
	if within {
		path = t.withoutCore(e, r.region, r.action.Kind)
	} else {
		region := r.worked
		if r.action.Kind == trace.Compute {
			region = r.region
		}
		kind, path = trace.Compute, t.path(e, region, trace.Compute)
	}
	s := &t.span
	*s = events.Span{Loc: id, Kind: kind, Path: path, Root: -1, Begin: nanos(r.began), End: nanos(r.clock), Messages: s.Messages[:0]}
	return e.o.Spans(s)
}

// comm names the communicator of a collective in the spans' header.
func (t *teller) comm(e *engine, s *events.Span, r *rank) {
	c := r.comms[r.action.Comm].comm
	s.Comm = c.context
	for len(e.o.Header.Comms) <= int(c.context) {
		e.o.Header.Comms = append(e.o.Header.Comms, nil)
	}
	e.o.Header.Comms[c.context] = c.members
}
