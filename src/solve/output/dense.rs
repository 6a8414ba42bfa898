//! Where dense output comes from: the driver's Hermite polynomial, or the method.

use crate::integrator::{DenseOutput, Method, StepError, Stepper};
use crate::manifold::Manifold;
use crate::solve::Driver;
use crate::solve::output::hermite::{Degree, Interpolant};
use crate::system::{AccelerationSolver, Evaluator, Layout, State};

/// Dense output within the last accepted step.
pub(in crate::solve) enum Dense {
    /// A Hermite polynomial of the driver.
    Hermite(Box<Interpolant>),
    /// The method's own.
    Own(Box<Own>),
}

/// Dense output of the method.
pub(in crate::solve) struct Own {
    state: State,
    /// Where rows are left out the method knows multipliers of the kept rows only; those of least norm at both ends are
    /// interpolated in their place.
    multipliers: Option<Box<Multipliers>>,
    /// Where the evaluations that the method needs for it fail, although the step has been accepted, observers see a
    /// cubic polynomial, which needs none. Built when first needed.
    substitute: Option<Box<Interpolant>>,
    substituted: bool,
}

/// Times and multipliers at both ends of a step.
struct Multipliers {
    t: [f64; 2],
    lambda: [Vec<f64>; 2],
}

impl Dense {
    /// What a method asks for.
    pub fn new(layout: &Layout, method: &Method) -> Self {
        match method.dense_output {
            DenseOutput::Cubic => Self::hermite(layout, Degree::Cubic),
            DenseOutput::LinearVelocity => Self::hermite(layout, Degree::LinearVelocity),
            DenseOutput::Quintic => Self::hermite(layout, Degree::Quintic),
            DenseOutput::Own => Self::Own(Box::new(Own {
                state: layout.state(),
                multipliers: None,
                substitute: None,
                substituted: false,
            })),
        }
    }

    /// A polynomial of the driver.
    pub fn hermite(layout: &Layout, degree: Degree) -> Self {
        Self::Hermite(Box::new(Interpolant::new(layout, degree)))
    }

    /// The state at a time within the step.
    pub fn at(&mut self, stepper: &mut dyn Stepper, space: &Manifold, t: f64) -> &State {
        match self {
            Self::Hermite(interpolant) => interpolant.at(t, space),
            Self::Own(own) => own.at(stepper, space, t),
        }
    }
}

impl Own {
    fn at(&mut self, stepper: &mut dyn Stepper, space: &Manifold, t: f64) -> &State {
        if let Some(substitute) = self.substitute.as_mut().filter(|_| self.substituted) {
            return substitute.at(t, space);
        }
        // There is one, or it could not have been prepared.
        if let Some(output) = stepper.dense_output() {
            output.interpolate(space, t, &mut self.state);
        }
        if let Some(ends) = &self.multipliers {
            let weight = (t - ends.t[0]) / (ends.t[1] - ends.t[0]);
            let [from, to] = &ends.lambda;
            let slots = self.state.lambda.iter_mut();
            for (slot, (from, to)) in slots.zip(from.iter().zip(to)) {
                *slot = from + weight * (to - from);
            }
        }
        &self.state
    }

    /// Takes over the multipliers at both ends where the method does not know all of them.
    fn keep_multipliers(&mut self, ends: [&State; 2]) {
        let kept = self.multipliers.get_or_insert_with(|| {
            let lambda = ends.map(|state| state.lambda.clone());
            Box::new(Multipliers {
                t: [0.0; 2],
                lambda,
            })
        });
        for (index, state) in ends.into_iter().enumerate() {
            kept.t[index] = state.t;
            kept.lambda[index].copy_from_slice(&state.lambda);
        }
    }
}

/// Where a step ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::solve) enum StepEnd {
    /// Where the method has accepted it.
    Accepted,
    /// Before it is accepted, while events are looked for.
    Tentative,
    /// At an event.
    Event,
}

