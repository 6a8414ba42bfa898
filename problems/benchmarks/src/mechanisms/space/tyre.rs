//! A tyre on a road: a vertical spring, and forces along and across that follow its slip.

use crate::Formulation;
use liedae::scalar::Scalar;
use liedae_multibody::{Kinematics, PairForce, Wrench};
use nalgebra::Vector3;

/// Of the wheel, in m.
pub(super) const RADIUS: f64 = 0.3;

/// Vertical stiffness in N/m and damping in N s/m.
const VERTICAL: [f64; 2] = [2.0e5, 200.0];

/// Forces along and across by slip, in N, at small slip.
const SLIP_STIFFNESS: [f64; 2] = [8.0e4, 6.0e4];

/// Slower wheels slip as if they moved with this speed in m/s: slip has a value, zero, where nothing moves.
const LEAST_SPEED: f64 = 0.1;

/// Friction, shape C and curvature E of the magic formula.
const MAGIC: [f64; 3] = [1.0, 1.4, -0.5];

/// Height of the bump, where it begins, and its length, in m.
const BUMP: [f64; 3] = [0.04, 5.0, 2.0];

/// A tyre on body 2, whose centre is the wheel's and whose y-axis is the axle, to the left.
pub(super) struct Tyre {
    /// Vertical force in N where the wheel stands at its radius above the road.
    pub load: f64,
    /// Pacejka's formula instead of forces in proportion to slip.
    pub magic: bool,
    /// Whether the bump lies in its track.
    pub bump: bool,
}

impl Tyre {
    /// Height of the road and its slope under a point x; both are continuous, and so is the slope's derivative but for jumps.
    fn road<S: Scalar>(&self, x: S) -> [S; 2] {
        let [height, begin, length] = BUMP;
        let share = (x - begin) / length;
        if !self.bump || share.value() <= 0.0 || share.value() >= 1.0 {
            return [S::constant(0.0); 2];
        }
        // sin⁴, whose first three derivatives vanish at both ends.
        let (sine, cosine) = (share * std::f64::consts::PI).sin_cos();
        let cube = sine * sine * sine;
        let slope = cube * cosine * (4.0 * std::f64::consts::PI * height / length);
        [cube * sine * height, slope]
    }

    /// The force in N against a slip, by the force in N that presses the tyre on the road.
    fn slip_force<S: Scalar>(&self, stiffness: f64, slip: S, pressing: S) -> S {
        if !self.magic {
            return slip * stiffness;
        }
        let [friction, shape, curvature] = MAGIC;
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
        let arm = (axle * axle.z - up) * (S::constant(RADIUS) / sine);
        let contact = wheel.position + arm;
        let velocity = wheel.velocity + wheel.angular_velocity().cross(&arm);
        let [road, slope] = self.road(contact.x);
        let [stiffness, damping] = VERTICAL;
        let pressing = (road - contact.z) * stiffness
            + (slope * wheel.velocity.x - wheel.velocity.z) * damping
            + self.load;
        // Slip is what slides at the contact by the speed ahead, forwards or backwards.
        let speed = wheel.velocity.dot(&ahead).hypot(S::constant(LEAST_SPEED));
        let slips = [ahead, left].map(|direction| -(velocity.dot(&direction) / speed));
        let along = self.slip_force(SLIP_STIFFNESS[0], slips[0], pressing);
        let across = self.slip_force(SLIP_STIFFNESS[1], slips[1], pressing);
        let force = ahead * along + left * across + up * pressing;
        wheel.force_at(&contact, &force)
    }
}

/// The forces of tyres that carry this load at rest, in N.
pub(super) fn law(load: f64) -> Formulation {
    let ([vertical, damping], [along, across]) = (VERTICAL, SLIP_STIFFNESS);
    let ([friction, shape, curvature], [height, begin, length]) = (MAGIC, BUMP);
    Formulation::new([
        "tyre: a force on the wheel at its lowest point c; the wheel's centre is p, its axle a (the y-axis of the body, to the left), e = (0, 0, 1)"
            .to_owned(),
        "ahead u = (a_y, -a_x, 0) / |(a_x, a_y)|, left w = (-u_y, u_x, 0)".to_owned(),
        format!("c = p + {RADIUS} (a_z a - e) / sqrt(1 - a_z^2), its velocity as a point of the wheel: c' = p' + omega x (c - p)"),
        format!("pressing N = {vertical} (r(c_x) - c_z) + {damping} (r'(c_x) p'_x - p'_z) + {load} N"),
        format!(
            "road: r(x) = {height} sin(pi (x - {begin}) / {length})^4 between x = {begin} and {} m in the track of the left wheels, otherwise 0",
            begin + length
        ),
        "slips s_u = -(c' . u) / (p' . u), s_w = -(c' . w) / (p' . u)".to_owned(),
        format!("linear (magic=0): F = N e + {along} s_u u + {across} s_w w"),
        format!(
            "magic formula (magic=1): F = N e + f({along}, s_u) u + f({across}, s_w) w, f(k, s) = {friction} N sin({shape} atan(b - {curvature} (b - atan b))),              b = k s / ({shape} {friction} {load})"
        ),
    ])
}

impl PairForce for Tyre {
    fn wrenches<S: Scalar>(&self, _t: f64, [_, wheel]: &[Kinematics<S>; 2]) -> [Wrench<S>; 2] {
        [Wrench::zero(), self.wrench(wheel)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: f64 = 4000.0;

    /// The force on a wheel upright at its radius that moves along x with 10 m/s, plus this, and spins at this rate.
    fn force(magic: bool, sideways: f64, spin: f64) -> Vector3<f64> {
        force_at(magic, [10.0, sideways], spin)
    }

    /// The same with these velocities along x and y.
    fn force_at(magic: bool, [along, sideways]: [f64; 2], spin: f64) -> Vector3<f64> {
        let tyre = Tyre {
            load: LOAD,
            magic,
            bump: false,
        };
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
        let tyre = Tyre {
            load: LOAD,
            magic: false,
            bump: true,
        };
        let middle = BUMP[1] + 0.5 * BUMP[2];
        assert!((tyre.road(middle)[0] - BUMP[0]).abs() < 1e-15);
        for x in [BUMP[1] + 0.3, BUMP[1] + 1.4] {
            let slope = (tyre.road(x + 1e-6)[0] - tyre.road(x - 1e-6)[0]) / 2e-6;
            assert!((tyre.road(x)[1] - slope).abs() < 1e-9);
        }
        assert_eq!(tyre.road(BUMP[1] - 1e-9), [0.0; 2]);
    }
}
