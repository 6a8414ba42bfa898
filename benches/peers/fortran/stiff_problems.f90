! Van der Pol (1), HIRES (2) and ring modulator (3) of the Test Set for IVP Solvers: right-hand sides and analytic Jacobians.
module problems
  implicit none
  integer :: problem = 1
  real(8), parameter :: C=1.6d-8,CS=2d-12,CP=1d-8,R=25d3,RP=50d0,LH=4.45d0,LS1=2d-3,LS2=5d-4,LS3=5d-4, &
    RG1=36.3d0,RG2=17.3d0,RG3=17.3d0,RI=50d0,RC=600d0,GAM=40.67286402d-9,DEL=17.7493332d0,PI=3.141592653589793238462643383d0
end module
subroutine rhs(n,x,y,f,rpar,ipar)
  use problems; implicit none
  integer :: n,ipar(*)
  real(8) :: x,y(n),f(n),rpar(*),u1,u2,q1,q2,q3,q4,b,fr
  select case (problem)
  case(1)
    f(1)=y(2); f(2)=1000d0*(1-y(1)**2)*y(2)-y(1)
  case(2)
    b=280d0*y(6)*y(8); fr=1.81d0*y(7)
    f(1)=-1.71d0*y(1)+0.43d0*y(2)+8.32d0*y(3)+0.0007d0
    f(2)=1.71d0*y(1)-8.75d0*y(2)
    f(3)=-10.03d0*y(3)+0.43d0*y(4)+0.035d0*y(5)
    f(4)=8.32d0*y(2)+1.71d0*y(3)-1.12d0*y(4)
    f(5)=-1.745d0*y(5)+0.43d0*(y(6)+y(7))
    f(6)=-b+0.69d0*y(4)+1.71d0*y(5)-0.43d0*y(6)+0.69d0*y(7)
    f(7)=b-fr; f(8)=-f(7)
  case(3)
    u1=0.5d0*sin(2d3*PI*x); u2=2d0*sin(2d4*PI*x)
    q1=GAM*(exp(DEL*(y(3)-y(5)-y(7)-u2))-1); q2=GAM*(exp(DEL*(-y(4)+y(6)-y(7)-u2))-1)
    q3=GAM*(exp(DEL*(y(4)+y(5)+y(7)+u2))-1); q4=GAM*(exp(DEL*(-y(3)-y(6)+y(7)+u2))-1)
    f(1)=(y(8)-0.5d0*y(10)+0.5d0*y(11)+y(14)-y(1)/R)/C
    f(2)=(y(9)-0.5d0*y(12)+0.5d0*y(13)+y(15)-y(2)/R)/C
    f(3)=(y(10)-q1+q4)/CS; f(4)=(-y(11)+q2-q3)/CS; f(5)=(y(12)+q1-q3)/CS; f(6)=(-y(13)-q2+q4)/CS
    f(7)=(-y(7)/RP+q1+q2-q3-q4)/CP
    f(8)=-y(1)/LH; f(9)=-y(2)/LH
    f(10)=(0.5d0*y(1)-y(3)-RG2*y(10))/LS2; f(11)=(-0.5d0*y(1)+y(4)-RG3*y(11))/LS3
    f(12)=(0.5d0*y(2)-y(5)-RG2*y(12))/LS2; f(13)=(-0.5d0*y(2)+y(6)-RG3*y(13))/LS3
    f(14)=(-y(1)+u1-(RI+RG1)*y(14))/LS1; f(15)=(-y(2)-(RC+RG1)*y(15))/LS1
  end select
end subroutine
subroutine jacob(n,x,y,d,ld,rpar,ipar)
  use problems; implicit none
  integer :: n,ld,ipar(*)
  real(8) :: x,y(n),d(ld,n),rpar(*),u2,q1,q2,q3,q4
  d=0d0
  select case (problem)
  case(1)
    d(1,2)=1; d(2,1)=-2000d0*y(1)*y(2)-1; d(2,2)=1000d0*(1-y(1)**2)
  case(2)
    d(1,1)=-1.71d0; d(1,2)=.43d0; d(1,3)=8.32d0; d(2,1)=1.71d0; d(2,2)=-8.75d0
    d(3,3)=-10.03d0; d(3,4)=.43d0; d(3,5)=.035d0; d(4,2)=8.32d0; d(4,3)=1.71d0; d(4,4)=-1.12d0
    d(5,5)=-1.745d0; d(5,6)=.43d0; d(5,7)=.43d0
    d(6,4)=.69d0; d(6,5)=1.71d0; d(6,6)=-.43d0-280d0*y(8); d(6,7)=.69d0; d(6,8)=-280d0*y(6)
    d(7,6)=280d0*y(8); d(7,7)=-1.81d0; d(7,8)=280d0*y(6); d(8,6)=-d(7,6); d(8,7)=1.81d0; d(8,8)=-d(7,8)
  case(3)
    u2=2d0*sin(2d4*PI*x)
    q1=GAM*DEL*exp(DEL*(y(3)-y(5)-y(7)-u2)); q2=GAM*DEL*exp(DEL*(-y(4)+y(6)-y(7)-u2))
    q3=GAM*DEL*exp(DEL*(y(4)+y(5)+y(7)+u2)); q4=GAM*DEL*exp(DEL*(-y(3)-y(6)+y(7)+u2))
    d(1,1)=-1/(C*R); d(1,8)=1/C; d(1,10)=-.5d0/C; d(1,11)=.5d0/C; d(1,14)=1/C
    d(2,2)=d(1,1); d(2,9)=1/C; d(2,12)=-.5d0/C; d(2,13)=.5d0/C; d(2,15)=1/C
    d(3,3)=(-q1-q4)/CS; d(3,5)=q1/CS; d(3,6)=-q4/CS; d(3,7)=(q1+q4)/CS; d(3,10)=1/CS
    d(4,4)=(-q2-q3)/CS; d(4,5)=-q3/CS; d(4,6)=q2/CS; d(4,7)=(-q2-q3)/CS; d(4,11)=-1/CS
    d(5,3)=q1/CS; d(5,4)=-q3/CS; d(5,5)=(-q1-q3)/CS; d(5,7)=(-q1-q3)/CS; d(5,12)=1/CS
    d(6,3)=-q4/CS; d(6,4)=q2/CS; d(6,6)=(-q2-q4)/CS; d(6,7)=(q2+q4)/CS; d(6,13)=-1/CS
    d(7,3)=(q1+q4)/CP; d(7,4)=(-q2-q3)/CP; d(7,5)=(-q1-q3)/CP; d(7,6)=(q2+q4)/CP; d(7,7)=(-q1-q2-q3-q4-1/RP)/CP
    d(8,1)=-1/LH; d(9,2)=-1/LH
    d(10,1)=.5d0/LS2; d(10,3)=-1/LS2; d(10,10)=-RG2/LS2; d(11,1)=-.5d0/LS3; d(11,4)=1/LS3; d(11,11)=-RG3/LS3
    d(12,2)=.5d0/LS2; d(12,5)=-1/LS2; d(12,12)=-RG2/LS2; d(13,2)=-.5d0/LS3; d(13,6)=1/LS3; d(13,13)=-RG3/LS3
    d(14,1)=-1/LS1; d(14,14)=-(RI+RG1)/LS1; d(15,2)=-1/LS1; d(15,15)=-(RC+RG1)/LS1
  end select
end subroutine
