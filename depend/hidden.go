package depend

import (
	"bytes"
	"strings"

	"auspex/source"
)

// What library functions keep between calls, as objects: the state of random
// numbers, and the contents of files and where they are read.
const (
	chanceState = "random numbers"
	fileState   = "files"
	errnoState  = "errno"
)

// readErrno notes whether a file looks at errno, which most functions may set.
func (p *Program) readErrno(f *source.File) {
	p.errno = p.errno || bytes.Contains(f.Text, []byte("errno"))
}

func (m *memory) hidden(name string) *object {
	o := m.named[name]
	if o == nil {
		o = &object{name: name, shared: true}
		m.named[name] = o
	}
	return o.find()
}

// Functions of C that do more than print, and what they do it to.
var (
	chances = set(`rand srand random srandom drand48 srand48 lrand48 random_number random_seed`)
	seeds   = set(`srand srandom srand48`)
	prints  = set(`printf puts putchar perror fflush fprintf fputs fputc putc fwrite`)
	// toFiles write to the stream at this position of their arguments, -1 for the
	// last.
	toFiles   = map[string]int{"fprintf": 0, "fputs": -1, "fputc": -1, "putc": -1, "fwrite": -1}
	fromFiles = set(`fread fgets fscanf scanf getchar fgetc getc feof ferror ftell`)
	clocks    = set(`time gettimeofday clock_gettime system_clock cpu_time date_and_time`)
	// makeText write their first argument, from those behind it.
	makeText = set(`sprintf snprintf`)
)

// toFile tells whether a call writes to something else than the standard streams.
func toFile(c invocation) bool {
	at, known := toFiles[c.name]
	if !known || len(c.args) == 0 {
		return false
	}
	if at < 0 {
		at = len(c.args) - 1
	}
	a := c.args[at]
	return a == nil || a.Kind != source.Name || a.Name != "stdout" && a.Name != "stderr"
}

// filled gives the memory that a function of the library writes through its
// arguments.
func (m *memory) filled(q *proc, c invocation) []*object {
	var at []int
	switch {
	case makeText[c.name] || c.name == "fgets" || c.name == "fread":
		at = []int{0}
	case c.name == "sscanf" || c.name == "fscanf" || c.name == "scanf" || clocks[c.name] || q.fortran() && chances[c.name]:
		for i := range c.args {
			at = append(at, i)
		}
	}
	var list []*object
	for _, e := range q.memoryArgs(c, at) {
		if e.Kind == source.Literal {
			continue
		}
		if o := m.place(q, e); o != nil {
			list = append(list, o)
		}
	}
	return list
}

// library applies what a call of the library in the loop leaves behind. It tells
// whether the call is one it knows.
func (t *tracker) library(q *proc, c invocation, wrong stain) bool {
	if t.prog.errno {
		wrong[t.m.hidden(errnoState)] = true
	}
	switch {
	case chances[c.name]:
		wrong[t.m.hidden(chanceState)] = true
	case fromFiles[c.name] || toFile(c):
		wrong[t.m.hidden(fileState)] = true
	case makeText[c.name] || c.name == "sscanf" || clocks[c.name] || prints[c.name]:
	default:
		return false
	}
	for _, o := range t.m.filled(q, c) {
		wrong[o] = true
	}
	return true
}

// library follows a call of the library behind the loop. It tells whether the call
// is one it knows.
func (s *state) library(c invocation) bool {
	m, bad := s.t.m, false
	switch {
	case chances[c.name]:
		o := m.hidden(chanceState)
		if seeds[c.name] && !c.maybe {
			if name, given := s.values(c.args); given {
				s.wrong[o], bad = true, name != ""
			} else {
				delete(s.wrong, o)
			}
		}
		bad = bad || s.wrong[o]
	case fromFiles[c.name]:
		bad = s.wrong[m.hidden(fileState)]
	case toFile(c):
		if _, given := s.values(c.args); given {
			s.wrong[m.hidden(fileState)] = true
		}
		return true
	case makeText[c.name]:
		_, bad = s.values(c.args[min(1, len(c.args)):])
	case c.name == "sscanf" && len(c.args) > 0:
		_, bad = s.contents(c.args[0])
	case c.name == "__errno_location":
		bad = s.wrong[m.hidden(errnoState)]
	case prints[c.name] || clocks[c.name]:
		return true
	case readersC[c.name] && s.t.prog.named[c.name] == nil:
		_, bad = s.values(c.args)
	default:
		return false
	}
	if bad {
		s.results[c.expr] = true
		for _, o := range m.filled(s.q, c) {
			s.wrong[o] = true
		}
	}
	return true
}

