//! Static equilibria.

use super::AnalysisError;
use super::matrices::{Subspaces, constraint_jacobian, dense, geometric_stiffness, largest_at};
use crate::linalg::{Blocks, KktSolver, Pattern};
use crate::system::{AccelerationSolver, Evaluator, Projector, RatesJacobian, State};
use faer::Mat;
use serde::Serialize;

/// A step turns or shifts nothing by more than this, in rad and m.
const LONGEST_STEP: f64 = 0.3;

/// The first step is so long that its largest displacement is this, in rad and m.
const FIRST_STEP: f64 = 0.05;

/// The interval of one step grows at most so much, as the force that is left falls (Kelley and Keyes 1998, sec. 2.2).
const GROWTH: f64 = 10.0;

/// How an equilibrium is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EquilibriumOptions {
    /// Largest force that nothing balances, relative to the largest one that acts.
    pub tolerance: f64,
    /// Most iterations.
    pub iterations: usize,
}

impl Default for EquilibriumOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-11,
            iterations: 500,
        }
    }
}

/// A state of rest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Equilibrium {
    /// The state: v = 0, v' = 0, with the multipliers.
    pub state: State,
    /// Largest force along a velocity that nothing balances, N or N m.
    pub unbalanced: f64,
    /// Iterations taken.
    pub iterations: usize,
}

/// Where a mechanism rests: f(t, q, 0) + Gᵀ λ = 0, g(t, q) = 0, found from a state with any velocity.
///
/// The mechanism is let go in a fluid without inertia, M q' = f + Gᵀ λ, which ends at a stable equilibrium downhill from the start; implicit Euler
/// steps of growing length become Newton's method there (pseudo-transient continuation, Kelley and Keyes 1998,
/// doi:10.1137/S0036142996304796). A start that is an unstable equilibrium stays where it is: move it a little. Drives are held where
/// they are at the state's time, and nonholonomic rows let the mechanism go only where they let it roll. Whether the
/// equilibrium is stable, [`Linearization::modes`](super::Linearization::modes) say.
///
/// # Errors
/// [`AnalysisError::NoEquilibrium`] with the force that is left, as for a body that nothing holds.
///
/// An example is that of the [module](super).
pub fn static_equilibrium(
    system: &mut Evaluator,
    start: &State,
    options: &EquilibriumOptions,
) -> Result<Equilibrium, AnalysisError> {
    let mut now = start.clone();
    now.v.fill(0.0);
    now.acceleration.fill(0.0);
    let mut relaxation = Relaxation::new(system)?;
    relaxation.close(system, &mut now)?;
    relaxation.evaluate(system, &now)?;
    let mut interval = relaxation.first_interval();
    let mut iterations = 0;
    while !relaxation.is_balanced(options.tolerance) {
        if iterations == options.iterations {
            return Err(relaxation.failure(iterations));
        }
        iterations += 1;
        let before = relaxation.unbalanced.1;
        let mut next = now.clone();
        let longest = relaxation.step(system, &mut next, interval)?;
        if is_too_long(longest) {
            // 0.25: the displacement is that of the force over the mass times the interval, or less.
            interval *= (LONGEST_STEP / longest).clamp(1e-3, 0.25);
            continue;
        }
        relaxation.close(system, &mut next)?;
        relaxation.evaluate(system, &next)?;
        now = next;
        let gain = before / relaxation.unbalanced.1.max(f64::MIN_POSITIVE);
        interval *= gain.clamp(1.0 / GROWTH, GROWTH);
    }
    AccelerationSolver::new(system.layout())?.complete(system, &mut now)?;
    now.acceleration.fill(0.0);
    Ok(Equilibrium {
        state: now,
        unbalanced: relaxation.unbalanced.1,
        iterations,
    })
}

/// NaN is too long as well.
fn is_too_long(step: f64) -> bool {
    step.is_nan() || step > LONGEST_STEP
}

/// The matrices of one step, dense.
struct Relaxation {
    kkt: KktSolver,
    projector: Projector,
    /// M, ∂f and the like at the last state.
    mass: Mat<f64>,
    jacobian: Mat<f64>,
    rates: Vec<f64>,
    /// What forces are left that no constraint balances, and the largest one.
    left: Vec<f64>,
    unbalanced: (usize, f64),
    /// The largest force that acts.
    size: f64,
    /// Sizes: velocities, differential states, algebraic variables, rows.
    sizes: [usize; 4],
}

impl Relaxation {
    fn new(system: &Evaluator) -> Result<Self, AnalysisError> {
        let layout = system.layout();
        let sizes = [
            layout.dimension(),
            layout.differential,
            layout.algebraic,
            layout.rows(),
        ];
        let [n, differential, algebraic, rows] = sizes;
        let all = n + differential + algebraic;
        let blocks = Blocks {
            variables: vec![all],
            rows: vec![rows],
        };
        let (a, g) = (Pattern::dense(all, all), Pattern::dense(rows, all));
        Ok(Self {
            kkt: KktSolver::new(&a, &g, &g, &blocks)?,
            projector: Projector::new(layout)?,
            mass: Mat::zeros(0, 0),
            jacobian: Mat::zeros(0, 0),
            rates: vec![0.0; layout.rate_count()],
            left: vec![0.0; n],
            unbalanced: (0, 0.0),
            size: 0.0,
            sizes,
        })
    }

