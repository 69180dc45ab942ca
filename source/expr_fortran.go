package source

import "strings"

func (f *File) fExpr(n *Node) *Expr {
	switch n.Kind {
	case "identifier", "name", "method_name":
		e := f.expr(Name, n)
		e.Name = f.fName(n)
		return e
	case "number_literal", "string_literal", "boolean_literal", "complex_literal", "null_literal", "hollerith_constant":
		e := f.expr(Literal, n)
		e.Name = n.Text(f.Text)
		return e
	case "parenthesized_expression", "unit_identifier", "format_identifier":
		if list := named(n); len(list) == 1 {
			return f.fExpr(list[0])
		}
		return f.opaque(n)
	case "call_expression":
		return f.fApply(n)
	case "derived_type_member_expression":
		e := f.expr(Member, n)
		e.Op = "%"
		list := named(n)
		if len(list) < 2 {
			return f.opaque(n)
		}
		e.Args = []*Expr{f.fExpr(list[0])}
		e.Name = f.fName(list[len(list)-1])
		return e
	case "math_expression", "relational_expression", "logical_expression", "concatenation_expression", "binary_expression":
		if n.Child("left") == nil {
			return f.fUnary(n)
		}
		return f.two(Binary, n)
	case "unary_expression":
		return f.fUnary(n)
	case "assignment_statement", "assignment", "pointer_association_statement":
		list := named(n)
		if len(list) < 2 {
			return f.opaque(n)
		}
		e := f.expr(Assign, n, f.fExpr(list[0]), f.fExpr(list[len(list)-1]))
		e.Op = "="
		if n.Kind == "pointer_association_statement" {
			e.Op = "=>"
		}
		return e
	case "subroutine_call":
		return f.fCall(n)
	case "extent_specifier":
		return f.fRange(n)
	case "array_literal", "implied_do_loop_expression", "input_item_list", "output_item_list":
		e := f.expr(List, n)
		for _, k := range named(n) {
			e.Args = append(e.Args, f.fExpr(k))
		}
		return e
	case "keyword_argument":
		if v := n.Child("value"); v != nil {
			return f.fExpr(v)
		}
	}
	return f.opaque(n)
}

func (f *File) fName(n *Node) string {
	return strings.NewReplacer("&", "", " ", "", "\n", "", "\r", "", "\t", "").Replace(strings.ToLower(n.Text(f.Text)))
}

// fApply lowers name(args). With a derived-type reference before the
// parentheses it is an element of that, or a call of its method.
func (f *File) fApply(n *Node) *Expr {
	list := named(n)
	if len(list) == 0 {
		return f.opaque(n)
	}
	var args []*Expr
	for _, l := range list[1:] {
		for _, a := range named(l) {
			args = append(args, f.fExpr(a))
		}
	}
	base := f.fExpr(list[0])
	if base.Kind == Unary { // the grammar reads -a(i) as (-a)(i)
		base.Args[0] = f.applied(n, base.Args[0], args)
		return base
	}
	return f.applied(n, base, args)
}

func (f *File) applied(n *Node, base *Expr, args []*Expr) *Expr {
	switch {
	case base.Kind == Name:
		e := f.expr(Apply, n, args...)
		e.Name = base.Name
		return e
	case len(args) > 0:
		return f.expr(Index, n, append([]*Expr{base}, args...)...)
	}
	return f.expr(Opaque, n, base)
}

func (f *File) fUnary(n *Node) *Expr {
	list := named(n)
	if len(list) == 0 {
		return f.opaque(n)
	}
	e := f.expr(Unary, n, f.fExpr(list[len(list)-1]))
	e.Op = f.operator(n)
	return e
}

func (f *File) fCall(n *Node) *Expr {
	e := f.expr(CallOf, n)
	callee := n.Child("subroutine")
	if callee == nil {
		return f.opaque(n)
	}
	e.Name = f.fName(callee)
	if callee.Kind == "derived_type_member_expression" {
		m := f.fExpr(callee)
		e.Name, e.Args = m.Name, append(e.Args, m.Args...)
	}
	for _, a := range named(n.Find("argument_list")) {
		e.Args = append(e.Args, f.fExpr(a))
	}
	return e
}

