package instrument

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExitsInFixedForm(t *testing.T) {
	got, r := same(t, "exits.f", read(t, "exits.f"), Options{Regions: All, MinLines: 1, Count: true}, "-fd-lines-as-comments", "-w")
	expect(t, got, map[string]string{
		"exits": "1 0", "early": "2 0", "early/loop@19": "2 8", "jumps": "2 0", "jumps/loop@35": "2 6",
		"jumps/loop@36": "6 17", "jumps/loop@45": "2 2", "shared/loop@61": "1 20", "shared/loop@63": "16 64",
		"tabbed": "1 0", "tabbed/loop@74": "1 4", "open": "0",
	})
	for _, name := range []string{"half", "shared/loop@62", "reader/loop@95", "reader/loop@98"} {
		if got[name] != "" {
			t.Errorf("%s should have been left alone", name)
		}
	}
	if t.Failed() {
		t.Logf("%s", r.Text)
	}
}

func TestExitsInFreeForm(t *testing.T) {
	text := read(t, "exits.f90")
	got, r := same(t, "exits.f90", text, Options{Regions: All, MinLines: 1, Count: true})
	expect(t, got, map[string]string{
		"main": "1 0", "work::fact": "5 0", "work::named": "2 0", "work::named::total": "2 0",
		"work::threads": "1 0", "outside": "1 0", "open": "0",
	})
	if got["work::twice"] != "" {
		t.Errorf("the PURE function was instrumented")
	}
	if t.Failed() {
		t.Logf("%s", r.Text)
	}
	if bytes.Count(r.Text, []byte("default(none)")) != 1 {
		t.Error("the text changed")
	}
}

func TestThreadsInFortran(t *testing.T) {
	// One thread, so that the test's runtime needs no locks; the point is that
	// the directives still stand right before their loops.
	t.Setenv("OMP_NUM_THREADS", "1")
	got, r := same(t, "exits.f90", read(t, "exits.f90"), Options{Regions: All, MinLines: 1}, "-fopenmp", "-O2")
	expect(t, got, map[string]string{"work::threads/loop@76": "1 0", "work::threads/loop@82": "1 0", "open": "0"})
	if t.Failed() {
		t.Logf("%s", r.Text)
	}
}

// Statements that look like calls of functions end the declarations too.
func TestStatementsThatLookLikeCalls(t *testing.T) {
	text := `subroutine s(n)
  implicit none
  integer, pointer :: p
  integer :: n, i
  nullify(p)
  if (n < 0) return
  do i = 1, n
    n = n - 1
  end do
end subroutine
program main
  integer :: n = 3
  call s(n)
end program
`
	r := rewrite(t, parse(t, "a.f90", []byte(text)), Options{MinLines: 1, Count: true})
	build(t, t.TempDir(), "a.f90", r.Text)
	if before, _, _ := strings.Cut(string(r.Text), "nullify"); !strings.Contains(before, "auspex_f_enter") {
		t.Errorf("the region begins late:\n%s", r.Text)
	}
}

// Directives may stand ahead of declarations, and what is declared for
// counting comes after them all.
func TestDirectivesAmongDeclarations(t *testing.T) {
	text := `      SUBROUTINE S(N)
!DEC$ NOOPTIMIZE
      IMPLICIT NONE
      INTEGER N, I
      INTEGER, SAVE :: T
!$OMP THREADPRIVATE(T)
      INTEGER K
      K = 0
      DO I = 1, N
        K = K + I
      END DO
      T = K
      END
      PROGRAM MAIN
      CALL S(3)
      END
`
	r := rewrite(t, parse(t, "a.f", []byte(text)), Options{MinLines: 1, Count: true})
	build(t, t.TempDir(), "a.f", r.Text, "-fopenmp")
	if !strings.Contains(string(r.Text), "auspex_n") {
		t.Errorf("nothing is counted:\n%s", r.Text)
	}
}

