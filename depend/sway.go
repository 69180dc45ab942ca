package depend

import (
	"slices"

	"auspex/source"
)

// sway is what the test of a branch or of a loop decides: which statements run, and
// how often a loop does.
type sway struct {
	spans []source.Span
	// left is a loop around the branch that the branch may leave.
	left *source.Stmt
}

func (w *sway) holds(st *source.Stmt) bool {
	return slices.ContainsFunc(w.spans, func(s source.Span) bool { return s.Contains(st.Span) })
}

// swayOf finds what a statement's test decides: its parts, and what is passed over
// where one of them jumps.
func (q *proc) swayOf(st *source.Stmt) *sway {
	w := &sway{spans: []source.Span{st.Span}}
	var around []*source.Stmt
	q.unit.Walk(func(s *source.Stmt, outer []*source.Stmt) bool {
		if s == st {
			around = slices.Clone(outer)
		}
		return true
	})
	if n := len(around); n > 0 && around[n-1].Kind == source.If && slices.Contains(around[n-1].Else, st) {
		// An ELSE IF of Fortran decides on those behind it, too.
		w.spans[0] = around[n-1].Span
	}
	q.unit.Walk(func(s *source.Stmt, outer []*source.Stmt) bool {
		if w.spans[0].Contains(s.Span) {
			w.jump(q, s, outer)
		}
		return true
	})
	return w
}

// jump adds what a jump in the statement passes over. outer are the statements
// around the jump.
func (w *sway) jump(q *proc, s *source.Stmt, outer []*source.Stmt) {
	own := w.spans[0]
	rest := func(of source.Span) {
		w.spans = append(w.spans, source.Span{Start: own.End, End: of.End})
	}
	switch {
	case s.Kind == source.Return || s.Kind == source.Throw || s.Kind == source.Goto || len(s.Targets) > 0 && s.Kind != source.Break && s.Kind != source.Continue:
		for _, o := range outer {
			if o.Kind == source.Loop && !own.Contains(o.Span) && w.left == nil {
				w.left = o
				w.spans = append(w.spans, o.Span)
			}
		}
		rest(q.unit.Span)
		if s.Kind == source.Goto {
			w.spans = append(w.spans, q.unit.Span)
		}
	case s.Kind == source.Break || s.Kind == source.Continue:
		for i := len(outer) - 1; i >= 0; i-- {
			o := outer[i]
			loop := o.Kind == source.Loop
			if !loop && (o.Kind != source.Switch || s.Kind == source.Continue || q.fortran()) || len(s.Targets) > 0 && o.Name != s.Targets[0] {
				continue
			}
			switch {
			case own.Contains(o.Span): // within the statement
			case loop && s.Kind == source.Break && !o.Loop.Once:
				w.left = o
				w.spans = append(w.spans, o.Span)
			default:
				rest(o.Span)
			}
			return
		}
	}
}

// heavy tells whether what a test decides takes time that matters: how often a loop
// runs, or whether a loop, a procedure of the program, communication, work on whole
// arrays or a function that takes many instructions is done.
func (w *sway) heavy(q *proc, st *source.Stmt) bool {
	if w.left != nil || st.Kind == source.Loop {
		return true
	}
	for _, v := range q.flowGraph().vertices {
		if v.stmt != nil && v.stmt != st && w.holds(v.stmt) && q.heavyVertex(v) {
			return true
		}
	}
	return false
}

func (q *proc) heavyVertex(v *vertex) bool {
	if v.stmt.Kind == source.Loop && !v.stmt.Loop.Once {
		return true
	}
	fx := q.effectsOf(v.exprs...)
	for _, c := range fx.calls {
		if q.heavyCall(c) {
			return true
		}
	}
	for i := range fx.refs {
		if r := &fx.refs[i]; r.write && q.fortran() && q.wholeArray(r) {
			return true
		}
	}
	return false
}

func (q *proc) heavyCall(c invocation) bool {
	return isMPI(c.name) && !localMPI(c.name) || q.prog.named[lastPart(c.name)] != nil || fills[c.name] || endsWell(c) || q.costly(c.name)
}

// endsWell tells whether a call ends the program other than for a mistake.
func endsWell(c invocation) bool {
	return (c.name == "exit" || c.name == "_exit" || c.name == "quick_exit") && len(c.args) == 1 &&
		(zero(c.args[0]) || c.args[0] != nil && c.args[0].Kind == source.Name && c.args[0].Name == "EXIT_SUCCESS")
}

// wholeArray tells whether a Fortran access is of many elements.
func (q *proc) wholeArray(r *ref) bool {
	for _, s := range r.steps {
		if s.elem && len(s.subs) == 0 || slices.ContainsFunc(s.subs, func(e *source.Expr) bool { return e != nil && e.Kind == source.Range }) {
			return true
		}
	}
	return len(r.steps) == 0 && q.lookup(r.root).array()
}

// withinLoop is a decision in the loop's body by what differs between iterations.
func (s *state) withinLoop(st *source.Stmt, e *source.Expr, name string) {
	w := s.q.swayOf(st)
	switch {
	case s.t.ends != nil:
		if s.q == s.t.loop.proc && w.left != nil && w.left.Contains(s.t.loop.Stmt.Span) {
			s.endsLoop(st, e)
			return
		}
	case s.t.work:
		if w.heavy(s.q, st) {
			s.differs(name, st.Line)
		}
	case s.communicates(w):
		if objects, ok := s.vouchable(e); ok {
			s.t.vouch(objects, name+", which the loop computes, decides the communication there", st.Line)
			return
		}
		if st.Kind == source.Loop {
			s.refuse("bound", name, st.Line, name+", which the loop computes, decides how often the loop there runs")
		} else {
			s.refuse("branch", name, st.Line, name+", which the loop computes, decides whether the communication there happens")
		}
	}
	s.decide(w, st)
}

// decide marks what runs or not by something wrong.
func (s *state) decide(w *sway, st *source.Stmt) {
	for _, v := range s.q.flowGraph().vertices {
		if v.stmt != nil && v.stmt != st && w.holds(v.stmt) && !s.decided[v.id] {
			s.decided[v.id] = true
			s.again = append(s.again, v.id)
		}
	}
}

// communicates tells whether what a statement decides holds communication, at any depth.
func (s *state) communicates(w *sway) bool {
	for _, v := range s.q.flowGraph().vertices {
		if v.stmt == nil || !w.holds(v.stmt) {
			continue
		}
		for _, c := range s.q.effectsOf(v.exprs...).calls {
			if isMPI(c.name) && !localMPI(c.name) {
				return true
			}
			if callee := s.t.prog.named[lastPart(c.name)]; callee != nil && callee.purity().mpi != "" {
				return true
			}
		}
	}
	return false
}
