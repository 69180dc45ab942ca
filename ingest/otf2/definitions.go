package otf2

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"auspex/ingest/input"
	"auspex/model"
)

// definitions is what the global definitions of an archive tell.
type definitions struct {
	ticks     float64 // of the clock in a second
	created   time.Time
	strings   map[uint64]string
	regions   map[uint64]*region
	nodes     map[uint64]node
	groups    map[uint64]group
	locations []place
	counters  map[uint64]*counter
	byOrder   []*counter
	left      int               // metrics that cannot be added up
	comms     map[uint64]uint64 // the group of each communicator
	commOrder []uint64
	members   map[uint64][]int32 // the ranks of each group
}

type region struct {
	nameRef, fileRef uint64
	hasFile          bool
	line             int
	paradigm, role   string
	model.Region
}

type node struct {
	nameRef, classRef, parent uint64
	root                      bool
}

type group struct {
	nameRef, node, creator uint64
	hasNode, created       bool
}

// place is a location: a thread or the like.
type place struct {
	id, group uint64
	nameRef   uint64
	kind      string
	unit      model.Unit
}

// stream is the type of locations on an accelerator.
const stream = "ACCELERATOR_STREAM"

// counter is a metric that grows while the program runs.
type counter struct {
	nameRef, unitRef uint64
	running          bool // values count from the start, not from the last event
	scale            float64
	index            int
	metric           model.Metric
}

func newDefinitions() *definitions {
	return &definitions{
		strings: map[uint64]string{}, regions: map[uint64]*region{}, nodes: map[uint64]node{},
		groups: map[uint64]group{}, counters: map[uint64]*counter{},
	}
}

// read takes in the output of otf2-print -G.
func (d *definitions) read(ctx context.Context, in *otf2Records) error {
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
		if string(kind) == "CLOCK_PROPERTIES" {
			d.clock(rest)
			continue
		}
		id, text, ok := number(rest)
		if !ok {
			continue
		}
		switch string(kind) {
		case "STRING":
			d.strings[id] = input.Clip(unquoted(text), input.MaxRegionName)
		case "REGION":
			d.region(id, text)
		case "SYSTEM_TREE_NODE":
			d.node(id, text)
		case "LOCATION_GROUP":
			d.group(id, text)
		case "LOCATION":
			group, _ := reference(text)
			d.locations = append(d.locations, place{
				id: id, group: group, kind: string(field(text, ", Type: ", ",")), nameRef: nameBefore(text, ", Type: "),
			})
		case "METRIC_MEMBER":
			d.counter(id, text)
		case "COMM":
			d.comm(id, text)
		case "GROUP":
			d.memberList(id, text)
		}
	}
}

func (d *definitions) clock(text []byte) {
	d.ticks = fieldNumber(text, "Ticks per Seconds: ")
	date := string(field(text, "Date: ", ""))
	if at, err := time.Parse("2006-01-02 15:04:05.999999999 -0700", date); err == nil {
		d.created = at
	}
}

// nameBefore reads the reference of a name that ends where the mark begins.
func nameBefore(text []byte, mark string) uint64 {
	end := bytes.LastIndex(text, []byte(mark))
	if end < 0 {
		return math.MaxUint64
	}
	return orUndefined(reference(text[:end]))
}

// orUndefined marks a missing reference by a number no definition has.
func orUndefined(n uint64, ok bool) uint64 {
	if !ok {
		return math.MaxUint64
	}
	return n
}

func (d *definitions) region(id uint64, text []byte) {
	r := &region{nameRef: nameBefore(text, ` (Aka. "`)}
	r.role = string(field(text, ", Role: ", ","))
	r.paradigm = unquoted(field(text, ", Paradigm: ", ","))
	r.fileRef, r.hasFile = reference(field(text, ", File: ", ", Begin: "))
	r.line = int(min(fieldNumber(text, ", Begin: "), math.MaxInt32))
	d.regions[id] = r
}

func (d *definitions) node(id uint64, text []byte) {
	parent, ok := reference(field(text, ", Parent: ", ""))
	d.nodes[id] = node{
		nameRef: nameBefore(text, `, Class: "`), classRef: nameBefore(text, ", Parent: "),
		parent: parent, root: !ok,
	}
}

func (d *definitions) group(id uint64, text []byte) {
	g := group{nameRef: nameBefore(text, ", Type: ")}
	g.node, g.hasNode = reference(field(text, ", Parent: ", ", Creator: "))
	g.creator, g.created = reference(field(text, ", Creator: ", ""))
	d.groups[id] = g
}

func (d *definitions) counter(id uint64, text []byte) {
	c := &counter{nameRef: nameBefore(text, `, Descr.: "`), scale: 1, index: len(d.byOrder)}
	switch mode := string(field(text, ", Mode: ", ",")); mode {
	case "ACCUMULATED_START":
		c.running = true
	case "ACCUMULATED_LAST":
	default:
		d.left++
		return
	}
	base := 10.0
	if string(field(text, ", Base: ", ",")) == "BINARY" {
		base = 2
	}
	if exponent, err := strconv.Atoi(string(field(text, ", Exponent: ", ","))); err == nil {
		c.scale = math.Pow(base, float64(exponent))
	}
	c.unitRef = orUndefined(reference(field(text, ", Unit: ", "")))
	if _, twice := d.counters[id]; !twice {
		d.byOrder = append(d.byOrder, c)
		d.counters[id] = c
	}
}

