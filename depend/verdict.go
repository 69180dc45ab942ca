package depend

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"auspex/source"
)

// Verdict says whether the iterations of a loop may run in any order.
type Verdict int

// The verdicts. Unknown counts as dependent.
const (
	Unknown     Verdict = iota // not understood
	Carried                    // an iteration may need what another one did
	Reduction                  // independent but for sums and the like
	Independent                // no iteration needs another
)

var verdictNames = []string{"unknown", "carried", "reduction", "independent"}

func (v Verdict) String() string { return verdictNames[v] }

// MarshalText writes the name of the verdict, for JSON.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Loop is one loop with what was found out about it.
type Loop struct {
	File          string   `json:"file"`
	Unit          string   `json:"unit"`
	Line          int      `json:"line"`
	EndLine       int      `json:"end_line"`
	Kind          string   `json:"kind"`
	Depth         int      `json:"depth"`
	Variable      string   `json:"variable,omitempty"` // that counts, if one does
	Verdict       Verdict  `json:"verdict"`
	Reason        string   `json:"reason"`
	Private       []string `json:"private,omitempty"`    // written anew by every iteration
	Reductions    []string `json:"reductions,omitempty"` // as "+: sum"
	Inductions    []string `json:"inductions,omitempty"` // change by the same amount in every iteration
	Communication string   `json:"communication,omitempty"`

	Stmt *source.Stmt `json:"-"`
	proc *proc
}

// Loops judges every loop of the program, in the order of the text.
func (p *Program) Loops() []Loop {
	var list []Loop
	for _, q := range p.procs {
		q.unit.Walk(func(s *source.Stmt, _ []*source.Stmt) bool {
			if s.Kind == source.Loop && s.Loop != nil && !s.Loop.Once {
				list = append(list, q.judge(s))
			}
			return true
		})
	}
	slices.SortStableFunc(list, func(a, b Loop) int {
		if a.proc.file != b.proc.file {
			return slices.Index(p.Files, a.proc.file) - slices.Index(p.Files, b.proc.file)
		}
		return a.Stmt.Start - b.Stmt.Start
	})
	return list
}

// judge decides on one loop.
func (q *proc) judge(s *source.Stmt) Loop {
	l := Loop{File: q.place(), Unit: q.unit.Name, Line: s.Line, EndLine: s.EndLine, Kind: s.Loop.Kind.String(), Depth: s.Loop.Depth, Stmt: s, proc: q}
	h := q.headerOf(s)
	if h != nil {
		l.Variable = h.variable
	}
	b := q.bodyOf(s)
	l.Communication = b.communication()
	j := &judgement{Loop: &l, b: b, h: h}
	j.decide()
	return l
}

// communication names an MPI routine the loop calls, itself or further down.
func (b *body) communication() string {
	if b.mpi != nil {
		return b.mpi.Name
	}
	for _, c := range b.calls {
		if callee := b.q.prog.named[c.name]; callee != nil {
			if name := callee.purity().mpi; name != "" {
				return name
			}
		}
	}
	return ""
}

type judgement struct {
	*Loop
	b   *body
	h   *header
	lin *linear
}

func (j *judgement) say(v Verdict, format string, args ...any) {
	j.Verdict, j.Reason = v, fmt.Sprintf(format, args...)
}

// decide asks one question after the other; the first that speaks against the
// loop is the reason.
func (j *judgement) decide() {
	b, q := j.b, j.b.q
	if j.Stmt.Loop.Kind == source.Concurrent {
		j.say(Independent, "DO CONCURRENT promises that iterations are independent.")
		return
	}
	switch {
	case !j.Stmt.Loop.Sound || bad(j.Stmt):
		j.say(Unknown, "Parts of the loop could not be parsed.")
	case j.Communication != "":
		j.say(Carried, "%s communicates: messages keep the order of the iterations.", j.where())
	case j.h == nil:
		j.say(Unknown, "%s", j.uncounted())
	case b.strange != "":
		j.say(Unknown, "%s.", upper(b.strange))
	case len(b.exits) > 0:
		j.say(Carried, "Line %d may leave the loop, so an iteration only runs if those before it did not.", b.exits[0].Line)
	case b.io != nil:
		j.say(Carried, "Line %d does %s: input and output keep the order of the iterations.", b.io.Line, ioStatement(b.io))
	default:
		j.lin = newLinear(b, j.h)
		if !j.header() || !j.callsFine() || !j.scalarsFine() || !j.elementsFine() {
			return
		}
		j.conclude(q)
	}
}

