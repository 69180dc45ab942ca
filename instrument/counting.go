package instrument

import (
	"bytes"
	"fmt"
	"strings"

	"auspex/source"
)

// cHeader is the header of a C loop that counts by one: for (i = from; i < to; i++).
type cHeader struct {
	variable, op, to string
	// from is what it begins with, empty where that is not plain.
	from string
	// declaration is "plain" where the loop declares its counter as a number,
	// "pointer" where as something else, and empty where it does not.
	declaration string
}

// left is how many iterations there are from a value on.
func (h *cHeader) left(from string) string {
	more := ""
	if h.op == "<=" {
		more = " + 1"
	}
	return fmt.Sprintf("((%[1]s) %[2]s (%[3]s) ? (long)((%[3]s) - (%[1]s))%[4]s : 0L)", from, h.op, h.to, more)
}

// countingOf reads the header of a for. Bounds with calls or assignments in them
// do not count: they would be asked more than once.
func countingOf(f *source.File, u *source.Unit, s *source.Stmt) (*cHeader, bool) {
	l := s.Loop
	if f.Language == source.Fortran || l == nil || l.Kind != source.For || l.To == nil || l.Step == nil {
		return nil, false
	}
	step, to := f.Expr(l.Step), f.Expr(l.To)
	if step == nil || step.Kind != source.Assign || step.Op != "+=" || step.Args[0].Kind != source.Name || step.Args[1].String() != "1" {
		return nil, false
	}
	if to == nil || to.Kind != source.Binary || to.Op != "<" && to.Op != "<=" || to.Args[0].Kind != source.Name || to.Args[0].Name != step.Args[0].Name || !plain(to.Args[1]) {
		return nil, false
	}
	h := &cHeader{variable: step.Args[0].Name, op: to.Op, to: string(f.Text[to.Args[1].Start:to.Args[1].End])}
	if u != nil {
		for _, v := range f.Variables(u) {
			if v.Name == h.variable && (strings.Contains(v.Type, "float") || strings.Contains(v.Type, "double")) {
				return nil, false
			}
		}
	}
	if l.From != nil {
		if l.From.Kind == "declaration" {
			h.declaration = "plain"
			if text := f.Text[l.From.Start:l.From.End]; bytes.ContainsAny(text, "*&[{") || bytes.Contains(text, []byte("auto")) || bytes.Contains(text, []byte("const")) {
				h.declaration = "pointer"
			}
		}
		var initial []*source.Expr
		for _, e := range f.Exprs(s) {
			if e.Start < l.To.Start {
				initial = append(initial, e)
			}
		}
		if len(initial) == 1 && h.declaration != "pointer" { // one of several may change what another reads
			h.readFrom(f, initial[0])
		}
	}
	return h, true
}

func (h *cHeader) readFrom(f *source.File, e *source.Expr) {
	if e.Kind == source.Assign && e.Op == "=" && e.Args[0].Kind == source.Name && e.Args[0].Name == h.variable && plain(e.Args[1]) {
		h.from = string(f.Text[e.Args[1].Start:e.Args[1].End])
	}
}

// plain tells whether an expression only reads.
func plain(e *source.Expr) bool {
	ok := true
	e.Walk(func(k *source.Expr) {
		switch {
		case k == nil:
		case k.Kind == source.Opaque, k.Kind == source.CallOf, k.Kind == source.Apply, k.Kind == source.Assign:
			ok = false
		}
	})
	return ok
}

// boundable tells whether a loop can be cut by its bound: its header counts,
// declares no pointer, and its body neither leaves it nor counts.
func boundable(f *source.File, c *Candidate) bool {
	h, ok := countingOf(f, c.unit, c.site.stmt)
	return ok && h.declaration != "pointer" && !h.disturbed(f, c.site.stmt.Body, false)
}

// disturbed tells whether statements leave the loop or change its counter. inner
// is set inside another loop or a switch, where break leaves that.
func (h *cHeader) disturbed(f *source.File, list []*source.Stmt, inner bool) bool {
	for _, s := range list {
		switch s.Kind {
		case source.Goto, source.Return:
			return true
		case source.Break:
			if !inner {
				return true
			}
		}
		changes := false
		for _, e := range f.Exprs(s) {
			e.Walk(func(k *source.Expr) {
				if k != nil && (k.Kind == source.Assign || k.Kind == source.Unary && k.Op == "&") && k.Args[0] != nil && k.Args[0].Kind == source.Name && k.Args[0].Name == h.variable {
					changes = true
				}
			})
		}
		within := inner || s.Kind == source.Loop || s.Kind == source.Switch
		if changes || h.disturbed(f, s.Body, within) || h.disturbed(f, s.Else, within) {
			return true
		}
	}
	return false
}

// cutBound puts a loop around a loop that counts, which gives it a bound to run
// to, time after time, and leaves its own text as it is (dPerf, section 3: "the
// loop upper boundary is set to th"):
//
//	{AUSPEX_TURNS(0);__typeof__(i) auspex_e0;for (i = 0; AUSPEX_MORE(0, i, …);) for (; AUSPEX_UNTIL(0, i, i < n); i++) …AUSPEX_DONE(0);}
func cutBound(f *source.File, c *Candidate, h *cHeader, e *edits) {
	s := c.site.stmt
	l := s.Loop
	declare := fmt.Sprintf("__typeof__(%s) auspex_e%d;", h.variable, c.id)
	if h.declaration == "plain" {
		declare = ""
		end := l.From.Start + bytes.LastIndexByte(f.Text[l.From.Start:l.From.End], ';')
		if end < l.From.Start {
			end = l.From.End
		}
		e.insert(end, 1, fmt.Sprintf(", auspex_e%d = 0", c.id))
	}
	e.insert(s.Start, 2, fmt.Sprintf("{AUSPEX_TURNS(%d);%s", c.id, declare))
	e.insert(l.To.Start, 1, fmt.Sprintf("AUSPEX_MORE(%d, %s, %s);) for (; AUSPEX_UNTIL(%d, %s, ", c.id, h.variable, h.left(h.variable), c.id, h.variable))
	e.insert(l.To.End, 1, ")")
	e.insert(s.End, -c.id, fmt.Sprintf("AUSPEX_DONE(%d);}", c.id))
}

// loopNumbers finds loops by their line in the file itself and which of that
// line they are, from 1 on; those that headers hold are left out.
func loopNumbers(f *source.File, loops map[int]*Candidate) map[[2]int]*Candidate {
	found := map[[2]int]*Candidate{}
	for offset, number := range LoopNumbers(f) {
		if c := loops[offset]; c != nil {
			found[number] = c
		}
	}
	return found
}

// LoopNumbers gives the loops of a file's own text, by their first byte, as line
// and which of that line: what stays the same between two readings of
// preprocessed text.
func LoopNumbers(f *source.File) map[int][2]int {
	numbers := map[int][2]int{}
	count := map[int]int{}
	var units func(list []*source.Unit)
	units = func(list []*source.Unit) {
		for _, u := range list {
			u.Walk(func(s *source.Stmt, _ []*source.Stmt) bool {
				if s.Kind == source.Loop && f.Origin(s.Start) == f.Name {
					count[s.Line]++
					numbers[s.Start] = [2]int{s.Line, count[s.Line]}
				}
				return true
			})
			units(u.Units)
		}
	}
	units(f.Units)
	return numbers
}

// Boundable tells of every loop of a file, by its first byte, whether it can be
// cut by its bound.
func Boundable(f *source.File) map[int]bool {
	answers := map[int]bool{}
	for offset, c := range loopsOf(f) {
		answers[offset] = boundable(f, c)
	}
	return answers
}
