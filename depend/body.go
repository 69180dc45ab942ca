package depend

import (
	"maps"

	"auspex/source"
)

// site is one access within a loop's body.
type site struct {
	ref
	stmt        *source.Stmt
	loops       []*source.Stmt // the loops around it within the analysed one, outermost first
	conditional bool           // under an if or switch
	exposed     bool           // a read that the iteration has not surely written before
	wild        bool           // through a pointer that the loop changes
	assign      *source.Expr   // the whole expression it stands in
}

// plain tells whether an access is of one variable or field at a fixed place.
func (s *site) plain() bool { return s.scalar() && !s.wild }

// callSite is one call within a loop's body.
type callSite struct {
	invocation
	stmt  *source.Stmt
	loops []*source.Stmt
}

// body is all that one iteration of a loop does, in order.
type body struct {
	q     *proc
	loop  *source.Stmt
	sites []site
	calls []callSite
	// written holds the keys written, written roots included.
	written map[string]bool
	exits   []*source.Stmt // statements that may leave the loop
	jumps   bool           // goto within the body: the order is not known
	skips   bool           // a continue may skip the rest of an iteration
	strange string         // what was not understood, in words
	io      *source.Stmt
	mpi     *source.Call
}

type defined map[string]bool // keys surely written so far in the iteration

// situation is where in the body a statement stands.
type situation struct {
	loops       []*source.Stmt
	conditional bool
	inSwitch    bool // a break leaves the switch
}

func (q *proc) bodyOf(loop *source.Stmt) *body {
	b := &body{q: q, loop: loop, written: map[string]bool{}}
	def := defined{}
	if h := q.headerOf(loop); h != nil {
		def[h.variable] = true
	}
	b.block(loop.Body, def, situation{})
	for i := range b.sites {
		if s := &b.sites[i]; s.write {
			b.written[s.key()] = true
		}
	}
	for i := range b.sites {
		b.sites[i].wild = b.changing(&b.sites[i].ref)
	}
	b.otherNames()
	return b
}

func (b *body) odd(words string) {
	if b.strange == "" {
		b.strange = words
	}
}

// block follows a list of statements. It returns what is surely written at its
// end and whether control gets there.
func (b *body) block(list []*source.Stmt, def defined, at situation) (defined, bool) {
	falls := true
	for _, s := range list {
		if !falls { // reached by a jump, if at all
			def = defined{}
		}
		def, falls = b.stmt(s, def, at)
	}
	return def, falls
}

func (b *body) stmt(s *source.Stmt, def defined, at situation) (defined, bool) {
	if len(s.MPI) > 0 && b.mpi == nil && !localMPI(s.MPI[0].Name) {
		b.mpi = &s.MPI[0]
	}
	if ioStatement(s) != "" {
		if b.io == nil {
			b.io = s
		}
		return def, true
	}
	switch s.Kind {
	case source.If:
		return b.branch(s, def, at)
	case source.Loop:
		return b.inner(s, def, at), true
	case source.Switch, source.Try:
		b.exprs(s, def, at)
		at.conditional = true
		at.inSwitch = at.inSwitch || s.Kind == source.Switch
		b.block(s.Body, maps.Clone(def), at)
		b.block(s.Else, maps.Clone(def), at)
		return def, true
	case source.Case:
		b.exprs(s, def, at)
		b.block(s.Body, maps.Clone(def), at)
		return def, true
	case source.Block:
		b.exprs(s, def, at)
		return b.block(s.Body, def, at)
	case source.Return, source.Stop, source.Throw, source.Goto, source.Break, source.Continue:
		b.exprs(s, def, at)
		b.leave(s, at)
		return def, false
	case source.Directive, source.Format:
		return def, true
	}
	b.exprs(s, def, at)
	for _, v := range b.q.vars {
		if s.Kind == source.Declaration && s.Contains(v.Span) {
			def[v.Name] = true
		}
	}
	if len(s.Body) > 0 { // statements within an expression
		b.odd("line " + itoa(s.Line) + " holds statements within an expression")
		b.block(s.Body, maps.Clone(def), at)
	}
	if len(s.Targets) > 0 { // END=, ERR=, alternate returns
		b.exits = append(b.exits, s)
	}
	return def, true
}

func (b *body) branch(s *source.Stmt, def defined, at situation) (defined, bool) {
	b.exprs(s, def, at)
	at.conditional = true
	var ends []defined
	end := func(d defined, falls bool) {
		if falls {
			ends = append(ends, d)
		}
	}
	end(b.block(s.Body, maps.Clone(def), at))
	complete := false
	if b.q.fortran() {
		for _, clause := range s.Else {
			b.exprs(clause, def, at)
			end(b.block(clause.Body, maps.Clone(def), at))
			complete = complete || clause.Node != nil && clause.Node.Kind == "else_clause"
		}
	} else if len(s.Else) > 0 {
		complete = true
		end(b.block(s.Else, maps.Clone(def), at))
	}
	if !complete {
		ends = append(ends, def)
	}
	if len(ends) == 0 {
		return def, false
	}
	both := ends[0]
	for _, other := range ends[1:] {
		for k := range both {
			if !other[k] {
				delete(both, k)
			}
		}
	}
	return both, true
}

