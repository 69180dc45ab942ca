// Package jsonscan reads JSON of any size token by token, in the memory of
// one buffer.
//
//  1. New makes a Scanner over a reader.
//  2. Next returns the kind of the next token; Bytes its text, a view into
//     the buffer that holds until the following call.
//  3. Skip passes over what the last token began, at the speed of a search
//     for quotes and brackets.
//
// Values may follow each other with no more than white space between them, so
// that JSON lines are read by the same scanner. Where the grammar is broken in
// a way that leaves no doubt of what was meant (a comma before a closing
// bracket, NaN for null), the scanner accepts it: tools write such files.
package jsonscan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Kind is the kind of a token.
type Kind byte

// The kinds of token.
const (
	End Kind = iota // of the input
	ObjectStart
	ObjectEnd
	ArrayStart
	ArrayEnd
	Key
	String
	Number
	True
	False
	Null
)

// Limits on what one scanner holds in memory.
const (
	bufferSize = 256 << 10
	maxToken   = 4 << 20 // longest key, string or number returned
	maxDepth   = 4096
)

// Scanner is a source of JSON tokens.
type Scanner struct {
	r        io.Reader
	buf      []byte // buf[pos:] is not consumed yet
	pos      int
	base     int64 // offset of buf[0] in the input
	line     int
	readErr  error
	open     []byte // the brackets not yet closed
	afterKey bool
	comma    bool // a value stands before: a comma or a bracket must follow
	last     Kind
	text     []byte
	unquoted []byte // holds the text of a string with escapes
	copying  bool   // what is consumed is kept: in copied, and in buf behind from
	copied   []byte
	from     int
}

// New makes a scanner.
func New(r io.Reader) *Scanner {
	return &Scanner{r: r, buf: make([]byte, 0, bufferSize), line: 1}
}

// Offset is the position in the input, in bytes.
func (s *Scanner) Offset() int64 { return s.base + int64(s.pos) }

// Line is the number of the current line, from 1.
func (s *Scanner) Line() int { return s.line }

// Depth is the number of objects and arrays that are open.
func (s *Scanner) Depth() int { return len(s.open) }

// Bytes is the text of the last key, string (without quotes and escapes) or
// number. It holds until the next call of Next or Skip.
func (s *Scanner) Bytes() []byte { return s.text }

// Next returns the next token.
func (s *Scanner) Next() (Kind, error) {
	kind, err := s.next()
	s.last = kind
	return kind, err
}

func (s *Scanner) next() (Kind, error) {
	c, err := s.peek()
	if s.afterKey && err == nil {
		s.afterKey, s.comma = false, true
		return s.value(c)
	}
	if err == nil && c == ',' && s.comma && len(s.open) > 0 {
		s.pos++
		s.comma = false
		c, err = s.peek()
	}
	if err == io.EOF {
		if len(s.open) == 0 {
			return End, nil
		}
		return End, errEnd
	}
	if err != nil {
		return End, err
	}
	inObject := len(s.open) > 0 && s.open[len(s.open)-1] == '{'
	switch {
	case c == '}' && inObject:
		return ObjectEnd, s.close()
	case c == ']' && len(s.open) > 0 && !inObject:
		return ArrayEnd, s.close()
	case s.comma && len(s.open) > 0:
		return End, fmt.Errorf("%s where a comma or a closing bracket belongs", quoted(c))
	case inObject:
		return s.key(c)
	}
	s.comma = true
	return s.value(c)
}

// errEnd is what a document that stops too soon gives.
var errEnd error = endsEarly{}

type endsEarly struct{}

func (endsEarly) Error() string { return "ends early" }
func (endsEarly) Unwrap() error { return io.ErrUnexpectedEOF }

// errLong is what a text that is not skipped gives if it is too long.
var errLong = fmt.Errorf("a text longer than %d bytes", maxToken)

func (s *Scanner) close() error {
	s.pos++
	s.open = s.open[:len(s.open)-1]
	s.comma = true
	return nil
}

