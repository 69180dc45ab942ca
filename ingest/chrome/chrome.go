// Package chrome reads traces in the JSON of Chrome, which PyTorch writes too.
package chrome

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"regexp"
	"strconv"
	"time"

	"auspex/ingest/input"
	"auspex/internal/jsonscan"
	"auspex/internal/mistake"
	"auspex/model"
)

// Formats lists what this package reads.
func Formats() []input.Format {
	return []input.Format{
		{Name: "chrome", About: "Chrome and Kineto (PyTorch) trace JSON", IsFile: isChrome, Reader: read},
	}
}

// isChrome recognises a Chrome trace: an array of events, or an object that
// holds them under traceEvents, perhaps behind other keys.
func isChrome(_ string, head []byte) bool {
	s := jsonscan.New(bytes.NewReader(head))
	kind, err := s.Next()
	if err != nil {
		return false
	}
	if kind == jsonscan.ArrayStart {
		kind, err = s.Next()
		return err == nil && kind == jsonscan.ObjectStart && input.HasKey(s, isPhase)
	}
	// What other keys stand in front may be long: the name is enough.
	return kind == jsonscan.ObjectStart && (bytes.Contains(head, []byte(`"traceEvents"`)) ||
		bytes.Contains(head, []byte(`"torch_profiler`)) || bytes.Contains(head, []byte(`"deviceProperties"`)))
}

// isPhase tells the key that every event has, its phase.
func isPhase(key []byte) bool { return string(key) == "ph" }

func read(ctx context.Context, src *input.Source) (*model.Experiment, error) {
	in, err := src.Open(src.Path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return readChromeTrace(ctx, src.Given, in, maxSortedEvents)
}

// readChromeTrace reads a trace in bounded memory: events become small
// records, which are sorted by track and time, at most inMemory of them at
// once, and then nested by the time they cover.
func readChromeTrace(ctx context.Context, name string, r io.Reader, inMemory int) (*model.Experiment, error) {
	t := newTrace(ctx, jsonscan.New(r), inMemory)
	defer t.events.close()
	err := t.read()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, mistake.AtByte(name, t.s.Offset(), "%w", err)
	}
	e, err := t.build(name)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, mistake.InFile(name, "%w", err)
	}
	return e, nil
}

// trace is a trace being read.
type trace struct {
	ctx    context.Context
	s      *jsonscan.Scanner
	names  *names
	tracks *tracks
	events *eventSorter
	event  event

	header   model.Header
	rank     int   // -1 unknown
	base     int64 // nanoseconds that all times count from
	isKineto bool
	unended  bool // the array of events has no end
	unpaired int  // ends without a beginning
	first    int64
	last     int64
}

func newTrace(ctx context.Context, s *jsonscan.Scanner, inMemory int) *trace {
	return &trace{
		ctx: ctx, s: s, rank: -1,
		names: newNames(), tracks: newTracks(), events: newEventSorter(inMemory),
	}
}

func (t *trace) read() error {
	kind, err := t.s.Next()
	if err != nil {
		return err
	}
	switch kind {
	case jsonscan.ArrayStart:
		// The closing bracket of this form may be missing: tools append
		// events until the program ends.
		err := t.readEvents()
		if errors.Is(err, io.ErrUnexpectedEOF) && t.s.Depth() == 1 {
			t.unended = true
			return nil
		}
		return err
	case jsonscan.ObjectStart:
		return t.eachKey(t.readSection)
	}
	return errors.New("not a trace: neither an object nor an array of events")
}

// eachKey calls do for every key of the object that was begun.
func (t *trace) eachKey(do func(key string) error) error {
	for {
		kind, err := t.s.Next()
		if err != nil {
			return err
		}
		if kind == jsonscan.ObjectEnd {
			return nil
		}
		if err := do(string(t.s.Bytes())); err != nil {
			return err
		}
	}
}

