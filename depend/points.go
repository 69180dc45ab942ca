package depend

import (
	"strings"

	"auspex/source"
)

// object is memory: a variable, a field of one, or what a pointer leads to.
// Objects that may be the same are made one (B. Steensgaard, Points-to Analysis
// in Almost Linear Time, 1996), fields apart.
type object struct {
	up     *object            // the object this one became part of
	within map[string]*object // fields by name; "*" is what it points to, or its elements
	shared bool               // stands for more than one variable
	mixed  bool               // one with all that is in it
	name   string
}

func (o *object) find() *object {
	for o.up != nil {
		if o.up.up != nil {
			o.up = o.up.up
		}
		o = o.up
	}
	return o
}

func (o *object) to(step string) *object {
	if o = o.find(); o.mixed {
		return o
	}
	k := o.within[step]
	if k == nil {
		k = &object{name: o.name}
		if step != "*" {
			k.name += "." + step
		}
		if o.within == nil {
			o.within = map[string]*object{}
		}
		o.within[step] = k
	}
	return k.find()
}

// unify makes two objects one, and all that is reached from them.
func unify(a, b *object) {
	work := [][2]*object{{a, b}}
	for len(work) > 0 {
		a, b := work[len(work)-1][0].find(), work[len(work)-1][1].find()
		work = work[:len(work)-1]
		if a == b {
			continue
		}
		b.up = a
		a.shared = true
		if a.name == "" {
			a.name = b.name
		}
		if a.mixed = a.mixed || b.mixed; a.mixed {
			for _, within := range []map[string]*object{a.within, b.within} {
				for _, k := range within {
					work = append(work, [2]*object{a, k})
				}
			}
			a.within, b.within = nil, nil
			continue
		}
		for step, k := range b.within {
			if mine := a.within[step]; mine != nil {
				work = append(work, [2]*object{mine, k})
				continue
			}
			if a.within == nil {
				a.within = map[string]*object{}
			}
			a.within[step] = k
		}
		b.within = nil
	}
}

// memory is all objects of a program.
type memory struct {
	prog    *Program
	named   map[string]*object // globals, and fields in C++
	locals  map[*proc]map[string]*object
	returns map[*proc]*object
}

// memoryOf works out which names may be the same memory.
func (p *Program) memoryOf() *memory {
	if p.memory != nil {
		return p.memory
	}
	m := &memory{prog: p, named: map[string]*object{}, locals: map[*proc]map[string]*object{}, returns: map[*proc]*object{}}
	p.memory = m
	for _, q := range p.procs {
		m.locals[q] = map[string]*object{}
		m.returns[q] = &object{}
	}
	m.share()
	m.keepReferences()
	for _, q := range p.procs {
		m.otherNames(q)
		for _, v := range q.flowGraph().vertices {
			fx := q.effectsOf(v.exprs...)
			for i := range fx.refs {
				m.at(q, &fx.refs[i]) // unions are known before anything is asked
			}
			for _, e := range v.exprs {
				m.learn(q, e)
			}
			if v.stmt != nil && v.stmt.Kind == source.Return {
				for _, e := range v.exprs {
					if q.givesReference() {
						m.standsFor(q, m.returns[q], e)
					}
					m.flows(q, m.returns[q], e)
				}
			}
		}
	}
	return m
}

// own tells whether a name is the procedure's alone.
func (q *proc) own(name string) bool {
	if v := q.vars[name]; v != nil {
		return !v.static
	}
	if !q.fortran() || q.outer[name] != nil || q.prog.named[name] != nil && name != lastPart(q.unit.Name) {
		return false
	}
	if q.sharing == nil {
		shares := strings.Contains(q.unit.Name, "::")
		q.unit.Walk(func(s *source.Stmt, _ []*source.Stmt) bool {
			if s.Node != nil && (s.Node.Kind == "include_statement" || s.Node.Kind == "use_statement") {
				shares = true
			}
			return true
		})
		q.sharing = &shares
	}
	return !*q.sharing // implicitly typed
}

