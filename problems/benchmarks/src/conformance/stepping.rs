//! A stepper driven by hand, without a driver between.

use super::Fault;
use liedae::control::{ErrorNorm, Tolerances};
use liedae::integrator::{Integrator, StepError, StepSizes, Stepper, Work};
use liedae::system::{AccelerationSolver, Evaluator, State, System};

/// Accelerations and multipliers that solve the same equations differ by round-off, less than this part of the largest.
const SOLVED: f64 = 1e-9;

/// A stepper at work on a system with independent rows.
pub(super) struct Stepping<'a> {
    pub evaluator: Evaluator<'a>,
    stepper: Box<dyn Stepper>,
    accelerations: AccelerationSolver,
    norm: ErrorNorm,
    state: State,
    next: State,
    /// What the stepper said last of its work.
    work: Work,
}

impl<'a> Stepping<'a> {
    /// Starts a method from a state, or from the initial one.
    pub fn start(
        system: &'a mut dyn System,
        method: &dyn Integrator,
        from: Option<State>,
    ) -> Result<Self, Fault> {
        let mut state = from.unwrap_or_else(|| system.initial_state());
        let mut evaluator = Evaluator::new(system);
        let layout = evaluator.layout();
        let linear = |source| StepError::linear(0.0, source);
        let mut accelerations = AccelerationSolver::new(layout).map_err(linear)?;
        let norm = ErrorNorm::new(&Tolerances::default(), layout)
            .map_err(|error| Fault::Descriptor(error.to_string()))?;
        accelerations
            .complete(&mut evaluator, &mut state)
            .map_err(StepError::from)?;
        let stepper = method.start(&mut evaluator, &state, StepSizes::Constant)?;
        Ok(Self {
            evaluator,
            work: stepper.work(),
            stepper,
            accelerations,
            norm: norm.for_constant_steps(),
            next: state.clone(),
            state,
        })
    }

    /// The end of a step from the current state: what the stepper has to leave there. What it need not leave is zero.
    pub fn step(&mut self, h: f64) -> Result<State, Fault> {
        self.next.t = self.state.t + h;
        let attempt = self.stepper.step(
            &mut self.evaluator,
            &self.state,
            h,
            &mut self.norm,
            &mut self.next,
        )?;
        // With constant steps nobody judges errors, but such a step has failed.
        if let Some(value) = attempt.error.filter(|error| !error.is_finite()) {
            let t = self.state.t;
            return Err(Fault::Estimate { t, h, value });
        }
        // The driver's, as in every run.
        self.next.t = self.state.t + h;
        self.watch_work()?;
        let mut left = self.next.clone();
        if self.stepper.ends_consistent() {
            self.watch_end()?;
        } else {
            for part in [&mut left.acceleration, &mut left.lambda, &mut left.z] {
                part.fill(0.0);
            }
        }
        Ok(left)
    }

    /// Whether the stepper has said of any work; without constraint rows nothing need be solved.
    pub fn check_work(&self) -> Result<(), Fault> {
        if self.evaluator.layout().rows() > 0 && self.work == Work::default() {
            return Err(Fault::NoWork);
        }
        Ok(())
    }

    /// Accepts the last step and goes on from its end.
    pub fn accept(&mut self, h: f64) -> Result<(), Fault> {
        let system = &mut self.evaluator;
        self.stepper
            .accept(system, &self.state, h, &mut self.next)?;
        let t = self.state.t + h;
        self.state.copy_from(&self.next);
        self.state.t = t;
        self.watch_work()
    }

    /// Goes on from another state, behind a jump.
    pub fn restart(&mut self, mut state: State) -> Result<(), Fault> {
        self.accelerations
            .complete(&mut self.evaluator, &mut state)
            .map_err(StepError::from)?;
        self.stepper.restart(&mut self.evaluator, &state)?;
        self.state = state;
        self.watch_work()
    }

    /// Counts of work never fall.
    fn watch_work(&mut self) -> Result<(), Fault> {
        let (before, after) = (self.work, self.stepper.work());
        let falls = after.factorizations < before.factorizations
            || after.solves < before.solves
            || after.newton_iterations < before.newton_iterations;
        self.work = after;
        if falls {
            return Err(Fault::Work { before, after });
        }
        Ok(())
    }

    /// The end of the step has what solves the equations of motion there.
    fn watch_end(&mut self) -> Result<(), Fault> {
        let mut solved = self.next.clone();
        self.accelerations
            .complete(&mut self.evaluator, &mut solved)
            .map_err(StepError::from)?;
        let parts = [
            (
                "acceleration",
                &self.next.acceleration,
                &solved.acceleration,
            ),
            ("lambda", &self.next.lambda, &solved.lambda),
            ("z", &self.next.z, &solved.z),
        ];
        for (part, found, expected) in parts {
            let size = expected.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
            let pairs = found.iter().zip(expected);
            for (index, (&found, &expected)) in pairs.enumerate() {
                // Written so that NaN is not.
                let solves = (found - expected).abs() <= SOLVED * size;
                if !solves {
                    return Err(Fault::UnsolvedEnd {
                        part,
                        index,
                        found,
                        expected,
                    });
                }
            }
        }
        Ok(())
    }

    /// Whether the stepper says so.
    pub fn repeats_steps(&self) -> bool {
        self.stepper.repeats_steps()
    }
}
