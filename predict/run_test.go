package predict

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// sequential is a loop over a matrix that fits into no cache line's reach of
// the first iterations; argument 1 is how often.
const sequential = `#include <stdio.h>
#include <stdlib.h>
enum { N = 200 };
static double a[N][N], b[N][N];
static void relax(double (*to)[N], double (*from)[N])
{
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}
int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 2000;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = b[i][j] = i * j;
    for (int k = 0; k < sweeps; k++) {
        relax(b, a);
        relax(a, b);
    }
    printf("%g\n", a[N / 2][N / 3]);
    return a[1][1] < -1;
}
`

// Two platforms from one trace: a host twice as fast takes half the time.
func TestSequential(t *testing.T) {
	need(t, "gcc")
	r := request(t, map[string]string{"p.c": sequential})
	r.Platforms = append(r.Platforms, cluster(t, 2, "2Gf"))
	r.Levels = []string{"0", "2"}
	r.Validate = 1
	for try := 1; ; try++ {
		start := time.Now()
		report, err := predictHere(t, context.Background(), r)
		took := time.Since(start).Seconds()
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Predictions) != 4 || report.ReferenceSpeed != 1e9 {
			t.Fatalf("%+v", report)
		}
		disturbed := false
		for i := 0; i < 4; i += 2 {
			slow, fast := report.Predictions[i], report.Predictions[i+1]
			// A program that is kept waiting, as for a page that is not in memory, waits
			// as long on any host.
			disturbed = disturbed || math.Abs(slow.Predicted/fast.Predicted-2) > 1e-9
			if slow.Measured == nil || slow.Method != Simple {
				t.Fatalf("%+v", slow)
			}
			// What is measured is elapsed time, on a machine that may be busy with other
			// things for most of it.
			if *slow.Measured > took || math.Abs(*slow.Error-(slow.Predicted / *slow.Measured - 1)) > 1e-9 {
				t.Errorf("measured in %g s: %+v", took, slow)
			}
			disturbed = disturbed || *slow.Error > 1.5
		}
		disturbed = disturbed || report.Predictions[2].Predicted >= report.Predictions[0].Predicted || report.Best != 3
		if !disturbed {
			return
		}
		if try == tries {
			t.Fatalf("twice the speed is not half the time, or runs and predictions are too far apart, or -O2 is no faster than -O0, or the best is not the last: %d, %+v", report.Best, report.Predictions)
		}
	}
}

func TestRunsGiveAnInterval(t *testing.T) {
	need(t, "gcc")
	r := request(t, map[string]string{"p.c": sequential})
	r.Runs, r.Run = 3, "./p 300"
	report, err := predictHere(t, context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	p := report.Predictions[0]
	if p.Runs != 3 || !(p.Low < p.Predicted && p.Predicted < p.High) {
		t.Errorf("%+v", p)
	}
}

func TestBadPrograms(t *testing.T) {
	need(t, "gcc")
	for _, test := range []struct {
		name, text string
		change     func(*Request)
		want       []string
	}{
		{"does not compile", "int main(void) { return missing; }", nil, []string{"the build command failed", "gcc -O1 p.c -o p", "missing"}},
		{"fails", `#include <stdio.h>
int main(void) { fprintf(stderr, "no input deck\n"); return 3; }`, nil, []string{"status 3", "no input deck", "./p"}},
		{"crashes", "int main(void) { __builtin_trap(); }", nil, []string{"status 132"}},
		{"is not there", "int main(void) { return 0; }", func(r *Request) { r.Run = "./q" }, []string{"./q"}},
		{"calls what was built before", `#include <unistd.h>
int main(void) { execl("./before", "before", (char *)0); return 1; }`, func(r *Request) {
			if out, err := exec.Command("gcc", "-x", "c", "-o", filepath.Join(r.Source, "before"), filepath.Join(r.Source, "p.c")).CombinedOutput(); err != nil {
				t.Fatal(err, string(out))
			}
		}, []string{"status 1", "lacks what was built there before (before)"}},
		{"never ends", "int main(void) { for (volatile int i = 0;; i++); }", func(r *Request) { r.Timeout = time.Second }, []string{"ended after 1s"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := request(t, map[string]string{"p.c": test.text})
			if test.change != nil {
				test.change(&r)
			}
			_, err := predictHere(t, context.Background(), r)
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nwant %q", err, want)
				}
			}
		})
	}
}

