package depend

import (
	"fmt"
	"maps"
	"slices"

	"auspex/source"
)

// vouch notes that a person promised an inner communication to be the same in
// every iteration: the objects that decide it are not wrong after all.
func (t *tracker) vouch(objects []*object, words string, line int) {
	for _, o := range objects {
		t.vouched[o.find()] = true
	}
	words = fmt.Sprintf("Line %d: %s; taken to be the same in every iteration.", line, words)
	if !slices.Contains(t.answer.Assumed, words) {
		t.answer.Assumed = append(t.answer.Assumed, words)
	}
}

// vouchable tells whether the communication a value decides may be promised to
// be fixed: not where it is the counter of the loop itself, which surely is
// different every time.
func (s *state) vouchable(e *source.Expr) ([]*object, bool) {
	if !s.t.inside || !s.t.rules.FixedCommunication {
		return nil, false
	}
	h := s.t.loop.proc.headerOf(s.t.loop.Stmt)
	counter := s.t.m.variable(s.t.loop.proc, h.variable)
	var list []*object
	fx := s.q.effectsOf(e)
	for i := range fx.refs {
		path := s.t.m.at(s.q, &fx.refs[i])
		if o := path[len(path)-1]; s.wrong[o] {
			if o == counter {
				return nil, false
			}
			list = append(list, o)
		}
	}
	return list, true
}

// settle takes away from wrong what is the same at the end of every iteration
// because it is computed only from what was vouched for and from what the loop
// does not write. It begins with all that is written and takes away as long as
// something is found, so that a value made from its own predecessor stays.
func (t *tracker) settle(wrong stain) {
	if len(t.vouched) == 0 {
		return
	}
	c := &settling{tracker: t, moves: stain{}, decided: map[*proc]bool{}, returns: map[*proc]bool{}}
	c.collect()
	for {
		before := len(c.moves)
		c.round()
		if len(c.moves) == before {
			break
		}
	}
	maps.DeleteFunc(wrong, func(o *object, _ bool) bool { return !c.moves[o] })
}

// settling is the search for what stays the same.
type settling struct {
	*tracker
	moves   stain          // may be different in every iteration
	procs   []*proc        // called by the loop, at any depth
	decided map[*proc]bool // whether they run, or to which end, is decided by what moves
	returns map[*proc]bool // give back something that moves
	kept    stain          // written this round from something that moves
}

// scope gives the vertices of a procedure that belong to the loop.
func (c *settling) scope(q *proc) []*vertex {
	var list []*vertex
	for _, v := range q.flowGraph().vertices {
		if v.stmt != nil && (q != c.loop.proc || c.loop.Stmt.Contains(v.stmt.Span)) {
			list = append(list, v)
		}
	}
	return list
}

// collect finds the procedures called, and takes all that is written as moving.
func (c *settling) collect() {
	c.procs = []*proc{c.loop.proc}
	for i := 0; i < len(c.procs); i++ {
		q := c.procs[i]
		c.returns[q] = true
		for _, v := range c.scope(q) {
			c.quietWrites(q, v, c.moves)
			for _, call := range q.effectsOf(v.exprs...).calls {
				callee := c.prog.named[lastPart(call.name)]
				if callee == nil {
					continue
				}
				for _, name := range callee.unit.Params {
					c.moves[c.m.variable(callee, name)] = true
				}
				if !slices.Contains(c.procs, callee) {
					c.procs = append(c.procs, callee)
				}
			}
		}
	}
	for o := range c.vouched {
		delete(c.moves, o)
	}
}

// round keeps what some statement writes from something that moves.
func (c *settling) round() {
	c.kept = stain{}
	if h := c.loop.proc.headerOf(c.loop.Stmt); h != nil {
		c.kept[c.m.variable(c.loop.proc, h.variable)] = true
	}
	for _, q := range c.procs {
		c.proc(q)
	}
	maps.DeleteFunc(c.moves, func(o *object, _ bool) bool { return !c.kept[o] })
}

