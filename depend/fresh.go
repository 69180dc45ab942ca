package depend

import "auspex/source"

// givesFresh tells whether a call surely gives back memory that nothing else
// points to: malloc and its kin, and procedures that only wrap them.
func (p *Program) givesFresh(name string) bool {
	if allocators[name] {
		return true
	}
	q := p.named[lastPart(name)]
	return q != nil && q.wrapsAllocator()
}

// wrapsAllocator tells whether all a procedure gives back is what an allocator
// gave it, and that it kept no copy.
func (q *proc) wrapsAllocator() bool {
	if q.fresh != nil {
		return *q.fresh
	}
	answer := false // for one that calls itself
	q.fresh = &answer
	if q.fortran() || len(q.unit.Problems) > 0 {
		return false
	}
	holders, returns := map[string]bool{}, 0
	for _, v := range q.flowGraph().vertices {
		if v.stmt == nil || v.stmt.Kind != source.Return {
			continue
		}
		for _, e := range v.exprs {
			returns++
			switch {
			case e.Kind == source.CallOf && q.prog.givesFresh(e.Name):
			case e.Kind == source.Name && q.holdsPointer(e.Name):
				holders[e.Name] = true
			default:
				return false
			}
		}
	}
	if returns == 0 {
		return false
	}
	for _, v := range q.flowGraph().vertices {
		if v.stmt == nil || v.stmt.Kind == source.Return {
			continue
		}
		for _, e := range v.exprs {
			if !q.keepsFresh(e, holders) {
				return false
			}
		}
	}
	answer = true
	return true
}

func (q *proc) holdsPointer(name string) bool {
	v := q.vars[name]
	return v != nil && v.Pointer && !v.Param && !v.static && !q.addressed[name]
}

// keepsFresh tells whether an expression does nothing with some pointers but
// to set them to new memory, to compare them, and to fill what they lead to
// with bytes.
func (q *proc) keepsFresh(e *source.Expr, holders map[string]bool) bool {
	if e == nil {
		return true
	}
	held := func(e *source.Expr) bool { return e != nil && e.Kind == source.Name && holders[e.Name] }
	switch {
	case held(e):
		return false
	case e.Kind == source.Assign && held(e.Args[0]):
		value := e.Args[1]
		null := value != nil && (value.Kind == source.Literal || value.Kind == source.Name && value.Name == "NULL")
		if e.Op != "=" || !null && !(value != nil && value.Kind == source.CallOf && q.prog.givesFresh(value.Name)) {
			return false
		}
		return q.keepsFresh(value, holders)
	}
	for i, a := range e.Args {
		looks := e.Kind == source.Unary && e.Op == "!" ||
			e.Kind == source.Binary && (e.Op == "==" || e.Op == "!=" || e.Op == "&&" || e.Op == "||") ||
			e.Kind == source.CallOf && (e.Name == "memset" && i == 0 || e.Name == "free")
		if looks && held(a) {
			continue
		}
		if !q.keepsFresh(a, holders) {
			return false
		}
	}
	return true
}
