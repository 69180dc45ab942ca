package probe

import (
	"fmt"
	"strings"

	"auspex/internal/lazyregexp"
)

// A prototype is one function of mpi.h.
type prototype struct {
	prefix string // MPI or MPIX
	name   string // without it
	params []param
}

// declared is the list of its parameters, and passed what hands them on.
func (p prototype) declared() string {
	if len(p.params) == 0 {
		return "void"
	}
	return repeat(len(p.params), func(i int) string { return p.params[i].text })
}

func (p prototype) passed() string {
	return repeat(len(p.params), func(i int) string { return p.params[i].name })
}

type param struct {
	text string // the declaration as it stands in the header
	name string
}

var (
	// Of functions that a library has before the standard does, only those that
	// make requests matter: the trace would not know what a rank waits for.
	prototypeText = lazyregexp.New(`\bint\s+(MPI|MPIX)_(\w+)\s*\(([^()]*)\)`)
	lastName      = lazyregexp.New(`(\w+)\s*((?:\[[^\]]*\]\s*)*)$`)
)

// prototypes finds the functions that a preprocessed mpi.h declares. Those
// that take a variable number of arguments are left out: they cannot be
// passed on.
func prototypes(header string) []prototype {
	var found []prototype
	seen := map[string]bool{}
	for _, m := range prototypeText.FindAllStringSubmatch(header, -1) {
		prefix, name, list := m[1], m[2], strings.Join(strings.Fields(m[3]), " ")
		if seen[name] || strings.Contains(list, "...") || prefix == "MPIX" && tracing(name) == "" {
			continue
		}
		p := prototype{prefix: prefix, name: name}
		if list != "void" && list != "" {
			for i, text := range strings.Split(list, ",") {
				p.params = append(p.params, parameter(strings.TrimSpace(text), i))
			}
		}
		seen[name] = true
		found = append(found, p)
	}
	return found
}

// parameter finds the name in a declaration such as `const int counts[]`. A
// header may leave names out: then there is only a type, and one is made up.
func parameter(text string, i int) param {
	m := lastName.FindStringSubmatchIndex(text)
	if m != nil {
		before := strings.TrimSpace(text[:m[2]])
		name := text[m[2]:m[3]]
		if before != "" && before != "const" && name != "int" && !strings.HasPrefix(name, "MPI_") {
			return param{text: text, name: name}
		}
	}
	name := fmt.Sprintf("argument%d", i)
	if m != nil && m[4] != m[5] { // `int[]` wants the name before the brackets
		return param{text: text[:m[4]] + " " + name + text[m[4]:], name: name}
	}
	return param{text: text + " " + name, name: name}
}
