package instrument

import (
	"slices"
	"sort"
	"strings"

	"auspex/internal/lazyregexp"
	"auspex/source"
)

// callers is who calls the functions of a file, as far as the file shows it.
// Functions go by the last part of their name: of which class a method is that is
// called, the text does not say.
type callers struct {
	file  *source.File
	units map[string][]*source.Unit
	often map[string]int    // how many loops are around its calls, at most 2
	from  map[string]string // why its callers are not known
}

// The reasons for which the callers of a function are not known, or how often they
// are called.
const (
	elsewhere = "its callers may be in other files"
	pointer   = "it may be called through a pointer"
	nowhere   = "its callers are not in this file"
	partly    = "its callers are not all known"
	above     = "how often its callers are called is not known"
)

func newCallers(f *source.File) *callers {
	c := &callers{file: f, units: map[string][]*source.Unit{}, often: map[string]int{}, from: map[string]string{}}
	private := map[string]bool{}
	whole := false // the program begins here
	var each func(list []*source.Unit, inside bool)
	each = func(list []*source.Unit, inside bool) {
		for _, u := range list {
			name := lastPart(u.Name)
			c.units[name] = append(c.units[name], u)
			if begins(u) {
				whole = true
			}
			if inside || f.Language != source.Fortran && static(f, u) {
				private[name] = true
			}
			each(u.Units, true)
		}
	}
	each(f.Units, false)
	calls := map[string]map[string]int{} // by caller and callee: loops around it
	called := map[string]bool{}
	for name, list := range c.units {
		calls[name] = map[string]int{}
		for _, u := range list {
			c.calls(u.Stmts, 0, func(callee string, loops int) {
				if c.units[callee] != nil {
					called[callee] = true
					calls[name][callee] = max(calls[name][callee], min(loops, 2)+1)
				}
			})
		}
	}
	taken, named := c.taken()
	var open []string
	for name, list := range c.units {
		switch {
		case begins(list[0]):
			continue
		case taken[name]:
			c.from[name] = pointer
		case !called[name] && (named[name] > len(list) || !plainName.MatchString(name) || constructs(list[0])):
			c.from[name] = partly // by a macro, a template, a conversion
		case !called[name]:
			c.from[name] = nowhere
		case !whole && !private[name]:
			c.from[name] = elsewhere
		default:
			continue
		}
		c.often[name] = 2
	}
	for name := range c.units {
		open = append(open, name)
	}
	// What is called by something called often is called often, and nobody knows
	// how often what is called by something of which nobody knows.
	for len(open) > 0 {
		name := open[len(open)-1]
		open = open[:len(open)-1]
		for callee, loops := range calls[name] {
			changed := false
			if n := min(c.often[name]+loops-1, 2); n > c.often[callee] {
				c.often[callee], changed = n, true
			}
			if c.from[name] != "" && c.from[callee] == "" && !begins(c.units[callee][0]) {
				c.from[callee], changed = above, true
			}
			if changed {
				open = append(open, callee)
			}
		}
	}
	return c
}

// begins tells whether a unit is where a program begins.
func begins(u *source.Unit) bool { return u.Kind == source.Program || lastPart(u.Name) == "main" }

var staticWord = lazyregexp.New(`\bstatic\b`)

// static tells whether a function of C is seen in its file only.
func static(f *source.File, u *source.Unit) bool {
	return !strings.Contains(u.Name, "::") && u.Body.Start > u.Start && staticWord.Match(f.Text[u.Start:u.Body.Start])
}

func lastPart(name string) string {
	name, _, _ = strings.Cut(name, "<")
	if i := strings.LastIndex(name, "::"); i >= 0 {
		name = name[i+2:]
	}
	return strings.ToLower(name)
}

// calls visits the calls of statements, with how many loops are around them.
func (c *callers) calls(list []*source.Stmt, loops int, visit func(callee string, loops int)) {
	for _, s := range list {
		inside := loops
		if s.Kind == source.Loop && !s.Loop.Once {
			inside++
		}
		if s.Node != nil {
			c.below(s.Node, spans(s), inside, visit)
		}
		c.calls(s.Body, inside, visit)
		c.calls(s.Else, inside, visit)
	}
}

