//! A net of rods.

use super::assembly::{ROTATION, output_vector};
use super::bodies::rod;
use super::{GRAVITY, Smooth, probe_energy};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::{BodyId, Joint, MultibodyBuilder, Output};
use nalgebra::Vector3;
use std::f64::consts::PI;

pub(crate) const NET: ProblemEntry = ProblemEntry {
    name: "net",
    title: "net of rods between n x n nodes that hangs from its upper edge",
    description: "Rods of 10 cm, 15 g and 2.5 mm radius join neighbouring nodes of a vertical square lattice by ball joints. The upper nodes are \
                  held, and have no rods between them. The net starts in its plane and swings out of it, on one side faster than on the other. It \
                  has (n - 1)(2 n - 1) rods and 3 n (n - 1) freedoms; as many as rods are spins about their axes, which nothing drives. Its \
                  joints form loops everywhere: the scaling problem for elimination with fill-in, up to 19,701 rods. Numbers are this project's own.",
    source: "own mechanism",
    parameters: &[
        ParameterInfo::new("n", 4.0, "1", Range::Integer(2, 100), "nodes of a side"),
        ROTATION,
    ],
    build,
};

/// Length of a rod in m.
const LENGTH: f64 = 0.1;
/// Of a rod, in kg.
const MASS: f64 = 0.015;
/// Of a rod, in m.
const RADIUS: f64 = 0.0025;
/// Speed of the lower edge at the start, as a part of √(g H) for a net of height H.
const SPEED: f64 = 0.5;
/// By which part it is faster on one side, and slower on the other.
const UNEVEN: f64 = 0.4;

/// A lattice of nodes.
struct Lattice {
    /// Nodes of a side.
    count: usize,
}

impl Lattice {
    fn number(&self, [column, row]: [usize; 2]) -> usize {
        row * self.count + column
    }

    /// Where a node is at the start.
    fn place([column, row]: [usize; 2]) -> Vector3<f64> {
        Vector3::new(LENGTH * column as f64, 0.0, -LENGTH * row as f64)
    }

    /// Its velocity, across the plane of the net.
    fn velocity(&self, [column, row]: [usize; 2]) -> Vector3<f64> {
        let side = (self.count - 1) as f64;
        let across = (PI * column as f64 / side).cos();
        let largest = SPEED * (-GRAVITY[2] * LENGTH * side).sqrt();
        Vector3::y() * (largest * row as f64 / side * (1.0 + UNEVEN * across))
    }

    /// Columns and rows of all nodes, row by row.
    fn nodes(&self) -> impl Iterator<Item = [usize; 2]> {
        let count = self.count;
        (0..count).flat_map(move |row| (0..count).map(move |column| [column, row]))
    }

    /// Ends of all rods.
    fn rods(&self) -> impl Iterator<Item = [[usize; 2]; 2]> {
        let count = self.count;
        self.nodes().flat_map(move |[column, row]| {
            let right = (row > 0 && column + 1 < count).then_some([column + 1, row]);
            let down = (row + 1 < count).then_some([column, row + 1]);
            let others = right.into_iter().chain(down);
            others.map(move |other| [[column, row], other])
        })
    }
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let count = parameters.get("n")? as usize;
    let lattice = Lattice { count };
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity(GRAVITY);
    // The rods that meet at each node.
    let mut meeting = vec![Vec::new(); count * count];
    for ends in lattice.rods() {
        let [[column, row], [to_column, to_row]] = ends;
        let name = format!("rod {column},{row} to {to_column},{to_row}");
        let places = ends.map(Lattice::place);
        let [from, to] = ends.map(|end| lattice.velocity(end));
        // About its own axis it does not turn: ω = e × Δv / L.
        let along = (places[1] - places[0]) / LENGTH;
        let rate = along.cross(&(to - from)) / LENGTH;
        let body = rod(name, MASS, RADIUS, places);
        let omega = body.rotation.tr_mul(&rate);
        let body = mechanism.add_body(body.moving(0.5 * (from + to), omega));
        for end in ends {
            meeting[lattice.number(end)].push(body);
        }
    }
    for node in lattice.nodes() {
        let [column, row] = node;
        let (first, others) = match meeting[lattice.number(node)][..] {
            [first, ref others @ ..] if row > 0 => (first, others),
            ref all => (BodyId::GROUND, all),
        };
        for (number, &other) in others.iter().enumerate() {
            let name = format!("joint {column},{row},{number}");
            let joint = Joint::spherical(name, first, other, Lattice::place(node));
            mechanism.add_joint(joint);
        }
    }
    if let Some(&body) = meeting[lattice.number([0, count - 1])].first() {
        // The rod that comes from above ends at the corner.
        let corner = [0.5 * LENGTH, 0.0, 0.0];
        output_vector(&mut mechanism, "corner.", |axis| {
            Output::Position(body, corner, axis)
        });
        output_vector(&mut mechanism, "corner.v", |axis| {
            Output::Velocity(body, corner, axis)
        });
    }
    probe_energy(&mut mechanism);
    Smooth::new(NET.name, 1.0, "corner.y").mechanism(mechanism, parameters)
}
