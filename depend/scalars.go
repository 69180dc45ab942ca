package depend

import (
	"slices"
	"strings"

	"auspex/source"
)

// scalarsFine checks every variable without subscripts that the loop writes:
// it must be written before it is read in every iteration, or be a reduction.
func (j *judgement) scalarsFine() bool {
	b := j.b
	seen := map[string]bool{}
	for i := range b.sites {
		s := &b.sites[i]
		k := s.key()
		if !s.write || !s.plain() || seen[k] {
			continue
		}
		seen[k] = true
		if j.ownArray(s) {
			continue
		}
		if !j.scalarFine(s, k) {
			return false
		}
	}
	return true
}

func (j *judgement) scalarFine(s *site, k string) bool {
	b := j.b
	if j.b.jumps {
		j.say(Unknown, "Jumps within the loop hide in which order %s is written and read.", s.shown())
		return false
	}
	var exposed *site
	reads, surely := false, false
	for i := range b.sites {
		o := &b.sites[i]
		if !overlaps(o.key(), k) {
			continue
		}
		if o.key() != k && o.write {
			j.say(Unknown, "%s is written as a whole and in part (line %d).", o.shown(), o.stmt.Line)
			return false
		}
		if o.exposed && exposed == nil {
			exposed = o
		}
		reads = reads || o.read
		surely = surely || o.write && !o.conditional && len(o.loops) == 0 // an inner loop may not run
	}
	name := s.shown()
	if exposed == nil && (surely || reads && !j.liveOutside(s)) {
		j.Private = appendNew(j.Private, name)
		return j.notReachable(s)
	}
	if exposed == nil && j.sameValue(k) {
		j.Reductions = appendNew(j.Reductions, "set: "+name)
		return j.notReachable(s)
	}
	if exposed == nil {
		when := "only under a condition"
		if !s.conditional && len(s.loops) > 0 {
			when = "in a loop that may not run"
		}
		j.say(Carried, "%s is set on line %d %s, so its last value depends on the order.", name, s.stmt.Line, when)
		return false
	}
	if j.lin.grows[k] != nil {
		j.Inductions = appendNew(j.Inductions, name)
		return j.notReachable(s)
	}
	if op := j.reduction(k); op != "" {
		j.Reductions = appendNew(j.Reductions, op+": "+name)
		return j.notReachable(s)
	}
	j.say(Carried, "%s is read on line %d before the iteration writes it (line %d): the value comes from an earlier one.", name, exposed.stmt.Line, j.firstWrite(k))
	return false
}

func appendNew(list []string, name string) []string {
	for _, l := range list {
		if l == name {
			return list
		}
	}
	return append(list, name)
}

func overlaps(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+".") && !strings.HasPrefix(a, b+".*") || strings.HasPrefix(b, a+".") && !strings.HasPrefix(b, a+".*")
}

func (j *judgement) firstWrite(k string) int {
	for i := range j.b.sites {
		if s := &j.b.sites[i]; s.write && s.key() == k {
			return s.stmt.Line
		}
	}
	return 0
}

// notReachable checks that a variable treated as one thing is not reached by
// another name in the loop.
func (j *judgement) notReachable(s *site) bool {
	q := j.b.q
	for i := range j.b.sites {
		o := &j.b.sites[i]
		if o.plain() || q.relate(&s.ref, &o.ref) != mayAlias || len(s.steps) > 0 {
			continue
		}
		if q.local(s.root) && !q.addressed[s.root] {
			continue
		}
		if !q.addressed[s.root] && q.vars[s.root] == nil && !q.fortran() && !q.prog.addressedAnywhere(s.root) {
			continue
		}
		j.say(Carried, "%s (line %d) and %s (line %d) may be the same memory.", s.shown(), s.stmt.Line, o.shown(), o.stmt.Line)
		return false
	}
	return true
}

func (p *Program) addressedAnywhere(name string) bool {
	for _, q := range p.procs {
		if q.addressed[name] {
			return true
		}
	}
	return false
}

// sameValue tells whether all the loop ever puts into a variable is one
// constant, as with a flag: then the order does not matter.
func (j *judgement) sameValue(k string) bool {
	value := ""
	for i := range j.b.sites {
		s := &j.b.sites[i]
		if !s.write || s.key() != k {
			continue
		}
		if s.value == nil || s.value.Kind != source.Literal || value != "" && s.value.Name != value {
			return false
		}
		value = s.value.Name
	}
	return value != ""
}

