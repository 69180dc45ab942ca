package instrument

import (
	"bytes"
	"fmt"

	"auspex/source"
)

// rewriteC inserts guards into C and C++. Nothing but the prologue and what
// precedes a pragma adds a line, and those set the line number right again.
func rewriteC(f *source.File, opt Options, work *loads, chosen []*Candidate, regions []Region, e *edits) {
	start := opt.Begin
	if start == 0 && bytes.HasPrefix(f.Text, []byte("\xef\xbb\xbf")) {
		start = 3 // a byte order mark stays first
	}
	e.insert(start, 0, prologue(f, opt.File, regions, f.Line(start)))
	loops := map[*source.Stmt]int{}
	for _, c := range chosen {
		if c.Kind == LoopRegion {
			loops[c.site.stmt] = c.id
		}
	}
	guardC(f, chosen, e, func(c *Candidate) string {
		if opt.Count && countC(f, work, c, loops, e) {
			return fmt.Sprintf("AUSPEX_K(%d);", c.id)
		}
		return fmt.Sprintf("AUSPEX_R(%d);", c.id)
	})
}

// guardC puts a guard into each chosen function and around each chosen loop.
func guardC(f *source.File, chosen []*Candidate, e *edits, guard func(*Candidate) string) {
	for _, c := range chosen {
		open := guard(c)
		if c.Kind == FunctionRegion {
			e.insert(c.unit.Body.Start, 1, open)
			continue
		}
		open = "{" + open
		if at := siteStart(f, c.site); at == c.site.stmt.Start {
			e.insert(at, 2, open)
		} else {
			e.insert(at, 2, fmt.Sprintf("%s\n#line %d\n", open, f.Line(at)))
		}
		// Inner loops are visited after outer ones and must close first.
		e.insert(c.site.stmt.End, -c.id, "}")
	}
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
