package events

import (
	"bufio"
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"auspex/trace"
)

// A record is a measured trace as it is kept: recordMark, the length of a header
// in JSON, the header, and the spans, packed by flate. Numbers of spans are
// varints; the begin of a span counts from the end of the one before it on the
// same location, so that most take one or two bytes.
const recordMark = "auspex spans 1\n"

// maxRecordHeader is what the header of a record may claim.
const maxRecordHeader = 1 << 28

// Record writes a measured trace for keeping.
func Record(ctx context.Context, w io.Writer, src Source) error {
	var spans bytes.Buffer // regions are known when all spans were read
	packed, err := flate.NewWriter(&spans, flate.BestSpeed)
	if err != nil {
		return err
	}
	r := recorder{last: map[int32]int64{}}
	seen := 0
	err = src.Each(ctx, func(s *Span) error {
		if seen++; seen&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		_, err := packed.Write(r.span(s))
		return err
	})
	if err == nil {
		err = packed.Close()
	}
	if err != nil {
		return err
	}
	header, err := json.Marshal(src.Header())
	if err != nil {
		return err
	}
	out := binary.AppendUvarint([]byte(recordMark), uint64(len(header)))
	for _, part := range [][]byte{out, header, spans.Bytes()} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// recorder writes spans.
type recorder struct {
	last map[int32]int64 // end of the last span, by location
	b    []byte
}

func (r *recorder) number(v int64) { r.b = binary.AppendVarint(r.b, v) }

func (r *recorder) span(s *Span) []byte {
	r.b = r.b[:0]
	for _, v := range []int64{
		int64(s.Loc), int64(s.Kind), int64(s.Path), int64(s.Comm), int64(s.Root), int64(s.Peer),
		s.Begin - r.last[s.Loc], s.End - s.Begin, s.Bytes, s.Instructions, s.Cycles, int64(len(s.Messages)),
	} {
		r.number(v)
	}
	for _, m := range s.Messages {
		for _, v := range []int64{int64(m.Side), int64(m.Peer), int64(m.Tag), int64(m.Comm), m.Bytes, m.Posted - s.Begin} {
			r.number(v)
		}
	}
	r.last[s.Loc] = s.End
	return r.b
}

// Recorded is a trace that was kept. It is a Source.
type Recorded struct {
	header Header
	spans  []byte
}

var errRecord = errors.New("the kept trace is damaged")

// OpenRecord opens a trace that Record wrote.
func OpenRecord(data []byte) (*Recorded, error) {
	rest, ok := bytes.CutPrefix(data, []byte(recordMark))
	size, n := binary.Uvarint(rest)
	if !ok || n <= 0 || size > maxRecordHeader || size > uint64(len(rest)-n) {
		return nil, errRecord
	}
	rest = rest[n:]
	r := &Recorded{spans: rest[size:]}
	if err := json.Unmarshal(rest[:size], &r.header); err != nil {
		return nil, fmt.Errorf("%w: %v", errRecord, err)
	}
	h := &r.header
	if h.Ranks < 1 || len(h.Locations) == 0 || len(h.Comms) == 0 {
		return nil, errRecord
	}
	for _, l := range h.Locations {
		if l.Rank < 0 || int(l.Rank) >= h.Ranks {
			return nil, fmt.Errorf("%w: it has %d ranks and names rank %d", errRecord, h.Ranks, l.Rank)
		}
	}
	return r, nil
}

// Header is that of the trace.
func (r *Recorded) Header() *Header { return &r.header }

// Each hands over the spans as they were recorded.
func (r *Recorded) Each(ctx context.Context, visit func(*Span) error) error {
	p := player{in: bufio.NewReaderSize(flate.NewReader(bytes.NewReader(r.spans)), 1<<16), header: &r.header, last: make([]int64, len(r.header.Locations))}
	for seen := 1; ; seen++ {
		if seen&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		more, err := p.next()
		if err != nil || !more {
			return err
		}
		if err := visit(&p.span); err != nil {
			return err
		}
	}
}

// player reads spans.
type player struct {
	in     *bufio.Reader
	header *Header
	last   []int64
	span   Span
	failed error
}

// number reads one that lies from least to most.
func (p *player) number(least, most int64) int64 {
	if p.failed != nil {
		return 0
	}
	v, err := binary.ReadVarint(p.in)
	if err != nil || v < least || v > most {
		p.failed = errRecord
		return 0
	}
	return v
}

// The bounds of what a record may hold: times of centuries, and more messages
// than a call completes.
const (
	maxRecordTime     = 1 << 61
	maxRecordMessages = 1 << 24
	maxInt32          = 1<<31 - 1
)

// next reads a span; false at the end.
func (p *player) next() (bool, error) {
	if _, err := p.in.Peek(1); err == io.EOF {
		return false, nil
	}
	h, s := p.header, &p.span
	s.Messages = s.Messages[:0]
	s.Loc = int32(p.number(0, int64(len(h.Locations))-1))
	s.Kind = trace.Kind(p.number(0, 255))
	s.Path = int32(p.number(0, int64(len(h.Paths))-1))
	s.Comm = int32(p.number(-1, maxInt32))
	s.Root = int32(p.number(-1, int64(h.Ranks)-1))
	s.Peer = int32(p.number(-1, maxInt32))
	gap := p.number(-maxRecordTime, maxRecordTime)
	if p.failed != nil {
		return false, p.failed
	}
	s.Begin = p.last[s.Loc] + gap
	s.End = s.Begin + p.number(0, maxRecordTime)
	if s.Kind.Collective() && (s.Comm < 0 || int(s.Comm) >= len(h.Comms)) || s.Begin < -maxRecordTime || s.End > maxRecordTime {
		return false, errRecord
	}
	p.last[s.Loc] = s.End
	s.Bytes = p.number(-1, 1<<62)
	s.Instructions, s.Cycles = p.number(0, 1<<62), p.number(0, 1<<62)
	for n := p.number(0, maxRecordMessages); n > 0 && p.failed == nil; n-- {
		s.Messages = append(s.Messages, Half{
			Side: Side(p.number(0, int64(SendDone))), Peer: int32(p.number(-1, int64(h.Ranks)-1)), Tag: int32(p.number(-maxInt32, maxInt32)),
			Comm: int32(p.number(-1, maxInt32)), Bytes: p.number(-1, 1<<62), Posted: s.Begin + p.number(-maxRecordTime, maxRecordTime),
		})
	}
	return true, p.failed
}
