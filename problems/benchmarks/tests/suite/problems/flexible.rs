//! Mechanisms with beams beside their closed forms.

use crate::common::{build, outputs};
use liedae::integrator::MethodOptions;
use liedae::solve::{Observer, Options, StepView, solve, solve_observed};
use liedae::system::named_outputs;
use liedae_problems::Problem;
use liedae_problems::flexible::{Laval, SpinUpBeam};
use std::ops::ControlFlow;

fn method(name: &str) -> Box<dyn liedae::integrator::Integrator> {
    let built = liedae_contact::methods().build(name, &MethodOptions::default());
    built.expect("there is one")
}

/// The outputs at the end of a run with `radau5`.
fn ends(problem: &mut Problem, tolerances: [f64; 2]) -> Vec<(String, f64)> {
    let options = Options::adaptive(problem.t_end, tolerances[0], tolerances[1]);
    let end = solve(problem.system.as_mut(), method("radau5").as_ref(), &options);
    outputs(problem.system.as_mut(), &end.expect("arrives").state)
}

fn value(outputs: &[(String, f64)], name: &str) -> f64 {
    let found = outputs.iter().find(|(known, _)| known == name);
    found.map_or(f64::NAN, |(_, value)| *value)
}

/// How far two numbers differ, relative to the second; a NaN is infinite.
fn part(found: f64, expected: f64) -> f64 {
    let part = (found / expected - 1.0).abs();
    if part.is_nan() { f64::INFINITY } else { part }
}

/// Three kinds of elements swing alike, and beams are as stiff as they are stated: 16 elements each.
#[test]
fn rods_of_rubber_swing_alike() {
    let found = [0, 1, 2].map(|element| {
        let mut problem = build("rubber-pendulum", &[&*format!("element={element}"), "n=16"]);
        problem.t_end = 0.5;
        let end = ends(&mut problem, [1e-7, 1e-7]);
        [value(&end, "x"), value(&end, "z")]
    });
    println!("{found:?}");
    for other in &found[1..] {
        let distance = (other[0] - found[0][0]).hypot(other[1] - found[0][1]);
        assert!(distance < 1e-4, "{found:?}");
    }
}

/// A damped beam has come to turn steadily when it has been spun up slowly.
#[test]
fn a_beam_is_stretched_as_its_closed_form_says() {
    for (settings, beam) in [
        (
            &["T=3", "retardation=0.1", "hub=1"][..],
            SpinUpBeam {
                hub: 1.0,
                ..SpinUpBeam::SIMO_VU_QUOC
            },
        ),
        (&["T=3", "retardation=0.1", "data=1"], SpinUpBeam::WU_HAUG),
    ] {
        let mut problem = build("spin-up-beam", settings);
        problem.t_end = 25.0;
        let found = ends(&mut problem, [1e-6, 1e-8]);
        let expected = beam.steady_extension(6.0);
        let error = part(value(&found, "extension"), expected);
        println!(
            "{settings:?}: {error:e} of {expected:e}, deflection {:e}",
            value(&found, "deflection")
        );
        assert!(error < 1e-6, "{settings:?}: {error:e}");
        // What pulls at the root: ρ A Ω² L (hub + L/2), and a little for what it is longer.
        let linear = beam.mass * 36.0 * beam.length * (beam.hub + 0.5 * beam.length);
        println!("{:e}", part(value(&found, "root_force"), linear));
    }
    let extension = SpinUpBeam::WU_HAUG.steady_extension(6.0);
    assert!(part(extension, 0.000_246_541_683_875_278_75) < 1e-10);
    assert_eq!(SpinUpBeam::WU_HAUG.steady_extension(0.0), 0.0);
    assert_eq!(SpinUpBeam::WU_HAUG.steady_extension(1e3), f64::INFINITY);
}

#[test]
fn a_rotor_whirls_as_its_closed_form_says() {
    for settings in [&[][..], &["Omega=50"], &["Omega=100", "zeta=0.2"]] {
        let mut problem = build("rotor", settings);
        let found = ends(&mut problem, [1e-6, 1e-9]);
        let reference = problem.reference.as_ref().expect("a closed form");
        let amplitude = reference.value("amplitude", problem.t_end).expect("known");
        for name in ["y", "z", "amplitude"] {
            let expected = reference.value(name, problem.t_end).expect("known");
            let error = (value(&found, name) - expected).abs() / amplitude;
            println!("{settings:?} {name}: {error:e}");
            assert!(error < 2e-5, "{settings:?} {name}: {error:e}");
        }
    }
}

/// Keeps speeds and amplitudes.
#[derive(Default)]
struct Amplitudes(Vec<[f64; 2]>);

impl Observer for Amplitudes {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let to = step.to;
        let outputs = named_outputs(step.system().system(), to).unwrap_or_default();
        self.0
            .push(["speed", "amplitude"].map(|name| value(&outputs, name)));
        ControlFlow::Continue(())
    }
}

#[test]
fn a_rotor_runs_up_along_its_steady_amplitudes() {
    let mut problem = build("rotor-run-up", &[]);
    let mut seen = Amplitudes::default();
    let options = Options::fixed(problem.t_end, 2e-3);
    let method = method("generalized-alpha-stabilized");
    solve_observed(
        problem.system.as_mut(),
        method.as_ref(),
        &options,
        &mut seen,
    )
    .expect("arrives");
    let rotor = Laval {
        mass: 1.6,
        stiffness: 4000.0,
        damping: 8.0,
        unbalance: 1.6e-4,
    };
    for speed in [20.0, 30.0, 75.0, 99.0] {
        let at = seen
            .0
            .iter()
            .find(|at| at[0] >= speed - 1e-6)
            .expect("reached");
        let error = part(at[1], rotor.steady_amplitude(speed));
        println!("{speed}: {error:e}");
        assert!(error < 0.05, "{speed}: {error:e}");
    }
    let peak = seen
        .0
        .iter()
        .max_by(|a, b| a[1].total_cmp(&b[1]))
        .expect("steps");
    println!("{peak:?}");
    assert!(
        peak[0] > 50.0 && peak[0] < 55.0 && peak[1] > 8e-4 && peak[1] < 1e-3,
        "{peak:?}"
    );
}
