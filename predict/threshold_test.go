package predict

import (
	"context"
	"strings"
	"testing"
)

// busy is how much the time of an iteration may move in tests, on a machine that
// does other things at the same time.
const busy = 0.9

// both predicts simply and by the threshold rule from the same request.
func both(t *testing.T, r Request) (simple, cut *Report) {
	t.Helper()
	r.Epsilon = busy
	for try := 1; ; try++ {
		for _, one := range []struct {
			method Method
			report **Report
		}{{Simple, &simple}, {Threshold, &cut}} {
			var err error
			r.Method = one.method
			if *one.report, err = predictHere(t, context.Background(), r); err != nil {
				t.Fatal(err)
			}
		}
		if together(simple, cut) || try == tries {
			return simple, cut
		}
	}
}

// tries is how often something is measured that fails where the machine's speed
// changes in the meantime, as where a host gives its cores to others.
const tries = 4

// together tells whether two predictions are no further apart than a busy machine
// explains. Without what was reckoned they would be ten times apart and more.
func together(simple, cut *Report) bool {
	ratio := cut.Predictions[0].Predicted / simple.Predictions[0].Predicted
	return 0.2 < ratio && ratio < 5
}

// loopOn finds what became of the loop on a line.
func loopOn(t *testing.T, r *Report, line int) LoopUse {
	t.Helper()
	for _, l := range r.Loops {
		if l.Line == line {
			return l
		}
	}
	t.Fatalf("no loop on line %d: %+v", line, r.Loops)
	return LoopUse{}
}

func near(t *testing.T, simple, cut *Report) {
	t.Helper()
	if !together(simple, cut) {
		t.Errorf("simply %v s, with loops cut short %v s", simple.Predictions[0].Predicted, cut.Predictions[0].Predicted)
	}
}

func TestThresholdC(t *testing.T) {
	need(t, "gcc")
	r := request(t, map[string]string{"p.c": sequential})
	r.Run = "./p 30000"
	simple, cut := both(t, r)
	near(t, simple, cut)
	outer := loopOn(t, cut, 17)
	if outer.Method != Threshold || len(outer.Cuts) != 1 {
		t.Fatalf("%+v", outer)
	}
	if c := outer.Cuts[0]; c.Iterations != 30000 || c.Ran > 20000 || c.Ran < 8 || c.Added <= 0 || c.Why != "" {
		t.Errorf("%+v", c)
	}
	if p := cut.Predictions[0]; p.Method != Threshold || p.Obtain <= 0 {
		t.Errorf("%+v", p)
	}
}

const sequentialFortran = `program p
  implicit none
  integer, parameter :: n = 200
  real(8) :: a(n, n), b(n, n)
  integer :: i, j, k
  a = 1
  b = 2
  sweeps: do k = 1, 20000
    do j = 2, n - 1
      do i = 2, n - 1
        b(i, j) = 0.25d0 * (a(i-1, j) + a(i+1, j) + a(i, j-1) + a(i, j+1))
      end do
    end do
    do j = 2, n - 1
      do i = 2, n - 1
        a(i, j) = 0.25d0 * (b(i-1, j) + b(i+1, j) + b(i, j-1) + b(i, j+1))
      end do
    end do
  end do sweeps
  print *, a(n/2, n/3)
end program p
`

const fixedFortran = `      PROGRAM P
      INTEGER I, J, K
      REAL*8 A(200,200), B(200,200)
      DO 5 J = 1, 200
      DO 5 I = 1, 200
        B(I,J) = I
    5 A(I,J) = J
      DO 40 K = 1, 20000
        DO 20 J = 2, 199
          DO 10 I = 2, 199
            B(I,J) = 0.25D0*(A(I-1,J)+A(I+1,J)+A(I,J-1)+A(I,J+1))
   10     CONTINUE
   20   CONTINUE
        DO 30 J = 2, 199
          DO 25 I = 2, 199
            A(I,J) = 0.25D0*(B(I-1,J)+B(I+1,J)+B(I,J-1)+B(I,J+1))
   25     CONTINUE
   30   CONTINUE
   40 CONTINUE
      PRINT *, A(100,66)
      END
`

func TestThresholdFortran(t *testing.T) {
	need(t, "gfortran")
	for name, text := range map[string]string{"p.f90": sequentialFortran, "p.f": fixedFortran} {
		t.Run(name, func(t *testing.T) {
			r := request(t, map[string]string{name: text})
			r.Build = "gfortran -O{opt} " + name + " -o p"
			simple, cut := both(t, r)
			near(t, simple, cut)
			if outer := loopOn(t, cut, 8); len(outer.Cuts) != 1 || outer.Cuts[0].Iterations != 20000 || outer.Cuts[0].Ran > 17000 {
				t.Errorf("%+v", outer)
			}
		})
	}
}

// A loop that is entered often may do less from entry to entry: what its skipped
// iterations take is that of their own entry, here a hundredth of the first ones'.
func TestEntriesThatDoLess(t *testing.T) {
	need(t, "gcc")
	r := request(t, map[string]string{"p.c": `#include <stdio.h>
enum { M = 100000 };
static double a[M];
int main(void)
{
    int size = M;
    for (int k = 0; k < 6000; k++) {
        for (int i = 0; i < 100; i++)
            for (int j = 0; j < size; j++)
                a[j] = a[j] * 0.5 + 1;
        if (k == 300) size = M / 100;
    }
    printf("%g\n", a[5]);
    return 0;
}
`})
	simple, cut := both(t, r)
	near(t, simple, cut)
	if inner := loopOn(t, cut, 8); len(inner.Cuts) != 1 || inner.Cuts[0].Iterations != 600000 || inner.Cuts[0].Ran > 60000 {
		t.Errorf("%+v", inner)
	}
}

