//! Backward differentiation formulas on Andrews' squeezing mechanism.

use crate::common::{ANDREWS_ANGLES, build};
use liedae::integrator::{Bdf, BdfLie, NewtonOptions};
use liedae::solve::{Options, solve};
use liedae::system::Formulation;
use liedae_problems::ProblemRegistry;

#[test]
fn andrews_at_every_index() {
    // Errors at the end in units of the tolerance at 1e-6; index 3 tests h v in place of v. The motion multiplies single
    // errors by up to 1400, so that another first step changes them several-fold: these runs are at 202, 43, 32 and 414, at
    // 1e-8 at 593, 4.8, 34 and 2240.
    for (formulation, allowed) in [
        (Formulation::Index1, 300.0),
        (Formulation::Index2, 100.0),
        (Formulation::StabilizedIndex2, 200.0),
        (Formulation::Index3, 1e4),
    ] {
        for (tolerance, factor) in [(1e-6, 1.0), (1e-8, 10.0)] {
            let entry = ProblemRegistry::standard()
                .lookup("andrews")
                .expect("registered");
            let mut problem = entry.build_with(&[]).expect("built");
            let method = Bdf::new(Some(formulation), NewtonOptions::default());
            let options = Options::adaptive(0.03, tolerance, tolerance);
            let solution = solve(problem.system.as_mut(), &method, &options).expect("solved");
            let errors = solution.state.q.iter().zip(ANDREWS_ANGLES);
            let error = errors.map(|(q, r)| (q - r).abs()).fold(0.0, f64::max);
            println!(
                "index {formulation} at {tolerance:e}: error {error:.2e}, {} steps, {} rejected, {:?}",
                solution.statistics.accepted,
                solution.statistics.rejected.total(),
                solution.statistics.work
            );
            assert!(
                error < factor * allowed * tolerance,
                "{formulation}: {error:e}"
            );
        }
    }
}

/// States of index 2 and 1 drift off the position constraints; a change of the step size starts anew from them.
#[test]
fn increments_change_steps_in_every_formulation() {
    for formulation in [
        Formulation::Index3,
        Formulation::StabilizedIndex2,
        Formulation::Index2,
        Formulation::Index1,
    ] {
        let entry = ProblemRegistry::standard()
            .lookup("andrews")
            .expect("registered");
        let mut problem = entry.build_with(&[]).expect("built");
        let method = BdfLie::new(Some(formulation), NewtonOptions::default());
        let options = Options::adaptive(0.03, 1e-4, 1e-4);
        let solution = solve(problem.system.as_mut(), &method, &options).expect("solved");
        let errors = solution.state.q.iter().zip(ANDREWS_ANGLES);
        let error = errors.map(|(q, r)| (q - r).abs()).fold(0.0, f64::max);
        println!(
            "increments, index {formulation}: error {error:.2e}, {} steps, {} rejected",
            solution.statistics.accepted,
            solution.statistics.rejected.total()
        );
        assert!(error < 1.0, "{formulation}: {error:e}");
    }
}

/// Impacts leave gaps of closed contacts of up to 1e-10 m, and so does the method at its events: each is a new start.
#[test]
fn increments_start_behind_impacts() {
    let mut problem = build("triple-pendulum-stops", &[]);
    let method = BdfLie::new(None, NewtonOptions::default());
    let options = Options::fixed(1.0, problem.default_step);
    let solution = solve(problem.system.as_mut(), &method, &options).expect("solved");
    assert!(solution.events.len() > 50, "{}", solution.events.len());
}

/// Undamped frequencies up to 6400 rad/s, some of which orders 3 to 5 amplify: a step held where they do not is a fiftieth of
/// what accuracy allows. At two of these tolerances it was, with 17,076 and 12,424 steps.
#[test]
fn undamped_frequencies_lower_the_order() {
    let steps = [2e-4, 1.2e-4, 1e-4, 8e-5, 6e-5].map(|tolerance| {
        let entry = ProblemRegistry::standard()
            .lookup("beam")
            .expect("registered");
        let mut problem = entry.build_with(&[]).expect("built");
        let method = Bdf::new(None, NewtonOptions::default());
        let options = Options::adaptive(5.0, tolerance, tolerance);
        let solution = solve(problem.system.as_mut(), &method, &options).expect("solved");
        solution.statistics.accepted
    });
    println!("steps on the beam: {steps:?}");
    assert!(steps.iter().sum::<usize>() < 8000, "{steps:?}");
}

/// Steps that cannot be repeated: events are where projected dense output has them. Gaps of several contacts that close at one
/// moment are to agree, and a contact that has opened is not to come back by an error of the interpolation.
#[test]
fn increments_find_events_on_the_constraints() {
    for (name, settings, tolerance) in [
        ("cam-rocker-valve", &[][..], 1e-4),
        ("cam-rocker-valve", &[], 1e-5),
        ("escapement-double", &[], 1e-4),
        ("escapement-double", &[], 1e-5),
        ("four-bar-clearance", &["clearances=3"], 1e-4),
    ] {
        let mut problem = build(name, settings);
        let method = BdfLie::new(None, NewtonOptions::default());
        let options = Options::adaptive(problem.t_end, tolerance, tolerance);
        let solution = solve(problem.system.as_mut(), &method, &options)
            .unwrap_or_else(|error| panic!("{name} at {tolerance:e}: {error}"));
        assert!(solution.events.len() > 10, "{name}");
    }
}
