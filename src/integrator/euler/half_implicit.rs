//! Half-implicit Euler for index-3 DAEs on a Lie group.

use crate::control::{ControllerKind, ErrorNorm, Limits};
use crate::integrator::euler::estimate::EulerEstimate;
use crate::integrator::shared::extrapolation::Extrapolation;
use crate::integrator::shared::newton::{Convergence, Verdict, is_another_step};
use crate::integrator::shared::pull_back::PullBack;
use crate::integrator::shared::round_off::{
    few_roundings_are_left, multiples_hold_to_round_off, round_off_of_values,
};
use crate::integrator::shared::sizes::{Seen, Sizes};
use crate::integrator::{
    Attempt, DenseOutput, FiniteState, Integrator, Kind, Method, NewtonOptions, Orders, StepError,
    StepSizes, Stepper, Work, require_identity_descriptor, require_index, work_of,
};
use crate::linalg::{Displacement, KktSolver, VersionedValues};
use crate::manifold::PART;
use crate::memory::fetch;
use crate::scalar::{Largest, largest};
use crate::system::{
    AccelerationSolver, AlgebraicSolver, DynamicsError, Evaluator, Layout, Point, State,
};
use std::ops::Range;

/// Which matrix the Newton iteration of [`HalfImplicit`] uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewtonMatrix {
    /// \[M Gᵀ; G 0\] at the start of the step, symmetric, factorized once per step (eq. 12).
    OncePerStep,
    /// The matrix with the constraint Jacobian of every iterate (eq. 10, with the tangent operator of the exponential
    /// map, without which the convergence would not be quadratic). It is exact for position rows; the dependence of
    /// velocity rows on the configuration is left out.
    EveryIteration,
}

/// How the first guess of [`HalfImplicit`] follows from accelerations and multipliers of the last steps, of which a start
/// and an event leave none.
///
/// ```
/// use liedae::integrator::{FirstGuess, HalfImplicit};
/// use liedae::prelude::*;
///
/// // On a smooth motion parabolas through the last steps save iterations.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let mut iterations = |guess| -> Result<usize, liedae::solve::SolveError> {
///     let method = HalfImplicit::default().guessing(guess);
///     let run = solve(&mut pendulum, &method, &Options::fixed(1.0, 1e-3))?;
///     Ok(run.statistics.work.newton_iterations)
/// };
/// assert!(iterations(FirstGuess::Parabolic)? < iterations(FirstGuess::Constant)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstGuess {
    /// The last values, as a fully implicit method without history begins.
    Constant,
    /// Straight lines through the last two.
    Linear,
    /// Parabolas through the last three: accelerations and multipliers of smooth motions are well extrapolated.
    #[default]
    Parabolic,
}

impl FirstGuess {
    fn degree(self) -> usize {
        match self {
            Self::Constant => 0,
            Self::Linear => 1,
            Self::Parabolic => 2,
        }
    }
}

/// Half-implicit Euler: explicit at velocity level, implicit at position level.
///
/// Each step finds the multipliers λ_n at t_n that put the constraints right at t_{n+1}:
///
/// ```text
/// M_n (v_{n+1} - v_n) = h f_n + h G_nᵀ λ_n
/// q_{n+1} = q_n · exp(h v_{n+1})
/// 0 = g(t_{n+1}, q_{n+1}),   0 = b(t_{n+1}, q_{n+1}, v_{n+1})
/// ```
///
/// Order 1 in q, v and λ (λ_n belongs to the start of the step); symplectic for constant steps; one symmetric
/// factorization per step, no force Jacobians. The first guess extrapolates accelerations and multipliers by
/// parabolas ([`FirstGuess`]). After a start, and whenever the step size changes, λ_n of this scheme is off by O(1) for one step,
/// because velocities then belong to the middles of unequal steps; the multipliers and accelerations reported for
/// such a step are those of the index-1 form at its start. Algebraic variables (normal forces of friction) follow
/// from λ_n and act in the next step, as in the paper's section 3.4. The error estimate, in q, v and x, rests on
/// accelerations of the index-1 form at the starts of this step and the last one, solved for with the same
/// factorization; constant steps keep the energy behaviour.
///
/// Use it for long, non-stiff simulations, with friction or forces that are hard to differentiate; not for stiff springs
/// (it is stable for h < 2/ω only), nor for accuracy.
///
/// Source: Fang, Kissel, Zhang, Negrut 2022, eqs. 3-12, doi:10.1115/1.4056183.
/// Measured: `liedae reproduce fang2022` states orders, iterations and energy.
pub struct HalfImplicit {
    matrix: NewtonMatrix,
    options: NewtonOptions,
    guess: FirstGuess,
}