// values tells whether what some arguments are or lead to would be wrong.
func (s *state) values(args []*source.Expr) (string, bool) {
	for _, a := range args {
		if a == nil {
			continue
		}
		if name, bad := s.contents(a); bad {
			return name, true
		}
	}
	return "", false
}

// unit tells what a Fortran WRITE or READ goes to: "" for standard input and
// output, the name of a variable for an internal file, "*" for a file.
func (q *proc) unitOf(s *source.Stmt) string {
	text := strings.ToLower(string(q.file.Text[s.Start:s.End]))
	_, rest, found := strings.Cut(text, "(")
	if s.Node.Kind == "print_statement" || !found || strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(text, "read")), "*") {
		return ""
	}
	if end := strings.IndexAny(rest, ",()"); end >= 0 {
		rest = rest[:end]
	}
	rest = strings.TrimSpace(strings.TrimPrefix(strings.ReplaceAll(rest, " ", ""), "unit="))
	switch rest {
	case "*", "5", "6", "0", "output_unit", "error_unit", "input_unit":
		return ""
	}
	if v := q.lookup(rest); v != nil && strings.Contains(v.Type, "character") {
		return rest
	}
	return "*"
}

// written is what a Fortran statement of input or output in the loop leaves behind.
func (t *tracker) written(q *proc, v *vertex, wrong stain) {
	unit := q.unitOf(v.stmt)
	switch ioStatement(v.stmt) {
	case "READ":
		wrong[t.m.hidden(fileState)] = true
		t.readItems(q, v, func(o *object) { wrong[o] = true })
	case "WRITE":
		if unit == "*" {
			wrong[t.m.hidden(fileState)] = true
		} else if unit != "" {
			wrong[t.m.variable(q, unit)] = true
		}
	case "INQUIRE":
		t.readItems(q, v, func(o *object) { wrong[o] = true })
	}
}

// transfer follows a Fortran statement of input or output behind the loop.
func (s *state) transfer() {
	for _, c := range s.q.effectsOf(s.v.exprs...).calls {
		if c.expr != s.returned {
			s.call(c)
		}
	}
	m, unit, files := s.t.m, s.q.unitOf(s.v.stmt), s.t.m.hidden(fileState)
	switch ioStatement(s.v.stmt) {
	case "WRITE":
		if _, bad := s.values(s.v.exprs); !bad {
			return
		}
		if unit == "*" {
			s.wrong[files] = true
		} else if unit != "" {
			s.wrong[m.variable(s.q, unit)] = true
		}
	case "READ", "INQUIRE":
		if unit != "" && unit != "*" && !s.wrong[m.variable(s.q, unit)] || (unit == "" || unit == "*") && !s.wrong[files] {
			return
		}
		text := strings.ReplaceAll(strings.ToLower(string(s.q.file.Text[s.v.stmt.Start:s.v.stmt.End])), " ", "")
		if !s.t.inside && (strings.Contains(text, "end=") || strings.Contains(text, "err=") || strings.Contains(text, "eor=")) {
			s.refuse("branch", "", s.v.stmt.Line, "what the loop wrote decides whether the end of it is found there")
		}
		s.t.readItems(s.q, s.v, func(o *object) { s.wrong[o] = true })
	}
}

// streams visits the << and >> of C++ streams in expressions: the stream's object,
// whether it is a file, and what is put in or taken out.
func (m *memory) streams(q *proc, exprs []*source.Expr, visit func(stream *object, file, out bool, what *source.Expr)) {
	if q.file.Language != source.CXX {
		return
	}
	for _, e := range exprs {
		e.Walk(func(k *source.Expr) {
			if k == nil || k.Kind != source.Binary || k.Op != "<<" && k.Op != ">>" {
				return
			}
			left := k.Args[0]
			for left.Kind == source.Binary && (left.Op == "<<" || left.Op == ">>") {
				left = left.Args[0]
			}
			root, ok := rootOf(left)
			if !ok {
				return
			}
			name := lastPart(root)
			if name == "cout" || name == "cerr" || name == "clog" {
				return
			}
			if v := q.lookup(root); name == "cin" || v != nil && strings.Contains(v.Type, "stream") {
				file := name == "cin" || !strings.Contains(v.Type, "stringstream")
				visit(m.variable(q, root), file, k.Op == "<<", k.Args[1])
			}
		})
	}
}
