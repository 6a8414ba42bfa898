//! The spatial slider-crank, released.

use super::assembly::ROTATION;
use super::bodies::along;
use super::{GRAVITY, Smooth, probe_energy};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{Axis, BodyId, Joint, MultibodyBuilder, Output, RigidBody};
use nalgebra::{Matrix3, Vector3};

pub(crate) const FREE_SLIDER_CRANK: ProblemEntry = ProblemEntry {
    name: "free-slider-crank",
    title: "spatial slider-crank that turns freely from 6 rad/s",
    description: "A crank of 0.08 m about x, a rod of 0.3 m on a spherical joint, a universal joint on the slider along x. Gravity and the initial \
                  angular velocity of the crank alone move it. One degree of freedom, no redundant row. Angle of the crank from +z, place of \
                  the slider.",
    source: "IFToMM multibody benchmark library, spatial rigid slider-crank; after Haug, Computer-Aided Kinematics and Dynamics, 1989",
    parameters: &[ROTATION],
    build,
};

const CRANK: f64 = 0.08;
const ROD: f64 = 0.3;
const PIVOT: [f64; 3] = [0.0, 0.1, 0.12];
const RATE: f64 = 6.0;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    let pivot = Vector3::from(PIVOT);
    let pin = pivot + z * CRANK;
    let end = x * (ROD * ROD - pin.norm_squared()).sqrt();
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity(GRAVITY);
    let crank = RigidBody::new(
        "crank",
        0.12,
        Matrix3::from_diagonal(&Vector3::new(1e-4, 1e-4, 1e-5)),
    );
    let crank = mechanism.add_body(crank.at(pivot + z * (0.5 * CRANK)));
    let rod = RigidBody::new("rod", 0.5, [4e-4, 4e-3, 4e-3]).rotated(along(end - pin));
    let rod = mechanism.add_body(rod.at((pin + end) * 0.5));
    let slider = mechanism.add_body(RigidBody::new("slider", 2.0, [1e-4; 3]).at(end));
    let ground = BodyId::GROUND;
    let bearing = mechanism.add_joint(Joint::revolute("bearing", ground, crank, pivot, x));
    mechanism.add_joint(Joint::spherical("pin", crank, rod, pin));
    mechanism.add_joint(Joint::universal("wrist", rod, slider, end, x, y));
    mechanism.add_joint(Joint::translational("guide", ground, slider, [0.0; 3], x));
    mechanism.joint_rate(bearing, RATE);
    mechanism.probe("crank.angle", move |now| {
        let up = now.rotation(crank).column(2).into_owned();
        (-up.y).atan2(up.z)
    });
    mechanism.define_output(
        "crank.angle",
        "angle of the crank's z-axis from z towards -y of the fixed frame, rad",
    );
    mechanism.output("crank.omega", Output::AngularVelocity(crank, Axis::X));
    mechanism.output("slider.x", Output::Position(slider, [0.0; 3], Axis::X));
    mechanism.output("slider.vx", Output::Velocity(slider, [0.0; 3], Axis::X));
    probe_energy(&mut mechanism);
    Smooth::new(FREE_SLIDER_CRANK.name, 5.0, "slider.x").mechanism(mechanism, parameters)
}
