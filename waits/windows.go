package waits

import (
	"auspex/events"
	"auspex/trace"
)

// Ranks that open their windows to some others (MPI_Win_post, MPI_Win_start) tell one
// another by messages; what they wait for in them has names of its own (Scalasca's).

// waitingIn is what waiting for a message is in a call.
func (a *Analyzer) waitingIn(path int32) kind {
	r := &a.regions[path]
	if !r.named {
		r.named = true
		switch events.LastName(a.header.Paths[path].Name) {
		case "MPI_Win_start", "MPI_Win_complete":
			r.waits = latePost
		case "MPI_Win_wait", "MPI_Win_test":
			r.waits = earlyWait
		default:
			r.waits = lateSender
		}
	}
	return r.waits
}

// sender notes that a call waited for the latest of its senders. Where that is one who
// was done with a window, what it did after its last access to a window is its being late
// to say so.
func (a *Analyzer) sender(in *intake) {
	v, late := &in.visit, &in.latest
	k := a.waitingIn(v.path)
	if first := a.locs[late.loc].accessed; k == earlyWait && first > 0 && first <= late.at {
		if last, ok := a.accessBefore(late, v.begin); ok && last.end < late.begin {
			last.at++ // what came before the wait is the access, too
			if e := a.waited(earlyWait, v, &last, last.at, last.end); e != nil {
				e.goesOn = true
			}
		}
		k = lateComplete
	}
	if e := a.waited(k, v, late, late.at+1, late.begin); e != nil {
		e.ordered, e.of = in.ordered, in.of
	}
}

// accessBefore is the latest access to a window before a call, where it ended after a
// time.
func (a *Analyzer) accessBefore(v *visit, after int64) (visit, bool) {
	l := &a.locs[v.loc].log
	for at := v.at - 1; ; at-- {
		e := l.entry(at)
		if e == nil {
			return visit{}, false
		}
		if e.kind == access {
			end := e.begin + e.own
			return visit{v.loc, e.path, e.begin, end, at}, end > after
		}
		if e.begin <= after {
			return visit{}, false
		}
	}
}

// isAccess tells what kinds of call that is.
func isAccess(k trace.Kind) bool { return k == trace.Put || k == trace.Get }
