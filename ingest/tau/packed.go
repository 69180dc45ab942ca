package tau

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"

	"auspex/ingest/input"
	"auspex/internal/mistake"
	"auspex/model"
)

// A packed profile is what ParaProf writes: a gzip stream of big-endian
// integers, doubles and strings, each string with its length in two bytes.
//
//	'P' 'P' 'K'  version  oldest version that can read it  size of the metadata
//	[version 2: bytes to skip, metadata of the run, metadata of the threads]
//	metrics, groups, functions with their groups, user events
//	per thread: functions with calls, subroutines, values; user events

const (
	packedMagic   = "\x00P\x00P\x00K"
	packedVersion = 2
	maxMetrics    = 1024
	maxGroups     = 256 // bytes of a function's list of groups
)

func isPacked(name string, head []byte) bool {
	return bytes.HasPrefix(head, []byte(packedMagic))
}

func readPacked(ctx context.Context, src *input.Source) (*model.Experiment, error) {
	in, err := src.Open(src.Path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := parsePacked(ctx, in.Reader, src.Given)
	if err != nil {
		return nil, err
	}
	return data.build(ctx, src)
}

// parsePacked reads a packed profile, decompressed.
func parsePacked(ctx context.Context, r *bufio.Reader, name string) (*data, error) {
	p := &unpacker{r: r, name: name, data: newData()}
	p.header()
	p.definitions()
	for n := p.count("threads"); n > 0 && p.err == nil; n-- {
		if p.err == nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p.thread()
	}
	// The end of a gzip stream tells whether all of it was sound.
	if _, err := r.ReadByte(); !errors.Is(err, io.EOF) {
		p.broken(err)
	}
	if p.err != nil {
		return nil, p.err
	}
	return p.data, nil
}

// unpacker reads the stream. After the first error all reads give zero.
type unpacker struct {
	r    *bufio.Reader
	name string
	at   int64
	err  error
	buf  [8]byte
	text []byte
	row  []byte

	data      *data
	functions []int32 // the file's numbers in data's
	events    []int32
	metrics   []int32
}

func (p *unpacker) fail(format string, args ...any) {
	if p.err == nil {
		p.err = mistake.AtByte(p.name, p.at, format, args...)
	}
}

func (p *unpacker) read(into []byte) {
	if p.err != nil {
		clear(into)
		return
	}
	n, err := io.ReadFull(p.r, into)
	p.at += int64(n)
	if p.broken(err); err != nil {
		clear(into)
	}
}

func (p *unpacker) int() int {
	p.read(p.buf[:4])
	return int(int32(binary.BigEndian.Uint32(p.buf[:4])))
}

func (p *unpacker) float() float64 {
	p.read(p.buf[:8])
	return packedFloat(p.buf[:8])
}

func packedFloat(b []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(b)) }

// string reads a string; it is valid until the next.
func (p *unpacker) string() []byte {
	p.read(p.buf[:2])
	n := int(binary.BigEndian.Uint16(p.buf[:2]))
	if cap(p.text) < n {
		p.text = make([]byte, n)
	}
	p.text = p.text[:n]
	p.read(p.text)
	return p.text
}

// count reads how many things follow. Nothing is allocated from it.
func (p *unpacker) count(what string) int {
	n := p.int()
	if n < 0 {
		p.fail("%d %s cannot be", n, what)
		return 0
	}
	return n
}

func (p *unpacker) skip(n int) {
	skipped, err := io.CopyN(io.Discard, p.r, int64(n))
	p.at += skipped
	p.broken(err)
}

// broken notes a read error, if there is one.
func (p *unpacker) broken(err error) {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		p.fail("the packed profile ends early")
	case err != nil:
		p.fail("%v", err)
	}
}

func (p *unpacker) header() {
	magic := make([]byte, len(packedMagic))
	p.read(magic)
	if p.err == nil && string(magic) != packedMagic {
		p.fail("this is no TAU packed profile")
	}
	version, compatible := p.int(), p.int()
	if p.err == nil && (version < 1 || compatible > packedVersion) {
		p.fail("packed profile of version %d (readable from version %d on), versions up to %d are known", version, compatible, packedVersion)
	}
	size := p.count("bytes of metadata")
	if p.err != nil {
		return
	}
	if version == 1 {
		p.skip(size)
		return
	}
	p.skip(p.count("bytes to skip"))
	p.data.metadata = p.metadata()
	for n := p.count("threads"); n > 0 && p.err == nil; n-- {
		id := p.id()
		metadata := p.metadata()
		if p.err == nil {
			p.data.thread(id).metadata = metadata
		}
	}
}

func (p *unpacker) metadata() []attribute {
	var attributes []attribute
	for n := p.count("metadata"); n > 0 && p.err == nil; n-- {
		name := string(p.string())
		attributes = append(attributes, attribute{name, string(p.string())})
	}
	return attributes
}

func (p *unpacker) id() tauID {
	id := tauID{p.int(), p.int(), p.int()}
	if id.node < 0 || id.context < 0 || id.thread < 0 {
		p.fail("thread %d.%d.%d cannot be", id.node, id.context, id.thread)
	}
	return id
}

func (p *unpacker) definitions() {
	n := p.count("metrics")
	if n > maxMetrics {
		p.fail("%d metrics, at most %d are read", n, maxMetrics)
	}
	for ; n > 0 && p.err == nil; n-- {
		p.metrics = append(p.metrics, p.data.metric(string(p.string())))
	}
	var groups []string
	for n := p.count("groups"); n > 0 && p.err == nil; n-- {
		groups = append(groups, string(p.string()))
	}
	for n := p.count("functions"); n > 0 && p.err == nil; n-- {
		function := tauFunction{name: string(p.string())}
		for k := p.count("groups of a function"); k > 0 && p.err == nil; k-- {
			if g := p.int(); g < 0 || g >= len(groups) {
				p.fail("group %d of %d does not exist", g, len(groups))
			} else if len(function.groups)+len(groups[g]) < maxGroups {
				function.groups += groups[g] + "|"
			}
		}
		p.functions = append(p.functions, p.data.function(function))
	}
	for n := p.count("user events"); n > 0 && p.err == nil; n-- {
		p.events = append(p.events, p.data.event(string(p.string())))
	}
}

func (p *unpacker) thread() {
	id := p.id()
	functions := p.count("functions of a thread")
	if p.err != nil {
		return
	}
	t := p.data.thread(id)
	t.metrics = p.metrics
	if p.row == nil {
		p.row = make([]byte, 4+8+8+16*len(p.metrics)) // function, calls, subroutines, values
	}
	row := p.row
	for ; functions > 0; functions-- {
		p.read(row)
		f := int(int32(binary.BigEndian.Uint32(row)))
		if f < 0 || f >= len(p.functions) {
			p.fail("function %d of %d does not exist", f, len(p.functions))
		}
		if p.err != nil {
			return
		}
		t.function = append(t.function, p.functions[f])
		t.calls = append(t.calls, packedFloat(row[4:]))
		for at := 20; at < len(row); at += 8 {
			t.values = append(t.values, packedFloat(row[at:]))
		}
	}
	for n := p.count("user events of a thread"); n > 0 && p.err == nil; n-- {
		e, count := p.int(), p.int()
		p.float() // least
		p.float() // greatest
		mean := p.float()
		p.float() // sum of squares
		if p.err == nil && (e < 0 || e >= len(p.events)) {
			p.fail("user event %d of %d does not exist", e, len(p.events))
		}
		if p.err == nil && p.events[e] >= 0 {
			t.events = append(t.events, tauEvent{p.events[e], float64(count), mean})
		}
	}
}
