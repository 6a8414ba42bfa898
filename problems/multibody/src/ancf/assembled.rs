//! A beam in an assembled mechanism: its positions in the matrices, and its contributions to them.

use super::element::{Element, Formulation};
use super::named::NamedAncf;
use crate::error::AssemblyError;
use liedae::linalg::Pattern;
use liedae::system::{Layout, Point, RatesJacobian};
use nalgebra::Vector3;
use std::ops::Range;

/// A beam with its places in the matrices.
pub(crate) struct AncfPart {
    pub name: String,
    pub element: Element,
    elements: usize,
    /// Where its coordinates start in q and in v.
    pub coordinates_at: usize,
    pub velocities_at: usize,
    /// ∫ ρ SᵀS of all vectors, less the markers' parts: row, column, value; both triangles.
    inertia: Vec<(usize, usize, f64)>,
    /// The same rows of the mass matrix, for each component.
    mass: Vec<[usize; 3]>,
    /// Masses of the vectors, in kg.
    weights: Vec<f64>,
    /// For each element and each row of it, where its entries start.
    rates: Vec<usize>,
    vectors: usize,
}

impl AncfPart {
    pub fn new(
        part: NamedAncf,
        [coordinates_at, velocities_at]: [usize; 2],
        layout: &Layout,
    ) -> Result<Self, AssemblyError> {
        let missing = || AssemblyError::Layout("an entry of a beam's nodes is missing".into());
        let place = |pattern: &Pattern, row: usize, column: usize| {
            let (row, column) = (velocities_at + row, velocities_at + column);
            pattern.position(row, column).ok_or_else(missing)
        };
        let vectors = part.vectors();
        let mut mass = Vec::with_capacity(part.inertia.len());
        let mut weights = vec![0.0; vectors];
        for &(row, column, value) in &part.inertia {
            let entry = |axis: usize| place(&layout.mass, 3 * row + axis, 3 * column + axis);
            mass.push([entry(0)?, entry(1)?, entry(2)?]);
            // A velocity that is the same everywhere is that of all positions.
            if column % part.element.formulation.vectors() == 0 {
                weights[row] += value;
            }
        }
        let mut rates = Vec::new();
        for range in part.element_ranges() {
            for row in range.clone() {
                rates.push(place(&layout.rates, row, range.start)?);
            }
        }
        Ok(Self {
            elements: part.elements,
            vectors,
            name: part.name,
            element: part.element,
            inertia: part.inertia,
            coordinates_at,
            velocities_at,
            mass,
            weights,
            rates,
        })
    }

    pub fn formulation(&self) -> Formulation {
        self.element.formulation
    }

    /// How many coordinates it has.
    pub fn count(&self) -> usize {
        3 * self.vectors
    }

