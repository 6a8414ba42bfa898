//! BDF in increments on a Lie group, with constant steps.

use super::corrector::{Corrector, Kinematics, Step};
use super::engine::LEADING;
use super::engine_work;
use super::rule::Rule;
use super::startup::Starter;
use crate::control::{ControllerKind, ErrorNorm, Limits};
use crate::integrator::shared::newton::is_another_step;
use crate::integrator::{
    Attempt, DenseOutput, Integrator, Kind, Method, NewtonOptions, Orders, OwnDenseOutput,
    StepError, StepSizes, Stepper, Work, require_index, work_of,
};
use crate::linalg::KktError;
use crate::manifold::Manifold;
use crate::system::{AccelerationSolver, Evaluator, Formulation, Layout, Projector, State};

/// Most steps of the formula.
const MAX_STEPS: usize = 4;

/// States that are kept: one more than the formula needs, so that they reach a step back from the end of one that has been accepted.
const STATES: usize = MAX_STEPS + 1;

/// α_i of y'(t_{n+1}) ≈ Σ α_i y_{n+1-i} / h, by number of steps k.
const ALPHA: [[f64; MAX_STEPS + 1]; MAX_STEPS + 1] = [
    [0.0; MAX_STEPS + 1],
    [1.0, -1.0, 0.0, 0.0, 0.0],
    [LEADING[2], -2.0, 0.5, 0.0, 0.0],
    [LEADING[3], -3.0, 1.5, -1.0 / 3.0, 0.0],
    [LEADING[4], -4.0, 3.0, -4.0 / 3.0, 0.25],
];

/// The k-step BDF on Lie groups in increments of the configuration, k = 1 to 4, with constant steps.
///
/// ```text
/// q_{n+1} = q_n · exp(h Δq_{n+1})
/// v_{n+1} + s = Σ_{i<k} γ_i Δq_{n+1-i} - h²/12 [v_{n+1}, v'_{n+1}]      γ_i = α_0 + ... + α_i, bracket for k ≥ 3 only
/// v'_{n+1} = Σ_{i≤k} α_i v_{n+1-i} / h
/// M v' = f + Gᵀ λ,   g(t_{n+1}, q_{n+1}) = 0
/// ```
///
/// On a vector space the second line is the BDF for q' = v. On a group Δq is the mean velocity of a step only up to
/// h²/12 \[v, v'\] + O(h⁴) (Magnus expansion), the same for all steps up to O(h³): it does no harm up to k = 2 and is taken off beyond. The
/// bracket of v_{n+1} with itself vanishes, so that the correction is linear in v_{n+1}. Unlike [`Bdf`](super::Bdf) it
/// needs no logarithm: the increments are what has been solved for. s = 0 but for the stabilized formulation.
///
/// Order k in q and v, and in λ at index 3 and of the stabilized form. Cost per step: as [`Bdf`](super::Bdf) with constant
/// steps, one linearization in most steps and three to four evaluations of the equations. Each start, after an event or a
/// change of the step size, takes k - 1 steps from small ones of `bdf` with errors near 1e-12; for some steps
/// after it the multipliers of index 3 have errors of h^(k-1), since accurate velocities differ from those of
/// the formula by O(h^k).
///
/// Made for constant steps. The two-step formula also estimates its error and then runs with tolerances; every change of the
/// step is a new start, so the step grows by factors of two or more only. The other numbers of steps have no estimate.
///
/// Use it with constant steps for stiff mechanisms with large rotations; not where the step must change.
///
/// Source: V. Wieloch, M. Arnold 2021, doi:10.1016/j.cam.2019.112517, of which the increments and k = 2 are public as a
/// program (BLieDF); the correction for k ≥ 3 is derived here from the Magnus expansion and need not be theirs.
/// Measured: `cargo test --release -p liedae --test suite methods::bdf -- --nocapture` prints orders on the heavy top, h from 4e-4 s to 1e-4 s: 1.0,
/// 2.0, 3.0, 4.0 in q and v at index 3 and stabilized on R³ x SO(3), and on SE(3) 0.9 at k = 1 and the others alike.
///
/// ```
/// use liedae::integrator::{BdfLie, NewtonOptions};
/// use liedae::prelude::*;
///
/// // A pendulum of 1 m, swung for a second in steps of 2 ms, with the formula of fourth order.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let method = BdfLie::new(None, NewtonOptions::default()).with_steps(4);
/// let end = solve(&mut pendulum, &method, &Options::fixed(1.0, 2e-3))?.state;
/// assert!((end.q[0] + 0.986_291_75).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BdfLie {
    formulation: Formulation,
    steps: usize,
    newton: NewtonOptions,
}

