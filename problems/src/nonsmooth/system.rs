//! The wrapped system, with its closed contacts as rows.

use super::accumulation::Impacts;
use super::response::Response;
use super::rows::{Level, RowDerivatives};
use super::structure::Structure;
use super::{ContactStatus, NonsmoothOptions, NonsmoothOptionsError, failed};
use liedae::complementarity::LcpSolver;
use liedae::linalg::KktError;
use liedae::system::{
    AccelerationSolver, Contact, ContactError, EvaluationError, EventAction, EventDescription,
    EventHandling, EventReport, EventResponse, Layout, LayoutError, Point, RatesJacobian, State,
    System, UnilateralConstraints,
};
use thiserror::Error;

/// A nonsmooth system that cannot be set up.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum NonsmoothError {
    /// The system has no unilateral constraints.
    #[error("the system has no contacts: integrate it as it is")]
    NoContacts,
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

/// A system with contacts as a system of changing rows, modes and events; see the [module's documentation](super).
///
/// ```
/// use liedae::integrator::{Hem5, Projection};
/// use liedae::solve::{Options, Silent, solve};
/// use liedae::manifold::Manifold;
/// use liedae::scalar::Scalar;
/// use liedae::system::{Automatic, Contact, Layout, MatrixMut, Model, Point, State};
/// use liedae_problems::nonsmooth::{NonsmoothOptions, NonsmoothSystem};
///
/// /// A ball above a floor, 1 m high.
/// struct Ball;
///
/// impl Model for Ball {
///     fn layout(&self) -> Layout {
///         Layout::unconstrained(Manifold::euclidean(1))
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
///     fn contacts(&self) -> Vec<Contact> {
///         vec![Contact::new("floor", 0.5)]
///     }
///     fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S {
///         at.q[0]
///     }
/// }
///
/// let mut system = NonsmoothSystem::new(Automatic::new(Ball), NonsmoothOptions::default())?;
/// let solution = solve(&mut system, &mut Hem5::new(Projection::EveryStep), &Options::adaptive(2.0, 1e-8, 1e-8))?;
/// assert_eq!(solution.events.last().unwrap().kind, "accumulation");
/// assert!(solution.state.q[0].abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NonsmoothSystem<S> {
    pub(super) inner: S,
    pub(super) options: NonsmoothOptions,
    pub(super) contacts: Vec<Contact>,
    pub(super) statuses: Vec<ContactStatus>,
    pub(super) structure: Structure,
    pub(super) handling: EventHandling,
    /// Largest normal force at the last event, what released contacts are measured against.
    pub(super) force_scale: f64,
    /// Forces that accelerate a gap by the threshold only.
    pub(super) least_force: f64,
    pub(super) impacts: Vec<Impacts>,
    pub(super) lcp: LcpSolver,
    pub(super) response: Response,
    pub(super) accelerations: AccelerationSolver,
    pub(super) initial: State,
    /// Whether the run has stopped for the event-capturing scheme to take over.
    pub(super) handing_over: bool,
    /// Numbers of the contacts with a tangential event function.
    pub(super) frictional: Vec<usize>,
    events: Vec<EventDescription>,
    output_names: Vec<String>,
    work: Workspace,
}

/// Memory for evaluations.
struct Workspace {
    lambda: Vec<f64>,
    rows: Vec<f64>,
    row: Vec<f64>,
    inner_jacobian: Vec<f64>,
    inner_jacobian_by_velocity: Vec<f64>,
    inner_stiffness: Vec<f64>,
    rates: RatesJacobian,
    state: State,
    derivatives: RowDerivatives,
}

