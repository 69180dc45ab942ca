package instrument

import (
	"testing"

	"auspex/source"
)

// The warning that is hidden is the one of what seems to be inside of a statement.
func TestHides(t *testing.T) {
	const work = "    for (i = 0; i < n; i++) {\n        a[i] = i;\n    }\n"
	const function = "void f(int n, int *a, int *b)\n{\n    int i, j;\n"
	for _, c := range []struct {
		loop string
		want bool
	}{
		{"    for (i = 0; i < n; i++)\n        a[i] = i;\n        b[0] = 1;\n", true},
		{"    for (i = 0; i < n; i++)\n        a[i] = i; b[0] = 1;\n", true},
		{"    for (i = 0; i < n; i++)\n        a[i] = i;\n/* so */\n#if 1\n\tb[0] = 1;\n#endif\n", true},
		{"    for (i = 0; i < n; i++) {\n        for (j = 0; j < n; j++)\n            a[j] = i;\n            b[i] = 1;\n    }\n", true},
		{work + "    if (n)\n      a[0] = 1;\n      b[0] = 1;\n", true},
		{work + "    if (n)\n        a[0] = 1;\n    else if (n > 3)\n        b[1] = 1;\n        b[0] = 1;\n", true},
		{work + "    if (n)\n        a[0] = 1;\n    else\n        b[1] = 1;\n    b[0] = 1;\n", false},
		{"    for (i = 0; i < n; i++)\n        a[i] = i;\n    b[0] = 1;\n", false},
		{"    for (i = 0; i < n; i++) {\n        a[i] = i;\n    }\n        b[0] = 1;\n", false},
		{"    for (i = 0; i < n; i++)\n        a[i] = i;\n", false},
	} {
		file, err := source.Parse(t.Context(), "x.c", []byte(function+c.loop+"}\n"), source.Options{Language: source.C})
		if err != nil {
			t.Fatal(err)
		}
		if r := Rewrite(file, Options{MinLines: 1, Count: true}); len(r.Regions) < 2 || r.Hides != c.want {
			t.Errorf("%d regions, hides %v:\n%s", len(r.Regions), r.Hides, c.loop)
		}
	}
}