/// The increments and their history.
struct BdfLieStepper {
    formulation: Formulation,
    steps: usize,
    newton: NewtonOptions,
    sizes: StepSizes,
    corrector: Corrector,
    starter: Starter,
    accelerations: AccelerationSolver,
    /// h Δq, the newest first.
    increments: [Vec<f64>; MAX_STEPS - 1],
    velocities: [Vec<f64>; MAX_STEPS],
    states: [Vec<f64>; STATES],
    increment: Vec<f64>,
    /// x' at the end of the last step, if the formula took it.
    x_rate: Vec<f64>,
    error: Vec<f64>,
    /// The last accepted step was one of the formula.
    settled: bool,
    projector: Projector,
    /// The start of a step that the history does not fit, on the constraints and completed.
    fresh: State,
    previous_step: Option<f64>,
    left_to_start: usize,
    starting: bool,
    /// The time of the newest states.
    newest: f64,
    /// Times of the states that x is interpolated between, the newest first: the end of the step, apart as long as it has not been
    /// accepted, and those before it.
    nodes: [f64; MAX_STEPS + 1],
    end: Vec<f64>,
    is_open: bool,
}

impl BdfLieStepper {
    fn new(
        layout: &Layout,
        state: &State,
        method: &BdfLie,
        sizes: StepSizes,
    ) -> Result<Self, KktError> {
        let free = || vec![0.0; layout.dimension()];
        let formulation = method.formulation;
        let constant = sizes == StepSizes::Constant;
        let corrector = Corrector::new(layout, formulation)?;
        Ok(Self {
            formulation,
            steps: method.steps,
            newton: method.newton,
            sizes,
            x_rate: vec![0.0; layout.differential],
            error: vec![0.0; corrector.unknowns.differential().len()],
            settled: false,
            corrector,
            starter: Starter::new(layout, state, formulation, constant)?,
            accelerations: AccelerationSolver::new(layout)?,
            increments: std::array::from_fn(|_| free()),
            velocities: std::array::from_fn(|_| free()),
            states: std::array::from_fn(|_| vec![0.0; layout.differential]),
            increment: free(),
            projector: Projector::new(layout)?,
            fresh: state.clone(),
            previous_step: None,
            left_to_start: 0,
            starting: false,
            newest: state.t,
            nodes: [0.0; MAX_STEPS + 1],
            end: vec![0.0; layout.differential],
            is_open: false,
        })
    }

    /// Starts anew where the step size is another.
    fn prepare(&mut self, system: &mut Evaluator, from: &State, h: f64) -> Result<(), StepError> {
        let same = self
            .previous_step
            .is_some_and(|previous| !is_another_step(previous, h));
        if same {
            return Ok(());
        }
        self.fresh.copy_from(from);
        // What events leave of a violation is far above the errors of the start, whose form jumps back onto the constraints:
        // no step would be small enough for that. Positions of index 2 and 1 may drift.
        if let Formulation::Index3 | Formulation::StabilizedIndex2 = self.formulation {
            self.projector
                .project_position(system, &mut self.fresh, false)?;
        }
        // Velocities of index 3 hold their constraints up to their own error only.
        self.projector.project_velocity(system, &mut self.fresh)?;
        self.accelerations.complete(system, &mut self.fresh)?;
        self.starter
            .begin(system, &mut self.accelerations, &self.fresh)?;
        self.left_to_start = self.steps - 1;
        self.corrector.restart();
        self.settled = false;
        self.velocities[0].copy_from_slice(&self.fresh.v);
        self.states[0].copy_from_slice(&from.x);
        self.newest = from.t;
        self.previous_step = Some(h);
        Ok(())
    }

