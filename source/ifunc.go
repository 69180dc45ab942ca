package source

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"auspex/internal/lazyregexp"
)

var (
	ifuncOf   = lazyregexp.New(`\b_*ifunc_*\s*\(\s*"([^"\n]+)"`)
	ifuncWord = lazyregexp.New(`\b_*ifunc_*\s*\(`)
	cName     = lazyregexp.New(`[A-Za-z_]\w*`)
)

// markResolvers marks the functions by which the loader chooses between several
// forms of a function (`__attribute__((ifunc("name")))`), and what they call. They
// run before their program is relocated: nothing that they do not call themselves
// may be called there.
func (p *parser) markResolvers() {
	if p.file.Language == Fortran || !bytes.Contains(p.file.Text, []byte("ifunc")) {
		return
	}
	units := map[string][]*Unit{}
	p.file.All(func(u *Unit) {
		name := u.Name[strings.LastIndex(u.Name, ":")+1:]
		units[name] = append(units[name], u)
	})
	var mark func(name string)
	mark = func(name string) {
		for _, u := range units[name] {
			if !u.Has(Resolver) {
				u.Traits |= Resolver
				eachCalled(u.Node, p.file.Text, mark)
			}
		}
	}
	for _, named := range p.resolvers() {
		mark(named)
		if !strings.HasPrefix(named, "_Z") {
			continue
		}
		for name := range units { // as C++ spells it: _ZN4name7resolveEv
			if strings.Contains(named, fmt.Sprintf("%d%s", len(name), name)) {
				mark(name)
			}
		}
	}
}

// resolvers are the names that ifunc is given, by itself or through a macro.
func (p *parser) resolvers() []string {
	var names []string
	for _, m := range ifuncOf.FindAllStringSubmatch(string(p.file.Text), -1) {
		names = append(names, m[1])
	}
	for _, d := range p.directives {
		macro, _ := splitWord([]byte(d.rest))
		if d.word != "define" || macro == "" || !ifuncWord.Match(p.file.Text[d.Start:d.End]) {
			continue
		}
		use := regexp.MustCompile(`\b` + regexp.QuoteMeta(macro) + `\s*\(([^()]*)\)`)
		for _, m := range use.FindAllSubmatch(p.file.Text, -1) {
			names = append(names, cName.FindAllString(string(m[1]), -1)...)
		}
	}
	return names
}

// eachCalled visits the names of the functions that are called under a node.
func eachCalled(n *Node, text []byte, visit func(string)) {
	if f := n.Child("function"); n.Kind == "call_expression" && f != nil && f.Kind == "identifier" {
		visit(f.Text(text))
	}
	for k := range n.Children() {
		eachCalled(k, text, visit)
	}
}
