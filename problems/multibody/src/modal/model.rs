//! The model of a flexible body: mass, stiffness, modes and markers.

use super::beam::ModalBeam;
use super::inertia::{Affine, Moments};
use super::node::ModalNode;
use super::sample::Sample;
use nalgebra::{DMatrix, Vector3};
use thiserror::Error;

/// Entries across a diagonal differ by round-off only below this part of the largest.
const SYMMETRIC: f64 = 1e-9;

/// An eigenvalue that is negative by this part of the largest is zero but for round-off.
const ROUND_OFF: f64 = 1e-12;

/// A flexible body that cannot be made as stated.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ModalError {
    /// There is nothing that deforms.
    #[error("a flexible body needs a mode: without any it is a RigidBody")]
    NoModes,
    /// There is no node.
    #[error("a flexible body needs a node")]
    NoNodes,
    /// A list has the wrong length.
    #[error("there are {found} {what}: {expected} are needed")]
    Count {
        /// What is listed.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A NaN or an infinity.
    #[error("{0} is not finite")]
    NotFinite(&'static str),
    /// A matrix that differs from its transpose.
    #[error(
        "the {matrix} matrix is not symmetric: entries across its diagonal differ by {difference:e}"
    )]
    NotSymmetric {
        /// Which matrix.
        matrix: &'static str,
        /// Largest difference.
        difference: f64,
    },
    /// A matrix that gives negative energy, or no inertia.
    #[error("the {matrix} matrix has the eigenvalue {smallest:e}: it must be {should}")]
    NotPositive {
        /// Which matrix.
        matrix: &'static str,
        /// Its smallest eigenvalue.
        smallest: f64,
        /// What is needed.
        should: &'static str,
    },
    /// A number out of its range.
    #[error("{what} is {value}: it must be {should}")]
    Number {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What is needed.
        should: &'static str,
    },
    /// A marker at a node that the model does not have.
    #[error("a marker is at node {node}, but the nodes are 0 to {}", nodes - 1)]
    UnknownNode {
        /// Number of the node.
        node: usize,
        /// How many there are.
        nodes: usize,
    },
    /// A section that couples stretching, bending and twisting, which modes of a straight beam leave apart.
    #[error("the section couples stretching, bending and twisting: use a Beam")]
    Coupled,
    /// More modes than the elements have.
    #[error("{wanted} modes of {what} are wanted, and {elements} elements have {available}")]
    TooManyModes {
        /// Stretching, bending or twisting.
        what: &'static str,
        /// How many are wanted.
        wanted: usize,
        /// Number of elements.
        elements: usize,
        /// How many there are.
        available: usize,
    },
}

/// Moments of mass, stiffness, damping and nodes of a flexible body: made by a [`ModalBeam`](crate::ModalBeam) or from
/// [`ModalData`](crate::ModalData).
#[derive(Clone, Debug, PartialEq)]
pub struct ModalModel {
    pub(super) moments: Moments,
    /// The second order of the displacements, row by row, as affine fields; zero with samples.
    pub(super) bends: Vec<Affine>,
    /// The field at points of the mass, where its second order is no affine field; otherwise empty.
    pub(super) samples: Vec<Sample>,
    pub(super) stiffness: DMatrix<f64>,
    pub(super) damping: DMatrix<f64>,
    pub(crate) nodes: Vec<ModalNode>,
    /// The beam that it was made of.
    pub(crate) beam: Option<ModalBeam>,
    /// The time of retardation that gave the damping, s.
    pub(crate) retardation: Option<f64>,
}

impl ModalModel {
    /// Whether the nodes lie in a row on one straight line, as those of a beam.
    pub(crate) fn is_line(&self) -> bool {
        let steps: Vec<_> = self
            .nodes
            .windows(2)
            .map(|pair| pair[1].position - pair[0].position)
            .collect();
        steps.windows(2).all(|pair| {
            let size = pair[0].norm() * pair[1].norm();
            pair[0].dot(&pair[1]) > (1.0 - 1e-9) * size
        })
    }

