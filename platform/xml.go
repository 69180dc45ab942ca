package platform

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// element says which attributes an element may carry. What it refuses is part
// of SimGrid's format but not of what we simulate.
type element struct {
	required, optional, refused string // attribute names, space separated
}

// grammar lists the elements we understand. AS, ASroute and bypassASroute are
// the older names of zone, zoneRoute and bypassZoneRoute.
var grammar = map[string]element{
	"platform":        {required: "version"},
	"config":          {optional: "id"},
	"prop":            {required: "id value"},
	"zone":            {required: "id routing"},
	"host":            {required: "id speed", optional: "core pstate availability_file speed_file state_file", refused: "coordinates"},
	"peer":            {required: "id speed bw_in bw_out coordinates", optional: "lat availability_file speed_file state_file"},
	"trace":           {required: "id", optional: "file periodicity"},
	"trace_connect":   {required: "trace element", optional: "kind"},
	"router":          {required: "id", refused: "coordinates"},
	"link":            {required: "id bandwidth", optional: "latency sharing_policy bandwidth_file latency_file state_file"},
	"backbone":        {required: "id bandwidth latency"},
	"host_link":       {required: "id up down"},
	"cluster":         {required: "id prefix suffix radical speed bw lat", optional: "core sharing_policy bb_bw bb_lat bb_sharing_policy limiter_link loopback_bw loopback_lat topology topo_parameters router_id"},
	"cabinet":         {required: "id prefix suffix radical speed bw lat"},
	"route":           {required: "src dst", optional: "symmetrical"},
	"zoneRoute":       {required: "src dst gw_src gw_dst", optional: "symmetrical"},
	"bypassRoute":     {required: "src dst"},
	"bypassZoneRoute": {required: "src dst gw_src gw_dst"},
	"link_ctn":        {required: "id", optional: "direction"},
}

var olderNames = map[string]string{"AS": "zone", "ASroute": "zoneRoute", "bypassASroute": "bypassZoneRoute"}

// unsupported lists elements of SimGrid's format that we refuse, with the reason.
var unsupported = map[string]string{
	"disk":         "disks are not simulated",
	"storage":      "disks are not simulated",
	"storage_type": "disks are not simulated",
	"mount":        "disks are not simulated",
	"model_prop":   "disks are not simulated",
	"actor":        "what runs on the platform comes from the traces",
	"process":      "what runs on the platform comes from the traces",
	"argument":     "what runs on the platform comes from the traces",
	"include":      "put the included file's text here",
	"random":       "random generators are not part of a fixed platform",
}

// tag is one start tag with its attributes checked against the grammar.
type tag struct {
	name string
	line int
	attr map[string]string
}

// xmlReader walks through the elements of a platform file.
type xmlReader struct {
	dec  *xml.Decoder
	file string
	b    *builder

	hostLinks []tag // of the zone being read, until it is complete
	traces    map[string]profileText
	connected []tag // <trace_connect>s, until all they name is known
}

func readXML(name string, r io.Reader, b *builder) (*Platform, error) {
	x := &xmlReader{dec: xml.NewDecoder(r), file: name, b: b}
	x.dec.CharsetReader = func(charset string, _ io.Reader) (io.Reader, error) {
		return nil, fmt.Errorf("the encoding %q is not supported: convert the file to UTF-8", charset)
	}
	root, ok, err := x.next()
	switch {
	case err != nil:
		return nil, err
	case !ok || root.name != "platform":
		return nil, x.fail(max(root.line, 1), "a platform file starts with <platform version=\"4.1\">")
	}
	if err := x.platform(root); err != nil {
		return nil, err
	}
	if extra, ok, err := x.next(); err != nil {
		return nil, err
	} else if ok {
		return nil, x.fail(extra.line, "<%s> follows the end of the platform", extra.name)
	}
	if err := x.connect(); err != nil {
		return nil, err
	}
	p, err := x.b.finish()
	if err != nil {
		return nil, x.fail(root.line, "%v", err)
	}
	return p, nil
}

// fail makes an error of a place in the file.
func (x *xmlReader) fail(line int, format string, args ...any) error {
	return newError(x.file, line, format, args...)
}

// warn notes something that was understood but looks like a mistake. Few files
// need more than a handful; the rest of a flood is dropped.
func (x *xmlReader) warn(line int, format string, args ...any) {
	if len(x.b.p.warnings) < maxWarnings {
		x.b.p.warnings = append(x.b.p.warnings, x.fail(line, format, args...).Error())
	}
}

const maxWarnings = 50

func (x *xmlReader) line() int {
	line, _ := x.dec.InputPos()
	return line
}

// next reads up to the next start tag; ok is false at the end tag of the
// element around it, or at the end of the file.
func (x *xmlReader) next() (t tag, ok bool, err error) {
	for {
		line := x.line()
		token, err := x.dec.Token()
		if err == io.EOF {
			return tag{line: line}, false, nil
		}
		if err != nil {
			return tag{}, false, x.xmlError(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			t, err := x.check(token, line)
			return t, err == nil, err
		case xml.EndElement:
			return tag{line: line}, false, nil
		case xml.Directive:
			if bytes.ContainsAny(token, "[<") {
				return tag{}, false, x.fail(line, "a DOCTYPE with declarations of its own is refused: remove what is between [ and ]")
			}
		case xml.CharData:
			if text := bytes.TrimSpace(token); len(text) > 0 {
				return tag{}, false, x.fail(line, "text outside a tag: %.40q", text)
			}
		}
	}
}

// xmlError puts the decoder's errors into our form, with the line.
func (x *xmlReader) xmlError(err error) error {
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		return x.fail(syntax.Line, "not well-formed XML: %s", syntax.Msg)
	}
	return x.fail(x.line(), "%v", err)
}

// check holds a start tag against the grammar.
func (x *xmlReader) check(e xml.StartElement, line int) (tag, error) {
	t := tag{name: e.Name.Local, line: line, attr: make(map[string]string, len(e.Attr))}
	if newer, ok := olderNames[t.name]; ok {
		t.name = newer
	}
	spec, ok := grammar[t.name]
	if !ok || e.Name.Space != "" {
		if why, known := unsupported[t.name]; known {
			return t, x.fail(line, "<%s> is not supported: %s", t.name, why)
		}
		return t, x.fail(line, "unknown element <%s>", t.name)
	}
	for _, a := range e.Attr {
		name := a.Name.Local
		switch {
		case a.Name.Space != "" || !has(spec.required, name) && !has(spec.optional, name) && !has(spec.refused, name):
			return t, x.fail(line, "<%s> has no attribute %q", t.name, name)
		case has(spec.refused, name) && a.Value != "":
			return t, x.fail(line, "<%s>: the attribute %q is not supported", t.name, name)
		}
		if _, dup := t.attr[name]; dup {
			return t, x.fail(line, "<%s> gives %q twice", t.name, name)
		}
		t.attr[name] = a.Value
	}
	for name := range strings.FieldsSeq(spec.required) {
		if _, ok := t.attr[name]; !ok {
			return t, x.fail(line, "<%s> lacks the attribute %q", t.name, name)
		}
	}
	return t, nil
}

// has reports whether a space separated list holds a word.
func has(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}
