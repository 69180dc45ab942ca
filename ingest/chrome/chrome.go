// Package chrome makes profiles of traces in the JSON of Chrome, which PyTorch
// writes too.
package chrome

import (
	"bytes"
	"context"
	"io"
	"path"
	"strconv"
	"time"

	"auspex/ingest/input"
	"auspex/ingest/traceevent"
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
	return readChromeTrace(ctx, src.Given, in, maxSortedEvents, src.Beside)
}

// readChromeTrace reads a trace in bounded memory: events become small
// records, which are sorted by track and time, at most inMemory of them at
// once, and then nested by the time they cover.
func readChromeTrace(ctx context.Context, name string, r io.Reader, inMemory int, beside *traceevent.Reading) (*model.Experiment, error) {
	t := newTrace(ctx, inMemory)
	defer t.events.close()
	defer t.halves.close()
	if err := t.read(name, r, beside); err != nil {
		return nil, err
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
	names  *names
	tracks *tracks
	events *eventSorter
	halves *eventSorter // beginnings and ends that stand apart

	header   model.Header
	rank     int   // -1 unknown
	base     int64 // nanoseconds that all times count from
	isKineto bool
	unended  bool // the array of events has no end
	beside   int  // asynchronous operations
	lacks    traceevent.Lacks
	first    int64
	last     int64
}

func newTrace(ctx context.Context, inMemory int) *trace {
	return &trace{
		ctx: ctx, rank: -1,
		names: newNames(), tracks: newTracks(), events: newEventSorter(inMemory), halves: newEventSorter(inMemory),
	}
}

func (t *trace) read(name string, in io.Reader, beside *traceevent.Reading) error {
	devices := 0
	what := traceevent.Reading{
		Event: t.useEvent,
		Open:  func() { t.unended = true },
		Section: func(key string) {
			t.isKineto = t.isKineto || key == "distributedInfo" || key == "deviceProperties" || key == "schemaVersion"
		},
		Value: t.value,
		Device: func(name string) {
			if devices++; devices == 1 {
				t.factor("device", name)
			}
			t.header.SetFactor(model.NumberFactor("devices", float64(devices)))
		},
	}
	if beside != nil {
		what = what.And(*beside)
	}
	return traceevent.Read(t.ctx, name, in, what)
}

// value takes what the trace says of itself and of the job.
func (t *trace) value(section, key, text string) {
	switch {
	case section == "" && key == "traceName":
		t.factor("trace", path.Base(text))
	case section == "" && key == "baseTimeNanoseconds":
		if base, err := strconv.ParseInt(text, 10, 64); err == nil && base > 0 {
			t.base = base
		}
	case section == "":
		switch key {
		case "cuda_runtime_version", "cuda_driver_version", "hip_runtime_version", "hip_driver_version":
			t.factor(key, text)
		}
	case key == "rank":
		t.rank = traceevent.Rank(text)
	case key == "world_size" || key == "backend":
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

// rankOf is the rank of the process that a trace is of: what it says itself,
// else what its name says, else 0.
func (t *trace) rankOf(name string) int {
	if t.rank >= 0 {
		return t.rank
	}
	return max(traceevent.RankInName(name), 0)
}
