package otf2

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	timed "auspex/events"
	"auspex/ingest/input"
	"auspex/internal/mistake"
	"auspex/trace"
)

// Looks tells whether a path is an archive's anchor, or a folder with one.
func Looks(path string) bool {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return isDir(path, nil)
	}
	head, _, err := input.ReadHead(path)
	return err == nil && isFile(path, head)
}

// Timed is an archive as a measured trace: an timed.Source.
type Timed struct {
	run    otf2Run
	d      *definitions
	header timed.Header
	index  map[uint64]int32 // location by its number in the archive
	comms  map[uint64]int32
}

// Open reads the definitions of an archive.
func Open(ctx context.Context, path string) (*Timed, error) {
	anchor := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if anchor, err = otf2Anchor(path); err != nil {
			return nil, mistake.InFile(path, "%v", err)
		}
	}
	program, err := exec.LookPath(otf2Program)
	if err != nil {
		return nil, mistake.InFile(path, "reading OTF2 traces needs the program %s, which is not installed here: install the package otf2-tools (Debian, Ubuntu: apt install otf2-tools)", otf2Program)
	}
	t := &Timed{run: otf2Run{program: program, anchor: anchor, given: path}, d: newDefinitions()}
	if err := t.run.print(ctx, t.d.read, "-G"); err != nil {
		return nil, err
	}
	if err := t.d.finish(); err != nil {
		return nil, mistake.InFile(path, "%v", err)
	}
	t.locate()
	return t, nil
}

// locate numbers locations and communicators.
func (t *Timed) locate() {
	t.header.Name, t.header.Comms = t.run.given, [][]int32{nil}
	t.index, t.comms = map[uint64]int32{}, map[uint64]int32{}
	places := t.d.cpuThreads()
	for i, l := range places {
		t.index[l.id] = int32(i)
		t.header.Locations = append(t.header.Locations, timed.Location{Rank: int32(l.unit.Process), Thread: int32(l.unit.Thread)})
		t.header.Ranks = max(t.header.Ranks, l.unit.Process+1)
	}
	if t.d.callsOnly() {
		t.header.NameNotes = append(t.header.NameNotes, callsOnly)
	}
	for _, id := range t.d.commOrder {
		members := t.d.members[t.d.comms[id]]
		if len(members) == 0 || len(members) == t.header.Ranks {
			continue // the world, or one of a single rank
		}
		t.comms[id] = int32(len(t.header.Comms))
		t.header.Comms = append(t.header.Comms, members)
	}
}

// Header is what the definitions say.
func (t *Timed) Header() *timed.Header { return &t.header }

// Each reads the timed.
func (t *Timed) Each(ctx context.Context, visit func(*timed.Span) error) error {
	t.header.Paths, t.header.Incomplete = nil, ""
	r := &timer{t: t, visit: visit, paths: timed.NewPaths(&t.header), locs: make([]timedLocation, len(t.header.Locations))}
	err := t.run.print(ctx, r.read)
	var own visitError
	if errors.As(err, &own) {
		return own.error
	}
	return err
}

// visitError is what the visitor said: not a mistake of the archive.
type visitError struct{ error }

// timer turns events into spans.
type timer struct {
	t     *Timed
	visit func(*timed.Span) error
	paths *timed.Paths
	locs  []timedLocation
	first uint64
	begun bool
	span  timed.Span
	locks map[lockKey]lock
}

// timedLocation is one thread while its events go by.
type timedLocation struct {
	stack    []uint64 // open regions
	path     string   // theirs, without calls of MPI
	lengths  []int    // of path before each region
	last     int64
	called   bool  // what was left last was a call of MPI, in no region
	seen     int64 // time of the latest event
	call     int   // depth of the MPI call that is open, 0 for none
	begin    int64
	halves   []timed.Half
	comm     int32
	root     int32
	bytes    int64
	requests map[uint64]timed.Half
	barriers int32
}

func (r *timer) read(ctx context.Context, in *otf2Records) error {
	for {
		kind, rest, err := in.next()
		if err != nil {
			if err.Error() == "EOF" {
				return r.end()
			}
			return err
		}
		if in.lines%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		id, rest, ok := number(rest)
		if !ok {
			continue
		}
		at, text, ok := number(rest)
		if !ok {
			continue
		}
		loc, ok := r.t.index[id]
		if !ok {
			continue // an accelerator's
		}
		if !r.begun {
			r.first, r.begun = at, true
		}
		if err := r.event(loc, string(kind), r.nanos(at), text); err != nil {
			return err
		}
	}
}

