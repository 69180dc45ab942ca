package instrument

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"auspex/source"
)

// What is assumed where the text does not say: the turns of a loop that counts, of
// one inside another, and of one that goes on while something holds, such as one
// over a list; the work of a function that is defined elsewhere, of what looks like
// one in a loop, where it is as often as not a macro, and of one that waits for a
// disk or for other processes. Work is counted in operations, about a
// nanosecond each.
const (
	usualTurns  = 64
	innerTurns  = 16
	whileTurns  = 4
	foreignWork = 40
	foreignTurn = 10
	slowWork    = 100_000
	mostWork    = 1_000_000_000
)

// A probe takes about 45 operations, 10 where it is switched off. What is called
// in nested loops is called so often that even the latter must be nothing: 0.25 %
// of heavyWork, which a nest of two loops with four operations in it comes to.
// Below lightWork a function is left out that is called in a loop, below heavyWork
// one that is called in nested loops, or has no caller in the file and may be.
// Where nothing shows that it is called often, only one of tinyWork is left out.
const (
	tinyWork  = 60
	lightWork = 500
	heavyWork = 4_000
)

// loads are the functions of a file with their work per call, and which of them
// are called often.
type loads struct {
	file  *source.File
	units map[string]*source.Unit // by last name
	work  map[*source.Unit]int
	often map[string]int  // by last name: how many loops are around its calls, at most 2
	kinds map[string]bool // of nodes, that are operations
	// branches is how many conditions the statement being looked at stands under:
	// a message that is printed there is as a rule not printed.
	branches int
	loops    int // around it
}

func newLoads(f *source.File) *loads {
	l := &loads{file: f, units: map[string]*source.Unit{}, work: map[*source.Unit]int{}, often: map[string]int{}, kinds: map[string]bool{}}
	var each func(list []*source.Unit)
	each = func(list []*source.Unit) {
		for _, u := range list {
			l.units[lastPart(u.Name)] = u
			each(u.Units)
		}
	}
	each(f.Units)
	type call struct {
		caller string
		loops  int
	}
	calls := map[string][]call{}
	for name, u := range l.units {
		l.calls(u.Stmts, 0, func(callee string, loops int) {
			calls[callee] = append(calls[callee], call{name, loops})
		})
	}
	for name := range l.units {
		if len(calls[name]) == 0 && name != "main" && l.units[name].Kind != source.Program {
			l.often[name] = 2 // its callers are elsewhere
		}
	}
	// What is called by something called often is called often.
	for changed := true; changed; {
		changed = false
		for callee, list := range calls {
			for _, c := range list {
				if n := min(l.often[c.caller]+c.loops, 2); n > l.often[callee] {
					l.often[callee], changed = n, true
				}
			}
		}
	}
	return l
}

func lastPart(name string) string {
	name, _, _ = strings.Cut(name, "<")
	if i := strings.LastIndex(name, "::"); i >= 0 {
		name = name[i+2:]
	}
	return strings.ToLower(name)
}

// calls visits the calls of statements, with how many loops are around them.
func (l *loads) calls(list []*source.Stmt, loops int, visit func(callee string, loops int)) {
	var below func(n *source.Node, loops int)
	below = func(n *source.Node, loops int) {
		if name := l.callee(n); name != "" {
			visit(name, loops)
		}
		for k := range n.Children() {
			below(k, loops)
		}
	}
	for _, s := range list {
		inside := loops
		if s.Kind == source.Loop && !s.Loop.Once {
			inside++
		}
		switch {
		case len(s.Body)+len(s.Else) > 0:
			l.calls(s.Body, inside, visit)
			l.calls(s.Else, inside, visit)
		case s.Node != nil:
			below(s.Node, inside)
		}
	}
}

// callee is the last name of what a call calls, "" for other nodes.
func (l *loads) callee(n *source.Node) string {
	var f *source.Node
	switch n.Kind {
	case "call_expression":
		if f = n.Child("function"); f == nil {
			f = n.First
		}
	case "subroutine_call":
		f = n.Child("subroutine")
	}
	if f == nil {
		return ""
	}
	text := f.Text(l.file.Text)
	for _, mark := range []string{"->", ".", "%"} {
		if i := strings.LastIndex(text, mark); i >= 0 {
			text = text[i+len(mark):]
		}
	}
	return lastPart(strings.TrimSpace(text))
}

