package depend

import (
	"strings"

	"auspex/source"
)

// induction is a variable that every iteration changes once by the same
// amount, so that its value follows from the number of the iteration.
type induction struct {
	site *site
	by   poly
}

// findInductions looks for k += c, k = k + c and k++ that every iteration comes
// by exactly once, c not changing in the loop.
func (l *linear) findInductions(writes map[string]int) {
	b := l.b
	if b.jumps || b.skips {
		return
	}
	for i := range b.sites {
		s := &b.sites[i]
		k := s.key()
		if !s.write || len(s.steps) > 0 || writes[k] != 1 || s.conditional || len(s.loops) > 0 ||
			b.q.addressed[s.root] || k == l.h.variable || !b.q.local(s.root) && !b.q.fortran() {
			continue
		}
		v := b.q.lookup(s.root)
		if v == nil || v.array() || v.static || !v.Pointer && (b.q.narrow(s) || !b.q.fortran() && !wholeType(v.Type)) {
			continue
		}
		if by := l.amount(s); by != nil {
			l.grows[k] = &induction{s, by}
		}
	}
}

// wholeType tells C's types of whole numbers; names of unknown types may hide a
// class or a number with a fraction.
func wholeType(t string) bool {
	return arithmetic[t] && t != "float" && t != "double"
}

// amount gives by how much a statement changes its variable, or nil.
func (l *linear) amount(s *site) poly {
	e := s.assign
	if e == nil || e.Kind != source.Assign || len(e.Args) != 2 || e.Args[0].Span != s.expr.Span {
		e = assignmentOf(e, s.expr)
	}
	if e == nil {
		return nil
	}
	sign := int64(1)
	by := e.Args[1]
	switch e.Op {
	case "+=":
	case "-=":
		sign = -1
	case "=":
		right := e.Args[1]
		if right == nil || right.Kind != source.Binary || right.Op != "+" && right.Op != "-" {
			return nil
		}
		name := e.Args[0].String()
		switch {
		case right.Args[0].String() == name:
			by = right.Args[1]
		case right.Op == "+" && right.Args[1].String() == name:
			by = right.Args[0]
		default:
			return nil
		}
		if right.Op == "-" {
			sign = -1
		}
	default:
		return nil
	}
	p := l.poly(by, nil, 0)
	if p == nil || p.mentions(l.h.symbol()) {
		return nil
	}
	return poly{}.plus(p, sign)
}

// assignmentOf finds the assignment of a target within an expression: the k++
// in a[k++] = x.
func assignmentOf(e, target *source.Expr) *source.Expr {
	var found *source.Expr
	e.Walk(func(k *source.Expr) {
		if k != nil && k.Kind == source.Assign && len(k.Args) == 2 && k.Args[0] != nil && k.Args[0].Span == target.Span {
			found = k
		}
	})
	return found
}

// grown is the value of an induction variable at a place: what it was before
// the loop, and its growth by the counter. Where the counter goes by more than
// one, the amount must be a multiple of the step.
func (l *linear) grown(k string, after bool) poly {
	g := l.grows[k]
	if g == nil || l.h.odd || l.h.step == 0 {
		return nil
	}
	perStep := poly{}
	for term, c := range g.by {
		if c%l.h.step != 0 {
			return nil
		}
		perStep[term] = c / l.h.step
	}
	value := perStep.times(symbol(l.h.symbol())).plus(symbol(k+"@"+itoa(l.h.stmt.Start)), 1)
	if after {
		value = value.plus(g.by, 1)
	}
	return value
}

// inductionAt reads an induction variable, or the expression that changes it,
// at a place.
func (l *linear) inductionAt(e *source.Expr) poly {
	switch e.Kind {
	case source.Name:
		if g := l.grows[e.Name]; g != nil {
			// Within the changing statement only the change itself and what
			// stands before it in the text have a certain order.
			within := g.site.assign.Contains(e.Span)
			if within && e.Span != g.site.expr.Span {
				own := assignmentOf(g.site.assign, g.site.expr)
				if own == nil || !own.Contains(e.Span) {
					return nil
				}
			}
			return l.grown(e.Name, !within && e.Start > g.site.expr.Start)
		}
	case source.Assign:
		if left := e.Args[0]; left != nil && left.Kind == source.Name {
			if g := l.grows[left.Name]; g != nil && left.Span == g.site.expr.Span {
				text := strings.TrimSpace(string(l.b.q.file.Text[e.Start:e.End]))
				return l.grown(left.Name, !strings.HasSuffix(text, "++") && !strings.HasSuffix(text, "--"))
			}
		}
	}
	return nil
}
