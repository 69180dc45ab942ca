package chrome

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"

	"auspex/ingest/input"
	"auspex/internal/jsonscan"
)

// event is an event as it stands in the file; its slices are used again.
type event struct {
	phase          byte
	name, category []byte
	pid, tid       []byte
	start, length  int64 // nanoseconds
	hasStart       bool
	label          []byte // args.name or args.labels, of metadata
}

// readEvent reads the event that was begun.
func (t *trace) readEvent() error {
	e := &t.event
	*e = event{name: e.name[:0], category: e.category[:0], pid: e.pid[:0], tid: e.tid[:0], label: e.label[:0]}
	for {
		kind, err := t.s.Next()
		if err != nil {
			return err
		}
		if kind == jsonscan.ObjectEnd {
			return t.useEvent()
		}
		if err := t.readEventField(e); err != nil {
			return err
		}
	}
}

func (t *trace) readEventField(e *event) error {
	var text *[]byte
	var number *int64
	switch key := t.s.Bytes(); string(key) {
	case "ph":
		kind, err := t.s.Next()
		if err == nil && kind == jsonscan.String && len(t.s.Bytes()) == 1 {
			e.phase = t.s.Bytes()[0]
			return nil
		}
		return input.ErrorOr(err, "the phase (ph) of an event must be one letter")
	case "name":
		text = &e.name
	case "cat":
		text = &e.category
	case "pid":
		text = &e.pid
	case "tid":
		text = &e.tid
	case "ts":
		number = &e.start
		e.hasStart = true
	case "dur":
		number = &e.length
	case "args":
		if e.phase == 'M' {
			return t.readLabel(e)
		}
		return t.s.Skip()
	default:
		return t.s.Skip()
	}
	kind, err := t.s.Next()
	if err != nil {
		return err
	}
	switch {
	case text != nil && (kind == jsonscan.String || kind == jsonscan.Number):
		*text = append((*text)[:0], t.s.Bytes()...)
	case number != nil && (kind == jsonscan.String || kind == jsonscan.Number):
		if *number, err = nanoseconds(t.s.Bytes()); err != nil {
			return err
		}
	}
	return t.s.Skip()
}

// readLabel reads the arguments of metadata.
func (t *trace) readLabel(e *event) error {
	kind, err := t.s.Next()
	if err != nil {
		return err
	}
	if kind != jsonscan.ObjectStart {
		return t.s.Skip()
	}
	return t.eachKey(func(key string) error {
		kind, err := t.s.Next()
		if err != nil {
			return err
		}
		if kind == jsonscan.String && (key == "name" || key == "labels") {
			e.label = append(e.label[:0], t.s.Bytes()...)
		}
		return t.s.Skip()
	})
}

// nanoseconds reads a time in microseconds, the only unit that traces use,
// to the nanosecond; a float64 of an epoch would be a quarter of one off.
func nanoseconds(text []byte) (int64, error) {
	digits, negative := bytes.CutPrefix(text, []byte("-"))
	var whole int64
	i := 0
	for ; i < len(digits) && digits[i] >= '0' && digits[i] <= '9' && i < 16; i++ {
		whole = whole*10 + int64(digits[i]-'0')
	}
	thousandths := int64(0)
	if i < len(digits) && digits[i] == '.' {
		i++
		for place := int64(100); i < len(digits) && digits[i] >= '0' && digits[i] <= '9'; i++ {
			thousandths += int64(digits[i]-'0') * place
			place /= 10
		}
	}
	if i < len(digits) || len(digits) == 0 || whole > maxMicroseconds {
		v, err := strconv.ParseFloat(string(text), 64)
		if err != nil || math.Abs(v) > maxMicroseconds {
			return 0, fmt.Errorf("%q is not a time in microseconds", input.Short(text))
		}
		return int64(math.Round(v * 1e3)), nil
	}
	if negative {
		return -(whole*1000 + thousandths), nil
	}
	return whole*1000 + thousandths, nil
}

const maxMicroseconds = 4e15 // the year 2096

// useEvent does with an event what its phase asks for.
func (t *trace) useEvent() error {
	e := &t.event
	switch e.phase {
	case 'M':
		t.useMetadata(e)
		return nil
	case 'X', 'B', 'E':
	default:
		return nil // instants, counters, flows: no time is spent in them
	}
	if !e.hasStart {
		return errors.New("an event has no time (ts)")
	}
	class, ok := chromeClass(e.category)
	if !ok {
		return nil
	}
	t.isKineto = t.isKineto || class == opClass || class == kernelClass
	track, err := t.tracks.find(e.pid, e.tid)
	if err != nil {
		return err
	}
	if class == kernelClass || class == gpuAnnotationClass {
		t.tracks.list[track].gpu = true
	}
	if e.phase == 'E' {
		return t.endEvent(track, e.start)
	}
	name, err := t.names.find(class, e.name)
	if err != nil {
		return err
	}
	if e.phase == 'B' {
		return t.tracks.begin(track, name, e.start)
	}
	return t.add(traceEvent{track, name, e.start, max(e.length, 0)})
}

// endEvent ends the event that began last on the track.
func (t *trace) endEvent(track uint32, at int64) error {
	open := &t.tracks.list[track].open
	if len(*open) == 0 {
		t.unpaired++
		return nil
	}
	last := (*open)[len(*open)-1]
	*open = (*open)[:len(*open)-1]
	return t.add(traceEvent{track, last.name, last.start, max(at-last.start, 0)})
}

// add hands an event on to be sorted.
func (t *trace) add(e traceEvent) error {
	end := e.start + e.length
	if t.events.count() == 0 {
		t.first, t.last = e.start, end
	}
	t.first, t.last = min(t.first, e.start), max(t.last, end)
	return t.events.add(e)
}

// useMetadata takes the program's name from its process.
func (t *trace) useMetadata(e *event) {
	if string(e.name) == "process_name" && t.header.Program == "" && len(e.label) < input.MaxFactorValue {
		t.header.Program = string(e.label)
	}
}
