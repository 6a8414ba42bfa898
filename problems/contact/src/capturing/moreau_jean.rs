//! Moreau-Jean time-stepping on a Lie group.

use super::contacts::StepContacts;
use super::correction::{self, PositionCorrection};
use super::dynamics::Dynamics;
use super::gauge::ImpulseGauge;
use super::iterate::Span;
use crate::{NonsmoothSystem, joint_friction, unilateral};
use liedae::control::ErrorNorm;
use liedae::integrator::{
    Attempt, Integrator, Kind, Method, NewtonOptions, Orders, StepError, StepSizes, Stepper, Work,
    require_identity_descriptor, require_index,
};
use liedae::system::{Evaluator, State, System};
use std::any::TypeId;

/// Moreau-Jean theta-scheme at velocity level, with joints, contacts, impacts and Coulomb friction.
///
/// With v_θ = θ v_{n+1} + (1-θ) v_n, all functions taken at t_n + θ h, q_n · exp(θ h v_θ), v_θ and x_θ, and P = h λ:
///
/// ```text
/// M (v_{n+1} - v_n) = h f + Gᵀ P + H_Nᵀ P_N + H_Tᵀ P_T + H_Jᵀ Q,   q_{n+1} = q_n · exp(h v_θ), then corrected
/// G v_{n+1} + ∂g/∂t = 0,  b = 0                              at t_{n+1}, q_{n+1}
/// 0 <= U_N⁺ - ℓ ⟂ P_N >= 0                                   U_N = H_N v + ∂g_N/∂t, closed contacts
/// |P_T| <= μ P_N,  U_T⁺ ≠ 0 ⇒ P_T = -μ P_N U_T⁺ / |U_T⁺|
/// Q ∈ -L/2 (Sgn(s⁺) + Sgn(s⁺ + (1-θ)/θ s⁻)),  L = μ Σ |N(P)|    s the sliding velocity of a joint, at q_n and q_{n+1}
/// x_{n+1} = x_n + h d,   0 = a
/// ```
///
/// **Contacts.** Those take part whose gap at the end of the step would be negative or zero without contact impulses,
/// and those that the impulses of these close. Newton's law with Moreau's reading for simultaneous contacts is ℓ = -e
/// U_N⁻ for approach velocities U_N⁻ < 0. A contact that does not approach at the start of the step (U_N⁻ >= 0) and
/// would be closed at its end gets ℓ = -(g_N/h + (1-θ) U_N⁻)/θ: its gap ends at zero, and its impulse does the work
/// -P_N g_N/h <= 0. Moreau's -e U_N⁻ would do positive work there. A ball that bounces in less than about a step thus
/// loses velocity by the factor e every second step and comes to rest, down to round-off; with e = 0 at once. Normals
/// and tangents H are taken at the inner point of the motion without contact impulses, for the velocities before and
/// after and for the impulses.
///
/// **Joints with friction** ([`FrictionJoint`](crate::FrictionJoint)) rub by the reactions of the same step: N
/// are linear forms of the impulses P of the joint's own rows, so that friction of a step may press the joint, others and
/// contacts, and impacts press joints. s⁺ is taken at the end of the step and its settled configuration, where it
/// is zero to round-off while the joint sticks: nothing creeps where the mechanism rests, and by O(h²) in a moving one.
/// The impulse acts along the row H_J = ∂s/∂v of the inner point. Without the second Sgn this is Coulomb's law at
/// the end of the step; with it Q (θ s⁺ + (1-θ) s⁻) <= 0, so that friction of a joint never does positive work, in a step
/// in which the joint reverses neither (between the two velocities at which it may be held, such a step has no friction).
/// With θ = 1 both are the same. Sliding that locks itself, for which no friction force exists at acceleration level
/// (Painlevé), stops within a step. A joint whose sliding the constraints prevent gets no friction. With redundant
/// rows the reactions are those of least norm; joints with friction thus keep all rows in the equations.
/// [`ImpulseGauge`] shows the impulses of the last step.
///
/// **Energy.** Impulses of frictionless contacts do the work P_N (1 - θ (1 + e)) U_N⁻, which is negative for all e in
/// [0, 1] only with θ = 1/2, the default; larger θ damps what is smooth, (θ - 1/2) |v_{n+1} - v_n|²_M per step, but
/// needs θ <= 1/(1 + e) (Acary 2016, doi:10.1002/zamm.201400231). Coulomb friction after Newton's impact can gain
/// energy at eccentric impacts with e > 0: a property of that law. What else is gained vanishes with the step: up to μ
/// P_N |U_T⁻|/2, O(h²), where friction reverses within a step; O(h²) where an impact turns the normals within its step
/// and positions are corrected after it; O(h) in velocity rows and joints that take part in an impact with e near 1,
/// since they hold at the end of the step while their impulses act in its middle.
///
/// **Impulses** come from [`ImpactSolver`](super::ImpactSolver), with the responses of the system from the one factorization of the step,
/// so that joints may be redundant. [`ImpulseGauge`] shows those of the last step. Where contacts jam, Newton's law may have no
/// solution, as the impulses that would make them rebound only balance each other: e = 0 in such a step.
///
/// **Positions** are moved onto {g = 0, g_N >= 0} by the least change in the metric of the step's matrix (the mass
/// matrix but for stiff forces) after the velocities; then velocities are solved for once more with the configuration
/// settled, so that both levels of the joints hold, each at its place (Acary 2013, doi:10.1016/j.cma.2012.12.012).
///
/// The equations are solved by Newton's method: ∂f, geometric stiffness of M and Gᵀ λ, one factorization per step, a
/// new one when convergence is slow; contacts enter each iteration with fixed H, joints with friction with rows of the
/// end of the step, as the constraints then do too, so that all of them may stick at once. Cost per step: 2 to 4 evaluations of
/// f, M and G, twice that with closed contacts, one solve per contact row and joint with friction.
///
/// **Orders.** Without contacts and with θ = 1/2, the implicit midpoint rule: 2 in q, v and x; multipliers,
/// accelerations (mean values of the step) and z 1 at the end of the step; so while joints slide, with order 1 to 2 over
/// changes between sticking, sliding and reversal. Order 1 with θ > 1/2. With impacts 1, for q
/// in a norm averaged over time: at one moment velocities are off by O(1) if an impact is near. After an impact
/// `State::lambda` holds P/h with the impulses of joints. Fixed steps only: there is no error estimate. Systems with E
/// x' = d need E the identity.
///
/// Use it for many contacts, accumulating impacts and friction, where locating events would be hopeless; and with
/// closed contacts that stay. Not for high accuracy between few impacts, nor with θ = 1/2 for stiff modes to be damped
/// out (they ring; θ = 1 damps them).
///
/// Sources: M. Jean, CMAME 177 (1999), doi:10.1016/S0045-7825(98)00383-1; V. Acary, B. Brogliato, Numerical Methods for
/// Nonsmooth Dynamical Systems, Springer 2008, ch. 10, doi:10.1007/978-3-540-75392-6; friction of bilateral constraints by
/// the norm of their multipliers after F. Pfeiffer, C. Glocker, Multibody Dynamics with Unilateral Contacts, Wiley 1996,
/// ch. 8, doi:10.1002/9783527618385; the law with two velocities for a joint is this project's.
///
/// ```
/// use liedae::prelude::*;
/// use liedae_contact::capturing::MoreauJean;
/// use liedae_contact::{Contact, ContactModel, with_contacts};
///
/// /// A ball that bounces until it rests: it falls from 1 m and keeps half its velocity at each impact.
/// struct Ball;
/// # impl Model for Ball {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(1)) }
/// #     fn initial_state(&self) -> State {
/// #         State { q: vec![1.0], v: vec![0.0], ..self.layout().state() }
/// #     }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         mass[(0, 0)] = S::constant(1.0);
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[0] = S::constant(-10.0); }
/// #     fn needs_layer(&self) -> bool { true }
/// # }
///
/// impl ContactModel for Ball {
///     fn contacts(&self) -> Vec<Contact> { vec![Contact::new("floor", 0.5)] }
///     fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S { at.q[0] }
/// }
///
/// let solution = solve(&mut with_contacts(Ball), &MoreauJean::default(), &Options::fixed(2.0, 1e-3))?;
/// // Of infinitely many impacts none is located.
/// assert!(solution.events.is_empty());
/// assert!(solution.state.q[0].abs() < 1e-6 && solution.state.v[0].abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MoreauJean {
    theta: f64,
    options: NewtonOptions,
    gauge: Option<ImpulseGauge>,
}

