//! Geometrically exact beams against closed forms and published values.

mod contacts;
mod convergence;
mod equilibria;
#[path = "../shared/flexible.rs"]
mod flexible;
mod frames;
mod loops;
mod motions;
mod rotor;
mod vibrations;

use flexible::{METHODS, assert_near, orders, run};
use liedae::analysis::{EquilibriumOptions, static_equilibrium};
use liedae::scalar::Scalar;
use liedae::system::{Evaluator, State, System};
use liedae_multibody::{
    Beam, BeamNodes, BodyId, Joint, Kinematics, MultibodyBuilder, MultibodySystem, PairForce,
    Snapshot, Vector3, Wrench,
};

/// A force and a moment that keep their directions in the world, and grow from nothing at 0 s to their full size at 1 s.
#[derive(Clone, Copy)]
pub struct DeadLoad {
    /// At the centre of mass of the second body, in N.
    pub force: [f64; 3],
    /// In N m.
    pub moment: [f64; 3],
}

impl PairForce for DeadLoad {
    fn wrenches<S: Scalar>(&self, t: f64, [_, body]: &[Kinematics<S>; 2]) -> [Wrench<S>; 2] {
        let force = Vector3::from(self.force).map(|part| S::constant(part * t.min(1.0)));
        let moment = Vector3::from(self.moment).map(|part| S::constant(part * t.min(1.0)));
        let wrench = body.force_at(&body.position, &force) + body.torque(&moment);
        [Wrench::zero(), wrench]
    }
}

/// A beam that is clamped where it starts.
pub fn clamped(mechanism: &mut MultibodyBuilder, beam: Beam) -> BeamNodes {
    let at = beam.frames()[0].centroid;
    let nodes = mechanism.add_beam(beam);
    mechanism.add_joint(Joint::fixed("clamp", BodyId::GROUND, nodes.start(), at));
    nodes
}

/// Where a mechanism rests at 1 s, followed from 0 s in so many steps.
pub fn rest(system: &mut MultibodySystem, steps: u32) -> State {
    let mut state = system.initial_state();
    // Internal forces are differences of positions times stiffnesses: their round-off is far above that of loads.
    let options = EquilibriumOptions {
        tolerance: 1e-8,
        iterations: 20_000,
    };
    for step in 1..=steps {
        state.t = f64::from(step) / f64::from(steps);
        let found = static_equilibrium(&mut Evaluator::new(system), &state, &options);
        state = found.expect("an equilibrium").state;
    }
    state
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
