package instrument

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"auspex/source"
)

// What is reckoned with where the text does not say: the turns of a loop, the
// work of a function that is defined elsewhere, and of one that waits for a disk
// or for other processes. Work is counted in operations, about a nanosecond each.
const (
	usualTurns  = 64
	foreignWork = 100
	slowWork    = 100_000
	mostWork    = 1_000_000_000
)

// A probe takes about 45 operations. A function below lightWork spends a tenth
// of its time on that, or more; where nothing shows that it is called often, only
// one of tinyWork is left out. What is called in loops, or has no caller in the
// file and may be, is taken for called often.
const (
	lightWork = 500
	tinyWork  = 60
)

// loads are the functions of a file with their work per call, and which of them
// are called often.
type loads struct {
	file  *source.File
	units map[string]*source.Unit // by last name
	work  map[*source.Unit]int
	often map[string]bool // by last name
	kinds map[string]bool // of nodes, that are operations
}

func newLoads(f *source.File) *loads {
	l := &loads{file: f, units: map[string]*source.Unit{}, work: map[*source.Unit]int{}, often: map[string]bool{}, kinds: map[string]bool{}}
	var each func(list []*source.Unit)
	each = func(list []*source.Unit) {
		for _, u := range list {
			l.units[lastPart(u.Name)] = u
			each(u.Units)
		}
	}
	each(f.Units)
	callers := map[string][]string{}
	for name, u := range l.units {
		l.calls(u.Node, false, func(callee string, inLoop bool) {
			if inLoop {
				l.often[callee] = true
			}
			callers[callee] = append(callers[callee], name)
		})
	}
	// What is called by something called often is called often.
	for changed := true; changed; {
		changed = false
		for callee, list := range callers {
			for _, caller := range list {
				if l.often[caller] && !l.often[callee] {
					l.often[callee], changed = true, true
				}
			}
		}
	}
	for name := range l.units {
		if len(callers[name]) == 0 && name != "main" {
			l.often[name] = true
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

// calls visits the calls below a node, with whether a loop is around them.
func (l *loads) calls(n *source.Node, inLoop bool, visit func(callee string, inLoop bool)) {
	if n == nil {
		return
	}
	if name := l.callee(n); name != "" {
		visit(name, inLoop)
	}
	inLoop = inLoop || isLoop(n)
	for k := range n.Children() {
		l.calls(k, inLoop, visit)
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

func isLoop(n *source.Node) bool {
	switch n.Kind {
	case "for_statement", "while_statement", "do_statement", "for_range_loop", "do_loop_statement", "do_loop":
		return true
	}
	return false
}

var slowCall = regexp.MustCompile(`^(p?mpi_|printf$|fprintf$|fopen|fclose|fread|fwrite|fgets|fscanf|scanf|read$|write$|malloc$|calloc$|realloc$|free$|sleep|usleep|exit$|abort$|system$|gomp_)`)

// of is the work of one call of a unit.
func (l *loads) of(u *source.Unit) int {
	if w, ok := l.work[u]; ok {
		return w
	}
	l.work[u] = foreignWork // while it is worked out: recursion
	w := l.below(u.Node)
	l.work[u] = w
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
	case isLoop(n):
		return min(w*l.turns(n), mostWork)
	case strings.HasPrefix(n.Kind, "write_statement") || strings.HasPrefix(n.Kind, "read_statement") || n.Kind == "print_statement" || strings.HasPrefix(n.Kind, "open_statement"):
		return w + slowWork
	}
	if name := l.callee(n); name != "" {
		u := l.units[name]
		switch {
		case slowCall.MatchString(name):
			return w + slowWork
		case u != nil:
			return min(w+l.of(u)+5, mostWork)
		case l.file.Language == source.Fortran && n.Kind == "call_expression":
			return w + 1 // an array's element, as a rule
		case mathCall.MatchString(name):
			return w + 15
		}
		return w + foreignWork
	}
	if n.Named && n.First != nil && l.operates(n.Kind) {
		w++
	}
	return w
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
	smallTurn = regexp.MustCompile(`<=?\s*([0-9]{1,2})\s*;|,\s*([0-9]{1,2})\s*$`)
)

// turns are those of a loop with a small constant bound, or what is usual.
func (l *loads) turns(n *source.Node) int {
	line, _, _ := strings.Cut(n.Text(l.file.Text), "\n")
	if m := smallTurn.FindStringSubmatch(strings.TrimRight(line, " \r{")); m != nil {
		for _, digits := range m[1:] {
			if t, err := strconv.Atoi(digits); err == nil {
				return max(t, 1)
			}
		}
	}
	return usualTurns
}

// light says why a function does too little in a call to be measured, or "".
func (l *loads) light(u *source.Unit) string {
	if lastPart(u.Name) == "main" || u.Kind == source.Program {
		return ""
	}
	w := l.of(u)
	switch {
	case w < tinyWork:
		return fmt.Sprintf("about %d operations a call", w)
	case w < lightWork && l.often[lastPart(u.Name)]:
		return fmt.Sprintf("about %d operations a call, and likely called often", w)
	}
	return ""
}

// lightLoop says the same of a loop: it is entered as often as its function is
// called.
func (l *loads) lightLoop(u *source.Unit, s *source.Stmt) string {
	if s.Node == nil || !l.often[lastPart(u.Name)] {
		return ""
	}
	if w := l.node(s.Node); w < lightWork {
		return fmt.Sprintf("about %d operations each time it is entered, and likely entered often", w)
	}
	return ""
}
