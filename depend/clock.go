package depend

import (
	"strings"

	"auspex/source"
)

// tellsTime tells whether a call gives the time, or fills its arguments with it.
func tellsTime(name string) bool {
	switch strings.ToLower(name) {
	case "mpi_wtime", "pmpi_wtime", "omp_get_wtime", "clock", "etime", "dtime":
		return true
	}
	return clocks[name] || strings.HasSuffix(name, "clock::now")
}

// readsClock tells whether a procedure or one that it calls asks for the time.
func (q *proc) readsClock() bool {
	if q.clock == nil {
		found := false
		q.clock = &found // for those that call themselves
		for _, v := range q.flowGraph().vertices {
			found = found || q.asksTime(v)
		}
	}
	return *q.clock
}

func (q *proc) asksTime(v *vertex) bool {
	for _, c := range q.effectsOf(v.exprs...).calls {
		callee := q.prog.named[lastPart(c.name)]
		if callee == nil && tellsTime(c.name) || callee != nil && callee.readsClock() {
			return true
		}
	}
	return false
}

// Clock is how the time that passes ends a loop.
type Clock struct {
	Line int // of the test
	// Alone is set where nothing else ends the loop.
	Alone bool
}

// ByClock tells whether a loop may end because of the time that has passed, or nil.
// Such a loop does another number of iterations on another machine.
func (p *Program) ByClock(l Loop) *Clock {
	q := l.proc
	if q == nil || !isMain(q) && !p.called(q) {
		return nil
	}
	t := p.tracker(l, Rules{})
	t.work, t.ends = true, &Clock{}
	inLoop := map[int]bool{}
	begin := map[int]stain{}
	tested, asks := false, false
	for _, v := range q.flowGraph().vertices {
		if v.stmt == nil || !l.Stmt.Contains(v.stmt.Span) {
			continue
		}
		inLoop[v.id] = true
		asks = asks || q.asksTime(v)
		if v.stmt == l.Stmt && v.part == testPart {
			begin[v.id] = stain{}
			tested = v.counts != nil || len(v.exprs) > 0 && v.exprs[0].Kind != source.Literal
		}
	}
	if !asks {
		return nil
	}
	t.inside = true
	t.follow(q, begin, func(v *vertex) bool { return inLoop[v.id] })
	if t.ends.Line == 0 {
		return nil
	}
	t.ends.Alone = t.ends.Alone && (t.endsByTest || !tested)
	return t.ends
}

func (p *Program) called(q *proc) bool {
	for _, caller := range p.procs {
		for _, v := range caller.flowGraph().vertices {
			for _, c := range caller.effectsOf(v.exprs...).calls {
				if p.named[lastPart(c.name)] == q {
					return true
				}
			}
		}
	}
	return false
}

// endsLoop notes that the loop ends by a test on the time.
func (s *state) endsLoop(st *source.Stmt, e *source.Expr) {
	t := s.t
	if t.ends.Line == 0 {
		t.ends.Line, t.ends.Alone = st.Line, true
	}
	t.endsByTest = t.endsByTest || st == t.loop.Stmt
	test, others := choice(e)
	if test == nil {
		return
	}
	for _, part := range append(others, test) {
		if _, bad := s.value(part); !bad {
			t.ends.Alone = false
		}
	}
}
