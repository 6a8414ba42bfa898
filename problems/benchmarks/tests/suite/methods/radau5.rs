//! RADAU5 on registered problems: the statistics of the original code, stiff and Lie-group problems.

use crate::common::{ANDREWS_ANGLES, build, compare, complete};
use liedae::control::Tolerances;
use liedae::integrator::{NewtonOptions, Radau5};
use liedae::solve::{Failures, Options, StepControl, solve};
use liedae::system::Formulation;

fn with(formulation: Formulation) -> Radau5 {
    Radau5::new(Some(formulation), NewtonOptions::default())
}

/// Medians of accepted steps, steps rejected by the error test, and errors over thirteen first steps from 1e-6 to 1e-3 s.
fn andrews(formulation: Formulation, tolerance: f64) -> [f64; 3] {
    let runs: Vec<[f64; 3]> = (0..13)
        .map(|k| {
            let mut problem = build("andrews", &[]);
            let control = StepControl::Adaptive {
                tolerances: Tolerances::uniform(tolerance, tolerance),
                controller: None,
                initial_step: Some(10_f64.powf(f64::from(k) / 4.0 - 6.0)),
            };
            let options = Options::new(0.03, control);
            let method = with(formulation);
            let solution = solve(problem.system.as_mut(), &method, &options).expect("solved");
            let differences = ANDREWS_ANGLES.iter().zip(&solution.state.q);
            let error = differences.fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()));
            let statistics = &solution.statistics;
            [
                statistics.accepted as f64,
                statistics.rejected.error_test as f64,
                error,
            ]
        })
        .collect();
    std::array::from_fn(|column| {
        let mut values: Vec<f64> = runs.iter().map(|run| run[column]).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    })
}

#[test]
fn steps_on_andrews_mechanism_are_those_of_the_original_code() {
    // The same medians of the Fortran code with a difference Jacobian, rtol = atol = 1e-6 and 1e-8. A single run says
    // little: at index 3 and 1e-6 its errors are between 4.8e-5 and 2.5e-3, with 0 to 4 rejected steps. Its stabilized form
    // has q' = v + Gᵀ μ, without the metric of M.
    let original = [
        (
            Formulation::Index1,
            [[225.0, 12.0, 2.66e-7], [472.0, 13.0, 3.64e-9]],
        ),
        (
            Formulation::Index2,
            [[122.0, 8.0, 1.00e-5], [250.0, 5.0, 1.79e-7]],
        ),
        (
            Formulation::Index3,
            [[70.0, 2.0, 8.47e-4], [125.0, 2.0, 2.83e-5]],
        ),
        (
            Formulation::StabilizedIndex2,
            [[223.0, 4.0, 6.57e-6], [489.0, 2.0, 1.26e-7]],
        ),
    ];
    for (formulation, rows) in original {
        for (tolerance, published) in [1e-6, 1e-8].into_iter().zip(rows) {
            let found = andrews(formulation, tolerance);
            println!("{formulation} {tolerance:e}: {found:?}, original {published:?}");
            if formulation.is_stabilized() {
                // Other equations than those of the original: fewer attempts in all.
                assert!(
                    found[0] + found[1] < 0.6 * (published[0] + published[1]),
                    "{found:?}"
                );
            } else {
                for (found, published) in found.into_iter().zip(published).take(2) {
                    let near = (found - published).abs() <= (0.15 * published).max(1.0);
                    assert!(near, "{formulation} {tolerance:e}: {found}");
                }
            }
            // Errors at index 3 are between 5e-5 and 3e-3, according to the first step: so is the median of a few.
            let factor = if formulation == Formulation::Index3 {
                2.0
            } else {
                1.5
            };
            assert!(found[2] < factor * published[2], "{formulation}: {found:?}");
        }
    }
}

