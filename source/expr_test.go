package source

import (
	"fmt"
	"strings"
	"testing"
)

// expressions lists all expressions of a file's statements, in order.
func expressions(f *File) []string {
	var out []string
	f.All(func(u *Unit) {
		u.Walk(func(s *Stmt, _ []*Stmt) bool {
			for _, e := range f.Exprs(s) {
				out = append(out, e.String())
			}
			return true
		})
	})
	return out
}

func TestExpressions(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.c", `void f(int n, double *a, double b[10][n]) {
  int i = 0, *p = &i;
  for (int j = 1; j < n - 1; j += 2) a[j] = a[j - 1] * 2 + b[i][j];
  while (*p++ < n) s.x->y = g(a, -i);
  if (!i && n) i++;
  q = i ? (double)n : h(1)(2);
  return (i, n);
}`, `i = 0
p = (&i)
j = 1
(j < (n - 1))
j += 2
a[j] = ((a[(j - 1)] * 2) + b[i, j])
((*p += 1) < n)
s.x.y = g(a, (-i))
((!i) && n)
i += 1
q = (i ? n : (h(1), 2))
{i, n}`},
		{"a.cpp", `void f(std::vector<int> &v) { for (auto &x : v) v.push_back(x); k[1] = std::max(x, 2); }`,
			`v
push_back(v, x)
k[1] = std::max(x, 2)`},
		{"a.f90", `subroutine s(a, n)
  integer :: n, i = 3
  do i = 1, n, 2
    A(i, 2:n) = -a(i-1, :) + f(n)**2
    if (a(i) >= 3 .and. .not. l) call Work(a(i), n)
  end do
  x%y(3)%z = [1, 2]
  do while (x > 0)
  end do
  p => q
end subroutine`, `i = 3
i = 1
n
2
a⟨i, 2:n:⟩ = ((-a⟨(i - 1), ::⟩) + (f⟨n⟩ ** 2))
((a⟨i⟩ >= 3) .and. (.not.l))
work(a⟨i⟩, n)
x.y[3].z = {1, 2}
(x > 0)
p => q`},
		{"a.f", `      SUBROUTINE S(A)
      DIMENSION A(10)
      DO 10 I = 1, 10
   10 A(I) = A(I) .
     & AND. B
      END
`, `i = 1
10
a⟨i⟩ = (a⟨i⟩ .and. b)`},
	} {
		got := strings.Join(expressions(mustParse(t, c.name, c.text, Options{})), "\n")
		if got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestVariables(t *testing.T) {
	show := func(f *File) string {
		var b strings.Builder
		for _, v := range f.Variables(f.Units[0]) {
			fmt.Fprintf(&b, "%s:%s", v.Name, v.Type)
			for _, d := range v.Dims {
				fmt.Fprintf(&b, "[%v]", d)
			}
			if v.Pointer {
				b.WriteString(" pointer")
			}
			if v.Param {
				b.WriteString(" param")
			}
			if v.Init != nil {
				fmt.Fprintf(&b, " = %v", v.Init)
			}
			b.WriteString("; ")
		}
		return strings.TrimSpace(b.String())
	}
	for _, c := range []struct{ name, text, want string }{
		{"a.c", `void f(int n, double *a, const float b[3][n]) { int i = 2, m[4][5], *p; for (long k = 0; k < n; k++) { char c; } }`,
			`n:int param; a:double pointer param; b:float[3][n] param; i:int = 2; m:int[4][5]; p:int pointer; k:long = 0; c:char;`},
		{"a.c", `int g(a, b) int a; char *b; { return 0; }`, `a:int param; b:char pointer param;`},
		{"a.f90", `subroutine s(a, n)
  integer, intent(in) :: n
  real, dimension(n, 2*n) :: a, w
  real(8) :: x(0:n), y(:)
  integer, pointer :: p
  integer :: k = 3, z
  dimension z(4)
  common /blk/ q(7), r
end subroutine`, `n:integer param; a:real[n][(2 * n)] param; w:real[n][(2 * n)]; x:real(8)[0:n:]; y:real(8)[::]; p:integer pointer; k:integer = 3; z:integer[4]; q:[7]; r:;`},
	} {
		if got := show(mustParse(t, c.name, c.text, Options{})); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
}