    /// With its second order as it is at these samples of the mass.
    pub(super) fn with_samples(mut self, samples: Vec<Sample>) -> Self {
        self.bends.fill(Affine::zero());
        self.samples = samples;
        self
    }

    /// As the one of this beam.
    pub(super) fn of_beam(mut self, beam: &ModalBeam) -> Self {
        self.beam = Some(beam.clone());
        self
    }

    /// Checks everything.
    pub(super) fn new(
        moments: Moments,
        stiffness: DMatrix<f64>,
        damping: DMatrix<f64>,
        nodes: Vec<ModalNode>,
    ) -> Result<Self, ModalError> {
        if moments.first_by.is_empty() {
            return Err(ModalError::NoModes);
        }
        if nodes.is_empty() {
            return Err(ModalError::NoNodes);
        }
        if !moments.is_finite() {
            return Err(ModalError::NotFinite("an integral over the mass"));
        }
        for (name, matrix) in [("stiffness", &stiffness), ("damping", &damping)] {
            let smallest = least(name, matrix)?;
            if smallest < -ROUND_OFF * matrix.amax() {
                let should = "positive or zero";
                return Err(ModalError::NotPositive {
                    matrix: name,
                    smallest,
                    should,
                });
            }
        }
        let mass = moments.matrix();
        let smallest = least("mass", &mass)?;
        // Displacements, rotations and modes have units of their own: rows are compared with their own size.
        let positive = scaled(&mass).symmetric_eigenvalues().min() > ROUND_OFF;
        if !positive {
            let should = "positive, with inertia about all axes of the frame and in every mode";
            return Err(ModalError::NotPositive {
                matrix: "mass",
                smallest,
                should,
            });
        }
        let bends = moments.bends();
        let bends = bends.ok_or(ModalError::NotFinite("an integral over the mass"))?;
        Ok(Self {
            moments,
            bends,
            samples: Vec::new(),
            stiffness,
            damping,
            nodes,
            beam: None,
            retardation: None,
        })
    }

    /// Number of modes.
    pub fn modes(&self) -> usize {
        self.moments.first_by.len()
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Mass in kg.
    pub fn mass(&self) -> f64 {
        self.moments.mass
    }

    /// Where a node is in the frame when nothing is deformed, in m; `None` of a node that does not exist.
    pub fn position(&self, node: usize) -> Option<Vector3<f64>> {
        self.nodes.get(node).map(|node| node.position)
    }

    /// With damping in proportion to the stiffness: a Kelvin-Voigt material with this time of retardation in s.
    ///
    /// It replaces damping that was stated before, by [`ModalData::damping`](crate::ModalData::damping) or by the fluidity of a section.
    ///
    /// # Errors
    /// A time that is negative or not finite.
    pub fn with_retardation(mut self, time: f64) -> Result<Self, ModalError> {
        if !(time.is_finite() && time >= 0.0) {
            return Err(ModalError::Number {
                what: "the time of retardation",
                value: time,
                should: "finite and not negative",
            });
        }
        self.damping = &self.stiffness * time;
        self.retardation = Some(time);
        Ok(self)
    }
}

/// Rows and columns over the roots of the diagonal.
fn scaled(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let size = |index: usize| matrix[(index, index)].sqrt();
    DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |row, column| {
        let scaled = matrix[(row, column)] / (size(row) * size(column));
        // No inertia at all: an eigenvalue of zero or less follows.
        if scaled.is_finite() { scaled } else { 0.0 }
    })
}

/// The smallest eigenvalue of a matrix that is finite and symmetric.
fn least(name: &'static str, matrix: &DMatrix<f64>) -> Result<f64, ModalError> {
    if !matrix.iter().all(|entry| entry.is_finite()) {
        return Err(ModalError::NotFinite(match name {
            "stiffness" => "an entry of the stiffness matrix",
            "damping" => "an entry of the damping matrix",
            _ => "an entry of the mass matrix",
        }));
    }
    let difference = (matrix - matrix.transpose()).amax();
    if difference > SYMMETRIC * matrix.amax() {
        return Err(ModalError::NotSymmetric {
            matrix: name,
            difference,
        });
    }
    Ok(matrix.symmetric_eigenvalues().min())
}
