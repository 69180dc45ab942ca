package depend

import (
	"fmt"
	"maps"
	"slices"

	"auspex/source"
)

// call checks what a call is given and applies what it does.
func (s *state) call(c invocation) {
	callee := s.t.prog.named[lastPart(c.name)]
	if callee == nil && tellsTime(c.name) {
		s.time(c)
	}
	switch {
	case isMPI(c.name):
		s.message(c)
	case callee != nil:
		s.enter(c, callee)
	case s.library(c):
	case s.q.pureName(c.name), harmless[c.name], outside[c.name]:
	case allocators[c.name]:
		s.argumentRight(c, "is the size of memory asked for")
	case fills[c.name]:
		s.fill(c)
	default:
		s.unknown(c)
	}
}

// time is a call that asks for the time, which is another one in every iteration, and
// behind a loop that was cut short.
func (s *state) time(c invocation) {
	s.results[c.expr] = true
	for _, o := range s.t.m.filled(s.q, c) {
		s.wrong[o] = true
	}
}

func (s *state) argumentRight(c invocation, words string) {
	if s.t.inside {
		return
	}
	for _, a := range c.args {
		if name, bad := s.value(a); bad {
			s.refuse("subscript", name, c.expr.Line, name+", which the loop computes, "+words)
		}
	}
}

// fill is memcpy and its kin: what goes in comes out.
func (s *state) fill(c invocation) {
	if len(c.args) > 2 && (!s.t.inside || s.t.work) {
		if name, bad := s.value(c.args[2]); bad && s.t.work {
			s.differs(name, c.expr.Line)
		} else if bad {
			s.refuse("subscript", name, c.expr.Line, name+", which the loop computes, says how much memory is filled")
		}
	}
	if len(c.args) < 2 {
		return
	}
	if _, bad := s.contents(c.args[1]); bad {
		for _, e := range s.q.memoryArgs(c, []int{0}) {
			if o := s.t.m.place(s.q, e); o != nil {
				s.wrong[o] = true
			}
		}
	}
}

// unknown is a call of what is in none of the files: it may look at what it is
// given and at everything global.
func (s *state) unknown(c invocation) {
	if s.t.inside {
		return // said when the loop's writes were collected
	}
	if v := s.q.lookup(c.name); v != nil && s.wrong[s.t.m.variable(s.q, c.name)] {
		s.refuse("branch", c.name, c.expr.Line, c.name+", which the loop computes, decides which function is called there")
	}
	for _, a := range c.args {
		if name, bad := s.contents(a); bad {
			s.refuse("call", name, c.expr.Line, fmt.Sprintf("%s, which the loop computes, is handed to %s, of which nothing is known", name, callName(c)))
			return
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.t.m.named)) {
		if o := s.t.m.named[name].find(); s.wrong[o] && name != errnoState {
			s.refuse("call", name, c.expr.Line, fmt.Sprintf("%s, of which nothing is known, may look at %s, which the loop computes", callName(c), name))
			return
		}
	}
}

// enter follows a call of a procedure of the program.
func (s *state) enter(c invocation, callee *proc) {
	entry := maps.Clone(s.wrong)
	for i, a := range callee.arguments(c.expr) {
		if a == nil || i >= len(callee.unit.Params) {
			continue
		}
		param := s.t.m.variable(callee, callee.unit.Params[i])
		_, bad := s.value(a)
		switch {
		case bad:
			entry[param] = true
		case !param.shared:
			delete(entry, param)
		}
	}
	if len(entry) == 0 && !callee.readsClock() {
		return
	}
	done := s.t.enter(callee, entry)
	s.wrong = maps.Clone(done.wrong)
	s.results[c.expr] = done.result
}

// message checks a call of MPI: buffers may hold anything, parameters not.
func (s *state) message(c invocation) {
	msg := messageOf(c)
	buffers := slices.Concat(msg.send, msg.receive, msg.out)
	for i, a := range c.args {
		if a == nil || slices.Contains(buffers, i) || s.q.fortran() && i == len(c.args)-1 {
			continue
		}
		name, bad := s.value(a)
		var list []*object // an array of parameters
		if !bad && slices.Contains(msg.lists, i) {
			for _, e := range s.q.memoryArgs(c, []int{i}) {
				if o := s.t.m.place(s.q, e); o != nil && s.wrong[o] {
					name, bad = shownExpr(a), true
					list = append(list, o)
				}
			}
		}
		if !bad {
			continue
		}
		words := fmt.Sprintf("%s, which the loop computes, is a parameter of %s", name, c.name)
		if objects, ok := s.vouchable(a); ok {
			s.t.vouch(append(objects, list...), words, c.expr.Line)
			continue
		}
		s.refuse("communication", name, c.expr.Line, words)
	}
	if counted := messageName(c); (counted == "get_count" || counted == "get_elements") && len(c.args) > 2 {
		if _, bad := s.contents(c.args[0]); bad {
			s.received(c, []int{2})
		}
		return
	}
	if begins(c) {
		s.t.m.persistent(s.wrong)
	}
	sent := len(msg.send) == 0
	for _, e := range s.q.memoryArgs(c, msg.send) {
		if o := s.t.m.place(s.q, e); o != nil && s.wrong[o] {
			sent = true
		}
		if _, bad := s.value(e); bad {
			sent = true
		}
	}
	if localMPI(c.name) || !sent {
		return
	}
	s.received(c, msg.receive)
}

// received is that what some arguments lead to comes from what is wrong.
func (s *state) received(c invocation, at []int) {
	for _, e := range s.q.memoryArgs(c, at) {
		if o := s.t.m.place(s.q, e); o != nil {
			s.wrong[o] = true
		}
	}
}

func shownExpr(e *source.Expr) string {
	w := &effectWalk{q: &proc{prog: &Program{}, file: &source.File{}}, out: &effects{}}
	if root, steps, ok := w.path(e); ok {
		return (&ref{root: root, steps: steps}).shown()
	}
	return e.String()
}
