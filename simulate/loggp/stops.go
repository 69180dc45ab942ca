package loggp

import "auspex/trace"

// stop has a rank stand still as it did at the action that begins. Where it had no
// core before the action, that one begins later. Where it had none within a call,
// the call ends no sooner than the stop. When in the call that began is not known:
// ranks that take turns on a core spin in the call for one turn before they are
// stopped for another, so that of the rest of the call as much counts as of the stop.
// In a run with changes the call may end at another time; what counts of the stop is
// by how much it delayed the end in the replay without (Options.Delays): a rank that
// was stopped while it had to wait anyway lost nothing by that.
//
// A call may be several actions: its stop counts from the first, or, where the trace
// does not tell them (Before), from when the rank began to wait; and the last ends no
// sooner. A send that leaves at once here takes microseconds: a rank that spun in it for
// longer waited for its receiver, and was stopped while it did. Who waited for a lock may
// get it sooner here, and would have others wait for the core that it had none of then.
func (e *engine) stop(id int32, r *rank) error {
	if s := &r.stops[0]; s.Before > 0 && s.Action-s.Before == r.done-1 {
		r.called = r.clock
	}
	for ; len(r.stops) > 0 && r.stops[0].Action < r.done; r.stops = r.stops[1:] {
		s, i := &r.stops[0], len(e.o.Stops[id])-len(r.stops)
		part := e.o.Work.part(int(id), s.Within)
		switch {
		case part <= 0 || s.Action < r.done-1:
		case s.Within && e.o.Delays != nil:
			r.after += min(part, 1) * e.o.Delays[id][i]
		case s.Within && (e.leavesAtOnce(r) && s.Rest > longSend || r.action.Kind == trace.Lock):
		case s.Within:
			r.within = i
			since := r.since
			if s.Before > 0 {
				since = r.called
			}
			r.held += part * (s.Seconds + min(s.Rest, s.Seconds))
			r.until = max(r.until, since+r.held)
		default:
			if err := e.stand(id, r, part*s.Seconds, false); err != nil {
				return err
			}
		}
	}
	r.began = r.clock
	return nil
}

// stand lets time pass in which a rank has no core, within its present call or before.
func (e *engine) stand(id int32, r *rank, seconds float64, within bool) error {
	r.began = r.clock
	r.clock += seconds
	r.computed += seconds
	r.stopped += seconds
	if e.o.Spans == nil {
		return nil
	}
	return e.told.stood(e, id, r, within)
}

// longSend is from how many seconds on a send was not one that left at once.
const longSend = 1e-3

// leavesAtOnce tells whether the action that begins sends something and waits for
// nothing.
func (e *engine) leavesAtOnce(r *rank) bool {
	a := &r.action
	switch a.Kind {
	case trace.Send, trace.Isend:
	case trace.SendRecv:
		if a.Peer2 != trace.NullPeer {
			return false
		}
	default:
		return false
	}
	return e.net.eager(r.size(a.Count, a.Type))
}
