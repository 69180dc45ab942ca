! Stommel's model of an ocean: a closed basin, driven by the wind, on a planet
! that turns. The stream function psi obeys
!
!     gamma (psi_xx + psi_yy) + beta psi_x = f,   psi = 0 along the coast,
!
! with f = -alpha sin(pi y / ly) for the wind. Because beta, the change of the
! planet's rotation with latitude, is not zero, the current leans against the
! western coast: the reason for the Gulf Stream, and what is verified here.
!
! Jacobi's method, a fixed number of sweeps. The basin is cut into tiles, one a
! rank (MPI), the rows of a tile are shared among threads (OpenMP).
!
!     stommel [nx [ny [sweeps]]]

module basin
  use mpi
  implicit none

  integer, parameter :: real8 = selected_real_kind(12)
  integer, parameter :: int8 = selected_int_kind(18)

  real(real8), parameter :: lx = 2.0e6_real8, ly = 2.0e6_real8 ! metres
  real(real8), parameter :: alpha = 1.0e-9_real8
  real(real8), parameter :: beta = 2.25e-11_real8
  real(real8), parameter :: gamma = 3.0e-6_real8

  ! The tiles and the one of this rank.
  integer :: tiles, rank, ranks
  integer :: west, east, south, north         ! neighbours
  integer :: column                           ! MPI type of one column of a tile
  integer :: nx, ny                           ! inner points of the basin
  integer :: i1, i2, j1, j2                   ! those of this tile

  real(real8), allocatable :: psi(:, :), next(:, :), force(:, :)
  real(real8) :: to_west, to_east, to_side, to_force

contains

  ! Cuts the basin into tiles that are as square as the number of ranks allows.
  subroutine cut_basin()
    integer :: dims(2), place(2), error
    logical :: around(2)

    dims = 0
    around = .false.
    call MPI_Dims_create(ranks, 2, dims, error)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, around, .false., tiles, error)
    call MPI_Cart_coords(tiles, rank, 2, place, error)
    call MPI_Cart_shift(tiles, 0, 1, west, east, error)
    call MPI_Cart_shift(tiles, 1, 1, south, north, error)
    i1 = nx*place(1)/dims(1) + 1
    i2 = nx*(place(1) + 1)/dims(1)
    j1 = ny*place(2)/dims(2) + 1
    j2 = ny*(place(2) + 1)/dims(2)
    call MPI_Type_vector(j2 - j1 + 1, 1, i2 - i1 + 3, MPI_DOUBLE_PRECISION, column, error)
    call MPI_Type_commit(column, error)
  end subroutine cut_basin

  ! The five-point formula, solved for the point in the middle.
  subroutine set_coefficients()
    real(real8) :: dx, dy, middle

    dx = lx/(nx + 1)
    dy = ly/(ny + 1)
    middle = 2*gamma/dx**2 + 2*gamma/dy**2
    to_east = (gamma/dx**2 + beta/(2*dx))/middle
    to_west = (gamma/dx**2 - beta/(2*dx))/middle
    to_side = gamma/dy**2/middle
    to_force = -1/middle
  end subroutine set_coefficients

  subroutine blow_wind()
    real(real8), parameter :: pi = 3.14159265358979_real8
    integer :: i, j

    allocate (psi(i1 - 1:i2 + 1, j1 - 1:j2 + 1))
    allocate (next(i1 - 1:i2 + 1, j1 - 1:j2 + 1))
    allocate (force(i1 - 1:i2 + 1, j1 - 1:j2 + 1))
    psi = 0
    next = 0
    do j = j1 - 1, j2 + 1
      do i = i1 - 1, i2 + 1
        force(i, j) = -alpha*sin(pi*j/(ny + 1))
      end do
    end do
  end subroutine blow_wind

  ! What lies along the edges of the tile goes to the neighbours.
  subroutine exchange_edges()
    integer :: n, error, status(MPI_STATUS_SIZE)

    n = i2 - i1 + 1
    call MPI_Sendrecv(psi(i1, j1), 1, column, west, 1, &
                      psi(i2 + 1, j1), 1, column, east, 1, tiles, status, error)
    call MPI_Sendrecv(psi(i2, j1), 1, column, east, 2, &
                      psi(i1 - 1, j1), 1, column, west, 2, tiles, status, error)
    call MPI_Sendrecv(psi(i1, j1), n, MPI_DOUBLE_PRECISION, south, 3, &
                      psi(i1, j2 + 1), n, MPI_DOUBLE_PRECISION, north, 3, tiles, status, error)
    call MPI_Sendrecv(psi(i1, j2), n, MPI_DOUBLE_PRECISION, north, 4, &
                      psi(i1, j1 - 1), n, MPI_DOUBLE_PRECISION, south, 4, tiles, status, error)
  end subroutine exchange_edges

  ! One sweep; change is the largest change of any point of the tile.
  subroutine sweep(change)
    real(real8), intent(out) :: change
    integer :: i, j

    change = 0
    !$omp parallel do private(i) reduction(max: change)
    do j = j1, j2
      do i = i1, i2
        next(i, j) = (to_west*psi(i - 1, j) + to_east*psi(i + 1, j)) &
                   + to_side*(psi(i, j - 1) + psi(i, j + 1)) + to_force*force(i, j)
        change = max(change, abs(next(i, j) - psi(i, j)))
      end do
    end do
    !$omp end parallel do
    !$omp parallel do private(i)
    do j = j1, j2
      do i = i1, i2
        psi(i, j) = next(i, j)
      end do
    end do
    !$omp end parallel do
  end subroutine sweep

  ! Sums of whole numbers, so that neither ranks nor threads change them: all
  ! of the basin, its western half and its eastern half. Rank 0 gets them.
  subroutine add_up(sums)
    integer(int8), intent(out) :: sums(3)
    integer(int8) :: mine(3), point
    integer :: i, j, error

    mine = 0
    !$omp parallel do private(i, point) reduction(+: mine)
    do j = j1, j2
      do i = i1, i2
        point = nint(psi(i, j), int8)
        mine(1) = mine(1) + point
        if (2*i < nx + 1) mine(2) = mine(2) + point
        if (2*i > nx + 1) mine(3) = mine(3) + point
      end do
    end do
    !$omp end parallel do
    sums = 0
    call MPI_Reduce(mine, sums, 3, MPI_INTEGER8, MPI_SUM, 0, tiles, error)
  end subroutine add_up

  ! The number at one place of the command line, or what it is without.
  integer function argument(place, otherwise)
    integer, intent(in) :: place, otherwise
    character(len=32) :: text
    integer :: error

    argument = otherwise
    if (place > command_argument_count()) return
    call get_command_argument(place, text)
    read (text, *, iostat=error) argument
    if (error /= 0) argument = 0
  end function argument

