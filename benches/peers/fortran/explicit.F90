! Andrews' squeezer at index 1 or the Pleiades by DOPRI5 or DOP853 (compile with -DSOLVER=dopri5 or dop853):
! PROGRAM PROBLEM TOLERANCE SECONDS
program explicit
  use andrews, only: q0, qref, t_end
  use clock
  implicit none
  integer, parameter :: lw = 4000, liw = 100
  real(8) :: work(lw), y(28), t, rtol(1), atol(1), rpar(1), begin, once, best, stop_at
  integer :: iwork(liw), ipar(1), idid, runs, n
  character(16) :: problem
  external squeezer, pleiades, no_output
  call get_command_argument(1, problem)
  best = huge(best); begin = cpu(); runs = 0
  do while (runs < 1 .or. cpu() - begin < argument(3))
    runs = runs + 1
    rtol = argument(2); atol = rtol; work(1:40) = 0; iwork(1:40) = 0; iwork(1) = 1000000; t = 0; y = 0
    if (problem == 'andrews') then
      n = 14; stop_at = t_end; y(1:7) = q0
    else
      n = 28; stop_at = 3
      y(1:7) = (/3d0, 3d0, -1d0, -3d0, 2d0, -2d0, 2d0/); y(8:14) = (/3d0, -3d0, 2d0, 0d0, 0d0, -4d0, 4d0/)
      y(20) = 1.75d0; y(21) = -1.5d0; y(25) = -1.25d0; y(26) = 1
    end if
    once = cpu()
    if (problem == 'andrews') then
      call SOLVER(n, squeezer, t, y, stop_at, rtol, atol, 0, no_output, 0, work, lw, iwork, liw, rpar, ipar, idid)
    else
      call SOLVER(n, pleiades, t, y, stop_at, rtol, atol, 0, no_output, 0, work, lw, iwork, liw, rpar, ipar, idid)
    end if
    best = min(best, cpu() - once)
  end do
  print '(a,f0.3,a,i0,a,i0,a,i0,a,es8.2,a,14es23.15)', 'us=', best*1d6, ' steps=', iwork(19), ' rejected=', iwork(20), &
    ' forces=', iwork(17), ' error=', maxval(abs(y(1:7) - qref)), ' y=', y(1:14)
end program
subroutine squeezer(n, t, y, f, rpar, ipar)
  use andrews, only: accel
  implicit none
  integer :: n, ipar(*), status
  real(8) :: t, y(n), f(n), rpar(*), lambda(6)
  f(1:7) = y(8:14)
  call accel(y(1:7), y(8:14), f(8:14), lambda, status)
end subroutine
subroutine pleiades(n, t, y, f, rpar, ipar)
  implicit none
  integer :: n, ipar(*), i, j
  real(8) :: t, y(n), f(n), rpar(*), fx, fy, r
  f(1:14) = y(15:28)
  do i = 1, 7
    fx = 0; fy = 0
    do j = 1, 7
      if (j /= i) then
        r = (y(i) - y(j))**2 + (y(i+7) - y(j+7))**2
        r = j/(r*sqrt(r))
        fx = fx + r*(y(j) - y(i)); fy = fy + r*(y(j+7) - y(i+7))
      end if
    end do
    f(14+i) = fx; f(21+i) = fy
  end do
end subroutine
subroutine no_output()
end subroutine
