//! Events of short and long runs, and runs that are too short for the numbers that tell the time.

use super::{report, with_every_method};
use liedae::integrator::Method;
use liedae::prelude::*;
use liedae::solve::{OptionsError, Silent, SolveErrorKind, solve_from};
use liedae::system::{State, System};

/// A body falls 1 m within the first two thirds of the run.
fn fall(span: f64) -> Box<dyn System> {
    let time = span / 1.5;
    let acceleration = 2.0 / (time * time);
    let body = liedae::model([0.0], [0.0])
        .mass(1.0)
        .force(move |_t, _q, _v| [acceleration]);
    let hit = EventDescription::new("hit", "floor", Direction::Rising);
    let body = body.event(hit, |at| at.q[0] - 1.0, |_| EventAction::Stop);
    Box::new(body.build().expect("stated well"))
}

#[test]
fn events_are_located_as_well_in_short_runs_as_in_long_ones() {
    let (mut runs, mut all) = (0, Vec::new());
    for span in [1.5e-13, 1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e6] {
        let judge = |method: &Method, found: Result<Solution, SolveErrorKind>| {
            let solution = found.map_err(|error| error.to_string())?;
            // Of the moment that of the method, of the place at it that of the location.
            let error = (solution.state.t / (span / 1.5) - 1.0).abs();
            let exact = ["hem5", "dopri5", "dop853", "rk4"].contains(&method.name);
            let place = (solution.state.q[0] - 1.0).abs();
            if error < if exact { 1e-9 } else { 5e-2 } && place < 1e-9 {
                Ok(())
            } else {
                Err(format!("{error:.1e} {place:.1e}"))
            }
        };
        let (count, complaints) = with_every_method(span / 50.0, span, || fall(span), judge);
        runs += count;
        all.extend(
            complaints
                .iter()
                .map(|complaint| format!("{span:e} {complaint}")),
        );
    }
    report(runs, &all);
}

/// A body that flies at 1 m/s, from a time on at which numbers are 1/64 s apart.
#[test]
fn what_is_shorter_than_times_can_be_told_apart_is_refused() {
    let mut body = liedae::model([0.0], [1.0])
        .mass(1.0)
        .force(|_t, _q, _v| [0.0])
        .build()
        .expect("stated well");
    let start = State {
        t: 1e14,
        ..body.initial_state()
    };
    for entry in crate::methods() {
        let (name, method) = (entry.method.name, entry.default_method());
        let mut run = |options: &Options| {
            let state = start.clone();
            solve_from(&mut body, method.as_ref(), state, options, &mut Silent)
                .map_err(|error| error.kind)
        };
        let short = |length: f64| {
            if entry.method.is_adaptive() {
                Options::adaptive(1e14 + length, 1e-6, 1e-6)
            } else {
                Options::fixed(1e14 + length, length)
            }
        };
        // The run itself.
        let Err(SolveErrorKind::Options(error)) = run(&short(0.5)) else {
            panic!("{name}: half a second is nothing there");
        };
        let expected = OptionsError::Unresolved {
            what: "run",
            length: 0.5,
            t: 1e14,
            spacing: 0.015625,
        };
        assert_eq!(error, expected, "{name}");
        assert!(
            error.to_string().contains("let time begin nearer to zero"),
            "{error}"
        );
        // Its steps.
        let Err(SolveErrorKind::Options(error)) = run(&Options::fixed(1e14 + 10.0, 0.1)) else {
            panic!("{name}: a tenth of a second is nothing there");
        };
        assert!(
            matches!(error, OptionsError::Unresolved { what: "step", .. }),
            "{name}: {error}"
        );
        // A run to its own start is over.
        let solution = run(&Options::fixed(1e14, 1.0)).expect(name);
        assert_eq!(
            (solution.state.t, solution.statistics.accepted),
            (1e14, 0),
            "{name}"
        );
        // A longer one is right.
        let solution = run(&Options::fixed(1e14 + 64.0, 1.0)).expect(name);
        assert!(
            (solution.state.q[0] - 64.0).abs() < 1e-9,
            "{name}: {:?}",
            solution.state.q
        );
    }
}

/// A step that becomes too short on the way, since the time grows.
#[test]
fn a_step_that_time_outgrows_is_named() {
    let mut body = liedae::model([0.0], [1.0])
        .mass(1.0)
        .force(|_t, _q, _v| [0.0])
        .build()
        .expect("stated well");
    let start = State {
        t: 1.0,
        ..body.initial_state()
    };
    let method = crate::known_methods()
        .find("hem5")
        .expect("registered")
        .default_method();
    let options = Options {
        max_step: 1e-15,
        ..Options::adaptive(2.0, 1e-6, 1e-6)
    };
    let found = solve_from(&mut body, method.as_ref(), start, &options, &mut Silent);
    let Err(SolveErrorKind::Options(error)) = found.map_err(|error| error.kind) else {
        panic!("no step is so short");
    };
    assert!(
        matches!(error, OptionsError::Unresolved { what: "step", .. }),
        "{error}"
    );
}
