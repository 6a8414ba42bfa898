//! Flexible bodies from elsewhere: mass, stiffness, modes and nodes.

use super::inertia::{Moments, Piece};
use super::model::{ModalError, ModalModel};
use super::node::ModalNode;
use super::sample::Sample;
use nalgebra::{DMatrix, Matrix3};
use std::iter::once;

/// What the nodes of a [`ModalData`] weigh, in kg.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "files", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "files", serde(untagged))]
pub enum NodalMass {
    /// A mass for each node.
    Lumped(Vec<f64>),
    /// A consistent mass matrix by rows: the kinetic energy is ½ Σ mₖₗ vₖ·vₗ, as elements with the same shape functions in
    /// all directions have it.
    Consistent(Vec<Vec<f64>>),
}

/// A flexible body as a finite-element program reduces it, in its frame and SI units.
///
/// With the feature `files` it is read and written by serde. A rod of two masses with a spring between them, that stretches:
///
/// ```
/// use liedae_multibody::{ModalData, ModalModel, NodalMass};
///
/// let data = ModalData {
///     nodes: vec![[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]],
///     mass: NodalMass::Lumped(vec![1.0, 1.0]),
///     rotary: vec![[[1e-3, 0.0, 0.0], [0.0, 1e-3, 0.0], [0.0, 0.0, 1e-3]]; 2],
///     modes: vec![vec![[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]]],
///     rotations: Vec::new(),
///     foreshortening: Vec::new(),
///     stiffness: vec![vec![100.0]],
///     damping: Vec::new(),
/// };
/// let model = ModalModel::try_from(&data)?;
/// assert_eq!((model.modes(), model.mass()), (1, 2.0));
/// # Ok::<(), liedae_multibody::ModalError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "files", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "files", serde(deny_unknown_fields))]
pub struct ModalData {
    /// Where the nodes are when nothing is deformed, in m.
    pub nodes: Vec<[f64; 3]>,
    /// What they weigh.
    pub mass: NodalMass,
    /// For each node its inertia tensor about itself, by rows, in kg m²; empty where there is none.
    #[cfg_attr(feature = "files", serde(default))]
    pub rotary: Vec<[[f64; 3]; 3]>,
    /// For each mode the displacements of all nodes by a unit of its coordinate.
    pub modes: Vec<Vec<[f64; 3]>>,
    /// For each mode the small rotations of all nodes in rad; empty where nodes do not turn in the frame.
    #[cfg_attr(feature = "files", serde(default))]
    pub rotations: Vec<Vec<[f64; 3]>>,
    /// For each pair of modes (i, j), by rows, the second derivatives of the displacements of all nodes by ηᵢ and ηⱼ, symmetric;
    /// empty where displacements are linear. Tensors in `rotary` count rotations up to the second order in any case.
    #[cfg_attr(feature = "files", serde(default))]
    pub foreshortening: Vec<Vec<Vec<[f64; 3]>>>,
    /// Modal stiffness matrix by rows.
    pub stiffness: Vec<Vec<f64>>,
    /// Modal damping matrix by rows; empty where there is none.
    #[cfg_attr(feature = "files", serde(default))]
    pub damping: Vec<Vec<f64>>,
}

/// Checks the length of a list that may be empty.
fn count(what: &'static str, found: usize, expected: usize) -> Result<(), ModalError> {
    if found == expected {
        return Ok(());
    }
    Err(ModalError::Count {
        what,
        found,
        expected,
    })
}

