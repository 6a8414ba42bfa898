//! The wrapped system: its parts, the statuses of contacts, and their rows.

use crate::capturing::{ContactImpulse, JointImpulse};
use crate::closed::force_distribution::ForceDistribution;
use crate::closed::local_dynamics::LocalDynamics;
use crate::detection::Detection;
use crate::equations::Equations;
use crate::equations::structure::Statuses;
use crate::event_sets::Fired;
use crate::event_slack::EventSlack;
use crate::impact::accumulation::Accumulations;
use crate::impact::resolve::Lists;
use crate::outputs::{CapturedForces, ContactOutputs};
use crate::{
    Contact, ContactError, ContactStatus, ContactSystem, Contacts, FrictionJointError, ImpactLaw,
    JointStatus, NonsmoothOptions, NonsmoothOptionsError, check_contacts, contact_system,
};
use liedae::linalg::KktError;
use liedae::system::{
    Branches, Energy, EvaluationError, EventDescription, EventHandling, EventReport, EventResponse,
    Events, Labels, Layout, LayoutError, Outputs, Point, Properties, RatesJacobian,
    SecondDerivatives, Spatial, State, System, output_names, time_events,
};
use std::any::{Any, TypeId};
use thiserror::Error;

/// A nonsmooth system that cannot be set up.
///
/// ```
/// use liedae::prelude::*;
/// use liedae_contact::{ContactModel, NonsmoothError, NonsmoothOptions, NonsmoothSystem, with_contacts};
///
/// /// A mass that touches nothing.
/// struct Free;
/// # impl Model for Free {
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
/// impl ContactModel for Free {}
///
/// let Err(error) = NonsmoothSystem::new(with_contacts(Free), NonsmoothOptions::default()) else {
///     panic!("there is nothing to look after")
/// };
/// assert_eq!(error, NonsmoothError::NoContacts);
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
pub enum NonsmoothError {
    /// The system has no unilateral constraints, and no joints with friction.
    #[error("the system has no contacts and no joints that may stick: integrate it as it is")]
    NoContacts,
    /// Poisson's law of impact where friction has two directions.
    #[error(
        "contact `{label}` slides in two directions: Poisson's law of impact is that of friction in the plane; use Moreau's or the \
         sequential one"
    )]
    PoissonInSpace {
        /// The contact.
        label: String,
    },
    /// The friction of a joint makes no sense.
    #[error(transparent)]
    FrictionJoint(#[from] FrictionJointError),
    /// The law of a contact makes no sense.
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// Options out of range.
    #[error(transparent)]
    Options(#[from] NonsmoothOptionsError),
    /// The layout contradicts itself.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The layout cannot be factorized.
    #[error(transparent)]
    Linear(#[from] KktError),
    /// The initial state is not admissible.
    #[error("initial values: {0}")]
    Initial(#[from] EvaluationError),
}

/// A system with contacts as a system of changing rows, modes and events; see the [module's documentation](crate).
///
/// ```
/// use liedae::integrator::{Hem5, Projection};
/// use liedae::solve::{Options, solve};
/// use liedae::manifold::Manifold;
/// use liedae::scalar::Scalar;
/// use liedae::system::{Layout, MatrixMut, Model, Point, State};
/// use liedae_contact::{Contact, ContactModel, NonsmoothOptions, NonsmoothSystem, with_contacts};
///
/// /// A ball above a floor, 1 m high.
/// struct Ball;
///
/// impl Model for Ball {
///     fn layout(&self) -> Layout {
///         Layout::dense(Manifold::euclidean(1))
///     }
///     fn initial_state(&self) -> State {
///         State { q: vec![1.0], ..self.layout().state() }
///     }
///     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
///         mass[(0, 0)] = S::constant(1.0);
///     }
///     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
///         force[0] = S::constant(-9.81);
///     }
///     // Not without its floor.
///     fn needs_layer(&self) -> bool {
///         true
///     }
/// }
///
/// impl ContactModel for Ball {
///     fn contacts(&self) -> Vec<Contact> {
///         vec![Contact::new("floor", 0.5)]
///     }
///     fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S {
///         at.q[0]
///     }
/// }
///
/// let mut system = NonsmoothSystem::new(with_contacts(Ball), NonsmoothOptions::default())?;
/// let solution = solve(&mut system, &Hem5::new(Projection::EveryStep), &Options::adaptive(2.0, 1e-8, 1e-8))?;
/// assert_eq!(solution.events.last().unwrap().kind, "accumulation");
/// assert!(solution.state.q[0].abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NonsmoothSystem {
    /// The rows of what is closed and sticks.
    pub(crate) equations: Equations,
    pub(crate) options: NonsmoothOptions,
    pub(crate) detection: Detection,
    /// What the last event allows the event functions.
    pub(crate) margins: EventSlack,
    /// Closed contacts whose rows are redundant, and the others that share forces with them.
    pub(crate) sharing: ForceDistribution,
    /// What moves contacts and joints.
    pub(crate) dynamics: LocalDynamics,
    /// Impacts in shrinking intervals.
    pub(crate) accumulations: Accumulations,
    /// Memory for impacts.
    pub(crate) lists: Lists,
    /// Memory for who has an event. It means nothing between events.
    pub(crate) fired: Option<Box<Fired>>,
    pub(crate) initial: State,
    pub(crate) outputs: ContactOutputs,
    /// Forces of the last step, where events are captured.
    captured: Option<CapturedForces>,
}

/// How events are handled before a run says so.
const LOCATED: EventHandling = EventHandling::Located { tolerance: 0.0 };

impl NonsmoothSystem {
    /// Wraps a system with contacts and forms the index sets of its initial state.
    pub fn new(
        inner: impl Contacts + 'static,
        options: NonsmoothOptions,
    ) -> Result<Self, NonsmoothError> {
        let mut inner = contact_system(inner);
        options.check()?;
        inner.layout().check()?;
        let contacts = inner.unilateral().map(|unilateral| {
            let contacts = unilateral.contacts().to_vec();
            let junctions = (0..contacts.len()).map(|contact| unilateral.junctions(contact));
            let junctions: Vec<usize> = junctions.collect();
            (contacts, junctions)
        });
        let joints = inner
            .joint_friction()
            .map(|friction| friction.friction_joints().to_vec());
        if contacts.is_none() && joints.is_none() {
            return Err(NonsmoothError::NoContacts);
        }
        let (contacts, junctions) = contacts.unwrap_or_default();
        let joints = joints.unwrap_or_default();
        for contact in &contacts {
            contact.check()?;
            if contact.is_spatial() && options.law == ImpactLaw::Poisson {
                let label = contact.label.clone();
                return Err(NonsmoothError::PoissonInSpace { label });
            }
        }
        let output_names = output_names(&mut inner).to_vec();
        let layout = inner.layout();
        for joint in &joints {
            joint.check(layout.rows())?;
        }
        let mut system = Self {
            dynamics: LocalDynamics::new(layout)?,
            initial: inner.initial_state(),
            accumulations: Accumulations::none(contacts.len()),
            lists: Lists::default(),
            fired: None,
            outputs: ContactOutputs::new(output_names, &contacts, &joints),
            detection: Detection::new(&contacts, junctions, LOCATED),
            margins: EventSlack::none(contacts.len(), joints.len()),
            sharing: ForceDistribution::default(),
            equations: Equations::new(inner, contacts, joints)?,
            options,
            captured: None,
        };
        system.detection.describe(&mut system.equations);
        // Tried once, so that a state that is not admissible is refused here; runs begin from the state as it was given.
        let mut initial = system.equations.inner.initial_state();
        // Methods that capture events take redundant contacts with friction in space, too.
        let handling = if system.contacts().iter().any(Contact::is_spatial) {
            EventHandling::Captured
        } else {
            LOCATED
        };
        system.begin(&mut initial.clone(), handling)?;
        system.open_all(&mut initial)?;
        system.initial = initial;
        Ok(system)
    }

    /// What it was made with.
    pub fn options(&self) -> &NonsmoothOptions {
        &self.options
    }

    /// The wrapped system.
    pub fn inner(&self) -> &ContactSystem {
        &self.equations.inner
    }

    /// What each contact is doing. Before a run all are open; observers of its start see what they begin with, which
    /// is among the modes of the state as well.
    pub fn statuses(&self) -> &[ContactStatus] {
        &self.equations.statuses.contacts
    }

    /// What each joint with friction is doing.
    pub fn joint_statuses(&self) -> &[JointStatus] {
        &self.equations.statuses.joints
    }

    /// The contacts: names and laws.
    pub fn contacts(&self) -> &[Contact] {
        &self.equations.contacts
    }

    /// Whether the last run was one of a method that captures events, such as [`MoreauJean`](crate::capturing::MoreauJean): outputs
    /// show the mean forces of its last step then, impacts included, and none before the first one.
    ///
    /// ```
    /// # use liedae_contact::NonsmoothSystem;
    /// # fn show(system: &NonsmoothSystem) {
    /// if system.captures_events() {
    ///     println!("forces are those of steps");
    /// }
    /// # }
    /// ```
    pub fn captures_events(&self) -> bool {
        self.captured.is_some()
    }

    /// The joints with friction whose reactions the motion does not determine, since rows of joints are redundant, as they were in the
    /// run before: of those that are possible, friction takes the reactions of least norm.
    ///
    /// ```
    /// use liedae_contact::{NonsmoothOptions, NonsmoothSystem};
    /// # fn show(system: &NonsmoothSystem) {
    /// for joint in system.joints_with_shared_reactions() {
    ///     println!("what presses `{joint}` is not determined by rigid bodies");
    /// }
    /// # }
    /// ```
    pub fn joints_with_shared_reactions(&self) -> Vec<&str> {
        let joints = self.equations.joints_with_shared_reactions();
        joints.map(|joint| joint.label.as_str()).collect()
    }

    /// What a step of a method that captures events has found: impulses within this time.
    pub(crate) fn take_captured(
        &mut self,
        contacts: &[ContactImpulse],
        joints: &[JointImpulse],
        h: f64,
    ) {
        if let Some(captured) = &mut self.captured {
            captured.take(contacts, joints, h);
        }
    }

    /// Changes the statuses: rows, modes, event functions and the shape of the state follow. Whether they were others.
    pub(crate) fn set_statuses(
        &mut self,
        statuses: &Statuses,
        state: &mut State,
    ) -> Result<bool, EvaluationError> {
        let changed = self.equations.set_statuses(statuses, state)?;
        // Event functions of the wrapped system may have changed beside the statuses.
        if changed || self.detection.sees_inner_events(&mut self.equations) {
            self.detection.describe(&mut self.equations);
        }
        Ok(changed)
    }

    /// Opens all contacts and leaves the joints without friction.
    pub(crate) fn open_all(&mut self, state: &mut State) -> Result<(), EvaluationError> {
        let open = self.equations.nothing_closed();
        self.sharing.clear();
        self.equations.set_statuses(&open, state)?;
        self.detection.describe(&mut self.equations);
        Ok(())
    }
}

impl System for NonsmoothSystem {
    fn layout(&self) -> &Layout {
        self.equations.layout()
    }

    fn initial_state(&self) -> State {
        self.initial.clone()
    }

    fn prepare(
        &mut self,
        state: &mut State,
        handling: EventHandling,
    ) -> Result<Vec<EventReport>, EvaluationError> {
        let prepared = self.equations.with_inner_state(state, |inner, own| {
            check_contacts(inner, own).map_err(EvaluationError::own)?;
            inner.prepare_with_contacts(own, handling)
        });
        let mut reports = prepared?;
        self.equations.store_inner_state(state);
        reports.extend(self.begin(state, handling)?);
        let counts = [self.contacts().len(), self.equations.joints.len()];
        self.captured = (handling == EventHandling::Captured).then(|| CapturedForces::none(counts));
        Ok(reports)
    }

    fn mass_matrix(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.equations.mass_matrix(at, out)
    }

    fn rates(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.equations.rates(at, out)
    }

    fn rates_jacobian(
        &mut self,
        at: &Point,
        out: &mut RatesJacobian,
    ) -> Result<(), EvaluationError> {
        self.equations.rates_jacobian(at, out)
    }

    fn position_constraint(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.equations.position_constraint(at, out)
    }

    fn velocity_constraint(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.equations.velocity_constraint(at, out)
    }

    fn constraint_jacobian(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.equations.constraint_jacobian(at, out)
    }

    fn acceleration_bias(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.equations.acceleration_bias(at, out)
    }

    fn labels(&self) -> Option<&dyn Labels> {
        self.equations.labels()
    }

    fn spatial(&self) -> Option<&dyn Spatial> {
        self.equations.spatial()
    }

    fn extension(&mut self, wanted: TypeId) -> Option<&mut dyn Any> {
        if wanted == TypeId::of::<Self>() {
            return Some(self);
        }
        self.equations.extension(wanted)
    }

    fn branches(&mut self) -> Option<&mut dyn Branches> {
        self.equations.branches()
    }

    fn second_derivatives(&mut self) -> Option<&mut dyn SecondDerivatives> {
        self.equations.second_derivatives()
    }

    fn outputs(&mut self) -> Option<&mut dyn Outputs> {
        Some(self)
    }

    fn energy(&mut self) -> Option<&mut dyn Energy> {
        self.equations.energy()
    }

    fn properties(&mut self) -> Option<&mut dyn Properties> {
        self.equations.properties()
    }

    fn events(&mut self) -> Option<&mut dyn Events> {
        Some(self)
    }
}

impl Outputs for NonsmoothSystem {
    fn names(&self) -> &[String] {
        &self.outputs.names
    }

    fn definitions(&mut self) -> Vec<Option<String>> {
        self.outputs.definitions(&mut self.equations)
    }

    fn values(&mut self, state: &State, out: &mut [f64]) -> Result<(), EvaluationError> {
        let (response, slack) = (&mut self.dynamics.response, &self.margins);
        self.sharing
            .split_forces(&mut self.equations, response, slack, &state.point())?;
        self.outputs
            .evaluate(&mut self.equations, &self.sharing, state, out)?;
        if let Some(captured) = &self.captured {
            (self.outputs).show_captured(captured, &self.equations.contacts, out);
        }
        Ok(())
    }
}

impl Events for NonsmoothSystem {
    fn descriptions(&mut self) -> &[EventDescription] {
        &self.detection.descriptions
    }

    fn event_functions(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        if self.detection.handling != EventHandling::Captured && !self.sharing.is_empty() {
            let (response, slack) = (&mut self.dynamics.response, &self.margins);
            self.sharing
                .compute_margins(&mut self.equations, response, slack, at)?;
        }
        let left = (&self.sharing, &self.margins);
        let thresholds = &self.options.thresholds;
        self.detection
            .evaluate(&mut self.equations, left, thresholds, at, out)
    }

    fn event_function(
        &mut self,
        event: usize,
        at: &Point,
        memory: &mut [f64],
    ) -> Result<f64, EvaluationError> {
        if self.detection.handling != EventHandling::Captured {
            let left = (&self.sharing, &self.margins);
            let thresholds = &self.options.thresholds;
            let (detection, equations) = (&self.detection, &mut self.equations);
            let alone = detection.evaluate_alone(equations, left, thresholds, at, event)?;
            if let Some(value) = alone {
                return Ok(value);
            }
        }
        self.event_functions(at, memory)?;
        Ok(memory[event])
    }

    fn handle_events(
        &mut self,
        events: &[usize],
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        self.handle(events, state)
    }

    fn time_events(&mut self) -> &[f64] {
        time_events(&mut self.equations.inner)
    }

    fn largest_step(&mut self) -> f64 {
        (self.equations.inner.events()).map_or(f64::INFINITY, Events::largest_step)
    }

    fn explicit_step(&mut self, at: &Point, acceleration: &[f64]) -> Result<f64, EvaluationError> {
        self.longest_explicit_step(at, acceleration)
    }

    fn handle_time_event(
        &mut self,
        event: usize,
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        self.handle_moment(event, state)
    }

    fn passing_step(&mut self, at: &Point, acceleration: &[f64]) -> Result<f64, EvaluationError> {
        if self.detection.handling == EventHandling::Captured {
            return Ok(f64::INFINITY);
        }
        self.equations.passing_step(at, acceleration)
    }

    fn handle_impasse(&mut self, state: &mut State) -> Result<EventResponse, EvaluationError> {
        self.pass_impasse(state)
    }
}