    /// First guess and constants of a step, v and x extrapolated linearly if they can be.
    fn load(&mut self, from: &State, h: f64) {
        let steps = self.steps;
        let alphas = &ALPHA[steps];
        let alpha = alphas[0] / h;
        let corrector = &mut self.corrector;
        let (u, v, x) = (
            corrector.unknowns.u(),
            corrector.unknowns.v(),
            corrector.unknowns.x(),
        );
        let constant = &mut corrector.iterate.constant;
        constant.fill(0.0);
        // γ_i = α_0 + ... + α_i multiply the increments.
        let mut sum = alphas[0];
        for (weight, increment) in alphas[1..steps].iter().zip(&self.increments) {
            sum += weight;
            for (slot, increment) in constant[u.clone()].iter_mut().zip(increment) {
                *slot += sum / h * increment;
            }
        }
        // Σ α_i v_{n+1-i} / h of the known velocities, and x alike.
        for (index, weight) in alphas[1..=steps].iter().enumerate() {
            for (slot, v) in constant[v.clone()].iter_mut().zip(&self.velocities[index]) {
                *slot += weight / h * v;
            }
            for (slot, x) in constant[x.clone()].iter_mut().zip(&self.states[index]) {
                *slot += weight / h * x;
            }
        }
        let y = &mut corrector.iterate.y;
        corrector.unknowns.load(from, y);
        // Linear extrapolation; a one-step formula has no velocity before the last.
        if steps > 1 {
            for (slot, before) in y[v.clone()].iter_mut().zip(&self.velocities[1]) {
                *slot += *slot - before;
            }
            for (slot, before) in y[x].iter_mut().zip(&self.states[1]) {
                *slot += *slot - before;
            }
        }
        let w = corrector.unknowns.w();
        // v' = α v + c, and α u + c = v solved for the increment.
        for index in 0..u.len() {
            let velocity = y[v.start + index];
            y[w.start + index] = alpha * velocity + constant[v.start + index];
            y[u.start + index] = (velocity - constant[u.start + index]) / alpha;
        }
    }

    /// The weighted norm of the local error of the two-step formula, h³/3 times the third derivative of u, v and x.
    ///
    /// y_{n+1} - y_{n-1} - 2 h y'_n is h³ times this derivative where y'_n is of the formula, and a third of that where
    /// it is accurate. In the step after a start no rate of x is known: its estimate is h²/3 times the second derivative, which is
    /// larger.
    fn estimate(&mut self, from: &State, to: &State, h: f64, norm: &ErrorNorm) -> f64 {
        let unknowns = &self.corrector.unknowns;
        let factor = if self.settled { 1.0 / 3.0 } else { 1.0 };
        let (u, v, x) = (unknowns.u(), unknowns.v(), unknowns.x());
        for (index, before) in self.velocities[1].iter().enumerate() {
            let (now, next) = (self.velocities[0][index], to.v[index]);
            // h³/3 u''' with u''' the second difference of v over h².
            self.error[u.start + index] = h / 3.0 * (next - 2.0 * now + before);
            self.error[v.start + index] =
                factor * (next - before - 2.0 * h * from.acceleration[index]);
        }
        for (index, before) in self.states[1].iter().enumerate() {
            let (now, next) = (from.x[index], to.x[index]);
            self.error[x.start + index] = if self.settled {
                // h³ x'''/3: y_{n+1} - y_{n-1} - 2 h y'_n is h³ x''' behind a step of the formula.
                factor * (next - before - 2.0 * h * self.x_rate[index])
            } else {
                (next - 2.0 * now + before) / 3.0
            };
        }
        self.corrector.weights.set_share(norm.share_of_time(h));
        self.corrector.weights.norm_of(norm, &self.error)
    }
}

