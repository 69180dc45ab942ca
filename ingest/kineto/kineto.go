// Package kineto reads the traces of PyTorch's profiler, one a rank, with every
// interval and its links kept.
//
// Package chrome reads the same files into profiles; here nothing is summed up,
// as who is late is a question of when. A trace streams through one buffer and
// becomes 32 bytes an interval, so that a gigabyte of text is about 130 MB.
package kineto

import (
	"context"
	"errors"
	"io"
	"math"
	"path"
	"regexp"
	"strconv"

	"auspex/ingest/input"
	"auspex/internal/jsonscan"
	"auspex/internal/mistake"
	"auspex/training"
)

// Limits on what one trace may hold.
const (
	maxTracks    = math.MaxUint16
	maxNames     = 1 << 22
	maxIntervals = math.MaxUint32
)

// ReadFile reads the trace in a file, gzip or plain.
func ReadFile(ctx context.Context, file string) (*training.Trace, error) {
	return ReadSource(ctx, &input.Source{Path: file, Given: file})
}

// ReadSource reads the trace of a source that input.Find found.
func ReadSource(ctx context.Context, src *input.Source) (*training.Trace, error) {
	in, err := src.Open(src.Path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return Read(ctx, src.Given, in)
}

// Read reads a trace; the name is used in errors, and for the rank where the
// trace does not tell it.
func Read(ctx context.Context, name string, r io.Reader) (*training.Trace, error) {
	p := &reader{
		ctx: ctx, s: jsonscan.New(r), names: map[string]uint32{}, tracks: map[string]uint16{}, labels: map[string]string{},
		t: &training.Trace{File: name, Rank: -1},
	}
	if err := p.read(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, mistake.AtByte(name, p.s.Offset(), "%w", err)
	}
	p.finish()
	if p.t.Len() == 0 {
		return nil, mistake.InFile(name, "no event with a duration in this trace")
	}
	return p.t, nil
}

// reader is a trace being read.
type reader struct {
	ctx    context.Context
	s      *jsonscan.Scanner
	t      *training.Trace
	names  map[string]uint32
	tracks map[string]uint16
	labels map[string]string // names of threads by process and thread

	event     event
	key       []byte
	lastTrack struct {
		key   []byte
		track uint16
	}
}

func (p *reader) read() error {
	kind, err := p.s.Next()
	if err != nil {
		return err
	}
	switch kind {
	case jsonscan.ArrayStart:
		// The closing bracket of this form may be missing.
		if err := p.readEvents(); !errors.Is(err, io.ErrUnexpectedEOF) || p.s.Depth() != 1 {
			return err
		}
		p.t.Notes = append(p.t.Notes, "the list of events is not closed: the trace may have been cut short")
		return nil
	case jsonscan.ObjectStart:
		return p.eachKey(p.readSection)
	}
	return errors.New("not a trace: neither an object nor an array of events")
}

// eachKey calls do for every key of the object that was begun; do reads the
// value.
func (p *reader) eachKey(do func(key []byte) error) error {
	for {
		kind, err := p.s.Next()
		if err != nil {
			return err
		}
		if kind == jsonscan.ObjectEnd {
			return nil
		}
		if err := do(p.s.Bytes()); err != nil {
			return err
		}
	}
}

func (p *reader) readEvents() error {
	for n := 1; ; n++ {
		kind, err := p.s.Next()
		if err != nil {
			return err
		}
		switch kind {
		case jsonscan.ArrayEnd:
			return nil
		case jsonscan.ObjectStart:
			if err := p.readEvent(); err != nil {
				return err
			}
		case jsonscan.ArrayStart:
			return errors.New("an event must be an object")
		}
		if n%4096 == 0 && p.ctx.Err() != nil {
			return p.ctx.Err()
		}
	}
}

func (p *reader) readSection(key []byte) error {
	switch string(key) {
	case "traceEvents":
		return p.open(jsonscan.ArrayStart, "traceEvents must be an array", p.readEvents)
	case "distributedInfo":
		return p.open(jsonscan.ObjectStart, "", func() error { return p.eachKey(p.readDistributed) })
	case "deviceProperties":
		return p.open(jsonscan.ArrayStart, "", p.readDevices)
	case "baseTimeNanoseconds":
		n, err := p.number()
		p.t.Base = n
		return err
	case "hostname", "host_name":
		text, err := p.text()
		p.t.Host = text
		return err
	}
	return p.s.Skip()
}

// open reads a value that begins with a bracket; another value is skipped, or
// an error where one is given.
func (p *reader) open(want jsonscan.Kind, otherwise string, do func() error) error {
	kind, err := p.s.Next()
	if err != nil {
		return err
	}
	if kind == want {
		return do()
	}
	if otherwise != "" {
		return errors.New(otherwise)
	}
	return p.s.Skip()
}

func (p *reader) readDistributed(key []byte) error {
	switch string(key) {
	case "rank":
		n, err := p.number()
		if n >= 0 && n < 1<<30 {
			p.t.Rank = int(n)
		}
		return err
	case "world_size":
		n, err := p.number()
		if n > 0 && n < 1<<30 {
			p.t.World = int(n)
		}
		return err
	case "backend":
		text, err := p.text()
		p.t.Backend = text
		return err
	}
	return p.s.Skip()
}

// readDevices takes the name of the first device.
func (p *reader) readDevices() error {
	for {
		kind, err := p.s.Next()
		if err != nil {
			return err
		}
		if kind == jsonscan.ArrayEnd {
			return nil
		}
		if kind != jsonscan.ObjectStart {
			return errors.New("deviceProperties must be objects")
		}
		err = p.eachKey(func(key []byte) error {
			if string(key) != "name" || p.t.Device != "" {
				return p.s.Skip()
			}
			text, err := p.text()
			p.t.Device = text
			return err
		})
		if err != nil {
			return err
		}
	}
}

// number reads a whole number, 0 where the value is something else.
func (p *reader) number() (int64, error) {
	kind, err := p.s.Next()
	if err != nil {
		return 0, err
	}
	if kind == jsonscan.Number || kind == jsonscan.String {
		if n, err := strconv.ParseInt(string(p.s.Bytes()), 10, 64); err == nil {
			return n, nil
		}
	}
	return 0, p.s.Skip()
}

// text reads a short string, "" where the value is something else.
func (p *reader) text() (string, error) {
	kind, err := p.s.Next()
	if err != nil {
		return "", err
	}
	if (kind == jsonscan.String || kind == jsonscan.Number) && len(p.s.Bytes()) <= 4096 {
		return string(p.s.Bytes()), nil
	}
	return "", p.s.Skip()
}

var rankInName = regexp.MustCompile(`(?i)rank[-_.]?(\d{1,7})`)

// finish gives the threads their names and the trace its rank.
func (p *reader) finish() {
	for i := range p.t.Tracks {
		track := &p.t.Tracks[i]
		track.Name = p.labels[track.Process+"\x00"+track.Thread]
	}
	if p.t.Rank < 0 {
		if m := rankInName.FindStringSubmatch(path.Base(p.t.File)); m != nil {
			p.t.Rank, _ = strconv.Atoi(m[1])
		}
	}
}
