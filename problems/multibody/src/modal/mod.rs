//! Flexible bodies with linear modes in a floating frame of reference.
//!
//! ```text
//! ModalBeam      an Euler-Bernoulli beam by Hermite elements   ModalData   mass, stiffness, modes and nodes from elsewhere
//!        \                                                     /
//!                              ModalModel
//!                                  |
//! ModalBody      a model with its name, start and markers      add_modal_body makes a frame and a body for each marker
//!                                  |
//! ModalNodes     the frame and the markers, for joints, forces, contacts and outputs
//! ```
//!
//! A point of the body that is at s in its frame when nothing is deformed is at
//!
//! ```text
//! x = r + A (s + Σ Φᵢ ηᵢ + ½ Σ Sᵢⱼ ηᵢ ηⱼ),
//! ```
//!
//! with modes Φ and foreshortening S (Shabana, Dynamics of Multibody Systems, 2020, chapter 5; Wallrapp and Schwertassek 1991,
//! doi:10.1002/nme.1620320818). In the inertia the second order is an affine field that is fitted to S, or S itself
//! ([`ModalBeam::with_plain_field`], [`ModalData::plain_field_model`]); markers are where x says. The two differ in the third order of η and
//! its rate. The frame (r, A) stands among the bodies of the mechanism; the coordinates η are a factor Rⁿ
//! behind all bodies.
//!
//! Markers are rigid bodies tied to the frame and the modes by six rows each, so that whatever acts on a rigid body acts on
//! them. Each takes a part of the inertia out of the flexible body, which the rows give back: the motion is that of the
//! body as stated. The mass matrix is positive definite at η = 0 and near it. Far from there the markers' part may be more than
//! is left: a pinned beam of the length L with three modes became indefinite at η₂ = 0.4 L. A start there is refused with
//! [`ConsistencyError::IndefiniteMass`](liedae::system::ConsistencyError::IndefiniteMass).

mod beam;
mod data;
mod describe;
mod element;
mod equations;
mod field;
mod flexible;
mod inertia;
mod model;
mod node;
mod sample;
mod start;
mod statement;
mod tie;

pub use beam::{BeamEnds, ModalBeam};
pub use data::{ModalData, NodalMass};
pub use describe::{ModalBeamDescription, ModalDescription, ModalMarkerDescription};
pub(crate) use flexible::{Flexible, NodePlaces};
pub use model::{ModalError, ModalModel};
pub(crate) use statement::NamedModal;
pub use statement::{ModalBody, ModalNodes};
pub(crate) use tie::{ROWS, Tie};
