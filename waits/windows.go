package waits

import (
	"auspex/events"
	"auspex/trace"
)

// Ranks that open their windows to some others (MPI_Win_post, MPI_Win_start) tell one
// another by messages; what they wait for in them has names of its own (Scalasca's).

// patternAt is what waiting for a message is in a call.
func (a *Analyzer) patternAt(path int32) Pattern {
	p, known := a.patterns[path]
	if !known {
		switch events.LastName(a.header.Paths[path].Name) {
		case "MPI_Win_start", "MPI_Win_complete":
			p = LatePost
		case "MPI_Win_wait", "MPI_Win_test":
			p = EarlyWait
		default:
			p = LateSender
		}
		a.patterns[path] = p
	}
	return p
}

// sender notes that a call waited for the latest of its senders. Where that is one who
// was done with a window, what it did after its last access to a window is its being late
// to say so.
func (a *Analyzer) sender(v, late visit) {
	p := a.patternAt(v.path)
	if p == EarlyWait && late.access != nil {
		if last := *late.access; last.end > v.begin && last.end < late.begin {
			last.at++ // what came before the wait is the access, too
			a.note(event{until: last.end, pattern: EarlyWait, v: v, late: last, step: last.at, goesOn: true})
		}
		p = LateComplete
	}
	a.waited(p, v, late, late.at+1, late.begin)
}

// isAccess tells what kinds of call that is.
func isAccess(k trace.Kind) bool { return k == trace.Put || k == trace.Get }
