package instrument

import (
	"fmt"
	"strings"

	"auspex/internal/lazyregexp"
	"auspex/source"
)

// exitPoint is a statement from which control leaves regions.
type exitPoint struct {
	stmt    *source.Stmt
	regions []int // innermost first
}

// exits finds the statements that leave measured regions of a unit other than
// by their end.
func exits(u *fortranUnit) []exitPoint {
	var out []exitPoint
	labels := labelPlaces(u.unit)
	u.unit.Walk(func(s *source.Stmt, outer []*source.Stmt) bool {
		var ids []int
		for i := len(outer) - 1; i >= 0; i-- {
			id, ok := u.loops[outer[i]]
			if ok && leaves(s, outer, i, labels) {
				ids = append(ids, id)
			}
		}
		if (s.Kind == source.Return || s.Kind == source.Stop) && u.fn >= 0 {
			ids = append(ids, u.fn)
		}
		if len(ids) > 0 {
			out = append(out, exitPoint{s, ids})
		}
		return true
	})
	return out
}

// leaves tells whether s, which stands in the loop outer[i], takes control out
// of that loop other than by its end.
func leaves(s *source.Stmt, outer []*source.Stmt, i int, labels map[string][]*source.Stmt) bool {
	switch s.Kind {
	case source.Return, source.Stop:
		return true
	case source.Break, source.Continue:
		// EXIT and CYCLE of a construct outside the loop.
		if len(s.Targets) == 0 {
			return false
		}
		for _, o := range outer[:i] {
			if o.Name == s.Targets[0] {
				return true
			}
		}
	case source.Goto:
		return len(s.Targets) == 1 && !contains(labels[s.Targets[0]], outer[i])
	}
	return false
}

func contains(list []*source.Stmt, s *source.Stmt) bool {
	for _, k := range list {
		if k == s {
			return true
		}
	}
	return false
}

// labelPlaces gives for every statement label the statements around it.
func labelPlaces(u *source.Unit) map[string][]*source.Stmt {
	m := map[string][]*source.Stmt{}
	u.Walk(func(s *source.Stmt, outer []*source.Stmt) bool {
		if s.Label != "" {
			m[strings.TrimLeft(s.Label, "0")] = outer
		}
		return true
	})
	return m
}

// neverFortranUnit says why a unit cannot be measured as a whole, or "".
func (c *chooser) neverFortranUnit(u *source.Unit) string {
	switch {
	case u.Has(source.Entry):
		return "has ENTRY statements"
	case u.Close == nil:
		return "has no END"
	}
	at, _ := entryPoint(c.file, u)
	if !c.file.SameBranch(at, u.Close.Start) {
		return "begins and ends under different #if branches"
	}
	why := ""
	u.Walk(func(s *source.Stmt, outer []*source.Stmt) bool {
		if s.Kind == source.Declaration && s.Start >= at && len(outer) == 0 && s.Node.Kind != "data_statement" {
			why = fmt.Sprintf("line %d: a declaration after the first #if with statements", s.Line)
		}
		return true
	})
	if why == "" && endsOnIf(u) {
		why = "a DO ends on an IF statement"
	}
	return why
}

// neverFortranLoop says why a loop cannot be measured, or "".
func (c *chooser) neverFortranLoop(u *source.Unit, s *site) string {
	if s.stmt.Loop.SharedEnd {
		return "ends on the same statement as the loop around it"
	}
	if endsOnIf(u) {
		return "a DO ends on an IF statement"
	}
	begin := s.stmt.Start
	if len(s.before) > 0 {
		begin = siteStart(c.file, s)
		if s.stmt.Label != "" {
			return "has a label between its directive and its DO"
		}
	}
	if !c.file.SameBranch(begin, closing(s).End-1) {
		return "begins and ends under different #if branches"
	}
	return jumpsAcross(u, s.stmt)
}

// jumpsAcross finds the jumps into a loop, and those out of it that cannot
// have a call put before them.
func jumpsAcross(u *source.Unit, loop *source.Stmt) string {
	why := ""
	labels := labelPlaces(u)
	u.Walk(func(s *source.Stmt, outer []*source.Stmt) bool {
		in := s == loop || contains(outer, loop)
		if s.Kind == source.Break || s.Kind == source.Continue {
			return true
		}
		if s.Kind == source.Goto && len(s.Targets) == 0 && in {
			why = fmt.Sprintf("line %d: an assigned GOTO may lead out of it", s.Line)
		}
		for _, t := range s.Targets {
			there := contains(labels[t], loop)
			switch {
			case !in && there:
				why = fmt.Sprintf("line %d: a jump to %s leads into it", s.Line, t)
			case in && !there && (s.Kind != source.Goto || len(s.Targets) > 1):
				why = fmt.Sprintf("line %d: a branch to %s leads out of it", s.Line, t)
			}
		}
		return true
	})
	return why
}

