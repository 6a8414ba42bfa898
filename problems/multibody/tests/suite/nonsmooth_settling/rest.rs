//! Random mechanisms come to rest, whatever the method.

use super::cases::{Case, FAMILIES, Family, case};
use liedae::integrator::MethodOptions;
use liedae::solve::{Observer, Options, StepView, solve_observed};
use liedae::system::total_energy;
use liedae_contact::{NonsmoothOptions, NonsmoothSystem, with_contacts};
use std::ops::ControlFlow;

/// Moments with events, at most. They depend on round-off: a chain of e = 0.8 comes to rest at 2.9 to 3.3 s after 555 to 1340 of
/// them, by method and tolerance. Chattering makes tens of thousands.
const MOST: usize = 2000;

/// The largest rise of energy at a jump, and the deepest penetration.
#[derive(Default)]
struct Checks {
    energy: Option<f64>,
    after_event: bool,
    rise: f64,
    penetration: f64,
}

impl Observer for Checks {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let state = step.to.clone();
        let event = step.event;
        let system = step.system().system();
        let energy = total_energy(system, &state.point()).unwrap();
        if let Some(before) = self.energy.replace(energy)
            && self.after_event
        {
            self.rise = self.rise.max(energy - before);
        }
        self.after_event = event;
        let contacts = liedae_contact::unilateral(system).unwrap();
        for contact in 0..contacts.contacts().len() {
            let gap = contacts.gap(contact, &state.point()).unwrap();
            self.penetration = self.penetration.max(-gap);
        }
        ControlFlow::Continue(())
    }
}

/// The last impact comes in the first nine tenths of six seconds; without friction no jump gains energy.
fn comes_to_rest(method: &str, family: Family, seed: u64, tolerance: f64) {
    let Case {
        mechanism,
        restitution,
        friction,
    } = case(family, seed);
    let name =
        format!("{method} {family:?} {seed} e = {restitution} mu = {friction} {tolerance:e}");
    let system = NonsmoothSystem::new(with_contacts(mechanism), NonsmoothOptions::default());
    let mut system = system.unwrap();
    let integrator = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .unwrap();
    let mut options = Options::adaptive(6.0, 1e-6, 1e-6);
    options.event_tolerance = tolerance;
    options.max_steps = 20_000;
    let mut checks = Checks::default();
    let solution = solve_observed(&mut system, integrator.as_ref(), &options, &mut checks)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut impacts = solution
        .events
        .iter()
        .filter(|event| event.kind == "impact");
    let last = impacts.next_back().map_or(0.0, |event| event.t);
    assert!(last < 5.4, "{name}: still bounces at {last}");
    let mut moments: Vec<f64> = solution.events.iter().map(|event| event.t).collect();
    moments.dedup();
    assert!(
        moments.len() < MOST,
        "{name}: events at {} moments",
        moments.len()
    );
    // Impacts at up to about 1 m/s are located this well.
    assert!(
        checks.penetration < 1e-7 + tolerance,
        "{name}: {:e}",
        checks.penetration
    );
    // Putting contacts back onto their gaps does work: a location tolerance of motion at most.
    let work = 1e-9 + 1e-3 * tolerance;
    assert!(
        friction > 0.0 || checks.rise < work,
        "{name}: {:e}",
        checks.rise
    );
}

/// Besides the first ones, seeds at which friction chattered between contacts that share it or slid against the
/// velocity that was left (boxes, chains), or at which discs jammed between walls.
#[test]
fn rough_clusters() {
    let special: [(Family, &[u64]); 5] = [
        (Family::Box, &[30]),
        (Family::Boxes, &[12, 19, 22, 23, 37]),
        (Family::Discs, &[11, 13, 19, 30, 31, 36]),
        (Family::Rod, &[]),
        (Family::Chain, &[12, 20, 22, 23, 36]),
    ];
    for (family, seeds) in special {
        for seed in (0..3).chain(seeds.iter().copied()) {
            comes_to_rest("hem5", family, seed, 1e-12);
        }
    }
}

#[test]
fn rough_clusters_with_other_methods() {
    for family in FAMILIES {
        for method in ["mdop5", "radau5"] {
            comes_to_rest(method, family, 5, 1e-12);
        }
        comes_to_rest("generalized-alpha-stabilized", family, 13, 1e-12);
    }
}

#[test]
fn rough_clusters_located_coarsely() {
    for tolerance in [1e-4, 1e-7] {
        for family in FAMILIES {
            for seed in 0..3 {
                comes_to_rest("hem5", family, seed, tolerance);
            }
        }
    }
}
