package depend

import (
	"fmt"

	"auspex/source"
)

// chosen looks at the branches within expressions: a ? b : c, &&, || and MERGE. What
// only one way of them does must be neither called nor written by what is wrong.
func (s *state) chosen() {
	for _, e := range s.v.exprs {
		e.Walk(func(k *source.Expr) {
			if k == nil {
				return
			}
			test, arms := choice(k)
			if test == nil {
				return
			}
			if name, bad := s.value(test); bad {
				s.arms(name, k, arms)
			}
		})
	}
}

// choice gives the test of an expression that evaluates some of its parts only by
// it, and those.
func choice(e *source.Expr) (test *source.Expr, arms []*source.Expr) {
	switch {
	case e.Kind == source.Cond:
		return e.Args[0], e.Args[1:]
	case e.Kind == source.Binary && (e.Op == "&&" || e.Op == "||" || e.Op == ".and." || e.Op == ".or."):
		return e.Args[0], e.Args[1:]
	case e.Kind == source.Apply && e.Name == "merge" && len(e.Args) == 3:
		return e.Args[2], e.Args[:2]
	}
	return nil, nil
}

func (s *state) arms(name string, at *source.Expr, arms []*source.Expr) {
	fx := s.q.effectsOf(arms...)
	for _, c := range fx.calls {
		callee := s.t.prog.named[lastPart(c.name)]
		communicates := isMPI(c.name) && !localMPI(c.name) || callee != nil && callee.purity().mpi != ""
		if s.t.work && s.q.heavyCall(c) {
			s.differs(name, at.Line)
		}
		if s.t.inside && !communicates || callee == nil && (s.q.pureName(c.name) && (!s.q.costly(c.name) || s.once()) || harmless[c.name] || prints[c.name] && !toFile(c)) {
			continue
		}
		s.refuse("branch", name, at.Line, fmt.Sprintf("%s, which the loop computes, decides whether %s is called there", name, callName(c)))
	}
	for i := range fx.refs {
		if r := &fx.refs[i]; r.write {
			path := s.t.m.at(s.q, r)
			s.wrong[path[len(path)-1]] = true
		}
	}
}
