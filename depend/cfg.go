package depend

import "auspex/source"

// vertex is a point of a procedure's control flow: a simple statement, or one
// part of a loop or branch.
type vertex struct {
	id    int // within the procedure
	part  part
	stmt  *source.Stmt
	exprs []*source.Expr
	// counts is the variable of a counted DO that its test reads and its step
	// changes, without an expression in the text.
	counts     *source.Expr
	succ, pred []int
}

type part int

const (
	plainPart part = iota
	entryPart
	exitPart
	testPart // of an if, switch or loop
	initPart // of a loop
	stepPart
)

// flow is the control flow graph of a procedure; vertex 0 is its entry, 1 its
// exit.
type flow struct {
	q        *proc
	vertices []*vertex
	labels   map[string]int
	gotos    map[int][]string
	frames   []frame // loops and switches around
}

type frame struct {
	name   string
	loop   bool
	breaks []int // vertices that go behind it
	again  int
}

func (q *proc) flowGraph() *flow {
	if q.flow != nil {
		return q.flow
	}
	f := &flow{q: q, labels: map[string]int{}, gotos: map[int][]string{}}
	q.flow = f
	f.add(entryPart, nil)
	f.add(exitPart, nil)
	f.join(f.block(q.unit.Stmts, []int{0}), 1)
	for v, targets := range f.gotos {
		known := false
		for _, t := range targets {
			if to, ok := f.labels[t]; ok {
				f.edge(v, to)
				known = true
			}
		}
		if !known { // an assigned GOTO, or a label out of sight
			f.edge(v, 1)
			for _, to := range f.labels {
				f.edge(v, to)
			}
		}
	}
	return f
}

func (f *flow) add(p part, s *source.Stmt, exprs ...*source.Expr) *vertex {
	v := &vertex{id: len(f.vertices), part: p, stmt: s, exprs: exprs}
	f.vertices = append(f.vertices, v)
	return v
}

func (f *flow) edge(a, b int) {
	for _, s := range f.vertices[a].succ {
		if s == b {
			return
		}
	}
	f.vertices[a].succ = append(f.vertices[a].succ, b)
	f.vertices[b].pred = append(f.vertices[b].pred, a)
}

func (f *flow) join(from []int, to int) {
	for _, a := range from {
		f.edge(a, to)
	}
}

// block lays out statements behind the vertices in from and gives those that
// control leaves it from.
func (f *flow) block(list []*source.Stmt, from []int) []int {
	for _, s := range list {
		if s.Label != "" {
			at := f.add(plainPart, s)
			f.join(from, at.id)
			from = []int{at.id}
			label := s.Label
			if f.q.fortran() {
				label = trimZeros(label)
			}
			f.labels[label] = at.id
		}
		from = f.stmt(s, from)
	}
	return from
}

func trimZeros(label string) string {
	for len(label) > 1 && label[0] == '0' {
		label = label[1:]
	}
	return label
}

func (f *flow) stmt(s *source.Stmt, from []int) []int {
	switch s.Kind {
	case source.If:
		return f.branch(s, from)
	case source.Loop:
		return f.loop(s, from)
	case source.Switch:
		return f.choice(s, from)
	case source.Directive, source.Format:
		return from
	case source.Block, source.Case, source.Try:
		exprs := f.q.file.Exprs(s)
		if len(exprs) > 0 {
			v := f.add(plainPart, s, exprs...)
			f.join(from, v.id)
			from = []int{v.id}
		}
		out := f.block(s.Body, from)
		if len(s.Else) > 0 { // handlers
			out = append(out, f.block(s.Else, append(append([]int{}, from...), out...))...)
		}
		return out
	}
	v := f.add(plainPart, s, f.q.file.Exprs(s)...)
	f.join(from, v.id)
	switch s.Kind {
	case source.Return, source.Stop, source.Throw:
		f.edge(v.id, 1)
		return nil
	case source.Goto:
		f.gotos[v.id] = s.Targets
		if len(s.Targets) != 1 {
			return []int{v.id}
		}
		return nil
	case source.Break, source.Continue:
		f.jump(v, s)
		return nil
	}
	out := []int{v.id}
	if len(s.Targets) > 0 {
		f.gotos[v.id] = s.Targets
	}
	if len(s.Body) > 0 {
		out = f.block(s.Body, out)
	}
	return out
}