// A program that reads input is not predicted without, whatever it makes of that.
func TestInput(t *testing.T) {
	for _, test := range []struct{ name, compiler, file, text string }{
		{"scanf", "gcc", "p.c", "#include <stdio.h>\nint main(void) { int n = 42; return scanf(\"%d\", &n) == 2 || n != 42; }"},
		{"fails", "gcc", "p.c", "#include <stdio.h>\nint main(void) { int n; return scanf(\"%d\", &n) == 1 && n == 42 ? 0 : 9; }"},
		{"read", "gcc", "p.c", "#include <unistd.h>\nint main(void) { char c; return read(0, &c, 1) < 0; }"},
		{"cin", "g++", "p.cc", "#include <iostream>\nint main() { int n = 0; std::cin >> n; return n != 42 && n != 0; }"},
		{"Fortran", "gfortran", "p.f90", "integer :: n = 42, e\nread (*, *, iostat=e) n\nif (n /= 42) stop 9\nend"},
		{"MPICH", "mpicc.mpich", "p.c", "#include <mpi.h>\n#include <stdio.h>\nint main(int c, char **v) { int n; MPI_Init(&c, &v); n = getchar(); MPI_Finalize(); return n == 'x'; }"},
	} {
		t.Run(test.name, func(t *testing.T) {
			need(t, test.compiler)
			r := request(t, map[string]string{test.file: test.text, "in.txt": "42\n"})
			r.Build = test.compiler + " -O{opt} " + test.file + " -o p"
			if test.name == "MPICH" {
				r.Run = "mpirun.mpich -n {np} ./p"
			}
			if _, err := predictHere(t, context.Background(), r); err == nil || !strings.Contains(err.Error(), "reads standard input") {
				t.Errorf("without input: %v", err)
			}
			r.Input = r.Source + "/in.txt"
			if _, err := predictHere(t, context.Background(), r); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	need(t, "gcc")
	r := request(t, map[string]string{"p.c": "#include <unistd.h>\nint main(void) { sleep(60); return 0; }"})
	ctx, cancel := context.WithCancel(context.Background())
	var interrupted atomic.Int64 // what was built before may take its time
	r.Say = func(what string) {
		if strings.HasPrefix(what, "measuring") {
			time.AfterFunc(500*time.Millisecond, func() {
				interrupted.Store(time.Now().UnixNano())
				cancel()
			})
		}
	}
	_, err := predictHere(t, ctx, r)
	if took := time.Since(time.Unix(0, interrupted.Load())); err == nil || ctx.Err() == nil || took > 30*time.Second {
		t.Errorf("%v after %v", err, took)
	}
}

func TestShims(t *testing.T) {
	dir := t.TempDir()
	if err := writeShims(dir, []string{"/a b/auspex", "cc"}); err != nil {
		t.Fatal(err)
	}
	names := listing(t, dir)
	for _, name := range []string{"gcc-ar", "gcc-nm", "ccache"} {
		if strings.Contains(names+" ", "/"+name+" ") {
			t.Errorf("%s is no compiler", name)
		}
	}
	need(t, "gcc")
	text, err := os.ReadFile(dir + "/gcc")
	if err != nil || !strings.Contains(string(text), `exec '/a b/auspex' 'cc' --plan "$AUSPEX_PLAN"`) {
		t.Errorf("%v\n%s", err, text)
	}
}