impl<S: System> NonsmoothSystem<S> {
    /// Wraps a system with contacts and forms the index sets of its initial state.
    pub fn new(mut inner: S, options: NonsmoothOptions) -> Result<Self, NonsmoothError> {
        options.check()?;
        inner.layout().check()?;
        let contacts = match inner.unilateral() {
            Some(unilateral) => unilateral.contacts().to_vec(),
            None => return Err(NonsmoothError::NoContacts),
        };
        for contact in &contacts {
            contact.check()?;
        }
        let layout = inner.layout();
        let statuses = vec![ContactStatus::Open; contacts.len()];
        let structure = Structure::new(layout, &contacts, &statuses)?;
        let frictional: Vec<usize> = (0..contacts.len())
            .filter(|&contact| contacts[contact].tangents == 1 && contacts[contact].friction > 0.0)
            .collect();
        let mut output_names = inner.output_names().to_vec();
        for contact in &contacts {
            output_names.push(format!("{}.gap", contact.label));
            output_names.push(format!("{}.force", contact.label));
            if contact.tangents == 1 {
                output_names.push(format!("{}.friction", contact.label));
            }
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
            derivatives: RowDerivatives::new(layout),
        };
        let mut system = Self {
            response: Response::new(layout)?,
            accelerations: AccelerationSolver::new(layout)?,
            initial: inner.initial_state(),
            lcp: LcpSolver::default(),
            impacts: vec![Impacts::default(); contacts.len()],
            handling: EventHandling::Located,
            handing_over: false,
            force_scale: 0.0,
            least_force: 0.0,
            events: Vec::new(),
            inner,
            options,
            contacts,
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
            EventHandling::Located
        };
        system.prepare(&mut initial.clone(), handling)?;
        system.open_all(&mut initial)?;
        system.initial = initial;
        Ok(system)
    }

    /// The wrapped system.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// What each contact is doing.
    pub fn statuses(&self) -> &[ContactStatus] {
        &self.statuses
    }

    /// The contacts: names and laws.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// The offset of the release function: a force below minus this opens a contact.
    fn release_force(&self) -> f64 {
        let relative = self.options.thresholds.force * self.force_scale;
        relative.max(WEIGHTLESS * self.least_force)
    }

    /// The event functions that belong to the present statuses.
    fn describe_events(&mut self) {
        self.events.clear();
        self.events.extend_from_slice(self.inner.events());
        if self.handling == EventHandling::Captured {
            return;
        }
        for (contact, status) in self.contacts.iter().zip(&self.statuses) {
            let label = contact.label.clone();
            self.events.push(if status.has_row() {
                EventDescription::barrier("release", label).of_multipliers()
            } else {
                EventDescription::barrier("impact", label)
            });
        }
        for &contact in &self.frictional {
            let label = self.contacts[contact].label.clone();
            self.events.push(if self.statuses[contact].is_sticking() {
                EventDescription::barrier("slip", label).of_multipliers()
            } else {
                EventDescription::barrier("stick", label)
            });
        }
    }

    /// Changes the statuses: rows, modes, event functions and the shape of the state follow.
    pub(super) fn set_statuses(
        &mut self,
        statuses: Vec<ContactStatus>,
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
            self.structure = Structure::new(inner_layout, &self.contacts, &statuses)
                .map_err(|error| failed(state.t, format!("the rows of the contacts: {error}")))?;
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
        let modes = self.statuses.iter().map(|status| status.mode());
        state.mode.extend(modes);
        self.describe_events();
        Ok(())
    }

    /// Opens all contacts.
    fn open_all(&mut self, state: &mut State) -> Result<(), EvaluationError> {
        let open = vec![ContactStatus::Open; self.contacts.len()];
        self.set_statuses(open, state)
    }

    /// The number of the first event function of contacts.
    pub(super) fn first_contact_event(&self) -> usize {
        self.inner.events().len()
    }

    /// Calls `change` with the wrapped system and its part of the state.
    pub(super) fn with_inner_state<R>(
        &mut self,
        state: &State,
        change: impl FnOnce(&mut S, &mut State) -> R,
    ) -> (R, State) {
        let mut own = std::mem::replace(&mut self.work.state, self.inner.layout().state());
        self.load_inner_state(state, &mut own);
        let result = change(&mut self.inner, &mut own);
        (result, own)
    }

