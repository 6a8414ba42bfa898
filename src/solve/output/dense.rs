//! Dense output: the driver's Hermite polynomial or that of the method, completed by the equations.

use super::sample::{Part, Sample};
use crate::integrator::{DenseOutput, Integrator, Method, StepError, Stepper};
use crate::linalg::KktError;
use crate::manifold::Manifold;
use crate::solve::output::hermite::{Degree, Interpolant};
use crate::system::{AccelerationSolver, Evaluator, Layout, SingularDescriptor, State};

/// Dense output within the last accepted step.
pub(in crate::solve) struct Dense {
    polynomial: Polynomial,
    /// All but configuration and velocity.
    sample: Option<Box<Sample>>,
    rates: StateRates,
    /// Steps are those of the method, which may have a polynomial of its own for them.
    of_method: bool,
}

/// The polynomial of configuration and velocity.
enum Polynomial {
    /// A Hermite polynomial of the driver.
    Hermite(Box<Interpolant>),
    /// The method's own.
    Own(Box<Own>),
}

/// Dense output of the method.
struct Own {
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

/// x' at the ends of a step.
pub(in crate::solve) enum StateRates {
    /// E is regular: they follow from the state.
    Known,
    /// E x' is known; the rest is the slope of the chord.
    Partly(Box<SingularDescriptor>, Vec<f64>),
}

impl StateRates {
    pub fn new(layout: &Layout) -> Self {
        let ordinary = layout.differential_index.iter().all(|&index| index == 0);
        match &layout.descriptor {
            Some((pattern, values)) if !ordinary => {
                let split = SingularDescriptor::new(pattern, values);
                Self::Partly(Box::new(split), vec![0.0; layout.rate_count()])
            }
            _ => Self::Known,
        }
    }

    /// Puts them into `out`, which holds the slope of the chord.
    fn at(
        &mut self,
        evaluator: &mut Evaluator,
        accelerations: &mut AccelerationSolver,
        state: &State,
        out: &mut [f64],
    ) -> Result<(), StepError> {
        match self {
            Self::Known => accelerations.differential_rates_at(evaluator, &state.point(), out)?,
            Self::Partly(descriptor, rates) => {
                evaluator.rates(&state.point(), rates)?;
                let first = evaluator.layout().dimension();
                descriptor.satisfy(&rates[first..first + out.len()], out);
            }
        }
        Ok(())
    }
}

impl Dense {
    /// What a method asks for.
    pub fn new(layout: &Layout, method: &Method) -> Result<Self, KktError> {
        let degree = match method.dense_output {
            DenseOutput::Cubic => Some(Degree::Cubic),
            DenseOutput::LinearVelocity => Some(Degree::LinearVelocity),
            DenseOutput::Quintic => Some(Degree::Quintic),
            DenseOutput::Own => None,
        };
        let polynomial = match degree {
            Some(degree) => Polynomial::Hermite(Box::new(Interpolant::new(layout, degree))),
            None => Polynomial::Own(Box::new(Own {
                state: layout.state(),
                multipliers: None,
                substitute: None,
                substituted: false,
            })),
        };
        let sample = if Sample::is_needed(layout) {
            Some(Box::new(Sample::new(layout, method)?))
        } else {
            None
        };
        Ok(Self {
            polynomial,
            sample,
            rates: StateRates::new(layout),
            of_method: true,
        })
    }

    /// The driver's quintic polynomial, between complete states of its own.
    pub fn of_driver(layout: &Layout) -> Self {
        let interpolant = Interpolant::new(layout, Degree::Quintic);
        Self {
            polynomial: Polynomial::Hermite(Box::new(interpolant)),
            sample: None,
            rates: StateRates::new(layout),
            of_method: false,
        }
    }

