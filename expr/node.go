package expr

import (
	"strconv"
	"strings"
)

// Node is a metric expression: a [*Number], [*Name], [*Negation] or [*Binary].
type Node interface {
	// String prints text that parses back to an equal tree, with no more
	// parentheses than that needs.
	String() string
	// Pos is the byte offset in the text it was parsed from.
	Pos() int

	write(b *strings.Builder, binding int)
	depth() int
}

// Number is a constant.
type Number struct {
	Value  float64 // finite and not negative
	Offset int
}

// Name stands for a metric's column.
type Name struct {
	Name   string
	Offset int
}

// Negation is unary minus.
type Negation struct {
	X      Node
	Offset int
	deep   int
}

// Binary is X Op Y, where Op is one of + - * /.
type Binary struct {
	Op     byte
	X, Y   Node
	Offset int // of the operator
	deep   int
}

// Pos is the offset of the first character.
func (n *Number) Pos() int   { return n.Offset }
func (n *Name) Pos() int     { return n.Offset }
func (n *Negation) Pos() int { return n.Offset }

// Pos is the offset of the left operand.
func (n *Binary) Pos() int { return n.X.Pos() }

func (n *Number) depth() int   { return 1 }
func (n *Name) depth() int     { return 1 }
func (n *Negation) depth() int { return n.deep }
func (n *Binary) depth() int   { return n.deep }

// How tightly an operator holds its operands.
const (
	sum = iota + 1
	product
	sign
)

func binding(op byte) int {
	if op == '+' || op == '-' {
		return sum
	}
	return product
}

func text(n Node) string {
	var b strings.Builder
	n.write(&b, 0)
	return b.String()
}

func (n *Number) String() string   { return text(n) }
func (n *Name) String() string     { return text(n) }
func (n *Negation) String() string { return text(n) }
func (n *Binary) String() string   { return text(n) }

func (n *Number) write(b *strings.Builder, _ int) {
	b.WriteString(strconv.FormatFloat(n.Value, 'g', -1, 64))
}

func (n *Name) write(b *strings.Builder, _ int) { b.WriteString(Quote(n.Name)) }

func (n *Negation) write(b *strings.Builder, _ int) {
	b.WriteByte('-')
	n.X.write(b, sign)
}

func (n *Binary) write(b *strings.Builder, outer int) {
	own := binding(n.Op)
	if own < outer {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	n.X.write(b, own)
	if own == sum {
		b.WriteString(" " + string(n.Op) + " ")
	} else {
		b.WriteByte(n.Op)
	}
	n.Y.write(b, own+1) // operators group to the left
}

// Equal reports whether two trees are the same, wherever they were written.
func Equal(a, b Node) bool {
	switch a := a.(type) {
	case *Number:
		b, ok := b.(*Number)
		return ok && a.Value == b.Value
	case *Name:
		b, ok := b.(*Name)
		return ok && a.Name == b.Name
	case *Negation:
		b, ok := b.(*Negation)
		return ok && Equal(a.X, b.X)
	case *Binary:
		b, ok := b.(*Binary)
		return ok && a.Op == b.Op && Equal(a.X, b.X) && Equal(a.Y, b.Y)
	}
	return a == b
}

// Walk calls visit for every name in the tree, from left to right.
func Walk(n Node, visit func(*Name)) {
	switch n := n.(type) {
	case *Name:
		visit(n)
	case *Negation:
		Walk(n.X, visit)
	case *Binary:
		Walk(n.X, visit)
		Walk(n.Y, visit)
	}
}

// Names lists the metrics a tree mentions, each once, in the order in which
// they first appear.
func Names(n Node) []string {
	var names []string
	seen := map[string]bool{}
	Walk(n, func(m *Name) {
		if !seen[m.Name] {
			seen[m.Name] = true
			names = append(names, m.Name)
		}
	})
	return names
}

// Substitute copies the tree with every name replaced by what replace gives
// for it. Names in the new parts keep their own offsets.
func Substitute(n Node, replace func(*Name) Node) Node {
	switch n := n.(type) {
	case *Name:
		return replace(n)
	case *Negation:
		x := Substitute(n.X, replace)
		return &Negation{X: x, Offset: n.Offset, deep: 1 + x.depth()}
	case *Binary:
		x, y := Substitute(n.X, replace), Substitute(n.Y, replace)
		return &Binary{Op: n.Op, X: x, Y: y, Offset: n.Offset, deep: 1 + max(x.depth(), y.depth())}
	}
	return n
}
