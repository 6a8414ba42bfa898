//! Contact, impact and dry friction: unilateral constraints and sticking joints between events, for any method.
//!
//! A ball falls, bounces and comes to rest, with a method that knows nothing of contact:
//!
//! ```
//! use liedae::prelude::*;
//! use liedae_contact::{Contact, ContactModel, NonsmoothOptions, NonsmoothSystem, with_contacts};
//!
//! struct Ball;
//!
//! impl Model for Ball {
//!     fn layout(&self) -> Layout {
//!         Layout::dense(Manifold::euclidean(1))
//!     }
//!     fn initial_state(&self) -> State {
//!         State { q: vec![1.0], ..self.layout().state() }
//!     }
//!     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
//!         mass[(0, 0)] = S::constant(1.0);
//!     }
//!     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
//!         force[0] = S::constant(-9.81);
//!     }
//!     // Not without its floor.
//!     fn needs_layer(&self) -> bool {
//!         true
//!     }
//! }
//!
//! impl ContactModel for Ball {
//!     fn contacts(&self) -> Vec<Contact> {
//!         vec![Contact::new("floor", 0.5)]
//!     }
//!     fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S {
//!         at.q[0]
//!     }
//! }
//!
//! let mut ball = NonsmoothSystem::new(with_contacts(Ball), NonsmoothOptions::default())?;
//! let method = liedae_contact::methods().build("dop853", &MethodOptions::default())?;
//! let solution = solve(&mut ball, method.as_ref(), &Options::adaptive(2.0, 1e-8, 1e-8))?;
//! assert_eq!(solution.events[0].kind, "impact");
//! assert!(solution.state.q[0].abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What happens at an event
//!
//! [`NonsmoothSystem`] wraps a system with [unilateral constraints](UnilateralConstraints) or
//! [joints with friction](FrictionJoints). Between two events the closed contacts are ordinary position
//! rows (and velocity rows where they stick), so that every method of the framework integrates them at its own index;
//! at an event the index sets are formed anew (Haddouni et al. 2017, sec. 2.3 and Fig. 2,
//! doi:10.1007/s11044-017-9570-y):
//!
//! ```text
//! I_0  all contacts
//! I_1  closed ones, g_N ≤ τ_0
//! I_2  those that stay closed: also g_N' ≤ τ_1 and λ_N ≥ 0 by the problem at acceleration level
//! ```
//!
//! 1. Penetrations are projected back to gap zero, together with all joints (eq. 35).
//! 2. If a contact of I_1 approaches, an impact is resolved by the [`ImpactLaw`], joints and friction included, and again until
//!    no contact approaches. Impacts that accumulate, and rebounds too short to be followed, end by [`Accumulation`]. Where
//!    contacts are jammed and the law has no solution, restitution e = 0 is used, which has one.
//! 3. Contacts of I_1 that do not rebound pose the complementarity problem at acceleration level, 0 ≤ g_N'' ⟂ λ_N ≥ 0 with
//!    Coulomb friction; it says which stay closed, which slide and which stick. If it has no solution right after an impact,
//!    impulses stop the sliding first. The same happens at an impasse point, where friction of joints leaves no solution of the
//!    equations ahead and the step size would shrink to zero (the normal force of a joint is the norm of a reaction).
//! 4. Of those, an independent set becomes rows. A redundant contact has no row until the next event; its gap is monitored.
//! 5. Velocities are projected onto the rows (eq. 36), and the method restarts.
//!
//! Redundant contacts share forces. The multipliers of the rows are one split of the forces among many with the same effect; the
//! contacts stay closed and go on sticking as long as any split is admissible, N ≥ 0 and |T| ≤ μ N in each of them, even where
//! sliding would be possible as well. The largest margin of all splits is the event function of those that share forces. When it
//! vanishes, the problem of step 3 is solved with all their limits slightly reduced. It has no solution at rest, so it determines
//! which of them open or slide. Outputs, and reactions of joints among them, are those of the admissible split of least Euclidean
//! norm; multipliers of states are those of the rows. Sliding contacts share forces as far as friction allows without a change of
//! the motion. Where it does not, as with several coefficients of friction on one edge, the motion is not unique, and the
//! smoother contacts carry the load.
//!
//! An independent set of rows that does not change between events is a requirement of half-explicit methods; Haddouni et al.
//! 2017, sec. 4.5, show how they fail without it.
//!
//! Events are reported as `impact`, `release`, `stick`, `slip`, `reversal` and `accumulation`, each with the contact's name, and
//! as `impasse`; loads and changes of a contact's normal are events of the wrapped system. Contacts that rest at the start of a
//! run cause no `stick` event; their status is in the modes of the state ([`ContactStatus::mode`], [`JointStatus::mode`]).
//!
//! Joints with friction ([`FrictionJoint`]) take part in steps 2 to 5: their normal force is |N| of the reaction in their own
//! rows, which are always there; they stick (a velocity row), slip and reverse like contacts. Steps 2 and 3 decide about contacts
//! and joints together. A sign change of the reaction while the joint slides is no event.
//!
//! Contacts in space have two sliding directions and a cone of friction. While one slides, friction is against the direction of
//! its velocity, and that direction is part of its state; a sticking contact has two velocity rows, or one where other rows imply
//! the second. Steps 2 and 3 solve for their forces with the methods of `moreau-jean`. Poisson's law of impact is not available
//! for them with located events; such a model is refused.

