//! Contacts that leave more slowly than what counts as rest, while what moves along them is faster.

use super::dry_friction::{LOCATING, all_methods, end};

/// A ball of no size between two planes that open by 1e-5 rad moves on at 9 mm/s: its gaps open at 9e-8 m/s.
const SLIT: &str = r#"
gravity = [0.0, 0.0, 0.0]
t_end = 0.5
[[bodies]]
name = "ball"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
velocity = [0.009, 0.0, 0.0]
[[contacts]]
name = "floor"
restitution = 0.0
surfaces = [{ body = "ground", frame = { in = "world", point = [0.0, 0.0, 0.0], z = [0.0, 0.0, 1.0] }, shape = "half-space" }, { body = "ball", frame = { point = [0.0, 0.0, 0.0] }, shape = "point" }]
[[contacts]]
name = "plate"
restitution = 0.0
surfaces = [{ body = "ground", frame = { in = "world", point = [0.0, 0.0, 0.0], z = [1e-5, 0.0, -0.99999999995] }, shape = "half-space" }, { body = "ball", frame = { point = [0.0, 0.0, 0.0] }, shape = "point" }]
"#;

#[test]
fn a_ball_leaves_a_slit_that_opens_slowly() {
    for method in all_methods() {
        let (_, state) = end(SLIT, method, 0.5);
        assert!(
            (state.q[0] - 0.0045).abs() < 1e-9,
            "{method}: {:?}",
            state.q
        );
    }
}

/// A slider on a rail of 1.2e-5 rad with friction 0.2 that a hammer strikes to v = 0.007917 m/s stands with its corners on a rough floor. It
/// leaves the floor at 9.5e-8 m/s, and nothing but its rail slows it down: v²/2a = 1.5273e-5 m, a = 0.2 |g| across the rail.
#[test]
fn what_is_struck_off_a_floor_is_not_stopped_by_it() {
    let across = f64::hypot(3.0, 9.81);
    let (v, slope) = (0.007_916_666_666_666_667_f64, 1.2e-5);
    let stops = v * v / (2.0 * (0.2 * across + 9.81 * slope));
    for method in LOCATING {
        let text = include_str!("found/struck-off-a-floor.toml");
        let (_, state) = end(text, method, 12.931_578_947_368_422);
        assert!((state.q[0] - stops).abs() < 1e-7, "{method}: {:?}", state.q);
    }
}
