package depend

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"auspex/source"
)

func parse(t interface {
	Helper()
	Fatal(args ...any)
}, name, text string) *source.File {
	t.Helper()
	f, err := source.Parse(context.Background(), name, []byte(text), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// want is the verdict on the first loop of a text and a part of the reason.
type want struct {
	name, text string
	verdict    Verdict
	reason     string
}

func checkLoops(t *testing.T, file string, cases []want) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			loops := New(parse(t, file, c.text)).Loops()
			if len(loops) == 0 {
				t.Fatal("no loop found")
			}
			got := loops[0]
			if got.Verdict != c.verdict || !strings.Contains(got.Reason, c.reason) {
				t.Errorf("%s: %s\nwant %s: …%s…\n%s", got.Verdict, got.Reason, c.verdict, c.reason, c.text)
			}
		})
	}
}

func TestLoopsOfC(t *testing.T) {
	in := func(params, body string) string { return "void f(" + params + ")\n{\n" + body + "\n}\n" }
	checkLoops(t, "a.c", []want{
		{"copy", in("int n, double *restrict a, const double *restrict b", "for (int i = 0; i < n; i++) a[i] = 2 * b[i];"), Independent, ""},
		{"one pointer", in("int n, double *a", "for (int i = 0; i < n; i++) a[i] = a[i] + i;"), Independent, ""},
		{"aliasing", in("int n, double *a, double *b", "for (int i = 0; i < n; i++) a[i] = b[i];"), Carried, "a (line 3) and b (line 3) may be the same memory"},
		{"other type", in("int n, double *a, int *k", "for (int i = 0; i < n; i++) a[i] = k[i];"), Independent, ""},
		{"sum", in("int n, double *a, double *out", "double s = 0; for (int i = 0; i < n; i++) s += a[i]; *out = s;"), Reduction, "+: s"},
		{"sum that is sent", in("int n", "double *a = malloc(8 * n), s = 0; for (int i = 0; i < n; i++) s += a[i]; send(&s);"), Reduction, "+: s"},
		{"sum that is sent, of anything", in("int n, double *a", "double s = 0; send(&s); for (int i = 0; i < n; i++) s += a[i];"), Carried, "may be the same memory"},
		{"sum through a pointer that moves", in("int n", "double s = 0, *a = malloc(8 * n); a = &s; for (int i = 0; i < n; i++) s += a[i];"), Carried, "may be the same memory"},
		{"minus", in("int n, double *a, double *out", "double s = 0; for (int i = 0; i < n; i++) s = a[i] - s; *out = s;"), Carried, "s is read on line 3"},
		{"sum of itself", in("int n, double *a", "double s = 0; for (int i = 0; i < n; i++) s += s * a[i]; a[0] = s;"), Carried, "s is read"},
		{"largest by if", in("int n, double *a", "double m = 0; for (int i = 0; i < n; i++) if (a[i] > m) m = a[i]; a[0] = m;"), Reduction, "max: m"},
		{"largest by choice", in("int n, double *a", "double m = 0; for (int i = 0; i < n; i++) m = a[i] < m ? m : a[i]; a[0] = m;"), Reduction, "max: m"},
		{"histogram", in("int n, int h[64], double *x", "for (int i = 0; i < n; i++) h[(int)x[i]]++;"), Reduction, "+: h"},
		{"carried", in("int n, double *a", "for (int i = 1; i < n; i++) a[i] = a[i - 1];"), Carried, "a[i - 1] on line 3 may be what a[i] on line 3 writes"},
		{"even and odd", in("int n, double *a", "for (int i = 0; i < n; i += 2) a[i] = a[i + 1];"), Independent, ""},
		{"even by factor", in("int n, double *a", "for (int i = 0; i < n; i++) a[2 * i] = a[2 * i + 1];"), Independent, ""},
		{"far apart", in("double *a", "for (int i = 0; i < 10; i++) a[i] = a[i + 10];"), Independent, ""},
		{"not far enough", in("double *a", "for (int i = 0; i < 11; i++) a[i] = a[i + 10];"), Carried, "a[i + 10]"},
		{"mirror", in("double *a", "for (int i = 0; i < 10; i++) a[i] = a[9 - i];"), Carried, "a[9 - i]"},
		{"indirect", in("int n, double *a, int *k", "for (int i = 0; i < n; i++) a[k[i]] = i;"), Carried, "cannot be determined from i"},
		{"private", in("int n, double *a", "double t; for (int i = 0; i < n; i++) { t = a[i]; a[i] = t * t; }"), Independent, "t is written anew"},
		{"private on one path", in("int n, double *a", "double t = 0; for (int i = 0; i < n; i++) { if (a[i] > 0) t = a[i]; a[i] = t; }"), Carried, "t is read on line 3"},
		{"private on both paths", in("int n, double *a", "double t; for (int i = 0; i < n; i++) { if (a[i] > 0) t = a[i]; else t = 0; a[i] = t; }"), Independent, ""},
		{"last under a condition", in("int n, double *a, int *out", "int k = 0; for (int i = 0; i < n; i++) if (a[i] > 0) k = i; *out = k;"), Carried, "only under a condition"},
		{"known call", in("int n, double *a", "for (int i = 0; i < n; i++) a[i] = sin(a[i]);"), Independent, ""},
		{"unknown call", in("int n, double *a", "for (int i = 0; i < n; i++) a[i] = work(i);"), Unknown, "Line 3 calls work, of which nothing is known"},
		{"output", in("int n, double *a", "for (int i = 0; i < n; i++) printf(\"%f\", a[i]);"), Carried, "acts outside the program"},
		{"communication", in("int n, double *a", "for (int i = 0; i < n; i++) MPI_Send(a, 1, MPI_DOUBLE, i, 0, MPI_COMM_WORLD);"), Carried, "Line 3 calls MPI_Send, which communicates"},
		{"break", in("int n, double *a", "for (int i = 0; i < n; i++) { if (a[i] < 0) break; a[i] = 0; }"), Carried, "Line 3 may leave the loop"},
		{"break of a switch", in("int n, double *a", "for (int i = 0; i < n; i++) { switch (n) { case 1: a[i] = 0; break; } }"), Independent, ""},
		{"while", in("int n, double *a", "while (n > 0) n--;"), Unknown, "decided anew"},
		{"counter changed", in("int n, double *a", "for (int i = 0; i < n; i++) { a[i] = 0; i++; }"), Carried, "counts the iterations"},
		{"bound changed", in("int n, double *a", "for (int i = 0; i < n; i++) { a[i] = 0; n = n - 1; }"), Carried, "bound reads n"},
		{"rows of a matrix", in("int n, double a[n][n]", "for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) a[i][j] = a[i][j - 1];"), Independent, "j is written anew"},
		{"rows of pointers", in("int n, double **a", "for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) a[i][j] = a[i][j - 1];"), Carried, ""},
		{"linear rows", in("int n, double *a", "int w = n + 2; for (int i = 0; i <= n; i++) for (int j = 1; j <= n; j++) { long c = i * w + j; a[c] = a[c - 1]; }"), Independent, ""},
		{"linear rows too wide", in("int n, double *a", "int w = n; for (int i = 0; i < n; i++) for (int j = 0; j <= n; j++) a[i * w + j] = i;"), Carried, ""},
		{"stride may be 0", in("int n, int w, double *a", "for (int i = 0; i < n; i++) a[i * w] = i;"), Carried, ""},
		{"private pointer", in("int n, double a[100][n]", "for (int i = 0; i < n; i++) { double *p = a[0] + i; p[0] = 1; }"), Independent, ""},
		{"pointer into", in("int n, double *a", "for (int i = 0; i < n; i++) { double *p = a + 2 * i; p[0] = p[1]; }"), Independent, ""},
		{"pointer that moves", in("int n, double *a", "double *p = a; for (int i = 0; i < n; i++) { *p = i; p++; }"), Independent, "p can be told from i"},
		{"pointer that moves too little", in("int n, double *a", "double *p = a; for (int i = 0; i < n; i++) { p[0] = p[1]; p++; }"), Carried, "p"},
		{"pointer that moves far enough", in("int n, double *a", "double *p = a; for (int i = 0; i < n; i++) { p[0] = p[1]; p += 2; }"), Independent, ""},
		{"pointer and its array", in("int n, double *a", "double *p = a; for (int i = 0; i < n; i++) { *p = a[n - i]; p++; }"), Carried, "same memory"},
		{"second counter", in("int n, double *a", "int k = 0; for (int i = 0; i < n; i++) { a[k] = i; k += 3; a[k - 1] = 1; }"), Independent, "k can be told from i"},
		{"second counter meets", in("int n, double *a", "int k = 0; for (int i = 0; i < n; i++) { a[k] = i; k += 3; a[k] = 1; }"), Carried, "a[k]"},
		{"counter in a subscript", in("int n, double *a", "int k = 0; for (int i = 0; i < n; i++) a[k++] = i;"), Independent, ""},
		{"counter in a subscript, twice", in("int n, double *a", "int k = 0; for (int i = 0; i < n; i++) { a[k++] = i; a[k] = i; }"), Carried, "a[k]"},
		{"second counter, at times", in("int n, double *a", "int k = 0; for (int i = 0; i < n; i++) { if (a[i] > 0) continue; a[k] = i; k++; }"), Carried, "k is read"},
		{"second counter, sometimes", in("int n, double *a, double *b", "int k = 0; for (int i = 0; i < n; i++) { if (a[i] > 0) k++; a[k] = i; }"), Carried, "k is read"},
		{"second counter may stand", in("int n, int w, double *a", "int k = 0; for (int i = 0; i < n; i++) { a[k] = i; k += w; }"), Carried, "a[k]"},
		{"second counter in floating point", in("int n, double *a", "double k = 0; for (int i = 0; i < n; i++) { a[(int)k] = i; k += 0.5; }"), Carried, ""},
		{"a flag", in("int n, double *a, int *out", "int bad = 0; for (int i = 0; i < n; i++) if (a[i] < 0) bad = 1; *out = bad;"), Reduction, "set: bad"},
		{"two flags in one", in("int n, double *a, int *out", "int bad = 0; for (int i = 0; i < n; i++) { if (a[i] < 0) bad = 1; if (a[i] > 9) bad = 2; } *out = bad;"), Carried, "only under a condition"},
		{"counter of a loop under a condition", in("int n, double *a", "int j; for (int i = 0; i < n; i++) if (i > 3) for (j = 0; j < 1; j++) a[i] = j; for (j = 0; j < n; j++) a[j] += 1;"), Independent, "j is written anew"},
		{"and read afterwards", in("int n, double *a", "int j = 0; for (int i = 0; i < n; i++) if (i > 3) for (j = 0; j < 1; j++) a[i] = j; a[0] = j;"), Carried, "j is set"},
		{"named types", "typedef int Int; typedef double Real;\n" + in("Int n, Real *a, Int *k", "for (Int i = 0; i < n; i++) a[i] = k[i];"), Independent, ""},
		{"a cast that looks like a call", "typedef int Int;\n" + in("Int n, double *a", "for (Int i = 0; i < n; i++) a[(Int)(i)] = (Int)(2 * a[i]);"), Independent, ""},
		{"a call that looks like a cast", in("int n, double *a", "for (int i = 0; i < n; i++) a[i] = (work)(i);"), Unknown, "nothing is known"},
		{"one type under two names", "typedef int Int; typedef int Num;\n" + in("Int n, Num *a, Int *k", "for (Int i = 0; i < n; i++) a[i] = k[i];"), Carried, "same memory"},
		{"goto the end", in("int n, double *a", "for (int i = 0; i < n; i++) { if (i == 3) goto next; a[i] = 0; next: ; }"), Independent, ""},
		{"narrow index", in("int n, double *a", "for (int i = 0; i < n; i++) { unsigned char c = i; a[c] = i; }"), Carried, ""},
		{"cast index", in("int n, double *a", "for (int i = 0; i < n; i++) a[(unsigned char)i] = i;"), Carried, ""},
		{"down", in("int n, double *a", "for (int i = n - 1; i >= 0; i--) a[i] = i;"), Independent, ""},
		{"local array", in("int n, double *a", "for (int i = 0; i < n; i++) { double t[4]; for (int k = 0; k < 4; k++) t[k] = i; a[i] = t[2]; }"), Independent, ""},
		{"goto", in("int n, double *a", "double t; for (int i = 0; i < n; i++) { if (a[i] > 0) goto x; t = 1; x: a[i] = t; }"), Carried, ""},
	})
}

