package jsonscan

import (
	"fmt"
	"io"
)

// Skip passes over what the last token began: after a key its value, after
// the start of an object or array all of it. After any other token there is
// nothing to skip. Brackets are matched, the rest is not looked at.
func (s *Scanner) Skip() error {
	switch s.last {
	case ObjectStart, ArrayStart:
		return s.skipTo(len(s.open) - 1)
	case Key:
		return s.skipValue()
	}
	return nil
}

func (s *Scanner) skipValue() error {
	c, err := s.peek()
	if err != nil {
		return noEOF(err)
	}
	if c == '"' { // not through Next, which bounds the length
		s.pos++
		s.comma, s.afterKey, s.last = true, false, End
		return s.skipString()
	}
	if c == '-' || c >= '0' && c <= '9' {
		s.comma, s.afterKey, s.last = true, false, End
		return s.skipNumber()
	}
	kind, err := s.Next()
	if err != nil {
		return err
	}
	if kind == ObjectStart || kind == ArrayStart {
		return s.skipTo(len(s.open) - 1)
	}
	return nil
}

// skipNumber consumes what can be part of a number.
func (s *Scanner) skipNumber() error {
	for {
		buf, pos := s.buf, s.pos
		for pos < len(buf) && !endsNumber[buf[pos]] {
			pos++
		}
		if s.pos = pos; pos < len(buf) {
			return nil
		}
		if err := s.fill(); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

// endsNumber marks the bytes that stand behind a number.
var endsNumber = [256]bool{',': true, '}': true, ']': true, ' ': true, '\n': true, '\r': true, '\t': true, '"': true, ':': true, '{': true, '[': true}

// skipTo consumes until only depth brackets are open.
func (s *Scanner) skipTo(depth int) error {
	for len(s.open) > depth {
		if s.pos == len(s.buf) {
			if err := s.fill(); err != nil {
				return noEOF(err)
			}
		}
		if err := s.skipBuffered(depth); err != nil {
			return err
		}
	}
	s.comma, s.afterKey = true, false
	s.last = End
	return nil
}

// structural marks the bytes at which skipping has to do something.
var structural = [256]bool{'"': true, '\n': true, '{': true, '[': true, '}': true, ']': true}

// skipBuffered looks for quotes and brackets in what the buffer holds.
func (s *Scanner) skipBuffered(depth int) error {
	for {
		buf, pos := s.buf, s.pos
		for pos < len(buf) && !structural[buf[pos]] {
			pos++
		}
		if s.pos = pos; pos == len(buf) {
			return nil
		}
		s.pos++
		switch c := buf[pos]; c {
		case '"':
			if err := s.skipString(); err != nil {
				return err
			}
		case '\n':
			s.line++
		case '{', '[':
			if len(s.open) == maxDepth {
				return fmt.Errorf("nested deeper than %d", maxDepth)
			}
			s.open = append(s.open, c)
		default:
			top := len(s.open) - 1
			if s.open[top] != c-2 { // '{'+2 == '}' and '['+2 == ']'
				return fmt.Errorf("%s closes %s", quoted(c), quoted(s.open[top]))
			}
			s.open = s.open[:top]
			if top == depth {
				return nil
			}
		}
	}
}

// skipString consumes the rest of a string, however long it is.
func (s *Scanner) skipString() error {
	for {
		s.pos += special(s.buf[s.pos:])
		if s.pos == len(s.buf) {
			if err := s.fill(); err != nil {
				return noEOF(err)
			}
			continue
		}
		s.pos++
		if s.buf[s.pos-1] == '"' {
			return nil
		}
		if err := s.need(1); err != nil { // the escaped byte
			return err
		}
		s.pos++
	}
}
