//! Contacts and joints with friction in a step: the active ones, the response of the system to their impulses, and
//! their forces.

use super::compliance::Compliance;
use super::dynamics::Dynamics;
use super::friction::Joints;
use super::impact::{ImpactError, ImpactSolver, UnsolvedImpact};
use super::iterate::{Iterate, Span};
use super::joints::{HELD, JointImpulse, MOVED, RubbingJoints};
use super::law::ContactLaw;
use crate::statement::{GAP, SLIDING_VELOCITY};
use crate::{Contact, IllStated, UnilateralConstraints};
use liedae::integrator::StepError;
use liedae::system::{EvaluationError, Evaluator, Function, Layout, Point};
use std::ops::Range;

/// The impulses of one contact in the last step, in N s (N m s for the stop of a joint).
///
/// ```
/// use liedae::prelude::*;
/// use liedae_contact::capturing::{ContactImpulse, ImpulseGauge, MoreauJean};
/// use liedae_contact::{Contact, ContactModel, with_contacts};
///
/// /// A block of 2 kg slides over the floor with 2 m/s; μ = 0.3.
/// struct Block;
/// # impl Model for Block {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(2)) }
/// #     fn initial_state(&self) -> State {
/// #         State { q: vec![0.0, 0.0], v: vec![2.0, 0.0], ..self.layout().state() }
/// #     }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         for axis in 0..2 { mass[(axis, axis)] = S::constant(2.0); }
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[1] = S::constant(-20.0); }
/// #     fn needs_layer(&self) -> bool { true }
/// # }
///
/// impl ContactModel for Block {
///     fn contacts(&self) -> Vec<Contact> { vec![Contact::new("floor", 0.0).with_planar_friction(0.3)] }
///     fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S { at.q[1] }
///     fn sliding_velocity<S: Scalar>(&self, _contact: usize, at: &Point<S>, sliding: &mut [S]) {
///         sliding[0] = at.v[0];
///     }
/// }
///
/// // In every step of 0.01 s its weight gives 0.2 N s, and friction 0.3 of that.
/// let gauge = ImpulseGauge::default();
/// let method = MoreauJean::default().measuring_impulses(&gauge);
/// let end = solve(&mut with_contacts(Block), &method, &Options::fixed(0.5, 0.01))?.state;
/// let ContactImpulse { normal, tangential, .. } = gauge.contacts()[0];
/// assert!((normal - 0.2).abs() < 1e-12 && (tangential[0] + 0.06).abs() < 1e-12);
/// assert!((end.v[0] - (2.0 - 0.3 * 10.0 * 0.5)).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactImpulse {
    /// P_N >= 0 along the normal.
    pub normal: f64,
    /// P_T in the sliding directions; zero without friction.
    pub tangential: [f64; 2],
    /// Number of sliding directions.
    tangents: usize,
}

impl ContactImpulse {
    /// Friction: along the sliding direction in the plane, its length in space.
    pub fn friction(&self) -> f64 {
        let [first, second] = self.tangential;
        match self.tangents {
            0 | 1 => first,
            _ => first.hypot(second),
        }
    }
}

/// Velocities of a gap below this share of the one that closes it in a step are round-off.
const ROUND_OFF: f64 = 1e-4;

/// Rows, responses and impulses of all contacts, and of the joints with friction. Rows of a contact are the normal one,
/// then its tangents; those of the joints follow, one each.
pub(super) struct StepContacts {
    laws: Vec<Contact>,
    /// First row of each contact, and the number of rows behind the last.
    first: Vec<usize>,
    pub joints: RubbingJoints,
    pub dimension: usize,
    pub theta: f64,
    /// H at the anchor, row by row; behind them, the rows of the joints at the end of the step.
    pub rows: Vec<f64>,
    rows_known: Vec<bool>,
    /// Velocities without motion: U = H v + shift.
    pub shift: Vec<f64>,
    /// U of the velocity at the start of the step.
    before: Vec<f64>,
    /// Mean velocity -g_N/h that closes a contact at the end of the step, its sign changed; one for each contact.
    opening: Vec<f64>,
    /// Changes of y and P that a unit impulse in each row causes.
    responses: Vec<Vec<f64>>,
    pub reactions: Vec<Vec<f64>>,
    responses_known: Vec<bool>,
    /// Configuration at which H is taken: the inner point of the motion without impulses.
    anchor_t: f64,
    anchor_q: Vec<f64>,
    active: Vec<bool>,
    /// Contacts that have wedged themselves in this step: friction holds what would rebound.
    wedged: Vec<bool>,
    gathered: bool,
    pub active_rows: Vec<usize>,
    active_contacts: Vec<usize>,
    active_laws: Vec<ContactLaw>,
    pub delassus: Vec<f64>,
    yielding: Compliance,
    velocity: Vec<f64>,
    active_impulses: Vec<f64>,
    pub impulses: Vec<f64>,
    pub impact: ImpactSolver,
    last: Vec<ContactImpulse>,
}

