package source

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func mustParse(t testing.TB, name, text string, opt Options) *File {
	t.Helper()
	f, err := Parse(context.Background(), name, []byte(text), opt)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// outline writes the structure of a file, one line each, for comparison.
func outline(f *File) string {
	var b strings.Builder
	var stmts func(list []*Stmt, depth int)
	stmts = func(list []*Stmt, depth int) {
		for _, s := range list {
			in := depth
			switch {
			case s.Kind == Loop:
				fmt.Fprintf(&b, "%s%v %d-%d", strings.Repeat(" ", depth), s.Loop.Kind, s.Line, s.EndLine)
				if s.Loop.SharedEnd {
					b.WriteString(" shared")
				}
				b.WriteByte('\n')
				in++
			case s.Kind == Directive:
				fmt.Fprintf(&b, "%s%s %d\n", strings.Repeat(" ", depth), s.Text, s.Line)
			case s.Kind >= Return && s.Kind <= Throw:
				fmt.Fprintf(&b, "%s%v %d", strings.Repeat(" ", depth), s.Kind, s.Line)
				if len(s.Targets) > 0 {
					b.WriteString(" to " + strings.Join(s.Targets, ","))
				}
				b.WriteByte('\n')
			}
			for _, c := range s.MPI {
				fmt.Fprintf(&b, "%s%s %d\n", strings.Repeat(" ", depth), c.Name, c.Line)
			}
			stmts(s.Body, in)
			stmts(s.Else, in)
		}
	}
	f.All(func(u *Unit) {
		fmt.Fprintf(&b, "%v %s %d-%d", u.Kind, u.Name, u.Line, u.EndLine)
		if u.Traits != 0 {
			fmt.Fprintf(&b, " %v", u.Traits)
		}
		if u.Repair != "" {
			fmt.Fprintf(&b, " (%s)", u.Repair)
		}
		if !u.Sound() {
			b.WriteString(" unsound")
		}
		b.WriteByte('\n')
		stmts(u.Stmts, 1)
	})
	return b.String()
}

func TestOutline(t *testing.T) {
	for _, c := range []struct{ what, name, text, want string }{
		{"a function with loops and MPI", "a.c", `int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
#pragma omp parallel for \
  schedule(static)
  for (int i = 0; i < 3; i++)
    while (x) { if (i) break; else goto out; }
  do { f(); } while (0);
out:
  return MPI_Finalize();
}`, `function main 1-10
 MPI_Init 2
 omp parallel for schedule(static) 3
 for 5-6
  while 6-6
   break 6
   goto 6 to out
 do while 7-7
 return 9
 MPI_Finalize 9
`},
		{"old-style and macro definitions, attributes", "a.c", `int old(a, b) int a; char *b; { return a; }
MYAPI(int) weird(void) { return 1; }
__attribute__((noinline)) static int *(*pick(int k))(int) { return 0; }
__attribute__((naked)) void bare(void) { asm("ret"); }
`, `function old 1-1
 return 1
function weird 2-2
 return 2
function pick 3-3
 return 3
function bare 4-4 naked
`},
		{"device code", "a.c", `#pragma omp declare target
void on(void) { }
#pragma omp end declare target
void off(void) { }
#pragma acc routine seq
void routine(void) { }
void plain(void) { }
`, `function on 2-2 device
function off 4-4
function routine 6-6 device
function plain 7-7
`},
		{"a pointer to functions of a kind", "a.f90", `subroutine s
  procedure(real(8)), pointer :: f => null()
  PROCEDURE ( integer ( kind=4 ) ) :: g
end subroutine s
`, `subroutine s 1-4
`},
		{"branches that split a function", "a.c", `#ifdef A
int f(int a) {
#else
int f(long a) {
#endif
  return 1;
}
int g(void)
{
#if X
  if (a) {
#else
  if (b) {
#endif
    return 2;
  }
  return 3;
}
`, `function f 4-7
 return 6
function g 8-18 (else branches blanked)
 return 15
 return 17
`},
		{"a header with an end for each of several types", "a.F90", `subroutine a(x) &
#ifdef DOUBLE
  bind(C, name="a_d")
#endif
#ifdef SINGLE
  bind(C, name="a_f")
#endif
  real, value :: x
  if (x > 0) return
end subroutine
`, `subroutine a 1-10 (neighbouring branches blanked)
 return 9
`},
		{"macros that stand as statements", "a.c", `void f(void)
{
  BoxLoop1Begin(ndim, box, i)
  {
    for (;;) x();
  }
  BoxLoop1End(i);
  TRACE(f)
  y = 1;
}
void g(void) { for (;;) break; }
`, `function f 1-10 (else branches and macros blanked)
 for 5-5
function g 11-11
 for 11-11
  break 11
`},
		{"macros of one name that stand as statements", "a.c", `int f(int *to)
{
  for (int i = 0; i < 4; i++) {
    error = put(to[i]);
    CHECK_ERROR
  }
  error = get(to, &n); CHECK_ERROR
  if (n != 1) {
    return 1;
  }
  DONE
}
`, `function f 1-12 (else branches and macros blanked)
 for 3-6
 return 9
`},
		{"inline namespaces", "a.cpp", `namespace a::b::inline v1 { void f() { } }
namespace c { inline namespace v2 { void g() { } } }
`, `function a::b::v1::f 1-1
function c::v2::g 2-2
`},
		{"names in C++", "a.cpp", `namespace ns { class K : B {
  K(int a) : x(a), y{2} { run(); }
  ~K() { }
  int operator()(int) const { return 1; }
  operator bool() const { return true; }
  K& operator=(const K&) = default;
  template <class T> static constexpr T get(T t) { return t; }
}; }
ns::K::K(int a) try : x(a) { foo(); } catch (...) { throw; }
template <typename T> void ns::V<T>::push(const T& t) && { auto l = [&](int q) { return q; }; for (auto &x : v) l(x); }
extern "C" { int *cfun(int a) { return 0; } }
__global__ void kernel(float *x) { }
task<int> co() { co_return 1; }
`, `function ns::K::K 2-2
function ns::K::~K 3-3
function ns::K::operator() 4-4
 return 4
function ns::K::operator bool 5-5
 return 5
function ns::K::get 7-7 constexpr
 return 7
function ns::K::K 9-9
 throw 9
function ns::V<T>::push 10-10
 for each 10-10
lambda ns::V<T>::push::lambda 10-10
 return 10
function cfun 11-11
 return 11
function kernel 12-12 device
function co 13-13 coroutine
 return 13
`},
		{"free-form Fortran", "a.f90", `module m
 interface
  subroutine ext(a)
   real a
  end subroutine
 end interface
contains
 Pure Real Function f(x) result(y)
  real, intent(in) :: x
  y = x
 End Function f
 recursive subroutine s(a) bind(c)
  outer: DO i = 1, n
   do while (a < 0)
    if (x) exit outer
    if (y) return
   end do
  end do outer
  call MPI_Send(a, 1, MPI_REAL, 1, 2, MPI_COMM_WORLD, ierr)
  !$omp parallel do &
  !$omp   private(i)
  do concurrent (i = 1:n)
  end do
  read (5, *, end=99, err=98) z
  99 stop 'abc'
  98 continue
 contains
  subroutine inner()
   do
   end do
  end subroutine
 end subroutine s
end module m
submodule (m) sm
contains
 module procedure mp
  x = 1
 end procedure mp
end submodule
print *, 1
100 end
`, `function m::f 8-11 pure
subroutine m::s 12-32
 do 13-18
  while 14-17
   break 15 to outer
   return 16
 MPI_Send 19
 omp parallel do private(i) 20
 do concurrent 22-23
 stop 25
subroutine m::s::inner 28-31
 forever 29-30
subroutine sm::mp 36-38
program main 40-41
`},
		{"directives at the end of branches", "a.f90", `subroutine s
 if (a) then
  !$omp parallel do
  do i = 1, 2
  end do
  !$omp end parallel do
 else if (b) then
  !$omp do
  do i = 1, 2
  end do
  !$omp end do
 else
  return
  !$omp barrier
 end if
 select case (k)
 case (1)
  stop
  !$omp taskwait
 case default
  return
  !$omp flush
 end select
end subroutine
`, `subroutine s 1-24
 omp parallel do 3
 do 4-5
 omp end parallel do 6
 omp do 8
 do 9-10
 omp end do 11
 return 13
 omp barrier 14
 stop 18
 omp taskwait 19
 return 21
 omp flush 22
`},
		{"fixed-form Fortran", "a.f", `      SUBROUTINE S(A,
     &             N)
C     a comment
      DO 10 I=1,N
      DO 10 J=1,N
   10 IF (A(I) .
     & GT. 0) GOTO 20
#ifdef X
      DO 30, I = 1, 3
#else
      DO 30, I = 1, 4
#endif
   30 ENDDO
C$OMP PARALLEL DO
C$OMP+PRIVATE(I)
      DO I = 1, 3
      END DO
      IF (I) 20, 20, 40
   20 WRITE (6, 99) 5HDON'T
   99 FORMAT ('!')
   40 END
`, `subroutine s 1-21
 do 4-7
  do 5-7 shared
   goto 7 to 20
 do 9-13
  do 11-13 shared
 omp parallel do private(i) 14
 do 16-17
 goto 18 to 20,20,40
`},
	} {
		t.Run(c.what, func(t *testing.T) {
			f := mustParse(t, c.name, c.text, Options{})
			if got := outline(f); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
				for _, p := range f.Problems {
					t.Logf("line %d: %s", p.Line, p.Message)
				}
				f.All(func(u *Unit) {
					for _, p := range u.Problems {
						t.Logf("%s, line %d: %s", u.Name, p.Line, p.Message)
					}
				})
			}
		})
	}
}