mod automatic;
pub mod capturing;
mod closed;
pub mod complementarity;
mod contact_event;
mod detection;
mod equations;
mod event;
mod event_sets;
mod event_slack;
mod gaps;
mod hybrid;
mod impact;
mod laws;
mod options;
mod outputs;
mod reports;
mod rest;
mod statement;
mod status;
mod stiffness;
mod stopping;
mod system;

pub use contact_event::ContactEvent;
pub use hybrid::solve_hybrid;
pub use options::{Accumulation, ImpactLaw, NonsmoothOptions, NonsmoothOptionsError, Thresholds};
pub use outputs::gap_definition;
pub use rest::{RestError, static_equilibrium};
pub use statement::checks::{IllStated, check_contacts};
pub use statement::contact_system::{
    ContactPart, ContactSystem, Contacts, UnseenContacts, contact_system, joint_friction,
    refuse_unseen, unilateral, with_contacts,
};
pub use statement::friction_joints::{FrictionJoint, FrictionJointError, FrictionJoints, Support};
pub use statement::model::ContactModel;
pub use statement::unilateral::{Contact, ContactError, UnilateralConstraints};
pub use status::{ContactStatus, JointStatus};
pub use system::{NonsmoothError, NonsmoothSystem};

use capturing::MoreauJean;
use liedae::integrator::{MethodEntry, MethodOption, MethodRegistry};
use liedae::system::{EvaluationError, Function};

/// The level of optimization that this crate was compiled with, see [`liedae::OPT_LEVEL`].
pub const OPT_LEVEL: &str = env!("LIEDAE_OPT_LEVEL");

/// All methods of the framework, and [`MoreauJean`].
pub fn methods() -> MethodRegistry {
    let entry = MethodEntry::new(&MoreauJean::METHOD, |options| {
        Box::new(MoreauJean::new(
            options.theta.unwrap_or(MoreauJean::DEFAULT_THETA),
            options.newton.unwrap_or_default(),
        ))
    })
    .taking(&[MethodOption::Newton, MethodOption::Theta])
    .with_defaults(&[("newton-tol", "1e-10, or 1e-10 of the unknowns")]);
    let standard = MethodRegistry::standard();
    // No method of the framework has its name.
    standard.clone().with(entry).unwrap_or(standard)
}

fn failed(t: f64, reason: impl Into<String>) -> EvaluationError {
    EvaluationError::Failed {
        function: Function::Events,
        t,
        reason: reason.into(),
    }
}
