//! The parts that advance a state in time: the equations, the stepper, and the projector onto the constraints.

use super::SolveErrorKind;
use super::rows::HeldRows;
use super::timeline::SHORT;
use crate::control::ErrorNorm;
use crate::integrator::{Attempt, Integrator, Kind, StepError, Stepper, Work};
use crate::system::{
    AccelerationSolver, DynamicsError, EvaluationError, Evaluations, Evaluator, Function,
    Projector, RowCheck, State, Verdict, copy_part,
};

/// Counts of work.
#[derive(Clone, Copy, Default)]
pub(super) struct Cost {
    evaluations: Evaluations,
    work: Work,
}

/// The method at work on the equations, and the step that it takes.
pub(super) struct Motion<'a> {
    pub evaluator: Evaluator<'a>,
    pub integrator: &'a dyn Integrator,
    pub stepper: Box<dyn Stepper>,
    pub norm: ErrorNorm,
    pub accelerations: Box<AccelerationSolver>,
    pub projector: Box<Projector>,
    /// Where constraint rows are redundant, those that carry multipliers.
    pub rows: HeldRows,
    /// Rows without derivatives, where the method does not solve them by itself.
    pub row_check: Option<Box<RowCheck>>,
    /// The start of the step.
    pub state: State,
    /// Its end.
    pub next: State,
    /// Work of the method before the system last changed its structure, and of steps across singular configurations.
    pub earlier_work: Work,
    /// Work of the steppers for those who look at the run, which is none of the method.
    pub observed_work: Work,
    /// Steps repeated in search of events.
    pub repeated: usize,
    /// Times between which rows do not determine accelerations, upon a singular configuration that the driver is crossing.
    pub undetermined: Option<[f64; 2]>,
}

