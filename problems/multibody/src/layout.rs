//! Sparsity of a mechanism and the places of its blocks.

use super::error::AssemblyError;
use super::force::ForceScalar;
use super::kinematics::{VELOCITIES, Wrench};
use super::modal::ROWS;
use super::row::Couplings;
use super::row_entries::RowEntries;
use liedae::linalg::{Blocks, Pattern};
use liedae::manifold::{Factor, Manifold};
use liedae::system::Layout;
use std::collections::BTreeSet;
use std::ops::Range;

/// What the sparsity depends on.
pub(crate) struct Structure<'a> {
    pub bodies: usize,
    /// Bodies, number of rows and couplings of every joint, in order of the rows.
    pub joints: &'a [([Option<usize>; 2], usize, Couplings)],
    /// Which entries the rows of these joints have for each body.
    pub row_entries: RowEntries,
    /// Whether the rows of each joint are independent of each other.
    pub regular_joints: bool,
    /// How many of the rows, the last ones, are velocity rows.
    pub velocity_rows: usize,
    /// Bodies of every force element.
    pub forces: &'a [[Option<usize>; 2]],
    /// Bodies of every state that counts turns.
    pub counters: &'a [[Option<usize>; 2]],
    /// Number of rotational springs that wrap.
    pub wraps: usize,
    /// Bodies and number of states of every force with states; these follow the others.
    pub states: &'a [([Option<usize>; 2], usize)],
    /// Bodies of every algebraic variable.
    pub frictions: &'a [[Option<usize>; 2]],
    /// Frame, markers and number of modes of every flexible body. The rows that tie their markers come first.
    pub modal: &'a [Modal],
    /// Beams in absolute nodal coordinates, behind the modes; their rows follow those of flexible bodies.
    pub ancf: &'a [AncfStructure],
}

/// What the sparsity depends on of a beam in absolute nodal coordinates.
pub(crate) struct AncfStructure {
    /// Velocities of a node.
    pub node: usize,
    /// Rows of a marker.
    pub rows: usize,
    /// Its velocities.
    pub all: Range<usize>,
    /// Velocities of its elements.
    pub elements: Vec<Range<usize>>,
    /// Pairs of velocities that have a mass in common.
    pub mass: Vec<(usize, usize)>,
    /// Bodies of its markers and velocities of their nodes.
    pub markers: Vec<(usize, Range<usize>)>,
}

/// What the sparsity depends on of a flexible body.
pub(crate) struct Modal {
    pub frame: usize,
    pub markers: Vec<usize>,
    /// Where its velocities are behind those of all bodies.
    pub modes: Range<usize>,
}

impl Modal {
    /// The velocities of frame and modes.
    fn moving(&self) -> impl Iterator<Item = usize> + Clone + use<> {
        six(self.frame).chain(self.modes.clone())
    }

    /// The frame's rotation and the modes, on which forces and inertia depend.
    fn shaping(&self) -> impl Iterator<Item = usize> + Clone + use<> {
        spin(self.frame).chain(self.modes.clone())
    }
}

fn spin(body: usize) -> Range<usize> {
    VELOCITIES * body + 3..VELOCITIES * (body + 1)
}

fn six(body: usize) -> Range<usize> {
    VELOCITIES * body..VELOCITIES * (body + 1)
}

fn present(pair: &[Option<usize>; 2]) -> impl Iterator<Item = usize> + Clone + '_ {
    pair.iter().copied().flatten()
}