// Loops that must not be cut short, and why.
const treacherous = `#include <stdio.h>
#include <stdlib.h>
static double a[300][300], b[300][300];
static int count;
int main(void)
{
    for (int k = 0; k < 300; k++)
        for (int i = k; i < 300; i++)
            for (int j = 0; j < 300; j++)
                a[i][j] += a[k][j];
    for (int k = 0; k < 300; k++)
        for (int i = 0; i < 300; i++)
            count += b[k][i] >= 0;
    for (int i = 0; i < count; i++)
        a[0][i % 300] *= 1.5;
    printf("%d %g\n", count, a[5][5]);
    return 0;
}
`

func TestLoopsLeftAlone(t *testing.T) {
	need(t, "gcc")
	r := request(t, map[string]string{"p.c": treacherous})
	r.Method = Auto
	report, err := predictHere(t, context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[int]string{
		7:  "depends on k on line 8",
		11: "count",
	} {
		if l := loopOn(t, report, line); l.Method != Simple || !strings.Contains(l.Reason, want) {
			t.Errorf("line %d: %s: %s; want %q", line, l.Method, l.Reason, want)
		}
	}
	if l := loopOn(t, report, 14); l.Method != Threshold { // by its bound: it is one loop, and decides nothing
		t.Errorf("%+v", l)
	}
	r.Method, r.Source = Threshold, tree(t, map[string]string{"p.c": "int main(void) { return 0; }"})
	if _, err := predictHere(t, context.Background(), r); err == nil || !strings.Contains(err.Error(), "no loop in this program") {
		t.Errorf("%v", err)
	}
}

// A loop that touches new memory is not cut short: what comes after would find
// it untouched.
func TestTouchingLoop(t *testing.T) {
	need(t, "gcc")
	r := request(t, map[string]string{"p.c": `#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int n = 40000, m = 1024;
    double *a = malloc(sizeof *a * n * m), sum = 0;
    if (!a) return 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[(size_t)i * m + j] = 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            sum += a[(size_t)i * m + j];
    printf("%g\n", sum);
    return 0;
}
`})
	r.Method, r.Epsilon = Auto, busy
	report, err := predictHere(t, context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	l := loopOn(t, report, 8)
	if len(l.Cuts) != 1 || l.Cuts[0].Ran != 40000 || !strings.Contains(l.Cuts[0].Why, "new memory") {
		t.Errorf("%+v", l)
	}
}

// What is touched between the entries of a loop is not its doing.
func TestTouchedBetweenEntries(t *testing.T) {
	need(t, "gcc")
	r := request(t, map[string]string{"p.c": `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double a[20000];
int main(void)
{
    for (int t = 0; t < 1000; t++) {
        char *p = malloc(1 << 17);
        if (!p) return 1;
        memset(p, t % 7, (1 << 17) - t % 2);
        for (int k = 0; k < 100; k++)
            for (int i = 0; i < 20000; i++)
                a[i] = a[i] * 0.5 + p[0];
    }
    printf("%g\n", a[5]);
    return 0;
}
`})
	r.Method, r.Epsilon = Auto, busy
	report, err := predictHere(t, context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if l := loopOn(t, report, 11); len(l.Cuts) != 1 || l.Cuts[0].Why != "" || l.Cuts[0].Ran >= l.Cuts[0].Iterations {
		t.Errorf("%+v", l)
	}
}

// A loop whose rewritten form the compiler does not take is left as it is, and
// that is said.
func TestFormThatDoesNotCompile(t *testing.T) {
	need(t, "gcc")
	r := request(t, map[string]string{"p.c": "#define continue nothing_of_the_kind\n" + sequential})
	r.Method, r.AsWritten = Auto, true // preprocessed, the text would not hold the word
	report, err := predictHere(t, context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if p := report.Predictions[0]; p.Method != Simple || !strings.Contains(strings.Join(report.Notes, "\n"), "p.c: the instrumented form does not compile") {
		t.Errorf("%s: %q", p.Method, report.Notes)
	}
}

// A program that aborts when its results are wrong is measured simply.
func TestVerifyingProgram(t *testing.T) {
	need(t, "gcc")
	text := strings.Replace(sequential, "return a[1][1] < -1;", "if (a[N / 2][N / 2] > 3000) abort();\n    return 0;", 1)
	text = strings.Replace(text, "a[i][j] = b[i][j] = i * j;", "a[i][j] = b[i][j] = i && j && i < N - 1 && j < N - 1 ? 30000 : 0;", 1)
	r := request(t, map[string]string{"p.c": text})
	r.Method, r.Epsilon, r.Run = Auto, busy, "./p 30000"
	report, err := predictHere(t, context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if l := loopOn(t, report, 17); l.Method != Simple || !strings.Contains(l.Reason, "did not come to its end") {
		t.Errorf("%+v", l)
	}
	if report.Predictions[0].Method != Simple || !strings.Contains(strings.Join(report.Notes, "\n"), "measured simply") {
		t.Errorf("%s: %q", report.Predictions[0].Method, report.Notes)
	}
}
