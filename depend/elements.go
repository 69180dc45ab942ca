package depend

import (
	"fmt"

	"auspex/source"
)

// elementsFine checks every pair of a written element and another access that
// may be the same memory in another iteration.
func (j *judgement) elementsFine() bool {
	b, q := j.b, j.b.q
	places := make([]*place, len(b.sites))
	for i := range b.sites {
		if s := &b.sites[i]; !s.plain() {
			places[i] = j.resolve(s)
		}
	}
	for i, w := range places {
		if w == nil || !w.site.write || j.ownArray(w.site) {
			continue
		}
		if w.wild {
			j.say(Unknown, "Line %d writes through %s, which changes in the loop.", w.site.stmt.Line, w.site.shown())
			return false
		}
		for k, o := range places {
			if o == nil || k < i && o.site.write || j.ownArray(o.site) {
				continue
			}
			r := q.relate(&w.ref, &o.ref)
			if r == distinct || r == same && !o.wild && !j.meet(w, o) {
				continue
			}
			if r == same && !o.wild {
				if op := j.elementReduction(w.ref.key(), places); op != "" {
					j.Reductions = appendNew(j.Reductions, op+": "+w.ref.shown())
					continue
				}
			}
			j.Verdict, j.Reason = Carried, j.conflict(w, o, r)
			return false
		}
		// What is written may also be a variable reached by name.
		for k := range b.sites {
			o := &b.sites[k]
			if o.scalar() && len(o.steps) == 0 && !q.local(o.root) && q.prog.addressedAnywhere(o.root) && q.relate(&w.ref, &o.ref) == mayAlias {
				j.say(Carried, "%s (line %d) and %s (line %d) may be the same memory.", w.ref.shown(), w.site.stmt.Line, o.shown(), o.stmt.Line)
				return false
			}
		}
	}
	return true
}

// place is an access after private pointers were replaced by what they are:
// with p = a + i, p[x] is a[i + x].
type place struct {
	site *site
	ref  ref
	subs [][]poly // of each element step; nil: any element
	wild bool
}

func (j *judgement) resolve(s *site) *place {
	p := &place{site: s, ref: s.ref, wild: s.wild}
	for _, st := range s.steps {
		p.subs = append(p.subs, j.polys(st, s))
	}
	j.walkingPointer(p)
	for depth := 0; p.wild && depth < 8; depth++ {
		def := j.lin.defs[p.ref.root]
		v := j.b.q.lookup(p.ref.root)
		if def == nil || v == nil || !v.Pointer || len(p.ref.steps) == 0 || !p.ref.steps[0].elem || !prefix(def.loops, s.loops) || s.expr.Start < def.expr.Start {
			return p
		}
		base, offset := pointerSum(def.value)
		w := &effectWalk{q: j.b.q, out: &effects{}}
		root, steps, ok := w.path(base)
		if !ok || root == p.ref.root {
			return p
		}
		first := p.subs[0]
		if len(first) != 1 {
			first = nil
		} else {
			sum := first[0]
			for _, o := range offset {
				sum = sum.plus(j.lin.poly(o.expr, def.loops, 0), o.sign)
			}
			first = []poly{sum}
		}
		var before [][]poly
		for _, st := range steps {
			before = append(before, j.polys(st, def))
		}
		p.subs = append(append(before, first), p.subs[1:]...)
		p.ref.root, p.ref.steps = root, append(append([]step{}, steps...), p.ref.steps...)
		p.wild = j.b.changing(&p.ref)
	}
	return p
}

// walkingPointer turns p[x], where p goes on by the same amount in every
// iteration, into an element of what p led to before the loop.
func (j *judgement) walkingPointer(p *place) {
	g := j.lin.grows[p.ref.root]
	if g == nil || len(p.subs) == 0 || len(p.subs[0]) != 1 {
		return
	}
	at := &source.Expr{Kind: source.Name, Name: p.ref.root, Place: p.site.expr.Place}
	p.subs[0] = []poly{p.subs[0][0].plus(j.lin.inductionAt(at), 1)}
	p.wild = p.subs[0][0] == nil || j.b.changesBelow(p.ref)
}

type offset struct {
	expr *source.Expr
	sign int64
}

// pointerSum takes p + i − k apart; &a[i] is a + i.
func pointerSum(e *source.Expr) (*source.Expr, []offset) {
	var offsets []offset
	for e != nil {
		if e.Kind == source.Unary && e.Op == "&" && e.Args[0] != nil && e.Args[0].Kind == source.Index && len(e.Args[0].Args) == 2 {
			offsets = append(offsets, offset{e.Args[0].Args[1], 1})
			return e.Args[0].Args[0], offsets
		}
		if e.Kind != source.Binary || e.Op != "+" && e.Op != "-" {
			return e, offsets
		}
		sign := int64(1)
		if e.Op == "-" {
			sign = -1
		}
		offsets = append(offsets, offset{e.Args[1], sign})
		e = e.Args[0]
	}
	return e, offsets
}

