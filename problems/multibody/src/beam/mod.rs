//! Geometrically exact beams on SE(3).
//!
//! ```text
//! Section       what a cross section weighs and how it gives way
//!    |
//! Beam          reference shape, elements, start      add_beam makes nodes, which are bodies, and elements between them
//!    |
//! BeamNodes     the bodies and where the sections are on them, for joints, forces, contacts and outputs
//! ```

mod element;
mod inertia;
mod nodes;
mod rigid;
mod section;
mod segment;
mod statement;
mod tangent;

#[cfg(test)]
pub(crate) use element::Element;
pub use nodes::BeamNodes;
pub(crate) use nodes::{NamedElement, StatedBeam};
pub(crate) use rigid::SHAPE;
pub(crate) use section::Outline;
pub use section::{Material, Section};
pub(crate) use segment::Segment;
pub use statement::{Beam, SectionFrame};
