//! The basic constraints, one scalar equation each, with derivatives.
//!
//! DP1, DP2, CD and D are those of Haug 1989, Computer Aided Kinematics and Dynamics of Mechanical Systems, chapter 9,
//! in the rotation-matrix form of Taves, Kissel and Negrut (Fang et al. 2022, eq. 2, doi:10.1115/1.4056183). With
//! d = P₂ - P₁, arms s from the centres of mass to the points, and everything in the world frame:
//!
//! | row | g | force n on body 2 | moment on body 1 | moment on body 2 |
//! |---|---|---|---|---|
//! | DP1 | a₁·a₂ - f | 0 | a₁×a₂ | a₂×a₁ |
//! | DP2 | a₁·d - f | a₁ | a₁×(d+s₁) | s₂×a₁ |
//! | CD | c·d - f | c | c×s₁ | s₂×c |
//! | D | \|d\| - f | u = d/\|d\| | u×s₁ | s₂×u |
//! | angle | p(f)·x₂, p(f) = -sin f x₁ + cos f y₁ | 0 | p×x₂ | x₂×p |
//!
//! The force on body 1 is -n; moments are about the centres of mass. In the body frame the moments are the columns of
//! G by ω: a small rotation A exp(hat δ) moves a fixed vector a by A δ × a.

use super::marker::{Axis, JointFrame};
use super::motion::Motion;
use liedae::scalar::{Scalar, Taylor2};
use nalgebra::Vector3;
use std::f64::consts::FRAC_PI_2;

/// One scalar constraint between the joint frames of two bodies.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Which equation.
    pub constraint: Constraint,
    /// The right-hand side f(t); for [`Constraint::Angle`] the angle.
    pub motion: Motion,
}

/// The equations that a row may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constraint {
    /// DP1: the cosine between an axis of body 1 and an axis of body 2.
    Dot1(Axis, Axis),
    /// DP2: the component of d along an axis of body 1, in m.
    Dot2(Axis),
    /// CD: the component of d along a fixed unit direction of the world, in m.
    Coordinate(Vector3<f64>),
    /// D: the length of d in m. Regular wherever d is not zero; its multiplier is a force in N.
    Distance,
    /// The sine of the difference between the angle from x₁ to x₂ about z₁ and f(t). Near its zero this is the
    /// difference itself, for any number of turns, and the row of the Jacobian is the axis. It also vanishes half a
    /// turn away, where the row has the opposite sign.
    Angle,
}

/// For the motions (r₁, θ₁, r₂, θ₂) of a pair of bodies, which forces and moments depend on which of them.
pub(crate) type Couplings = [[bool; 4]; 4];

impl Constraint {
    /// What the forces and moments of a multiplier depend on: where the second derivatives of the row may have entries.
    pub fn couplings(&self) -> Couplings {
        const O: bool = false;
        const I: bool = true;
        match self {
            // Moments a₁×a₂ turn with both bodies.
            Self::Dot1(..) | Self::Angle => {
                [[O, O, O, O], [O, I, O, I], [O, O, O, O], [O, I, O, I]]
            }
            // The force a₁ turns with body 1, and its arm from r₁ reaches to the point on body 2.
            Self::Dot2(_) => [[O, I, O, O], [I, I, I, I], [O, I, O, O], [O, I, O, I]],
            // The force stays as it is: each arm turns with its own body.
            Self::Coordinate(_) => [[O, O, O, O], [O, I, O, O], [O, O, O, O], [O, O, O, I]],
            Self::Distance => [[I; 4]; 4],
        }
    }
}

/// Gradient of a row, in the world frame: the generalized forces of a unit multiplier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gradient<S: Scalar = f64> {
    /// Force on body 2; that on body 1 is its negative.
    pub force: Vector3<S>,
    /// Moments about the centres of mass of both bodies.
    pub moments: [Vector3<S>; 2],
}

/// Velocities of both sides of a joint in the world frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spin<S: Scalar = f64> {
    /// Velocity of the centre of mass.
    pub velocity: Vector3<S>,
    /// Angular velocity.
    pub omega: Vector3<S>,
}

impl<S: Scalar> Spin<S> {
    /// First derivative of a vector fixed to the body.
    pub fn rate(&self, vector: &Vector3<S>) -> Vector3<S> {
        self.omega.cross(vector)
    }

