package depend

import (
	"context"
	"testing"

	"auspex/source"
)

// FuzzAnalyse holds that no text makes the analyses panic.
func FuzzAnalyse(f *testing.F) {
	for _, text := range []string{
		"void f(int n, double *a) { for (int i = 0; i < n; i++) { a[i] = *(a + i); if (i > (n ? 1 : 2)) goto x; x: ; } }",
		"int main() { int i; do { i++; switch (i) { case 1: break; default: continue; } } while (i < f(&i)); MPI_Send(&i, i); return i; }",
		"subroutine s(a)\n real a(10)\n do 10 i = 1, 10\n10 a(i) = f(a(i))\n if (a(1)) 1, 2, 3\n1 x%y(3) = 1\n2 p => q\n3 read (*, *, end=1) a\nend",
		"struct S { int a; void g() { this->a = a; for (auto &x : v) x[a]++; } };",
		"for (;;) { a[ = }", "do i = , n\n a(i) = \n end do", "void f() { *p++ = x[y[z]]; (*g)(1)(2)->a = b; }",
	} {
		for language := range 4 {
			f.Add([]byte(text), byte(language))
		}
	}
	names := []string{"a.c", "a.cpp", "a.f90", "a.f"}
	f.Fuzz(func(t *testing.T, text []byte, language byte) {
		if len(text) > 4000 {
			return
		}
		file, err := source.Parse(context.Background(), names[language%4], text, source.Options{})
		if err != nil {
			return
		}
		p := New(file)
		for i, l := range p.Loops() {
			if l.Reason == "" {
				t.Errorf("no reason for %s on line %d", l.Verdict, l.Line)
			}
			if i < 4 {
				p.Safe(l, Rules{})
			}
		}
		g := p.Graph()
		for i := range min(3, len(g.Nodes)) {
			g.Slice([]int{i})
		}
	})
}
