// Package kineto reads the traces of PyTorch's profiler, one a rank, with every
// interval and its links kept.
//
// Package chrome makes profiles of the same files; here nothing is summed up,
// as who is late is a question of when. A trace streams through one buffer and
// becomes 32 bytes an interval, so that a gigabyte of text is about 130 MB.
package kineto

import (
	"context"
	"io"
	"math"
	"strconv"

	"auspex/ingest/input"
	"auspex/ingest/traceevent"
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
	p := newReader(name)
	if err := traceevent.Read(ctx, name, r, p.reading()); err != nil {
		return nil, err
	}
	if err := p.finish(); err != nil {
		return nil, mistake.InFile(name, "%w", err)
	}
	if p.t.Len() == 0 {
		return nil, mistake.InFile(name, "no event with a duration in this trace")
	}
	return p.t, nil
}

// Beside reads a trace while another reader does, whom it never stops: what it
// returns is to be told the events, and the trace is handed to use once all are
// there. Where it cannot be read, use is not called.
func Beside(name string, use func(*training.Trace)) *traceevent.Reading {
	p := newReader(name)
	what := p.reading()
	failed := false
	what.Event = func(e *traceevent.Event) error {
		failed = failed || p.useEvent(e) != nil
		return nil
	}
	what.Done = func() {
		failed = p.finish() != nil || failed
		if !failed && p.t.Len() > 0 {
			use(p.t)
		}
		p.t = nil
	}
	return &what
}

func newReader(name string) *reader {
	return &reader{
		names: map[string]uint32{}, tracks: map[string]uint16{}, labels: map[string]string{}, threads: map[string]*thread{},
		t: &training.Trace{File: name, Rank: -1},
	}
}

// reader is a trace being read.
type reader struct {
	t      *training.Trace
	names  map[string]uint32
	tracks map[string]uint16
	labels map[string]string // names of threads by process and thread

	threads map[string]*thread // by process and thread
	order   []*thread          // as they came
	lacks   traceevent.Lacks

	key       []byte
	lastTrack struct {
		key   []byte
		track uint16
	}
}

func (p *reader) reading() traceevent.Reading {
	return traceevent.Reading{Links: true, Inputs: training.HostCollective[[]byte], Event: p.useEvent, Value: p.value, Device: p.device, Open: func() {
		p.t.Notes = append(p.t.Notes, "the list of events is not closed: the trace may have been cut short")
	}}
}

// value takes what the trace says of itself and of the job.
func (p *reader) value(section, key, text string) {
	switch {
	case section == "" && key == "baseTimeNanoseconds":
		p.t.Base, _ = strconv.ParseInt(text, 10, 64)
	case section == "" && (key == "hostname" || key == "host_name"):
		p.t.Host = text
	case section == "":
	case key == "rank":
		p.t.Rank = traceevent.Rank(text)
	case key == "world_size":
		p.t.World = max(traceevent.Rank(text), 0)
	case key == "backend":
		p.t.Backend = text
	}
}

// device takes the name of the first device.
func (p *reader) device(name string) {
	if p.t.Device == "" {
		p.t.Device = name
	}
}

// finish pairs what stands apart and gives the threads their names and the trace its
// rank.
func (p *reader) finish() error {
	if err := p.pair(); err != nil {
		return err
	}
	p.t.Notes = append(p.t.Notes, p.lacks.Words()...)
	if endless := p.lacks.Endless(); endless != "" {
		p.t.Notes = append(p.t.Notes, endless)
	}
	for i := range p.t.Tracks {
		track := &p.t.Tracks[i]
		track.Name = p.labels[track.Process+"\x00"+track.Thread]
	}
	if p.t.Rank < 0 {
		p.t.Rank = traceevent.RankInName(p.t.File)
	}
	return nil
}
