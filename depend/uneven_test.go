package depend

import (
	"strings"
	"testing"
)

// TestUneven: an iteration may do as much as the others only where nothing that
// the loop carries decides on loops and calls in it.
func TestUneven(t *testing.T) {
	c := func(before, body string) string {
		return "double a[99];\nvoid w(int n) { for (int k = 0; k < n; k++) a[k] = 0; }\nstruct st { int n; double t; };\n" + before +
			"\nint main(int argc, char **argv) { int n = atoi(argv[1]), t = 0, m; double x = 0, d = 0; static int kept; struct st q; int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n for (int i = 0; i < n; i++) {\n" + body + "\n } }\n"
	}
	for _, k := range []struct{ name, file, text, reason string }{
		{"the same", "a.c", c("", "w(9);"), ""},
		{"a larger value is kept", "a.c", c("", "d = 0; for (int k = 0; k < 9; k++) { a[k] += 1; if (a[k] > d) d = a[k]; }"), ""},
		{"a function of many instructions", "a.c", c("", "for (int k = 0; k < 9; k++) { a[k] += 1; if (a[k] > 5) a[k] = sin(a[k]); }"), "a on line 7"},
		{"of another precision", "a.c", c("", "for (int k = 0; k < 9; k++) { a[k] += 1; if (a[k] > 5) a[k] = expf(a[k]); }"), "a on line 7"},
		{"chosen in an expression", "a.c", c("", "for (int k = 0; k < 9; k++) a[k] = a[k] > 5 ? pow(a[k], 2.5) : a[k] + 1;"), "a on line 7"},
		{"a brief function", "a.c", c("", "for (int k = 0; k < 9; k++) { a[k] += 1; if (a[k] > 5) a[k] = fabs(sqrt(a[k])); }"), ""},
		{"Fortran, a function of many instructions", "a.f90", "program p\n integer :: i\n real :: t\n do i = 1, 9\n t = t + 1\n if (t > 5) t = exp(t)\n end do\nend program", "t on line 6"},
		{"by rank", "a.c", c("", "if (rank == 0) w(9);"), ""},
		{"made anew", "a.c", c("", "m = 0; m++; if (m > 3) w(9);"), ""},
		{"printed now and then", "a.c", c("", "w(9); if (i % 9 == 0) printf(\"%d\", i);"), ""},
		{"counter", "a.c", c("", "if (i > 5) w(9);"), "i on line 7"},
		{"bound by the counter", "a.c", c("", "for (int k = 0; k < i; k++) a[k] = 0;"), "i on line 7"},
		{"second counter", "a.c", c("", "w(t > 1400 ? 2000 : 20); t++;"), "n on line 2"},
		{"time of a simulation", "a.c", c("", "w(9); x += 0.001; if (x > 1.4) w(9);"), "x on line 7"},
		{"static", "a.c", c("void step(void) { static int c; c++; if (c > 1400) w(9); }", "step();"), "c on line 4"},
		{"static from a value", "a.c", c("void step(void) { static int c = 0; c++; if (c > 1400) w(9); }", "step();"), "c on line 4"},
		{"static here", "a.c", c("", "if (++kept > 1400) w(9);"), "kept on line 7"},
		{"member", "a.c", c("void adv(struct st *p) { p->n++; }\nvoid step(struct st *p) { if (p->n > 1400) w(9); }", "step(&q); adv(&q);"), "p->n on line 5"},
		{"global", "a.c", c("int level;", "w(level); if (i % 400 == 0) level *= 2;"), "on line 2"},
		{"both ways set", "a.c", c("", "t++; if (t > 9) m = 20; else m = 10; w(m);"), "n on line 2"},
		{"one way set", "a.c", c("", "t++; m = 10; if (t > 9) m = 20; w(m);"), "n on line 2"},
		{"returns early", "a.c", c("void step(int k) { if (k < 9) return; w(9); }", "t++; step(t);"), "k on line 4"},
		{"returned either way", "a.c", c("int many(int k) { if (k < 9) return 1; return 2; }", "t++; w(many(t));"), "n on line 2"},
		{"goes on early", "a.c", c("", "t++; if (t < 9) continue; w(9);"), "t on line 7"},
		{"goes on before nothing", "a.c", c("", "t++; w(9); if (t < 9) continue; x += 1;"), ""},
		{"leaves an inner loop", "a.c", c("", "x += 1; for (int k = 0; k < 9; k++) { a[k] = 0; if (x > k) break; }"), "x on line 7"},
		{"leaves a switch", "a.c", c("", "w(9); switch (t++) { case 1: x = 1; break; default: x = 2; }"), ""},
		{"chosen by and", "a.c", c("int f(void) { w(9); return 1; }", "t++; x = t > 9 && f();"), "t on line 7"},
		{"what was computed before", "a.c", c("", "if (a[3] > 5) w(9); a[3] += 1;"), "a on line 7"},
		{"clock", "a.c", c("", "if (MPI_Wtime() > 9) w(9);"), "MPI_Wtime() on line 7"},
		{"size of a copy", "a.c", c("", "t++; memset(a, 0, t);"), "t on line 7"},
		{"ends the program", "a.c", c("", "w(9); t++; if (t > 900) exit(0);"), "t on line 7"},
		{"gives up", "a.c", c("", "w(9); t++; if (t > 900) exit(1);"), ""},
		{"Fortran, whole array", "a.f90", "program p\n integer :: i\n real :: a(99), t\n do i = 1, 9\n t = t + 1\n if (t > 5) a = 0\n end do\nend program", "t on line 6"},
		{"Fortran, part of an array", "a.f90", "program p\n integer :: i, k\n real :: a(99)\n do i = 1, 9\n k = k + 1\n a(1:k) = 0\n end do\nend program", "k on line 6"},
		{"Fortran, else if", "a.f90", "program p\n integer :: i, k, n\n real :: a(99)\n n = command_argument_count()\n do i = 1, 9\n k = k + 1\n if (n > 2) then\n a(1) = 1\n else if (k > 5) then\n a(2) = 1\n else\n call w(a)\n end if\n end do\nend program\nsubroutine w(a)\n real :: a(99)\n a = 0\nend subroutine", "k on line 9"},
		{"Fortran, kept with its value", "a.f90", "program p\n integer :: i\n do i = 1, 9\n call s\n end do\nend program\nsubroutine s\n integer :: c = 0, k\n real :: a(99)\n c = c + 1\n do k = 1, c\n a(k) = 0\n end do\nend subroutine", "c on line 11"},
	} {
		t.Run(k.name, func(t *testing.T) {
			p := New(parse(t, k.file, k.text))
			for _, l := range p.Loops() {
				if l.Variable != "i" {
					continue
				}
				got := p.Uneven(l)
				if k.reason == "" && got != "" || !strings.HasSuffix(got, k.reason) {
					t.Errorf("%q instead of %q\n%s", got, k.reason, k.text)
				}
			}
		})
	}
}

