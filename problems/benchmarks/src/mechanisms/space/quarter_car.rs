//! Parts that the quarter-car suspensions share: chassis, upright with wheel, tyre, road.

use super::GRAVITY;
use super::assembly::output_vector;
use super::bodies::cuboid;
use crate::{Cell, Formulation};
use liedae_multibody::{
    Axis, BodyId, CartesianSpring, Joint, Motion, MultibodyBuilder, Output, RigidBody,
};
use nalgebra::Vector3;

/// Vertical stiffness of the tyre in N/m and its damping in N s/m.
const TYRE: [f64; 2] = [2.0e5, 50.0];

/// What the tyre carries at the start, N.
const LOAD: f64 = 440.0 * 9.81;

/// Amplitude of the road in m and its angular frequency in rad/s.
const ROAD: [f64; 2] = [0.02, 9.0];

/// Stiffness and damping of the spring between body and wheel.
pub(super) const SUSPENSION: [f64; 2] = [2.0e4, 1.0e3];

/// The chassis, held to move vertically, and the upright with its wheel, whose tyre stands on the road.
pub(super) struct QuarterCar {
    pub mechanism: MultibodyBuilder,
    pub chassis: BodyId,
    pub upright: BodyId,
}

/// Where the wheel's centre is at the start, in m: y points outwards, from the middle of the car.
pub(super) const HUB: [f64; 3] = [0.0, 0.75, 0.3];

/// How far the rims of the wheel lie outside of the centre of the upright, in m.
pub(super) const RIMS: [f64; 2] = [0.02, 0.18];

/// Arms of a double wishbone: name, mass in kg, hinge on the chassis, ball on the upright.
pub(super) const ARMS: [(&str, f64, [f64; 3], [f64; 3]); 2] = [
    ("lower", 6.0, [0.0, 0.35, 0.25], [0.0, 0.68, 0.20]),
    ("upper", 4.0, [0.0, 0.42, 0.50], [0.0, 0.66, 0.48]),
];

/// Ends of the tie rod on chassis and upright: a fifth of the way from the lower arm to the upper one, so that the wheel hardly steers when
/// the spring gives way.
pub(super) const TIE_ROD: [[f64; 3]; 2] = [[0.12, 0.364, 0.30], [0.12, 0.676, 0.256]];

/// Ends of the spring on chassis and lower arm.
pub(super) const SPRING: [[f64; 3]; 2] = [[0.0, 0.45, 0.70], [0.0, 0.58, 0.22]];

/// The force of the tyre.
pub(super) fn tyre_law() -> Formulation {
    let ([stiffness, damping], [amplitude, rate]) = (TYRE, ROAD);
    let (load, height) = (LOAD, HUB[2]);
    Formulation::new([
        format!(
            "tyre: on the centre of mass of the upright acts (0, 0, F), F = {stiffness} ({height} + r - z) + {damping} (r' - z') + {load} N"
        ),
        format!(
            "z: height of the centre of mass of the upright; r = {amplitude} (1 - cos({rate} t)) m: the road"
        ),
    ])
}

/// A spring that stands on the road under the hub and carries its load at the start.
fn tyre() -> CartesianSpring {
    let ([stiffness, damping], [amplitude, rate]) = (TYRE, ROAD);
    // The road and its slope are zero at t = 0.
    let road = Motion::Versine { amplitude, rate };
    let raised = Motion::Sum(vec![Motion::Constant(LOAD / stiffness), road]);
    CartesianSpring::new([0.0, 0.0, stiffness])
        .with_damping([0.0, 0.0, damping])
        .between([HUB.into(), Vector3::zeros()])
        .with_offset([0.0.into(), 0.0.into(), raised])
}

impl QuarterCar {
    /// A chassis of 400 kg and an upright of 40 kg; the tyre carries both at the start.
    pub fn new() -> Self {
        let mut mechanism = MultibodyBuilder::new();
        mechanism.gravity(GRAVITY);
        let chassis = cuboid("chassis", 400.0, [1.5, 0.8, 0.5]).at([0.0, 0.0, 0.6]);
        let chassis = mechanism.add_body(chassis);
        // A wheel about y on its carrier.
        let upright = RigidBody::new("upright", 40.0, [1.0, 1.6, 1.0]).at(HUB);
        let upright = mechanism.add_body(upright);
        mechanism.add_joint(Joint::translational(
            "rail",
            BodyId::GROUND,
            chassis,
            [0.0; 3],
            Vector3::z(),
        ));
        mechanism.add_force("tyre", BodyId::GROUND, upright, tyre());
        Self {
            mechanism,
            chassis,
            upright,
        }
    }

    /// Adds outputs and says what is first to look at.
    pub fn with_outputs(mut self) -> MultibodyBuilder {
        let (chassis, upright) = (self.chassis, self.upright);
        self.mechanism
            .output("chassis.z", Output::Position(chassis, [0.0; 3], Axis::Z));
        self.mechanism
            .output("chassis.vz", Output::Velocity(chassis, [0.0; 3], Axis::Z));
        output_vector(&mut self.mechanism, "hub.", |axis| {
            Output::Position(upright, [0.0; 3], axis)
        });
        output_vector(&mut self.mechanism, "hub.v", |axis| {
            Output::Velocity(upright, [0.0; 3], axis)
        });
        // Angle of the wheel's plane against the vertical, seen from behind.
        self.mechanism.probe("camber", move |now| {
            now.rotation(upright).column(1).z.asin()
        });
        self.mechanism.define_output(
            "camber",
            "inclination of the upright's y-axis above the horizontal, rad",
        );
        self.mechanism
    }
}

/// What a bushing does.
pub(super) fn bushing_law([stiffness, damping]: [f64; 2]) -> String {
    format!(
        "a bushing pulls point p1 of its first body by {stiffness} (p2 - p1) + {damping} (p2' - p1') N, in the world, and p2 by the opposite; the points coincide at the start"
    )
}

/// Columns of a table of bushings.
pub(super) const BUSHING_COLUMNS: [&str; 9] = [
    "bushing", "body 1", "body 2", "x1 (m)", "y1 (m)", "z1 (m)", "x2 (m)", "y2 (m)", "z2 (m)",
];

/// The row of a bushing: its points in the frames of both bodies.
pub(super) fn bushing_row(name: &str, bodies: [String; 2], points: [Vector3<f64>; 2]) -> Vec<Cell> {
    let names = bodies.map(Cell::from);
    let numbers = points
        .iter()
        .flat_map(|point| point.iter().map(|&number| Cell::from(number)));
    [Cell::from(name)]
        .into_iter()
        .chain(names)
        .chain(numbers)
        .collect()
}
