//! The wrapped system: what it consists of, its statuses, and their rows.

use crate::closed::response::Response;
use crate::closed::sharing::Sharing;
use crate::complementarity::LcpSolver;
use crate::equations::Equations;
use crate::equations::structure::Statuses;
use crate::impact::accumulation::{Handover, Impacts};
use crate::participants::Fired;
use crate::{
    Contact, ContactError, ContactStatus, ContactSystem, Contacts, FrictionJointError, JointStatus,
    NonsmoothOptions, NonsmoothOptionsError, check_contacts, contact_system,
};
use liedae::linalg::KktError;
use liedae::system::{
    AccelerationSolver, Energy, EvaluationError, EventAction, EventDescription, EventHandling,
    EventReport, EventResponse, Events, Layout, LayoutError, Outputs, Point, RatesJacobian,
    SecondDerivatives, State, System, output_names, output_values, time_events,
};
use std::any::{Any, TypeId};
use thiserror::Error;

/// A nonsmooth system that cannot be set up.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum NonsmoothError {
    /// The system has no unilateral constraints, and no joints with friction.
    #[error("the system has no contacts and no joints that may stick: integrate it as it is")]
    NoContacts,
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
/// use liedae::solve::{Options, Silent, solve};
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
    pub(crate) handling: EventHandling,
    /// A force below minus this opens the contact.
    pub(crate) release_forces: Vec<f64>,
    /// How many functions tell where each contact's normal or curvature jumps.
    pub(crate) junctions: Vec<usize>,
    /// A joint at the limit of friction slips beyond it by this, one each.
    pub(crate) slip_forces: Vec<f64>,
    /// What the last event left of sliding against the direction it decided on, in m/s.
    pub(crate) backward_slides: Backward,
    /// Closed contacts whose rows are redundant, and the others that share forces with them.
    pub(crate) sharing: Sharing,
    pub(crate) impacts: Vec<Impacts>,
    pub(crate) lcp: LcpSolver,
    pub(crate) response: Response,
    pub(crate) accelerations: AccelerationSolver,
    pub(crate) initial: State,
    /// What the run has stopped for, if the event-capturing scheme is to take over.
    pub(crate) handing_over: Option<Handover>,
    /// Numbers of the contacts with a tangential event function.
    pub(crate) frictional: Vec<usize>,
    pub(crate) events: Vec<EventDescription>,
    /// How many of them are the wrapped system's.
    pub(crate) inner_events: usize,
    pub(crate) output_names: Vec<String>,
}

/// How events are handled before a run says so.
const LOCATED: EventHandling = EventHandling::Located { tolerance: 0.0 };

/// Speeds against the direction of sliding: less than the velocity threshold, since what is faster slides on.
pub(crate) struct Backward {
    pub(crate) contacts: Vec<f64>,
    pub(crate) joints: Vec<f64>,
}

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
        }
        let mut output_names = output_names(&mut inner).to_vec();
        let layout = inner.layout();
        for joint in &joints {
            joint.check(layout.rows())?;
        }
        let frictional: Vec<usize> = (0..contacts.len())
            .filter(|&contact| contacts[contact].tangents == 1 && contacts[contact].friction > 0.0)
            .collect();
        for contact in &contacts {
            output_names.push(format!("{}.gap", contact.label));
            output_names.push(format!("{}.force", contact.label));
            if contact.tangents == 1 {
                output_names.push(format!("{}.friction", contact.label));
            }
        }
        for joint in &joints {
            output_names.push(format!("{}.normal", joint.label));
            output_names.push(format!("{}.friction", joint.label));
        }
        let mut system = Self {
            response: Response::new(layout)?,
            accelerations: AccelerationSolver::new(layout)?,
            initial: inner.initial_state(),
            lcp: LcpSolver::default(),
            impacts: vec![Impacts::default(); contacts.len()],
            handling: LOCATED,
            handing_over: None,
            release_forces: vec![0.0; contacts.len()],
            junctions,
            slip_forces: vec![0.0; joints.len()],
            backward_slides: Backward {
                contacts: vec![0.0; contacts.len()],
                joints: vec![0.0; joints.len()],
            },
            sharing: Sharing::default(),
            events: Vec::new(),
            inner_events: 0,
            equations: Equations::new(inner, contacts, joints)?,
            options,
            frictional,
            output_names,
        };
        system.describe_events();
        // Tried once, so that a state that is not admissible is refused here; runs begin from the state as it was given.
        let mut initial = system.equations.inner.initial_state();
        let spatial = |contact: &Contact| contact.tangents > 1 && contact.friction > 0.0;
        let handling = if system.equations.contacts.iter().any(spatial) {
            EventHandling::Captured
        } else {
            LOCATED
        };
        system.form_index_sets(&mut initial.clone(), handling)?;
        system.open_all(&mut initial)?;
        system.initial = initial;
        Ok(system)
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

    /// Changes the statuses: rows, modes, event functions and the shape of the state follow.
    pub(crate) fn set_statuses(
        &mut self,
        statuses: Statuses,
        state: &mut State,
    ) -> Result<(), EvaluationError> {
        self.equations.set_statuses(statuses, state)?;
        self.describe_events();
        Ok(())
    }

    /// Opens all contacts and leaves the joints without friction.
    pub(crate) fn open_all(&mut self, state: &mut State) -> Result<(), EvaluationError> {
        let open = self.equations.nothing_closed();
        self.sharing.clear();
        self.set_statuses(open, state)
    }

    /// Begins from a state: who is closed, slides and sticks, with which rows.
    pub(crate) fn form_index_sets(
        &mut self,
        state: &mut State,
        handling: EventHandling,
    ) -> Result<Vec<EventReport>, EvaluationError> {
        self.handling = handling;
        self.handing_over = None;
        for impacts in &mut self.impacts {
            impacts.forget();
        }
        self.open_all(state)?;
        let space = &self.equations.structure.layout.space;
        if (state.q.len(), state.v.len()) != (space.coordinates(), space.dimension()) {
            // The driver's check of the initial values says what is wrong.
            return Ok(Vec::new());
        }
        self.begin(state)
    }
}

