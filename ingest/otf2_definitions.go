package ingest

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

	"auspex/model"
)

// otf2Definitions is what the global definitions of an archive tell.
type otf2Definitions struct {
	ticks     float64 // of the clock in a second
	created   time.Time
	strings   map[uint64]string
	regions   map[uint64]*otf2Region
	nodes     map[uint64]otf2Node
	groups    map[uint64]otf2Group
	locations []otf2Place
	counters  map[uint64]*otf2Counter
	byOrder   []*otf2Counter
	left      int // metrics that cannot be added up
}

type otf2Region struct {
	nameRef, fileRef uint64
	hasFile          bool
	line             int
	paradigm, role   string
	model.Region
}

type otf2Node struct {
	nameRef, classRef, parent uint64
	root                      bool
}

type otf2Group struct {
	nameRef, node, creator uint64
	hasNode, created       bool
}

// otf2Place is a location: a thread or the like.
type otf2Place struct {
	id, group uint64
	kind      string
	unit      model.Unit
}

// otf2Counter is a metric that grows while the program runs.
type otf2Counter struct {
	nameRef, unitRef uint64
	running          bool // values count from the start, not from the last event
	scale            float64
	index            int
	metric           model.Metric
}

func newOTF2Definitions() *otf2Definitions {
	return &otf2Definitions{
		strings: map[uint64]string{}, regions: map[uint64]*otf2Region{}, nodes: map[uint64]otf2Node{},
		groups: map[uint64]otf2Group{}, counters: map[uint64]*otf2Counter{},
	}
}

// read takes in the output of otf2-print -G.
func (d *otf2Definitions) read(ctx context.Context, in *otf2Records) error {
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
		id, text, ok := otf2Number(rest)
		if !ok {
			continue
		}
		switch string(kind) {
		case "STRING":
			d.strings[id] = clip(otf2Unquoted(text), maxRegionName)
		case "REGION":
			d.region(id, text)
		case "SYSTEM_TREE_NODE":
			d.node(id, text)
		case "LOCATION_GROUP":
			d.group(id, text)
		case "LOCATION":
			group, _ := otf2Reference(text)
			d.locations = append(d.locations, otf2Place{id: id, group: group, kind: string(otf2Field(text, ", Type: ", ","))})
		case "METRIC_MEMBER":
			d.counter(id, text)
		}
	}
}

func (d *otf2Definitions) clock(text []byte) {
	d.ticks = otf2FieldNumber(text, "Ticks per Seconds: ")
	date := string(otf2Field(text, "Date: ", ""))
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
	return orUndefined(otf2Reference(text[:end]))
}

// orUndefined marks a missing reference by a number no definition has.
func orUndefined(n uint64, ok bool) uint64 {
	if !ok {
		return math.MaxUint64
	}
	return n
}

func (d *otf2Definitions) region(id uint64, text []byte) {
	r := &otf2Region{nameRef: nameBefore(text, ` (Aka. "`)}
	r.role = string(otf2Field(text, ", Role: ", ","))
	r.paradigm = otf2Unquoted(otf2Field(text, ", Paradigm: ", ","))
	r.fileRef, r.hasFile = otf2Reference(otf2Field(text, ", File: ", ", Begin: "))
	r.line = int(min(otf2FieldNumber(text, ", Begin: "), math.MaxInt32))
	d.regions[id] = r
}

func (d *otf2Definitions) node(id uint64, text []byte) {
	parent, ok := otf2Reference(otf2Field(text, ", Parent: ", ""))
	d.nodes[id] = otf2Node{
		nameRef: nameBefore(text, `, Class: "`), classRef: nameBefore(text, ", Parent: "),
		parent: parent, root: !ok,
	}
}

func (d *otf2Definitions) group(id uint64, text []byte) {
	g := otf2Group{nameRef: nameBefore(text, ", Type: ")}
	g.node, g.hasNode = otf2Reference(otf2Field(text, ", Parent: ", ", Creator: "))
	g.creator, g.created = otf2Reference(otf2Field(text, ", Creator: ", ""))
	d.groups[id] = g
}

