package instrument

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
)

// A function whose callers are not known may be called a million times a second:
// it is measured only where its text shows that a call does much whatever it is
// called with. One that the program calls from where it begins needs less.
func TestWorthAProbe(t *testing.T) {
	const nest = "for (i = 0; i < n; i++)\n for (j = 0; j < n; j++)\n  for (k = 0; k < n; k++)\n   a[i] += b[j] * c[k] + b[k] / c[j];\n"
	const plane = "for (i = 0; i < n; i++)\n for (j = 0; j < n; j++)\n  a[i] += b[j] * c[i] + b[j] / c[j];"
	const called = "int main(void) { f(9, 0, 0, 0); }"
	for _, c := range []struct {
		name, body, more string
		want             bool
	}{
		{"a nest of three loops", nest, "", true},
		{"a nest of two loops", plane, "", false},
		{"a nest of two loops, called once", plane, called, true},
		{"a nest of two loops, called in a loop", plane, "int main(void) { int i; for (i = 0; i < 99; i++) f(i, 0, 0, 0); }", true},
		{"a nest of two loops, called once and passed on", plane, called + "\nvoid (*g)() = f;", false},
		{"a nest of two loops, called by something nobody knows", plane, "void g(void) { f(9, 0, 0, 0); }", false},
		{"a nest of two loops, called in a condition", plane, "int main(void) { if (f(9, 0, 0, 0)) return 1; }", true},
		{"a nest of two loops between numbers", "for (i = 0; i < 100; i++)\n for (j = 99; j >= 0; j -= 2)\n  a[i] += b[j];", "", true},
		{"a nest of two loops between small numbers", "for (i = 0; i < 10; i++)\n for (j = 1; j <= 10; j++)\n  a[i] += b[j];", "", false},
		{"a nest of two loops between numbers that a turn may leave", "for (i = 0; i < 100; i++)\n for (j = 0; j < 100; j++)\n  if (a[i] > b[j])\n   return;", "", false},
		{"one loop", "for (i = 0; i < n; i++)\n a[i] += b[i] * c[i] + b[i] / c[i];", "", false},
		{"a nest after a way out", "if (n < 1)\n return;\n" + nest, "", false},
		{"a nest that ends the program if something is wrong", "if (n < 1)\n exit(1);\n" + nest, "", true},
		{"a nest under a condition", "if (n > 1)\n" + nest, "", false},
		{"a nest whichever way", "if (n > 1)\n {" + nest + "}\nelse\n {" + nest + "}", "", true},
		{"a nest that a turn may leave", "for (i = 0; i < n; i++) {\n" + nest[len("for (i = 0; i < n; i++)\n"):] + " if (a[i] > 9)\n  break;\n}", "", false},
		{"a nest of two loops with a long body", "for (i = 0; i < n; i++)\n for (j = 0; j < n; j++) {\n  a[i] += b[j] * c[i] + b[j] / c[j];\n  a[j] -= b[i] * c[j] + b[i] / c[i];\n  b[i] += 2 * a[j] - a[i];\n}", "", true},
		{"a nest that skips turns", nest + "for (i = 0; i < n; i++) {\n if (a[i] > 9)\n  continue;\n a[i]++;\n}", "", true},
		{"a search in a loop", "for (i = 0; i < n; i++)\n while (a[i] > b[i])\n  a[i] -= c[i];", "", false},
		{"what may be macros in a loop", "for (i = 0; i < n; i++) {\n setvalue(a, i);\n checklive(b, i);\n}", "", false},
		{"cases of which one is taken", "switch (n) {" + strings.Repeat("case 1:\n"+nest+" break;\n", 9) + "}", "", false},
		{"a message under a condition", "if (n > 1)\n MPI_Send(a, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);\nfor (i = 0; i < n; i++)\n a[i] += b[i];", "", true},
		{"a rank asked for", "MPI_Comm_rank(MPI_COMM_WORLD, &i);\nfor (i = 0; i < n; i++)\n a[i] += b[i];", "", false},
		{"threads", "#pragma omp parallel for\nfor (i = 0; i < n; i++)\n a[i] += b[i];", "", true},
	} {
		text := "void f(int n, double *a, double *b, double *c)\n{\n int i, j, k;\n" + c.body + "\n" + strings.Repeat("\n", 9) + "}\n" + c.more
		list := Candidates(parse(t, "f.c", []byte(text)), Options{})
		if list[0].Name != "f" || list[0].Chosen != c.want {
			t.Errorf("%s: %+v", c.name, list[0])
		}
	}
}

