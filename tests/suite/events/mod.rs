//! Events: located, handled, with redundant rows and changes of structure.

mod announced;
mod at_zero;
mod close_stops;
mod continued;
mod event_location;
mod first_steps;
mod handlers;
mod higher_index;
mod location_cost;
mod network_fault;
mod record_limits;
mod redundant_events;
mod restructure;
mod sides;
mod time_events;
mod time_scales;
mod unfounded_crossings;

use liedae::integrator::Method;
use liedae::solve::{Options, Solution, SolveErrorKind, solve};
use liedae::system::System;

/// Runs a system with every method that locates events, by tolerances and in fixed steps; complaints about what comes out.
fn with_every_method(
    step: f64,
    end: f64,
    make: impl Fn() -> Box<dyn System>,
    judge: impl Fn(&Method, Result<Solution, SolveErrorKind>) -> Result<(), String>,
) -> (usize, Vec<String>) {
    let (mut runs, mut complaints) = (0, Vec::new());
    for entry in crate::methods() {
        let method = &entry.method;
        if method.captures_events {
            continue;
        }
        let mut controls = vec![Options::fixed(end, step)];
        if method.is_adaptive() {
            let order = method.orders.q.min(method.orders.v);
            let tolerances: &[f64] = if order < 2 {
                &[1e-4]
            } else {
                &[1e-4, 1e-6, 1e-9]
            };
            controls.extend(
                tolerances
                    .iter()
                    .map(|&tol| Options::adaptive(end, tol, tol)),
            );
        }
        for options in controls {
            runs += 1;
            let integrator = entry.default_method();
            let found = solve(make().as_mut(), integrator.as_ref(), &options);
            if let Err(complaint) = judge(method, found.map_err(|error| error.kind)) {
                complaints.push(format!(
                    "{} {:?}: {complaint}",
                    method.name, options.control
                ));
            }
        }
    }
    (runs, complaints)
}

/// Says which of so many runs went wrong, and how.
fn report(runs: usize, complaints: &[String]) {
    println!("{runs} runs");
    let shown: Vec<&str> = complaints.iter().map(String::as_str).take(60).collect();
    assert!(
        complaints.is_empty(),
        "{} of {runs}:\n{}",
        complaints.len(),
        shown.join("\n")
    );
}
