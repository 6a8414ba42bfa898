//! Mechanisms of elastic links: energy, rigid limits, and agreement with geometrically exact beams.

use crate::common::{build, outputs};
use liedae::integrator::MethodOptions;
use liedae::solve::{Observer, Options, Solution, StepView, solve, solve_observed};
use liedae::system::named_outputs;
use liedae_problems::Problem;
use std::ops::ControlFlow;

fn radau5() -> Box<dyn liedae::integrator::Integrator> {
    let built = liedae_contact::methods().build("radau5", &MethodOptions::default());
    built.expect("there is one")
}

fn run(problem: &mut Problem, end: f64, tolerance: f64) -> Solution {
    let options = Options::adaptive(end, tolerance, tolerance);
    let solution = solve(problem.system.as_mut(), radau5().as_ref(), &options);
    solution.expect("arrives")
}

fn value(outputs: &[(String, f64)], name: &str) -> f64 {
    let found = outputs.iter().find(|(known, _)| known == name);
    found.map_or(f64::NAN, |(_, value)| *value)
}

/// Outputs at the start and after some time.
fn ends(name: &str, settings: &[&str], end: f64, tolerance: f64) -> [Vec<(String, f64)>; 2] {
    let mut problem = build(name, settings);
    let start = problem.system.initial_state();
    let before = outputs(problem.system.as_mut(), &start);
    let state = run(&mut problem, end, tolerance).state;
    [before, outputs(problem.system.as_mut(), &state)]
}

/// Nothing dissipates: links that bend, and an end that bounces off a wall without loss.
#[test]
fn energy_is_kept() {
    for (name, settings, end) in [
        ("flexible-four-bar", &[][..], 0.3),
        ("flexible-double-pendulum", &[], 0.5),
        ("flexible-scissor", &[], 0.2),
        ("impacting-flexible-pendulum", &["e=1"], 0.5),
    ] {
        let [before, after] = ends(name, settings, end, 1e-7);
        let change = value(&after, "energy") - value(&before, "energy");
        println!("{name}: {change:e} J of {:e} J", value(&before, "energy"));
        assert!(change.abs() < 1e-5, "{name}: {change:e}");
    }
}

/// The work of the torque on the crank, by the trapezoidal rule over the steps.
#[derive(Default)]
struct Work {
    last: Option<[f64; 2]>,
    done: f64,
}

impl Observer for Work {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let to = step.to;
        let outputs = named_outputs(step.system().system(), to).unwrap_or_default();
        let power = value(&outputs, "torque") * value(&outputs, "crank.omega");
        if let Some([t, before]) = self.last {
            self.done += 0.5 * (to.t - t) * (before + power);
        }
        self.last = Some([to.t, power]);
        ControlFlow::Continue(())
    }
}

#[test]
fn a_crank_has_the_energy_of_its_torque() {
    let mut problem = build("flexible-crank", &[]);
    let mut work = Work::default();
    let options = Options::fixed(0.02, 1e-5);
    let system = problem.system.as_mut();
    let end = solve_observed(system, radau5().as_ref(), &options, &mut work).expect("arrives");
    let energy = value(&outputs(system, &end.state), "energy");
    println!("{energy:e} J by {:e} J", work.done);
    assert!(energy > 0.5 && (energy / work.done - 1.0).abs() < 1e-5);
}

/// With a stiff rocker the ram is where the angle of the crank says.
#[test]
fn a_stiff_quick_return_is_the_rigid_one() {
    let errors = ["E=2.1e11", "E=2.1e13"].map(|stiffness| {
        let [_, end] = ends("flexible-quick-return", &[stiffness], 0.4, 1e-6);
        let angle = value(&end, "crank.angle");
        let (x, z) = (0.08 * angle.sin(), 0.2 + 0.08 * angle.cos());
        let [x, z] = [x, z].map(|pin| 0.7 * pin / x.hypot(z));
        let rise = 0.67 - z;
        let ram = x + (0.3_f64 * 0.3 - rise * rise).sqrt();
        (value(&end, "ram.x") - ram).abs()
    });
    println!("{errors:?}");
    assert!(
        errors[0] > 1e-4 && errors[1] < 0.05 * errors[0],
        "{errors:?}"
    );
}

/// Controllers hold the joints at their angles at last, and the links become straight.
#[test]
fn a_manipulator_arrives() {
    let [_, end] = ends("flexible-manipulator", &[], 12.0, 1e-6);
    let expected = [
        0.5 * (1.0_f64.cos() + 0.5_f64.cos()),
        0.5 * (1.0_f64.sin() - 0.5_f64.sin()),
    ];
    let found = ["payload.x", "payload.z"].map(|name| value(&end, name));
    let error = (found[0] - expected[0]).hypot(found[1] - expected[1]);
    println!("{error:e} {:e}", value(&end, "forearm.bending"));
    assert!(error < 1e-6, "{found:?}");
}

/// Joints between substructures are stiff by what their modes lack: the more modes, the nearer to the geometrically exact beam.
#[test]
fn substructures_bend_as_an_exact_beam() {
    let tip = |settings: &[&str]| {
        let [_, end] = ends("substructured-pendulum", settings, 0.3, 1e-6);
        ["tip.x", "tip.z"].map(|name| value(&end, name))
    };
    let exact = tip(&["beam=1"]);
    let errors = [["n=3", "modes=1"], ["n=3", "modes=6"], ["n=1", "modes=6"]].map(|settings| {
        let found = tip(&settings);
        (found[0] - exact[0]).hypot(found[1] - exact[1])
    });
    println!("{exact:?} {errors:?}");
    assert!(errors[1] < 1e-3 && errors[1] < errors[0], "{errors:?}");
    assert!(errors[2] < 1e-4, "{errors:?}");
}

/// Hits take energy away, and the beam stays above the cylinder.
#[test]
fn a_beam_comes_to_lie_on_a_cylinder() {
    let mut problem = build("beam-on-cylinder", &[]);
    let solution = run(&mut problem, 0.5, 1e-6);
    let kinds: Vec<&str> = solution.events.iter().map(|event| &*event.kind).collect();
    println!("{kinds:?}");
    assert!(kinds.contains(&"impact"), "{kinds:?}");
    let end = outputs(problem.system.as_mut(), &solution.state);
    let energy = value(&end, "energy");
    assert!(energy < -1e-2, "{energy}");
    for ball in 1..=3 {
        let gap = value(&end, &format!("gap.ball {ball}"));
        assert!((-1e-7..0.05).contains(&gap), "{ball}: {gap}");
    }
}

/// What the descriptions say: which impacts occur hangs on how foreshortening enters the inertia.
#[test]
fn impacts_hang_on_the_field_in_the_inertia() {
    for (name, end, main, expected) in [
        ("beam-on-cylinder", 0.215, "tip.z", [3, 4]),
        ("impacting-flexible-pendulum", 0.3, "tip.x", [11, 10]),
    ] {
        let found = ["field=0", "field=1"].map(|field| {
            let mut problem = build(name, &[field]);
            let solution = run(&mut problem, end, 1e-7);
            let kinds = solution.events.iter().map(|event| &*event.kind);
            let impacts = kinds.filter(|kind| *kind == "impact").count();
            let end = outputs(problem.system.as_mut(), &solution.state);
            (impacts, value(&end, main))
        });
        println!("{name}: {found:?}");
        assert_eq!(found.map(|(impacts, _)| impacts), expected, "{name}");
        let difference = (found[0].1 - found[1].1).abs();
        assert!((1e-5..1e-2).contains(&difference), "{name}: {found:?}");
    }
}
