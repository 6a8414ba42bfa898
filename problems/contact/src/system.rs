//! The wrapped system: what it consists of, its statuses, and their rows.

use crate::closed::response::Response;
use crate::closed::sharing::Sharing;
use crate::complementarity::LcpSolver;
use crate::equations::joint_derivatives::JointDerivatives;
use crate::equations::row_derivatives::RowDerivatives;
use crate::equations::structure::{Statuses, Structure};
use crate::impact::accumulation::{Handover, Impacts};
use crate::{
    Contact, ContactError, ContactStatus, ContactSystem, Contacts, FrictionJoint,
    FrictionJointError, JointStatus, NonsmoothOptions, NonsmoothOptionsError, contact_system,
    failed,
};
use liedae::linalg::KktError;
use liedae::system::{
    AccelerationSolver, EvaluationError, EventDescription, EventHandling, LayoutError,
    RatesJacobian, State, System, output_names,
};
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
    pub(crate) inner: ContactSystem,
    pub(crate) options: NonsmoothOptions,
    pub(crate) contacts: Vec<Contact>,
    /// Joints with friction.
    pub(crate) joints: Vec<FrictionJoint>,
    pub(crate) statuses: Statuses,
    pub(crate) structure: Structure,
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
    pub(crate) work: Workspace,
}

/// How events are handled before a run says so.
const LOCATED: EventHandling = EventHandling::Located { tolerance: 0.0 };

/// Speeds against the direction of sliding: less than the velocity threshold, since what is faster slides on.
pub(crate) struct Backward {
    pub(crate) contacts: Vec<f64>,
    pub(crate) joints: Vec<f64>,
}

/// Memory for evaluations.
pub(crate) struct Workspace {
    pub(crate) lambda: Vec<f64>,
    pub(crate) rows: Vec<f64>,
    pub(crate) row: Vec<f64>,
    pub(crate) inner_jacobian: Vec<f64>,
    pub(crate) inner_jacobian_by_velocity: Vec<f64>,
    pub(crate) inner_stiffness: Vec<f64>,
    pub(crate) rates: RatesJacobian,
    pub(crate) state: State,
    pub(crate) derivatives: RowDerivatives,
    pub(crate) joint_derivatives: JointDerivatives,
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
        let statuses = Statuses::none(contacts.len(), joints.len());
        let structure = Structure::new(layout, &contacts, &joints, &statuses)?;
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
        let work = Workspace {
            lambda: vec![0.0; layout.rows()],
            rows: vec![0.0; layout.rows()],
            row: vec![0.0; layout.dimension()],
            inner_jacobian: vec![0.0; layout.jacobian.nnz()],
            inner_jacobian_by_velocity: vec![0.0; layout.jacobian.nnz()],
            inner_stiffness: vec![0.0; layout.stiffness_pattern()?.nnz()],
            rates: RatesJacobian::new(layout),
            state: layout.state(),
            derivatives: RowDerivatives::new(&contacts, layout.dimension()),
            joint_derivatives: JointDerivatives::new(layout),
        };
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
            inner,
            options,
            contacts,
            joints,
            statuses,
            structure,
            frictional,
            output_names,
            work,
        };
        system.describe_events();
        // Tried once, so that a state that is not admissible is refused here; runs begin from the state as it was given.
        let mut initial = system.inner.initial_state();
        let spatial = |contact: &Contact| contact.tangents > 1 && contact.friction > 0.0;
        let handling = if system.contacts.iter().any(spatial) {
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
        &self.inner
    }

    /// What each contact is doing. Before a run all are open; observers of its start see what they begin with, which
    /// is among the modes of the state as well.
    pub fn statuses(&self) -> &[ContactStatus] {
        &self.statuses.contacts
    }

    /// What each joint with friction is doing.
    pub fn joint_statuses(&self) -> &[JointStatus] {
        &self.statuses.joints
    }

    /// The contacts: names and laws.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Changes the statuses: rows, modes, event functions and the shape of the state follow.
    pub(crate) fn set_statuses(
        &mut self,
        statuses: Statuses,
        state: &mut State,
    ) -> Result<(), EvaluationError> {
        let inner_layout = self.inner.layout();
        let (inner_rows, inner_algebraic) = (inner_layout.rows(), inner_layout.algebraic);
        let inner_modes = inner_layout.modes;
        // What the joints carried is the first guess afterwards.
        let kept: Vec<f64> = if state.lambda.len() == self.structure.layout.rows() {
            let rows = self.structure.inner_rows.iter();
            rows.map(|&row| state.lambda[row]).collect()
        } else {
            vec![0.0; inner_rows]
        };
        if statuses != self.statuses {
            self.structure = Structure::new(inner_layout, &self.contacts, &self.joints, &statuses)
                .map_err(|error| {
                    failed(state.t, format!("the rows of contacts and joints: {error}"))
                })?;
            self.statuses = statuses;
        }
        let layout = &self.structure.layout;
        state.lambda.clear();
        state.lambda.resize(layout.rows(), 0.0);
        for (&row, value) in self.structure.inner_rows.iter().zip(kept) {
            state.lambda[row] = value;
        }
        state.z.resize(inner_algebraic, 0.0);
        state.z.resize(layout.algebraic, 0.0);
        state.mode.resize(inner_modes, 0);
        state.mode.extend(self.statuses.modes());
        self.describe_events();
        Ok(())
    }

    /// Opens all contacts and leaves the joints without friction.
    pub(crate) fn open_all(&mut self, state: &mut State) -> Result<(), EvaluationError> {
        let open = Statuses::none(self.contacts.len(), self.joints.len());
        self.sharing.clear();
        self.set_statuses(open, state)
    }
}
