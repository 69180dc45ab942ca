package depend

import (
	"strings"

	"auspex/source"
)

// quiet tells whether a branch decides nothing that takes time: its arms hold
// no loop, no communication, no call but output and of functions that are brief or
// run once, and no jump, or it ends the program where nothing but output is left to do.
func (s *state) quiet(st *source.Stmt) bool {
	if st.Kind != source.If {
		return false
	}
	for _, list := range [][]*source.Stmt{st.Body, st.Else} {
		if !s.quietList(list, st) {
			return false
		}
	}
	return true
}

func (s *state) quietList(list []*source.Stmt, top *source.Stmt) bool {
	for _, k := range list {
		switch k.Kind {
		case source.Simple, source.Declaration, source.Block, source.If, source.Directive, source.Format:
			if io := ioStatement(k); io != "" {
				if io == "READ" || s.q.unitOf(k) != "" {
					return false // files are not what they would be
				}
				continue
			}
			if !s.quietCalls(s.q.effectsOf(s.q.file.Exprs(k)...), top) {
				return false
			}
			if !s.quietList(k.Body, top) || !s.quietList(k.Else, top) {
				return false
			}
		case source.Stop, source.Return:
			if !s.nothingAfter(top) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (s *state) quietCalls(fx *effects, top *source.Stmt) bool {
	if len(fx.opaque) > 0 {
		return false
	}
	for _, c := range fx.calls {
		switch {
		case c.name == "exit" && s.nothingAfter(top):
		case chances[c.name], fromFiles[c.name], makeText[c.name], c.name == "sscanf", toFile(c):
			return false // what it changes may be looked at later
		case s.q.costly(c.name) && !s.once():
			return false
		case c.name != "exit" && (outside[c.name] || s.q.pureName(c.name) || harmless[c.name]):
		default:
			return false
		}
	}
	return true
}

// once tells whether the statement at hand is known to run once in the program.
func (s *state) once() bool { return isMain(s.q) && !s.t.loopAround(s.q, s.v) }

// nothingAfter tells whether the program only prints and ends behind a branch
// of its main procedure.
func (s *state) nothingAfter(top *source.Stmt) bool {
	if !isMain(s.q) {
		return false
	}
	f := s.q.flowGraph()
	seen := map[int]bool{}
	work := []int{s.v.id}
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[id] {
			continue
		}
		seen[id] = true
		v := f.vertices[id]
		work = append(work, v.succ...)
		if v.stmt == nil || top.Contains(v.stmt.Span) || ioStatement(v.stmt) != "" {
			continue
		}
		if v.stmt.Kind == source.Loop {
			return false
		}
		for _, c := range s.q.effectsOf(v.exprs...).calls {
			if !outside[c.name] && !s.q.pureName(c.name) && !harmless[c.name] && strings.ToLower(c.name) != "mpi_finalize" {
				return false
			}
		}
	}
	return true
}
