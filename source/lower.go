package source

import (
	"fmt"
	"strings"
)

// lowering turns a syntax tree into units and statements.
type lowering struct {
	file  *File
	text  []byte
	units []*Unit
	claim []*Node // nodes that became units
	// braces of the text that was parsed, for C and C++
	braces    *braces
	operators []operator
}

// str gives the text of a node with runs of blanks made one.
func (l *lowering) str(n *Node) string {
	if n == nil {
		return ""
	}
	return strings.Join(strings.Fields(n.Text(l.text)), " ")
}

func (l *lowering) stmt(kind StmtKind, n *Node) *Stmt {
	return &Stmt{Kind: kind, Place: l.file.place(n.Span), Node: n}
}

// unitProblems lists the errors in a unit's tree, not those in units inside.
func (l *lowering) unitProblems(n *Node, inside func(*Node) bool) []Problem {
	var ps []Problem
	var visit func(*Node)
	visit = func(k *Node) {
		if !k.Bad {
			return
		}
		if k.Kind == "ERROR" || k.Missing {
			ps = append(ps, l.problem(k))
			return
		}
		for c := range k.Children() {
			if !inside(c) {
				visit(c)
			}
		}
		if k.First == nil {
			ps = append(ps, Problem{Place: l.file.place(k.Span), Message: "nested too deep"})
		}
	}
	visit(n)
	return ps
}

func (l *lowering) problem(n *Node) Problem {
	line, _, more := strings.Cut(strings.TrimSpace(n.Text(l.text)), "\n")
	line = strings.Join(strings.Fields(line), " ")
	if more { // other statements, as a rule
		line += " …"
	}
	msg := "not understood: " + clip(line, 60)
	if n.Missing {
		msg = fmt.Sprintf("expected %q", n.Kind)
	}
	return Problem{Place: l.file.place(n.Span), Message: msg}
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// strayProblems lists the errors that lie in no unit.
func (l *lowering) strayProblems(root *Node) []Problem {
	claimed := map[*Node]bool{}
	for _, n := range l.claim {
		claimed[n] = true
	}
	var ps []Problem
	var visit func(*Node)
	visit = func(n *Node) {
		if !n.Bad || claimed[n] {
			return
		}
		if n.Kind == "ERROR" || n.Missing {
			ps = append(ps, l.problem(n))
			return
		}
		for c := range n.Children() {
			visit(c)
		}
	}
	visit(root)
	return ps
}

// isMPI recognises the names of routines that communicate, in either spelling:
// MPI's, and P2PSAP's.
func isMPI(name string) bool {
	if len(name) < 5 {
		return false
	}
	p := strings.ToLower(name[:4])
	return p == "p2p_" || p == "mpi_" || p == "pmpi" && strings.HasPrefix(strings.ToLower(name), "pmpi_")
}