var (
	slowCall = regexp.MustCompile(`^(p?mpi_|gomp_|sleep|usleep|system$)`)
	diskCall = regexp.MustCompile(`^(printf$|fprintf$|fopen|fclose|fread|fwrite|fgets|fscanf|scanf|read$|write$)`)
)

// of is the work of one call of a unit.
func (l *loads) of(u *source.Unit) int {
	if w, ok := l.work[u]; ok {
		return w
	}
	l.work[u] = foreignWork // while it is worked out: recursion
	branches, loops := l.branches, l.loops
	l.branches, l.loops = 0, 0
	w := l.stmts(u.Stmts)
	l.work[u], l.branches, l.loops = w, branches, loops
	return w
}

// stmts is the work of statements; a loop's body counts for its turns, what stands
// under a condition for half, and one case of a switch for all.
func (l *loads) stmts(list []*source.Stmt) int {
	w := 0
	for _, s := range list {
		one := 0
		switch {
		case s.Kind == source.Loop:
			turns := l.turns(s)
			l.loops++
			one = max(l.stmts(s.Body), 1) * turns
			l.loops--
		case len(s.Body)+len(s.Else) > 0:
			switch s.Kind {
			case source.If:
				l.branches++
				one = 3 + (l.stmts(s.Body)+l.stmts(s.Else))/2
				l.branches--
			case source.Switch:
				l.branches++
				one = 3 + (l.stmts(s.Body)+l.stmts(s.Else))/max(casesIn(s.Body), 1)
				l.branches--
			default:
				one = l.stmts(s.Body) + l.stmts(s.Else)
			}
		case s.Node != nil:
			one = l.node(s.Node)
		}
		w = min(w+one, mostWork)
	}
	return w
}

func casesIn(list []*source.Stmt) int {
	n := 0
	for _, s := range list {
		if s.Kind == source.Case {
			n++
		}
		n += casesIn(s.Body)
	}
	return n
}

// surely is the work of statements that no condition keeps from being done.
func (l *loads) surely(list []*source.Stmt) int {
	w := 0
	for _, s := range list {
		one := 0
		switch {
		case s.Kind == source.Loop:
			one = max(l.surely(s.Body), 1) * l.turns(s)
		case s.Kind == source.If && len(s.Else) > 0:
			one = 3 + min(l.surely(s.Body), l.surely(s.Else))
		case s.Kind == source.If || s.Kind == source.Switch:
			one = 3
		case len(s.Body)+len(s.Else) > 0:
			one = l.surely(s.Body) + l.surely(s.Else)
		case s.Node != nil:
			one = l.node(s.Node)
		}
		w = min(w+one, mostWork)
	}
	return w
}

func (l *loads) below(n *source.Node) int {
	w := 0
	for k := range n.Children() {
		w = min(w+l.node(k), mostWork)
	}
	return w
}

func (l *loads) node(n *source.Node) int {
	w := l.below(n)
	switch {
	case strings.HasPrefix(n.Kind, "write_statement") || strings.HasPrefix(n.Kind, "read_statement") || n.Kind == "print_statement" || strings.HasPrefix(n.Kind, "open_statement"):
		return w + l.disk()
	}
	if name := l.callee(n); name != "" {
		u := l.units[name]
		switch {
		case slowCall.MatchString(name):
			return w + slowWork
		case diskCall.MatchString(name):
			return w + l.disk()
		case u != nil:
			return min(w+l.of(u)+5, mostWork)
		case l.file.Language == source.Fortran && n.Kind == "call_expression":
			return w + 1 // an array's element, as a rule
		case mathCall.MatchString(name):
			return w + 15
		case strings.HasPrefix(name, "_mm") || strings.HasPrefix(name, "__builtin"):
			return w + 1 // an instruction
		}
		if l.loops > 0 {
			return w + foreignTurn
		}
		return w + foreignWork
	}
	if n.Named && n.First != nil && l.operates(n.Kind) {
		w++
	}
	return w
}

