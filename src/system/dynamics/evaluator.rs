//! The counted, checked way to a system: what integrators call.

use crate::linalg::{MatrixVersion, VersionedValues, all_finite};
use crate::system::dynamics::constant_mass::ConstantMass;
use crate::system::dynamics::deadline::{DerivativesUntil, Watch};
use crate::system::scaling::ScaledSystem;
use crate::system::{
    self, Balance, BalanceDerivatives, Deadline, EvaluationError, Function, Layout, Point,
    RatesJacobian, Scales, State, System, Wanted,
};
use serde::Serialize;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use thiserror::Error;

/// How often a system was evaluated.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{Evaluations, Evaluator};
///
/// let mut oscillator = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [x * -100.0]).build()?;
/// let start = oscillator.initial_state();
/// let mut evaluator = Evaluator::new(&mut oscillator);
/// let mut force = [0.0];
/// evaluator.rates(&start.point(), &mut force)?;
/// // What only looks is not counted.
/// evaluator.uncounted(|evaluator| evaluator.rates(&start.point(), &mut force))?;
/// assert_eq!(force, [-100.0]);
/// assert_eq!(evaluator.evaluations(), Evaluations { force: 1, ..Evaluations::default() });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Evaluations {
    /// Forces and other rates.
    pub force: usize,
    /// Constraints at position, velocity or acceleration level.
    pub constraint: usize,
    /// Constraint Jacobians and derivatives of the rates.
    pub jacobian: usize,
    /// Mass matrices; one that is constant counts once, and once more after an event.
    pub mass: usize,
}

impl std::ops::AddAssign for Evaluations {
    fn add_assign(&mut self, other: Self) {
        self.force += other.force;
        self.constraint += other.constraint;
        self.jacobian += other.jacobian;
        self.mass += other.mass;
    }
}

impl Evaluations {
    fn since(self, before: Self) -> Self {
        Self {
            force: self.force.saturating_sub(before.force),
            constraint: self.constraint.saturating_sub(before.constraint),
            jacobian: self.jacobian.saturating_sub(before.jacobian),
            mass: self.mass.saturating_sub(before.mass),
        }
    }
}

/// A limit of a run that was reached within a step.
///
/// ```
/// use liedae::system::{Evaluator, LimitReached};
///
/// // A method may take two more steps within its own.
/// let mut oscillator = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [x * -100.0]).build()?;
/// let mut evaluator = Evaluator::new(&mut oscillator);
/// evaluator.allow(2, None);
/// assert_eq!([(); 3].map(|()| evaluator.begin_inner_step()), [Ok(()), Ok(()), Err(LimitReached::Steps)]);
/// # Ok::<(), liedae::system::StatementError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LimitReached {
    /// The steps that were left have been taken, those within steps among them.
    #[error("the limit of steps was reached within a step")]
    Steps,
    /// The time is over.
    #[error("the time was over within a step")]
    Time,
}

/// What a method may still spend on steps within steps.
#[derive(Clone, Copy, Debug)]
struct Allowance {
    inner_steps: usize,
    watch: Option<Watch>,
}

/// Where answers come from.
enum Source<'a> {
    /// The system as it is stated.
    Plain(&'a mut dyn System),
    /// The same in the units of a run.
    Scaled(Box<ScaledSystem<'a>>),
}

impl<'a> Deref for Source<'a> {
    type Target = dyn System + 'a;

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        match self {
            Self::Plain(system) => *system,
            Self::Scaled(system) => system.as_ref(),
        }
    }
}

impl DerefMut for Source<'_> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Plain(system) => *system,
            Self::Scaled(system) => system.as_mut(),
        }
    }
}

/// What has been counted up to a moment.
#[derive(Clone, Copy)]
pub(crate) struct Counted {
    evaluations: Evaluations,
    constant_mass: bool,
}

