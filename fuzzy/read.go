package fuzzy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"auspex/expr"
	"auspex/internal/mistake"
)

// reader turns tables into variables and factors.
type reader struct {
	file   string
	places places
}

// fail points at the key with the given path.
func (r reader) fail(path []string, format string, args ...any) error {
	return mistake.AtLine(r.file, r.places.line(path...), format, args...)
}

func (r reader) variable(name string, t variableTable) (*Variable, error) {
	at := func(keys ...string) []string { return append([]string{"variable", name}, keys...) }
	x := &Variable{Name: name, About: t.About}
	if t.Metric == "" {
		t.Metric = expr.Quote(name)
	}
	var err error
	if x.Metric, err = expr.Parse(t.Metric); err != nil {
		return nil, r.fail(at("metric"), "metric of %s: %v", name, err)
	}
	if x.Also, err = r.metrics(at("also"), t.Also); err != nil {
		return nil, err
	}
	if x.InsteadOf, err = r.metrics(at("instead_of"), t.InsteadOf); err != nil {
		return nil, err
	}
	if x.Low, x.High, err = span(t.Universe); err != nil {
		return nil, r.fail(at("universe"), "universe of %s %v", name, err)
	}
	if len(t.Terms) == 0 {
		return nil, r.fail(at(), "variable %s has no terms; write them under [variable.%s.terms]", name, name)
	}
	if x.Terms, err = r.terms(at("terms"), t.Terms, nil); err != nil {
		return nil, err
	}
	x.Global, err = r.terms(at("global"), t.Global, x.Terms)
	return x, err
}

func (r reader) metrics(path []string, texts []string) ([]expr.Node, error) {
	var nodes []expr.Node
	for _, text := range texts {
		n, err := expr.Parse(text)
		if err != nil {
			return nil, r.fail(path, "%s of %s: %q: %v", path[2], path[1], text, err)
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// terms reads names and definitions. Words in a definition refer to terms that
// are shapes themselves (own, or among these), so no definition can be
// circular.
func (r reader) terms(path []string, table map[string]string, own []*Term) ([]*Term, error) {
	var terms []*Term
	shapes := slices.Clone(own)
	for _, name := range r.places.keys(strings.Join(path, sep), keysOf(table)) {
		at := append(slices.Clone(path), name)
		if err := checkTermName(name); err != nil {
			return nil, r.fail(at, "%v", err)
		}
		if find(terms, name) != nil {
			return nil, r.fail(at, "the term %s is defined twice (case does not count)", name)
		}
		p, err := ParsePhrase(table[name])
		if err != nil {
			return nil, r.fail(at, "term %s: %v", name, err)
		}
		t := &Term{Name: name, Definition: p}
		if lit, ok := p.(*Literal); ok {
			t.Set = lit.Shape
			shapes = append(shapes, t)
		}
		terms = append(terms, t)
	}
	for _, t := range terms {
		if t.Set != nil {
			continue
		}
		set, err := Bind(t.Definition, Minimum, func(ref *TermRef) (Set, error) {
			if s := find(shapes, ref.Name); s != nil {
				return s.Set, nil
			}
			var known []string
			for _, s := range shapes {
				known = append(known, s.Name)
			}
			return nil, errors.New(joinHint(fmt.Sprintf("%s is no term with a shape of its own here", ref.Name), expr.DidYouMean(ref.Name, known)))
		})
		if err != nil {
			return nil, r.fail(append(slices.Clone(path), t.Name), "term %s: %v", t.Name, err)
		}
		t.Set = set
	}
	return terms, nil
}

// checkTermName refuses names that a phrase could not tell from its grammar.
func checkTermName(name string) error {
	switch {
	case name == "":
		return errors.New("a term needs a name")
	case isModifier(name) || expr.Reserved(name):
		return fmt.Errorf("a term cannot be named %s, which is a word of the language", name)
	}
	return nil
}

func (r reader) factor(name string, t factorTable) (*Factor, error) {
	at := func(keys ...string) []string { return append([]string{"factor", name}, keys...) }
	f := &Factor{Name: name, About: t.About, Category: t.Category, Controllable: t.Controllable == nil || *t.Controllable}
	var err error
	if f.Low, f.High, err = span(t.Range); err != nil {
		return nil, r.fail(at("range"), "range of %s %v", name, err)
	}
	switch form, formErr := ParseForm(t.Set); {
	case t.Set == "":
		return nil, r.fail(at(), "factor %s has no set; write one such as set = \"linear\"", name)
	case formErr == nil:
		f.Set, err = form.Over(f.Low, f.High)
	case !strings.Contains(t.Set, "("):
		err = formErr
	default:
		f.Set, err = ParseShape(t.Set)
	}
	if err != nil {
		return nil, r.fail(at("set"), "set of %s: %v", name, err)
	}
	for word, number := range t.Words {
		if !finite(number) {
			return nil, r.fail(at("words", word), "%s stands for %v, which is not a number", word, number)
		}
		f.Words = append(f.Words, WordNumber{word, number})
	}
	sortWords(f.Words)
	return f, nil
}

// span checks a universe or range.
func span(pair []float64) (lo, hi float64, err error) {
	switch {
	case pair == nil:
		return 0, 0, errors.New("is missing; write it as two numbers, such as [0, 1]")
	case len(pair) != 2:
		return 0, 0, fmt.Errorf("needs two numbers, such as [0, 1], not %d", len(pair))
	case !finite(pair[0]) || !finite(pair[1]):
		return 0, 0, errors.New("must be two finite numbers")
	case pair[0] >= pair[1]:
		return 0, 0, fmt.Errorf("is empty: %v is not below %v", pair[0], pair[1])
	}
	return pair[0], pair[1], nil
}

// clashes finds names that only differ in case, and global terms claimed twice.
func (r reader) clashes(v *Vocabulary) error {
	var names, globals []string
	has := func(list []string, name string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, name) })
	}
	for _, x := range v.Variables {
		if has(names, x.Name) {
			return r.fail([]string{"variable", x.Name}, "the variable %s is defined twice (case does not count)", x.Name)
		}
		names = append(names, x.Name)
		for _, g := range x.Global {
			if has(globals, g.Name) {
				return r.fail([]string{"variable", x.Name, "global", g.Name}, "the global term %s is already defined by another variable", g.Name)
			}
			globals = append(globals, g.Name)
		}
	}
	return nil
}