impl Motion<'_> {
    /// Takes a step from `state` into `next`, which is judged where it stands.
    #[inline]
    pub fn step<R>(
        &mut self,
        t: f64,
        h: f64,
        judge: impl FnOnce(&Attempt) -> R,
    ) -> Result<R, StepError> {
        self.step_into(None, t, h, judge)
    }

    /// Looks whether rows without derivatives hold at the end of a step that is good otherwise, and where the run stops at their slopes, too.
    /// Where there is no other size to try the rows are solved there: with constant steps.
    pub fn check_rows(&mut self, stops: bool) -> Result<(), StepError> {
        self.check_rows_of(None, stops)
    }

    /// The same at the end of a step up to an event, where the rows are solved, too.
    fn check_rows_of(&mut self, event: Option<&mut State>, stops: bool) -> Result<(), StepError> {
        let Some(check) = &mut self.row_check else {
            return Ok(());
        };
        let may_shrink = event.is_none() && self.norm.is_binding();
        let (system, end) = (&mut self.evaluator, event.unwrap_or(&mut self.next));
        let before = check.factorizations();
        let looked = check.look(system, end, &self.norm, stops);
        let settled = match looked {
            Ok(Verdict::Holds) => Ok(()),
            Ok(Verdict::Solved) => {
                self.stepper.take_solved(end);
                Ok(())
            }
            Ok(Verdict::Off(tolerances)) if may_shrink => {
                self.stepper.renew_derivatives();
                Err(DynamicsError::NotSolved {
                    t: end.t,
                    tolerances,
                })
            }
            Ok(Verdict::Off(_)) => {
                let solved = check.solve(system, end);
                self.stepper.take_solved(end);
                solved
            }
            Err(error) => Err(error),
        };
        let count = check.factorizations() - before;
        self.earlier_work.factorizations += count;
        self.earlier_work.solves += count;
        Ok(settled?)
    }

    /// Takes a part of the step, up to an event.
    pub fn step_to_event(&mut self, event: &mut State, t: f64) -> Result<(), StepError> {
        let h = t - self.state.t;
        if h < SHORT * (self.next.t - self.state.t) && !self.integrator.method().captures_events {
            let tools = (
                &mut self.evaluator,
                &mut *self.accelerations,
                &mut self.rows,
            );
            if short_step(tools, &self.state, event, t)? {
                return Ok(());
            }
        }
        self.step_into(Some(&mut *event), t, h, |_| ())?;
        self.check_rows_of(Some(event), true)
    }

    /// The driver's own step into `next` between moments that nearly coincide; false where it has none. The method starts anew behind it.
    pub fn take_short_step(&mut self, t: f64) -> Result<bool, StepError> {
        if self.integrator.method().captures_events {
            return Ok(false);
        }
        let (system, solver) = (&mut self.evaluator, &mut *self.accelerations);
        let rows = &mut self.rows;
        short_step((system, solver, rows), &self.state, &mut self.next, t)
    }

    /// A step into `next`, or up to an event.
    // Inlined always: the answer of the method would be copied before its parts have reached memory.
    #[inline(always)]
    fn step_into<R>(
        &mut self,
        event: Option<&mut State>,
        t: f64,
        h: f64,
        judge: impl FnOnce(&Attempt) -> R,
    ) -> Result<R, StepError> {
        let next = event.unwrap_or(&mut self.next);
        next.t = t;
        copy_part(&mut next.mode, &self.state.mode);
        let (system, start) = (&mut self.evaluator, &mut self.state);
        let attempted = self.rows.step(system, start, |system, start| {
            self.stepper.step(system, start, h, &mut self.norm, next)
        });
        // A method may have copied those of the start.
        next.t = t;
        copy_part(&mut next.mode, &self.state.mode);
        match attempted {
            Ok(ref attempt) => {
                if let Some(error) = attempt.error.filter(|error| !error.is_finite())
                    && !self.norm.is_binding()
                {
                    return Err(StepError::Failed {
                        method: self.integrator.method().name,
                        t: self.state.t,
                        h,
                        error,
                    });
                }
                if self.stepper.finite_state().is_none() && !next.is_finite() {
                    // The error norm would let NaN of a component through to the next step.
                    return Err(EvaluationError::NonFinite {
                        function: Function::State,
                        t,
                        index: 0,
                    }
                    .into());
                }
                let ends = [&self.state, &*next];
                // Redundant rows carry no multipliers: whether they are implied shows at the end.
                (self.rows).check(&mut self.evaluator, ends, &mut self.norm)?;
                Ok(judge(attempt))
            }
            Err(error) => Err(error),
        }
    }

    /// Lets the method accept the step.
    #[inline(always)]
    pub fn accept(&mut self, h: f64) -> Result<(), StepError> {
        self.rows.minimize(&mut self.evaluator, &mut self.next)?;
        self.rows.with_own(&mut self.state, |state| {
            self.stepper
                .accept(&mut self.evaluator, state, h, &mut self.next)
        })?;
        self.rows.accepted();
        Ok(())
    }

    /// The longest step that the system allows the method from the state.
    pub fn longest_step(&mut self) -> Result<f64, EvaluationError> {
        let kind = self.integrator.method().kind;
        let (at, acceleration) = (self.state.point(), &self.state.acceleration);
        let Some(events) = self.evaluator.system().events() else {
            return Ok(f64::INFINITY);
        };
        let mut longest = events.passing_step(&at, acceleration)?;
        if matches!(kind, Kind::Explicit | Kind::HalfExplicit) {
            longest = longest.min(events.explicit_step(&at, acceleration)?);
        }
        Ok(longest)
    }

    /// Goes on to the end of the step.
    #[inline]
    pub fn go_on(&mut self) {
        std::mem::swap(&mut self.state, &mut self.next);
    }

    /// Starts the method anew from a state that it has not come to by itself.
    pub fn restart(&mut self) -> Result<(), SolveErrorKind> {
        self.undetermined = None;
        self.rows.meet(
            &mut self.evaluator,
            self.integrator,
            &mut self.accelerations,
            &mut self.state,
        )?;
        self.rows.with_own(&mut self.state, |state| {
            self.stepper.restart(&mut self.evaluator, state)
        })?;
        Ok(())
    }

    /// The state has jumped: its energy is the one that the method keeps from now on, and so do states at events.
    pub fn keep_energy(&mut self) -> Result<(), StepError> {
        self.projector.forget_energy();
        if let Some(projector) = self.stepper.energy_projector() {
            projector.keep_energy(&mut self.evaluator, &self.state)?;
            if projector.keeps_energy() {
                self.projector
                    .keep_energy(&mut self.evaluator, &self.state)?;
            }
        }
        Ok(())
    }

    /// Does something for those who look at the run, and counts none of it: a run that is observed has the counts of one that is not.
    /// Returns what it has cost, too.
    pub fn uncounted<R>(&mut self, look: impl FnOnce(&mut Self) -> R) -> (R, Cost) {
        let (counted, before) = (self.evaluator.counted(), self.stepper.work());
        let result = look(self);
        let evaluations = self.evaluator.count_from(counted);
        let work = self.stepper.work().since(before);
        self.observed_work += work;
        (result, Cost { evaluations, work })
    }

    /// What has been done for those who look is used by the run itself, and counts.
    pub fn count(&mut self, cost: Cost) {
        self.evaluator.count(cost.evaluations);
        self.earlier_work += cost.work;
    }

    /// Completes the end of the step: multipliers of the held rows by the method, then those of least norm with the same
    /// force.
    pub fn complete_next(&mut self) -> Result<(), StepError> {
        self.complete(true)
    }

    /// The same for the state, at the end of a run.
    pub fn complete_state(&mut self) -> Result<(), StepError> {
        self.complete(false)
    }

    fn complete(&mut self, next: bool) -> Result<(), StepError> {
        let state = if next {
            &mut self.next
        } else {
            &mut self.state
        };
        self.rows
            .complete_by(&mut self.evaluator, state, |system, state| {
                self.stepper.complete(system, state)
            })
    }

    /// Whether a step of the method leaves its end with all that the equations of motion have there.
    pub fn step_ends_consistent(&self) -> bool {
        // Rows that were left out of the step may not be those that are left out elsewhere.
        self.stepper.ends_consistent() && self.rows.are_all_in_steps()
    }

    /// A step or an interpolation leaves the constraints by its error; puts the state back onto them, and solves for the
    /// rest, unless the state is `complete` and stays where it is.
    pub fn settle(&mut self, state: &mut State, complete: bool) -> Result<(), StepError> {
        (self.evaluator.layout().space).normalize(&mut state.q);
        if self.is_undetermined(state.t) {
            // Rows say nothing of the accelerations there: those of the interpolation stay.
            self.project_without_weakest(state)?;
            return Ok(self.spread_multipliers(state)?);
        }
        let system = &mut self.evaluator;
        if complete && !self.projector.moves() {
            return Ok(());
        }
        // Positions first: velocities belong to the configuration.
        self.projector.project_position(system, state, false)?;
        let step = state.t - self.state.t;
        // Velocities, too.
        self.projector.project_energy(system, state, step)?;
        Ok(self.solve_at(state)?)
    }

    /// Whether a time is so near to that of a singular configuration that the driver is crossing that rows do not determine accelerations.
    fn is_undetermined(&self, t: f64) -> bool {
        (self.undetermined).is_some_and(|[from, to]| (from..=to).contains(&t))
    }

    /// Solves the equations of motion at a state; the multipliers are those of least norm.
    pub fn solve_at(&mut self, state: &mut State) -> Result<(), DynamicsError> {
        self.accelerations.complete(&mut self.evaluator, state)?;
        self.spread_multipliers(state)
    }

    /// Replaces the multipliers of the held rows by those of least norm, as everybody but the method sees them.
    pub fn spread_multipliers(&mut self, state: &mut State) -> Result<(), DynamicsError> {
        self.rows.least_norm(&mut self.evaluator, state)
    }

    /// The state where the method has left it, with its acceleration and the multipliers of the held rows.
    pub fn complete_unprojected_into(&mut self, state: &mut State) -> Result<(), DynamicsError> {
        state.copy_from(&self.state);
        self.accelerations.complete(&mut self.evaluator, state)
    }

    /// The state on the constraints, with its acceleration and the multipliers of the held rows: steps of RATTLE that begin
    /// beside the constraints are not symmetric.
    pub fn complete_into(&mut self, state: &mut State) -> Result<(), DynamicsError> {
        // Not the state itself: a step across a singular configuration may still be refused.
        state.copy_from(&self.state);
        let (system, projector) = (&mut self.evaluator, &mut self.projector);
        projector.project_position(system, state, false)?;
        projector.project_velocity(system, state)?;
        self.accelerations.complete(system, state)
    }

    /// The same with the velocity of the moment, where that of the method belongs to an earlier one.
    pub fn complete_moment_into(&mut self, state: &mut State) -> Result<(), DynamicsError> {
        let lag = self.stepper.velocity_lag();
        if lag == 0.0 {
            return self.complete_into(state);
        }
        state.copy_from(&self.state);
        let (system, projector) = (&mut self.evaluator, &mut self.projector);
        projector.project_position(system, state, false)?;
        self.accelerations.complete(system, state)?;
        shift_velocity(state, lag);
        projector.project_velocity(system, state)?;
        self.accelerations.complete(system, state)
    }

    /// The state has the velocity of its moment; the method goes on with that of so much earlier.
    pub fn hand_back(&mut self, lag: f64) {
        shift_velocity(&mut self.state, -lag);
    }
}