// variable is the object of a name.
func (m *memory) variable(q *proc, name string) *object {
	table, shared := m.named, false
	switch {
	case strings.Contains(name, "::") && !q.fortran(): // a static field: methods name it alone
		name, shared = lastPart(name), true
	case q.own(name):
		table = m.locals[q]
	}
	o := table[name]
	if o == nil {
		o = &object{name: name, shared: shared}
		table[name] = o
	}
	return o.find()
}

// at gives the objects on the way of an access, the accessed one last.
func (m *memory) at(q *proc, r *ref) []*object {
	o := m.variable(q, r.root)
	path := []*object{o}
	for _, s := range r.steps {
		switch {
		case s.elem && q.fortran():
			continue // an array and its elements are one
		case s.elem:
			o = o.to("*")
		case q.file.Language == source.CXX:
			// Methods name fields without their object: a field is one thing
			// for all objects.
			if m.named[s.field] == nil {
				m.named[s.field] = &object{name: s.field}
			}
			o = m.named[s.field].find()
			o.shared = true
			if m.prog.unions[s.field] {
				union := m.hidden("(unions)")
				union.mix()
				unify(union, o)
				o = o.find()
			}
		case m.prog.unions[s.field]:
			o.mix()
			o = o.find()
		default:
			o = o.to(s.field)
		}
		path = append(path, o)
	}
	return path
}

// place gives the object an expression stands for, or nil. A call may give
// back a reference, and stands for what is returned.
func (m *memory) place(q *proc, e *source.Expr) *object {
	if e != nil && e.Kind == source.CallOf {
		if callee := m.prog.named[lastPart(e.Name)]; callee != nil {
			return m.returns[callee].find()
		}
	}
	w := &effectWalk{q: q, out: &effects{}}
	root, steps, ok := w.path(e)
	if !ok {
		return nil
	}
	path := m.at(q, &ref{root: root, steps: steps})
	return path[len(path)-1]
}

// learn follows assignments and calls for pointers that are handed on.
func (m *memory) learn(q *proc, e *source.Expr) {
	e.Walk(func(k *source.Expr) {
		if k == nil {
			return
		}
		switch {
		case k.Kind == source.Assign && len(k.Args) == 2:
			to := m.place(q, k.Args[0])
			if to == nil {
				return
			}
			if k.Op == "=>" {
				if from := m.place(q, k.Args[1]); from != nil {
					unify(to, from)
				}
				return
			}
			if q.fortran() || q.isNumber(k.Args[0]) {
				return
			}
			if k.Args[1].Kind == source.List && k.Op == "=" {
				root, _ := rootOf(k.Args[0])
				m.listed(q, to, k.Args[1], q.lookup(root).array())
				return
			}
			m.flows(q, to, k.Args[1])
		case k.Kind == source.CallOf, k.Kind == source.Apply && !q.isArray(k.Name):
			m.bind(q, k)
		}
	})
}

// isNumber tells whether an expression surely is no pointer and no structure.
func (q *proc) isNumber(e *source.Expr) bool {
	switch e.Kind {
	case source.Literal:
		return true
	case source.Name:
		v := q.lookup(e.Name)
		return v != nil && !v.Pointer && !v.array() && arithmetic[v.Type]
	case source.Index:
		root, _ := rootOf(e)
		return q.isValue(e, root)
	case source.Member:
		number, known := q.prog.fields[e.Name]
		return known && number
	case source.Binary:
		return e.Op != "+" && e.Op != "-" || q.isNumber(e.Args[0]) && q.isNumber(e.Args[1])
	}
	return false
}

