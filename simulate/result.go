package simulate

import "auspex/trace"

// Hooks are ways to watch a replay. Both may be nil.
type Hooks struct {
	Timeline Timeline
	Progress func(simulatedSeconds float64)
}

// RankTime is where one rank's time went, in seconds.
type RankTime struct {
	Finish     float64 `json:"finish"` // when the rank ended
	Compute    float64 `json:"compute"`
	Sleep      float64 `json:"sleep"`
	Send       float64 `json:"send"`    // in send, isend and put
	Recv       float64 `json:"receive"` // in recv, irecv and get
	Wait       float64 `json:"wait"`    // in wait, waitall, test and sendRecv, flush, lock and unlock, and at the end
	Collective float64 `json:"collective"`
}

// LinkUse is what crossed a link.
type LinkUse struct {
	Name        string  `json:"name"`
	Bytes       float64 `json:"bytes"`       // payload and envelopes, acknowledgements left out
	Utilisation float64 `json:"utilisation"` // of its bandwidth over the whole run; of a FATPIPE link, the share of the run with a message on it
}

// Result is the outcome of a replay.
type Result struct {
	Seconds float64 // when the last rank ended
	Ranks   []RankTime
	Links   []LinkUse // those that carried anything, in the platform's order
	Actions int64
	Skipped int64 // actions among those in iterations that repeat exactly (recur.go)
	Open    int   // receives that were open at the end and that nobody sent to
	// Unreceived is how many messages were sent that nobody received; their senders
	// did not wait for that.
	Unreceived int
	// CriticalPath is the chain of stretches that the total consists of, in
	// order of time. It is only there when Options.CriticalPath asks for it.
	CriticalPath []Stretch
}

// add books the time of an action.
func (t *RankTime) add(k trace.Kind, seconds float64) {
	switch k {
	case trace.Compute:
		t.Compute += seconds
	case trace.Sleep:
		t.Sleep += seconds
	case trace.Send, trace.Isend, trace.Put:
		t.Send += seconds
	case trace.Recv, trace.Irecv, trace.Get:
		t.Recv += seconds
	case trace.Wait, trace.WaitAll, trace.Test, trace.SendRecv, trace.Flush, trace.Lock, trace.Unlock:
		t.Wait += seconds
	default:
		t.Collective += seconds
	}
}

// sums are the times that add up.
func (t *RankTime) sums() [6]*float64 {
	return [...]*float64{&t.Compute, &t.Sleep, &t.Send, &t.Recv, &t.Wait, &t.Collective}
}

// again adds to a sum what has been added since it was before another so many times.
func again(times float64, sum *float64, before float64) { *sum += times * (*sum - before) }

// ended books an action that took time.
func (e *engine) ended(id int32, r *rank) {
	e.stayed(id, r)
	r.mode = idle
	if e.now > r.began {
		e.times[id].add(r.kind, e.now-r.began)
	}
	if e.timeline != nil {
		e.timeline.Action(int(id), r.kind, r.began, e.now)
	}
}

func (e *engine) result() *Result {
	res := &Result{Ranks: e.times, Actions: e.actions, Skipped: e.recur.skipped, Open: e.open, Unreceived: e.post.unreceived()}
	last := 0
	for i := range res.Ranks {
		if finish := res.Ranks[i].Finish; finish > res.Seconds {
			res.Seconds, last = finish, i
		}
	}
	e.post, e.cpus, e.queue, e.calls = nil, nil, nil, nil // the names of links take room
	busy := 0
	for i := range e.net.links {
		if e.net.links[i].carried > 0 {
			busy++
		}
	}
	res.Links = make([]LinkUse, 0, busy)
	for i := range e.net.links {
		if l := &e.net.links[i]; l.carried > 0 {
			res.Links = append(res.Links, LinkUse{e.plat.Links[i].Name(), l.carried, e.net.utilisation(int32(i), e.now)})
		}
	}
	if e.paths != nil && len(e.ranks) > 0 {
		res.CriticalPath = unroll(e.paths[last].path)
	}
	return res
}
