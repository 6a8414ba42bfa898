//! Fully implicit Euler for DAEs up to index 3 on a Lie group.

mod matrix;
mod residual;

use self::matrix::NewtonMatrix;
use crate::control::{ControllerKind, ErrorNorm, Limits};
use crate::integrator::euler::middle_velocity::MiddleVelocity;
use crate::integrator::shared::newton::{Convergence, Verdict, is_another_step};
use crate::integrator::shared::round_off::{RoundOff, TermSizes, round_off_of_values};
use crate::integrator::shared::sizes::{Seen, Sizes, is_small};
use crate::integrator::{
    Attempt, DenseOutput, FiniteState, Integrator, Kind, Method, NewtonOptions, Orders, StepError,
    StepSizes, Stepper, Work, require_index, work_of,
};
use crate::linalg::{KktError, KktSolver, Pattern, VersionedValues};
use crate::manifold::PART;
use crate::memory::fetch;
use crate::scalar::Largest;
use crate::system::{AccelerationSolver, DynamicsError, Evaluator, Function, Layout, Point, State};
use std::ops::Range;

/// Backward Euler on the index-3 form, the constraints divided by h².
///
/// ```text
/// M_{n+1} a_{n+1} = f_{n+1} + G_{n+1}ᵀ λ_{n+1},   g(t_{n+1}, q_{n+1}) / h² = 0,   b_{n+1} / h = 0
/// v_{n+1} = v_n + h a_{n+1},   q_{n+1} = q_n · exp(h v_{n+1})
/// ```
///
/// Order 1 in q, v and λ. After a start, and whenever the step size changes, λ of this scheme would be off by O(1) for one step,
/// and with it friction, because velocities then belong to the middles of unequal steps: v_n is shifted first
/// (`integrator/euler/middle_velocity.rs`). The multipliers and accelerations reported for such a step are those of the index-1
/// form.
/// It is strongly damping: energy drains. The Newton matrix has the exact derivatives of the applied
/// forces; those of the constraint forces are left out, as in the source. It is factorized at the first iterate of a step and again
/// when convergence is slow, or once at the start of the step ([`MatrixPoint`]). The iteration starts from the last accelerations and multipliers: extrapolation, which helps
/// half-implicit Euler on smooth motions, would amplify what is stiff or noisy in them. E x' = d is integrated with
/// singular E up to index 3, algebraic variables are solved together with the rest.
///
/// Use it for stiff or strongly damped systems where robustness counts more than accuracy; not where energy matters.
///
/// Source: Fang, Kissel, Zhang, Negrut 2022, eqs. 13, 14, doi:10.1115/1.4056183.
/// Measured: `liedae reproduce fang2022` states orders, iterations and energy.
///
/// ```
/// use liedae::integrator::BackwardEuler;
/// use liedae::prelude::*;
///
/// // A mass between a stiff spring and a strong damper creeps home with the rate k/c = 10/s.
/// let mut mass = liedae::model([1.0], [0.0])
///     .mass(1.0)
///     .force(|_t, [x], [v]| [x * -1e6 - v * 1e5])
///     .build()?;
/// let method = BackwardEuler::default();
/// let run = solve(&mut mass, &method, &Options::fixed(0.1, 1e-3))?;
/// // An explicit method would need steps of 2e-5 s at most.
/// assert!((run.state.q[0] - (-1.0_f64).exp()).abs() < 5e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BackwardEuler {
    options: NewtonOptions,
    matrix_point: MatrixPoint,
}

/// Where [`BackwardEuler`] evaluates the Newton matrix of a step.
///
/// ```
/// use liedae::integrator::{BackwardEuler, MatrixPoint};
/// use liedae::prelude::*;
///
/// // A pendulum turns by a tenth of a radian in a step: the matrix of the first iterate is closer to that of the solution.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 3.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let mut work = |point| -> Result<_, liedae::solve::SolveError> {
///     let method = BackwardEuler::default().with_matrix_at(point);
///     let run = solve(&mut pendulum, &method, &Options::fixed(1.0, 3e-2))?;
///     Ok(run.statistics.work)
/// };
/// let [start, first] = [work(MatrixPoint::StepStart)?, work(MatrixPoint::FirstIterate)?];
/// assert!(start.newton_iterations > first.newton_iterations);
/// assert!(start.factorizations <= first.factorizations);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MatrixPoint {
    /// At the first iterate, and again at a later one when convergence is slow.
    #[default]
    FirstIterate,
    /// At the start of the step, once, as in the programs published with Fang et al. 2022.
    StepStart,
}

