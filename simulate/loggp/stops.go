package loggp

// stop has a rank stand still as it did at the action that begins. Where it had no
// core before the action, that one begins later. Where it had none within a call,
// the call ends no sooner than the stop. When in the call that began is not known:
// ranks that take turns on a core spin in the call for one turn before they are
// stopped for another, so that of the rest of the call as much counts as of the stop.
// In a run with changes the call may end at another time; what counts of the stop is
// by how much it delayed the end in the replay without (Options.Delays): a rank that
// was stopped while it had to wait anyway lost nothing by that. A call may be several
// actions: the stop counts from the first, and the last ends no sooner.
func (e *engine) stop(id int32, r *rank) error {
	if s := &r.stops[0]; s.Before > 0 && s.Action-s.Before == r.done-1 {
		r.called = r.clock
	}
	for ; len(r.stops) > 0 && r.stops[0].Action < r.done; r.stops = r.stops[1:] {
		s, i := &r.stops[0], len(e.o.Stops[id])-len(r.stops)
		part := 1.0
		if e.o.Work.Cores != nil {
			part = e.o.Work.Cores[id]
		}
		switch {
		case part <= 0 || s.Action < r.done-1:
		case s.Within && e.o.Delays != nil:
			r.after += min(part, 1) * e.o.Delays[id][i]
		case s.Within:
			r.within = i
			since := r.clock
			if s.Before > 0 {
				since = r.called
			}
			r.until = max(r.until, since+part*(s.Seconds+min(s.Rest, s.Seconds)))
		default:
			if err := e.stand(id, r, part*s.Seconds); err != nil {
				return err
			}
		}
	}
	r.began = r.clock
	return nil
}

// stand lets time pass in which a rank has no core.
func (e *engine) stand(id int32, r *rank, seconds float64) error {
	r.began = r.clock
	r.clock += seconds
	r.computed += seconds
	r.stopped += seconds
	if e.o.Spans == nil {
		return nil
	}
	return e.told.stood(e, id, r)
}