    fn load_inner_state(&self, state: &State, own: &mut State) {
        own.t = state.t;
        own.q.clone_from(&state.q);
        own.v.clone_from(&state.v);
        own.x.clone_from(&state.x);
        own.acceleration.clone_from(&state.acceleration);
        let layout = self.inner.layout();
        own.z.clear();
        own.z.extend(state.z.iter().take(layout.algebraic));
        own.z.resize(layout.algebraic, 0.0);
        own.mode.clear();
        own.mode.extend(state.mode.iter().take(layout.modes));
        own.mode.resize(layout.modes, 0);
        own.lambda.clear();
        let rows = self.structure.inner_rows.iter();
        own.lambda
            .extend(rows.map(|&row| state.lambda.get(row).copied().unwrap_or(0.0)));
    }

    /// Puts what the wrapped system changed into the whole state.
    pub(super) fn store_inner_state(&mut self, own: State, state: &mut State) {
        state.q.clone_from(&own.q);
        state.v.clone_from(&own.v);
        state.x.clone_from(&own.x);
        for (slot, &value) in state.z.iter_mut().zip(&own.z) {
            *slot = value;
        }
        for (slot, &value) in state.mode.iter_mut().zip(&own.mode) {
            *slot = value;
        }
        self.work.state = own;
    }
}

/// The arguments of the wrapped system.
fn inner_point<'a>(
    at: &Point<'a>,
    layout: &Layout,
    structure: &Structure,
    lambda: &'a mut [f64],
) -> Point<'a> {
    for (slot, &row) in lambda.iter_mut().zip(&structure.inner_rows) {
        *slot = at.lambda.get(row).copied().unwrap_or(0.0);
    }
    Point {
        z: at.z.get(..layout.algebraic).unwrap_or(at.z),
        mode: at.mode.get(..layout.modes).unwrap_or(at.mode),
        lambda,
        ..*at
    }
}

/// The contacts of a system that has some.
fn contacts_of(
    system: &mut dyn System,
    t: f64,
) -> Result<&mut dyn UnilateralConstraints, EvaluationError> {
    system
        .unilateral()
        .ok_or_else(|| failed(t, "the system has no contacts any more"))
}

impl<S: System> NonsmoothSystem<S> {
    /// The gap of a contact; one that is not finite is an error that names it.
    pub(super) fn gap_of(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        let own = inner_point(
            at,
            self.inner.layout(),
            &self.structure,
            &mut self.work.lambda,
        );
        let gap = contacts_of(&mut self.inner, at.t)?.gap(contact, &own)?;
        if gap.is_finite() {
            Ok(gap)
        } else {
            let label = &self.contacts[contact].label;
            Err(failed(
                at.t,
                format!("the gap of contact `{label}` is {gap}"),
            ))
        }
    }

    /// The rate of the gap and the sliding velocity (0 without a direction) of a contact.
    pub(super) fn velocity_of(
        &mut self,
        contact: usize,
        at: &Point,
    ) -> Result<[f64; 2], EvaluationError> {
        let own = inner_point(
            at,
            self.inner.layout(),
            &self.structure,
            &mut self.work.lambda,
        );
        let unilateral = contacts_of(&mut self.inner, at.t)?;
        let rate = unilateral.gap_rate(contact, &own)?;
        let mut sliding = [0.0; 1];
        if self.contacts[contact].tangents == 1 {
            unilateral.sliding_velocity(contact, &own, &mut sliding)?;
        }
        let velocities = [rate, sliding[0]];
        match velocities.iter().all(|velocity| velocity.is_finite()) {
            true => Ok(velocities),
            false => {
                let label = &self.contacts[contact].label;
                Err(failed(
                    at.t,
                    format!("the relative velocity of contact `{label}` is not finite"),
                ))
            }
        }
    }

