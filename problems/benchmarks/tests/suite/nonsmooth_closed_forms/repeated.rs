//! Impacts that repeat: balls, pendulums, a block, a bead.

use super::run::{Errors, METHODS, Run, rows, run, run_with_outputs, run_within, struck};
use liedae::solve::EventRecord;
use liedae_contact::ContactEvent;

/// Compares the impacts of a contact with (t, velocity before) and the restitution between them.
fn compare(run: &Run, errors: &mut Errors, label: &str, expected: &[[f64; 2]], e: f64) {
    let impacts = run.events("impact", label);
    assert!(impacts.len() >= expected.len(), "{}", impacts.len());
    let scale = expected
        .iter()
        .fold(0.0, |largest: f64, [_, v]| largest.max(v.abs()));
    for (impact, [t, v]) in impacts.iter().zip(expected) {
        errors.time(impact.t, *t);
        errors.velocity(struck(impact).velocity_before, *v, scale);
        errors.velocity(struck(impact).velocity_after, -e * *v, scale);
    }
}

#[test]
fn bouncing_ball_to_its_limit_and_past_it() {
    let table = rows(include_str!("../../../data/bouncing_ball_impacts.csv"));
    let listed: Vec<_> = table.iter().map(|row| [row[1], row[2]]).collect();
    for (e, limit) in [(0.8, 4.063_712_768_871_578), (0.5, 1.354_570_922_957_192_7)] {
        let name = format!("bouncing-ball e={e}");
        for method in METHODS {
            let run = run(method, "bouncing-ball", &[&format!("e={e}")], None);
            let mut errors = Errors::new(&name, method);
            let (mut t, mut v) = ((2.0 / 9.81_f64).sqrt(), (2.0 * 9.81_f64).sqrt());
            let mut expected = Vec::new();
            // The last impact is taken with e = 0.
            for _ in 1..run.events("impact", "floor").len() {
                expected.push([t, -v]);
                v *= e;
                t += 2.0 * v / 9.81;
            }
            compare(&run, &mut errors, "floor", &expected, e);
            if e == 0.8 {
                compare(&run, &mut errors, "floor", &listed, e);
            }
            errors.time(run.first("accumulation", "floor").t, limit);
            errors.check();
            assert!(
                run.solution.events.len() < 200,
                "{}",
                run.solution.events.len()
            );
            let state = &run.solution.state;
            assert!(
                state.q[1].abs() < 1e-12 && state.v[1].abs() < 1e-12,
                "{state:?}"
            );
            assert!(run.energy_rise() < 1e-12);
        }
    }
}

/// Free flight of a ball under 10 m/s² between 0 and 1.5 m: (moment, velocity) of impacts on the ceiling and the floor.
fn between_floor_and_ceiling(e: f64, end: f64) -> [Vec<[f64; 2]>; 2] {
    let (g, ceiling) = (10.0, 1.5);
    let (mut t, mut y, mut v): (f64, f64, f64) = (0.0, 1.0, 10.0);
    let mut impacts = [Vec::new(), Vec::new()];
    loop {
        let square = v * v - 2.0 * g * (ceiling - y);
        let reaches = v > 0.0 && square > 0.0;
        let arriving = if reaches {
            square.sqrt()
        } else {
            -(v * v + 2.0 * g * y).sqrt()
        };
        t += (v - arriving) / g;
        if t > end || arriving.abs() < 1e-5 {
            return impacts;
        }
        impacts[usize::from(!reaches)].push([t, arriving]);
        y = if reaches { ceiling } else { 0.0 };
        v = -e * arriving;
    }
}

#[test]
fn ball_between_two_contacts() {
    for method in METHODS {
        let run = run(method, "ball-two-contacts", &[], None);
        let mut errors = Errors::new("ball-two-contacts", method);
        let [ceiling, floor] = between_floor_and_ceiling(0.8, 10.0);
        assert!(ceiling.len() == 2 && floor.len() > 30);
        let rates: Vec<_> = ceiling.iter().map(|[t, v]| [*t, -v]).collect();
        compare(&run, &mut errors, "ceiling", &rates, 0.8);
        compare(&run, &mut errors, "floor", &floor, 0.8);
        errors.check();
        assert!(run.energy_rise() < 1e-12);
    }
}