// readEvents reads the array that was begun to its end.
func (t *trace) readEvents() error {
	for n := 1; ; n++ {
		kind, err := t.s.Next()
		if err != nil {
			return err
		}
		switch kind {
		case jsonscan.ArrayEnd:
			return nil
		case jsonscan.ObjectStart:
			if err := t.readEvent(); err != nil {
				return err
			}
		case jsonscan.ArrayStart:
			return errors.New("an event must be an object")
		}
		if n%4096 == 0 && t.ctx.Err() != nil {
			return t.ctx.Err()
		}
	}
}

// readSection reads the value of a key beside the events.
func (t *trace) readSection(key string) error {
	switch key {
	case "distributedInfo", "deviceProperties", "schemaVersion":
		t.isKineto = true
	}
	kind, err := t.s.Next()
	if err != nil {
		return err
	}
	switch {
	case key == "traceEvents" && kind == jsonscan.ArrayStart:
		return t.readEvents()
	case key == "traceEvents":
		return errors.New("traceEvents must be an array")
	case key == "distributedInfo" && kind == jsonscan.ObjectStart:
		return t.eachKey(t.readDistributed)
	case key == "deviceProperties" && kind == jsonscan.ArrayStart:
		return t.readDevices()
	case kind == jsonscan.String || kind == jsonscan.Number:
		t.readMetadata(key, string(t.s.Bytes()))
	}
	return t.s.Skip()
}

func (t *trace) readDistributed(key string) error {
	kind, err := t.s.Next()
	if err != nil {
		return err
	}
	text := string(t.s.Bytes())
	switch {
	case kind != jsonscan.Number && kind != jsonscan.String:
	case key == "rank":
		if rank, err := strconv.Atoi(text); err == nil && rank >= 0 && rank < 1<<30 {
			t.rank = rank
		}
	case key == "world_size" || key == "backend":
		t.factor(key, text)
	}
	return t.s.Skip()
}

// readDevices takes the name of the first device and counts them.
func (t *trace) readDevices() error {
	for devices := 0; ; devices++ {
		kind, err := t.s.Next()
		if err != nil {
			return err
		}
		if kind == jsonscan.ArrayEnd {
			if devices > 0 {
				t.header.SetFactor(model.NumberFactor("devices", float64(devices)))
			}
			return nil
		}
		if kind != jsonscan.ObjectStart {
			return errors.New("deviceProperties must be objects")
		}
		err = t.eachKey(func(key string) error {
			kind, err := t.s.Next()
			if err != nil {
				return err
			}
			if key == "name" && kind == jsonscan.String && devices == 0 {
				t.factor("device", string(t.s.Bytes()))
			}
			return t.s.Skip()
		})
		if err != nil {
			return err
		}
	}
}

func (t *trace) readMetadata(key, text string) {
	switch key {
	case "traceName":
		t.factor("trace", path.Base(text))
	case "baseTimeNanoseconds":
		if base, err := strconv.ParseInt(text, 10, 64); err == nil && base > 0 {
			t.base = base
		}
	case "cuda_runtime_version", "cuda_driver_version", "hip_runtime_version", "hip_driver_version":
		t.factor(key, text)
	}
}

func (t *trace) factor(name, text string) {
	if text != "" && len(text) <= input.MaxFactorValue {
		t.header.SetFactor(model.NewFactor(name, text))
	}
}

// created tells when the trace began, where its times count from 1970.
func (t *trace) created() time.Time {
	begin := time.Unix(0, t.first)
	if t.base > 0 {
		begin = begin.Add(time.Duration(t.base))
	}
	if begin.Year() < 2000 || begin.Year() > 2100 {
		return time.Time{}
	}
	return begin
}

var rankInName = regexp.MustCompile(`(?i)rank[-_.]?(\d{1,7})`)

// rankOf is the rank of the process that a trace is of: what it says itself,
// else what its name says, else 0.
func (t *trace) rankOf(name string) int {
	if t.rank >= 0 {
		return t.rank
	}
	if m := rankInName.FindStringSubmatch(path.Base(name)); m != nil {
		rank, _ := strconv.Atoi(m[1])
		return rank
	}
	return 0
}
