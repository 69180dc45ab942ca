package instrument

import (
	"strconv"
	"strings"

	"auspex/internal/lazyregexp"
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

// loads are the functions of a file with their work per call, and what is known
// of how often they are called.
type loads struct {
	*callers
	work  map[*source.Unit]int
	least map[*source.Unit]int // at the least: see least.go
	kinds map[string]bool      // of nodes, that are operations
	// branches is how many conditions the statement being looked at stands under:
	// a message that is printed there is as a rule not printed.
	branches int
	loops    int  // around it
	calls    int  // how deep in calls of calls
	careful  bool // what is worked out is the least
}

// deepestCall is how far calls of calls are followed: generated sources have chains of
// a hundred thousand.
const deepestCall = 1000

func newLoads(f *source.File) *loads {
	return &loads{callers: newCallers(f), work: map[*source.Unit]int{}, least: map[*source.Unit]int{}, kinds: map[string]bool{}}
}

var (
	slowCall = lazyregexp.New(`^(p?mpi_|gomp_|sleep|usleep|system$)`)
	diskCall = lazyregexp.New(`^(printf$|fprintf$|fopen|fclose|fread|fwrite|fgets|fscanf|scanf|read$|write$)`)
)

// of is the work of one call of a unit.
func (l *loads) of(u *source.Unit) int {
	known := l.work
	if l.careful {
		known = l.least
	}
	if w, ok := known[u]; ok {
		return w
	}
	if l.calls >= deepestCall {
		return foreignWork
	}
	known[u] = foreignWork // while it is worked out: recursion
	branches, loops := l.branches, l.loops
	l.branches, l.loops = 0, 0
	l.calls++
	if l.careful {
		known[u] = l.atLeast(u.Stmts)
	} else {
		known[u] = l.stmts(u.Stmts)
	}
	l.calls--
	l.branches, l.loops = branches, loops
	return known[u]
}

// called is the work of a call by name: of several functions of that name, the
// one that does the least.
func (l *loads) called(list []*source.Unit) int {
	w := mostWork
	for _, u := range list {
		w = min(w, l.of(u))
	}
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
		list := l.units[name]
		switch {
		case l.careful && slowCall.MatchString(name) && !talks.MatchString(name):
			return w + foreignTurn
		case slowCall.MatchString(name):
			return w + slowWork
		case diskCall.MatchString(name):
			return w + l.disk()
		case list != nil:
			return min(w+l.called(list)+5, mostWork)
		case l.file.Language == source.Fortran && n.Kind == "call_expression":
			return w + 1 // an array's element, as a rule
		case mathCall.MatchString(name):
			return w + 15
		case strings.HasPrefix(name, "_mm") || strings.HasPrefix(name, "__builtin"):
			return w + 1 // an instruction
		}
		if l.careful {
			return w + foreignLeast
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
	if l.branches > 0 || l.careful {
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
	mathCall  = lazyregexp.New(`^(f?abs|sqrt|exp|log|log10|log2|pow|sin|cos|tan|atan2?|floor|ceil|fmin|fmax|min|max|fma|hypot|cbrt|round|swap|move|size|begin|end|at|push_back|data|back|front|empty)f?$`)
	operation = lazyregexp.New(`(binary|unary|update|assignment|subscript|field|pointer|cast|conditional|math|relational|logical)_?(expression)?|assignment_statement|return_statement|if_statement`)
	// counts is a loop with a counter that is held against a bound.
	counts    = lazyregexp.New(`(?i)^\s*(?:for\s*\(.*(?:<|>|!=).*(?:\+\+|--|\+=|-=)|for\s*\([^;]*:|(?:[a-z0-9_]+\s*:\s*)?do\b.*=|do\s+concurrent)`)
	smallTurn = lazyregexp.New(`<=?\s*([0-9]{1,2})\s*;|,\s*([0-9]{1,2})\s*$`)
)

// turns are those that a loop's head gives in numbers, or a small bound, or what is
// usual.
func (l *loads) turns(s *source.Stmt) int {
	if s.Loop.Once {
		return 1
	}
	if t := literalTurns(l.file, s.Loop); t > 0 {
		return t
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
// they are (it is steady). Any other pays with an instruction a turn and a register.
func (l *loads) bearsCount(s *source.Stmt, steady bool) bool {
	switch {
	case l == nil:
		return true
	case innermost(s, l.file):
		return steady || l.surely(s.Body) >= outerTurn
	case s.Loop.Kind == source.Counted || s.Loop.Kind == source.For || s.Loop.Kind == source.ForEach:
		return l.surely(s.Body) >= outerTurn
	}
	return l.surely(s.Body) >= 1000*outerTurn // searches and lists: their turns are short
}