// liveOutside tells whether what a variable holds after the loop may be read:
// by the procedure on some way from the loop before it is written again, or by
// others.
func (j *judgement) liveOutside(s *site) bool {
	q := j.b.q
	if !q.local(s.root) || q.addressed[s.root] {
		return true
	}
	f := q.flowGraph()
	seen := map[int]bool{}
	var work []int
	for _, v := range f.vertices {
		if v.stmt == j.Stmt && v.part == testPart {
			work = append(work, v.succ...)
		}
	}
	for len(work) > 0 {
		v := f.vertices[work[len(work)-1]]
		work = work[:len(work)-1]
		if seen[v.id] {
			continue
		}
		seen[v.id] = true
		switch q.firstUse(v, s.root) {
		case readFirst:
			return true
		case writtenFirst:
			continue
		}
		work = append(work, v.succ...)
	}
	return false
}

type use int

const (
	unused use = iota
	readFirst
	writtenFirst
)

// firstUse tells what a point of the program does first with a variable.
func (q *proc) firstUse(v *vertex, name string) use {
	if v.counts != nil && v.counts.Name == name {
		return readFirst
	}
	if v.stmt != nil && ioStatement(v.stmt) != "" {
		if slices.Contains(words(strings.ToLower(string(q.file.Text[v.stmt.Start:v.stmt.End]))), name) {
			return readFirst
		}
		return unused
	}
	fx := q.effectsOf(v.exprs...)
	for _, e := range fx.opaque {
		if slices.Contains(words(string(q.file.Text[e.Start:e.End])), name) {
			return readFirst
		}
	}
	if v.part == initPart { // a DO works out its bounds before it sets the counter
		for i := range fx.refs {
			if fx.refs[i].root == name && fx.refs[i].read {
				return readFirst
			}
		}
	}
	for i := range fx.refs {
		switch r := &fx.refs[i]; {
		case r.root != name:

		case r.read || len(r.steps) > 0:
			return readFirst
		case r.write && !r.maybe:
			return writtenFirst
		}
	}
	return unused
}

// reduction gives the operator if all the loop does with an object is to
// update it by operators of one class.
func (j *judgement) reduction(k string) string {
	op := ""
	for i := range j.b.sites {
		s := &j.b.sites[i]
		if s.key() != k {
			if !s.wild && !overlaps(s.key(), k) {
				continue
			}
			if overlaps(s.key(), k) {
				return ""
			}
			continue
		}
		u := s.update
		if !s.write {
			u = j.readOfUpdate(s)
		}
		if u == "" || op != "" && u != op {
			return ""
		}
		op = u
	}
	return op
}

// readOfUpdate gives the class of the update a read belongs to: the x on the
// right of x = x + e, or the comparison in if (e > x) x = e.
func (j *judgement) readOfUpdate(s *site) string {
	same := 0
	update := ""
	for i := range j.b.sites {
		o := &j.b.sites[i]
		if o.key() != s.key() || o.stmt != s.stmt {
			continue
		}
		if o.write {
			update = o.update
			if o.read || o.expr.String() != s.expr.String() {
				return "" // x += x, or a[i] = a[k] + e
			}
		} else {
			same++
		}
	}
	if update != "" {
		// max by comparison reads x twice
		if same == 1 || same == 2 && s.assign.Kind == source.Assign && s.assign.Args[1].Kind == source.Cond {
			return update
		}
		return ""
	}
	return j.ifExtreme(s)
}

// ifExtreme recognises if (e > x) x = e.
func (j *judgement) ifExtreme(s *site) string {
	if s.stmt.Kind != source.If || len(s.stmt.Else) > 0 || len(s.stmt.Body) != 1 {
		return ""
	}
	exprs := j.b.q.file.Exprs(s.stmt.Body[0])
	if len(exprs) != 1 || exprs[0] == nil || exprs[0].Kind != source.Assign || exprs[0].Op != "=" {
		return ""
	}
	left, right := exprs[0].Args[0], exprs[0].Args[1]
	x := s.expr.String()
	if left.String() != x || contains(right, x) {
		return ""
	}
	op := extremeOf(s.assign, right, left, x)
	if op == "" {
		return ""
	}
	for i := range j.b.sites { // the write takes the same name
		if o := &j.b.sites[i]; o.write && o.expr.Span == left.Span {
			o.update = op
		}
	}
	return op
}

// contains tells whether an expression reads x.
func contains(e *source.Expr, x string) bool {
	found := false
	e.Walk(func(k *source.Expr) { found = found || k != nil && k.String() == x })
	return found
}