/// A run of [`HalfImplicit`].
struct HalfImplicitStepper {
    matrix: NewtonMatrix,
    options: NewtonOptions,
    kkt: KktSolver,
    algebraic: Option<AlgebraicSolver>,
    mass: VersionedValues,
    /// G at the start of the step; where the solver takes it over, room for the next one.
    left: Vec<f64>,
    right: Vec<f64>,
    rates: Vec<f64>,
    displacement: Vec<f64>,
    impulse: Vec<f64>,
    top: Vec<f64>,
    bottom: Vec<f64>,
    correction: Vec<f64>,
    multiplier_correction: Vec<f64>,
    /// For Jacobians of every iterate.
    pull_back: Option<PullBack>,
    acceleration_history: Extrapolation,
    /// Whether the first guess of this step comes from there.
    extrapolates: bool,
    multiplier_history: Extrapolation,
    /// Serves the multipliers of steps that follow a start or a change of the step size, and the error estimate; constant
    /// steps have what the iteration itself factorizes.
    index_one: Option<AccelerationSolver>,
    /// `estimate` holds the index-1 form at the start of the step.
    index_one_is_loaded: bool,
    estimate: EulerEstimate,
    previous_step: Option<f64>,
    /// What has been seen of the present iterate.
    seen: Seen,
    /// The size of corrections, displacements and h² λ, that are nothing but round-off: so far, and by the step that is tried.
    noise: f64,
    tried_noise: f64,
    newton_iterations: usize,
}

impl HalfImplicitStepper {
    fn new(
        method: &HalfImplicit,
        layout: &Layout,
        sizes: StepSizes,
    ) -> Result<Self, crate::linalg::KktError> {
        let (dimension, rows) = (layout.dimension(), layout.rows());
        let free = || vec![0.0; dimension];
        let constrained = || vec![0.0; rows];
        Ok(Self {
            matrix: method.matrix,
            options: method.options,
            kkt: KktSolver::new(
                &layout.mass,
                &layout.jacobian,
                &layout.jacobian,
                &layout.blocks,
            )?,
            algebraic: AlgebraicSolver::new(layout)?,
            mass: VersionedValues::new(layout.mass.nnz()),
            left: vec![0.0; layout.jacobian.nnz()],
            right: match method.matrix {
                NewtonMatrix::OncePerStep => Vec::new(),
                NewtonMatrix::EveryIteration => vec![0.0; layout.jacobian.nnz()],
            },
            rates: vec![0.0; layout.rate_count()],
            displacement: free(),
            impulse: constrained(),
            top: free(),
            bottom: constrained(),
            correction: free(),
            multiplier_correction: constrained(),
            pull_back: (method.matrix == NewtonMatrix::EveryIteration)
                .then(|| PullBack::new(&layout.space)),
            acceleration_history: Extrapolation::new(dimension, method.guess.degree()),
            extrapolates: true,
            multiplier_history: Extrapolation::new(rows, method.guess.degree()),
            index_one: if sizes == StepSizes::Adaptive
                || !Self::iteration_serves(method.matrix, layout)
            {
                Some(AccelerationSolver::new(layout)?)
            } else {
                None
            },
            index_one_is_loaded: false,
            estimate: EulerEstimate::new(&layout.state()),
            previous_step: None,
            seen: Seen::default(),
            noise: 0.0,
            tried_noise: 0.0,
            newton_iterations: 0,
        })
    }

    /// Whether the matrix of the iteration is that of the index-1 form: not another one, without algebraic variables, and
    /// there is something to solve.
    fn iteration_serves(matrix: NewtonMatrix, layout: &Layout) -> bool {
        matrix == NewtonMatrix::OncePerStep && layout.algebraic == 0 && layout.dimension() > 0
    }

    /// G at the start of the step.
    fn gradients(&self) -> &[f64] {
        match self.matrix {
            NewtonMatrix::OncePerStep => self.kkt.jacobian(),
            NewtonMatrix::EveryIteration => &self.left,
        }
    }

