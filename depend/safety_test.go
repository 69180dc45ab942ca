package depend

import (
	"os"
	"strings"
	"testing"
)

func TestSafe(t *testing.T) {
	c := func(body string) string {
		return "int main(int argc, char **argv)\n{\n  int n = atoi(argv[1]), k = 0, rank;\n  double *a = malloc(8 * n), s = 0;\n  int *list = malloc(4 * n);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n" + body + "\n}\n"
	}
	loop := "  for (int i = 0; i < n; i++) { a[i] = 2 * a[i]; s += a[i]; k++; list[i] = k; }\n"
	for _, k := range []struct {
		name, file, text string
		safe             bool
		kind, reason     string
	}{
		{"nothing after", "a.c", c(loop), true, "", ""},
		{"printed", "a.c", c(loop + "  printf(\"%f\", s);"), true, "", ""},
		{"computed with", "a.c", c(loop + "  double t = sqrt(s) + a[0]; printf(\"%f\", t);"), true, "", ""},
		{"sent", "a.c", c(loop + "  MPI_Send(a, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);"), true, "", ""},
		{"branch", "a.c", c(loop + "  if (s > 1) MPI_Barrier(MPI_COMM_WORLD);"), false, "branch", "s, which the loop computes, decides the branch"},
		{"branch by way of others", "a.c", c(loop + "  double t = s * 2; double u = t; if (u > 1) work();"), false, "branch", "u, which"},
		{"branch on a function in a loop", "a.c", c(loop + "  for (int i = 0; i < n; i++) if (a[i] > 1) a[i] = exp(a[i]);"), false, "branch", "a, which the loop computes, decides the branch"},
		{"choice of a function in a loop", "a.c", c(loop + "  for (int i = 0; i < n; i++) a[i] = a[i] > 1 ? exp(a[i]) : 0;"), false, "branch", "a, which the loop computes, decides whether exp is called"},
		{"branch on a brief function in a loop", "a.c", c(loop + "  for (int i = 0; i < n; i++) if (a[i] > 1) a[i] = sqrt(a[i]);"), true, "", ""},
		{"branch on a function, once", "a.c", c(loop + "  if (s > 1) s = exp(s);"), true, "", ""},
		{"branch that only prints", "a.c", c(loop + "  if (s > 1) printf(\"large\");"), true, "", ""},
		{"branch that prints, then a loop", "a.c", c(loop + "  if (s > 1) return 1;\n  for (int i = 0; i < n; i++) a[i] = 0;"), false, "branch", ""},
		{"branch that sets a bound", "a.c", c(loop + "  if (s > 1) n = 3;\n  for (int i = 0; i < n; i++) a[i] = 0;"), false, "bound", "n, which"},
		{"exit status", "a.c", c(loop + "  return s > 1;"), true, "", ""},
		{"subscript", "a.c", c(loop + "  a[k] = 1;"), false, "subscript", "k, which the loop computes, is a subscript of a"},
		{"indirect subscript", "a.c", c(loop + "  a[list[0]] = 1;"), false, "subscript", "list"},
		{"bound", "a.c", c(loop + "  for (int j = 0; j < k; j++) a[j] = 1;"), false, "bound", "k, which the loop computes, decides how often"},
		{"while", "a.c", c(loop + "  while (s > 1) s = s / 2;"), false, "bound", "s, which"},
		{"count of a message", "a.c", c(loop + "  MPI_Send(a, k, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);"), false, "communication", "k, which the loop computes, is a parameter of MPI_Send"},
		{"overwritten before use", "a.c", c(loop + "  k = 0; a[k] = 1;"), true, "", ""},
		{"unknown call", "a.c", c(loop + "  work(a);"), false, "call", "handed to work"},
		{"received and tested", "a.c", c(loop + "  double t; MPI_Allreduce(&s, &t, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);\n  if (t > 1) MPI_Barrier(MPI_COMM_WORLD);"), false, "branch", "t, which"},
		{"around again", "a.c", c("  for (int r = 0; r < 9; r++) {\n    for (int i = 0; i < n; i++) { if (s > 3) MPI_Barrier(MPI_COMM_WORLD); s += a[i]; }\n  }"), false, "branch", "s, which"},
		{"two ways to the caller", "a.c", "double g;\nvoid f(double *a, int n) { for (int i = 0; i < n; i++) g += a[i]; }\nvoid h(double *a) { f(a, 9); if (g > 1) MPI_Barrier(MPI_COMM_WORLD); }\nint main(void) { double a[9]; f(a, 9); g = 0; h(a); return 0; }", false, "branch", "g, which"},
		{"comes back", "a.c", "int r(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; return n ? r(a, n - 1) : 0; }\nint main(void) { double a[9]; return r(a, 9); }", false, "call", "calls itself"},
		{"pointer computed", "a.c", c("  double *p = 0;\n  for (int i = 0; i < n; i++) if (a[i] > 0) p = &a[i];\n  p[0] = 1;"), false, "subscript", "through a pointer"},
		{"leaves early", "a.c", c("  for (int i = 0; i < n; i++) { if (a[i] > 1) break; a[i] = 0; }"), false, "bound", "not known when the loop is entered"},
		{"bound moves", "a.c", c("  for (int i = 0; i < n; i++) { a[i] = 0; n--; }"), false, "bound", "not known"},
		{"communication with fixed parameters", "a.c", c("  for (int i = 0; i < n; i++) MPI_Allreduce(MPI_IN_PLACE, a, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);"), true, "", ""},
		{"communication that grows", "a.c", c("  for (int i = 0; i < n; i++) MPI_Send(a, i, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);"), false, "communication", "i, which"},
		{"communication now and then", "a.c", c("  for (int i = 0; i < n; i++) if (i % 3 == 0) MPI_Barrier(MPI_COMM_WORLD);"), false, "branch", "whether the communication"},
		{"communication by rank", "a.c", c("  for (int i = 0; i < n; i++) if (rank == 0) MPI_Bcast(a, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);"), true, "", ""},
		{"as many messages as the rank says", "a.c", c("  for (int i = 0; i < rank; i++) MPI_Send(a, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);"), false, "bound", "may differ between ranks"},
		{"callers unknown", "a.c", "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }", false, "escape", "hands a on to callers"},
		{"through a caller", "a.c", "double f(double *a, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }\nint main(void) { double a[9]; if (f(a, 9) > 1) MPI_Barrier(MPI_COMM_WORLD); return 0; }", false, "branch", ""},
		{"Fortran, branch", "a.f90", "program p\n integer :: i, n = 9\n real :: s, a(9)\n do i = 1, n\n s = s + a(i)\n end do\n if (s > 1) call MPI_Barrier(0, i)\nend program", false, "branch", "s, which"},
		{"Fortran, counter again", "a.f90", "program p\n integer :: i, n = 9\n real :: a(9)\n do i = 1, n\n a(i) = i\n end do\n do i = 1, n\n a(i) = a(i) + 1\n end do\nend program", true, "", ""},
		{"Fortran, counter again, not declared", "a.f", "      program p\n      include 'mpif.h'\n      parameter (n = 9)\n      dimension a(n)\n      do 6 i = 1, n\n    6 a(i) = i\n      do 7 i = 1, n\n    7 a(i) = a(i) + 1\n      end\n", true, "", ""},
		{"Fortran, counter afterwards", "a.f90", "program p\n integer :: i, n = 9\n real :: a(99)\n do i = 1, n\n a(i) = i\n end do\n a(i) = 0\nend program", false, "subscript", "i, which"},
		{"Fortran, in any order", "a.f90", "program p\n integer :: i\n real :: a(9)\n do concurrent (i = 1:9)\n a(i) = i\n end do\nend program", false, "bound", "in any order"},
		{"Fortran, argument", "a.f90", "program p\n integer :: i, k, n = 9\n real :: a(99)\n do i = 1, n\n call add(k, i)\n end do\n a(k) = 0\nend program\nsubroutine add(k, i)\n integer :: k, i\n k = k + i\nend subroutine", false, "subscript", "k, which"},
		{"chosen call", "a.c", c(loop + "  s = k == n ? work(s) : 0;"), false, "branch", "k, which the loop computes, decides whether work is called"},
		{"chosen value", "a.c", c(loop + "  s = k == n ? sqrt(s) : 0;"), true, "", ""},
		{"chosen by and", "a.c", c(loop + "  rank = s > 1 && work(rank);"), false, "branch", "decides whether work is called"},
		{"written by choice", "a.c", c(loop + "  int m = 1; rank = s > 1 && (m = 2) > 0; a[m] = 0;"), false, "subscript", "m, which"},
		{"chosen function", "a.c", c(loop + "  double (*f)(double) = k > 5 ? sin : cos; s = f(1);"), false, "branch", "decides which function is called"},
		{"random numbers", "a.c", c("  for (int i = 0; i < n; i++) a[i] = rand();\n  if (rand() % 2) MPI_Barrier(MPI_COMM_WORLD);"), false, "branch", "rand()"},
		{"random numbers, begun again", "a.c", c("  for (int i = 0; i < n; i++) a[i] = rand();\n  srand(7);\n  if (rand() % 2) MPI_Barrier(MPI_COMM_WORLD);"), true, "", ""},
		{"printed into a buffer", "a.c", c(loop + "  char b[32]; sprintf(b, \"%d\", k);\n  for (int j = 0; j < atoi(b); j++) a[j] = 1;"), false, "bound", "atoi()"},
		{"and scanned", "a.c", c(loop + "  char b[32]; int m; snprintf(b, 32, \"%d\", k); sscanf(b, \"%d\", &m); a[m] = 1;"), false, "subscript", "m, which"},
		{"how much was printed", "a.c", c(loop + "  char b[32]; int m = snprintf(b, 32, \"%d\", k); a[m] = 1;"), false, "subscript", "m, which"},
		{"length of a string", "a.c", c("  char *b = malloc(n);\n  for (int i = 0; i < n; i++) b[i] = 'x';\n  a[strlen(b)] = 1;"), false, "subscript", "strlen()"},
		{"file read later", "a.c", c("  FILE *f = fopen(\"x\", \"w+\");\n  for (int i = 0; i < n; i++) fprintf(f, \"%d\", i);\n  rewind(f);\n  while (fscanf(f, \"%d\", &k) == 1) s = s + k;"), false, "bound", "fscanf()"},
		{"file only written", "a.c", c("  FILE *f = fopen(\"x\", \"w\");\n  for (int i = 0; i < n; i++) fprintf(f, \"%d\", i);\n  fclose(f);"), true, "", ""},
		{"errno", "a.c", "#include <errno.h>\n" + c("  for (int i = 0; i < n; i++) a[i] = sqrt(a[i]);\n  if (errno == EDOM) MPI_Barrier(MPI_COMM_WORLD);"), false, "branch", "errno"},
		{"union", "a.c", c("  union { long n; char raw[8]; } u; u.n = 0;\n  for (int i = 0; i < n; i++) u.raw[i & 1] = i;\n  a[u.n] = 1;"), false, "subscript", "u.n"},
		{"size of an array", "a.c", c(loop + "  double w[k]; s = sizeof w;"), false, "subscript", "is the size of w"},
		{"address in an initialiser", "a.c", "static int hidden, *to = &hidden;\nint main(int argc, char **argv) { int n = atoi(argv[1]); double a[9];\n for (int i = 0; i < n; i++) (*to)++;\n a[hidden] = 0; }", false, "subscript", "hidden"},
		{"address in a structure", "a.c", "static int cells[4]; static struct { int *count; } h = {&cells[3]};\nint main(int argc, char **argv) { int n = atoi(argv[1]); double a[9];\n for (int i = 0; i < n; i++) (*h.count)++;\n a[cells[3]] = 0; }", false, "subscript", "cells"},
		{"numbers in a structure", "a.c", "typedef struct { int size, rows; } Part;\nint main(int argc, char **argv) { Part p = {.size = 9}; double a[9];\n for (int i = 0; i < 9; i++) p.rows = i;\n for (int i = 0; i < p.size; i++) a[i] = 0; }", true, "", ""},
		{"map", "a.cpp", "int main(int argc, char **argv) { int n = atoi(argv[1]); std::map<int, double> m;\n for (int i = 0; i < n; i++) m[i] = i;\n for (auto &x : m) work(x); }", false, "bound", "m, which"},
		{"vector", "a.cpp", "int main(int argc, char **argv) { int n = atoi(argv[1]); std::vector<double> m(n);\n for (int i = 0; i < n; i++) m[i] = i;\n for (int i = 0; i < n; i++) m[i] = 0; }", true, "", ""},
		{"conversion", "a.cpp", "struct Conv { static inline int c = 0; operator double() const { c++; return 1.0; } };\nint main(int argc, char **argv) { int n = atoi(argv[1]); Conv q; double s = 0, a[9];\n for (int i = 0; i < n; i++) s += q;\n a[Conv::c] = 0; }", false, "call", "operators"},
		{"static field", "a.cpp", "struct A { static int c; void add() { c++; } };\nint main(int argc, char **argv) { int n = atoi(argv[1]); A q; double a[9];\n for (int i = 0; i < n; i++) q.add();\n a[A::c] = 0; }", false, "subscript", "A::c"},
		{"stream of text", "a.cpp", "int main(int argc, char **argv) { int n = atoi(argv[1]), k = 0, m; std::stringstream t; double a[9];\n for (int i = 0; i < n; i++) k++;\n t << k; t >> m; a[m] = 0; }", false, "subscript", "m, which"},
		{"Fortran, COMMON under other names", "a.f90", "subroutine tick\n common /cnt/ ncall\n ncall = ncall + 1\nend subroutine\nprogram p\n common /cnt/ kount\n real :: a(99)\n do i = 1, 9\n call tick\n end do\n a(kount) = 0\nend program", false, "subscript", "kount"},
		{"Fortran, COMMON under one name", "a.f90", "subroutine tick\n common /cnt/ ncall, n\n ncall = ncall + 1\nend subroutine\nprogram p\n common /cnt/ ncall, n\n real :: a(99)\n do i = 1, 9\n call tick\n end do\n a(n) = 0\nend program", true, "", ""},
		{"Fortran, EQUIVALENCE", "a.f90", "program p\n integer :: i, k(2)\n real(8) :: r, a(99)\n equivalence (k, r)\n do i = 1, 9\n r = r + i\n end do\n a(k(1)) = 0\nend program", false, "subscript", "k, which"},
		{"Fortran, internal file", "a.f90", "program p\n integer :: i, k, m\n real :: a(99)\n character(20) :: b\n do i = 1, 9\n k = k + 1\n end do\n write (b, '(i0)') k\n read (b, *) m\n a(m) = 0\nend program", false, "subscript", "m, which"},
		{"Fortran, file", "a.f90", "program p\n integer :: i, k\n real :: a(99)\n do i = 1, 9\n write (9, *) i\n end do\n rewind (9)\n read (9, *, end=99) k\n99 continue\nend program", false, "branch", "the end of it"},
		{"Fortran, random numbers", "a.f90", "program p\n integer :: i\n real :: r, a(99)\n do i = 1, 9\n call random_number(a(i))\n end do\n call random_number(r)\n if (r > 0.5) call MPI_Barrier(0, i)\nend program", false, "branch", "r, which"},
		{"Fortran, assignment of its own", "a.f90", "module m\n type t\n integer :: c\n contains\n generic :: assignment(=) => asg\n procedure :: asg\n end type\n integer :: n\ncontains\n subroutine asg(a, i)\n class(t), intent(out) :: a\n integer, intent(in) :: i\n n = n + 1\n end subroutine\nend module\nprogram p\n use m\n type(t) :: o\n integer :: i\n do i = 1, 9\n o = i\n end do\nend program", false, "call", "operators"},
	} {
		t.Run(k.name, func(t *testing.T) {
			p := New(parse(t, k.file, k.text))
			got := p.Safe(p.Loops()[0], Rules{})
			if got.Safe != k.safe {
				t.Fatalf("safe is %v: %s\n%s", got.Safe, got.Reason, k.text)
			}
			if k.safe {
				return
			}
			found := false
			for _, r := range got.Reach {
				found = found || r.Kind == k.kind && strings.Contains(r.Words, k.reason)
			}
			if !found {
				t.Errorf("no %s with %q in %+v\n%s", k.kind, k.reason, got.Reach, k.text)
			}
		})
	}
}

