//! A tyre on a road: a vertical spring, and forces along and across that follow its slip.

use crate::force::PairForce;
use crate::kinematics::{Kinematics, Wrench};
use liedae::scalar::Scalar;
use nalgebra::Vector3;
use std::f64::consts::PI;

/// A tyre on the wheel that is body 2, whose centre of mass is the wheel's centre and whose y-axis is the axle, to the left; body 1 is the
/// ground, with the road at z = 0 but for its bumps.
///
/// At the lowest point of the wheel it is pressed up by N = k (r - c_z) + c (r' - z') + load. Where that falls below zero the wheel is off the road,
/// and nothing acts; of a bilateral tyre the road pulls there, so that all is smooth. Slip is what slides at that point by √(v² + `least_speed`²), with the speed v of the wheel ahead; forces along and across
/// are in proportion to it, or follow Pacejka's magic formula (Tire and vehicle dynamics, 2012, doi:10.1016/C2010-0-68548-8, eq. 4.E9).
///
/// ```
/// use liedae::system::{AccelerationSolver, Evaluator, System};
/// use liedae_multibody::{BodyId, MultibodyBuilder, RigidBody, Tyre};
///
/// // A wheel of 20 kg at rest on its tyre, which carries it at its radius.
/// let mut mechanism = MultibodyBuilder::new();
/// mechanism.gravity([0.0, 0.0, -9.81]);
/// let wheel = RigidBody::new("wheel", 20.0, [0.6, 1.2, 0.6]).at([0.0, 0.0, 0.3]);
/// let wheel = mechanism.add_body(wheel);
/// let tyre = Tyre {
///     radius: 0.3,
///     load: 20.0 * 9.81,
///     stiffness: 2e5,
///     damping: 200.0,
///     slip_stiffness: [8e4, 6e4],
///     least_speed: 0.1,
///     magic: None,
///     road: Vec::new(),
///     bilateral: false,
/// };
/// mechanism.add_force("tyre", BodyId::GROUND, wheel, tyre);
/// let mut system = mechanism.build()?;
/// let mut state = system.initial_state();
/// AccelerationSolver::new(system.layout())?.complete(&mut Evaluator::new(&mut system), &mut state)?;
/// assert!(state.acceleration.iter().all(|part| part.abs() < 1e-12));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tyre {
    /// Radius of the wheel, m.
    pub radius: f64,
    /// Vertical force where the wheel stands at its radius above the road, N.
    pub load: f64,
    /// Vertical stiffness k, N/m.
    pub stiffness: f64,
    /// Vertical damping c, N s/m.
    pub damping: f64,
    /// Forces along and across by slip, where it is small, N.
    pub slip_stiffness: [f64; 2],
    /// Slower wheels slip as if they moved with this speed, m/s: slip has a value, zero, where nothing moves.
    pub least_speed: f64,
    /// The magic formula in place of forces in proportion to slip.
    pub magic: Option<MagicFormula>,
    /// Bumps of the road across its whole width.
    pub road: Vec<RoadBump>,
    /// Whether the road pulls where it would have to, in the place of letting the wheel go.
    pub bilateral: bool,
}

/// F = μ N sin(C atan(B s - E (B s - atan B s))) for a slip s, with the slope μ C B of the slip stiffness over the load.
///
/// ```
/// use liedae_multibody::MagicFormula;
///
/// // A road tyre slides with its friction at last; C above 1 makes a peak before.
/// let tyre = MagicFormula { friction: 1.0, shape: 1.4, curvature: -0.5 };
/// assert!(tyre.shape > 1.0 && tyre.friction == 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MagicFormula {
    /// Coefficient of friction μ.
    pub friction: f64,
    /// Shape C.
    pub shape: f64,
    /// Curvature E.
    pub curvature: f64,
}

/// A bump h sin⁴(π (x - x₀) / L) between x₀ and x₀ + L, whose first three derivatives vanish at both ends.
///
/// ```
/// use liedae_multibody::RoadBump;
///
/// let hump = RoadBump { height: 0.04, start: 5.0, length: 2.0 };
/// // In its middle, and before it.
/// assert_eq!((hump.at(6.0)[0], hump.at(4.0)), (0.04, [0.0; 2]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoadBump {
    /// Height h, m; below 0 a hole.
    pub height: f64,
    /// Where it begins along x, m.
    pub start: f64,
    /// Its length along x, m.
    pub length: f64,
}

