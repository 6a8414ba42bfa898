//! Impacts that fall on loads, on other events, on stops and on the ends of runs.

use super::line::{Line, kinds, run, run_with, system, tight};
use liedae::integrator::MethodOptions;
use liedae::solve::{Options, Silent, solve_from};
use liedae::system::{EventAction, System};
use liedae_contact::NonsmoothOptions;

/// Reaches the floor at 1 s with 1 m/s and leaves it with half of that.
fn ball() -> Line {
    Line::ball(0.5, [1.0, -1.0], 0.0)
}

/// A load at the moment of an impact, before or after it by less than can be told apart, and two loads at once.
#[test]
fn no_load_is_lost() {
    for shift in [-2e-15, -1e-15, 0.0, 1e-15, 2e-15] {
        let line = Line {
            loads: vec![1.0 + shift],
            ..ball()
        };
        let solution = run(line, &tight(2.0)).unwrap();
        let mut kinds: Vec<_> = kinds(&solution).iter().map(|(kind, _)| *kind).collect();
        kinds.sort_unstable();
        assert_eq!(kinds, ["impact", "load"], "{shift}");
        assert!(
            (solution.state.q[0] - 1.0).abs() < 1e-9 && (solution.state.v[0] - 1.5).abs() < 1e-9
        );
    }
    let line = Line {
        loads: vec![0.5, 0.5],
        ..ball()
    };
    let solution = run(line, &tight(0.9)).unwrap();
    assert_eq!(kinds(&solution), [("load", 0.5); 2]);
    assert!(
        (solution.state.v[0] + 0.2).abs() < 1e-9,
        "{:?}",
        solution.state.v
    );
}

/// A run in parts handles every load once, wherever it is cut.
#[test]
fn runs_may_be_cut_at_loads_and_impacts() {
    let line = Line {
        loads: vec![0.9, 1.5],
        ..ball()
    };
    let whole = run(line.clone(), &tight(2.0)).unwrap();
    let mut system = system(line, NonsmoothOptions::default());
    let method = liedae_contact::methods()
        .build("hem5", &MethodOptions::default())
        .unwrap();
    let mut state = system.initial_state();
    let mut found = Vec::new();
    let impact = whole.events[1].t;
    for end in [0.9, 0.95, impact, 1.2, 1.5, 2.0] {
        let options = tight(end);
        let part = solve_from(&mut system, method.as_ref(), state, &options, &mut Silent).unwrap();
        found.extend(part.events);
        state = part.state;
    }
    assert_eq!(found.len(), whole.events.len(), "{found:?}");
    for (part, whole) in found.iter().zip(&whole.events) {
        assert_eq!(part.kind, whole.kind);
        assert!((part.t - whole.t).abs() < 1e-11);
    }
    assert!((state.q[0] - whole.state.q[0]).abs() < 1e-9);
    assert!((state.v[0] - whole.state.v[0]).abs() < 1e-9);
}

/// An event of the wrapped system is on record whatever it answers, and if an impact happens at the same moment.
#[test]
fn events_of_the_wrapped_system_are_on_record() {
    for action in [
        EventAction::Continue,
        EventAction::Restart,
        EventAction::Restructure,
    ] {
        let line = Line {
            marks: vec![(0.5, action), (0.0, action)],
            ..ball()
        };
        for entry in liedae_contact::methods() {
            let method = entry.method;
            if method.captures_events || !method.is_adaptive() {
                continue;
            }
            let options = Options::adaptive(1.9, 1e-8, 1e-8);
            let found = run_with(
                line.clone(),
                method.name,
                NonsmoothOptions::default(),
                &options,
            );
            let solution =
                found.unwrap_or_else(|error| panic!("{action:?} {}: {error}", method.name));
            let kinds: Vec<_> = kinds(&solution).iter().map(|(kind, _)| *kind).collect();
            assert_eq!(
                kinds,
                ["mark", "mark", "impact"],
                "{action:?} {}",
                method.name
            );
            assert!((solution.state.q[0] - 0.45).abs() < 1e-9);
        }
    }
}

#[test]
fn an_impact_near_the_end_of_a_run() {
    for shift in [
        0.0, 1e-16, -1e-16, 2e-15, 5e-15, -5e-15, 1e-14, 1e-13, -1e-13, 1e-12, 1e-10,
    ] {
        let end = 1.0 + shift;
        let solution = run(ball(), &tight(end)).unwrap();
        assert_eq!(solution.state.t, end);
        assert!(solution.events.len() <= 1 && solution.state.q[0].abs() < 1e-9);
        let mut options = tight(2.0);
        options.stops = vec![end];
        let solution = run(ball(), &options).unwrap();
        assert_eq!(solution.events.len(), 1, "{shift} {:?}", solution.events);
        assert!((solution.state.q[0] - 0.5).abs() < 1e-9);
    }
}

/// A contact that is closed but for its round-off, and opens.
#[test]
fn a_gap_of_round_off_does_not_stop_a_run() {
    for height in [1e-18, 1e-15, -1e-15, 1e-12] {
        let mut line = Line {
            loads: vec![0.5],
            ..Line::ball(0.5, [height, 0.0], 0.0)
        };
        let solution = run(line.clone(), &tight(1.0)).unwrap();
        assert!(
            (solution.state.q[0] - 0.125).abs() < 1e-9,
            "{:?}",
            solution.state.q
        );
        line.forces[0].constant = -0.5;
        let solution = run(line, &tight(1.0)).unwrap();
        assert!(
            (solution.state.q[0] - 0.0625).abs() < 1e-9,
            "{:?}",
            solution.state.q
        );
    }
}
