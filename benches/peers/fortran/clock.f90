! CPU time of the process in s: what others do on the machine is not in it.
module clock
  use iso_c_binding
  implicit none
  type, bind(c) :: timespec
    integer(c_long) :: seconds, nanoseconds
  end type
  interface
    integer(c_int) function clock_gettime(id, time) bind(c, name='clock_gettime')
      import
      integer(c_int), value :: id
      type(timespec) :: time
    end function
  end interface
contains
  real(8) function cpu()
    type(timespec) :: time
    integer(c_int) :: status
    status = clock_gettime(2_c_int, time)
    cpu = real(time%seconds, 8) + 1d-9*real(time%nanoseconds, 8)
  end function
  real(8) function argument(position)
    integer, intent(in) :: position
    character(32) :: text
    call get_command_argument(position, text)
    read(text, *) argument
  end function
end module
