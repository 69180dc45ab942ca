package longtable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"auspex/internal/jsonscan"
	"auspex/internal/mistake"
	"auspex/model"
)

// IsJSONL tells from a file's first bytes whether it is a long table in JSON
// lines: its first object starts with the key "auspex" or holds the columns
// of a table.
func IsJSONL(head []byte) bool {
	s := jsonscan.New(bytes.NewReader(head))
	if kind, err := s.Next(); err != nil || kind != jsonscan.ObjectStart {
		return false
	}
	var names []string
	for {
		kind, err := s.Next()
		if err != nil || kind != jsonscan.Key {
			break
		}
		if len(names) == 0 && string(s.Bytes()) == "auspex" {
			return true
		}
		names = append(names, string(s.Bytes()))
		if s.Skip() != nil {
			break
		}
	}
	_, err := newLayout(names)
	return err == nil
}

// ReadJSONL reads a long table in JSON lines. The name is used in errors.
func ReadJSONL(ctx context.Context, name string, r io.Reader, options Options) (*model.Experiment, error) {
	t := &jsonTable{assembler: newAssembler(options), s: jsonscan.New(withoutMark(r))}
	if err := t.read(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, mistake.AtLine(name, t.s.Line(), "%w", err)
	}
	if len(t.ignored) > 0 {
		t.header.Notes = append(t.header.Notes, "keys not read: "+strings.Join(t.ignored, ", "))
	}
	e, err := t.finish(ctx, t.deviations, t.counts)
	if err != nil {
		return nil, mistake.InFile(name, "%w", err)
	}
	return e, nil
}

// jsonTable is a table being read.
type jsonTable struct {
	*assembler
	s                  *jsonscan.Scanner
	ignored            []string
	known              map[string]column // names met so far, as written
	deviations, counts bool
}

// jsonLine is what one object said.
type jsonLine struct {
	has                    [columnCount]bool
	node, kind, file, unit []byte
	region, metric         []byte
	process, thread, line  float64
	value, deviation       float64
	count                  float64
}