/// A run of [`BackwardEuler`].
struct BackwardEulerStepper {
    options: NewtonOptions,
    matrix_point: MatrixPoint,
    matrix: NewtonMatrix,
    descriptor: (Pattern, Vec<f64>),
    mass: VersionedValues,
    rates: Vec<f64>,
    // Unknowns: the acceleration and z of the new state, x', λ.
    x_rate: Vec<f64>,
    displacement: Vec<f64>,
    top: Vec<f64>,
    bottom: Vec<f64>,
    round_off: RoundOff,
    /// Whether the system gave the residuals of the last iterate in one pass: without rates, and without G unless a matrix was made there.
    in_one_pass: bool,
    term_sizes: TermSizes,
    /// What has been seen of the present iterate.
    seen: Seen,
    correction: Vec<f64>,
    multiplier_correction: Vec<f64>,
    error_q: Vec<f64>,
    error_v: Vec<f64>,
    error_x: Vec<f64>,
    /// Powers of h that errors of x are weighed with: index - 1.
    x_powers: Vec<i32>,
    last_rate: Vec<f64>,
    /// Serves the first step after a start or a change of the step size; none without constraints.
    middle: Option<MiddleVelocity>,
    /// Serves the multipliers of such steps.
    index_one: Option<AccelerationSolver>,
    previous_step: Option<f64>,
    /// The size of corrections that are nothing but round-off, times h²: so far, and by the step that is tried.
    noise: f64,
    tried_noise: f64,
    newton_iterations: usize,
}

impl BackwardEulerStepper {
    fn new(layout: &Layout, method: &BackwardEuler) -> Result<Self, KktError> {
        let (dimension, rows, differential) =
            (layout.dimension(), layout.rows(), layout.differential);
        let total = layout.rate_count();
        let descriptor = layout.descriptor_or_identity();
        Ok(Self {
            options: method.options,
            matrix_point: method.matrix_point,
            matrix: NewtonMatrix::new(layout, &descriptor.0)?,
            descriptor,
            mass: VersionedValues::new(layout.mass.nnz()),
            rates: vec![0.0; total],
            x_rate: vec![0.0; differential],
            displacement: vec![0.0; dimension],
            top: vec![0.0; total],
            bottom: vec![0.0; rows],
            round_off: RoundOff::new(layout),
            in_one_pass: false,
            term_sizes: TermSizes::default(),
            seen: Seen::default(),
            correction: vec![0.0; total],
            multiplier_correction: vec![0.0; rows],
            error_q: vec![0.0; dimension],
            error_v: vec![0.0; dimension],
            error_x: vec![0.0; differential],
            x_powers: (layout.differential_index.iter())
                .map(|&index| i32::from(index.max(1)) - 1)
                .collect(),
            last_rate: vec![0.0; differential],
            middle: if dimension > 0 && layout.position_rows > 0 {
                Some(MiddleVelocity::new(layout)?)
            } else {
                None
            },
            index_one: if dimension > 0 {
                Some(AccelerationSolver::new(layout)?)
            } else {
                None
            },
            previous_step: None,
            noise: 0.0,
            tried_noise: 0.0,
            newton_iterations: 0,
        })
    }

    /// Starts from a complete state: its accelerations, rates and multipliers are the first guess.
    fn begin(&mut self, system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        let rates = state.v.len()..state.v.len() + state.x.len();
        // A singular E in E x' = d leaves x' open: its first guess is zero.
        self.last_rate.fill(0.0);
        if !rates.is_empty() && system.layout().descriptor.is_none() {
            system.rates(&state.point(), &mut self.rates)?;
            self.last_rate.copy_from_slice(&self.rates[rates]);
        }
        self.previous_step = None;
        self.noise = 0.0;
        Ok(())
    }

