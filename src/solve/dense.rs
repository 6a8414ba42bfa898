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
    /// The method's own, which writes into this state.
    Own(Box<State>),
}

impl Dense {
    /// What a method asks for.
    pub fn new(layout: &Layout, method: &Method) -> Self {
        let hermite = |degree| Self::Hermite(Box::new(Interpolant::new(layout, degree)));
        match method.dense_output {
            DenseOutput::Cubic => hermite(Degree::Cubic),
            DenseOutput::Quintic => hermite(Degree::Quintic),
            DenseOutput::Own => Self::Own(Box::new(layout.state())),
        }
    }

    /// The state at a time within the step.
    pub fn at(&mut self, integrator: &mut dyn Integrator, space: &Manifold, t: f64) -> &State {
        match self {
            Self::Hermite(interpolant) => interpolant.at(t, space),
            Self::Own(state) => {
                integrator.interpolate(space, t, state);
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
            Dense::Own(state) => {
                state.mode.copy_from_slice(&self.state.mode);
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
