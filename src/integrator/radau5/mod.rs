//! RADAU5: the three-stage Radau IIA method for stiff ODEs and DAEs of index up to 3.

mod collocation;
mod stages;
mod transform;
mod weights;

use super::{
    Attempt, DenseOutput, Integrator, Kind, Method, NewtonOptions, Orders, OwnDenseOutput,
    StepError, StepSizes, Stepper, Work, require_index, work_of,
};
use crate::control::{ControllerKind, ErrorNorm, Limits};
use crate::manifold::Manifold;
use crate::system::{
    AccelerationSolver, Evaluator, Formulation, State, event_descriptions, time_events,
};
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
/// | index 2, stabilized | 5 | 5 | 5 |
/// | index 3 | 5 | 3 | 3 |
///
/// These are 2s - 1 for what the projection onto the constraints leaves free and s for the variables of index 2 (Hairer
/// and Wanner, VII.4 and VII.6, s = 3). λ and v' of the stages are of order 3 at index 2 and 2 at index 3; those of
/// finished states come from the index-1 form at that state, when somebody asks, and have the order of v. (On the
/// pendulum λ has order 5 at index 3, too: errors of order 3 in v are normal to the constraint there, and |v|² in λ
/// does not see them.) Within a step the collocation polynomial has those of the stages, shifted linearly to meet
/// completed ends. The next step goes on from the stages, asked or not.
///
/// The collocation polynomial is of order 3, and steps are as long as the raised tolerance 0.1 tol^(2/3) lets them be: between the ends
/// of steps errors of 0.1 tol^(-1/3) tolerances are to be expected, 10 at 1e-6 and 200 at 1e-10 (y' = -y: 1 and 65). Algebraic
/// variables of index 1 are no worse than x: they solve their rows wherever somebody looks. The error test is the original's; it sees
/// what errors of x make of algebraic variables, not how these change within a step.
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
/// On vector spaces this is the algorithm of RADAU5. With the first step of published runs on Andrews' mechanism, 1e-6 s,
/// and their approximate Jacobian (Hairer and Wanner, VII.7) it takes their steps: at index 2 and 3, rtol = atol from 1e-4 to
/// 1e-10, the same number of accepted and rejected ones but for one at the end, with the same errors
/// (`cargo test --release -p liedae-problems --test suite radau5_original -- --nocapture`). Another first step, another
/// Jacobian and in the end round-off make other sequences: over first steps of 1e-6 to 1e-3 s, the original at index 3 and
/// 1e-6 rejects 0 to 4 steps and ends with errors of 5e-5 to 3e-3.
///
/// On groups four things are different, since frames turn by h ω within a step and the iteration converges at a rate of
/// about h ω if its matrix belongs to the start, as where joints couple a body-fixed frame with world coordinates. The matrix
/// belongs to the predicted middle, which halves the angle; the rate is believed from the third iteration; a step does
/// not grow until the iteration fails; and, but for index 1, a single iteration is enough only where the step has not grown.
/// On a fast heavy top in R³ x SO(3) and with quaternions this takes failures of the iteration from 21 % to 1.3 % of the
/// attempts. The last two hold for the stabilized form everywhere, which measures μ by the mass matrix, unlike that of
/// published runs.
///
/// Error against tolerance: with the raised tolerance h is proportional to tol^(1/6) and the global error to tol^(5/6), so
/// that it loses a factor of 1.5 per decade against the tolerance. At index 2 and stabilized, on Andrews' mechanism at
/// tol = 1e-10, it is 600 to 730 times the tolerance at t = 0.03 in the norm of the step-size control, in the original code as
/// well (at index 2 the same error in q within 1 %). That is a phase error of δt = 5e-12 s: errors of the five slow
/// velocities there are δt v' within 3 %, where |v'| is 3e4/s |v|. Local errors are not at fault (median 0.03 tol), nor the
/// accuracy of the stages (with stages solved 100 times better the error is about the same at equal steps). Index 1
/// tests v' and λ as well, takes twice the steps, and
/// stays below 10 times the tolerance.
///
/// Use it for stiff systems, for high accuracy in strongly damped ones, for first-order DAEs E x' = d of index up to 3; not
/// for non-stiff mechanisms, where half-explicit methods need a fraction of the work, and not where
/// events end most of its steps.
///
/// Measured: `liedae reproduce ivp-testset` has the steps of the original code beside those of this one.
///
/// Sources: Hairer, Wanner, Solving Ordinary Differential Equations II, 1996, Table IV.5.6 (coefficients), sec. IV.8 (8.13
/// the decoupled equations, 8.10 and 8.11 the end of the iteration, 8.19 and 8.20 the estimate, 8.25 the step size) and
/// VII, doi:10.1007/978-3-642-05221-7; Gustafsson 1994, doi:10.1145/198429.198437.
pub struct Radau5 {
    options: NewtonOptions,
    formulation: Formulation,
}

