//! Bricard's linkage of six revolutes.

use super::assembly::{ROTATION, output_vector};
use super::bodies::along;
use super::{Smooth, probe_energy};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::{BodyId, Joint, MultibodyBuilder, Output, RigidBody};
use nalgebra::Vector3;

pub(crate) const BRICARD: ProblemEntry = ProblemEntry {
    name: "bricard",
    title: "Bricard's linkage: five rods and six revolutes in a closed loop",
    description: "Rods of 1 m and 1 kg, square with sides of 0.1 m, along edges of a cube; gravity acts along -y. Six revolutes would leave \
                  no freedom if their rows were independent: one of the 30 is redundant at every configuration, and the linkage moves. \
                  It starts at rest, or with rate given to its first joint. P3 is the corner between the second rod and the third.",
    source: "A04 of the IFToMM multibody benchmark library; R. Bricard, Mémoire sur la théorie de l'octaèdre articulé, J. Math. Pures \
             Appl. 3 (1897) 113-148",
    parameters: &[
        ParameterInfo::new(
            "rate",
            0.0,
            "rad/s",
            Range::Finite,
            "initial angular velocity of the first joint",
        ),
        ParameterInfo::new("g", 9.81, "m/s^2", Range::NonNegative, "gravity along -y"),
        ROTATION,
    ],
    build,
};

/// Corners of the cube, in m.
const CORNERS: [[f64; 3]; 6] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, -1.0, 1.0],
    [0.0, -1.0, 1.0],
    [0.0, 0.0, 1.0],
];

/// Moments of inertia about the rod and across it, in kg m².
const MOMENTS: [f64; 3] = [0.02 / 12.0, 1.01 / 12.0, 1.01 / 12.0];

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let corners = CORNERS.map(Vector3::from);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, -parameters.get("g")?, 0.0]);
    let mut bodies = vec![BodyId::GROUND];
    for (index, ends) in corners.windows(2).enumerate() {
        let rod = RigidBody::new(format!("rod {}", index + 1), 1.0, MOMENTS);
        let rod = rod
            .at((ends[0] + ends[1]) * 0.5)
            .rotated(along(ends[1] - ends[0]));
        bodies.push(mechanism.add_body(rod));
    }
    bodies.push(BodyId::GROUND);
    let mut joints = Vec::new();
    for (index, pair) in bodies.windows(2).enumerate() {
        // An axis stands at right angles on the rods before and behind; the sixth edge is the ground.
        let before = corners[(index + 5) % 6] - corners[index];
        let behind = corners[(index + 1) % 6] - corners[index];
        let name = format!("joint {}", index + 1);
        let axis = before.cross(&behind);
        joints.push(mechanism.add_joint(Joint::revolute(
            name,
            pair[0],
            pair[1],
            corners[index],
            axis,
        )));
    }
    let rate = parameters.get("rate")?;
    if rate != 0.0 {
        mechanism.joint_rate(joints[0], rate);
    }
    let second = bodies[2];
    output_vector(&mut mechanism, "P3", |axis| {
        Output::Position(second, [0.5, 0.0, 0.0], axis)
    });
    output_vector(&mut mechanism, "P3v", |axis| {
        Output::Velocity(second, [0.5, 0.0, 0.0], axis)
    });
    probe_energy(&mut mechanism);
    Smooth::new(BRICARD.name, 10.0, "P3x").mechanism(mechanism, parameters)
}