/// A run of [`MoreauJean`].
struct MoreauJeanStepper {
    dynamics: Dynamics,
    contacts: Option<StepContacts>,
    correction: PositionCorrection,
    gauge: Option<ImpulseGauge>,
}

impl MoreauJeanStepper {
    fn solve(
        &mut self,
        system: &mut Evaluator,
        span: &Span,
        to: &mut State,
    ) -> Result<(), StepError> {
        let Self {
            dynamics,
            contacts,
            correction,
            gauge: _,
        } = self;
        dynamics.begin(span);
        if let Some(contacts) = contacts {
            contacts.begin();
            // Rows of joints are taken at the start of the iteration and stay during the step.
            if contacts.rub() {
                dynamics.iterate.place(system.layout(), span, false);
                contacts.load_joints(system, span, &dynamics.iterate)?;
            }
        }
        let rubbing = contacts.as_mut().filter(|contacts| contacts.rub());
        let mut pushed = rubbing.is_some();
        // First without contacts: where would the step end?
        dynamics.iterate(system, span, rubbing, false)?;
        if let Some(contacts) = contacts {
            contacts.anchor(&dynamics.iterate, span);
            let mut threshold = 0.0;
            // Contacts that the end violates join, until the impulses close no further ones.
            while contacts.close(system, span, &dynamics.iterate.end(span), threshold)? {
                pushed = true;
                dynamics.iterate(system, span, Some(contacts), false)?;
                // What is left is round-off, or for the correction of positions.
                threshold = -correction::floor(&dynamics.iterate.end_q);
            }
        }
        // Positions last, then velocities once more with the configuration held.
        let moved = correction.run(system, span, dynamics, contacts.as_mut())?;
        if moved && !dynamics.iterate.p.is_empty() {
            let contacts = contacts.as_mut().filter(|_| pushed);
            dynamics.iterate(system, span, contacts, true)?;
        }
        if let Some(contacts) = contacts {
            contacts.finish(&dynamics.iterate.p);
        }
        dynamics.iterate.store(to);
        Ok(())
    }

