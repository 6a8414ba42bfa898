//! Energy over long times: a band for the half-implicit method, a drain for the fully implicit one.

mod common;

use common::build;
use liedae::integrator::{MethodOptions, build as method};
use liedae::solve::{Observer, Options, StepView, solve_observed};
use std::ops::ControlFlow;

#[derive(Default)]
struct Energies(Vec<f64>);

impl Observer for Energies {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let state = step.to.clone();
        self.0
            .push(step.system().system().energy(&state).expect("known"));
        ControlFlow::Continue(())
    }
}

/// Deviations from the initial energy over 80 s at h = 1e-3.
fn deviations(name: &str) -> Vec<f64> {
    let mut problem = build("double-pendulum", &[]);
    let mut integrator = method(name, &MethodOptions::default()).expect("registered");
    let mut energies = Energies::default();
    let options = Options::fixed(80.0, 1e-3);
    solve_observed(
        problem.system.as_mut(),
        integrator.as_mut(),
        &options,
        &mut energies,
    )
    .expect("solved");
    let first = energies.0[0];
    energies.0.iter().map(|energy| energy - first).collect()
}

#[test]
fn half_implicit_energy_stays_in_a_band_and_fully_implicit_energy_drains() {
    let largest = |values: &[f64]| {
        values.iter().fold(0.0_f64, |max, value| {
            if value.is_nan() {
                f64::NAN
            } else {
                max.max(value.abs())
            }
        })
    };
    let half = deviations("half-implicit");
    let quarter = half.len() / 4;
    let (early, late) = (largest(&half[..quarter]), largest(&half[3 * quarter..]));
    println!(
        "half-implicit: at most {early:.3} J in the first quarter of 80 s, {late:.3} J in the last"
    );
    assert!(late <= 2.0 * early && late < 5.0, "{early} {late}");

    let full = deviations("backward-euler");
    let (end, middle) = (full[full.len() - 1], full[full.len() / 2]);
    println!("backward-euler: {middle:.1} J after 40 s, {end:.1} J after 80 s");
    assert!(end < middle && middle < -100.0 * early);
}
