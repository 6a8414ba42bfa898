//! Mechanisms with contacts that say that they keep their energy do so between events: with a method that knows nothing of it
//! up to its errors, and with one that holds it up to round-off.

use liedae::integrator::MethodOptions;
use liedae::solve::{Observer, Options, StepView, solve_observed};
use liedae::system::{keeps_energy, total_energy};
use liedae_problems::ProblemRegistry;
use std::ops::ControlFlow;

/// Contacts and impacts in all forms: without friction, sticking, sometimes sliding, with stops, cams and teeth.
const KEEPING: [&str; 13] = [
    "pendulum-wall",
    "newton-cradle",
    "newton-cradle:n=5:e=0.5",
    "newton-cradle:n=8:e=0.9",
    "rocking-block",
    "double-pendulum-wall:e=0.8",
    "double-pendulum-wall:e=0",
    "triple-pendulum-stops",
    "chain-floor",
    "slider-crank-clearance",
    "slider-crank-clearance:mu=0",
    "ratchet-pawl",
    "trip-breaker",
];

/// Bodies that are free to move as a whole, and driven ones.
const OTHERS: [&str; 5] = [
    "bouncing-ball",
    "slider-train:n=5:e=0",
    "rope-pendulum-carts",
    "four-bar-clearance:mu=0",
    "excavator-stops",
];

/// Compares energies with those behind the last event.
#[derive(Default)]
struct Watcher {
    kept: Option<f64>,
    held: usize,
    largest: f64,
    deviation: f64,
}

impl Observer for Watcher {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let is_moment = step.from.t == step.to.t;
        let at = step.to.clone();
        let system = step.system().system();
        if !keeps_energy(system) {
            self.kept = None;
            return ControlFlow::Continue(());
        }
        let energy = total_energy(system, &at.point()).expect("known");
        self.largest = self.largest.max(energy.abs());
        if let Some(kept) = self.kept.filter(|_| !is_moment) {
            self.held += 1;
            let deviation = (energy - kept).abs();
            if deviation > self.deviation || deviation.is_nan() {
                self.deviation = deviation;
            }
        } else {
            self.kept = Some(energy);
        }
        ControlFlow::Continue(())
    }
}

fn watch(name: &str, statement: &str, tolerance: f64) -> Watcher {
    let mut parts = statement.split(':');
    let entry = parts
        .next()
        .and_then(|name| ProblemRegistry::standard().lookup(name).ok());
    let settings: Vec<_> = parts.collect();
    let mut problem = entry.expect("known").build_with(&settings).expect("built");
    let method = liedae_contact::methods()
        .build(name, &MethodOptions::default())
        .expect("registered");
    let mut watcher = Watcher::default();
    let absolute = tolerance * problem.absolute_scale;
    let options = Options::adaptive(problem.t_end, tolerance, absolute);
    let system = problem.system.as_mut();
    solve_observed(system, method.as_ref(), &options, &mut watcher)
        .unwrap_or_else(|error| panic!("{statement}: {error}"));
    watcher
}

fn check(name: &str, tolerance: f64, bound: f64) {
    for statement in KEEPING {
        let watcher = watch(name, statement, tolerance);
        let deviation = watcher.deviation / watcher.largest;
        println!(
            "{name} {statement}: {deviation:.1e} in {} steps",
            watcher.held
        );
        assert!(watcher.held > 0, "{statement} never keeps its energy");
        assert!(deviation < bound, "{statement}: {deviation:e}");
    }
}

#[test]
fn others_do_not_state_it() {
    for statement in OTHERS {
        assert_eq!(watch("hem5", statement, 1e-4).held, 0, "{statement}");
    }
}

#[test]
fn motions_keep_it() {
    check("radau5", 1e-9, 1e-6);
}

#[test]
fn projections_hold_it() {
    check("hem5", 1e-5, 1e-12);
}
