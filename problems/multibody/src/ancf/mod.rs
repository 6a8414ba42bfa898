//! Beams in absolute nodal coordinates: positions and gradients of nodes in the world, without any rotation.
//!
//! ```text
//! AncfBeam      cable or shear-deformable beam: section, elements, start, markers
//!    |
//! AncfNodes     the markers, for joints, forces, contacts and outputs      add_ancf_beam makes a body for each marker
//! ```
//!
//! The position of a point of the axis is r = Σ Sᵢ eᵢ with shape functions S and coordinates e, which are vectors of
//! the world. The mass matrix is ∫ ρ SᵀS, whatever the beam does: there are no centrifugal and Coriolis forces. All of
//! the geometry is in the elastic forces.
//!
//! | element | nodes | vectors of a node | strains |
//! |---|---|---|---|
//! | cable | 2 | r, r_x | stretch, bending (Gerstmayr and Shabana 2006, doi:10.1007/s11071-006-1856-1; strains of Gerstmayr and Irschik 2008, doi:10.1016/j.jsv.2008.04.019) |
//! | shear-deformable | 3 | r, r_y, r_z | stretch, shear, twist, bending, change of the section (Nachbagauer, Gruber and Gerstmayr 2013, doi:10.1115/1.4006787) |
//!
//! Markers are rigid bodies tied to a node by five or six rows, so that whatever acts on a rigid body acts on them. Each takes a part of
//! the inertia out of its node.

mod assembled;
mod cable;
mod element;
mod error;
mod named;
mod shear;
mod statement;
mod station;
mod tie;

pub(crate) use assembled::AncfPart;
pub use error::AncfError;
pub(crate) use named::NamedAncf;
pub use statement::{AncfBeam, AncfNodes};
pub(crate) use tie::NodeTie;