// TestSafeExamples holds answers that were checked by reading the programs.
func TestSafeExamples(t *testing.T) {
	for _, k := range []struct {
		file, unit string
		nth        int
		safe       bool
		bound      string
		reason     string
	}{
		{"laplace/laplace.c", "main", 0, true, "same", ""},
		{"laplace/laplace.c", "sweep", 0, true, "same", ""},
		{"laplace/laplace.c", "make_shape", 0, true, "same", ""},
		{"laplace/laplace_mpi.cpp", "solve", 0, true, "same", ""},
		{"stommel/stommel.f90", "stommel", 0, true, "same", ""},
		{"stommel/stommel.f90", "basin::sweep", 0, true, "entry", ""},
		{"intsort/intsort.c", "main", 1, false, "same", "s->send_count, which the loop computes, is a parameter of MPI_Alltoallv"},
		{"intsort/intsort.c", "make_keys", 0, false, "entry", "subscript"},
		{"intsort/intsort.c", "main", 0, false, "constant", "class"},
		{"pic/pic.f", "pic", 0, true, "same", ""},
		{"pic/pic.f", "slabs", 0, false, "same", "kcount"},
		{"seismic/seismic.c", "main", 0, true, "same", ""},
		{"seismic/seismic.c", "share_rows", 0, false, "same", ""},
	} {
		text, err := os.ReadFile("../examples/" + k.file)
		if err != nil {
			t.Fatal(err)
		}
		p := New(parse(t, k.file, string(text)))
		nth := 0
		for _, l := range p.Loops() {
			if l.Unit != k.unit || l.Depth > 1 {
				continue
			}
			if nth == k.nth {
				got := p.Safe(l, Rules{})
				if got.Safe != k.safe || got.Bound != k.bound || !strings.Contains(got.Reason, k.reason) {
					t.Errorf("%s:%d: safe %v, bound %s, %s\nwant %v, %s, %s", k.file, l.Line, got.Safe, got.Bound, got.Reason, k.safe, k.bound, k.reason)
				}
			}
			nth++
		}
		if nth <= k.nth {
			t.Errorf("%s has no loop %d in %s", k.file, k.nth, k.unit)
		}
	}
}

// TestImplicitNamesAreLocal: a counter typed by its first letter is its procedure's
// own, so that calls of it keep iterations independent.
func TestImplicitNamesAreLocal(t *testing.T) {
	p := New(parse(t, "a.f90", "subroutine outer(a, n)\n double precision a(n)\n do i = 1, n\n a(i) = g(i)\n end do\nend subroutine\nfunction g(k)\n g = 0\n do i = 1, 10\n g = g + k*i\n end do\nend function\n"))
	if l := p.Loops()[0]; l.Verdict != Independent {
		t.Errorf("%v: %s", l.Verdict, l.Reason)
	}
}
