! Hairer and Wanner's RADAU5, which is not part of liedae, on problems of liedae in the form y' = f(t, y). Build it with your copy:
!
!     cc -O2 -c liedae_program.c
!     gfortran -O2 -std=legacy -o radau5 radau5.f90 radau5.f dc_lapack.f lapack.f lapackc.f liedae_program.o
!
! Options: jacobian=served (default, where there is one) or differences.

module liedae
  use, intrinsic :: iso_c_binding
  implicit none

  ! struct liedae_problem of liedae_program.h
  type, bind(C) :: problem
    integer(c_int) :: size, implicit, has_jacobian
    real(c_double) :: rtol, atol
    integer(c_long) :: max_steps
    integer(c_int) :: watched, ends
    type(c_ptr) :: end
    integer(c_int) :: samples
    type(c_ptr) :: sample
    real(c_double) :: t
    type(c_ptr) :: y, rate, occurs, index
  end type problem

  interface
    subroutine liedae_open() bind(C)
    end subroutine
    type(c_ptr) function liedae_option(name) bind(C)
      import :: c_ptr, c_char
      character(kind=c_char), intent(in) :: name(*)
    end function
    type(problem) function liedae_form(name) bind(C)
      import :: problem, c_char
      character(kind=c_char), intent(in) :: name(*)
    end function
    integer(c_int) function liedae_evaluate(p, t, y, rate, out) bind(C)
      import :: problem, c_int, c_double, c_ptr
      type(problem), intent(in) :: p
      real(c_double), value :: t
      real(c_double), intent(in) :: y(*)
      type(c_ptr), value :: rate
      real(c_double), intent(out) :: out(*)
    end function
    integer(c_int) function liedae_jacobian(p, t, c, y, rate, out) bind(C)
      import :: problem, c_int, c_double, c_ptr
      type(problem), intent(in) :: p
      real(c_double), value :: t, c
      real(c_double), intent(in) :: y(*)
      type(c_ptr), value :: rate
      real(c_double), intent(out) :: out(*)
    end function
    subroutine liedae_report(p, what, t, y, rate) bind(C)
      import :: problem, c_double, c_ptr, c_char
      type(problem), intent(in) :: p
      character(kind=c_char), intent(in) :: what(*)
      real(c_double), value :: t
      real(c_double), intent(in) :: y(*)
      type(c_ptr), value :: rate
    end subroutine
    subroutine liedae_work(t, accepted, rejected, newton, factorizations, solves) bind(C)
      import :: c_double, c_long
      real(c_double), value :: t
      integer(c_long), value :: accepted, rejected, newton, factorizations, solves
    end subroutine
    subroutine liedae_done() bind(C)
    end subroutine
    subroutine liedae_fail(why) bind(C)
      import :: c_char
      character(kind=c_char), intent(in) :: why(*)
    end subroutine
  end interface

  type(problem) :: p
  real(c_double), pointer :: ends(:), samples(:)
  integer :: next_sample = 1
  logical :: failed = .false.

contains

  subroutine rate(n, t, y, f, rpar, ipar)
    integer :: n, ipar
    real(c_double) :: t, y(n), f(n), rpar
    ! RADAU5 has no way to say that f cannot be evaluated: NaN makes its Newton iteration reject the step.
    if (liedae_evaluate(p, t, y, c_null_ptr, f) /= 0) f = transfer(-1_c_int64_t, 1.0_c_double)
  end subroutine

  subroutine slope(n, t, y, df, ldf, rpar, ipar)
    integer :: n, ldf, ipar
    real(c_double) :: t, y(n), df(ldf, n), rpar
    failed = failed .or. liedae_jacobian(p, t, 0.0_c_double, y, c_null_ptr, df) /= 0
  end subroutine

  subroutine none(n, am, lmas, rpar, ipar)
    integer :: n, lmas, ipar
    real(c_double) :: am(lmas, n), rpar
  end subroutine

  subroutine after_step(number, from, t, y, cont, lrc, n, rpar, ipar, irtrn)
    integer :: number, lrc, n, ipar, irtrn, i
    real(c_double) :: from, t, y(n), cont(lrc), rpar, contr5, at_sample(n)
    external :: contr5
    irtrn = merge(-1, 0, failed)
    if (number > 1 .and. p%watched /= 0) call liedae_report(p, "step", t, y, c_null_ptr)
    do while (next_sample <= p%samples)
      if (samples(next_sample) > t) exit
      if (number == 1) then
        at_sample = y
      else
        do i = 1, n
          at_sample(i) = contr5(i, samples(next_sample), cont, lrc)
        end do
      end if
      call liedae_report(p, "samp", samples(next_sample), at_sample, c_null_ptr)
      next_sample = next_sample + 1
    end do
  end subroutine
end module liedae

program driver
  use liedae
  implicit none
  real(c_double), pointer :: y(:)
  character(kind=c_char), pointer :: option(:)
  real(c_double), allocatable :: work(:)
  integer, allocatable :: iwork(:)
  real(c_double) :: t, h, rtol(1), atol(1), rpar(1)
  integer :: n, lwork, ipar(1), idid, piece, jacobian
  integer(c_long) :: total(5) = 0
  external :: radau5

  call liedae_open()
  call c_f_pointer(liedae_option("jacobian" // c_null_char), option, [1])
  p = liedae_form("ode" // c_null_char)
  n = p%size
  call c_f_pointer(p%y, y, [n])
  call c_f_pointer(p%end, ends, [p%ends])
  call c_f_pointer(p%sample, samples, [p%samples])
  jacobian = merge(1, 0, p%has_jacobian /= 0 .and. option(1) /= "d")
  lwork = n * (4 * n + 12) + 20
  allocate (work(lwork), iwork(3 * n + 20))
  rtol = p%rtol
  atol = p%atol
  t = p%t
  do piece = 1, p%ends
    work = 0
    iwork = 0
    iwork(2) = huge(iwork)
    if (p%max_steps > 0) iwork(2) = int(min(p%max_steps, int(huge(iwork), c_long)))
    h = 0
    call radau5(n, rate, t, y, ends(piece), h, rtol, atol, 0, slope, jacobian, n, n, none, 0, n, n, after_step, 1, &
                work, lwork, iwork, 3 * n + 20, rpar, ipar, idid)
    ! Accepted; rejected, but not those in which Newton's method failed, which RADAU5 does not count; solutions of systems.
    total = total + [iwork(17), iwork(18), iwork(20), 2 * iwork(19), 2 * iwork(20)]
    call liedae_work(t, total(1), total(2), total(3), total(4), total(5))
    select case (idid)
    case (1)
    case (-1)
      call liedae_fail("RADAU5: input is not consistent" // c_null_char)
    case (-2)
      call liedae_fail("the limit of steps was reached" // c_null_char)
    case (-3)
      call liedae_fail("RADAU5: the step became too small" // c_null_char)
    case (-4)
      call liedae_fail("RADAU5: the matrix is repeatedly singular" // c_null_char)
    case default
      call liedae_fail("RADAU5 was interrupted" // c_null_char)
    end select
  end do
  call liedae_report(p, "last", t, y, c_null_ptr)
  call liedae_done()
end program driver
