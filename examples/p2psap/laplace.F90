! Laplace's equation on a square by Jacobi iterations, one side held at 1: each
! peer has a strip of columns.
!
!     laplace [n [tolerance]]
!
! The first peer compares with the answer of one process.
program laplace
  use, intrinsic :: iso_c_binding
  use p2psap
  implicit none
  integer, parameter :: to_right = 1, to_left = 2, answer = 3
  real(8), allocatable, target :: u(:,:), v(:,:), whole(:,:)
  real(8) :: tolerance, change
  integer :: n, me, peers, lo, hi, steps, alone, done, p, from, upto, error
  integer(c_long) :: got
  integer(c_size_t) :: column
  character(len=64) :: text

  n = 32
  tolerance = 1d-6
  if (command_argument_count() > 0) then
    call get_command_argument(1, text)
    read (text, *) n
  end if
  if (command_argument_count() > 1) then
    call get_command_argument(2, text)
    read (text, *) tolerance
  end if
  error = P2P_Init()
  if (error /= 0) then
    call P2P_Words(error, text, len(text))
    print '(2a)', 'P2P_Init: ', trim(text)
    stop 1
  end if
  me = P2P_Rank()
  peers = P2P_Peers()
  lo = n*me/peers + 1
  hi = n*(me + 1)/peers
  allocate (u(0:n+1, lo-1:hi+1), v(0:n+1, lo-1:hi+1))
  u = 0
  u(0, :) = 1
  v = u
  column = 8_c_size_t*(n + 2)
  steps = 0
  done = 0
  do while (done == 0)
    got = 0
    if (steps > 0 .and. me > 0) got = P2P_Receive(me - 1, c_loc(u(0, lo-1)), column, to_right)
    if (steps > 0 .and. me < peers - 1 .and. got >= 0) got = P2P_Receive(me + 1, c_loc(u(0, hi+1)), column, to_left)
    if (got < 0) stop 1
    change = relax(u, v, lo, hi)
    u(1:n, lo:hi) = v(1:n, lo:hi)
    steps = steps + 1
    if (me > 0) error = P2P_Send(me - 1, c_loc(u(0, lo)), column, to_left)
    if (me < peers - 1) error = P2P_Send(me + 1, c_loc(u(0, hi)), column, to_right)
    done = P2P_Converged(merge(1, 0, change <= tolerance))
  end do
  if (done < 0) stop 1
  error = P2P_Scheme(P2P_SYNCHRONOUS)
  if (me > 0) then
    error = P2P_Send(0, c_loc(u(0, lo)), column*(hi - lo + 1), answer)
  else
    allocate (whole(0:n+1, 0:n+1))
    whole = 0
    whole(0, :) = 1
    whole(:, lo:hi) = u(:, lo:hi)
    do p = 1, peers - 1
      from = n*p/peers + 1
      upto = n*(p + 1)/peers
      got = P2P_Receive(p, c_loc(whole(0, from)), column*(upto - from + 1), answer)
      if (got /= column*(upto - from + 1)) stop 1
    end do
    deallocate (u, v)
    allocate (u(0:n+1, 0:n+1), v(0:n+1, 0:n+1))
    u = 0
    u(0, :) = 1
    v = u
    alone = 0
    change = 1
    do while (change > tolerance)
      change = relax(u, v, 1, n)
      u(1:n, 1:n) = v(1:n, 1:n)
      alone = alone + 1
    end do
    print '(a,i0,a,i0,a,es9.2)', 'steps ', steps, ' alone ', alone, ' difference ', maxval(abs(whole(1:n, 1:n) - u(1:n, 1:n)))
  end if
  error = P2P_Finish()
contains
  real(8) function relax(u, v, lo, hi)
    integer, intent(in) :: lo, hi
    real(8), intent(in) :: u(0:n+1, lo-1:hi+1)
    real(8), intent(inout) :: v(0:n+1, lo-1:hi+1)
    integer :: i, j
    relax = 0
    do j = lo, hi
      do i = 1, n
        v(i, j) = 0.25d0*(u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1))
        relax = max(relax, abs(v(i, j) - u(i, j)))
      end do
    end do
  end function relax
end program laplace
