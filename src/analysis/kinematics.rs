//! Motions that drives prescribe.

use super::matrices::{Subspaces, constraint_jacobian, largest_at};
use super::{AnalysisError, Entry, EntryKind};
use crate::system::{AccelerationSolver, Evaluator, EventHandling, Projector, State};

/// Intervals are halved at most so often: to a 10^12th.
const MOST_HALVINGS: u32 = 40;

/// A correction of the predicted configuration by more than this part of the way, or the branch may be another one.
const FAR: f64 = 0.1;

/// Ways shorter than this are none, in m and rad.
const NO_WAY: f64 = 1e-6;

/// The motion of a mechanism whose constraints prescribe all of it: positions, velocities, accelerations and reactions at given times.
///
/// No differential equation is solved. Positions follow from g(t, q) = 0, velocities from G v = -∂g/∂t, accelerations from G v' = -γ, and
/// the multipliers from Gᵀ λ = M v' - f: those of the drives' rows are the forces that the drives need (inverse dynamics of a driven
/// mechanism). Between times the configuration is followed in steps short enough to stay on its branch.
///
/// Modes, such as the direction of friction, are those with which a run would begin at each time. Where outputs depend on them, ask for one time
/// after the other: the system is left with those of the last one.
///
/// # Errors
/// [`AnalysisError::NotPrescribed`] where the rows leave a motion free, always or in a singular configuration;
/// [`AnalysisError::State`] where the drives ask for what the loops cannot do.
///
/// ```
/// use liedae::analysis::kinematic_analysis;
/// use liedae::scalar::Scalar;
/// use liedae::system::{Evaluator, System};
///
/// // A mass of 2 kg is led around a circle of 1 m with 3 rad/s.
/// let mut led = liedae::model([1.0, 0.0], [0.0, 3.0])
///     .mass(2.0)
///     .force(|_t, _q, _v| [0.0, 0.0])
///     .constraint(|t, [x, y]| [x - (t * 3.0).cos(), y - (t * 3.0).sin()])
///     .build()?;
/// let start = led.initial_state();
/// let motion = kinematic_analysis(&mut Evaluator::new(&mut led), &start, &[0.5, 1.0])?;
/// let end = &motion[1];
/// assert!((end.q[0] - 3.0_f64.cos()).abs() < 1e-12);
/// assert!((end.lambda[0].hypot(end.lambda[1]) - 2.0 * 9.0).abs() < 1e-9); // m r ω²
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn kinematic_analysis(
    system: &mut Evaluator,
    start: &State,
    times: &[f64],
) -> Result<Vec<State>, AnalysisError> {
    let mut follower = Follower::new(system)?;
    let mut now = start.clone();
    follower
        .projector
        .project_position(system, &mut now, true)?;
    follower.settle(system, &mut now)?;
    let mut motion = Vec::with_capacity(times.len());
    for &time in times {
        if !time.is_finite() {
            return Err(crate::system::ConsistencyError::NonFinite {
                part: "time",
                index: motion.len(),
            }
            .into());
        }
        follower.advance(system, &mut now, time)?;
        motion.push(now.clone());
    }
    Ok(motion)
}

struct Follower {
    projector: Projector,
    solver: AccelerationSolver,
}

impl Follower {
    fn new(system: &Evaluator) -> Result<Self, AnalysisError> {
        let layout = system.layout();
        Ok(Self {
            projector: Projector::new(layout)?,
            solver: AccelerationSolver::new(layout)?,
        })
    }

    /// Velocities, accelerations and multipliers of a configuration that holds its rows.
    fn settle(&mut self, system: &mut Evaluator, state: &mut State) -> Result<(), AnalysisError> {
        let jacobian = constraint_jacobian(system, state)?;
        let kernel = Subspaces::of(&jacobian)?.kernel;
        let freedom = kernel.ncols();
        if freedom > 0 {
            let (moving, _) = largest_at((0..kernel.nrows()).map(|i| kernel[(i, 0)]));
            return Err(AnalysisError::NotPrescribed {
                t: state.t,
                freedom,
                moving: Entry::of(system, EntryKind::Velocity, moving),
            });
        }
        self.projector.project_velocity(system, state)?;
        self.decide_modes(system, state)?;
        self.solver.complete(system, state)?;
        Ok(())
    }

    /// What depends on the velocity by modes, as the direction of friction does: as where a run begins.
    fn decide_modes(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
    ) -> Result<(), AnalysisError> {
        let shape = |system: &Evaluator| (system.layout().rows(), system.layout().algebraic);
        let before = shape(system);
        let handling = EventHandling::Located { tolerance: 0.0 };
        system.system().prepare(state, handling)?;
        if shape(system) != before {
            *self = Self::new(system)?;
        }
        Ok(())
    }

    fn advance(
        &mut self,
        system: &mut Evaluator,
        now: &mut State,
        end: f64,
    ) -> Result<(), AnalysisError> {
        let mut parts = 1_u64;
        let mut halvings = 0;
        while now.t != end {
            let step = (end - now.t) / parts as f64;
            match self.step(system, now, if parts == 1 { end } else { now.t + step })? {
                Some(next) => {
                    *now = next;
                    parts = (parts - 1).max(1);
                }
                None if halvings < MOST_HALVINGS => {
                    halvings += 1;
                    parts *= 2;
                }
                None => {
                    // The last way to the next configuration says what is wrong.
                    let mut next = now.clone();
                    next.t += step;
                    self.projector.project_position(system, &mut next, true)?;
                    self.settle(system, &mut next)?;
                    *now = next;
                }
            }
        }
        Ok(())
    }

    /// The state at a later time; nothing where the interval is too long to know the branch.
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        time: f64,
    ) -> Result<Option<State>, AnalysisError> {
        let space = system.layout().space.clone();
        let h = time - from.t;
        let way: Vec<f64> = from
            .v
            .iter()
            .zip(&from.acceleration)
            .map(|(v, a)| h * v + 0.5 * h * h * a)
            .collect();
        let mut next = from.clone();
        next.t = time;
        space.retract(&from.q, &way, &mut next.q);
        let predicted = next.q.clone();
        if self
            .projector
            .project_position(system, &mut next, true)
            .is_err()
        {
            return Ok(None);
        }
        space.normalize(&mut next.q);
        let mut correction = vec![0.0; way.len()];
        space.lift(&predicted, &next.q, &mut correction);
        let (length, off) = (largest_at(way).1, largest_at(correction).1);
        if off.is_nan() || off > FAR * length.max(NO_WAY / FAR) {
            return Ok(None);
        }
        self.settle(system, &mut next)?;
        Ok(Some(next))
    }
}