    /// The first iterate, with the accelerations, multipliers and rates before: v_{n+1} = v_n + shift + h a_{n+1},
    /// q_{n+1} = q_n · exp(h v_{n+1}), x_{n+1} = x_n + h x'. States x below their absolute tolerances begin where they are: a rate that is
    /// an error within the tolerance may lead over a long step to another solution of the equations, of the other sign.
    fn predict(&mut self, layout: &Layout, norm: &ErrorNorm, from: &State, h: f64, to: &mut State) {
        to.z.copy_from_slice(&from.z);
        to.lambda.copy_from_slice(&from.lambda);
        self.x_rate.copy_from_slice(&self.last_rate);
        if norm.is_binding() {
            let absolute = &norm.tolerances().1[2 * from.v.len()..];
            for (rate, (x, absolute)) in self.x_rate.iter_mut().zip(from.x.iter().zip(absolute)) {
                if x.abs() < *absolute {
                    *rate = 0.0;
                }
            }
        }
        for ((x, before), rate) in to.x.iter_mut().zip(&from.x).zip(&self.x_rate) {
            *x = before + h * rate;
        }
        let change = self.middle.as_ref().and_then(MiddleVelocity::change);
        let (accelerations, velocities) = (&mut to.acceleration, &mut to.v);
        let (space, u) = (&layout.space, &mut self.displacement);
        let make = |own: Range<usize>, u: &mut [f64]| {
            for list in [&from.acceleration, &from.v, &*accelerations, &*velocities] {
                fetch(list, own.end, PART);
            }
            let accelerations = &mut accelerations[own.clone()];
            accelerations.copy_from_slice(&from.acceleration[own.clone()]);
            let velocities = &mut velocities[own.clone()];
            velocities.copy_from_slice(&from.v[own.clone()]);
            if let Some(change) = change {
                for (v, change) in velocities.iter_mut().zip(&change[own]) {
                    *v += change;
                }
            }
            for ((u, v), acceleration) in u.iter_mut().zip(velocities).zip(accelerations) {
                *v += h * *acceleration;
                *u = h * *v;
            }
        };
        // Hardly ever the last iterate: others have to look at it themselves.
        self.seen = Seen::default();
        space.retract_by_parts(&from.q, u, &mut to.q, make, |_| ());
    }

    /// Factorizes the matrix at the start of a step of size h.
    fn factor_at_start(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
    ) -> Result<(), StepError> {
        let at = from.point();
        system.rates_jacobian_or_secants(&at, &mut self.matrix.rates)?;
        self.update_mass(system, &at)?;
        if !at.lambda.is_empty() {
            system.constraint_jacobian_to_factor(&at, self.matrix.next_jacobian())?;
        }
        let values = [&self.mass.values[..], &self.descriptor.1];
        match self.matrix.factor(system.layout(), values, h) {
            Ok(()) => Ok(()),
            Err(source) => {
                system.check_jacobian(&at, self.matrix.jacobian())?;
                Err(StepError::linear(from.t, source))
            }
        }
    }

    /// The correction of the unknowns, with a new matrix or the one that there is.
    fn solve_linear(&mut self, layout: &Layout, refresh: bool, h: f64) -> Result<(), KktError> {
        let rhs = [&self.top[..], &self.bottom[..]];
        let (x, y) = (&mut self.correction, &mut self.multiplier_correction);
        let values = [&self.mass.values[..], &self.descriptor.1];
        if refresh {
            self.matrix.factor(layout, values, h)?;
        }
        let [f, c] = rhs;
        self.matrix.kkt.solve_again(f, c, x, y)
    }

    /// Applies a correction, and what follows from it; returns its size and that of the unknowns.
    fn correct(
        &mut self,
        layout: &Layout,
        from: &State,
        (h, share): (f64, f64),
        to: &mut State,
    ) -> Sizes {
        let mut sizes = Sizes::default();
        let (changes, rest) = self.correction.split_at(from.v.len());
        let (rates, algebraic) = rest.split_at(from.x.len());
        // Corrections of x' are weighed like the displacements that they cause, those of index 2 and 3 through one and
        // two integrations; z is a force, like λ.
        let unknowns = self.x_rate.iter_mut().zip(&mut to.x);
        for (((rate, x), change), power) in unknowns.zip(rates).zip(&self.x_powers) {
            *rate += change;
            *x += h * change;
            sizes.add(share.powi(*power) / h, *change, *rate);
        }
        sizes.correct(1.0, &mut to.z, algebraic);
        sizes.correct(1.0, &mut to.lambda, &self.multiplier_correction);
        let (accelerations, velocities) = (&mut to.acceleration, &mut to.v);
        let (space, u) = (&layout.space, &mut self.displacement);
        let measures = Seen::measures(from.q.len());
        let (mut extent, mut speed) = (Largest::default(), Largest::default());
        let make = |own: Range<usize>, u: &mut [f64]| {
            for list in [changes, &*accelerations, &*velocities] {
                fetch(list, own.end, PART);
            }
            let changes = &changes[own.clone()];
            sizes.correct(1.0, &mut accelerations[own.clone()], changes);
            let velocities = &mut velocities[own];
            for ((u, v), change) in u.iter_mut().zip(&mut *velocities).zip(changes) {
                *v += h * change;
                *u = h * *v;
            }
            if measures {
                speed.see(velocities);
            }
        };
        space.retract_by_parts(&from.q, u, &mut to.q, make, |part| {
            if measures {
                extent.see(part);
            }
        });
        self.seen = Seen::default();
        if measures {
            speed.see(&to.x);
            self.seen = Seen::of_extent(extent.value()).with([speed.value(), sizes.unknowns]);
        }
        sizes
    }
}

