//! The one driver loop: step, judge, accept, interpolate, locate events, observe, count.

mod attempt;
mod driver;
mod end;
mod ensemble;
mod events;
mod higher_index;
mod initial_step;
mod motion;
mod one_step;
mod options;
mod outcome;
mod output;
mod prepare;
mod properties;
mod restart;
mod rows;
mod shape;
mod singular;
mod statistics;
mod studies;
mod timeline;
mod turning;
mod units;

pub use driver::Driver;
pub use end::Level;
pub use ensemble::{Cancel, Ensemble, IntoMember, Member, MemberError, solve_ensemble};
pub use events::root::bracketed_root;
pub use options::{Options, OptionsError, StepControl};
pub use outcome::{
    EventRecord, Failures, Solution, SolveError, SolveErrorKind, Statistics, StopReason,
};
pub use output::hermite::{Degree, Interpolant};
pub use output::observer::{Observer, Recorder, Silent, StepView};
pub use output::passivity::{EnergyRise, PassivityWatch};
pub use properties::ViolatedProperty;
pub use singular::crossing::CrossingError;
pub use studies::convergence::{Convergence, ConvergencePoint, convergence, log_log_slope};
pub use studies::largest_step::{LargestStep, iterations_per_step, largest_step};
pub use studies::recommendation::{Recommendation, Recommended, recommend};

use crate::integrator::Integrator;
use crate::system::{State, System};

/// Integrates `system` from its initial state to `options.t_end`.
///
/// ```
/// use liedae::integrator::{Hem5, Projection};
/// use liedae::prelude::*;
///
/// // 1 kg on a spring of 1 N/m.
/// let mut oscillator = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [-x]).build()?;
/// let method = Hem5::new(Projection::EveryStep);
/// let solution = solve(&mut oscillator, &method, &Options::adaptive(1.0, 1e-9, 1e-9))?;
/// assert!((solution.state.q[0] - 1.0_f64.cos()).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve(
    system: &mut dyn System,
    integrator: &dyn Integrator,
    options: &Options,
) -> Result<Solution, SolveError> {
    solve_observed(system, integrator, options, &mut Silent)
}

/// As [`solve`], with an observer that sees every accepted step and can stop the run.
pub fn solve_observed(
    system: &mut dyn System,
    integrator: &dyn Integrator,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Solution, SolveError> {
    let state = system.initial_state();
    solve_from(system, integrator, state, options, observer)
}

/// As [`solve_observed`], from a state of the caller's: to resume a run, or to start from projected values.
pub fn solve_from(
    system: &mut dyn System,
    integrator: &dyn Integrator,
    state: State,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Solution, SolveError> {
    Driver::new(system, integrator, state, options)?.run(observer)
}