    /// Second derivative of a vector fixed to the body at constant ω.
    pub fn centripetal(&self, vector: &Vector3<S>) -> Vector3<S> {
        self.omega.cross(&self.omega.cross(vector))
    }
}

/// p(θ) = -sin θ x + cos θ y.
pub(crate) fn rotated<S: Scalar>(side: &impl JointFrame<S>, angle: S) -> Vector3<S> {
    let (sin, cos) = angle.sin_cos();
    // p(φ) = y₁ cos φ - x₁ sin φ, at a right angle to where x₂ should be.
    side.axis(Axis::Y) * cos - side.axis(Axis::X) * sin
}

impl Row {
    pub fn new(constraint: Constraint, motion: Motion) -> Self {
        Self { constraint, motion }
    }

    /// The row that wants zero.
    pub fn zero(constraint: Constraint) -> Self {
        Self::new(constraint, Motion::Constant(0.0))
    }

    /// Whether the row needs the axes of the joint frames.
    pub fn needs_axes(&self) -> bool {
        matches!(
            self.constraint,
            Constraint::Dot1(..) | Constraint::Dot2(_) | Constraint::Angle
        )
    }

    /// g(t, q).
    #[inline]
    pub fn residual<S: Scalar>(&self, t: S, [one, two]: &[impl JointFrame<S>; 2]) -> S {
        let target = self.motion.evaluate(t);
        let d = two.point() - one.point();
        match self.constraint {
            Constraint::Dot1(first, second) => one.axis(first).dot(&two.axis(second)) - target,
            Constraint::Dot2(axis) => one.axis(axis).dot(&d) - target,
            Constraint::Coordinate(c) => d.x * c.x + d.y * c.y + d.z * c.z - target,
            Constraint::Distance => d.dot(&d).sqrt() - target,
            // x₂ at the angle f from x₁ about z₁: p(f) · x₂ = 0.
            Constraint::Angle => rotated(one, target).dot(&two.axis(Axis::X)),
        }
    }

    /// Whether an angle is half a turn from where its row vanishes with the right sign.
    pub fn is_opposite(&self, t: f64, [one, two]: &[impl JointFrame<f64>; 2]) -> bool {
        let ahead = self.motion.at(t).value + FRAC_PI_2;
        // p(f + π/2) points against the direction that x₂ should have.
        self.constraint == Constraint::Angle && rotated(one, ahead).dot(&two.axis(Axis::X)) > 0.0
    }

    /// The columns of G, as forces and moments of a unit multiplier.
    #[inline]
    pub fn gradient<S: Scalar>(&self, t: f64, [one, two]: &[impl JointFrame<S>; 2]) -> Gradient<S> {
        // δ(a · b) = (a × b) · δθ₁ - (a × b) · δθ₂.
        let couple = |a: Vector3<S>, b: Vector3<S>| {
            let moment = a.cross(&b);
            Gradient {
                force: Vector3::zeros(),
                moments: [moment, -moment],
            }
        };
        // δ(n · d) = n · (δr₂ - δr₁) + (n × s₁) · δθ₁ + (s₂ × n) · δθ₂.
        let push = |n: Vector3<S>| Gradient {
            force: n,
            moments: [n.cross(&one.arm()), two.arm().cross(&n)],
        };
        match self.constraint {
            Constraint::Dot1(first, second) => couple(one.axis(first), two.axis(second)),
            Constraint::Dot2(axis) => {
                let n = one.axis(axis);
                // a turns with body 1, so its moment has the whole way to the point on body 2.
                let reach = two.point() - one.origin();
                Gradient {
                    force: n,
                    moments: [n.cross(&reach), two.arm().cross(&n)],
                }
            }
            Constraint::Coordinate(c) => push(c.map(S::constant)),
            Constraint::Distance => {
                // δ|d| = d/|d| · δd.
                let d = two.point() - one.point();
                push(d * d.dot(&d).sqrt().recip())
            }
            Constraint::Angle => couple(
                rotated(one, S::constant(self.motion.at(t).value)),
                two.axis(Axis::X),
            ),
        }
    }

