// Package collective says what each rank sends and receives in a collective of
// MPI: pure functions from a call to a plan, after SimGrid's own algorithms, Open
// MPI's and MPICH's.
package collective

import "auspex/trace"

// Call is a collective as one rank sees it. Sizes are in bytes.
type Call struct {
	Kind     trace.Kind
	Me, Size int // in the communicator
	Root     int
	Unit     int64  // bytes of one element
	Send     int64  // to each, or in all
	Recv     int64  // from each, or in all
	*Counts         // of collectives with a size for each rank, else nil or old
	Place    *Place // for selectors that look at hosts
}

// Counts are the bytes to and from each rank.
type Counts struct{ Sends, Recvs []int64 }

// Place is what a rank knows of the hosts of its communicator.
type Place struct {
	Hosts []int32 // of the members
	SetUp bool    // it knows which ranks share its host; see smpSetup
}

// Algorithm appends the steps of one phase of a collective for one rank and
// tells whether another phase follows. What it appends depends on the call and
// the phase only, so nothing but a number is kept between phases.
type Algorithm func(c *Call, p *Plan, phase int) bool

// Selector chooses the algorithms of collectives.
type Selector uint8

// The selectors.
const (
	// Default is SimGrid's own choice.
	Default Selector = iota
	// OMPI is Open MPI's decision table.
	OMPI
	// MPICH is MPICH's decision rules.
	MPICH
	// OpenMPI is Open MPI 4.1 where SimGrid's algorithms for its table are others.
	OpenMPI
)

// Select chooses how a collective is done.
func Select(c *Call, s Selector) (Algorithm, error) {
	switch s {
	case OMPI:
		return ompiAlgorithm(c)
	case OpenMPI:
		return openmpiAlgorithm(c)
	case MPICH:
		return mpichAlgorithm(c)
	}
	return defaultAlgorithm(c)
}

// Tags of collectives' messages. Any negative number will do that is not
// trace.AnyTag; each kind has its own, so that mixed-up collectives do not
// match.
const (
	tagBarrier = -1 - int32(iota)
	tagBcast
	tagReduce
	tagAllreduce
	tagGather
	tagGatherv
	tagScatter
	tagScatterv
	tagAllgather
	tagAllgatherv
	tagAlltoall
	tagAlltoallv
	tagReduceScatter
	tagScan
	tagSetUp
	tagSetUpLeaders
	tagSetUpLocal
)