impl BdfLie {
    /// Growth of the step below which a new start is not worth its price.
    const KEEP_BELOW: f64 = 2.0;

    /// What the method is.
    pub const METHOD: Method = Method {
        name: "bdf-lie",
        title: "two-step BDF in increments on Lie groups",
        kind: Kind::Implicit,
        index: 3,
        orders: Orders {
            q: 2,
            v: 2,
            lambda: 2,
        },
        error_order: 3.0,
        dense_output: DenseOutput::Quintic,
        captures_events: false,
        fixed_step_by_default: true,
        controller: ControllerKind::Elementary(Limits {
            safety: 0.9,
            shrink: 0.2,
            grow: 5.0,
        }),
        source: "Wieloch, Arnold 2021, doi:10.1016/j.cam.2019.112517",
        use_when: "stiff mechanisms with large rotations and constant steps",
        avoid_when: "the step must change, energy matters, or events are frequent",
    };

    /// The formulations that it can be asked for; its order is the same in all.
    pub const FORMULATIONS: &[(Formulation, Orders)] = &[
        (Formulation::Index3, Self::METHOD.orders),
        (Formulation::StabilizedIndex2, Self::METHOD.orders),
        (Formulation::Index2, Self::METHOD.orders),
        (Formulation::Index1, Self::METHOD.orders),
    ];

    /// Two steps on this formulation; `None` is index 3.
    pub fn new(formulation: Option<Formulation>, newton: NewtonOptions) -> Self {
        Self {
            formulation: formulation.unwrap_or(Formulation::Index3),
            steps: 2,
            newton,
        }
    }

    /// Another number of steps k, between 1 and 4, of order k; only the two-step formula has an error estimate.
    pub fn with_steps(mut self, steps: usize) -> Self {
        self.steps = steps.clamp(1, MAX_STEPS);
        self
    }
}

/// The formula with k steps, k from 1.
static WITHOUT_ESTIMATE: [Method; MAX_STEPS] = [
    without_estimate(1),
    without_estimate(2),
    without_estimate(3),
    without_estimate(4),
];

const fn without_estimate(order: u8) -> Method {
    Method {
        orders: Orders::all(order),
        error_order: 0.0,
        ..BdfLie::METHOD
    }
}

impl Integrator for BdfLie {
    fn method(&self) -> &'static Method {
        match self.steps {
            2 => &Self::METHOD,
            steps => &WITHOUT_ESTIMATE[steps - 1],
        }
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        let layout = system.layout();
        require_index(layout, Self::METHOD.name, 3)?;
        let stepper = BdfLieStepper::new(layout, state, self, sizes);
        let linear = |source| StepError::linear(state.t, source);
        Ok(Box::new(stepper.map_err(linear)?))
    }
}