    /// The biases of the gap and of sliding.
    pub(super) fn bias_of(
        &mut self,
        contact: usize,
        at: &Point,
    ) -> Result<[f64; 2], EvaluationError> {
        let own = inner_point(
            at,
            self.inner.layout(),
            &self.structure,
            &mut self.work.lambda,
        );
        let unilateral = contacts_of(&mut self.inner, at.t)?;
        let normal = unilateral.gap_bias(contact, &own)?;
        let mut sliding = [0.0; 1];
        if self.contacts[contact].tangents == 1 {
            unilateral.sliding_bias(contact, &own, &mut sliding)?;
        }
        Ok([normal, sliding[0]])
    }

    /// Computes the response of these contacts into `self.response`.
    pub(super) fn compute_response(
        &mut self,
        chosen: &[usize],
        at: &Point,
    ) -> Result<(), EvaluationError> {
        let own = inner_point(
            at,
            self.inner.layout(),
            &self.structure,
            &mut self.work.lambda,
        );
        self.response
            .compute(&mut self.inner, &own, &self.contacts, chosen)
    }

    /// The velocities of contact rows, at a level, in the order of the rows: gaps, then sliding.
    fn contact_rows(
        &mut self,
        level: Level,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let own = inner_point(
            at,
            self.inner.layout(),
            &self.structure,
            &mut self.work.lambda,
        );
        let unilateral = contacts_of(&mut self.inner, at.t)?;
        super::rows::evaluate(unilateral, &self.structure, level, &own, out)
    }

    /// Spreads the rows of the wrapped system and appends those of contacts.
    fn all_rows(
        &mut self,
        level: Level,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let own = inner_point(
            at,
            self.inner.layout(),
            &self.structure,
            &mut self.work.lambda,
        );
        if !self.work.rows.is_empty() {
            match level {
                Level::Velocity => self.inner.velocity_constraint(&own, &mut self.work.rows)?,
                Level::Bias => self.inner.acceleration_bias(&own, &mut self.work.rows)?,
            }
        }
        for (&row, &value) in self.structure.inner_rows.iter().zip(&self.work.rows) {
            out[row] = value;
        }
        self.contact_rows(level, at, out)
    }
}

impl<S: System> System for NonsmoothSystem<S> {
    fn layout(&self) -> &Layout {
        &self.structure.layout
    }

    fn initial_state(&self) -> State {
        self.initial.clone()
    }

    fn prepare(
        &mut self,
        state: &mut State,
        handling: EventHandling,
    ) -> Result<Vec<EventReport>, EvaluationError> {
        self.handling = handling;
        self.handing_over = false;
        for impacts in &mut self.impacts {
            impacts.forget();
        }
        self.open_all(state)?;
        let space = &self.structure.layout.space;
        if (state.q.len(), state.v.len()) != (space.coordinates(), space.dimension()) {
            // The driver's check of the initial values says what is wrong.
            return Ok(Vec::new());
        }
        self.begin(state)
    }

    fn mass_matrix(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let own = inner_point(
            at,
            self.inner.layout(),
            &self.structure,
            &mut self.work.lambda,
        );
        self.inner.mass_matrix(&own, out)
    }

    fn rates(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let layout = self.inner.layout();
        let (dimension, count) = (layout.dimension(), layout.rate_count());
        let algebraic = layout.algebraic;
        let own = inner_point(at, layout, &self.structure, &mut self.work.lambda);
        self.inner.rates(&own, &mut out[..count])?;
        if self.structure.slides.is_empty() {
            return Ok(());
        }
        let unilateral = contacts_of(&mut self.inner, at.t)?;
        for (index, &(contact, sign, row)) in self.structure.slides.iter().enumerate() {
            let normal = at.z.get(algebraic + index).copied().unwrap_or(0.0);
            unilateral.sliding_jacobian(contact, &own, &mut self.work.row)?;
            let friction = -self.contacts[contact].friction * sign * normal;
            for (force, entry) in out[..dimension].iter_mut().zip(&self.work.row) {
                *force += friction * entry;
            }
            out[count + index] = normal - at.lambda.get(row).copied().unwrap_or(0.0);
        }
        Ok(())
    }