// below visits the calls under a node, except for those in some spans.
func (c *callers) below(n *source.Node, except []source.Span, loops int, visit func(string, int)) {
	i := sort.Search(len(except), func(i int) bool { return except[i].End >= n.End })
	if i < len(except) && except[i].Contains(n.Span) {
		return
	}
	if name := c.callee(n); name != "" {
		visit(name, loops)
	}
	for k := range n.Children() {
		c.below(k, except, loops, visit)
	}
}

// spans are those of the statements inside a statement.
func spans(s *source.Stmt) []source.Span {
	var list []source.Span
	for _, in := range [][]*source.Stmt{s.Body, s.Else} {
		for _, k := range in {
			list = append(list, k.Span)
		}
	}
	slices.SortFunc(list, func(a, b source.Span) int { return a.End - b.End })
	return list
}

// callee is the last name of what a call calls, "" for other nodes.
func (c *callers) callee(n *source.Node) string {
	var f *source.Node
	switch n.Kind {
	case "call_expression":
		if f = n.Child("function"); f == nil {
			f = n.First
		}
	case "subroutine_call":
		f = n.Child("subroutine")
	case "declaration", "new_expression": // a constructor's, if it has one of that name
		if f = n.Child("type"); f != nil && !c.constructor(f) {
			return ""
		}
	}
	if f == nil {
		return ""
	}
	text := f.Text(c.file.Text)
	for _, mark := range []string{"->", ".", "%"} {
		if i := strings.LastIndex(text, mark); i >= 0 {
			text = text[i+len(mark):]
		}
	}
	return lastPart(strings.TrimSpace(text))
}

// constructor tells whether a type's name is that of a constructor in the file.
func (c *callers) constructor(n *source.Node) bool {
	list := c.units[lastPart(n.Text(c.file.Text))]
	return len(list) > 0 && constructs(list[0])
}

func constructs(u *source.Unit) bool {
	parts := strings.Split(u.Name, "::")
	return len(parts) > 1 && strings.EqualFold(parts[len(parts)-1], parts[len(parts)-2])
}

// words are the names in a text of C, with what stands before and after them;
// comments and constants are passed over.
var words = map[bool]*lazyregexp.Regexp{
	false: lazyregexp.New(`(?s)//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|(?:(\.|->)\s*)?([A-Za-z_]\w*)\s*(.?)`),
	true:  lazyregexp.New(`![^\n]*|"[^"\n]*"|'[^'\n]*'|([(,]\s*)?([A-Za-z]\w*)\s*(.?)`),
}

// taken are the functions whose name stands in the file for something other than
// a call: in C without parentheses after it, in Fortran between commas or
// parentheses, as an argument does. named is how often it stands there at all, but
// for the ends of Fortran's procedures.
func (c *callers) taken() (taken map[string]bool, named map[string]int) {
	taken, named = map[string]bool{}, map[string]int{}
	fortran := c.file.Language == source.Fortran
	text := c.file.Text
	for _, m := range words[fortran].FindAllSubmatchIndex(text, -1) {
		if m[4] < 0 {
			continue
		}
		name := strings.ToLower(string(text[m[4]:m[5]]))
		if c.units[name] == nil || constructs(c.units[name][0]) {
			continue
		}
		after := string(text[m[6]:m[7]])
		if fortran {
			taken[name] = taken[name] || m[2] >= 0 && (after == "," || after == ")")
		} else {
			taken[name] = taken[name] || m[2] < 0 && after != "(" && after != "<" && after != ":"
		}
	}
	for _, m := range plainWords[fortran].FindAllSubmatchIndex(text, -1) {
		if m[2] >= 0 {
			named[strings.ToLower(string(text[m[2]:m[3]]))]++
		}
	}
	return taken, named
}

var (
	plainName  = lazyregexp.New(`^[a-z_]\w*$`)
	plainWords = map[bool]*lazyregexp.Regexp{
		false: lazyregexp.New(`(?s)//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|([A-Za-z_]\w*)`),
		true:  lazyregexp.New(`(?i)![^\n]*|"[^"\n]*"|'[^'\n]*'|\bend\s*(?:function|subroutine|procedure)\s*\w*|([A-Za-z]\w*)`),
	}
)