func TestBrokenFunctionLeavesOthers(t *testing.T) {
	f := mustParse(t, "a.f90", `subroutine good
 x = 1
end subroutine
subroutine bad
 if (x then then
 do do do
end subroutine
subroutine fine
 x = 2
end subroutine
`, Options{})
	sound := map[string]bool{}
	f.All(func(u *Unit) { sound[u.Name] = u.Sound() })
	if !sound["good"] || !sound["fine"] || sound["bad"] {
		t.Errorf("sound: %v", sound)
	}
}

func TestOpenMPSentinels(t *testing.T) {
	for name, text := range map[string]string{
		"a.f90": "subroutine s\n!$ call mpi_barrier(c, e)\nend\n",
		"a.f":   "      SUBROUTINE S\n!$    CALL MPI_BARRIER(C, E)\n      END\n",
	} {
		with := outline(mustParse(t, name, text, Options{OpenMP: true}))
		without := outline(mustParse(t, name, text, Options{}))
		if !strings.Contains(strings.ToLower(with), "mpi_barrier 2") || strings.Contains(strings.ToLower(without), "mpi_barrier") {
			t.Errorf("%s: with OpenMP\n%swithout\n%s", name, with, without)
		}
	}
}

func TestUnknownLanguage(t *testing.T) {
	if _, err := Parse(context.Background(), "a.txt", nil, Options{}); err == nil {
		t.Error("no error for a file that is no source")
	}
	if f, err := Parse(context.Background(), "a.txt", []byte("int f() { return 1; }"), Options{Language: C}); err != nil || len(f.Units) != 1 {
		t.Errorf("a language that was given: %v", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Parse(ctx, "a.c", []byte("int x;"), Options{}); err == nil {
		t.Error("no error though the context is done")
	}
}