/// v + time v'.
fn shift_velocity(state: &mut State, time: f64) {
    for (v, acceleration) in state.v.iter_mut().zip(&state.acceleration) {
        *v += time * acceleration;
    }
}

/// A step of Taylor's polynomial: q_n · exp(h v_n + h²/2 v'_n), v_n + h v'_n, x_n + h x'_n; false where the equations of motion do not
/// give these rates. Its error is (h/H)² times that of one like it of the usual size H, 10⁻¹² at most.
fn short_step(
    (system, solver, rows): (&mut Evaluator, &mut AccelerationSolver, &mut HeldRows),
    from: &State,
    to: &mut State,
    t: f64,
) -> Result<bool, StepError> {
    if system
        .layout()
        .differential_index
        .iter()
        .any(|&index| index > 0)
    {
        return Ok(false);
    }
    to.copy_from(from);
    if solver.complete(system, to).is_err() {
        return Ok(false);
    }
    let h = t - from.t;
    for (v, a) in to.v.iter_mut().zip(&to.acceleration) {
        *v += h * a;
    }
    let ends = from.v.iter().zip(&to.v);
    let displacement: Vec<f64> = ends.map(|(from, to)| 0.5 * h * (from + to)).collect();
    (system.layout().space).retract(&from.q, &displacement, &mut to.q);
    for (x, rate) in to.x.iter_mut().zip(solver.differential_rates()) {
        *x += h * rate;
    }
    to.t = t;
    if solver.complete(system, to).is_err() {
        return Ok(false);
    }
    rows.least_norm(system, to)?;
    Ok(to.is_finite())
}
