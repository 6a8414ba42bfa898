//! Mechanisms in space with contacts: a slider with clearance, a box on eight corners.

mod common;

use common::{build, outputs};
use liedae::integrator::{MethodOptions, build as method};
use liedae::solve::{Observer, Options, Solution, StepView, solve_observed};
use std::ops::ControlFlow;

/// Energies and least gap over all accepted steps.
#[derive(Default)]
struct Watch {
    energies: Vec<f64>,
    gap: f64,
}

impl Observer for Watch {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let state = step.to.clone();
        let evaluator = step.system();
        let system = evaluator.system();
        self.energies.push(system.energy(&state).expect("known"));
        let contacts = system.unilateral().expect("there are contacts");
        for contact in 0..contacts.contacts().len() {
            let gap = contacts.gap(contact, &state.point()).expect("finite");
            self.gap = self.gap.min(gap);
        }
        ControlFlow::Continue(())
    }
}

impl Watch {
    /// The largest rise above the least energy before it, relative to the spread.
    fn rise(&self) -> f64 {
        let mut least = f64::INFINITY;
        let mut rise: f64 = 0.0;
        for &energy in &self.energies {
            least = least.min(energy);
            rise = rise.max(energy - least);
        }
        rise
    }
}

fn run(problem: &str, settings: &[&str], name: &str, options: &Options) -> (Solution, Watch) {
    let mut problem = build(problem, settings);
    let mut integrator = method(name, &MethodOptions::default()).expect("registered");
    let mut watch = Watch::default();
    let clock = std::time::Instant::now();
    let solution = solve_observed(
        problem.system.as_mut(),
        integrator.as_mut(),
        options,
        &mut watch,
    )
    .unwrap_or_else(|error| {
        for event in &error.events {
            println!(
                "{} {:.17} {} {:?}",
                event.kind, event.t, event.label, event.contact
            );
        }
        panic!("{name} {settings:?}: {error}")
    });
    let mut kinds = std::collections::BTreeMap::new();
    for event in &solution.events {
        *kinds.entry(event.kind.clone()).or_insert(0) += 1;
    }
    println!(
        "{name} {settings:?}: {:?}, {} steps, {kinds:?}, gap {:e}, rise {:e} of {:e} J, z {:?}",
        clock.elapsed(),
        solution.statistics.accepted,
        watch.gap,
        watch.rise(),
        watch.energies[0],
        &solution.state.q[..3],
    );
    (solution, watch)
}

#[test]
fn slider_crank_with_clearance() {
    for name in ["hem5", "mdop5", "generalized-alpha-stabilized"] {
        let mut end = build("slider-crank-clearance-3d", &[]).t_end;
        if let Ok(t) = std::env::var("T_END") {
            end = t.parse().unwrap();
        }
        let options = Options::adaptive(end, 1e-6, 1e-6);
        let (_, _watch) = run("slider-crank-clearance-3d", &[], name, &options);
    }
}

#[test]
fn box_without_friction() {
    for settings in [
        &["tilt=0"][..],
        &["tilt=0.3"],
        &["tilt=0.3", "e=0"],
        &["e=0"],
    ] {
        run(
            "box-drop",
            settings,
            "hem5",
            &Options::adaptive(1.0, 1e-6, 1e-6),
        );
        run(
            "box-drop",
            settings,
            "moreau-jean",
            &Options::fixed(1.0, 1e-3),
        );
    }
    let _ = outputs;
}
