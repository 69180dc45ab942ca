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
	// Preprocessed is set where the text is what a preprocessor wrote (cc -E):
	// lines are those its markers tell, File.Origin the file, and offsets are
	// of File.Text, which holds neither markers nor system headers.
	Preprocessed bool
	// Marked is set where the text has a preprocessor's line markers and is to
	// stay as it is: lines and File.Origin are what the markers tell. Of C and
	// C++, where a marker may stand in the midst of an expression, File.Text
	// holds blanks in their place.
	Marked bool
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
		return nil, fmt.Errorf("%s: not C, C++ or Fortran by its name", name)
	}
	if len(text) > maxSize || len(text) > math.MaxInt32 {
		return nil, fmt.Errorf("%s: %d bytes, more than the %d that are parsed", name, len(text), maxSize)
	}
	var origins []origin
	if opt.Preprocessed {
		text, origins = unwind(name, text)
	} else if opt.Marked {
		origins = marked(name, text)
		if lang != Fortran {
			text = blankMarkers(text)
		}
	}
	ds := directives(text, lang)
	f := &File{Name: name, Language: lang, Form: form, Text: text, lines: newLines(text), conds: newConditions(ds)}
	f.lines.origins = origins
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
	name   string
	edit   func([]byte) // changes a copy of the text, never its length
	enough func() bool  // tells whether it is not needed any more
}

func (p *parser) attempts() []attempt {
	asIs := blankPointerAttributes
	if p.file.Language == Fortran {
		asIs = blankKindOfResult
	}
	list := []attempt{{"", asIs, func() bool { return false }}}
	conditional := len(p.file.conds.open) > 0
	noElse := attempt{"else branches blanked", func(b []byte) { blankBranches(b, p.directives, firstBranch) }, p.clean}
	noIf := attempt{"first branches blanked", func(b []byte) { blankBranches(b, p.directives, lastBranch) }, p.clean}
	if conditional {
		list = append(list, noElse, noIf)
	}
	if p.file.Language == Fortran {
		if conditional {
			list = append(list, attempt{"neighbouring branches blanked", func(b []byte) { blankBranches(b, p.directives, oneOfNeighbours(p.file.Text)) }, p.clean})
		}
		return list
	}
	macros := attempt{"else branches and macros blanked", func(b []byte) {
		blankBranches(b, p.directives, firstBranch)
		blankMacros(b)
	}, p.spotless}
	return append(list, macros)
}

func (p *parser) run() error {
	for i, a := range p.attempts() {
		if a.enough() {
			continue
		}
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
	}
	p.markResolvers()
	if p.file.Language != Fortran || p.clean() {
		return nil
	}
	units, err := p.piecewise()
	p.adopt(units, "parsed apart from the rest of the file", p.file.Text)
	return err
}

// try parses a version of the text and lowers it to units.
func (p *parser) try(text []byte) ([]*Unit, []Problem, error) {
	m := &mapped{text: text}
	var ops []operator
	if p.file.Language == Fortran {
		m = p.prepare(text)
	} else if ops = operators(p.file.Text, p.directives); len(ops) > 0 {
		m.text = bytes.Clone(text)
		for _, o := range ops {
			blank(m.text[o.Start:o.End])
		}
	}
	root, err := p.grammar.parse(p.ctx, m.text)
	if err != nil {
		return nil, nil, err
	}
	m.relocate(root)
	l := &lowering{file: p.file, text: p.file.Text, operators: ops}
	if p.file.Language == Fortran {
		l.fortranUnits(root, "", &l.units)
	} else {
		l.braces = matchBraces(text)
		l.cUnits(root, "", &l.units)
		markDevice(l.units, p.directives)
	}
	return l.units, l.strayProblems(root), nil
}

func (p *parser) prepare(text []byte) *mapped {
	var m *mapped
	if p.file.Form == Free {
		m = prepareFree(text, p.opt.OpenMP)
	} else {
		m = convertFixed(text, p.file.LineLength, p.opt.OpenMP)
	}
	asNames(m.text)
	return m
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

// spotless tells whether, besides, every statement was understood.
func (p *parser) spotless() bool {
	ok := p.clean()
	p.file.All(func(u *Unit) { ok = ok && len(u.Problems) == 0 })
	return ok
}

// adopt takes over the units that parsed in a repaired text, if they do not
// cross a sound unit, or are the same unit with all of it understood.
func (p *parser) adopt(units []*Unit, how string, text []byte) {
	old := p.file.Units
	dropped := map[*Unit]bool{}
	var taken []*Unit
	for _, u := range units {
		crossed := overlapping(old, u.Span)
		same := len(crossed) == 1 && crossed[0].Body == u.Body && len(crossed[0].Problems) > 0 && len(u.Problems) == 0
		if !u.Sound() || anySound(crossed) && !same {
			continue
		}
		for _, o := range crossed {
			dropped[o] = true
		}
		u.Repair = how
		u.Blanked = blankedIn(p.file.Text, text, u.Span)
		taken = append(taken, u)
	}
	if len(taken) == 0 {
		return
	}
	for _, o := range old {
		if !dropped[o] {
			taken = append(taken, o)
		}
	}
	sort.SliceStable(taken, func(i, j int) bool { return taken[i].Start < taken[j].Start })
	p.file.Units = taken
	rest := p.file.Problems[:0:0]
	for _, pr := range p.file.Problems {
		if !anySound(overlapping(taken, pr.Span)) {
			rest = append(rest, pr)
		}
	}
	p.file.Problems = rest
}

// overlapping gives the units that share bytes with a span; the list is in
// order and its units do not overlap.
func overlapping(list []*Unit, s Span) []*Unit {
	from := sort.Search(len(list), func(i int) bool { return list[i].End > s.Start })
	to := from
	for to < len(list) && list[to].Start < s.End {
		to++
	}
	return list[from:to]
}

func anySound(list []*Unit) bool {
	for _, u := range list {
		if u.Sound() {
			return true
		}
	}
	return false
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
