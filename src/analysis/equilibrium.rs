//! Static equilibria.

use super::equations::{Equations, Sizes};
use super::matrices::{Subspaces, constraint_jacobian, dense, largest_at};
use super::{AnalysisError, Entry};
use crate::linalg::{Blocks, KktSolver, Pattern};
use crate::system::{Evaluator, Projector, State};
use faer::Mat;
use serde::Serialize;

/// A step turns or shifts nothing by more than this, in rad and m.
const LONGEST_STEP: f64 = 0.5;

/// The first step is so long that its largest displacement is this at most, in rad and m.
const FIRST_STEP: f64 = 0.05;

/// Steps aim at this part of the longest one: the interval before them is no exact forecast.
const AIM: f64 = 0.8;

/// The interval of one step is at most this many times that of the step before.
const GROWTH: f64 = 10.0;

/// After a step that failed, aims grow by this factor from step to step.
const RECOVERY: f64 = 1.2;

/// No failed step makes aims shorter than this, in rad and m.
const SHORTEST_AIM: f64 = 0.01;

/// An implicit step is solved where its residual is below this part of the force at its start.
const SOLVED: f64 = 0.5;

/// Newton's method fails in a step where a correction is longer than this part of the first one.
const CONTRACTION: f64 = 0.5;

/// Most iterations of Newton's method in one step.
const CORRECTIONS: usize = 12;

/// The interval of a step that failed is multiplied by this, or by less.
const SHORTER: f64 = 0.25;

/// So many steps in a row that cannot be evaluated are an error: the interval has become a part of 1e-12.
const FAILURES: usize = 20;

/// The unbalanced force has not fallen by this factor over some steps where it is round-off.
const STILL_FALLING: f64 = 2.0;

/// So many steps: one alone may fall by less where the others do not.
const STALLED: usize = 2;

/// How an equilibrium is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EquilibriumOptions {
    /// Largest force that nothing balances, relative to the largest force or reaction in the equilibrium. Iterations go on from there until
    /// it falls no more.
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
/// from the start (pseudo-transient continuation, Kelley and Keyes 1998, doi:10.1137/S0036142996304796). Each step is one of implicit
/// Euler, solved by Newton's method; its length is limited by displacements, not by forces: a slender beam that bends is stretched first,
/// by forces far above its load, and the next correction takes them away. Steps grow until they are Newton's method itself. Cantilevers
/// with a length of 15 to 6,000 times their thickness took 4 to 129 iterations for deflections up to 0.97 of their length, 39 on average.
/// A start that is an unstable equilibrium stays where it is:
/// move it a little. Drives are held where they are at the state's time, and nonholonomic rows let the mechanism go
/// only where they let it roll. Whether the equilibrium is stable,
/// [`Linearization::modes`](super::Linearization::modes) say.
///
/// # Errors
/// [`AnalysisError::NoEquilibrium`] with the force that is left, as for a body that nothing holds. An error of an evaluation or a
/// projection, where shorter steps do not avoid it.
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
    let mut best = (relaxation.unbalanced.1, now.clone());
    let mut pace = Pace {
        interval: relaxation.first_interval(),
        aim: AIM * LONGEST_STEP,
    };
    let (mut iterations, mut stalled, mut failed) = (0, 0, 0);
    let mut balanced = relaxation.is_round_off;
    while !balanced {
        if iterations >= options.iterations {
            return Err(relaxation.failure(system, iterations));
        }
        let mut next = now.clone();
        let left = options.iterations - iterations;
        let (taken, outcome) = relaxation.step(system, &mut next, pace.interval, left);
        iterations += taken;
        match outcome {
            Outcome::Solved { longest } => {
                now = next;
                failed = 0;
                pace.accept(longest);
                let unbalanced = relaxation.unbalanced.1;
                let falls = unbalanced * STILL_FALLING <= best.0;
                stalled = if falls { 0 } else { stalled + 1 };
                let small = relaxation.is_small(options.tolerance);
                if unbalanced < best.0 || !small {
                    best = (unbalanced, now.clone());
                }
                balanced = small && (stalled >= STALLED || unbalanced == 0.0);
            }
            // Steps against the force lead to an unstable equilibrium; where it is round-off they mean nothing.
            Outcome::Uphill if relaxation.is_small(options.tolerance) => balanced = true,
            Outcome::Uphill => pace.interval *= SHORTER,
            Outcome::TooLong { first, total } => {
                pace.reject(first, total);
                if first > 0.0 {
                    relaxation.look(system, &mut now)?;
                }
            }
            Outcome::Failed(error) => {
                failed += 1;
                if failed == FAILURES || iterations >= options.iterations {
                    return Err(error);
                }
                pace.reject(0.0, LONGEST_STEP);
                relaxation.look(system, &mut now)?;
            }
        }
    }
    let (unbalanced, mut now) = best;
    // Not those of a motion: a drive that gathers speed would have its share.
    if now.z.is_empty() {
        react(system, &mut now, &mut relaxation.rates)?;
    }
    Ok(Equilibrium {
        state: now,
        unbalanced,
        iterations,
    })
}