func (r *timer) nanos(at uint64) int64 {
	if at < r.first {
		return 0
	}
	const never = 1 << 62 // broken archives have any numbers
	if ns := float64(at-r.first) * 1e9 / r.t.d.ticks; ns < never {
		return int64(ns)
	}
	return never
}

// event takes one event of a location.
func (r *timer) event(loc int32, kind string, at int64, text []byte) error {
	l := &r.locs[loc]
	at = max(at, l.last) // nothing ends before it began, in broken archives either
	l.seen = max(l.seen, at)
	switch kind {
	case "ENTER":
		return r.enter(loc, l, at, text)
	case "LEAVE":
		return r.leave(loc, l, at)
	case "MPI_SEND", "MPI_ISEND":
		h := timed.Half{Side: timed.Sent, Peer: r.peer(text, "Receiver: "), Tag: tag(text), Comm: r.comm(text), Bytes: int64(fieldNumber(text, ", Length: ")), Posted: max(l.begin, 0)}
		l.halves = append(l.halves, h)
		if kind == "MPI_ISEND" {
			h.Side = timed.SendDone
			l.keep(request(text), h)
		}
	case "MPI_ISEND_COMPLETE":
		if h, ok := l.requests[request(text)]; ok {
			delete(l.requests, request(text))
			l.halves = append(l.halves, h)
		}
	case "MPI_IRECV_REQUEST":
		l.keep(request(text), timed.Half{Posted: l.begin})
	case "MPI_RECV", "MPI_IRECV":
		h := timed.Half{Side: timed.Received, Peer: r.peer(text, "Sender: "), Tag: tag(text), Comm: r.comm(text), Bytes: int64(fieldNumber(text, ", Length: ")), Posted: l.begin}
		if kind == "MPI_IRECV" {
			if started, ok := l.requests[request(text)]; ok {
				h.Posted = started.Posted
				delete(l.requests, request(text))
			}
		}
		l.halves = append(l.halves, h)
	case "THREAD_ACQUIRE_LOCK", "OMP_ACQUIRE_LOCK":
		return r.acquire(loc, l, at, text)
	case "THREAD_RELEASE_LOCK", "OMP_RELEASE_LOCK":
		r.release(loc, at, text)
	case "MPI_COLLECTIVE_END":
		l.comm, l.bytes, l.root = r.comm(text), int64(fieldNumber(text, ", Sent: ")), -1
		if root := field(text, ", Root: ", ", Sent"); len(root) > 0 && root[0] != 'U' {
			l.root = r.peer(text, ", Root: ")
		}
	}
	return nil
}

// maxRequests bounds what a broken archive may leave open.
const maxRequests = 1 << 16

func (l *timedLocation) keep(id uint64, h timed.Half) {
	if l.requests == nil {
		l.requests = map[uint64]timed.Half{}
	}
	if len(l.requests) < maxRequests {
		l.requests[id] = h
	}
}

func request(text []byte) uint64 {
	n, _, _ := number(field(text, "Request: ", ""))
	return n
}

func tag(text []byte) int32 {
	n, _, _ := number(field(text, ", Tag: ", ""))
	return int32(n & 0x7fffffff)
}

// peer is the rank of a location that an event names: 1 ("Master thread" <1>).
func (r *timer) peer(text []byte, before string) int32 {
	part := field(text, before, ">")
	if open := bytes.LastIndexByte(part, '<'); open >= 0 {
		if id, _, ok := number(part[open+1:]); ok {
			if loc, ok := r.t.index[id]; ok {
				return r.t.header.Locations[loc].Rank
			}
		}
	}
	if n, _, ok := number(part); ok && int(n) < r.t.header.Ranks {
		return int32(n)
	}
	return -1
}

// comm is the communicator that an event names, 0 for the world.
func (r *timer) comm(text []byte) int32 {
	part := field(text, "Communicator: ", ">")
	if open := bytes.LastIndexByte(part, '<'); open >= 0 {
		if id, _, ok := number(part[open+1:]); ok {
			return r.t.comms[id]
		}
	}
	return 0
}