impl Driver<'_> {
    /// Makes dense output ready within the last step, unless it is.
    pub(in crate::solve) fn prepare_dense_output(&mut self, end: StepEnd) -> Result<(), StepError> {
        if self.dense_ready {
            return Ok(());
        }
        // The search for events may not depend on whether an observer looks.
        let (from, to) = match end {
            StepEnd::Accepted => (self.shown.start(&self.state), self.shown.end(&self.next)),
            StepEnd::Tentative => (&self.state, &self.search.end),
            StepEnd::Event => (self.shown.start(&self.state), &self.before),
        };
        let (evaluator, accelerations) = (&mut self.evaluator, &mut self.accelerations);
        let mut ends = Ends {
            from,
            to,
            x_rates: &mut self.x_rates,
        };
        match &mut self.dense {
            Dense::Own(own) => {
                own.state.mode.copy_from_slice(&from.mode);
                own.substituted = false;
                if self.held.as_ref().is_some_and(|held| held.holds()) {
                    own.keep_multipliers([from, to]);
                } else {
                    own.multipliers = None;
                }
                let prepared = match self.stepper.dense_output() {
                    Some(output) => output.prepare(evaluator, from, to),
                    None => Err(StepError::NoDenseOutput {
                        method: self.integrator.method().name,
                    }),
                };
                match prepared {
                    Err(StepError::Dynamics(_)) if end != StepEnd::Tentative => {
                        let layout = evaluator.layout();
                        let new = || Box::new(Interpolant::new(layout, Degree::Cubic));
                        let substitute = own.substitute.get_or_insert_with(new);
                        ends.load(evaluator, accelerations, substitute)?;
                        own.substituted = true;
                    }
                    prepared => prepared?,
                }
            }
            Dense::Hermite(interpolant) => ends.load(evaluator, accelerations, interpolant)?,
        }
        self.dense_ready = true;
        Ok(())
    }
}

impl Driver<'_> {
    /// The state at a time between two complete ones, from the quintic polynomial through them, into the second one.
    pub(in crate::solve) fn between(
        &mut self,
        from: &State,
        to: &mut State,
        t: f64,
    ) -> Result<(), StepError> {
        let layout = self.evaluator.layout();
        let mut interpolant = Interpolant::new(layout, Degree::Quintic);
        let mut ends = Ends {
            from,
            to,
            x_rates: &mut self.x_rates,
        };
        let (evaluator, accelerations) = (&mut self.evaluator, &mut self.accelerations);
        ends.load(evaluator, accelerations, &mut interpolant)?;
        to.copy_from(interpolant.at(t, &self.evaluator.layout().space));
        Ok(())
    }
}

/// The ends of a step, and memory for the rates of differential states there.
struct Ends<'a> {
    from: &'a State,
    to: &'a State,
    x_rates: &'a mut [Vec<f64>; 2],
}

impl Ends<'_> {
    /// Prepares a polynomial between them.
    fn load(
        &mut self,
        evaluator: &mut Evaluator,
        accelerations: &mut AccelerationSolver,
        interpolant: &mut Interpolant,
    ) -> Result<(), StepError> {
        let (from, to) = (self.from, self.to);
        let layout = evaluator.layout();
        let ordinary = layout.differential_index.iter().all(|&index| index == 0);
        let step = to.t - from.t;
        for (state, rates) in [from, to].into_iter().zip(self.x_rates.iter_mut()) {
            if ordinary {
                accelerations.differential_rates_at(evaluator, &state.point(), rates)?;
            } else {
                // The rates of algebraic components are not available: interpolate linearly.
                for (index, rate) in rates.iter_mut().enumerate() {
                    *rate = (to.x[index] - from.x[index]) / step;
                }
            }
        }
        let rates = [&self.x_rates[0][..], &self.x_rates[1][..]];
        interpolant.load(&evaluator.layout().space, from, to, rates);
        Ok(())
    }
}
