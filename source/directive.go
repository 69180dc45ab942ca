package source

import (
	"strings"

	"auspex/internal/lazyregexp"
)

// glued are two words of a directive that may be written as one: ENDDO, PARALLELDO.
var glued = lazyregexp.New(`^((?:omp|acc) +(?:end +)?)(end|parallel)((?:parallel)?(?:do|sections|workshare)|parallel|single|master|critical|ordered|simd|atomic|target|teams|task|taskgroup|kernels|loop)\b`)

// directive keeps the comments that compilers read.
func (w *fWalk) directive(n *Node) *Stmt {
	text := w.l.lower(n)
	if len(text) < 5 {
		return nil
	}
	for _, sentinel := range []string{"$omp", "$acc", "dir$", "$cuf", "gcc$", "dec$"} {
		if strings.HasPrefix(text[1:], sentinel) {
			s := w.l.stmt(Directive, n)
			s.Text = strings.Trim(sentinel, "$") + " " + strings.TrimSpace(text[1+len(sentinel):])
			for parts := glued.FindStringSubmatch(s.Text); parts != nil; parts = glued.FindStringSubmatch(s.Text) {
				s.Text = parts[1] + parts[2] + " " + parts[3] + s.Text[len(parts[0]):]
			}
			if strings.HasPrefix(s.Text, "acc routine") || strings.HasPrefix(s.Text, "omp declare target") {
				w.unit.Traits |= Device
			}
			return s
		}
	}
	return nil
}

// joinDirective makes a continuation line part of the directive before it:
// marked by `&` at the end of that one, or in column 6 of fixed form.
func (w *fWalk) joinDirective(list []*Stmt, s *Stmt) bool {
	if s.Kind != Directive || len(list) == 0 || list[len(list)-1].Kind != Directive {
		return false
	}
	d := list[len(list)-1]
	_, rest, _ := strings.Cut(s.Text, " ")
	if w.l.file.Form == Fixed {
		c := s.Start + 5
		if c >= s.End || w.l.text[c] == ' ' || w.l.text[c] == '0' || w.l.text[c] == '\t' {
			return false
		}
		rest = rest[min(1, len(rest)):]
	} else if !strings.HasSuffix(d.Text, "&") {
		return false
	}
	d.Text = strings.TrimSpace(strings.TrimSuffix(d.Text, "&")) + " " + strings.TrimSpace(strings.TrimPrefix(rest, "&"))
	d.Place = w.l.file.place(Span{d.Start, s.End})
	return true
}

// exprs looks through a statement for MPI calls and for labels in END=, ERR=,
// EOR= and alternate returns.
func (w *fWalk) exprs(s *Stmt, n *Node) {
	switch n.Kind {
	case "subroutine_call":
		w.mpi(s, n, n.Child("subroutine"))
	case "call_expression":
		w.mpi(s, n, n.First)
	case "keyword_argument":
		name, value := w.l.lower(n.Child("name")), n.Child("value")
		if (name == "end" || name == "err" || name == "eor") && value != nil && value.Kind == "number_literal" {
			s.Targets = append(s.Targets, strings.TrimLeft(w.l.str(value), "0"))
		}
	}
	for k := range n.Children() {
		if k.First != nil {
			w.exprs(s, k)
		}
	}
}

func (w *fWalk) mpi(s *Stmt, n, name *Node) {
	if name != nil && name.Kind == "identifier" {
		if t := w.l.str(name); isMPI(t) {
			s.MPI = append(s.MPI, Call{t, w.l.file.place(n.Span)})
		}
	}
}
