package depend

import (
	"strings"

	"auspex/source"
)

// header is a loop that counts: its variable, where it begins and ends, and by
// how much it goes on.
type header struct {
	stmt     *source.Stmt
	variable string
	from, to *source.Expr
	beyond   int64 // to + beyond is the last value: -1 for i < n
	step     int64
	odd      bool // the step is not a number, or the end is not compared by order
}

// headerOf reads a loop that counts, or gives nil.
func (q *proc) headerOf(s *source.Stmt) *header {
	if s.Loop == nil {
		return nil
	}
	h := &header{stmt: s, step: 1}
	exprs := q.file.Exprs(s)
	switch s.Loop.Kind {
	case source.Counted:
		if s.Loop.Var == nil || len(exprs) < 2 || exprs[0].Kind != source.Assign {
			return nil
		}
		h.variable, h.from, h.to = exprs[0].Args[0].Name, exprs[0].Args[1], exprs[1]
		if len(exprs) > 2 {
			h.step = 0
			if n, ok := whole(exprs[2]); ok {
				h.step = n
			}
		}
	case source.For:
		if !q.forHeader(s, h) {
			return nil
		}
	default:
		return nil
	}
	if h.step == 0 {
		h.step, h.odd = 1, true
	}
	if h.variable == "" || h.to == nil {
		return nil
	}
	return h
}

func (q *proc) forHeader(s *source.Stmt, h *header) bool {
	l := s.Loop
	if l.To == nil || l.Step == nil {
		return false
	}
	step := q.file.Expr(l.Step)
	if step == nil || step.Kind != source.Assign || step.Args[0].Kind != source.Name {
		return false
	}
	h.variable = step.Args[0].Name
	if !h.readStep(step) {
		return false
	}
	// The beginning: the assignment of the variable among the initialisers.
	if l.From != nil {
		for _, e := range q.file.Exprs(s) {
			if e.Start >= l.To.Start {
				break
			}
			if e.Kind == source.List {
				for _, a := range e.Args {
					h.readFrom(a)
				}
			}
			h.readFrom(e)
		}
	}
	return h.readTo(q.file.Expr(l.To))
}

func (h *header) readFrom(e *source.Expr) {
	if e != nil && e.Kind == source.Assign && e.Op == "=" && e.Args[0].Kind == source.Name && e.Args[0].Name == h.variable {
		h.from = e.Args[1]
	}
}

// readStep reads i++, i -= 2, i = i + 3.
func (h *header) readStep(e *source.Expr) bool {
	by, op := e.Args[1], e.Op
	if e.Op == "=" {
		if by.Kind != source.Binary || by.Args[0].Kind != source.Name || by.Args[0].Name != h.variable {
			return false
		}
		by, op = by.Args[1], by.Op+"="
	}
	if op != "+=" && op != "-=" {
		return false
	}
	n, ok := whole(by)
	switch {
	case !ok:
		n = 0 // known to be the same each time only if it does not change
	case op == "-=":
		n = -n
	}
	h.step = n
	return true
}

// readTo reads i < n and the like, either way round.
func (h *header) readTo(e *source.Expr) bool {
	if e == nil || e.Kind != source.Binary {
		return false
	}
	op, left, right := e.Op, e.Args[0], e.Args[1]
	if left.Kind != source.Name || left.Name != h.variable {
		if right.Kind != source.Name || right.Name != h.variable {
			return false
		}
		left, right = right, left
		op = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}[op]
	}
	h.to = right
	switch op {
	case "<":
		h.beyond = -1
		h.odd = h.odd || h.step < 0
	case "<=":
		h.odd = h.odd || h.step < 0
	case ">":
		h.beyond = 1
		h.odd = h.odd || h.step > 0
	case ">=":
		h.odd = h.odd || h.step > 0
	case "!=":
		h.odd = true
	default:
		return false
	}
	return true
}

// whole reads a whole number, signed.
func whole(e *source.Expr) (int64, bool) {
	sign := int64(1)
	for e != nil && e.Kind == source.Unary && (e.Op == "-" || e.Op == "+") {
		if e.Op == "-" {
			sign = -sign
		}
		e = e.Args[0]
	}
	if e == nil || e.Kind != source.Literal {
		return 0, false
	}
	n, ok := literal(e.Name)
	return sign * n, ok
}

// literal reads a decimal number; the grammar of C takes a sign as part of it.
func literal(text string) (int64, bool) {
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		n, ok := literal(rest)
		return -n, ok
	}
	var n int64
	i := 0
	for ; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
		if n = n*10 + int64(text[i]-'0'); n > maxCoef {
			return 0, false
		}
	}
	if i == 0 || i > 1 && text[0] == '0' {
		return 0, false // not decimal
	}
	for ; i < len(text); i++ {
		switch text[i] {
		case 'u', 'U', 'l', 'L', 'z', 'Z':
		default:
			return 0, false // 1.5, 1e3, 1_8
		}
	}
	return n, true
}

// Count is how a loop counts: Variable goes from From by Step as long as it has
// not passed To + Beyond. From is empty where it begins with what it holds.
type Count struct {
	Variable     string
	From, To     source.Span
	Beyond, Step int64
}

// Count tells how a loop counts, or false where that is not fixed by its
// header alone.
func (l Loop) Count() (Count, bool) {
	if l.proc == nil {
		return Count{}, false
	}
	h := l.proc.headerOf(l.Stmt)
	if h == nil || h.odd {
		return Count{}, false
	}
	c := Count{Variable: h.variable, To: h.to.Span, Beyond: h.beyond, Step: h.step}
	if h.from != nil {
		c.From = h.from.Span
	}
	return c, true
}
