//! The equations of implicit methods, and their linear systems: for Rosenbrock methods, diagonally implicit and multistep methods of
//! one's own.

use super::Work;
use super::shared::implicit::{Linearization, Residual, ShiftedSolver, Unknowns};
use crate::linalg::KktError;
use crate::system::{EvaluationError, Evaluator, Formulation, Layout, State};
use std::ops::Range;

/// A system as B y' = F(t, y) around a configuration q_n, its derivatives, and the solution of linear systems with α B - ∂F/∂y.
///
/// The unknowns are y = (u, v, x, w, z, λ): local coordinates u, in which the configuration is q_n · exp(u), velocities, differential
/// states, accelerations, algebraic variables and multipliers; the stabilized formulation has corrections behind them. The equations
/// stand in the same order:
///
/// ```text
/// u' = dexp⁻¹(u) v,   v' = w,   E x' = d,   0 = f + Gᵀ λ - M w,   0 = -a,   0 = -c
/// ```
///
/// with the constraint rows c at the level of the [`Formulation`]. So B is the identity for u and v, E for x, and zero for the others,
/// and an implicit method solves systems with M / (h γ) - ∂F/∂y, that is α = 1 / (h γ). On vector spaces δ is exact; elsewhere
/// curvature is taken into account to first order, which leaves a relative error of (h ω)², ω being the angular velocity.
///
/// The source of the reduced linear systems is Hairer, Wanner, Solving Ordinary Differential Equations II, sec. IV.8 and VII.1,
/// doi:10.1007/978-3-642-05221-7.
///
/// ```
/// use liedae::integrator::ImplicitEquations;
/// use liedae::prelude::*;
/// use liedae::system::{Evaluator, Formulation};
///
/// // A step of the linearly implicit Euler method: (B/h - ∂F/∂y) δ = F, on a stiff spring of 1e6 N/m.
/// let mut spring = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], [v]| [x * -1e6 - v * 2e3]).build()?;
/// let mut state = spring.initial_state();
/// let mut system = Evaluator::new(&mut spring);
/// let mut equations = ImplicitEquations::new(system.layout(), Formulation::Index1)?;
/// let (mut y, mut slope) = (vec![0.0; equations.len()], vec![0.0; equations.len()]);
/// let h = 0.1;
/// for _ in 0..10 {
///     state.acceleration = vec![-1e6 * state.q[0] - 2e3 * state.v[0]];
///     equations.load(&state, &mut y);
///     equations.evaluate(&mut system, &state, state.t, &y, &mut slope)?;
///     equations.linearize(&mut system, &state)?;
///     equations.factor(&system, 1.0 / h)?;
///     equations.solve(&system, &mut slope)?;
///     for (y, change) in y.iter_mut().zip(&slope) {
///         *y += change;
///     }
///     let base = state.clone();
///     equations.store(&system, &base, &y, &mut state);
///     state.t += h;
/// }
/// // The spring has come to rest, with steps 100 times as long as its time constant.
/// assert!(state.q[0].abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ImplicitEquations {
    unknowns: Unknowns,
    residual: Residual,
    linearization: Linearization,
    solver: ShiftedSolver,
    /// y at the base, and F a little later.
    base: Vec<f64>,
    later: Vec<f64>,
}

/// The difference for ∂F/∂t as a part of the step, and of the time where that is larger: half of the digits.
const DIFFERENCE_OF_STEP: f64 = 1e-6;
const DIFFERENCE_OF_TIME: f64 = 1.5e-8;

impl ImplicitEquations {
    /// Allocates everything for systems of this layout.
    ///
    /// # Errors
    /// If the layout contradicts itself.
    pub fn new(layout: &Layout, formulation: Formulation) -> Result<Self, KktError> {
        let unknowns = Unknowns::new(layout, formulation);
        let solver = ShiftedSolver::new(layout, &unknowns)?;
        let zeros = || vec![0.0; unknowns.padded_len()];
        Ok(Self {
            residual: Residual::new(layout),
            linearization: Linearization::new(layout, &unknowns, solver.is_small())?,
            solver,
            base: zeros(),
            later: zeros(),
            unknowns,
        })
    }

    /// Number of unknowns, and of equations.
    #[expect(clippy::len_without_is_empty, reason = "systems have unknowns")]
    pub fn len(&self) -> usize {
        self.unknowns.len()
    }