impl StepContacts {
    /// Checks the laws and allocates; `None` for a system without contacts and joints with friction.
    pub fn new(
        system: &mut Evaluator,
        layout: &Layout,
        theta: f64,
    ) -> Result<Option<Self>, StepError> {
        let laws = match crate::unilateral(system.system()) {
            Some(unilateral) => unilateral.contacts().to_vec(),
            None => Vec::new(),
        };
        let mut first = vec![0];
        let mut end = 0;
        for law in &laws {
            law.check().map_err(IllStated::from)?;
            end += 1 + law.tangents;
            first.push(end);
        }
        let joints = RubbingJoints::new(system, layout, end).map_err(IllStated::from)?;
        if laws.is_empty() && joints.len() == 0 {
            return Ok(None);
        }
        end += joints.len();
        let dimension = layout.dimension();
        let mut impact = ImpactSolver::default();
        if joints.len() > 0 || laws.iter().any(|law| law.friction > 0.0) {
            impact.reserve(laws.len(), end);
        }
        Ok(Some(Self {
            dimension,
            theta,
            rows: vec![0.0; (end + joints.len()) * dimension],
            joints,
            rows_known: vec![false; laws.len()],
            shift: vec![0.0; end],
            before: vec![0.0; end],
            opening: vec![0.0; laws.len()],
            responses: vec![vec![0.0; layout.rate_count()]; end],
            reactions: vec![vec![0.0; layout.rows()]; end],
            responses_known: vec![false; laws.len()],
            anchor_t: 0.0,
            anchor_q: vec![0.0; layout.space.coordinates()],
            active: vec![false; laws.len()],
            wedged: vec![false; laws.len()],
            gathered: false,
            active_rows: Vec::with_capacity(end),
            active_contacts: Vec::with_capacity(laws.len()),
            active_laws: Vec::with_capacity(laws.len()),
            delassus: Vec::with_capacity(end * end),
            yielding: Compliance::default(),
            velocity: Vec::with_capacity(end),
            active_impulses: Vec::with_capacity(end),
            impulses: vec![0.0; end],
            impact,
            last: vec![ContactImpulse::default(); laws.len()],
            laws,
            first,
        }))
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.laws.len()
    }

    /// Begins a step in which nothing is closed yet.
    pub fn begin(&mut self) {
        self.yielding.begin();
        self.active.fill(false);
        self.wedged.fill(false);
        self.rows_known.fill(false);
        self.forget_responses();
    }

    /// The factorization has changed.
    pub fn forget_responses(&mut self) {
        self.responses_known.fill(false);
        self.joints.responses_known = false;
        self.gathered = false;
    }

    /// Takes the present inner point as the one at which normals and tangents are taken.
    pub fn anchor(&mut self, iterate: &Iterate, span: &Span) {
        let inner = iterate.inner(span);
        self.anchor_t = inner.t;
        self.anchor_q.copy_from_slice(inner.q);
    }

    /// The gap of a contact.
    pub fn gap(
        &self,
        system: &mut Evaluator,
        contact: usize,
        at: &Point,
    ) -> Result<f64, EvaluationError> {
        let gap = unilateral(system, at.t)?.gap(contact, at)?;
        self.finite(contact, at.t, GAP, &[gap])?;
        Ok(gap)
    }

