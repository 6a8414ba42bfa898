//! Beams in absolute nodal coordinates against closed forms, published values, differences and beams with rotations.

mod contacts;
mod derivatives;
mod equilibria;
mod motions;
mod statement;
mod vibrations;

use crate::flexible::{METHODS, assert_near, orders, run};
use liedae_multibody::{AncfBeam, AncfNodes, BodyId, Joint, MultibodyBuilder, Section};

/// Both kinds of beams.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Of two nodes with tangents.
    Cable,
    /// Of three nodes with gradients across.
    Shear,
}

/// Both.
pub const KINDS: [Kind; 2] = [Kind::Cable, Kind::Shear];

impl Kind {
    /// A beam called `rod` along x from the origin, of this length in m.
    pub fn beam(self, section: Section, length: f64, elements: usize) -> AncfBeam {
        let (from, to) = ([0.0; 3], [length, 0.0, 0.0]);
        match self {
            Self::Cable => AncfBeam::cable("rod", section, from, to, elements),
            Self::Shear => AncfBeam::shear_deformable("rod", section, from, to, elements),
        }
    }

    /// The number of the last node.
    pub fn last(self, elements: usize) -> usize {
        match self {
            Self::Cable => elements,
            Self::Shear => 2 * elements,
        }
    }
}

/// A beam that is clamped where it starts, with a marker there and one at its end.
pub fn clamped(mechanism: &mut MultibodyBuilder, beam: AncfBeam) -> AncfNodes {
    let last = beam.nodes() - 1;
    let start = beam.reference();
    let nodes = mechanism.add_ancf_beam(beam.with_marker(0).with_marker(last));
    let at = [start[0], start[1], start[2]];
    mechanism.add_joint(Joint::fixed("clamp", BodyId::GROUND, nodes.marker(0), at));
    nodes
}
