package source

import "strings"

var unitKinds = map[string]UnitKind{
	"subroutine": Subroutine, "function": Function, "program": Program, "module_procedure": Subroutine,
}

// fortranUnits finds the procedures and programs under n. Interface bodies
// have no code and are passed over.
func (l *lowering) fortranUnits(n *Node, scope string, out *[]*Unit) {
	for k := range n.Children() {
		if !k.Named {
			continue
		}
		switch k.Kind {
		case "subroutine", "function", "program", "module_procedure":
			*out = append(*out, l.fortranUnit(k, scope))
		case "interface":
		case "module", "submodule":
			name := ""
			if head := k.Find("module_statement", "submodule_statement"); head != nil {
				for c := range head.Children() {
					if c.Kind == "name" {
						name = l.name(c)
					}
				}
			}
			l.fortranUnits(k, join(scope, name), out)
		case "internal_procedures", "ERROR":
			l.fortranUnits(k, scope, out)
		}
	}
}

func (l *lowering) lower(n *Node) string { return strings.ToLower(l.str(n)) }

// name gives a name in lower case; one cut by `&` is joined.
func (l *lowering) name(n *Node) string {
	return strings.NewReplacer("&", "", " ", "").Replace(l.lower(n))
}

func (l *lowering) fortranUnit(n *Node, scope string) *Unit {
	u := &Unit{Kind: unitKinds[n.Kind], Place: l.file.place(n.Span), Node: n}
	l.claim = append(l.claim, n)
	name := ""
	w := &fWalk{l: l, unit: u}
	var body []*Node
	u.Body = Span{n.Start, n.End}
	for k := range n.Children() {
		switch {
		case !k.Named:
		case k.Kind == n.Kind+"_statement":
			if c := k.Child("name"); c != nil {
				name = l.name(c)
			} else if c := k.Find("name"); c != nil {
				name = l.name(c)
			}
			w.header(k)
			u.Body.Start = k.End
		case k.Kind == "internal_procedures":
			if c := k.Find("contains_statement"); c != nil {
				u.Close = l.stmt(Simple, c)
				u.Body.End = c.Start
			}
		case strings.HasPrefix(k.Kind, "end_"+n.Kind):
			if u.Close == nil {
				u.Close = l.stmt(Simple, k)
				u.Body.End = k.Start
			}
		default:
			body = append(body, k)
		}
	}
	if name == "" {
		name = "main" // a program without a PROGRAM statement
	}
	u.Name = join(scope, name)
	u.Stmts = w.list(body, 0)
	if u.Close != nil {
		start := lineStart(l.text, u.Close.Start)
		if at := labelAtStart.FindSubmatchIndex(l.text[start:u.Close.Start]); at != nil {
			u.Close.LabelSpan = Span{start + at[2], start + at[3]}
			u.Close.Label = string(l.text[start+at[2] : start+at[3]])
		}
	}
	if inner := n.Find("internal_procedures"); inner != nil {
		l.fortranUnits(inner, u.Name, &u.Units)
	}
	u.Problems = l.unitProblems(n, func(k *Node) bool { return k.Kind == "internal_procedures" && k.Named })
	if u.Close == nil {
		u.Problems = append(u.Problems, Problem{Place: u.Place, Message: "no END found"})
	}
	return u
}

// fWalk lowers the statements of one Fortran unit.
type fWalk struct {
	l     *lowering
	unit  *Unit
	label *Node // a statement label that waits for its statement
}

func (w *fWalk) header(n *Node) {
	pure, impure := false, false
	for k := range n.Children() {
		switch k.Kind {
		case "procedure_qualifier":
			switch q := w.l.lower(k); {
			case q == "pure" || q == "elemental" || q == "simple":
				pure = true
			case q == "impure":
				impure = true
			}
		case "procedure_attributes", "procedure_attribute":
			if t := w.l.lower(k); strings.Contains(t, "device") || strings.Contains(t, "global") {
				w.unit.Traits |= Device
			}
		case "parameters":
			for p := range k.Children() {
				if p.Kind == "identifier" {
					w.unit.Params = append(w.unit.Params, w.l.lower(p))
				}
			}
		}
	}
	if pure && !impure {
		w.unit.Traits |= Pure
	}
}

// openDo is a labelled DO whose end has not been seen.
type openDo struct {
	stmt  *Stmt
	label string
	outer *[]*Stmt // the list the loop stands in
}

