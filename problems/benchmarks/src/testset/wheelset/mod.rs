//! A wheelset on a straight track: two contacts of cones with rails, creep forces that depend on the multipliers.

mod formulation;

use super::published::{Statement, names};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use liedae::scalar::Scalar;
use liedae::system::FirstOrderModel;
use liedae_multibody::drawing::{Drawing, Pose};

pub(crate) const WHEELSET: ProblemEntry = ProblemEntry {
    name: "wheelset",
    title: "wheelset on a straight track at 30 m/s, creep forces, 17 unknowns, index 2",
    description: "Position and velocity of the wheelset, deviation beta of its spin, the contact points (psi, xi) of both \
                  wheels as index-1 variables, two contact conditions at velocity level. The creep forces depend on the \
                  normal forces and with them on the multipliers lam, which are in units of 1e4 N. A limit cycle, the \
                  hunting motion, is reached from a small displacement.",
    source: "Test Set for IVP Solvers, `wheel` (index 2); Simeon, Fuehrer and Rentrop, Surv. Math. Ind. 1 (1991) 1; \
             creep forces by Jaschinski 1990",
    parameters: &[],
    build,
};

const MASS: f64 = 16.08;
const GRAVITY: f64 = 9.81;
const SPEED: f64 = 30.0;
const RADIUS: f64 = 0.1;
const SPIN_INERTIA: f64 = 0.0605;
const YAW_INERTIA: f64 = 0.366;
const FRICTION: f64 = 0.12;
const SPRING_ARM: f64 = 0.19;
const SPRING_X: f64 = 6400.0;
const SPRING_Z: f64 = 6400.0;
const ELLIPSE_E: f64 = 1.3537956;
const ELLIPSE_G: f64 = 0.7115218;
const POISSON: f64 = 0.28;
const SHEAR_MODULUS: f64 = 7.92e10;
/// Kalker's coefficients.
const C11: f64 = 4.72772197;
const C22: f64 = 4.27526987;
const C23: f64 = 1.97203505;
const CONE: f64 = 0.0262;
const HALF_GAUGE: f64 = 0.1506;
const RAIL_RADIUS: f64 = 0.06;
/// As the test set writes it.
#[allow(clippy::approx_constant)]
const PI: f64 = 3.141_592_6;
/// The unit of the multipliers in N.
const MULTIPLIER: f64 = 1e4;

/// Lateral x, vertical y and longitudinal z displacement, yaw theta and roll phi; their rates; beta; the contact points
/// of the right and the left wheel; two multipliers.
struct Wheelset;

/// A number, its sine and its cosine.
#[derive(Clone, Copy)]
struct Angle<S> {
    sine: S,
    cosine: S,
}

impl<S: Scalar> Angle<S> {
    fn new(value: S) -> Self {
        let (sine, cosine) = value.sin_cos();
        Self { sine, cosine }
    }
}

/// Motion of the wheelset.
struct Motion<'a, S> {
    position: &'a [S],
    rates: &'a [S],
    yaw: Angle<S>,
    roll: Angle<S>,
    /// Spin V / R + beta.
    spin: S,
}

/// The sign of the axial coordinate: the left contact has xi > 0.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
}

/// One wheel on its rail.
struct Contact<S> {
    side: Side,
    xi: S,
    psi: Angle<S>,
    /// Radius of the wheel there and its derivative by xi.
    wheel: S,
    wheel_slope: f64,
    /// Slope and curvature of the rail.
    rail_slope: S,
    rail_curvature: S,
    /// Angle of the contact plane.
    plane: S,
    /// The row of the contact condition, by x, y, z, theta, phi.
    row: [S; 5],
}

