package jsonscan

import (
	"fmt"
	"io"
)

// maxElements bounds the text that Elements returns.
const maxElements = 64 << 20

// Of makes a scanner over text that is in memory; offsets count from base.
func Of(text []byte, base int64) *Scanner {
	return &Scanner{buf: text, base: base, line: 1, readErr: io.EOF}
}

// Elements returns the next elements of the array that was begun as an array of
// their own, written over text, and the offset at which it would begin. They are
// as many as take size bytes or as there are; after the last it returns nothing,
// and the closing bracket is left for Next. Only quotes and brackets are looked
// at, so that several such arrays can be read at once, each by a scanner of its
// own. With an error comes the text before it, and no closing bracket.
func (s *Scanner) Elements(text []byte, size int) ([]byte, int64, error) {
	more, err := s.more()
	base := s.Offset() - 1
	if err != nil || !more {
		return nil, base, err
	}
	s.copied, s.from, s.copying = append(text[:0], '['), s.pos, true
	whole := 0
	for err == nil && more && whole < size {
		if _, err = s.Next(); err == nil {
			err = s.Skip()
		}
		if err == nil {
			whole = len(s.copied) + s.pos - s.from
			more, err = s.more()
		}
	}
	text = append(s.copied, s.buf[s.from:s.pos]...)
	s.copied, s.copying = nil, false
	if err != nil {
		return text, base, err
	}
	return append(text[:whole], ']'), base, nil
}

// more passes over the comma and tells whether another element follows.
func (s *Scanner) more() (bool, error) {
	c, err := s.peek()
	if err == nil && c == ',' && s.comma {
		s.pos++
		s.comma = false
		c, err = s.peek()
	}
	return err == nil && c != ']', noEOF(err)
}

// keep copies what is consumed, before the buffer is used again.
func (s *Scanner) keep() error {
	s.copied = append(s.copied, s.buf[s.from:s.pos]...)
	s.from = 0
	if len(s.copied) > maxElements {
		return fmt.Errorf("an element longer than %d bytes", maxElements)
	}
	return nil
}