    /// The unknowns whose rates occur: u, v and x.
    pub fn differential(&self) -> Range<usize> {
        self.unknowns.differential()
    }

    /// Local coordinates among the unknowns.
    pub fn u(&self) -> Range<usize> {
        self.unknowns.u()
    }

    /// Velocities among the unknowns.
    pub fn v(&self) -> Range<usize> {
        self.unknowns.v()
    }

    /// Differential states among the unknowns.
    pub fn x(&self) -> Range<usize> {
        self.unknowns.x()
    }

    /// Writes a state as unknowns around its own configuration, u = 0; `y` has [`len`](Self::len) entries.
    pub fn load(&self, state: &State, y: &mut [f64]) {
        self.unknowns.load(state, y);
    }

    /// Writes unknowns around the configuration of `base` into a state, all but its time and modes.
    pub fn store(&self, system: &Evaluator, base: &State, y: &[f64], state: &mut State) {
        let space = &system.layout().space;
        self.unknowns.store(space, &base.q, y, state);
    }

    /// F(t, y) into `out`, with y around the configuration of `base`; modes are those of `base`. Both have [`len`](Self::len)
    /// entries.
    ///
    /// # Errors
    /// If a function of the system fails or is not finite.
    pub fn evaluate(
        &mut self,
        system: &mut Evaluator,
        base: &State,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let at = (t, &base.q[..], &base.mode[..]);
        self.residual.evaluate(system, &self.unknowns, at, y, out)
    }

    /// ∂F/∂t at a complete state, from which a step of size h begins, into `out` of [`len`](Self::len) entries: a difference over a
    /// small part of the step, with half of all digits.
    ///
    /// # Errors
    /// If a function of the system fails or is not finite.
    pub fn time_derivative(
        &mut self,
        system: &mut Evaluator,
        base: &State,
        h: f64,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let Self { base: y, later, .. } = self;
        self.unknowns.load(base, y);
        let difference = (DIFFERENCE_OF_STEP * h)
            .max(DIFFERENCE_OF_TIME * base.t.abs())
            .min(h);
        // What has been rounded is what it is divided by.
        let then = base.t + difference;
        let difference = then - base.t;
        let at = |t| (t, &base.q[..], &base.mode[..]);
        self.residual
            .evaluate(system, &self.unknowns, at(base.t), y, out)?;
        self.residual
            .evaluate(system, &self.unknowns, at(then), y, later)?;
        for (out, later) in out.iter_mut().zip(later) {
            *out = (*later - *out) / difference;
        }
        Ok(())
    }

    /// Evaluates ∂F/∂y at a complete state, u = 0.
    ///
    /// # Errors
    /// If a function of the system fails or is not finite.
    pub fn linearize(
        &mut self,
        system: &mut Evaluator,
        state: &State,
    ) -> Result<(), EvaluationError> {
        let acceleration = &state.acceleration;
        (self.linearization).evaluate(system, &self.unknowns, &state.point(), acceleration)
    }

    /// Factorizes α B - ∂F/∂y with the derivatives evaluated last; α = 1 / (h γ) is positive, in 1/s.
    ///
    /// # Errors
    /// If the matrix is singular.
    pub fn factor(&mut self, system: &Evaluator, alpha: f64) -> Result<(), KktError> {
        (self.solver).factor(
            system.layout(),
            &self.unknowns,
            &self.linearization,
            [alpha],
        )
    }

    /// Overwrites r by the solution δ of (α B - ∂F/∂y) δ = r; with redundant rows the multipliers in δ are those of least norm.
    ///
    /// # Errors
    /// If there are no factors, or rows contradict each other.
    pub fn solve(&mut self, system: &Evaluator, r: &mut [f64]) -> Result<(), KktError> {
        (self.solver).solve(system.layout(), &self.unknowns, &self.linearization, [r])
    }

    /// Adds `factor` B y to `out`.
    pub fn add_rate_matrix(&self, factor: f64, y: &[f64], out: &mut [f64]) {
        (self.residual).add_rate_matrix(&self.unknowns, factor, y, out);
    }

    /// Factorizations and solutions so far.
    pub fn work(&self) -> Work {
        let (factorizations, solves) = self.solver.work();
        Work {
            factorizations,
            solves,
            newton_iterations: 0,
        }
    }
}