impl BackwardEuler {
    /// What the method is.
    pub const METHOD: Method = Method {
        name: "backward-euler",
        title: "fully implicit Euler",
        kind: Kind::Implicit,
        index: 3,
        orders: Orders {
            q: 1,
            v: 1,
            lambda: 1,
        },
        error_order: 2.0,
        dense_output: DenseOutput::LinearVelocity,
        captures_events: false,
        fixed_step_by_default: true,
        controller: ControllerKind::Elementary(Limits {
            safety: 0.9,
            shrink: 0.2,
            grow: 2.0,
        }),
        source: "Fang, Kissel, Zhang, Negrut 2022, eqs. 13, 14, doi:10.1115/1.4056183",
        use_when: "stiff or strongly damped systems, first-order DAEs of index up to 3, robustness before accuracy",
        avoid_when: "energy matters, or more than three digits are needed",
    };

    /// The method with options for its Newton iteration.
    pub fn new(options: NewtonOptions) -> Self {
        Self {
            options,
            matrix_point: MatrixPoint::default(),
        }
    }

    /// The same with another point at which a step evaluates its Newton matrix.
    pub fn with_matrix_at(self, matrix_point: MatrixPoint) -> Self {
        Self {
            matrix_point,
            ..self
        }
    }
}

impl Integrator for BackwardEuler {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        _sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        let layout = system.layout();
        require_index(layout, Self::METHOD.name, 3)?;
        let mut stepper = BackwardEulerStepper::new(layout, self)
            .map_err(|source| StepError::linear(state.t, source))?;
        stepper.begin(system, state)?;
        Ok(Box::new(stepper))
    }
}