/// The bar turns back ever nearer to the wall: an error of the energy moves an impact by itself over the angular velocity,
/// which falls to 1e-4 rad/s. Without the energy as a constraint the last impacts are off by up to 2e-5 s.
#[test]
fn pendulum_hits_the_wall_thirty_times() {
    let table = rows(include_str!("../../../data/pendulum_wall_impacts.csv"));
    let expected: Vec<_> = table.iter().map(|row| [row[1], row[2]]).collect();
    assert_eq!(expected.len(), 30);
    for method in METHODS {
        for tolerance in [1e-10, 1e-13] {
            let run = run_within(method, "pendulum-wall", Some(47.3), tolerance);
            let name = format!("pendulum-wall tol={tolerance:e}");
            let mut errors = Errors::new(&name, method);
            compare(&run, &mut errors, "wall", &expected, 0.7);
            errors.check();
            assert!(run.energy_rise() < 1e-12);
        }
    }
}

#[test]
fn elastic_pendulum_keeps_its_period() {
    let (first, period) = (0.538_218_666_720_128_9, 1.076_437_333_440_258);
    let speed = 9.81_f64.sqrt() * 1.5;
    for method in METHODS {
        let run = run(
            method,
            "pendulum-wall",
            &["e=1", "wall=0", "length=1.5"],
            Some(9.2),
        );
        let mut errors = Errors::new("pendulum-wall e=1 wall=0", method);
        let expected: Vec<_> = (0..9)
            .map(|impact| [first + period * f64::from(impact), -speed])
            .collect();
        compare(&run, &mut errors, "wall", &expected, 1.0);
        errors.check();
        assert!(run.energy_rise() < 1e-9);
    }
}

/// Impacts and amplitudes of Housner's block, by quadrature.
#[test]
fn rocking_block_follows_housner() {
    let times = [
        0.496_558_459_948_560_8,
        1.358_502_849_757_385_8,
        2.124_117_490_220_162_7,
        2.813_770_743_117_228,
        3.440_879_519_711_87,
        4.014_980_261_241_294,
    ];
    let amplitudes = [
        0.084_338_023_614_295_04,
        0.072_054_872_314_505_95,
        0.062_075_062_661_105_95,
        0.053_790_422_322_767_6,
        0.046_813_216_907_573_94,
    ];
    let (alpha, p2): (f64, f64) = (0.2_f64.atan(), 7.214_622_321_395_945);
    for method in METHODS {
        // Rocking is motion about an unstable equilibrium, which amplifies errors of the steps.
        let run = run(method, "rocking-block", &[], None);
        let mut errors = Errors::new("rocking-block", method);
        let impacts = run.events("impact", "");
        let impacts: Vec<_> = impacts
            .iter()
            .filter(|impact| struck(impact).impulse > 0.0)
            .collect();
        assert_eq!(impacts.len(), times.len());
        for (index, (impact, t)) in impacts.iter().zip(times).enumerate() {
            errors.time(impact.t, t);
            assert_eq!(impact.label, ["left", "right"][index % 2]);
            let [before, after] = run.jump(impact.t);
            let turning = [before, after].map(|side| side.state.v[2]);
            errors.velocity(turning[1] / turning[0], 0.942_307_692_307_692_3, 1.0);
            let amplitude = alpha - (alpha.cos() + 0.5 * turning[1].powi(2) / p2).acos();
            if let Some(expected) = amplitudes.get(index) {
                errors.velocity(amplitude, *expected, *expected);
            }
        }
        errors.check();
        assert!(run.energy_rise() < 0.0);
    }
}

/// r'' = W² r between impacts, so that tanh(W dt / 2) = e v / W.
#[test]
fn bead_is_thrown_against_its_stop() {
    let (rate, e): (f64, f64) = (5.0, 0.5);
    for method in METHODS {
        let run = run(method, "rotating-rod-bead", &[], None);
        let mut errors = Errors::new("rotating-rod-bead", method);
        let (mut t, mut v) = (10.0_f64.acosh() / rate, rate * 0.99_f64.sqrt());
        let mut expected = Vec::new();
        while v > 1e-14 {
            if v > 1e-5 {
                expected.push([t, -v]);
            }
            t += 2.0 / rate * (e * v / rate).atanh();
            v *= e;
        }
        compare(&run, &mut errors, "stop", &expected, e);
        errors.time(run.first("accumulation", "stop").t, t);
        errors.check();
    }
}