func bad(s *source.Stmt) bool { return s.Node != nil && s.Node.Bad }

func (j *judgement) where() string {
	if j.b.mpi != nil {
		return fmt.Sprintf("Line %d calls %s, which", j.b.mpi.Line, j.b.mpi.Name)
	}
	for _, c := range j.b.calls {
		if callee := j.b.q.prog.named[c.name]; callee != nil && callee.purity().mpi != "" {
			return fmt.Sprintf("Line %d calls %s, which by %s", c.expr.Line, c.name, callee.purity().mpi)
		}
	}
	return "The loop"
}

func (j *judgement) uncounted() string {
	switch j.Stmt.Loop.Kind {
	case source.While, source.DoWhile, source.Forever:
		return "Whether it goes on is decided anew each time, so the number of iterations is not known beforehand."
	case source.ForEach:
		return "What the elements of the range refer to is not known."
	}
	return "The header does not count a variable by a fixed step to a bound."
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// header checks that nothing in the body changes how the loop counts.
func (j *judgement) header() bool {
	b, q := j.b, j.b.q
	for i := range b.sites {
		if s := &b.sites[i]; s.write && s.root == j.h.variable && len(s.steps) == 0 {
			j.say(Carried, "Line %d changes %s, which counts the iterations.", s.stmt.Line, s.root)
			return false
		}
	}
	if q.addressed[j.h.variable] {
		j.say(Unknown, "The address of %s, which counts the iterations, is taken.", j.h.variable)
		return false
	}
	if v := q.lookup(j.h.variable); v != nil && !q.fortran() {
		for _, t := range []string{"float", "double"} {
			if v.Type == t || v.Pointer {
				j.say(Unknown, "%s, which counts the iterations, is not a whole number.", j.h.variable)
				return false
			}
		}
	}
	if q.fortran() {
		return true // bounds are worked out once
	}
	fx := q.effectsOf(q.file.Expr(j.Stmt.Loop.To), q.file.Expr(j.Stmt.Loop.Step))
	for i := range fx.refs {
		r := &fx.refs[i]
		if r.write && r.root == j.h.variable {
			continue
		}
		if r.write || b.touched(r) || b.mayChange(r) {
			j.say(Carried, "The loop's bound reads %s, which the loop may change.", r.shown())
			return false
		}
	}
	for _, c := range fx.calls {
		if callee := q.prog.named[c.name]; callee != nil && callee.purity().pure {
			for _, name := range slices.Sorted(maps.Keys(callee.purity().reads)) {
				if b.writesRoot(name) {
					j.say(Carried, "The loop's bound calls %s, which reads %s, and the loop writes that.", c.name, name)
					return false
				}
			}
			continue
		}
		if !q.pureName(c.name) {
			j.say(Unknown, "The loop's bound calls %s, of which nothing is known.", callName(c))
			return false
		}
	}
	if len(fx.opaque) > 0 {
		j.say(Unknown, "The loop's bound is not understood.")
		return false
	}
	return true
}

func (b *body) writesRoot(name string) bool {
	for key := range b.written {
		if key == name || strings.HasPrefix(key, name+".") {
			return true
		}
	}
	return false
}

// mayChange tells whether the loop writes, under another name, what a bound
// reads. A named field is taken not to be written as an element of an array.
func (b *body) mayChange(r *ref) bool {
	q := b.q
	for i := range b.sites {
		w := &b.sites[i]
		if !w.write || len(w.steps) == 0 {
			continue
		}
		switch q.relate(&w.ref, r) {
		case same:
			if !r.scalar() {
				return true
			}
		case mayAlias:
			variable := len(r.steps) == 0 && (q.local(r.root) && !q.addressed[r.root] || !q.prog.addressedAnywhere(r.root))
			field := len(r.steps) > 0 && !r.steps[len(r.steps)-1].elem && w.steps[len(w.steps)-1].elem
			if !variable && !field {
				return true
			}
		}
	}
	return false
}

// callsFine checks that what is called changes nothing, and notes what it
// reads.
func (j *judgement) callsFine() bool {
	b, q := j.b, j.b.q
	for _, c := range b.calls {
		if q.pureName(c.name) {
			b.argumentsRead(c, readersC[c.name] && !q.fortran())
			continue
		}
		callee := q.prog.named[c.name]
		switch {
		case callee != nil && callee.purity().pure:
			b.argumentsRead(c, true)
			for _, name := range slices.Sorted(maps.Keys(callee.purity().reads)) {
				if !q.local(name) {
					b.readAll(name, c)
				}
			}
		case callee != nil:
			j.say(Carried, "Line %d calls %s, and %s.", c.expr.Line, c.name, callee.purity().why)
			return false
		case outside[c.name] || isMPI(c.name):
			j.say(Carried, "Line %d calls %s, which acts outside the program.", c.expr.Line, c.name)
			return false
		default:
			j.say(Unknown, "Line %d calls %s, of which nothing is known: it may change anything.", c.expr.Line, callName(c.invocation))
			return false
		}
	}
	return true
}

// argumentsRead notes that a call may read all of what its arguments lead to.
func (b *body) argumentsRead(c callSite, memory bool) {
	if !memory {
		return
	}
	for _, a := range c.args {
		if root, ok := rootOf(a); ok {
			v := b.q.lookup(root)
			if b.q.isValue(a, root) || a.Kind == source.Name && (v == nil && !b.q.prog.arrays[root] || v != nil && !v.array() && !v.Pointer) {
				continue // a value, noted where it was read
			}
			b.readAll(root, c)
		} else if a != nil && a.Kind == source.Unary && a.Op == "&" {
			if root, ok := rootOf(a.Args[0]); ok {
				b.readAll(root, c)
			}
		}
	}
}

// isValue tells whether a[i][j] is a number and not a pointer to more.
func (q *proc) isValue(e *source.Expr, root string) bool {
	v := q.lookup(root)
	if v == nil || q.fortran() || e.Kind != source.Index || e.Args[0].Kind != source.Name || !arithmetic[v.Type] {
		return false
	}
	levels := len(v.Dims)
	if v.Pointer {
		levels += strings.Count(string(q.file.Text[v.Start:v.End]), "*")
	}
	return len(e.Args)-1 == levels
}

// readAll notes a read of any element a name leads to, before or after the
// iteration wrote it.
func (b *body) readAll(name string, c callSite) {
	v := b.q.lookup(name)
	if v == nil && !b.q.prog.arrays[name] || v != nil && !v.array() && !v.Pointer {
		b.sites = append(b.sites, site{ref: ref{root: name, read: true, expr: c.expr}, stmt: c.stmt, loops: c.loops, assign: c.expr, exposed: true})
		return
	}
	b.sites = append(b.sites, site{ref: ref{root: name, steps: []step{{elem: true}}, read: true, expr: c.expr}, stmt: c.stmt, loops: c.loops, assign: c.expr})
}

func (j *judgement) conclude(q *proc) {
	private := ""
	if len(j.Private) > 0 {
		private = "; " + list(j.Private) + " " + be(len(j.Private)) + " written anew by every iteration"
	}
	if len(j.Inductions) > 0 {
		private += "; " + list(j.Inductions) + " can be told from " + j.Variable
	}
	if len(j.Reductions) > 0 {
		j.say(Reduction, "Iterations meet only in %s%s.", list(j.Reductions), private)
		return
	}
	j.say(Independent, "No iteration reads or writes what another one writes%s.", private)
}

func be(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// list writes names as people do.
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