    /// The first time derivative G v + g_t.
    pub fn rate<S: Scalar>(
        &self,
        t: f64,
        [one, two]: &[impl JointFrame<S>; 2],
        spins: &[Spin<S>; 2],
    ) -> S {
        let target = self.motion.at(t);
        let d_rate = || relative_velocity([one, two], spins);
        match self.constraint {
            Constraint::Dot1(first, second) => {
                let (a, b) = (one.axis(first), two.axis(second));
                spins[0].rate(&a).dot(&b) + a.dot(&spins[1].rate(&b)) - target.first
            }
            Constraint::Dot2(axis) => {
                let (a, d) = (one.axis(axis), two.point() - one.point());
                spins[0].rate(&a).dot(&d) + a.dot(&d_rate()) - target.first
            }
            Constraint::Coordinate(c) => along(&c, &d_rate()) - target.first,
            Constraint::Distance => {
                let d = two.point() - one.point();
                d.dot(&d_rate()) / d.dot(&d).sqrt() - target.first
            }
            Constraint::Angle => {
                let (p, b) = (rotated(one, S::constant(target.value)), two.axis(Axis::X));
                // p turns with body 1 and, as f changes, about z₁.
                let turning = spins[0].omega + one.axis(Axis::Z) * S::constant(target.first);
                turning.cross(&p).dot(&b) + p.dot(&spins[1].rate(&b))
            }
        }
    }

    /// The bias γ of G v' + γ = 0: the second derivative of g at constant r' and ω.
    pub fn bias<S: Scalar>(
        &self,
        t: f64,
        [one, two]: &[impl JointFrame<S>; 2],
        spins: &[Spin<S>; 2],
    ) -> S {
        let target: Taylor2 = self.motion.at(t);
        let d_rate = || relative_velocity([one, two], spins);
        // d'' without accelerations: ω × (ω × s) of both arms.
        let d_bias = || spins[1].centripetal(&two.arm()) - spins[0].centripetal(&one.arm());
        match self.constraint {
            Constraint::Dot1(first, second) => {
                let (a, b) = (one.axis(first), two.axis(second));
                // (a · b)'' = a'' · b + 2 a' · b' + a · b''.
                spins[0].centripetal(&a).dot(&b)
                    + spins[0].rate(&a).dot(&spins[1].rate(&b)) * 2.0
                    + a.dot(&spins[1].centripetal(&b))
                    - target.second
            }
            Constraint::Dot2(axis) => {
                let (a, d) = (one.axis(axis), two.point() - one.point());
                // (a · d)'' likewise.
                spins[0].centripetal(&a).dot(&d)
                    + spins[0].rate(&a).dot(&d_rate()) * 2.0
                    + a.dot(&d_bias())
                    - target.second
            }
            Constraint::Coordinate(c) => along(&c, &d_bias()) - target.second,
            Constraint::Distance => {
                let (d, rate) = (two.point() - one.point(), d_rate());
                let length = d.dot(&d).sqrt();
                let stretch = d.dot(&rate) / length;
                // |d|'' = (d · d'' + d' · d' - |d|'²) / |d|.
                (d.dot(&d_bias()) + rate.dot(&rate) - stretch * stretch) / length - target.second
            }
            Constraint::Angle => {
                // p turns with Ω = ω₁ + f' z₁, whose own rate at constant ω₁ is f'' z₁ + f' ω₁ × z₁.
                let (p, b, z) = (
                    rotated(one, S::constant(target.value)),
                    two.axis(Axis::X),
                    one.axis(Axis::Z),
                );
                let turning = spins[0].omega + z * S::constant(target.first);
                let turning_rate =
                    z * S::constant(target.second) + spins[0].rate(&z) * S::constant(target.first);
                let p_rate = turning.cross(&p);
                let p_bias = turning_rate.cross(&p) + turning.cross(&p_rate);
                p_bias.dot(&b)
                    + p_rate.dot(&spins[1].rate(&b)) * 2.0
                    + p.dot(&spins[1].centripetal(&b))
            }
        }
    }
}

/// The velocity of point 2 relative to point 1.
fn relative_velocity<S: Scalar>(
    [one, two]: [&impl JointFrame<S>; 2],
    spins: &[Spin<S>; 2],
) -> Vector3<S> {
    spins[1].velocity + spins[1].rate(&two.arm()) - spins[0].velocity - spins[0].rate(&one.arm())
}

/// The component of a vector along a fixed direction of the world.
fn along<S: Scalar>(direction: &Vector3<f64>, vector: &Vector3<S>) -> S {
    vector.x * direction.x + vector.y * direction.y + vector.z * direction.z
}
