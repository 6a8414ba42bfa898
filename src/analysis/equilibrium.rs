//! Static equilibria.

use super::equations::{Equations, Sizes};
use super::matrices::{Subspaces, constraint_jacobian, dense, largest_at};
use super::{AnalysisError, Entry};
use crate::linalg::{Blocks, KktSolver, Pattern};
use crate::system::{Evaluator, Projector, State};
use serde::Serialize;

/// A step turns or shifts nothing by more than this, in rad and m.
const LONGEST_STEP: f64 = 0.3;

/// The first step is so long that its largest displacement is this at most, in rad and m.
const FIRST_STEP: f64 = 0.05;

/// Steps that displace by less may be longer, whether or not the force that is left falls: masses that joints carry along make the first
/// step short.
const USEFUL_STEP: f64 = 0.1;

/// The interval of one step grows at most so much, as the force that is left falls (Kelley and Keyes 1998, sec. 2.2).
const GROWTH: f64 = 10.0;

/// What is left has not fallen by this factor over some steps where it is round-off.
const STILL_FALLING: f64 = 2.0;

/// So many steps: one alone may be short where the others are not.
const STALLED: usize = 3;

/// How an equilibrium is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EquilibriumOptions {
    /// Largest force that nothing balances, relative to the largest one that has acted on the way. From there on the way goes on until it
    /// falls no more.
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
///
/// ```
/// use liedae::analysis::{Equilibrium, static_equilibrium};
/// use liedae::system::{Evaluator, System};
///
/// // A mass of 2 kg hangs on a spring of 100 N/m.
/// let mut mass = liedae::model([0.0], [0.0])
///     .mass(2.0)
///     .force(|_t, [y], _v| [y * -100.0 - 2.0 * 9.81])
///     .build()?;
/// let start = mass.initial_state();
/// let rest = static_equilibrium(&mut Evaluator::new(&mut mass), &start, &Default::default())?;
/// let Equilibrium { state, unbalanced, .. } = rest;
/// assert!((state.q[0] + 2.0 * 9.81 / 100.0).abs() < 1e-12 && unbalanced < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
/// The mechanism is let go in a fluid without inertia, M q' = f + Gᵀ λ, which ends at a stable equilibrium downhill
/// from the start; implicit Euler steps of growing length become Newton's method there (pseudo-transient continuation,
/// Kelley and Keyes 1998, doi:10.1137/S0036142996304796). A start that is an unstable equilibrium stays where it is:
/// move it a little. Drives are held where they are at the state's time, and nonholonomic rows let the mechanism go
/// only where they let it roll. Whether the equilibrium is stable,
/// [`Linearization::modes`](super::Linearization::modes) say.
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
    let mut relaxation = Relaxation::start(system, &mut now)?;
    let mut interval = relaxation.first_interval();
    let mut iterations = 0;
    let (mut least, mut stalled) = (relaxation.unbalanced.1, 0);
    while !relaxation.is_round_off {
        if iterations == options.iterations {
            return Err(relaxation.failure(system, iterations));
        }
        iterations += 1;
        let before = relaxation.unbalanced.1;
        let mut next = now.clone();
        let (longest, work) = relaxation.step(system, &mut next, interval)?;
        let is_small = relaxation.is_small(options.tolerance);
        // Steps against the force lead uphill, to an unstable equilibrium; where nothing but round-off is left they mean nothing.
        if is_too_long(longest) || (work < 0.0 && !is_small) {
            // 0.25: the displacement is that of the force over the mass times the interval, or less.
            interval *= (LONGEST_STEP / longest).clamp(1e-3, 0.25);
            continue;
        }
        relaxation.arrive(system, &mut next)?;
        now = next;
        let gain = before / relaxation.unbalanced.1.max(f64::MIN_POSITIVE);
        if relaxation.unbalanced.1 * STILL_FALLING <= least {
            (least, stalled) = (relaxation.unbalanced.1, 0);
        } else {
            stalled += 1;
        }
        if stalled >= STALLED && relaxation.is_small(options.tolerance) {
            break;
        }
        let useful = if now.v.is_empty() {
            0.0
        } else {
            USEFUL_STEP / longest
        };
        interval *= gain.max(useful).clamp(1.0 / GROWTH, GROWTH);
    }
    // Not those of a motion: a drive that gathers speed would have its share.
    if now.z.is_empty() {
        react(system, &mut now, &mut relaxation.rates)?;
    }
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

