//! Bennett's linkage of four revolutes.

use super::assembly::{ROTATION, output_vector};
use super::bodies::rod;
use super::{Smooth, probe_energy};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{BodyId, Joint, MultibodyBuilder, Output, RotationalSpring};
use nalgebra::{Matrix4, Rotation3, Translation3, Vector3};

pub(crate) const BENNETT: ProblemEntry = ProblemEntry {
    name: "bennett",
    title: "Bennett's linkage: four revolutes in space with axes that are neither parallel nor meet",
    description: "Opposite links are equal, and lengths are in proportion to the sines of the twists, a / sin alpha = b / sin beta: only then the \
                  linkage moves. Three of its 20 rows are redundant, and follow from the others only where the loop is closed. It starts at rest \
                  under gravity askew to its axes; a spring of 200 N m/rad in its first joint keeps it from folding flat, where more rows depend on each other. Lengths 1 m and 1.71 m, twists of 0.6 and 1.3; rods of 1, 2 and 3 kg. Numbers are this project's own.",
    source: "G. T. Bennett, A new mechanism, Engineering 76 (1903) 777",
    parameters: &[ROTATION],
    build,
};

/// Twists of neighbouring links, in rad.
const TWISTS: [f64; 2] = [0.6, 1.3];
/// Angle of the first joint at the start, in rad.
const FIRST: f64 = 1.1;
/// Of the spring in the first joint, in N m/rad.
const STIFFNESS: f64 = 200.0;

/// Points and directions of the four axes around the loop.
fn axes() -> [[Vector3<f64>; 2]; 4] {
    let [alpha, beta] = TWISTS;
    let lengths = [1.0, beta.sin() / alpha.sin()];
    // tan(θ/2) tan(φ/2) of neighbouring joints is constant.
    let product = (0.5 * (beta + alpha)).sin() / (0.5 * (beta - alpha)).sin();
    let second = 2.0 * (product / (0.5 * FIRST).tan()).atan();
    let mut frame = Matrix4::identity();
    [FIRST, second, -FIRST, -second].map(|angle| {
        let found = [3, 2].map(|column| frame.fixed_view::<3, 1>(0, column).into());
        let link = usize::from(angle.abs() != FIRST);
        let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), angle).to_homogeneous();
        let along = Translation3::new(lengths[link], 0.0, 0.0).to_homogeneous();
        let tilt = Rotation3::from_axis_angle(&Vector3::x_axis(), TWISTS[link]).to_homogeneous();
        frame = frame * turn * along * tilt;
        found
    })
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let [a, b, c, d] = axes();
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.7, -9.81, 1.3]);
    let links = [
        ("crank", 1.0, a, b),
        ("coupler", 2.0, b, c),
        ("rocker", 3.0, c, d),
    ];
    let links = links.map(|(name, mass, [from, _], [to, _])| {
        mechanism.add_body(rod(name, mass, 0.02, [from, to]))
    });
    let [crank, coupler, rocker] = links;
    let joints = [
        ("A", BodyId::GROUND, crank, a),
        ("B", crank, coupler, b),
        ("C", coupler, rocker, c),
        ("D", rocker, BodyId::GROUND, d),
    ];
    let joints = joints.map(|(name, first, second, [point, axis])| {
        mechanism.add_joint(Joint::revolute(name, first, second, point, axis))
    });
    mechanism.add_rotational_spring(RotationalSpring::new("spring", joints[0], STIFFNESS, 0.0));
    for (prefix, body) in [
        ("crank.", crank),
        ("coupler.", coupler),
        ("rocker.", rocker),
    ] {
        output_vector(&mut mechanism, prefix, |axis| {
            Output::Position(body, [0.0; 3], axis)
        });
    }
    probe_energy(&mut mechanism);
    Smooth::new(BENNETT.name, 5.0, "crank.x").mechanism(mechanism, parameters)
}