impl NonsmoothSystem {
    /// Computes the response of these contacts into `self.response`.
    pub(crate) fn compute_response(
        &mut self,
        chosen: &[usize],
        at: &Point,
    ) -> Result<(), EvaluationError> {
        let inside = self.equations.inside(at);
        self.response.compute(
            inside.system,
            &inside.at,
            inside.contacts,
            chosen,
            inside.joints,
        )
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
        reports.extend(self.form_index_sets(state, handling)?);
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

    fn extension(&mut self, wanted: TypeId) -> Option<&mut dyn Any> {
        self.equations.extension(wanted)
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

    fn events(&mut self) -> Option<&mut dyn Events> {
        Some(self)
    }
}

impl Outputs for NonsmoothSystem {
    fn names(&self) -> &[String] {
        &self.output_names
    }

    fn values(&mut self, state: &State, out: &mut [f64]) -> Result<(), EvaluationError> {
        let own = output_names(&mut self.equations.inner).len();
        let at = state.point();
        self.split_forces(&at)?;
        let changes = &self.sharing.changes;
        self.equations
            .with_inner_state(state, |inner, inner_state| {
                for (multiplier, change) in inner_state.lambda.iter_mut().zip(changes) {
                    *multiplier += change;
                }
                output_values(inner, inner_state, &mut out[..own])
            })?;
        let first_slide = self.equations.inner.layout().algebraic;
        let first_normal = self.equations.inner.layout().position_rows;
        let first_stick = self.equations.structure.first_stick();
        let mut slot = own;
        for contact in 0..self.equations.contacts.len() {
            out[slot] = self.equations.gap_of(contact, &at)?;
            let position = |list: &[usize]| list.iter().position(|&other| other == contact);
            let value = |index: usize| state.lambda.get(index).copied().unwrap_or(0.0);
            let shared = self.sharing.forces(contact);
            out[slot + 1] = match (shared, position(&self.equations.structure.normals)) {
                (Some([normal, _]), _) => normal,
                (None, Some(index)) => value(first_normal + index),
                (None, None) => 0.0,
            };
            slot += 2;
            if self.equations.contacts[contact].tangents == 1 {
                let slides = &self.equations.structure.slides;
                let sliding = slides.iter().position(|&(other, ..)| other == contact);
                out[slot] = match (shared, position(&self.equations.structure.sticks), sliding) {
                    (Some([_, friction]), ..) => friction,
                    (None, Some(index), _) => value(first_stick + index),
                    (None, None, Some(index)) => {
                        let normal = state.z.get(first_slide + index).copied().unwrap_or(0.0);
                        -self.equations.contacts[contact].friction * slides[index].1 * normal
                    }
                    (None, None, None) => 0.0,
                };
                slot += 1;
            }
        }
        for joint in 0..self.equations.joints.len() {
            [out[slot], out[slot + 1]] = self.equations.joint_forces(joint, &at);
            slot += 2;
        }
        Ok(())
    }
}

impl Events for NonsmoothSystem {
    fn descriptions(&mut self) -> &[EventDescription] {
        &self.events
    }

    fn event_functions(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.evaluate_events(at, out)
    }

    fn handle_events(
        &mut self,
        events: &[usize],
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        self.handle_located(events, state)
    }

    fn time_events(&mut self) -> &[f64] {
        time_events(&mut self.equations.inner)
    }

    fn largest_step(&mut self) -> f64 {
        (self.equations.inner.events()).map_or(f64::INFINITY, Events::largest_step)
    }

    fn handle_time_event(
        &mut self,
        event: usize,
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        let answer = self
            .equations
            .with_inner_state(state, |inner, own| match inner.events() {
                Some(events) => events.handle_time_event(event, own),
                None => Ok(EventAction::Restart.into()),
            });
        let mut response = answer?;
        if response.action != EventAction::Continue {
            self.equations.store_inner_state(state);
            let label = format!("time event {}", event + 1);
            response
                .reports
                .get_or_insert(vec![EventReport::new("load", label)]);
        }
        if self.handling == EventHandling::Captured {
            return Ok(response);
        }
        self.respond(&Fired::default(), response, state)
    }
}
