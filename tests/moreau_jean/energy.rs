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
        let (mut rise, mut smooth, mut least) = (0.0_f64, 0.0_f64, 0.0_f64);
        for _ in 0..6 {
            let model = thrown(random, friction, restitution);
            let free = Bodies {
                pairs: Vec::new(),
                ..model.clone()
            };
            let h = 1e-3;
            let (run, _) = trace_with(model.clone(), theta, 1.0, h);
            rise = rise.max(run.rise());
            least = least.min(deepest(&model, &run));
            smooth = smooth.max(trace_with(free, theta, 1.0, h).0.rise());
        }
        println!(
            "mu {friction}, e {restitution}, theta {theta}: rise {rise:e}, without contact {smooth:e}, gap {least:e}"
        );
        assert!(least > -1e-12, "{least:e}");
        assert!(rise < 1e-6, "{rise:e}");
    }
}
