//! What Haug, Negrut and Iancu 1997 (doi:10.1080/08905459708905292) say about implicit state-space integration, with
//! numbers: `cargo test --release -p liedae-problems --test haug1997_claims -- --nocapture`.

mod common;

use common::build;
use liedae::integrator::{MethodOptions, NewtonOptions, build as method};
use liedae::solve::{LargestStep, Options, Solution, iterations_per_step, largest_step, solve};

const EXACT: &str = "state-space-newmark";
const QUASI: &str = "state-space-fv";
const SEVEN_BODIES: &str = "andrews-cartesian-stiff";

/// Newton iterations that a step may take are `limit`.
fn options(limit: usize) -> MethodOptions {
    MethodOptions {
        newton: Some(NewtonOptions {
            max_iterations: limit,
            ..NewtonOptions::default()
        }),
        ..MethodOptions::default()
    }
}

fn run(problem: &str, settings: &[&str], name: &str, limit: usize, t_end: f64, h: f64) -> Solution {
    let mut problem = build(problem, settings);
    let mut integrator = method(name, &options(limit)).expect("a registered method");
    let fixed = Options::fixed(t_end, h);
    solve(problem.system.as_mut(), integrator.as_mut(), &fixed)
        .unwrap_or_else(|error| panic!("{name}, h = {h}: {error}"))
}

fn search(
    problem: &str,
    settings: &[&str],
    name: &str,
    limit: usize,
    t_end: f64,
    range: [f64; 2],
) -> LargestStep {
    let mut problem = build(problem, settings);
    let mut integrator = method(name, &options(limit)).expect("a registered method");
    let system = problem.system.as_mut();
    largest_step(system, integrator.as_mut(), t_end, range, 24, &mut |_| true)
        .unwrap_or_else(|| panic!("{name} fails with the smallest step"))
}

/// The ratio of the largest steps, exact to quasi-Newton, and that of the iterations at the latter's largest step.
fn ratios(problem: &str, settings: &[&str], limit: usize, t_end: f64, range: [f64; 2]) -> [f64; 2] {
    let exact = search(problem, settings, EXACT, limit, t_end, range);
    let quasi = search(problem, settings, QUASI, limit, t_end, range);
    let same = iterations_per_step(&run(problem, settings, EXACT, limit, t_end, quasi.step));
    let found = [exact.step / quasi.step, same / quasi.iterations_per_step()];
    println!(
        "{problem} {settings:?}, at most {limit} iterations: largest step exact {:.3e}, quasi-Newton {:.3e}, \
         ratio {:.2}; iterations at the latter {same:.2} and {:.2}, ratio {:.2}",
        exact.step,
        quasi.step,
        found[0],
        quasi.iterations_per_step(),
        found[1],
    );
    found
}

#[test]
fn the_exact_matrix_takes_larger_steps_and_fewer_iterations_on_the_double_pendulum() {
    for settings in [&[][..], &["half=1"]] {
        let range = [2e-4, 0.1];
        let [step, _] = ratios("stiff-double-pendulum", settings, 10, 0.1, range);
        assert!(step >= 1.3, "{step}");
        let [step, iterations] = ratios("stiff-double-pendulum", settings, 25, 0.1, range);
        assert!(step >= 1.3 && iterations <= 0.6, "{step} {iterations}");
    }
}

#[test]
fn the_exact_matrix_takes_larger_steps_on_the_seven_bodies() {
    let [step, iterations] = ratios(SEVEN_BODIES, &[], 10, 0.035, [2e-4, 0.0175]);
    assert!(step >= 1.3 && iterations < 0.8, "{step} {iterations}");
    ratios(SEVEN_BODIES, &[], 25, 0.035, [5e-4, 0.0175]);
    for h in [1e-3, 1.8e-3, 3.6e-3] {
        let iterations = [EXACT, QUASI]
            .map(|name| iterations_per_step(&run(SEVEN_BODIES, &[], name, 25, 0.035, h)));
        println!("seven bodies, h = {h}: {iterations:?} iterations");
    }
}

/// The damper outweighs what the quasi-Newton matrix leaves out: h k x / (2 c) is 2 % at h = 0.1. Both matrices take any
/// step, and the exact one saves at most an iteration.
#[test]
fn on_the_slider_crank_with_the_chosen_damper_both_matrices_do() {
    for settings in [&[][..], &["stiffness=1"]] {
        let [step, iterations] = ratios("tsda-slider-crank", settings, 10, 0.1, [1e-3, 0.1]);
        assert!((step - 1.0).abs() < 1e-9, "{step}");
        assert!(iterations <= 1.0, "{iterations}");
    }
}

#[test]
fn explicit_methods_need_many_times_the_steps_on_the_stiff_seven_bodies() {
    let t_end = 0.035;
    let h = 1.8e-3;
    let mut problem = build(SEVEN_BODIES, &[]);
    let mut fine = method("sdirk4", &MethodOptions::default()).expect("a registered method");
    let error = |state: &[f64], exact: &[f64]| {
        let off = state.iter().zip(exact).map(|(a, b)| (a - b).abs());
        off.fold(0.0, |max: f64, v| if v.is_nan() { v } else { max.max(v) })
    };
    let tight = Options::adaptive(t_end, 1e-8, 1e-8);
    let exact = solve(problem.system.as_mut(), fine.as_mut(), &tight).expect("solved");
    let implicit = run(SEVEN_BODIES, &[], EXACT, 10, t_end, h);
    let allowed = error(&implicit.state.q, &exact.state.q);
    println!(
        "{EXACT}, h = {h}: error {allowed:.2e} in {} steps",
        implicit.statistics.accepted
    );
    assert!(allowed < 1e-3);

    for name in ["state-space-abm", "rk4"] {
        let mut explicit = method(name, &MethodOptions::default()).expect("a registered method");
        let mut usable = |run: &Solution| error(&run.state.q, &exact.state.q) <= allowed;
        let system = problem.system.as_mut();
        let range = [5e-6, 1e-3];
        let found = largest_step(system, explicit.as_mut(), t_end, range, 8, &mut usable);
        let largest = found.expect("a step").step;
        let steps = t_end / largest;
        let factor = steps / implicit.statistics.accepted as f64;
        println!("{name}: largest step {largest:.2e}, {steps:.0} steps, {factor:.0} times as many");
        assert!(factor >= 20.0, "{name}: {factor}");
    }
}
