package depend

import (
	"strings"

	"auspex/source"
)

// ref is one access of memory by an expression: a variable, or what is reached
// from it by fields, subscripts and pointers.
type ref struct {
	root        string
	steps       []step
	read, write bool
	maybe       bool   // only under a condition within the expression
	update      string // the operator of x op= e, or of x = x op e
	expr        *source.Expr
	value       *source.Expr // what is written by x = value
}

// step leads from an object into it: a field, or an element. An element step
// without subscripts is all elements.
type step struct {
	field string
	elem  bool
	subs  []*source.Expr
}

// key names the object apart from its subscripts: s.*.keys.*
func (r *ref) key() string {
	var b strings.Builder
	b.WriteString(r.root)
	for _, s := range r.steps {
		b.WriteByte('.')
		if s.elem {
			b.WriteByte('*')
		} else {
			b.WriteString(s.field)
		}
	}
	return b.String()
}

// scalar tells whether the access has no subscripts at all.
func (r *ref) scalar() bool {
	for _, s := range r.steps {
		if s.elem && len(s.subs) != 0 && !zero(s.subs[0]) || s.elem && len(s.subs) == 0 {
			return false
		}
	}
	return true
}

func zero(e *source.Expr) bool { return e != nil && e.Kind == source.Literal && e.Name == "0" }

// shown writes the object for people.
func (r *ref) shown() string {
	var b strings.Builder
	b.WriteString(r.root)
	for i, s := range r.steps {
		switch {
		case s.elem && i+1 < len(r.steps) && len(s.subs) == 1 && zero(s.subs[0]):
			continue
		case s.elem:
		case i > 0 && r.steps[i-1].elem && len(r.steps[i-1].subs) == 1 && zero(r.steps[i-1].subs[0]):
			b.WriteString("->" + s.field)
		default:
			b.WriteString("." + s.field)
		}
	}
	return b.String()
}

// invocation is a call within an expression.
type invocation struct {
	name  string
	args  []*source.Expr
	expr  *source.Expr
	maybe bool
}

// effects is what evaluating expressions does.
type effects struct {
	refs   []ref
	calls  []invocation
	opaque []*source.Expr // not understood
}

// effectsOf lists what expressions do, in the order they are evaluated.
func (q *proc) effectsOf(exprs ...*source.Expr) *effects {
	w := &effectWalk{q: q, out: &effects{}}
	for _, e := range exprs {
		w.read(e)
	}
	return w.out
}

type effectWalk struct {
	q     *proc
	out   *effects
	maybe bool
	depth int
}

const maxDepth = 500 // of nested expressions

var nought = &source.Expr{Kind: source.Literal, Name: "0"}

// path finds the object an expression stands for.
func (w *effectWalk) path(e *source.Expr) (root string, steps []step, ok bool) {
	if e == nil {
		return "", nil, false
	}
	switch e.Kind {
	case source.Name:
		return e.Name, nil, e.Name != ""
	case source.Apply:
		if !w.q.isArray(e.Name) {
			return "", nil, false
		}
		w.subscripts(e.Args)
		return e.Name, []step{{elem: true, subs: fixRange(e.Args)}}, true
	case source.Index:
		root, steps, ok = w.path(e.Args[0])
		w.subscripts(e.Args[1:])
		if ok && !w.q.fortran() {
			w.base(root, steps, e)
		}
		return root, with(steps, step{elem: true, subs: fixRange(e.Args[1:])}), ok
	case source.Member:
		root, steps, ok = w.path(e.Args[0])
		if !ok {
			return
		}
		if e.Op == "->" {
			w.base(root, steps, e)
			steps = with(steps, step{elem: true, subs: []*source.Expr{nought}})
		}
		return root, with(steps, step{field: e.Name}), true
	case source.Unary:
		if e.Op != "*" {
			return
		}
		in := e.Args[0]
		if in != nil && in.Kind == source.Binary && in.Op == "+" { // *(p + i)
			if root, steps, ok = w.path(in.Args[0]); ok && w.q.pointerLike(root, steps) {
				w.read(in.Args[1])
				w.base(root, steps, e)
				return root, with(steps, step{elem: true, subs: []*source.Expr{in.Args[1]}}), true
			}
			return "", nil, false
		}
		if root, steps, ok = w.path(in); ok {
			w.base(root, steps, e)
		}
		return root, with(steps, step{elem: true, subs: []*source.Expr{nought}}), ok
	}
	return "", nil, false
}

func (q *proc) pointerLike(root string, steps []step) bool {
	v := q.lookup(root)
	return len(steps) == 0 && v != nil && (v.Pointer || v.array())
}

func with(steps []step, s step) []step {
	return append(append([]step{}, steps...), s)
}