func (s *Scanner) key(c byte) (Kind, error) {
	if c != '"' {
		return End, fmt.Errorf("%s where a key in quotes belongs", quoted(c))
	}
	if err := s.string(); err != nil {
		return End, err
	}
	// Looking for the colon may refill the buffer under the key's text.
	if s.pos == len(s.buf) || s.buf[s.pos] != ':' {
		s.unquoted = append(s.unquoted[:0], s.text...)
		s.text = s.unquoted
		c, err := s.peek()
		if err == io.EOF {
			return End, errEnd
		}
		if err != nil {
			return End, err
		}
		if c != ':' {
			return End, fmt.Errorf("%s where a colon belongs", quoted(c))
		}
	}
	s.pos++
	s.afterKey, s.comma = true, false
	return Key, nil
}

func (s *Scanner) value(c byte) (Kind, error) {
	switch {
	case c == '"':
		return String, s.string()
	case c == '{' || c == '[':
		if len(s.open) == maxDepth {
			return End, fmt.Errorf("nested deeper than %d", maxDepth)
		}
		s.open = append(s.open, c)
		s.pos++
		s.comma = false
		if c == '{' {
			return ObjectStart, nil
		}
		return ArrayStart, nil
	case c == '-' || c >= '0' && c <= '9' || isLetter(c):
		return s.word()
	}
	return End, fmt.Errorf("%s where a value belongs", quoted(c))
}

// word reads a number or a literal.
func (s *Scanner) word() (Kind, error) {
	n := 0
	for {
		for rest := s.buf[s.pos:]; n < len(rest); n++ {
			if c := rest[n]; c > '9' && !isLetter(c) || c < '+' || c == ',' || c == '/' {
				return s.endWord(n)
			}
		}
		switch err := s.fill(); {
		case err == io.EOF:
			return s.endWord(n)
		case err != nil:
			return End, err
		}
	}
}

func (s *Scanner) endWord(n int) (Kind, error) {
	s.text = s.buf[s.pos : s.pos+n]
	s.pos += n
	if c := s.text[0]; c >= '0' && c <= '9' || c == '-' && n > 1 && s.text[1] != 'I' {
		return Number, nil
	}
	switch string(s.text) {
	case "true":
		return True, nil
	case "false":
		return False, nil
	case "null", "NaN", "nan", "Infinity", "-Infinity":
		return Null, nil
	}
	return End, fmt.Errorf("%q is not a JSON value", cut(s.text))
}

// string reads a string that starts at the current quote.
func (s *Scanner) string() error {
	s.pos++
	n := 0
	for {
		i := special(s.buf[s.pos+n:])
		n += i
		if n > maxToken {
			return errLong
		}
		if s.pos+n == len(s.buf) {
			if err := s.fill(); err != nil {
				return noEOF(err)
			}
			continue
		}
		if s.buf[s.pos+n] == '\\' {
			return s.stringWithEscapes(n)
		}
		s.text = s.buf[s.pos : s.pos+n]
		s.pos += n + 1
		return nil
	}
}

// special finds the first quote or backslash; without one, it is the length.
// Most strings are short: a search made for long ones pays only behind them.
func special(b []byte) int {
	short := b[:min(len(b), 24)]
	for i, c := range short {
		if c == '"' || c == '\\' {
			return i
		}
	}
	i := bytes.IndexByte(b[len(short):], '"')
	if i < 0 {
		i = len(b) - len(short)
	}
	if j := bytes.IndexByte(b[len(short):len(short)+i], '\\'); j >= 0 {
		i = j
	}
	return len(short) + i
}

// peek skips white space and returns the byte after it, not consumed.
func (s *Scanner) peek() (byte, error) {
	for {
		for pos := s.pos; pos < len(s.buf); pos++ {
			switch c := s.buf[pos]; c {
			case '\n':
				s.line++
			case ' ', '\t', '\r':
			default:
				s.pos = pos
				return c, nil
			}
		}
		s.pos = len(s.buf)
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
}

// fill reads more behind what is not consumed yet.
func (s *Scanner) fill() error {
	if s.readErr != nil {
		return s.readErr
	}
	kept := len(s.buf) - s.pos
	if kept > maxToken {
		return errLong
	}
	if s.copying {
		if err := s.keep(); err != nil {
			return err
		}
	}
	if s.pos > 0 {
		copy(s.buf, s.buf[s.pos:])
		s.buf = s.buf[:kept]
		s.base += int64(s.pos)
		s.pos = 0
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

// noEOF makes of the end of the input, where it has no place, an error.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return errEnd
	}
	return err
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func quoted(c byte) string { return fmt.Sprintf("%q", rune(c)) }

// cut keeps error messages short.
func cut(text []byte) []byte { return text[:min(len(text), 40)] }