/// Radau IIA at work.
pub(in crate::integrator) struct Radau5Stepper {
    options: NewtonOptions,
    stages: Stages,
    /// Completes finished states where the stages have multipliers of a lower order.
    accelerations: Option<AccelerationSolver>,
    /// Whether nothing is left to complete.
    complete: bool,
    /// Step size and error of the last accepted step.
    accepted: Option<(f64, f64)>,
    error: f64,
    first: bool,
}

/// Whose steps they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::integrator) enum Purpose {
    /// Of the method itself.
    Own,
    /// The first steps of a multistep method: the tolerances are kept within the steps, on the collocation polynomial, and
    /// not only at their ends, and the iteration of a first step begins with what accelerations predict.
    StartingAnother,
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
        source: "Hairer, Wanner 1996, Solving Ordinary Differential Equations II, Table IV.5.6, eqs. IV.8.10-8.25, \
                 doi:10.1007/978-3-642-05221-7",
        use_when: "stiff systems, first-order DAEs of index up to 3, high accuracy with strong damping",
        avoid_when: "non-stiff mechanisms: half-explicit methods need a fraction of the work",
    }
}

const SAFETY: f64 = 0.9;

impl Radau5 {
    /// What the method is, in its default formulation.
    pub const METHOD: Method = method(2, [5, 5, 5]);
    const INDEX_3: Method = method(3, [5, 3, 3]);
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

    /// The method on a formulation, [`DEFAULT_FORMULATION`](Self::DEFAULT_FORMULATION) where there is none, with options for its
    /// Newton iteration, of which `tolerance` is the fraction of the error tolerance to which the stages are solved.
    pub fn new(formulation: Option<Formulation>, options: NewtonOptions) -> Self {
        Self {
            options,
            formulation: formulation.unwrap_or(Self::DEFAULT_FORMULATION),
        }
    }

    /// A stepper that is ready at `state`.
    pub(in crate::integrator) fn stepper(
        &self,
        system: &mut Evaluator,
        state: &State,
        purpose: Purpose,
    ) -> Result<Radau5Stepper, StepError> {
        let layout = system.layout();
        require_index(layout, Self::METHOD.name, 3)?;
        let linear = |source| StepError::linear(state.t, source);
        let mut stages = Stages::new(layout, self.formulation).map_err(linear)?;
        stages.weights.raises = purpose == Purpose::Own;
        stages.guesses_from_rates = purpose == Purpose::StartingAnother;
        let mut accelerations = None;
        if self.formulation.index() > 1 && layout.rows() > 0 {
            // λ of the stages has a lower order at index 2 and 3: the index-1 form gives that of the state.
            accelerations = Some(AccelerationSolver::new(layout).map_err(linear)?);
        }
        let system = system.system();
        stages.has_events =
            // Time events restart a run as well as those of the state.
            !(event_descriptions(system).is_empty() && time_events(system).is_empty());
        Ok(Radau5Stepper {
            options: self.options,
            stages,
            accelerations,
            complete: true,
            accepted: None,
            error: 0.0,
            first: true,
        })
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

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        _sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        Ok(Box::new(self.stepper(system, state, Purpose::Own)?))
    }
}

