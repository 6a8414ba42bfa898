//! The first steps after a start or an event, by a one-step method of high order.

use super::engine::Engine;
use super::{RETRY, SAFETY};
use crate::control::ErrorNorm;
use crate::integrator::radau5::{Purpose, Radau5Stepper};
use crate::integrator::{Attempt, NewtonOptions, OwnDenseOutput, Radau5, StepError, Stepper, Work};
use crate::manifold::Manifold;
use crate::system::{Evaluator, Formulation, State};

/// Takes steps of Radau IIA until their size is about what the tolerance allows; the collocation polynomial of the last one,
/// kept to the tolerance in its interior too, gives the states that the formula of order 3 starts with. So the first steps are
/// neither as small as order 1 makes them nor as inaccurate.
///
/// Gear 1980, doi:10.1145/355900.355901, starts Adams and BDF formulas at order 4 by one step of explicit Runge-Kutta methods
/// made for that; this one is for stiff systems and DAEs.
///
/// Index 3 starts on the stabilized index-2 form: its velocities and multipliers would be of order 3 and 2 only.
pub(super) struct Launcher {
    /// Boxed, as it is large and a method is moved about while it is made.
    radau: Box<Radau5Stepper>,
    interior: State,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Steps,
    /// The formula goes on when the present step has been accepted.
    Last,
    Over,
}

impl Launcher {
    /// Degree of the collocation polynomial.
    const DEGREE: usize = 3;

    /// A step that might have been longer by this factor is followed by another one.
    const SHORT: f64 = 4.0;

    /// The first step of the formula over one of Radau IIA with the same estimated error. The errors are about 0.14 and
    /// 0.005 times h⁴ y'''', so that (0.005 / 0.14)^(1/4) = 0.43 would do; a quarter leaves a margin, since the first history
    /// comes from another method's polynomial.
    const SHARE: f64 = 0.25;

    /// A launcher that is ready at `state`.
    pub fn new(
        system: &mut Evaluator,
        state: &State,
        formulation: Formulation,
        newton: NewtonOptions,
    ) -> Result<Self, StepError> {
        let formulation = match formulation {
            Formulation::Index3 => Formulation::StabilizedIndex2,
            other => other,
        };
        // A tolerance of the user is one for the formula's unknowns; Radau IIA would take it as a fraction.
        let newton = NewtonOptions {
            tolerance: None,
            ..newton
        };
        let radau = Radau5::new(Some(formulation), newton);
        Ok(Self {
            radau: Box::new(radau.stepper(system, state, Purpose::StartingAnother)?),
            interior: state.clone(),
            phase: Phase::Steps,
        })
    }

    /// Begins anew.
    pub fn restart(&mut self, system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        self.phase = Phase::Steps;
        self.radau.restart(system, state)
    }

    /// Whether the next step is one of this method.
    pub fn runs(&self) -> bool {
        self.phase != Phase::Over
    }

    /// What a step is multiplied by when its iteration fails.
    pub fn retry_factor(&self) -> f64 {
        if self.runs() {
            self.radau.retry_factor()
        } else {
            RETRY
        }
    }

    /// Takes a step.
    pub fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        self.phase = Phase::Steps;
        let attempt = self.radau.step(system, from, h, norm, to)?;
        let Some(error) = attempt.error else {
            return Ok(attempt);
        };
        let order = Radau5::METHOD.error_order;
        if error <= 1.0 && error.powf(-1.0 / order) < Self::SHORT {
            self.phase = Phase::Last;
            // The controller multiplies by SAFETY e^(-1/order): this e makes it SHARE error^(-1/order).
            let outlook = error * (SAFETY / Self::SHARE).powf(order);
            return Ok(Attempt::with_error(error).with_outlook(outlook, order));
        }
        Ok(attempt)
    }

    /// Prepares the collocation polynomial of the last step.
    pub fn prepare_output(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        to: &State,
    ) -> Result<(), StepError> {
        self.radau.prepare(system, from, to)
    }

    /// Puts the state at `t` within the last step into `out`.
    pub fn interpolate(&mut self, space: &Manifold, t: f64, out: &mut State) {
        self.radau.interpolate(space, t, out);
    }

    /// The last step has been accepted. If no other one is to follow, the formula has its history.
    pub fn accept(
        &mut self,
        system: &mut Evaluator,
        (from, to): (&State, &mut State),
        h: f64,
        engine: &mut Engine,
    ) -> Result<(), StepError> {
        if self.phase == Phase::Last {
            self.phase = Phase::Over;
            // Interior points of the collocation polynomial, a third of the step apart.
            self.radau.prepare(system, from, to)?;
            engine.begin_from(system, from);
            // History: the start, the interior, the end: four points for order 3.
            for part in 1..Self::DEGREE {
                let t = from.t + h * part as f64 / Self::DEGREE as f64;
                let space = &system.layout().space;
                self.radau.interpolate(space, t, &mut self.interior);
                engine.continue_from(system, &self.interior);
            }
            engine.continue_from(system, to);
            engine.raise_order();
        }
        self.radau.accept(system, from, h, to)
    }

    /// See [`Stepper::take_solved`].
    pub fn take_solved(&mut self, to: &State) {
        self.radau.take_solved(to);
    }

    /// Work since the start.
    pub fn work(&self) -> Work {
        self.radau.work()
    }
}