impl<S: Scalar> Contact<S> {
    fn new(side: Side, motion: &Motion<S>, psi: S, xi: S) -> Self {
        let psi = Angle::new(psi);
        let (yaw, roll) = (motion.yaw, motion.roll);
        let slope = CONE.tan();
        let wheel = (S::constant(HALF_GAUGE) - xi.abs()) * slope + RADIUS;
        let wheel_slope = if xi.value() < 0.0 { slope } else { -slope };
        // Where the wheel touches, seen from the track, and the circular rail there.
        let across = motion.position[0]
            + xi * yaw.cosine * roll.cosine
            + wheel * (yaw.cosine * roll.sine * psi.cosine - yaw.sine * psi.sine);
        let offset = across.abs() - (HALF_GAUGE + CONE.sin() * RAIL_RADIUS);
        let height = (S::constant(RAIL_RADIUS * RAIL_RADIUS) - offset * offset).sqrt();
        let outward = if across.value() < 0.0 { -1.0 } else { 1.0 };
        let rail_slope = offset / height * -outward;
        let rail_curvature = (height * height * height).recip() * (-RAIL_RADIUS * RAIL_RADIUS);
        let upright = roll.sine * wheel_slope + roll.cosine * psi.cosine;
        let sideways =
            (roll.cosine * wheel_slope - roll.sine * psi.cosine) * yaw.cosine + psi.sine * yaw.sine;
        let plane = match side {
            Side::Left => -(sideways / upright).atan(),
            Side::Right => (sideways / upright).atan(),
        };
        let row = [
            rail_slope,
            S::constant(-1.0),
            S::constant(0.0),
            -rail_slope
                * (wheel * (yaw.cosine * psi.sine + psi.cosine * roll.sine * yaw.sine)
                    + roll.cosine * yaw.sine * xi),
            rail_slope * yaw.cosine * (roll.cosine * psi.cosine * wheel - roll.sine * xi)
                - psi.cosine * wheel * roll.sine
                - roll.cosine * xi,
        ];
        Self {
            side,
            xi,
            psi,
            wheel,
            wheel_slope,
            rail_slope,
            rail_curvature,
            plane,
            row,
        }
    }

    /// The two conditions that the normals of wheel and rail are parallel.
    fn parallel(&self, motion: &Motion<S>) -> [S; 2] {
        let (yaw, roll, psi) = (motion.yaw, motion.roll, self.psi);
        let slope = self.wheel_slope;
        [
            self.rail_slope * (roll.sine * slope + roll.cosine * psi.cosine)
                + yaw.cosine * (roll.cosine * slope - roll.sine * psi.cosine)
                + yaw.sine * psi.sine,
            yaw.sine * (roll.cosine * slope - roll.sine * psi.cosine) - yaw.cosine * psi.sine,
        ]
    }

    /// The creep force for this normal force, in the frame of the track: Kalker's linear law, bounded by tanh.
    fn creep(&self, motion: &Motion<S>, theta: S, normal: S) -> [S; 3] {
        let [dx, dy, dz, dtheta, dphi] = [0, 1, 2, 3, 4].map(|i| motion.rates[i]);
        let plane = Angle::new(self.plane);
        let yaw = Angle::new(theta / plane.cosine);
        let (roll, psi) = (motion.roll, self.psi);
        let tilt = match self.side {
            Side::Left => plane.sine,
            Side::Right => -plane.sine,
        };
        // Relative velocity of the contact point and its arms.
        let forward = self.wheel * (yaw.cosine * roll.sine * psi.cosine - yaw.sine * psi.sine)
            + self.xi * yaw.cosine * roll.cosine;
        let sideward = self.wheel * (yaw.sine * roll.sine * psi.cosine + yaw.cosine * psi.sine)
            + self.xi * yaw.sine * roll.cosine;
        let lever = self.xi * roll.sine - self.wheel * roll.cosine * psi.cosine;
        let rolling = motion.spin * self.wheel;
        let relative = [
            dx - rolling * (yaw.sine * psi.cosine + yaw.cosine * roll.sine * psi.sine)
                - dtheta * sideward
                - dphi * yaw.cosine * lever,
            dy + rolling * roll.cosine * psi.sine
                + dphi * (self.xi * roll.cosine + self.wheel * roll.sine * psi.cosine),
            dz + SPEED
                - rolling * (yaw.cosine * psi.cosine - yaw.sine * roll.sine * psi.sine)
                - dtheta * forward
                + dphi * yaw.sine * lever,
        ];
        let mean = [
            relative[0] - dx * 2.0,
            relative[1] - dy * 2.0,
            relative[2] - dz * 2.0 - 2.0 * SPEED,
        ];
        let speed = (mean[0] * mean[0] + mean[1] * mean[1] + mean[2] * mean[2]).sqrt() * 0.5;
        let along = (yaw.sine * relative[0] + yaw.cosine * relative[2]) / speed;
        let across = (plane.cosine * (yaw.cosine * relative[0] - yaw.sine * relative[2])
            + tilt * relative[1])
            / speed;
        let spin = (plane.cosine * dtheta - tilt * motion.spin) / speed;
        // The contact ellipse: the wheel is a cone, the rail a circle.
        let rolling_curvature =
            (self.wheel * (1.0 + self.wheel_slope * self.wheel_slope).sqrt()).recip() * 0.5;
        let rail = self.rail_slope * self.rail_slope + 1.0;
        let cross_curvature = -self.rail_curvature / (rail * rail.sqrt()) * 0.5;
        let pressed = normal.abs() * (3.0 * (1.0 - POISSON) * ELLIPSE_E)
            / ((rolling_curvature + cross_curvature)
                * (2.0 * PI * SHEAR_MODULUS * ELLIPSE_G.sqrt()));
        let size = pressed.powf(1.0 / 3.0);
        let bound = normal * FRICTION;
        let scale = size * size * SHEAR_MODULUS / bound;
        let mut tangential = -bound * (scale * C11 * along).tanh();
        let mut lateral = -bound * (scale * (across * C22 + size * spin * C23)).tanh();
        let square = tangential * tangential + lateral * lateral;
        if square.value() > (bound * bound).value() {
            let reduced = bound.abs() / square.sqrt();
            tangential *= reduced;
            lateral *= reduced;
        }
        [
            yaw.sine * tangential + yaw.cosine * plane.cosine * lateral,
            tilt * lateral,
            yaw.cosine * tangential - yaw.sine * plane.cosine * lateral,
        ]
    }

