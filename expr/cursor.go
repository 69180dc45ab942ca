package expr

import (
	"fmt"
	"strings"
)

// MaxDepth bounds the depth of a tree, so that no text can exhaust a stack,
// here or in the database.
const MaxDepth = 200

// Cursor walks over the tokens of one text. Grammars that contain metric
// expressions share it, so that every error points into the same text.
type Cursor struct {
	src   string
	toks  []Token
	at    int
	depth int
}

// NewCursor cuts src into tokens and stands before the first.
func NewCursor(src string) (*Cursor, error) {
	toks, err := tokens(src)
	if err != nil {
		return nil, err
	}
	return &Cursor{src: src, toks: toks}, nil
}

// Peek gives the next token without taking it.
func (c *Cursor) Peek() Token { return c.PeekAt(0) }

// PeekAt gives the token k places after the next one; past the end it is EOF.
func (c *Cursor) PeekAt(k int) Token { return c.toks[min(c.at+k, len(c.toks)-1)] }

// Next takes the next token. At the end it stays there.
func (c *Cursor) Next() Token {
	t := c.Peek()
	if t.Kind != EOF {
		c.at++
	}
	return t
}

// Accept takes the next token if it is the operator op.
func (c *Cursor) Accept(op string) bool {
	if t := c.Peek(); t.Kind != Op || t.Text != op {
		return false
	}
	c.at++
	return true
}

// AcceptWord takes the next token if it is the bare word w, whatever its case.
func (c *Cursor) AcceptWord(w string) bool {
	if !c.Peek().Is(w) {
		return false
	}
	c.at++
	return true
}

// Expect takes the operator op or fails.
func (c *Cursor) Expect(op string) error {
	if !c.Accept(op) {
		return c.Errorf(c.Peek(), "expected %s, found %s", op, c.Peek())
	}
	return nil
}

// ExpectWord takes the bare word w or fails.
func (c *Cursor) ExpectWord(w string) error {
	if !c.AcceptWord(w) {
		return c.Errorf(c.Peek(), "expected %s, found %s", strings.ToUpper(w), c.Peek())
	}
	return nil
}

// End fails unless every token was taken.
func (c *Cursor) End() error {
	if t := c.Peek(); t.Kind != EOF {
		return c.Errorf(t, "unexpected %s", t)
	}
	return nil
}

// Errorf makes an error that points at t.
func (c *Cursor) Errorf(t Token, format string, args ...any) *Error {
	return &Error{Source: c.src, Offset: t.Pos, Message: fmt.Sprintf(format, args...)}
}

// Enter counts one level of nesting and fails where it goes too deep. Each
// successful Enter is paired with a Leave.
func (c *Cursor) Enter() error {
	if c.depth >= MaxDepth {
		return c.Errorf(c.Peek(), "nested more than %d deep", MaxDepth)
	}
	c.depth++
	return nil
}

// Leave ends a level of nesting.
func (c *Cursor) Leave() { c.depth-- }

// Reserved reports whether word has a meaning in the query language, so that a
// metric of that name must be quoted.
func Reserved(word string) bool {
	switch strings.ToLower(word) {
	case "and", "or", "not", "is", "if", "then", "where", "over", "by", "with", "order", "limit", "asc", "desc":
		return true
	}
	return false
}