end module basin

program stommel
  use basin
  implicit none

  real(real8) :: change, largest, first, start, time
  integer(int8) :: sums(3)
  integer :: sweeps, step, provided, error

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  nx = argument(1, 500)
  ny = argument(2, nx)
  sweeps = argument(3, 1000)
  if (nx < ranks .or. ny < ranks .or. sweeps < 1) then
    if (rank == 0) write (*, '(a)') 'usage: stommel [nx [ny [sweeps]]], at least one row and column a rank'
    call MPI_Finalize(error)
    stop 2
  end if

  call cut_basin()
  call set_coefficients()
  call blow_wind()

  start = MPI_Wtime()
  do step = 1, sweeps
    call exchange_edges()
    call sweep(change)
    call MPI_Allreduce(change, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, tiles, error)
    if (step == 1) first = largest
  end do
  time = MPI_Wtime() - start

  call add_up(sums)
  if (rank == 0) then
    write (*, '(a,i0,a,i0,a,i0,a,i0,a)') 'stommel: ', nx, ' x ', ny, ' points, ', sweeps, ' sweeps, ', ranks, ' ranks'
    write (*, '(a,es10.3)') 'last change ', largest
    write (*, '(a,es13.7)') 'checksum ', real(sums(1), real8)
    write (*, '(a,f9.3,a)') 'time ', time, ' s'
  end if
  call MPI_Type_free(column, error)
  call MPI_Comm_free(tiles, error)
  call MPI_Finalize(error)

  ! Sweeps come closer to the solution, and the current is in the west.
  if (rank == 0) then
    if (.not. largest <= first .or. sums(2) < sums(3) .or. sums(1) <= 0) stop 1
  end if
end program stommel
