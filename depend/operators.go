package depend

import (
	"strings"

	"auspex/source"
)

// readOperators notes the classes of C++ whose operators, conversions among them,
// are procedures of the program, and whether Fortran has operators or assignments
// of its own.
func (p *Program) readOperators() {
	for _, q := range p.procs {
		if q.file.Language != source.CXX {
			continue
		}
		class, _, found := strings.Cut(q.unit.Name, "operator")
		if !found {
			continue
		}
		if class != "" {
			p.operators[lastPart(strings.TrimSuffix(class, "::"))] = true
			continue
		}
		for _, name := range q.unit.Params {
			if v := q.vars[name]; v != nil {
				for _, word := range words(v.Type) {
					p.operators[word] = !arithmetic[word] && word != "std" && word != "const"
				}
			}
		}
	}
	for _, f := range p.Files {
		if f.Language == source.Fortran {
			text := strings.ReplaceAll(strings.ToLower(string(f.Text)), " ", "")
			p.defined = p.defined || strings.Contains(text, "assignment(=)") || strings.Contains(text, "operator(")
		}
	}
}

// operated names the type of an access as a whole where an operator of the program
// may stand behind it, or "".
func (q *proc) operated(r *ref) string {
	if n := len(r.steps); n > 0 && !r.steps[n-1].elem {
		return ""
	}
	v := q.lookup(r.root)
	if v == nil {
		return ""
	}
	if q.fortran() {
		if q.prog.defined && (strings.HasPrefix(v.Type, "type") || strings.HasPrefix(v.Type, "class")) {
			return v.Type
		}
		return ""
	}
	if v.Pointer && len(r.steps) == 0 && !strings.Contains(string(q.file.Text[v.Start:v.End]), "&") {
		return ""
	}
	for _, word := range words(v.Type) {
		if q.prog.operators[word] {
			return word
		}
	}
	return ""
}
