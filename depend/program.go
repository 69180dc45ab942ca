package depend

import (
	"strings"

	"auspex/source"
)

// Program is a set of files analysed together: a call finds its procedure in
// any of them.
type Program struct {
	Files []*source.File
	procs []*proc
	// named finds a procedure by the last part of its name; nil where several
	// share it.
	named  map[string]*proc
	memory *memory
	ranks  stain             // what may differ between ranks
	types  map[string]string // typedefs, and the number each stands for or ""
	fields map[string]bool   // of structures; true where all of the name are numbers
	arrays map[string]bool   // Fortran names assigned as name(...) = somewhere
	unions map[string]bool   // fields that share storage with others
	// references are fields of C++ that are such.
	references map[string]bool
	// growing are fields of C++ that are containers which a subscript may make
	// larger, aliases what names of types stand for.
	growing map[string]bool
	aliases map[string]string
	// operators are classes of C++ with operators of the program; defined is set
	// where a Fortran file defines some.
	operators map[string]bool
	defined   bool
	errno     bool // a file looks at it
}

// proc is a procedure with the names it declares.
type proc struct {
	prog *Program
	file *source.File
	unit *source.Unit
	vars map[string]*variable
	// outer holds names declared around the procedure: in its module, its
	// host, or at the top of the file.
	outer     map[string]*variable
	addressed map[string]bool // roots whose address is taken
	copied    map[string]bool // names whose bare value is assigned to something
	pure      *purity
	declared  map[string][]declaration
	writes    map[string]int
	flow      *flow
	fresh     *bool           // gives back new memory
	sharing   *bool           // sees names of modules, hosts or include files
	changed   map[string]bool // Fortran: names it may write
	clock     *bool           // asks for the time
	// alternates are names that stand for something else: see otherName.
	alternates map[string]bool
}

// variable is what is known of a declared name.
type variable struct {
	source.Variable
	restrict bool
	static   bool // keeps its value: static, SAVE, COMMON
	constant bool // a const outside procedures
	declared *source.Stmt
}

func (v *variable) array() bool { return v != nil && len(v.Dims) > 0 }

// New prepares files for analysis.
func New(files ...*source.File) *Program {
	p := &Program{Files: files, named: map[string]*proc{}, arrays: map[string]bool{}, fields: map[string]bool{}, references: map[string]bool{}, types: map[string]string{},
		unions: map[string]bool{}, growing: map[string]bool{}, aliases: map[string]string{}, operators: map[string]bool{}}
	for _, f := range files {
		p.readTypes(f)
		p.readErrno(f)
		top := outerNames(f)
		for _, v := range top {
			v.Type = p.plainType(v.Type)
		}
		f.All(func(u *source.Unit) {
			q := &proc{prog: p, file: f, unit: u, vars: map[string]*variable{}, outer: map[string]*variable{}}
			for name, v := range top {
				q.outer[name] = v
			}
			key := lastPart(u.Name)
			switch old, taken := p.named[key]; {
			case !taken:
				p.named[key] = q
			case old != nil && f != old.file && old.place() == q.place() && old.unit.Line == u.Line:
				return // of a header that several preprocessed files include
			default:
				p.named[key] = nil
			}
			p.procs = append(p.procs, q)
			q.declare()
		})
	}
	for _, q := range p.procs {
		q.hostNames()
		q.markArrays()
	}
	for _, q := range p.procs {
		q.markAddresses()
	}
	p.readOperators()
	return p
}

func lastPart(name string) string {
	if i := strings.LastIndex(name, "::"); i >= 0 {
		return name[i+2:]
	}
	return name
}

// place is the file the procedure stands in.
func (q *proc) place() string { return q.file.Origin(q.unit.Start) }

func (q *proc) fortran() bool { return q.file.Language == source.Fortran }

func (q *proc) declare() {
	for _, v := range q.file.Variables(q.unit) {
		text := strings.ToLower(string(q.file.Text[v.Start:v.End]))
		own := &variable{Variable: v, restrict: strings.Contains(text, "restrict")}
		own.Type = q.prog.plainType(own.Type)
		if old := q.vars[v.Name]; old != nil && !q.fortran() {
			own.static = own.static || old.static // block scopes share one entry
			own.Pointer = own.Pointer || old.Pointer
		}
		q.vars[v.Name] = own
	}
	q.unit.Walk(func(s *source.Stmt, _ []*source.Stmt) bool {
		if s.Kind != source.Declaration {
			return true
		}
		text := strings.ToLower(string(q.file.Text[s.Start:s.End]))
		static := strings.HasPrefix(text, "static") || strings.HasPrefix(text, "extern") ||
			q.fortran() && (strings.HasPrefix(text, "common") || strings.Contains(text, "save") || strings.HasPrefix(text, "equivalence"))
		for _, v := range q.vars {
			if s.Contains(v.Span) {
				v.declared = s
				// A Fortran procedure keeps a variable that is declared with a value.
				kept := q.fortran() && v.Init != nil && q.unit.Kind != source.Program && !strings.Contains(text, "parameter")
				v.static = v.static || static || kept
			}
		}
		if static && q.fortran() { // COMMON /b/ a, b names what was declared before
			for _, word := range words(text) {
				if v := q.vars[word]; v != nil {
					v.static = true
				}
			}
		}
		return true
	})
}

// declaration is where a variable of C is declared and how far it is seen.
type declaration struct {
	stmt  *source.Stmt
	scope source.Span
	array bool // whose elements live with it
}

