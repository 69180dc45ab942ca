package depend

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"auspex/source"
)

// outcome is what a procedure leaves behind when entered with something wrong.
type outcome struct {
	wrong  stain
	result bool // what it returns is wrong
}

// follow carries what is wrong through a procedure from some vertices on, and
// gives what is wrong at its exit. within limits it to a part.
func (t *tracker) follow(q *proc, begin map[int]stain, within func(*vertex) bool) (stain, bool) {
	f := q.flowGraph()
	in := map[int]stain{}
	var work []int
	result := false
	decided := map[int]bool{}
	merge := func(id int, s stain) {
		if within != nil && !within(f.vertices[id]) {
			return
		}
		old, seen := in[id]
		grown := !seen
		if !seen {
			old = stain{}
			in[id] = old
		}
		for o := range s {
			if o = o.find(); !old[o] {
				old[o] = true
				grown = true
			}
		}
		if grown {
			work = append(work, id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(begin)) {
		merge(id, begin[id])
	}
	for len(work) > 0 && !t.enough() {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		if t.steps++; t.steps > maxSteps {
			t.refuse(Reach{File: q.place(), Line: q.unit.Line, Kind: "call", Words: "the program is too large to follow"})
			break
		}
		v := f.vertices[id]
		s := &state{t: t, q: q, v: v, wrong: maps.Clone(in[id]), results: map[*source.Expr]bool{}, decided: decided}
		s.pass()
		result = result || s.result
		for _, id := range s.again {
			if in[id] != nil {
				work = append(work, id)
			}
		}
		for _, next := range v.succ {
			merge(next, s.wrong)
		}
	}
	end := in[1]
	if end == nil {
		end = stain{}
	}
	if q.fortran() && end[t.m.variable(q, q.resultName())] {
		result = true
	}
	return end, result
}

// resultName is the variable a Fortran function gives back.
func (q *proc) resultName() string {
	head := strings.ToLower(string(q.file.Text[q.unit.Start:q.unit.Body.Start]))
	if _, after, ok := strings.Cut(strings.ReplaceAll(head, " ", ""), "result("); ok {
		if name, _, ok := strings.Cut(after, ")"); ok {
			return name
		}
	}
	return lastPart(q.unit.Name)
}

// enter follows a call into a procedure of the program.
func (t *tracker) enter(callee *proc, wrong stain) outcome {
	if slices.Contains(t.stack, callee) {
		t.refuse(Reach{File: callee.place(), Line: callee.unit.Line, Kind: "call", Words: callee.unit.Name + " calls itself"})
		return outcome{wrong, true}
	}
	key := fmt.Sprintf("%p %v", callee, t.inside)
	var ids []string
	for o := range wrong {
		ids = append(ids, fmt.Sprintf("%p", o))
	}
	slices.Sort(ids)
	key += strings.Join(ids, " ")
	if done, ok := t.memo[key]; ok {
		return done
	}
	t.stack = append(t.stack, callee)
	end, result := t.follow(callee, map[int]stain{0: wrong}, nil)
	t.stack = t.stack[:len(t.stack)-1]
	done := outcome{t.withoutLocals(callee, end), result}
	for o := range wrong { // the caller's own variables are out of its sight
		if !t.m.reachable(callee, o) {
			done.wrong[o] = true
		}
	}
	t.memo[key] = done
	return done
}

// reachable tells whether a procedure may strongly overwrite an object: one of
// its own names is it.
func (m *memory) reachable(q *proc, o *object) bool {
	for _, table := range []map[string]*object{m.locals[q], m.named} {
		for _, k := range table {
			if k.find() == o {
				return true
			}
		}
	}
	return false
}

// state is what is wrong while one vertex is passed.
type state struct {
	t       *tracker
	q       *proc
	v       *vertex
	wrong   stain
	results map[*source.Expr]bool // calls that gave back something wrong
	result  bool
	// decided are the vertices that run or not by what is wrong, again those that
	// have only now been found to be.
	decided map[int]bool
	again   []int
	// returned is the call control comes back from: it has happened.
	returned *source.Expr
}

// pass checks a vertex for places that decide something, and applies what it
// writes.
func (s *state) pass() {
	if s.v.stmt == nil {
		return
	}
	if ioStatement(s.v.stmt) != "" && s.v.part == plainPart {
		s.transfer()
		return
	}
	fx := s.q.effectsOf(s.v.exprs...)
	s.streams()
	for _, c := range fx.calls {
		if c.expr != s.returned {
			s.call(c)
		}
	}
	for i := range fx.refs {
		s.subscripts(&fx.refs[i])
		s.operators(&fx.refs[i])
	}
	if s.t.work {
		s.extents()
	}
	s.sizes()
	s.decisions()
	for _, o := range fx.opaque {
		if name, bad := s.contents(o); bad {
			s.refuse("call", name, o.Line, "not understood, and it uses "+name)
		}
	}
	if s.v.stmt.Kind == source.Return {
		for _, e := range s.v.exprs {
			_, bad := s.value(e)
			s.result = s.result || bad
		}
		s.result = s.result || s.decided[s.v.id]
	}
	for i := range fx.refs {
		if r := &fx.refs[i]; r.write {
			s.write(r)
		}
	}
	s.chosen()
	if s.decided[s.v.id] {
		s.t.quietWrites(s.q, s.v, s.wrong)
	}
}

// streams follows what goes through streams of C++.
func (s *state) streams() {
	files := s.t.m.hidden(fileState)
	s.t.m.streams(s.q, s.v.exprs, func(stream *object, file, out bool, what *source.Expr) {
		if _, bad := s.value(what); out && bad {
			s.wrong[stream] = true
			s.wrong[files] = s.wrong[files] || file
		}
		if out {
			return
		}
		if file && s.wrong[files] {
			s.wrong[stream] = true
		}
		if o := s.t.m.place(s.q, what); o != nil && s.wrong[stream] {
			s.wrong[o] = true
		}
	})
}

// operators refuses what is wrong where an operator of the program may look at it.
func (s *state) operators(r *ref) {
	if s.t.inside {
		return
	}
	path := s.t.m.at(s.q, r)
	if class := s.q.operated(r); class != "" && s.wrong[path[len(path)-1]] {
		s.refuse("call", r.shown(), s.v.stmt.Line, fmt.Sprintf("%s, which the loop computes, is a %s, and what its operators do is not known", r.shown(), class))
	}
}

// sizes looks at the sizes of arrays that are made there.
func (s *state) sizes() {
	if s.v.stmt.Kind != source.Declaration || s.t.inside {
		return
	}
	for _, v := range s.q.vars {
		if v.declared != s.v.stmt || v.Param {
			continue
		}
		for _, d := range v.Dims {
			if name, bad := s.value(d); bad {
				s.refuse("subscript", name, s.v.stmt.Line, fmt.Sprintf("%s, which the loop computes, is the size of %s", name, v.Name))
			}
		}
	}
}

func (s *state) write(r *ref) {
	if v := s.q.vars[r.root]; s.v.stmt.Kind == source.Declaration && v != nil && v.static {
		return // its first value, which it has once
	}
	path := s.t.m.at(s.q, r)
	o := path[len(path)-1]
	bad := false
	if r.value != nil {
		_, bad = s.value(r.value)
	} else {
		for _, e := range s.v.exprs {
			if e.Contains(r.expr.Span) {
				_, this := s.value(e)
				bad = bad || this
			}
		}
	}
	switch {
	case bad:
		s.wrong[o] = true
		if class := s.q.constructs(s.v.stmt); class != "" && !s.t.inside {
			s.refuse("call", r.shown(), s.v.stmt.Line, "a "+class+" is made from what the loop computes, and what its constructor does is not known")
		}
	case len(r.steps) == 0 && !r.maybe && !o.shared && (s.q.lookup(r.root) != nil || s.q.fortran()): // in C it may be a macro
		delete(s.wrong, o)
	}
}

// value tells whether an expression's value would be wrong, and by which name.
func (s *state) value(e *source.Expr) (string, bool) {
	fx := s.q.effectsOf(e)
	for i := range fx.refs {
		r := &fx.refs[i]
		if !r.read {
			continue
		}
		for _, o := range s.t.m.at(s.q, r) {
			if s.wrong[o] && !s.t.swaps[o] {
				return r.shown(), true
			}
		}
		path := s.t.m.at(s.q, r)
		if s.wrong[path[len(path)-1]] {
			return r.shown(), true
		}
	}
	for _, c := range fx.calls {
		if s.results[c.expr] {
			return c.name + "()", true
		}
	}
	return "", false
}

// contents is value, and what a pointer leads to.
func (s *state) contents(e *source.Expr) (string, bool) {
	if name, bad := s.value(e); bad {
		return name, true
	}
	found := ""
	e.Walk(func(k *source.Expr) {
		if k == nil || found != "" {
			return
		}
		if k.Kind == source.Unary && k.Op == "&" {
			k = k.Args[0]
		}
		o := s.t.m.place(s.q, k)
		if o == nil {
			return
		}
		for _, at := range []*object{o, o.to("*")} {
			if part := s.part(at, map[*object]bool{}); part != nil {
				found = part.name
			}
		}
	})
	return found, found != ""
}

// part is what is wrong of an object: itself, or one of its fields, which are in C++
// those of any.
func (s *state) part(o *object, seen map[*object]bool) *object {
	if o = o.find(); seen[o] {
		return nil
	}
	if seen[o] = true; s.wrong[o] {
		return o
	}
	for _, step := range slices.Sorted(maps.Keys(o.within)) {
		if step == "*" {
			continue
		}
		if part := s.part(o.within[step], seen); part != nil {
			return part
		}
	}
	return nil
}

func (s *state) refuse(kind, name string, line int, words string) {
	if kind == "subscript" && s.t.rules.FixedCommunication && !s.t.inside {
		words = fmt.Sprintf("Line %d: %s; taken to be as in a run with fewer iterations.", line, words)
		if !slices.Contains(s.t.answer.Assumed, words) {
			s.t.answer.Assumed = append(s.t.answer.Assumed, words)
		}
		return
	}
	s.t.refuse(Reach{File: s.q.place(), Line: line, Kind: kind, Variable: name, Words: words})
}

// subscripts looks at the way to an object: where it lies must be right.
func (s *state) subscripts(r *ref) {
	if s.t.inside {
		return
	}
	for _, st := range r.steps {
		for _, e := range st.subs {
			if name, bad := s.value(e); bad {
				s.refuse("subscript", name, s.v.stmt.Line, fmt.Sprintf("%s, which the loop computes, is a subscript of %s", name, r.shown()))
			}
		}
	}
	if s.q.fortran() {
		return
	}
	path := s.t.m.at(s.q, r)
	for i, st := range r.steps {
		if st.elem && s.wrong[path[i]] && !s.t.swaps[path[i]] {
			s.refuse("subscript", r.root, s.v.stmt.Line, fmt.Sprintf("%s is reached through a pointer that the loop computes", r.shown()))
		}
	}
}

// extents looks at how much of the arrays of Fortran is worked on.
func (s *state) extents() {
	for _, e := range s.v.exprs {
		e.Walk(func(k *source.Expr) {
			if k == nil || k.Kind != source.Range {
				return
			}
			if name, bad := s.value(k); bad {
				s.differs(name, s.v.stmt.Line)
			}
		})
	}
}

// decisions looks at branches and loop bounds.
func (s *state) decisions() {
	st := s.v.stmt
	looping := st.Kind == source.Loop
	if s.v.part != testPart && st.Kind != source.Goto && !(looping && (s.v.part == initPart || s.v.part == stepPart)) {
		return
	}
	own := s.t.inside && st == s.t.loop.Stmt
	if own && (s.t.ends == nil || s.v.part != testPart) {
		return
	}
	for _, e := range s.v.exprs {
		name, bad := s.value(e)
		if !bad {
			continue
		}
		switch {
		case own:
			s.endsLoop(st, e)
		case s.t.inside:
			s.withinLoop(st, e, name)
		case looping:
			s.refuse("bound", name, st.Line, name+", which the loop computes, decides how often the loop there runs")
		case s.quiet(st):
			s.t.note(fmt.Sprintf("Line %d tests %s, but the branch itself holds nothing that takes time.", st.Line, name))
			s.decide(s.q.swayOf(st), st)
		default:
			s.refuse("branch", name, st.Line, name+", which the loop computes, decides the branch there")
		}
	}
}

func (t *tracker) note(words string) {
	if !slices.Contains(t.answer.Notes, words) {
		t.answer.Notes = append(t.answer.Notes, words)
	}
}