// disk is the work of input or output.
func (l *loads) disk() int {
	if l.branches > 0 {
		return foreignWork
	}
	return slowWork
}

// operates tells whether a node of the grammar's kind is an operation.
func (l *loads) operates(kind string) bool {
	yes, known := l.kinds[kind]
	if !known {
		yes = operation.MatchString(kind)
		l.kinds[kind] = yes
	}
	return yes
}

var (
	mathCall  = regexp.MustCompile(`^(f?abs|sqrt|exp|log|log10|log2|pow|sin|cos|tan|atan2?|floor|ceil|fmin|fmax|min|max|fma|hypot|cbrt|round|swap|move|size|begin|end|at|push_back|data|back|front|empty)f?$`)
	operation = regexp.MustCompile(`(binary|unary|update|assignment|subscript|field|pointer|cast|conditional|math|relational|logical)_?(expression)?|assignment_statement|return_statement|if_statement`)
	// counts is a loop with a counter that is held against a bound.
	counts    = regexp.MustCompile(`(?i)^\s*(?:for\s*\(.*(?:<|>|!=).*(?:\+\+|--|\+=|-=)|for\s*\([^;]*:|(?:[a-z0-9_]+\s*:\s*)?do\b.*=|do\s+concurrent)`)
	smallTurn = regexp.MustCompile(`<=?\s*([0-9]{1,2})\s*;|,\s*([0-9]{1,2})\s*$`)
)

// turns are those of a loop with a small constant bound, or what is usual.
func (l *loads) turns(s *source.Stmt) int {
	if s.Loop.Once {
		return 1
	}
	line, _, _ := strings.Cut(string(l.file.Text[s.Start:s.End]), "\n")
	if m := smallTurn.FindStringSubmatch(strings.TrimRight(line, " \r{")); m != nil {
		for _, digits := range m[1:] {
			if t, err := strconv.Atoi(digits); err == nil {
				return max(t, 1)
			}
		}
	}
	if !counts.MatchString(line) {
		return whileTurns
	}
	if l.loops > 0 {
		return innerTurns
	}
	return usualTurns
}

// outerTurn is what a turn of a loop around others must do to be counted, whatever
// its conditions say: that takes four instructions with a place in memory.
const outerTurn = 250

// bearsCount tells whether a loop does not suffer from its turns being counted:
// the compiler works those of an innermost loop out where its head says how many
// they are (it is steady). Any other would pay with an instruction a turn and a
// register.
func (l *loads) bearsCount(s *source.Stmt, steady bool) bool {
	switch {
	case l == nil:
		return true
	case innermost(s, l.file):
		return steady
	case s.Loop.Kind == source.Counted || s.Loop.Kind == source.For || s.Loop.Kind == source.ForEach:
		return l.surely(s.Body) >= outerTurn
	}
	return l.surely(s.Body) >= 1000*outerTurn // searches and lists: their turns are short
}

// light says why a function does too little in a call to be measured, or "".
func (l *loads) light(u *source.Unit) string {
	if lastPart(u.Name) == "main" || u.Kind == source.Program {
		return ""
	}
	return l.tooLittle(l.of(u), u, "a call", "called")
}

// lightLoop says the same of a loop: it is entered as often as its function is
// called.
func (l *loads) lightLoop(u *source.Unit, s *source.Stmt) string {
	return l.tooLittle(l.stmts([]*source.Stmt{s}), u, "each time it is entered", "entered")
}

func (l *loads) tooLittle(work int, u *source.Unit, each, done string) string {
	often := l.often[lastPart(u.Name)]
	switch {
	case work < tinyWork:
		return fmt.Sprintf("about %d operations %s", work, each)
	case work < lightWork && often == 1 || work < heavyWork && often == 2:
		return fmt.Sprintf("about %d operations %s, and likely %s often", work, each, done)
	}
	return ""
}