    fn show_impulses(&self) {
        if let (Some(gauge), Some(contacts)) = (&self.gauge, &self.contacts) {
            gauge.show(contacts.last(), contacts.last_of_joints());
        }
    }
}

/// The system whose outputs show forces of contacts and friction.
fn nonsmooth(system: &mut dyn System) -> Option<&mut NonsmoothSystem> {
    system
        .extension(TypeId::of::<NonsmoothSystem>())?
        .downcast_mut()
}

impl MoreauJean {
    /// What the method is.
    pub const METHOD: Method = Method::new(
        "moreau-jean",
        Kind::Implicit,
        Orders {
            q: 2,
            v: 2,
            lambda: 1,
        },
    )
    .with_title("Moreau-Jean theta-scheme")
    .with_index(2)
    .capturing_events()
    .with_source("Acary, Brogliato 2008, ch. 10, doi:10.1007/978-3-540-75392-6; Jean 1999, doi:10.1016/S0045-7825(98)00383-1")
    .with_advice(
        "contacts, impacts and friction in numbers, accumulating impacts, contacts that stay closed, joints that stick and slip; fixed steps",
        "few impacts and high accuracy: event location with hem5 or dop853; smooth systems that need error control",
    );

    /// θ unless another is chosen: no impact gains energy, and smooth motions have order 2.
    pub const DEFAULT_THETA: f64 = 0.5;

    /// The method with θ in [1/2, 1], which is checked at the start of a run, and options for its Newton iteration.
    pub fn new(theta: f64, options: NewtonOptions) -> Self {
        Self {
            theta,
            options,
            gauge: None,
        }
    }

    /// The same, showing the impulses of every accepted step on a gauge. A start clears it.
    pub fn measuring_impulses(self, gauge: &ImpulseGauge) -> Self {
        Self {
            gauge: Some(gauge.clone()),
            ..self
        }
    }
}

impl Default for MoreauJean {
    fn default() -> Self {
        Self::new(Self::DEFAULT_THETA, NewtonOptions::default())
    }
}

impl Integrator for MoreauJean {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        _sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        if let Some(gauge) = &self.gauge {
            gauge.clear();
        }
        let theta = self.theta;
        if !(0.5..=1.0).contains(&theta) {
            return Err(StepError::Option {
                method: Self::METHOD.name,
                reason: format!("theta = {theta} must be between 1/2 and 1"),
            });
        }
        let layout = system.layout().clone();
        require_index(&layout, Self::METHOD.name, 0)?;
        require_identity_descriptor(&layout, Self::METHOD.name)?;
        let linear = |source| StepError::linear(state.t, source);
        let contacts = StepContacts::new(system, &layout, theta)?;
        let count = contacts.as_ref().map_or(0, StepContacts::len);
        let stepper = MoreauJeanStepper {
            dynamics: Dynamics::new(&layout, theta, self.options).map_err(linear)?,
            contacts,
            correction: PositionCorrection::new(&layout, count),
            gauge: self.gauge.clone(),
        };
        stepper.show_impulses();
        Ok(Box::new(stepper))
    }

    fn owns_contacts(&self, system: &mut Evaluator) -> bool {
        let system = system.system();
        unilateral(system).is_some() || joint_friction(system).is_some()
    }

    /// Where joints rub, their reactions bound friction.
    fn uses_multipliers(&self, system: &mut Evaluator) -> bool {
        joint_friction(system.system()).is_some()
    }
}

impl Stepper for MoreauJeanStepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        _norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        let end = to.t;
        let span = Span {
            from,
            h,
            end,
            mode: &from.mode,
        };
        self.solve(system, &span, to)?;
        Ok(Attempt::without_estimate())
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        _from: &State,
        h: f64,
        _to: &mut State,
    ) -> Result<(), StepError> {
        self.show_impulses();
        if let (Some(contacts), Some(shown)) = (&self.contacts, nonsmooth(system.system())) {
            shown.take_captured(contacts.last(), contacts.last_of_joints(), h);
        }
        Ok(())
    }

    fn work(&self) -> Work {
        let dynamics = &self.dynamics;
        Work {
            factorizations: dynamics.kkt.factorizations(),
            solves: dynamics.kkt.solves(),
            newton_iterations: dynamics.newton_iterations,
        }
    }
}
