package instrument

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"auspex/source"
)

// loopsIn lists where the loops of a text begin, in the order of the text.
func loopsIn(f *source.File) []int {
	var list []int
	each(Candidates(f, Options{Regions: All, MinLines: 1}), func(c *Candidate) {
		if c.Kind == LoopRegion {
			list = append(list, c.site.stmt.Start)
		}
	})
	return list
}

// cutAll cuts every loop of a file short that may be; those that can be by their
// bound if asked to.
func cutAll(t testing.TB, f *source.File, bound bool) *Result {
	t.Helper()
	var cuts []LoopCut
	for i, at := range loopsIn(f) {
		cuts = append(cuts, LoopCut{File: f.Name, Offset: at, Number: i, Bound: bound, Last: true})
	}
	r := CutShort(f, f.Name, cuts)
	back, err := Restore(r.Text, r.Edits)
	if err != nil || !bytes.Equal(back, f.Text) {
		t.Fatalf("%s: the original does not come back: %v", f.Name, err)
	}
	return r
}

func TestCuttable(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"a.c", "void f(int n) { for (int i = 0; i < n; i++) g(i); }", ""},
		{"a.c", "void f(int n) { for (int i = 0; i < n; i++); }", ""},
		{"a.c", "void f(int n) { while (n > 0) n = g(n); }", "not a for"},
		{"a.c", "void f(int n) {\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) g(i); }", "directive"},
		{"a.cpp", "void f(V &v) { for (auto &x : v) g(x); }", "not a for"},
		{"a.f90", "subroutine f(n)\ndo i = 1, n\ncall g(i)\nend do\nend", ""},
		{"a.f90", "subroutine f(n)\ndo while (n > 0)\ncall g(n)\nend do\nend", "not a DO that counts"},
		{"a.f90", "subroutine f(n)\n!$omp parallel do\ndo i = 1, n\ncall g(i)\nend do\nend", "directive"},
		{"a.f90", "pure subroutine f(n)\ndo i = 1, n\nx = x + 1\nend do\nend", "PURE"},
	} {
		f := parse(t, test.name, []byte(test.text))
		at := loopsIn(f)
		if len(at) == 0 {
			t.Fatalf("%s: no loop found", test.text)
		}
		if got := Cuttable(f)[at[0]]; got == "" != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.text, got, test.want)
		}
	}
	f := parse(t, "a.c", []byte("int x;"))
	if r := CutShort(f, "a.c", []LoopCut{{Offset: 3}}); string(r.Text) != "int x;" || len(r.Edits) > 0 {
		t.Errorf("there is no loop, and yet: %s", r.Text)
	}
}

// Without the runtime a program with its loops cut short does what it did.
func TestCutProgramsRun(t *testing.T) {
	stub := ThresholdABI
	for _, part := range []string{"stub_threshold.h", "stub_threshold_fortran.h"} {
		text, err := os.ReadFile(filepath.Join("..", "probe", "runtime", part))
		if err != nil {
			t.Fatal(err)
		}
		stub += string(text)
	}
	short, _, _ := strings.Cut(stub, "/* The same for Fortran")
	for _, test := range []struct{ name, text string }{
		{"c.c", `#include <stdio.h>
int main(void)
{
    long sum = 0;
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < i; j++) sum += j;
    for (int i = 0; i < 7; i++) { if (i == 3) continue; if (i == 5) break; sum += 100; }
    for (int i = 0, k = 9; i < k; i++, k--)
        if (i % 2)
            sum += 1000;
        else
            sum += 10000;
    if (sum) for (int i = 0; i < 2; i++) sum++; else sum = -1;
    int n = 5, v;
    unsigned u;
    for (v = 2; v <= n; v++) sum += v;
    for (u = 7; u < 3; u++) sum += 1000000;
    for (int i = 0, m = n; i < m; i++) sum += m;
    for (const char *p = "abc", *q = p + 3; p < q; p++) sum += *p;
    printf("%ld %d %u\n", sum, v, u);
    return 0;
}
`},
		{"x.cpp", `#include <cstdio>
struct S { int n; int all() const { int sum = 0; for (int i = 0; i < n; ++i) { for (int j = 0; j < n; ++j) sum += i * j; } return sum; } };
int main() { S s{9}; std::printf("%d\n", s.all()); }
`},
		{"f.f90", `program p
  implicit none
  integer :: i, j, s
  s = 0
  outer: do i = 1, 10
    do j = 1, i; s = s + j
    end do
    if (i == 4) cycle outer
    s = s + 100
  end do outer
  print *, s, i
end program p
`},
		{"g.f", `      PROGRAM P
      INTEGER I, J, S
      S = 0
      DO 20 I = 1, 10
      DO 10 J = 1, I
   10 S = S + J
   20 CONTINUE
      PRINT *, S, I
      END
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			cc := compiler(t, test.name)
			dir := t.TempDir()
			f := parse(t, test.name, []byte(test.text))
			want := output(t, cc, dir, test.name, []byte(test.text))
			for _, bound := range []bool{false, true} {
				r := cutAll(t, f, bound)
				if len(r.Regions) == 0 {
					t.Fatal("no loop was cut short")
				}
				text := r.Text
				if f.Language != source.Fortran {
					text = append([]byte(short), text...)
				}
				if got := output(t, cc, dir, test.name, text, stubObject(t, dir, stub)); got != want {
					t.Errorf("%q, want %q\n%s", got, want, r.Text)
				}
			}
		})
	}
}

func stubObject(t *testing.T, dir, text string) string {
	t.Helper()
	source := filepath.Join(dir, "stub.c")
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-Wall", "-Werror", "-c", "-o", source+".o", source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return source + ".o"
}

// output compiles a text and gives what the program prints.
func output(t *testing.T, cc, dir, name string, text []byte, objects ...string) string {
	t.Helper()
	source := filepath.Join(dir, name)
	if err := os.WriteFile(source, text, 0o666); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	args := append(append([]string{"-o", program, source}, objects...), "-ldl")
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, text)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func FuzzCutShort(f *testing.F) {
	f.Add("a.c", "void f(int n) { for (int i = 0; i < n; i++) { g(i); } }")
	f.Add("a.cpp", "void f(int n) { for (int i = 0; i < n; i++) if (i) g(i); else h(i); }")
	f.Add("a.f90", "subroutine f(n)\ndo i = 1, n\ncall g(i)\nend do\nend")
	f.Add("a.f", "      SUBROUTINE F(N)\n      DO 10 I = 1, N\n   10 CALL G(I)\n      END\n")
	f.Fuzz(func(t *testing.T, name, text string) {
		if language, _ := source.Detect(name); language == source.Unknown || len(text) > 1<<12 {
			return
		}
		parsed, err := source.Parse(context.Background(), name, []byte(text), source.Options{})
		if err != nil {
			return
		}
		cutAll(t, parsed, true)
	})
}
