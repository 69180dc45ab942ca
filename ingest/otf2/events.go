package otf2

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"auspex/ingest/input"
	"auspex/model"
)

// Values kept per region before the counters.
const (
	otf2Time = iota
	calls
	sent
	received
	messages
	fixed
)

// maxStack is how many regions may be open at once at a location. Those
// beyond maxRegionDepth count to the one at that depth.
const maxStack = 1 << 20

// events replays the events and sums them up by call path. Time and
// counters between two events belong to the region that is open then; a
// message belongs to the region it was sent or received in, and is counted
// once, by its sender.
type events struct {
	d         *definitions
	b         *model.Builder
	width     int
	locations map[uint64]*state
	children  map[child]int32
	before    map[uint64]int32 // computation that only the call after it tells of, by that
	used      []bool
	program   string
	command   string
	unmatched int
	tooDeep   bool
}

type child struct {
	parent int32
	region uint64
}

// state is one location while its events are replayed.
type state struct {
	stack    []frame
	last     uint64
	called   bool            // what was left last was a call of MPI, in no region
	values   []float64       // values[slot*width+metric]
	slots    map[int32]int32 // of a region
	regions  []int32         // of a slot
	counters []float64
	started  []bool
	onto     *state // of a METRIC location: the thread whose regions it measures
}

type frame struct {
	region uint64 // as the trace numbers it
	path   int32  // as the builder numbers it
	slot   int32
}

func newEvents(d *definitions) *events {
	e := &events{
		d: d, b: model.NewBuilder(), width: fixed + len(d.byOrder),
		locations: map[uint64]*state{}, children: map[child]int32{}, before: map[uint64]int32{},
	}
	e.used = make([]bool, e.width)
	e.used[otf2Time], e.used[calls] = true, true
	for _, l := range d.locations {
		e.locations[l.id] = &state{slots: map[int32]int32{}}
	}
	for _, l := range d.locations {
		if id, ok := d.mainThread(l); ok && l.kind == "METRIC" {
			e.locations[l.id].onto = e.locations[id]
		}
	}
	return e
}

// read takes in the events as otf2-print prints them.
func (e *events) read(ctx context.Context, in *otf2Records) error {
	for {
		kind, rest, err := in.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
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
		location := e.locations[id]
		if location == nil {
			return fmt.Errorf("an event at location %d, which is not defined", id)
		}
		if err := e.event(location, kind, at, text); err != nil {
			return err
		}
	}
}

func (e *events) event(l *state, kind []byte, at uint64, text []byte) error {
	switch string(kind) {
	case "ENTER":
		return e.enter(l, at, text)
	case "LEAVE":
		return e.leave(l, at, text)
	case "MPI_SEND", "MPI_ISEND":
		e.add(l, sent, fieldNumber(text, ", Length: "))
		e.add(l, messages, 1)
	case "MPI_RECV", "MPI_IRECV":
		e.add(l, received, fieldNumber(text, ", Length: "))
	case "MPI_COLLECTIVE_END":
		e.add(l, sent, fieldNumber(text, ", Sent: "))
		e.add(l, received, fieldNumber(text, ", Received: "))
	case "METRIC":
		e.metrics(l, text)
	case "PROGRAM_BEGIN":
		if e.program == "" {
			e.program, e.command = e.d.program(text)
		}
	}
	return nil
}

// add adds to a value of the innermost open region.
func (e *events) add(l *state, metric int, v float64) {
	if top := len(l.stack) - 1; top >= 0 && v != 0 {
		l.values[int(l.stack[top].slot)*e.width+metric] += v
		e.used[metric] = true
	}
}

// pass gives the time since the last event to the open region.
func (e *events) pass(l *state, at uint64) {
	if at > l.last {
		e.add(l, otf2Time, float64(at-l.last))
		l.last = at
	}
}

func (e *events) enter(l *state, at uint64, text []byte) error {
	id, ok := reference(text)
	if !ok {
		return errors.New("an enter event without region")
	}
	depth := len(l.stack)
	if depth == 0 && l.called && at > l.last && e.d.callsMPI(id) {
		slot := l.slot(e.leadingTo(id), e.width)
		l.values[int(slot)*e.width+otf2Time] += float64(at - l.last)
	}
	e.pass(l, at)
	l.last = max(l.last, at)
	if depth >= maxStack {
		return fmt.Errorf("more than %d regions open at once", maxStack)
	}
	if depth >= input.MaxRegionDepth {
		e.tooDeep = true
		frame := l.stack[depth-1]
		frame.region = id
		l.stack = append(l.stack, frame)
		return nil
	}
	parent := int32(model.NoParent)
	if depth > 0 {
		parent = l.stack[depth-1].path
	}
	path, err := e.path(parent, id)
	if err != nil {
		return err
	}
	l.stack = append(l.stack, frame{id, path, l.slot(path, e.width)})
	e.add(l, calls, 1)
	return nil
}

// slot is where a location keeps the values of a region.
func (l *state) slot(path int32, width int) int32 {
	slot, known := l.slots[path]
	if !known {
		slot = int32(len(l.regions))
		l.slots[path] = slot
		l.regions = append(l.regions, path)
		l.values = append(l.values, make([]float64, width)...)
	}
	return slot
}

