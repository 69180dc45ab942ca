! Every rank prints what calls from Fortran gave it.
program answers
  use mpi
  implicit none
  integer, parameter :: most = 32
  integer :: me, np, left, right, ierr, i, n, half, place, found
  integer :: r(2 * most), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2 * most), at(2 * most)
  integer :: in(most), out(most)
  logical :: flag
  integer :: dims(2), coords(2), up, down, cart
  logical :: around(2)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, np, ierr)
  right = mod(me + 1, np)
  left = mod(me + np - 1, np)
  call fresh()
  call MPI_Sendrecv(out, 3, MPI_INTEGER, right, 1, in, 9, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, status, ierr)
  call MPI_Get_count(status, MPI_INTEGER, n, ierr)
  print '(i2.2,a,4i8)', me, ' sendrecv', status(MPI_SOURCE), status(MPI_TAG), n, sum(in)
  call fresh()
  call MPI_Isend(out, 2, MPI_INTEGER, right, 2, MPI_COMM_WORLD, r(1), ierr)
  call MPI_Recv(in, 2, MPI_INTEGER, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr)
  print '(i2.2,a,4i8)', me, ' recv', sum(in)
  call fresh()
  do i = 1, np
    call MPI_Irecv(in(i), 1, MPI_INTEGER, i - 1, 3, MPI_COMM_WORLD, r(i), ierr)
    call MPI_Isend(out(i), 1, MPI_INTEGER, i - 1, 3, MPI_COMM_WORLD, r(np + i), ierr)
  end do
  call MPI_Waitany(2 * np, r, place, status, ierr)
  print '(i2.2,a,4i8)', me, ' any', place, merge(in(min(place, most)), 0, place <= np)
  call MPI_Testsome(2 * np, r, found, at, statuses, ierr)
  print '(i2.2,a,8i8)', me, ' some', found, at(1:max(found, 0))
  call MPI_Waitall(2 * np, r, statuses, ierr)
  print '(i2.2,a,4i8)', me, ' all', sum(in(1:np)), count(r(1:2 * np) == MPI_REQUEST_NULL)
  call fresh()
  call MPI_Allreduce(MPI_IN_PLACE, out, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  print '(i2.2,a,4i8)', me, ' allreduce', out(1:4)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), me, half, ierr)
  call MPI_Comm_rank(half, place, ierr)
  call MPI_Comm_size(half, n, ierr)
  call fresh()
  call MPI_Allgather(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, half, ierr)
  print '(i2.2,a,8i8)', me, ' half', place, n, in(1:n)
  call MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, flag, status, ierr)
  print '(i2.2,a,l2)', me, ' nothing', flag
  dims = 0
  around = (/.true., .false./)
  call MPI_Dims_create(np, 2, dims, ierr)
  call MPI_Cart_create(half, 1, (/n/), around(1:1), .false., cart, ierr)
  call MPI_Cart_shift(cart, 0, 1, up, down, ierr)
  call MPI_Cart_coords(cart, place, 1, coords, ierr)
  print '(i2.2,a,4i8)', me, ' cart', up, down, coords(1)
  call MPI_Comm_free(cart, ierr)
  call MPI_Finalize(ierr)
contains
  subroutine fresh()
    integer :: k
    do k = 1, most
      out(k) = 1000 * me + k
      in(k) = -1
    end do
  end subroutine
end program
