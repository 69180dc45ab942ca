package depend

import (
	"slices"
	"strings"

	"auspex/source"
)

// mix makes an object one with all that is in it: what shares storage under
// several names, as the members of a union do.
func (o *object) mix() {
	if o = o.find(); o.mixed {
		return
	}
	within := o.within
	o.mixed, o.shared, o.within = true, true, nil
	for _, k := range within {
		unify(o, k)
	}
}

// share unites what the text of the program makes the same memory under several
// names: members of COMMON blocks that are not named alike everywhere, EQUIVALENCE,
// and what the initialisers of globals point to.
func (m *memory) share() {
	blocks := map[string]map[string]bool{} // as each procedure lists their members
	members := map[string][]*object{}
	for _, q := range m.prog.procs {
		if !q.fortran() {
			continue
		}
		q.unit.Walk(func(s *source.Stmt, _ []*source.Stmt) bool {
			if s.Kind != source.Declaration || s.Node == nil {
				return true
			}
			switch s.Node.Kind {
			case "common_statement":
				m.common(q, s.Node, blocks, members)
			case "equivalence_statement":
				m.equivalence(q, s.Node)
			}
			return true
		})
	}
	for block, ways := range blocks {
		if len(ways) < 2 {
			continue
		}
		for _, o := range members[block][1:] {
			unify(members[block][0], o)
		}
	}
	for _, f := range m.prog.Files {
		m.globals(f)
	}
}

// common reads one COMMON statement.
func (m *memory) common(q *proc, n *source.Node, blocks map[string]map[string]bool, members map[string][]*object) {
	block, list := "", map[string][]string{}
	var visit func(k *source.Node)
	visit = func(k *source.Node) {
		switch k.Kind {
		case "name":
			block = lowerName(q, k)
		case "identifier":
			name := lowerName(q, k)
			list[block] = append(list[block], name)
			members[block] = append(members[block], m.variable(q, name))
			return
		case "size":
			list[block] = append(list[block], strings.Join(strings.Fields(strings.ToLower(k.Text(q.file.Text))), ""))
			return
		}
		for c := range k.Children() {
			if c.Named {
				visit(c)
			}
		}
	}
	visit(n)
	for b, names := range list {
		if blocks[b] == nil {
			blocks[b] = map[string]bool{}
		}
		blocks[b][strings.Join(names, " ")] = true
	}
}

// equivalence reads one EQUIVALENCE statement.
func (m *memory) equivalence(q *proc, n *source.Node) {
	for set := range n.Children() {
		if set.Kind != "equivalence_set" {
			continue
		}
		var first *object
		for k := range set.Children() {
			if k.Kind == "call_expression" {
				k = k.First
			}
			if k == nil || k.Kind != "identifier" {
				continue
			}
			o := m.variable(q, lowerName(q, k))
			if first != nil {
				unify(first, o)
			}
			first = o.find()
			first.shared = true
		}
	}
}

// globals follows the initialisers of a file's variables that stand in no
// procedure.
func (m *memory) globals(f *source.File) {
	if f.Language == source.Fortran || len(f.Units) == 0 {
		return
	}
	q := &proc{prog: m.prog, file: f, unit: &source.Unit{}, vars: map[string]*variable{}, outer: outerNames(f)}
	m.locals[q] = map[string]*object{}
	var visit func(n *source.Node)
	visit = func(n *source.Node) {
		for k := range n.Children() {
			switch {
			case k.Kind == "function_definition" || k.Kind == "lambda_expression":
			case k.Kind == "init_declarator":
				m.learn(q, f.Expr(k))
			case k.Named:
				visit(k)
			}
		}
	}
	root := f.Units[0].Node
	for root.Parent != nil {
		root = root.Parent
	}
	visit(root)
	delete(m.locals, q)
}

// listed hands the pointers in { … } on to what it initialises: of a structure
// it is not known which field gets which.
func (m *memory) listed(q *proc, to *object, e *source.Expr, array bool) {
	var leaves []*source.Expr
	nested := false
	var collect func(e *source.Expr)
	collect = func(e *source.Expr) {
		if e == nil {
			return
		}
		if e.Kind == source.Opaque && e.Node != nil && e.Node.Kind == "initializer_pair" { // .field = value
			e = e.Args[len(e.Args)-1]
		}
		if e.Kind == source.List || e.Kind == source.Opaque {
			for _, a := range e.Args {
				nested = nested || a != nil && a.Kind == source.List
				collect(a)
			}
			return
		}
		if fresh := e.Kind == source.CallOf && m.prog.givesFresh(e.Name); !fresh && !q.isNumber(e) {
			leaves = append(leaves, e)
		}
	}
	collect(e)
	if len(leaves) == 0 {
		return
	}
	switch {
	case !array:
		to.mix()
	case nested:
		to.to("*").mix()
		to = to.to("*")
	}
	for _, a := range leaves {
		m.flows(q, to.find(), a)
	}
}

// readUnions notes the names of fields that share storage with others: those of
// unions, at any depth.
func (p *Program) readUnions(f *source.File, n *source.Node, inside bool) {
	for k := range n.Children() {
		if k.Kind == "field_declaration" && inside {
			names := map[string]*variable{}
			declaredIn(f, k, names)
			for name := range names {
				p.unions[name] = true
			}
		}
		if k.Named {
			p.readUnions(f, k, inside || k.Kind == "union_specifier")
		}
	}
}

// sequences are containers whose subscripts make no new elements.
var sequences = []string{"vector", "array", "valarray", "basic_string", "string", "deque", "span", "unique_ptr", "shared_ptr", "bitset", "initializer_list"}

// sequence tells whether a type of C++ is one of them, or a number or pointer.
func (p *Program) sequence(typ string) bool {
	for range 8 {
		to, known := p.aliases[strings.TrimPrefix(strings.TrimSpace(typ), "const ")]
		if !known {
			break
		}
		typ = to
	}
	head, _, _ := strings.Cut(typ, "<")
	names := words(head)
	if len(names) == 0 || strings.ContainsAny(typ, "*&") {
		return true
	}
	last := names[len(names)-1]
	return arithmetic[p.plainType(last)] || slices.Contains(sequences, last) || slices.Contains([]string{"char", "bool", "complex", "auto"}, last)
}

// grows gives the containers of C++ that a subscript on the way of an access may
// make larger, as those of std::map do.
func (m *memory) grows(q *proc, r *ref) []*object {
	if q.file.Language != source.CXX {
		return nil
	}
	var list []*object
	path := m.at(q, r)
	for i, s := range r.steps {
		if !s.elem {
			continue
		}
		if i == 0 {
			v := q.lookup(r.root)
			if v != nil && !v.Pointer && !v.array() && !m.prog.sequence(v.Type) {
				list = append(list, path[0])
			}
		} else if field := r.steps[i-1].field; field != "" && m.prog.growing[field] {
			list = append(list, path[i])
		}
	}
	return list
}

// lowerName is a name of Fortran as everywhere here.
func lowerName(q *proc, n *source.Node) string { return q.file.Expr(n).Name }
