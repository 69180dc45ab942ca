package longtable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxRecord bounds one line of CSV, quoted line breaks included.
const maxRecord = 1 << 20

// csvScanner splits CSV into records whose fields are views into its buffer:
// reading a line allocates nothing.
type csvScanner struct {
	r       io.Reader
	buf     []byte // buf[pos:] is not consumed yet
	pos     int
	readErr error
	line    int // of the record last returned
	next    int // line of the record to come
	fields  [][]byte
	text    []byte // holds fields with doubled quotes
}

func newCSVScanner(r io.Reader) *csvScanner {
	return &csvScanner{r: r, buf: make([]byte, 0, 512<<10), next: 1}
}

// record returns the fields of the next line that is not empty, or io.EOF. A
// line that starts with # comes back as a comment: its text without the mark.
func (s *csvScanner) record() (fields [][]byte, comment []byte, err error) {
	for {
		line, err := s.plainLine()
		if err != nil {
			return nil, nil, err
		}
		s.line = s.next
		if len(line) > 0 && line[0] == '#' {
			s.consume(line)
			return nil, bytes.TrimSuffix(line[1:], []byte("\r")), nil
		}
		text := bytes.TrimSuffix(line, []byte("\r"))
		if !s.split(text) {
			fields, err := s.quotedRecord()
			return fields, nil, err
		}
		s.consume(line)
		if len(text) == 0 {
			continue
		}
		return s.fields, nil, nil
	}
}

// plainLine looks at the bytes up to the next line break, not consumed.
func (s *csvScanner) plainLine() ([]byte, error) {
	searched := 0
	for {
		if i := bytes.IndexByte(s.buf[s.pos+searched:], '\n'); i >= 0 {
			return s.buf[s.pos : s.pos+searched+i], nil
		}
		searched = len(s.buf) - s.pos
		switch err := s.fill(); {
		case err == io.EOF && searched > 0:
			return s.buf[s.pos:], nil
		case err != nil:
			return nil, err
		}
	}
}

// consume passes over a line that plainLine returned and its line break.
func (s *csvScanner) consume(line []byte) {
	s.pos = min(s.pos+len(line)+1, len(s.buf))
	s.next++
}

// split parts a line at its commas. It is false where a quoted field holds a
// line break or a quote, which takes more than a view into the line.
func (s *csvScanner) split(line []byte) bool {
	s.fields = s.fields[:0]
	start := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ',':
			s.fields = append(s.fields, line[start:i])
			start = i + 1
		case '"':
			if i != start {
				continue
			}
			end := i + 1 + bytes.IndexByte(line[i+1:], '"')
			if end == i || end+1 < len(line) && line[end+1] != ',' {
				return false
			}
			s.fields = append(s.fields, line[i+1:end])
			i, start = end+1, end+2 // behind the comma
			if end+1 == len(line) {
				return true
			}
		}
	}
	s.fields = append(s.fields, line[start:])
	return true
}

// quotedRecord reads a record with quotes in it, which may hold commas, line
// breaks and doubled quotes.
func (s *csvScanner) quotedRecord() ([][]byte, error) {
	s.fields, s.text = s.fields[:0], s.text[:0]
	at := 0 // offset from s.pos; s.buf may move under it
	for {
		field, next, last, err := s.quotedField(at)
		if err != nil {
			return nil, err
		}
		s.fields = append(s.fields, field)
		at = next
		if last {
			break
		}
	}
	s.pos += at
	s.next++
	return s.fields, nil
}

// quotedField reads one field at an offset and says where the next starts.
// Its text is collected apart, since the buffer may move meanwhile.
func (s *csvScanner) quotedField(at int) (field []byte, next int, last bool, err error) {
	start := len(s.text)
	c, err := s.byteAt(at)
	if err == nil && c == '"' {
		if at, err = s.insideQuotes(at + 1); err != nil {
			return nil, 0, false, err
		}
	} else {
		for ; err == nil && c != ',' && c != '\n' && c != '\r'; c, err = s.byteAt(at) {
			s.text = append(s.text, c)
			at++
		}
	}
	field = s.text[start:len(s.text):len(s.text)]
	c, err = s.byteAt(at)
	if err == nil && c == '\r' { // of the line break
		at++
		c, err = s.byteAt(at)
	}
	switch {
	case err == io.EOF:
		return field, at, true, nil
	case err != nil:
		return nil, 0, false, err
	case c == ',':
		return field, at + 1, false, nil
	case c == '\n':
		return field, at + 1, true, nil
	}
	return nil, 0, false, fmt.Errorf("%q where a comma or the end of the line belongs", rune(c))
}

// insideQuotes collects text up to the closing quote and returns the offset
// behind it.
func (s *csvScanner) insideQuotes(at int) (int, error) {
	for {
		c, err := s.byteAt(at)
		if err == io.EOF {
			return 0, errors.New("a quoted field is not closed")
		}
		if err != nil {
			return 0, err
		}
		at++
		if c == '"' {
			after, err := s.byteAt(at)
			if err != nil && err != io.EOF {
				return 0, err
			}
			if err == io.EOF || after != '"' {
				return at, nil
			}
			at++
		}
		if c == '\n' {
			s.next++
		}
		s.text = append(s.text, c)
	}
}

// byteAt returns the byte at an offset from the start of the record.
func (s *csvScanner) byteAt(at int) (byte, error) {
	for s.pos+at >= len(s.buf) {
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	return s.buf[s.pos+at], nil
}

// fill reads more behind what is not consumed yet.
func (s *csvScanner) fill() error {
	if s.readErr != nil {
		return s.readErr
	}
	kept := len(s.buf) - s.pos
	if kept > maxRecord {
		s.line = s.next
		return fmt.Errorf("a line longer than %d bytes", maxRecord)
	}
	if s.pos > 0 {
		copy(s.buf, s.buf[s.pos:])
		s.buf, s.pos = s.buf[:kept], 0
	}
	if kept > cap(s.buf)/2 {
		grown := make([]byte, kept, 2*cap(s.buf))
		copy(grown, s.buf)
		s.buf = grown
	}
	for range 100 {
		n, err := s.r.Read(s.buf[kept:cap(s.buf)])
		s.buf = s.buf[:kept+n]
		s.readErr = err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	s.readErr = io.ErrNoProgress
	return s.readErr
}