// pass hands over the computation since the last event.
func (r *timer) pass(loc int32, l *timedLocation, at int64) error {
	if l.call == 0 && at > l.last && len(l.stack) > 0 {
		if err := r.compute(loc, l, at, l.path); err != nil {
			return err
		}
	}
	l.last = max(l.last, at)
	return nil
}

// compute hands over what a thread computed since its last event.
func (r *timer) compute(loc int32, l *timedLocation, at int64, path string) error {
	r.span = timed.Span{Loc: loc, Kind: trace.Compute, Path: r.paths.Of(timed.Path{Name: path}), Root: -1, Peer: -1, Begin: l.last, End: at}
	if err := r.visit(&r.span); err != nil {
		return visitError{err}
	}
	return nil
}

// leading begins the names of computation in no region, that the call of MPI after it
// names.
const leading = "before "

func (r *timer) enter(loc int32, l *timedLocation, at int64, text []byte) error {
	id, ok := reference(text)
	if !ok {
		return errors.New("an enter event without region")
	}
	if len(l.stack) >= maxStack {
		return fmt.Errorf("more than %d regions open at once", maxStack)
	}
	if len(l.stack) == 0 && l.called && at > l.last && r.t.d.callsMPI(id) {
		if err := r.compute(loc, l, at, leading+r.t.d.name(id)); err != nil {
			return err
		}
	}
	if err := r.pass(loc, l, at); err != nil {
		return err
	}
	l.stack = append(l.stack, id)
	l.lengths = append(l.lengths, len(l.path))
	if l.call > 0 {
		return nil
	}
	if r.isCall(id) {
		l.call, l.begin, l.halves = len(l.stack), at, l.halves[:0]
		l.comm, l.root, l.bytes = 0, -1, 0
		return nil
	}
	if len(l.stack) <= input.MaxRegionDepth {
		if l.path != "" {
			l.path += "/"
		}
		l.path += r.t.d.name(id)
	}
	return nil
}

// isCall tells whether a region is a call that others may be waited for in.
func (r *timer) isCall(id uint64) bool {
	return r.t.d.callsMPI(id) || r.t.d.threadBarrier(id)
}

// callsOnly is said of traces without functions of the program.
const callsOnly = "the trace tells calls of MPI, not which functions computed: computation is named by the call after it"

func (d *definitions) callsOnly() bool {
	for id := range d.regions {
		if !d.callsMPI(id) {
			return false
		}
	}
	return len(d.regions) > 0
}

func (d *definitions) callsMPI(region uint64) bool {
	return strings.HasPrefix(d.name(region), "MPI_")
}

// end closes the calls that were never left, at the last event of their threads, and
// tells of regions that were not.
func (r *timer) end() error {
	var open unended
	defer func() { r.t.header.Incomplete = open.words() }()
	for i := range r.locs {
		l := &r.locs[i]
		n := len(l.stack)
		if n == 0 {
			continue
		}
		open.in(int(r.t.header.Locations[i].Rank), r.t.d.name(l.stack[n-1]))
		for l.call > 0 {
			if err := r.leave(int32(i), l, l.seen); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *timer) leave(loc int32, l *timedLocation, at int64) error {
	n := len(l.stack)
	if n == 0 {
		return nil
	}
	if err := r.pass(loc, l, at); err != nil {
		return err
	}
	id := l.stack[n-1]
	l.stack, l.called = l.stack[:n-1], n == 1 && r.t.d.callsMPI(id)
	if l.call == 0 {
		l.path = l.path[:l.lengths[n-1]]
	}
	l.lengths = l.lengths[:n-1]
	if l.call != n {
		return nil
	}
	l.call = 0
	name := r.t.d.name(id)
	kind, ok := timed.CallKind(name)
	if !ok {
		kind = timed.Other
	}
	path := name
	if l.path != "" {
		path = l.path + "/" + name
	}
	r.span = timed.Span{Loc: loc, Kind: kind, Path: r.paths.Of(timed.Path{Name: path}), Comm: l.comm, Root: l.root, Peer: -1, Begin: l.begin, End: at, Bytes: l.bytes, Messages: l.halves}
	if r.t.d.threadBarrier(id) {
		r.span.Kind, r.span.Comm = timed.ThreadBarrier, l.barriers
		l.barriers++
	}
	if err := r.visit(&r.span); err != nil {
		return visitError{err}
	}
	l.halves = l.halves[:0]
	return nil
}