func TestCallsIntoTheProgram(t *testing.T) {
	checkLoops(t, "a.c", []want{
		{"pure", "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = sq(a[i]); }\ndouble sq(double x) { double y = x; return y * x; }", Independent, ""},
		{"writes a global", "int calls;\nvoid f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = sq(a[i]); }\ndouble sq(double x) { calls++; return x * x; }", Carried, "calls sq, and it writes calls on line 3"},
		{"writes an argument", "void f(int n, double *a) { for (int i = 0; i < n; i++) put(a, i); }\nvoid put(double *a, int i) { a[0] = i; }", Carried, "it writes a on line 2"},
		{"reads what is written", "double g[9];\nvoid f(int n) { for (int i = 0; i < n; i++) g[i] = first(i); }\ndouble first(int i) { return g[0]; }", Carried, "as a whole"},
		{"reads a global that is written", "int x;\nvoid f(int n, int *a) { for (int i = 0; i < n; i++) { a[i] = get(); x = i; } }\nint get(void) { return x; }", Carried, "x is read on line 2"},
		{"reads by address", "void f(int n, int *a) { int x = 0; for (int i = 0; i < n; i++) { a[i] = get(&x); x = i; } }\nint get(int *x) { return *x; }", Carried, "x"},
		{"private value handed on", "void f(int n, double *a) { for (int i = 0; i < n; i++) { double t = a[i]; a[i] = sq(t); } }\ndouble sq(double x) { return x * x; }", Independent, ""},
		{"communicates below", "void f(int n, double *a) { for (int i = 0; i < n; i++) step(a); }\nvoid step(double *a) { MPI_Barrier(MPI_COMM_WORLD); }", Carried, "calls step, which by MPI_Barrier"},
	})
}

