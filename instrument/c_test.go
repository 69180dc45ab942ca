package instrument

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestExitsInC(t *testing.T) {
	text := read(t, "exits.c")
	t.Setenv("OMP_NUM_THREADS", "1") // the runtime for tests knows one stack
	for _, flags := range [][]string{
		{"-O0", "-Wall", "-Wextra", "-Wshadow", "-Wno-old-style-definition", "-Wno-unknown-pragmas", "-Wno-implicit-fallthrough", "-Werror"},
		{"-O2", "-fopenmp"},
	} {
		got, r := same(t, "exits.c", text, Options{Regions: All, MinLines: 1, Count: true}, flags...)
		expect(t, got, map[string]string{
			"main": "1 0", "early": "3 0", "early/loop@7": "3 10", "jumps": "2 0",
			"bare/loop@41": "1 4", "bare/loop@42": "4 6", "old_style": "1 0", "open": "1",
			"parallel/loop@131": "1 0", "parallel/loop@143": "1 0", "parallel/loop@146": "1 3",
		})
		for name := range got {
			if strings.HasPrefix(name, "inside/loop") || strings.HasPrefix(name, "macros/loop") {
				t.Errorf("%s was instrumented, but has a jump into it or begins under an #if", name)
			}
		}
		if t.Failed() {
			t.Logf("%s", r.Text)
		}
	}
}

func TestExitsInCXX(t *testing.T) {
	text := read(t, "exits.cpp")
	got, r := same(t, "exits.cpp", text, Options{Regions: All, MinLines: 1, Count: true},
		"-O1", "-std=c++17", "-Wall", "-Wextra", "-Wshadow", "-Werror")
	expect(t, got, map[string]string{
		"main": "1 0", "work::Sum::Sum": "1 0", "work::Sum::Sum/loop@21": "1 4", "work::Sum::operator()": "2 0",
		"work::Sum::scaled": "2 0", "work::Sum::scaled/loop@44": "2 8", "work::Sum::scaled/loop@45": "8 16",
		"trailing": "1 0", "trailing/loop@87": "1 3", "trailing/loop@88": "3 27", "c_linkage": "2 0",
		"c_linkage/loop@68": "2 5", "open": "0",
	})
	for name := range got {
		if name == "work::square" {
			t.Errorf("%s was instrumented", name)
		}
	}
	if t.Failed() {
		t.Logf("%s", r.Text)
	}
}

// A program's macros may have any name that is not reserved.
func TestMacrosOfTheProgram(t *testing.T) {
	text := []byte(`#include <stdio.h>
#define c a[i]
#define n a[0]
#define i at
#define k wide
#define off gone
#define region place
#define unused __attribute__((unused))
#define cleanup tidy()
int main(void)
{
  int a[5] = {1, 2, 3, 4, 5}, s = 0;
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 3; j++)
      s += c + n;
  printf("%d\n", s);
  return 0;
}
`)
	for _, name := range []string{"macros.c", "macros.cpp"} {
		got, _ := same(t, name, text, Options{Regions: All, MinLines: 1, Count: true})
		expect(t, got, map[string]string{"main": "1 0", "main/loop@13": "1 5"})
	}
}

// What belongs to a loop stays with it, as a line or in the midst of one.
func TestPragmaOperators(t *testing.T) {
	text := []byte(`#include <stdio.h>
#define PAR _Pragma("omp parallel for reduction(+:s)")
#define OMP(x) _Pragma(#x)
#define STRING(x) #x
#define GCC(x) \
  _Pragma(STRING(GCC x))
int main(void)
{
  long s = 0, n = 4;
  _Pragma("omp parallel for reduction(+:s)")
  for (int i = 0; i < n; i++)
    s += i;
  n++; _Pragma("GCC ivdep") /* no aliases */ for (int i = 0; i < n; i++) {
    s += i;
  }
  PAR for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += i * j;
  if (n > 2)
    OMP(omp parallel for collapse(2) reduction(+:s))
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        s += i * j;
  for (int i = 0; i < n; i++)
    GCC(unroll 2) for (int j = 0; j < n; j++)
      s += i * j;
  printf("%ld\n", s);
  return 0;
}
`)
	t.Setenv("OMP_NUM_THREADS", "1") // the runtime for tests knows one stack
	for _, name := range []string{"pragmas.c", "pragmas.cpp"} {
		got, r := same(t, name, text, Options{Regions: All, MinLines: 1, Count: true}, "-fopenmp", "-Wall", "-Werror")
		expect(t, got, map[string]string{
			"main": "1 0", "main/loop@11": "1 0", "main/loop@13": "1 5", "main/loop@16": "1 0",
			"main/loop@20": "", "main/loop@21": "1 0", "main/loop@24": "1 5", "main/loop@25": "5 25",
		})
		each(r.Candidates, func(c *Candidate) {
			if c.Line == 22 && !strings.Contains(c.Why, "collapsed") {
				t.Errorf("%s is chosen, or left for %q", c.Name, c.Why)
			}
		})
		if t.Failed() {
			t.Logf("%s", r.Text)
		}
	}
}

// What functions with probes do to memory is known where they are called, as it is
// without probes: what they leave alone is read once.
func TestProbesUnseenByCallers(t *testing.T) {
	for name, cast := range map[string]string{"unseen.c": "", "unseen.cpp": "extern \"C\" "} {
		text := []byte(`int limit, step;
static double scale;
` + cast + `void set(double s) { scale = s; }
static __attribute__((noinline)) void inner(double *out, const double *in, int n)
{
    for (int i = 1; i < n; i++) {
        double v = in[i - 1] - 2 * in[i];
        if (v < 0)
            v = -v;
        out[i] = v * in[i] + out[i - 1];
    }
}
` + cast + `double outer(double *out, const double *in)
{
    double sum = 0;
    for (int i = 0; i < limit; i += step) {
        inner(out, in, limit);
        sum += scale * out[i];
    }
    return sum;
}
`)
		r := rewrite(t, parse(t, name, text), Options{Include: []string{"inner"}, Regions: Functions, MinLines: 5})
		if len(r.Regions) != 1 {
			t.Fatalf("%v", r.Regions)
		}
		if want, got := references(t, name, text, "outer"), references(t, name, r.Text, "outer"); got != want {
			t.Errorf("%s: %d references, not the %d without probes", name, got, want)
		}
	}
}

// references compiles a text and counts how often the code of one of its functions refers
// to what is outside of it.
func references(t *testing.T, name string, text []byte, function string) uint64 {
	t.Helper()
	source := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(source, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler(t, name), "-O2", "-ffunction-sections", "-c", "-o", source+".o", source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	object, err := elf.Open(source + ".o")
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	for _, kind := range []string{".rela", ".rel"} {
		if s := object.Section(kind + ".text." + function); s != nil {
			return s.Size / s.Entsize
		}
	}
	t.Fatalf("%s refers to nothing", function)
	return 0
}
