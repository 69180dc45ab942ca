package depend

import (
	"os"
	"strings"
	"testing"
)

// TestRules holds what strictness and a person's word change.
func TestRules(t *testing.T) {
	// A loop that sends as much as it counted, and what may follow it.
	sends := func(inside, after string) string {
		return `void *room(int n) { void *p = malloc(n); if (!p) abort(); return p; }
int main(int argc, char **argv)
{
  int n = atoi(argv[1]), size, total = 0, sum = 0;
  int *count = room(4 * n), *at = room(4 * n), *data = room(4 * n), *got = room(4 * n);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int k = 0; k < n; k++) {
    count[0] = 0;
    for (int i = 0; i < n; i++) { data[i] = data[i] * 3 % 7; count[data[i]]++; }
    at[0] = 0;
    for (int r = 1; r < size; r++) at[r] = at[r - 1] + count[r - 1];
    ` + inside + `
    total = at[size - 1] + count[size - 1];
    sum = sum + total;
    MPI_Alltoallv(data, count, at, MPI_INT, got, count, at, MPI_INT, MPI_COMM_WORLD);
  }
  ` + after + `
  return 0;
}
`
	}
	fixed, strict := Rules{FixedCommunication: true}, Rules{Strict: true}
	for _, k := range []struct {
		name, text string
		rules      Rules
		safe       bool
		words      string // of the reason, or of what is assumed
	}{
		{"not vouched for", sends("", ""), Rules{}, false, "count, which the loop computes, is a parameter of MPI_Alltoallv"},
		{"vouched for", sends("", ""), fixed, true, "count, which the loop computes, is a parameter of MPI_Alltoallv; taken to be the same"},
		{"made from what is vouched for", sends("", "for (int i = 0; i < total; i++) got[i] = 0;"), fixed, true, "count"},
		{"made from it, and from itself", sends("", "for (int i = 0; i < sum; i++) got[i] = 0;"), fixed, false, "sum, which the loop computes, decides how often"},
		{"made from it under a condition on data", sends("", "for (int i = 0; i < size; i++) got[i] = 0;"), fixed, true, ""},
		{"set under a condition on data", sends("if (data[0] > 3) size = 1;", "for (int i = 0; i < size; i++) got[i] = 0;"), fixed, false, "size"},
		{"set in the last iteration alone", sends("if (k == n - 1) size = data[0];", "for (int i = 0; i < size; i++) got[i] = 0;"), fixed, true, "size is set in one iteration alone"},
		{"set in all but the last", sends("if (k != n - 1) size = data[0];", "for (int i = 0; i < size; i++) got[i] = 0;"), fixed, false, "size"},
		{"set in the last and elsewhere", sends("if (k == n - 1) size = data[0]; else size = 2;", "for (int i = 0; i < size; i++) got[i] = 0;"), fixed, false, "size"},
		{"data decide a branch", sends("", "if (got[0] > 3) MPI_Barrier(MPI_COMM_WORLD);"), fixed, false, "got"},
		{"data are a subscript", sends("", "got[data[0]] = 1;"), fixed, true, "data, which the loop computes, is a subscript of got; taken to be as in a run with fewer iterations"},
		{"data are a subscript, not vouched for", "int main(void) { int a[9], k[9]; for (int i = 0; i < 9; i++) k[i] = i; a[k[2]] = 0; return 0; }", fixed, false, "subscript"},
		{"a count that surely changes", "int main(int n, char **v) { double a[99]; for (int i = 0; i < n; i++) MPI_Bcast(a, i, MPI_DOUBLE, 0, MPI_COMM_WORLD); return 0; }", fixed, false, "i, which the loop computes, is a parameter"},
		{"whether it communicates", "int main(int n, char **v) { double a[99]; for (int i = 0; i < n; i++) { a[0] += 1; if (a[0] > 3) MPI_Barrier(MPI_COMM_WORLD); } return 0; }", fixed, true, "decides the communication there"},
		{"a sweep", "int main(int n, char **v) { double a[99]; for (int i = 1; i < n; i++) a[i] = a[i - 1]; return 0; }", Rules{}, true, ""},
		{"a sweep, strictly", "int main(int n, char **v) { double a[99]; for (int i = 1; i < n; i++) a[i] = a[i - 1]; return 0; }", strict, false, "the iterations are not independent: a[i - 1]"},
		{"a sum, strictly", "int main(int n, char **v) { double a[99], s = 0; for (int i = 1; i < n; i++) s += a[i]; printf(\"%f\", s); return 0; }", strict, true, ""},
		{"until it converges", "int main(int n, char **v) { double a[99], change = 1; for (int k = 0; k < n && change > 1e-3; k++) { change = 0; for (int i = 1; i < 98; i++) change += a[i]; } return 0; }", Rules{}, false, "not known"},
		{"leaves when it converged", "int main(int n, char **v) { double a[99]; for (int k = 0; k < n; k++) { a[0] /= 2; if (a[0] < 1e-3) break; } return 0; }", Rules{}, false, "not known"},
		{"tells whether it converged", "int main(int n, char **v) { double a[99]; int done = 0; for (int k = 0; k < n; k++) { a[0] /= 2; if (a[0] < 1e-3) done = 1; } if (!done) for (int i = 0; i < 99; i++) a[i] = 0; return 0; }", Rules{}, false, "done, which the loop computes, decides the branch"},
	} {
		t.Run(k.name, func(t *testing.T) {
			p := New(parse(t, "a.c", k.text))
			var loop Loop
			for _, l := range p.Loops() {
				if l.Unit == "main" {
					loop = l
					break
				}
			}
			got := p.Safe(loop, k.rules)
			all := got.Reason + " " + strings.Join(got.Assumed, " ")
			for _, r := range got.Reach {
				all += " " + r.Words
			}
			if got.Safe != k.safe || !strings.Contains(all, k.words) {
				t.Errorf("safe %v: %s\nwant %v: %s\n%s", got.Safe, all, k.safe, k.words, k.text)
			}
		})
	}
}

