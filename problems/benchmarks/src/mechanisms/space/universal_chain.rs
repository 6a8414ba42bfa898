//! A chain of bars on universal joints.

use super::assembly::{ROTATION, output_vector};
use super::bodies::{rod, turning};
use super::{GRAVITY, Smooth, probe_energy};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::{BodyId, Joint, MultibodyBuilder, Output};
use nalgebra::Vector3;

pub(crate) const UNIVERSAL_CHAIN: ProblemEntry = ProblemEntry {
    name: "universal-chain",
    title: "chain of n bars on universal joints",
    description: "Uniform bars of 0.5 m, 1 kg and 2 cm radius start in a horizontal line along x that turns about z with 2 rad/s, and fall. \
                  Each joint has the z-axis of the bar before and the y-axis of the bar behind, so that no bar can spin about itself: the \
                  multiplier of that row carries the torsion. Numbers are this project's own.",
    source: "own mechanism; joints as in the test set of the software Chrono for one bar",
    parameters: &[
        ParameterInfo::new("n", 2.0, "1", Range::Integer(1, 50), "number of bars"),
        ROTATION,
    ],
    build,
};

const LENGTH: f64 = 0.5;
const RATE: f64 = 2.0;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let count = parameters.get("n")? as usize;
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity(GRAVITY);
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    let mut before = BodyId::GROUND;
    for index in 0..count {
        let from = x * (LENGTH * index as f64);
        let bar = rod(
            format!("bar {}", index + 1),
            1.0,
            0.02,
            [from, from + x * LENGTH],
        );
        let bar = mechanism.add_body(turning(bar, Vector3::zeros(), z * RATE));
        let name = format!("joint {}", index + 1);
        mechanism.add_joint(Joint::universal(name, before, bar, from, z, y));
        before = bar;
    }
    let last = before;
    output_vector(&mut mechanism, "tip", |axis| {
        Output::Position(last, [0.5 * LENGTH, 0.0, 0.0], axis)
    });
    output_vector(&mut mechanism, "tipv", |axis| {
        Output::Velocity(last, [0.5 * LENGTH, 0.0, 0.0], axis)
    });
    probe_energy(&mut mechanism);
    Smooth::new(UNIVERSAL_CHAIN.name, 5.0, "tipz").mechanism(mechanism, parameters)
}