func (b *body) inner(s *source.Stmt, def defined, at situation) defined {
	h := b.q.headerOf(s)
	in := at
	in.inSwitch = false
	in.loops = append(append([]*source.Stmt{}, at.loops...), s)
	exprs := b.q.file.Exprs(s)
	if h != nil && s.Loop.Kind == source.For {
		for _, e := range exprs {
			if s.Loop.To != nil && e.Start >= s.Loop.To.Start {
				break
			}
			b.add(s, e, def, at)
		}
		b.add(s, b.q.file.Expr(s.Loop.To), def, in)
		b.block(s.Body, maps.Clone(def), in)
		b.add(s, b.q.file.Expr(s.Loop.Step), maps.Clone(def), in)
		return def
	}
	for _, e := range exprs {
		b.add(s, e, def, at)
	}
	if s.Loop.Kind == source.Concurrent || s.Loop.Kind == source.ForEach {
		b.odd("the " + s.Loop.Kind.String() + " loop on line " + itoa(s.Line) + " is not understood")
	}
	out, _ := b.block(s.Body, maps.Clone(def), in)
	if s.Loop.Kind == source.DoWhile && s.Loop.Once {
		return out
	}
	return def
}

// leave notes what a jump does to the loop.
func (b *body) leave(s *source.Stmt, at situation) {
	switch s.Kind {
	case source.Goto:
		if at, ok := b.goesOn(s, at.loops); ok {
			b.skips = b.skips || at == b.loop
			return
		}
		b.jumps = true
		b.exits = append(b.exits, s)
		return
	case source.Return, source.Stop, source.Throw:
		b.exits = append(b.exits, s)
		return
	}
	if len(s.Targets) > 0 {
		for _, l := range at.loops {
			if l.Name != "" && l.Name == s.Targets[0] {
				return
			}
		}
		if s.Kind == source.Continue && s.Targets[0] == b.loop.Name {
			b.skips = true
			return
		}
		b.exits = append(b.exits, s)
		return
	}
	b.skips = b.skips || s.Kind == source.Continue && len(at.loops) == 0
	if s.Kind == source.Break && len(at.loops) == 0 && (!at.inSwitch || b.q.fortran()) {
		b.exits = append(b.exits, s)
	}
}

// goesOn tells whether a goto leads to the last statement of a loop around it,
// which does nothing: the old way to write CYCLE.
func (b *body) goesOn(s *source.Stmt, loops []*source.Stmt) (*source.Stmt, bool) {
	if len(s.Targets) != 1 {
		return nil, false
	}
	for _, l := range append([]*source.Stmt{b.loop}, loops...) {
		if len(l.Body) == 0 {
			continue
		}
		last := l.Body[len(l.Body)-1]
		if last.Label == "" || last.Kind != source.Simple || trimZeros(last.Label) != trimZeros(s.Targets[0]) {
			continue
		}
		fx := b.q.effectsOf(b.q.file.Exprs(last)...)
		return l, len(fx.refs)+len(fx.calls)+len(fx.opaque) == 0 && ioStatement(last) == ""
	}
	return nil, false
}

func (b *body) exprs(s *source.Stmt, def defined, at situation) {
	for _, e := range b.q.file.Exprs(s) {
		b.add(s, e, def, at)
	}
}

// add notes what one expression does.
func (b *body) add(s *source.Stmt, e *source.Expr, def defined, at situation) {
	if e == nil {
		return
	}
	fx := b.q.effectsOf(e)
	for _, o := range fx.opaque {
		b.odd("line " + itoa(o.Line) + " is not understood: " + clip(string(b.q.file.Text[o.Start:o.End])))
	}
	for _, r := range fx.refs {
		one := site{ref: r, stmt: s, loops: at.loops, conditional: at.conditional || r.maybe, assign: e}
		one.exposed = r.read && !covered(def, &r)
		b.sites = append(b.sites, one)
		if r.write && !r.maybe && r.scalar() {
			def[r.key()] = true
		}
	}
	for _, c := range fx.calls {
		b.calls = append(b.calls, callSite{invocation: c, stmt: s, loops: at.loops})
		if isMPI(c.name) && !localMPI(c.name) && b.mpi == nil {
			b.mpi = &source.Call{Name: c.name, Place: c.expr.Place}
		}
	}
}

// covered tells whether an object, or one it is part of, was written before.
func covered(def defined, r *ref) bool {
	key := r.root
	if def[key] && (len(r.steps) == 0 || !r.steps[0].elem) {
		return true
	}
	for i, s := range r.steps {
		if s.elem {
			key += ".*"
		} else {
			key += "." + s.field
		}
		if def[key] && r.scalar() && (i+1 == len(r.steps) || !r.steps[i+1].elem) {
			return true
		}
	}
	return false
}

// changing tells whether an access goes through a pointer the loop writes.
func (b *body) changing(r *ref) bool {
	if b.q.fortran() {
		return false
	}
	return b.changesAlong(r.root, r.steps)
}

// changesBelow is changing, but for the pointer at the root itself.
func (b *body) changesBelow(r ref) bool {
	return len(r.steps) > 0 && b.changesAlong(r.root+".*", r.steps[1:])
}

func (b *body) changesAlong(key string, steps []step) bool {
	for _, s := range steps {
		if s.elem && b.written[key] {
			return true
		}
		if s.elem {
			key += ".*"
		} else {
			key += "." + s.field
		}
	}
	return false
}

func clip(s string) string {
	for i, r := range s {
		if r == '\n' || i > 50 {
			return s[:i] + "…"
		}
	}
	return s
}
