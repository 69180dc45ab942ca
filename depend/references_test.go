package depend

import (
	"strings"
	"testing"

	"auspex/source"
)

// otherNames are programs in which a loop, the last but one of main, changes by another
// name what decides how often the last one runs, and the same where that is not so.
var otherNames = []struct {
	name, file, text string
	safe             bool
}{
	{"a reference", "p.cpp", `int m = 0; int &r = m; for (int t = 0; t < 9; t++) { step(t); r++; } for (int i = 0; i < m; i++) step(i);`, false},
	{"a reference to something else", "p.cpp", `int m = 0, k = 0; int &r = k; for (int t = 0; t < 9; t++) { step(t); r++; } for (int i = 0; i < m; i++) step(i);`, true},
	{"what a reference stands for", "p.cpp", `int m = 0; int &r = m; for (int t = 0; t < 9; t++) { step(t); m++; } for (int i = 0; i < r; i++) step(i);`, false},
	{"in braces", "p.cpp", `int m = 0; int &r{m}; for (int t = 0; t < 9; t++) { step(t); r++; } for (int i = 0; i < m; i++) step(i);`, false},
	{"in parentheses", "p.cpp", `int m = 0; int &r(m); for (int t = 0; t < 9; t++) { step(t); r++; } for (int i = 0; i < m; i++) step(i);`, false},
	{"an element", "p.cpp", `int m[3] = {0}; auto &r = m[1]; for (int t = 0; t < 9; t++) { step(t); r++; } for (int i = 0; i < m[1]; i++) step(i);`, false},
	{"the elements of a range", "p.cpp", `int m[3] = {0}; for (int t = 0; t < 9; t++) { step(t); for (auto &r : m) r++; } for (int i = 0; i < m[1]; i++) step(i);`, false},
	{"those of another", "p.cpp", `int m[3] = {0}, k[3]; for (int t = 0; t < 9; t++) { step(t); for (auto &r : k) r++; } for (int i = 0; i < m[1]; i++) step(i);`, true},
	{"given back", "p.cpp", `int &r = get(); for (int t = 0; t < 9; t++) { step(t); r++; } for (int i = 0; i < kept; i++) step(i);`, false},
	{"not given back", "p.cpp", `int k = value(); int &r = k; for (int t = 0; t < 9; t++) { step(t); r++; } for (int i = 0; i < kept; i++) step(i);`, true},
	{"a field", "p.cpp", `int m = 0; Holder h(m); for (int t = 0; t < 9; t++) h.more(); for (int i = 0; i < m; i++) step(i);`, false},
	{"a destructor", "p.cpp", `for (int t = 0; t < 9; t++) { Ends e; step(t); } for (int i = 0; i < kept; i++) step(i);`, false},
	{"no destructor", "p.cpp", `for (int t = 0; t < 9; t++) { Plain e; step(t); } for (int i = 0; i < kept; i++) step(i);`, true},
	{"a structure that is copied", "p.c", `struct box g = {0}, h; for (int t = 0; t < 9; t++) { step(t); g.c++; } memcpy(&h, &g, sizeof h); for (int i = 0; i < h.c; i++) step(i);`, false},
	{"another one", "p.c", `struct box f = {0}, g = {0}, h; for (int t = 0; t < 9; t++) { step(t); f.c++; } memcpy(&h, &g, sizeof h); for (int i = 0; i < h.c; i++) step(i);`, true},
	{"a persistent request", "m.c", `MPI_Recv_init(kept, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &q); for (int t = 0; t < 9; t++) { step(t); MPI_Start(&q); MPI_Wait(&q, &s); } for (int i = 0; i < kept[0]; i++) step(i);`, false},
	{"one of another buffer", "m.c", `MPI_Recv_init(other, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &q); for (int t = 0; t < 9; t++) { step(t); MPI_Start(&q); MPI_Wait(&q, &s); } for (int i = 0; i < kept[0]; i++) step(i);`, true},
	{"one that sends", "m.c", `MPI_Send_init(kept, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &q); for (int t = 0; t < 9; t++) { step(t); MPI_Start(&q); MPI_Wait(&q, &s); } for (int i = 0; i < kept[0]; i++) step(i);`, true},
	{"the size of what came", "m.c", `for (int t = 0; t < 9; t++) { step(t); MPI_Recv(other, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &s); } MPI_Get_count(&s, MPI_INT, &n); for (int i = 0; i < n; i++) step(i);`, false},
	{"that of what came before", "m.c", `MPI_Recv(kept, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &r); for (int t = 0; t < 9; t++) { step(t); MPI_Recv(other, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &s); } MPI_Get_count(&r, MPI_INT, &n); for (int i = 0; i < n; i++) step(i);`, true},
	{"ASSOCIATE", "p.f90", "associate (r => m)\ndo t = 1, 9\ncall step(t)\nr = r + 1\nend do\nend associate\ndo i = 1, m\ncall step(i)\nend do", false},
	{"of another name", "p.f90", "associate (r => k)\ndo t = 1, 9\ncall step(t)\nr = r + 1\nend do\nend associate\ndo i = 1, m\ncall step(i)\nend do", true},
}