func TestLoopsOfCXX(t *testing.T) {
	checkLoops(t, "a.cpp", []want{
		{"independent", "void f(int n) { std::vector<double> a(n), b(n); for (int i = 0; i < n; i++) a[i] = std::sqrt(b[i]); }", Independent, ""},
		{"references alias", "void f(std::vector<double> &a, std::vector<double> &b, int n) { for (int i = 0; i < n; i++) a[i] = b[i]; }", Carried, "same memory"},
		{"reduction", "double f(const double *a, int n) { double m = 0; for (int i = 0; i < n; i++) m = std::max(m, a[i]); return m; }", Reduction, "max: m"},
		{"carried", "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i + 1] = a[i]; }", Carried, "a[i] on line 1"},
		{"method", "void f(T &v, int n) { for (int i = 0; i < n; i++) v.push_back(i); }", Unknown, "calls push_back"},
		{"cast", "void f(double *a, int n) { for (int i = 0; i < n; i++) a[static_cast<std::size_t>(i)] = 1; }", Independent, ""},
		{"range", "void f(std::vector<double> &v) { for (auto &x : v) x = 1; }", Unknown, "elements of the range"},
		{"throw", "void f(double *a, int n) { for (int i = 0; i < n; i++) { if (a[i] < 0) throw 1; a[i] = 0; } }", Carried, "may leave"},
	})
}

