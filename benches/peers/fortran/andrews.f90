! Andrews' squeezer: Hairer and Wanner, Solving Ordinary Differential Equations II, sec. VII.7; Test Set for IVP Solvers, `andrews`.
! q = (beta, theta, gamma, phi, delta, Omega, epsilon). M q'' + G^T lambda = f, as in the test set.
module andrews
  implicit none
  real(8), parameter :: m1=.04325d0,m2=.00365d0,m3=.02373d0,m4=.00706d0,m5=.07050d0,m6=.00706d0,m7=.05498d0
  real(8), parameter :: xa=-.06934d0,ya=-.00227d0,xb=-0.03635d0,yb=.03273d0,xc=.014d0,yc=.072d0,c0=4530d0
  real(8), parameter :: i1=2.194d-6,i2=4.410d-7,i3=5.255d-6,i4=5.667d-7,i5=1.169d-5,i6=5.667d-7,i7=1.912d-5
  real(8), parameter :: d=28d-3,da=115d-4,e=2d-2,ea=1421d-5,rr=7d-3,ra=92d-5,l0=7785d-5
  real(8), parameter :: ss=35d-3,sa=1874d-5,sb=1043d-5,sc=18d-3,sd=2d-2
  real(8), parameter :: ta=2308d-5,tb=916d-5,u=4d-2,ua=1228d-5,ub=449d-5
  real(8), parameter :: zf=2d-2,zt=4d-2,fa=1421d-5,mom=33d-3
  real(8), parameter :: q0(7) = (/ -0.0617138900142764496358948458001d0, 0d0, &
     0.455279819163070380255912382449d0, 0.222668390165885884674473185609d0, &
     0.487364979543842550225598953530d0,-0.222668390165885884674473185609d0, &
     1.23054744454982119249735015568d0 /)
  real(8), parameter :: w0(7) = (/ 14222.4439199541138705911625887d0,-10666.8329399655854029433719415d0, &
     0d0,0d0,0d0,0d0,0d0 /)
  real(8), parameter :: lam0(6) = (/ 98.5668703962410896057654982170d0,-6.12268834425566265503114393122d0, &
     0d0,0d0,0d0,0d0 /)
  ! End values in quadruple precision.
  real(8), parameter :: qref(7) = (/ 15.810771195153707097119389d0,-15.756371058411839469727755d0, 4.0822240119645804858281984d-2, &
    -0.53473011634207959377018593d0, 0.52440996587995406937165556d0, 0.53473011634207959377018581d0, 1.0480807410419378730685161d0 /)
  real(8), parameter :: t_end = 0.03d0