// fixRange drops the subscripts where one is a range: any element may be meant.
func fixRange(subs []*source.Expr) []*source.Expr {
	for _, s := range subs {
		if s == nil || s.Kind == source.Range {
			return nil
		}
	}
	return subs
}

func (w *effectWalk) subscripts(list []*source.Expr) {
	for _, s := range list {
		w.read(s)
	}
}

// base notes that a pointer's value was read on the way.
func (w *effectWalk) base(root string, steps []step, e *source.Expr) {
	if v := w.q.lookup(root); len(steps) == 0 && v != nil && v.array() && !v.Param {
		return // an array is no pointer
	}
	w.add(ref{root: root, steps: steps, read: true, expr: e})
}

func (w *effectWalk) add(r ref) {
	r.maybe = w.maybe
	w.out.refs = append(w.out.refs, r)
}

func (w *effectWalk) unknown(e *source.Expr) {
	w.out.opaque = append(w.out.opaque, e)
}

func (w *effectWalk) perhaps(visit func()) {
	was := w.maybe
	w.maybe = true
	visit()
	w.maybe = was
}

func (w *effectWalk) read(e *source.Expr) {
	if e == nil {
		return
	}
	if w.depth++; w.depth > maxDepth {
		w.unknown(e)
		w.depth--
		return
	}
	defer func() { w.depth-- }()
	switch e.Kind {
	case source.Literal:
	case source.Name, source.Index, source.Member:
		w.access(e, true, false, "", nil)
	case source.Apply:
		if w.q.isArray(e.Name) {
			w.access(e, true, false, "", nil)
			return
		}
		w.call(e)
	case source.CallOf:
		w.call(e)
	case source.Unary:
		switch e.Op {
		case "*":
			if w.q.fortran() {
				w.read(e.Args[0])
				return
			}
			w.access(e, true, false, "", nil)
		case "&":
			w.path(e.Args[0])
		default:
			w.read(e.Args[0])
		}
	case source.Binary:
		w.read(e.Args[0])
		if e.Op == "&&" || e.Op == "||" {
			w.perhaps(func() { w.read(e.Args[1]) })
			return
		}
		w.read(e.Args[1])
	case source.Assign:
		w.assign(e)
	case source.Cond:
		w.read(e.Args[0])
		w.perhaps(func() { w.read(e.Args[1]); w.read(e.Args[2]) })
	case source.Range, source.List:
		for _, a := range e.Args {
			w.read(a)
		}
	default:
		w.unknown(e)
		for _, a := range e.Args {
			w.read(a)
		}
	}
}

// access adds the access of an object, or says that it is not understood.
func (w *effectWalk) access(e *source.Expr, read, write bool, update string, value *source.Expr) {
	root, steps, ok := w.path(e)
	if !ok {
		w.unknown(e)
		if !write && e.Kind == source.Unary {
			w.read(e.Args[0])
		}
		return
	}
	v := w.q.lookup(root)
	if len(steps) == 0 && v.array() {
		if !w.q.fortran() && !write {
			return // the address of an array; its elements are not touched
		}
		steps = []step{{elem: true}}
	}
	if w.q.fortran() && len(steps) == 0 && v == nil && w.q.prog.arrays[root] {
		steps = []step{{elem: true}}
	}
	w.add(ref{root: root, steps: steps, read: read, write: write, update: update, expr: e, value: value})
}

func (w *effectWalk) assign(e *source.Expr) {
	left, right := e.Args[0], e.Args[1]
	if e.Op == "=>" {
		w.unknown(e)
		return
	}
	w.read(right)
	if e.Op == "=" {
		w.access(left, false, true, updateOf(left, right), right)
		return
	}
	w.access(left, true, true, class(strings.TrimSuffix(e.Op, "=")), nil)
}

// castOf gives the operand of static_cast<T>(x), and of (T)(x) where T is a
// typedef, both of which the grammar reads as calls; nil for anything else.
func (q *proc) castOf(e *source.Expr) *source.Expr {
	if e.Kind != source.CallOf || e.Name != "" || len(e.Args) != 2 || e.Args[0] == nil || e.Args[1] == nil {
		return nil
	}
	f := e.Args[0]
	text := string(q.file.Text[f.Start:f.End])
	_, isType := q.prog.types[strings.Trim(text, "() ")]
	if !isType && !strings.HasPrefix(text, "static_cast<") {
		return nil
	}
	return e.Args[1]
}

func (w *effectWalk) call(e *source.Expr) {
	if in := w.q.castOf(e); in != nil {
		w.read(in)
		return
	}
	name := strings.TrimPrefix(e.Name, "std::")
	for _, a := range e.Args {
		w.read(a)
	}
	w.out.calls = append(w.out.calls, invocation{name: name, args: e.Args, expr: e, maybe: w.maybe})
}
