//! Energy: a band over long times for the half-implicit method, a drain for the fully implicit one; constant within the
//! tolerance with an accurate method, at other parameters than those of the references.

use crate::common::build;
use liedae::integrator::MethodOptions;
use liedae::solve::{Observer, Options, StepView, solve_observed};
use liedae::system::total_energy;
use std::ops::ControlFlow;

#[derive(Default)]
struct Energies(Vec<f64>);

impl Observer for Energies {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let state = step.to.clone();
        self.0
            .push(total_energy(step.system().system(), &state.point()).expect("known"));
        ControlFlow::Continue(())
    }
}

/// Deviations from the initial energy over 80 s at h = 1e-3.
fn deviations(name: &str) -> Vec<f64> {
    let mut problem = build("double-pendulum", &[]);
    let integrator = liedae_contact::methods()
        .build(name, &MethodOptions::default())
        .expect("registered");
    let mut energies = Energies::default();
    let options = Options::fixed(80.0, 1e-3);
    solve_observed(
        problem.system.as_mut(),
        integrator.as_ref(),
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

/// Also a check of the equations of motion against the energies, which are stated separately.
#[test]
fn conservative_mechanisms_keep_their_energy() {
    for (name, settings, t_end) in [
        (
            "stiff-double-pendulum",
            &["c1=0", "c2=0", "k2=100", "theta1=1", "omega1=3"][..],
            1.0,
        ),
        ("tsda-slider-crank", &["factor=0", "theta1=1.2"], 1.0),
        (
            "haddouni-slider-crank",
            &["m3=0.5", "J1=1e-3", "alpha1=1", "g=50"],
            0.1,
        ),
        ("rolling-disk", &["shape=1", "mass=2", "radius=0.3"], 2.0),
    ] {
        let mut problem = build(name, settings);
        let integrator = liedae_contact::methods()
            .build("hem5", &MethodOptions::default())
            .expect("registered");
        let mut energies = Energies::default();
        solve_observed(
            problem.system.as_mut(),
            integrator.as_ref(),
            &Options::adaptive(t_end, 1e-10, 1e-10),
            &mut energies,
        )
        .unwrap_or_else(|error| panic!("{name}: {error}"));
        let first = energies.0[0];
        let largest = |values: &mut dyn Iterator<Item = f64>| {
            values.fold(0.0, |most: f64, value| {
                if value.is_nan() {
                    f64::INFINITY
                } else {
                    most.max(value)
                }
            })
        };
        let drift = largest(&mut energies.0.iter().map(|energy| (energy - first).abs()));
        println!("{name} {settings:?}: {first} J, drift {drift:e} J");
        assert!(drift < 1e-8 * first.abs(), "{name}: {drift:e} of {first}");
    }
}
