package source

import "strings"

func (f *File) cExpr(n *Node) *Expr {
	switch n.Kind {
	case "identifier", "field_identifier", "qualified_identifier", "this":
		e := f.expr(Name, n)
		e.Name = n.Text(f.Text)
		return e
	case "number_literal", "char_literal", "string_literal", "concatenated_string", "true", "false", "null", "nullptr":
		e := f.expr(Literal, n)
		e.Name = n.Text(f.Text)
		return e
	case "parenthesized_expression", "condition_clause", "expression_statement", "else_clause":
		list := named(n)
		if len(list) == 1 {
			return f.cExpr(list[0])
		}
		return f.opaque(n)
	case "subscript_expression":
		e := f.expr(Index, n, f.Expr(n.Child("argument")))
		if i := n.Child("index"); i != nil {
			e.Args = append(e.Args, f.cExpr(i))
		}
		for _, k := range named(n.Child("indices")) {
			e.Args = append(e.Args, f.cExpr(k))
		}
		return flattenIndex(e)
	case "call_expression":
		return f.cCall(n)
	case "field_expression":
		e := f.expr(Member, n, f.Expr(n.Child("argument")))
		if field := n.Child("field"); field != nil {
			e.Name = field.Text(f.Text)
		}
		e.Op = f.operator(n)
		return e
	case "binary_expression":
		return f.two(Binary, n)
	case "assignment_expression":
		return f.two(Assign, n)
	case "init_declarator":
		e := f.expr(Assign, n, f.Expr(declaredName(n.Child("declarator"))), f.Expr(n.Child("value")))
		e.Op = "="
		return complete(f, e, n)
	case "update_expression":
		one := f.expr(Literal, n)
		one.Name = "1"
		e := f.expr(Assign, n, f.Expr(n.Child("argument")), one)
		e.Op = "+="
		if f.operator(n) == "--" {
			e.Op = "-="
		}
		return complete(f, e, n)
	case "unary_expression", "pointer_expression":
		e := f.expr(Unary, n, f.Expr(n.Child("argument")))
		e.Op = f.operator(n)
		return complete(f, e, n)
	case "cast_expression":
		return f.orOpaque(n.Child("value"), n)
	case "conditional_expression":
		e := f.expr(Cond, n, f.Expr(n.Child("condition")), f.Expr(n.Child("consequence")), f.Expr(n.Child("alternative")))
		return complete(f, e, n)
	case "comma_expression", "initializer_list", "argument_list":
		e := f.expr(List, n)
		for _, k := range named(n) {
			e.Args = append(e.Args, f.cExpr(k))
		}
		return e
	case "sizeof_expression", "type_descriptor":
		e := f.expr(Literal, n) // evaluates nothing
		e.Name = n.Text(f.Text)
		return e
	}
	return f.opaque(n)
}

func (f *File) orOpaque(n, whole *Node) *Expr {
	if n == nil {
		return f.opaque(whole)
	}
	return f.Expr(n)
}

// complete gives up on an expression with a part missing.
func complete(f *File, e *Expr, n *Node) *Expr {
	for _, a := range e.Args {
		if a == nil {
			return f.opaque(n)
		}
	}
	return e
}

func (f *File) two(kind ExprKind, n *Node) *Expr {
	e := f.expr(kind, n, f.Expr(n.Child("left")), f.Expr(n.Child("right")))
	e.Op = f.operator(n)
	return complete(f, e, n)
}

// flattenIndex makes a[i][j] one Index with two subscripts.
func flattenIndex(e *Expr) *Expr {
	if base := e.Args[0]; base != nil && base.Kind == Index {
		e.Args = append(append([]*Expr{}, base.Args...), e.Args[1:]...)
	}
	if e.Args[0] == nil || len(e.Args) < 2 {
		e.Kind = Opaque
	}
	return e
}

func (f *File) cCall(n *Node) *Expr {
	e := f.expr(CallOf, n)
	fn := n.Child("function")
	if fn == nil {
		return f.opaque(n)
	}
	e.Name = fn.Text(f.Text)
	if fn.Kind != "identifier" && fn.Kind != "qualified_identifier" {
		e.Name = ""
		e.Args = append(e.Args, f.cExpr(fn)) // a method's object, a function pointer
		if fn.Kind == "field_expression" {
			if m := fn.Child("field"); m != nil {
				e.Name = m.Text(f.Text)
			}
			e.Args[0] = f.orOpaque(fn.Child("argument"), fn)
		}
	}
	for _, k := range named(n.Child("arguments")) {
		e.Args = append(e.Args, f.cExpr(k))
	}
	return e
}

func (f *File) cExprs(s *Stmt) []*Expr {
	var out []*Expr
	add := func(n *Node) {
		switch {
		case n == nil:
		case n.Kind == "declaration":
			for k := range n.Children() {
				if k.Kind == "init_declarator" {
					out = append(out, f.cExpr(k))
				}
			}
		default:
			out = append(out, f.cExpr(n))
		}
	}
	switch s.Kind {
	case Simple, Return, Throw:
		for _, k := range named(s.Node) {
			if k.Kind != "statement_identifier" {
				add(k)
			}
		}
	case Declaration:
		add(s.Node)
	case If, Switch:
		add(s.Node.Child("condition"))
	case Loop:
		add(s.Loop.From)
		add(s.Loop.To)
		add(s.Loop.Step)
	}
	return out
}

func (f *File) cVariables(u *Unit) []Variable {
	var out []Variable
	declare := func(decl *Node, typ string, param bool) {
		name := declaredName(decl)
		if name == nil {
			return
		}
		v := Variable{Name: name.Text(f.Text), Type: typ, Param: param, Place: f.place(decl.Span)}
		for d := decl; d != nil && d != name; {
			switch d.Kind {
			case "init_declarator":
				v.Init = f.Expr(d.Child("value"))
			case "pointer_declarator", "reference_declarator":
				v.Pointer = true
			case "array_declarator":
				v.Dims = append([]*Expr{f.Expr(d.Child("size"))}, v.Dims...)
			}
			next := d.Child("declarator")
			if next == nil {
				next = d.Find("identifier", "pointer_declarator", "array_declarator", "reference_declarator")
			}
			d = next
		}
		out = append(out, v)
	}
	from := func(n *Node, param bool) {
		typ := ""
		if t := n.Child("type"); t != nil {
			typ = t.Text(f.Text)
		}
		for k := range n.Children() {
			if k.Field == "declarator" {
				declare(k, typ, param)
			}
		}
	}
	if d := functionDeclarator(u.Node); d != nil {
		for _, p := range named(d.Child("parameters")) {
			from(p, true)
		}
	}
	for k := range u.Node.Children() { // int f(a) int a; { … }
		if k.Kind == "declaration" {
			from(k, true)
		}
	}
	u.Walk(func(s *Stmt, _ []*Stmt) bool {
		if s.Kind == Declaration && s.Node.Kind == "declaration" {
			from(s.Node, false)
		}
		if s.Kind == Loop && s.Loop.From != nil && s.Loop.From.Kind == "declaration" {
			from(s.Loop.From, false)
		}
		if s.Kind == Loop && s.Loop.Kind == ForEach && s.Loop.Var != nil {
			declare(s.Loop.Var, strings.TrimSpace(f.typeOf(s.Node)), false)
		}
		return true
	})
	return out
}

func (f *File) typeOf(n *Node) string {
	if t := n.Child("type"); t != nil {
		return t.Text(f.Text)
	}
	return ""
}