// TestRulesOfExamples holds that the loops a prediction cuts short are found,
// and under which rules.
func TestRulesOfExamples(t *testing.T) {
	for _, k := range []struct {
		file                string
		line                string // a part of the loop's first line
		plain, fixed        bool
		strict              bool
		plainWhy, strictWhy string
	}{
		{"laplace/laplace.c", "for (int k = 0;", true, true, false, "", "calls sweep"},
		{"laplace/laplace_mpi.cpp", "for (int k = 0;", true, true, false, "", "exchange"},
		{"intsort/intsort.c", "for (int ranking = 0;", false, true, false, "is a parameter of MPI_Alltoallv", "is a parameter of MPI_Alltoallv"},
		{"stommel/stommel.f90", "do step = 1", true, true, false, "", "MPI_Allreduce"},
		{"pic/pic.f", "ISTEP =", true, true, false, "", "depos"},
		{"seismic/seismic.c", "for (int shot = 0;", true, true, false, "", "exchange_halo"},
		{"cachebound/cachebound.c", "for (int k = 0; k < products", true, true, false, "", "share_product"},
		{"diskheavy/diskheavy.c", "for (int step = 0;", false, false, false, "lseek", "lseek"},
	} {
		text, err := os.ReadFile("../examples/" + k.file)
		if err != nil {
			t.Fatal(err)
		}
		p := New(parse(t, k.file, string(text)))
		lines := strings.Split(string(text), "\n")
		found := false
		for _, l := range p.Loops() {
			if l.Depth > 1 || found || !strings.Contains(lines[l.Line-1], k.line) || l.Communication == "" && k.file != "laplace/laplace.c" {
				continue
			}
			found = true
			for _, c := range []struct {
				rules Rules
				want  bool
				why   string
			}{{Rules{}, k.plain, k.plainWhy}, {Rules{FixedCommunication: true}, k.fixed, ""}, {Rules{Strict: true}, k.strict, k.strictWhy}} {
				got := p.Safe(l, c.rules)
				if got.Safe != c.want || !strings.Contains(got.Reason, c.why) {
					t.Errorf("%s:%d under %+v: safe %v: %s\nwant %v: %s", k.file, l.Line, c.rules, got.Safe, got.Reason, c.want, c.why)
				}
			}
			if count, ok := l.Count(); !ok || count.Variable != l.Variable || count.Step < 1 {
				t.Errorf("%s:%d counts as %+v, %v", k.file, l.Line, count, ok)
			}
		}
		if !found {
			t.Errorf("%s has no loop on a line with %q", k.file, k.line)
		}
	}
}