    /// Activates contacts whose gap is at most `threshold`, and evaluates their rows. Says whether any is new.
    pub fn close(
        &mut self,
        system: &mut Evaluator,
        span: &Span,
        at: &Point,
        threshold: f64,
    ) -> Result<bool, EvaluationError> {
        let mut changed = false;
        for contact in 0..self.len() {
            if !self.active[contact] && self.gap(system, contact, at)? <= threshold {
                self.active[contact] = true;
                self.load_rows(system, span, contact)?;
                changed = true;
            }
        }
        self.gathered &= !changed;
        Ok(changed)
    }

    /// H, its shift and the velocities before, of one contact.
    fn load_rows(
        &mut self,
        system: &mut Evaluator,
        span: &Span,
        contact: usize,
    ) -> Result<(), EvaluationError> {
        if self.rows_known[contact] {
            return Ok(());
        }
        let (normal, end) = (self.first[contact], self.first[contact + 1]);
        let dimension = self.dimension;
        let gap = self.gap(system, contact, &span.from.point())?;
        // (0 - g_N)/h is the mean velocity that closes the gap; a negative gap is left to the correction.
        self.opening[contact] = gap.max(0.0) / span.h;
        let at = Point {
            t: self.anchor_t,
            q: &self.anchor_q,
            mode: span.mode,
            ..span.from.point()
        };
        let unilateral = unilateral(system, at.t)?;
        let (normals, tangents) =
            self.rows[normal * dimension..end * dimension].split_at_mut(dimension);
        unilateral.gap_jacobian(contact, &at, normals)?;
        self.before[normal] = unilateral.gap_rate(contact, &at)?;
        if end > normal + 1 {
            unilateral.sliding_jacobian(contact, &at, tangents)?;
            unilateral.sliding_velocity(contact, &at, &mut self.before[normal + 1..end])?;
        }
        for row in normal..end {
            let entries = &self.rows[row * dimension..(row + 1) * dimension];
            // U = H v + shift: what the contact moves by itself, without v.
            self.shift[row] = self.before[row] - dot(entries, &span.from.v);
            let function = if row == normal { GAP } else { SLIDING_VELOCITY };
            self.finite(contact, at.t, function, entries)?;
            self.finite(contact, at.t, function, &self.before[row..=row])?;
        }
        self.rows_known[contact] = true;
        Ok(())
    }

    /// The smallest normal velocity that the law allows after the step.
    fn least_velocity(&self, contact: usize) -> f64 {
        let before = self.before[self.first[contact]];
        // Newton: U⁺ ≥ -e U⁻ of what approaches, by more than round-off: that would keep a gap open.
        if before < -ROUND_OFF * self.opening[contact] {
            -self.laws[contact].restitution * before
        } else {
            // g_N/h + θ U⁺ + (1-θ) U⁻ ≥ 0: the gap ends at zero at least.
            let closing = self.opening[contact] + (1.0 - self.theta) * before;
            -closing / self.theta
        }
    }

    /// Rows of a contact.
    fn rows_of(&self, contact: usize) -> Range<usize> {
        self.first[contact]..self.first[contact + 1]
    }

    /// Row of a joint with friction.
    pub fn joint_row(&self, joint: usize) -> usize {
        self.first[self.laws.len()] + joint
    }

    /// The row by which a relative velocity follows from v; it is also the one along which the impulse acts, but for joints.
    pub fn velocity_row(&self, row: usize) -> &[f64] {
        let is_joint = row >= self.first[self.laws.len()];
        let place = if is_joint {
            row + self.joints.len()
        } else {
            row
        };
        &self.rows[place * self.dimension..(place + 1) * self.dimension]
    }

    /// The responses of the system to these rows.
    fn load_responses(
        &mut self,
        dynamics: &mut Dynamics,
        rows: Range<usize>,
        t: f64,
    ) -> Result<(), StepError> {
        let dimension = self.dimension;
        // K (response, reaction) = (Hᵀ, 0): what a unit impulse does, joints included.
        dynamics.bottom.fill(0.0);
        for row in rows {
            dynamics.top.fill(0.0);
            let entries = &self.rows[row * dimension..(row + 1) * dimension];
            dynamics.top[..dimension].copy_from_slice(entries);
            let (response, reaction) = (&mut self.responses[row], &mut self.reactions[row]);
            dynamics
                .kkt
                .solve(&dynamics.top, &dynamics.bottom, response, reaction)
                .map_err(|source| StepError::linear(t, source))?;
        }
        Ok(())
    }