    /// Whether the constraints held to round-off at the iterate that was evaluated last.
    fn constraints_hold(&self, layout: &Layout, h: f64, to: &State) -> bool {
        let pattern = (&layout.jacobian, self.gradients());
        let (position, velocity) = self.bottom.split_at(layout.position_rows);
        multiples_hold_to_round_off(position, pattern, 0, 1.0, || self.seen.extent_of(&to.q))
            && multiples_hold_to_round_off(velocity, pattern, layout.position_rows, 1.0 / h, || {
                largest(&to.v)
            })
    }

    /// Whether nothing but a few roundings was left of the constraints at the iterate that was evaluated last.
    fn constraints_are_rounded(&self, layout: &Layout, h: f64, to: &State) -> bool {
        let (position, velocity) = self.bottom.split_at(layout.position_rows);
        few_roundings_are_left(position, 1.0, || self.seen.extent_of(&to.q))
            && few_roundings_are_left(velocity, 1.0 / h, || largest(&to.v))
    }

    /// Predicts the displacement h v + h² a with accelerations of the last steps.
    fn extrapolate_displacement(&mut self, from: &State, h: f64) {
        self.correction.copy_from_slice(&from.acceleration);
        self.acceleration_history
            .predict(from.t, &mut self.correction);
        let unknowns = self.displacement.iter_mut().zip(&from.v);
        for ((displacement, v), acceleration) in unknowns.zip(&self.correction) {
            *displacement = h * v + h * h * acceleration;
        }
    }

    /// Residual of eq. 11: h M v_n + h² f_n - M u + h² Gᵀ λ for the displacement u = h v_{n+1}.
    fn load_momentum(&mut self, layout: &Layout, h: f64, v: &[f64]) {
        for (top, force) in self.top.iter_mut().zip(&self.rates) {
            *top = h * h * force;
        }
        let change = &mut self.correction;
        for ((change, v), displacement) in change.iter_mut().zip(v).zip(&self.displacement) {
            *change = h * v - displacement;
        }
        (layout.mass).multiply_add(&self.mass.values, 1.0, change, &mut self.top);
        let mut top = std::mem::take(&mut self.top);
        let jacobian = &layout.jacobian;
        jacobian.multiply_transpose_add(self.gradients(), 1.0, &self.impulse, &mut top);
        self.top = top;
    }

    /// Acceleration, multipliers and algebraic variables of the index-1 form at the start of the step: with the matrix
    /// of the Newton iteration, where that is the same.
    fn load_index_one(&mut self, system: &mut Evaluator, from: &State) -> Result<(), StepError> {
        self.index_one_is_loaded = true;
        if !Self::iteration_serves(self.matrix, system.layout()) {
            let solver = solver(&mut self.index_one, system.layout(), from.t)?;
            return Ok(self.estimate.load_start(solver, system, from)?);
        }
        // G a = -γ, the constraint at acceleration level.
        if !self.bottom.is_empty() {
            system.acceleration_bias(&from.point(), &mut self.bottom)?;
            for row in &mut self.bottom {
                *row = -*row;
            }
        }
        let rounded = round_off_of_values(&self.bottom);
        self.kkt.expect_rounded_values(rounded);
        let forces = &self.rates[..from.v.len()];
        let EulerEstimate {
            acceleration,
            lambda,
            ..
        } = &mut self.estimate;
        self.kkt
            .solve(forces, &self.bottom, acceleration, lambda)
            .map_err(|source| StepError::linear(from.t, source))
    }
}

/// The solver of the index-1 form; a run of constant steps that is asked for an error estimate nevertheless gets it then.
fn solver<'a>(
    solver: &'a mut Option<AccelerationSolver>,
    layout: &Layout,
    t: f64,
) -> Result<&'a mut AccelerationSolver, StepError> {
    match solver {
        Some(solver) => Ok(solver),
        None => {
            let new = AccelerationSolver::new(layout);
            let new = new.map_err(|source| StepError::linear(t, source))?;
            Ok(solver.insert(new))
        }
    }
}

impl HalfImplicit {
    /// The method with one factorization per step.
    pub const QUASI_NEWTON: Method = Method {
        name: "half-implicit",
        title: "half-implicit Euler, quasi-Newton",
        kind: Kind::HalfImplicit,
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
        source: "Fang, Kissel, Zhang, Negrut 2022, eqs. 3-9, 11, 12, doi:10.1115/1.4056183",
        use_when: "long, non-stiff simulations; friction or forces that are hard to differentiate; energy must not drain",
        avoid_when: "stiff springs (it is stable for h < 2/omega only), or when more than three digits are needed",
    };

