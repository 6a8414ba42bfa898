//! The plane four-bar linkage, built in space.

use super::assembly::{ROTATION, output_vector};
use super::bodies::rod;
use super::{Smooth, probe_energy};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{Axis, BodyId, Joint, MultibodyBuilder, Output};
use nalgebra::Vector3;

pub(crate) const FOUR_BAR_IN_SPACE: ProblemEntry = ProblemEntry {
    name: "four-bar-in-space",
    title: "plane four-bar linkage of bodies in space: three redundant rows",
    description: "Four parallel revolutes hold three links in the x-y plane. Of 20 rows 17 are independent: what keeps the loop in the plane \
                  is stated twice. Uniform rods of 1, 2 and 3 kg start at rest under gravity along -y. Numbers are this project's own.",
    source: "classical",
    parameters: &[ROTATION],
    build,
};

/// The four axes in the x-y plane, in m.
const POINTS: [[f64; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [0.3, 0.9, 0.0],
    [1.9, 1.3, 0.0],
    [1.5, 0.0, 0.0],
];

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let [a, b, c, d] = POINTS.map(Vector3::from);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, -9.81, 0.0]);
    let links = [
        ("crank", 1.0, [a, b]),
        ("coupler", 2.0, [b, c]),
        ("rocker", 3.0, [c, d]),
    ];
    let [crank, coupler, rocker] =
        links.map(|(name, mass, ends)| mechanism.add_body(rod(name, mass, 0.02, ends)));
    let joints = [
        ("A", BodyId::GROUND, crank, a),
        ("B", crank, coupler, b),
        ("C", coupler, rocker, c),
        ("D", rocker, BodyId::GROUND, d),
    ];
    for (name, first, second, point) in joints {
        mechanism.add_joint(Joint::revolute(name, first, second, point, Vector3::z()));
    }
    let half = 0.5 * (c - b).norm();
    output_vector(&mut mechanism, "C", |axis| {
        Output::Position(coupler, [half, 0.0, 0.0], axis)
    });
    output_vector(&mut mechanism, "Cv", |axis| {
        Output::Velocity(coupler, [half, 0.0, 0.0], axis)
    });
    mechanism.output("crank.omega", Output::AngularVelocity(crank, Axis::Z));
    probe_energy(&mut mechanism);
    Smooth::new(FOUR_BAR_IN_SPACE.name, 5.0, "Cx").mechanism(mechanism, parameters)
}