impl RoadBump {
    /// Height and slope under a point x.
    pub fn at<S: Scalar>(&self, x: S) -> [S; 2] {
        let Self {
            height,
            start,
            length,
        } = *self;
        let share = (x - start) / length;
        if share.value() <= 0.0 || share.value() >= 1.0 {
            return [S::constant(0.0); 2];
        }
        let (sine, cosine) = (share * PI).sin_cos();
        let cube = sine * sine * sine;
        let slope = cube * cosine * (4.0 * PI * height / length);
        [cube * sine * height, slope]
    }
}

impl Tyre {
    /// Height of the road and its slope under a point x.
    fn road<S: Scalar>(&self, x: S) -> [S; 2] {
        let mut bumps = self.road.iter().map(|bump| bump.at(x));
        let first = bumps.next().unwrap_or([S::constant(0.0); 2]);
        bumps.fold(first, |[height, slope], [more, steeper]| {
            [height + more, slope + steeper]
        })
    }

    /// The force in N against a slip, by the force in N that presses the tyre on the road.
    fn slip_force<S: Scalar>(&self, stiffness: f64, slip: S, pressing: S) -> S {
        let Some(MagicFormula {
            friction,
            shape,
            curvature,
        }) = self.magic
        else {
            return slip * stiffness;
        };
        let peak = pressing * friction;
        // B C D is the slope at the origin, which the load at rest fixes.
        let b = slip * (stiffness / (shape * friction * self.load));
        let inner = b - (b - b.atan()) * curvature;
        peak * (inner.atan() * shape).sin()
    }

    fn wrench<S: Scalar>(&self, wheel: &Kinematics<S>) -> Wrench<S> {
        let zero = S::constant(0.0);
        let up = Vector3::new(zero, zero, S::constant(1.0));
        let axle = wheel.direction(&Vector3::y());
        // Ahead along the road, and to the left along it.
        let level = axle.x.hypot(axle.y);
        let ahead = Vector3::new(axle.y / level, -axle.x / level, zero);
        let left = Vector3::new(-ahead.y, ahead.x, zero);
        // From the centre to the lowest point of the wheel.
        let sine = (-axle.z * axle.z + 1.0).sqrt();
        let arm = (axle * axle.z - up) * (S::constant(self.radius) / sine);
        let contact = wheel.position + arm;
        let velocity = wheel.velocity + wheel.angular_velocity().cross(&arm);
        let [road, slope] = self.road(contact.x);
        let pressing = (road - contact.z) * self.stiffness
            + (slope * wheel.velocity.x - wheel.velocity.z) * self.damping
            + self.load;
        // In the air.
        if pressing.value() <= 0.0 && !self.bilateral {
            return Wrench::zero();
        }
        // Slip is what slides at the contact by the speed ahead, forwards or backwards.
        let speed = wheel.velocity.dot(&ahead);
        let speed = speed.hypot(S::constant(self.least_speed));
        let slips = [ahead, left].map(|direction| -(velocity.dot(&direction) / speed));
        let along = self.slip_force(self.slip_stiffness[0], slips[0], pressing);
        let across = self.slip_force(self.slip_stiffness[1], slips[1], pressing);
        let force = ahead * along + left * across + up * pressing;
        wheel.force_at(&contact, &force)
    }
}

impl PairForce for Tyre {
    fn wrenches<S: Scalar>(&self, _t: f64, [_, wheel]: &[Kinematics<S>; 2]) -> [Wrench<S>; 2] {
        [Wrench::zero(), self.wrench(wheel)]
    }