// flows hands the pointers in a value on to an object.
func (m *memory) flows(q *proc, to *object, e *source.Expr) {
	if e == nil || q.isNumber(e) {
		return
	}
	switch e.Kind {
	case source.Name, source.Index, source.Member:
		from := m.place(q, e)
		if from == nil {
			return
		}
		unify(to.to("*"), from.to("*"))
		// A structure is copied with its fields.
		root, _ := rootOf(e)
		if v := q.lookup(root); e.Kind != source.Member && (v == nil || !v.Pointer && !v.array()) {
			unify(to, from)
		}
	case source.Unary:
		switch e.Op {
		case "&":
			if from := m.place(q, e.Args[0]); from != nil {
				unify(to.to("*"), from)
			}
		case "*":
			if from := m.place(q, e); from != nil {
				unify(to, from)
			}
		}
	case source.Binary:
		if e.Op == "+" || e.Op == "-" {
			m.flows(q, to, e.Args[0])
			m.flows(q, to, e.Args[1])
		}
	case source.Cond:
		m.flows(q, to, e.Args[1])
		m.flows(q, to, e.Args[2])
	case source.Assign:
		m.flows(q, to, e.Args[0])
	case source.List:
		for _, a := range e.Args {
			m.flows(q, to, a)
		}
	case source.CallOf:
		if in := q.castOf(e); in != nil {
			m.flows(q, to, in)
			return
		}
		if m.prog.givesFresh(e.Name) {
			return // of each call its own
		}
		if callee := m.prog.named[lastPart(e.Name)]; callee != nil {
			unify(to.to("*"), m.returns[callee].to("*"))
			return
		}
		if q.file.Language == source.CXX && leadsCXX[e.Name] && len(e.Args) > 0 {
			if from := m.place(q, e.Args[0]); from != nil {
				unify(to.to("*"), from.to("*"))
			}
			return
		}
		if q.pureName(e.Name) && !readersC[e.Name] {
			return
		}
		for _, a := range e.Args {
			m.flows(q, to, a)
		}
	}
}

// bind connects arguments with parameters.
func (m *memory) bind(q *proc, call *source.Expr) {
	callee := m.prog.named[lastPart(call.Name)]
	if callee == nil {
		return
	}
	for i, a := range callee.arguments(call) {
		if a == nil || i >= len(callee.unit.Params) {
			continue
		}
		name := callee.unit.Params[i]
		param := m.variable(callee, name)
		v := callee.vars[name]
		switch {
		case callee.fortran():
			if !callee.writesParam(name) && (v == nil || !v.array()) {
				continue // a value that is only read
			}
			if from := m.place(q, a); from != nil {
				unify(param, from)
			}
		case v != nil && strings.Contains(string(callee.file.Text[v.Start:v.End]), "&"):
			if from := m.place(q, a); from != nil {
				unify(param, from)
			}
		case v == nil || v.Pointer || v.array() || !arithmetic[v.Type]:
			m.flows(q, param, a)
		}
	}
}

// arguments gives those of a call in the order of the parameters: a method's
// object is none.
func (q *proc) arguments(call *source.Expr) []*source.Expr {
	if extra := len(call.Args) - len(q.unit.Params); extra == 1 && strings.Contains(q.unit.Name, "::") && !q.fortran() {
		return call.Args[1:]
	}
	return call.Args
}

// writesParam tells whether a Fortran procedure may change an argument.
func (q *proc) writesParam(name string) bool {
	if q.changed == nil {
		q.changed = map[string]bool{}
		for _, v := range q.flowGraph().vertices {
			if v.stmt != nil && ioStatement(v.stmt) != "" && ioStatement(v.stmt) != "WRITE" && ioStatement(v.stmt) != "PRINT" {
				for _, word := range words(strings.ToLower(string(q.file.Text[v.stmt.Start:v.stmt.End]))) {
					q.changed[word] = true
				}
			}
			fx := q.effectsOf(v.exprs...)
			for i := range fx.refs {
				if fx.refs[i].write {
					q.changed[fx.refs[i].root] = true
				}
			}
			for _, c := range fx.calls {
				if q.pureName(c.name) {
					continue
				}
				for _, a := range c.args { // may be changed there
					if root, ok := rootOf(a); ok {
						q.changed[root] = true
					}
				}
			}
		}
	}
	return q.changed[name]
}
