! Sparse and LAPACK routines that HEM5 and PHEM56 name but do not call with dense linear algebra of their own.
subroutine ma28ad
  stop 'ma28ad'
end subroutine
subroutine ma28bd
  stop 'ma28bd'
end subroutine
subroutine ma28cd
  stop 'ma28cd'
end subroutine
subroutine dgetrf
  stop 'dgetrf'
end subroutine
subroutine dgetrs
  stop 'dgetrs'
end subroutine