// fRange lowers i:j:k by the colons between what is there.
func (f *File) fRange(n *Node) *Expr {
	e := f.expr(Range, n, nil, nil, nil)
	part := 0
	for k := range n.Children() {
		switch {
		case !k.Named && k.Kind == ":":
			part++
		case !k.Named && k.Kind == "::":
			part += 2
		case k.Named && k.Kind != "comment" && part < 3:
			e.Args[part] = f.fExpr(k)
		}
	}
	return e
}

func (f *File) fExprs(s *Stmt) []*Expr {
	var out []*Expr
	switch s.Kind {
	case Simple:
		switch s.Node.Kind {
		case "keyword_statement", "end_do_label_statement", "entry_statement":
		default:
			out = append(out, f.fExpr(s.Node))
		}
	case If, Switch, Return, Stop, Goto, Block:
		for k := range s.Node.Children() {
			if k.Kind == "parenthesized_expression" || k.Kind == "selector" || s.Kind == Return && k.Named {
				out = append(out, f.fExpr(k))
			}
		}
	case Declaration:
		for k := range s.Node.Children() {
			if l, r := k.Child("left"), k.Child("right"); k.Kind == "init_declarator" && l != nil && r != nil {
				e := f.expr(Assign, k, f.fExpr(l), f.fExpr(r))
				e.Op = "="
				out = append(out, e)
			}
		}
	case Loop:
		l := s.Loop
		if l.Var != nil && l.From != nil {
			e := f.expr(Assign, l.Var, f.fExpr(l.Var), f.fExpr(l.From))
			e.Op = "="
			out = append(out, e)
		}
		for _, n := range []*Node{l.To, l.Step} {
			if n != nil {
				out = append(out, f.fExpr(n))
			}
		}
	}
	return out
}

func (f *File) fVariables(u *Unit) []Variable {
	var out []Variable
	index := map[string]int{}
	get := func(name string, n *Node) *Variable {
		if i, ok := index[name]; ok {
			return &out[i]
		}
		index[name] = len(out)
		v := Variable{Name: name, Place: f.place(n.Span)}
		for _, p := range u.Params {
			v.Param = v.Param || p == name
		}
		out = append(out, v)
		return &out[len(out)-1]
	}
	u.Walk(func(s *Stmt, _ []*Stmt) bool {
		if s.Kind == Declaration {
			f.declare(s.Node, get)
		}
		return true
	})
	return out
}

// declare reads one specification statement. A name may appear in several.
func (f *File) declare(n *Node, get func(string, *Node) *Variable) {
	typ := ""
	if t := n.Child("type"); t != nil {
		typ = strings.ToLower(t.Text(f.Text))
	}
	var dims []*Expr
	pointer := false
	for k := range n.Children() {
		if k.Kind != "type_qualifier" {
			continue
		}
		q := strings.ToLower(k.Text(f.Text))
		pointer = pointer || q == "pointer"
		if strings.HasPrefix(q, "dimension") {
			for _, size := range named(k) {
				dims = append(dims, f.dims(size)...)
			}
		}
	}
	var one func(k *Node)
	one = func(k *Node) {
		switch k.Kind {
		case "identifier":
			v := get(f.fName(k), k)
			if n.Kind == "variable_declaration" {
				v.Type = typ
			}
			if len(dims) > 0 && v.Dims == nil {
				v.Dims = dims
			}
			v.Pointer = v.Pointer || pointer
		case "sized_declarator":
			if id := k.Find("identifier"); id != nil {
				one(id)
				if size := k.Find("size"); size != nil {
					get(f.fName(id), id).Dims = f.dims(size)
				}
			}
		case "init_declarator", "pointer_init_declarator":
			left := k.Child("left")
			if left == nil {
				return
			}
			one(left)
			if id := declaredName(left); id != nil {
				get(f.fName(id), id).Init = f.Expr(k.Child("right"))
			}
		case "variable_group":
			for _, g := range named(k) {
				one(g)
			}
		}
	}
	switch n.Kind {
	case "variable_declaration", "variable_modification", "common_statement":
		for _, k := range named(n) {
			if k.Field != "type" && k.Kind != "type_qualifier" {
				one(k)
			}
		}
	}
}

// dims reads (n, m) or (0:n, :); a bound that is not given is nil.
func (f *File) dims(size *Node) []*Expr {
	var out []*Expr
	for _, k := range named(size) {
		switch k.Kind {
		case "assumed_size", "assumed_shape", "assumed_rank":
			out = append(out, nil)
		case "argument_list":
			out = append(out, f.dims(k)...)
		default:
			out = append(out, f.fExpr(k))
		}
	}
	return out
}
