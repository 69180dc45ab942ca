! Free form: modules, internal procedures, named constructs, preprocessor lines.
module work
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  interface
    subroutine outside(n)
      integer, intent(in) :: n
    end subroutine outside
  end interface
contains
  pure integer function twice(n)
    integer, intent(in) :: n
    integer :: i
    twice = 0
    do i = 1, n
      twice = twice + 2
    end do
  end function twice

  recursive integer function fact(n) result(r)
    integer, intent(in) :: n
    if (n <= 1) then; r = 1; return; end if
    r = n * fact(n - 1)
  end function fact

  integer function named(n)
    integer, intent(in) :: n
    integer :: i, j, k
    named = 0
    outer: do i = 1, n
      do j = 1, n
        if (j == 3) cycle outer
        inner: do k = 1, n
          if (k == 4) exit outer; named = named + 1
          if (k == 3) &
            cycle inner
          if (named > 100) return
        end do inner
      end do
    end do outer
    block
      integer :: m
      hunt: do
        do m = 1, 10
          if (m == 7) exit hunt
          named = named + 1
        end do
      end do hunt
    end block
    select case (named)
    case (1)
      return
    case default
      named = named + total([1, 2, 3])
    end select
  contains
    integer function total(a)
      integer, intent(in) :: a(:)
      integer :: q
      total = 0
      do q = 1, size(a)
        total = total + a(q) ! 'quote
        if (total < 0) stop 'it''s negative'
      end do
    end function total
  end function named

  subroutine threads(n, s)
    integer, intent(in) :: n
    integer, intent(out) :: s
    integer :: i
    s = 0
    !$omp parallel default(none) shared(n, s) private(i)
    !$omp do &
    !$omp   reduction(+:s)
    do i = 1, n
      s = s + i
    end do
    !$omp end do
    !$omp end parallel
!$omp parallel do reduction(+:s)
    do i = 1, n
      s = s - 1
    end do
!$omp end parallel do
  end subroutine threads
end module work

program main
  use work
  integer :: s; s = 3
  print *, twice(3), fact(5), named(2), named(6)
  call threads(10, s)
  do concurrent (i = 1:3)
    s = s
  end do
  print *, s
  call outside(2)
end program main

subroutine outside(n)
  integer, intent(in) :: n
  integer :: i
  do i = n, 1, -1
    if (i == 1) goto 100
    print *, i
  end do
  return
100 print *, 'one'
end subroutine outside
