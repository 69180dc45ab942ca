package probe

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// EventKind says what a rank did.
type EventKind int

// The kinds of event, as runtime/trace.h numbers them.
const (
	EventInit EventKind = iota
	EventFinalize
	EventCommSplit
	EventSend
	EventIsend
	EventRecv
	EventIrecv
	EventSendrecv
	EventWait
	EventBarrier
	EventBcast
	EventReduce
	EventAllreduce
	EventScan
	EventExscan
	EventAlltoall
	EventAlltoallv
	EventGather
	EventScatter
	EventAllgather
	EventGatherv
	EventAllgatherv
	EventScatterv
	EventReduceScatter
	// EventTurn is the head of a turn of the loop numbered Comm; Tag is 0 in its
	// first. EventRepeat says that Count turns more would have followed.
	EventTurn
	EventRepeat
	// EventSleep is Count ns in which the rank neither computed nor communicated.
	EventSleep
	// EventTeam tells that the computation before the next other event is of parallel
	// regions. There are two: the computation before the second, whose Tag is 1, is the
	// work of all their threads.
	EventTeam
	// One-sided communication with the window Comm. Tag of a lock is 1 where it
	// is for one rank alone, of a flush 1 where it is local.
	EventPut
	EventGet
	EventFence
	EventFlush
	EventLock
	EventUnlock
	eventKinds
)

// Peers and tags that stand for no one rank or number.
const (
	Any  = -1
	None = -2
)

// What Count2 of a message says where its call is told by several events.
const (
	InCall   = 1
	EndsCall = 2 // the last of them
)

// Event is one thing that a rank did, after some computation.
type Event struct {
	Kind EventKind
	Comm int
	// Peer is the other rank, or the root; of a wait the sender, in ranks of
	// the world, and Peer2 the receiver. Peer2 of a sendrecv is the source.
	Peer, Peer2 int
	Tag         int // of a message; the colour of a split
	// Count and Count2 are bytes sent and received; Count of a split its key. For Count2
	// of a message or a wait see InCall.
	Count, Count2   int64
	Sends, Receives []int64 // bytes by rank
	// Site is the number of the process's region that tells where the call
	// stands, -1 where that is not known.
	Site int
	// Compute is the CPU time before the event, in ns. Where the event stands
	// for several turns of a loop it is their mean.
	Compute, Variance float64
}

// What a trace file may hold at most: lists of the largest machines, loops in
// loops, and events that differ.
const (
	maxEventSize = 1 << 26
	maxDepth     = 64
	maxDistinct  = 1 << 24
	maxBody      = 1 << 16
	maxEvents    = 1 << 34 // as far as loops are unrolled
)

// ErrCut tells that a trace has no end: its rank was killed.
var ErrCut = errors.New("the trace is cut off: its rank did not come to an end")

// Visitor takes the events of a trace in order. Loop takes a loop that was
// folded while it was recorded: body hands one turn to the visitor, and may be
// called as often as wanted.
type Visitor interface {
	Event(*Event) error
	Loop(l Turns, body func() error) error
}

// Turns is what is known of a folded loop.
type Turns struct {
	Count uint64
	Plain bool // no EventTurn or EventRepeat is among its events
	Site  int  // of all its events, -1 where they differ
}

// ReadEvents reads the trace that a rank wrote.
func ReadEvents(path string, visit Visitor) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := readEvents(file, visit); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func readEvents(in io.Reader, visit Visitor) error {
	r := eventReader{in: bufio.NewReaderSize(in, 1<<16), known: map[uint64]Event{}, visit: visit}
	return r.run()
}

type eventReader struct {
	in    *bufio.Reader
	known map[uint64]Event
	visit Visitor
	seen  int64
}

// item is an event or a loop of items.
type item struct {
	Turns // of an event, Count is 0
	event Event
	body  []item
}

func (r *eventReader) run() error {
	var magic [8]byte
	if _, err := io.ReadFull(r.in, magic[:]); err != nil || string(magic[:]) != "auspexT\n" {
		return errors.New("not a trace of the measurement runtime")
	}
	for {
		it, err := r.item(0)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.play(&it); err != nil {
			return err
		}
	}
}

