//! Generalized-alpha methods for constrained systems on Lie groups.

mod matrix;
mod position;
mod recurrence;
mod step;

use super::{
    AlphaCoefficients, AlphaCoefficientsError, Attempt, DenseOutput, Integrator, Kind, Method,
    MethodOptions, NewtonOptions, Orders, StepError, Work, differential_rows_need,
};
use crate::control::{ControllerKind, ErrorNorm, Limits};
use crate::system::{Evaluator, State};
use step::Workspace;

/// At which level a generalized-alpha method enforces position constraints; velocity rows are always enforced at
/// velocity level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formulation {
    /// g(q_{n+1}) = 0, index 3.
    Position,
    /// G v + ∂g/∂t = 0 at t_{n+1}, index 2: the positions drift.
    Velocity,
    /// Both, with a second displacement M U = Gᵀ ν (Gear, Gupta, Leimkuhler).
    Stabilized,
}

/// Generalized-alpha.
pub struct GeneralizedAlpha {
    formulation: Formulation,
    coefficients: Result<AlphaCoefficients, AlphaCoefficientsError>,
    options: NewtonOptions,
    workspace: Option<Workspace>,
}

impl GeneralizedAlpha {
    /// The index-3 form.
    pub const POSITION: Method = Method {
        name: "generalized-alpha",
        title: "generalized-alpha, index 3",
        kind: Kind::Implicit,
        index: 3,
        orders: Orders {
            q: 2,
            v: 2,
            lambda: 2,
        },
        error_order: 3.0,
        dense_output: DenseOutput::Cubic,
        fixed_step_by_default: true,
        controller: ControllerKind::Elementary(Limits {
            safety: 0.9,
            shrink: 0.2,
            grow: 2.0,
        }),
        source: "Haddouni et al. 2017, eqs. 14-19, doi:10.1007/s11044-017-9570-y; on Lie groups: Arnold, Brüls, Cardona 2015, doi:10.1007/s00211-014-0633-1",
        use_when: "stiff or flexible systems, numerical damping of high frequencies, positions exactly on the constraints",
        avoid_when: "velocities must satisfy their constraints exactly, or more than six digits are needed",
    };

    /// The index-2 form.
    pub const VELOCITY: Method = Method {
        name: "generalized-alpha-velocity",
        title: "generalized-alpha, index 2",
        index: 2,
        source: "Haddouni et al. 2017, eqs. 20-22, doi:10.1007/s11044-017-9570-y",
        use_when: "as generalized-alpha, where velocity constraints matter more than positions; nonholonomic systems",
        avoid_when: "long runs, in which positions drift off the constraints",
        ..Self::POSITION
    };

    /// The stabilized index-2 form.
    pub const STABILIZED: Method = Method {
        name: "generalized-alpha-stabilized",
        title: "generalized-alpha, positions and velocities",
        index: 2,
        source: "Haddouni et al. 2017, eqs. 21-24, algorithm 1, doi:10.1007/s11044-017-9570-y",
        use_when: "as generalized-alpha, where positions and velocities must both satisfy the constraints: events, contact",
        avoid_when: "the second factorization per step costs more than exact velocities are worth",
        ..Self::POSITION
    };

    /// The method with these coefficients and options for its Newton iteration.
    pub fn new(
        formulation: Formulation,
        coefficients: AlphaCoefficients,
        options: NewtonOptions,
    ) -> Self {
        Self {
            formulation,
            coefficients: Ok(coefficients),
            options,
            workspace: None,
        }
    }

    /// The method with the coefficients that the options ask for; options that cannot be used are reported at the start.
    pub fn from_options(formulation: Formulation, options: &MethodOptions) -> Self {
        let coefficients = match (options.spectral_radius, options.hht_alpha) {
            (Some(_), Some(_)) => Err(AlphaCoefficientsError::Both),
            (Some(radius), None) => AlphaCoefficients::from_spectral_radius(radius),
            (None, Some(alpha)) => AlphaCoefficients::hht(alpha),
            (None, None) => {
                AlphaCoefficients::from_spectral_radius(AlphaCoefficients::DEFAULT_SPECTRAL_RADIUS)
            }
        };
        Self {
            formulation,
            coefficients,
            options: options.newton,
            workspace: None,
        }
    }
}

impl Integrator for GeneralizedAlpha {
    fn method(&self) -> &'static Method {
        match self.formulation {
            Formulation::Position => &Self::POSITION,
            Formulation::Velocity => &Self::VELOCITY,
            Formulation::Stabilized => &Self::STABILIZED,
        }
    }

    fn start(&mut self, system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        let coefficients = self.coefficients.clone()?;
        let layout = system.layout();
        if let Some(reason) = differential_rows_need(layout, 0) {
            let method = self.method().name;
            return Err(StepError::Unsupported { method, reason });
        }
        let mut workspace = Workspace::new(layout, state, self.formulation, coefficients)
            .map_err(|source| StepError::linear(state.t, source))?;
        workspace.begin(system, state)?;
        self.workspace = Some(workspace);
        Ok(())
    }

    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        let method = self.method().name;
        let Some(work) = self.workspace.as_mut() else {
            let reason = "it has not been started".to_owned();
            return Err(StepError::Unsupported { method, reason });
        };
        work.step(system, from, h, &self.options, norm, to)
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        _from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        system.layout().space.normalize(&mut to.q);
        if let Some(work) = self.workspace.as_mut() {
            work.accept(h, to);
        }
        Ok(())
    }

    fn restart(&mut self, system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        if let Some(work) = self.workspace.as_mut() {
            work.begin(system, state)?;
        }
        Ok(())
    }

    fn work(&self) -> Work {
        self.workspace
            .as_ref()
            .map_or_else(Work::default, Workspace::work)
    }
}
