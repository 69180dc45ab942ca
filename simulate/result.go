package simulate

import "auspex/trace"

// The parts a rank's time is split into.
const (
	partCompute = iota
	partSleep
	partSend
	partRecv
	partWait
	partCollective
	numParts
)

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
	Send       float64 `json:"send"`    // in send and isend
	Recv       float64 `json:"receive"` // in recv and irecv
	Wait       float64 `json:"wait"`    // in wait, waitall, test and sendRecv, and at the end
	Collective float64 `json:"collective"`
}

// LinkUse is what crossed a link.
type LinkUse struct {
	Name        string  `json:"name"`
	Bytes       float64 `json:"bytes"`       // payload and envelopes, acknowledgements left out
	Utilisation float64 `json:"utilisation"` // of its bandwidth over the whole run
}

// Result is the outcome of a replay.
type Result struct {
	Seconds float64 // when the last rank ended
	Ranks   []RankTime
	Links   []LinkUse // those that carried anything, in the platform's order
	Actions int64
	// CriticalPath is the chain of stretches that the total consists of, in
	// order of time. It is only there when Options.CriticalPath asks for it.
	CriticalPath []Stretch
}

// partOf says what an action's time counts as.
func partOf(k trace.Kind) int {
	switch k {
	case trace.Compute:
		return partCompute
	case trace.Sleep:
		return partSleep
	case trace.Send, trace.Isend:
		return partSend
	case trace.Recv, trace.Irecv:
		return partRecv
	case trace.Wait, trace.WaitAll, trace.Test, trace.SendRecv:
		return partWait
	}
	return partCollective
}

// ended books an action that took time.
func (e *engine) ended(id int32, r *rank) {
	r.mode = idle
	if e.now > r.began {
		r.spent[partOf(r.kind)] += e.now - r.began
	}
	if e.timeline != nil {
		e.timeline.Action(int(id), r.kind, r.began, e.now)
	}
}

func (e *engine) result() *Result {
	res := &Result{Ranks: make([]RankTime, len(e.ranks)), Actions: e.actions}
	last := 0
	for i := range e.ranks {
		r := &e.ranks[i]
		res.Ranks[i] = RankTime{
			Finish: r.finish, Compute: r.spent[partCompute], Sleep: r.spent[partSleep],
			Send: r.spent[partSend], Recv: r.spent[partRecv], Wait: r.spent[partWait],
			Collective: r.spent[partCollective],
		}
		if r.finish > res.Seconds {
			res.Seconds, last = r.finish, i
		}
	}
	e.net.bookCarried()
	for i, b := range e.net.carried {
		if b > 0 {
			l := e.plat.Links[i]
			u := LinkUse{Name: l.Name, Bytes: b}
			if res.Seconds > 0 {
				u.Utilisation = b / (l.Bandwidth * res.Seconds)
			}
			res.Links = append(res.Links, u)
		}
	}
	if len(e.ranks) > 0 {
		res.CriticalPath = unroll(e.ranks[last].path)
	}
	return res
}
