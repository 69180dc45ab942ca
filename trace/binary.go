package trace

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"auspex/internal/mistake"
)

// The binary form is described in docs/trace-format.md.
const (
	magic   = "AUSPEXTR"
	version = 2
	// unitless is the version before, which did not say the unit of computation.
	unitless = 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Write stores a trace in the binary form.
func Write(w io.Writer, t *Trace) error {
	sum := crc32.New(castagnoli)
	buf := bufio.NewWriterSize(w, 1<<16)
	out := io.MultiWriter(buf, sum)
	head := append([]byte(magic), version, unit(t.Nanoseconds))
	head = binary.AppendUvarint(head, uint64(len(t.Programs)))
	if _, err := out.Write(head); err != nil {
		return err
	}
	known := map[string]int{} // ranks that do alike are stored once
	var b []byte
	for i := range t.Programs {
		body := appendProgram(b[:0], &t.Programs[i])
		b = body
		var err error
		if j, ok := known[string(body)]; ok {
			_, err = out.Write(binary.AppendUvarint(nil, uint64(i-j)))
		} else {
			known[string(body)] = i
			_, err = out.Write(append([]byte{0}, body...))
		}
		if err != nil {
			return err
		}
	}
	if _, err := buf.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32())); err != nil {
		return err
	}
	return buf.Flush()
}

// unit is the byte that says what computation is in.
func unit(nanoseconds bool) byte {
	if nanoseconds {
		return 1
	}
	return 0
}

func appendProgram(b []byte, p *Program) []byte {
	b = binary.AppendUvarint(b, uint64(len(p.code)))
	b = append(b, p.code...)
	refers := p.refers()
	b = binary.AppendUvarint(b, uint64(len(refers.series)))
	for _, s := range refers.series {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	b = binary.AppendUvarint(b, uint64(len(refers.files)))
	for _, s := range refers.files {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

// Read reads a trace in the binary form. name is only used in messages.
func Read(name string, r io.Reader) (*Trace, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, mistake.InFile(name, "cannot read: %s", reason(err))
	}
	return decode(name, data, nil)
}

// decode makes a trace of the bytes of the binary form; its programs refer to
// them.
func decode(name string, data []byte, held *mapping) (*Trace, error) {
	d := decoder{code: data}
	t, err := d.trace(name)
	if err != nil {
		return nil, mistake.AtByte(name, int64(d.pos), "%w", err)
	}
	for i := range t.Programs {
		t.Programs[i].held = held
	}
	return t, nil
}

var errShort = errors.New("the trace is cut short")

// bytes reads a length and gives as many bytes.
func (d *decoder) bytes() ([]byte, error) {
	n := d.uvarint()
	if d.bad || n > uint64(len(d.code)-d.pos) {
		return nil, errShort
	}
	d.pos += int(n)
	return d.code[d.pos-int(n) : d.pos : d.pos], nil
}

func (d *decoder) trace(name string) (*Trace, error) {
	if !bytes.HasPrefix(d.code, []byte(magic)) {
		return nil, errors.New("not an auspex trace")
	}
	head := len(magic) + 1 // and the unit, from version 2 on
	if len(d.code) < head+5 {
		return nil, errShort
	}
	t := &Trace{Name: name}
	switch v := d.code[head-1]; v {
	case unitless:
	case version:
		if d.code[head] > 1 {
			return nil, fmt.Errorf("computation in an unknown unit (%d)", d.code[head])
		}
		t.Nanoseconds = d.code[head] == 1
		head++
	default:
		return nil, fmt.Errorf("a trace of version %d; this auspex reads up to version %d", v, version)
	}
	tail := len(d.code) - 4
	if crc32.Checksum(d.code[:tail], castagnoli) != binary.LittleEndian.Uint32(d.code[tail:]) {
		return nil, errors.New("the check sum does not agree: the file is damaged or cut short")
	}
	d.code, d.pos = d.code[:tail], head
	np := d.uvarint()
	if np == 0 || np > maxRanks || d.bad {
		return nil, fmt.Errorf("a trace of %d ranks is not possible", np)
	}
	t.Programs = make([]Program, 0, min(int(np), tail-d.pos)) // each takes a byte at least
	for i := range int(np) {
		back := d.uvarint()
		if d.bad {
			return nil, errShort
		}
		if back > uint64(i) {
			return nil, fmt.Errorf("rank %d is to do as a rank that does not exist", i)
		}
		p := Program{Rank: int32(i)}
		var err error
		if back > 0 {
			p.folded = t.Programs[i-int(back)].folded
		} else if p.folded, err = d.program(); err != nil {
			return nil, err
		}
		if p.Actions, err = p.check(int(np)); err != nil {
			return nil, fmt.Errorf("rank %d: %w", i, err)
		}
		t.Programs = append(t.Programs, p)
	}
	if d.pos != len(d.code) {
		return nil, errors.New("there is more than the ranks' programs")
	}
	return t, nil
}

func (d *decoder) program() (*folded, error) {
	code, err := d.bytes()
	if err != nil {
		return nil, err
	}
	p := &folded{code: code}
	for n := d.uvarint(); err == nil && !d.bad && n > 0; n-- {
		var b []byte
		b, err = d.bytes()
		own := p.own()
		own.series = append(own.series, b)
	}
	for n := d.uvarint(); err == nil && !d.bad && n > 0; n-- {
		var b []byte
		b, err = d.bytes()
		own := p.own()
		own.files = append(own.files, string(b))
	}
	if err == nil && d.bad {
		err = errShort
	}
	return p, err
}

// Decode reads a trace in the binary form that lies in memory.
func Decode(name string, data []byte) (*Trace, error) { return decode(name, data, nil) }
