//! Bodies that meet in a step far longer than the time in which they would be in each other.

use super::dry_friction::{LOCATING, end};

/// Two bodies 10 m apart that come towards each other at 5 m/s each; gravity changes nothing between them.
fn meeting(shapes: [&str; 2]) -> String {
    let mut text = "t_end = 10.0\n".to_owned();
    for (name, x, velocity) in [("a", 0.0, 5.0), ("b", 10.0, -5.0)] {
        text += &format!(
            "[[bodies]]\nname = \"{name}\"\nmass = 1.0\ninertia = [0.01, 0.01, 0.01]\n\
             position = [{x:?}, 0.0, 0.0]\nvelocity = [{velocity:?}, 0.0, 0.0]\n"
        );
    }
    let surface = |body: &str, shape: &str| {
        format!(
            "{{ body = \"{body}\", frame = {{ point = [0.0, 0.0, 0.0] }}, shape = {{ {shape} }} }}"
        )
    };
    text += &format!(
        "[[contacts]]\nname = \"c\"\nrestitution = 1.0\nsurfaces = [{}, {}]\n",
        surface("a", shapes[0]),
        surface("b", shapes[1])
    );
    text
}

/// They exchange their velocities after 10 m less what of both is between their centres.
#[test]
fn what_meets_does_not_pass_through() {
    let balls = "sphere = 0.01";
    for (shapes, between) in [
        ([balls, balls], 0.02),
        (["cuboid = [0.005, 0.1, 0.1]", balls], 0.015),
        (["capsule = [0.01, 0.1]", balls], 0.02),
        (["cylinder = [0.1, 0.01]", balls], 0.11),
    ] {
        let text = meeting(shapes);
        let back = (10.0 - between) / 2.0 - 5.0 * (10.0 - (10.0 - between) / 10.0);
        for method in LOCATING {
            let (_, state) = end(&text, method, 10.0);
            assert!(
                (state.q[0] - back).abs() < 1e-6,
                "{method} {shapes:?}: {} for {back}",
                state.q[0]
            );
        }
    }
}
