package depend

import (
	"maps"

	"auspex/source"
)

// bound tells what is known of a loop's number of iterations when it is
// entered.
func (t *tracker) bound(l Loop) string {
	q := l.proc
	h := q.headerOf(l.Stmt)
	if h == nil {
		return "unknown"
	}
	b := q.bodyOf(l.Stmt)
	if len(b.exits) > 0 {
		return "unknown"
	}
	for i := range b.sites {
		if s := &b.sites[i]; s.write && s.root == h.variable && len(s.steps) == 0 {
			return "unknown"
		}
	}
	var exprs []*source.Expr
	for _, e := range append(q.file.Exprs(l.Stmt), h.from, h.to) {
		if e != nil && e.Kind != source.Assign {
			exprs = append(exprs, e)
		}
	}
	fx := q.effectsOf(exprs...)
	read := map[string]bool{} // by what the bound calls
	for _, c := range fx.calls {
		callee := q.prog.named[lastPart(c.name)]
		switch {
		case callee != nil && callee.purity().pure:
			maps.Copy(read, callee.purity().reads)
		case callee != nil || !q.pureName(c.name):
			return "unknown"
		}
	}
	if len(fx.opaque) > 0 {
		return "unknown"
	}
	constant := true
	ranks := t.rankDependent()
	answer := "same"
	written := stain{}
	if !q.fortran() { // a DO works its bounds out once
		for _, v := range q.flowGraph().vertices {
			if v.stmt != nil && v.stmt != l.Stmt && l.Stmt.Contains(v.stmt.Span) {
				t.quietWrites(q, v, written)
			}
		}
	}
	for i := range fx.refs {
		r := &fx.refs[i]
		if r.root == h.variable && len(r.steps) == 0 {
			continue
		}
		constant = false
		if q.file.Language == source.CXX && (!q.own(r.root) || len(r.steps) > 0) {
			answer = "entry" // a constructor's initialisers may have set it
		}
		for _, o := range t.m.at(q, r) {
			if written[o] {
				return "unknown"
			}
			if ranks[o] {
				answer = "entry"
			}
		}
	}
	for name := range read {
		constant = false
		if q.file.Language == source.CXX {
			answer = "entry"
		}
		o := t.m.variable(q, name)
		if written[o] {
			return "unknown"
		}
		if ranks[o] {
			answer = "entry"
		}
	}
	if constant {
		return "constant"
	}
	return answer
}

// quietWrites is writes without complaints.
func (t *tracker) quietWrites(q *proc, v *vertex, into stain) {
	scratch := &tracker{prog: t.prog, m: t.m, loop: t.loop, found: map[string]bool{}, swaps: stain{}}
	scratch.writes(q, v, into, map[*proc]bool{})
}

// rankDependent finds the objects that may differ between ranks: what comes
// from MPI_Comm_rank and from receiving, and what is computed from it or under
// a condition on it. It does not look at the order of statements.
func (t *tracker) rankDependent() stain {
	if t.prog.ranks != nil {
		return t.prog.ranks
	}
	differs := stain{}
	for grown := true; grown; {
		before := len(differs)
		for _, q := range t.prog.procs {
			t.spread(q, differs)
		}
		grown = len(differs) > before
	}
	t.prog.ranks = differs
	return differs
}

func (t *tracker) spread(q *proc, differs stain) {
	s := &state{t: &tracker{prog: t.prog, m: t.m, swaps: stain{}}, q: q, wrong: differs, results: map[*source.Expr]bool{}}
	under := map[*source.Stmt]bool{} // statements decided by something that differs
	q.unit.Walk(func(st *source.Stmt, outer []*source.Stmt) bool {
		decided := len(outer) > 0 && under[outer[len(outer)-1]]
		exprs := q.file.Exprs(st)
		for _, e := range exprs {
			if _, bad := s.value(e); bad && (st.Kind == source.If || st.Kind == source.Switch || st.Kind == source.Loop) {
				decided = true
			}
		}
		under[st] = decided
		fx := q.effectsOf(exprs...)
		for _, c := range fx.calls {
			t.spreadCall(s, c, decided)
		}
		for i := range fx.refs {
			r := &fx.refs[i]
			if !r.write {
				continue
			}
			value := r.value
			if value == nil && len(exprs) > 0 {
				value = exprs[0]
			}
			bad := decided
			if value != nil && !bad {
				_, bad = s.value(value)
			}
			if bad {
				path := t.m.at(q, r)
				differs[path[len(path)-1]] = true
			}
		}
		if st.Kind == source.Return {
			for _, e := range exprs {
				if _, bad := s.value(e); bad || decided {
					differs[t.m.returns[q]] = true
				}
			}
		}
		return true
	})
}

func (t *tracker) spreadCall(s *state, c invocation, decided bool) {
	q := s.q
	callee := t.prog.named[lastPart(c.name)]
	switch {
	case isMPI(c.name):
		msg := messageOf(c)
		if msg.alike {
			return
		}
		for _, e := range q.memoryArgs(c, msg.receive) {
			if o := t.m.place(q, e); o != nil {
				s.wrong[o] = true
			}
		}
	case callee != nil:
		for i, a := range callee.arguments(c.expr) {
			if a == nil || i >= len(callee.unit.Params) {
				continue
			}
			if _, bad := s.value(a); bad {
				s.wrong[t.m.variable(callee, callee.unit.Params[i])] = true
			}
		}
		if decided { // it runs on some ranks only
			written := stain{}
			for _, v := range callee.flowGraph().vertices {
				if v.stmt != nil {
					t.quietWrites(callee, v, written)
				}
			}
			for o := range t.withoutLocals(callee, written) {
				s.wrong[o] = true
			}
		}
		differs := s.wrong[t.m.returns[callee]]
		if callee.fortran() {
			differs = s.wrong[t.m.variable(callee, callee.resultName())]
		}
		s.results[c.expr] = differs
	case q.pureName(c.name) || sameEverywhere(c.name):
	default: // of what is not known, every rank may get something else
		s.results[c.expr] = true
		for i := range c.args {
			for _, e := range q.memoryArgs(c, []int{i}) {
				if o := t.m.place(q, e); o != nil && !outside[c.name] {
					s.wrong[o] = true
				}
			}
		}
	}
}

// sameEverywhere names what every rank of a job sees alike: its command line.
func sameEverywhere(name string) bool {
	switch name {
	case "command_argument_count", "get_command_argument", "iargc", "getarg":
		return true
	}
	return allocators[name] || readersC[name]
}