func (f *flow) jump(v *vertex, s *source.Stmt) {
	for i := len(f.frames) - 1; i >= 0; i-- {
		at := &f.frames[i]
		if len(s.Targets) > 0 && at.name != s.Targets[0] || !at.loop && (s.Kind == source.Continue || f.q.fortran()) {
			continue
		}
		if s.Kind == source.Break {
			at.breaks = append(at.breaks, v.id)
		} else {
			f.edge(v.id, at.again)
		}
		return
	}
	f.edge(v.id, 1)
}

func (f *flow) branch(s *source.Stmt, from []int) []int {
	test := f.add(testPart, s, f.q.file.Exprs(s)...)
	f.join(from, test.id)
	out := f.block(s.Body, []int{test.id})
	last := []int{test.id}
	if f.q.fortran() {
		for _, clause := range s.Else {
			if exprs := f.q.file.Exprs(clause); len(exprs) > 0 {
				next := f.add(testPart, clause, exprs...)
				f.join(last, next.id)
				last = []int{next.id}
				out = append(out, f.block(clause.Body, last)...)
				continue
			}
			out = append(out, f.block(clause.Body, last)...)
			last = nil
		}
	} else if len(s.Else) > 0 {
		out = append(out, f.block(s.Else, last)...)
		last = nil
	}
	return append(out, last...)
}

func (f *flow) choice(s *source.Stmt, from []int) []int {
	test := f.add(testPart, s, f.q.file.Exprs(s)...)
	f.join(from, test.id)
	f.frames = append(f.frames, frame{name: s.Name})
	var out, through []int
	for _, k := range s.Body {
		in := []int{test.id}
		if !f.q.fortran() {
			in = append(in, through...)
		}
		through = f.block([]*source.Stmt{k}, in)
		if f.q.fortran() {
			out = append(out, through...)
		}
	}
	out = append(append(out, through...), test.id)
	out = append(out, f.frames[len(f.frames)-1].breaks...)
	f.frames = f.frames[:len(f.frames)-1]
	return out
}

func (f *flow) loop(s *source.Stmt, from []int) []int {
	l := s.Loop
	exprs := f.q.file.Exprs(s)
	var test, step *vertex
	switch l.Kind {
	case source.For, source.Counted:
		first := f.add(initPart, s)
		f.join(from, first.id)
		from = []int{first.id}
		test, step = f.add(testPart, s), f.add(stepPart, s)
		if l.Kind == source.Counted {
			first.exprs = exprs
			if len(exprs) > 0 && exprs[0].Kind == source.Assign {
				test.counts, step.counts = exprs[0].Args[0], exprs[0].Args[0]
			}
			break
		}
		for _, e := range exprs {
			switch {
			case l.To != nil && e.Start == l.To.Start || l.To != nil && l.To.Contains(e.Span):
				test.exprs = append(test.exprs, e)
			case l.Step != nil && l.Step.Contains(e.Span):
				step.exprs = append(step.exprs, e)
			default:
				first.exprs = append(first.exprs, e)
			}
		}
	default:
		test = f.add(testPart, s, exprs...)
		step = test
	}
	f.frames = append(f.frames, frame{name: s.Name, loop: true, again: step.id})
	if l.Kind == source.DoWhile {
		begin := f.add(plainPart, s)
		f.join(from, begin.id)
		f.join(f.block(s.Body, []int{begin.id}), test.id)
		f.edge(test.id, begin.id)
	} else {
		f.join(from, test.id)
		f.join(f.block(s.Body, []int{test.id}), step.id)
		if step != test {
			f.edge(step.id, test.id)
		}
	}
	out := f.frames[len(f.frames)-1].breaks
	f.frames = f.frames[:len(f.frames)-1]
	if l.Kind == source.Forever || l.Kind == source.For && l.To == nil {
		return out
	}
	return append(out, test.id)
}
