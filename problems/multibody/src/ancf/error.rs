//! Errors of beams in absolute nodal coordinates.

use thiserror::Error;

/// Why a beam in absolute nodal coordinates is refused.
///
/// ```
/// use liedae_multibody::{AncfBeam, AncfError, AssemblyError, MultibodyBuilder, Section};
///
/// let section = Section::new([1e5, 1e5, 1e5, 1e-2, 1e-2, 1e-2], 0.1, [1e-6; 3]);
/// let rope = AncfBeam::cable("rope", section, [0.0; 3], [1.0, 0.0, 0.0], 8).with_marker(9);
/// let mut mechanism = MultibodyBuilder::new();
/// mechanism.add_ancf_beam(rope);
/// let Err(AssemblyError::Ancf { beam, error }) = mechanism.build() else { panic!("there is no node 9") };
/// assert_eq!((beam.as_str(), error), ("rope", AncfError::UnknownNode { node: 9, nodes: 9 }));
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum AncfError {
    /// So many elements.
    #[error("it has {0} elements, expected 1 to a million")]
    Elements(usize),
    /// Both ends coincide, or are not finite.
    #[error("its length is {0} m")]
    Length(f64),
    /// A section that the element cannot have.
    #[error("its section {0}")]
    Section(&'static str),
    /// A list of another length.
    #[error("there are {found} {what}, expected {expected}")]
    Count {
        /// What the list holds.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length expected.
        expected: usize,
    },
    /// A number that is not finite.
    #[error("{0} is not finite")]
    NotFinite(&'static str),
    /// Vectors of a node, or of the element from it on, that span no section or no tangent, or a section that looks backwards.
    #[error(
        "the gradients of node {0}, or of the element behind it, vanish, are parallel or look backwards"
    )]
    Gradients(usize),
    /// A marker at a node that is not there.
    #[error("a marker is at node {node}, but there are {nodes} nodes")]
    UnknownNode {
        /// The node.
        node: usize,
        /// How many there are.
        nodes: usize,
    },
    /// Two markers at one node.
    #[error("there are two markers at node {0}: put both parts on one")]
    TwoMarkers(usize),
}
