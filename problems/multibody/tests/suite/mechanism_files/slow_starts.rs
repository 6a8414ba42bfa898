//! Blocks that friction cannot quite hold, oblique to the axes: where sliding is slow, the direction of friction is stiff.

use super::dry_friction::{all_methods, end};

const PRESSED: f64 = 9.81;
const FRICTION: f64 = 0.3;
const T_END: f64 = 2.0;

/// A block at rest, pulled along the floor by (1 + excess) times what friction can take, in a direction.
fn pulled(excess: f64, direction: f64) -> String {
    let pull = (1.0 + excess) * FRICTION * PRESSED;
    let (sin, cos) = direction.sin_cos();
    format!(
        r#"gravity = [{}, {}, {}]
t_end = {T_END}
[[bodies]]
name = "block"
mass = 1.0
inertia = [0.01, 0.01, 0.01]
[[contacts]]
name = "floor"
friction = {FRICTION}
surfaces = [
    {{ body = "ground", frame = {{ point = [0.0, 0.0, 0.0], z = [0.0, 0.0, 1.0] }}, shape = "half-space" }},
    {{ body = "block", frame = {{ point = [0.0, 0.0, 0.0] }}, shape = "point" }},
]
"#,
        pull * cos,
        pull * sin,
        -PRESSED
    )
}

/// Explicit methods held it with stages on both sides of rest: it came 6e-5 m of 5.9e-3 m.
#[test]
fn a_block_begins_to_slide_as_slowly_as_forces_say() {
    for method in all_methods().into_iter().chain(["dopri5"]) {
        for excess in [0.1, 1e-2, 1e-3] {
            for direction in [0.4, 2.0, -1.3] {
                let (_, end) = end(&pulled(excess, direction), method, T_END);
                let distance = 0.5 * excess * FRICTION * PRESSED * T_END * T_END;
                let (sin, cos) = f64::sin_cos(direction);
                let off = (end.q[0] - distance * cos).hypot(end.q[1] - distance * sin);
                assert!(
                    off < 5e-5,
                    "{method}, {excess}, {direction}: {off:e} of {distance:e}"
                );
            }
        }
    }
}