/// A system behind counters and checks: an answer that is not finite becomes an error that names the function.
pub struct Evaluator<'a> {
    system: Source<'a>,
    evaluations: Evaluations,
    inner_steps: usize,
    allowance: Allowance,
    /// Constraint rows that are shown without entries.
    left_out: Vec<usize>,
    constant_mass: ConstantMass,
    constant_mass_is_counted: bool,
    /// The constant mass matrix that has been found to be one: symmetric, and not indefinite.
    checked_mass: Option<MatrixVersion>,
    /// The next moment that a run lands on: behind it functions of time may be others, or none.
    horizon: f64,
}

/// Whether an answer is finite.
pub(in crate::system) fn finite(
    function: Function,
    t: f64,
    out: &[f64],
) -> Result<(), EvaluationError> {
    if all_finite(out) {
        return Ok(());
    }
    let index = out.iter().position(|number| !number.is_finite());
    let index = index.unwrap_or_default();
    Err(EvaluationError::NonFinite { function, t, index })
}

impl<'a> Evaluator<'a> {
    /// Wraps a system; all counters are zero.
    pub fn new(system: &'a mut dyn System) -> Self {
        Self::of_source(Source::Plain(system))
    }

    /// The same in the units that suit a run from a state, of this duration; the state is then in these units as well.
    pub(crate) fn in_units_of_run(
        system: &'a mut dyn System,
        state: &mut State,
        duration: f64,
    ) -> Self {
        match Scales::of(system, state, duration) {
            None => Self::new(system),
            Some(scales) => {
                scales.enter(state);
                let scaled = ScaledSystem::new(system, scales, duration);
                Self::of_source(Source::Scaled(Box::new(scaled)))
            }
        }
    }

    fn of_source(system: Source<'a>) -> Self {
        Self {
            system,
            evaluations: Evaluations::default(),
            inner_steps: 0,
            allowance: Allowance {
                inner_steps: usize::MAX,
                watch: None,
            },
            left_out: Vec::new(),
            constant_mass: ConstantMass::default(),
            constant_mass_is_counted: false,
            checked_mass: None,
            horizon: f64::INFINITY,
        }
    }

    /// The units of the run, where they are not those of the statement.
    #[inline]
    pub(crate) fn scales(&self) -> Option<&Arc<Scales>> {
        match &self.system {
            Source::Plain(_) => None,
            Source::Scaled(system) => Some(system.scales()),
        }
    }

