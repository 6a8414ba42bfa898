//! Where dense output comes from: the driver's Hermite polynomial, or the method.

use super::Driver;
use super::hermite::{Degree, Interpolant};
use crate::integrator::{DenseOutput, Integrator, Method, StepError};
use crate::manifold::Manifold;
use crate::system::{Layout, State};

/// Dense output within the last accepted step.
pub(super) enum Dense {
    /// A Hermite polynomial of the driver.
    Hermite(Box<Interpolant>),
    /// The method's own, which writes into this state. Where rows are left out it knows multipliers of the kept rows only;
    /// those of least norm at both ends are interpolated in their place.
    Own(Box<State>, Option<Box<Multipliers>>),
}

/// Times and multipliers at both ends of a step.
pub(super) struct Multipliers {
    t: [f64; 2],
    lambda: [Vec<f64>; 2],
}

impl Dense {
    /// What a method asks for.
    pub fn new(layout: &Layout, method: &Method) -> Self {
        match method.dense_output {
            DenseOutput::Cubic => Self::Hermite(Box::new(Interpolant::new(layout, Degree::Cubic))),
            DenseOutput::Quintic => Self::quintic(layout),
            DenseOutput::Own => Self::Own(Box::new(layout.state()), None),
        }
    }

    /// For a step that no method took, between complete states.
    pub fn quintic(layout: &Layout) -> Self {
        Self::Hermite(Box::new(Interpolant::new(layout, Degree::Quintic)))
    }

    /// The state at a time within the step.
    pub fn at(&mut self, integrator: &mut dyn Integrator, space: &Manifold, t: f64) -> &State {
        match self {
            Self::Hermite(interpolant) => interpolant.at(t, space),
            Self::Own(state, multipliers) => {
                integrator.interpolate(space, t, state);
                if let Some(ends) = multipliers {
                    let weight = (t - ends.t[0]) / (ends.t[1] - ends.t[0]);
                    let [from, to] = &ends.lambda;
                    for (slot, (from, to)) in state.lambda.iter_mut().zip(from.iter().zip(to)) {
                        *slot = from + weight * (to - from);
                    }
                }
                state
            }
        }
    }
}

/// Where a step ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepEnd {
    /// Where the method has accepted it.
    Accepted,
    /// Before it is accepted, while events are looked for.
    Tentative,
    /// At an event.
    Event,
}

impl Driver<'_> {
    /// Makes dense output ready within the last step, unless it is.
    pub(super) fn prepare_dense_output(&mut self, end: StepEnd) -> Result<(), StepError> {
        if self.dense_ready {
            return Ok(());
        }
        let to = match end {
            StepEnd::Accepted => &self.next,
            StepEnd::Tentative => &self.search.end,
            StepEnd::Event => &self.before,
        };
        match &mut self.dense {
            Dense::Own(state, multipliers) => {
                state.mode.copy_from_slice(&self.state.mode);
                if self.held.as_ref().is_some_and(|held| held.holds()) {
                    let ends = [&self.state, to];
                    let kept = multipliers.get_or_insert_with(|| {
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
                } else {
                    *multipliers = None;
                }
                self.integrator
                    .prepare_dense_output(&mut self.evaluator, &self.state, to)?;
            }
            Dense::Hermite(interpolant) => {
                let layout = self.evaluator.layout();
                let ordinary = layout.differential_index.iter().all(|&index| index == 0);
                let step = to.t - self.state.t;
                let states = [&self.state, to];
                for (state, rates) in states.into_iter().zip(&mut self.x_rates) {
                    if ordinary {
                        let at = state.point();
                        self.accelerations.differential_rates_at(
                            &mut self.evaluator,
                            &at,
                            rates,
                        )?;
                    } else {
                        // The rates of algebraic components are not available: interpolate linearly.
                        for (index, rate) in rates.iter_mut().enumerate() {
                            *rate = (to.x[index] - self.state.x[index]) / step;
                        }
                    }
                }
                let space = &self.evaluator.layout().space;
                let rates = [&self.x_rates[0][..], &self.x_rates[1][..]];
                interpolant.load(space, &self.state, to, rates);
            }
        }
        self.dense_ready = true;
        Ok(())
    }
}
