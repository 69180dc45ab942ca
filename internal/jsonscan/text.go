package jsonscan

import (
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// stringWithEscapes reads a string whose first n bytes are known to be plain,
// into a buffer of its own.
func (s *Scanner) stringWithEscapes(n int) error {
	out := append(s.unquoted[:0], s.buf[s.pos:s.pos+n]...)
	s.pos += n
	for {
		if len(out) > maxToken {
			return errLong
		}
		if s.pos == len(s.buf) {
			if err := s.fill(); err != nil {
				return noEOF(err)
			}
		}
		c := s.buf[s.pos]
		s.pos++
		switch c {
		case '"':
			s.unquoted, s.text = out, out
			return nil
		case '\\':
			var err error
			if out, err = s.escape(out); err != nil {
				return err
			}
		default:
			out = append(out, c)
		}
	}
}

// escape reads what follows a backslash.
func (s *Scanner) escape(out []byte) ([]byte, error) {
	if err := s.need(1); err != nil {
		return nil, err
	}
	c := s.buf[s.pos]
	s.pos++
	switch c {
	case 'n':
		return append(out, '\n'), nil
	case 't':
		return append(out, '\t'), nil
	case 'r':
		return append(out, '\r'), nil
	case 'b':
		return append(out, '\b'), nil
	case 'f':
		return append(out, '\f'), nil
	case '"', '\\', '/':
		return append(out, c), nil
	case 'u':
		r, err := s.hex4()
		if err != nil {
			return nil, err
		}
		return s.surrogate(out, r)
	}
	return nil, fmt.Errorf(`\%c is no escape of JSON`, c)
}

// surrogate appends a character, joining it with its second half where it is
// the first half of a pair.
func (s *Scanner) surrogate(out []byte, r rune) ([]byte, error) {
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(out, r), nil
	}
	if s.need(2) != nil || s.buf[s.pos] != '\\' || s.buf[s.pos+1] != 'u' {
		return utf8.AppendRune(out, utf8.RuneError), nil
	}
	s.pos += 2
	second, err := s.hex4()
	if err != nil {
		return nil, err
	}
	if pair := utf16.DecodeRune(r, second); pair != utf8.RuneError {
		return utf8.AppendRune(out, pair), nil
	}
	out = utf8.AppendRune(out, utf8.RuneError)
	return s.surrogate(out, second)
}

func (s *Scanner) hex4() (rune, error) {
	if err := s.need(4); err != nil {
		return 0, err
	}
	digits := s.buf[s.pos : s.pos+4]
	n, err := strconv.ParseUint(string(digits), 16, 16)
	if err != nil {
		return 0, fmt.Errorf(`\u%s is no escape of JSON`, digits)
	}
	s.pos += 4
	return rune(n), nil
}

// need makes sure that n bytes more are in the buffer.
func (s *Scanner) need(n int) error {
	for len(s.buf)-s.pos < n {
		if err := s.fill(); err != nil {
			return noEOF(err)
		}
	}
	return nil
}