// endsOnIf finds labelled DO loops that end on a logical IF whose statement is
// a jump: giving it a THEN would take the end away from the loop.
func endsOnIf(u *source.Unit) bool {
	found := false
	u.Walk(func(s *source.Stmt, outer []*source.Stmt) bool {
		if s.Kind == source.If && s.Label != "" && len(s.Body) == 1 && s.Body[0].Action && len(outer) > 0 {
			loop := outer[len(outer)-1]
			found = found || loop.Kind == source.Loop && loop.End == s.End
		}
		return true
	})
	return found
}

// entryPoint is where a unit's first executable statement begins: the start of
// a line, or a place within one if inline. Declarations, statement functions
// and declarative directives come before it.
func entryPoint(f *source.File, u *source.Unit) (at int, inline bool) {
	return firstPoint(f, u, func(s *source.Stmt) bool { return !declarative(f, u, s) })
}

// declarationPoint is where further declarations may stand: before the first
// executable statement or statement function, and before what is included after
// declarations, which may hold some.
func declarationPoint(f *source.File, u *source.Unit) (at int, inline bool) {
	declared := false
	return firstPoint(f, u, func(s *source.Stmt) bool {
		if s.Kind == source.Declaration && s.Node != nil && s.Node.Kind == "variable_declaration" {
			declared = true
		}
		included := declared && s.Node != nil && s.Node.Kind == "include_statement"
		return !declarative(f, u, s) || s.Kind == source.Simple || included
	})
}

func firstPoint(f *source.File, u *source.Unit, wanted func(*source.Stmt) bool) (at int, inline bool) {
	first := u.Close
	for _, s := range u.Stmts {
		if wanted(s) {
			first = s
			break
		}
	}
	at = first.Start
	if first.Label != "" {
		at = first.LabelSpan.Start
	}
	at = f.BeforeCondition(at, u.Close.Start)
	start := lineStart(f.Text, at)
	if strings.TrimSpace(string(f.Text[start:at])) == "" {
		return start, false
	}
	return at, true
}

var declarativeDirective = lazyregexp.New(`^omp +(threadprivate|declare|requires)|^acc +(declare|routine)|^(dir|dec|gcc) `)

func declarative(f *source.File, u *source.Unit, s *source.Stmt) bool {
	switch s.Kind {
	case source.Declaration, source.Format:
		return true
	case source.Directive:
		return declarativeDirective.MatchString(s.Text)
	case source.Simple:
		return statementFunction(f, u, s)
	}
	return false
}

// statementFunction recognises `f(x, y) = …` ahead of the executable part: only
// names in the parentheses, and no dimensions declared. Where those of an array are
// declared elsewhere (COMMON in an INCLUDE, a module), its assignment counts as
// one too, and is passed before the region is entered.
func statementFunction(f *source.File, u *source.Unit, s *source.Stmt) bool {
	if s.Node.Kind != "assignment_statement" || s.Label != "" {
		return false
	}
	left := s.Node.Child("left")
	if left == nil || left.Kind != "call_expression" || left.First == nil || left.First.Kind != "identifier" {
		return false
	}
	args := left.Find("argument_list")
	if args == nil {
		return false
	}
	for a := range args.Children() {
		if a.Named && a.Kind != "identifier" {
			return false
		}
	}
	return !declaredArray(f, u, left.First.Text(f.Text))
}

// declaredArray tells whether the unit declares dimensions for the name.
func declaredArray(f *source.File, u *source.Unit, name string) bool {
	sized := false
	for _, s := range u.Stmts {
		if s.Kind != source.Declaration {
			continue
		}
		array := false
		for k := range s.Node.Children() {
			if k.Kind == "type_qualifier" && strings.HasPrefix(strings.ToLower(k.Text(f.Text)), "dimension") ||
				k.Kind == "type_qualifier" && strings.EqualFold(k.Text(f.Text), "pointer") {
				array = true
			}
		}
		var look func(n *source.Node)
		look = func(n *source.Node) {
			for k := range n.Children() {
				switch {
				case k.Kind == "identifier" && strings.EqualFold(k.Text(f.Text), name):
					if n.Kind == "sized_declarator" || array {
						sized = true
					}
				case k.First != nil && (strings.HasSuffix(k.Kind, "_declarator") || k.Kind == "variable_group"):
					look(k)
				}
			}
		}
		look(s.Node)
	}
	return sized
}
