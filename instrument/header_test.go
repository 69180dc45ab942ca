package instrument

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"auspex/source"
)

// What is put into a header depends on its text alone, and taking it out gives
// the header back.
func TestRewriteHeader(t *testing.T) {
	text := []byte("\xef\xbb\xbf#pragma once\ntemplate <class T> void f(T *v, int n)\n{\n    for (int i = 0; i < n; i++)\n        for (int k = 0; k < n; k++)\n            v[i] += k;\n}\ninline constexpr int g()\n{\n    return 1;\n}\n")
	rewrite := func(named string) *Result {
		f, err := source.Parse(context.Background(), "/p/h.hpp", text, source.Options{Language: source.CXX})
		if err != nil {
			t.Fatal(err)
		}
		return RewriteHeader(f, Options{MinLines: 2}, named)
	}
	one, two := rewrite("h.hpp"), rewrite("../p/h.hpp")
	rest := func(r *Result) string { _, after, _ := strings.Cut(string(r.Text), "\n"); return after }
	if rest(one) != rest(two) {
		t.Errorf("two includers see\n%s\nand\n%s", one.Text, two.Text)
	}
	if !strings.HasPrefix(string(one.Text), "\xef\xbb\xbf#line 1 \"h.hpp\"\n#pragma once\n") {
		t.Errorf("begins with %q", one.Text[:40])
	}
	for _, want := range []string{`{AUSPEX_H(0,"f","/p/h.hpp",2,1);`, `{AUSPEX_H(1,"f/loop@4","/p/h.hpp",4,2);for`} {
		if !strings.Contains(string(one.Text), want) {
			t.Errorf("no %s in\n%s", want, one.Text)
		}
	}
	if strings.Count(string(one.Text), "AUSPEX_H") != 2 {
		t.Errorf("more than f is measured:\n%s", one.Text)
	}
	back, err := Restore(one.Text, one.Edits)
	if err != nil || !bytes.Equal(back, text) {
		t.Errorf("%v: restored %q", err, back)
	}
}
