package depend

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"auspex/source"
)

// Reach is one place where what a loop computes would decide what happens.
type Reach struct {
	File string `json:"file"`
	Line int    `json:"line"`
	// Kind is branch, subscript, bound, communication, call, escape or carried.
	Kind     string `json:"kind"`
	Variable string `json:"variable,omitempty"`
	// Inside is set for a communication within the loop itself whose
	// parameters its iterations compute.
	Inside bool   `json:"inside,omitempty"`
	Words  string `json:"words"`
}

// Safety is the answer whether a loop may be cut short (dPerf's threshold
// iteration rule): the rest of the program must not notice.
type Safety struct {
	Safe   bool    `json:"safe"`
	Reason string  `json:"reason"`
	Reach  []Reach `json:"reach,omitempty"`
	// Notes tell of branches on computed values that decide nothing but a
	// message or the exit status.
	Notes []string `json:"notes,omitempty"`
	// Assumed is what only a person's word stands for, under
	// Rules.FixedCommunication; a run must check it over the iterations it does.
	Assumed []string `json:"assumed,omitempty"`
	// Bound is constant, same (on every rank), entry (known when the loop is
	// entered, but perhaps different on other ranks) or unknown.
	Bound string `json:"bound"`
}

// Rules say how much is asked of a loop that is to be cut short.
type Rules struct {
	// Strict adds the condition of dPerf's paper (section 4.2): independent
	// iterations, which may meet in reductions.
	Strict bool
	// FixedCommunication is a person's promise that the communication in the
	// loop is the same in every iteration although its counts come from data,
	// and that the program would be right with fewer iterations. The parameters
	// of that communication and what is computed from them alone then are
	// right, and subscripts made from the loop's results lead to valid memory.
	// The last iteration of a loop that counts is run, too, so that what is set
	// in that one alone is as it would be.
	FixedCommunication bool
}

// Safe asks what would happen if only the first iterations of a loop ran. It
// takes everything the loop writes as wrong at its end and follows it through
// the program: where it reaches a branch, a subscript, a loop bound, a
// parameter of communication or a call of which nothing is known, the loop is
// not safe. Values that are only computed with, sent, or printed do no harm.
func (p *Program) Safe(l Loop, rules Rules) Safety {
	rules.FixedCommunication = rules.FixedCommunication && l.Communication != ""
	q := l.proc
	if q == nil {
		return Safety{Reason: "The loop is not one of this program.", Bound: "unknown"}
	}
	t := p.tracker(l, rules)
	answer := &t.answer
	answer.Bound = t.bound(l)
	if !l.Stmt.Loop.Sound || len(q.unit.Problems) > 0 {
		t.refuse(Reach{File: l.File, Line: l.Line, Kind: "call", Words: "parts of the procedure could not be parsed"})
	} else if l.Stmt.Loop.Kind == source.Concurrent {
		t.refuse(Reach{File: l.File, Line: l.Line, Kind: "bound", Words: "DO CONCURRENT runs its iterations in any order, so none are the first"})
	} else if answer.Bound == "unknown" {
		t.refuse(Reach{File: l.File, Line: l.Line, Kind: "bound", Words: "the number of iterations is not known when the loop is entered"})
	} else {
		t.run()
	}
	if answer.Bound == "entry" && l.Communication != "" {
		t.refuse(Reach{File: l.File, Line: l.Line, Kind: "bound", Words: "the loop communicates, and its number of iterations may differ between ranks"})
	}
	if rules.Strict && l.Verdict != Independent && l.Verdict != Reduction {
		t.refuse(Reach{File: l.File, Line: l.Line, Kind: "carried", Words: "the iterations are not independent: " + lowerFirst(strings.TrimSuffix(l.Reason, "."))})
	}
	if answer.Safe = len(answer.Reach) == 0; answer.Safe {
		answer.Reason = "Nothing the loop computes decides what the program does afterwards."
		if len(answer.Assumed) > 0 {
			answer.Reason = "If what is assumed holds, nothing the loop computes decides what the program does afterwards."
		}
		return *answer
	}
	first := answer.Reach[0]
	answer.Reason = fmt.Sprintf("Line %d: %s.", first.Line, first.Words)
	return *answer
}