impl Stepper for Radau5Stepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        let stages = &mut self.stages;
        let fixed = !norm.is_binding();
        let repeated = stages.begin(system, from, norm)?;
        stages.weights.set_share(norm.share_of_time(h));
        if let Some(tolerance) = self.options.tolerance {
            stages.weights.newton = tolerance;
        }
        stages.prepare(system, from, h, repeated)?;
        stages.predict(system, from, h);
        // A fixed step has no smaller one to fall back on: it may iterate longer.
        let limit = if fixed {
            self.options.max_iterations
        } else {
            self.options.max_iterations.min(ITERATIONS)
        };
        let iterations = match stages.iterate(system, from, h, (limit, fixed)) {
            Ok(iterations) => iterations,
            Err(error) => {
                stages.count_failure();
                return Err(error);
            }
        };
        stages.store(system.layout(), from, to);
        if fixed {
            return Ok(Attempt::without_estimate());
        }
        let error = stages.error(system, from, h, self.first || repeated)?;
        self.error = error;

        // A step that took many iterations should have been smaller; the error is scaled to say so.
        // (1 + 2 k_max) / (n + 2 k_max), the factor on the step of IV.8 as an error: its power -4.
        let allowed = (2 * ITERATIONS) as f64;
        let patience = (1.0 + allowed) / (iterations as f64 + allowed);
        let mut outlook = error * patience.min(1.0).powi(-4);
        // Gustafsson: h_new = h e^(-1/4) (h / h_old) (e_old / e)^(1/4) (8.25), written as an error.
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
            stages.largest_growth(&system.layout().space)
        };
        // (SAFETY / growth)⁴ is the outlook that makes the controller grow by this factor.
        outlook = outlook.max((SAFETY / largest).powi(4));
        let growth = if stages.keeps_derivatives() { 1.2 } else { 1.0 };
        Ok(Attempt::with_error(error)
            .with_outlook(outlook, Radau5::METHOD.error_order)
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
        self.stages.accept(from, h);
        // Errors far below the tolerance would make the predictive rule nervous: 1e-2 as in RADAU5.
        self.accepted = Some((h, self.error.max(1e-2)));
        self.first = false;
        self.complete = false;
        Ok(())
    }

    fn has_algebraic_variables_at_end(&self) -> bool {
        true
    }

    fn take_solved(&mut self, to: &State) {
        self.stages.take_solved(to);
    }

    fn complete(&mut self, system: &mut Evaluator, state: &mut State) -> Result<(), StepError> {
        if let Some(solver) = self.accelerations.as_mut().filter(|_| !self.complete) {
            solver.complete(system, state)?;
            self.complete = true;
        }
        Ok(())
    }

    fn restart(&mut self, _system: &mut Evaluator, _state: &State) -> Result<(), StepError> {
        self.stages.restart();
        self.complete = true;
        self.accepted = None;
        self.first = true;
        Ok(())
    }

    fn retry_factor(&self) -> f64 {
        self.stages.retry
    }

    fn dense_output(&mut self) -> Option<&mut dyn OwnDenseOutput> {
        Some(self)
    }

    fn work(&self) -> Work {
        let mut work = (self.accelerations.as_ref()).map_or_else(Work::default, work_of);
        let (factorizations, solves) = self.stages.work();
        work += Work {
            factorizations,
            solves,
            newton_iterations: self.stages.newton_iterations,
        };
        work
    }
}

impl OwnDenseOutput for Radau5Stepper {
    /// The collocation polynomial costs nothing more.
    fn prepare(
        &mut self,
        _system: &mut Evaluator,
        from: &State,
        to: &State,
    ) -> Result<(), StepError> {
        self.stages.prepare_output(from, to);
        Ok(())
    }

    fn interpolate(&mut self, space: &Manifold, t: f64, out: &mut State) {
        let stages = &mut self.stages;
        stages.output.at(space, &stages.unknowns, t, out);
    }
}
