! Regions named by hand:
!
!     use auspex
!     call Par_begin('exchange')
!     ...
!     call Par_end()
!
! Compiled by auspex cc they are measured by auspex run; compiled by anything
! else they do nothing. Keep this file with your sources.
module auspex
  implicit none
  private
  public :: Par_begin, Par_end
contains
  subroutine Par_begin(name)
    character(len=*), intent(in) :: name
#ifdef AUSPEX_CC
    external :: auspex_f_begin
    call auspex_f_begin(name)
#endif
  end subroutine Par_begin
  subroutine Par_end()
#ifdef AUSPEX_CC
    external :: auspex_f_end
    call auspex_f_end()
#endif
  end subroutine Par_end
end module auspex
