package ingest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"auspex/model"
)

// Limits on XML input: a single tag, text or comment, and open elements.
const (
	maxXMLToken = 4 << 20
	maxXMLDepth = 8192
)

// xmlInput reads the XML of other tools token by token. Memory stays small
// whatever the file says: entities are never expanded and declaring one is
// refused, as are tokens and nesting beyond all reason.
type xmlInput struct {
	decoder *xml.Decoder
	guard   *xmlGuard
	name    string
	ctx     context.Context
	tokens  int
	open    []string // names of the open elements
}

// newXMLInput reads from r until the context ends; name is used in errors.
// Unquoted attributes are tolerated, since Cube writes them (rowwise=false).
func newXMLInput(ctx context.Context, r *bufio.Reader, name string) *xmlInput {
	guard := &xmlGuard{r: r}
	decoder := xml.NewDecoder(guard)
	decoder.Strict = false
	return &xmlInput{decoder: decoder, guard: guard, name: name, ctx: ctx}
}

// next returns the next start tag, end tag or text; io.EOF after the last.
// Text is only good until the next call.
func (in *xmlInput) next() (xml.Token, error) {
	for {
		in.guard.n = 0
		if in.tokens++; in.tokens%4096 == 0 && in.ctx.Err() != nil {
			return nil, in.ctx.Err()
		}
		token, err := in.decoder.RawToken()
		if err == io.EOF && len(in.open) == 0 {
			return nil, io.EOF
		}
		if err != nil {
			return nil, in.fault(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if len(in.open) >= maxXMLDepth {
				return nil, in.errorf("more than %d elements nested in each other", maxXMLDepth)
			}
			in.open = append(in.open, t.Name.Local)
			return t, nil
		case xml.EndElement:
			last := len(in.open) - 1
			if last < 0 || in.open[last] != t.Name.Local {
				return nil, in.errorf("</%s> closes what was not opened", t.Name.Local)
			}
			in.open = in.open[:last]
			return t, nil
		case xml.CharData:
			return t, nil
		case xml.Directive:
			if bytes.Contains(t, []byte("<!ENTITY")) {
				return nil, in.errorf("declares XML entities, which no profiling tool does: refused")
			}
		}
	}
}

// errorf makes an error at the place reached.
func (in *xmlInput) errorf(format string, args ...any) error {
	line, _ := in.decoder.InputPos()
	return model.AtLine(in.name, line, format, args...)
}

func (in *xmlInput) fault(err error) error {
	var syntax *xml.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.As(err, &syntax) && syntax.Msg == "unexpected EOF":
		return in.errorf("ends early: the XML is cut off")
	case syntax != nil:
		return in.errorf("not well-formed XML: %s", syntax.Msg)
	}
	return in.errorf("%w", err)
}

// attribute returns the value of an attribute, "" where it is absent.
func attribute(e xml.StartElement, name string) string {
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
	if g.n++; g.n > maxXMLToken {
		return 0, fmt.Errorf("a single tag or text of more than %d MiB", maxXMLToken>>20)
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