    /// The derivative of the direction of friction is left out: it is of the size of the friction force over the
    /// radius of the surfaces, which slows down Newton's method of implicit methods a little.
    fn rates_jacobian(
        &mut self,
        at: &Point,
        out: &mut RatesJacobian,
    ) -> Result<(), EvaluationError> {
        let layout = self.inner.layout();
        let (count, algebraic, inner_rows) = (layout.rate_count(), layout.algebraic, layout.rows());
        let own = inner_point(at, layout, &self.structure, &mut self.work.lambda);
        self.inner.rates_jacobian(&own, &mut self.work.rates)?;
        out.by_position.fill(0.0);
        out.by_velocity.fill(0.0);
        out.by_multiplier.fill(0.0);
        for (index, &position) in self.structure.inner_rates.iter().enumerate() {
            out.by_position[position] = self.work.rates.by_position[index];
            out.by_velocity[position] = self.work.rates.by_velocity[index];
        }
        let all = &self.structure.layout;
        for row in 0..algebraic {
            for (column, &to) in self.structure.inner_rows.iter().enumerate() {
                out.by_multiplier[row * all.rows() + to] =
                    self.work.rates.by_multiplier[row * inner_rows + column];
            }
        }
        if self.structure.slides.is_empty() {
            return Ok(());
        }
        let unilateral = contacts_of(&mut self.inner, at.t)?;
        for (index, &(contact, sign, row)) in self.structure.slides.iter().enumerate() {
            let column = count + index;
            unilateral.sliding_jacobian(contact, &own, &mut self.work.row)?;
            let coefficient = -self.contacts[contact].friction * sign;
            for (force, entry) in self.work.row.iter().enumerate() {
                if let Some(position) = all.rates.position(force, column) {
                    out.by_position[position] = coefficient * entry;
                }
            }
            if let Some(position) = all.rates.position(column, column) {
                out.by_position[position] = 1.0;
            }
            out.by_multiplier[(algebraic + index) * all.rows() + row] = -1.0;
        }
        Ok(())
    }

    fn position_constraint(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let layout = self.inner.layout();
        let rows = layout.position_rows;
        let own = inner_point(at, layout, &self.structure, &mut self.work.lambda);
        if rows > 0 {
            self.inner.position_constraint(&own, &mut out[..rows])?;
        }
        if self.structure.normals.is_empty() {
            return Ok(());
        }
        let unilateral = contacts_of(&mut self.inner, at.t)?;
        for (slot, &contact) in out[rows..].iter_mut().zip(&self.structure.normals) {
            *slot = unilateral.gap(contact, &own)?;
        }
        Ok(())
    }

    fn velocity_constraint(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.all_rows(Level::Velocity, at, out)
    }

    fn constraint_jacobian(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let own = inner_point(
            at,
            self.inner.layout(),
            &self.structure,
            &mut self.work.lambda,
        );
        if !self.work.rows.is_empty() {
            self.inner
                .constraint_jacobian(&own, &mut self.work.inner_jacobian)?;
        }
        let jacobian = &self.work.inner_jacobian;
        for (&position, &value) in self.structure.inner_jacobian.iter().zip(jacobian) {
            out[position] = value;
        }
        let structure = &self.structure;
        if !structure.has_contact_rows() {
            return Ok(());
        }
        let pattern = &structure.layout.jacobian;
        let unilateral = contacts_of(&mut self.inner, at.t)?;
        let row_values = &mut self.work.row;
        for (row, contact, sliding) in super::rows::places(structure) {
            if sliding {
                unilateral.sliding_jacobian(contact, &own, row_values)?;
            } else {
                unilateral.gap_jacobian(contact, &own, row_values)?;
            }
            let values = &mut out[pattern.row_range(row)];
            for (slot, &column) in values.iter_mut().zip(pattern.row(row)) {
                *slot = row_values[column];
            }
        }
        Ok(())
    }

