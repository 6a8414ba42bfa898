! Andrews' squeezer by HEM5 or PHEM56 (compile with -DSOLVER=hem5 or phem56), without projection: PROGRAM TOLERANCE SECONDS
program half_explicit
  use andrews, only: q0, qref, t_end
  use clock
  implicit none
  integer, parameter :: lw = 400000, liw = 200000
  real(8) :: work(lw), q(7), v(7), u(1), a(7), lambda(6), t, h, rtol(1), atol(1), begin, once, best
  integer :: iwork(liw), idid, runs
  external functions, no_output
  best = huge(best); begin = cpu(); runs = 0
  do while (runs < 1 .or. cpu() - begin < argument(2))
    runs = runs + 1
    rtol = argument(1); atol = rtol
    q = q0; v = 0; a = 0; lambda = 0; u = 0; work(1:40) = 0; iwork(1:60) = 0; t = 0; h = 1d-4
    once = cpu()
    call SOLVER(7, 7, 0, 6, functions, t, q, v, u, a, lambda, t_end, h, rtol, atol, 0, no_output, 0, work, lw, iwork, liw, idid)
    best = min(best, cpu() - once)
  end do
  print '(a,f0.3,a,i0,a,i0,a,i0,a,es8.2)', 'us=', best*1d6, ' steps=', iwork(32), ' rejected=', iwork(33), &
    ' factored=', iwork(37), ' error=', maxval(abs(q - qref))
end program
subroutine functions(what, nq, nv, nu, nl, ldg, ldf, lda, nblk, nmrc, npgp, npfl, indgr, indgc, indflr, indflc, &
    t, q, v, u, x, g, gq, f, gqq, gt, fl, qdot, udot, am)
  use andrews, only: mass, force, gcon, gjac, gam
  implicit none
  integer :: what, nq, nv, nu, nl, ldg, ldf, lda, nblk, nmrc, npgp, npfl, indgr(*), indgc(*), indflr(*), indflc(*)
  real(8) :: t, q(nq), v(nv), u(*), x(*), g(nl), gq(ldg, *), f(nv), gqq(nl), gt(nl), fl(*), qdot(nq), udot(*), am(lda, *)
  if (any(what == (/3, 6, 10, 11/))) gt = 0
  if (what == 4) call gcon(q, g)
  if (any(what == (/1, 2, 10/))) qdot = v
  if (any(what == (/1, 5, 7, 8/))) call force(q, v, f)
  if (any(what == (/1, 7, 8, 9, 10, 11/))) call mass(q, am, lda)
  if (any(what == (/1, 6, 10, 11/))) call gjac(q, gq, ldg)
  if (any(what == (/5, 7/))) call gam(q, v, gqq)
end subroutine
subroutine no_output()
end subroutine
