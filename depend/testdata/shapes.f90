! Loops in shapes that numerical libraries have. Behind each loop stands the
! verdict found by reading it, and what the reason must name.

! C := alpha A B + C by columns; dummy arguments do not overlap.
subroutine product(n, m, k, alpha, a, b, c)
  integer n, m, k, i, j, l
  double precision alpha, a(n, k), b(k, m), c(n, m), t
  intrinsic abs
  do j = 1, m ! independent: are written anew
    do l = 1, k ! reduction: +: c
      t = alpha * abs(b(l, j))
      do i = 1, n ! independent
        c(i, j) = c(i, j) + t * a(i, l)
      end do
    end do
  end do
end subroutine

! Rows exchanged for a block of columns at a time.
subroutine exchange_rows(n, blocks, a, pivot)
  integer n, blocks, pivot(n), i, j, k, p
  double precision a(n, 32 * blocks), t
  do j = 1, 32 * blocks, 32 ! independent: are written anew
    do i = 1, n ! carried: cannot be determined from i
      p = pivot(i)
      if (p /= i) then
        do k = j, j + 31 ! independent
          t = a(i, k)
          a(i, k) = a(p, k)
          a(p, k) = t
        end do
      end if
    end do
  end do
end subroutine

! Largest values of rows and columns; indices out of range are skipped.
subroutine largest(n, entries, row, column, value, by_row, by_column, outside)
  integer n, entries, row(entries), column(entries), outside, i, j, k
  double precision value(entries), by_row(n), by_column(n), v
  do 100 k = 1, entries ! reduction: set: outside, max: by_column and max: by_row
    i = row(k)
    j = column(k)
    if (i < 1 .or. i > n .or. j < 1 .or. j > n) then
      outside = 1
      goto 100
    end if
    v = abs(value(k))
    if (v > by_column(j)) then
      by_column(j) = v
    end if
    if (v > by_row(i)) by_row(i) = v
100 continue
end subroutine

! Which diagonal element comes last decides.
subroutine diagonal(n, entries, row, column, value, scaling)
  integer n, entries, row(entries), column(entries), k
  double precision value(entries), scaling(n), v
  do k = 1, entries ! carried: scaling
    if (row(k) == column(k)) then
      v = abs(value(k))
      if (v > 0) scaling(row(k)) = 1 / sqrt(v)
    end if
  end do
end subroutine

! Sums of a symmetric matrix of which half is stored.
subroutine sums(n, a, work)
  integer n, i, j
  double precision a(n, n), work(n), s
  do j = 1, n ! carried: work(
    s = 0
    do i = 1, j - 1 ! reduction: +: s
      s = s + a(i, j)
      work(i) = work(i) + a(i, j)
    end do
    work(j) = s + a(j, j)
  end do
end subroutine

! Half of a matrix filled from the other half: the two never meet.
subroutine mirror(n, a)
  integer n, i, j
  double precision a(n, n)
  do i = 1, n ! carried: a(
    do j = i + 1, n ! independent
      a(j, i) = a(i, j)
    end do
  end do
end subroutine

! Gathering what a list selects.
subroutine gather(n, k, list, from, to)
  integer n, k, list(n), i, at
  double precision from(k), to(n)
  at = 0
  do i = 1, n ! independent: at can be told from i
    at = at + 1
    to(at) = from(list(i))
  end do
  at = 0
  do i = 1, n ! carried: at is read
    if (list(i) > 0) then
      at = at + 1
      to(at) = from(list(i))
    end if
  end do
end subroutine

! Pointers may lead to the same.
subroutine pointers(n, p, q)
  integer n, i
  double precision, pointer :: p(:), q(:)
  do i = 1, n ! carried: may be the same memory
    p(i) = q(i)
  end do
end subroutine

subroutine logged(n, x)
  integer n, i
  double precision x(n)
  do i = 1, n ! carried: note
    call note(x(i))
    x(i) = 2 * x(i)
  end do
contains
  subroutine note(v)
    double precision v
    write (*, *) v
  end subroutine
end subroutine

! Iterations of a scaling that ends when it no longer changes.
subroutine until_settled(n, limit, tolerance, scaling, comm)
  include 'mpif.h'
  integer n, limit, comm, iteration, ierr, i
  double precision tolerance, scaling(n), change, all
  do iteration = 1, limit ! carried: MPI_Allreduce
    change = 0
    do i = 1, n ! reduction: max: change
      change = max(change, abs(1 - scaling(i)))
      scaling(i) = sqrt(scaling(i))
    end do
    call MPI_Allreduce(change, all, 1, MPI_DOUBLE_PRECISION, MPI_MAX, comm, ierr)
    if (all <= tolerance) exit
  end do
end subroutine

! Two names for one piece of memory.
subroutine overlaid(n, x)
  integer n, i
  double precision x(n), a(100), b(100)
  equivalence (a(1), b(2))
  do i = 1, n ! carried: may be the same memory
    a(i) = b(i) + x(i)
  end do
end subroutine