// stain is the set of objects whose contents would be wrong.
type stain map[*object]bool

// tracker follows what would be wrong.
type tracker struct {
	prog   *Program
	m      *memory
	loop   Loop
	rules  Rules
	answer Safety
	found  map[string]bool
	stack  []*proc
	memo   map[string]outcome
	swaps  stain // pointers the loop only exchanges
	// vouched is what a person promised to be the same in every iteration.
	vouched stain
	// inside is set while the loop's own body is looked at: then only
	// communication matters, or with work how much is done.
	inside, work bool
	// ends is what is found where it is asked whether the clock ends the loop,
	// endsByTest whether its own test does that.
	ends       *Clock
	endsByTest bool
	steps      int
}

const (
	maxSteps = 200_000 // statements looked at before giving up
	maxReach = 24      // places named in an answer
)

func (p *Program) tracker(l Loop, rules Rules) *tracker {
	return &tracker{prog: p, m: p.memoryOf(), loop: l, rules: rules, found: map[string]bool{}, memo: map[string]outcome{}, vouched: stain{}, swaps: stain{}}
}

func (t *tracker) refuse(r Reach) {
	if t.work && r.Kind != "work" && r.Kind != "call" {
		return
	}
	r.Inside = t.inside
	key := fmt.Sprint(r.File, r.Line, r.Kind, r.Variable)
	if t.found[key] || t.enough() {
		return
	}
	t.found[key] = true
	t.answer.Reach = append(t.answer.Reach, r)
	if len(t.answer.Reach) == maxReach {
		t.answer.Reach = append(t.answer.Reach, Reach{File: r.File, Line: r.Line, Kind: "call", Words: "there may be more places; they were not looked for"})
	}
}

// enough tells whether so many places were found that more would not help.
func (t *tracker) enough() bool { return len(t.answer.Reach) > maxReach }

// body collects what the loop writes, and gives the vertices in it.
func (t *tracker) body(wrong stain) map[int]bool {
	q := t.loop.proc
	inLoop := map[int]bool{}
	for _, v := range q.flowGraph().vertices {
		if v.stmt != nil && t.loop.Stmt.Contains(v.stmt.Span) {
			inLoop[v.id] = true
			t.writes(q, v, wrong, map[*proc]bool{})
		}
	}
	if h := q.headerOf(t.loop.Stmt); h != nil {
		if v := q.vars[h.variable]; v != nil && t.loop.Stmt.Loop.From != nil && t.loop.Stmt.Loop.From.Contains(v.Span) {
			delete(wrong, t.m.variable(q, h.variable)) // dies with the loop
		}
	}
	return inLoop
}

func (t *tracker) run() {
	q := t.loop.proc
	f := q.flowGraph()
	wrong := stain{}
	inLoop := t.body(wrong)
	if t.loop.Communication != "" {
		t.iterate(wrong, inLoop)
		t.settle(wrong)
		if t.rules.FixedCommunication {
			t.spareLast(wrong)
		}
	}
	begin := map[int]stain{}
	for id := range inLoop {
		for _, s := range f.vertices[id].succ {
			if !inLoop[s] {
				begin[s] = maps.Clone(wrong)
			}
		}
	}
	t.stack = []*proc{q}
	end, result := t.follow(q, begin, nil)
	t.leave(q, outcome{end, result}, map[*proc]bool{q: true})
}

