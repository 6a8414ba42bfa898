//! Mechanisms in space beside counts of their freedoms, closed forms and published facts.

use crate::common::{build, complete, outputs};
use liedae::analysis::{EquilibriumOptions, mobility, static_equilibrium};
use liedae::prelude::*;
use liedae::system::{Evaluator, output_names, total_energy};
use std::ops::ControlFlow;

/// The end of a run by `hem5`.
fn run(name: &str, settings: &[&str], t_end: f64, tolerance: f64) -> Vec<(String, f64)> {
    let mut problem = build(name, settings);
    let method = liedae_contact::methods()
        .build("hem5", &MethodOptions::default())
        .unwrap();
    let options = Options::adaptive(t_end, tolerance, tolerance);
    let solution = solve(problem.system.as_mut(), method.as_ref(), &options)
        .unwrap_or_else(|error| panic!("{name} {settings:?}: {error}"));
    outputs(problem.system.as_mut(), &solution.state)
}

fn output(outputs: &[(String, f64)], name: &str) -> f64 {
    let found = outputs.iter().find(|(known, _)| known == name);
    found.unwrap_or_else(|| panic!("no output {name}")).1
}

/// Velocities less independent rows, and rows that follow from others.
#[test]
fn freedoms_and_redundant_rows() {
    for (name, settings, freedom, redundant) in [
        ("universal-chain", &[][..], 4, 0),
        ("universal-chain", &["n=4"], 8, 0),
        ("net", &["n=2"], 6, 0),
        ("net", &["n=5"], 60, 0),
        ("bricard", &[], 1, 1),
        ("bennett", &[], 1, 3),
        ("sarrus", &[], 1, 1),
        ("four-bar-in-space", &[], 1, 3),
        ("flyball", &[], 4, 0),
        ("flyball", &["variant=2"], 2, 4),
        ("bicycle", &[], 3, 0),
        ("free-slider-crank", &[], 1, 0),
        ("four-link", &["motion=1"], 1, 0),
        ("gimbal", &[], 3, 0),
        ("stanford-arm", &[], 6, 0),
        ("excavator-arm", &[], 3, 9),
        ("stewart-platform", &[], 6, 0),
        ("delta-robot", &[], 9, 0),
        ("double-wishbone", &[], 2, 0),
        ("double-wishbone", &["bushings=1"], 8, 0),
        ("mcpherson", &[], 2, 0),
        ("full-car", &[], 14, 0),
        ("bridge-crane", &[], 6, 0),
        ("foucault", &[], 3, 0),
    ] {
        let mut problem = build(name, settings);
        let state = problem.system.initial_state();
        let mut system = Evaluator::new(problem.system.as_mut());
        let found = mobility(&mut system, &state).unwrap();
        assert_eq!(
            (found.freedom, found.rows - found.rank),
            (freedom, redundant),
            "{name} {settings:?}"
        );
    }
}

/// The car of `full-car` rolls on as it starts, with both laws of its tyres, and stands in the same place.
#[test]
fn a_car_starts_in_steady_motion_and_in_equilibrium() {
    for tyre in ["tyre=0", "tyre=1"] {
        let mut problem = build("full-car", &[tyre]);
        let mut start = problem.system.initial_state();
        complete(problem.system.as_mut(), &mut start);
        let largest = (start.acceleration.iter()).fold(0.0, |max: f64, a| max.max(a.abs()));
        println!("{tyre}: {largest:e}");
        assert!(largest < 1e-9, "{tyre}: {largest:e}");
        let options = EquilibriumOptions::default();
        let mut evaluator = Evaluator::new(problem.system.as_mut());
        let rest = static_equilibrium(&mut evaluator, &start, &options);
        let rest = rest.expect("a car stands");
        let found = outputs(problem.system.as_mut(), &rest.state);
        for (name, height) in [("chassis.z", 0.6), ("front_left.z", 0.3), ("pitch", 0.0)] {
            let error = output(&found, name) - height;
            assert!(error.abs() < 1e-9, "{tyre} {name}: {error:e}");
        }
        // Until the bump.
        let rolled = run("full-car", &[tyre], 0.24, 1e-9);
        let error = output(&rolled, "chassis.z") - 0.6;
        assert!(error.abs() < 1e-9, "{tyre}: {error:e}");
    }
}

/// What nothing damps and nothing drives keeps its energy.
#[test]
fn energy_is_kept() {
    for (name, settings, t_end) in [
        ("universal-chain", &[][..], 2.0),
        ("net", &[], 1.0),
        ("bricard", &["rate=3"], 2.0),
        ("bennett", &[], 2.0),
        ("four-bar-in-space", &[], 2.0),
        ("flyball", &["variant=2"], 2.0),
        ("bicycle", &[], 2.0),
        ("free-slider-crank", &[], 2.0),
        ("four-link", &["motion=1"], 2.0),
        ("gimbal", &["motion=1"], 1.0),
        ("joint-pendulum", &["joint=1", "oblique=1"], 2.0),
    ] {
        let mut problem = build(name, settings);
        let start = problem.system.initial_state();
        let method = liedae_contact::methods()
            .build("hem5", &MethodOptions::default())
            .unwrap();
        let options = Options::adaptive(t_end, 1e-9, 1e-9);
        let system = problem.system.as_mut();
        let end = solve(system, method.as_ref(), &options).unwrap().state;
        let [before, after] = [&start, &end].map(|state| total_energy(system, &state.point()));
        let (before, after) = (before.unwrap(), after.unwrap());
        let change = (after - before).abs() / (1.0 + before.abs());
        assert!(change < 1e-7, "{name} {settings:?}: {before} to {after}");
    }
}

