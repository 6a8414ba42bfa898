//! A beam in the builder, ready to be laid out.

use super::assembled::element_ranges;
use super::element::Element;
use super::tie::{self, NodeTie};
use crate::kinematics::Kinematics;
use crate::layout::AncfStructure;
use nalgebra::Vector3;
use std::ops::Range;

/// A beam in the builder.
#[derive(Clone)]
pub(crate) struct NamedAncf {
    pub name: String,
    pub element: Element,
    pub elements: usize,
    /// Masses of pairs of vectors, less the markers' parts.
    pub inertia: Vec<(usize, usize, f64)>,
    /// Nodes and bodies of its markers.
    pub markers: Vec<(usize, usize)>,
    pub coordinates: Vec<f64>,
    pub rates: Vec<f64>,
}

impl NamedAncf {
    /// How many vectors all nodes have.
    pub fn vectors(&self) -> usize {
        self.coordinates.len() / 3
    }

    /// Carries the nodes along with a body from where it was stated to where it has been placed.
    pub fn carry(&mut self, stated: &Kinematics, placed: &Kinematics) {
        let turn = placed.rotation * stated.rotation.transpose();
        let [before, after] = [stated, placed].map(Kinematics::angular_velocity);
        let of_node = self.element.formulation.vectors();
        let vectors = self.coordinates.as_chunks_mut::<3>().0.iter_mut();
        let rates = self.rates.as_chunks_mut::<3>().0.iter_mut();
        for (index, (vector, rate)) in vectors.zip(rates).enumerate() {
            // Positions move with the body, gradients turn only.
            let moves = if index.is_multiple_of(of_node) {
                1.0
            } else {
                0.0
            };
            let arm = Vector3::from(*vector) - stated.position * moves;
            let own = Vector3::from(*rate) - stated.velocity * moves - before.cross(&arm);
            let arm = turn * arm;
            *vector = (placed.position * moves + arm).into();
            *rate = (placed.velocity * moves + after.cross(&arm) + turn * own).into();
        }
    }

    /// The rows of all its markers.
    pub fn rows(&self) -> usize {
        tie::rows(self.element.formulation) * self.markers.len()
    }

    /// What the sparsity depends on, with its velocities from here on.
    pub fn structure(&self, first: usize) -> AncfStructure {
        let node = 3 * self.element.formulation.vectors();
        let shifted = |range: Range<usize>| first + range.start..first + range.end;
        let components = |&(row, column, _): &(usize, usize, f64)| {
            (0..3).map(move |axis| (first + 3 * row + axis, first + 3 * column + axis))
        };
        AncfStructure {
            node,
            rows: tie::rows(self.element.formulation),
            all: first..first + self.coordinates.len(),
            elements: self.element_ranges().map(shifted).collect(),
            mass: self.inertia.iter().flat_map(components).collect(),
            markers: self
                .markers
                .iter()
                .map(|&(index, body)| (body, shifted(node * index..node * (index + 1))))
                .collect(),
        }
    }

    /// The ties of its markers, with their rows, coordinates and velocities from here on.
    pub fn ties(&self, first_row: usize, starts: [usize; 2]) -> impl Iterator<Item = NodeTie> {
        let formulation = self.element.formulation;
        let node = 3 * formulation.vectors();
        self.markers
            .iter()
            .enumerate()
            .map(move |(index, &(number, body))| {
                let name = format!("{}.{number}", self.name);
                let row = first_row + tie::rows(formulation) * index;
                let starts = starts.map(|start| start + node * number);
                NodeTie::new(name, body, formulation, row, starts)
            })
    }

    /// The coordinates of each element.
    pub fn element_ranges(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        element_ranges(self.element.formulation, self.elements)
    }
}
