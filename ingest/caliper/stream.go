package caliper

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"auspex/ingest/input"
	"auspex/internal/mistake"
	"auspex/model"
)

// isCali recognises a Caliper stream: every line is a record.
func isCali(_ string, head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, "\r\n"), []byte("__rec="))
}

func readCali(ctx context.Context, src *input.Source) (*model.Experiment, error) {
	in, err := src.Open(src.Path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return readCaliStream(ctx, src.Given, in)
}

// maxCaliLine bounds a line of a stream.
const maxCaliLine = 4 << 20

// readCaliStream reads a Caliper stream. Its lines are of three kinds: nodes
// of a tree of attributes and values, records (ctx) that refer to nodes and
// give values, and globals, which describe the run.
func readCaliStream(ctx context.Context, name string, r io.Reader) (*model.Experiment, error) {
	stream := &caliStream{tree: newCaliTree(), profile: newProfile(), noted: map[int32]bool{}}
	last := &lastByte{Reader: r}
	lines := bufio.NewScanner(last)
	lines.Buffer(make([]byte, 64<<10), maxCaliLine)
	line := 0
	for lines.Scan() {
		line++
		if line%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := stream.readLine(lines.Bytes()); err != nil {
			return nil, mistake.AtLine(name, line, "%w", err)
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("a line longer than %d bytes", maxCaliLine)
		}
		return nil, mistake.AtLine(name, line+1, "%w", err)
	}
	stream.profile.cut = last.byte != '\n'
	e, err := stream.profile.finish()
	if err != nil {
		return nil, mistake.InFile(name, "%w", err)
	}
	return e, nil
}

// lastByte keeps the last byte that was read: Caliper ends every line.
type lastByte struct {
	io.Reader
	byte
}

func (l *lastByte) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if n > 0 {
		l.byte = p[n-1]
	}
	return n, err
}

// caliStream is a stream being read.
type caliStream struct {
	tree    *caliTree
	profile *caliperProfile

	record caliRecord
	noted  map[int32]bool // attributes met that are not kept
}

// caliRecord is a line taken apart; its slices are used again.
type caliRecord struct {
	kind   string
	id     uint64
	parent uint64
	has    struct{ id, attr, parent bool }
	refs   []uint64
	attrs  []uint64
	data   []string
}

func (s *caliStream) readLine(line []byte) error {
	line = bytes.TrimRight(line, "\r")
	if len(line) == 0 {
		return nil
	}
	if err := s.record.parse(line); err != nil {
		return err
	}
	switch s.record.kind {
	case "node":
		return s.readNode()
	case "ctx":
		return s.readRecord()
	case "globals":
		return s.readGlobals()
	case "":
		return errors.New("not a record: it does not start with __rec=")
	}
	return fmt.Errorf("unknown kind of record %q", s.record.kind)
}

// parse takes a line apart: key=value,key=value=value, where a backslash
// takes the meaning from the character after it.
func (r *caliRecord) parse(line []byte) error {
	*r = caliRecord{refs: r.refs[:0], attrs: r.attrs[:0], data: r.data[:0]}
	for len(line) > 0 {
		key, rest, ok := bytes.Cut(line, []byte("="))
		if !ok {
			return fmt.Errorf("%q has no value", input.Short(line))
		}
		line = rest
		for more := true; more; {
			var value string
			value, line, more = caliWord(line)
			if err := r.set(string(key), value); err != nil {
				return err
			}
		}
	}
	return nil
}