    /// Moments of a force at the contact, in the directions of Euler's equations for theta, phi and beta.
    fn moments(&self, motion: &Motion<S>, force: &[S; 3]) -> [S; 3] {
        let (yaw, roll, psi, xi, wheel) = (motion.yaw, motion.roll, self.psi, self.xi, self.wheel);
        let [fx, fy, fz] = *force;
        let down = wheel * psi.cosine;
        let ahead = wheel * psi.sine;
        [
            -(xi * yaw.sine + ahead * yaw.cosine * roll.cosine) * fx - ahead * roll.sine * fy
                + (ahead * yaw.sine * roll.cosine - xi * yaw.cosine) * fz,
            -yaw.cosine * (xi * roll.sine - down * roll.cosine) * fx
                + (xi * roll.cosine + down * roll.sine) * fy
                + yaw.sine * (xi * roll.sine - down * roll.cosine) * fz,
            -(down * yaw.sine + ahead * yaw.cosine * roll.sine) * fx + ahead * roll.cosine * fy
                - (down * yaw.cosine - ahead * yaw.sine * roll.sine) * fz,
        ]
    }
}

impl FirstOrderModel for Wheelset {
    fn dimension(&self) -> usize {
        17
    }

    /// The published values; they satisfy the algebraic rows to about five digits, lam the hidden ones likewise.
    fn initial_value(&self) -> Vec<f64> {
        vec![
            0.14941e-2,
            0.40089e-6,
            0.11241e-5,
            -0.28573e-3,
            0.26459e-3,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            -7.412_238_035_766_714e-6,
            -0.152_136_429_612_124_8,
            7.563_440_639_517_294e-6,
            0.149_063_571_473_381_9,
            -8.3593e-3,
            -7.4144e-3,
        ]
    }

    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        let (position, rest) = y.split_at(5);
        let (rates, rest) = rest.split_at(5);
        let motion = Motion {
            position,
            rates,
            yaw: Angle::new(position[3]),
            roll: Angle::new(position[4]),
            spin: rest[0] + SPEED / RADIUS,
        };
        let left = Contact::new(Side::Left, &motion, rest[3], rest[4]);
        let right = Contact::new(Side::Right, &motion, rest[1], rest[2]);
        let multipliers = [rest[5] * MULTIPLIER, rest[6] * MULTIPLIER];
        let constraint_force =
            [0, 1, 2, 3, 4].map(|i| left.row[i] * multipliers[0] + right.row[i] * multipliers[1]);

        // Normal forces: their sum has the x and y components of the constraint force.
        let (plane_left, plane_right) = (Angle::new(left.plane), Angle::new(right.plane));
        let determinant =
            -(plane_left.sine * plane_right.cosine + plane_right.sine * plane_left.cosine);
        let [fx, fy, ..] = constraint_force;
        let normal_left = (plane_right.cosine * fx - plane_right.sine * fy) / determinant;
        let normal_right = -(plane_left.cosine * fx + plane_left.sine * fy) / determinant;
        let creep_left = left.creep(&motion, position[3], normal_left);
        let creep_right = right.creep(&motion, position[3], normal_right);
        let creep = [0, 1, 2].map(|i| creep_left[i] + creep_right[i]);
        let moment_left = left.moments(&motion, &creep_left);
        let moment_right = right.moments(&motion, &creep_right);
        let moment = [0, 1, 2].map(|i| moment_left[i] + moment_right[i]);

