package depend

import (
	"fmt"
	"maps"
)

// Uneven says how the work of a loop's iterations may differ by what the loop
// carries from one to the next, its counter included, or "". It takes all that the
// loop writes as different in every iteration and follows it through the body:
// where it reaches the bound of a loop, or a branch with loops or calls, the first
// iterations do not stand for all.
func (p *Program) Uneven(l Loop) string {
	q := l.proc
	if q == nil || q.headerOf(l.Stmt) == nil {
		return "it has no counter"
	}
	t := p.tracker(l, Rules{})
	t.work = true
	wrong := stain{}
	inLoop := t.body(wrong)
	t.answer = Safety{} // what is not understood is told by Safe
	t.iterate(wrong, inLoop)
	for _, r := range t.answer.Reach {
		return r.Words
	}
	return ""
}

// iterate follows what differs between iterations through the loop's body.
func (t *tracker) iterate(wrong stain, inLoop map[int]bool) {
	q := t.loop.proc
	begin := map[int]stain{}
	for _, v := range q.flowGraph().vertices {
		if v.stmt == t.loop.Stmt && v.part == testPart {
			begin[v.id] = maps.Clone(wrong)
			if h := q.headerOf(t.loop.Stmt); h != nil {
				begin[v.id][t.m.variable(q, h.variable)] = true
			}
		}
	}
	t.inside = true
	t.follow(q, begin, func(v *vertex) bool { return inLoop[v.id] })
	t.inside = false
}

// differs says that how much an iteration does depends on something.
func (s *state) differs(name string, line int) {
	s.refuse("work", name, line, fmt.Sprintf("how much an iteration does depends on %s on line %d", name, line))
}