/// No closed form: four methods that share nothing but the contacts agree, energy only falls, and the end of the pendulum
/// stays above the wall. With e = 0, and after impacts have accumulated, the wall carries it to the end.
#[test]
fn double_pendulum_agrees_between_methods() {
    let moments: Vec<f64> = (1..100).map(|k| 0.05 * f64::from(k)).collect();
    for e in [0.8, 0.6, 0.0] {
        let setting = format!("e={e}");
        let name = format!("double-pendulum-wall {setting}");
        let runs = METHODS.map(|method| {
            run_with_outputs(
                method,
                "double-pendulum-wall",
                &[&setting],
                5.0,
                moments.clone(),
            )
        });
        let events = |run: &Run| -> Vec<(String, f64, f64)> {
            let events = run.solution.events.iter();
            let speed = |event: &EventRecord| {
                ContactEvent::of(event).map_or(0.0, |contact| contact.velocity_before)
            };
            events
                .map(|event| (event.kind.clone(), event.t, speed(event)))
                .filter(|(kind, _, v)| kind != "impact" || v.abs() > 1e-4)
                .collect()
        };
        let reference = events(&runs[2]);
        for (run, method) in runs.iter().zip(METHODS) {
            let mut errors = Errors::new(&name, method);
            assert!(run.energy_rise() < 1e-12, "{}", run.energy_rise());
            let found = events(run);
            println!(
                "{} of {} events, the last one {:?}",
                found.len(),
                run.solution.events.len(),
                run.solution.events.last()
            );
            assert_eq!(found.len(), reference.len());
            for ((kind, t, v), (other, moment, speed)) in found.iter().zip(&reference) {
                assert_eq!(kind, other);
                errors.time(*t, *moment);
                errors.velocity(*v, *speed, 4.0);
            }
            let column = |name: &str| run.names.iter().position(|other| other == name).unwrap();
            let (gap, force) = (column("wall.gap"), column("wall.force"));
            let rest = run.solution.events.last().unwrap().t;
            let mut least = f64::INFINITY;
            for (t, values) in &run.outputs {
                assert!(values[gap] > -1e-12, "{t} {}", values[gap]);
                if *t > rest {
                    least = least.min(values[force]);
                    assert!(
                        values[gap] < 1e-12 && values[force] > 0.0,
                        "{t} {}",
                        values[force]
                    );
                }
            }
            println!("least force {least}");
            errors.check_within(1e-8);
        }
    }
}

/// The end that slides on a lower wall takes off and comes back; moments and speeds from the equations in both angles,
/// integrated apart from this project by an explicit method of order 8 with a tolerance of 2e-14.
#[test]
fn double_pendulum_takes_off_from_its_wall() {
    let releases = [
        2.142_164_579_358_24,
        2.634_379_130_119_1,
        4.566_728_298_313_21,
    ];
    let impacts = [
        [0.393_013_061_127_017, -4.858_335_188_838_05],
        [2.377_207_248_274_11, -0.636_833_196_399_65],
        [2.830_642_852_418_72, -0.957_870_787_397_19],
        [4.776_901_941_074_24, -0.510_893_590_903_9],
    ];
    for method in METHODS {
        let run = run(method, "double-pendulum-wall", &["e=0", "depth=0.8"], None);
        let mut errors = Errors::new("double-pendulum-wall e=0 depth=0.8", method);
        compare(&run, &mut errors, "wall", &impacts, 0.0);
        let found = run.events("release", "wall");
        assert_eq!(found.len(), releases.len());
        for (event, t) in found.iter().zip(releases) {
            errors.time(event.t, t);
        }
        errors.check_within(1e-8);
        assert!(run.energy_rise() < 1e-12);
    }
}