    /// Does something with all rows shown and in the units of the statement: those who look at a run from outside use these.
    pub(crate) fn shown_bare<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        if self.scales().is_none() {
            return self.with_all_rows(work);
        }
        self.show_bare(true);
        // Its numbers are those of the run.
        let known = std::mem::take(&mut self.constant_mass);
        let result = self.with_all_rows(work);
        self.constant_mass = known;
        self.show_bare(false);
        result
    }

    /// Something in the units of the run, while the system is shown in those of the statement.
    pub(crate) fn with_units_of_run<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        if self.scales().is_none() {
            return work(self);
        }
        self.show_bare(false);
        let known = std::mem::take(&mut self.constant_mass);
        let result = work(self);
        self.constant_mass = known;
        self.show_bare(true);
        result
    }

    fn show_bare(&mut self, is_bare: bool) {
        if let Source::Scaled(system) = &mut self.system {
            system.show_bare(is_bare);
        }
    }

    /// The next moment that a run lands on, its end, a time event or another stop: until then the system is smooth in time.
    pub(crate) fn horizon(&self) -> f64 {
        self.horizon
    }

    /// See [`Self::horizon`].
    pub(crate) fn set_horizon(&mut self, t: f64) {
        self.horizon = t;
    }

    /// The system may have changed, as it may at an event: a constant mass matrix is evaluated anew.
    pub fn forget_constants(&mut self) {
        self.constant_mass.forget();
        self.constant_mass_is_counted = false;
    }

    /// The system may have changed, as it may at an event, but hardly its mass: a constant mass matrix is compared with that of a place
    /// behind the event before it is used again, and evaluated anew if it is another one.
    pub(crate) fn doubt_constants(&mut self) {
        self.constant_mass.doubt();
        self.constant_mass_is_counted = false;
    }

    /// Whether no rows are left out.
    pub(crate) fn has_all_rows(&self) -> bool {
        self.left_out.is_empty()
    }

    /// Leaves constraint rows out: from now on their values, Jacobian, bias and derivatives are zero at any point, so that
    /// every solver gives them no multiplier and asks nothing of them. An empty list shows all rows again.
    pub fn leave_out(&mut self, rows: &[usize]) {
        self.left_out.clear();
        self.left_out.extend_from_slice(rows);
    }

    /// Does something with all rows shown.
    pub fn with_all_rows<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        let left_out = std::mem::take(&mut self.left_out);
        let result = work(self);
        self.left_out = left_out;
        result
    }

    fn clear_values(&self, out: &mut [f64]) {
        for &row in &self.left_out {
            if let Some(value) = out.get_mut(row) {
                *value = 0.0;
            }
        }
    }

    fn clear_gradients(&self, out: &mut [f64]) {
        for &row in &self.left_out {
            out[self.system.layout().jacobian.row_range(row)].fill(0.0);
        }
    }

    /// Says how many steps methods may take within steps from now on, and until when. After that evaluations are errors,
    /// [`EvaluationError::OutOfTime`].
    pub fn allow(&mut self, inner_steps: usize, deadline: Option<Deadline>) {
        let before = self.allowance.watch;
        let watch = deadline.map(|deadline| match before {
            Some(watch) => watch.until(deadline),
            None => Watch::new(deadline),
        });
        self.allowance = Allowance { inner_steps, watch };
    }

    /// Whether the time is over, for methods that do much between two evaluations, such as several factorizations.
    pub fn check_time(&mut self) -> Result<(), LimitReached> {
        let watch = self.allowance.watch.as_mut();
        if watch.is_some_and(Watch::read) {
            return Err(LimitReached::Time);
        }
        Ok(())
    }

    /// Whether an evaluation was refused because the time was over.
    pub(crate) fn is_out_of_time(&self) -> bool {
        self.allowance.watch.as_ref().is_some_and(Watch::was_over)
    }

    /// An evaluation begins.
    #[inline]
    fn begin(&mut self) -> Result<(), EvaluationError> {
        let watch = self.allowance.watch.as_mut();
        if watch.is_some_and(Watch::is_over_at_evaluation) {
            return Err(EvaluationError::OutOfTime);
        }
        Ok(())
    }

    /// Evaluates derivatives, which look at the clock between their columns.
    #[inline]
    fn derive<T>(
        &mut self,
        evaluate: impl FnOnce(&mut dyn System) -> Result<T, EvaluationError>,
    ) -> Result<T, EvaluationError> {
        self.begin()?;
        let Some(watch) = &mut self.allowance.watch else {
            return evaluate(&mut *self.system);
        };
        let until = DerivativesUntil::new(watch.deadline());
        let value = evaluate(&mut *self.system)?;
        drop(until);
        if watch.read() {
            return Err(EvaluationError::OutOfTime);
        }
        Ok(value)
    }

    /// Counts a step that a method is about to take within a step, such as the small ones from which a multistep formula
    /// starts: limits of a run hold for them too. An error is for the method to pass on.
    pub fn begin_inner_step(&mut self) -> Result<(), LimitReached> {
        let inner_steps = &mut self.allowance.inner_steps;
        *inner_steps = inner_steps.checked_sub(1).ok_or(LimitReached::Steps)?;
        self.check_time()?;
        self.inner_steps += 1;
        Ok(())
    }

    /// Steps within steps so far.
    pub fn inner_steps(&self) -> usize {
        self.inner_steps
    }

    /// The counters.
    pub fn evaluations(&self) -> Evaluations {
        self.evaluations
    }

    /// The system itself, uncounted: for outputs, events and observers.
    pub fn system(&mut self) -> &mut dyn System {
        &mut *self.system
    }

    /// See [`System::layout`].
    pub fn layout(&self) -> &Layout {
        self.system.layout()
    }

    /// See [`System::mass_matrix`]. One that is constant ([`Layout::constant_mass`]) is evaluated once, and compared with that of a place
    /// beside: where it differs there, this is an error, [`EvaluationError::ChangingMass`].
    pub fn mass_matrix(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        if self.system.layout().constant_mass {
            return self.constant_mass(at, out);
        }
        self.evaluate_mass(at, out)
    }

    fn constant_mass(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.constant_mass.confirm(&mut *self.system, at);
        if self.constant_mass.give(out) {
            self.count_constant_mass();
            return Ok(());
        }
        self.evaluate_mass(at, out)?;
        self.constant_mass_is_counted = true;
        self.constant_mass.take(&mut *self.system, at, out)
    }

    /// As [`Self::mass_matrix`], for a single use: a constant one that is not known yet is not worth a look at another place.
    pub(in crate::system) fn mass_matrix_here(
        &mut self,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        if self.constant_mass.is_forgotten() {
            return self.evaluate_mass(at, out);
        }
        self.mass_matrix(at, out)
    }

    fn count_constant_mass(&mut self) {
        if !std::mem::replace(&mut self.constant_mass_is_counted, true) {
            self.evaluations.mass += 1;
        }
    }

    /// As [`Self::mass_matrix`], into values that the caller keeps: those of a constant matrix are written once.
    pub(crate) fn update_mass_matrix(
        &mut self,
        at: &Point,
        out: &mut VersionedValues,
    ) -> Result<(), EvaluationError> {
        let number = self.constant_mass.number();
        if number.is_some() && number == out.number {
            self.count_constant_mass();
            return Ok(());
        }
        out.number = None;
        self.mass_matrix(at, &mut out.values)?;
        out.number = self.constant_mass.number();
        Ok(())
    }

    /// Which constant mass matrix is known; who has its factors need not ask for it again.
    #[inline]
    pub(super) fn mass_number(&self) -> Option<MatrixVersion> {
        self.constant_mass.number()
    }

    /// Whether the mass matrix at a point is one that has been checked, since it is constant and still the same.
    pub(in crate::system) fn has_checked_mass(&mut self, at: &Point) -> bool {
        self.constant_mass.confirm(&mut *self.system, at);
        let number = self.constant_mass.number();
        number.is_some() && number == self.checked_mass
    }

    /// The mass matrix evaluated last has been checked; nothing has to be remembered of one that is not constant.
    pub(in crate::system) fn remember_checked_mass(&mut self) {
        self.checked_mass = self.constant_mass.number();
    }

    /// Compares a mass matrix that has been taken for constant with that of a place.
    ///
    /// # Errors
    /// [`EvaluationError::ChangingMass`] where it differs, and those of the system.
    pub fn check_constants(&mut self, at: &Point) -> Result<(), EvaluationError> {
        self.constant_mass.check(&mut *self.system, at)
    }

    fn evaluate_mass(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.begin()?;
        self.evaluations.mass += 1;
        self.system.mass_matrix(at, out)?;
        finite(Function::Mass, at.t, out)
    }

    /// See [`System::rates`].
    pub fn rates(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.rates_to_solve_with(at, out)?;
        finite(Function::Rates, at.t, out)
    }

    /// As [`Self::rates`], without a look at the answer: callers solve with it, and ask for the reason if that fails.
    #[inline]
    pub(crate) fn rates_to_solve_with(
        &mut self,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.begin()?;
        self.evaluations.force += 1;
        self.system.rates(at, out)
    }

    /// See [`System::rates_jacobian`].
    pub fn rates_jacobian(
        &mut self,
        at: &Point,
        out: &mut RatesJacobian,
    ) -> Result<(), EvaluationError> {
        self.rates_jacobian_unchecked(at, out)?;
        self.check_rates_jacobian(at, out)
    }

    /// As [`Self::rates_jacobian`], for callers that look themselves whether the answer is finite.
    #[inline]
    pub(super) fn rates_jacobian_unchecked(
        &mut self,
        at: &Point,
        out: &mut RatesJacobian,
    ) -> Result<(), EvaluationError> {
        self.evaluations.jacobian += 1;
        self.derive(|system| system.rates_jacobian(at, out))
    }

    /// Whether the derivatives of the rates are finite.
    pub(super) fn check_rates_jacobian(
        &self,
        at: &Point,
        values: &RatesJacobian,
    ) -> Result<(), EvaluationError> {
        finite(Function::RatesJacobian, at.t, &values.by_position)?;
        finite(Function::RatesJacobian, at.t, &values.by_velocity)?;
        finite(Function::RatesJacobian, at.t, &values.by_multiplier)
    }

    /// Several functions at one point: in one pass where the system offers that, one by one otherwise.
    pub fn at_point(&mut self, at: &Point, wanted: &mut Wanted) -> Result<(), EvaluationError> {
        self.at_point_unchecked(at, wanted)?;
        let parts = [
            (&wanted.mass, Function::Mass),
            (&wanted.rates, Function::Rates),
            (&wanted.jacobian, Function::ConstraintJacobian),
            (&wanted.velocity_constraint, Function::VelocityConstraint),
            (&wanted.acceleration_bias, Function::AccelerationBias),
        ];
        for (out, function) in parts {
            finite(function, at.t, out.as_deref().unwrap_or_default())?;
        }
        Ok(())
    }

    /// As [`Self::at_point`], for callers that solve with the answers, since nothing but finite numbers has a solution; without
    /// one they ask [`finite`] for the reason.
    #[inline(always)]
    pub(in crate::system) fn at_point_unchecked(
        &mut self,
        at: &Point,
        wanted: &mut Wanted,
    ) -> Result<(), EvaluationError> {
        self.begin()?;
        let is_constant = self.system.layout().constant_mass;
        if is_constant && let Some(out) = &mut wanted.mass {
            self.constant_mass(at, out)?;
        }
        let (system, evaluations) = (&mut *self.system, &mut self.evaluations);
        let mut others = wanted.lent();
        if is_constant {
            others.mass = None;
        }
        let at_once = system.at_point(at, &mut others)?;
        if !is_constant && let Some(out) = &mut wanted.mass {
            evaluations.mass += 1;
            if !at_once {
                system.mass_matrix(at, out)?;
            }
        }
        if let Some(out) = &mut wanted.rates {
            evaluations.force += 1;
            if !at_once {
                system.rates(at, out)?;
            }
        }
        if let Some(out) = &mut wanted.jacobian {
            evaluations.jacobian += 1;
            if !at_once {
                system.constraint_jacobian(at, out)?;
            }
        }
        if let Some(out) = &mut wanted.velocity_constraint {
            evaluations.constraint += 1;
            if !at_once {
                system.velocity_constraint(at, out)?;
            }
        }
        if let Some(out) = &mut wanted.acceleration_bias {
            evaluations.constraint += 1;
            if !at_once {
                system.acceleration_bias(at, out)?;
            }
        }
        if self.left_out.is_empty() {
            return Ok(());
        }
        if let Some(out) = &mut wanted.jacobian {
            self.clear_gradients(out);
        }
        let rows = [
            &mut wanted.velocity_constraint,
            &mut wanted.acceleration_bias,
        ];
        for out in rows.into_iter().flatten() {
            self.clear_values(out);
        }
        Ok(())
    }

    /// See [`System::balance`]; false where it is not offered, rows are left out, or there are states, variables or rows that it does not
    /// serve. Without a look at the answer: callers solve with it, and ask `check_balance` for the reason if that fails.
    pub fn balance(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        wanted: &mut Balance,
    ) -> Result<bool, EvaluationError> {
        if !self.has_balance() {
            return Ok(false);
        }
        self.begin()?;
        if !self.system.balance(at, acceleration, wanted)? {
            return Ok(false);
        }
        self.evaluations.force += usize::from(wanted.forces.is_some() || wanted.sizes.is_some());
        let rows = [
            wanted.position.is_some(),
            wanted.velocity.is_some(),
            wanted.acceleration.is_some(),
        ];
        self.evaluations.constraint += rows.into_iter().filter(|&wanted| wanted).count();
        self.evaluations.jacobian += usize::from(wanted.jacobian.is_some());
        Ok(true)
    }

    /// Whether systems may offer [`System::balance`] as they are: without x, z and velocity rows, all rows shown.
    fn has_balance(&self) -> bool {
        let layout = self.system.layout();
        layout.velocity_rows + layout.differential + layout.algebraic == 0
            && self.left_out.is_empty()
    }

    /// See [`System::balance_derivatives`]; false where [`Self::balance`] is.
    pub fn balance_derivatives(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        wanted: &mut BalanceDerivatives,
    ) -> Result<bool, EvaluationError> {
        if !self.has_balance() {
            return Ok(false);
        }
        if !self.derive(|system| system.balance_derivatives(at, acceleration, wanted))? {
            return Ok(false);
        }
        // As many as there are functions that stand for it.
        self.evaluations.jacobian += 2;
        if self.check_rates_jacobian(at, wanted.rates).is_err() {
            // One by one they have secants in the place of infinite ones.
            return Ok(false);
        }
        finite(Function::GeometricStiffness, at.t, wanted.stiffness)?;
        if let Some(rows) = &wanted.velocity_rows {
            self.evaluations.jacobian += 1;
            finite(Function::VelocityConstraintJacobian, at.t, rows)?;
        }
        if let Some(both) = &wanted.acceleration_rows {
            self.evaluations.jacobian += 1;
            for rows in both {
                finite(Function::AccelerationConstraintJacobian, at.t, rows)?;
            }
        }
        Ok(true)
    }

    /// Whether forces in balance are finite, and rows that stand for one of the functions of constraints.
    pub(crate) fn check_balance(
        &self,
        at: &Point,
        forces: &[f64],
        (function, rows): (Function, &[f64]),
    ) -> Result<(), EvaluationError> {
        finite(Function::Rates, at.t, forces)?;
        finite(function, at.t, rows)
    }

    /// See [`System::position_constraint`].
    pub fn position_constraint(
        &mut self,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.begin()?;
        self.evaluations.constraint += 1;
        self.system.position_constraint(at, out)?;
        self.clear_values(out);
        finite(Function::PositionConstraint, at.t, out)
    }

    /// See [`System::velocity_constraint`].
    pub fn velocity_constraint(
        &mut self,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.begin()?;
        self.evaluations.constraint += 1;
        self.system.velocity_constraint(at, out)?;
        self.clear_values(out);
        finite(Function::VelocityConstraint, at.t, out)
    }

    /// See [`System::constraint_jacobian`].
    pub fn constraint_jacobian(
        &mut self,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.constraint_jacobian_to_factor(at, out)?;
        self.check_jacobian(at, out)
    }

    /// As [`Self::constraint_jacobian`], for callers that factorize with the answer, since nothing but finite numbers has factors;
    /// where that fails they ask [`Self::check_jacobian`] for the reason.
    pub(crate) fn constraint_jacobian_to_factor(
        &mut self,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.evaluations.jacobian += 1;
        self.derive(|system| system.constraint_jacobian(at, out))?;
        self.clear_gradients(out);
        Ok(())
    }

    /// Whether the values of a constraint Jacobian are finite.
    pub(crate) fn check_jacobian(&self, at: &Point, values: &[f64]) -> Result<(), EvaluationError> {
        finite(Function::ConstraintJacobian, at.t, values)
    }

    /// See [`System::acceleration_bias`].
    pub fn acceleration_bias(
        &mut self,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.begin()?;
        self.evaluations.constraint += 1;
        self.system.acceleration_bias(at, out)?;
        self.clear_values(out);
        finite(Function::AccelerationBias, at.t, out)
    }

    /// See [`SecondDerivatives::geometric_stiffness`](system::SecondDerivatives::geometric_stiffness).
    pub fn geometric_stiffness(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.evaluations.jacobian += 1;
        self.derive(|system| system::geometric_stiffness(system, at, acceleration, out))?;
        finite(Function::GeometricStiffness, at.t, out)
    }

    /// See [`SecondDerivatives::velocity_constraint_jacobian`](system::SecondDerivatives::velocity_constraint_jacobian).
    pub fn velocity_constraint_jacobian(
        &mut self,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.evaluations.jacobian += 1;
        self.derive(|system| system::velocity_constraint_jacobian(system, at, out))?;
        self.clear_gradients(out);
        finite(Function::VelocityConstraintJacobian, at.t, out)
    }

    /// See [`SecondDerivatives::acceleration_constraint_jacobian`](system::SecondDerivatives::acceleration_constraint_jacobian).
    pub fn acceleration_constraint_jacobian(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.evaluations.jacobian += 1;
        self.derive(|system| {
            system::acceleration_constraint_jacobian(
                system,
                at,
                acceleration,
                by_position,
                by_velocity,
            )
        })?;
        self.clear_gradients(by_position);
        self.clear_gradients(by_velocity);
        finite(Function::AccelerationConstraintJacobian, at.t, by_position)?;
        finite(Function::AccelerationConstraintJacobian, at.t, by_velocity)
    }

    /// See [`Energy::total`](system::Energy::total); not counted.
    pub fn energy(&mut self, at: &Point) -> Result<Option<f64>, EvaluationError> {
        let energy = system::total_energy(&mut *self.system, at);
        finite(Function::Energy, at.t, energy.as_slice())?;
        Ok(energy)
    }

    /// See [`Events::event_functions`](crate::system::Events::event_functions); not counted, the driver asks for them and no method
    /// does.
    pub fn event_functions(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        if let Some(events) = self.system.events() {
            events.event_functions(at, out)?;
        }
        finite(Function::Events, at.t, out)
    }

    /// See [`Events::event_function`](crate::system::Events::event_function); not counted either. Zero of a system without events.
    pub fn event_function(
        &mut self,
        event: usize,
        at: &Point,
        memory: &mut [f64],
    ) -> Result<f64, EvaluationError> {
        let value = match self.system.events() {
            Some(events) => events.event_function(event, at, memory)?,
            None => 0.0,
        };
        if value.is_finite() {
            return Ok(value);
        }
        Err(EvaluationError::NonFinite {
            function: Function::Events,
            t: at.t,
            index: event,
        })
    }

    /// See [`Outputs::values`](system::Outputs::values); not counted.
    pub fn outputs(&mut self, state: &State, out: &mut [f64]) -> Result<(), EvaluationError> {
        system::output_values(&mut *self.system, state, out)?;
        finite(Function::Outputs, state.t, out)
    }

    /// Runs `measure` without counting what it evaluates: violations for a report are no work of the method.
    pub fn uncounted<R>(&mut self, measure: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.counted();
        let result = measure(self);
        self.count_from(before);
        result
    }

    /// What has been counted so far.
    pub(crate) fn counted(&self) -> Counted {
        Counted {
            evaluations: self.evaluations,
            constant_mass: self.constant_mass_is_counted,
        }
    }

    /// Forgets what has been counted since, and returns it.
    pub(crate) fn count_from(&mut self, before: Counted) -> Evaluations {
        let since = self.evaluations.since(before.evaluations);
        self.evaluations = before.evaluations;
        // What is known from here on counts where it is first used.
        self.constant_mass_is_counted &= before.constant_mass;
        since
    }

    /// Counts what has been forgotten.
    pub(crate) fn count(&mut self, evaluations: Evaluations) {
        self.evaluations += evaluations;
    }
}
