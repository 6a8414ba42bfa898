//! RADAU5: the three-stage Radau IIA method for stiff ODEs and DAEs of index up to 3.

mod collocation;
mod stages;
mod weights;

use super::{
    Attempt, DenseOutput, Integrator, Kind, Method, NewtonOptions, Orders, StepError, Work,
    not_started, require_index,
};
use crate::control::{ControllerKind, ErrorNorm, Limits};
use crate::manifold::Manifold;
use crate::system::{Evaluator, Formulation, State};
use stages::{ITERATIONS, Stages};

/// Radau IIA with three stages, implicit and L-stable, order 5.
///
/// The stages Y_i = y_n ∘ Z_i are those of the collocation polynomial at c = (4 ∓ √6)/10 and 1,
///
/// ```text
/// B Z_i = h Σ_j a_ij F(t_n + c_j h, Y_j),   i = 1, 2, 3,   y_{n+1} = Y_3,
/// ```
///
/// for the equations B y' = F(t, y) of the [`Formulation`] in local coordinates around q_n, so that every constraint of the
/// formulation holds at the end of each step. Orders in q, v and λ, as measured on the pendulum:
///
/// | formulation | q | v | λ |
/// |---|---|---|---|
/// | index 1, Baumgarte | 5 | 5 | 5 |
/// | index 2, stabilized | 5 | 5 | 3 |
/// | index 3 | 5 | 3 | 2 |
///
/// These are 2s - 1 for what the projection onto the constraints leaves free, s for the variables of index 2 and s - 1 for
/// those of index 3 (Hairer and Wanner, VII.4 and VII.6, s = 3).
///
/// A simplified Newton iteration in the variables that decouple the stages costs one real and one complex linear system of
/// the size of one implicit Euler step per iteration; derivatives and factorizations are kept while convergence is fast and
/// the step would grow by less than 1.2. The first guess is the extrapolated collocation polynomial. The error estimate
/// is of order 3, filtered by the real factorization; components of index 2 and 3 count with h and h². As the method is of
/// higher order, a relative tolerance tol is used as 0.1 tol^(2/3). The step size follows Gustafsson's predictive rule.
///
/// The default is index 2: on Andrews' mechanism it takes half the steps of index 1 at tolerances of 1e-6 and 1e-8, and the
/// stabilized form, which takes as many, costs twice as much for its larger matrices; it pays in long runs, where positions
/// should not drift. Index 3 takes fewest steps and is the least accurate in v and λ.
///
/// Limits: the iteration matrix belongs to the start of the step. Where constraints couple a body-fixed frame that turns fast
/// with world coordinates (a spinning top in R³ x SO(3)), convergence and not accuracy limits the step to about 0.1 rad;
/// SE(3) does not have this limit.
///
/// Use it for stiff systems, for high accuracy in strongly damped ones, for first-order DAEs E x' = d of index up to 3; not
/// for non-stiff mechanisms, where half-explicit methods need a fraction of the work, and not where
/// events end most of its steps.
///
/// Measured: `problems/tests/radau5.rs` has the steps of the original code beside those of this one.
///
/// Source: Hairer, Wanner, Solving Ordinary Differential Equations II, 1996, sec. IV.8 and VII,
/// doi:10.1007/978-3-642-05221-7; Gustafsson 1994, doi:10.1145/198429.198437.
pub struct Radau5 {
    options: NewtonOptions,
    formulation: Formulation,
    stages: Option<Stages>,
    /// Step size and error of the last accepted step.
    accepted: Option<(f64, f64)>,
    error: f64,
    first: bool,
}

const fn method(index: u8, orders: [u8; 3]) -> Method {
    Method {
        name: "radau5",
        title: "Radau IIA with three stages",
        kind: Kind::Implicit,
        index,
        orders: Orders {
            q: orders[0],
            v: orders[1],
            lambda: orders[2],
        },
        error_order: 4.0,
        dense_output: DenseOutput::Own,
        captures_events: false,
        fixed_step_by_default: false,
        controller: ControllerKind::Elementary(Limits {
            safety: SAFETY,
            shrink: 0.2,
            grow: 8.0,
        }),
        source: "Hairer, Wanner 1996, Solving Ordinary Differential Equations II, IV.8, \
                 doi:10.1007/978-3-642-05221-7",
        use_when: "stiff systems, first-order DAEs of index up to 3, high accuracy with strong damping",
        avoid_when: "non-stiff mechanisms: half-explicit methods need a fraction of the work",
    }
}

const SAFETY: f64 = 0.9;

impl Radau5 {
    /// What the method is, in its default formulation.
    pub const METHOD: Method = method(2, [5, 5, 3]);
    const INDEX_3: Method = method(3, [5, 3, 2]);
    const INDEX_1: Method = method(1, [5, 5, 5]);