// Of callers nothing is said that the file belies.
func TestWhoCalls(t *testing.T) {
	const work = "\n{\n for (int i = 0; i < n; i++)\n  a[i] += i * 3 - a[i] / 2 + a[0] * a[1];\n\n\n\n\n\n\n\n}\n"
	for _, c := range []struct{ name, text, why string }{
		{"f.c", "void f(int n, int *a)" + work, nowhere},
		{"f.c", "/* f adds */ void f(int n, int *a)" + work + "const char *s = \"f\";\n", nowhere},
		{"f.c", "static void f(int n, int *a)" + work + "#define call(n, a) f(n, a)\nint main(void) { call(9, 0); }\n", partly},
		{"f.c", "static void f(int n, int *a)" + work + "void g(int *a) { f(9, a); }\n", above},
		{"f.c", "void f(int n, int *a)" + work + "void g(int *a) { f(9, a); }\n", elsewhere},
		{"f.cpp", "template <int N> struct T { static void f(int n, int *a)" + work + "};\nint main() { T<3>::f(9, 0); }\n", partly},
		{"f.cpp", "struct T { int n, *a; operator bool()" + work + "};\nint main() { T t; if (t) return 1; }\n", partly},
		{"f.f90", "subroutine f(n, a)\n integer :: n, i\n real :: a(n)\n do i = 1, n\n  a(i) = a(i) + i * 3 - a(i) / 2 + a(1) * a(2)\n end do\n\n\n\n\nend subroutine f\n", nowhere},
	} {
		k := Candidates(parse(t, c.name, []byte(c.text)), Options{})[0]
		if !strings.HasPrefix(k.Why, "perhaps as few as ") || !strings.HasSuffix(k.Why, c.why) {
			t.Errorf("%s\n%s: %q, want %q", c.text, k.Name, k.Why, c.why)
		}
	}
}

// A constructor is called where something is declared.
func TestConstructors(t *testing.T) {
	const text = "struct Plate {\n Plate(int n)\n {\n  for (int i = 0; i < n; i++)\n   for (int j = 0; j < n; j++)\n    a[i][j] = 4 * i + j / 3;\n\n\n\n\n\n }\n int a[9][9];\n};\n"
	for more, want := range map[string]bool{"int main() { Plate plate(9); }\n": true, "int main() { auto p = new Plate(9); }\n": true, "void g(Plate &);\n": false} {
		list := Candidates(parse(t, "f.cpp", []byte(text+more)), Options{})
		if list[0].Name != "Plate::Plate" || list[0].Chosen != want {
			t.Errorf("%s: %+v", more, list[0])
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

// A chain of calls, as generators write them, is not followed to its end: the stack
// has a limit, and running over it would end the compiler.
func TestChainOfCalls(t *testing.T) {
	var text strings.Builder
	text.WriteString("static int f0(int n) { return n; }\n")
	for i := 1; i < 20_000; i++ {
		fmt.Fprintf(&text, "static int f%d(int n) { return f%d(n - 1); }\n", i, i-1)
	}
	f := parse(t, "f.c", []byte(text.String()))
	defer debug.SetMaxStack(debug.SetMaxStack(16 << 20))
	l := newLoads(f)
	if w := l.of(f.Units[len(f.Units)-1]); w < tinyWork {
		t.Errorf("a chain of calls is %d operations", w)
	}
}
