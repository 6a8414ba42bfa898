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
//! 1. Positions that have passed a contact are put back onto it, with all joints (eq. 35).
//! 2. If a contact of I_1 approaches, an impact is resolved by the [`ImpactLaw`], joints and friction included, and again
//!    until no contact approaches. Impacts that accumulate, and rebounds too short to be followed, end by [`Accumulation`].
//!    Where contacts are jammed, so that the law has no solution, e = 0 has one and is taken.
//! 3. Contacts of I_1 that do not rebound pose the complementarity problem at acceleration level,
//!    0 ≤ g_N'' ⟂ λ_N ≥ 0 with Coulomb friction; it says which stay closed, which slide and which stick. If it has no
//!    solution right behind an impact, impulses stop the sliding first. So they do at an impasse point: there the friction of joints,
//!    whose normal force is the norm of a reaction, leaves no solution ahead, and the step size would fall to nothing.
//! 4. Of those, an independent set becomes rows. A contact that depends on joints and on others has no row
//!    until the next event; its gap is watched.
//! 5. Velocities are put onto the rows (eq. 36), and the method starts anew.
//!
//! Redundant contacts share forces. The multipliers of the rows are one split of the forces among many with the same effect;
//! the contacts stay closed and go on sticking as long as any split is admissible, N ≥ 0 and |T| ≤ μ N in each of them,
//! even where sliding would be possible as well. The largest margin of all splits is the event function
//! of those that share forces. When it vanishes, the problem of step 3 with all their limits drawn in by a little, which
//! nothing can satisfy at rest, says which of them open and slide. Outputs, and reactions of joints among them, are those of
//! the admissible split of least Euclidean norm; multipliers of states are those of the rows. Sliding contacts share forces as
//! far as friction allows without a change of the motion. Where it does not, as with several coefficients of friction on one
//! edge, the motion is not unique, and the smoother contacts carry the load.
//!
//! An independent set of rows that does not change between events is what half-explicit methods need; see Haddouni et
//! al. 2017, sec. 4.5, for what happens without.
//!
//! Events are reported as `impact`, `release`, `stick`, `slip`, `reversal` and `accumulation`, each with the contact's
//! name, and as `impasse`; loads and changes of a contact's normal are events of the wrapped system. What rests when a run starts has not
//! begun to stick: that it does is no event, but among the modes of the state
//! ([`ContactStatus::mode`], [`JointStatus::mode`]).
//!
//! Joints with friction ([`FrictionJoint`]) take part in steps 2 to 5: their normal
//! force is |N| of the reaction in their own rows, which are always there; they stick (a velocity row), slip and
//! reverse like contacts. Steps 2 and 3 decide about contacts and joints together. A reaction that changes its side
//! while the joint slides is no event.
//!
//! Contacts in space have two sliding directions and a cone of friction. While one slides, friction is against the direction of its
//! velocity, and that direction is part of its state; it sticks by two velocity rows, or by one where other rows imply the other. Steps 2
//! and 3 solve for their forces with the methods of `moreau-jean`. Not yet possible between located events, and refused: Poisson's law
//! of impact with them.

mod automatic;
pub mod capturing;
mod closed;
pub mod complementarity;
mod contact_event;
mod detection;
mod equations;
mod event;
mod gaps;
mod hybrid;
mod impact;
mod laws;
mod margins;
mod options;
mod outputs;
mod participants;
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
