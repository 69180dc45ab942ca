package instrument

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"auspex/internal/lazyregexp"
	"auspex/source"
)

// Iterations are counted by region: those of a measured loop and of all loops
// in a measured region that are none themselves. A count is one addition to a
// local variable at the head of a loop's body, so it is exact however the loop
// is left, and compilers work it out of innermost loops whose trip count they
// know. In innermost for loops that no statement leaves early it stands beside
// the step: there it is the loop's own variable under another name, and in
// intsort costs nothing where it cost an instruction a turn at the head (an
// exception that leaves such a loop goes without its last turn). The loop around
// moves it to a second variable, which is volatile: it
// takes no register away from the innermost loop.
//
// A region of which some loop would pay for being counted is not counted at all,
// unless the user said what is to be measured: bzip2 took 7 % more instructions
// for counts in its searching loops, which are left by break.
//
// Loops under OpenMP or OpenACC directives are not counted: their threads would
// share the variable. Nor are loops from one small number to another, such as
// over the three directions of space: compilers unroll them, and they say
// nothing that the loop around does not.

// forks are directives after which threads, lanes or a device share what is
// around the statement that follows.
var forks = lazyregexp.New(`^(omp|acc)\b.*\b(parallel|task|taskloop|teams|target|simd|for|do|loop|sections|distribute|kernels|serial|workshare|tile|unroll)\b|^cuf\b`)

// few are the heads of loops from one number below a hundred to another, up to
// where their body or their step begins.
var few = map[bool]*lazyregexp.Regexp{
	true:  lazyregexp.New(`(?i)^do\s*\d*\s*,?\s*\w+\s*=\s*\d{1,2}\s*,\s*\d{1,2}\s*$`),
	false: lazyregexp.New(`^for\s*\(\s*(?:[a-z_0-9:]+\s+)*\w+\s*=\s*\d{1,2}\s*;\s*\w+\s*(?:<|<=|!=)\s*\d{1,2}\s*;`),
}

func fewTurns(f *source.File, s *source.Stmt) bool {
	line, _, _ := bytes.Cut(f.Text[s.Start:s.End], []byte("\n"))
	return few[f.Language == source.Fortran].Match(line)
}

// leaving are the words by which a turn is left in its middle.
var leaving = lazyregexp.New(`\b(break|return|goto|throw)\b`)

// countedLoops calls visit for every loop of a statement list that counts in
// the region around it, outer ones first. chosen are regions of their own.
func countedLoops(list []*source.Stmt, f *source.File, chosen map[*source.Stmt]int, visit func(*source.Stmt)) {
	shared := 0 // directives of Fortran that are open
	for i, s := range list {
		if s.Kind == source.Directive {
			if f.Language == source.Fortran {
				shared = max(0, shared+opens(s.Text))
			}
			continue
		}
		if _, region := chosen[s]; region || shared > 0 || i > 0 && sharedAfter(list[i-1]) {
			continue
		}
		if s.Kind == source.Loop && s.Loop.Kind == source.Concurrent {
			continue
		}
		if s.Kind == source.Loop && !s.Loop.Once && !fewTurns(f, s) {
			visit(s)
		}
		countedLoops(s.Body, f, chosen, visit)
		countedLoops(s.Else, f, chosen, visit)
	}
}

// sharedAfter tells whether a directive makes its next statement one of many
// threads.
func sharedAfter(s *source.Stmt) bool {
	return s.Kind == source.Directive && forks.MatchString(s.Text) && !endWord.MatchString(s.Text)
}

// opens tells whether a directive of Fortran begins (1) or ends (-1) lines that
// threads share. One that belongs to a loop has its end there, said or not.
func opens(text string) int {
	if m := endWord.FindStringSubmatch(text); m != nil {
		if whole := m[1] + " " + m[2]; forks.MatchString(whole) && !loopWords.MatchString(whole) {
			return -1
		}
		return 0
	}
	if forks.MatchString(text) && !loopWords.MatchString(text) {
		return 1
	}
	return 0
}