    /// Puts a configuration onto its position rows.
    fn close(&mut self, system: &mut Evaluator, state: &mut State) -> Result<(), AnalysisError> {
        self.projector.project_position(system, state, true)?;
        system.layout().space.normalize(&mut state.q);
        Ok(())
    }

    /// Forces, and what is left of them beside the best reactions.
    fn evaluate(&mut self, system: &mut Evaluator, state: &State) -> Result<(), AnalysisError> {
        let [n, ..] = self.sizes;
        let layout = system.layout().clone();
        let mut mass = vec![0.0; layout.mass.nnz()];
        system.mass_matrix(&state.point(), &mut mass)?;
        self.mass = dense(&layout.mass, &mass);
        system.rates(&state.point(), &mut self.rates)?;
        self.jacobian = constraint_jacobian(system, state)?;
        let spaces = Subspaces::of(&self.jacobian)?;
        self.left.fill(0.0);
        for k in 0..n - spaces.rank {
            let along: f64 = (0..n).map(|i| spaces.kernel[(i, k)] * self.rates[i]).sum();
            for (i, slot) in self.left.iter_mut().enumerate() {
                *slot += along * spaces.kernel[(i, k)];
            }
        }
        // Differential rates and algebraic residuals must vanish too.
        let others = self.rates[n..].iter();
        self.unbalanced = largest_at(self.left.iter().chain(others).copied());
        self.size = largest_at(self.rates.iter().copied()).1;
        Ok(())
    }

    fn is_balanced(&self, tolerance: f64) -> bool {
        let (_, left) = self.unbalanced;
        left <= tolerance * self.size.max(f64::MIN_POSITIVE) || left == 0.0
    }

    /// The interval over which the forces that are left move nothing by more than a first step.
    fn first_interval(&self) -> f64 {
        let fastest = (0..self.left.len()).map(|i| {
            let mass = self.mass[(i, i)];
            if mass > 0.0 { self.left[i] / mass } else { 0.0 }
        });
        let (_, fastest) = largest_at(fastest);
        if fastest > 0.0 {
            FIRST_STEP / fastest
        } else {
            1.0
        }
    }

    /// One implicit Euler step of M q' = f + Gᵀ λ, linearized; returns the largest displacement.
    fn step(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
        interval: f64,
    ) -> Result<f64, AnalysisError> {
        let [n, differential, algebraic, rows] = self.sizes;
        let all = n + differential + algebraic;
        let layout = system.layout().clone();
        let mut slopes = RatesJacobian::new(&layout);
        system.rates_jacobian(&state.point(), &mut slopes)?;
        let slopes_of_position = dense(&layout.rates, &slopes.by_position);
        let stiffness = geometric_stiffness(system, state)?;
        let descriptor = layout
            .descriptor
            .as_ref()
            .map(|(pattern, values)| dense(pattern, values));
        let mut a = vec![0.0; all * all];
        for i in 0..all {
            for j in 0..all {
                // Rates change as f + f_q u + ..., residuals of algebraic variables alike.
                let mut entry = -slopes_of_position[(i, j)];
                if i < n && j < n {
                    entry += self.mass[(i, j)] / interval + stiffness[(i, j)];
                } else if (n..n + differential).contains(&i) && (n..n + differential).contains(&j) {
                    let unit = f64::from(u8::from(i == j));
                    entry += descriptor.as_ref().map_or(unit, |e| e[(i - n, j - n)]) / interval;
                }
                a[i * all + j] = entry;
            }
        }
        let (mut b, mut c) = (vec![0.0; rows * all], vec![0.0; rows * all]);
        for row in 0..rows {
            for column in 0..n {
                b[row * all + column] = self.jacobian[(row, column)];
                c[row * all + column] = self.jacobian[(row, column)];
            }
            // Residuals that depend on reactions, 0 = a(z, λ): -bᵀ δλ stands in their rows.
            for index in 0..algebraic {
                b[row * all + n + differential + index] = slopes.by_multiplier[index * rows + row];
            }
        }
        // Reactions themselves are sought in the rows of forces, their changes in those of residuals.
        let mut given = self.rates.clone();
        for index in 0..algebraic {
            let known: f64 = (0..rows)
                .map(|row| slopes.by_multiplier[index * rows + row] * state.lambda[row])
                .sum();
            given[n + differential + index] -= known;
        }
        let (mut change, mut lambda) = (vec![0.0; all], vec![0.0; rows]);
        self.kkt.factor(&a, &b, &c)?;
        self.kkt
            .solve(&given, &vec![0.0; rows], &mut change, &mut lambda)?;
        let longest = largest_at(change[..n].iter().copied()).1;
        if is_too_long(longest) {
            return Ok(longest);
        }
        let from = state.q.clone();
        layout.space.retract(&from, &change[..n], &mut state.q);
        for (x, change) in state.x.iter_mut().zip(&change[n..n + differential]) {
            *x += change;
        }
        for (z, change) in state.z.iter_mut().zip(&change[n + differential..]) {
            *z += change;
        }
        state.lambda.copy_from_slice(&lambda);
        Ok(longest)
    }

    fn failure(&self, iterations: usize) -> AnalysisError {
        let (component, remaining) = self.unbalanced;
        AnalysisError::NoEquilibrium {
            component,
            remaining,
            iterations,
        }
    }
}