var around = map[string][2]string{
	"p.cpp": {`static double a[100]; static int kept;
static void step(int k) { for (int i = 0; i < 100; i++) a[i] += k; }
static int &get() { return kept; }
static int value() { return kept; }
struct Holder { int &r; Holder(int &x) : r(x) {} void more() { step(1); r++; } };
struct Ends { double x = 0; ~Ends() { kept++; } };
struct Plain { double x = 0; };
int main() { `, " return a[5] > 3; }\n"},
	"p.c": {`#include <string.h>
static double a[100]; struct box { int c; };
static void step(int k) { for (int i = 0; i < 100; i++) a[i] += k; }
int main(void) { `, " return a[5] > 3; }\n"},
	"m.c": {`#include <mpi.h>
static double a[100]; static int kept[4], other[4];
static void step(int k) { for (int i = 0; i < 100; i++) a[i] += k; }
int main(int argc, char **argv) { MPI_Request q; MPI_Status r, s; int n; MPI_Init(&argc, &argv); `, " MPI_Finalize(); return a[5] > 3; }\n"},
	"p.f90": {"program p\ninteger :: m, k, t, i\nreal :: a(100)\nm = 0\nk = 0\n", "\ncontains\nsubroutine step(n)\ninteger :: n, j\ndo j = 1, 100\na(j) = a(j) + n\nend do\nend subroutine\nend program\n"},
}

// TestOtherNames: what a loop changes by another name of it is changed.
func TestOtherNames(t *testing.T) {
	for _, c := range otherNames {
		text := around[c.file][0] + c.text + around[c.file][1]
		f, err := source.Parse(t.Context(), c.file, []byte(text), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := New(f)
		for _, l := range p.Loops() {
			if body := text[l.Stmt.Start:l.Stmt.End]; !strings.Contains(body, "t < 9") && !strings.Contains(body, "t = 1, 9") {
				continue
			}
			if s := p.Safe(l, Rules{}); s.Safe != c.safe {
				t.Errorf("%s: %v: %s", c.name, s.Safe, s.Reason)
			}
		}
	}
}

// TestOtherNamesInLoops: a loop that writes by another name is not called independent;
// one that reads what it does not write by one is.
func TestOtherNamesInLoops(t *testing.T) {
	for text, want := range map[string]Verdict{
		"double &x = a[0]; for (int i = 0; i < 99; i++) a[i] = x + b[i];":           Unknown,
		"const double &x = b[0]; for (int i = 0; i < 99; i++) a[i] = x + b[i];":     Independent,
		"for (int i = 0; i < 99; i++) { double &y = a[i / 2]; y = b[i]; }":          Unknown,
		"int m = 0; int &r = m; for (int i = 0; i < 99; i++) { r += 2; b[i] = m; }": Unknown,
	} {
		f, err := source.Parse(t.Context(), "p.cpp", []byte("static double a[100], b[100];\nint main() { "+text+" return a[5] > 3; }\n"), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if l := New(f).Loops()[0]; l.Verdict != want {
			t.Errorf("%s: %s: %s", text, l.Verdict, l.Reason)
		}
	}
	const head, tail = "program p\nreal :: a(100), b(100)\ninteger :: i\n", "end associate\nprint *, a\nend program\n"
	for text, want := range map[string]Verdict{
		"associate (x => a(2:100))\ndo i = 1, 99\nx(i) = a(i) + 1\nend do\n": Unknown,
		"associate (s => a(1))\ndo i = 1, 99\na(i) = s + b(i)\nend do\n":     Unknown,
		"associate (s => b(1))\ndo i = 1, 99\na(i) = s + b(i)\nend do\n":     Independent,
	} {
		f, err := source.Parse(t.Context(), "p.f90", []byte(head+text+tail), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if l := New(f).Loops()[0]; l.Verdict != want {
			t.Errorf("%s: %s: %s", text, l.Verdict, l.Reason)
		}
	}
}
