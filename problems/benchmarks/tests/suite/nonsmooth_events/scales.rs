//! Contacts of other sizes: heavy beside light, small and large, slow, coarse tolerances.

use super::line::{InTime, Line, impacts, run, run_with, tight};
use liedae::solve::Options;
use liedae_contact::{Accumulation, Contact, ContactEvent, NonsmoothOptions, Thresholds};

/// A light ball is lifted off its floor while a heavy one rests on its own.
#[test]
fn a_heavy_body_does_not_hold_a_light_one_down() {
    for ratio in [1.0, 1e4, 1e8, 1e12] {
        let line = Line {
            masses: vec![[ratio, 0.0, 0.0], [1.0, 0.0, 0.0]],
            forces: vec![
                InTime::constant(-10.0 * ratio),
                InTime {
                    constant: -10.0,
                    rate: 20.0,
                    ..InTime::default()
                },
            ],
            contacts: vec![
                (
                    Contact::new("heavy", 0.0),
                    vec![1.0, 0.0],
                    InTime::default(),
                ),
                (
                    Contact::new("light", 0.0),
                    vec![0.0, 1.0],
                    InTime::default(),
                ),
            ],
            ..Line::default()
        };
        let solution = run(line, &tight(1.0)).unwrap();
        assert_eq!(solution.events.len(), 1);
        assert!((solution.events[0].t - 0.5).abs() < 1e-9);
    }
}

/// A contact that has opened without a velocity closes at gap zero, however slowly: x'' = k (-sin s - b) with s = t + p.
#[test]
fn a_contact_that_opened_gently_closes_at_its_gap() {
    for k in [1.0, 1e-2, 1e-4] {
        let b = 0.3;
        let line = Line {
            masses: vec![[1.0, 0.0, 0.0]],
            forces: vec![InTime {
                constant: -k * b,
                amplitude: -k,
                frequency: 1.0,
                ..InTime::default()
            }],
            contacts: vec![(Contact::new("floor", 0.0), vec![1.0], InTime::default())],
            ..Line::default()
        };
        // Opens at sin s = -b; x = k (sin s - sin s0 - cos s0 (s - s0) - b (s - s0)² / 2).
        let opens = std::f64::consts::PI + b.asin();
        let height = |s: f64| {
            s.sin() - opens.sin() - opens.cos() * (s - opens) - 0.5 * b * (s - opens).powi(2)
        };
        let (mut low, mut high) = (opens + 1.0, opens + 8.0);
        assert!(height(low) > 0.0 && height(high) < 0.0);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if height(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let solution = run_with(
            line,
            "dop853",
            NonsmoothOptions::default(),
            &Options::adaptive(12.0, 1e-12, 1e-15),
        )
        .unwrap();
        // A force of the threshold, 1e-10 N, opens it.
        assert!((solution.events[0].t - opens).abs() < 2e-10 / k);
        assert!((impacts(&solution)[0].t - low).abs() < 1e-9);
    }
}

/// With e = 0.9 the ball is slower than ten velocity thresholds, 1e-6 m/s, before the policy looks: it stops there, and its
/// limit is known.
#[test]
fn impacts_below_the_velocity_threshold_come_to_rest() {
    let limit = 19.0 * 0.451_523_640_985_730_8;
    let solution = run(Line::ball(0.9, [1.0, 0.0], -9.81), &tight(limit + 1.0)).unwrap();
    let last = ContactEvent::of(impacts(&solution).pop().unwrap()).unwrap();
    assert!(
        last.velocity_after == 0.0
            && last.velocity_before < -1e-6
            && last.velocity_before > -1.2e-6
    );
    let end = solution.events.last().unwrap();
    assert_eq!(end.kind, "accumulation");
    assert!((end.t - limit).abs() < 1e-9, "{:e}", end.t - limit);
    assert!(solution.state.q[0].abs() < 1e-12 && solution.state.v[0] == 0.0);
}

/// The same ball in other units, with thresholds that fit: it rests at last, at the limit of its impacts.
#[test]
fn balls_of_any_size() {
    for length in [1e-9_f64, 1e-6, 1e-3, 1.0, 1e3, 1e6] {
        for g in [9.81, 9.81 * length] {
            let time = (2.0 * length / g).sqrt();
            let nonsmooth = NonsmoothOptions {
                thresholds: Thresholds::scaled(length, time),
                accumulation: Accumulation::Close {
                    accuracy: 1e-10 * time,
                    remaining: 1e-6 * time,
                },
                ..NonsmoothOptions::default()
            };
            let mut options = Options::adaptive(6.0 * time, 1e-10, 1e-10 * length);
            options.event_tolerance = 1e-12 * time;
            let line = Line::ball(0.5, [length, 0.0], -g);
            let solution = run_with(line, "hem5", nonsmooth, &options).unwrap();
            let end = solution.events.last().unwrap();
            let first = impacts(&solution)[0];
            assert!((first.t / time - 1.0).abs() < 1e-10, "{length:e} {g:e}");
            assert!(
                (end.t / (3.0 * time) - 1.0).abs() < 1e-5,
                "{length:e} {g:e}"
            );
            assert!(solution.state.q[0].abs() < 1e-12 * length && solution.state.v[0] == 0.0);
        }
    }
}