    /// Its coordinates.
    pub fn coordinates<'a>(&self, q: &'a [f64]) -> &'a [f64] {
        q.get(self.coordinates_at..self.coordinates_at + self.count())
            .unwrap_or(&[])
    }

    /// Their rates, or accelerations.
    pub fn velocities<'a>(&self, v: &'a [f64]) -> &'a [f64] {
        v.get(self.velocities_at..self.velocities_at + self.count())
            .unwrap_or(&[])
    }

    /// Velocities in the system.
    pub fn range(&self) -> Range<usize> {
        self.velocities_at..self.velocities_at + self.count()
    }

    /// Writes its part of the mass matrix.
    pub fn mass_matrix(&self, out: &mut [f64]) {
        for ((_, _, value), places) in self.inertia.iter().zip(&self.mass) {
            for place in places {
                out[*place] = *value;
            }
        }
    }

    fn element_ranges(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        element_ranges(self.formulation(), self.elements)
    }

    /// Adds its forces.
    pub fn add_forces(&self, at: &Point, gravity: &Vector3<f64>, out: &mut [f64]) {
        let (q, v) = (self.coordinates(at.q), self.velocities(at.v));
        let out = &mut out[self.range()];
        for (slot, weight) in out.as_chunks_mut::<3>().0.iter_mut().zip(&self.weights) {
            for (slot, part) in slot.iter_mut().zip(gravity) {
                *slot += weight * part;
            }
        }
        for range in self.element_ranges() {
            let (q, v) = (&q[range.clone()], &v[range.clone()]);
            self.element.add_forces(q, v, &mut out[range]);
        }
    }

    /// Adds the derivatives of the forces.
    pub fn add_derivatives(&self, at: &Point, out: &mut RatesJacobian) {
        let (q, v) = (self.coordinates(at.q), self.velocities(at.v));
        for (range, starts) in self
            .element_ranges()
            .zip(self.rates.chunks_exact(self.element.coordinates()))
        {
            let at = [&q[range.clone()], &v[range]];
            for (by_velocity, values) in
                [(false, &mut out.by_position), (true, &mut out.by_velocity)]
            {
                self.element
                    .derivatives(at, by_velocity, |[one, two], block| {
                        for (row, entries) in block.iter().enumerate() {
                            let first = starts[3 * one + row] + 3 * two;
                            for (slot, entry) in values[first..first + 3].iter_mut().zip(entries) {
                                *slot += entry;
                            }
                        }
                    });
            }
        }
    }

    /// Kinetic energy, and potential energy of gravity and elasticity, without the markers' parts.
    pub fn energies(&self, at: &Point, gravity: &Vector3<f64>) -> (f64, f64) {
        let (q, v) = (self.coordinates(at.q), self.velocities(at.v));
        let products = self.inertia.iter();
        let twice: f64 = products
            .map(|(row, column, value)| value * three(v, *row).dot(&three(v, *column)))
            .sum();
        let elements = self.element_ranges();
        let elastic: f64 = elements.map(|range| self.element.energy(&q[range])).sum();
        let weighed = self.weights.iter().enumerate();
        let lifted: f64 = weighed
            .map(|(vector, weight)| weight * gravity.dot(&three(q, vector)))
            .sum();
        (0.5 * twice, elastic - lifted)
    }

    /// Linear momentum, and angular momentum about the origin of the world, without the markers' parts.
    pub fn momentum(&self, at: &Point) -> [Vector3<f64>; 2] {
        let (q, v) = (self.coordinates(at.q), self.velocities(at.v));
        let mut momentum = [Vector3::zeros(); 2];
        for (vector, weight) in self.weights.iter().enumerate() {
            momentum[0] += three(v, vector) * *weight;
        }
        for (row, column, value) in &self.inertia {
            momentum[1] += three(q, *row).cross(&three(v, *column)) * *value;
        }
        momentum
    }

    /// The coordinates that are positions of nodes, with their names as outputs.
    pub fn positions(&self) -> impl Iterator<Item = (usize, String)> {
        let of_node = self.formulation().vectors();
        (0..self.vectors / of_node).flat_map(move |node| {
            let first = self.coordinates_at + 3 * of_node * node;
            ["x", "y", "z"]
                .into_iter()
                .enumerate()
                .map(move |(axis, letter)| {
                    (first + axis, format!("{}.node{node}.{letter}", self.name))
                })
        })
    }

    /// What a velocity of the system is.
    pub fn label(&self, component: usize) -> String {
        let own = component - self.velocities_at;
        let (axis, vector) = (["x", "y", "z"][own % 3], own / 3);
        let of_node = self.formulation().vectors();
        let (node, kind) = (vector / of_node, vector % of_node);
        let what = match (self.formulation(), kind) {
            (_, 0) => "displacement",
            (Formulation::Cable, _) => "tangent",
            (Formulation::ShearDeformable, 1) => "gradient by y",
            (Formulation::ShearDeformable, _) => "gradient by z",
        };
        format!("beam '{}', node {node}: {what} along {axis}", self.name)
    }
}

/// A vector of a list.
fn three(list: &[f64], vector: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&list[3 * vector..3 * vector + 3])
}

/// The coordinates of each element among those of the beam.
pub(super) fn element_ranges(
    formulation: Formulation,
    elements: usize,
) -> impl Iterator<Item = Range<usize>> {
    let node = 3 * formulation.vectors();
    let step = node * (formulation.nodes() - 1);
    (0..elements).map(move |element| {
        let first = step * element;
        first..first + node * formulation.nodes()
    })
}