    /// The method with the exact Newton matrix.
    pub const FULL_NEWTON: Method = Method {
        name: "half-implicit-newton",
        title: "half-implicit Euler, full Newton",
        source: "Fang, Kissel, Zhang, Negrut 2022, eqs. 3-11, doi:10.1115/1.4056183",
        use_when: "as half-implicit, with large steps: fewer iterations, each with an unsymmetric factorization",
        ..Self::QUASI_NEWTON
    };

    /// The method with a choice of matrix.
    pub fn new(matrix: NewtonMatrix, options: NewtonOptions) -> Self {
        Self {
            matrix,
            options,
            guess: FirstGuess::default(),
        }
    }

    /// The same with another first guess.
    pub fn guessing(self, guess: FirstGuess) -> Self {
        Self { guess, ..self }
    }
}

impl Integrator for HalfImplicit {
    fn method(&self) -> &'static Method {
        match self.matrix {
            NewtonMatrix::OncePerStep => &Self::QUASI_NEWTON,
            NewtonMatrix::EveryIteration => &Self::FULL_NEWTON,
        }
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        let layout = system.layout();
        let method = self.method().name;
        require_index(layout, method, 0)?;
        require_identity_descriptor(layout, method)?;
        let mut stepper = HalfImplicitStepper::new(self, layout, sizes)
            .map_err(|source| StepError::linear(state.t, source))?;
        stepper
            .acceleration_history
            .push(state.t, &state.acceleration);
        stepper.multiplier_history.push(state.t, &state.lambda);
        Ok(Box::new(stepper))
    }
}

