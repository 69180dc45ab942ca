package tau

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"auspex/internal/mistake"
)

// Bounds on what the scanner holds at a time.
const (
	maxTag  = 64 << 10
	maxText = 1 << 20
)

// xmlScanner reads the little XML that TAU writes: tags with attributes,
// text, and no entities but single characters. TAU puts several documents and
// NUL bytes into a file and whatever bytes a name holds, so that a strict XML
// parser refuses it.
type xmlScanner struct {
	r    *bufio.Reader
	name string
	line int
	buf  []byte
	row  []float64
}

// xmlTag is a tag: its name, with a slash before that of an end tag, and
// its attributes as written.
type xmlTag struct {
	name string
	rest []byte
}

func (x *xmlScanner) fail(format string, args ...any) error {
	return mistake.AtLine(x.name, x.line, format, args...)
}

func (x *xmlScanner) byte() (byte, error) {
	c, err := x.r.ReadByte()
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, x.fail("%v", err)
	}
	if c == '\n' {
		x.line++
	}
	return c, err
}

// until reads up to a byte, which is taken but not returned. The result is
// valid until the next call.
func (x *xmlScanner) until(end byte, limit int) ([]byte, error) {
	x.buf = x.buf[:0]
	for {
		c, err := x.byte()
		if err != nil {
			return nil, err
		}
		if c == end {
			return x.buf, nil
		}
		if len(x.buf) == limit {
			return nil, x.fail("more than %d bytes without a %q: this is no TAU profile", limit, end)
		}
		x.buf = append(x.buf, c)
	}
}

// tag passes over text up to the next tag. Comments and declarations are tags
// of no meaning. At the end of the file the error is io.EOF.
func (x *xmlScanner) tag() (xmlTag, error) {
	for {
		c, err := x.byte()
		if err != nil {
			return xmlTag{}, err
		}
		if c == '<' {
			break
		}
	}
	return x.openTag()
}

// openTag reads a tag whose '<' has been read.
func (x *xmlScanner) openTag() (xmlTag, error) {
	text, err := x.until('>', maxTag)
	if err != nil {
		return xmlTag{}, err
	}
	text = bytes.TrimSpace(bytes.TrimSuffix(text, []byte("/")))
	end := bytes.IndexAny(text, " \t\r\n")
	if end < 0 {
		end = len(text)
	}
	return xmlTag{string(text[:end]), text[end:]}, nil
}

// attribute returns the value of an attribute, "" where it is not there.
func (t xmlTag) attribute(name string) string {
	rest := t.rest
	for {
		key, after, ok := bytes.Cut(rest, []byte("="))
		after = bytes.TrimLeft(after, " \t\r\n")
		if !ok || len(after) == 0 {
			return ""
		}
		value, remains, ok := bytes.Cut(after[1:], after[:1])
		if !ok {
			return ""
		}
		if string(bytes.TrimSpace(key)) == name {
			return string(unescape(value))
		}
		rest = remains
	}
}

// text reads the text of the element that was just opened, and its end tag.
func (x *xmlScanner) text() (string, error) {
	raw, err := x.until('<', maxText)
	if errors.Is(err, io.EOF) {
		return "", x.fail("the file ends within an element")
	}
	if err != nil {
		return "", err
	}
	text := string(unescape(raw))
	for {
		part, ok, err := x.cdata()
		if err != nil {
			return "", err
		}
		if !ok {
			break
		}
		if raw, err = x.until('<', maxText); err != nil {
			return "", x.fail("the file ends within an element")
		}
		text = strings.TrimSpace(text) + part + strings.TrimSpace(string(unescape(raw)))
		if len(text) > maxText {
			return "", x.fail("an element of more than %d bytes", maxText)
		}
	}
	tag, err := x.openTag()
	if errors.Is(err, io.EOF) || err == nil && (tag.name == "" || tag.name[0] != '/') {
		return "", x.fail("an element is not closed")
	}
	return text, err
}

// cdata reads a section <![CDATA[text]]> whose '<' has been read, if one is
// there: newer versions of TAU write names in them.
func (x *xmlScanner) cdata() (text string, ok bool, err error) {
	const begin = "![CDATA["
	if head, _ := x.r.Peek(len(begin)); string(head) != begin {
		return "", false, nil
	}
	x.r.Discard(len(begin))
	x.buf = x.buf[:0]
	for !bytes.HasSuffix(x.buf, []byte("]]>")) {
		c, err := x.byte()
		if err != nil {
			return "", false, x.fail("the file ends within a CDATA section")
		}
		if len(x.buf) == maxText {
			return "", false, x.fail("a CDATA section of more than %d bytes", maxText)
		}
		x.buf = append(x.buf, c)
	}
	return string(x.buf[:len(x.buf)-len("]]>")]), true, nil
}

// rows reads the numbers of the element that was just opened, so many in each
// row, up to its end tag, and hands the rows over.
func (x *xmlScanner) rows(width int, use func(row []float64) error) error {
	x.row = x.row[:0]
	x.buf = x.buf[:0]
	for {
		c, err := x.byte()
		if errors.Is(err, io.EOF) {
			return x.fail("the file ends within an element")
		}
		if err != nil {
			return err
		}
		if c > ' ' && c != '<' {
			if len(x.buf) > 64 {
				return x.fail("%.40q is no number", x.buf)
			}
			x.buf = append(x.buf, c)
			continue
		}
		if len(x.buf) > 0 {
			v, ok := parseNumber(x.buf)
			if !ok {
				return x.fail("%.40q is no number", x.buf)
			}
			x.buf = x.buf[:0]
			if x.row = append(x.row, v); len(x.row) == width {
				if err := use(x.row); err != nil {
					return err
				}
				x.row = x.row[:0]
			}
		}
		if c == '<' {
			break
		}
	}
	if len(x.row) > 0 {
		return x.fail("%d numbers are left over: rows should have %d", len(x.row), width)
	}
	if _, err := x.openTag(); errors.Is(err, io.EOF) {
		return x.fail("the file ends within an element")
	} else if err != nil {
		return err
	}
	return nil
}
