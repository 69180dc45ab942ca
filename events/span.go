package events

import (
	"context"
	"slices"

	"auspex/trace"
)

// What a span is beyond the kinds of package trace.
const (
	// Other is a call into MPI that exchanges nothing with other ranks.
	Other = trace.Kind(64 + iota)
	// Pause is time outside of MPI that is no computation: input and output,
	// the tracing itself, a process that is not there yet.
	Pause
	// ThreadBarrier is a barrier of the threads of one rank; Comm numbers it, and is
	// -1 where it is not known who takes part.
	ThreadBarrier
	// Lock is a thread's wait for a lock or critical section; Comm numbers it,
	// and Peer is the location that held it, -1 where nobody did.
	Lock
)

// NoCore is the last name of a region in which a rank could have gone on within a call
// and had no core.
const NoCore = "<no core>"

// Side says which half of a message a span holds.
type Side uint8

const (
	// Sent is a message that the span starts to send.
	Sent Side = iota
	// Received is a message whose receive the span completes.
	Received
	// SendDone is a message sent by an earlier span, whose send this one waits
	// for.
	SendDone
)

// Half is a message as one of its ranks sees it.
type Half struct {
	Side   Side
	Peer   int32 // the other rank
	Tag    int32
	Comm   int32
	Bytes  int64
	Posted int64 // when the send or receive was started, in ns
}

// Span is a stretch of one location's time.
type Span struct {
	Loc        int32 // index into Header.Locations
	Kind       trace.Kind
	Path       int32 // index into Header.Paths: the region of computation, or of the call
	Comm       int32 // of collectives: index into Header.Comms; 0 is the world
	Root       int32 // of collectives that have one, a rank of the world; else -1
	Peer       int32 // see Lock; of trace.Lock the location that had it before, -1 for nobody that was waited for
	Begin, End int64 // ns
	Bytes      int64 // that a collective sends
	// Lead is how long before Begin the location was ready for a collective, or for a
	// message that it receives, and computed on, in ns; other calls may lie between.
	// Behind is how many such calls before this one the one is that had to end first, 0
	// for none, After the same of another queue, and Transfer how long it took once all
	// were ready, in ns: of calls of Joined traces. Records keep none of these.
	Lead   int64
	Behind int32
	After  int32
	// Launch is how computation was launched, and of calls how the host came to ask for
	// them, likewise.
	Launch   trace.Launch
	Transfer int64
	// Messages are the halves of messages that the span starts or completes.
	// They hold until Each goes on.
	Messages []Half
	// Instructions and Cycles are what counters say of a computation, 0 where
	// nobody counted.
	Instructions, Cycles int64
}

// Seconds is how long the span lasts.
func (s *Span) Seconds() float64 { return float64(s.End-s.Begin) / 1e9 }

// Location is a thread of a rank.
type Location struct{ Rank, Thread int32 }

// Path is a region: its names, outermost first, separated by slashes.
type Path struct {
	Name string
	File string
	Line int
}

// Header is what a trace says beside its spans. Paths and Comms may grow while
// spans are read.
type Header struct {
	Name      string
	Ranks     int
	Locations []Location
	Paths     []Path
	// Comms are the communicators: the ranks of each. Comms[0] is the world and
	// may be nil.
	Comms [][]int32
	// Numbers are what the ranks are called, where only some of a job's are here;
	// nil where they are counted from 0 on.
	Numbers []int
	// Partial says that some who took part are not here, so that waiting for them
	// cannot be told from communication.
	Partial bool
	// Incomplete says what is known to be missing at the end; nothing of a whole
	// trace. It is known when the spans were read.
	Incomplete string `json:",omitempty"`
	Counted    bool   // spans carry instructions and cycles
	// Unordered tells that the file's records are not in the order of time, so that
	// nothing is learnt of clocks from messages that run backwards.
	Unordered bool
	// Doubt is by how much, in ns, messages still run backwards once the clocks of ranks
	// were shifted: times of different ranks are not known better to each other.
	Doubt     int64    `json:",omitempty"`
	Notes     []string // what could not be read, and what was assumed
	NameNotes []string // the same of the names of regions, which times do not depend on
	// Replayed: the times are those of a replay, which takes messages in the order of
	// the run even where whoever came first was taken.
	Replayed bool
	// Joined: spans tell when a location was ready for a call and how long that took.
	Joined bool
}

// AllNotes are those of names and times.
func (h *Header) AllNotes() []string { return slices.Concat(h.NameNotes, h.Notes) }

// Number is what a rank is called.
func (h *Header) Number(rank int) int {
	if rank < len(h.Numbers) {
		return h.Numbers[rank]
	}
	return rank
}

// Remarks are the notes, and that the trace is not whole.
func (h *Header) Remarks() []string {
	if h.Incomplete == "" {
		return h.AllNotes()
	}
	return append([]string{"the trace is incomplete: " + h.Incomplete}, h.AllNotes()...)
}

// Source is a measured trace that can be read, more than once.
type Source interface {
	Header() *Header
	// Each hands every span to visit, until ctx ends. The span is the reader's own and
	// changes when visit returns.
	Each(ctx context.Context, visit func(*Span) error) error
}

// Replayable is a Source that is read otherwise for a replay: its calls stand where the
// ranks need what they bring, not where they end.
type Replayable interface {
	Source
	ForReplay() Source
}

// Paths numbers regions as they come.
type Paths struct {
	header *Header
	known  map[Path]int32
}

// NewPaths numbers the regions of a header that has none yet.
func NewPaths(h *Header) *Paths { return &Paths{header: h, known: map[Path]int32{}} }

// maxPaths bounds what a file may name.
const maxPaths = 1 << 20

// Of returns the number of a region. Beyond a million regions all others are
// the last.
func (p *Paths) Of(path Path) int32 {
	if i, ok := p.known[path]; ok {
		return i
	}
	if len(p.header.Paths) >= maxPaths {
		return maxPaths - 1
	}
	i := int32(len(p.header.Paths))
	p.header.Paths = append(p.header.Paths, path)
	p.known[path] = i
	return i
}
