package source

import (
	"strings"

	"auspex/internal/lazyregexp"
)

// cUnits finds the functions under n and gives them names in their scope.
func (l *lowering) cUnits(n *Node, scope string, out *[]*Unit) {
	for k := range n.Children() {
		switch k.Kind {
		case "function_definition":
			if u := l.cFunction(k, scope); u != nil {
				*out = append(*out, u)
			} else {
				l.cUnits(k, scope, out)
			}
		case "namespace_definition":
			l.cUnits(k, join(scope, strings.ReplaceAll("::"+l.str(k.Child("name")), "::inline ", "::")[2:]), out)
		case "class_specifier", "struct_specifier", "union_specifier":
			l.cUnits(k, join(scope, l.str(k.Child("name"))), out)
		default:
			if k.First != nil {
				l.cUnits(k, scope, out)
			}
		}
	}
}

func join(scope, name string) string {
	switch {
	case scope == "":
		return name
	case name == "":
		return scope
	}
	return scope + "::" + name
}

// cFunction lowers a function_definition, or gives nil if it has no body or is
// no function after all (a macro before a block looks like one).
func (l *lowering) cFunction(n *Node, scope string) *Unit {
	decl := functionDeclarator(n)
	body := n.Child("body")
	if try := n.Find("try_statement"); try != nil {
		body = try.Child("body")
	}
	if decl == nil || body == nil || body.Kind != "compound_statement" || body.End-body.Start < 2 {
		return nil
	}
	name := l.str(decl.Child("declarator"))
	if decl.Kind == "operator_cast" {
		name = "operator " + l.str(decl.Child("type"))
	}
	name = strings.ReplaceAll(name, " ::", "::")
	if name == "" || cKeywords[name] {
		return nil
	}
	u := &Unit{Kind: Function, Name: join(scope, name), Place: l.file.place(n.Span), Node: n}
	u.Params = l.cParams(decl)
	header := min(n.Start, l.braces.headerStart(l.text, body.Start))
	u.Traits = cTraits(string(l.text[header:body.Start]))
	l.claim = append(l.claim, n)
	l.cBody(u, body, n)
	if body.Parent.Kind == "try_statement" { // a function try block: its handlers
		for k := range body.Parent.Children() {
			if k.Kind == "catch_clause" {
				w := &cWalk{l: l, unit: u}
				u.Stmts = append(u.Stmts, w.stmts(k.Child("body"), 0)...)
			}
		}
	}
	return u
}

// cBody lowers the braces of a function or lambda.
func (l *lowering) cBody(u *Unit, body, whole *Node) {
	u.Body = Span{body.Start + 1, body.End - 1}
	w := &cWalk{l: l, unit: u}
	u.Stmts = w.stmts(body, 0)
	u.Problems = l.unitProblems(whole, func(k *Node) bool { return w.inner[k] })
	if l.braces.matched(body.Span) {
		for i := range u.Problems {
			u.Problems[i].Local = true
		}
	}
}

// functionDeclarator digs through pointers and references to the declarator
// that has the parameters.
func functionDeclarator(n *Node) *Node {
	d := n.Child("declarator")
	for d != nil {
		switch d.Kind {
		case "function_declarator":
			inner := d.Child("declarator")
			// int (*f(int a))(int b): the function is the inner declarator
			if inner != nil && inner.Kind == "parenthesized_declarator" {
				if deeper := firstDeclarator(inner); deeper != nil {
					if found := functionDeclarator(&Node{First: deeper}); found != nil {
						return found
					}
				}
			}
			return d
		case "operator_cast":
			return d
		case "pointer_declarator", "reference_declarator", "parenthesized_declarator", "attributed_declarator":
			d = firstDeclarator(d)
		default:
			return nil
		}
	}
	return nil
}

func firstDeclarator(n *Node) *Node {
	for k := range n.Children() {
		if k.Field == "declarator" || strings.HasSuffix(k.Kind, "_declarator") {
			c := *k
			c.Field, c.Next = "declarator", nil
			return &c
		}
	}
	return nil
}

func (l *lowering) cParams(decl *Node) []string {
	list := decl.Child("parameters")
	if list == nil {
		return nil
	}
	var names []string
	for k := range list.Children() {
		if k.Kind == "identifier" { // as in `int f(a, b) int a; …`
			names = append(names, l.str(k))
		}
		if d := k.Child("declarator"); d != nil {
			names = append(names, l.str(declaredName(d)))
		}
	}
	return names
}

// declaredName finds the name inside a declarator.
func declaredName(d *Node) *Node {
	for d != nil {
		switch d.Kind {
		case "identifier", "field_identifier", "type_identifier":
			return d
		}
		next := d.Child("declarator")
		if next == nil {
			for k := range d.Children() {
				if k.Named && (k.Kind == "identifier" || strings.HasSuffix(k.Kind, "_declarator")) {
					next = k
					break
				}
			}
		}
		d = next
	}
	return nil
}