func (r *eventReader) play(it *item) error {
	if it.Count == 0 {
		if r.seen++; r.seen > maxEvents {
			return errors.New("more events than any run makes")
		}
		return r.visit.Event(&it.event)
	}
	return r.visit.Loop(it.Turns, func() error {
		for i := range it.body {
			if err := r.play(&it.body[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// item reads the next item; io.EOF is the trace's own end.
func (r *eventReader) item(depth int) (item, error) {
	for {
		kind, err := r.in.ReadByte()
		if err != nil {
			return item{}, ErrCut
		}
		switch kind {
		case 'D':
			if err := r.describe(); err != nil {
				return item{}, err
			}
		case 'E':
			return r.event()
		case 'L':
			return r.loop(depth)
		case 'Z':
			if depth == 0 {
				return item{}, io.EOF
			}
			return item{}, errors.New("the trace ends inside a loop")
		default:
			return item{}, fmt.Errorf("a record of the unknown kind %q", kind)
		}
	}
}

func (r *eventReader) read(v any) error {
	if err := binary.Read(r.in, binary.LittleEndian, v); err != nil {
		return ErrCut
	}
	return nil
}

func (r *eventReader) describe() error {
	var head struct {
		Key  uint64
		Size uint32
	}
	var raw struct{ Kind, Comm, Peer, Peer2, Tag, Count, Count2, Sends, Receives, Site int64 }
	if err := r.read(&head); err != nil {
		return err
	}
	if err := r.read(&raw); err != nil {
		return err
	}
	const fixed = 80
	if raw.Sends < 0 || raw.Receives < 0 || raw.Sends > maxEventSize || raw.Receives > maxEventSize || int64(head.Size) != fixed+8*(raw.Sends+raw.Receives) || head.Size > maxEventSize {
		return fmt.Errorf("an event of %d bytes with lists of %d and %d", head.Size, raw.Sends, raw.Receives)
	}
	if raw.Kind < 0 || raw.Kind >= int64(eventKinds) {
		return fmt.Errorf("an event of the unknown kind %d", raw.Kind)
	}
	if len(r.known) >= maxDistinct {
		return errors.New("too many events that differ")
	}
	e := Event{Kind: EventKind(raw.Kind), Comm: int(raw.Comm), Peer: int(raw.Peer), Peer2: int(raw.Peer2), Tag: int(raw.Tag), Count: raw.Count, Count2: raw.Count2}
	e.Site = -1
	if raw.Site > 0 && raw.Site <= math.MaxUint32 {
		e.Site = int(raw.Site - 1)
	}
	list := make([]int64, raw.Sends+raw.Receives)
	if err := r.read(list); err != nil {
		return err
	}
	e.Sends, e.Receives = list[:raw.Sends], list[raw.Sends:]
	r.known[head.Key] = e
	return nil
}

func (r *eventReader) event() (item, error) {
	var raw struct {
		Key, N   uint64
		Mean, M2 float64
	}
	if err := r.read(&raw); err != nil {
		return item{}, err
	}
	e, ok := r.known[raw.Key]
	if !ok || raw.N == 0 || !(raw.Mean >= 0) || math.IsInf(raw.Mean, 0) || !(raw.M2 >= 0) || math.IsInf(raw.M2, 0) {
		return item{}, errors.New("an event that was not described, or with impossible times")
	}
	e.Compute, e.Variance = raw.Mean, raw.M2/float64(raw.N)
	return item{Turns: Turns{Plain: e.Kind != EventTurn && e.Kind != EventRepeat, Site: e.Site}, event: e}, nil
}

func (r *eventReader) loop(depth int) (item, error) {
	var raw struct {
		Count uint64
		Size  uint32
	}
	if err := r.read(&raw); err != nil {
		return item{}, err
	}
	if depth >= maxDepth || raw.Size == 0 || raw.Size > maxBody || raw.Count < 2 {
		return item{}, fmt.Errorf("a loop of %d items, %d deep", raw.Size, depth)
	}
	it := item{Turns: Turns{Count: raw.Count, Plain: true}}
	for i := range raw.Size {
		inner, err := r.item(depth + 1)
		if err != nil {
			return item{}, err
		}
		it.body = append(it.body, inner)
		it.Plain = it.Plain && inner.Plain
		if i == 0 {
			it.Site = inner.Site
		} else if it.Site != inner.Site {
			it.Site = -1
		}
	}
	return it, nil
}