// Statement functions of undeclared names, executable statements that come in by
// INCLUDE, and a GO TO that is split over lines still compile.
func TestFortranAsOthersWriteIt(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "part.inc"), []byte("      data m /3/\n      k = m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	text := `      PROGRAM MAIN
      COMMON /C/ A(10)
      REAL B(4)
      LIM(X) = MIN(127, NINT(SCALE*X))
      SCALE = 2.0
      DO 10 I = 1, 4
         B(I) = LIM(REAL(I))
   10 CONTINUE
      IF (B(4) .NE. 8.0) STOP 1
      CALL PART(K)
      END
      SUBROUTINE PART(K)
      INTEGER K, V(3)
      INCLUDE 'part.inc'
      V(1) = 0
      DO 20 I = 1, 5
         DO 15 L = 1, 3
            V(L) = I + V(1)
   15    CONTINUE
         IF ((( I*1000+K*100+V(1)*10 ).GT.3000).AND.(((V(1)).GT.(1))))GO
     1 TO 30
   20 CONTINUE
   30 RETURN
      END
`
	got, r := same(t, "functions.f", []byte(text), Options{Regions: All, MinLines: 1, Count: true}, "-w", "-std=legacy", "-I"+dir)
	expect(t, got, map[string]string{"part": "1 0", "open": "0"})
	if t.Failed() {
		t.Logf("%s", r.Text)
	}
}

// What must be declared where IMPLICIT NONE says so is, in functions and loops alike.
func TestExternalsAreDeclared(t *testing.T) {
	text := []byte(`module work
  implicit none (type, external)
contains
  integer function sums(n)
    integer, intent(in) :: n
    integer :: i
    sums = 0
    do i = 1, n
      sums = sums + one(i)
    end do
  contains
    integer function one(i)
      integer, intent(in) :: i
      one = i
    end function one
  end function sums
end module work
program main
  use work
  implicit none(external)
  integer :: k = 0, i
  do i = 1, 3
    k = k + sums(i)
  end do
  print *, k
end program main
`)
	got, _ := same(t, "declared.f90", text, Options{Regions: All, MinLines: 1, Count: true})
	expect(t, got, map[string]string{"work::sums": "3 0", "main/loop@22": "1 0", "open": "0"})
}

// ENDDO and PARALLELDO are directives of the loops that they stand at.
func TestGluedDirectives(t *testing.T) {
	t.Setenv("OMP_NUM_THREADS", "1")
	text := []byte(`      PROGRAM MAIN
      INTEGER I, K(9)
!$OMP PARALLEL PRIVATE(I)
!$OMP DO
      DO 10 I = 1, 9
   10 K(I) = I
!$OMP ENDDO NOWAIT
!$OMP ENDPARALLEL
!$OMP PARALLELDO
      DO 20 I = 1, 9
   20 K(I) = K(I) + 1
!$OMP ENDPARALLELDO
      PRINT *, SUM(K)
      END
`)
	got, _ := same(t, "glued.f", text, Options{Regions: All, MinLines: 1, Count: true}, "-fopenmp")
	expect(t, got, map[string]string{"main/loop@5": "1 0", "main/loop@10": "1 0", "open": "0"})
}

// Lengths after names and alternate returns are of Fortran 77, and in use.
func TestOldDeclarations(t *testing.T) {
	text := []byte(`      PROGRAM P
      INTEGER I
      DO 10 I = 1, 3
      CALL ALT(I, *20, *30)
      CALL NAMES
      GO TO 10
 20   PRINT *, 'first'
      GO TO 10
 30   PRINT *, 'second'
 10   CONTINUE
      END
      SUBROUTINE ALT(K, *, *)
      INTEGER K
      IF (K .EQ. 1) RETURN 1
      IF (K .EQ. 2) RETURN 2
      END
      SUBROUTINE NAMES
      CHARACTER A*(3), B*2, C(2)*(4)
      A = 'one'
      B = 'on'
      C(2) = 'four'
      PRINT *, A, B, C(2)
      END
`)
	got, _ := same(t, "old.f", text, Options{Regions: All, MinLines: 1, Count: true})
	expect(t, got, map[string]string{"alt": "3 0", "names": "1 0"})
}
