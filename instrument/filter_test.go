package instrument

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFilterRules(t *testing.T) {
	f, err := ReadFilter("f", strings.NewReader(`
# everything off, then some on
exclude *:*
include src/solver.c:step
include solver.c:step/loop@*
exclude solver.c:step/loop@30
include *.cpp:ns::*::run
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file, function, line string
		want                 string // the rule that decides
	}{
		{"/home/u/src/solver.c", "step", "", "include src/solver.c:step"},
		{"/home/u/src/solver.c", "step", "12", "include solver.c:step/loop@*"},
		{"src/solver.c", "step", "30", "exclude solver.c:step/loop@30"},
		{"xsolver.c", "step", "", "exclude *:*"},
		{"solver.c", "other", "7", "exclude *:*"},
		{"a/b.cpp", "ns::deep::K::run", "", "include *.cpp:ns::*::run"},
		{"a/b.cpp", "ns::deep::K::run", "9", "exclude *:*"},
	} {
		if r := f.last(c.file, c.function, c.line); r == nil || r.String() != c.want {
			t.Errorf("%s:%s %s decided by %v, want %s", c.file, c.function, c.line, r, c.want)
		}
	}
}

func TestFilterErrors(t *testing.T) {
	for text, want := range map[string]string{
		"include a.c:f\nkeep b:c": "f:2: ",
		"include solver.c":        "f:1: ",
		"exclude a.c:":            "FILE:FUNCTION",
	} {
		if _, err := ReadFilter("f", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"*", "", true}, {"", "", true}, {"", "a", false}, {"a*c", "abbbc", true}, {"a*c", "abcb", false},
		{"*a*b*", "xxaxxb", true}, {"a?c", "abc", true}, {"a?c", "ac", false}, {"**", "x", true},
		{`operator\*`, "operator*", true}, {`operator\*`, "operator*=", false}, {`a\\b`, `a\b`, true}, {`*\?`, "why?", true}, {`*\?`, "why", false}, {`a\`, "a", false},
	} {
		if got := glob(c.pattern, c.s); got != c.want {
			t.Errorf("glob(%q, %q) = %v", c.pattern, c.s, got)
		}
	}
}

// The rule for one region comes back from its text and matches no other.
func TestExactly(t *testing.T) {
	names := rapid.StringMatching(`[ab*?\\:/]*[ab*?\\]`)
	rapid.Check(t, func(t *rapid.T) {
		file, function, other := names.Draw(t, "file"), strings.ReplaceAll(names.Draw(t, "function"), ":", "::"), names.Draw(t, "other")
		f, err := ReadFilter("f", strings.NewReader("exclude *:*\n"+Exactly(file, function, "").String()))
		if err != nil {
			t.Fatal(err)
		}
		if r := f.last("/x/"+file, function, ""); !r.Include {
			t.Errorf("%q is not included by %v", file+":"+function, f.Rules[1])
		}
		if other != function && f.last(file, other, "").Include || f.last(file+"x", function, "").Include {
			t.Errorf("%v includes more than itself", f.Rules[1])
		}
	})
}