impl Stepper for HalfImplicitStepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        self.index_one_is_loaded = false;
        let per_step = 1.0 / h;
        let (dimension, rows) = (from.v.len(), from.lambda.len());
        let position_rows = system.layout().position_rows;
        let at = from.point();
        system.rates(&at, &mut self.rates)?;
        if dimension > 0 {
            system.update_mass_matrix(&at, &mut self.mass)?;
        }
        let linear = |source| StepError::linear(from.t, source);
        // What rounded coordinates leave in the rows contradicts nothing.
        let rounded = round_off_of_values(&from.q);
        self.kkt.expect_rounded_values(rounded);
        // Predict: impulses h² λ, then h v_{n+1} = h v_n + h² a.
        (self.multiplier_history).predict_or(&from.lambda, from.t, &mut self.impulse);
        for impulse in &mut self.impulse {
            *impulse *= h * h;
        }
        // Where the solver knows the inverse mass, accelerations follow from these multipliers: the momentum is balanced.
        let mut is_balanced = false;
        if self.matrix == NewtonMatrix::OncePerStep && dimension > 0 {
            if rows > 0 {
                system.constraint_jacobian_to_factor(&at, &mut self.left)?;
            }
            let known = Displacement {
                h,
                velocity: &from.v,
                forces: &self.rates[..dimension],
                impulse: &self.impulse,
            };
            let (g, displacement) = (&mut self.left, &mut self.displacement);
            match (self.kkt).factor_and_displace(&self.mass, g, known, displacement) {
                Ok(balances) => is_balanced = balances,
                Err(source) => {
                    system.check_jacobian(&at, self.kkt.jacobian())?;
                    return Err(linear(source));
                }
            }
        } else if rows > 0 {
            system.constraint_jacobian(&at, &mut self.left)?;
        }
        self.extrapolates = !is_balanced;
        if self.extrapolates {
            self.extrapolate_displacement(from, h);
        }
        let mut convergence = Convergence::new(&self.options, NewtonOptions::DISPLACEMENT)
            .anticipating(&self.options)
            .among_noise(self.noise);
        // Each iterate: q_{n+1} = q_n · exp(h v_{n+1}).
        let space = &system.layout().space;
        space.retract(&from.q, &self.displacement, &mut to.q);
        self.seen = Seen::default();
        let measures = Seen::measures(from.q.len());
        loop {
            // Differential states alone need no iteration.
            if dimension == 0 {
                break;
            }
            if !is_balanced {
                self.load_momentum(system.layout(), h, &from.v);
            }
            if rows > position_rows {
                for (v, displacement) in to.v.iter_mut().zip(&self.displacement) {
                    *v = displacement / h;
                }
            }
            if rows > 0 {
                let end = Point {
                    t: to.t,
                    q: &to.q,
                    v: &to.v,
                    ..at
                };
                if rows > position_rows {
                    system.velocity_constraint(&end, &mut self.bottom)?;
                    // b is in velocities, the unknown is a displacement.
                    for row in &mut self.bottom[position_rows..] {
                        *row *= h;
                    }
                }
                if position_rows > 0 {
                    system.position_constraint(&end, &mut self.bottom[..position_rows])?;
                }
                if self.matrix == NewtonMatrix::EveryIteration {
                    system.constraint_jacobian(&end, &mut self.right)?;
                }
            }
            // The balance of momentum and the constraints are all equations that there are.
            if is_balanced
                && convergence.may_have_arrived()
                && self.constraints_hold(system.layout(), h, to)
            {
                convergence.arrive();
                self.tried_noise = convergence.noise();
                break;
            }
            if let Some(pull_back) = &mut self.pull_back {
                let pattern = &system.layout().jacobian;
                // ∂g/∂u = G(q_{n+1}) dexp(u): the iterate is q_n · exp(u).
                pull_back.apply(pattern, position_rows, &self.displacement, &mut self.right);
                self.kkt
                    .factor(&self.mass.values, &self.left, &self.right)
                    .map_err(linear)?;
            }
            // Where forces are in balance, solutions are linear in the rows: what these give is taken back.
            let was_balanced = is_balanced;
            let (x, y) = (&mut self.correction, &mut self.multiplier_correction);
            let solved = if was_balanced {
                self.kkt.solve_constraints_again(&self.bottom, x, y)
            } else {
                for row in &mut self.bottom {
                    *row = -*row;
                }
                self.kkt.solve_again(&self.top, &self.bottom, x, y)
            };
            solved.map_err(linear)?;
            self.newton_iterations += 1;
            let correct = if was_balanced {
                Sizes::take_back
            } else {
                Sizes::correct
            };
            // The balance of momentum is linear: it holds from the first correction on, unless multipliers of dependent rows have been
            // projected.
            is_balanced = self.kkt.redundant_rows().is_empty();
            let mut sizes = Sizes::default();
            let (impulse, change) = (&mut self.impulse, &self.multiplier_correction);
            correct(&mut sizes, 1.0, impulse, change);
            // The last correction has to reach the state as well: part by part, while they are at hand.
            let (space, correction) = (&system.layout().space, &self.correction);
            let displacement = &mut self.displacement;
            let prepare = |own: Range<usize>, displacement: &mut [f64]| {
                correct(&mut sizes, 1.0, displacement, &correction[own.clone()]);
                fetch(correction, own.end, PART);
            };
            let mut extent = Largest::default();
            let see = |part: &[f64]| {
                if measures {
                    extent.see(part);
                }
            };
            space.retract_in_parts(&from.q, displacement, &mut to.q, prepare, see);
            self.seen = if measures {
                Seen::of_extent(extent.value())
            } else {
                Seen::default()
            };
            // Only an iteration that stalls asks, or one that is among noise.
            let asks = convergence.stalls(sizes) || convergence.is_noise(sizes);
            let exact = asks && self.constraints_hold(system.layout(), h, to);
            if !exact
                && was_balanced
                && convergence.may_settle(sizes)
                && self.constraints_are_rounded(system.layout(), h, to)
            {
                convergence.settle();
            }
            match convergence.judge(sizes, exact) {
                Verdict::GoOn => {}
                Verdict::Converged => {
                    self.tried_noise = convergence.noise();
                    break;
                }
                Verdict::Failed => {
                    let what = "the Newton iteration of the half-implicit step";
                    let iterations = convergence.iterations;
                    return Err(DynamicsError::NotConverged {
                        what,
                        t: from.t,
                        iterations,
                        correction: sizes.correction,
                    }
                    .into());
                }
            }
        }

        // Velocities are finite where accelerations are.
        let mut rest = Largest::default();
        let ends = (to.v.chunks_mut(PART)).zip(to.acceleration.chunks_mut(PART));
        let known = from.v.chunks(PART).zip(self.displacement.chunks(PART));
        for ((v, acceleration), (before, displacement)) in ends.zip(known) {
            let ends = v.iter_mut().zip(&mut *acceleration);
            for ((v, acceleration), (before, displacement)) in
                ends.zip(before.iter().zip(displacement))
            {
                *v = displacement * per_step;
                *acceleration = (*v - before) * per_step;
            }
            if measures {
                rest.see(acceleration);
            }
        }
        for (lambda, impulse) in to.lambda.iter_mut().zip(&self.impulse) {
            *lambda = impulse * (per_step * per_step);
        }
        for (index, rate) in self.rates[dimension..dimension + from.x.len()]
            .iter()
            .enumerate()
        {
            // Explicit Euler with the rates of the start of the step.
            to.x[index] = from.x[index] + h * rate;
        }
        to.z.copy_from_slice(&from.z);
        if let Some(algebraic) = &mut self.algebraic {
            // Friction of λ_n enters the forces of the next step (sec. 3.4).
            algebraic.solve(system, from, &to.lambda, &mut to.z)?;
        }

        if measures {
            for list in [&to.lambda, &to.x, &to.z] {
                rest.see(list);
            }
            self.seen = std::mem::take(&mut self.seen).with([rest.value()]);
        }

        // The estimate costs solves of its own: only where a tolerance asks for it.
        if !norm.is_binding() {
            return Ok(Attempt::without_estimate());
        }
        self.load_index_one(system, from)?;
        let x_rates = &self.rates[dimension..dimension + from.x.len()];
        let index_one = solver(&mut self.index_one, system.layout(), from.t)?;
        let error = self
            .estimate
            .measure(index_one, system, [from, to], x_rates, norm)?;
        Ok(Attempt::with_error(error))
    }

    fn finite_state(&self) -> Option<FiniteState> {
        FiniteState::if_seen(self.seen.is_finite())
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        system.layout().space.normalize(&mut to.q);
        let irregular = self
            .previous_step
            .is_none_or(|previous| is_another_step(previous, h));
        // Reported multipliers of irregular steps are those of the index-1 form.
        if irregular && !self.index_one_is_loaded {
            self.load_index_one(system, from)?;
        }
        if irregular {
            to.acceleration.copy_from_slice(&self.estimate.acceleration);
            to.lambda.copy_from_slice(&self.estimate.lambda);
            to.z.copy_from_slice(&self.estimate.z);
        }
        self.previous_step = Some(h);
        self.noise = self.tried_noise;
        // Accelerations and multipliers belong to the start of the step.
        if self.extrapolates {
            self.acceleration_history.push(from.t, &to.acceleration);
        } else {
            // What is not kept up is of no use later.
            self.acceleration_history.clear();
        }
        self.multiplier_history.push(from.t, &to.lambda);
        if self.index_one_is_loaded {
            let dimension = to.v.len();
            let x_rates = &self.rates[dimension..dimension + to.x.len()];
            self.estimate.accept(x_rates, h);
        }
        Ok(())
    }

    fn restart(&mut self, _system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        self.acceleration_history.clear();
        self.multiplier_history.clear();
        self.acceleration_history.push(state.t, &state.acceleration);
        self.multiplier_history.push(state.t, &state.lambda);
        self.estimate.restart();
        self.previous_step = None;
        self.noise = 0.0;
        Ok(())
    }

    /// Forces of the next step have the algebraic variables of the start of this one; whoever looks at the end sees those of the end.
    fn complete(&mut self, system: &mut Evaluator, state: &mut State) -> Result<(), StepError> {
        match &mut self.algebraic {
            Some(algebraic) => Ok(algebraic.solve_in(system, state)?),
            None => Ok(()),
        }
    }

    fn velocity_lag(&self) -> f64 {
        // v_{n+1} = v_n + h a_n and q_{n+1} = q_n exp(h v_{n+1}) are the leapfrog scheme with velocities of the middles of steps.
        self.previous_step.map_or(0.0, |h| 0.5 * h)
    }

    fn work(&self) -> Work {
        let index_one = (self.index_one.as_ref()).map_or_else(Work::default, work_of);
        Work {
            factorizations: self.kkt.factorizations() + index_one.factorizations,
            solves: self.kkt.solves() + index_one.solves,
            newton_iterations: self.newton_iterations,
        }
    }
}