/// The way to an equilibrium, at its last state.
struct Relaxation {
    kkt: KktSolver,
    projector: Projector,
    equations: Equations,
    /// f, d and a.
    rates: Vec<f64>,
    /// What forces are left that no constraint balances, and the largest one.
    left: Vec<f64>,
    unbalanced: (usize, f64),
    /// Whether all of it is round-off.
    is_round_off: bool,
    /// The largest force that has acted on the way.
    largest: f64,
}

impl Relaxation {
    /// Puts a state onto its position rows and looks at its forces.
    fn start(system: &mut Evaluator, state: &mut State) -> Result<Self, AnalysisError> {
        let layout = system.layout();
        let (all, rows) = (layout.rate_count(), layout.rows());
        let blocks = Blocks {
            variables: vec![all],
            rows: vec![rows],
        };
        let (a, g) = (Pattern::dense(all, all), Pattern::dense(rows, all));
        let kkt = KktSolver::new(&a, &g, &g, &blocks)?;
        let mut projector = Projector::new(layout)?;
        close(&mut projector, system, state)?;
        // Reactions are those that balance best: residuals of algebraic variables may depend on them.
        let mut rates = vec![0.0; all];
        react(system, state, &mut rates)?;
        let mut relaxation = Self {
            kkt,
            projector,
            equations: Equations::at(system, state)?,
            rates,
            left: vec![0.0; state.v.len()],
            unbalanced: (0, 0.0),
            is_round_off: false,
            largest: 0.0,
        };
        relaxation.balance(system, state)?;
        Ok(relaxation)
    }

    /// The same at the next state.
    fn arrive(&mut self, system: &mut Evaluator, state: &mut State) -> Result<(), AnalysisError> {
        close(&mut self.projector, system, state)?;
        self.equations = Equations::at(system, state)?;
        self.balance(system, state)
    }

    /// Forces, and what is left of them beside the best reactions.
    fn balance(&mut self, system: &mut Evaluator, state: &State) -> Result<(), AnalysisError> {
        let n = self.left.len();
        system.rates(&state.point(), &mut self.rates)?;
        let spaces = Subspaces::of(&self.equations.jacobian)?;
        let mut floor = self.equations.round_off();
        let mut floor_of_left = vec![0.0; n];
        self.left.fill(0.0);
        for k in 0..n - spaces.rank {
            let along = |forces: &[f64], size: fn(f64) -> f64| -> f64 {
                (0..n)
                    .map(|i| size(spaces.kernel[(i, k)]) * forces[i])
                    .sum()
            };
            let (force, error) = (along(&self.rates, |x| x), along(&floor, f64::abs));
            for (i, (left, floor)) in self.left.iter_mut().zip(&mut floor_of_left).enumerate() {
                *left += force * spaces.kernel[(i, k)];
                *floor += error * spaces.kernel[(i, k)].abs();
            }
        }
        floor[..n].copy_from_slice(&floor_of_left);
        // Differential rates and algebraic residuals must vanish too.
        let all = || self.left.iter().chain(&self.rates[n..]).copied();
        self.unbalanced = largest_at(all());
        self.is_round_off = all().zip(&floor).all(|(left, floor)| left.abs() <= *floor);
        let acting = largest_at(self.rates.iter().copied()).1;
        self.largest = self.largest.max(acting);
        Ok(())
    }

    /// Whether little is left of what has acted on the way.
    fn is_small(&self, tolerance: f64) -> bool {
        self.unbalanced.1 <= tolerance * self.largest
    }

