package waits

import "auspex/trace"

// Pattern is a way to wait.
type Pattern string

const (
	LateSender        Pattern = "late_sender"   // a receive before its send
	WrongOrder        Pattern = "wrong_order"   // likewise, while a message sent earlier lies there
	LateReceiver      Pattern = "late_receiver" // a send that must wait for its receive
	WaitAtNxN         Pattern = "wait_nxn"      // for the last to enter a collective of all with all
	WaitAtBarrier     Pattern = "wait_barrier"  // for the last to enter a barrier
	EarlyReduce       Pattern = "early_reduce"  // a root before those it gathers from
	EarlyScan         Pattern = "early_scan"    // a rank before those of lower rank
	LateBroadcast     Pattern = "late_broadcast"
	Completion        Pattern = "completion"    // of a collective, after the first has left
	WaitAtFence       Pattern = "wait_fence"    // for the last to come to a fence
	LatePost          Pattern = "late_post"     // for ranks that have yet to open their windows
	EarlyWait         Pattern = "early_wait"    // with its window open, for the last access to it
	LateComplete      Pattern = "late_complete" // likewise, from then on for word that it was the last
	WindowLock        Pattern = "window_lock"   // for a lock on a window that another rank has
	ThreadBarrierWait Pattern = "openmp_barrier"
	LockWait          Pattern = "openmp_lock"
)

// patternOf says how ranks wait in a collective.
func patternOf(k trace.Kind) Pattern {
	switch k {
	case trace.Barrier:
		return WaitAtBarrier
	case trace.Fence:
		return WaitAtFence
	case trace.Bcast, trace.Scatter, trace.Scatterv:
		return LateBroadcast
	case trace.Reduce, trace.Gather, trace.Gatherv:
		return EarlyReduce
	case trace.Scan, trace.Exscan:
		return EarlyScan
	}
	return WaitAtNxN
}