impl Stepper for BdfLieStepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        self.prepare(system, from, h)?;
        self.starting = self.left_to_start > 0;
        if self.starting {
            // Start: accurate states at the moments of the formula, their increments by the logarithm.
            self.starter.advance(system, norm, to)?;
            let space = &system.layout().space;
            space.lift(&from.q, &to.q, &mut self.increment);
            // Accurate, and in vain unless the formula goes on with this size.
            return Ok(Attempt::with_error(0.0)
                .with_outlook(0.5, BdfLie::METHOD.error_order)
                .keeping_step_below(BdfLie::KEEP_BELOW));
        }
        self.load(from, h);
        norm.weigh(from, from);
        let step = Step {
            t: to.t,
            h,
            alpha: ALPHA[self.steps][0] / h,
            from,
            // Up to two steps the bracket is below the error of the formula.
            kinematics: Kinematics::Increments {
                factor: if self.steps >= 3 { h * h / 12.0 } else { 0.0 },
            },
        };
        let rule = if self.sizes == StepSizes::Constant {
            Rule::exact(&self.newton)
        } else {
            Rule::exact_within_tolerance(&self.newton)
        };
        let corrector = &mut self.corrector;
        corrector.solve(system, &step, norm, &rule, None)?;
        corrector.evaluate_rate(&step);
        let unknowns = &corrector.unknowns;
        unknowns.store(&system.layout().space, &from.q, &corrector.iterate.y, to);
        self.increment
            .copy_from_slice(&corrector.iterate.y[unknowns.u()]);
        // Only the two-step formula has an estimate.
        if self.steps != 2 {
            return Ok(Attempt::without_estimate());
        }
        norm.weigh(from, to);
        let error = self.estimate(from, to, h, norm);
        Ok(Attempt::with_error(error).keeping_step_below(BdfLie::KEEP_BELOW))
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        _from: &State,
        _h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        // Rounding moves a product of many exponentials off the group.
        system.layout().space.normalize(&mut to.q);
        self.corrector.accept();
        if self.starting {
            self.left_to_start -= 1;
        }
        self.settled = !self.starting;
        let x = self.corrector.unknowns.x();
        self.x_rate.copy_from_slice(&self.corrector.rate[x]);
        self.increments.rotate_right(1);
        self.velocities.rotate_right(1);
        self.states.rotate_right(1);
        self.increments[0].copy_from_slice(&self.increment);
        self.velocities[0].copy_from_slice(&to.v);
        self.states[0].copy_from_slice(&to.x);
        self.newest = to.t;
        Ok(())
    }

    /// Another size would begin its start anew.
    fn repeats_steps(&self) -> bool {
        false
    }

    fn has_algebraic_variables_at_end(&self) -> bool {
        true
    }

    fn renew_derivatives(&mut self) {
        self.corrector.restart();
    }

    fn restart(&mut self, _system: &mut Evaluator, _state: &State) -> Result<(), StepError> {
        self.previous_step = None;
        Ok(())
    }

    fn dense_output(&mut self) -> Option<&mut dyn OwnDenseOutput> {
        Some(self)
    }

    fn work(&self) -> Work {
        let (factorizations, solves) = self.corrector.solver().work();
        let mut total = Work {
            factorizations,
            solves,
            newton_iterations: self.corrector.iterations(),
        };
        total += engine_work(self.starter.engine());
        total += work_of(&self.accelerations);
        total
    }
}

/// Differential states: where the formula has taken the step, on the polynomial of degree k through its end and the k states before, from
/// which it takes their rates; in a start, what its small steps have passed. The rest is the driver's.
impl OwnDenseOutput for BdfLieStepper {
    fn prepare(
        &mut self,
        _system: &mut Evaluator,
        _from: &State,
        to: &State,
    ) -> Result<(), StepError> {
        self.is_open = self.newest != to.t;
        self.end.copy_from_slice(&to.x);
        let h = self.previous_step.unwrap_or(0.0);
        // Accepted, the states begin with the end.
        let before = usize::from(self.is_open);
        self.nodes[0] = to.t;
        for (index, node) in self.nodes[before..=self.steps].iter_mut().enumerate() {
            *node = self.newest - index as f64 * h;
        }
        Ok(())
    }

    fn interpolate(&mut self, _space: &Manifold, t: f64, out: &mut State) {
        if self.starting {
            self.starter.interpolate(t, out);
            return;
        }
        let nodes = &self.nodes[..=self.steps];
        let open = self.is_open.then_some(&self.end);
        out.x.fill(0.0);
        for ((index, node), x) in
            (nodes.iter().enumerate()).zip(open.into_iter().chain(&self.states))
        {
            let others = nodes
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != index);
            let weight: f64 = others
                .map(|(_, other)| (t - other) / (node - other))
                .product();
            for (slot, value) in out.x.iter_mut().zip(x) {
                *slot += weight * value;
            }
        }
    }
}
