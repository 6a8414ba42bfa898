//! Newton's cradle: laws of impact for balls in touch, pairwise impacts of balls apart.

use super::run::{Errors, METHODS, rows, run, run_with_outputs};
use std::f64::consts::PI;

/// Moment at which the first ball arrives, a quarter of a period by the arithmetic-geometric mean, and its speed.
fn arrival(angle: f64) -> (f64, f64) {
    let inertia = 1.0 + 0.4 * 0.05 * 0.05;
    let (mut a, mut b) = (1.0, (0.5 * angle).cos());
    for _ in 0..8 {
        (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
    }
    let t = 0.5 * PI / a * f64::sqrt(inertia / 9.81);
    (t, (2.0 * 9.81 * (1.0 - angle.cos()) / inertia).sqrt())
}

#[test]
fn balls_in_touch_leave_by_the_law() {
    let (t, v) = arrival(0.5);
    let third = 1.0 / 3.0;
    for (law, expected) in [
        (0, [-third, 2.0 * third, 2.0 * third]),
        (1, [-third, 2.0 * third, 2.0 * third]),
        (2, [0.0, 0.0, 1.0]),
    ] {
        let name = format!("newton-cradle law={law}");
        for method in METHODS {
            let run = run(method, "newton-cradle", &[&format!("law={law}")], Some(0.6));
            let mut errors = Errors::new(&name, method);
            let impact = run.first("impact", "contact1");
            errors.time(impact.t, t);
            for (ball, share) in expected.into_iter().enumerate() {
                errors.velocity(run.jump(impact.t)[1].state.v[3 * ball], share * v, v);
            }
            errors.check();
            assert!(run.energy_rise() < 1e-9, "{}", run.energy_rise());
        }
    }
}

/// Swinging on for seconds, through swarms of impacts: energy only falls, and nothing passes through anything.
#[test]
fn cradles_swing_on() {
    for settings in [
        &["n=3", "gap=0.001"][..],
        &["n=5", "law=2"],
        &["n=5", "e=0.5"],
        &["n=8", "e=0.9"],
    ] {
        let end = 3.0;
        let stops = (1..60).map(|k| 0.05 * f64::from(k)).collect();
        let run = run_with_outputs("hem5", "newton-cradle", settings, end, stops);
        let kinds = ["impact", "release", "accumulation"].map(|kind| run.events(kind, "").len());
        println!("{settings:?}: {kinds:?}, energy {:.1e}", run.energy_rise());
        assert!(kinds[0] >= 2 && run.energy_rise() < 1e-9);
        let names = run.names.iter().enumerate();
        for (gap, _) in names.filter(|(_, name)| name.ends_with(".gap")) {
            assert!(run.outputs.iter().all(|(_, values)| values[gap] > -1e-9));
        }
    }
}

/// Five free balls: all pairwise impacts happen in one moment when they touch, one after the other when they do not.
#[test]
fn free_balls_meet_pairwise() {
    for row in rows(include_str!("../../../data/newton_cradle_sequential.csv")) {
        let e = format!("e={}", row[0]);
        for gap in [0.0, 1e-3] {
            let name = format!("newton-cradle free {e} gap={gap}");
            let gap_setting = format!("gap={gap}");
            let settings = ["n=5", "motion=1", "law=2", &e, &gap_setting];
            for method in METHODS {
                let run = run(method, "newton-cradle", &settings, Some(1.0));
                let mut errors = Errors::new(&name, method);
                let impacts = run.events("impact", "");
                if gap > 0.0 {
                    assert_eq!(impacts.len(), row[6] as usize);
                    for (index, impact) in impacts.iter().take(4).enumerate() {
                        // The front runs at (1 + e) / 2 of the speed of the ball before.
                        let speeds =
                            (0..=index).map(|ball| ((1.0 + row[0]) / 2.0).powi(ball as i32));
                        errors.time(impact.t, speeds.map(|speed| gap / speed).sum());
                    }
                } else {
                    errors.count += 1;
                }
                for (ball, expected) in row[1..6].iter().enumerate() {
                    errors.velocity(run.solution.state.v[3 * ball], *expected, 1.0);
                }
                errors.check();
                assert!(run.energy_rise() < 1e-12);
            }
        }
    }
}
