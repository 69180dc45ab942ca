package ingest

import (
	"bufio"
	"cmp"
	"context"
	"encoding/xml"
	"io"
	"slices"
	"strconv"
	"strings"

	"auspex/model"
)

// cubeAnchor is what anchor.xml describes.
type cubeAnchor struct {
	attributes []cubeAttribute
	metrics    []cubeMetric
	regions    map[int]cubeRegion
	nodes      []cubeNode     // of the call tree, depth first
	locations  []cubeLocation // in the order of the values
	severity   map[int]*cubeRows
}

type cubeAttribute struct{ key, value string }

// cubeMetric is one <metric>.
type cubeMetric struct {
	id        int
	kind      string // EXCLUSIVE, INCLUSIVE, SIMPLE, …DERIVED…
	hidden    bool
	name, uom string
	dtype     string
}

func (m *cubeMetric) file(ending string) string { return strconv.Itoa(m.id) + ending }

// cubeRegion is one <region>: a function, loop or construct of the source.
type cubeRegion struct {
	name, mangled, paradigm, role, file string
	begin                               int
}

// scorepKind tells a region's kind from the paradigm and role that Score-P
// gives it; Cube and OTF2 spell them alike but for case and blanks.
func scorepKind(paradigm, role, name string) model.Kind {
	paradigm = strings.ToLower(paradigm)
	role = strings.ReplaceAll(strings.ToLower(role), "_", " ")
	switch {
	case paradigm == "mpi":
		return model.MPI
	case paradigm == "shmem":
		return model.Comm
	case role == "barrier", role == "implicit barrier":
		return model.Barrier
	case role == "loop":
		return model.Loop
	case role == "kernel":
		return model.Kernel
	case strings.HasPrefix(role, "file io"):
		return model.IO
	case paradigm == "user" && role != "artificial":
		return model.User
	}
	return kindOf(name)
}

// cubeNode is one <cnode>: a call path.
type cubeNode struct {
	id, callee int
	parent     int // index into the nodes, -1 for a root
	depth      int
	parameters string // " (i=3)", told apart by the measuring system
}

// cubeLocation is a thread or the like.
type cubeLocation struct {
	id   int
	unit model.Unit
	cpu  bool
	skip bool // holds no times: a sensor
}

// cubeSystem is an open element of the <system> section.
type cubeSystem struct {
	element, name, class, rank, kind string
	id                               int
}

type cubeParser struct {
	in      *xmlInput
	anchor  *cubeAnchor
	text    []byte
	metrics []int // open metrics
	region  cubeRegion
	id      int   // of the open region
	nodes   []int // open call paths
	system  []cubeSystem
	byID    map[int]int // index of the node with this number, for CUBE 3
	rows    *cubeRows
	row     int
}

func parseCubeAnchor(ctx context.Context, r *bufio.Reader, name string) (*cubeAnchor, error) {
	p := &cubeParser{
		in:     newXMLInput(ctx, r, name),
		anchor: &cubeAnchor{regions: map[int]cubeRegion{}, severity: map[int]*cubeRows{}},
		byID:   map[int]int{},
	}
	known := false
	for {
		token, err := p.in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if !known && t.Name.Local != "cube" {
				return nil, p.in.errorf("starts with <%s>: no Cube profile", t.Name.Local)
			}
			known = true
			p.text = p.text[:0]
			err = p.start(t)
		case xml.CharData:
			if len(p.text)+len(t) > maxXMLToken {
				return nil, p.in.errorf("a text of more than %d MiB", maxXMLToken>>20)
			}
			p.text = append(p.text, t...)
		case xml.EndElement:
			err = p.end(t.Name.Local)
			p.text = p.text[:0]
		}
		if err != nil {
			return nil, err
		}
	}
	p.anchor.order()
	return p.anchor, nil
}

func (p *cubeParser) start(t xml.StartElement) error {
	a := p.anchor
	switch name := t.Name.Local; name {
	case "cube":
		if v := attribute(t, "version"); !strings.HasPrefix(v, "3") && !strings.HasPrefix(v, "4") {
			return p.in.errorf("is version %q of the Cube format; versions 3 and 4 can be read", v)
		}
	case "attr":
		if len(p.in.open) == 2 {
			a.attributes = append(a.attributes, cubeAttribute{attribute(t, "key"), attribute(t, "value")})
		}
	case "metric":
		id, err := p.number(t, "id")
		if err != nil {
			return err
		}
		p.metrics = append(p.metrics, len(a.metrics))
		a.metrics = append(a.metrics, cubeMetric{id: id, kind: attribute(t, "type"), hidden: attribute(t, "viztype") == "GHOST"})
	case "region":
		id, err := p.number(t, "id")
		if err != nil {
			return err
		}
		begin, _ := strconv.Atoi(attribute(t, "begin"))
		p.id, p.region = id, cubeRegion{file: attribute(t, "mod"), begin: begin}
	case "cnode":
		return p.node(t)
	case "parameter":
		if last := len(p.nodes) - 1; last >= 0 {
			node := &a.nodes[p.nodes[last]]
			node.parameters = clip(node.parameters+" ("+attribute(t, "parkey")+"="+attribute(t, "parvalue")+")", maxFileName)
		}
	case "systemtreenode", "machine", "node", "locationgroup", "process", "location", "thread":
		id, err := p.number(t, "Id")
		if err != nil {
			return err
		}
		p.system = append(p.system, cubeSystem{element: name, id: id, class: attribute(t, "class")})
	case "matrix", "row":
		return p.startValues(t)
	}
	return nil
}