    fn wrong_number(&self) -> Option<(&'static str, f64)> {
        let [along, across] = self.slip_stiffness;
        let positive = [
            ("the radius", self.radius),
            ("the load", self.load),
            ("the stiffness", self.stiffness),
            ("the least speed", self.least_speed),
        ];
        let formula = self
            .magic
            .iter()
            .flat_map(|magic| [("the friction", magic.friction), ("the shape", magic.shape)]);
        let lengths = self
            .road
            .iter()
            .map(|bump| ("the length of a bump", bump.length));
        let positive = positive.into_iter().chain(formula).chain(lengths);
        let mut positive = positive.filter(|(_, value)| !(value.is_finite() && *value > 0.0));
        let curvatures = self
            .magic
            .iter()
            .map(|magic| ("the curvature", magic.curvature));
        let places = self.road.iter().flat_map(|bump| {
            [
                ("the height of a bump", bump.height),
                ("the start of a bump", bump.start),
            ]
        });
        let finite = [
            ("the damping", self.damping),
            ("the slip stiffness", along),
            ("the slip stiffness", across),
        ];
        let mut finite = finite.into_iter().chain(curvatures).chain(places);
        positive
            .next()
            .or_else(|| finite.find(|(_, value)| !value.is_finite()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: f64 = 4000.0;
    const RADIUS: f64 = 0.3;

    fn tyre(magic: bool) -> Tyre {
        let formula = MagicFormula {
            friction: 1.0,
            shape: 1.4,
            curvature: -0.5,
        };
        Tyre {
            radius: RADIUS,
            load: LOAD,
            stiffness: 2e5,
            damping: 200.0,
            slip_stiffness: [8e4, 6e4],
            least_speed: 0.1,
            magic: magic.then_some(formula),
            road: Vec::new(),
            bilateral: false,
        }
    }

    /// The force on a wheel upright at its radius that moves along x with 10 m/s, plus this, and spins at this rate.
    fn force(magic: bool, sideways: f64, spin: f64) -> Vector3<f64> {
        force_at(magic, [10.0, sideways], spin)
    }

    /// The same with these velocities along x and y.
    fn force_at(magic: bool, [along, sideways]: [f64; 2], spin: f64) -> Vector3<f64> {
        let tyre = tyre(magic);
        let wheel = Kinematics {
            position: Vector3::new(0.0, 0.0, RADIUS),
            velocity: Vector3::new(along, sideways, 0.0),
            omega: Vector3::new(0.0, spin, 0.0),
            ..Kinematics::ground()
        };
        tyre.wrench(&wheel).force
    }

    #[test]
    fn tyres_push_against_slip() {
        for magic in [false, true] {
            let rolling = 10.0 / RADIUS;
            let up = Vector3::new(0.0, 0.0, LOAD);
            assert!((force(magic, 0.0, rolling) - up).norm() < 1e-9);
            // A wheel at rest does not slip, and one that rolls backwards is held against its sliding, too.
            assert_eq!(force_at(magic, [0.0; 2], 0.0), up);
            assert!(force_at(magic, [-10.0, 0.0], -rolling * 1.01).x < 0.0);
            // Both laws have the same slope where slip is small.
            let driven = force(magic, 0.0, rolling * 1.0001);
            assert!((driven.x / 8.0 - 1.0).abs() < 1e-3, "{driven}");
            let sliding = force(magic, 1e-3, rolling);
            assert!((sliding.y / -6.0 - 1.0).abs() < 1e-3, "{sliding}");
        }
        // A locked wheel presses with no more than friction allows, by Pacejka's formula.
        let locked = force(true, 0.0, 0.0).x;
        assert!((-LOAD..-0.8 * LOAD).contains(&locked), "{locked}");
        assert!(force(false, 0.0, 0.0).x < -10.0 * LOAD);
    }

    #[test]
    fn the_bump_is_smooth() {
        let bump = RoadBump {
            height: 0.04,
            start: 5.0,
            length: 2.0,
        };
        assert!((bump.at(6.0)[0] - bump.height).abs() < 1e-15);
        for x in [5.3, 6.4] {
            let slope = (bump.at(x + 1e-6)[0] - bump.at(x - 1e-6)[0]) / 2e-6;
            assert!((bump.at(x)[1] - slope).abs() < 1e-9);
        }
        assert_eq!(bump.at(5.0 - 1e-9), [0.0; 2]);
        // Bumps add up.
        let road = vec![bump; 2];
        let tyre = Tyre {
            road,
            ..tyre(false)
        };
        assert_eq!(tyre.road(6.3)[0], 2.0 * bump.at(6.3)[0]);
    }

    #[test]
    fn a_wheel_in_the_air_is_free() {
        let wheel = Kinematics {
            position: Vector3::new(0.0, 0.0, RADIUS + 1.1 * LOAD / 2e5),
            velocity: Vector3::new(10.0, 1.0, 0.0),
            ..Kinematics::ground()
        };
        assert_eq!(tyre(true).wrench(&wheel), Wrench::zero());
        let bilateral = Tyre {
            bilateral: true,
            ..tyre(true)
        };
        assert!((bilateral.wrench(&wheel).force.z + 0.1 * LOAD).abs() < 1e-9);
    }
}
