//! What Haug, Negrut and Iancu 1997 say about implicit state-space integration, with numbers.

mod common;

use common::build;
use liedae::integrator::{MethodOptions, NewmarkParameters, NewmarkPredictor, NewtonOptions, build as method};
use liedae::solve::{LargestStep, Options, Solution, iterations_per_step, largest_step, solve};


fn options(predictor: NewmarkPredictor, n: usize) -> MethodOptions {
    MethodOptions {
        newton: NewtonOptions {
            max_iterations: n,
            ..NewtonOptions::default()
        },
        newmark: NewmarkParameters { predictor, ..NewmarkParameters::default() },
        ..MethodOptions::default()
    }
}

#[test]
fn explore() {
    for predictor in [NewmarkPredictor::LastAcceleration, NewmarkPredictor::Extrapolation] {
    for n in [10, 25, 50] {
    for (problem, settings, t_end, range) in [
        ("stiff-double-pendulum", &[][..], 0.1, [1e-5, 0.1]),
        ("stiff-double-pendulum", &["half=1"], 0.1, [1e-5, 0.1]),
        ("tsda-slider-crank", &[], 0.1, [1e-5, 0.1]),
        ("tsda-slider-crank", &["stiffness=1"], 0.1, [1e-5, 0.1]),
        ("andrews-cartesian-stiff", &[], 0.035, [1e-5, 0.0175]),
    ] {
        let mut out = vec![];
        for m in ["state-space-newmark", "state-space-fv"] {
            let mut problem = build(problem, settings);
            let mut integrator = method(m, &options(predictor, n)).expect("a registered method");
            let system = problem.system.as_mut();
            out.push(largest_step(system, integrator.as_mut(), t_end, range, 12, &mut |_| true));
        }
        print!("{predictor:?} {n} {problem} {settings:?}: ");
        for o in &out { if let Some(o) = o { print!("{:.3e} ({:?}, {:.2} it) ", o.step, o.failing, o.iterations_per_step()); } else { print!("none "); } }
        if let [Some(a), Some(b)] = &out[..] {
            let mut problem = build(problem, settings);
            let mut integrator = method("state-space-newmark", &options(predictor, n)).expect("a registered method");
            let s = solve(problem.system.as_mut(), integrator.as_mut(), &Options::fixed(t_end, b.step)).map(|s| iterations_per_step(&s));
            print!("ratio {:.2}, exact there {:?}", a.step / b.step, s.ok());
        }
        println!();
    }
    }}
}