// countC puts the additions for one region into C and C++, and tells whether
// there are any.
func countC(f *source.File, work *loads, c *Candidate, chosen map[*source.Stmt]int, e *edits) (any bool) {
	count := func(s *source.Stmt) {
		l := s.Loop
		add := fmt.Sprintf("AUSPEX_N(%d);", c.id)
		if innermost(s, f) {
			add = fmt.Sprintf("AUSPEX_C(%d);", c.id)
		}
		had := len(e.list)
		defer func() { any = any || len(e.list) > had }()
		switch {
		case !l.Sound || l.Body.End == l.Body.Start:
		case innermost(s, f) && l.Kind == source.For && l.Step != nil &&
			f.SameBranch(s.Start, l.Step.Start) && !leaving.Match(f.Text[l.Body.Start:l.Body.End]):
			e.insert(l.Step.Start, 1, fmt.Sprintf("(void)AUSPEX_C(%d), ", c.id))
		case l.Braced:
			e.insert(l.Body.Start+1, 1, add)
		case f.SameBranch(s.Start, l.Body.Start) && f.SameBranch(l.Body.Start, l.Body.End-1) &&
			!strings.Contains(string(f.Text[l.Body.Start:l.Body.End]), "#"):
			e.insert(l.Body.Start, 1, "{"+add)
			e.insert(l.Body.End, -c.id, "}")
		}
	}
	var loops []*source.Stmt
	all := func(s *source.Stmt) { loops = append(loops, s) }
	if c.Kind == FunctionRegion {
		countedLoops(c.unit.Stmts, f, chosen, all)
	} else {
		for _, d := range c.site.before {
			if forks.MatchString(d.Text) {
				return false
			}
		}
		all(c.site.stmt)
		countedLoops(c.site.stmt.Body, f, chosen, all)
	}
	declared := map[string]string{}
	for _, v := range f.Variables(c.unit) {
		declared[v.Name] = v.Type
	}
	for _, s := range loops {
		if !work.bearsCount(s, steady(f, declared, s)) {
			return false
		}
	}
	for _, s := range loops {
		count(s)
	}
	return any
}

// steady tells whether compilers can work out before a for loop how often it turns:
// a variable goes by a fixed step to a bound that nothing changes, and nothing leaves
// the loop before; declared are the types of the function's variables. A bound that is no variable of the function may be changed by
// whatever the loop writes, an unsigned one that is reached with <= may be the
// largest number there is, and in C++ whatever is called may throw: then the count
// has to be right in every turn. muscle took 3.4 % more instructions for that.
func steady(f *source.File, declared map[string]string, s *source.Stmt) bool {
	l := s.Loop
	return l.Kind == source.For && l.Step != nil && l.To != nil && l.To.Kind == "binary_expression" &&
		!strings.ContainsAny(l.To.Text(f.Text), "[*&|(>.") && steadyStep.Match([]byte(l.Step.Text(f.Text))) &&
		!leaving.Match(f.Text[l.Body.Start:l.Body.End]) && ownBound(f, declared, l) &&
		(f.Language != source.CXX || !mayThrow(f.Text[l.Body.Start:l.Body.End]))
}

// mayThrow tells whether something is called that may throw.
func mayThrow(body []byte) bool {
	for _, m := range called.FindAllSubmatchIndex(body, -1) {
		if word := string(body[m[2]:m[3]]); !harmless.MatchString(word) && !mathCall.MatchString(word) {
			return true
		}
	}
	return false
}

var (
	steadyStep = lazyregexp.New(`^\s*(?:\w+\s*(?:\+\+|--|[-+]=\s*\w+)|(?:\+\+|--)\s*\w+)\s*$`)
	bareName   = lazyregexp.New(`\b[A-Za-z_]\w*\b`)
	constant   = lazyregexp.New(`^[A-Z_][A-Z0-9_]*$`)
	called     = lazyregexp.New(`(\w+)\s*(?:<[^<>;]*>\s*)?\(`)
	harmless   = lazyregexp.New(`^(?:if|for|while|switch|sizeof|static_cast|reinterpret_cast|const_cast|int|long|unsigned|float|double|char|size_t|_mm\w*|__builtin\w*)$`)
)