// TestDecidedBothWays: what a branch sets is decided by its test, also where both
// ways of it set it.
func TestDecidedBothWays(t *testing.T) {
	text := "int main(int argc, char **argv) { int n = atoi(argv[1]), m; double a[9], s = 0;\n for (int i = 0; i < n; i++) s += i;\n if (s > 1) m = 3; else m = 4;\n for (int i = 0; i < m; i++) a[i] = 0; }"
	p := New(parse(t, "a.c", text))
	if got := p.Safe(p.Loops()[0], Rules{}); got.Safe || !strings.Contains(got.Reason, "m, which the loop computes, decides how often") {
		t.Errorf("%+v", got)
	}
}

// TestByClock finds loops that go on until a time has passed.
func TestByClock(t *testing.T) {
	for _, k := range []struct {
		name, text  string
		line        int
		alone, none bool
	}{
		{"while", "while (MPI_Wtime() - t < 0.5) n++;", 3, true, false},
		{"in a variable", "double now = t; while (now < 1) { n++; now = MPI_Wtime(); }", 3, true, false},
		{"in a procedure", "while (elapsed() < 1) n++;", 3, true, false},
		{"broken off", "for (;;) { n++; if (MPI_Wtime() > t) break; }", 3, true, false},
		{"a limit", "for (int i = 0; i < 9; i++) { n++; if (MPI_Wtime() > t) break; }", 3, false, false},
		{"one of two", "while (n < 9 && MPI_Wtime() < t) n++;", 3, false, false},
		{"timed", "for (int i = 0; i < 9; i++) { double b = MPI_Wtime(); n++; t += MPI_Wtime() - b; }", 0, false, true},
		{"a time of before", "double end = MPI_Wtime(); while (n < end) n++;", 0, false, true},
	} {
		p := New(parse(t, "a.c", "double elapsed(void) { return MPI_Wtime(); }\nint main(void) { double t = MPI_Wtime(); int n = 0;\n"+k.text+"\n}"))
		got := p.ByClock(p.Loops()[0])
		if (got == nil) != k.none || got != nil && (got.Line != k.line || got.Alone != k.alone) {
			t.Errorf("%s: %+v", k.name, got)
		}
	}
}
