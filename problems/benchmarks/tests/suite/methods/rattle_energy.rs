//! Energy of RATTLE over 100 000 steps: the error of the last quarter is that of the first.

use crate::common::build;
use liedae::integrator::MethodOptions;
use liedae::solve::{Observer, Options, StepView, solve_observed};
use liedae::system::total_energy;
use std::ops::ControlFlow;

const STEPS: usize = 100_000;

/// The largest deviation from the initial energy in each quarter of the steps.
#[derive(Default)]
struct Quarters {
    initial: f64,
    seen: usize,
    largest: [f64; 4],
}

impl Observer for Quarters {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let state = step.to.clone();
        let energy = total_energy(step.system().system(), &state.point()).expect("known");
        if self.seen == 0 {
            self.initial = energy;
        } else {
            let quarter = &mut self.largest[(self.seen - 1) * 4 / STEPS];
            let deviation = (energy - self.initial).abs();
            // A NaN stays.
            if deviation.is_nan() || deviation > *quarter {
                *quarter = deviation;
            }
        }
        self.seen += 1;
        ControlFlow::Continue(())
    }
}

fn check(name: &str, settings: &[&str], step: f64) -> [f64; 4] {
    let mut problem = build(name, settings);
    let integrator = liedae_contact::methods()
        .build("rattle", &MethodOptions::default())
        .expect("registered");
    let mut quarters = Quarters::default();
    let options = Options::fixed(step * STEPS as f64, step);
    solve_observed(
        problem.system.as_mut(),
        integrator.as_ref(),
        &options,
        &mut quarters,
    )
    .expect("solved");
    assert_eq!(quarters.seen, STEPS + 1);
    let largest = quarters.largest;
    println!(
        "{name} {settings:?}, h = {step} s: at most {largest:.3?} J per quarter of {STEPS} steps, initially {:.6} J",
        quarters.initial
    );
    assert!(
        largest[3] <= 1.5 * largest[0],
        "{name} {settings:?}: {largest:?}"
    );
    largest
}

#[test]
fn the_energy_of_the_heavy_top_stays_bounded_on_every_group() {
    for group in ["group=0", "group=1", "group=2"] {
        check("heavy-top", &[group], 1e-3);
    }
}

#[test]
fn the_energy_of_a_chain_stays_bounded() {
    check("chain", &["n=2"], 1e-3);
}
