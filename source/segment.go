package source

import (
	"bytes"
	"strings"

	"auspex/internal/lazyregexp"
)

// A mistake the grammar cannot get over may take the rest of a Fortran file
// with it. Procedures begin and end on lines of their own, so they can be told
// apart without a grammar, and parsed one at a time.

// segment is the text of one procedure or program.
type segment struct {
	Span         // in the prepared text
	scope string // names of what is around it
	inner []Span // procedures inside
}

var (
	procedureLine = lazyregexp.New(`^(?:(?:pure|impure|elemental|recursive|non_recursive|module|attributes *\([^)]*\)|(?:integer|real|complex|logical|character|double *precision|double *complex|type|class) *(?:\([^)]*\)|\* *\d+|\* *\( *\* *\))?) *)*\b(?:subroutine|function) +([a-z]\w*)`)
	moduleProc    = lazyregexp.New(`^module +procedure +([a-z]\w*) *(?:!.*)?$`)
	programLine   = lazyregexp.New(`^program +([a-z]\w*) *(?:!.*)?$`)
	moduleLine    = lazyregexp.New(`^(?:module|submodule *\([^)]*\)) +([a-z]\w*) *(?:!.*)?$`)
	interfaceLine = lazyregexp.New(`^(?:abstract +)?interface\b[^=(]*(?:\([^=]*\))? *(?:!.*)?$`)
	endLine       = lazyregexp.New(`^end *(subroutine|function|procedure|program|module|submodule|interface|block *data)?(?: +[a-z_]\w*)? *(?:!.*|;.*)?$`)
)

// segments finds the procedures of a prepared text.
func segments(text []byte) []segment {
	type opened struct {
		kind, name string // kind: procedure, module or interface
		start      int
		inner      []Span
	}
	var stack []opened
	var out []segment
	scope := func() string {
		s := ""
		for _, o := range stack {
			s = join(s, o.name)
		}
		return s
	}
	for pos := 0; pos < len(text); {
		end := lineEnd(text, pos)
		line := strings.ToLower(strings.TrimLeft(strings.TrimRight(string(text[pos:end]), " \t\r\n"), " \t0123456789"))
		inInterface := len(stack) > 0 && stack[len(stack)-1].kind == "interface"
		push := func(kind, name string) { stack = append(stack, opened{kind: kind, name: name, start: pos}) }
		switch {
		case len(line) < 3:
		case strings.HasPrefix(line, "end"):
			m := endLine.FindStringSubmatch(line)
			if m == nil || len(stack) == 0 {
				break
			}
			top := stack[len(stack)-1]
			if (m[1] == "interface") != (top.kind == "interface") && !(inInterface && m[1] != "") {
				break
			}
			if inInterface && m[1] != "interface" {
				break // ends an interface body, which was not opened
			}
			stack = stack[:len(stack)-1]
			if top.kind == "procedure" {
				out = append(out, segment{Span{top.start, end}, scope(), top.inner})
				if len(stack) > 0 {
					up := &stack[len(stack)-1]
					up.inner = append(up.inner, Span{top.start, end})
				}
			}
		case inInterface:
		case interfaceLine.MatchString(line):
			push("interface", "")
		case moduleProc.MatchString(line):
			push("procedure", moduleProc.FindStringSubmatch(line)[1])
		case procedureLine.MatchString(line):
			push("procedure", procedureLine.FindStringSubmatch(line)[1])
		case programLine.MatchString(line):
			push("procedure", programLine.FindStringSubmatch(line)[1])
		case moduleLine.MatchString(line):
			push("module", moduleLine.FindStringSubmatch(line)[1])
		}
		pos = end
	}
	return out
}

// piecewise parses one at a time the procedures that are in no sound unit.
func (p *parser) piecewise() ([]*Unit, error) {
	m := p.prepare(bytes.Clone(p.file.Text))
	var units []*Unit
	for _, s := range segments(m.text) {
		if anySound(overlapping(p.file.Units, m.origin(s.Span))) {
			continue
		}
		piece := m.slice(s.Span)
		for _, in := range s.inner {
			blank(piece.text[in.Start-s.Start : in.End-s.Start])
		}
		root, err := p.grammar.parse(p.ctx, piece.text)
		if err != nil {
			return nil, err
		}
		piece.relocate(root)
		l := &lowering{file: p.file, text: p.file.Text}
		l.fortranUnits(root, s.scope, &l.units)
		if len(l.strayProblems(root)) == 0 {
			units = nestUnits(units, l.units)
		}
	}
	return units, nil
}

// nestUnits adds units to a list; those of the list that lie within a sound one
// of the new go into it.
func nestUnits(list, more []*Unit) []*Unit {
	for _, u := range more {
		keep := list[:0:0]
		for _, old := range list {
			if u.Sound() && u.Contains(old.Span) {
				u.Units = append(u.Units, old)
			} else {
				keep = append(keep, old)
			}
		}
		list = append(keep, u)
	}
	return list
}
