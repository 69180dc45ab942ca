package input

import (
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"auspex/internal/mistake"
)

// Limits on XML input: a single tag, text or comment, and open elements.
const (
	MaxXMLToken = 4 << 20
	maxXMLDepth = 8192
)

// XML reads the XML of other tools token by token. Memory stays small
// whatever the file says: entities are never expanded and declaring one is
// refused, as are tokens and nesting beyond all reason.
type XML struct {
	decoder *xml.Decoder
	guard   *xmlGuard
	Name    string
	ctx     context.Context
	tokens  int
	Open    []string // names of the open elements
}

// NewXML reads from r until the context ends; name is used in errors.
// Unquoted attributes are tolerated, since Cube writes them (rowwise=false).
func NewXML(ctx context.Context, r *bufio.Reader, name string) *XML {
	guard := &xmlGuard{r: r}
	decoder := xml.NewDecoder(guard)
	decoder.Strict = false
	return &XML{decoder: decoder, guard: guard, Name: name, ctx: ctx}
}

// Next returns the next start tag, end tag or text; io.EOF after the last.
// Text is only good until the next call.
func (in *XML) Next() (xml.Token, error) {
	for {
		in.guard.n = 0
		if in.tokens++; in.tokens%4096 == 0 && in.ctx.Err() != nil {
			return nil, in.ctx.Err()
		}
		token, err := in.decoder.RawToken()
		if err == io.EOF && len(in.Open) == 0 {
			return nil, io.EOF
		}
		if err != nil {
			return nil, in.fault(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if len(in.Open) >= maxXMLDepth {
				return nil, in.Errorf("more than %d elements nested in each other", maxXMLDepth)
			}
			in.Open = append(in.Open, t.Name.Local)
			return t, nil
		case xml.EndElement:
			last := len(in.Open) - 1
			if last < 0 || in.Open[last] != t.Name.Local {
				return nil, in.Errorf("</%s> closes what was not opened", t.Name.Local)
			}
			in.Open = in.Open[:last]
			return t, nil
		case xml.CharData:
			return t, nil
		case xml.Directive:
			if bytes.Contains(t, []byte("<!ENTITY")) {
				return nil, in.Errorf("declares XML entities, which no profiling tool does: refused")
			}
		}
	}
}

// Errorf makes an error at the place reached.
func (in *XML) Errorf(format string, args ...any) error {
	line, _ := in.decoder.InputPos()
	return mistake.AtLine(in.Name, line, format, args...)
}

func (in *XML) fault(err error) error {
	var syntax *xml.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.As(err, &syntax) && syntax.Msg == "unexpected EOF":
		return in.Errorf("ends early: the XML is cut off")
	case syntax != nil:
		return in.Errorf("not well-formed XML: %s", syntax.Msg)
	}
	return in.Errorf("%w", err)
}

// Attribute returns the value of an attribute, "" where it is absent.
func Attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// xmlGuard counts the bytes that go into one token.
type xmlGuard struct {
	r *bufio.Reader
	n int
}

func (g *xmlGuard) ReadByte() (byte, error) {
	if g.n++; g.n > MaxXMLToken {
		return 0, fmt.Errorf("a single tag or text of more than %d MiB", MaxXMLToken>>20)
	}
	return g.r.ReadByte()
}

func (g *xmlGuard) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c, err := g.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = c
	return 1, nil
}
