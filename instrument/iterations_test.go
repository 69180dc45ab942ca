package instrument

import "testing"

// The same loops in both languages: a nest of 3 × 4 × 5 turns with a loop of 2
// beside the innermost, one that is left at its seventh turn, and a loop that
// threads share. Only main and work are regions.
const countedC = `#include <stdio.h>

static int work(void)
{
  int s = 0, three = 3, four = 4, five = 5;
  for (int i = 0; i < three; i++) {
    for (int j = 0; j < four; j++)
      for (int k = 0; k < five; k++)
        if (k < 9) s += k; else s--;
    for (int axis = 0; axis < 3; axis++)
      s += axis - 1;
    int n = 2;
    do s++; while (--n > 0);
  }
  while (1) {
    if (s % 7 == 0)
      return s;
    s++;
  }
}

int main(void)
{
  int s = 0;
#pragma omp parallel for default(none) reduction(+ : s)
  for (int i = 0; i < 600; i++)
    for (int j = 0; j < 600; j++)
      s += j;
#pragma omp parallel default(none) shared(s)
  {
    for (int i = 0; i < 600; i++) {
#pragma omp atomic
      s++;
    }
  }
  volatile int ten = 10;
  for (int i = 0; i < ten; i++) {
    if (i == 4)
      break;
  }
  for (int i = 0; i < ten; i += 2, s++) {
    if (i % 4 == 0)
      continue;
    s++;
  }
  printf("%d\n", work() + (s > 0));
  return 0;
}
`

const countedFortran = `program counted
  implicit none
  integer :: s, i, j, three = 3
  s = 0
!$omp parallel do default(none) private(j) reduction(+:s)
  do i = 1, 600
    do j = 1, 600
      s = s + j
    end do
  end do
!$omp parallel default(none) shared(s) private(i)
  do i = 1, 600
!$omp atomic
    s = s + 1
  end do
!$omp end parallel
  do i = 1, three; s = s + 1; end do
  do i = three, 1, -2; s = s + 1; end do
  do i = three + 2, three
    s = s + 1
  end do
10 do i = 1, three*100
    if (i == 2) cycle
    if (i == 5) exit
  end do
30 do i = -three, 2 * three, 4
    if (i == 1) cycle
    s = s + 1
  end do
  do i = 1, three
    do j = 1, i
      s = s + 1
    end do
    do j = three, 1, -1
      s = s + 1
    end do
  end do
  print *, work() + min(s, 1)
contains
  integer function work() result(s)
    integer :: i, j, k, n, axis, four, five
    four = 4
    five = 5
    s = 0
    do i = 1, three
      do axis = 1, 3
        s = s + axis - 2
      end do
      do 20 j = 1, four
      do 20 k = 1, five
        s = s + k - 1
20    continue
      n = 2
      do
        s = s + 1
        n = n - 1
        if (n == 0) exit
      end do
    end do
    do while (.true.)
      if (mod(s, 7) == 0) return
      s = s + 1
    end do
  end function work
end program counted
`

func TestIterationsOfNests(t *testing.T) {
	t.Setenv("OMP_NUM_THREADS", "1") // the runtime for tests knows one stack
	// 3 + 3·4 + 3·4·5 + 3·2 turns, none for those over the axes, and those until s is a multiple of 7:
	// s is 3·4·10 + 6 = 126 then, so one.
	const work = "1 82"
	options := Options{Regions: Functions, MinLines: 1, Count: true}
	for _, flags := range [][]string{{"-O0", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-Werror"}, {"-O2", "-fopenmp"}} {
		got, r := same(t, "counted.c", []byte(countedC), options, flags...)
		expect(t, got, map[string]string{"work": work, "main": "1 10", "open": "0"})
		if t.Failed() {
			t.Fatalf("%s", r.Text)
		}
	}
	for _, flags := range [][]string{{"-O0", "-std=legacy"}, {"-O2", "-fopenmp"}} {
		got, r := same(t, "counted.f90", []byte(countedFortran), options, flags...)
		expect(t, got, map[string]string{"counted::work": work, "counted": "1 31", "open": "0"})
		if t.Failed() {
			t.Fatalf("%s", r.Text)
		}
	}
}