// number reads an attribute that numbers things; some writers spell Id with a
// capital.
func (p *cubeParser) number(t xml.StartElement, name string) (int, error) {
	text := attribute(t, name)
	if text == "" {
		text = attribute(t, strings.ToLower(name))
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, p.in.errorf("<%s> has no number (%s=%q)", t.Name.Local, name, text)
	}
	return n, nil
}

func (p *cubeParser) node(t xml.StartElement) error {
	id, err := p.number(t, "id")
	if err != nil {
		return err
	}
	callee, err := p.number(t, "calleeId")
	if err != nil {
		return err
	}
	node := cubeNode{id: id, callee: callee, parent: -1, depth: 1}
	if last := len(p.nodes) - 1; last >= 0 {
		node.parent = p.nodes[last]
		node.depth = p.anchor.nodes[node.parent].depth + 1
	}
	if node.depth > maxRegionDepth {
		return p.in.errorf("call paths of more than %d regions", maxRegionDepth)
	}
	p.byID[id] = len(p.anchor.nodes)
	p.nodes = append(p.nodes, len(p.anchor.nodes))
	p.anchor.nodes = append(p.anchor.nodes, node)
	return nil
}

// end closes an element; what it held is in p.text.
func (p *cubeParser) end(name string) error {
	around := ""
	if last := len(p.in.open) - 1; last >= 0 {
		around = p.in.open[last]
	}
	text := strings.TrimSpace(string(p.text))
	switch name {
	case "metric":
		p.metrics = p.metrics[:len(p.metrics)-1]
	case "cnode":
		p.nodes = p.nodes[:len(p.nodes)-1]
	case "region":
		if p.region.name == "" {
			p.region.name = "<unnamed>"
		}
		p.anchor.regions[p.id] = p.region
	case "systemtreenode", "machine", "node", "locationgroup", "process":
		p.system = p.system[:len(p.system)-1]
	case "location", "thread":
		p.location()
		p.system = p.system[:len(p.system)-1]
	case "row":
		return p.endRow(text)
	default:
		switch around {
		case "metric":
			p.anchor.metrics[p.metrics[len(p.metrics)-1]].set(name, text)
		case "region":
			p.region.set(name, text)
		case "systemtreenode", "machine", "node", "locationgroup", "process", "location", "thread":
			p.system[len(p.system)-1].set(name, text)
		}
	}
	return nil
}

func (m *cubeMetric) set(field, text string) {
	switch field {
	case "uniq_name":
		m.name = clip(text, maxFileName)
	case "dtype":
		m.dtype = clip(text, maxFileName)
	case "uom":
		m.uom = clip(text, maxFileName)
	}
}

func (r *cubeRegion) set(field, text string) {
	switch field {
	case "name":
		r.name = clip(text, maxRegionName)
	case "mangled_name":
		r.mangled = clip(text, maxRegionName)
	case "paradigm":
		r.paradigm = text
	case "role":
		r.role = text
	}
}

func (s *cubeSystem) set(field, text string) {
	switch field {
	case "name":
		s.name = clip(text, maxFileName)
	case "class":
		s.class = text
	case "rank":
		s.rank = text
	case "type":
		s.kind = text
	}
}

// location adds the innermost open system element as a location.
func (p *cubeParser) location() {
	self := p.system[len(p.system)-1]
	location := cubeLocation{id: self.id, cpu: self.kind == "thread" || self.element == "thread", skip: self.kind == "metric"}
	location.unit.Thread = self.number()
	found := false
	for i := len(p.system) - 2; i >= 0; i-- {
		switch s := p.system[i]; s.element {
		case "process", "locationgroup":
			if !found {
				location.unit.Process = s.number()
				found = true
			}
		case "node", "systemtreenode":
			if location.unit.Node == "" || s.class == "node" {
				location.unit.Node = strings.TrimPrefix(s.name, "node ")
			}
			if s.element == "node" || s.class == "node" {
				i = 0
			}
		}
	}
	p.anchor.locations = append(p.anchor.locations, location)
}

// number is the rank where one is given, else the identifier.
func (s cubeSystem) number() int {
	if n, err := strconv.Atoi(s.rank); err == nil && n >= 0 && n <= maxUnitNumber {
		return n
	}
	return min(s.id, maxUnitNumber)
}

// order brings the locations into the order of the values, by identifier,
// and gives each a unit of its own.
func (a *cubeAnchor) order() {
	slices.SortStableFunc(a.locations, func(x, y cubeLocation) int { return cmp.Compare(x.id, y.id) })
	numbers := newUnitNumbers()
	for _, cpu := range []bool{true, false} {
		for i := range a.locations {
			if a.locations[i].cpu == cpu {
				a.locations[i].unit = numbers.claim(a.locations[i].unit)
			}
		}
	}
}
