//! Many contacts at once: stacks and rows.

use super::bodies::{Bodies, Body, Pair, bottom};
use super::line::{Floor, Line, Neighbours};
use super::support::{GRAVITY, Trace, trace, trace_with};

const HALF: [f64; 3] = [0.2, 0.15, 0.1];

/// Boxes with these masses on top of each other, `gap` apart, each shifted a little.
pub fn stack(masses: &[f64], gap: f64, friction: f64, restitution: f64) -> Bodies {
    let mut bodies = Vec::new();
    let mut pairs = Vec::new();
    for (index, &mass) in masses.iter().enumerate() {
        let level = index as f64;
        let z = HALF[2] + level * 2.0 * HALF[2] + (level + 1.0) * gap;
        let shift = 0.02 * if index % 2 == 0 { 1.0 } else { -1.0 };
        bodies.push(Body::cuboid(mass, HALF, [shift, 0.5 * shift, z]));
        pairs.extend(bottom(HALF).map(|arm| match index {
            0 => Pair::PointFloor(0, arm),
            _ => Pair::PointOn(index, arm, index - 1, HALF[2]),
        }));
    }
    Bodies {
        bodies,
        pairs,
        restitution,
        friction,
        slope: 0.0,
        planar: false,
    }
}

/// A box that falls from 0.1 m on its corners, turning, and does not come to rest at once.
pub fn fallen_box(friction: f64, restitution: f64) -> Bodies {
    let corners = (0..8).map(|corner: usize| {
        let sign = |bit: usize| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
        std::array::from_fn(|axis| sign(axis) * HALF[axis])
    });
    let body = Body {
        velocity: [0.5, 0.2, 0.0],
        spin: [1.0, -0.7, 0.4],
        ..Body::cuboid(1.0, HALF, [0.0, 0.0, HALF[2] + 0.1])
    };
    Bodies {
        bodies: vec![body],
        pairs: corners.map(|arm| Pair::PointFloor(0, arm)).collect(),
        restitution,
        friction,
        slope: 0.0,
        planar: false,
    }
}

/// The smallest gap of all states.
pub fn deepest(model: &Bodies, run: &Trace) -> f64 {
    let mut system = liedae_contact::with_contacts(model.clone());
    let unilateral = liedae_contact::unilateral(&mut system).expect("it has contacts");
    let mut least = 0.0_f64;
    for state in &run.states {
        for contact in 0..model.pairs.len() {
            let gap = unilateral.gap(contact, &state.point());
            least = least.min(gap.expect("a number"));
        }
    }
    least
}

#[test]
fn five_boxes_fall_on_each_other_and_rest() {
    for (friction, restitution) in [(0.0, 0.0), (0.5, 0.0), (0.5, 0.4), (1.2, 0.2)] {
        let model = stack(&[1.0, 2.0, 0.5, 1.0, 3.0], 0.01, friction, restitution);
        let (run, impulses) = trace_with(model.clone(), 0.5, 1.0, 2e-3);
        let least = deepest(&model, &run);
        let last = run.last();
        let speed = last.v.iter().fold(0.0_f64, |max, v| max.max(v.abs()));
        let weight: f64 = impulses[..4].iter().map(|impulse| impulse.normal).sum();
        println!(
            "mu {friction}, e {restitution}: gap {least:e}, speed {speed:e}, rise {:e}, weight {weight}",
            run.rise()
        );
        assert!(least > -1e-12, "{least:e}");
        // Friction after Newton's law may gain energy with e > 0.
        let bound = if restitution > 0.0 { 1e-3 } else { 1e-5 };
        assert!(run.rise() < bound, "{:e}", run.rise());
        // Without friction nothing stops what round-off makes slide.
        let bound = if friction > 0.0 { 1e-8 } else { 1e-7 };
        assert!(speed < bound, "{speed:e}");
        assert!((weight - 7.5 * GRAVITY * 2e-3).abs() < 1e-8, "{weight}");
        for body in 0..5 {
            let z = last.q[12 * body + 2];
            assert!((z - HALF[2] * (2 * body + 1) as f64).abs() < 1e-9, "{z}");
        }
    }
}

