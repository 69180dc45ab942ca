package source

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"unsafe"

	fortran "github.com/alexaandru/go-sitter-forest/fortran"
	sitter "github.com/tree-sitter/go-tree-sitter"
	c "github.com/tree-sitter/tree-sitter-c/bindings/go"
	cxx "github.com/tree-sitter/tree-sitter-cpp/bindings/go"
)

// Span is a half-open range of bytes of the original text.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Contains tells whether o lies within s.
func (s Span) Contains(o Span) bool { return s.Start <= o.Start && o.End <= s.End }

// Node is one node of the syntax tree. Its kind and field names are those of
// the tree-sitter grammar of the language; its span counts bytes of the
// original text, whatever was done to the text before it was parsed.
type Node struct {
	Kind    string
	Field   string // the role in the parent, empty when the grammar names none
	Named   bool   // false for punctuation and keywords
	Missing bool   // invented by the parser to go on after an error
	Bad     bool   // an ERROR or missing node is in this subtree
	Span
	Parent, First, Next *Node
}

// Children visits the direct children in order, punctuation included.
func (n *Node) Children() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for k := n.First; k != nil; k = k.Next {
			if !yield(k) {
				return
			}
		}
	}
}

// Child gives the first child with this field name, or nil.
func (n *Node) Child(field string) *Node {
	for k := n.First; k != nil; k = k.Next {
		if k.Field == field {
			return k
		}
	}
	return nil
}

// Find gives the first child of one of these kinds, or nil.
func (n *Node) Find(kinds ...string) *Node {
	for k := n.First; k != nil; k = k.Next {
		for _, kind := range kinds {
			if k.Kind == kind && k.Named {
				return k
			}
		}
	}
	return nil
}

// Text gives the node's bytes.
func (n *Node) Text(text []byte) string { return string(text[n.Start:n.End]) }

// String shows the subtree as an S-expression of its named nodes.
func (n *Node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *Node) write(b *strings.Builder) {
	b.WriteByte('(')
	if n.Missing {
		b.WriteString("MISSING ")
	}
	b.WriteString(n.Kind)
	for k := range n.Children() {
		if k.Named || k.Missing {
			b.WriteByte(' ')
			if k.Field != "" {
				b.WriteString(k.Field + ": ")
			}
			k.write(b)
		}
	}
	b.WriteByte(')')
}

// maxDepth bounds the nesting that is followed; below it a node counts as bad.
// No program a person wrote comes near it, and it bounds every recursion here.
const maxDepth = 2000

// grammar is a language with the names of its node kinds and fields, read once
// so that walking a tree makes no strings.
type grammar struct {
	lang   *sitter.Language
	kinds  []string
	named  []bool
	fields []string
}

var grammars = map[Language]func() *grammar{
	C:       sync.OnceValue(func() *grammar { return newGrammar(c.Language()) }),
	CXX:     sync.OnceValue(func() *grammar { return newGrammar(cxx.Language()) }),
	Fortran: sync.OnceValue(func() *grammar { return newGrammar(fortran.GetLanguage()) }),
}

func newGrammar(p unsafe.Pointer) *grammar {
	g := &grammar{lang: sitter.NewLanguage(p)}
	for i := range g.lang.NodeKindCount() {
		g.kinds = append(g.kinds, g.lang.NodeKindForId(uint16(i)))
		g.named = append(g.named, g.lang.NodeKindIsNamed(uint16(i)))
	}
	for i := range g.lang.FieldCount() + 1 {
		g.fields = append(g.fields, g.lang.FieldNameForId(uint16(i)))
	}
	return g
}

// chunk is how much text is handed to the parser at a time. The binding copies
// every piece, and re-reads after errors, so that one huge piece would be
// copied again and again. Between pieces the parse can be called off.
const chunk = 256 << 10

// parse builds the syntax tree of text. Offsets are those of text.
func (g *grammar) parse(ctx context.Context, text []byte) (*Node, error) {
	plainAllocator()
	p := sitter.NewParser()
	defer p.Close()
	if err := p.SetLanguage(g.lang); err != nil {
		return nil, fmt.Errorf("tree-sitter grammar: %w", err)
	}
	read := func(i int, _ sitter.Point) []byte {
		if i >= len(text) || ctx.Err() != nil {
			return nil
		}
		return text[i:min(i+chunk, len(text))]
	}
	tree := p.ParseWithOptions(read, nil, nil)
	if tree == nil {
		return nil, fmt.Errorf("tree-sitter gave no tree for %d bytes", len(text))
	}
	defer tree.Close()
	return g.copyTree(tree), ctx.Err()
}

// copyTree turns the parser's tree into Nodes, so that nothing outside knows of
// C memory.
func (g *grammar) copyTree(tree *sitter.Tree) *Node {
	flat := flatten(tree)
	nodes := make([]Node, len(flat))
	last := make([]*Node, len(flat)) // the last child of each node so far
	for i, r := range flat {
		n := &nodes[i]
		n.Kind, n.Named = g.kind(uint16(r.kind))
		n.Field = g.fields[r.field]
		n.Span = Span{int(r.start), int(r.end)}
		n.Missing = r.missing != 0
		n.Bad = n.Missing || r.cut != 0 || n.Kind == "ERROR"
		if i == 0 {
			continue
		}
		up := int(r.parent)
		n.Parent = &nodes[up]
		if last[up] == nil {
			n.Parent.First = n
		} else {
			last[up].Next = n
		}
		last[up] = n
	}
	for i := len(nodes) - 1; i > 0; i-- { // children come after their parents
		nodes[i].Parent.Bad = nodes[i].Parent.Bad || nodes[i].Bad
	}
	return &nodes[0]
}

func (g *grammar) kind(id uint16) (name string, named bool) {
	if int(id) < len(g.kinds) {
		return g.kinds[id], g.named[id]
	}
	return "ERROR", true // the parser's own number for error nodes lies outside the table
}
