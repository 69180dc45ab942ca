package probe

import (
	"time"
)

// State is how a process ended.
type State int

// The states, as the runtime writes them.
const (
	Running   State = iota // no word of an end: still there, or killed
	Finished               // exited by itself
	Aborted                // called MPI_Abort
	Signalled              // ended by a signal it could note
	Replaced               // went on as another program
	Confined               // forbade itself system calls, so that measuring ended before that
)

// Dead tells whether a process did not come to an end of its own.
func (s State) Dead() bool { return s == Running || s == Aborted || s == Signalled }

// Kind is the sort of a region, as the runtime numbers them.
type Kind int

// The kinds of region.
const (
	Function Kind = iota + 1
	Loop
	User
	MPICall
	Barrier
	Parallel
	Compute // computation that leads to an MPI call
	Program
	Frame // a caller, known by the address that the call returns to; of Python, by name
	FileCall
	Pause // asleep, or until a thread ends, by its own call
)

// Process is what one process measured.
type Process struct {
	File  string
	Host  string
	PID   int
	Rank  int // -1 without MPI
	Ranks int
	State State
	// Code is the exit status, the argument of MPI_Abort or the signal.
	Code     int
	Program  string // path of the executable
	Name     string // that it was started by
	MPI      string // the MPI library's own description
	Started  time.Time
	Elapsed  time.Duration // from the first event to the latest sign of life
	InMPI    time.Duration // from the end of MPI_Init to the beginning of MPI_Finalize, or to that sign
	CPU      time.Duration // of all its threads, measured or not, since the first event
	Children time.Duration // CPU time of children that it has waited for
	// User and System are CPU time of all its threads outside of the kernel and in it,
	// 0 where it left no word of its end.
	User, System time.Duration
	PeakMemory   uint64        // bytes
	Lost         uint64        // events that found no room
	Cores        []int         // that its threads might run on, empty where not known
	Counters     []Counter     // the hardware counters that were there
	Sampling     time.Duration // CPU time between two samples, 0 without
	Asked        time.Duration // the same, as it was asked for
	Objects      []Object
	Python       Python
	// SamplePrice is what a sample takes, in seconds, Own what starting and ending
	// took.
	SamplePrice, Own float64
	// CallPrice is what a call of MPI takes longer for being measured, FilePrice what a
	// call for a file does, TeamPrice what a parallel region does.
	CallPrice, FilePrice, TeamPrice float64
	// Price is what entering and leaving a region takes, in seconds, Budget the
	// share of the run that this may take in all, 0 for no bound.
	Price, Budget float64
	// Off are the regions that were switched off to keep to it.
	Off     []Switched
	Regions []Region
	Threads []Thread
}

// Region is a place in the program. Where Object is set its name is the label
// of something at Offset in that file.
type Region struct {
	Kind   Kind
	Name   string
	File   string
	Line   int
	Object string
	Offset uint64
}

// Thread is a thread's tree of call paths. Nodes stand after their parents.
type Thread struct {
	ID      int
	Current int // index of the node the thread was in last
	Nodes   []Node
	Looks   uint64 // how often the CPU clock was read
	Steps   []Step
	// Functions are those of Python that stand in Steps.
	Functions []PythonFunction
	// Samples is how many there are, one interrupt for one or several; of these Inside came in MPI or in
	// calls for files, Broken could
	// not be unwound to the end, and Dropped found no room.
	Samples, Inside, Broken, Dropped uint64
	// Taken is how often the thread was interrupted for them, which took Taking seconds.
	Taken   uint64
	Taking  float64
	Files   uint64  // calls for files that were timed
	Walking float64 // seconds that taking samples and looking at slow clocks took
	// Left tells that it lived when its process ended, with time of its own until then;
	// Seen is how long after the process's start it was last seen.
	Left bool
	Seen time.Duration
}

// Switched tells that a region was switched off, by which thread and how long
// after the process's start.
type Switched struct {
	Region, Thread int
	After          time.Duration
}

// Step is an address of a sampled stack, below another step or none (-1), while
// the thread was in the node Place. Count is how often the stack ended there.
type Step struct {
	PC            uint64
	Parent, Place int
	Count         uint64
}

// LostFrom is the address of callers that are not known: the stack could not be walked
// to the place that its samples were taken in.
const LostFrom = 0

// firstFunction is the first program counter that is none: from there on they are
// functions of Python, by their numbers.
const firstFunction = 1 << 63

// OfPython tells whether a step is a function of Python, and which: its name is ""
// where that is not known.
func (t Thread) OfPython(s Step) (PythonFunction, bool) {
	if s.PC < firstFunction {
		return PythonFunction{}, false
	}
	if n := s.PC - firstFunction; n < uint64(len(t.Functions)) {
		return t.Functions[n], true
	}
	return PythonFunction{}, true
}

// PythonFunction is a function of Python, at its first line.
type PythonFunction struct {
	Name, File string
	Line       int
}

// Python is the interpreter that a process has. At is an address in it.
type Python struct {
	Version string
	State   PythonState
	At      uint64
}

// PythonState is whether functions of Python are named, or why not.
type PythonState int

// The states, as the runtime writes them.
const (
	NoPython            PythonState = iota
	PythonKnown                     // they would be: none was seen
	PythonNamed                     // they are
	PythonUnknown                   // the version is not known
	PythonThreadsFreely             // a build without a global lock
	PythonMisfit                    // the memory is not laid out as in that version
)

// Object is a file that was loaded: an address between Start and End is the
// file's own plus Bias.
type Object struct {
	Path             string
	Bias, Start, End uint64
}

// Node is a place in a thread's tree with what was spent there, without what
// was spent below. Times are seconds, sizes bytes.
type Node struct {
	Region, Parent                       int // Parent is -1 for the root
	Calls, Iterations                    uint64
	Wall, CPU                            float64
	Blocked                              float64 // of Wall: it had given its core up, as far as that is known
	Messages, Sent, Received, Collective uint64
	Overtaken                            uint64 // messages that a newer one replaced, or that were lost
	IOTime                               float64
	IORead, IOWritten                    uint64
	Faults, Switches                     uint64
	// Counters are what the process's counters say, as they were read. Watched is
	// how long they could have counted and Running how long each group did, in ns:
	// less where groups took turns.
	Counters [counters]uint64
	Watched  uint64
	Running  [counterGroups]uint64
}

// Counter is a hardware counter; those of a group count at the same time.
type Counter struct {
	Name  string
	Group int
}

// Counted is what the i-th counter, of a group, would have said had it counted all
// the time.
func (n Node) Counted(i, group int) float64 {
	if n.Running[group] == 0 || n.Running[group] >= n.Watched {
		return float64(n.Counters[i])
	}
	return float64(n.Counters[i]) * float64(n.Watched) / float64(n.Running[group])
}
