//! Static equilibria with contacts and dry friction.

use crate::unilateral;
use liedae::analysis::{
    AnalysisError, Equilibrium, EquilibriumOptions, static_equilibrium as relaxed,
};
use liedae::system::{EvaluationError, Evaluator, EventHandling, State, System};
use thiserror::Error;

/// Bodies that lie deeper than this in each other have passed a contact, in m.
const PASSED: f64 = 1e-9;

/// What sticks and touches may change so often on the way to rest.
const ROUNDS: usize = 32;

/// A system with contacts or friction for which no equilibrium is known.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RestError {
    /// Forces balance nowhere, or cannot be evaluated.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// Forces balance inside a body only.
    #[error(
        "the equilibrium without contact `{label}` lies {depth:.3e} m or rad inside it: it rests elsewhere, with that contact closed; start \
         from a state that touches it"
    )]
    PassedContact {
        /// The contact.
        label: String,
        /// How deep the bodies lie in each other.
        depth: f64,
    },
    /// What sticks and what touches changes again and again.
    #[error(
        "contacts and joints go on to stick and to slip in turn after {rounds} rounds: start from another state"
    )]
    Restless {
        /// How often they have been decided about.
        rounds: usize,
    },
}

impl From<EvaluationError> for RestError {
    fn from(error: EvaluationError) -> Self {
        AnalysisError::from(error).into()
    }
}

/// Where a mechanism with contacts and dry friction rests that is let go from a state without velocity.
///
/// At rest forces decide what sticks and what slips. What sticks stays, what slips goes on as in
/// [`static_equilibrium`](relaxed) with its friction against it, until forces balance; then it is decided anew what sticks, until nothing
/// changes. So a block that friction holds rests where it is, and one that is drawn by a spring stops where the spring pulls as much as
/// friction does. Systems without contacts and friction rest where `static_equilibrium` says.
///
/// # Errors
/// [`RestError`]: forces that nothing balances, an equilibrium beyond a contact that was open at the start, friction that only reverses
/// and would push.
///
/// ```
/// use liedae::prelude::*;
/// use liedae_contact::{ContactModel, FrictionJoint, NonsmoothOptions, NonsmoothSystem, Support};
/// use liedae_contact::{static_equilibrium, with_contacts};
///
/// /// A slide of 2 kg on a level guide, 1 m away from where its spring of 20 N/m is at ease; μ = 0.3.
/// struct Slide;
/// # impl Model for Slide {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(2)).with_position_rows(1) }
/// #     fn initial_state(&self) -> State { State { q: vec![1.0, 0.0], ..self.layout().state() } }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         for axis in 0..2 { mass[(axis, axis)] = S::constant(2.0); }
/// #     }
/// #     fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
/// #         force[0] = at.q[0] * -20.0;
/// #         force[1] = S::constant(-20.0);
/// #     }
/// #     fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) { g[0] = at.q[1]; }
/// #     fn needs_layer(&self) -> bool { true }
/// # }
///
/// impl ContactModel for Slide {
///     fn friction_joints(&self) -> Vec<FrictionJoint> {
///         vec![FrictionJoint::new("guide", 0.3, [Support::of_rows([0])])]
///     }
///     fn joint_velocity<S: Scalar>(&self, _joint: usize, at: &Point<S>) -> S { at.v[0] }
/// }
///
/// let mut system = NonsmoothSystem::new(with_contacts(Slide), NonsmoothOptions::default())?;
/// let start = system.initial_state();
/// let rest = static_equilibrium(&mut system, &start, &Default::default())?;
/// // The spring pulls by 6 N there, as friction does.
/// assert!((rest.state.q[0] - 0.3 * 20.0 / 20.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn static_equilibrium(
    system: &mut dyn System,
    start: &State,
    options: &EquilibriumOptions,
) -> Result<Equilibrium, RestError> {
    let mut state = start.clone();
    state.v.fill(0.0);
    let mut iterations = 0;
    decide(system, &mut state)?;
    for _ in 0..ROUNDS {
        let mut rest = relaxed(&mut Evaluator::new(&mut *system), &state, options)?;
        iterations += rest.iterations;
        refuse_passed(system, &rest.state)?;
        let before = rest.state.mode.clone();
        state.clone_from(&rest.state);
        decide(system, &mut state)?;
        if state.mode == before {
            rest.iterations = iterations;
            return Ok(rest);
        }
    }
    Err(RestError::Restless { rounds: ROUNDS })
}

/// What sticks and touches at rest.
fn decide(system: &mut dyn System, state: &mut State) -> Result<(), EvaluationError> {
    system.prepare(state, EventHandling::Located { tolerance: 0.0 })?;
    Ok(())
}

fn refuse_passed(system: &mut dyn System, state: &State) -> Result<(), RestError> {
    let Some(contacts) = unilateral(system) else {
        return Ok(());
    };
    for contact in 0..contacts.contacts().len() {
        let gap = contacts.gap(contact, &state.point())?;
        if gap < -PASSED {
            return Err(RestError::PassedContact {
                label: contacts.contacts()[contact].label.clone(),
                depth: -gap,
            });
        }
    }
    Ok(())
}
