package probe

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"time"
)

// What runtime/format.h lays down.
const (
	magic        = "auspexP\n"
	version      = 9
	headerSize   = 4096
	chunkSize    = 16384
	chunkHead    = 16
	regionHead   = 24
	nodeSize     = 8 + 28*8
	threadSize   = 72 + 48
	stepSize     = 24
	objectHead   = 32
	functionHead = 16
	offSize      = 16
	maxFileSize  = 1 << 30

	counters, counterGroups, counterName, allowedWords = 8, 4, 24, 16
)

const (
	regionChunk   = 1
	threadChunk   = 2
	nodeChunk     = 3
	stepChunk     = 4
	objectChunk   = 5
	offChunk      = 6
	functionChunk = 7
)

// rawHeader mirrors struct header.
type rawHeader struct {
	Magic                                    [8]byte
	Version, Order                           uint32
	HeaderSize, ChunkSize, NodeSize, Counted uint32
	Used                                     uint64
	PID, Rank, Ranks, State, Code, Threads   int32
	Ticks0, Nanos0, Ticks1, Nanos1           uint64
	Realtime, PeakMemory, Lost               uint64
	Price, Budget, Sampling                  uint64
	Asked, SamplePrice, Own                  uint64
	CallPrice, FilePrice, Children           uint64
	Host                                     [256]byte
	Program                                  [1024]byte
	MPI                                      [512]byte
	Name                                     [256]byte
	CounterName                              [counters][counterName]byte
	CounterGroup                             [counters]uint8
	Began, Ended, CPU0, CPU1                 uint64
	PythonAt                                 uint64
	PythonState, _                           uint32
	Python                                   [24]byte
	User, System, TeamPrice                  uint64
	Allowed                                  [allowedWords]uint64
}

type rawRegion struct {
	Size                     uint32
	Kind, Name, File, Object uint16
	Line                     int32
	Offset                   uint64
}

type rawNode struct {
	Region, Parent                                  uint32
	Calls, Wall, CPU, Iterations, Blocked           uint64
	Messages, Sent, Received, Collective, Overtaken uint64
	IOTime, IORead, IOWritten                       uint64
	Faults, Switches                                uint64
	Counters                                        [counters]uint64
	Watched                                         uint64
	Running                                         [counterGroups]uint64
}

// readNode is binary.Read without its reflection: a program may have tens of thousands.
func readNode(order binary.ByteOrder, body []byte) (n rawNode) {
	n.Region, n.Parent, body = order.Uint32(body), order.Uint32(body[4:]), body[8:]
	next := func(to *uint64) { *to, body = order.Uint64(body), body[8:] }
	for _, field := range [...]*uint64{
		&n.Calls, &n.Wall, &n.CPU, &n.Iterations, &n.Blocked,
		&n.Messages, &n.Sent, &n.Received, &n.Collective, &n.Overtaken,
		&n.IOTime, &n.IORead, &n.IOWritten, &n.Faults, &n.Switches,
	} {
		next(field)
	}
	for i := range n.Counters {
		next(&n.Counters[i])
	}
	next(&n.Watched)
	for i := range n.Running {
		next(&n.Running[i])
	}
	return n
}

type rawThread struct {
	ID          int32
	Current     uint32
	First, Last uint64
	Looks       uint64

	Samples, Inside, Broken, Dropped uint64
	Taken, Taking, Files, Walking    uint64
	Since, Wall, CPU, Blocked        uint64 // since Last, as far as it was seen
	Over, Own                        uint32
}

// seen is when the thread was last seen.
func (t rawThread) seen() uint64 {
	if t.Since != t.Last || t.Wall > math.MaxUint64-t.Last {
		return t.Last
	}
	return t.Last + t.Wall
}

type rawStep struct {
	PC            uint64
	Parent, Place uint32
	Count         uint64
}

type rawFunction struct {
	Size       uint32
	Name, File uint16
	Line       int32
	_          uint32
}

type rawObject struct {
	Bias, Start, End uint64
	Size, Path       uint32
}