var (
	constexprWord = lazyregexp.New(`\b(constexpr|consteval)\b`)
	deviceWord    = lazyregexp.New(`\b(__device__|__global__|__kernel|KOKKOS_(FORCE)?INLINE_FUNCTION|KOKKOS_(INLINE_)?(FUNCTION|LAMBDA))\b`)
	nakedWord     = lazyregexp.New(`\bnaked\b`)
)

func cTraits(header string) Trait {
	var t Trait
	if constexprWord.MatchString(header) {
		t |= Constexpr
	}
	if deviceWord.MatchString(header) {
		t |= Device
	}
	if nakedWord.MatchString(header) {
		t |= Naked
	}
	return t
}

// cWalk lowers the statements of one function.
type cWalk struct {
	l     *lowering
	unit  *Unit
	inner map[*Node]bool // lambdas and other units inside
}

// stmts lowers the children of a block. Branches of `#if` are laid out one
// after the other: SameBranch tells them apart where it matters.
func (w *cWalk) stmts(block *Node, depth int) []*Stmt {
	var list []*Stmt
	if block == nil {
		return nil
	}
	for k := range block.Children() {
		w.add(&list, k, depth)
	}
	return list
}

func (w *cWalk) add(list *[]*Stmt, n *Node, depth int) {
	switch n.Kind {
	case "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef":
		for k := range n.Children() {
			if k.Field != "condition" && k.Field != "name" {
				w.add(list, k, depth)
			}
		}
		return
	case "labeled_statement":
		w.labelled(list, n, depth)
		return
	case "ERROR":
		for k := range n.Children() {
			if k.Named {
				w.add(list, k, depth)
			}
		}
		return
	}
	if s := w.stmt(n, depth); s != nil {
		w.pragmasBefore(list, n)
		*list = append(*list, s)
	}
}

func (w *cWalk) labelled(list *[]*Stmt, n *Node, depth int) {
	label := n.Child("label")
	before := len(*list)
	for k := range n.Children() {
		if k.Named && k != label {
			w.add(list, k, depth)
		}
	}
	if len(*list) == before { // a label before a closing brace
		*list = append(*list, w.l.stmt(Simple, n))
	}
	s := (*list)[before]
	if label != nil {
		s.Label, s.LabelSpan = w.l.str(label), label.Span
	}
}

// action lowers the single statement under an if, else or loop.
func (w *cWalk) action(n *Node, depth int) []*Stmt {
	if n == nil {
		return nil
	}
	if n.Kind == "compound_statement" {
		return w.stmts(n, depth)
	}
	var list []*Stmt
	w.add(&list, n, depth)
	for _, s := range list {
		s.Action = true
	}
	return list
}

var cSimple = map[string]StmtKind{
	"expression_statement": Simple, "declaration": Declaration, "type_definition": Declaration,
	"return_statement": Return, "co_return_statement": Return, "co_yield_statement": Simple,
	"break_statement": Break, "continue_statement": Continue, "throw_statement": Throw,
	"static_assert_declaration": Declaration, "using_declaration": Declaration,
	"alias_declaration": Declaration, "namespace_alias_definition": Declaration,
	"struct_specifier": Declaration, "class_specifier": Declaration, "union_specifier": Declaration,
	"enum_specifier": Declaration, "attributed_statement": Simple, "gnu_asm_expression": Simple,
}

func (w *cWalk) stmt(n *Node, depth int) *Stmt {
	l := w.l
	if kind, ok := cSimple[n.Kind]; ok {
		s := l.stmt(kind, n)
		w.exprs(s, n, depth)
		return s
	}
	switch n.Kind {
	case "compound_statement":
		s := l.stmt(Block, n)
		s.Body = w.stmts(n, depth)
		return s
	case "if_statement":
		s := l.stmt(If, n)
		w.exprs(s, n.Child("condition"), depth)
		s.Body = w.action(n.Child("consequence"), depth)
		if alt := n.Child("alternative"); alt != nil {
			if alt.Kind == "else_clause" {
				for k := range alt.Children() {
					if k.Named && k.Kind != "comment" {
						s.Else = append(s.Else, w.action(k, depth)...)
					}
				}
			} else {
				s.Else = w.action(alt, depth)
			}
		}
		return s
	case "switch_statement":
		s := l.stmt(Switch, n)
		w.exprs(s, n.Child("condition"), depth)
		s.Body = w.action(n.Child("body"), depth)
		return s
	case "case_statement":
		s := l.stmt(Case, n)
		for k := range n.Children() {
			if k.Named && k.Field != "value" {
				w.add(&s.Body, k, depth)
			}
		}
		return s
	case "for_statement", "for_range_loop", "while_statement", "do_statement":
		return w.loop(n, depth)
	case "goto_statement":
		s := l.stmt(Goto, n)
		if label := n.Child("label"); label != nil {
			s.Targets = []string{l.str(label)}
		}
		return s
	case "try_statement", "seh_try_statement":
		s := l.stmt(Try, n)
		s.Body = w.stmts(n.Child("body"), depth)
		for k := range n.Children() {
			if b := k.Child("body"); b != nil && k.Field != "body" {
				s.Else = append(s.Else, w.stmts(b, depth)...)
			}
		}
		return s
	case "preproc_call":
		return w.pragma(n)
	case "function_definition": // a macro and a block, or a GNU nested function
		s := l.stmt(Block, n)
		s.Body = w.stmts(n.Child("body"), depth)
		return s
	}
	if n.Named && strings.HasSuffix(n.Kind, "_expression") {
		s := l.stmt(Simple, n)
		w.exprs(s, n, depth)
		return s
	}
	return nil
}