// leave goes on in the callers of a procedure with what is wrong at its end.
// path holds the procedures left so far.
func (t *tracker) leave(q *proc, left outcome, path map[*proc]bool) {
	wrong := t.withoutLocals(q, left.wrong)
	if len(wrong) == 0 && !left.result || isMain(q) {
		return
	}
	called := false
	for _, caller := range t.prog.procs {
		begin := map[int]stain{}
		result := false
		t.stack = []*proc{caller}
		for _, v := range caller.flowGraph().vertices {
			for _, c := range caller.effectsOf(v.exprs...).calls {
				if t.prog.named[lastPart(c.name)] != q {
					continue
				}
				called = true
				if path[caller] {
					t.refuse(Reach{File: q.place(), Line: q.unit.Line, Kind: "call", Words: caller.unit.Name + " calls itself, perhaps by way of others"})
					return
				}
				s := &state{t: t, q: caller, v: v, wrong: maps.Clone(wrong), results: map[*source.Expr]bool{c.expr: left.result}, returned: c.expr, decided: map[int]bool{}}
				s.pass()
				result = result || s.result
				for _, next := range v.succ {
					if begin[next] == nil {
						begin[next] = stain{}
					}
					maps.Copy(begin[next], s.wrong)
				}
				if t.loopAround(caller, v) {
					// the call itself runs again, entered with what is wrong
					begin[v.id] = maps.Clone(wrong)
				}
			}
		}
		if len(begin) == 0 {
			continue
		}
		end, more := t.follow(caller, begin, nil)
		path[caller] = true
		t.leave(caller, outcome{end, result || more}, path)
		delete(path, caller)
	}
	if !called {
		name := "its result"
		if len(wrong) > 0 {
			name = slices.Sorted(maps.Keys(names(wrong)))[0]
		}
		t.refuse(Reach{File: q.place(), Line: q.unit.Line, Kind: "escape", Variable: name,
			Words: fmt.Sprintf("%s hands %s on to callers that are not known", q.unit.Name, name)})
	}
}

func names(s stain) map[string]bool {
	m := map[string]bool{}
	for o := range s {
		m[o.name] = true
	}
	return m
}

func isMain(q *proc) bool { return q.unit.Kind == source.Program || q.unit.Name == "main" }

func (t *tracker) loopAround(q *proc, v *vertex) bool {
	around := false
	q.unit.Walk(func(s *source.Stmt, outer []*source.Stmt) bool {
		if s == v.stmt {
			for _, o := range outer {
				around = around || o.Kind == source.Loop
			}
		}
		return true
	})
	return around
}

// withoutLocals forgets what dies with a procedure.
func (t *tracker) withoutLocals(q *proc, wrong stain) stain {
	left := stain{}
	own := map[*object]bool{}
	for name, o := range t.m.locals[q] {
		if !q.addressed[name] && !(q.fortran() && q.vars[name] != nil && q.vars[name].Param) {
			if o = o.find(); !o.shared {
				own[o] = true
				if v := q.vars[name]; v != nil && v.array() && !v.Param {
					own[o.to("*")] = true
				}
			}
		}
	}
	for o := range wrong {
		if o = o.find(); !own[o] {
			left[o] = true
		}
	}
	return left
}

