//! A motion for pictures: by the first method that reaches its end.

use crate::error::CommandError;
use crate::experiment::{Case, Control, Film, RunRequest, Watch, equidistant, film_at};
use crate::output::number;
use crate::registry::Registry;
use std::sync::Arc;
use std::time::Duration;

/// Methods tried for mechanisms, in this order. The second is for stiff systems, the last for contacts that only it resolves.
const METHODS: [&str; 4] = ["hem5", "radau5", "bdf", "moreau-jean"];

/// Methods tried for all other problems, most of which are stiff.
const GENERAL: [&str; 3] = ["radau5", "bdf", "hem5"];

/// Relative tolerance of pictures.
const TOLERANCE: f64 = 1e-4;

/// Wall time that a motion may take with one method.
const PATIENCE: Duration = Duration::from_secs(20);

/// Time that a motion takes at most.
pub const LONGEST: Duration = Duration::from_secs(METHODS.len() as u64 * PATIENCE.as_secs());

/// Looks at a motion: of a mechanism, and of outputs that are drawn as lines.
const LOOKS: usize = 181;
const POINTS: usize = 401;

/// A run that ends later than this, in s, is looked at in equal ratios of time: what happens soon after the start would be missed.
const LONG: f64 = 1e6;

/// Decades of time before the end at which such a run is looked at.
const DECADES: f64 = 16.0;

/// A motion that somebody has looked at.
pub struct Filmed {
    /// What moves.
    pub case: Case,
    /// What was seen. Its failure is that of the method that came farthest, where none reached the end.
    pub film: Film,
    /// The method.
    pub method: &'static str,
    /// How it chose its steps, in words.
    pub steps: String,
    /// Methods that did not reach the end, with the reason.
    pub failed: Vec<(&'static str, String)>,
    /// Whether the times rise by equal ratios rather than equal differences.
    pub by_ratios: bool,
}

/// Looks at the motion of a problem, with parameters as in `newton-cradle:n=5`.
///
/// # Errors
/// There is no such problem.
pub fn filmed(registry: &Registry, problem: &str) -> Result<Filmed, CommandError> {
    let case = registry.case::<&str>(problem, &[], None)?;
    let methods: &[&'static str] = match case.problem.drawing {
        Some(_) => &METHODS,
        None => &GENERAL,
    };
    let (first, others) = (methods[0], &methods[1..]);
    let mut best = attempt(registry, case, first)?;
    for &method in others {
        if best.film.failure.is_none() {
            break;
        }
        let case = registry.case::<&str>(problem, &[], None)?;
        let mut next = attempt(registry, case, method)?;
        next.failed.splice(0..0, best.failed.drain(..));
        if next.film.failure.is_none() || next.film.times.len() > best.film.times.len() {
            best = next;
        } else {
            best.failed = next.failed;
        }
    }
    Ok(best)
}

fn attempt(
    registry: &Registry,
    mut case: Case,
    method: &'static str,
) -> Result<Filmed, CommandError> {
    let choice = registry.choice(method)?;
    let control = if choice.method().is_adaptive() {
        Control::Adaptive {
            rtol: TOLERANCE,
            atol: TOLERANCE * case.problem.absolute_scale,
        }
    } else {
        Control::Fixed {
            step: case.problem.default_step,
        }
    };
    let is_mechanism = case.problem.drawing.is_some();
    let start = case.system().initial_state().t;
    let by_ratios = !is_mechanism && case.t_end > LONG;
    let times = if by_ratios {
        by_equal_ratios(start, case.t_end)
    } else {
        let count = if is_mechanism { LOOKS } else { POINTS };
        equidistant(start, case.t_end, count)
    };
    let mut request = RunRequest {
        case,
        choice,
        control,
        max_steps: None,
        time_limit: Some(PATIENCE),
        repeat: None,
        watch: Arc::new(Watch::default()),
    };
    let steps = match control {
        Control::Adaptive { rtol, .. } => format!("a tolerance of {rtol:e}"),
        Control::Fixed { step } => format!("steps of {} s", number(step)),
    };
    let film = film_at(&mut request, times)?;
    let failed = film.failure.iter();
    Ok(Filmed {
        failed: failed.map(|reason| (method, reason.clone())).collect(),
        case: request.case,
        film,
        method,
        steps,
        by_ratios,
    })
}

/// The start, and times up to the end whose distances from the start grow by equal ratios.
fn by_equal_ratios(start: f64, end: f64) -> Vec<f64> {
    let last = POINTS - 1;
    let times = (0..last).map(|index| {
        let decades = DECADES * (index as f64 / last as f64 - 1.0);
        start + (end - start) * 10.0_f64.powf(decades)
    });
    [start].into_iter().chain(times).chain([end]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_are_looked_at_by_decades() {
        let times = by_equal_ratios(0.0, 1e11);
        assert_eq!((times[0], times[POINTS]), (0.0, 1e11));
        assert!((times[1] / 1e-5 - 1.0).abs() < 1e-9);
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn methods_that_fail_say_why() -> Result<(), CommandError> {
        let seen = filmed(&Registry::standard(), "pendulum:t_end=0.5")?;
        assert_eq!(
            (seen.method, seen.failed.len(), seen.by_ratios),
            ("hem5", 0, false)
        );
        assert_eq!(seen.film.times.len(), LOOKS);
        let seen = filmed(&Registry::standard(), "robertson")?;
        assert!(seen.by_ratios && seen.film.failure.is_none());
        assert!(seen.picture().is_none() && seen.still().is_none());
        Ok(())
    }
}
