package cube

import (
	"bufio"
	"cmp"
	"context"
	"encoding/xml"
	"io"
	"slices"
	"strconv"
	"strings"

	"auspex/ingest/input"
	"auspex/model"
)

// anchor is what anchor.xml describes.
type anchor struct {
	attributes []attribute
	metrics    []metric
	regions    map[int]region
	nodes      []cubeNode     // of the call tree, depth first
	locations  []cubeLocation // in the order of the values
	severity   map[int]*rows
}

type attribute struct{ key, value string }

// metric is one <metric>.
type metric struct {
	id        int
	kind      string // EXCLUSIVE, INCLUSIVE, SIMPLE, …DERIVED…
	hidden    bool
	name, uom string
	dtype     string
}

func (m *metric) file(ending string) string { return strconv.Itoa(m.id) + ending }

// region is one <region>: a function, loop or construct of the source.
type region struct {
	name, mangled, paradigm, role, file string
	begin                               int
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

// system is an open element of the <system> section.
type system struct {
	element, name, class, rank, kind string
	id                               int
}

type parser struct {
	in      *input.XML
	anchor  *anchor
	text    []byte
	metrics []int // open metrics
	region  region
	id      int   // of the open region
	nodes   []int // open call paths
	system  []system
	byID    map[int]int // index of the node with this number, for CUBE 3
	rows    *rows
	row     int
}

func parseAnchor(ctx context.Context, r *bufio.Reader, name string) (*anchor, error) {
	p := &parser{
		in:     input.NewXML(ctx, r, name),
		anchor: &anchor{regions: map[int]region{}, severity: map[int]*rows{}},
		byID:   map[int]int{},
	}
	known := false
	for {
		token, err := p.in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if !known && t.Name.Local != "cube" {
				return nil, p.in.Errorf("starts with <%s>: no Cube profile", t.Name.Local)
			}
			known = true
			p.text = p.text[:0]
			err = p.start(t)
		case xml.CharData:
			if len(p.text)+len(t) > input.MaxXMLToken {
				return nil, p.in.Errorf("a text of more than %d MiB", input.MaxXMLToken>>20)
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

func (p *parser) start(t xml.StartElement) error {
	a := p.anchor
	switch name := t.Name.Local; name {
	case "cube":
		if v := input.Attribute(t, "version"); !strings.HasPrefix(v, "3") && !strings.HasPrefix(v, "4") {
			return p.in.Errorf("is version %q of the Cube format; versions 3 and 4 can be read", v)
		}
	case "attr":
		if len(p.in.Open) == 2 {
			a.attributes = append(a.attributes, attribute{input.Attribute(t, "key"), input.Attribute(t, "value")})
		}
	case "metric":
		id, err := p.number(t, "id")
		if err != nil {
			return err
		}
		p.metrics = append(p.metrics, len(a.metrics))
		a.metrics = append(a.metrics, metric{id: id, kind: input.Attribute(t, "type"), hidden: input.Attribute(t, "viztype") == "GHOST"})
	case "region":
		id, err := p.number(t, "id")
		if err != nil {
			return err
		}
		begin, _ := strconv.Atoi(input.Attribute(t, "begin"))
		p.id, p.region = id, region{file: input.Attribute(t, "mod"), begin: begin}
	case "cnode":
		return p.node(t)
	case "parameter":
		if last := len(p.nodes) - 1; last >= 0 {
			node := &a.nodes[p.nodes[last]]
			node.parameters = input.Clip(node.parameters+" ("+input.Attribute(t, "parkey")+"="+input.Attribute(t, "parvalue")+")", input.MaxFileName)
		}
	case "systemtreenode", "machine", "node", "locationgroup", "process", "location", "thread":
		id, err := p.number(t, "Id")
		if err != nil {
			return err
		}
		p.system = append(p.system, system{element: name, id: id, class: input.Attribute(t, "class")})
	case "matrix", "row":
		return p.startValues(t)
	}
	return nil
}

// number reads an attribute that numbers things; some writers spell Id with a
// capital.
func (p *parser) number(t xml.StartElement, name string) (int, error) {
	text := input.Attribute(t, name)
	if text == "" {
		text = input.Attribute(t, strings.ToLower(name))
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, p.in.Errorf("<%s> has no number (%s=%q)", t.Name.Local, name, text)
	}
	return n, nil
}

func (p *parser) node(t xml.StartElement) error {
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
	if node.depth > input.MaxRegionDepth {
		return p.in.Errorf("call paths of more than %d regions", input.MaxRegionDepth)
	}
	p.byID[id] = len(p.anchor.nodes)
	p.nodes = append(p.nodes, len(p.anchor.nodes))
	p.anchor.nodes = append(p.anchor.nodes, node)
	return nil
}

// end closes an element; what it held is in p.text.
func (p *parser) end(name string) error {
	around := ""
	if last := len(p.in.Open) - 1; last >= 0 {
		around = p.in.Open[last]
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

func (m *metric) set(field, text string) {
	switch field {
	case "uniq_name":
		m.name = input.Clip(text, input.MaxFileName)
	case "dtype":
		m.dtype = input.Clip(text, input.MaxFileName)
	case "uom":
		m.uom = input.Clip(text, input.MaxFileName)
	}
}

func (r *region) set(field, text string) {
	switch field {
	case "name":
		r.name = input.Clip(text, input.MaxRegionName)
	case "mangled_name":
		r.mangled = input.Clip(text, input.MaxRegionName)
	case "paradigm":
		r.paradigm = text
	case "role":
		r.role = text
	}
}

func (s *system) set(field, text string) {
	switch field {
	case "name":
		s.name = input.Clip(text, input.MaxFileName)
	case "class":
		s.class = text
	case "rank":
		s.rank = text
	case "type":
		s.kind = text
	}
}

// location adds the innermost open system element as a location.
func (p *parser) location() {
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
func (s system) number() int {
	if n, err := strconv.Atoi(s.rank); err == nil && n >= 0 && n <= input.MaxUnitNumber {
		return n
	}
	return min(s.id, input.MaxUnitNumber)
}

// order brings the locations into the order of the values, by identifier,
// and gives each a unit of its own.
func (a *anchor) order() {
	slices.SortStableFunc(a.locations, func(x, y cubeLocation) int { return cmp.Compare(x.id, y.id) })
	numbers := input.NewUnitNumbers()
	for _, cpu := range []bool{true, false} {
		for i := range a.locations {
			if a.locations[i].cpu == cpu {
				a.locations[i].unit = numbers.Claim(a.locations[i].unit)
			}
		}
	}
}
