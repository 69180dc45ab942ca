package trace

import "math"

// Kind says what an action does.
type Kind uint8

// The kinds of action, in the order of the binary form's operation codes.
const (
	Init Kind = iota
	Finalize
	CommSize
	CommSplit
	CommDup
	Compute
	Sleep
	Location
	Send
	Isend
	Recv
	Irecv
	SendRecv
	Wait
	Test
	WaitAll
	Barrier
	Bcast
	Reduce
	Allreduce
	Scan
	Exscan
	Alltoall
	Alltoallv
	Gather
	Scatter
	Allgather
	Gatherv
	Allgatherv
	Scatterv
	ReduceScatter
	team // tells Cores of the computation after it; no cursor gives it
	// One-sided communication. A window is a communicator of its own, made as CommSplit
	// makes one.
	Put   // sends Count elements into Peer's window, without anything that Peer does
	Get   // fetches Count elements from there
	Fence // all ranks of the window meet, and what each has begun there is over
	Flush // what the rank has begun in Peer's window is over, AnySource for everybody's
	Lock  // of Peer's window, for the rank alone where Tag is LockAlone
	Unlock
	numKinds
)

var kindNames = [numKinds]string{
	"init", "finalize", "comm_size", "comm_split", "comm_dup", "compute", "sleep",
	"location", "send", "isend", "recv", "irecv", "sendRecv", "wait", "test",
	"waitall", "barrier", "bcast", "reduce", "allreduce", "scan", "exscan",
	"alltoall", "alltoallv", "gather", "scatter", "allgather", "gatherv",
	"allgatherv", "scatterv", "reducescatter", "team",
	"put", "get", "fence", "flush", "lock", "unlock",
}

// String returns the action's name in the time-independent text form.
func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return "unknown"
}

// Collective tells whether every rank of a communicator takes part.
func (k Kind) Collective() bool { return k >= Barrier && k <= ReduceScatter || k == Fence }

// OneSided tells whether a rank does something to the window of another, or of several.
func (k Kind) OneSided() bool { return k >= Put && k <= Unlock }

// What Tag says of a Lock, and of a Flush.
const (
	LockAlone  = 1
	FlushLocal = 1 // puts have left; it is not waited until they have arrived
)

// Special peers, tags and counts. The numbers are those SimGrid writes.
const (
	AnySource = -555 // receive from whoever comes first
	AnyTag    = -444 // receive whatever tag comes first
	NullPeer  = -666 // a message to or from nobody

	// RootUnset is the Peer of a collective whose root was not written: rank 0.
	RootUnset = math.MinInt32
	// ProbeSize as the Count of a receive probes for the message first.
	ProbeSize = -1
	// AnySize as the Count of a receive takes whatever arrives.
	AnySize = -2
)

// Type is a datatype as traces number them.
type Type uint8

// The datatypes of the time-independent form.
const (
	Double Type = iota
	Int
	Char
	Short
	Long
	Float
	Byte
	LongLong
	// DefaultType stands where a trace writes no datatype; the rank's init
	// action says what it is.
	DefaultType Type = 15
)

var typeSizes = [...]int64{8, 4, 1, 2, 8, 4, 1, 8}

// Size returns the bytes of one element.
func (t Type) Size() int64 {
	if int(t) < len(typeSizes) {
		return typeSizes[t]
	}
	return 1
}

// Action is one event of one rank. Which fields count depends on Kind; sizes
// are numbers of elements of their datatype.
type Action struct {
	Kind  Kind
	Type  Type // of Count and Counts; DefaultType when not written
	Type2 Type // of Count2 and Counts2
	// Comm is the communicator: 0 is the world, others come from CommSplit and
	// CommDup, numbered per rank in the order of their creation.
	Comm  int32
	Peer  int32 // destination, source or root; of wait and test, the source
	Peer2 int32 // source of sendRecv; of wait and test, the destination
	Tag   int32 // message tag; line of a location; colour of a split; see LockAlone
	Count int64 // elements sent (or received, for a receive); key of a split
	// Count2 is the elements received by collectives and sendRecv.
	Count2 int64
	// Value is the flops of compute and of reductions, the seconds of sleep.
	Value float64
	// Variance is the variance of Value where a repeat keeps only its mean.
	Variance float64
	// Cores is how many cores a compute has work for where that is more than one: it is
	// of a team of threads, and took Value with a core for each of them.
	Cores float64
	// Counts and Counts2 are per-rank element counts. They alias the cursor's
	// memory and hold until its next move.
	Counts, Counts2 []int64
	File            string // of a location
}

// Elements is how many elements a rank sends in a message or gives to a collective. What
// the kind does not carry may be left from an earlier action.
func (a *Action) Elements() int64 {
	switch f := kindFields[a.Kind]; {
	case a.Kind < Send:
	case f&hasCounts != 0:
		n := int64(0)
		for _, one := range a.Counts {
			n += max(one, 0)
		}
		return n
	case f&hasCount != 0:
		return max(a.Count, 0)
	}
	return 0
}

// MakesUnknown tells whether the action makes a communicator in a form that does not
// say which: it does nothing.
func (a *Action) MakesUnknown() bool {
	return (a.Kind == CommSplit || a.Kind == CommDup) && a.Comm < 0
}

// fields says which parts of an Action its kind carries.
type fields uint16

const (
	hasPeer fields = 1 << iota
	hasPeer2
	hasTag
	hasCount
	hasCount2
	hasValue
	hasCounts
	hasCounts2
	hasFile
)

var kindFields = [numKinds]fields{
	Init:          hasCount,
	CommSplit:     hasTag | hasCount,
	Compute:       hasValue,
	Sleep:         hasValue,
	Location:      hasFile | hasTag,
	Send:          hasPeer | hasTag | hasCount,
	Isend:         hasPeer | hasTag | hasCount,
	Recv:          hasPeer | hasTag | hasCount,
	Irecv:         hasPeer | hasTag | hasCount,
	SendRecv:      hasPeer | hasPeer2 | hasCount | hasCount2,
	Wait:          hasPeer | hasPeer2 | hasTag,
	Test:          hasPeer | hasPeer2 | hasTag,
	Bcast:         hasPeer | hasCount,
	Reduce:        hasPeer | hasCount | hasValue,
	Allreduce:     hasCount | hasValue,
	Scan:          hasCount | hasValue,
	Exscan:        hasCount | hasValue,
	Alltoall:      hasCount | hasCount2,
	Alltoallv:     hasCount | hasCounts | hasCount2 | hasCounts2,
	Gather:        hasPeer | hasCount | hasCount2,
	Scatter:       hasPeer | hasCount | hasCount2,
	Allgather:     hasCount | hasCount2,
	Gatherv:       hasPeer | hasCount | hasCounts2,
	Allgatherv:    hasCount | hasCounts2,
	Scatterv:      hasPeer | hasCounts | hasCount2,
	ReduceScatter: hasCounts | hasValue,
	team:          hasValue,
	Put:           hasPeer | hasCount,
	Get:           hasPeer | hasCount,
	Flush:         hasPeer | hasTag,
	Lock:          hasPeer | hasTag,
	Unlock:        hasPeer,
}