/// One degree of freedom, the elevation θ of the shins: A θ'' + A' θ'²/2 = -V', by the classical Runge-Kutta method.
#[test]
fn the_platform_of_sarrus_moves_as_one_angle() {
    let (link, platform, stiffness, g): (f64, f64, f64, f64) = (0.5, 2.0, 80.0, 9.81);
    let own = link * (3.0 * 0.02 * 0.02 + 1.0) / 12.0;
    let start = 0.5_f64.acos();
    let acceleration = |theta: f64, rate: f64| {
        let (sine, cosine) = theta.sin_cos();
        // Twice the kinetic energy by θ'²: two shins, two thighs, the platform.
        let inertia = 2.0 * (0.25 * link + own)
            + 2.0 * (link * (0.25 * sine * sine + 2.25 * cosine * cosine) + own)
            + 4.0 * platform * cosine * cosine;
        let slope = (2.0 * link * (0.5 - 4.5) - 8.0 * platform) * sine * cosine;
        let stretch = 2.0 * (sine - start.sin());
        let gradient = (g * (2.0 * platform + 4.0 * link) + 2.0 * stiffness * stretch) * cosine;
        -(gradient + 0.5 * slope * rate * rate) / inertia
    };
    let steps = 30_000;
    let h = 3.0 / f64::from(steps);
    let (mut theta, mut rate) = (start, 0.0);
    for _ in 0..steps {
        let k1 = (rate, acceleration(theta, rate));
        let at = |k: (f64, f64), part: f64| {
            let (angle, speed) = (theta + part * h * k.0, rate + part * h * k.1);
            (speed, acceleration(angle, speed))
        };
        let k2 = at(k1, 0.5);
        let k3 = at(k2, 0.5);
        let k4 = at(k3, 1.0);
        theta += h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
        rate += h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
    }
    let end = run("sarrus", &[], 3.0, 1e-11);
    let height = output(&end, "height");
    assert!((height - 2.0 * theta.sin()).abs() < 1e-8, "{height}");
    assert!((output(&end, "speed") - 2.0 * theta.cos() * rate).abs() < 1e-7);
    assert!(output(&end, "sideways") < 1e-10);
}

/// A fast gyroscope precesses by the torque over its spin, m g a / (J ω), while it nutates a little.
#[test]
fn the_gyroscope_precesses() {
    let (weight, arm) = (0.1, 0.12);
    let spin = 0.5 * 2.0 * 0.08 * 0.08 * 150.0;
    let expected = weight * 9.81 * arm / spin;
    let end = run("gimbal", &[], 2.0, 1e-9);
    let turned = output(&end, "axis.y").atan2(output(&end, "axis.x"));
    let rate = turned.abs() / 2.0;
    assert!(
        (rate / expected - 1.0).abs() < 0.01,
        "{rate} beside {expected}"
    );
}

/// The largest value of an output in a window of time.
struct Largest {
    output: usize,
    from: f64,
    values: Vec<f64>,
    found: f64,
}

impl Observer for Largest {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let state = step.to;
        if state.t >= self.from {
            step.system().outputs(state, &mut self.values).unwrap();
            self.found = self.found.max(self.values[self.output].abs());
        }
        ControlFlow::Continue(())
    }
}

/// The largest rate of the lean in a window of time.
fn lean(speed: &str, [from, to]: [f64; 2]) -> f64 {
    let mut problem = build("bicycle", &[speed, "lean_rate=1e-3"]);
    let names = output_names(problem.system.as_mut()).to_vec();
    let mut largest = Largest {
        output: names.iter().position(|name| name == "lean_rate").unwrap(),
        from,
        values: vec![0.0; names.len()],
        found: 0.0,
    };
    let method = liedae_contact::methods()
        .build("hem5", &MethodOptions::default())
        .unwrap();
    let options = Options::adaptive(to, 1e-9, 1e-12);
    let system = problem.system.as_mut();
    solve_observed(system, method.as_ref(), &options, &mut largest).unwrap();
    largest.found
}

/// Linear theory: the weave is stable above 4.29238 m/s, and grows below (IFToMM benchmark, Meijaard et al. 2007).
#[test]
fn the_bicycle_weaves_below_its_critical_speed() {
    for (speed, grows) in [("speed=4.2", true), ("speed=4.38", false)] {
        let [early, late] = [[6.0, 8.0], [12.0, 14.0]].map(|window| lean(speed, window));
        println!("{speed}: {early:e} to {late:e}");
        assert_eq!(late > early, grows, "{speed}: {early:e} to {late:e}");
    }
}
