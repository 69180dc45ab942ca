package depend

import (
	"slices"
	"strings"

	"auspex/source"
)

// Other names of memory: references of C++, whether variables, of loops over ranges or
// fields, and what ASSOCIATE of Fortran names. They are one with what they stand for.

// reference tells whether a variable is one: an & stands before its name.
func (q *proc) reference(v *source.Variable) bool {
	if q.file.Language != source.CXX {
		return false
	}
	before, _, _ := strings.Cut(string(q.file.Text[v.Start:v.End]), v.Name)
	return strings.Contains(before, "&")
}

// otherNames makes the other names of a procedure one with what they stand for.
func (m *memory) otherNames(q *proc) {
	list := q.file.Variables(q.unit)
	for i := range list {
		v := &list[i]
		if !v.Param && q.reference(v) {
			m.madeFrom(q, m.variable(q, v.Name), v)
		}
		if len(m.prog.references) == 0 || q.fortran() {
			continue
		}
		if v.Param && q.reference(v) && q.constructor() {
			unify(m.hidden(referenceFields), m.variable(q, v.Name))
		}
		if !v.Param && !v.Pointer && !arithmetic[q.prog.plainType(v.Type)] {
			m.madeFrom(q, m.hidden(referenceFields), v)
		}
	}
	q.unit.Walk(func(s *source.Stmt, _ []*source.Stmt) bool {
		if s.Kind == source.Loop && s.Loop.Kind == source.ForEach && s.Loop.Var != nil && s.Loop.From != nil {
			from := &object{}
			m.standsFor(q, from, q.file.Expr(s.Loop.From))
			for i := range list {
				if s.Loop.Var.Contains(list[i].Span) {
					unify(m.variable(q, list[i].Name), from.to("*"))
				}
			}
		}
		if s.Node != nil && s.Node.Kind == "associate_statement" {
			for k := range s.Node.Children() {
				if name, to := k.Child("name"), k.Child("selector"); k.Kind == "association" && name != nil && to != nil {
					m.standsFor(q, m.variable(q, strings.ToLower(name.Text(q.file.Text))), q.file.Expr(to))
				}
			}
		}
		return true
	})
}

// givesReference tells whether what a procedure returns is one.
func (q *proc) givesReference() bool {
	if q.file.Language != source.CXX {
		return false
	}
	before, _, _ := strings.Cut(string(q.file.Text[q.unit.Start:q.unit.Body.Start]), lastPart(q.unit.Name)+"(")
	return strings.Contains(before, "&")
}

// constructor tells whether a procedure makes objects of a class: its name is that.
func (q *proc) constructor() bool {
	class, name, ok := strings.Cut(q.unit.Name, "::")
	for ok && strings.Contains(name, "::") {
		class, name, ok = strings.Cut(name, "::")
	}
	return ok && class == name
}

// otherName tells whether a variable of a procedure is one: only parameters are taken
// for what they are.
func (q *proc) otherName(name string) bool {
	if q.alternates == nil {
		q.alternates = map[string]bool{}
		for _, v := range q.file.Variables(q.unit) {
			if !v.Param && q.reference(&v) {
				q.alternates[v.Name] = true
			}
		}
		q.unit.Walk(func(s *source.Stmt, _ []*source.Stmt) bool {
			if s.Node != nil && s.Node.Kind == "associate_statement" {
				for k := range s.Node.Children() {
					if name := k.Child("name"); k.Kind == "association" && name != nil {
						q.alternates[strings.ToLower(name.Text(q.file.Text))] = true
					}
				}
			}
			return true
		})
	}
	return q.alternates[name]
}

// otherNames gives a loop's body up where something is written by another name of it,
// or under one.
func (b *body) otherNames() {
	if !slices.ContainsFunc(b.sites, func(s site) bool { return b.q.otherName(s.root) }) {
		return
	}
	stands := func(r *ref) *object {
		path := b.q.prog.memoryOf().at(b.q, r)
		return path[len(path)-1]
	}
	roots, objects := map[string]bool{}, map[*object]bool{} // what is written
	for i := range b.sites {
		if s := &b.sites[i]; s.write && !b.declares(s) {
			roots[s.root], objects[stands(&s.ref)] = true, true
		}
	}
	for i := range b.sites {
		if s := &b.sites[i]; b.q.otherName(s.root) && (roots[s.root] || objects[stands(&s.ref)]) {
			b.odd("what " + s.root + " on line " + itoa(s.stmt.Line) + " stands for is not followed")
		}
	}
}

// declares tells whether an access is the declaration of what stands for something
// else, which writes nothing.
func (b *body) declares(s *site) bool {
	return s.stmt.Kind == source.Declaration && b.q.otherName(s.root) && len(s.steps) == 0
}

// referenceFields are all fields that are references, and what objects with such are
// made from, as one object.
const referenceFields = "(references)"

// keepReferences makes them that.
func (m *memory) keepReferences() {
	for name := range m.prog.references {
		unify(m.hidden(referenceFields), m.hidden(name))
	}
}

// madeFrom makes an object one with what a variable is made from. T r(m) reads like a
// function with a parameter of type m.
func (m *memory) madeFrom(q *proc, o *object, v *source.Variable) {
	m.standsFor(q, o, v.Init)
	if _, given, ok := strings.Cut(string(q.file.Text[v.Start:v.End]), "("); ok && v.Init == nil {
		for _, name := range words(given) {
			if q.lookup(name) != nil {
				unify(o, m.variable(q, name))
			}
		}
	}
}

// standsFor makes an object one with what an expression leads to.
func (m *memory) standsFor(q *proc, o *object, e *source.Expr) {
	if e == nil || e.Kind == source.Literal {
		return
	}
	if to := m.place(q, e); to != nil {
		unify(o, to)
		return
	}
	// A library's function may give back what it is given, or a part of that.
	parts := e.Args
	if e.Kind == source.Cond {
		parts = parts[1:]
	}
	if e.Kind == source.CallOf && q.file.Language == source.CXX && leadsCXX[e.Name] && len(parts) > 1 {
		parts = parts[:1]
	}
	for _, a := range parts {
		m.standsFor(q, o, a)
		if e.Kind == source.CallOf {
			if to := m.place(q, a); to != nil {
				unify(o, to.to("*"))
			}
		}
	}
}