func (t *jsonTable) read(ctx context.Context) error {
	t.known = map[string]column{}
	var l jsonLine
	for n := 0; ; n++ {
		kind, err := t.s.Next()
		if err != nil {
			return err
		}
		switch kind {
		case jsonscan.End:
			return nil
		case jsonscan.ObjectStart:
		default:
			return errors.New("every line must be a JSON object")
		}
		if err := t.readObject(&l); err != nil {
			return err
		}
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// readObject reads one object: the head where its first key is "auspex", a
// line of the table otherwise.
func (t *jsonTable) readObject(l *jsonLine) error {
	l.has = [columnCount]bool{}
	l.process, l.thread, l.line = 0, 0, 0
	for first := true; ; first = false {
		kind, err := t.s.Next()
		if err != nil {
			return err
		}
		if kind == jsonscan.ObjectEnd {
			return t.readLine(l)
		}
		if first && string(t.s.Bytes()) == "auspex" {
			return t.readHead()
		}
		if err := t.readField(l); err != nil {
			return err
		}
	}
}

// maxIgnored bounds the keys that the note lists.
const maxIgnored = 20

// readField reads the value of the key just met.
func (t *jsonTable) readField(l *jsonLine) error {
	c, ok := t.known[string(t.s.Bytes())]
	if !ok {
		name := string(t.s.Bytes())
		if c, ok = columnNamed(name); !ok {
			if len(t.ignored) == maxIgnored {
				return t.s.Skip()
			}
			t.ignored = append(t.ignored, name)
			c = columnCount
		}
		t.known[name] = c
	}
	if c == columnCount {
		return t.s.Skip()
	}
	if l.has[c] {
		return fmt.Errorf("the %s is given twice", c)
	}
	l.has[c] = true
	kind, err := t.s.Next()
	if err != nil {
		return err
	}
	if text := l.text(c); text != nil {
		switch kind {
		case jsonscan.String, jsonscan.Number:
			*text = append((*text)[:0], t.s.Bytes()...)
		case jsonscan.Null:
			*text = (*text)[:0]
		default:
			return fmt.Errorf("the %s must be a string", c)
		}
		return nil
	}
	return t.readNumber(l, c, kind)
}

func (t *jsonTable) readNumber(l *jsonLine, c column, kind jsonscan.Kind) error {
	var v float64
	switch kind {
	case jsonscan.Number, jsonscan.String:
		var err error
		if v, err = number(t.s.Bytes()); err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
	case jsonscan.Null:
		v = math.NaN()
	default:
		return fmt.Errorf("the %s must be a number", c)
	}
	switch c {
	case colDeviation:
		t.deviations = true
	case colCount:
		t.counts = true
	case colProcess, colThread, colLine:
		if v != v {
			v = 0
		}
		if v != math.Trunc(v) || v < 0 || v > maxNumber {
			return fmt.Errorf("%s %v is not a whole number from 0", c, v)
		}
	}
	*l.number(c) = v
	return nil
}

// text and number say where the value of a column goes.
func (l *jsonLine) text(c column) *[]byte {
	switch c {
	case colNode:
		return &l.node
	case colRegion:
		return &l.region
	case colMetric:
		return &l.metric
	case colKind:
		return &l.kind
	case colFile:
		return &l.file
	case colUnit:
		return &l.unit
	}
	return nil
}

func (l *jsonLine) number(c column) *float64 {
	switch c {
	case colProcess:
		return &l.process
	case colThread:
		return &l.thread
	case colLine:
		return &l.line
	case colDeviation:
		return &l.deviation
	case colCount:
		return &l.count
	}
	return &l.value
}

// readLine adds a line of the table.
func (t *jsonTable) readLine(l *jsonLine) error {
	for _, c := range []column{colRegion, colMetric, colValue} {
		if !l.has[c] {
			return fmt.Errorf("there is no key %q in this line", c)
		}
	}
	u := model.Unit{Process: int(l.process), Thread: int(l.thread)}
	if l.has[colNode] {
		u.Node = string(l.node)
	}
	unit, err := t.unit(u)
	if err != nil {
		return err
	}
	region, err := t.region(l.region)
	if err != nil {
		return err
	}
	if l.has[colKind] || l.has[colFile] {
		var kind, file []byte
		if l.has[colKind] {
			kind = l.kind
		}
		if l.has[colFile] {
			file = l.file
		}
		t.describeRegion(region, model.Kind(kind), string(file), int(l.line))
	}
	metric, err := t.metric(l.metric)
	if err != nil {
		return err
	}
	if !l.has[colUnit] {
		l.unit = l.unit[:0]
	}
	if err := t.setUnit(metric, l.unit); err != nil {
		return err
	}
	if err := t.set(unit, region, metric, l.value); err != nil {
		return err
	}
	if l.has[colDeviation] {
		if err := t.setDeviation(unit, region, metric, l.deviation); err != nil {
			return err
		}
	}
	if l.has[colCount] && l.count == l.count {
		return t.setCount(unit, region, l.count)
	}
	return nil
}

// readHead reads the entries of the first object, whose first key was met.
func (t *jsonTable) readHead() error {
	key := "auspex"
	for {
		e, err := t.headValue(key)
		if err != nil {
			return err
		}
		if err := t.readEntry(e); err != nil {
			return err
		}
		kind, err := t.s.Next()
		if err != nil {
			return err
		}
		if kind == jsonscan.ObjectEnd {
			return nil
		}
		key = string(t.s.Bytes())
	}
}

// headValue reads the value of an entry of the head.
func (t *jsonTable) headValue(key string) (entry, error) {
	kind, err := t.s.Next()
	if err != nil {
		return entry{}, err
	}
	e := entry{key: key}
	switch kind {
	case jsonscan.ObjectStart:
		object, err := flatObject(t.s)
		if err != nil {
			return e, fmt.Errorf("%s: %w", key, err)
		}
		e.text, e.object = object, true
	case jsonscan.String:
		e.text, e.quoted = string(t.s.Bytes()), true
	case jsonscan.Number:
		e.text = string(t.s.Bytes())
	case jsonscan.Null:
	default:
		return e, fmt.Errorf("%s: neither a text, a number nor an object", key)
	}
	return e, nil
}

// flatObject reads an object without others inside and writes it out again.
func flatObject(s *jsonscan.Scanner) (string, error) {
	var b strings.Builder
	b.WriteByte('{')
	for first := true; ; first = false {
		kind, err := s.Next()
		if err != nil {
			return "", err
		}
		if kind == jsonscan.ObjectEnd {
			b.WriteByte('}')
			return b.String(), nil
		}
		if !first {
			b.WriteByte(',')
		}
		b.WriteString(quote(string(s.Bytes())) + ":")
		if kind, err = s.Next(); err != nil {
			return "", err
		}
		switch kind {
		case jsonscan.String:
			b.WriteString(quote(string(s.Bytes())))
		case jsonscan.Number:
			b.Write(s.Bytes())
		case jsonscan.Null:
			b.WriteString("null")
		default:
			return "", errors.New("only texts and numbers belong here")
		}
	}
}