// leadingTo is the region of computation that is in none, by the call after it: of a trace
// that holds calls of MPI only.
func (e *events) leadingTo(call uint64) int32 {
	path, ok := e.before[call]
	if !ok {
		path = int32(e.b.Region(model.Region{Name: leading + e.d.name(call), Kind: model.Block, Parent: model.NoParent}))
		e.before[call] = path
	}
	return path
}

// path finds the region of a call path, adding it where it is new.
func (e *events) path(parent int32, id uint64) (int32, error) {
	key := child{parent, id}
	if path, ok := e.children[key]; ok {
		return path, nil
	}
	region, ok := e.d.regions[id]
	if !ok {
		return 0, fmt.Errorf("region %d is entered but not defined", id)
	}
	r := region.Region
	r.Parent = int(parent)
	path := int32(e.b.Region(r))
	e.children[key] = path
	return path, nil
}

// leave closes a region, with those inside it that were never left.
func (e *events) leave(l *state, at uint64, text []byte) error {
	id, ok := reference(text)
	if !ok {
		return errors.New("a leave event without region")
	}
	e.pass(l, at)
	for i := len(l.stack) - 1; i >= 0; i-- {
		if l.stack[i].region == id {
			if i < len(l.stack)-1 {
				e.unmatched++
			}
			l.stack, l.called = l.stack[:i], i == 0 && e.d.callsMPI(id)
			return nil
		}
	}
	e.unmatched++
	return nil
}

// metrics takes in one METRIC event:
//
//	Metric: 0, 2 Values: ("PAPI_TOT_INS" <0>; UINT64; 100), (…)
func (e *events) metrics(l *state, text []byte) {
	for {
		end := bytes.Index(text, []byte(">; "))
		if end < 0 {
			return
		}
		member, ok := reference(text[:end+1])
		text = text[end+3:]
		at := bytes.Index(text, []byte("; "))
		if at < 0 {
			return
		}
		text = text[at+2:]
		stop := bytes.IndexByte(text, ')')
		if stop < 0 {
			return
		}
		value, err := strconv.ParseFloat(string(text[:stop]), 64)
		text = text[stop:]
		if c := e.d.counters[member]; ok && err == nil && c != nil {
			e.count(l, c, value*c.scale)
		}
	}
}

// count adds what a counter grew by since its last value.
func (e *events) count(l *state, c *counter, value float64) {
	if l.counters == nil {
		l.counters = make([]float64, len(e.d.byOrder))
		l.started = make([]bool, len(e.d.byOrder))
	}
	growth := value
	if c.running {
		growth = value - l.counters[c.index]
		if !l.started[c.index] {
			growth = 0
		}
		l.counters[c.index], l.started[c.index] = value, true
	}
	e.add(cmp.Or(l.onto, l), fixed+c.index, growth)
}

// build hands everything to the builder.
func (e *events) build() (*model.Experiment, error) {
	if e.b.RegionCount() == 0 {
		return nil, errors.New("the trace holds no region that was entered")
	}
	columns, scales := e.columns()
	var open unended
	for _, place := range e.d.locations {
		if place.kind == "METRIC" {
			continue
		}
		l := e.locations[place.id]
		if n := len(l.stack); n > 0 {
			open.in(place.unit.Process, e.d.name(l.stack[n-1].region))
		}
		e.flush(l, e.b.Unit(place.unit), columns, scales)
	}
	return e.b.Build(e.header(open.words()))
}

// columns declares the metrics that have values.
func (e *events) columns() (columns []int, scales []float64) {
	metrics := []model.Metric{
		otf2Time: model.NewMetric(model.WallTime, "", model.Exclusive),
		calls:    model.NewMetric(model.Calls, "", model.Own),
		sent:     model.NewMetric(model.BytesSent, "", model.Exclusive),
		received: model.NewMetric(model.BytesReceived, "", model.Exclusive),
		messages: model.NewMetric(model.Messages, "", model.Exclusive),
	}
	for _, c := range e.d.byOrder {
		metrics = append(metrics, c.metric)
	}
	columns, scales = make([]int, e.width), make([]float64, e.width)
	for m, metric := range metrics {
		columns[m], scales[m] = -1, 1
		if e.used[m] {
			columns[m] = e.b.Metric(metric)
		}
	}
	scales[otf2Time] = 1 / e.d.ticks
	return columns, scales
}

func (e *events) flush(l *state, unit int, columns []int, scales []float64) {
	if len(l.regions) == 0 {
		e.b.Enter(unit, 0)
		return
	}
	order := slices.Clone(l.regions)
	slices.Sort(order)
	for _, region := range order {
		row := l.values[int(l.slots[region])*e.width:]
		for m, column := range columns {
			if column >= 0 {
				e.b.Set(unit, int(region), column, row[m]*scales[m])
			}
		}
	}
}

func (e *events) header(open string) model.Header {
	h := model.Header{Program: e.program, Command: e.command, Created: e.d.created, Incomplete: open}
	e.d.tellStreams(&h)
	if e.d.callsOnly() {
		h.Notes = append(h.Notes, callsOnly)
	}
	if e.unmatched > 0 {
		h.Notes = append(h.Notes, fmt.Sprintf("%d regions were left that were not the innermost, or never entered", e.unmatched))
	}
	if e.tooDeep {
		h.Notes = append(h.Notes, fmt.Sprintf("call paths of more than %d regions were cut there", input.MaxRegionDepth))
	}
	if e.d.left > 0 {
		h.Notes = append(h.Notes, fmt.Sprintf("%d metrics that cannot be added up over time were left out", e.d.left))
	}
	return h
}
