//! Joints that rub, at rest, and are held by something else as well: forces do not say how much each of both takes.

use super::dry_friction::{all_methods, end};
use liedae::prelude::*;

/// The state at the end of a run of a body, by its number.
fn state(text: &str, method: &str, t_end: f64, body: usize) -> ([f64; 3], [f64; 3]) {
    let State { q, v, .. } = end(text, method, t_end).1;
    let position = std::array::from_fn(|axis| q[12 * body + axis]);
    (position, std::array::from_fn(|axis| v[6 * body + axis]))
}

/// A slider between its rail and the floor, both rough: friction of the rail presses the slider onto the floor, which presses the rail. As a
/// share of its limit that friction had no solution any more while the load fell, though nothing moves.
#[test]
fn a_slider_wedged_by_its_own_friction_stays() {
    for method in all_methods() {
        let text = include_str!("found/wedged-slider.toml");
        let (slider, _) = state(text, method, 0.1, 0);
        for (found, start) in slider.into_iter().zip([0.0989476, 0.344893, -0.477087]) {
            assert!((found - start).abs() < 1e-9, "{method}: {slider:?}");
        }
        // Later it lets go, and what hangs on it slides on.
        let (other, _) = state(text, method, 0.914182, 1);
        assert!((other[0] - 0.78576).abs() < 5e-4, "{method}: {other:?}");
        // Slid up its rail of 15° by a spring, it falls back and is wedged where the floor stops it.
        let text = include_str!("found/wedged-by-an-impact.toml");
        let (slider, velocity) = state(text, method, 2.0, 0);
        assert!(slider[0].abs() < 1e-9, "{method}: {slider:?}");
        assert!(velocity[0].abs() < 1e-9, "{method}: {velocity:?}");
    }
}

/// Two sliders that move as one, each pressed by 30 - 15 t N at μ = 0.5 and both drawn by 10 N: they slip when t = 4/3, and
/// 2 z'' = 15 (t - 4/3) - 100 z from there, as the spring of 100 N/m gives way. Whatever one of both takes, its limit falls below it before.
#[test]
fn two_sliders_hold_as_long_as_both_can() {
    let (slip, omega) = (4.0 / 3.0, 50_f64.sqrt());
    let time = 1.5 - slip;
    let z = 0.15 * (time - (omega * time).sin() / omega);
    for method in all_methods() {
        let (slider, velocity) = state(include_str!("found/two-rails.toml"), method, 1.5, 0);
        assert!((slider[2] - z).abs() < 3e-6, "{method}: {slider:?}, {z}");
        let rate = 0.15 * (1.0 - (omega * time).cos());
        assert!(
            (velocity[2] - rate).abs() < 5e-5,
            "{method}: {velocity:?}, {rate}"
        );
    }
}

/// A load on a lift of a cart that slides, held by friction and by the floor: what both take of it is not determined, and the friction of the
/// cart depends on it. 1.5 s later the cart is between 0.556 and 1.257 m/s fast; all methods choose alike.
#[test]
fn a_held_joint_on_a_cart_that_slides() {
    for method in all_methods() {
        let text = include_str!("found/held-on-a-cart.toml");
        let (_, velocity) = state(text, method, 1.5, 0);
        assert!(
            (velocity[0] - 0.906_855).abs() < 1e-4,
            "{method}: {velocity:?}"
        );
        let (load, _) = state(text, method, 1.5, 1);
        assert!(load[2].abs() < 1e-12, "{method}: {load:?}");
    }
}

/// A slider leaves the floor along its rail, which rises from it: faster along the rail than the threshold of rest, and away from the floor
/// slower than that. No forces kept the contact closed, since friction of the rail takes more than the floor gives.
#[test]
fn a_slider_that_leaves_along_a_slope_is_no_contact_at_rest() {
    for method in all_methods() {
        let text = include_str!("found/leaves-along-a-slope.toml");
        let (slider, _) = state(text, method, 0.607_155_587, 0);
        assert!(
            (slider[0] + 0.100_303_192).abs() < 1e-8,
            "{method}: {slider:?}"
        );
        let (arm, _) = state(text, method, 0.607_155_587, 1);
        assert!((arm[0] + 0.509_193_3).abs() < 1e-5, "{method}: {arm:?}");
    }
}
