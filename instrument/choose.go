package instrument

import (
	"fmt"
	"strconv"

	"auspex/internal/lazyregexp"
	"auspex/source"
)

// Choice says which sorts of regions are wanted.
type Choice int

// The choices.
const (
	Default   Choice = iota // functions and outer loops
	Functions               // functions only
	Loops                   // outer loops only
	All                     // functions and all loops
)

// ParseChoice reads a choice as people write it.
func ParseChoice(s string) (Choice, error) {
	switch s {
	case "", "default":
		return Default, nil
	case "functions":
		return Functions, nil
	case "loops":
		return Loops, nil
	case "all":
		return All, nil
	}
	return Default, fmt.Errorf("regions %q: want functions, loops or all", s)
}

// DefaultMinLines is the size below which a region is left alone: a function
// of fewer lines is likely called so often that measuring it would be what is
// measured.
const DefaultMinLines = 10

// Options say what to instrument.
type Options struct {
	Regions Choice
	// MinLines is the size of the smallest region; 0 for DefaultMinLines and an
	// estimate of what each does in a call.
	MinLines int
	// Include and Exclude are globs FILE:FUNCTION, as in a Filter. With any
	// Include, only functions that match one are considered.
	Include, Exclude []string
	Filter           *Filter
	// Count adds a count of iterations to loops where it costs no more than
	// an addition.
	Count bool
	// File is the name put into descriptors and line directives; empty for
	// the name the file was parsed under.
	File string
	// Path is what globs and filters see of the file: where it lies, whatever
	// directory a build names it from; empty for File.
	Path string

	// Begin is the byte of a C or C++ file that what probes need is put before, at the
	// beginning of a line.
	Begin int

	// header is set for a header, whose callers are always elsewhere: those who
	// have probes put there want to see them, and may do with less work.
	header bool
}

// Candidate is a function or loop that could be measured.
type Candidate struct {
	Name    string       `json:"name"` // function, or function/loop@line
	Kind    Kind         `json:"kind"`
	Line    int          `json:"line"`
	EndLine int          `json:"end_line"`
	Chosen  bool         `json:"chosen"`
	Why     string       `json:"why,omitempty"` // if not chosen
	Inside  []*Candidate `json:"inside,omitempty"`

	// Possible is false where no choice could have it measured.
	Possible bool `json:"possible"`
	// Barred is set where that is for what the function is: PURE, constexpr,
	// device code and the like.
	Barred bool `json:"barred,omitempty"`

	unit *source.Unit
	site *site // for loops
	id   int   // number of the region once it has one
}

// site is a loop with its surroundings.
type site struct {
	stmt    *source.Stmt
	outer   []*source.Stmt // enclosing statements, outermost first
	before  []*source.Stmt // directives that belong to the loop
	after   []*source.Stmt // END directives that belong to it
	barrier string         // why nothing may be put here, from the surroundings
}

// Candidates lists the functions of a file with the loops in them, and marks
// those that opt chooses.
func Candidates(f *source.File, opt Options) []*Candidate {
	list, _ := candidates(f, opt)
	return list
}

// candidates also gives the estimate that the choice rests on, nil without.
func candidates(f *source.File, opt Options) ([]*Candidate, *loads) {
	estimate := opt.MinLines == 0
	if estimate {
		opt.MinLines = DefaultMinLines
	}
	if opt.File == "" {
		opt.File = f.Name
	}
	if opt.Path == "" {
		opt.Path = opt.File
	}
	c := &chooser{file: f, opt: opt}
	if estimate && opt.Regions != All {
		c.loads = newLoads(f)
		if opt.header {
			clear(c.loads.from)
		}
	}
	var out []*Candidate
	for _, u := range f.Units {
		out = append(out, c.unit(u)...)
	}
	return out, c.loads
}

type chooser struct {
	file  *source.File
	opt   Options
	loads *loads // nil where the user says how small is too small
}

// unit gives the candidate for u and, after it, those for the units inside.
func (c *chooser) unit(u *source.Unit) []*Candidate {
	if u.Kind == source.Lambda {
		return nil // may be a constant expression or device code, unseen
	}
	fn := &Candidate{Name: u.Name, Kind: FunctionRegion, Line: u.Line, EndLine: u.EndLine, unit: u}
	never := c.neverUnit(u)
	why := never
	if why == "" && c.file.Language == source.Fortran {
		why = c.neverFortranUnit(u)
	}
	fn.Barred = u.Has(source.Pure | source.Constexpr | source.Device | source.Naked | source.Coroutine | source.Resolver)
	c.decide(fn, why, u.Name, "")
	for _, s := range loopSites(u.Stmts, c.file.Language) {
		c.loop(fn, &fn.Inside, s, never)
	}
	out := []*Candidate{fn}
	for _, inner := range u.Units {
		out = append(out, c.unit(inner)...)
	}
	return out
}

// neverUnit says why nothing may be put into a unit, or "".
func (c *chooser) neverUnit(u *source.Unit) string {
	switch {
	case u.Has(source.Pure):
		return "PURE or ELEMENTAL"
	case u.Has(source.Constexpr):
		return "constexpr"
	case u.Has(source.Device):
		return "device code"
	case u.Has(source.Naked):
		return "naked function"
	case u.Has(source.Coroutine):
		return "coroutine"
	case u.Has(source.Resolver):
		return "runs for ifunc, before the program is relocated"
	case c.file.Language == source.Fortran && hidesJump(c.file, u):
		return "a branch of an #if that was not parsed may leave it"
	case c.file.Language != source.Fortran && localLabels.Match(c.file.Text[u.Body.Start:u.Body.End]):
		return "declares local labels, which must come first"
	case !u.Sound():
		for _, p := range u.Problems {
			if !p.Local {
				return fmt.Sprintf("not parsed: line %d: %s", p.Line, p.Message)
			}
		}
	}
	return ""
}