    fn acceleration_bias(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.all_rows(Level::Bias, at, out)
    }

    fn geometric_stiffness(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let own = inner_point(
            at,
            self.inner.layout(),
            &self.structure,
            &mut self.work.lambda,
        );
        self.inner
            .geometric_stiffness(&own, acceleration, &mut self.work.inner_stiffness)?;
        out.fill(0.0);
        let stiffness = &self.work.inner_stiffness;
        for (&position, &value) in self.structure.inner_stiffness.iter().zip(stiffness) {
            out[position] = value;
        }
        if !self.structure.has_contact_rows() {
            return Ok(());
        }
        let unilateral = contacts_of(&mut self.inner, at.t)?;
        self.work
            .derivatives
            .stiffness(unilateral, &self.structure, at, &own, out)
    }

    fn velocity_constraint_jacobian(
        &mut self,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let own = inner_point(
            at,
            self.inner.layout(),
            &self.structure,
            &mut self.work.lambda,
        );
        if !self.work.rows.is_empty() {
            self.inner
                .velocity_constraint_jacobian(&own, &mut self.work.inner_jacobian)?;
        }
        out.fill(0.0);
        let jacobian = &self.work.inner_jacobian;
        for (&position, &value) in self.structure.inner_jacobian.iter().zip(jacobian) {
            out[position] = value;
        }
        if !self.structure.has_contact_rows() {
            return Ok(());
        }
        let unilateral = contacts_of(&mut self.inner, at.t)?;
        self.work
            .derivatives
            .rows_by_position(unilateral, &self.structure, &own, None, out)
    }

    fn acceleration_constraint_jacobian(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let own = inner_point(
            at,
            self.inner.layout(),
            &self.structure,
            &mut self.work.lambda,
        );
        if !self.work.rows.is_empty() {
            self.inner.acceleration_constraint_jacobian(
                &own,
                acceleration,
                &mut self.work.inner_jacobian,
                &mut self.work.inner_jacobian_by_velocity,
            )?;
        }
        by_position.fill(0.0);
        by_velocity.fill(0.0);
        for (index, &position) in self.structure.inner_jacobian.iter().enumerate() {
            by_position[position] = self.work.inner_jacobian[index];
            by_velocity[position] = self.work.inner_jacobian_by_velocity[index];
        }
        if !self.structure.has_contact_rows() {
            return Ok(());
        }
        let unilateral = contacts_of(&mut self.inner, at.t)?;
        let derivatives = &mut self.work.derivatives;
        derivatives.rows_by_position(
            unilateral,
            &self.structure,
            &own,
            Some(acceleration),
            by_position,
        )?;
        derivatives.bias_by_velocity(unilateral, &self.structure, &own, by_velocity)
    }

    fn output_names(&self) -> &[String] {
        &self.output_names
    }

    fn outputs(&mut self, state: &State, out: &mut [f64]) -> Result<(), EvaluationError> {
        let own = self.inner.output_names().len();
        let (result, inner_state) = self.with_inner_state(state, |inner, inner_state| {
            inner.outputs(inner_state, &mut out[..own])
        });
        self.work.state = inner_state;
        result?;
        let first_slide = self.inner.layout().algebraic;
        let first_normal = self.inner.layout().position_rows;
        let layout = &self.structure.layout;
        let first_stick = layout.rows() - self.structure.sticks.len();
        let at = state.point();
        let mut slot = own;
        for contact in 0..self.contacts.len() {
            out[slot] = self.gap_of(contact, &at)?;
            let position = |list: &[usize]| list.iter().position(|&other| other == contact);
            let value = |index: usize| state.lambda.get(index).copied().unwrap_or(0.0);
            out[slot + 1] =
                position(&self.structure.normals).map_or(0.0, |index| value(first_normal + index));
            slot += 2;
            if self.contacts[contact].tangents == 1 {
                let slides = &self.structure.slides;
                let sliding = slides.iter().position(|&(other, ..)| other == contact);
                out[slot] = match (position(&self.structure.sticks), sliding) {
                    (Some(index), _) => value(first_stick + index),
                    (None, Some(index)) => {
                        let normal = state.z.get(first_slide + index).copied().unwrap_or(0.0);
                        -self.contacts[contact].friction * slides[index].1 * normal
                    }
                    (None, None) => 0.0,
                };
                slot += 1;
            }
        }
        Ok(())
    }