// list lowers a run of sibling nodes. Labelled DO loops are flat in the syntax
// tree and are nested here.
func (w *fWalk) list(nodes []*Node, depth int) []*Stmt {
	var top []*Stmt
	cur := &top
	var open []openDo
	for _, n := range nodes {
		if n.Kind == "statement_label" {
			w.label = n
			continue
		}
		label := w.label
		w.label = nil
		s := w.stmt(n, depth+len(open))
		if s == nil {
			w.label = label // a comment
			continue
		}
		w.takeLabel(s, n, label)
		if w.joinDirective(*cur, s) {
			continue
		}
		*cur = append(*cur, s)
		if n.Kind == "do_label_statement" {
			open = append(open, openDo{s, w.l.str(n.Find("statement_label_reference")), cur})
			cur = &s.Body
			continue
		}
		closed := 0
		for s.Label != "" && len(open) > 0 && sameLabel(open[len(open)-1].label, s.Label) {
			d := open[len(open)-1]
			open = open[:len(open)-1]
			d.stmt.Place = w.l.file.place(Span{d.stmt.Start, s.End})
			d.stmt.Loop.Body.End = s.End
			cur = d.outer
			closed++
		}
		if closed > 1 {
			markShared(*cur, closed)
		}
	}
	for _, d := range open {
		w.unit.Problems = append(w.unit.Problems, Problem{Place: d.stmt.Place, Message: "no end of DO " + d.label})
	}
	return top
}

// markShared notes the inner ones of n loops that ended together; the
// outermost of them is the last statement of list.
func markShared(list []*Stmt, n int) {
	s := list[len(list)-1]
	for range n - 1 {
		s = lastLoop(s.Body)
		if s == nil {
			return
		}
		s.Loop.SharedEnd = true
	}
}

func lastLoop(list []*Stmt) *Stmt {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Kind == Loop {
			return list[i]
		}
	}
	return nil
}

func sameLabel(a, b string) bool { return strings.TrimLeft(a, "0") == strings.TrimLeft(b, "0") }

// takeLabel gives a statement the label that stood before it. The label of an
// END DO is part of its node.
func (w *fWalk) takeLabel(s *Stmt, n, label *Node) {
	if n.Kind == "end_do_label_statement" {
		if label = n.Find("statement_label"); label != nil {
			rest := label.End
			for rest < s.End && (w.l.text[rest] == ' ' || w.l.text[rest] == '\t') {
				rest++
			}
			s.Place = w.l.file.place(Span{rest, s.End})
		}
	}
	switch {
	case label == nil:
	case s.Kind == Directive:
		w.label = label
	default:
		s.Label, s.LabelSpan = w.l.str(label), label.Span
	}
}

var fKinds = map[string]StmtKind{
	"variable_declaration": Declaration, "variable_modification": Declaration, "implicit_statement": Declaration,
	"use_statement": Declaration, "import_statement": Declaration, "parameter_statement": Declaration,
	"common_statement": Declaration, "data_statement": Declaration, "namelist_statement": Declaration,
	"equivalence_statement": Declaration, "include_statement": Declaration, "derived_type_definition": Declaration,
	"interface": Declaration, "enum": Declaration, "enumeration_type": Declaration, "save_statement": Declaration,
	"public_statement": Declaration, "private_statement": Declaration, "procedure_statement": Declaration,
	"format_statement": Format, "stop_statement": Stop,
}

// fCalls are statements that the grammar takes for calls of functions. Any
// other such call is a macro, of which nothing is known.
var fCalls = map[string]bool{"nullify": true, "deallocate": true, "flush": true, "wait": true}

func (w *fWalk) stmt(n *Node, depth int) *Stmt {
	l := w.l
	if !n.Named {
		return nil
	}
	switch n.Kind {
	case "comment":
		return w.directive(n)
	case "if_statement":
		return w.ifStmt(n, depth)
	case "do_loop_statement", "do_label_statement":
		return w.loop(n, depth)
	case "keyword_statement":
		return w.keyword(n)
	case "arithmetic_if_statement":
		s := l.stmt(Goto, n)
		w.targets(s, n)
		return s
	case "entry_statement":
		w.unit.Traits |= Entry
		return l.stmt(Simple, n)
	case "select_case_statement", "select_type_statement", "select_rank_statement":
		s := l.stmt(Switch, n)
		w.construct(s, n, depth)
		return s
	case "case_statement", "type_statement", "rank_statement":
		s := l.stmt(Case, n)
		w.construct(s, n, depth)
		return s
	case "block_construct", "associate_statement", "coarray_critical_statement", "coarray_team_statement":
		s := l.stmt(Block, n)
		w.construct(s, n, depth)
		return s
	case "ERROR":
		return nil
	}
	if strings.HasPrefix(n.Kind, "end_") && n.Kind != "end_do_label_statement" {
		return nil
	}
	kind, ok := fKinds[n.Kind]
	if n.Kind == "call_expression" && n.First != nil {
		ok = fCalls[l.lower(n.First)]
	}
	if !ok && !strings.HasSuffix(n.Kind, "_statement") && n.Kind != "subroutine_call" {
		return nil
	}
	s := l.stmt(kind, n)
	s.Span.End = trimEnd(l.text, s.Span)
	s.Place = l.file.place(s.Span)
	if kind != Declaration {
		w.exprs(s, n)
	}
	return s
}