#[test]
fn stabilization_keeps_both_levels_of_the_constraints() {
    let mut problem = build("andrews", &[]);
    for (formulation, position) in [
        (Formulation::Index2, 1e-7),
        (Formulation::StabilizedIndex2, 1e-10),
        (Formulation::Index3, 1e-7),
    ] {
        let options = Options::adaptive(0.03, 1e-6, 1e-6);
        let method = with(formulation);
        let solution = solve(problem.system.as_mut(), &method, &options).expect("solved");
        let at = solution.state.point();
        let (mut g, mut gv) = ([0.0; 6], [0.0; 6]);
        problem
            .system
            .position_constraint(&at, &mut g)
            .expect("finite");
        problem
            .system
            .velocity_constraint(&at, &mut gv)
            .expect("finite");
        let largest = |rows: [f64; 6]| rows.iter().fold(0.0_f64, |max, row| max.max(row.abs()));
        println!(
            "{formulation}: g {:.1e}, G v {:.1e}",
            largest(g),
            largest(gv)
        );
        assert!(largest(g) < position, "{formulation}");
        if formulation != Formulation::Index3 {
            assert!(largest(gv) < 1e-6, "{formulation}");
        }
    }
}

#[test]
fn stiff_and_lie_group_problems_arrive_at_their_references() {
    for (name, settings, until, allowed) in [
        ("andrews", &["c0=30000", "damping=100000"][..], 0.035, 1e-5),
        ("heavy-top", &["group=0"], 2.0, 3e-4),
        ("heavy-top", &["group=1"], 2.0, 3e-4),
        ("heavy-top", &["group=2"], 2.0, 3e-4),
        ("double-pendulum", &[], 2.0, 1e-5),
        ("chain", &["n=8"], 1.0, 1e-5),
        ("slider-crank", &["mu=0.2"], 1.03, 1e-5),
        ("slider-crank", &["mu=0.4", "normal=1"], 0.97, 1e-5),
    ] {
        for formulation in [
            Formulation::Index1,
            Formulation::Index2,
            Formulation::StabilizedIndex2,
        ] {
            let mut problem = build(name, settings);
            let options = Options::adaptive(until, 1e-7, 1e-7);
            let method = with(formulation);
            let solution = solve(problem.system.as_mut(), &method, &options)
                .unwrap_or_else(|error| panic!("{name} {settings:?}: {error}"));
            let mut state = solution.state;
            state.t = until;
            complete(problem.system.as_mut(), &mut state);
            let (error, columns) = compare(&mut problem, &state, |column| match column {
                _ if column.starts_with("dd_") => 1e5,
                _ if column.starts_with("d_") => 1e3,
                _ => 10.0,
            });
            let Failures { nonlinear, .. } = solution.statistics.rejected;
            assert!(
                name != "heavy-top" || nonlinear * 20 < solution.statistics.accepted,
                "{settings:?} {formulation}: {nonlinear} failures of the iteration"
            );
            println!(
                "{name} {settings:?} {formulation}: {columns} columns within {error:.1e} in {} steps, {:?}",
                solution.statistics.accepted, solution.statistics.rejected
            );
            assert!(
                error < allowed,
                "{name} {settings:?} {formulation}: {error:e}"
            );
        }
    }
}

/// The second step behind an event is not taken off the constraints, where the third one would find its error too large
/// whatever its size.
#[test]
fn steps_behind_events_converge() {
    for tolerance in [2e-9, 1e-9, 7e-10, 5e-10] {
        let mut problem = build("slider-crank-friction", &[]);
        let options = Options::adaptive(6.0, tolerance, tolerance);
        let method = Radau5::new(None, NewtonOptions::default());
        let solution = solve(problem.system.as_mut(), &method, &options);
        let solution = solution.unwrap_or_else(|error| panic!("{tolerance:e}: {error}"));
        let rejected = solution.statistics.rejected.total();
        println!(
            "{tolerance:e}: {} steps, {rejected} rejected",
            solution.statistics.accepted
        );
        assert!(rejected * 10 < solution.statistics.accepted, "{rejected}");
    }
}