contains
  subroutine mass(q, m, ld)
    integer, intent(in) :: ld
    real(8), intent(in) :: q(7)
    real(8), intent(inout) :: m(ld,*)
    real(8) :: coth, siph, siom
    integer :: i,j
    do j=1,7
      do i=1,7
        m(i,j)=0d0
      end do
    end do
    coth=cos(q(2)); siph=sin(q(4)); siom=sin(q(6))
    m(1,1)=m1*ra**2+m2*(rr**2-2*da*rr*coth+da**2)+i1+i2
    m(2,1)=m2*(da**2-da*rr*coth)+i2
    m(1,2)=m(2,1)
    m(2,2)=m2*da**2+i2
    m(3,3)=m3*(sa**2+sb**2)+i3
    m(4,4)=m4*(e-ea)**2+i4
    m(5,4)=m4*((e-ea)**2+zt*(e-ea)*siph)+i4
    m(4,5)=m(5,4)
    m(5,5)=m4*(zt**2+2*zt*(e-ea)*siph+(e-ea)**2)+m5*(ta**2+tb**2)+i4+i5
    m(6,6)=m6*(zf-fa)**2+i6
    m(7,6)=m6*((zf-fa)**2-u*(zf-fa)*siom)+i6
    m(6,7)=m(7,6)
    m(7,7)=m6*((zf-fa)**2-2*u*(zf-fa)*siom+u**2)+m7*(ua**2+ub**2)+i6+i7
  end subroutine
  subroutine force(q, v, f)
    real(8), intent(in) :: q(7), v(7)
    real(8), intent(out) :: f(7)
    real(8) :: siga,coga,xd,yd,lang,frc,fx,fy,coph,coom,sith
    siga=sin(q(3)); coga=cos(q(3)); sith=sin(q(2)); coph=cos(q(4)); coom=cos(q(6))
    xd=sd*coga+sc*siga+xb
    yd=sd*siga-sc*coga+yb
    lang=sqrt((xd-xc)**2+(yd-yc)**2)
    frc=-c0*(lang-l0)/lang
    fx=frc*(xd-xc); fy=frc*(yd-yc)
    f(1)=mom-m2*da*rr*v(2)*(v(2)+2*v(1))*sith
    f(2)=m2*da*rr*v(1)**2*sith
    f(3)=fx*(sc*coga-sd*siga)+fy*(sd*coga+sc*siga)
    f(4)=m4*zt*(e-ea)*v(5)**2*coph
    f(5)=-m4*zt*(e-ea)*v(4)*(v(4)+2*v(5))*coph
    f(6)=-m6*u*(zf-fa)*v(7)**2*coom
    f(7)=m6*u*(zf-fa)*v(6)*(v(6)+2*v(7))*coom
  end subroutine
  subroutine gcon(q, g)
    real(8), intent(in) :: q(7)
    real(8), intent(out) :: g(6)
    real(8) :: x, y
    x = rr*cos(q(1))-d*cos(q(1)+q(2))
    y = rr*sin(q(1))-d*sin(q(1)+q(2))
    g(1)=x-ss*sin(q(3))-xb
    g(2)=y+ss*cos(q(3))-yb
    g(3)=x-e*sin(q(4)+q(5))-zt*cos(q(5))-xa
    g(4)=y+e*cos(q(4)+q(5))-zt*sin(q(5))-ya
    g(5)=x-zf*cos(q(6)+q(7))-u*sin(q(7))-xa
    g(6)=y-zf*sin(q(6)+q(7))+u*cos(q(7))-ya
  end subroutine
  subroutine gjac(q, gp, ld)
    integer, intent(in) :: ld
    real(8), intent(in) :: q(7)
    real(8), intent(inout) :: gp(ld,*)
    real(8) :: sibt,cobt,sb1,cb1,siphde,cophde,siomep,coomep
    integer :: i,j
    do j=1,7
      do i=1,6
        gp(i,j)=0d0
      end do
    end do
    sibt=d*sin(q(1)+q(2)); cobt=d*cos(q(1)+q(2))
    sb1=rr*sin(q(1)); cb1=rr*cos(q(1))
    siphde=sin(q(4)+q(5)); cophde=cos(q(4)+q(5))
    siomep=sin(q(6)+q(7)); coomep=cos(q(6)+q(7))
    do i=1,5,2
      gp(i,1)=-sb1+sibt; gp(i,2)=sibt
      gp(i+1,1)=cb1-cobt; gp(i+1,2)=-cobt
    end do
    gp(1,3)=-ss*cos(q(3)); gp(2,3)=-ss*sin(q(3))
    gp(3,4)=-e*cophde; gp(3,5)=-e*cophde+zt*sin(q(5))
    gp(4,4)=-e*siphde; gp(4,5)=-e*siphde-zt*cos(q(5))
    gp(5,6)=zf*siomep; gp(5,7)=zf*siomep-u*cos(q(7))
    gp(6,6)=-zf*coomep; gp(6,7)=-zf*coomep-u*sin(q(7))
  end subroutine
  ! H(i,j) = sum_k d2 g_i/dq_j dq_k v_k = d(Gv)_i/dq_j
  subroutine gqv(q, v, h)
    real(8), intent(in) :: q(7), v(7)
    real(8), intent(out) :: h(6,7)
    real(8) :: cbt,sbt,cb,sb_,pd,oe,t
    integer :: i
    h=0d0
    cbt=d*cos(q(1)+q(2))*(v(1)+v(2)); sbt=d*sin(q(1)+q(2))*(v(1)+v(2))
    cb=rr*cos(q(1))*v(1); sb_=rr*sin(q(1))*v(1)
    do i=1,5,2
      h(i,1)=-cb+cbt; h(i,2)=cbt
      h(i+1,1)=-sb_+sbt; h(i+1,2)=sbt
    end do
    h(1,3)=ss*sin(q(3))*v(3); h(2,3)=-ss*cos(q(3))*v(3)
    pd=v(4)+v(5)
    t=e*sin(q(4)+q(5))*pd; h(3,4)=t; h(3,5)=t+zt*cos(q(5))*v(5)
    t=-e*cos(q(4)+q(5))*pd; h(4,4)=t; h(4,5)=t+zt*sin(q(5))*v(5)
    oe=v(6)+v(7)
    t=zf*cos(q(6)+q(7))*oe; h(5,6)=t; h(5,7)=t+u*sin(q(7))*v(7)
    t=zf*sin(q(6)+q(7))*oe; h(6,6)=t; h(6,7)=t-u*cos(q(7))*v(7)
  end subroutine
  subroutine gam(q, v, gg)   ! g_qq(v,v)
    real(8), intent(in) :: q(7), v(7)
    real(8), intent(out) :: gg(6)
    real(8) :: bt,b,x,y,pd,oe
    bt=d*(v(1)+v(2))**2; b=rr*v(1)**2
    x=-b*cos(q(1))+bt*cos(q(1)+q(2))
    y=-b*sin(q(1))+bt*sin(q(1)+q(2))
    gg(1)=x+ss*sin(q(3))*v(3)**2
    gg(2)=y-ss*cos(q(3))*v(3)**2
    pd=e*(v(4)+v(5))**2
    gg(3)=x+pd*sin(q(4)+q(5))+zt*cos(q(5))*v(5)**2
    gg(4)=y-pd*cos(q(4)+q(5))+zt*sin(q(5))*v(5)**2
    oe=zf*(v(6)+v(7))**2
    gg(5)=x+oe*cos(q(6)+q(7))+u*sin(q(7))*v(7)**2
    gg(6)=y+oe*sin(q(6)+q(7))-u*cos(q(7))*v(7)**2
  end subroutine
  ! KKT acceleration solve (dense LU of 13x13)
  subroutine accel(q, v, a, lam, ier)
    real(8), intent(in) :: q(7), v(7)
    real(8), intent(out) :: a(7), lam(6)
    integer, intent(out) :: ier
    real(8) :: b(13,13), r(13), gp(6,7), gg(6)
    integer :: ip(13), i, j
    call mass(q,b,13)
    call gjac(q,gp,6)
    do j=1,6
      do i=1,7
        b(i,7+j)=gp(j,i); b(7+j,i)=gp(j,i)
      end do
      do i=1,6
        b(7+i,7+j)=0d0
      end do
    end do
    call force(q,v,r)
    call gam(q,v,gg)
    r(8:13)=-gg
    call dec(13,13,b,ip,ier)
    call sol(13,13,b,r,ip)
    a=r(1:7); lam=r(8:13)
  end subroutine
end module
