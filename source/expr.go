package source

import "strings"

// ExprKind is the sort of an expression, in terms common to the languages.
type ExprKind int

// The sorts of expressions.
const (
	Opaque  ExprKind = iota // not understood: may read and write anything in it
	Name                    // a variable, or a procedure used as one
	Literal                 // a number, string or logical constant
	Index                   // Args[0] subscripted by the rest
	CallOf                  // a call: Name of the procedure, Args
	Apply                   // Fortran name(args): an array element or a call
	Member                  // Args[0].Name or Args[0]%Name or Args[0]->Name
	Unary                   // Op Args[0]; also `*`, `&` and sizeof of C
	Binary                  // Args[0] Op Args[1]
	Assign                  // Args[0] Op Args[1]; Op is =, +=, …; ++ and -- are += and -=
	Cond                    // Args[0] ? Args[1] : Args[2]
	Range                   // Fortran i:j:k; absent parts are nil
	List                    // several values: { … }, (/ … /), a comma expression
)

// Expr is an expression. Names in Fortran are in lower case.
type Expr struct {
	Kind ExprKind `json:"kind"`
	Op   string   `json:"op,omitempty"`
	Name string   `json:"name,omitempty"` // also the text of a literal
	Args []*Expr  `json:"args,omitempty"`
	Place
	Node *Node `json:"-"`
}

// String writes the expression in one plain notation for all languages.
func (e *Expr) String() string {
	if e == nil {
		return ""
	}
	args := func(from int) string {
		var parts []string
		for _, a := range e.Args[from:] {
			parts = append(parts, a.String())
		}
		return strings.Join(parts, ", ")
	}
	switch e.Kind {
	case Name, Literal:
		return e.Name
	case Index:
		return e.Args[0].String() + "[" + args(1) + "]"
	case CallOf:
		return e.Name + "(" + args(0) + ")"
	case Apply:
		return e.Name + "⟨" + args(0) + "⟩"
	case Member:
		return e.Args[0].String() + "." + e.Name
	case Unary:
		return "(" + e.Op + e.Args[0].String() + ")"
	case Binary:
		return "(" + e.Args[0].String() + " " + e.Op + " " + e.Args[1].String() + ")"
	case Assign:
		return e.Args[0].String() + " " + e.Op + " " + e.Args[1].String()
	case Cond:
		return "(" + e.Args[0].String() + " ? " + e.Args[1].String() + " : " + e.Args[2].String() + ")"
	case Range:
		return e.Args[0].String() + ":" + e.Args[1].String() + ":" + e.Args[2].String()
	case List:
		return "{" + args(0) + "}"
	}
	return "?(" + args(0) + ")"
}

// Walk visits the expression and all in it, parents first.
func (e *Expr) Walk(visit func(*Expr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, a := range e.Args {
		a.Walk(visit)
	}
}

// Variable is a declared name.
type Variable struct {
	Name    string  `json:"name"`
	Type    string  `json:"type"`
	Dims    []*Expr `json:"dims,omitempty"` // nil entries where a bound is not given
	Pointer bool    `json:"pointer,omitempty"`
	Param   bool    `json:"param,omitempty"` // a dummy argument
	Init    *Expr   `json:"init,omitempty"`
	Place
}

// Expr lowers an expression's syntax node.
func (f *File) Expr(n *Node) *Expr {
	if n == nil {
		return nil
	}
	if f.Language == Fortran {
		return f.fExpr(n)
	}
	return f.cExpr(n)
}

// Exprs gives the expressions a statement itself evaluates, not those of the
// statements inside it, in order: an assignment, a call, the condition of an
// if, the initialiser, condition and step of a loop (a counted DO gives
// `var = from`, to, step), the initialisers of a declaration as assignments.
func (f *File) Exprs(s *Stmt) []*Expr {
	if f.Language == Fortran {
		return f.fExprs(s)
	}
	return f.cExprs(s)
}

// Variables lists the names a unit declares, parameters included.
func (f *File) Variables(u *Unit) []Variable {
	if f.Language == Fortran {
		return f.fVariables(u)
	}
	return f.cVariables(u)
}

func (f *File) expr(kind ExprKind, n *Node, args ...*Expr) *Expr {
	return &Expr{Kind: kind, Args: args, Place: f.place(n.Span), Node: n}
}

// opaque keeps what can be lowered below a node that is not understood.
func (f *File) opaque(n *Node) *Expr {
	e := f.expr(Opaque, n)
	for k := range n.Children() {
		if k.Named && k.Kind != "comment" {
			e.Args = append(e.Args, f.Expr(k))
		}
	}
	return e
}

// named gives the named children that are no comments.
func named(n *Node) []*Node {
	var list []*Node
	if n == nil {
		return nil
	}
	for k := range n.Children() {
		if k.Named && k.Kind != "comment" {
			list = append(list, k)
		}
	}
	return list
}

// operator finds the text of the operator between a node's operands. In fixed
// form it may be spread over lines.
func (f *File) operator(n *Node) string {
	op := n.Child("operator")
	if op == nil {
		for k := range n.Children() {
			if !k.Named {
				op = k
				break
			}
		}
	}
	if op == nil {
		return ""
	}
	text := strings.Join(strings.Fields(strings.ToLower(op.Text(f.Text))), "")
	if len(text) > 2 {
		text = strings.ReplaceAll(text, "&", "") // a continuation mark; C has no such operator
	}
	return text
}
