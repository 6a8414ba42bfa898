//! A bridge crane whose load swings in all directions.

use super::assembly::{ROTATION, output_vector};
use super::bodies::{cuboid, rod};
use super::{GRAVITY, Smooth, probe_energy};
use crate::{Formulation, Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{Axis, BodyId, Joint, Load, LoadSize, Motion, MultibodyBuilder, Output};
use nalgebra::Vector3;

pub(crate) const BRIDGE_CRANE: ProblemEntry = ProblemEntry {
    name: "bridge-crane",
    title: "bridge crane: bridge, trolley, and a load on two bars that swing in space",
    description: "The bridge of 800 kg runs along x, the trolley of 200 kg on it along y; a bar of 4 m and 20 kg hangs from the trolley and a load of 500 kg \
                  and 2 m from the bar, both by universal joints. Forces 600 N sin(0.8 t) and 150 N sin(1.3 t) push bridge and trolley; it starts at rest. \
                  Numbers are this project's own.",
    source: "own mechanism",
    parameters: &[ROTATION],
    build,
};

/// Amplitudes in N and rates in rad/s of the drives.
const BRIDGE: [f64; 2] = [600.0, 0.8];
const TROLLEY: [f64; 2] = [150.0, 1.3];

/// A force along a direction of the world on the centre of a body.
fn push(along: Vector3<f64>, [amplitude, rate]: [f64; 2]) -> Load {
    Load::new(
        along,
        LoadSize::Force(Motion::harmonic(0.0, amplitude, rate, 0.0)),
    )
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity(GRAVITY);
    let bridge = mechanism.add_body(cuboid("bridge", 800.0, [0.5, 8.0, 0.5]));
    let trolley = mechanism.add_body(cuboid("trolley", 200.0, [0.8, 0.8, 0.4]));
    let hook = -z * 4.0;
    let bar = mechanism.add_body(rod("bar", 20.0, 0.02, [Vector3::zeros(), hook]));
    let load = mechanism.add_body(rod("load", 500.0, 0.4, [hook, hook - z * 2.0]));
    let ground = BodyId::GROUND;
    mechanism.add_joint(Joint::translational("rails", ground, bridge, [0.0; 3], x));
    mechanism.add_joint(Joint::translational("girder", bridge, trolley, [0.0; 3], y));
    mechanism.add_joint(Joint::universal("suspension", trolley, bar, [0.0; 3], x, y));
    mechanism.add_joint(Joint::universal("hook", bar, load, hook, x, y));
    mechanism.add_force("bridge drive", ground, bridge, push(x, BRIDGE));
    mechanism.add_force("trolley drive", ground, trolley, push(y, TROLLEY));
    mechanism.output("bridge.x", Output::Position(bridge, [0.0; 3], Axis::X));
    mechanism.output("trolley.y", Output::Position(trolley, [0.0; 3], Axis::Y));
    output_vector(&mut mechanism, "load.", |axis| {
        Output::Position(load, [0.0; 3], axis)
    });
    output_vector(&mut mechanism, "load.v", |axis| {
        Output::Velocity(load, [0.0; 3], axis)
    });
    probe_energy(&mut mechanism);
    let drive = |name, along, [amplitude, rate]: [f64; 2]| {
        format!(
            "{name} drive: F = {amplitude} sin({rate} t) N along {along} of the world on the centre of mass of the {name}"
        )
    };
    let drives = [drive("bridge", "x", BRIDGE), drive("trolley", "y", TROLLEY)];
    Smooth::new(BRIDGE_CRANE.name, 10.0, "load.x")
        .mechanism(mechanism, parameters)
        .map(|problem| problem.with_formulation(Formulation::new(drives)))
}