    /// Adds what the impulses of the active contacts change to the solution without them.
    pub fn push(&mut self, dynamics: &mut Dynamics, t: f64) -> Result<(), StepError> {
        for contact in 0..self.len() {
            if self.active[contact] && !self.responses_known[contact] {
                self.load_responses(dynamics, self.rows_of(contact), t)?;
                self.responses_known[contact] = true;
            }
        }
        if !self.joints.responses_known {
            let rows = self.joint_row(0)..self.joint_row(self.joints.len());
            self.load_responses(dynamics, rows, t)?;
            self.joints.responses_known = true;
        }
        // W, laws and joints depend on the factorization and on who is active.
        if !self.gathered {
            self.gather(&dynamics.mass);
            self.gather_joints(&dynamics.mass);
        }
        self.load_normals(&dynamics.new_p);
        let dimension = self.dimension;
        // U without impulses.
        self.velocity.clear();
        for &row in &self.active_rows {
            let rate = dot(self.velocity_row(row), &dynamics.new_y[..dimension]);
            self.velocity.push(self.shift[row] + rate);
        }
        let found = match self.find_impulses() {
            // Restitution may have no solution in jammed contacts: once more without, until the step is over.
            Err(ImpactError::NotConverged { .. }) if self.leave_restitution_out() => {
                self.find_impulses()
            }
            found => found,
        };
        found.map_err(|source| UnsolvedImpact { t, source })?;
        self.impulses.fill(0.0);
        // Superposition: the linear system was solved without impulses.
        for (&row, &impulse) in self.active_rows.iter().zip(&self.active_impulses) {
            self.impulses[row] = impulse;
            add(impulse, &self.responses[row], &mut dynamics.new_y);
            add(impulse, &self.reactions[row], &mut dynamics.new_p);
        }
        Ok(())
    }

    /// The impulses of the active contacts and of joints, from those of the last iterate as first guess.
    fn find_impulses(&mut self) -> Result<(), ImpactError> {
        self.active_impulses.clear();
        let guess = self.active_rows.iter().map(|&row| self.impulses[row]);
        self.active_impulses.extend(guess);
        let joints = Joints {
            laws: &self.joints.of_step,
            normals: &self.joints.normals,
        };
        let (laws, impact) = (&self.active_laws, &mut self.impact);
        self.yielding.solve(
            (&self.delassus, &self.velocity),
            &mut self.active_impulses,
            |delassus, velocity, impulses| {
                impact.solve_with_joints(laws, joints, delassus, velocity, impulses)
            },
        )
    }

    /// Lets no contact rebound in this step; whether any was to.
    fn leave_restitution_out(&mut self) -> bool {
        let mut any = false;
        for law in &mut self.active_laws {
            any |= law.least_velocity > 0.0;
            law.least_velocity = law.least_velocity.min(0.0);
        }
        any
    }

    /// Whether joints hold the gap of a contact, whatever its impulse; its responses are known.
    pub fn is_held(&self, contact: usize, mass: &[f64]) -> bool {
        let normal = self.normal(contact);
        let mobility = dot(normal, self.normal_response(contact));
        mobility <= HELD * self.joints.free_mobility(normal, mass)
    }