impl Stepper for BackwardEulerStepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        let (dimension, rows) = (from.v.len(), from.lambda.len());
        let end = to.t;
        let linear = |source| StepError::linear(end, source);

        if let Some(middle) = &mut self.middle {
            // A start has a velocity of its own moment, as after a step of size zero.
            let before = self.previous_step.unwrap_or(0.0);
            if is_another_step(before, h) {
                middle.shift(system, from, 0.5 * (h - before))?;
            } else {
                middle.rest();
            }
        }
        self.term_sizes.begin();
        // Rows are g / h²: what rounded coordinates leave in them contradicts nothing.
        let rounded = round_off_of_values(&from.q) / (h * h);
        self.matrix.kkt.expect_rounded_values(rounded);
        self.predict(system.layout(), norm, from, h, to);
        let at_start = self.matrix_point == MatrixPoint::StepStart;
        if at_start {
            self.factor_at_start(system, from, h)?;
        }
        let share = norm.share_of_time(h);

        let mut convergence =
            // Unknowns are accelerations: a displacement of 1e-10 is 1e-10 / h² of them.
            Convergence::new(&self.options, NewtonOptions::DISPLACEMENT / (h * h))
                .anticipating(&self.options)
                .among_noise(self.noise / (h * h));
        loop {
            let at = Point {
                t: end,
                q: &to.q,
                v: &to.v,
                x: &to.x,
                z: &to.z,
                lambda: &to.lambda,
                mode: &to.mode,
            };
            // The matrix of the first iterate serves the whole step unless it converges slowly.
            let refresh = !at_start && (convergence.iterations == 0 || convergence.is_slow());
            self.evaluate(system, &at, &to.acceleration, (h, refresh))?;
            let holds = convergence.may_have_arrived() && self.constraints_hold(system, h, to)?
                || convergence.may_have_settled()
                    && self.constraints_are_rounded(system.layout(), h, to);
            if holds && self.residual_is_round_off(system, to)? {
                convergence.arrive();
                self.tried_noise = convergence.noise() * (h * h);
                break;
            }
            if let Err(source) = self.solve_linear(system.layout(), refresh, h) {
                if self.in_one_pass {
                    let rows = (Function::PositionConstraint, &self.bottom[..]);
                    system.check_balance(&at, &self.top, rows)?;
                }
                system.check_jacobian(&at, self.matrix.jacobian())?;
                return Err(linear(source));
            }
            self.newton_iterations += 1;
            let sizes = self.correct(system.layout(), from, (h, share), to);
            // Linear constraints hold from the first iterate on, balanced or not.
            let (noise, stalls) = (convergence.is_noise(sizes), convergence.stalls(sizes));
            let mut is_more_than_round_off = false;
            let mut exact = (noise || stalls)
                && self.constraints_hold(system, h, to)?
                && (noise || {
                    is_more_than_round_off = !self.residual_is_round_off(system, to)?;
                    !is_more_than_round_off
                });
            if !exact
                && !is_more_than_round_off
                && convergence.may_settle(sizes)
                && self.constraints_are_rounded(system.layout(), h, to)
                && self.residual_is_round_off(system, to)?
            {
                convergence.settle();
            }
            if rows == 0 && convergence.rests(sizes.correction) {
                // Kinks make an iteration go around in a circle; a small one will do.
                // a, x' and z act through h a in v, h x' in x, and at once.
                let (v, rest) = self.correction.split_at(dimension);
                let (x, z) = rest.split_at(to.x.len());
                exact = is_small(h, v, &to.v) && is_small(h, x, &to.x) && is_small(1.0, z, &to.z);
            }
            match convergence.judge(sizes, exact) {
                Verdict::GoOn => {}
                Verdict::Converged => {
                    self.tried_noise = convergence.noise() * (h * h);
                    break;
                }
                Verdict::Failed => {
                    return Err(DynamicsError::NotConverged {
                        what: "the Newton iteration of the implicit step",
                        t: end,
                        iterations: convergence.iterations,
                        correction: sizes.correction,
                    }
                    .into());
                }
            }
        }

        // Reads every list of both states: only where a tolerance asks for it.
        if !norm.is_binding() {
            return Ok(Attempt::without_estimate());
        }
        // Position at the velocity of the end, as in `EulerEstimate`: e_q = h²/2 a.
        for (error, acceleration) in self.error_q.iter_mut().zip(&to.acceleration) {
            *error = 0.5 * h * h * acceleration;
        }
        // e_x = h/2 (x'_{n+1} - x'_n), weighed by powers of the step; velocities have no estimate here.
        let rates = self.x_rate.iter().zip(&self.last_rate);
        for ((error, power), (rate, before)) in
            self.error_x.iter_mut().zip(&self.x_powers).zip(rates)
        {
            *error = share.powi(*power) * (0.5 * h * (rate - before));
        }
        norm.weigh(from, to);
        Ok(Attempt::with_error(norm.root_mean_square(
            &self.error_q,
            &self.error_v,
            &self.error_x,
        )))
    }

    fn finite_state(&self) -> Option<FiniteState> {
        FiniteState::if_seen(self.seen.is_finite())
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        _from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        system.layout().space.normalize(&mut to.q);
        if let Some(index_one) = &mut self.index_one
            && self
                .previous_step
                .is_none_or(|previous| is_another_step(previous, h))
        {
            // λ of the scheme is off by O(1) after another step size; the index-1 form is not.
            index_one.complete(system, to)?;
        }
        self.previous_step = Some(h);
        self.noise = self.tried_noise;
        self.last_rate.copy_from_slice(&self.x_rate);
        Ok(())
    }

    fn has_algebraic_variables_at_end(&self) -> bool {
        true
    }

    fn restart(&mut self, system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        self.begin(system, state)
    }

    fn work(&self) -> Work {
        let index_one = (self.index_one.as_ref()).map_or_else(Work::default, work_of);
        let middle = self.middle.as_ref().map(MiddleVelocity::kkt);
        let counted =
            |count: fn(&KktSolver) -> usize| count(&self.matrix.kkt) + middle.map_or(0, count);
        Work {
            factorizations: counted(KktSolver::factorizations) + index_one.factorizations,
            solves: counted(KktSolver::solves) + index_one.solves,
            newton_iterations: self.newton_iterations,
        }
    }
}