// ownBound tells whether what a loop is held against are variables of its function,
// and constants as far as their names show.
func ownBound(f *source.File, declared map[string]string, l *source.LoopInfo) bool {
	to := l.To.Text(f.Text)
	for _, name := range bareName.FindAllString(to, -1) {
		kind, own := declared[name]
		if !own && !constant.MatchString(name) || strings.Contains(to, "<=") && (strings.Contains(kind, "unsigned") || strings.Contains(kind, "size") || strings.HasPrefix(kind, "u")) {
			return false
		}
	}
	return true
}

// innermost tells whether no loop in s counts.
func innermost(s *source.Stmt, f *source.File) bool {
	inside := false
	countedLoops(s.Body, f, nil, func(*source.Stmt) { inside = true })
	return !inside
}

// counters decides which regions of a Fortran unit have a variable that counts,
// declares them and adds to them.
func (w *fortran) counters(u *fortranUnit) {
	if (&chooser{file: w.file}).neverFortranUnit(u.unit) != "" {
		return // no safe place for declarations
	}
	alone := map[*source.Stmt]bool{} // loops that one thread runs
	countedLoops(u.unit.Stmts, w.file, nil, func(s *source.Stmt) { alone[s] = len(s.Body) > 0 })
	declarations := ""
	for _, c := range u.regions {
		var loops []*source.Stmt
		count := func(s *source.Stmt) {
			if alone[s] {
				loops = append(loops, s)
			}
		}
		inside := u.unit.Stmts
		if c.Kind == LoopRegion {
			count(c.site.stmt)
			inside = c.site.stmt.Body
		}
		countedLoops(inside, w.file, u.loops, count)
		if len(loops) == 0 || slices.ContainsFunc(loops, func(s *source.Stmt) bool { return w.nest(s, loops) == nil && !w.work.bearsCount(s, false) }) {
			continue
		}
		n, inner := counterNames(c.id)
		ahead := map[*source.Stmt]string{}
		for _, s := range loops {
			if nest := w.nest(s, loops); nest != nil {
				ahead[nest[0]] += w.wrap(w.allTurns(nest, inner))
			} else if innermost(s, w.file) {
				w.ahead(s, w.wrap(inner+" = "+inner+" + 1"))
			} else {
				w.ahead(s, w.wrap(n+" = "+n+" + "+inner+" + 1")+w.wrap(inner+" = 0"))
			}
		}
		for _, s := range loops {
			if lines := ahead[s]; lines != "" {
				w.before(s, lines, 3)
			}
		}
		w.counted[c.id] = true
		declarations += w.wrap("integer(8), volatile :: "+n) + w.wrap("integer(8) :: "+inner)
	}
	if declarations != "" {
		at, inline := declarationPoint(w.file, u.unit)
		w.atPoint(at, inline, -1, declarations)
	}
}

// bound are expressions that may be evaluated twice: sums and products of names
// and numbers. early are the words by which a DO is left before its last turn,
// unseen those by which variables change that are not named before an equals
// sign.
var (
	bound  = lazyregexp.New(`^-?[\w%]+( *[-+*] *[\w%]+)*$`)
	whole  = lazyregexp.New(`^-?[1-9]\d*$`)
	early  = lazyregexp.New(`(?i)\b(exit|go\s*to|return)\b|\bcycle +\w`)
	unseen = lazyregexp.New(`(?i)\b(call|read)\b`)
	hint   = lazyregexp.New(`^ *[!cC*]\w*\$`)
	name   = lazyregexp.New(`[a-zA-Z]\w*`)
)