    /// Makes it ready within a step. Where the method's own cannot be had, observers see a substitute.
    pub fn prepare(
        &mut self,
        tools: &mut Tools,
        mut ends: Ends,
        substitutes: bool,
    ) -> Result<(), StepError> {
        let (from, to) = (ends.from, ends.to);
        let is_hermite = matches!(self.polynomial, Polynomial::Hermite(_));
        if is_hermite
            && self.sample.is_none()
            && self.of_method
            && tools.stepper.dense_output().is_some()
        {
            let sample = Sample::new(tools.evaluator.layout(), tools.integrator.method());
            let linear = |source| StepError::linear(to.t, source);
            self.sample = Some(Box::new(sample.map_err(linear)?));
        }
        if let Some(sample) = &mut self.sample {
            sample.begin([from, to], tools.rows_are_left_out);
        }
        match &mut self.polynomial {
            Polynomial::Own(own) => own.prepare(tools, ends, &mut self.rates, substitutes),
            Polynomial::Hermite(interpolant) => {
                match (&mut self.sample, tools.stepper.dense_output()) {
                    (Some(sample), Some(output)) => {
                        output.prepare(tools.evaluator, from, to)?;
                        sample.follow(output, &tools.evaluator.layout().space);
                        // Nobody looks at what the driver would make of x.
                        ends.take_chords();
                    }
                    _ => {
                        ends.find_rates(tools.evaluator, tools.accelerations, &mut self.rates)?;
                    }
                }
                ends.load(&tools.evaluator.layout().space, interpolant);
                Ok(())
            }
        }
    }

    /// The same for those who ask for no acceleration, algebraic variable and multiplier: these are anything.
    #[inline]
    pub fn motion_at(
        &mut self,
        stepper: &mut dyn Stepper,
        system: &mut Evaluator,
        t: f64,
    ) -> &State {
        let state = match &mut self.polynomial {
            Polynomial::Hermite(interpolant) => {
                // Motions in vector spaces, of which there are many, do without the layout.
                interpolant.motion_at(t, || &system.layout().space)
            }
            Polynomial::Own(own) => own.at(stepper, &system.layout().space, t),
        };
        match &mut self.sample {
            Some(sample) if sample.changes(Part::Motion) => {
                sample.complete(system, stepper, state, Part::Motion)
            }
            _ => state,
        }
    }

    /// The state at a time within the step.
    pub fn at(&mut self, stepper: &mut dyn Stepper, system: &mut Evaluator, t: f64) -> &State {
        let space = &system.layout().space;
        let state = match &mut self.polynomial {
            Polynomial::Hermite(interpolant) => interpolant.at(t, space),
            Polynomial::Own(own) => own.at(stepper, space, t),
        };
        match &mut self.sample {
            Some(sample) => sample.complete(system, stepper, state, Part::All),
            None => state,
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
        rates: &mut StateRates,
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
                ends.find_rates(tools.evaluator, tools.accelerations, rates)?;
                ends.load(&tools.evaluator.layout().space, substitute);
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

/// The ends of a step, and memory for the rates of differential states there.
pub(in crate::solve) struct Ends<'a> {
    pub from: &'a State,
    pub to: &'a State,
    pub x_rates: &'a mut [Vec<f64>; 2],
}

impl Ends<'_> {
    /// Slopes of chords in place of rates.
    fn take_chords(&mut self) {
        let (from, to) = (self.from, self.to);
        let step = to.t - from.t;
        for rates in self.x_rates.iter_mut() {
            for (rate, (from, to)) in rates.iter_mut().zip(from.x.iter().zip(&to.x)) {
                *rate = if step == 0.0 { 0.0 } else { (to - from) / step };
            }
        }
    }

    /// Rates as far as the equations have them.
    pub fn find_rates(
        &mut self,
        evaluator: &mut Evaluator,
        accelerations: &mut AccelerationSolver,
        rates: &mut StateRates,
    ) -> Result<(), StepError> {
        self.take_chords();
        for (state, out) in [self.from, self.to]
            .into_iter()
            .zip(self.x_rates.iter_mut())
        {
            if !out.is_empty() {
                rates.at(evaluator, accelerations, state, out)?;
            }
        }
        Ok(())
    }

    /// Prepares a polynomial between them.
    pub fn load(&self, space: &Manifold, interpolant: &mut Interpolant) {
        let rates = [&self.x_rates[0][..], &self.x_rates[1][..]];
        interpolant.load(space, self.from, self.to, rates);
    }
}