#[test]
fn light_and_heavy_boxes_rest_on_each_other() {
    for masses in [[1e-3, 1e3], [1e3, 1e-3]] {
        let model = stack(&masses, 0.0, 0.5, 0.3);
        let (run, impulses) = trace_with(model.clone(), 0.5, 0.5, 2e-3);
        let least = deepest(&model, &run);
        let last = run.last();
        let speed = last.v.iter().fold(0.0_f64, |max, v| max.max(v.abs()));
        let upper: f64 = impulses[4..].iter().map(|impulse| impulse.normal).sum();
        println!("{masses:?}: gap {least:e}, speed {speed:e}, upper weight {upper}");
        assert!(least > -1e-12 && speed < 1e-8, "{least:e} {speed:e}");
        let weight = masses[1] * GRAVITY * 2e-3;
        assert!((upper - weight).abs() < 1e-6 * weight, "{upper} {weight}");
    }
}

/// A column of twenty balls falls on the floor.
#[test]
fn twenty_balls_fall_in_a_column() {
    let count = 20;
    for restitution in [0.0, 0.5] {
        let radius = 0.05;
        let height = |index: usize| radius + 0.01 + 0.101 * index as f64;
        let mut pairs = vec![Pair::BallFloor(0, radius)];
        pairs.extend((1..count).map(|index| Pair::Balls(index - 1, index, 2.0 * radius)));
        let model = Bodies {
            bodies: (0..count)
                .map(|index| Body::ball(1.0, radius, [0.0, 0.0, height(index)]))
                .collect(),
            pairs,
            restitution,
            friction: 0.3,
            slope: 0.0,
            planar: false,
        };
        let (run, impulses) = trace_with(model.clone(), 0.5, 1.5, 2e-3);
        let least = deepest(&model, &run);
        let last = run.last();
        let speed = last.v.iter().fold(0.0_f64, |max, v| max.max(v.abs()));
        println!(
            "e {restitution}: gap {least:e}, speed {speed:e}, rise {:e}",
            run.rise()
        );
        assert!(
            least > -1e-12 && run.rise() < 1e-9,
            "{least:e} {:e}",
            run.rise()
        );
        assert!(speed < 1e-8, "{speed:e}");
        for (index, impulse) in impulses.iter().enumerate() {
            let weight = (count - index) as f64 * GRAVITY * 2e-3;
            assert!(
                (impulse.normal - weight).abs() < 1e-7,
                "{index} {impulse:?}"
            );
        }
    }
}

/// The first of twenty balls in a row strikes: momentum stays, energy does not rise, nobody overtakes.
#[test]
fn twenty_balls_in_a_row_are_struck() {
    for restitution in [0.0, 0.5, 1.0] {
        let mut speeds = vec![0.0; 20];
        speeds[0] = 1.0;
        let balls = Line {
            heights: (0..20)
                .map(|index| f64::from(index) - f64::from(u8::from(index == 0)))
                .collect(),
            speeds,
            gravity: 0.0,
            restitution,
            contacts: 19,
            gap: Neighbours,
        };
        let run = trace(balls, 3.0, 1e-2);
        println!("e {restitution}: {:?}", run.last().v);
        assert!(run.rise() < 1e-13, "{:e}", run.rise());
        for state in &run.states {
            let momentum: f64 = state.v.iter().sum();
            assert!((momentum - 1.0).abs() < 1e-12, "{momentum}");
        }
        let last = run.last();
        assert!(last.v.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12));
        assert!(
            last.q
                .windows(2)
                .all(|pair| pair[1] - pair[0] > 1.0 - 1e-12)
        );
    }
}

/// Steps from far too small to far too large: no ball sinks in, none gains energy.
#[test]
fn tiny_and_huge_steps() {
    for h in [1e-9, 1e-6, 0.1, 1.0, 100.0] {
        for start in [0.0, 1e-12, 1.0] {
            for restitution in [0.0, 0.7, 1.0] {
                let ball = Line {
                    heights: vec![start],
                    speeds: vec![-1.0],
                    gravity: GRAVITY,
                    restitution,
                    contacts: 1,
                    gap: Floor,
                };
                let run = trace(ball, 20.0 * h, h);
                let scale = run.energies[0];
                assert!(
                    run.rise() <= 1e-12 * scale,
                    "h {h}, z {start}, e {restitution}: {:e}",
                    run.rise()
                );
                assert!(
                    run.states
                        .iter()
                        .all(|state| state.q[0] >= -1e-12 * (1.0 + h))
                );
            }
        }
    }
}