// declarations finds all declarations in a procedure by name: one name may be
// declared in several blocks.
func (q *proc) declarations() map[string][]declaration {
	if q.declared != nil {
		return q.declared
	}
	q.declared = map[string][]declaration{}
	list := q.file.Variables(q.unit)
	q.unit.Walk(func(s *source.Stmt, outer []*source.Stmt) bool {
		if s.Kind != source.Declaration {
			return true
		}
		scope := q.unit.Span
		if len(outer) > 0 {
			scope = outer[len(outer)-1].Span
		}
		static := strings.HasPrefix(string(q.file.Text[s.Start:s.End]), "static")
		for _, v := range list {
			if s.Contains(v.Span) {
				d := declaration{stmt: s, scope: scope, array: len(v.Dims) > 0 && !v.Pointer && !static}
				q.declared[v.Name] = append(q.declared[v.Name], d)
			}
		}
		return true
	})
	return q.declared
}

// words splits text into names.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	})
}

// hostNames lets an inner procedure see the names of the one around it.
func (q *proc) hostNames() {
	for _, host := range q.prog.procs {
		if host.file == q.file && host != q && host.unit.Contains(q.unit.Span) {
			for name, v := range host.vars {
				q.outer[name] = v
			}
		}
	}
}

// markArrays notes Fortran names that are assigned with parentheses: they are
// arrays, wherever they may be declared.
func (q *proc) markArrays() {
	if !q.fortran() {
		return
	}
	q.unit.Walk(func(s *source.Stmt, _ []*source.Stmt) bool {
		for _, e := range q.file.Exprs(s) {
			if e != nil && e.Kind == source.Assign && len(e.Args) > 0 && e.Args[0] != nil && e.Args[0].Kind == source.Apply {
				q.prog.arrays[e.Args[0].Name] = true
			}
		}
		return true
	})
}

// lookup finds what a name was declared as, or nil.
func (q *proc) lookup(name string) *variable {
	if v := q.vars[name]; v != nil {
		return v
	}
	return q.outer[name]
}

// local tells whether a name is a variable that dies with the procedure.
func (q *proc) local(name string) bool {
	v := q.vars[name]
	if v == nil || v.static {
		return false
	}
	return !v.Param || !q.fortran()
}

// isArray tells whether name(...) in Fortran is an element and not a call.
func (q *proc) isArray(name string) bool {
	if v := q.lookup(name); v != nil && (v.array() || strings.Contains(v.Type, "character")) {
		return true
	}
	return q.prog.arrays[name] && q.prog.named[name] == nil
}

// markAddresses finds the variables something may point to.
func (q *proc) markAddresses() {
	q.addressed, q.copied = map[string]bool{}, map[string]bool{}
	note := func(e *source.Expr) {
		e.Walk(func(k *source.Expr) {
			if k == nil {
				return
			}
			switch {
			case k.Kind == source.Unary && k.Op == "&":
				if root, ok := rootOf(k.Args[0]); ok && !q.beyondPointer(k.Args[0]) {
					q.addressed[root] = true
				}
			case k.Kind == source.Assign && len(k.Args) == 2:
				pointerNames(k.Args[1], func(name string) { q.copied[name] = true })
			}
		})
	}
	q.unit.Walk(func(s *source.Stmt, _ []*source.Stmt) bool {
		for _, e := range q.file.Exprs(s) {
			note(e)
		}
		if text := strings.ToLower(string(q.file.Text[s.Start:s.End])); q.fortran() && s.Kind == source.Declaration && strings.HasPrefix(text, "equivalence") {
			for _, name := range words(text) { // they share memory, as targets of pointers may
				q.addressed[name] = true
			}
		}
		return true
	})
	for name, v := range q.vars {
		if strings.Contains(string(q.file.Text[v.Start:v.End]), "&") && v.Init != nil {
			pointerNames(v.Init, func(n string) { q.addressed[n] = true }) // a reference to it
		}
		if q.fortran() && v.declared != nil && strings.Contains(strings.ToLower(string(q.file.Text[v.declared.Start:v.declared.End])), "target") {
			q.addressed[name] = true
		}
	}
}

// beyondPointer tells whether a path leads through a pointer, so that it is not
// part of the variable at its bottom.
func (q *proc) beyondPointer(e *source.Expr) bool {
	for e != nil {
		switch e.Kind {
		case source.Member:
			if e.Op == "->" {
				return true
			}
		case source.Index:
			if v := q.lookup(e.Args[0].Name); e.Args[0].Kind == source.Name && v != nil && v.Pointer && !v.array() {
				return true
			}
		case source.Unary:
			return e.Op == "*"
		default:
			return false
		}
		e = e.Args[0]
	}
	return false
}

// pointerNames visits the names whose address value an expression may carry.
func pointerNames(e *source.Expr, visit func(string)) {
	if e == nil {
		return
	}
	switch e.Kind {
	case source.Name:
		visit(e.Name)
	case source.Binary, source.Cond, source.List, source.Assign:
		for _, a := range e.Args {
			pointerNames(a, visit)
		}
	}
}

// rootOf finds the variable at the bottom of a.b[i].c.
func rootOf(e *source.Expr) (string, bool) {
	for e != nil {
		switch e.Kind {
		case source.Name, source.Apply:
			return e.Name, true
		case source.Index, source.Member:
			e = e.Args[0]
		case source.Unary:
			if e.Op != "*" {
				return "", false
			}
			e = e.Args[0]
		default:
			return "", false
		}
	}
	return "", false
}
