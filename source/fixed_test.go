package source

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestConvertFixed(t *testing.T) {
	for _, c := range []struct{ what, in, want string }{
		{"a continuation", "      CALL F(A,\n     &  B)\n", "  CALL F(A,   B)\n"},
		{"a label", "   10 CONTINUE\n", "   10  CONTINUE\n"},
		{"comments of all sorts", "C one\n* two\n! three\nd four\n      X = 1 ! five\n", "! one\n! two\n! three\n! four\n  X = 1 \n"},
		{"a comment within a statement", "      X = 1\nC     no\n     + + 2\n", "  X = 1  + 2\n"},
		{"columns past 72", "      X = 1" + strings.Repeat(" ", 61) + "SEQ00010\n", "  X = 1" + strings.Repeat(" ", 61) + "\n"},
		{"a constant over two lines", "      S = 'it''s ! on\n     & two'\n", "  S = 'it''s ! on two'\n"},
		{"an exclamation mark in column 6", "      X = 1\n     !  + 2\n", "  X = 1   + 2\n"},
		{"tabs", "10\tX = 1\n\tY = 2\n\t1 + 3\n", "10 X = 1\n  Y = 2  + 3\n"},
		{"a Hollerith constant", "      WRITE (6, *) 5HDON'T, X\n", "  WRITE (6, *) 'DON T', X\n"},
		{"no Hollerith constant", "      REAL*8 H, A2H\n", "  REAL*8 H, A2H\n"},
		{"a split operator", "      L = A .\n     & AND. B\n", "  L = A .AND.B\n"},
		{"a preprocessor line", "#ifdef X\n      X = 1\n", "\n  X = 1\n"},
		{"a word over the last column", "      X = " + strings.Repeat("A", 62) + "\n     &BC\n", "  X = " + strings.Repeat("A", 62) + "BC\n"},
		{"a directive", "C$OMP PARALLEL\n", "!$OMP PARALLEL\n"},
	} {
		m := convertFixed([]byte(c.in), 72, false)
		got := strings.ReplaceAll(string(m.text), "   10  CONT", "   10  CONT")
		if squeeze(got) != squeeze(c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// squeeze leaves one blank of several, for they never matter here.
func squeeze(s string) string {
	for strings.Contains(s, "  ") {
		s = strings.ReplaceAll(s, "  ", " ")
	}
	return s
}

// Every byte of the converted text is the byte it says it came from, or one of
// the few that conversion writes: blanks, quotes, comment marks, line ends.
func TestOffsetsOfFixedForm(t *testing.T) {
	line := rapid.SampledFrom([]string{"      X = Y", "     &  + 'a b", "   10 CONTINUE", "C comment", "\tCALL F(3HABC)",
		"      S = 'it''s'", "#if X", "!$    Z = 1", "     1 . AND.", "", "      A = B" + strings.Repeat(" ", 70) + "C", "\t2 + 1", "12345678901234567890"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(line).Draw(t, "lines"), "\n")
		m := convertFixed([]byte(text), 72, rapid.Bool().Draw(t, "openmp"))
		if len(m.from) != len(m.text)+1 {
			t.Fatalf("%d bytes but %d offsets", len(m.text), len(m.from))
		}
		for i, c := range m.text {
			from := int(m.from[i])
			if from < 0 || from > len(text) {
				t.Fatalf("byte %d is said to come from %d of %d", i, from, len(text))
			}
			if strings.IndexByte(" !'\n", c) < 0 && (from == len(text) || text[from] != c) {
				t.Fatalf("byte %d is %q but came from %d of %q", i, c, from, text)
			}
		}
	})
}

func TestJoinNames(t *testing.T) {
	text := "call trans_&\n  &REAL&\n\n&_x(a, &\n & b)\n"
	m := prepareFree([]byte(text), false)
	if got := string(m.text); got != "call trans_REAL_x(a, &\n & b)\n" {
		t.Errorf("got %q", got)
	}
	if at := m.origin(Span{5, 17}); text[at.Start:at.End] != "trans_&\n  &REAL&\n\n&_x" {
		t.Errorf("origin %v: %q", at, text[at.Start:at.End])
	}
}

// Keywords of later standards as names, constants of earlier compilers, and
// statements packed together are understood.
func TestOddFortran(t *testing.T) {
	for name, text := range map[string]string{
		"class.f90": "subroutine pick(n)\n  character :: class\n  class = 'U'\n  if (n > 3) class = 'S'\n  select = 2\n  if (class .eq. 'U') then\n    n = 1\n  end if\n  do i = 1, n\n    associate = i\n  end do\n  block = 3\n  print *, class\nend subroutine pick\n",
		"base.f90":  "subroutine masks(n)\n  integer :: n\n  integer, parameter :: a = X'FF', b = 'FF'X\n  n = iand(n, X'7FFFFFFF')\n  n = iand(n, '7F'X)\n  do i = 1, n\n    n = n + a\n  end do\nend subroutine masks\n",
		"mild.f90":  "subroutine mild(n, x)\n  type t\n    integer :: i\n  end type t\n  integer, asynchronous, intent(inout) :: n(2)\n  real, target :: x(*)\n  character(3) :: s\n  integer(8) k /2/, m(n/2), l(2) /2*0/\n  complex q(n/4,n/4), d(n/4)\n  common // p, /two/ q\n  type(t) :: a(2)\n  a = [t :: t(1), t(2)]\n  n = (/ integer(4) :: 1, 2 /)\n  s = 1_'abc'\n  call touch(%val(k), %ref(x))\n  do i = 1, 2\n    x(i) = n(i)\n  end do\nend subroutine mild\n",
		"data.f":    "      SUBROUTINE FILL(N)\n      PARAMETER (M=3)\n      DIMENSION V(M), W(M)\n      DATA V/M*0.D0/, W/2*1.,\n     1M*2./\n      DO 10 I=1,N\n   10 V(I)=W(I)\n      END\n",
		"split.f":   "      SUBROUTINE SPLIT(N,ALPHA,GAMMA)\n      DO 10 I=1,N\n            ALPHA=-(ALPHA*BETA+ALPHA*BETA*BETA*BETA+ALPHA)/(ALPHA*BETA*G\n     1AMM   A)\n      CALL EFSAVE(ALPHA,GAMMA,I\n     1POW)\n      ALPHA=(1.5+BETA*(2\n     1  .194d-2*ALPHA+1.\n     2  25d0+3 .5+3.\n     35D+1))\n      IF (I .EQ. 5 .OR. I.EQ.7 .AND. N .GT. 2) GAMMA=(1. + 2.)\n   10 CONTINUE\n   20 FORMAT(1X A5, I3)\n      END\n",
		"packed.f":  "      SUBROUTINEPACK(N,A)\n      INTEGERN\n      DOUBLEPRECISIONA(N)\n      DO10I=1,N\n      A(I)=A(I)+1\n      IF(A(I).GT.3)GOTO20\n   10 CONTINUE\n      CALLFOO(A)\n   20 RETURN\n      END\n",
	} {
		f, err := Parse(context.Background(), name, []byte(text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Units) != 1 || !f.Units[0].Sound() || len(f.Problems) > 0 {
			t.Errorf("%s: %d units, %v", name, len(f.Units), f.Problems)
			for _, u := range f.Units {
				t.Errorf("%s: %s %v", name, u.Name, u.Problems)
			}
			continue
		}
		loops := 0
		f.Units[0].Walk(func(s *Stmt, _ []*Stmt) bool {
			if s.Kind == Loop {
				loops++
			}
			return true
		})
		if loops != 1 {
			t.Errorf("%s: %d loops", name, loops)
		}
	}
}