    fn energy(&mut self, state: &State) -> Option<f64> {
        let (energy, own) = self.with_inner_state(state, |inner, own| inner.energy(own));
        self.work.state = own;
        energy
    }

    fn unilateral(&mut self) -> Option<&mut dyn UnilateralConstraints> {
        Some(self)
    }

    fn events(&self) -> &[EventDescription] {
        &self.events
    }

    fn event_functions(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let inner_events = self.first_contact_event();
        let release = self.release_force();
        let own = inner_point(
            at,
            self.inner.layout(),
            &self.structure,
            &mut self.work.lambda,
        );
        self.inner.event_functions(&own, &mut out[..inner_events])?;
        if self.handling == EventHandling::Captured {
            return Ok(());
        }
        let thresholds = self.options.thresholds;
        let first_normal = self.inner.layout().position_rows;
        let first_stick = self.structure.layout.rows() - self.structure.sticks.len();
        let value = |row: usize| at.lambda.get(row).copied().unwrap_or(0.0);
        let unilateral = contacts_of(&mut self.inner, at.t)?;
        let (normals, tangents) = out[inner_events..].split_at_mut(self.contacts.len());
        let mut row = first_normal;
        for (contact, slot) in normals.iter_mut().enumerate() {
            let status = self.statuses[contact];
            *slot = if status.has_row() {
                row += 1;
                value(row - 1) + release
            } else {
                let gap = unilateral.gap(contact, &own)?;
                match status {
                    ContactStatus::Open if gap.abs() < ROUND_OFF * thresholds.gap => {
                        let rate = unilateral.gap_rate(contact, &own)?;
                        if rate > thresholds.velocity {
                            ROUND_OFF * thresholds.gap
                        } else {
                            gap
                        }
                    }
                    ContactStatus::Open => gap,
                    ContactStatus::Separating => gap + thresholds.gap,
                    // Drift of the rows that imply it is no penetration.
                    _ => gap + REDUNDANT_GAP * thresholds.penetration,
                }
            };
        }
        for (slot, &contact) in tangents.iter_mut().zip(&self.frictional) {
            let status = self.statuses[contact];
            *slot = if let Some(sign) = status.sliding() {
                let mut sliding = [0.0];
                unilateral.sliding_velocity(contact, &own, &mut sliding)?;
                sign * sliding[0] + SLIDING_VELOCITY * thresholds.velocity
            } else if status == ContactStatus::Sticking {
                let place = |list: &[usize]| list.iter().position(|&other| other == contact);
                match (
                    place(&self.structure.normals),
                    place(&self.structure.sticks),
                ) {
                    (Some(normal), Some(stick)) => {
                        self.contacts[contact].friction * (value(first_normal + normal) + release)
                            - value(first_stick + stick).abs()
                    }
                    _ => 1.0,
                }
            } else {
                1.0
            };
        }
        Ok(())
    }

