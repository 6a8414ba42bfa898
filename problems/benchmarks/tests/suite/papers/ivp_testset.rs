//! The IVP test set: right-hand sides against independent code, and runs that arrive at the published end values.

use crate::common::{build, complete, outputs};
use liedae::integrator::{
    BackwardEuler, Hem5, Integrator, Mdop5, MethodOptions, NewtonOptions, Projection,
};
use liedae::solve::{Options, solve};
use liedae::system::Formulation;

const RATES: &str = include_str!("../../../data/ivp_rates.csv");

/// Rates at arbitrary points, each relative to the largest rate of its kind of rows.
#[test]
fn right_hand_sides_agree_with_independent_code() {
    let mut count = 0;
    for line in RATES.lines().filter(|line| !line.starts_with('#')) {
        let (name, numbers) = line.split_once(',').unwrap();
        let numbers: Vec<f64> = numbers
            .split(',')
            .map(|text| text.parse().unwrap())
            .collect();
        let mut problem = build(name, &[]);
        let size = problem.system.layout().differential;
        assert_eq!(numbers.len(), 1 + 2 * size, "{name}");
        let mut state = problem.system.initial_state();
        state.t = numbers[0];
        state.x.copy_from_slice(&numbers[1..=size]);
        let mut found = vec![f64::NAN; size];
        problem.system.rates(&state.point(), &mut found).unwrap();
        for (index, (found, expected)) in found.iter().zip(&numbers[1 + size..]).enumerate() {
            // Differences of larger terms.
            let scale = expected.abs().max(1e-3);
            assert!(
                (found - expected).abs() <= 1e-11 * scale,
                "{name} row {index}: {found:e} {expected:e}"
            );
        }
        count += 1;
    }
    assert_eq!(count, 10);
}

/// The largest error at the end in units of what the reference's digits allow, with at least `digits` forgiven.
fn excess(name: &str, method: &dyn Integrator, options: &Options, digits: i32) -> f64 {
    let mut problem = build(name, &[]);
    let solution = solve(problem.system.as_mut(), method, options)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut state = solution.state;
    assert_eq!(state.t, problem.t_end);
    complete(problem.system.as_mut(), &mut state);
    let found = outputs(problem.system.as_mut(), &state);
    let reference = problem.reference.as_ref().unwrap();
    let (mut worst, mut count) = (0.0_f64, 0);
    for (output, value) in found {
        let Some(expected) = reference.value(&output, state.t) else {
            continue;
        };
        count += 1;
        let known = i32::from(reference.digits(&output).unwrap()).min(digits);
        let error = (value - expected).abs() / (10.0_f64.powi(-known) * expected.abs().max(1e-300));
        let error = if expected == 0.0 { value.abs() } else { error };
        println!("{name} {output}: {error:.2}");
        assert!(!error.is_nan());
        worst = worst.max(error);
    }
    assert!(count > 1);
    worst
}

#[test]
fn explicit_methods_arrive_at_the_published_ends() {
    for (name, tolerance, digits) in [
        ("pleiades", 1e-12, 9),
        ("fekete", 1e-11, 8),
        ("hires", 1e-11, 8),
        ("car-axis", 1e-11, 7),
    ] {
        let problem = build(name, &[]);
        let options = Options::adaptive(problem.t_end, tolerance, tolerance);
        let worst = excess(name, &Mdop5::new(Projection::EveryStep), &options, digits);
        assert!(worst < 1.0, "{name}: {worst}");
    }
    let options = Options::adaptive(0.1, 1e-9, 1e-9);
    let worst = excess(
        "flexible-slider-crank",
        &Hem5::new(Projection::EveryStep),
        &options,
        3,
    );
    assert!(worst < 1.0, "{worst}");
}

#[test]
fn backward_euler_comes_near_the_published_ends() {
    for (name, step, digits) in [
        ("transistor-amplifier", 1e-5, 2),
        ("water-tube", 50.0, 2),
        ("nand-gate", 0.01, 2),
    ] {
        let problem = build(name, &[]);
        let options = Options::fixed(problem.t_end, step);
        let worst = excess(
            name,
            &BackwardEuler::new(NewtonOptions::default()),
            &options,
            digits,
        );
        assert!(worst < 1.0, "{name}: {worst}");
    }
}

/// Runs by tolerances that end within so many digits of the published values, or of as many as these are good for.
fn arrives(name: &str, integrator: &str, tolerance: f64, digits: i32) {
    let problem = build(name, &[]);
    let absolute = tolerance * problem.absolute_scale;
    let options = Options::adaptive(problem.t_end, tolerance, absolute);
    let formulation = (name == "flexible-slider-crank").then_some(Formulation::Index1);
    let choice = MethodOptions {
        formulation,
        ..MethodOptions::default()
    };
    let integrator = liedae_contact::methods()
        .build(integrator, &choice)
        .expect("registered");
    let worst = excess(name, integrator.as_ref(), &options, digits);
    assert!(worst < 1.0, "{name}: {worst}");
}

#[test]
fn radau5_arrives_at_the_published_ends() {
    // The smallest components decide: y2 and y3 of E5 are differences of numbers 13 digits larger. The slider-crank's
    // accelerations need index 1: with index 2 they have order 3 only.
    for (name, tolerance, digits) in [
        ("van-der-pol", 1e-10, 7),
        ("robertson", 1e-10, 7),
        ("hires", 1e-10, 7),
        ("oregonator", 1e-10, 9),
        ("pollution", 1e-10, 6),
        ("e5", 1e-8, 2),
        ("ring-modulator", 1e-6, 3),
        ("transistor-amplifier", 1e-10, 9),
        ("car-axis", 1e-10, 5),
        ("nand-gate", 1e-10, 6),
        ("flexible-slider-crank", 1e-9, 5),
        ("wheelset", 1e-10, 5),
        ("pleiades", 1e-10, 7),
        ("water-tube", 1e-10, 5),
    ] {
        arrives(name, "radau5", tolerance, digits);
    }
}

#[test]
fn bdf_arrives_at_the_published_ends() {
    for (name, digits) in [
        ("van-der-pol", 5),
        ("robertson", 5),
        ("hires", 4),
        ("oregonator", 5),
        ("pollution", 4),
        ("e5", 2),
        ("transistor-amplifier", 6),
        ("car-axis", 3),
        ("nand-gate", 5),
        ("fekete", 5),
        ("wheelset", 3),
        ("water-tube", 2),
    ] {
        arrives(name, "bdf", 1e-8, digits);
    }
}

#[test]
fn radau5_takes_the_published_number_of_steps_on_fekete() {
    // The published run: RADAU5 with rtol = atol = 1e-12, 1249 steps, none rejected.
    let problem = build("fekete", &[]);
    let options = Options::adaptive(problem.t_end, 1e-12, 1e-12);
    let mut problem = problem;
    let integrator = liedae_contact::methods()
        .build("radau5", &MethodOptions::default())
        .expect("registered");
    let solution = solve(problem.system.as_mut(), integrator.as_ref(), &options).expect("solved");
    let accepted = solution.statistics.accepted as f64;
    assert!((accepted / 1249.0 - 1.0).abs() < 0.25, "{accepted}");
    assert_eq!(solution.statistics.rejected.total(), 0);
}