        let (dtheta, dphi) = (rates[3], rates[4]);
        let roll = motion.roll;
        let yaw_spring = position[3] * (-2.0 * SPRING_ARM * SPRING_ARM * SPRING_Z);
        let gyroscopic =
            motion.spin * SPIN_INERTIA + dtheta * roll.sine * (SPIN_INERTIA - YAW_INERTIA);
        let yaw_moment = dtheta * dphi * roll.sine * YAW_INERTIA - gyroscopic * dphi
            + moment[0]
            + roll.cosine * yaw_spring
            + constraint_force[3];
        let spin_moment =
            dtheta * dphi * roll.cosine * -SPIN_INERTIA + moment[2] + roll.sine * yaw_spring;

        rate[..5].copy_from_slice(rates);
        rate[5] = creep[0] + constraint_force[0] - position[0] * (2.0 * SPRING_X);
        rate[6] = creep[1] + constraint_force[1] - MASS * GRAVITY;
        rate[7] = creep[2] + constraint_force[2] - position[2] * (2.0 * SPRING_Z);
        // The published rows I2 cos(phi) theta'' and I1 (sin(phi) theta'' + beta'), solved for theta'' and beta'.
        rate[8] = yaw_moment / roll.cosine;
        rate[9] = gyroscopic * dtheta * roll.cosine + moment[1] + constraint_force[4];
        rate[10] = spin_moment - roll.sine * rate[8] * (SPIN_INERTIA / YAW_INERTIA);
        rate[11..13].copy_from_slice(&right.parallel(&motion));
        rate[13..15].copy_from_slice(&left.parallel(&motion));
        rate[15] = left.row.iter().zip(rates).map(|(&row, &v)| row * v).sum();
        rate[16] = right.row.iter().zip(rates).map(|(&row, &v)| row * v).sum();
    }

    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        let inertia = [MASS, MASS, MASS, YAW_INERTIA, YAW_INERTIA, SPIN_INERTIA];
        let diagonal = [1.0; 5].into_iter().chain(inertia);
        Some(
            diagonal
                .enumerate()
                .map(|(i, value)| (i, i, value))
                .collect(),
        )
    }

    fn index(&self) -> Vec<u8> {
        [[0; 11].as_slice(), &[1; 4], &[2; 2]].concat()
    }

    fn names(&self) -> Vec<String> {
        names(&[
            "x", "y", "z", "theta", "phi", "d_x", "d_y", "d_z", "d_theta", "d_phi", "beta", "psiR",
            "xiR", "psiL", "xiL", "lam1", "lam2",
        ])
    }
}

/// The wheelset from above and behind; lateral x, vertical y, along the track z. It travels with the picture, and its displacements, some
/// millimetres, are drawn as they are.
fn drawing() -> Drawing {
    let drawing = Drawing::space(["wheelset"], |state, poses| {
        // The state of a first-order system is x.
        let [x, y, z, yaw, roll] = [0, 1, 2, 3, 4].map(|i| state.x[i]);
        let ((sy, cy), (sr, cr)) = (yaw.sin_cos(), roll.sin_cos());
        // Yaw about y, then roll about the track.
        let rotation = [cy * cr, -cy * sr, sy, sr, cr, 0.0, -sy * cr, sy * sr, cy];
        poses[0] = Pose {
            position: [x, y, z],
            rotation,
        };
    })
    .with_up([0.0, 1.0, 0.0])
    .cylinder(
        Some(0),
        [-1.2 * HALF_GAUGE, 0.0, 0.0],
        [1.2 * HALF_GAUGE, 0.0, 0.0],
        0.15 * RADIUS,
    );
    let wheels = [-1.0, 1.0].map(|side| [0.85, 1.1].map(|share: f64| side * share * HALF_GAUGE));
    wheels.into_iter().fold(drawing, |drawing, [from, to]| {
        let rail = 0.5 * (from + to);
        drawing
            .cylinder(Some(0), [from, 0.0, 0.0], [to, 0.0, 0.0], RADIUS)
            .bar(None, [rail, -RADIUS, -0.3], [rail, -RADIUS, 0.0])
            .bar(None, [rail, -RADIUS, 0.0], [rail, -RADIUS, 0.3])
    })
}

fn build(_parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Statement {
        entry: &WHEELSET,
        source: Some(
            "end values of the Test Set for IVP Solvers, by DASSL with tolerances 1e-9 and no error control of the \
             multipliers: eight digits",
        ),
        t_end: 10.0,
        default_step: 1e-3,
        main_output: "x",
        order_study_end: Some(0.1),
        absolute_scale: 1.0,
        formulation: formulation::formulation(),
        unit: "SI units, lam in U",
    };
    Ok(statement.first_order(Wheelset)?.with_drawing(drawing()))
}