func TestLoopsOfFortran(t *testing.T) {
	in := func(body string) string {
		return "subroutine s(a, b, n, m, k)\n integer :: n, m, k(n), i, j\n real :: a(n, n), b(n), t\n real, external :: work\n" + body + "\nend subroutine\n"
	}
	checkLoops(t, "a.f90", []want{
		{"dummies do not alias", in("do i = 1, n\n a(i, 1) = b(i)\nend do"), Independent, ""},
		{"reduction", in("t = 0\ndo i = 1, n\n t = t + b(i)\nend do\nb(1) = t"), Reduction, "+: t"},
		{"smallest", in("do i = 1, n\n t = min(t, b(i))\nend do\nb(1) = t"), Reduction, "min: t"},
		{"carried", in("do i = 2, n\n b(i) = b(i - 1)\nend do"), Carried, "b(i - 1) on line 6 may be what b(i)"},
		{"inner column", in("do j = 1, n\n do i = 2, n\n a(i, j) = a(i - 1, j)\n end do\nend do"), Independent, "i is written anew"},
		{"range", in("do i = 1, n\n a(i, :) = 0\nend do"), Carried, ""},
		{"indirect", in("do i = 1, n\n b(k(i)) = i\nend do"), Carried, "cannot be determined"},
		{"side effect", in("do i = 1, n\n call change(b, i)\nend do"), Unknown, "calls change"},
		{"function", in("do i = 1, n\n b(i) = work(i)\nend do"), Unknown, "calls work"},
		{"communication", in("do i = 1, n\n call MPI_Send(b, 1, MPI_REAL, i, 0, MPI_COMM_WORLD, m)\nend do"), Carried, "communicates"},
		{"output", in("do i = 1, n\n write (*, *) b(i)\nend do"), Carried, "does WRITE"},
		{"exit", in("do i = 1, n\n if (b(i) < 0) exit\n b(i) = 1\nend do"), Carried, "may leave"},
		{"cycle", in("do i = 1, n\n if (b(i) < 0) cycle\n b(i) = 1\nend do"), Independent, ""},
		{"concurrent", in("do concurrent (i = 1:n)\n b(i) = 1\nend do"), Independent, "promises"},
		{"step", in("do i = 1, n, 2\n b(i) = b(i + 1)\nend do"), Independent, ""},
		{"unknown step", in("do i = 1, n, m\n b(i) = b(i + 1)\nend do"), Carried, ""},
		{"while", in("do while (n > m)\n m = m + 1\nend do"), Unknown, ""},
		{"else if", in("do i = 1, n\n if (b(i) > 1) then\n t = 1\n else if (b(i) > 0) then\n t = 2\n else\n t = 3\n end if\n b(i) = t\nend do"), Independent, "t is written anew"},
		{"no else", in("do i = 1, n\n if (b(i) > 1) then\n t = 1\n else if (b(i) > 0) then\n t = 2\n end if\n b(i) = t\nend do"), Carried, "t is read"},
		{"fixed label", in("do 10 i = 1, n\n10 b(i) = i"), Independent, ""},
	})
}