/// Lengths of steps.
struct Pace {
    /// The interval of the next step.
    interval: f64,
    /// The displacement that it aims at.
    aim: f64,
}

impl Pace {
    /// After a step with this largest displacement, which is zero where there are no velocities.
    fn accept(&mut self, longest: f64) {
        self.aim = (self.aim * RECOVERY).min(AIM * LONGEST_STEP);
        self.interval *= (self.aim / longest).clamp(1.0, GROWTH);
    }

    /// After a step that was too long, or in which Newton's method failed: with its first displacement, if that was short enough, and the
    /// last one.
    fn reject(&mut self, first: f64, total: f64) {
        if first > 0.0 {
            self.aim = first.min((0.5 * self.aim).max(SHORTEST_AIM));
        }
        // The displacement is that of the force over the mass times the interval, or less. NaN becomes the upper bound.
        self.interval *= SHORTER.min(AIM * LONGEST_STEP / total).max(1e-3);
    }
}

/// What becomes of a step.
enum Outcome {
    /// The equations of the step are solved; the largest displacement.
    Solved { longest: f64 },
    /// The first displacement is one against the force.
    Uphill,
    /// A displacement is too long, or Newton's method does not converge: the first displacement, zero where that is too long, and the last.
    TooLong { first: f64, total: f64 },
    /// The system could not be evaluated, or its rows not be met.
    Failed(AnalysisError),
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
    /// The largest force or reaction.
    present: f64,
    /// Columns: displacements that all rows allow.
    free: Mat<f64>,
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
            present: 0.0,
            free: Mat::zeros(0, 0),
        };
        relaxation.balance(system, state)?;
        Ok(relaxation)
    }

    /// The same at another state.
    fn look(&mut self, system: &mut Evaluator, state: &mut State) -> Result<(), AnalysisError> {
        close(&mut self.projector, system, state)?;
        self.equations = Equations::at(system, state)?;
        self.balance(system, state)
    }

    /// Forces, and what is left of them beside the best reactions.
    fn balance(&mut self, system: &mut Evaluator, state: &State) -> Result<(), AnalysisError> {
        let n = self.left.len();
        system.rates(&state.point(), &mut self.rates)?;
        self.free = Subspaces::of(&self.equations.jacobian)?.kernel;
        self.left = self.without_reactions(&self.rates[..n], |x| x);
        // Coordinates of more than 1 m have more round-off.
        let size = largest_at(state.q.iter().copied()).1.max(1.0);
        let mut floor = self.equations.round_off();
        let floor_of_left = self.without_reactions(&floor[..n], f64::abs);
        floor[..n].copy_from_slice(&floor_of_left);
        // Differential rates and algebraic residuals must vanish too.
        let all = || self.left.iter().chain(&self.rates[n..]).copied();
        self.unbalanced = largest_at(all());
        self.is_round_off = (all().zip(&floor)).all(|(left, floor)| left.abs() <= floor * size);
        self.present = largest_at(self.rates.iter().copied()).1;
        Ok(())
    }

    /// The parts of forces along displacements that rows allow, summed from these parts of the displacements.
    fn without_reactions(&self, forces: &[f64], part: fn(f64) -> f64) -> Vec<f64> {
        let mut rest = vec![0.0; forces.len()];
        for direction in self.free.col_iter() {
            let terms = direction.iter().zip(forces);
            let along: f64 = terms.map(|(u, force)| part(*u) * force).sum();
            for (rest, u) in rest.iter_mut().zip(direction.iter()) {
                *rest += along * part(*u);
            }
        }
        rest
    }

    /// Whether the unbalanced force is round-off, or little beside the forces of this state.
    fn is_small(&self, tolerance: f64) -> bool {
        self.is_round_off || self.unbalanced.1 <= tolerance * self.present
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

    /// One implicit Euler step of M q' = f + Gᵀ λ, by at most so many iterations of Newton's method; how many were needed, and what became
    /// of it.
    fn step(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
        interval: f64,
        iterations: usize,
    ) -> (usize, Outcome) {
        let n = self.left.len();
        let enough = SOLVED * self.unbalanced.1;
        let mut moved = vec![0.0; self.rates.len()];
        let (mut first, mut total) = (0.0, 0.0);
        let most = iterations.min(CORRECTIONS);
        for iteration in 1..=most {
            let change = match self.correction(system, state, interval, &moved) {
                Ok(change) => change,
                Err(error) => return (iteration, Outcome::Failed(error)),
            };
            let work: f64 = self.left.iter().zip(&change).map(|(f, u)| f * u).sum();
            for (moved, change) in moved.iter_mut().zip(&change) {
                *moved += change;
            }
            let longest = largest_at(change[..n].iter().copied()).1;
            total = largest_at(moved[..n].iter().copied()).1;
            if is_too_long(total) || (iteration > 1 && longest > CONTRACTION * first) {
                return (iteration, Outcome::TooLong { first, total });
            }
            if iteration == 1 {
                if work < 0.0 {
                    return (iteration, Outcome::Uphill);
                }
                first = longest;
            }
            if let Err(error) = self.follow(system, state, &change) {
                return (iteration, Outcome::Failed(error));
            }
            if self.is_round_off || self.residual(system, interval, &moved) <= enough {
                return (iteration, Outcome::Solved { longest: total });
            }
        }
        (most, Outcome::TooLong { first, total })
    }

    /// What resists changes over an interval, in the rows of forces, differential rates and algebraic residuals: M / h and E / h. What
    /// counts turns follows the displacements u at a velocity of u / h.
    fn resistance(&self, system: &Evaluator, interval: f64) -> Mat<f64> {
        let Sizes {
            velocities: n,
            differential,
            ..
        } = self.equations.sizes;
        let descriptor = system.layout().descriptor.as_ref();
        let descriptor = descriptor.map(|(pattern, values)| dense(pattern, values));
        let all = self.rates.len();
        let states = n..n + differential;
        Mat::from_fn(all, all, |i, j| {
            let entry = if i < n && j < n {
                self.equations.mass[(i, j)]
            } else if states.contains(&i) && j < n {
                -self.equations.by_velocity[(i, j)]
            } else if states.contains(&i) && states.contains(&j) {
                let unit = f64::from(u8::from(i == j));
                descriptor.as_ref().map_or(unit, |e| e[(i - n, j - n)])
            } else {
                0.0
            };
            entry / interval
        })
    }

    /// Rates less what resists the changes so far.
    fn driving(&self, resistance: &Mat<f64>, moved: &[f64]) -> Vec<f64> {
        let row = |i: usize| -> f64 {
            let terms = moved.iter().enumerate();
            terms.map(|(j, moved)| resistance[(i, j)] * moved).sum()
        };
        let rates = self.rates.iter().enumerate();
        rates.map(|(i, rate)| rate - row(i)).collect()
    }

    /// The largest residual of an implicit Euler step after these changes.
    fn residual(&self, system: &Evaluator, interval: f64, moved: &[f64]) -> f64 {
        let driving = self.driving(&self.resistance(system, interval), moved);
        let (forces, others) = driving.split_at(self.left.len());
        let left = self.without_reactions(forces, |x| x);
        largest_at(left.into_iter().chain(others.iter().copied())).1
    }

    /// A correction of an implicit Euler step by Newton's method, after these changes; takes over the multipliers that belong to it.
    fn correction(
        &mut self,
        system: &Evaluator,
        state: &mut State,
        interval: f64,
        moved: &[f64],
    ) -> Result<Vec<f64>, AnalysisError> {
        let resistance = self.resistance(system, interval);
        let equations = &self.equations;
        let Sizes {
            velocities: n,
            algebraic,
            rows,
            ..
        } = equations.sizes;
        let all = self.rates.len();
        let mut a = vec![0.0; all * all];
        for i in 0..all {
            for j in 0..all {
                // Rates change as f + f_q u + ..., residuals of algebraic variables alike.
                let mut entry = resistance[(i, j)] - equations.by_position[(i, j)];
                if i < n && j < n {
                    entry += equations.stiffness[(i, j)];
                }
                a[i * all + j] = entry;
            }
        }
        let (b, c) = equations.constraint_blocks(all);
        // Reactions themselves are sought in the rows of forces, their changes in those of residuals.
        let mut given = self.driving(&resistance, moved);
        for (index, given) in given[all - algebraic..].iter_mut().enumerate() {
            let known =
                (0..rows).map(|row| equations.by_multiplier[(index, row)] * state.lambda[row]);
            *given -= known.sum::<f64>();
        }
        let (mut change, mut lambda) = (vec![0.0; all], vec![0.0; rows]);
        self.kkt.factor(&a, &b, &c)?;
        self.kkt
            .solve(&given, &vec![0.0; rows], &mut change, &mut lambda)?;
        state.lambda.copy_from_slice(&lambda);
        Ok(change)
    }

    /// Moves a state by a correction, and looks at its forces.
    fn follow(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
        change: &[f64],
    ) -> Result<(), AnalysisError> {
        let (displacement, others) = change.split_at(state.v.len());
        let from = state.q.clone();
        let space = &system.layout().space;
        space.retract(&from, displacement, &mut state.q);
        let variables = state.x.iter_mut().chain(&mut state.z);
        for (variable, change) in variables.zip(others) {
            *variable += change;
        }
        self.look(system, state)
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
