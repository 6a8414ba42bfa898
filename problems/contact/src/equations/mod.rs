//! Between events: the rows of closed contacts and sticking joints, their derivatives, and the layout that has them.

pub(crate) mod correction;
mod joint_derivatives;
mod labels;
mod mobility;
mod motion;
mod passing;
pub(crate) mod relative;
mod row_derivatives;
pub(crate) mod rows;
mod shared_reactions;
pub(crate) mod slides;
mod sliding_joints;
pub(crate) mod structure;
pub(crate) mod wrapped;

use crate::{Contact, ContactStatus, ContactSystem, FrictionJoint, failed};
use joint_derivatives::JointDerivatives;
use liedae::linalg::KktError;
use liedae::system::{EvaluationError, Projector, RatesJacobian, State, System};
use mobility::Mobility;
use row_derivatives::RowDerivatives;
use shared_reactions::SharedReactions;
use slides::Slide;
use std::mem::swap;
use structure::{Statuses, Structure};

/// The system as it is between two events: the wrapped one, and a row for each contact that is closed and each joint that
/// sticks. It is a system without events of its own; [`set_statuses`](Self::set_statuses) changes it.
pub(crate) struct Equations {
    pub inner: ContactSystem,
    /// The contacts: names and laws.
    pub contacts: Vec<Contact>,
    /// Joints with friction.
    pub joints: Vec<FrictionJoint>,
    pub statuses: Statuses,
    /// How each contact slides in space, if it does.
    pub slides: Vec<Slide>,
    pub structure: Box<Structure>,
    /// What redundant joints share beside the motion.
    shared: SharedReactions,
    /// What puts states onto the rows of this structure, from when it was first needed.
    projector: Option<Box<Projector>>,
    /// How forces move the system with them, likewise.
    mobility: Option<Box<Mobility>>,
    /// All that belongs to other statuses that there have been, the latest last.
    earlier: Vec<Earlier>,
    work: Workspace,
}

/// Statuses that there have been, and what they need; in boxes, because contacts close and open at every impact.
struct Earlier {
    statuses: Statuses,
    structure: Box<Structure>,
    projector: Option<Box<Projector>>,
    mobility: Option<Box<Mobility>>,
}

/// As many structures are kept besides the present one: bodies touch again and again where they have touched.
const MOST_KEPT: usize = 8;

/// Memory for evaluations.
struct Workspace {
    lambda: Vec<f64>,
    rows: Vec<f64>,
    row: Vec<f64>,
    /// Two rows, in which a contact may slide.
    sliding_rows: Vec<f64>,
    inner_jacobian: Vec<f64>,
    inner_jacobian_by_velocity: Vec<f64>,
    inner_stiffness: Vec<f64>,
    rates: RatesJacobian,
    state: State,
    /// Statuses with what has just closed, and the configuration before it was put onto the gaps.
    together: Statuses,
    given: Vec<f64>,
    /// Memory for other statuses.
    spare: Statuses,
    derivatives: RowDerivatives,
    joint_derivatives: JointDerivatives,
}

impl Equations {
    /// All contacts open, joints without friction.
    pub fn new(
        inner: ContactSystem,
        contacts: Vec<Contact>,
        joints: Vec<FrictionJoint>,
    ) -> Result<Self, KktError> {
        let layout = inner.layout();
        let statuses = Statuses::none(contacts.len(), joints.len());
        let shared = SharedReactions::new(layout.rows(), layout.dimension(), layout.jacobian.nnz());
        let work = Workspace {
            lambda: vec![0.0; layout.rows()],
            rows: vec![0.0; layout.rows()],
            row: vec![0.0; layout.dimension()],
            sliding_rows: vec![0.0; 2 * layout.dimension()],
            inner_jacobian: vec![0.0; layout.jacobian.nnz()],
            inner_jacobian_by_velocity: vec![0.0; layout.jacobian.nnz()],
            inner_stiffness: vec![0.0; layout.stiffness_pattern()?.nnz()],
            rates: RatesJacobian::new(layout),
            state: layout.state(),
            together: statuses.clone(),
            spare: Statuses::default(),
            given: vec![0.0; layout.space.coordinates()],
            derivatives: RowDerivatives::new(&contacts, layout.dimension()),
            joint_derivatives: JointDerivatives::new(layout),
        };
        Ok(Self {
            structure: Box::new(Structure::new(layout, &contacts, &joints, &statuses)?),
            shared,
            projector: None,
            mobility: None,
            earlier: Vec::new(),
            inner,
            slides: vec![Slide::default(); contacts.len()],
            contacts,
            joints,
            statuses,
            work,
        })
    }