// trimEnd leaves out a newline that the grammar counts as part of a statement.
func trimEnd(text []byte, s Span) int {
	for s.End > s.Start && (text[s.End-1] == '\n' || text[s.End-1] == '\r') {
		s.End--
	}
	return s.End
}

// construct lowers the statements directly under a construct's node.
func (w *fWalk) construct(s *Stmt, n *Node, depth int) {
	s.Name = w.constructName(n)
	s.Body = w.list(w.parts(s, n), depth)
}

func (w *fWalk) constructName(n *Node) string {
	if c := n.Find("block_label_start_expression"); c != nil {
		return strings.TrimRight(w.l.lower(c), ": ")
	}
	return ""
}

// isClause recognises the parts of a construct that hold statements.
func isClause(n *Node) bool {
	switch n.Kind {
	case "elseif_clause", "else_clause", "case_statement", "type_statement", "rank_statement":
		return n.Named
	}
	return false
}

// parts gives the children that are statements, and looks through the others,
// which make up the header, for calls. Comments behind a clause (its last lines
// may be directives) are in the tree of the construct but belong to the clause.
func (w *fWalk) parts(s *Stmt, n *Node) []*Node {
	var nodes []*Node
	behind := false
	for k := range n.Children() {
		behind = behind || isClause(k)
		if !k.Named || behind && k.Kind == "comment" {
			continue
		}
		switch {
		case k.Kind == "comment" || k.Kind == "statement_label" || k.Kind == "subroutine_call" || k.Kind == "variable_declaration",
			k.Kind == "block_construct" || k.Kind == "variable_modification" || k.Kind == "derived_type_definition" || k.Kind == "interface",
			strings.HasSuffix(k.Kind, "_statement") && k.Kind != "while_statement" && k.Kind != "concurrent_statement":
			nodes = append(nodes, k)
		default:
			w.exprs(s, k)
		}
	}
	if isClause(n) {
		for k := n.Next; k != nil && (!k.Named || k.Kind == "comment"); k = k.Next {
			nodes = append(nodes, k)
		}
	}
	return nodes
}

func (w *fWalk) ifStmt(n *Node, depth int) *Stmt {
	s := w.l.stmt(If, n)
	s.Name = w.constructName(n)
	s.Body = w.list(w.parts(s, n), depth)
	if n.Find("end_if_statement") == nil {
		for _, k := range s.Body {
			k.Action = true
		}
		return s
	}
	for k := range n.Children() {
		if k.Kind == "elseif_clause" || k.Kind == "else_clause" {
			e := w.l.stmt(Block, k)
			e.Body = w.list(w.parts(e, k), depth)
			s.Else = append(s.Else, e)
		}
	}
	return s
}

func (w *fWalk) loop(n *Node, depth int) *Stmt {
	s := w.l.stmt(Loop, n)
	info := &LoopInfo{Kind: Forever, Depth: depth + 1, Sound: true}
	s.Loop = info
	s.Name = w.constructName(n)
	header := n.Start
	for k := range n.Children() {
		switch k.Kind {
		case "loop_control_expression":
			info.Kind, info.Header, header = Counted, k.Span, k.End
			parts := []**Node{&info.Var, &info.From, &info.To, &info.Step}
			for c := range k.Children() {
				if c.Named && c.Kind != "comment" && len(parts) > 0 {
					*parts[0], parts = c, parts[1:]
				}
			}
		case "while_statement":
			info.Kind, info.Header, info.To, header = While, k.Span, k.Find("parenthesized_expression"), k.End
		case "concurrent_statement":
			info.Kind, info.Header, header = Concurrent, k.Span, k.End
		case "statement_label_reference":
			header = max(header, k.End)
		case "end_do_loop_statement":
			info.Body.End = k.Start
		}
	}
	info.Body.Start = header
	if n.Kind == "do_label_statement" {
		w.exprs(s, n)
		return s
	}
	s.Body = w.list(w.parts(s, n), depth+1)
	return s
}

func (w *fWalk) keyword(n *Node) *Stmt {
	word := w.l.lower(n)
	kind := Simple
	switch {
	case strings.HasPrefix(word, "return"):
		kind = Return
	case strings.HasPrefix(word, "exit"):
		kind = Break
	case strings.HasPrefix(word, "cycle"):
		kind = Continue
	case strings.HasPrefix(word, "go"):
		kind = Goto
	}
	s := w.l.stmt(kind, n)
	switch kind {
	case Goto:
		w.targets(s, n)
	case Break, Continue:
		if c := n.Find("identifier", "block_label"); c != nil {
			s.Targets = []string{w.l.lower(c)}
		}
	}
	w.exprs(s, n)
	return s
}

func (w *fWalk) targets(s *Stmt, n *Node) {
	for k := range n.Children() {
		if k.Kind == "statement_label_reference" {
			s.Targets = append(s.Targets, strings.TrimLeft(w.l.str(k), "0"))
		}
	}
}