// TestNeverWronglyIndependent runs small loops by hand: whenever two different
// iterations touch the same element and one of them writes, the verdict must
// not be independent.
func TestNeverWronglyIndependent(t *testing.T) {
	independent, carried := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		num := func(name string, from, to int) int { return rapid.IntRange(from, to).Draw(t, name) }
		from, count, step := num("from", -3, 4), num("count", 1, 8), num("step", 1, 3)
		down := rapid.Bool().Draw(t, "down")
		jfrom, jcount, jstep := num("jfrom", -2, 3), num("jcount", 1, 5), num("jstep", 1, 2)
		var c [2][3]int
		for s := range c {
			for k := range c[s] {
				c[s][k] = num("c", -6, 6)
			}
		}
		switch num("shape", 0, 3) { // most random subscripts meet; make some that may not
		case 0:
			c[0][1], c[1][1] = 0, 0
		case 1:
			c[1] = [3]int{c[0][0], c[0][1], c[1][2]}
		case 2:
			c[0][1], c[1] = 0, [3]int{c[0][0], 0, c[1][2]}
		}
		triangular := rapid.Bool().Draw(t, "triangular")
		var is []int
		for k := range count {
			if down {
				is = append(is, from-k*step)
			} else {
				is = append(is, from+k*step)
			}
		}
		last := is[len(is)-1]
		head := fmt.Sprintf("for (int i = %d; i <= %d; i += %d)", from, last, step)
		if down {
			head = fmt.Sprintf("for (int i = %d; i >= %d; i -= %d)", from, last, step)
		}
		upto := fmt.Sprint(jfrom + (jcount-1)*jstep)
		if triangular {
			upto = "i"
		}
		text := fmt.Sprintf("void f(double *a) {\n%s for (int j = %d; j <= %s; j += %d) a[%d * i + %d * j + %d] = a[%d * i + %d * j + %d];\n}",
			head, jfrom, upto, jstep, c[0][0], c[0][1], c[0][2], c[1][0], c[1][1], c[1][2])
		owner := map[int]map[int]bool{} // element to the iterations that write it
		touch := func(s int, visit func(i, element int)) {
			for _, i := range is {
				end := jfrom + (jcount-1)*jstep
				if triangular {
					end = i
				}
				for j := jfrom; j <= end; j += jstep {
					visit(i, c[s][0]*i+c[s][1]*j+c[s][2])
				}
			}
		}
		conflict := false
		touch(0, func(i, e int) {
			if owner[e] == nil {
				owner[e] = map[int]bool{}
			}
			owner[e][i] = true
			conflict = conflict || len(owner[e]) > 1
		})
		touch(1, func(i, e int) {
			for other := range owner[e] {
				conflict = conflict || other != i
			}
		})
		f, err := source.Parse(context.Background(), "a.c", []byte(text), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := New(f).Loops()[0]
		if got.Verdict == Independent || got.Verdict == Reduction {
			independent++
			if conflict {
				t.Fatalf("%s: %s\n%s", got.Verdict, got.Reason, text)
			}
		} else {
			carried++
		}
	})
	t.Logf("%d independent, %d carried", independent, carried)
	if independent == 0 || carried == 0 {
		t.Errorf("%d independent, %d carried: the test shows nothing", independent, carried)
	}
}

