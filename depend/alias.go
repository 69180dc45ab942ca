package depend

import "strings"

// relation is what is known of two objects.
type relation int

const (
	distinct relation = iota // no common memory
	same                     // the same object; subscripts decide
	mayAlias                 // different names that may be the same memory
)

// relate compares the objects of two accesses. C's rules: different variables
// are distinct unless a pointer is involved; a pointer may point to anything
// whose address is known elsewhere, but not what a restrict pointer reaches,
// and not memory of another arithmetic type. Fortran's: dummy arguments and
// variables are distinct, pointers and targets are not.
func (q *proc) relate(a, b *ref) relation {
	ka, kb := a.key(), b.key()
	if ka == kb || strings.HasPrefix(ka, kb+".") || strings.HasPrefix(kb, ka+".") {
		return same
	}
	if a.root == b.root && fieldsPart(a, b) {
		return distinct
	}
	if q.fortran() {
		return q.relateFortran(a, b)
	}
	da, db := q.direct(a), q.direct(b)
	switch {
	case da && db:
		if a.root == b.root {
			return mayAlias
		}
		return distinct
	case da:
		return q.pointed(a, b)
	case db:
		return q.pointed(b, a)
	}
	if q.restricted(a) || q.restricted(b) {
		return distinct
	}
	fa, fb := q.owned(a), q.owned(b)
	if a.root != b.root && (fa && fb || fa && q.param(b) || fb && q.param(a)) {
		return distinct
	}
	if q.otherType(a, b) {
		return distinct
	}
	return mayAlias
}

// fieldsPart tells whether two accesses of one object part at different fields
// before any pointer is followed after them.
func fieldsPart(a, b *ref) bool {
	for i := range min(len(a.steps), len(b.steps)) {
		x, y := a.steps[i], b.steps[i]
		if x.elem != y.elem {
			return false
		}
		if !x.elem && x.field != y.field {
			for _, rest := range [][]step{a.steps[i+1:], b.steps[i+1:]} {
				for _, s := range rest {
					if s.elem {
						return false
					}
				}
			}
			return true
		}
	}
	return false
}

func (q *proc) relateFortran(a, b *ref) relation {
	pointer := func(r *ref) bool {
		v := q.lookup(r.root)
		if v != nil && v.Pointer || q.addressed[r.root] {
			return true
		}
		for _, s := range r.steps {
			if !s.elem {
				return true // a component may be a pointer
			}
		}
		return false
	}
	if pointer(a) && pointer(b) {
		return mayAlias
	}
	return distinct
}

// direct tells whether an access follows no pointer.
func (q *proc) direct(r *ref) bool {
	v := q.lookup(r.root)
	if v == nil {
		return len(r.steps) == 0
	}
	container := strings.Contains(v.Type, "vector<") || strings.Contains(v.Type, "array<")
	for i, s := range r.steps {
		if !s.elem {
			continue
		}
		if i > 0 || v.Pointer || v.Param && v.array() || !v.array() && !container {
			return false
		}
	}
	return !v.Pointer || len(r.steps) == 0
}

// pointed relates a variable with what a pointer reaches.
func (q *proc) pointed(variable, through *ref) relation {
	if q.restricted(through) || q.holdsFresh(through) {
		return distinct
	}
	if v := q.lookup(variable.root); v != nil && v.constant && !v.Pointer {
		return distinct // nothing writes it
	}
	if q.local(variable.root) && !q.addressed[variable.root] && !q.copied[variable.root] {
		return distinct
	}
	if q.otherType(variable, through) {
		return distinct
	}
	return mayAlias
}

func (q *proc) restricted(r *ref) bool {
	v := q.lookup(r.root)
	return v != nil && v.restrict && len(r.steps) == 1
}

func (q *proc) param(r *ref) bool {
	v := q.vars[r.root]
	return v != nil && v.Param
}

// owned tells whether a pointer has only ever held newly allocated memory that
// no other pointer was given.
func (q *proc) owned(r *ref) bool { return q.holdsFresh(r) && !q.copied[r.root] }

// holdsFresh tells whether a pointer has only ever held newly allocated memory, in
// which no variable lies.
func (q *proc) holdsFresh(r *ref) bool {
	v := q.vars[r.root]
	if v == nil || !v.Pointer || v.Param || v.static || v.Init == nil || q.addressed[r.root] || len(r.steps) != 1 {
		return false
	}
	return q.prog.givesFresh(v.Init.Name) && q.writeCounts()[r.root] == 1
}

var arithmetic = set(`int long short float double size_t int32_t int64_t uint32_t uint64_t unsigned`)

func (q *proc) otherType(a, b *ref) bool {
	va, vb := q.lookup(a.root), q.lookup(b.root)
	if va == nil || vb == nil || len(a.steps) > 1 || len(b.steps) > 1 {
		return false
	}
	floating := func(t string) bool { return t == "float" || t == "double" }
	ta, tb := va.Type, vb.Type
	if !arithmetic[ta] || !arithmetic[tb] {
		return false
	}
	// Whole numbers of different names may be the same type.
	return ta != tb && (floating(ta) || floating(tb))
}