func (w *cWalk) pragma(n *Node) *Stmt {
	if w.l.str(n.Child("directive")) != "#pragma" {
		return nil
	}
	s := w.l.stmt(Directive, n)
	s.Text = pragmaText(w.l.str(n.Child("argument")))
	if strings.HasPrefix(s.Text, "acc routine") {
		w.unit.Traits |= Device
	}
	return s
}

func (w *cWalk) loop(n *Node, depth int) *Stmt {
	s := w.l.stmt(Loop, n)
	info := &LoopInfo{Depth: depth + 1}
	s.Loop = info
	switch n.Kind {
	case "for_statement":
		info.Kind = For
		info.From, info.To, info.Step = n.Child("initializer"), n.Child("condition"), n.Child("update")
	case "for_range_loop":
		info.Kind = ForEach
		info.Var, info.From = n.Child("declarator"), n.Child("right")
	case "while_statement":
		info.Kind = While
		info.To = n.Child("condition")
	default:
		info.Kind = DoWhile
		info.To = n.Child("condition")
		if info.To != nil {
			cond := strings.Trim(w.l.str(info.To), "() ")
			info.Once = cond == "0" || cond == "false"
		}
	}
	body := n.Child("body")
	for k := range n.Children() {
		if k != body {
			w.exprs(s, k, depth)
		}
		if !k.Named && (k.Kind == "(") && info.Header.Start == 0 {
			info.Header.Start = k.Start
		}
		if !k.Named && k.Kind == ")" {
			info.Header.End = k.End
		}
	}
	if info.To != nil && info.Header.End == 0 {
		info.Header = info.To.Span
	}
	if body != nil {
		info.Body, info.Braced = body.Span, body.Kind == "compound_statement"
		if own := w.l.before(body.Start); len(own) > 0 {
			info.Body.Start, info.Braced = own[0].Start, false
		}
		s.Body = w.action(body, depth+1)
	}
	info.Sound = !n.Bad || info.Braced && w.l.braces.matched(body.Span) && onlyArguments(n)
	if info.Once {
		info.Depth = depth
		s.Body = w.action(body, depth)
	}
	return s
}

// onlyArguments tells whether all errors below n are within arguments of calls.
func onlyArguments(n *Node) bool {
	if !n.Bad || n.Kind == "argument_list" {
		return true
	}
	if n.Kind == "ERROR" || n.Missing || n.First == nil {
		return false
	}
	for k := range n.Children() {
		if !onlyArguments(k) {
			return false
		}
	}
	return true
}

// exprs looks through expressions for MPI calls, lambdas, statements within
// expressions and the marks of coroutines.
func (w *cWalk) exprs(s *Stmt, n *Node, depth int) {
	if n == nil {
		return
	}
	switch n.Kind {
	case "call_expression":
		if f := n.Child("function"); f != nil && f.Kind == "identifier" {
			if name := w.l.str(f); isMPI(name) {
				s.MPI = append(s.MPI, Call{name, w.l.file.place(n.Span)})
			}
		}
	case "lambda_expression":
		w.lambda(n)
		return
	case "co_await_expression", "co_yield_statement", "co_return_statement":
		w.unit.Traits |= Coroutine
	case "compound_statement":
		b := w.l.stmt(Block, n)
		b.Body = w.stmts(n, depth)
		s.Body = append(s.Body, b)
		return
	case "class_specifier", "struct_specifier":
		if n.Child("body") != nil {
			w.hide(n)
			w.l.cUnits(n, join(w.unit.Name, w.l.str(n.Child("name"))), &w.unit.Units)
			return
		}
	}
	for k := range n.Children() {
		w.exprs(s, k, depth)
	}
}

func (w *cWalk) hide(n *Node) {
	if w.inner == nil {
		w.inner = map[*Node]bool{}
	}
	w.inner[n] = true
}

func (w *cWalk) lambda(n *Node) {
	body := n.Child("body")
	if body == nil || body.Kind != "compound_statement" || body.End-body.Start < 2 {
		return
	}
	w.hide(n)
	u := &Unit{Kind: Lambda, Name: join(w.unit.Name, "lambda"), Place: w.l.file.place(n.Span), Node: n}
	u.Traits = cTraits(string(w.l.text[n.Start:body.Start]))
	w.l.claim = append(w.l.claim, n)
	w.l.cBody(u, body, n)
	w.unit.Units = append(w.unit.Units, u)
}