// finish resolves references once all definitions are there.
func (d *definitions) finish() error {
	if len(d.locations) == 0 {
		return errors.New("the trace defines no locations")
	}
	if d.ticks <= 0 {
		return errors.New("the trace does not give the resolution of its clock")
	}
	for id, r := range d.regions {
		r.Name = d.strings[r.nameRef]
		if r.Name == "" {
			r.Name = "region " + strconv.FormatUint(id, 10)
		}
		if r.hasFile && r.line > 0 {
			r.File, r.Line = d.strings[r.fileRef], r.line
		}
		r.Kind = input.ScorepKind(r.paradigm, r.role, r.Name)
	}
	names := input.MetricNames{}
	for _, c := range d.byOrder {
		name := d.strings[c.nameRef]
		if name == "" {
			name = fmt.Sprintf("metric_%d", c.index)
		}
		canonical := input.CounterNames[name]
		if canonical == "" {
			canonical = name
		}
		c.metric = model.NewMetric(canonical, name, model.Exclusive)
		if unit := d.strings[c.unitRef]; unit != "" && unit != "#" && !model.IsCanonical(canonical) {
			c.metric.Unit = unit
		}
		c.metric = names.Claim(c.metric)
	}
	d.numberUnits()
	return nil
}

// numberUnits gives every location its process and thread. Processes take the
// number at the end of their name (MPI Rank 3) where all have one, else they
// are counted; threads are counted within their process.
func (d *definitions) numberUnits() {
	slices.SortFunc(d.locations, func(a, b place) int { return cmp.Compare(a.id, b.id) })
	process := d.processes()
	threads := map[int]int{}
	for _, cpu := range []bool{true, false} {
		for i := range d.locations {
			l := &d.locations[i]
			if (l.kind == "CPU_THREAD") != cpu {
				continue
			}
			l.unit.Process = process[d.owner(l.group)]
			l.unit.Node = d.nodeName(l.group)
			if l.kind == "METRIC" {
				continue // no unit of its own
			}
			l.unit.Thread = threads[l.unit.Process]
			threads[l.unit.Process]++
		}
	}
}

// mainThread is the location whose open region the counters of a METRIC
// location belong to: the first thread of its process, else of its node, else
// of all; false where there is no thread.
func (d *definitions) mainThread(metric place) (id uint64, ok bool) {
	best := 0
	for _, l := range d.locations {
		if l.kind != "CPU_THREAD" {
			continue
		}
		near := 1
		switch {
		case d.owner(l.group) == d.owner(metric.group):
			near = 3
		case l.unit.Node == metric.unit.Node:
			near = 2
		}
		if near > best {
			best, id = near, l.id
		}
	}
	return id, best > 0
}

// maxStreamNames is how many streams are named: a factor each.
const maxStreamNames = 32

// tellStreams names the streams of accelerators, which units do not, and says
// which units are threads where all processes have as many.
func (d *definitions) tellStreams(h *model.Header) {
	threads := map[int]int{}
	named := 0
	for _, l := range d.locations {
		switch l.kind {
		case "CPU_THREAD":
			threads[l.unit.Process]++
		case stream:
			if name := d.strings[l.nameRef]; name != "" && named < maxStreamNames {
				h.SetFactor(model.Factor{Name: fmt.Sprintf("stream %d.%d", l.unit.Process, l.unit.Thread), Word: name})
				named++
			}
		}
	}
	same := -1
	for _, n := range threads {
		if same >= 0 && n != same {
			return
		}
		same = n
	}
	if named > 0 && same > 0 {
		h.SetFactor(model.NumberFactor(model.ProcessorThreads, float64(same)))
	}
}

// owner is the process that a group of locations belongs to: itself, or the
// one that created it, as for an accelerator.
func (d *definitions) owner(group uint64) uint64 {
	if g := d.groups[group]; g.created {
		return g.creator
	}
	return group
}

// processes numbers the groups of locations.
func (d *definitions) processes() map[uint64]int {
	var ids []uint64
	seen := map[uint64]bool{}
	for _, l := range d.locations {
		if id := d.owner(l.group); !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	ranks, used, named := map[uint64]int{}, map[int]bool{}, true
	for _, id := range ids {
		name := d.strings[d.groups[id].nameRef]
		rank, err := strconv.Atoi(name[strings.LastIndexByte(name, ' ')+1:])
		named = named && err == nil && rank >= 0 && rank <= input.MaxUnitNumber && !used[rank]
		ranks[id], used[rank] = rank, true
	}
	if !named {
		for i, id := range ids {
			ranks[id] = i
		}
	}
	return ranks
}

// nodeName is the name of the machine's node that a group ran on.
func (d *definitions) nodeName(group uint64) string {
	g := d.groups[group]
	if !g.hasNode {
		return ""
	}
	first := ""
	id := g.node
	for range 16 { // no machine is deeper; definitions may go in circles
		node, ok := d.nodes[id]
		if !ok {
			break
		}
		name := d.strings[node.nameRef]
		if d.strings[node.classRef] == "node" {
			return name
		}
		if first == "" {
			first = name
		}
		if node.root {
			break
		}
		id = node.parent
	}
	return first
}

// program is the name of an executable as PROGRAM_BEGIN gives it.
func (d *definitions) program(text []byte) (name, command string) {
	command = unquoted(field(text, "Name: ", ", 0 Arguments"))
	command, _, _ = strings.Cut(command, `" <`)
	return path.Base(command), command
}