// nest gives the loops from s outwards whose turns can be multiplied before the
// first of them begins, outermost first; none where those of s can only be
// counted one by one.
func (w *fortran) nest(s *source.Stmt, loops []*source.Stmt) []*source.Stmt {
	if !w.regular(s) {
		return nil
	}
	nest := []*source.Stmt{s}
	for {
		i := slices.IndexFunc(loops, func(l *source.Stmt) bool { return slices.Contains(l.Body, nest[0]) })
		if i < 0 || !w.regular(loops[i]) || !w.file.SameBranch(loops[i].Start, s.Start) || w.changes(loops[i], nest) {
			break
		}
		nest = slices.Insert(nest, 0, loops[i])
	}
	line := lineStart(w.file.Text, nest[0].Start)
	if above := w.file.Text[lineStart(w.file.Text, max(0, line-1)):line]; hint.Match(above) {
		return nil // a directive belongs to the loop
	}
	return nest
}

// regular tells whether a loop is a DO whose turns its head gives.
func (w *fortran) regular(s *source.Stmt) bool {
	l := s.Loop
	if l.Kind != source.Counted || l.From == nil || l.To == nil || !w.file.SameBranch(s.Start, l.Body.Start) ||
		early.Match(w.file.Text[l.Body.Start:l.Body.End]) {
		return false
	}
	from, to, step := w.bounds(s)
	return bound.MatchString(from) && bound.MatchString(to) && whole.MatchString(step)
}

func (w *fortran) bounds(s *source.Stmt) (from, to, step string) {
	part := func(n *source.Node) string { return string(w.file.Text[n.Start:n.End]) }
	from, to, step = part(s.Loop.From), part(s.Loop.To), "1"
	if s.Loop.Step != nil {
		step = part(s.Loop.Step)
	}
	return from, to, step
}

// changes tells whether a loop may change what the bounds of loops in it are
// made of.
func (w *fortran) changes(outer *source.Stmt, inside []*source.Stmt) bool {
	text := w.file.Text[outer.Start:outer.End]
	if unseen.Match(text) {
		return true
	}
	for _, s := range inside {
		from, to, _ := w.bounds(s)
		for _, n := range name.FindAllString(from+" "+to, -1) {
			if regexp.MustCompile(`(?i)\b` + n + `\s*=([^=]|$)`).Match(text) {
				return true
			}
		}
	}
	return false
}

// allTurns is a statement ahead of a nest that adds the turns of its innermost
// loop, by the formula of the standard, and leaves the loops to the compiler as
// they were. It calls no intrinsic: a program may have a variable of that name.
func (w *fortran) allTurns(nest []*source.Stmt, counter string) string {
	var conditions []string
	turns := "1_8"
	for _, s := range nest {
		from, to, step := w.bounds(s)
		order := ".ge."
		if strings.HasPrefix(step, "-") {
			order = ".le."
		}
		conditions = append(conditions, fmt.Sprintf("(%s)%s(%s)", to, order, from))
		if step == "1" {
			turns += fmt.Sprintf("*((%s)-(%s)+1)", to, from)
		} else {
			turns += fmt.Sprintf("*(((%s)-(%s)+(%s))/(%s))", to, from, step, step)
		}
	}
	return fmt.Sprintf("if (%s) %s = %s+%s", strings.Join(conditions, ".and."), counter, counter, turns)
}

// counterNames are the variables that the guards of C have as members.
func counterNames(id int) (n, inner string) {
	return fmt.Sprintf("auspex_n%d", id), fmt.Sprintf("auspex_c%d", id)
}

// ahead puts whole lines at the head of a loop's body, before the label of its
// first statement: what jumps there is in the same turn, and the label may be
// the loop's end.
func (w *fortran) ahead(loop *source.Stmt, lines string) {
	first := loop.Body[0]
	at := first.Start
	if first.Label != "" {
		at = first.LabelSpan.Start
	}
	at = w.file.BeforeCondition(at, loop.Start)
	start := lineStart(w.file.Text, at)
	if strings.TrimSpace(string(w.file.Text[start:at])) == "" {
		w.atPoint(start, false, 1, lines)
	} else {
		w.atPoint(at, true, 1, lines)
	}
}
