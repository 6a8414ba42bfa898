//! Impacts and corrections of positions bring no energy.

use super::bodies::{Bodies, Body};
use super::impacts::Random;
use super::many::{deepest, fallen_box};
use super::support::trace_with;

const HALF: [f64; 3] = [0.2, 0.15, 0.1];

/// A box thrown at random onto the floor, all corners of which may touch.
fn thrown(random: &mut Random, friction: f64, restitution: f64) -> Bodies {
    let mut between = |size: f64| random.between(-size, size);
    let body = Body {
        velocity: [between(1.0), between(1.0), between(1.0)],
        spin: [between(5.0), between(5.0), between(5.0)],
        ..Body::cuboid(1.0, HALF, [0.0, 0.0, 0.35])
    };
    Bodies {
        bodies: vec![body],
        ..fallen_box(friction, restitution)
    }
}

/// Without friction what is left comes from the correction of positions after impacts, with friction from steps within
/// which it reverses: both fall with the square of the step.
#[test]
fn thrown_boxes_gain_no_energy() {
    let random = &mut Random(7);
    for (friction, restitution, theta) in [
        (0.0, 0.0, 0.5),
        (0.0, 0.5, 0.5),
        (0.0, 1.0, 0.5),
        (0.0, 0.0, 1.0),
        (0.0, 0.5, 0.66),
        (0.5, 0.0, 0.5),
        (0.5, 0.0, 1.0),
        (1.2, 0.0, 0.5),
    ] {
        for _ in 0..5 {
            let model = thrown(random, friction, restitution);
            for h in [4e-3, 2e-3, 1e-3] {
                let (run, _) = trace_with(model.clone(), theta, 1.0, h);
                let (rise, gap) = (run.rise(), deepest(&model, &run));
                let case = format!("mu {friction}, e {restitution}, theta {theta}, h {h}");
                println!("{case}: rise {rise:e}, gap {gap:e}");
                assert!(gap > -1e-12, "{case}: {gap:e}");
                let bound = if friction > 0.0 || theta > 0.5 {
                    8.0
                } else {
                    1.0
                };
                assert!(rise < bound * h * h, "{case}: {rise:e}");
            }
        }
    }
}
