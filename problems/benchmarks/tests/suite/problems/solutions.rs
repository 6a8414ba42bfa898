//! Every problem, integrated to the end of its reference: all outputs arrive there.

use crate::common::{build, compare, complete};
use liedae::integrator::{Hem5, Projection};
use liedae::solve::{Options, solve};

#[test]
fn hem5_arrives_at_the_references() {
    for (name, settings, until, allowed) in [
        ("pendulum", &[][..], 10.0, 1e-8),
        ("andrews", &[], 0.03, 1e-8),
        ("andrews-cartesian", &[], 0.03, 1e-8),
        ("heavy-top", &["group=0"], 2.0, 1e-8),
        ("heavy-top", &["group=1"], 2.0, 1e-8),
        ("heavy-top", &["group=2"], 2.0, 1e-8),
        ("free-rigid-body", &["group=0"], 20.0, 1e-8),
        ("free-rigid-body", &["group=1"], 20.0, 1e-8),
        ("double-pendulum", &[], 8.0, 1e-8),
        ("slider-crank", &[], 1.0, 1e-8),
        ("slider-crank", &["mu=0.2"], 1.03, 1e-8),
        ("slider-crank", &["mu=0.4", "normal=1"], 0.97, 1e-8),
        ("four-link", &["masses=0"], 2.0, 1e-8),
        ("four-link", &["masses=1"], 2.0, 1e-8),
        ("chain", &["n=1"], 1.0, 1e-8),
        ("chain", &["n=2"], 1.0, 1e-8),
        ("chain", &["n=8"], 1.0, 1e-8),
        ("stiff-double-pendulum", &[], 0.1, 1e-8),
        ("stiff-double-pendulum", &["half=1"], 0.1, 1e-8),
        ("tsda-slider-crank", &[], 0.1, 1e-8),
        ("tsda-slider-crank", &["stiffness=1"], 0.1, 1e-8),
        ("andrews-stiff", &[], 0.035, 1e-8),
        ("andrews-cartesian-stiff", &[], 0.035, 1e-8),
        ("haddouni-slider-crank", &[], 0.2, 1e-8),
        ("rolling-disk", &[], 5.0, 1e-8),
        ("rolling-disk", &["motion=1"], 5.0, 1e-8),
    ] {
        let mut problem = build(name, settings);
        let method = Hem5::new(Projection::EveryStep);
        let options = Options::adaptive(until, 1e-10, 1e-10);
        let solution = solve(problem.system.as_mut(), &method, &options)
            .unwrap_or_else(|error| panic!("{name} {settings:?}: {error}"));
        let mut state = solution.state;
        assert!(
            (state.t - until).abs() < 1e-12,
            "{name} stopped at {}",
            state.t
        );
        state.t = until;
        complete(problem.system.as_mut(), &mut state);
        let stiff = ["stiff-double-pendulum", "tsda-slider-crank"].contains(&name);
        let (error, columns) = compare(&mut problem, &state, |column| match column {
            // Accelerations and forces follow errors of the velocities by the fastest rate, 4e5/s.
            _ if stiff && column.starts_with(['a', 'F', 'N']) => 1e4,
            // Accelerations of Andrews' mechanism are of this size.
            _ if column.starts_with("dd_") => 1e5,
            _ if column.starts_with("d_") => 1e3,
            _ => 10.0,
        });
        println!(
            "{name} {settings:?}: {columns} columns within {error:e} in {} steps",
            solution.statistics.accepted
        );
        assert!(error < allowed, "{name} {settings:?}: {error:e}");
    }
}
