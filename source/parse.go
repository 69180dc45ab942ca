package source

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"sort"
)

// Options say what the name and text of a file do not.
type Options struct {
	Language Language // Unknown: from the name
	Form     *Form    // nil: from the name
	// LineLength is the last column of fixed form: 0 for the usual 72, -1
	// for no limit.
	LineLength int
	// OpenMP is set where the file is compiled with OpenMP, so that `!$`
	// lines are code.
	OpenMP bool
}

// maxSize bounds the files taken; tree-sitter counts bytes in 32 bits.
const maxSize = 256 << 20

// Parse reads one file. It fails only if the language is unknown, the file too
// large, or the context done; what does not parse is in the result.
func Parse(ctx context.Context, name string, text []byte, opt Options) (*File, error) {
	lang, form := Detect(name)
	if opt.Language != Unknown {
		lang = opt.Language
	}
	if opt.Form != nil {
		form = *opt.Form
	}
	if lang == Unknown {
		return nil, fmt.Errorf("%s: not C, C++ or Fortran by its name; give the language", name)
	}
	if len(text) > maxSize || len(text) > math.MaxInt32 {
		return nil, fmt.Errorf("%s: %d bytes, more than the %d that are parsed", name, len(text), maxSize)
	}
	ds := directives(text, lang)
	f := &File{Name: name, Language: lang, Form: form, Text: text, lines: newLines(text), conds: newConditions(ds)}
	if form == Fixed {
		switch f.LineLength = opt.LineLength; {
		case f.LineLength == 0:
			f.LineLength = 72
		case f.LineLength < 7:
			f.LineLength = 0
		}
	}
	p := &parser{ctx: ctx, file: f, opt: opt, grammar: grammars[lang](), directives: ds}
	if err := p.run(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// parser tries the file as it is and then, for the functions that did not
// parse, with more and more of the text blanked.
type parser struct {
	ctx        context.Context
	file       *File
	opt        Options
	grammar    *grammar
	directives []directive
}

// attempt is one way to make the text parse.
type attempt struct {
	name string
	edit func([]byte) // changes a copy of the text, never its length
}

func (p *parser) attempts() []attempt {
	list := []attempt{{"", func([]byte) {}}}
	conditional := len(p.file.conds.open) > 0
	noElse := attempt{"else branches blanked", func(b []byte) { blankBranches(b, p.directives, firstBranch) }}
	noIf := attempt{"first branches blanked", func(b []byte) { blankBranches(b, p.directives, lastBranch) }}
	if conditional {
		list = append(list, noElse, noIf)
	}
	if p.file.Language == Fortran {
		return list
	}
	macros := attempt{"else branches and macros blanked", func(b []byte) {
		blankBranches(b, p.directives, firstBranch)
		blankMacros(b)
	}}
	return append(list, macros)
}

func (p *parser) run() error {
	for i, a := range p.attempts() {
		text := bytes.Clone(p.file.Text)
		a.edit(text)
		units, problems, err := p.try(text)
		if err != nil {
			return err
		}
		if i == 0 {
			p.file.Units, p.file.Problems = units, problems
		} else {
			p.adopt(units, a.name, text)
		}
		if p.clean() {
			return nil
		}
	}
	if p.file.Language != Fortran {
		return nil
	}
	units, err := p.piecewise()
	p.adopt(units, "parsed apart from the rest of the file", p.file.Text)
	return err
}

// try parses a version of the text and lowers it to units.
func (p *parser) try(text []byte) ([]*Unit, []Problem, error) {
	m := &mapped{text: text}
	if p.file.Language == Fortran {
		m = p.prepare(text)
	}
	root, err := p.grammar.parse(p.ctx, m.text)
	if err != nil {
		return nil, nil, err
	}
	m.relocate(root)
	l := &lowering{file: p.file, text: p.file.Text}
	if p.file.Language == Fortran {
		l.fortranUnits(root, "", &l.units)
	} else {
		l.braces = matchBraces(text)
		l.cUnits(root, "", &l.units)
	}
	return l.units, l.strayProblems(root), nil
}

func (p *parser) prepare(text []byte) *mapped {
	if p.file.Form == Free {
		return prepareFree(text, p.opt.OpenMP)
	}
	return convertFixed(text, p.file.LineLength, p.opt.OpenMP)
}

// clean tells whether nothing is left to be tried: every unit is sound, and no
// trouble outside of units could hide one.
func (p *parser) clean() bool {
	ok := true
	for _, pr := range p.file.Problems {
		hides := p.file.Language == Fortran || bytes.IndexByte(p.file.Text[pr.Start:pr.End], '{') >= 0
		ok = ok && !hides
	}
	p.file.All(func(u *Unit) { ok = ok && u.Sound() })
	return ok
}

// adopt takes over the units that parsed in a repaired text and that do not
// cross a unit that parsed before.
func (p *parser) adopt(units []*Unit, how string, text []byte) {
	for _, u := range units {
		if !u.Sound() {
			continue
		}
		keep := p.file.Units[:0:0]
		taken := false
		for _, old := range p.file.Units {
			overlap := old.Start < u.End && u.Start < old.End
			if overlap && old.Sound() {
				taken = true
			}
			if !overlap || old.Sound() {
				keep = append(keep, old)
			}
		}
		if taken {
			continue
		}
		u.Repair = how
		u.Blanked = blankedIn(p.file.Text, text, u.Span)
		p.file.Units = append(keep, u)
	}
	sort.SliceStable(p.file.Units, func(i, j int) bool { return p.file.Units[i].Start < p.file.Units[j].Start })
	rest := p.file.Problems[:0:0]
	for _, pr := range p.file.Problems {
		covered := false
		for _, u := range p.file.Units {
			covered = covered || u.Sound() && u.Contains(pr.Span)
		}
		if !covered {
			rest = append(rest, pr)
		}
	}
	p.file.Problems = rest
}

// blankedIn lists where a unit's text was replaced by blanks, a line at most
// each.
func blankedIn(original, text []byte, s Span) []Span {
	var out []Span
	for i := s.Start; i < s.End; i++ {
		if original[i] == text[i] {
			continue
		}
		j := i
		for j < s.End && original[j] != '\n' {
			j++
		}
		out = append(out, Span{i, j})
		i = j
	}
	return out
}