var localLabels = lazyregexp.New(`^\s*__label__\b`)

var jumpWord = lazyregexp.New(`(?i)\b(return|stop|go *to|exit|cycle|entry)\b|\b(end|err|eor) *= *[0-9]`)

// hidesJump looks for jumps in what was blanked before a unit was parsed.
func hidesJump(f *source.File, u *source.Unit) bool {
	for _, s := range u.Blanked {
		if line := f.Text[s.Start:s.End]; line[0] != '#' && jumpWord.Match(line) {
			return true
		}
	}
	return false
}

// loop adds the candidate for a loop, and those for the loops in it.
func (c *chooser) loop(fn *Candidate, list *[]*Candidate, s *site, never string) {
	line := s.stmt.Line
	l := &Candidate{
		Name: fmt.Sprintf("%s/loop@%d", fn.Name, line), Kind: LoopRegion,
		Line: line, EndLine: s.stmt.EndLine, unit: fn.unit, site: s,
	}
	why := never
	if why == "" {
		why = s.barrier
	}
	if why == "" {
		if c.file.Language == source.Fortran {
			why = c.neverFortranLoop(fn.unit, s)
		} else {
			why = c.neverCLoop(fn.unit, s)
		}
	}
	c.decide(l, why, fn.unit.Name, strconv.Itoa(line))
	*list = append(*list, l)
	for _, in := range loopSitesIn(s, c.file.Language) {
		c.loop(fn, &l.Inside, in, never)
	}
}

// decide applies, in order: what is impossible, the filter, the globs, the
// choice of sorts and the size.
func (c *chooser) decide(k *Candidate, never, function, line string) {
	k.Possible = never == ""
	if never != "" {
		k.Why = never
		return
	}
	if r := c.opt.Filter.last(c.opt.Path, function, line); r != nil {
		if k.Chosen = r.Include; k.Chosen {
			return
		}
		if k.Why = r.Why; k.Why == "" {
			k.Why = fmt.Sprintf("excluded by rule %q", r)
		}
		return
	}
	k.Why = c.unwanted(k, function)
	k.Chosen = k.Why == ""
}

// unwanted says why a possible region is not chosen by default, or "".
func (c *chooser) unwanted(k *Candidate, function string) string {
	if len(c.opt.Include) > 0 && !c.matchAny(c.opt.Include, function) {
		return "not included"
	}
	if c.matchAny(c.opt.Exclude, function) {
		return "excluded"
	}
	choice := c.opt.Regions
	if k.Kind == FunctionRegion {
		if choice == Loops {
			return "only loops wanted"
		}
		if why := c.small(k); why != "" || c.loads == nil {
			return why
		}
		return c.loads.light(k.unit)
	}
	depth := k.site.stmt.Loop.Depth
	switch {
	case choice == Functions:
		return "only functions wanted"
	case depth > 1 && choice != All:
		return "inner loop"
	case choice != All && fewIterations(c.file, k.site.stmt.Loop):
		return "few iterations"
	case c.loads != nil && vectors.Match(c.file.Text[k.unit.Body.Start:k.unit.Body.End]):
		return "vector instructions by hand: a call before them would push their registers to memory"
	case c.loads != nil && c.loads.lightLoop(k.unit, k.site.stmt) != "":
		return c.loads.lightLoop(k.unit, k.site.stmt)
	case nest(k.site.stmt) >= 2:
		return "" // a loop nest does work however few lines it takes
	}
	return c.small(k)
}

func (c *chooser) small(k *Candidate) string {
	switch n := k.EndLine - k.Line + 1; {
	case n >= c.opt.MinLines:
	case n == 1:
		return fmt.Sprintf("one line, fewer than %d", c.opt.MinLines)
	default:
		return fmt.Sprintf("%d lines, fewer than %d", n, c.opt.MinLines)
	}
	return ""
}

func (c *chooser) matchAny(globs []string, function string) bool {
	for _, g := range globs {
		r := Rule{Include: true}
		if r.parse(g) != nil {
			r.File, r.Function = "*", g // a function's name alone
		}
		if r.match(c.opt.Path, function, "") {
			return true
		}
	}
	return false
}

// nest counts how deep loops are nested in a loop, itself included.
func nest(s *source.Stmt) int {
	deepest := 0
	for _, in := range [][]*source.Stmt{s.Body, s.Else} {
		for _, k := range in {
			deepest = max(deepest, nest(k))
		}
	}
	if s.Kind == source.Loop && !s.Loop.Once {
		deepest++
	}
	return deepest
}

// vectors finds vector instructions written by hand (SSE, AVX, NEON). All registers they
// use are the caller's to save: where a probe stands between what is loaded into them
// and the loop, compilers keep it in memory, and a loop of fasta3 executed 10 % more
// instructions. The probe of the function stands before and does no harm.
var vectors = lazyregexp.New(`\b(_mm(256|512)?_[a-z]|__m(128|256|512)[di]?\b|(u?int|float)(8|16|32|64)x[0-9]+(x[234])?_t\b)`)

// fewIterations recognises loops between small constants: `i < 3`, `1, 3`.
func fewIterations(f *source.File, l *source.LoopInfo) bool {
	const few = 16
	if l.To == nil || l.Kind != source.For && l.Kind != source.Counted {
		return false
	}
	bound := l.To
	if l.Kind == source.For {
		if bound.Kind != "binary_expression" {
			return false
		}
		bound = bound.Child("right")
	}
	if bound == nil || bound.Kind != "number_literal" {
		return false
	}
	n, err := strconv.Atoi(bound.Text(f.Text))
	return err == nil && n <= few
}
