package instrument

import (
	"bytes"
	"fmt"

	"auspex/source"
)

// rewriteC inserts guards into C and C++. Nothing but the prologue and what
// precedes a pragma adds a line, and those set the line number right again.
func rewriteC(f *source.File, opt Options, chosen []*Candidate, regions []Region, e *edits) {
	start := 0
	if bytes.HasPrefix(f.Text, []byte("\xef\xbb\xbf")) {
		start = 3 // a byte order mark stays first
	}
	e.insert(start, 0, prologue(f, opt.File, regions))
	for _, c := range chosen {
		if c.Kind == FunctionRegion {
			e.insert(c.unit.Body.Start, 1, fmt.Sprintf("AUSPEX_R(%d);", c.id))
			continue
		}
		open, end := fmt.Sprintf("{AUSPEX_R(%d);", c.id), "}"
		if opt.Count && countC(f, c, e) {
			open += fmt.Sprintf("AUSPEX_C(%d);", c.id)
			end = fmt.Sprintf("AUSPEX_E(%d);}", c.id)
		}
		if at := siteStart(f, c.site); at == c.site.stmt.Start {
			e.insert(at, 2, open)
		} else {
			e.insert(at, 2, fmt.Sprintf("%s\n#line %d\n", open, f.Line(at)))
		}
		// Inner loops are visited after outer ones and must close first.
		e.insert(c.site.stmt.End, -c.id, end)
	}
}

// countC adds one addition per iteration, where no other thread shares the
// counter and the loop's form leaves a place for it. It tells whether the
// counter is a variable of its own, to be declared and read.
func countC(f *source.File, c *Candidate, e *edits) bool {
	l := c.site.stmt.Loop
	if len(c.site.before) > 0 || l.Body.End == l.Body.Start {
		return false
	}
	word := "AUSPEX_V"
	if leftEarly(c.site.stmt.Body) {
		word = "AUSPEX_N"
	}
	switch {
	case l.Braced:
		e.insert(l.Body.Start+1, 1, fmt.Sprintf("%s(%d);", word, c.id))
	case l.Kind == source.For && l.Step != nil:
		e.insert(l.Step.Start, 1, fmt.Sprintf("(void)%s(%d),", word, c.id))
	default:
		return false
	}
	return word == "AUSPEX_V"
}

// leftEarly finds statements that may leave a loop other than by its end.
func leftEarly(list []*source.Stmt) bool {
	for _, s := range list {
		if s.Kind == source.Return || s.Kind == source.Goto || s.Kind == source.Throw || leftEarly(s.Body) || leftEarly(s.Else) {
			return true
		}
	}
	return false
}

// neverCLoop says why a loop cannot have a block around it, or "".
func (c *chooser) neverCLoop(u *source.Unit, s *site) string {
	f, loop := c.file, s.stmt
	if !loop.Loop.Sound {
		return "not fully parsed"
	}
	for n := loop.Node.Parent; n != nil && n != u.Node; n = n.Parent {
		if n.Kind == "ERROR" {
			return "inside something not parsed"
		}
	}
	at := siteStart(f, s)
	if !f.SameBranch(at, loop.End-1) {
		return "begins and ends under different #if branches"
	}
	if at != loop.Start && !onlyDirectives(f, at, s) {
		return "code between its pragma and the loop"
	}
	return jumpsInto(u, loop)
}

// onlyDirectives checks that between the first pragma and the loop there are
// only preprocessor lines, blanks and comments.
func onlyDirectives(f *source.File, at int, s *site) bool {
	for _, k := range s.outer {
		if at < k.Start {
			return false // the pragma belongs to the statement around the loop
		}
	}
	return at <= s.before[0].Start
}

// jumpsInto finds labels in a loop that are reached from outside of it: goto
// and case would jump past the guard.
func jumpsInto(u *source.Unit, loop *source.Stmt) string {
	inside := map[string]bool{}
	reason := ""
	var look func(list []*source.Stmt, inSwitch bool)
	look = func(list []*source.Stmt, inSwitch bool) {
		for _, s := range list {
			if s.Label != "" {
				inside[s.Label] = true
			}
			if s.Kind == source.Case && !inSwitch {
				reason = "a case label of a switch around it is inside"
			}
			deeper := inSwitch || s.Kind == source.Switch
			look(s.Body, deeper)
			look(s.Else, deeper)
		}
	}
	look(loop.Body, false)
	if reason != "" || len(inside) == 0 {
		return reason
	}
	if len(u.Problems) > 0 || len(u.Blanked) > 0 {
		return "has labels in a function that is not fully parsed"
	}
	u.Walk(func(s *source.Stmt, _ []*source.Stmt) bool {
		if s == loop {
			return false
		}
		if s.Kind == source.Goto {
			if len(s.Targets) == 0 {
				reason = "a computed goto may lead into it"
			}
			for _, t := range s.Targets {
				if inside[t] {
					reason = fmt.Sprintf("goto %s leads into it", t)
				}
			}
		}
		return true
	})
	return reason
}