func (d *otf2Definitions) counter(id uint64, text []byte) {
	c := &otf2Counter{nameRef: nameBefore(text, `, Descr.: "`), scale: 1, index: len(d.byOrder)}
	switch mode := string(otf2Field(text, ", Mode: ", ",")); mode {
	case "ACCUMULATED_START":
		c.running = true
	case "ACCUMULATED_LAST":
	default:
		d.left++
		return
	}
	base := 10.0
	if string(otf2Field(text, ", Base: ", ",")) == "BINARY" {
		base = 2
	}
	if exponent, err := strconv.Atoi(string(otf2Field(text, ", Exponent: ", ","))); err == nil {
		c.scale = math.Pow(base, float64(exponent))
	}
	c.unitRef = orUndefined(otf2Reference(otf2Field(text, ", Unit: ", "")))
	if _, twice := d.counters[id]; !twice {
		d.byOrder = append(d.byOrder, c)
		d.counters[id] = c
	}
}

// finish resolves references once all definitions are there.
func (d *otf2Definitions) finish() error {
	if len(d.locations) == 0 {
		return errors.New("the trace defines no locations")
	}
	if d.ticks <= 0 {
		return errors.New("the trace does not tell the resolution of its clock")
	}
	for id, r := range d.regions {
		r.Name = d.strings[r.nameRef]
		if r.Name == "" {
			r.Name = "region " + strconv.FormatUint(id, 10)
		}
		if r.hasFile && r.line > 0 {
			r.File, r.Line = d.strings[r.fileRef], r.line
		}
		r.Kind = scorepKind(r.paradigm, r.role, r.Name)
	}
	names := metricNames{}
	for _, c := range d.byOrder {
		name := d.strings[c.nameRef]
		if name == "" {
			name = fmt.Sprintf("metric_%d", c.index)
		}
		canonical := counterNames[name]
		if canonical == "" {
			canonical = name
		}
		c.metric = model.NewMetric(canonical, name, model.Exclusive)
		if unit := d.strings[c.unitRef]; unit != "" && unit != "#" && !model.IsCanonical(canonical) {
			c.metric.Unit = unit
		}
		c.metric = names.claim(c.metric)
	}
	d.numberUnits()
	return nil
}

// numberUnits gives every location its process and thread. Processes take the
// number at the end of their name (MPI Rank 3) where all have one, else they
// are counted; threads are counted within their process.
func (d *otf2Definitions) numberUnits() {
	slices.SortFunc(d.locations, func(a, b otf2Place) int { return cmp.Compare(a.id, b.id) })
	process := d.processes()
	threads := map[int]int{}
	for _, cpu := range []bool{true, false} {
		for i := range d.locations {
			l := &d.locations[i]
			if (l.kind == "CPU_THREAD") != cpu {
				continue
			}
			l.unit.Process = process[d.owner(l.group)]
			l.unit.Thread = threads[l.unit.Process]
			threads[l.unit.Process]++
			l.unit.Node = d.nodeName(l.group)
		}
	}
}

// owner is the process that a group of locations belongs to: itself, or the
// one that created it, as for an accelerator.
func (d *otf2Definitions) owner(group uint64) uint64 {
	if g := d.groups[group]; g.created {
		return g.creator
	}
	return group
}

// processes numbers the groups of locations.
func (d *otf2Definitions) processes() map[uint64]int {
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
		named = named && err == nil && rank >= 0 && rank <= maxUnitNumber && !used[rank]
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
func (d *otf2Definitions) nodeName(group uint64) string {
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
func (d *otf2Definitions) program(text []byte) (name, command string) {
	command = otf2Unquoted(otf2Field(text, "Name: ", ", 0 Arguments"))
	command, _, _ = strings.Cut(command, `" <`)
	return path.Base(command), command
}
