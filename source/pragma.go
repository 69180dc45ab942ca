package source

import (
	"bytes"
	"regexp"
	"sort"
	"strings"

	"auspex/internal/lazyregexp"
)

// operator is a pragma in the midst of a line: `_Pragma("omp for")`, or a macro of
// the file that stands for one. The grammar does not know it, so that it is blanked
// before the text is parsed, and put before its statement again as a directive.
type operator struct {
	Span
	text string // as of a directive
}

var (
	pragmaOperator = lazyregexp.New(`\b_Pragma\s*\(\s*L?"((?:\\.|[^"\\\n])*)"\s*\)`)
	pragmaMacro    = lazyregexp.New(`(?s)^([A-Za-z_]\w*)(?:\(([^)]*)\))?[\s\\]+_Pragma\s*\((.*)\)[\s\\]*$`)
	// stringOf is what _Pragma has in a macro: "text", #x or STRING(omp x).
	stringOf = lazyregexp.New(`(?s)^\s*(?:"(.*)"|#\s*(\w+)|\w+\s*\((.*)\))\s*$`)
)

// operators finds the pragmas of a file of C that are no lines of their own, in order.
func operators(text []byte, ds []directive) []operator {
	if !bytes.Contains(text, []byte("_Pragma")) {
		return nil
	}
	var list []operator
	for _, m := range pragmaOperator.FindAllSubmatchIndex(text, -1) {
		list = append(list, operator{Span{m[0], m[1]}, pragmaText(string(text[m[2]:m[3]]))})
	}
	for _, d := range ds {
		if d.word != "define" {
			continue
		}
		_, definition, _ := strings.Cut(string(text[d.Start:d.End]), "define")
		if m := pragmaMacro.FindStringSubmatch(strings.TrimSpace(definition)); m != nil && !strings.ContainsAny(m[3], ";{}") {
			list = append(list, uses(text, m[1], m[2], m[3])...)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Start < list[j].Start })
	apart := list[:0]
	for _, o := range list {
		line := sort.Search(len(ds), func(i int) bool { return ds[i].End > o.Start })
		inLine := line < len(ds) && ds[line].Start <= o.Start
		again := len(apart) > 0 && o.Start < apart[len(apart)-1].End
		if !inLine && !again {
			apart = append(apart, o)
		}
	}
	return apart
}

// uses finds where a macro is used that stands for a pragma.
func uses(text []byte, name, parameter, content string) []operator {
	m := stringOf.FindStringSubmatch(content)
	if m == nil {
		return nil
	}
	content = m[1] + m[2] + m[3]
	form := `\b` + name + `\b`
	if parameter = strings.TrimSpace(parameter); parameter != "" {
		form += `\s*\(((?:[^()\n]|\([^()\n]*\))*)\)`
	}
	if parameter == "..." {
		parameter = "__VA_ARGS__"
	}
	var list []operator
	for _, at := range regexp.MustCompile(form).FindAllSubmatchIndex(text, -1) {
		told := content
		if len(at) > 2 {
			told = strings.ReplaceAll(content, parameter, string(text[at[2]:at[3]]))
		}
		list = append(list, operator{Span{at[0], at[1]}, pragmaText(told)})
	}
	return list
}

// pragmaText is a pragma in lower case, on one line.
func pragmaText(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(s, "\\", " ")), " "))
}

// onlyComments tells whether a text is blanks and comments.
func onlyComments(text []byte) bool {
	for {
		text = bytes.TrimLeft(text, " \t\r\n\f\v")
		end := "*/"
		switch {
		case len(text) == 0:
			return true
		case bytes.HasPrefix(text, []byte("//")):
			end = "\n"
		case !bytes.HasPrefix(text, []byte("/*")):
			return false
		}
		_, rest, found := bytes.Cut(text[2:], []byte(end))
		if !found {
			return false
		}
		text = rest
	}
}

// before gives the operators right before a byte.
func (l *lowering) before(at int) []operator {
	last := sort.Search(len(l.operators), func(i int) bool { return l.operators[i].End > at })
	first := last
	for first > 0 && onlyComments(l.text[l.operators[first-1].End:at]) {
		first--
		at = l.operators[first].Start
	}
	return l.operators[first:last]
}

// pragmasBefore adds the operators right before a statement as directives.
func (w *cWalk) pragmasBefore(list *[]*Stmt, n *Node) {
	for _, o := range w.l.before(n.Start) {
		s := w.l.stmt(Directive, &Node{Kind: "preproc_call", Named: true, Span: o.Span, Parent: n.Parent})
		s.Text = o.text
		*list = append(*list, s)
	}
}