    /// Finds what redundant joints share at a state of the wrapped system, and which joints with friction it presses.
    pub fn find_shared_reactions(&mut self, state: &State) -> Result<(), EvaluationError> {
        let own = self
            .structure
            .inner_point(&state.point(), &mut self.work.lambda);
        self.shared.find(&mut self.inner, &self.joints, &own)
    }

    /// The joints with friction whose reactions the motion does not determine.
    pub fn joints_with_shared_reactions(&self) -> impl Iterator<Item = &FrictionJoint> {
        let pressed = |joint: &&FrictionJoint| joint.friction > 0.0 && self.shared.presses(joint);
        self.joints.iter().filter(pressed)
    }

    /// Contacts open, joints without friction; in the memory of statuses that are [done with](Self::done_with).
    pub fn nothing_closed(&mut self) -> Statuses {
        let mut open = std::mem::take(&mut self.work.spare);
        open.open(self.contacts.len(), self.joints.len());
        open
    }

    /// Keeps the memory of statuses that nobody needs any more.
    pub fn done_with(&mut self, statuses: Statuses) {
        self.work.spare = statuses;
    }

    /// Forgets the rows of all but the present statuses, and what has been done with them.
    pub fn forget_earlier(&mut self) {
        self.earlier.clear();
        (self.projector, self.mobility) = (None, None);
    }

    /// Changes the statuses: rows, modes and the shape of the state follow. Whether they were others.
    pub fn set_statuses(
        &mut self,
        statuses: &Statuses,
        state: &mut State,
    ) -> Result<bool, EvaluationError> {
        // What has stopped or left begins anew.
        for (slide, status) in self.slides.iter_mut().zip(&statuses.contacts) {
            if status.sliding().is_none() && *status != ContactStatus::Redundant {
                *slide = Slide::default();
            }
        }
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
        let changed = self.switch_to(statuses, state.t)?;
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
        Ok(changed)
    }

    /// Changes the statuses and with them rows and layout, but no state: configurations and velocities are the same with all of them.
    /// Whether they were others.
    fn switch_to(&mut self, statuses: &Statuses, t: f64) -> Result<bool, EvaluationError> {
        if *statuses == self.statuses {
            return Ok(false);
        }
        let mut known = self.earlier.iter();
        // The latest has most often been the one before.
        let known = known.rposition(|earlier| earlier.statuses == *statuses);
        match known {
            Some(index) => self.earlier[index..].rotate_left(1),
            None => {
                let (contacts, joints) = (&self.contacts, &self.joints);
                let structure = Structure::new(self.inner.layout(), contacts, joints, statuses);
                let wanted = Earlier {
                    structure: structure.map(Box::new).map_err(|error| {
                        failed(t, format!("the rows of contacts and joints: {error}"))
                    })?,
                    statuses: statuses.clone(),
                    projector: None,
                    mobility: None,
                };
                if self.earlier.len() == MOST_KEPT {
                    self.earlier.remove(0);
                }
                self.earlier.push(wanted);
            }
        }
        self.switch_to_latest();
        Ok(true)
    }

    /// Changes the statuses back to those before the last [`switch_to`](Self::switch_to) that has changed them.
    fn switch_back(&mut self) {
        self.switch_to_latest();
    }

    /// What there is changes places with the latest of what has been.
    fn switch_to_latest(&mut self) {
        if let Some(latest) = self.earlier.last_mut() {
            swap(&mut self.statuses, &mut latest.statuses);
            swap(&mut self.structure, &mut latest.structure);
            swap(&mut self.projector, &mut latest.projector);
            swap(&mut self.mobility, &mut latest.mobility);
        }
    }
}