// ReadFile reads what a process wrote.
func ReadFile(path string) (*Process, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFileSize {
		return nil, fmt.Errorf("%s: %d bytes are more than any process writes", path, info.Size())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p.File = path
	return p, nil
}

// Parse reads the bytes of a process's file.
func Parse(data []byte) (*Process, error) {
	if len(data) == 0 || len(data) >= 8 && string(data[:8]) == string(make([]byte, 8)) {
		return nil, fmt.Errorf("empty: there was no room for it (a full disk, a limit on the size of files), or the process was killed while starting")
	}
	if len(data) < headerSize || string(data[:8]) != magic {
		return nil, fmt.Errorf("not a file of the measurement runtime")
	}
	var order binary.ByteOrder = binary.LittleEndian
	if binary.BigEndian.Uint32(data[12:]) == 0x01020304 {
		order = binary.BigEndian
	}
	var h rawHeader
	if err := binary.Read(bytes.NewReader(data), order, &h); err != nil {
		return nil, err
	}
	if h.Version != version || h.Order != 0x01020304 || h.HeaderSize != headerSize || h.ChunkSize != chunkSize || h.NodeSize != nodeSize {
		return nil, fmt.Errorf("version %d with chunks of %d and nodes of %d bytes is not understood: measure again with this version", h.Version, h.ChunkSize, h.NodeSize)
	}
	p := &Process{
		Host: text(h.Host[:]), PID: int(h.PID), Rank: int(h.Rank), Ranks: int(h.Ranks), State: State(h.State), Code: int(h.Code),
		Program: text(h.Program[:]), Name: text(h.Name[:]), MPI: text(h.MPI[:]), Started: time.Unix(0, int64(h.Realtime)),
		Children: time.Duration(min(h.Children, 1<<62)), PeakMemory: h.PeakMemory, Lost: h.Lost, Sampling: time.Duration(min(h.Sampling, 1<<62)),
	}
	p.User, p.System = time.Duration(min(h.User, 1<<62)), time.Duration(min(h.System, 1<<62))
	for core := range 64 * allowedWords {
		if h.Allowed[core/64]>>(core%64)&1 != 0 {
			p.Cores = append(p.Cores, core)
		}
	}
	p.Python = Python{Version: text(h.Python[:]), State: PythonState(h.PythonState), At: h.PythonAt}
	for i := range min(h.Counted, counters) {
		p.Counters = append(p.Counters, Counter{Name: text(h.CounterName[i][:]), Group: min(int(h.CounterGroup[i]), counterGroups-1)})
	}
	p.Asked, p.SamplePrice, p.Own = time.Duration(min(h.Asked, 1<<62)), float64(h.SamplePrice)*secondsPerTick(h), float64(h.Own)*secondsPerTick(h)
	p.CallPrice, p.FilePrice, p.TeamPrice = float64(h.CallPrice)*secondsPerTick(h), float64(h.FilePrice)*secondsPerTick(h), float64(h.TeamPrice)*secondsPerTick(h)
	p.Price, p.Budget = float64(h.Price)*secondsPerTick(h), float64(h.Budget)/1e6
	r := reader{order: order, process: p, start: h.Ticks0, seconds: secondsPerTick(h), threads: map[uint32]int{}}
	used := min(h.Used, uint64(len(data)))
	r.count(data[:used])
	for at := uint64(headerSize); at+chunkSize <= used; at += chunkSize {
		if err := r.chunk(data[at : at+chunkSize]); err != nil {
			return nil, fmt.Errorf("byte %d: %w", at, err)
		}
	}
	if h.CPU1 > h.CPU0 {
		p.CPU = time.Duration(min(h.CPU1-h.CPU0, 1<<62))
	}
	end := max(r.last, h.Ticks1)
	r.finish(end)
	if h.Ended > 0 {
		end = h.Ended
	}
	if h.Began > 0 && end > h.Began {
		p.InMPI = time.Duration(float64(end-h.Began) * r.seconds * 1e9)
	}
	return p, nil
}

func secondsPerTick(h rawHeader) float64 {
	if h.Ticks1 <= h.Ticks0 || h.Nanos1 <= h.Nanos0 {
		return 1e-9
	}
	return float64(h.Nanos1-h.Nanos0) / float64(h.Ticks1-h.Ticks0) * 1e-9
}

func text(field []byte) string {
	before, _, _ := bytes.Cut(field, []byte{0})
	return string(before)
}

type reader struct {
	order       binary.ByteOrder
	process     *Process
	seconds     float64 // of a tick
	start, last uint64  // ticks
	threads     map[uint32]int
	raw         []rawThread       // of the process's threads
	room        map[uint32]uint32 // by thread: bytes of its nodes
}

// count finds out how many nodes each thread has: they are large and come chunk by chunk.
func (r *reader) count(data []byte) {
	r.room = map[uint32]uint32{}
	for at := headerSize; at+chunkSize <= len(data); at += chunkSize {
		if c := data[at:]; r.order.Uint32(c) == nodeChunk {
			r.room[r.order.Uint32(c[4:])] += min(r.order.Uint32(c[8:]), chunkSize)
		}
	}
}

func (r *reader) chunk(c []byte) error {
	kind, thread, used := r.order.Uint32(c), r.order.Uint32(c[4:]), r.order.Uint32(c[8:])
	if used > chunkSize-chunkHead {
		return fmt.Errorf("a chunk of %d bytes", used)
	}
	body := c[chunkHead : chunkHead+used]
	switch kind {
	case regionChunk:
		return r.regions(body)
	case threadChunk:
		var t rawThread
		if len(body) < threadSize {
			return nil // killed while the thread was starting
		}
		if err := binary.Read(bytes.NewReader(body), r.order, &t); err != nil {
			return err
		}
		if _, twice := r.threads[thread]; twice || uint32(t.ID) != thread {
			return fmt.Errorf("two records of thread %d", thread)
		}
		r.threads[thread] = len(r.process.Threads)
		r.process.Threads = append(r.process.Threads, Thread{ID: int(t.ID), Current: int(t.Current), Looks: t.Looks, Samples: t.Samples, Inside: t.Inside, Broken: t.Broken, Dropped: t.Dropped, Taken: t.Taken, Taking: float64(t.Taking) * r.seconds, Files: t.Files, Walking: float64(t.Walking+t.Taking) * r.seconds, Left: t.Over == 0 && t.Own != 0, Seen: r.since(t.seen())})
		r.last = max(r.last, t.Last)
		r.last = max(r.last, t.seen())
		r.raw = append(r.raw, t)
	case nodeChunk:
		return r.nodes(thread, body)
	case stepChunk:
		return r.steps(thread, body)
	case objectChunk:
		return r.objects(body)
	case functionChunk:
		return r.functions(thread, body)
	case offChunk:
		for ; len(body) >= offSize; body = body[offSize:] {
			after := float64(r.order.Uint64(body[8:])-r.start) * r.seconds * 1e9
			r.process.Off = append(r.process.Off, Switched{int(r.order.Uint32(body)), int(r.order.Uint32(body[4:])), time.Duration(after)})
		}
	case 0: // taken but not begun
	default:
		return fmt.Errorf("a chunk of the unknown kind %d", kind)
	}
	return nil
}

func (r *reader) regions(body []byte) error {
	for len(body) > 0 {
		var raw rawRegion
		if len(body) < regionHead {
			return fmt.Errorf("a region cut short")
		}
		if err := binary.Read(bytes.NewReader(body), r.order, &raw); err != nil {
			return err
		}
		name, file, object := int(raw.Name), int(raw.File), int(raw.Object)
		if int64(raw.Size) > int64(len(body)) || int(raw.Size) < regionHead+name+file+object {
			return fmt.Errorf("a region of %d bytes where %d are left", raw.Size, len(body))
		}
		s := body[regionHead:]
		r.process.Regions = append(r.process.Regions, Region{
			Kind: Kind(raw.Kind), Line: int(raw.Line), Offset: raw.Offset,
			Name: string(s[:name]), File: string(s[name : name+file]), Object: string(s[name+file : name+file+object]),
		})
		body = body[raw.Size:]
	}
	return nil
}

func (r *reader) nodes(thread uint32, body []byte) error {
	i, ok := r.threads[thread]
	if !ok {
		return nil // killed while the thread was starting
	}
	t := &r.process.Threads[i]
	if t.Nodes == nil {
		t.Nodes = make([]Node, 0, r.room[thread]/nodeSize)
	}
	for ; len(body) >= nodeSize; body = body[nodeSize:] {
		raw := readNode(r.order, body)
		parent := -1
		if raw.Parent != 1<<32-1 {
			parent = int(raw.Parent)
		}
		if parent >= len(t.Nodes) || (parent < 0) != (len(t.Nodes) == 0) {
			return fmt.Errorf("node %d of thread %d stands before its parent", len(t.Nodes), t.ID)
		}
		t.Nodes = append(t.Nodes, Node{
			Region: int(raw.Region), Parent: parent, Calls: raw.Calls, Iterations: raw.Iterations,
			Wall: r.spent(raw.Wall), CPU: r.spent(raw.CPU), Blocked: r.spent(raw.Blocked),
			Messages: raw.Messages, Sent: raw.Sent, Received: raw.Received, Collective: raw.Collective, Overtaken: raw.Overtaken,
			IOTime: r.spent(raw.IOTime), IORead: raw.IORead, IOWritten: raw.IOWritten,
			Faults: raw.Faults, Switches: raw.Switches, Counters: raw.Counters, Watched: raw.Watched, Running: raw.Running,
		})
	}
	return nil
}

// spent is a sum of ticks in seconds. Clocks of two processors may differ by some
// ticks, and what one region has too many another has too few: less than nothing is
// nothing, not the largest number.
func (r *reader) spent(ticks uint64) float64 {
	return float64(max(int64(ticks), 0)) * r.seconds
}

// steps reads sampled stacks.
func (r *reader) steps(thread uint32, body []byte) error {
	i, ok := r.threads[thread]
	if !ok {
		return nil
	}
	t := &r.process.Threads[i]
	for ; len(body) >= stepSize; body = body[stepSize:] {
		raw := rawStep{r.order.Uint64(body), r.order.Uint32(body[8:]), r.order.Uint32(body[12:]), r.order.Uint64(body[16:])}
		parent := -1
		if raw.Parent != 1<<32-1 {
			parent = int(raw.Parent)
		}
		if parent >= len(t.Steps) {
			return fmt.Errorf("step %d of thread %d stands before its parent", len(t.Steps), t.ID)
		}
		t.Steps = append(t.Steps, Step{PC: raw.PC, Parent: parent, Place: int(raw.Place), Count: raw.Count})
	}
	return nil
}

// functions reads those of Python.
func (r *reader) functions(thread uint32, body []byte) error {
	i, ok := r.threads[thread]
	if !ok {
		return nil
	}
	t := &r.process.Threads[i]
	for len(body) > 0 {
		var raw rawFunction
		if len(body) < functionHead {
			return fmt.Errorf("a function cut short")
		}
		if err := binary.Read(bytes.NewReader(body), r.order, &raw); err != nil {
			return err
		}
		name, file := int64(raw.Name), int64(raw.File)
		if int64(raw.Size) > int64(len(body)) || int64(raw.Size) < functionHead+name+1+file+1 {
			return fmt.Errorf("a function of %d bytes where %d are left", raw.Size, len(body))
		}
		s := body[functionHead:]
		t.Functions = append(t.Functions, PythonFunction{Name: string(s[:name]), File: string(s[name+1 : name+1+file]), Line: int(raw.Line)})
		body = body[raw.Size:]
	}
	return nil
}

func (r *reader) objects(body []byte) error {
	for len(body) > 0 {
		var raw rawObject
		if len(body) < objectHead {
			return fmt.Errorf("an object cut short")
		}
		if err := binary.Read(bytes.NewReader(body), r.order, &raw); err != nil {
			return err
		}
		if int64(raw.Size) > int64(len(body)) || int64(raw.Size) < objectHead+int64(raw.Path) {
			return fmt.Errorf("an object of %d bytes where %d are left", raw.Size, len(body))
		}
		path := string(body[objectHead : objectHead+raw.Path])
		r.process.Objects = append(r.process.Objects, Object{Path: path, Bias: raw.Bias, Start: raw.Start, End: raw.End})
		body = body[raw.Size:]
	}
	return nil
}

// since is how long after the process's start a moment is.
func (r *reader) since(ticks uint64) time.Duration {
	return time.Duration(float64(max(ticks, r.start)-r.start) * r.seconds * 1e9)
}

// finish drops what a process killed in the middle left without its other
// half: nodes of regions never described, threads without nodes.
func (r *reader) finish(end uint64) {
	p := r.process
	p.Elapsed = r.since(end)
	p.Off = slices.DeleteFunc(p.Off, func(s Switched) bool { return s.Region >= len(p.Regions) })
	whole := p.Threads[:0]
	for k, t := range p.Threads {
		for i := range t.Nodes {
			if t.Nodes[i].Region >= len(p.Regions) {
				t.Nodes = t.Nodes[:i] // children stand after it
				break
			}
		}
		if len(t.Nodes) == 0 {
			continue
		}
		for i := range t.Steps {
			if t.Steps[i].Place >= len(t.Nodes) {
				t.Steps = t.Steps[:i]
				break
			}
		}
		if t.Current >= len(t.Nodes) {
			t.Current = 0
		}
		if raw, n := r.raw[k], &t.Nodes[t.Current]; raw.Since == raw.Last {
			n.Wall += r.spent(raw.Wall)
			n.CPU += r.spent(raw.CPU)
			n.Blocked += r.spent(raw.Blocked)
		}
		whole = append(whole, t)
	}
	p.Threads = whole
}
