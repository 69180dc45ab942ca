package instrument

import (
	"fmt"
	"strings"
	"testing"
)

const choices = `int tiny(int a) { return a; }
void work(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i][j] = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < n; j++)
      y[i][j] = 0;
  for (int i = 0; i < n; i++)
    z[i] = 0;
}
constexpr int known(int n)
{
  int s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += i;


  return s;
}
int main() { work(tiny(9)); }
#pragma omp declare target
`

func chosen(t *testing.T, opt Options) string {
	t.Helper()
	var names []string
	each(Candidates(parse(t, "src/a.cpp", []byte(choices)), opt), func(c *Candidate) {
		if c.Chosen {
			names = append(names, c.Name)
		} else if c.Why == "" {
			t.Errorf("%s was left alone without a reason", c.Name)
		}
	})
	return strings.Join(names, " ")
}

func TestChoice(t *testing.T) {
	filter := func(text string) *Filter {
		f, err := ReadFilter("f", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, c := range []struct {
		what string
		opt  Options
		want string
	}{
		{"default", Options{}, "work work/loop@4"},
		{"functions", Options{Regions: Functions}, "work"},
		{"functions of any size", Options{Regions: Functions, MinLines: 1}, "tiny work main"},
		{"loops", Options{Regions: Loops}, "work/loop@4"},
		{"all", Options{Regions: All, MinLines: 1}, "tiny work work/loop@4 work/loop@5 work/loop@7 work/loop@8 work/loop@10 main"},
		{"exclude", Options{Exclude: []string{"a.cpp:w*"}}, ""},
		{"include", Options{Include: []string{"tiny"}, MinLines: 1}, "tiny"},
		{"filter", Options{Filter: filter("exclude *:*\ninclude a.cpp:tiny\ninclude a.cpp:work/loop@5\ninclude *:known")}, "tiny work/loop@5"},
	} {
		if got := chosen(t, c.opt); got != c.want {
			t.Errorf("%s: chosen %q, want %q", c.what, got, c.want)
		}
	}
}

func TestParseChoice(t *testing.T) {
	for _, s := range []string{"", "default", "functions", "loops", "all"} {
		if _, err := ParseChoice(s); err != nil {
			t.Error(err)
		}
	}
	if _, err := ParseChoice("most"); err == nil {
		t.Error("no error for an unknown choice")
	}
}

func TestNothingChosen(t *testing.T) {
	f := parse(t, "a.c", []byte("int x;\n"))
	if r := rewrite(t, f, Options{}); len(r.Edits) != 0 || string(r.Text) != "int x;\n" {
		t.Errorf("a file without functions was changed: %q", r.Text)
	}
}

// Messages of the compiler name the user's file and line.
func TestLineNumbers(t *testing.T) {
	for name, text := range map[string]string{
		"lines.c":   "int f(int n)\n{\n#pragma omp parallel for\n  for (int i = 0; i < n; i++)\n    g(i);\n  undeclared = 1;\n}\n",
		"lines.cpp": "int f(int n)\n{\n#pragma omp parallel for\n  for (int i = 0; i < n; i++)\n    g(i);\n  undeclared = 1;\n}\n",
		"lines.f90": "subroutine f(n)\n implicit none\n integer n, i\n do i = 1, n\n end do\n if (n > 1) return; undeclared = 1\nend\n",
		"lines.f":   "      SUBROUTINE F(N)\n      IMPLICIT NONE\n      INTEGER N, I\n      DO I = 1, N\n      END DO\n      UNDECLARED = 1\n      END\n",
	} {
		f := parse(t, name, []byte(text))
		r := rewrite(t, f, Options{Regions: All, MinLines: 1, File: "dir/" + name})
		out := compileErrors(t, name, r.Text)
		if want := fmt.Sprintf("dir/%s:6:", name); !strings.Contains(out, want) {
			t.Errorf("%s: no message for %s in\n%s\n%s", name, want, out, r.Text)
		}
	}
}

func FuzzRewrite(f *testing.F) {
	for _, name := range []string{"exits.c", "exits.cpp", "exits.f90", "exits.f"} {
		f.Add(byte(0), string(read(f, name)))
	}
	names := []string{"a.c", "a.cpp", "a.f90", "a.f"}
	f.Fuzz(func(t *testing.T, lang byte, text string) {
		file := parse(t, names[lang%4], []byte(text))
		rewrite(t, file, Options{Regions: All, MinLines: 1, Count: lang&4 != 0})
	})
}

// Whatever is wrong with a file, taking the insertions out gives it back.
func TestDamagedFiles(t *testing.T) {
	for i, name := range []string{"exits.c", "exits.cpp", "exits.f90", "exits.f"} {
		text := read(t, name)
		for k := 1; k < 10; k++ {
			damaged := append([]byte{}, text[:len(text)*k/9]...)
			for at := k * 11; at < len(damaged); at += 150 {
				damaged[at] = "{}();'\"&\n!x#"[(at+i)%12]
			}
			rewrite(t, parse(t, name, damaged), Options{Regions: All, MinLines: 1, Count: true})
		}
	}
}

// Nothing chooses what must not be touched, not even a rule for everything.
func TestNeverTouched(t *testing.T) {
	everything, err := ReadFilter("f", strings.NewReader("include *:*\ninclude *:*/loop@*\n"))
	if err != nil {
		t.Fatal(err)
	}
	loop := "{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i] += j; }\n"
	for name, text := range map[string]string{
		"global.cu":         "__global__ void f(int n, int *a)" + loop,
		"device.cu":         "__device__ __host__ void f(int n, int *a)" + loop,
		"constexpr.cpp":     "constexpr void f(int n, int *a)" + loop,
		"consteval.cpp":     "consteval void f(int n, int *a)" + loop,
		"kokkos.cpp":        "KOKKOS_INLINE_FUNCTION void f(int n, int *a)" + loop,
		"method.cpp":        "struct S { KOKKOS_FUNCTION void operator()(int n) const; };\ntemplate <class T> KOKKOS_INLINE_FUNCTION void S::operator()(int n) const" + loop,
		"target.c":          "#pragma omp declare target\nvoid f(int n, int *a)" + loop + "#pragma omp end declare target\n",
		"routine.c":         "#pragma acc routine seq\nvoid f(int n, int *a)" + loop,
		"naked.c":           "__attribute__((naked)) void f(int n, int *a)" + loop,
		"ifunc.c":           "static void g(int n, int *a)" + loop + "static void *f(void) { int a[9]; g(9, a); return 0; }\nvoid h(int) __attribute__((ifunc(\"f\")));\n",
		"mangled.cpp":       "namespace s { void *f() { int n = 9, a[9];" + loop + "return 0; } }\nvoid h(int) __attribute__((__ifunc__(\"_ZN1s1fEv\")));\n",
		"macro.c":           "#define CHOSEN(r) \\\n  __attribute__((ifunc(#r)))\nstatic void *f(void) { int n = 9, a[9];" + loop + "return 0; }\nvoid h(int) CHOSEN(f);\n",
		"pure.f90":          "pure subroutine f(n, a)\n integer, intent(in) :: n\n integer, intent(inout) :: a(n)\n integer :: i\n do i = 1, n\n  a(i) = 1\n end do\nend subroutine\n",
		"elemental.f90":     "elemental real function f(x)\n real, intent(in) :: x\n f = x\nend function\n",
		"attribute.f90":     "real pure recursive function f(x) result(y)\n real, intent(in) :: x\n real :: y\n y = x\nend function\n",
		"fixed.f":           "      PURE SUBROUTINE F(N)\n      INTEGER, INTENT(IN) :: N\n      END\n",
		"declaretarget.f90": "subroutine f(n)\n !$omp declare target\n integer :: n, i\n do i = 1, n\n  call g(i)\n end do\nend subroutine\n",
	} {
		f := parse(t, name, []byte(text))
		if len(f.Units) == 0 {
			t.Errorf("%s: no function seen", name)
		}
		if r := rewrite(t, f, Options{Regions: All, MinLines: 1, Filter: everything, Count: true}); len(r.Edits) > 0 {
			t.Errorf("%s was touched:\n%s", name, r.Text)
		}
	}
}

// A function with vector instructions of its own keeps its probe, its loops have none:
// by the name of a type or of an instruction, not by a name that looks alike.
func TestLoopsOfVectorInstructions(t *testing.T) {
	const kernel = `#include <immintrin.h>
void work(float *x, float *y, int n)
{
  float s = prepare(%s);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        y[i] += s * x[j] * x[k];
        y[j] += s * x[i] * x[k];
        y[k] += s * x[i] * x[j];
        y[0] += y[i] * y[j] * y[k];
        y[1] += y[i] + y[j] + y[k];
      }
}
int main(void) { work(a, b, 1000); }
`
	for text, loops := range map[string]bool{"_mm_set1_ps(2)": false, "*(__m256d *)x": false, "(float32x4_t)v": false, "x_mm_y(2)": true, "__m128ish": true, "2": true} {
		found := false
		each(Candidates(parse(t, "src/a.c", fmt.Appendf(nil, kernel, text)), Options{}), func(c *Candidate) {
			switch {
			case c.Name == "work" && !c.Chosen:
				t.Errorf("%s: %s has no probe: %s", text, c.Name, c.Why)
			case c.Kind == LoopRegion && c.Line == 5:
				found = true
				if c.Chosen != loops || !loops && !strings.Contains(c.Why, "vector") {
					t.Errorf("%s: the loop is chosen: %v (%s), want %v", text, c.Chosen, c.Why, loops)
				}
			}
		})
		if !found {
			t.Errorf("%s: no loop was found", text)
		}
	}
}
