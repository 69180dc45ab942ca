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
	LateBroadcast     Pattern = "late_broadcast"
	Completion        Pattern = "completion" // of a collective, after the first has left
	ThreadBarrierWait Pattern = "openmp_barrier"
	LockWait          Pattern = "openmp_lock"
)

// patternOf says how ranks wait in a collective.
func patternOf(k trace.Kind) Pattern {
	switch k {
	case trace.Barrier:
		return WaitAtBarrier
	case trace.Bcast, trace.Scatter, trace.Scatterv:
		return LateBroadcast
	case trace.Reduce, trace.Gather, trace.Gatherv:
		return EarlyReduce
	}
	return WaitAtNxN
}