impl Structure<'_> {
    pub fn layout(&self) -> Result<Layout, AssemblyError> {
        let failed = |error: liedae::linalg::KktError| AssemblyError::Layout(error.to_string());
        let modes: usize = self.modal.iter().map(|body| body.modes.len()).sum();
        let nodal: usize = self.ancf.iter().map(|beam| beam.all.len()).sum();
        let dimension = VELOCITIES * self.bodies + modes + nodal;
        let states: usize = self.states.iter().map(|(_, count)| count).sum();
        let (differential, algebraic) = (self.counters.len() + states, self.frictions.len());

        // Diagonal mass of r', full inertia of ω.
        let mass = (0..self.bodies).flat_map(|body| {
            let first = VELOCITIES * body;
            let diagonal = (0..3).map(move |axis| (first + axis, first + axis));
            diagonal.chain(square(first + 3..first + 6, first + 3..first + 6))
        });
        let flexible = self.modal.iter();
        let mass = mass.chain(flexible.flat_map(|body| square(body.moving(), body.moving())));
        let nodal = self.ancf.iter();
        let mass = mass.chain(nodal.flat_map(|beam| beam.mass.iter().copied()));
        let mass = Pattern::from_entries(dimension, dimension, mass).map_err(failed)?;

        let mut entries = Vec::new();
        let mut row = 0;
        for body in self.modal {
            for &marker in &body.markers {
                let columns = body.moving().chain(six(marker));
                entries.extend(square(row..row + ROWS, columns));
                row += ROWS;
            }
        }
        let ties = row / ROWS;
        for beam in self.ancf {
            for (marker, node) in &beam.markers {
                let columns = six(*marker).chain(node.clone());
                entries.extend(square(row..row + beam.rows, columns));
                row += beam.rows;
            }
        }
        for (pair, count, _) in self.joints {
            for body in present(pair) {
                entries.extend((0..*count).flat_map(|index| {
                    let velocities = self.row_entries.velocities(index);
                    velocities.map(move |velocity| (row + index, VELOCITIES * body + velocity))
                }));
            }
            row += count;
        }
        let jacobian = Pattern::from_entries(row, dimension, entries).map_err(failed)?;
        let reactions = Pattern::from_entries(dimension, dimension, self.reactions());
        let reactions = reactions.map_err(failed)?;

        let total = dimension + differential + algebraic;
        let mut entries = BTreeSet::new();
        // The gyroscopic torque depends on the body's own ω.
        for body in 0..self.bodies {
            let spin = VELOCITIES * body + 3..VELOCITIES * (body + 1);
            entries.extend(square(spin.clone(), spin));
        }
        for body in self.modal {
            entries.extend(square(body.moving(), body.shaping()));
        }
        for beam in self.ancf {
            for element in &beam.elements {
                entries.extend(square(element.clone(), element.clone()));
            }
        }
        // Forces between a pair depend on coordinates and velocities of both.
        for pair in self.forces.iter().chain(self.frictions) {
            for body in present(pair) {
                for other in present(pair) {
                    entries.extend(square(six(body), six(other)));
                }
            }
        }
        // The angle of a counter follows the velocities of its joint.
        for (index, pair) in self.counters.iter().enumerate() {
            let row = dimension + index;
            entries.insert((row, row));
            for body in present(pair) {
                entries.extend(six(body).map(|column| (row, column)));
            }
        }
        // Forces depend on their states, and these on the motion.
        let mut first = dimension + self.counters.len();
        for (pair, count) in self.states {
            let own = first..first + count;
            entries.extend(square(own.clone(), own.clone()));
            for body in present(pair) {
                entries.extend(square(own.clone(), six(body)));
                entries.extend(square(six(body), own.clone()));
            }
            first = own.end;
        }
        // Friction acts on both bodies through its normal force z, and z has a row of its own.
        for (index, pair) in self.frictions.iter().enumerate() {
            let column = dimension + differential + index;
            entries.insert((column, column));
            for body in present(pair) {
                entries.extend(six(body).map(|row| (row, column)));
            }
        }
        let rates = Pattern::from_entries(total, total, entries).map_err(failed)?;

        let factors = (0..self.bodies).flat_map(|_| [Factor::Euclidean(3), Factor::Rotation]);
        let sizes = self.modal.iter().map(|body| body.modes.len());
        let factors = factors.chain(sizes.clone().map(Factor::Euclidean));
        let nodal = self.ancf.iter().map(|beam| beam.all.len());
        let factors = factors.chain(nodal.map(Factor::Euclidean));
        let nodes = self.ancf.iter();
        let nodes = nodes.flat_map(|beam| vec![beam.node; beam.all.len() / beam.node]);
        let pinned = self.ancf.iter();
        let pinned = pinned.flat_map(|beam| vec![beam.rows; beam.markers.len()]);
        Ok(Layout {
            space: Manifold::new(factors),
            position_rows: row - self.velocity_rows,
            velocity_rows: self.velocity_rows,
            differential,
            algebraic,
            revolution_counters: self.counters.len(),
            modes: algebraic + self.wraps,
            mass,
            constant_mass: self.modal.is_empty(),
            jacobian,
            rates,
            reactions: Some(reactions),
            descriptor: None,
            differential_index: vec![0; differential],
            regular_joints: self.regular_joints,
            blocks: Blocks {
                variables: vec![VELOCITIES; self.bodies]
                    .into_iter()
                    .chain(sizes)
                    .chain(nodes)
                    .collect(),
                rows: vec![ROWS; ties]
                    .into_iter()
                    .chain(pinned)
                    .chain(self.joints.iter().map(|(_, count, _)| *count))
                    .collect(),
            },
        })
    }

    /// Where the derivatives of the joints' forces and moments by the configuration are.
    fn reactions(&self) -> Vec<(usize, usize)> {
        let mut entries = Vec::new();
        for body in self.modal {
            // M a of a frame that turns and of modes.
            entries.extend(square(body.moving(), body.shaping()));
            for &marker in &body.markers {
                let turning = body.shaping().chain(spin(marker));
                entries.extend(square(turning.clone(), turning));
            }
        }
        for beam in self.ancf {
            for (marker, node) in &beam.markers {
                let turning = spin(*marker).chain(node.start + 3..node.end);
                entries.extend(square(turning.clone(), turning));
            }
        }
        for (pair, _, couplings) in self.joints {
            // Positions and rotations of both bodies, as far as they move.
            let three = |part: usize| {
                pair[part / 2].map(|body| {
                    let first = VELOCITIES * body + 3 * (part % 2);
                    first..first + 3
                })
            };
            for (row, coupled) in couplings.iter().enumerate() {
                for (column, _) in coupled.iter().enumerate().filter(|(_, coupled)| **coupled) {
                    if let (Some(row), Some(column)) = (three(row), three(column)) {
                        entries.extend(square(row, column));
                    }
                }
            }
        }
        entries
    }
}