// writes adds everything a statement may write, calls included.
func (t *tracker) writes(q *proc, v *vertex, wrong stain, seen map[*proc]bool) {
	fx := q.effectsOf(v.exprs...)
	if v.part == plainPart && ioStatement(v.stmt) != "" {
		t.written(q, v, wrong)
	} else if ioStatement(v.stmt) == "" {
		for _, o := range fx.opaque {
			t.refuse(Reach{File: q.place(), Line: o.Line, Kind: "call", Words: "not understood: " + clip(string(q.file.Text[o.Start:o.End]))})
		}
	}
	if class := q.constructs(v.stmt); class != "" {
		t.refuse(Reach{File: q.place(), Line: v.stmt.Line, Kind: "call", Variable: class,
			Words: "the loop makes a " + class + ", and what its constructor or destructor does is not known"})
	}
	if v.counts != nil && v.part == stepPart {
		wrong[t.m.variable(q, v.counts.Name)] = true
	}
	t.m.streams(q, v.exprs, func(stream *object, file, out bool, what *source.Expr) {
		wrong[stream] = true
		if file {
			wrong[t.m.hidden(fileState)] = true
		}
		if o := t.m.place(q, what); o != nil && !out {
			wrong[o] = true
		}
	})
	for i := range fx.refs {
		r := &fx.refs[i]
		if class := q.operated(r); class != "" {
			t.refuse(Reach{File: q.place(), Line: v.stmt.Line, Kind: "call", Variable: r.root,
				Words: fmt.Sprintf("%s is a %s, and what its operators do is not known", r.shown(), class)})
		}
		for _, o := range t.m.grows(q, r) {
			wrong[o] = true
		}
		if r.write {
			path := t.m.at(q, r)
			o := path[len(path)-1]
			if r.value != nil && !q.fortran() && copied(r.value) && !wrong[o] {
				t.swaps[o] = true
			} else if r.value == nil || !copied(r.value) {
				delete(t.swaps, o)
			}
			wrong[o] = true
		}
	}
	for _, c := range fx.calls {
		callee := t.prog.named[lastPart(c.name)]
		switch {
		case isMPI(c.name):
			msg := messageOf(c)
			if begins(c) {
				t.m.persistent(wrong)
			}
			for _, e := range q.memoryArgs(c, append(append([]int{}, msg.receive...), msg.out...)) {
				o := t.m.place(q, e)
				switch {
				case o != nil:
					wrong[o] = true
				case e.Kind != source.Literal && !constantLike(e):
					t.refuse(Reach{File: q.place(), Line: c.expr.Line, Kind: "call", Variable: c.name,
						Words: "it is not known what " + c.name + " writes"})
				}
			}
		case callee != nil && !seen[callee]:
			seen[callee] = true
			inner := stain{}
			for _, w := range callee.flowGraph().vertices {
				if w.stmt != nil {
					t.writes(callee, w, inner, seen)
				}
			}
			for o := range t.withoutLocals(callee, inner) {
				wrong[o] = true
			}
		case callee == nil && t.library(q, c, wrong):
		case callee != nil, q.pureName(c.name), outside[c.name], allocators[c.name], harmless[c.name]:
		case fills[c.name]:
			for _, e := range q.memoryArgs(c, []int{0}) {
				if o := t.m.place(q, e); o != nil {
					wrong[o] = true
				}
			}
		default:
			t.refuse(Reach{File: q.place(), Line: c.expr.Line, Kind: "call", Variable: c.name,
				Words: "the loop calls " + callName(c) + ", of which nothing is known"})
		}
	}
}

// constructs names the class of the program, with a constructor or a destructor, that
// a C++ declaration makes an object of, or "".
func (q *proc) constructs(s *source.Stmt) string {
	if s.Kind != source.Declaration || q.file.Language != source.CXX {
		return ""
	}
	for _, v := range q.vars {
		if s.Contains(v.Span) && !v.Pointer {
			_, made := q.prog.named[lastPart(v.Type)]
			if _, ended := q.prog.named["~"+lastPart(v.Type)]; made || ended {
				return v.Type
			}
		}
	}
	return ""
}

// constantLike tells MPI_STATUS_IGNORE, NULL and the like from memory.
func constantLike(e *source.Expr) bool {
	if e.Kind == source.Unary {
		e = e.Args[0]
	}
	return e.Kind == source.Literal || e.Kind == source.Name && e.Name == strings.ToUpper(e.Name)
}

// copied tells whether a value is that of another variable, unchanged: with
// pointers, an exchange of buffers.
func copied(e *source.Expr) bool { return e.Kind == source.Name || e.Kind == source.Member }

var (
	harmless = set(`free fftw_free perror assert __assert_fail rewind fseek setvbuf setbuf omp_get_wtime omp_get_thread_num omp_get_num_threads`)
	fills    = set(`memcpy memmove memset strcpy strncpy`) // write what their first argument points to
)

// readItems visits what a Fortran READ fills.
func (t *tracker) readItems(q *proc, v *vertex, visit func(*object)) {
	for _, e := range v.exprs {
		e.Walk(func(k *source.Expr) {
			if k != nil && (k.Kind == source.Name || k.Kind == source.Apply) {
				visit(t.m.variable(q, k.Name))
			}
		})
	}
}

// lowerFirst begins a sentence that goes on after a colon; names keep theirs.
func lowerFirst(s string) string {
	for _, word := range []string{"Line ", "No ", "The ", "Parts ", "Jumps ", "Whether ", "What "} {
		if strings.HasPrefix(s, word) {
			return strings.ToLower(s[:1]) + s[1:]
		}
	}
	return s
}
