package depend

import (
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
		surely = surely || o.write && !o.conditional
	}
	name := s.shown()
	if exposed == nil && (surely || reads && !j.liveOutside(s)) {
		j.Private = appendNew(j.Private, name)
		return j.notReachable(s)
	}
	if exposed == nil {
		j.say(Carried, "%s is set on line %d only under a condition, so its last value depends on the order.", name, s.stmt.Line)
		return false
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

// liveOutside tells whether the procedure reads a variable outside the loop, or
// others may.
func (j *judgement) liveOutside(s *site) bool {
	q := j.b.q
	if !q.local(s.root) || q.addressed[s.root] {
		return true
	}
	live := false
	q.unit.Walk(func(o *source.Stmt, _ []*source.Stmt) bool {
		if o == j.Stmt || live {
			return false
		}
		fx := q.effectsOf(q.file.Exprs(o)...)
		for i := range fx.refs {
			if r := &fx.refs[i]; r.read && r.root == s.root {
				live = true
			}
		}
		return true
	})
	return live
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
	if left.String() != s.expr.String() {
		return ""
	}
	op := extremeOf(s.assign, right, left, left.String())
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