fn square(
    rows: &[Vec<f64>],
    size: usize,
    [of_rows, of_entries]: [&'static str; 2],
) -> Result<DMatrix<f64>, ModalError> {
    count(of_rows, rows.len(), size)?;
    for row in rows {
        count(of_entries, row.len(), size)?;
    }
    Ok(DMatrix::from_fn(size, size, |row, column| {
        rows[row][column]
    }))
}

impl TryFrom<&ModalData> for ModalModel {
    type Error = ModalError;

    /// Checks that sizes agree, numbers are finite, and matrices are symmetric and positive.
    fn try_from(data: &ModalData) -> Result<Self, ModalError> {
        data.check_counts()?;
        let modes = data.modes.len();
        let nodes: Vec<ModalNode> = (0..data.nodes.len()).map(|node| data.node(node)).collect();
        data.check_finite()?;
        let names = [
            "rows of the stiffness matrix",
            "entries of a row of the stiffness matrix",
        ];
        let stiffness = square(&data.stiffness, modes, names)?;
        let damping = if data.damping.is_empty() {
            DMatrix::zeros(modes, modes)
        } else {
            let names = [
                "rows of the damping matrix",
                "entries of a row of the damping matrix",
            ];
            square(&data.damping, modes, names)?
        };
        let moments = data.moments(&nodes)?;
        Self::new(moments, stiffness, damping, nodes)
    }
}

impl ModalData {
    /// The model with its displacements in the inertia as they are, as [`ModalBeam::with_plain_field`](crate::ModalBeam::with_plain_field);
    /// `ModalModel::try_from` fits an affine field to their second order.
    ///
    /// # Errors
    /// As `ModalModel::try_from`; and an inertia tensor of a node that no distribution of mass has.
    ///
    /// ```
    /// use liedae_multibody::{ModalData, NodalMass};
    ///
    /// let bar = ModalData {
    ///     nodes: vec![[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]],
    ///     mass: NodalMass::Consistent(vec![vec![2.0, 1.0], vec![1.0, 2.0]]),
    ///     rotary: vec![[[1e-3, 0.0, 0.0], [0.0, 1e-3, 0.0], [0.0, 0.0, 1e-3]]; 2],
    ///     modes: vec![vec![[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]]],
    ///     rotations: Vec::new(),
    ///     foreshortening: vec![vec![vec![[0.1, 0.0, 0.0], [-0.1, 0.0, 0.0]]]],
    ///     stiffness: vec![vec![100.0]],
    ///     damping: Vec::new(),
    /// };
    /// assert_eq!(bar.plain_field_model()?.mass(), 6.0);
    /// # Ok::<(), liedae_multibody::ModalError>(())
    /// ```
    pub fn plain_field_model(&self) -> Result<ModalModel, ModalError> {
        let model = ModalModel::try_from(self)?;
        let modes = model.modes();
        let pieces: Vec<Piece> = model.nodes.iter().map(ModalNode::piece).collect();
        let mut samples: Vec<Sample> = match &self.mass {
            NodalMass::Lumped(masses) => {
                let parts = masses.iter().zip(&pieces);
                parts
                    .map(|(mass, piece)| Sample::of(modes, once((mass.max(0.0).sqrt(), *piece))))
                    .collect()
            }
            NodalMass::Consistent(rows) => {
                let count = rows.len();
                let matrix = DMatrix::from_fn(count, count, |row, column| rows[row][column]);
                let eigen = matrix.symmetric_eigen();
                let of = |index: usize| {
                    let root = eigen.eigenvalues[index].max(0.0).sqrt();
                    let vector = eigen.eigenvectors.column(index);
                    let factors = vector.iter().map(|entry| root * entry).collect::<Vec<_>>();
                    Sample::of(modes, factors.into_iter().zip(pieces.iter().copied()))
                };
                (0..count).map(of).collect()
            }
        };
        for (tensor, piece) in self.rotary.iter().zip(&pieces) {
            let tensor = Matrix3::from_fn(|row, column| tensor[row][column]);
            samples.extend(Sample::of_rotary(&tensor, piece)?);
        }
        Ok(model.with_samples(samples))
    }

    fn check_counts(&self) -> Result<(), ModalError> {
        let (nodes, modes) = (self.nodes.len(), self.modes.len());
        if modes == 0 {
            return Err(ModalError::NoModes);
        }
        if nodes == 0 {
            return Err(ModalError::NoNodes);
        }
        for mode in &self.modes {
            count("displacements of a mode", mode.len(), nodes)?;
        }
        if !self.rotations.is_empty() {
            count("modes with rotations", self.rotations.len(), modes)?;
        }
        for mode in &self.rotations {
            count("rotations of a mode", mode.len(), nodes)?;
        }
        if !self.rotary.is_empty() {
            count("inertia tensors of nodes", self.rotary.len(), nodes)?;
        }
        if !self.foreshortening.is_empty() {
            count("rows of foreshortening", self.foreshortening.len(), modes)?;
        }
        for row in &self.foreshortening {
            count("entries of a row of foreshortening", row.len(), modes)?;
            for entry in row {
                count("nodes of an entry of foreshortening", entry.len(), nodes)?;
            }
        }
        Ok(())
    }

    fn check_finite(&self) -> Result<(), ModalError> {
        let lists = [
            ("a place of a node", &self.nodes),
            ("an inertia tensor of a node", &self.rotary.concat()),
            ("a displacement of a mode", &self.modes.concat()),
            ("a rotation of a mode", &self.rotations.concat()),
            ("a foreshortening", &self.foreshortening.concat().concat()),
        ];
        for (what, list) in lists {
            if !list.iter().flatten().all(|value| value.is_finite()) {
                return Err(ModalError::NotFinite(what));
            }
        }
        let modes = self.foreshortening.len();
        for (row, column) in (0..modes).flat_map(|row| (0..row).map(move |column| (row, column))) {
            if self.foreshortening[row][column] != self.foreshortening[column][row] {
                let difference = self.foreshortening[row][column]
                    .iter()
                    .flatten()
                    .zip(self.foreshortening[column][row].iter().flatten())
                    .map(|(one, two)| (one - two).abs())
                    .fold(0.0, f64::max);
                let matrix = "foreshortening";
                return Err(ModalError::NotSymmetric { matrix, difference });
            }
        }
        Ok(())
    }

    fn node(&self, node: usize) -> ModalNode {
        let of = |modes: &[Vec<[f64; 3]>]| modes.iter().map(|mode| mode[node].into()).collect();
        let second = self.foreshortening.iter().flatten();
        ModalNode {
            position: self.nodes[node].into(),
            displacements: of(&self.modes),
            rotations: of(&self.rotations),
            second: second.map(|entry| entry[node].into()).collect(),
        }
    }

    fn moments(&self, nodes: &[ModalNode]) -> Result<Moments, ModalError> {
        let mut moments = Moments::empty(self.modes.len());
        let pieces: Vec<Piece> = nodes.iter().map(ModalNode::piece).collect();
        let positive = |matrix: &DMatrix<f64>| {
            if !matrix.iter().all(|mass| mass.is_finite()) {
                return Err(ModalError::NotFinite("a mass of a node"));
            }
            let smallest = matrix.symmetric_eigenvalues().min();
            let not_negative = smallest >= -1e-12 * matrix.amax();
            not_negative.then_some(()).ok_or(ModalError::NotPositive {
                matrix: "nodal mass",
                smallest,
                should: "positive or zero",
            })
        };
        match &self.mass {
            NodalMass::Lumped(masses) => {
                count("masses of nodes", masses.len(), nodes.len())?;
                for (mass, piece) in masses.iter().zip(&pieces) {
                    positive(&DMatrix::from_element(1, 1, *mass))?;
                    moments.add(*mass, piece, piece);
                }
            }
            NodalMass::Consistent(rows) => {
                let names = [
                    "rows of the nodal mass matrix",
                    "entries of a row of the nodal mass matrix",
                ];
                let matrix = square(rows, nodes.len(), names)?;
                let difference = (&matrix - matrix.transpose()).amax();
                if difference > 1e-9 * matrix.amax() {
                    let matrix = "nodal mass";
                    return Err(ModalError::NotSymmetric { matrix, difference });
                }
                positive(&matrix)?;
                for (row, one) in pieces.iter().enumerate() {
                    for (column, two) in pieces.iter().enumerate() {
                        if matrix[(row, column)] != 0.0 {
                            moments.add(matrix[(row, column)], one, two);
                        }
                    }
                }
            }
        }
        for (tensor, piece) in self.rotary.iter().zip(&pieces) {
            let tensor = Matrix3::from_fn(|row, column| tensor[row][column]);
            let difference = (tensor - tensor.transpose()).amax();
            if difference > 1e-9 * tensor.amax() {
                let matrix = "rotary inertia";
                return Err(ModalError::NotSymmetric { matrix, difference });
            }
            positive(&DMatrix::from_iterator(3, 3, tensor.iter().copied()))?;
            moments.add_rotary(&tensor, piece);
        }
        Ok(moments)
    }
}