    fn handle_events(
        &mut self,
        events: &[usize],
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        let first = self.first_contact_event();
        let own: Vec<usize> = events
            .iter()
            .copied()
            .filter(|&event| event < first)
            .collect();
        let mut response = EventResponse::from(EventAction::Continue);
        if !own.is_empty() {
            let (answer, inner_state) = self.with_inner_state(state, |inner, own_state| {
                inner.handle_events(&own, own_state)
            });
            response = answer?;
            self.store_inner_state(inner_state, state);
            if response.action == EventAction::Continue && own.len() == events.len() {
                return Ok(response);
            }
        }
        let mut fired = super::resolve::Fired::default();
        for &event in events.iter().filter(|&&event| event >= first) {
            let contact = event - first;
            if contact >= self.contacts.len() {
                fired
                    .tangential
                    .push(self.frictional[contact - self.contacts.len()]);
            } else if self.statuses[contact].has_row() {
                fired.releases.push(contact);
            } else {
                fired.impacts.push(contact);
            }
        }
        if self.hands_over(&fired, state.t) {
            self.handing_over = true;
            let contacts = fired.impacts.iter().map(|&contact| &self.contacts[contact]);
            let reports = contacts.map(|contact| EventReport::new("capture", &contact.label));
            return Ok(EventResponse {
                action: EventAction::Stop,
                reports: Some(reports.collect()),
            });
        }
        self.respond(&fired, response, state)
    }

    fn time_events(&self) -> &[f64] {
        self.inner.time_events()
    }

    fn handle_time_event(
        &mut self,
        event: usize,
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        let (answer, inner_state) =
            self.with_inner_state(state, |inner, own| inner.handle_time_event(event, own));
        let response = answer?;
        self.store_inner_state(inner_state, state);
        if self.handling == EventHandling::Captured {
            return Ok(response);
        }
        self.respond(&super::resolve::Fired::default(), response, state)
    }
}

/// A contact that carries nothing, such as one of equal pendulums that swing together, is not opened by the round-off of
/// its force: less than this share of the force that belongs to the threshold acceleration.
const WEIGHTLESS: f64 = 1e-2;

/// A redundant contact has opened towards penetration beyond this share of the largest penetration.
const REDUNDANT_GAP: f64 = 1e-2;

/// Below this share of the gap threshold, round-off may change the sign of a gap right after a rebound; a contact that
/// opens is open there.
const ROUND_OFF: f64 = 1e-3;

/// Sliding has ended at minus this share of the velocity threshold, so that it can begin at zero.
const SLIDING_VELOCITY: f64 = 1e-4;

impl<S: System> UnilateralConstraints for NonsmoothSystem<S> {
    fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    fn are_located(&self) -> bool {
        true
    }

    fn gap(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        self.gap_of(contact, at)
    }

    fn gap_rate(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        let own = inner_point(
            at,
            self.inner.layout(),
            &self.structure,
            &mut self.work.lambda,
        );
        contacts_of(&mut self.inner, at.t)?.gap_rate(contact, &own)
    }

    fn gap_jacobian(
        &mut self,
        contact: usize,
        at: &Point,
        row: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let own = inner_point(
            at,
            self.inner.layout(),
            &self.structure,
            &mut self.work.lambda,
        );
        contacts_of(&mut self.inner, at.t)?.gap_jacobian(contact, &own, row)
    }

    fn gap_bias(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        let own = inner_point(
            at,
            self.inner.layout(),
            &self.structure,
            &mut self.work.lambda,
        );
        contacts_of(&mut self.inner, at.t)?.gap_bias(contact, &own)
    }

    fn sliding_velocity(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let own = inner_point(
            at,
            self.inner.layout(),
            &self.structure,
            &mut self.work.lambda,
        );
        contacts_of(&mut self.inner, at.t)?.sliding_velocity(contact, &own, out)
    }

    fn sliding_jacobian(
        &mut self,
        contact: usize,
        at: &Point,
        rows: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let own = inner_point(
            at,
            self.inner.layout(),
            &self.structure,
            &mut self.work.lambda,
        );
        contacts_of(&mut self.inner, at.t)?.sliding_jacobian(contact, &own, rows)
    }

    fn sliding_bias(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let own = inner_point(
            at,
            self.inner.layout(),
            &self.structure,
            &mut self.work.lambda,
        );
        contacts_of(&mut self.inner, at.t)?.sliding_bias(contact, &own, out)
    }
}