func (j *judgement) polys(st step, s *site) []poly {
	if !st.elem || len(st.subs) == 0 || j.b.q.cuts(s.expr) {
		return nil
	}
	var list []poly
	for _, e := range st.subs {
		list = append(list, j.lin.poly(e, s.loops, 0))
	}
	return list
}

// meet tells whether two accesses of one object may be the same element in
// different iterations.
func (j *judgement) meet(a, b *place) bool {
	outer := j.lin.counter(j.h, nil)
	in1, in2 := j.lin.counters(a.site.loops), j.lin.counters(b.site.loops)
	for i := range min(len(a.subs), len(b.subs)) {
		x, y := a.subs[i], b.subs[i]
		if len(x) != len(y) || !a.ref.steps[i].elem {
			continue
		}
		for d := range x {
			if !j.separates(a, i, d, len(x)) {
				continue
			}
			if !mayMeet(x[d], y[d], outer, in1, in2) {
				return false
			}
		}
	}
	return true
}

// separates tells whether different subscripts in one dimension surely are
// different elements. With pointers to rows (double **a) two rows may be one.
func (j *judgement) separates(p *place, at, dim, dims int) bool {
	q := j.b.q
	if q.fortran() {
		return at == len(p.ref.steps)-1 || !laterElement(p, at)
	}
	if laterElement(p, at) {
		return false // a[i].b[k], a[i]->b: what is reached may be one thing
	}
	if dim == dims-1 {
		v := q.lookup(p.ref.root)
		// a[i] of a table of pointers is itself memory of the table.
		return dims == 1 || v != nil
	}
	v := q.lookup(p.ref.root)
	if v == nil || len(p.ref.steps) != 1 {
		return false
	}
	levels := len(v.Dims)
	if v.Pointer {
		text := ""
		if v.End > 0 {
			text = string(q.file.Text[v.Start:v.End])
		}
		for i := range text {
			if text[i] == '(' { // double (*a)[N]
				return dims <= levels+1
			}
		}
		return false
	}
	return dims <= levels
}

func laterElement(p *place, at int) bool {
	for _, s := range p.ref.steps[at+1:] {
		if s.elem {
			return true
		}
	}
	return false
}

// ownArray tells whether an access is of an array declared in the loop's body,
// so that every iteration has its own.
func (j *judgement) ownArray(s *site) bool {
	if j.b.q.fortran() || len(s.steps) == 0 || !s.steps[0].elem {
		return false
	}
	for _, d := range j.b.q.declarations()[s.root] {
		if d.array && j.Stmt.Loop.Body.Contains(d.stmt.Span) && d.scope.Contains(s.expr.Span) && d.stmt.Start < s.expr.Start {
			return true
		}
	}
	return false
}

// elementReduction is reduction for arrays: every access updates an element by
// one class of operators.
func (j *judgement) elementReduction(k string, places []*place) string {
	op := ""
	for _, p := range places {
		if p == nil || p.ref.key() != k {
			continue
		}
		s := p.site
		u := s.update
		if !s.write {
			u = j.readOfUpdate(s)
		}
		if u == "" || op != "" && u != op {
			return ""
		}
		op = u
	}
	return op
}

// conflict says which two accesses meet, and why they may.
func (j *judgement) conflict(w, o *place, r relation) string {
	text := func(p *place) string {
		e := p.site.expr
		return fmt.Sprintf("%s on line %d", clip(string(j.b.q.file.Text[e.Start:e.End])), p.site.stmt.Line)
	}
	switch {
	case r == mayAlias:
		return fmt.Sprintf("%s (line %d) and %s (line %d) may be the same memory.", w.site.shown(), w.site.stmt.Line, o.site.shown(), o.site.stmt.Line)
	case o.wild:
		return fmt.Sprintf("Line %d reads through %s, which changes in the loop.", o.site.stmt.Line, o.site.shown())
	case !known(w) || !known(o):
		p := w
		if known(w) {
			p = o
		}
		if len(p.site.steps[len(p.site.steps)-1].subs) == 0 {
			return fmt.Sprintf("Line %d uses %s as a whole, of which line %d writes elements in other iterations.", p.site.stmt.Line, p.site.shown(), w.site.stmt.Line)
		}
		return fmt.Sprintf("%s: which element it is cannot be determined from %s, so iterations may meet in it.", text(p), j.Variable)
	case w == o:
		return fmt.Sprintf("%s may be the same element in several iterations.", text(w))
	}
	return fmt.Sprintf("%s may be what %s writes in another iteration.", text(o), text(w))
}

func known(p *place) bool {
	for i, s := range p.ref.steps {
		if !s.elem {
			continue
		}
		if len(p.subs[i]) == 0 {
			return false
		}
		for _, f := range p.subs[i] {
			if f == nil {
				return false
			}
		}
	}
	return true
}
