// Package traceevent reads the JSON of trace events that Chrome defined and
// PyTorch's profiler (Kineto) writes too. It streams: package chrome makes
// profiles of the events, package kineto keeps every interval and its links.
package traceevent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"

	"auspex/internal/jsonscan"
	"auspex/internal/lazyregexp"
	"auspex/internal/mistake"
)

// Reading says what is to be done with a trace. Functions that are nil are not
// called.
type Reading struct {
	// Links asks for the arguments of events.
	Links bool
	// Inputs tells whose inputs are asked for too, how many elements of which
	// type: most operators have many, and nobody asks for them.
	Inputs func(name []byte) bool
	Event  func(*Event) error
	// Section is told every key beside the events, Value every text and
	// number there: in section "" those of the trace itself, in
	// "distributedInfo" those about the job.
	Section func(key string)
	Value   func(section, key, text string)
	// Device is told the name of each accelerator.
	Device func(name string)
	// Open is told that the list of events has no end.
	Open func()
	// Done is told that all was read.
	Done func()
}

// And makes one reading of two: each is told everything, and the first error
// ends both.
func (r Reading) And(other Reading) Reading {
	return Reading{
		Links: r.Links || other.Links,
		Inputs: func(name []byte) bool {
			return r.Inputs != nil && r.Inputs(name) || other.Inputs != nil && other.Inputs(name)
		},
		Event: func(e *Event) error {
			if err := r.Event(e); err != nil {
				return err
			}
			return other.Event(e)
		},
		Section: func(key string) {
			call(r.Section, key)
			call(other.Section, key)
		},
		Value: func(section, key, text string) {
			for _, value := range []func(section, key, text string){r.Value, other.Value} {
				if value != nil {
					value(section, key, text)
				}
			}
		},
		Device: func(name string) {
			call(r.Device, name)
			call(other.Device, name)
		},
		Open: func() {
			run(r.Open)
			run(other.Open)
		},
		Done: func() {
			run(r.Done)
			run(other.Done)
		},
	}
}

func call(f func(string), text string) {
	if f != nil {
		f(text)
	}
}

func run(f func()) {
	if f != nil {
		f()
	}
}

// Read reads a trace to its end; the name is used in errors. A list of events
// alone may have none, even within an event: tools append to it until the program
// ends, however it ends.
func Read(ctx context.Context, name string, in io.Reader, what Reading) error {
	r := &reader{Reading: what, ctx: ctx, decoder: decoder{s: jsonscan.New(in)}}
	err := r.read()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: the trace was cut short, or is still being written: copy it again, or wait for the profiler to close it", err)
	}
	if err != nil {
		offset := r.s.Offset()
		if at := new(atOffset); errors.As(err, &at) {
			offset = at.offset
		}
		return mistake.AtByte(name, offset, "%w", err)
	}
	run(r.Done)
	return nil
}

type reader struct {
	Reading
	decoder
	ctx context.Context
}

func (r *reader) read() error {
	kind, err := r.s.Next()
	if err != nil {
		return err
	}
	switch kind {
	case jsonscan.ArrayStart:
		if err = r.eachEvent(); errors.Is(err, io.ErrUnexpectedEOF) {
			run(r.Open)
			return nil
		}
		return err
	case jsonscan.ObjectStart:
		return r.eachKey(r.readSection)
	}
	return errors.New("not a trace: neither an object nor an array of events")
}

// eachKey calls do for every key of the object that was begun; do reads the
// value.
func (r *reader) eachKey(do func(key []byte) error) error {
	for {
		kind, err := r.s.Next()
		if err != nil {
			return err
		}
		if kind == jsonscan.ObjectEnd {
			return nil
		}
		if err := do(r.s.Bytes()); err != nil {
			return err
		}
	}
}

const distributed = "distributedInfo"

// readSection reads the value of a key beside the events.
func (r *reader) readSection(text []byte) error {
	key := string(text)
	if r.Section != nil {
		r.Section(key)
	}
	kind, err := r.s.Next()
	if err != nil {
		return err
	}
	switch {
	case key == "traceEvents" && kind == jsonscan.ArrayStart:
		return r.eachEvent()
	case key == "traceEvents":
		return errors.New("traceEvents must be an array")
	case key == distributed && kind == jsonscan.ObjectStart:
		return r.eachKey(func(key []byte) error {
			name := string(key)
			kind, err := r.s.Next()
			if err != nil {
				return err
			}
			return r.value(distributed, name, kind)
		})
	case key == "deviceProperties" && kind == jsonscan.ArrayStart:
		return r.readDevices()
	}
	return r.value("", key, kind)
}

// maxText is the longest text that is handed on.
const maxText = 4096

func (r *reader) value(section, key string, kind jsonscan.Kind) error {
	if (kind == jsonscan.String || kind == jsonscan.Number) && r.Value != nil && len(r.s.Bytes()) <= maxText {
		r.Value(section, key, string(r.s.Bytes()))
	}
	return r.s.Skip()
}

func (r *reader) readDevices() error {
	for {
		kind, err := r.s.Next()
		if err != nil {
			return err
		}
		if kind == jsonscan.ArrayEnd {
			return nil
		}
		if kind != jsonscan.ObjectStart {
			return errors.New("deviceProperties must be objects")
		}
		var name []byte
		r.kept = r.kept[:0]
		err = r.eachKey(func(key []byte) error {
			if string(key) != "name" {
				return r.s.Skip()
			}
			return r.into(&name)
		})
		if err != nil {
			return err
		}
		if r.Device != nil && len(name) <= maxText {
			r.Device(string(name))
		}
	}
}

var (
	rankInName   = lazyregexp.New(`(?i)rank[-_.]?(\d{1,7})`)
	numberAsName = lazyregexp.New(`^(\d{1,5})\.`) // 3.json, 3.pt.trace.json.gz
)

// RankInName is the rank that a file's name tells, -1 where it tells none.
func RankInName(file string) int {
	name := path.Base(file)
	m := rankInName.FindStringSubmatch(name)
	if m == nil {
		m = numberAsName.FindStringSubmatch(name)
	}
	if m == nil {
		return -1
	}
	rank, _ := strconv.Atoi(m[1])
	return rank
}

// Rank is a rank or a number of ranks as text, -1 where it is none.
func Rank(text string) int {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n < 1<<30 {
		return n
	}
	return -1
}