    /// The interval over which the forces that are left move nothing by more than a first step.
    fn first_interval(&self) -> f64 {
        let fastest = (0..self.left.len()).map(|i| {
            let mass = self.equations.mass[(i, i)];
            if mass > 0.0 { self.left[i] / mass } else { 0.0 }
        });
        let (_, fastest) = largest_at(fastest);
        if fastest > 0.0 {
            FIRST_STEP / fastest
        } else {
            1.0
        }
    }

    /// One implicit Euler step of M q' = f + Gᵀ λ, linearized; returns the largest displacement and the work of the force that is left.
    fn step(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
        interval: f64,
    ) -> Result<(f64, f64), AnalysisError> {
        let equations = &self.equations;
        let Sizes {
            velocities: n,
            differential,
            algebraic,
            rows,
        } = equations.sizes;
        let all = n + differential + algebraic;
        let layout = system.layout();
        let descriptor = layout
            .descriptor
            .as_ref()
            .map(|(pattern, values)| dense(pattern, values));
        let mut a = vec![0.0; all * all];
        for i in 0..all {
            for j in 0..all {
                // Rates change as f + f_q u + ..., residuals of algebraic variables alike.
                let mut entry = -equations.by_position[(i, j)];
                if i < n && j < n {
                    entry += equations.mass[(i, j)] / interval + equations.stiffness[(i, j)];
                } else if (n..n + differential).contains(&i) && j < n {
                    // What counts turns follows the displacements u of the interval, at a velocity of u / interval.
                    entry -= equations.by_velocity[(i, j)] / interval;
                } else if (n..n + differential).contains(&i) && (n..n + differential).contains(&j) {
                    let unit = f64::from(u8::from(i == j));
                    entry += descriptor.as_ref().map_or(unit, |e| e[(i - n, j - n)]) / interval;
                }
                a[i * all + j] = entry;
            }
        }
        let (b, c) = equations.constraint_blocks(all);
        // Reactions themselves are sought in the rows of forces, their changes in those of residuals.
        let mut given = self.rates.clone();
        for index in 0..algebraic {
            let known: f64 = (0..rows)
                .map(|row| equations.by_multiplier[(index, row)] * state.lambda[row])
                .sum();
            given[n + differential + index] -= known;
        }
        let (mut change, mut lambda) = (vec![0.0; all], vec![0.0; rows]);
        self.kkt.factor(&a, &b, &c)?;
        self.kkt
            .solve(&given, &vec![0.0; rows], &mut change, &mut lambda)?;
        let longest = largest_at(change[..n].iter().copied()).1;
        let work = self.left.iter().zip(&change).map(|(f, u)| f * u).sum();
        if is_too_long(longest) {
            return Ok((longest, work));
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
        Ok((longest, work))
    }

    fn failure(&self, system: &mut Evaluator, iterations: usize) -> AnalysisError {
        let (component, remaining) = self.unbalanced;
        AnalysisError::NoEquilibrium {
            component: Entry::of_rate(system, component),
            remaining,
            iterations,
        }
    }
}

/// Reactions of least norm among those that balance the forces of a state best; evaluates the rates.
fn react(
    system: &mut Evaluator,
    state: &mut State,
    rates: &mut [f64],
) -> Result<(), AnalysisError> {
    system.rates(&state.point(), rates)?;
    let inverse = Subspaces::of(&constraint_jacobian(system, state)?)?.pseudo_inverse;
    for (row, slot) in state.lambda.iter_mut().enumerate() {
        *slot = -(0..inverse.nrows())
            .map(|i| inverse[(i, row)] * rates[i])
            .sum::<f64>();
    }
    Ok(())
}

/// Puts a configuration onto its position rows.
fn close(
    projector: &mut Projector,
    system: &mut Evaluator,
    state: &mut State,
) -> Result<(), AnalysisError> {
    projector.project_position(system, state, true)?;
    system.layout().space.normalize(&mut state.q);
    Ok(())
}
