package instrument

import (
	"strings"
	"testing"
)

// A function that nobody in the file calls may be called in nested loops: it is
// measured only where its text shows that a call does much.
func TestWorthAProbe(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       bool
	}{
		{"a nest of two loops", "for (i = 0; i < n; i++)\n for (j = 0; j < n; j++)\n  a[i] += b[j] * c[i] + b[j] / c[j];", true},
		{"one loop", "for (i = 0; i < n; i++)\n a[i] += b[i] * c[i] + b[i] / c[i];", false},
		{"a nest under two conditions", "if (n > 1)\n if (n < 100)\n  for (i = 0; i < n; i++)\n   for (j = 0; j < n; j++)\n    a[i] += b[j];", false},
		{"a search in a loop", "for (i = 0; i < n; i++)\n while (a[i] > b[i])\n  a[i] -= c[i];", false},
		{"what may be macros in a loop", "for (i = 0; i < n; i++) {\n setvalue(a, i);\n checklive(b, i);\n}", false},
		{"cases of which one is taken", "switch (n) {" + strings.Repeat("case 1:\n for (i = 0; i < n; i++)\n  a[i] += b[i] * c[i] + b[i] / c[i] - b[i];\n break;\n", 9) + "}", false},
	} {
		text := "void f(int n, double *a, double *b, double *c)\n{\n int i, j;\n" + c.body + "\n" + strings.Repeat("\n", 9) + "}\n"
		list := Candidates(parse(t, "f.c", []byte(text)), Options{})
		if len(list) != 1 || list[0].Chosen != c.want {
			t.Errorf("%s: %+v", c.name, list[0])
		}
	}
}

// A turn of a loop around another is counted only where it does enough whatever
// its conditions say.
func TestCountedTurns(t *testing.T) {
	const nest = "for (k = 0; k < n; k++)\n  a[k] = b[k] * b[k] + a[k];"
	for body, want := range map[string]bool{
		nest:                     true,
		"if (b[i] > 4)\n" + nest: false,
		"if (b[i] > 4)\n" + nest + "\nelse\n a[i] = 0;":    false,
		"if (b[i] > 4)\n" + nest + "\nelse\n" + nest:       true,
		"switch (n) { case 3: " + nest + " }":              false,
		"if (b[i] > 4)\n a[i] = 0;\n" + nest + "\na[0]++;": true,
	} {
		text := "void f(int n, double *a, double *b)\n{\n int i, k;\n for (i = 0; i < n; i++) {\n" + body + "\n}\n" + strings.Repeat("\n", 9) + "}\n"
		filter, err := ReadFilter("f", strings.NewReader("include *:f\n"))
		if err != nil {
			t.Fatal(err)
		}
		r := rewrite(t, parse(t, "f.c", []byte(text)), Options{Count: true, Filter: filter})
		_, own, _ := strings.Cut(string(r.Text), "void f(") // after the macros
		if got := strings.Contains(own, "AUSPEX_N("); got != want {
			t.Errorf("counted %v:\n%s", got, body)
		}
	}
}
