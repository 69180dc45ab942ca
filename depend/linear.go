package depend

import (
	"strings"

	"auspex/source"
)

// linear turns expressions of a loop's body into polynomials over the loop's
// counter, those of loops inside, and what does not change while it runs.
type linear struct {
	b     *body
	h     *header
	heads map[*source.Stmt]*header
	defs  map[string]*site // private variables with one value an iteration
	grows map[string]*induction
}

func newLinear(b *body, h *header) *linear {
	l := &linear{b: b, h: h, heads: map[*source.Stmt]*header{}, defs: map[string]*site{}, grows: map[string]*induction{}}
	writes := map[string]int{}
	exposed := map[string]bool{}
	for i := range b.sites {
		s := &b.sites[i]
		k := s.key()
		if s.write {
			writes[k]++
		}
		exposed[k] = exposed[k] || s.exposed
		for _, loop := range s.loops {
			if _, ok := l.heads[loop]; !ok {
				l.heads[loop] = b.q.headerOf(loop)
			}
		}
	}
	for i := range b.sites {
		s := &b.sites[i]
		k := s.key()
		// Nothing may be known of the value where the order of statements is
		// not known, or where the address is about.
		if s.write && !s.read && s.value != nil && writes[k] == 1 && !exposed[k] && len(s.steps) == 0 && !s.conditional &&
			!b.jumps && !b.q.addressed[s.root] && !b.q.narrow(s) {
			l.defs[k] = s
		}
	}
	l.findInductions(writes)
	return l
}

var narrowTypes = []string{"char", "short", "int8", "int16", "bool", "float", "double", "real", "logical"}

// narrow tells whether a value may be cut when it is put into a variable, so
// that the variable is not what was assigned.
func (q *proc) narrow(s *site) bool {
	v := q.lookup(s.root)
	if v == nil {
		return !q.fortran()
	}
	for _, t := range narrowTypes {
		if !v.Pointer && strings.Contains(v.Type, t) {
			return true
		}
	}
	return q.cuts(s.assign)
}

// cuts tells whether an expression converts to a narrower type.
func (q *proc) cuts(e *source.Expr) bool {
	text := string(q.file.Text[e.Start:e.End])
	for _, t := range narrowTypes[:5] {
		if strings.Contains(text, t) && (strings.Contains(text, t+")") || strings.Contains(text, t+"_t)") || strings.Contains(text, "_cast<")) {
			return true
		}
	}
	return false
}

// counterFor finds the inner loop whose counter a name is at some place.
func (l *linear) counterFor(name string, loops []*source.Stmt) *header {
	for i := len(loops) - 1; i >= 0; i-- {
		if h := l.heads[loops[i]]; h != nil && h.variable == name {
			if l.writtenWithin(name, loops[i]) {
				return nil
			}
			return h
		}
	}
	return nil
}

// writtenWithin tells whether the body of a loop writes its own counter.
func (l *linear) writtenWithin(name string, loop *source.Stmt) bool {
	for i := range l.b.sites {
		s := &l.b.sites[i]
		if s.write && s.root == name && len(s.steps) == 0 && s.stmt != loop && loop.Contains(s.stmt.Span) {
			return true
		}
	}
	return false
}

func (h *header) symbol() string { return h.variable + "#" + itoa(h.stmt.Start) }

// counters gives the counters of the loops around a place, where known.
func (l *linear) counters(loops []*source.Stmt) []*counter {
	var list []*counter
	for _, s := range loops {
		if h := l.heads[s]; h != nil {
			list = append(list, l.counter(h, loops))
		}
	}
	return list
}

func (l *linear) counter(h *header, loops []*source.Stmt) *counter {
	c := &counter{name: h.symbol(), step: h.step}
	if h.odd {
		c.step = 1
		return c
	}
	// The header is evaluated outside its own loop.
	for i, s := range loops {
		if s == h.stmt {
			loops = loops[:i]
			break
		}
	}
	if h.from != nil {
		c.from = l.poly(h.from, loops, 0)
	}
	c.to = l.poly(h.to, loops, 0).plus(number(h.beyond), 1)
	return c
}