// TestExamples holds verdicts on the programs shipped with the project that
// were checked by reading them.
func TestExamples(t *testing.T) {
	for _, c := range []struct {
		file, unit string
		nth        int // loop of the unit
		verdict    Verdict
		reason     string
	}{
		{"laplace/laplace.c", "sweep", 0, Carried, "to (line 70) and from (line 70) may be the same memory"},
		{"laplace/laplace.c", "start", 0, Independent, ""},
		{"laplace/laplace.c", "main", 0, Carried, "calls sweep"},
		{"laplace/laplace.c", "main", 1, Reduction, "max: wrong"},
		{"intsort/intsort.c", "exchange_keys", 0, Carried, "s->send_at[r - 1]"},
		{"intsort/intsort.c", "make_keys", 1, Reduction, "+: sum"},
		{"intsort/intsort.c", "main", 1, Carried, "communicates"},
		{"stommel/stommel.f90", "basin::sweep", 0, Reduction, "max: change"},
		{"stommel/stommel.f90", "basin::sweep", 2, Independent, ""},
		{"stommel/stommel.f90", "stommel", 0, Carried, "communicates"},
		{"pic/pic.f", "push", 0, Independent, ""},
		{"pic/pic.f", "depos", 3, Carried, ""},
	} {
		text, err := os.ReadFile("../examples/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		nth := 0
		found := false
		for _, l := range New(parse(t, c.file, string(text))).Loops() {
			if l.Unit != c.unit {
				continue
			}
			if nth == c.nth {
				found = true
				if l.Verdict != c.verdict || !strings.Contains(l.Reason, c.reason) {
					t.Errorf("%s:%d: %s: %s\nwant %s: %s", c.file, l.Line, l.Verdict, l.Reason, c.verdict, c.reason)
				}
			}
			nth++
		}
		if !found {
			t.Errorf("%s has no loop %d in %s", c.file, c.nth, c.unit)
		}
	}
}
