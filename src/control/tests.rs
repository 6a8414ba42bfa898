//! What all controllers have in common: where they settle, and what they make of impossible errors.

use super::{Controller, ControllerKind, Limits, ProportionalIntegral, controllers};

/// Steps in the model err = φ h^p, with φ of the n-th step; rejected ones are repeated. Also the number of the last step
/// that had to be repeated.
fn steps(
    controller: &mut dyn Controller,
    order: f64,
    count: usize,
    phi: impl Fn(usize) -> f64,
) -> (Vec<f64>, usize) {
    let (mut step, mut rejected, mut last) = (1e-3, 0, 0);
    let mut steps = Vec::with_capacity(count);
    while steps.len() < count {
        let proposal = controller.propose(step, phi(steps.len()) * step.powf(order), order);
        if proposal.accept {
            steps.push(step);
        } else {
            rejected += 1;
            last = steps.len();
        }
        assert!(rejected < 10 * count, "rejects without end");
        step = proposal.step;
    }
    (steps, last)
}

/// Steps after which the far too small first one is forgotten.
const START: usize = 30;

/// All controllers by name, with default limits.
fn all() -> impl Iterator<Item = (&'static str, Box<dyn Controller>)> {
    let own = ControllerKind::Elementary(Limits::default());
    controllers()
        .iter()
        .map(move |entry| (entry.name, entry.kind_for(own).build()))
}

#[test]
fn names_are_unique_and_found() {
    for entry in controllers() {
        let same = controllers()
            .iter()
            .filter(|other| other.name == entry.name);
        assert_eq!(same.count(), 1);
        assert!(super::find_controller(entry.name).is_some_and(|found| found.title == entry.title));
        assert!(entry.kind_for(ControllerKind::Fixed).has_usable_gains());
    }
    assert!(super::find_controller("pdi").is_none());
}

#[test]
fn a_choice_keeps_the_limits_of_the_method() {
    let own = Limits {
        grow: 2.0,
        ..Limits::default()
    };
    for entry in controllers() {
        let kind = entry.kind_for(ControllerKind::Elementary(own));
        assert_eq!(kind.limits(), Some(own), "{}", entry.name);
        // No error at all: by the largest ratio.
        assert_eq!(
            kind.build().propose(1.0, 0.0, 5.0).step,
            2.0,
            "{}",
            entry.name
        );
    }
    let pi = super::find_controller("pi").expect("pi");
    let kind = pi.kind_for(ControllerKind::ProportionalIntegral(own, 0.03));
    assert!(matches!(kind, ControllerKind::ProportionalIntegral(limits, 0.03) if limits == own));
}

#[test]
fn all_settle_where_the_safety_factor_says() {
    for order in [1.0, 2.0, 5.0] {
        for (name, mut controller) in all() {
            let phi: f64 = 700.0;
            let (steps, _) = steps(controller.as_mut(), order, 200, |_| phi);
            let expected = 0.9 * phi.powf(-1.0 / order);
            let last = steps[steps.len() - 1];
            assert!(
                (last / expected - 1.0).abs() < 1e-9,
                "{name}, order {order}: {last} instead of {expected}"
            );
        }
    }
    // The PI controller with its factor outside of the filter settles at err^(1/p - 7/4 β) = s.
    let mut controller = ProportionalIntegral::new(Limits::default(), 0.04);
    let (steps, _) = steps(&mut controller, 5.0, 200, |_| 700.0);
    let error = 700.0 * steps[199].powi(5);
    assert!((error.powf(0.2 - 1.75 * 0.04) / 0.9 - 1.0).abs() < 1e-9);
}

#[test]
fn all_follow_a_slow_change_without_rejections_once_started() {
    let phi = |n: usize| 50.0 * (3.0 * (n as f64 * 0.01).sin()).exp();
    let order = 5.0;
    for (name, mut controller) in all() {
        let (steps, repeated) = steps(controller.as_mut(), order, 1500, phi);
        assert!(repeated < START, "{name}: step {repeated}");
        for (n, step) in steps.iter().enumerate().skip(START) {
            let ratio = step * phi(n).powf(1.0 / order) / 0.9;
            assert!((ratio - 1.0).abs() < 0.05, "{name}, step {n}: {ratio}");
        }
    }
}

