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

// kind is a pattern as a small number.
type kind uint8

const (
	lateSender kind = iota
	wrongOrder
	lateReceiver
	waitAtNxN
	waitAtBarrier
	earlyReduce
	earlyScan
	lateBroadcast
	completion
	waitAtFence
	latePost
	earlyWait
	lateComplete
	windowLock
	threadBarrierWait
	lockWait
)

func (k kind) pattern() Pattern {
	return [...]Pattern{LateSender, WrongOrder, LateReceiver, WaitAtNxN, WaitAtBarrier, EarlyReduce, EarlyScan, LateBroadcast, Completion, WaitAtFence, LatePost, EarlyWait, LateComplete, WindowLock, ThreadBarrierWait, LockWait}[k]
}

// kindOf says how ranks wait in a collective.
func kindOf(k trace.Kind) kind {
	switch k {
	case trace.Barrier:
		return waitAtBarrier
	case trace.Fence:
		return waitAtFence
	case trace.Bcast, trace.Scatter, trace.Scatterv:
		return lateBroadcast
	case trace.Reduce, trace.Gather, trace.Gatherv:
		return earlyReduce
	case trace.Scan, trace.Exscan:
		return earlyScan
	}
	return waitAtNxN
}