    /// The formulations that it can be asked for, with its orders.
    pub const FORMULATIONS: &[(Formulation, Orders)] = &[
        (Formulation::Index2, Self::METHOD.orders),
        (Formulation::StabilizedIndex2, Self::METHOD.orders),
        (Formulation::Index1, Self::INDEX_1.orders),
        (Formulation::BAUMGARTE, Self::INDEX_1.orders),
        (Formulation::Index3, Self::INDEX_3.orders),
    ];

    /// The formulation it takes unless told otherwise.
    pub const DEFAULT_FORMULATION: Formulation = Formulation::Index2;

    /// The method with options for its Newton iteration, of which `tolerance` is the fraction of the error tolerance
    /// to which the stages are solved, and a formulation.
    pub fn new(options: NewtonOptions, formulation: Option<Formulation>) -> Self {
        Self {
            options,
            formulation: formulation.unwrap_or(Self::DEFAULT_FORMULATION),
            stages: None,
            accepted: None,
            error: 0.0,
            first: true,
        }
    }

    fn forget(&mut self) {
        self.accepted = None;
        self.first = true;
    }
}

impl Integrator for Radau5 {
    fn method(&self) -> &'static Method {
        match self.formulation.index() {
            1 => &Self::INDEX_1,
            3 => &Self::INDEX_3,
            _ => &Self::METHOD,
        }
    }

    fn start(&mut self, system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        let layout = system.layout();
        require_index(layout, Self::METHOD.name, 3)?;
        let stages = Stages::new(layout, self.formulation);
        self.stages = Some(stages.map_err(|source| StepError::linear(state.t, source))?);
        self.forget();
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
        let Some(stages) = self.stages.as_mut() else {
            return Err(not_started(Self::METHOD.name));
        };
        let fixed = !norm.is_binding();
        let repeated = stages.begin(system, from, norm)?;
        if let Some(tolerance) = self.options.tolerance {
            stages.weights.newton = tolerance;
        }
        stages.prepare(system, from, h, repeated)?;
        stages.predict(system, from, h);
        let limit = if fixed {
            self.options.max_iterations
        } else {
            self.options.max_iterations.min(ITERATIONS)
        };
        let iterations = stages.iterate(system, from, h, (limit, fixed))?;
        stages.store(system.layout(), from, to);
        if fixed {
            return Ok(Attempt::without_estimate());
        }
        let error = stages.error(system, from, h, self.first || repeated)?;
        self.error = error;

        // A step that took many iterations should have been smaller; the error is scaled to say so.
        let allowed = (2 * ITERATIONS) as f64;
        let patience = (1.0 + allowed) / (iterations as f64 + allowed);
        let mut outlook = error * patience.min(1.0).powi(-4);
        if let Some((previous_step, previous_error)) = self.accepted
            && error < 1.0
        {
            let predicted = (previous_step / h).powi(4) * error * error / previous_error;
            outlook = outlook.max(predicted);
        }
        // No growth right after a failure, and none that would make the iteration as slow as to fail.
        let largest = if repeated {
            1.0
        } else {
            stages.largest_growth()
        };
        outlook = outlook.max((SAFETY / largest).powi(4));
        let growth = if stages.keeps_derivatives() { 1.2 } else { 1.0 };
        Ok(Attempt::with_error(error)
            .with_outlook(outlook, Self::METHOD.error_order)
            .keeping_step_below(growth))
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        system.layout().space.normalize(&mut to.q);
        if let Some(stages) = self.stages.as_mut() {
            stages.accept(from, h);
        }
        self.accepted = Some((h, self.error.max(1e-2)));
        self.first = false;
        Ok(())
    }

    fn restart(&mut self, _system: &mut Evaluator, _state: &State) -> Result<(), StepError> {
        if let Some(stages) = self.stages.as_mut() {
            stages.restart();
        }
        self.forget();
        Ok(())
    }

    /// The collocation polynomial costs nothing more.
    fn prepare_dense_output(
        &mut self,
        _system: &mut Evaluator,
        from: &State,
        to: &State,
    ) -> Result<(), StepError> {
        if let Some(stages) = self.stages.as_mut() {
            stages.prepare_output(from, to.t - from.t);
        }
        Ok(())
    }

    fn interpolate(&mut self, space: &Manifold, t: f64, out: &mut State) {
        if let Some(stages) = &mut self.stages {
            stages.output.at(space, &stages.unknowns, t, out);
        }
    }

    fn retry_factor(&self) -> f64 {
        self.stages.as_ref().map_or(1.0, |stages| stages.retry)
    }

    fn work(&self) -> Work {
        self.stages.as_ref().map_or_else(Work::default, |stages| {
            let (factorizations, solves) = stages.work();
            Work {
                factorizations,
                solves,
                newton_iterations: stages.newton_iterations,
            }
        })
    }
}