    /// Laws and Delassus matrix of the active contacts. One whose gap joints alone keep closed carries no impulse.
    fn gather(&mut self, mass: &[f64]) {
        self.active_rows.clear();
        self.active_contacts.clear();
        self.active_laws.clear();
        for contact in (0..self.laws.len()).filter(|&contact| self.active[contact]) {
            let rests = self.before[self.first[contact]].abs() <= MOVED;
            if rests && self.is_held(contact, mass) {
                continue;
            }
            self.active_rows
                .extend(self.first[contact]..self.first[contact + 1]);
            self.active_contacts.push(contact);
            self.active_laws.push(ContactLaw {
                least_velocity: self.least_velocity(contact),
                friction: self.laws[contact].friction,
                tangents: self.laws[contact].tangents,
            });
        }
        let joints = 0..self.joints.len();
        let rows = joints.map(|joint| self.first[self.laws.len()] + joint);
        self.active_rows.extend(rows);
        self.delassus.clear();
        let mut delassus = std::mem::take(&mut self.delassus);
        for &row in &self.active_rows {
            let entries = self.velocity_row(row);
            // W = H K⁻¹ Hᵀ, the velocity rows on the left.
            let responses = self.active_rows.iter();
            delassus.extend(responses.map(|&column| dot(entries, &self.responses[column])));
        }
        self.delassus = delassus;
        let (laws, active) = (&self.laws, &self.active_contacts);
        let alike = |one: usize, other: usize| laws[active[one]].acts_on_same(&laws[active[other]]);
        self.yielding.find(&self.active_laws, &self.delassus, alike);
        for (place, &contact) in self.active_contacts.iter().enumerate() {
            self.wedged[contact] |= self.yielding.is_wedged(place);
            if self.wedged[contact] {
                let law = &mut self.active_laws[place];
                law.least_velocity = law.least_velocity.min(0.0);
            }
        }
        self.gathered = true;
    }

    /// Prepares a contact that only the correction of positions meets: its normal row and the response to it.
    pub fn prepare_normal(
        &mut self,
        system: &mut Evaluator,
        dynamics: &mut Dynamics,
        span: &Span,
        contact: usize,
    ) -> Result<(), StepError> {
        if !self.responses_known[contact] {
            self.load_rows(system, span, contact)?;
            let normal = self.first[contact];
            self.load_responses(dynamics, normal..normal + 1, span.end)?;
        }
        Ok(())
    }

    /// Normal row of a contact.
    pub fn normal(&self, contact: usize) -> &[f64] {
        let first = self.first[contact] * self.dimension;
        &self.rows[first..first + self.dimension]
    }

    /// Displacement by a unit impulse along the normal.
    pub fn normal_response(&self, contact: usize) -> &[f64] {
        &self.responses[self.first[contact]][..self.dimension]
    }

    /// Ends a step with these impulses of the constraint rows: impulses of contacts that stayed open are zero.
    pub fn finish(&mut self, reactions: &[f64]) {
        self.finish_joints(reactions);
        for contact in 0..self.laws.len() {
            let rows = self.rows_of(contact);
            if !self.active[contact] {
                self.impulses[rows.clone()].fill(0.0);
            }
            let own = &self.impulses[rows];
            let mut impulse = ContactImpulse {
                normal: own[0],
                tangents: own.len() - 1,
                ..ContactImpulse::default()
            };
            impulse.tangential[..own.len() - 1].copy_from_slice(&own[1..]);
            self.last[contact] = impulse;
        }
    }

    /// Impulses of the last step.
    pub fn last(&self) -> &[ContactImpulse] {
        &self.last
    }

    /// Impulses of the joints in the last step.
    pub fn last_of_joints(&self) -> &[JointImpulse] {
        self.joints.last()
    }

    fn finite(
        &self,
        contact: usize,
        t: f64,
        function: Function,
        values: &[f64],
    ) -> Result<(), EvaluationError> {
        if values.iter().all(|value| value.is_finite()) {
            return Ok(());
        }
        let label = &self.laws[contact].label;
        Err(EvaluationError::Failed {
            function,
            t,
            reason: format!("contact `{label}`: it or its derivative is not finite"),
        })
    }
}

/// The unilateral constraints of the system.
fn unilateral<'a>(
    system: &'a mut Evaluator,
    t: f64,
) -> Result<&'a mut dyn UnilateralConstraints, EvaluationError> {
    crate::unilateral(system.system()).ok_or_else(|| EvaluationError::Failed {
        function: GAP,
        t,
        reason: "the system had contacts when the run began and has none now".to_owned(),
    })
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn add(factor: f64, values: &[f64], out: &mut [f64]) {
    for (out, value) in out.iter_mut().zip(values) {
        *out += factor * value;
    }
}
