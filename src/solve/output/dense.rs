//! Where dense output comes from: the driver's Hermite polynomial, or the method.

use crate::integrator::{DenseOutput, Integrator, Method, StepError, Stepper};
use crate::manifold::Manifold;
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

    /// Makes it ready within a step. Where the method's own cannot be had, observers see a substitute.
    pub fn prepare(
        &mut self,
        tools: &mut Tools,
        mut ends: Ends,
        substitutes: bool,
    ) -> Result<(), StepError> {
        match self {
            Self::Own(own) => own.prepare(tools, ends, substitutes),
            Self::Hermite(interpolant) => {
                ends.load(tools.evaluator, tools.accelerations, interpolant)
            }
        }
    }

    /// The same for those who ask for no acceleration: that of the state is anything.
    #[inline]
    pub fn motion_at<'s>(
        &mut self,
        stepper: &mut dyn Stepper,
        space: impl FnOnce() -> &'s Manifold,
        t: f64,
    ) -> &State {
        match self {
            Self::Hermite(interpolant) => interpolant.motion_at(t, space),
            Self::Own(own) => own.at(stepper, space(), t),
        }
    }

    /// The state at a time within the step.
    pub fn at(&mut self, stepper: &mut dyn Stepper, space: &Manifold, t: f64) -> &State {
        match self {
            Self::Hermite(interpolant) => interpolant.at(t, space),
            Self::Own(own) => own.at(stepper, space, t),
        }
    }
}

/// What dense output is computed with.
pub(in crate::solve) struct Tools<'t, 'e> {
    pub evaluator: &'t mut Evaluator<'e>,
    pub accelerations: &'t mut AccelerationSolver,
    pub stepper: &'t mut dyn Stepper,
    pub integrator: &'t dyn Integrator,
    /// Whether the method knows multipliers of some rows only.
    pub rows_are_left_out: bool,
}

impl Own {
    fn prepare(
        &mut self,
        tools: &mut Tools,
        mut ends: Ends,
        substitutes: bool,
    ) -> Result<(), StepError> {
        let (from, to) = (ends.from, ends.to);
        self.state.mode.copy_from_slice(&from.mode);
        self.substituted = false;
        if tools.rows_are_left_out {
            self.keep_multipliers([from, to]);
        } else {
            self.multipliers = None;
        }
        let prepared = match tools.stepper.dense_output() {
            Some(output) => output.prepare(tools.evaluator, from, to),
            None => Err(StepError::NoDenseOutput {
                method: tools.integrator.method().name,
            }),
        };
        match prepared {
            // An accepted step must be shown; the search for events takes no substitute but fails.
            Err(StepError::Dynamics(_)) if substitutes => {
                let layout = tools.evaluator.layout();
                let new = || Box::new(Interpolant::new(layout, Degree::Cubic));
                let substitute = self.substitute.get_or_insert_with(new);
                ends.load(tools.evaluator, tools.accelerations, substitute)?;
                self.substituted = true;
                Ok(())
            }
            prepared => prepared,
        }
    }

    fn at(&mut self, stepper: &mut dyn Stepper, space: &Manifold, t: f64) -> &State {
        if let Some(substitute) = self.substitute.as_mut().filter(|_| self.substituted) {
            return substitute.at(t, space);
        }
        // There is one, or it could not have been prepared.
        if let Some(output) = stepper.dense_output() {
            output.interpolate(space, t, &mut self.state);
        }
        // Linear between multipliers of least norm, in place of those of the held rows.
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

/// The state at a time between two complete ones, from the quintic polynomial through them, into the second one.
pub(in crate::solve) fn between(
    evaluator: &mut Evaluator,
    accelerations: &mut AccelerationSolver,
    from: &State,
    to: &mut State,
    t: f64,
) -> Result<(), StepError> {
    let layout = evaluator.layout();
    let mut interpolant = Interpolant::new(layout, Degree::Quintic);
    let mut x_rates = [(); 2].map(|()| vec![0.0; layout.differential]);
    let mut ends = Ends {
        from,
        to,
        x_rates: &mut x_rates,
    };
    ends.load(evaluator, accelerations, &mut interpolant)?;
    to.copy_from(interpolant.at(t, &evaluator.layout().space));
    Ok(())
}

/// The ends of a step, and memory for the rates of differential states there.
pub(in crate::solve) struct Ends<'a> {
    pub from: &'a State,
    pub to: &'a State,
    pub x_rates: &'a mut [Vec<f64>; 2],
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
            if rates.is_empty() {
                continue;
            }
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