// caliWord reads one value and tells whether another of the same key follows.
func caliWord(line []byte) (value string, rest []byte, more bool) {
	i := bytes.IndexAny(line, `,=\`)
	if i < 0 {
		return string(line), nil, false
	}
	if line[i] != '\\' {
		return string(line[:i]), line[i+1:], line[i] == '='
	}
	word := append([]byte(nil), line[:i]...)
	for ; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			i++
			if line[i] == 'n' {
				word = append(word, '\n')
			} else {
				word = append(word, line[i])
			}
		case c == ',' || c == '=':
			return string(word), line[i+1:], c == '='
		default:
			word = append(word, c)
		}
	}
	return string(word), nil, false
}

func (r *caliRecord) set(key, value string) error {
	if key == "__rec" {
		r.kind = value
		return nil
	}
	if key == "data" {
		r.data = append(r.data, value)
		return nil
	}
	n, err := strconv.ParseUint(value, 10, 64)
	switch key {
	case "id":
		r.id, r.has.id = n, true
	case "parent":
		r.parent, r.has.parent = n, true
	case "attr":
		r.attrs, r.has.attr = append(r.attrs, n), true
	case "ref":
		r.refs = append(r.refs, n)
	default:
		return nil // keys of later versions
	}
	if err != nil {
		return fmt.Errorf("%s=%q is not a number", key, input.Short([]byte(value)))
	}
	return nil
}

func (s *caliStream) readNode() error {
	r := &s.record
	if !r.has.id || len(r.attrs) != 1 || len(r.data) != 1 {
		return errors.New("a node needs an id, an attribute and a value")
	}
	return s.tree.add(r.id, r.attrs[0], r.data[0], r.parent, r.has.parent)
}

// readRecord adds the values of a record.
func (s *caliStream) readRecord() error {
	r := &s.record
	if len(r.attrs) != len(r.data) {
		return fmt.Errorf("%d attributes and %d values", len(r.attrs), len(r.data))
	}
	unit := caliperUnit{rank: -1}
	region := model.NoParent
	for i := len(r.refs) - 1; i >= 0; i-- { // the last reference is the outermost
		node, ok := s.tree.find(r.refs[i])
		if !ok {
			return fmt.Errorf("the node %d is not known", r.refs[i])
		}
		region = s.regionBelow(node, region)
		s.readKeys(node, &unit)
	}
	for i, id := range r.attrs {
		attribute, ok := s.tree.attribute(id)
		if !ok {
			return fmt.Errorf("the attribute %d is not known", id)
		}
		unit.set(attribute.name, r.data[i])
		if attribute.iteration {
			s.profile.sumOver(attribute.name)
		}
		if isFrame(attribute.name) && r.data[i] != "" {
			region = s.profile.region(r.data[i], kind(attribute.name, r.data[i]), region)
		}
	}
	if region == model.NoParent {
		region = s.profile.outside()
	}
	at := s.profile.row(unit, region)
	for i, id := range r.attrs {
		attribute, _ := s.tree.attribute(id)
		if attribute.hidden || attribute.isText || isKey(attribute.name) || isFrame(attribute.name) {
			continue
		}
		if v, err := strconv.ParseFloat(r.data[i], 64); err == nil {
			s.profile.add(at, s.profile.column(attribute.name, attribute.unit), v)
		}
	}
	return nil
}

// isKey tells whether an attribute names a unit, an iteration or a
// place in time, and so is no measure.
func isKey(name string) bool {
	var unit caliperUnit
	if isIteration(name) {
		return true
	}
	switch name {
	case "time.offset", "time.offset.ns", "time.timestamp", "cali.event.attr.level", "cali.snapshot.event.begin", "cali.snapshot.event.end":
		return true
	}
	return unit.set(name, "0")
}

// readGlobals notes what describes the run: the values along the paths of
// the nodes referred to, and the values given directly.
func (s *caliStream) readGlobals() error {
	r := &s.record
	if len(r.attrs) != len(r.data) {
		return fmt.Errorf("%d attributes and %d values", len(r.attrs), len(r.data))
	}
	note := func(a *caliAttribute, value string) {
		if !a.hidden {
			s.profile.globals = append(s.profile.globals, model.Factor{Name: a.name, Word: value})
		}
	}
	for _, id := range r.refs {
		node, ok := s.tree.find(id)
		if !ok {
			return fmt.Errorf("the node %d is not known", id)
		}
		for ; node >= 0; node = s.tree.nodes[node].parent {
			if a := s.tree.attributeOf(node); a != nil {
				note(a, s.tree.nodes[node].data)
			}
		}
	}
	for i, id := range r.attrs {
		if a, ok := s.tree.attribute(id); ok {
			note(a, r.data[i])
		}
	}
	return nil
}