/// Variance of ln(h_{n+1} / h_n) under noise.
fn roughness(controller: &mut dyn Controller) -> f64 {
    // Park and Miller's generator: the noise is the same for all.
    let mut seed = 1_u64;
    let noise: Vec<f64> = (0..40_000)
        .map(|_| {
            seed = seed * 48271 % 2_147_483_647;
            (0.2 * (seed as f64 / 2_147_483_647.0 - 0.5)).exp()
        })
        .collect();
    let (steps, repeated) = steps(controller, 5.0, noise.len(), |n| 50.0 * noise[n]);
    assert!(repeated < START, "step {repeated}");
    let ratios: Vec<f64> = steps[START..]
        .windows(2)
        .map(|pair| (pair[1] / pair[0]).ln())
        .collect();
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    ratios
        .iter()
        .map(|ratio| (ratio - mean).powi(2))
        .sum::<f64>()
        / ratios.len() as f64
}

#[test]
fn filters_smooth_the_steps_under_noise() {
    let of = |wanted: &str| {
        let (_, mut controller) = all().find(|(name, _)| *name == wanted).expect(wanted);
        roughness(controller.as_mut())
    };
    let [elementary, pid, h211b, h211_pi, h312b, predictive] = [
        "elementary",
        "pid",
        "h211b",
        "h211pi",
        "h312b",
        "predictive",
    ]
    .map(of);
    // White noise of variance σ² in ln c, through the closed loops: elementary 2σ², H211b (b = 4) σ²/8, H312b (b = 8)
    // 5σ²/64.
    for (filter, expected) in [(h211b, 1.0 / 16.0), (h312b, 5.0 / 128.0)] {
        let ratio = filter / elementary;
        assert!((ratio / expected - 1.0).abs() < 0.05, "{ratio}");
    }
    assert!(h211_pi < 0.1 * elementary, "{}", h211_pi / elementary);
    assert!(pid < 0.5 * elementary, "{}", pid / elementary);
    assert!(predictive > elementary);
}

#[test]
fn impossible_errors_never_spoil_the_step() {
    let errors = [
        f64::NAN,
        0.5,
        f64::INFINITY,
        0.0,
        0.0,
        1e-320,
        0.9,
        -1.0,
        1e300,
        1.0,
        0.0,
        0.7,
    ];
    for order in [0.5, 1.0, 5.0, 13.0] {
        for (name, mut controller) in all() {
            // Every error after every other.
            for first in errors {
                for second in errors {
                    let mut step = 1e-3;
                    for error in [first, second] {
                        let proposal = controller.propose(step, error, order);
                        assert_eq!(
                            proposal.accept,
                            (0.0..=1.0).contains(&error),
                            "{name}: {error}"
                        );
                        let ratio = proposal.step / step;
                        assert!(
                            (0.2 - 1e-12..=10.0 + 1e-12).contains(&ratio),
                            "{name}: {first}, {second}: {ratio}"
                        );
                        assert!(proposal.accept || ratio < 1.0, "{name}: {error} grows");
                        step = proposal.step;
                    }
                }
            }
        }
    }
}

#[test]
fn no_growth_right_after_a_rejection_and_no_memory_after_a_restart() {
    for (name, mut controller) in all() {
        let fresh = controller.propose(1.0, 0.3, 3.0).step;
        for error in [0.7, 0.2, 0.9] {
            controller.propose(1.0, error, 3.0);
        }
        let rejected = controller.propose(1.0, 2.0, 3.0);
        let expected = 0.9 * 0.5_f64.cbrt();
        assert!((rejected.step / expected - 1.0).abs() < 1e-12, "{name}");
        assert_eq!(controller.propose(0.5, 1e-9, 3.0).step, 0.5, "{name}");
        assert!(controller.propose(0.5, 1e-9, 3.0).step > 0.5, "{name}");
        controller.restart();
        assert_eq!(controller.propose(1.0, 0.3, 3.0).step, fresh, "{name}");
    }
}
