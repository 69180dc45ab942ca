! P2PSAP for Fortran: see p2psap.h for what the calls do. Buffers are targets and
! given by address: P2P_Send(to, c_loc(x), c_sizeof(x), 0).
module p2psap
  use, intrinsic :: iso_c_binding
  implicit none
  private
  integer(c_int), parameter, public :: P2P_ASK = -1, P2P_SYNCHRONOUS = 0, P2P_ASYNCHRONOUS = 1, P2P_HYBRID = 2, P2P_ANY = -1
  integer(c_int), parameter, public :: P2P_WRONG = -2, P2P_LATE = -3, P2P_GONE = -4, P2P_ROOM = -5, P2P_NOWHERE = -6
  public :: P2P_Init, P2P_Finish, P2P_Rank, P2P_Peers, P2P_Cluster, P2P_Scheme, P2P_Send, P2P_Receive, P2P_Wait
  public :: P2P_Converged, P2P_Checkpoint, P2P_Restore, P2P_Counts, P2P_Count, P2P_Words
  type, bind(C) :: P2P_Counts
    integer(c_long) :: sent, received, bytes_sent, bytes_received, overtaken, lost, refused, restarts
    real(c_double) :: waiting
  end type
  interface
    integer(c_int) function P2P_Init() bind(C, name='P2P_Init')
      import :: c_int
    end function
    integer(c_int) function P2P_Finish() bind(C, name='P2P_Finish')
      import :: c_int
    end function
    integer(c_int) function P2P_Rank() bind(C, name='P2P_Rank')
      import :: c_int
    end function
    integer(c_int) function P2P_Peers() bind(C, name='P2P_Peers')
      import :: c_int
    end function
    integer(c_int) function P2P_Cluster(rank) bind(C, name='P2P_Cluster')
      import :: c_int
      integer(c_int), value :: rank
    end function
    integer(c_int) function P2P_Scheme(scheme) bind(C, name='P2P_Scheme')
      import :: c_int
      integer(c_int), value :: scheme
    end function
    integer(c_int) function P2P_Send(to, data, size, tag) bind(C, name='P2P_Send')
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: to, tag
      type(c_ptr), value :: data
      integer(c_size_t), value :: size
    end function
    integer(c_long) function P2P_Receive(from, data, room, tag) bind(C, name='P2P_Receive')
      import :: c_int, c_long, c_ptr, c_size_t
      integer(c_int), value :: from, tag
      type(c_ptr), value :: data
      integer(c_size_t), value :: room
    end function
    integer(c_int) function P2P_Wait(from, tag, seconds) bind(C, name='P2P_Wait')
      import :: c_int, c_double
      integer(c_int), value :: from, tag
      real(c_double), value :: seconds
    end function
    integer(c_int) function P2P_Converged(here) bind(C, name='P2P_Converged')
      import :: c_int
      integer(c_int), value :: here
    end function
    integer(c_int) function P2P_Checkpoint(state, size) bind(C, name='P2P_Checkpoint')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: state
      integer(c_size_t), value :: size
    end function
    integer(c_long) function P2P_Restore(state, room) bind(C, name='P2P_Restore')
      import :: c_long, c_ptr, c_size_t
      type(c_ptr), value :: state
      integer(c_size_t), value :: room
    end function
    subroutine P2P_Count(counts) bind(C, name='P2P_Count')
      import :: P2P_Counts
      type(P2P_Counts), intent(out) :: counts
    end subroutine
    ! The words for an error, filled up with blanks: call P2P_Words(error, text, len(text)).
    subroutine P2P_Words(error, text, length) bind(C, name='P2P_Words')
      import :: c_int, c_char
      integer(c_int), value :: error, length
      character(kind=c_char), intent(out) :: text(*)
    end subroutine
  end interface
end module p2psap
