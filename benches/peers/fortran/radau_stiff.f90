! Stiff ODEs by RADAU5: PROGRAM PROBLEM RTOL ATOL SECONDS, PROBLEM 1 van der Pol, 2 HIRES, 3 ring modulator
program radau_stiff
  use clock
  use problems, only: problem
  implicit none
  integer, parameter :: lw = 20000, liw = 400
  real(8) :: work(lw), y(15), t, t_end, h, rtol(1), atol(1), rpar(1), begin, once, best
  integer :: iwork(liw), ipar(1), idid, runs, n
  external rhs, jacob, no_output
  problem = nint(argument(1))
  best = huge(best); begin = cpu(); runs = 0
  do while (runs < 1 .or. cpu() - begin < argument(4))
    runs = runs + 1
    rtol = argument(2); atol = argument(3); work(1:30) = 0; iwork(1:40) = 0; iwork(2) = 10000000; t = 0; h = 1d-6; y = 0
    select case (problem)
    case (1); n = 2; y(1) = 2; t_end = 2000
    case (2); n = 8; y(1) = 1; y(8) = .0057d0; t_end = 321.8122d0
    case (3); n = 15; t_end = 1d-3
    end select
    once = cpu()
    call radau5(n, rhs, t, y, t_end, h, rtol, atol, 0, jacob, 1, n, n, rhs, 0, 0, 0, no_output, 0, &
      work, lw, iwork, liw, rpar, ipar, idid)
    best = min(best, cpu() - once)
  end do
  print '(a,f0.3,a,i0,a,i0,a,i0,a,i0,a,15es23.15)', 'us=', best*1d6, ' steps=', iwork(17), ' rejected=', iwork(18), &
    ' forces=', iwork(14), ' factored=', iwork(19), ' y=', y(1:n)
end program
subroutine no_output()
end subroutine