// poly gives an expression's polynomial at a place in the body, or nil.
func (l *linear) poly(e *source.Expr, loops []*source.Stmt, depth int) poly {
	if e == nil || depth > 40 {
		return nil
	}
	switch e.Kind {
	case source.Assign:
		return l.inductionAt(e)
	case source.CallOf:
		if in := l.b.q.castOf(e); in != nil {
			return l.poly(in, loops, depth+1)
		}
	case source.Literal:
		if n, ok := literal(e.Name); ok {
			return number(n)
		}
		return nil
	case source.Name:
		return l.name(e, loops, depth)
	case source.Unary:
		switch e.Op {
		case "-":
			return poly{}.plus(l.poly(e.Args[0], loops, depth+1), -1)
		case "+":
			return l.poly(e.Args[0], loops, depth+1)
		}
	case source.Binary:
		switch e.Op {
		case "+", "-":
			sign := int64(1)
			if e.Op == "-" {
				sign = -1
			}
			return l.poly(e.Args[0], loops, depth+1).plus(l.poly(e.Args[1], loops, depth+1), sign)
		case "*":
			return l.poly(e.Args[0], loops, depth+1).times(l.poly(e.Args[1], loops, depth+1))
		}
	}
	return l.invariant(e, loops)
}

func (l *linear) name(e *source.Expr, loops []*source.Stmt, depth int) poly {
	if e.Name == l.h.variable {
		return symbol(l.h.symbol())
	}
	if h := l.counterFor(e.Name, loops); h != nil {
		return symbol(h.symbol())
	}
	if !l.b.written[e.Name] {
		if v := l.b.q.constantValue(e.Name); v != nil && depth < 20 {
			if p := l.poly(v, nil, depth+20); p != nil {
				return p
			}
		}
		return symbol(e.Name)
	}
	if p := l.inductionAt(e); p != nil {
		return p
	}
	def := l.defs[e.Name]
	if def == nil || !prefix(def.loops, loops) || e.Start < def.expr.Start {
		return nil
	}
	return l.poly(def.value, def.loops, depth+1)
}

// prefix tells whether a place inside the loops of inner lies in all of outer.
func prefix(outer, inner []*source.Stmt) bool {
	if len(outer) > len(inner) {
		return false
	}
	for i := range outer {
		if outer[i] != inner[i] {
			return false
		}
	}
	return true
}

// invariant makes an expression that does not change while the loop runs a
// symbol of its own.
func (l *linear) invariant(e *source.Expr, loops []*source.Stmt) poly {
	fx := l.b.q.effectsOf(e)
	if len(fx.opaque) > 0 {
		return nil
	}
	for _, c := range fx.calls {
		if !l.b.q.pureName(c.name) {
			return nil
		}
	}
	for i := range fx.refs {
		r := &fx.refs[i]
		if r.write || !r.scalar() || r.root == l.h.variable || l.b.touched(r) {
			return nil
		}
		for _, s := range loops {
			if h := l.heads[s]; h != nil && h.variable == r.root {
				return nil
			}
		}
	}
	return symbol("(" + strings.ReplaceAll(e.String(), "·", ".") + ")")
}

// touched tells whether the loop writes an object, one it is part of, or one
// on the way to it.
func (b *body) touched(r *ref) bool {
	key := r.key()
	for w := range b.written {
		if w == key || strings.HasPrefix(key, w+".") || strings.HasPrefix(w, key+".") && !strings.HasPrefix(w, key+".*") {
			return true
		}
	}
	return false
}

// constantValue gives what a name is defined as, once and for all: a PARAMETER,
// or a variable that is never written but by its initialiser, made of names
// that are never written.
func (q *proc) constantValue(name string) *source.Expr {
	v := q.vars[name]
	if v == nil || v.Init == nil || v.Pointer || v.array() || q.addressed[name] {
		return nil
	}
	if q.fortran() && (v.declared == nil || !strings.Contains(strings.ToLower(string(q.file.Text[v.declared.Start:v.declared.End])), "parameter")) {
		return nil
	}
	counts := q.writeCounts()
	if counts[name] != 1 {
		return nil
	}
	ok := true
	v.Init.Walk(func(k *source.Expr) {
		switch {
		case k == nil || k.Kind == source.Literal || k.Kind == source.Binary:
		case k.Kind == source.Name && (counts[k.Name] == 0 && q.local(k.Name) && !q.addressed[k.Name] || counts[k.Name] == 1 && q.constantValue(k.Name) != nil && k.Name != name):
		default:
			ok = false
		}
	})
	if !ok {
		return nil
	}
	return v.Init
}

// writeCounts counts the writes of each plain name in the procedure. Names
// declared more than once count as written often.
func (q *proc) writeCounts() map[string]int {
	if q.writes != nil {
		return q.writes
	}
	q.writes = map[string]int{}
	q.unit.Walk(func(s *source.Stmt, _ []*source.Stmt) bool {
		fx := q.effectsOf(q.file.Exprs(s)...)
		for i := range fx.refs {
			if r := &fx.refs[i]; r.write && len(r.steps) == 0 {
				q.writes[r.root]++
			}
		}
		return true
	})
	for _, v := range q.file.Variables(q.unit) {
		if old := q.vars[v.Name]; old != nil && old.Span != v.Span {
			q.writes[v.Name] += 2
		}
	}
	return q.writes
}