fn square(
    rows: impl Iterator<Item = usize>,
    columns: impl Iterator<Item = usize> + Clone,
) -> impl Iterator<Item = (usize, usize)> {
    rows.flat_map(move |row| columns.clone().map(move |column| (row, column)))
}

/// Where the twelve by twelve derivatives of a pair's wrenches go: for each row the starts of the three entries by the position
/// and by the rotation of each body, as far as the pattern has them.
#[derive(Clone, Debug)]
pub(crate) struct PairPlaces(Box<[[[Option<usize>; 4]; VELOCITIES]; 2]>);

impl PairPlaces {
    pub fn new(rates: &Pattern, bodies: &[Option<usize>; 2]) -> Self {
        let mut places = Box::new([[[None; 4]; VELOCITIES]; 2]);
        for (side, rows) in places.iter_mut().enumerate() {
            for (component, starts) in rows.iter_mut().enumerate() {
                for (part, start) in starts.iter_mut().enumerate() {
                    if let (Some(body), Some(other)) = (bodies[side], bodies[part / 2]) {
                        let column = VELOCITIES * other + 3 * (part % 2);
                        *start = rates.position(VELOCITIES * body + component, column);
                    }
                }
            }
        }
        Self(places)
    }

    /// Adds the gradient of one entry of the wrench on one body.
    pub fn add(&self, side: usize, component: usize, gradient: &[f64], out: &mut [f64]) {
        for (start, part) in self.0[side][component].iter().zip(gradient.chunks(3)) {
            let Some(start) = *start else { continue };
            for (slot, value) in out[start..].iter_mut().zip(part) {
                *slot += value;
            }
        }
    }
}

/// Adds wrenches with their derivatives to the Jacobian.
pub(crate) fn add_derivatives(
    places: &PairPlaces,
    wrenches: &[Wrench<ForceScalar>; 2],
    out: &mut [f64],
) {
    for (side, wrench) in wrenches.iter().enumerate() {
        for component in 0..VELOCITIES {
            places.add(side, component, &wrench.entry(component).gradient, out);
        }
    }
}
