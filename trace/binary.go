package trace

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
)

// The binary form is described in docs/trace-format.md.
const (
	magic   = "AUSPEXTR"
	version = 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Write stores a trace in the binary form.
func Write(w io.Writer, t *Trace) error {
	sum := crc32.New(castagnoli)
	buf := bufio.NewWriterSize(w, 1<<16)
	out := io.MultiWriter(buf, sum)
	head := append([]byte(magic), version)
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

func appendProgram(b []byte, p *Program) []byte {
	b = binary.AppendUvarint(b, uint64(len(p.code)))
	b = append(b, p.code...)
	b = binary.AppendUvarint(b, uint64(len(p.series)))
	for _, s := range p.series {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	b = binary.AppendUvarint(b, uint64(len(p.files)))
	for _, s := range p.files {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

// Read reads a trace in the binary form. name is only used in messages.
func Read(name string, r io.Reader) (*Trace, error) {
	s := &byteSource{r: bufio.NewReaderSize(r, 1<<16), sum: crc32.New(castagnoli)}
	t, err := s.trace(name)
	if err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = fmt.Errorf("the trace is cut short")
		}
		return nil, &Error{File: name, Msg: fmt.Sprintf("byte %d: %s", s.at, err)}
	}
	return t, nil
}

// byteSource reads the binary form and keeps its check sum.
type byteSource struct {
	r   *bufio.Reader
	sum hash.Hash32
	at  int64
	one [1]byte
}

func (s *byteSource) ReadByte() (byte, error) {
	c, err := s.r.ReadByte()
	if err == nil {
		s.at++
		s.one[0] = c
		s.sum.Write(s.one[:])
	}
	return c, err
}

// bytes reads a length and as many bytes; memory grows with what is there.
func (s *byteSource) bytes() ([]byte, error) {
	n, err := binary.ReadUvarint(s)
	if err != nil {
		return nil, err
	}
	if n > 1<<40 {
		return nil, fmt.Errorf("a part of %d bytes is not possible", n)
	}
	var buf bytes.Buffer
	m, err := io.CopyN(&buf, s.r, int64(n))
	s.at += m
	s.sum.Write(buf.Bytes())
	return buf.Bytes(), err
}

func (s *byteSource) trace(name string) (*Trace, error) {
	for _, c := range append([]byte(magic), version) {
		got, err := s.ReadByte()
		if err != nil {
			return nil, err
		}
		if got != c {
			return nil, fmt.Errorf("not an auspex trace of version %d", version)
		}
	}
	np, err := binary.ReadUvarint(s)
	if err != nil {
		return nil, err
	}
	if np == 0 || np > maxRanks {
		return nil, fmt.Errorf("a trace of %d ranks is not possible", np)
	}
	t := &Trace{Name: name}
	for i := range int(np) {
		back, err := binary.ReadUvarint(s)
		if err != nil {
			return nil, err
		}
		if back > uint64(i) {
			return nil, fmt.Errorf("rank %d is to do as a rank that does not exist", i)
		}
		p := Program{Rank: int32(i)}
		if back > 0 {
			p = t.Programs[i-int(back)]
			p.Rank = int32(i)
		} else if err := s.program(&p); err != nil {
			return nil, err
		}
		if p.Actions, err = p.check(int(np)); err != nil {
			return nil, fmt.Errorf("rank %d: %w", i, err)
		}
		t.Programs = append(t.Programs, p)
	}
	want := s.sum.Sum32()
	var tail [4]byte
	if _, err := io.ReadFull(s.r, tail[:]); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(tail[:]) != want {
		return nil, fmt.Errorf("the check sum does not agree: the file is damaged")
	}
	return t, nil
}

func (s *byteSource) program(p *Program) error {
	var err error
	if p.code, err = s.bytes(); err != nil {
		return err
	}
	n, err := binary.ReadUvarint(s)
	for ; err == nil && n > 0; n-- {
		var b []byte
		b, err = s.bytes()
		p.series = append(p.series, b)
	}
	if err != nil {
		return err
	}
	n, err = binary.ReadUvarint(s)
	for ; err == nil && n > 0; n-- {
		var b []byte
		b, err = s.bytes()
		p.files = append(p.files, string(b))
	}
	return err
}
