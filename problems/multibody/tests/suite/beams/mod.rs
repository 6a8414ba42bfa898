//! Geometrically exact beams against closed forms and published values.

mod contacts;
mod convergence;
mod equilibria;
mod frames;
mod loops;
mod motions;
mod rotor;
mod vibrations;

use crate::flexible::{METHODS, assert_near, orders, run};
use crate::loads::{DeadLoad, elastica, rest};
use liedae::system::{State, System};
use liedae_multibody::{
    Beam, BeamNodes, BodyId, Joint, MultibodyBuilder, MultibodySystem, Snapshot, Vector3,
};

/// A beam that is clamped where it starts.
pub fn clamped(mechanism: &mut MultibodyBuilder, beam: Beam) -> BeamNodes {
    let at = beam.frames()[0].centroid;
    let nodes = mechanism.add_beam(beam);
    mechanism.add_joint(Joint::fixed("clamp", BodyId::GROUND, nodes.start(), at));
    nodes
}

/// Where the end of a beam is, in m.
pub fn tip(system: &MultibodySystem, state: &State, nodes: &BeamNodes) -> Vector3<f64> {
    Snapshot::new(system, state).position(nodes.end())
}

/// What the bodies of a mechanism weigh.
pub fn masses(system: &mut MultibodySystem) -> Vec<f64> {
    let layout = system.layout().clone();
    let mut mass = vec![0.0; layout.mass.nnz()];
    let state = system.initial_state();
    system
        .mass_matrix(&state.point(), &mut mass)
        .expect("finite");
    (0..layout.dimension() / 6)
        .filter_map(|body| layout.mass.position(6 * body, 6 * body))
        .map(|at| mass[at])
        .collect()
}