func (c *settling) proc(q *proc) {
	s := &state{t: &tracker{prog: c.prog, m: c.m, swaps: stain{}}, q: q, wrong: c.moves, results: map[*source.Expr]bool{}}
	scope := c.scope(q)
	tests := map[*source.Stmt]bool{} // branches and loops decided by what moves
	for _, v := range scope {
		for _, call := range q.effectsOf(v.exprs...).calls {
			callee := c.prog.named[lastPart(call.name)]
			s.results[call.expr] = callee != nil && c.returns[callee] || callee == nil && !q.pureName(call.name)
		}
		if v.part != plainPart && v.stmt != c.loop.Stmt && (v.part != stepPart || !c.counts(q, v)) {
			tests[v.stmt] = tests[v.stmt] || c.moving(s, v.exprs...)
		}
	}
	under := map[*source.Stmt]bool{}
	q.unit.Walk(func(st *source.Stmt, outer []*source.Stmt) bool {
		for _, o := range outer {
			under[st] = under[st] || tests[o]
		}
		return true
	})
	jumps := c.decided[q]
	for _, v := range scope {
		switch v.stmt.Kind {
		case source.Return, source.Break, source.Continue, source.Goto, source.Stop, source.Throw:
			jumps = jumps || under[v.stmt]
		}
	}
	c.returns[q] = jumps || q.fortran() && c.moves[c.m.variable(q, q.resultName())]
	for _, v := range scope {
		c.vertex(s, v, jumps || under[v.stmt])
	}
}

// counts tells whether a vertex is the step of an inner loop that counts, whose
// values follow from its beginning and end.
func (c *settling) counts(q *proc, v *vertex) bool {
	h := q.headerOf(v.stmt)
	return h != nil && h.from != nil && !h.odd && v.stmt != c.loop.Stmt
}

func (c *settling) moving(s *state, exprs ...*source.Expr) bool {
	for _, e := range exprs {
		if _, bad := s.value(e); bad {
			return true
		}
	}
	return false
}

func (c *settling) vertex(s *state, v *vertex, decided bool) {
	q := s.q
	if ioStatement(v.stmt) == "READ" {
		c.readItems(q, v, func(o *object) { c.kept[o] = true })
	}
	moving := decided || c.moving(s, v.exprs...)
	if v.stmt.Kind == source.Return && moving {
		c.returns[q] = true
	}
	if v.part == stepPart && c.counts(q, v) && !decided {
		return
	}
	fx := q.effectsOf(v.exprs...)
	if v.counts != nil && moving {
		c.kept[c.m.variable(q, v.counts.Name)] = true
	}
	for i := range fx.refs {
		r := &fx.refs[i]
		if !r.write {
			continue
		}
		path := c.m.at(q, r)
		bad := moving
		if r.value != nil && !decided { // x = e reads e, and the way to x
			bad = c.moving(s, r.value)
			for _, st := range r.steps {
				bad = bad || c.moving(s, st.subs...)
			}
			for _, o := range path[:len(path)-1] {
				bad = bad || c.moves[o]
			}
		}
		if bad {
			c.kept[path[len(path)-1]] = true
		}
	}
	for _, call := range fx.calls {
		c.call(s, call, decided)
	}
}

func (c *settling) call(s *state, call invocation, decided bool) {
	q := s.q
	callee := c.prog.named[lastPart(call.name)]
	keep := func(positions ...int) {
		for _, e := range q.memoryArgs(call, positions) {
			if o := c.m.place(q, e); o != nil {
				c.kept[o] = true
			}
		}
	}
	switch {
	case isMPI(call.name):
		msg := messageOf(call)
		keep(slices.Concat(msg.receive, msg.out)...)
	case callee != nil:
		c.decided[callee] = c.decided[callee] || decided
		for i, a := range callee.arguments(call.expr) {
			if a != nil && i < len(callee.unit.Params) && (decided || c.moving(s, a)) {
				c.kept[c.m.variable(callee, callee.unit.Params[i])] = true
			}
		}
	case fills[call.name]:
		bad := decided || c.moving(s, call.args...)
		if len(call.args) > 1 {
			_, inside := s.contents(call.args[1])
			bad = bad || inside
		}
		if bad {
			keep(0)
		}
	}
}
