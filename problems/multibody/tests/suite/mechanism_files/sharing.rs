//! Boxes on more corners than their motion determines forces in: what slides shares its load by least norm, what can hold holds.

use super::dry_friction::{LOCATING, end};
use std::fmt::Write;

/// Tables of a body.
fn body(
    name: &str,
    mass: f64,
    inertia: [f64; 3],
    [x, z]: [f64; 2],
    velocity: [f64; 3],
    spin: f64,
) -> String {
    format!(
        "[[bodies]]\nname = \"{name}\"\nmass = {mass:?}\ninertia = {inertia:?}\nposition = [{x:?}, 0.0, {z:?}]\nvelocity = {velocity:?}\n\
         angular_velocity = [0.0, 0.0, {spin:?}]\n"
    )
}

/// Points of a body on a plane of another one, 0.1 m below its centre.
fn contact(base: &str, height: f64, body: &str, points: &[[f64; 2]], friction: f64) -> String {
    let points: Vec<[f64; 3]> = points.iter().map(|&[x, y]| [x, y, -0.1]).collect();
    format!(
        r#"[[contacts]]
name = "{base}-{body}"
friction = {friction:?}
surfaces = [{{ body = "{base}", frame = {{ point = [0.0, 0.0, {height:?}] }}, shape = "half-space" }}, {{ body = "{body}", frame = {{ point = [0.0, 0.0, 0.0] }}, shape = {{ points = {points:?} }} }}]
"#
    )
}

const HEADER: &str = "gravity = [0.0, 0.0, -9.81]\nt_end = 0.3\n";
const CORNERS: [[f64; 2]; 4] = [[0.2, 0.2], [-0.2, 0.2], [0.2, -0.2], [-0.2, -0.2]];

/// Gyroscopic terms make the Delassus matrix of a time step unsymmetric.
#[test]
fn boxes_that_slide_and_turn() {
    for inertia in [[0.02, 0.02, 0.02], [0.02, 0.02, 0.04], [0.02, 0.03, 0.04]] {
        for spin in [1.0, -1.0] {
            let mut text = HEADER.to_owned();
            text += &body("box", 1.0, inertia, [0.0, 0.1], [1.0, 0.0, 0.0], spin);
            text += &contact("ground", 0.0, "box", &CORNERS, 0.3);
            let (_, exact) = end(&text, "radau5", 0.3);
            for method in LOCATING.into_iter().chain(["moreau-jean"]) {
                let (_, state) = end(&text, method, 0.3);
                let differences = exact.v.iter().zip(&state.v).map(|(a, b)| (a - b).abs());
                let largest = differences.fold(0.0, f64::max);
                assert!(largest < 1e-3, "{method}, {inertia:?}, {spin}: {largest:e}");
            }
        }
    }
}

/// The limit of a heavy box is smooth.
#[test]
fn a_heavy_box_lands_on_a_light_one() {
    let spin = |mass: f64, method: &str| {
        let inertia = |mass: f64, half: f64| {
            let [along, up] = [half * half + 0.01, 2.0 * half * half].map(|sum| mass * sum / 3.0);
            [along, along, up]
        };
        let mut text = HEADER.to_owned();
        text += &body("light", 1.0, inertia(1.0, 0.2), [0.0, 0.1], [0.0; 3], 0.0);
        text += &body(
            "heavy",
            mass,
            inertia(mass, 0.15),
            [0.0, 0.31],
            [1.0, 0.0, -1.0],
            1.0,
        );
        text += &contact("ground", 0.0, "light", &CORNERS, 0.3);
        let feet = CORNERS.map(|corner| corner.map(|part| 0.75 * part));
        text += &contact("light", 0.1, "heavy", &feet, 0.5);
        end(&text, method, 0.1).1.v[5]
    };
    for method in ["hem5", "radau5"] {
        let [thousand, more, most] = [1e3, 1e4, 1e6].map(|mass| spin(mass, method));
        assert!(
            (thousand - most).abs() < 5e-4 && (more - most).abs() < 5e-5,
            "{method}: {thousand} {more} {most}"
        );
    }
}

/// A box that a couple turns, with 0.7 of what its corners hold at most: what slides elsewhere does not let it go. Least forces hold
/// 0.63 of that, so that it slides with `moreau-jean`.
#[test]
fn what_slides_far_away_changes_nothing() {
    let mut turned = Vec::new();
    for slides in [false, true] {
        let mut text = HEADER.to_owned();
        text += &body("held", 1.0, [0.02, 0.02, 0.03], [0.0, 0.1], [0.0; 3], 0.0);
        text += &contact(
            "ground",
            0.0,
            "held",
            &[[0.2, 0.0], [-0.2, 0.0], [0.0, 0.05], [0.0, -0.05]],
            0.5,
        );
        for side in [1.0, -1.0] {
            write!(
                text,
                "[[springs]]\nname = \"pull{side}\"\nbodies = [\"ground\", \"held\"]\npoints = [[{:?}, {side:?}, 0.1], [{:?}, 0.0, 0.1]]\n\
                 stiffness = 1.1445\nfree_length = 0.0\n",
                0.3 * side,
                0.3 * side
            )
            .expect("memory");
        }
        if slides {
            text += &body("sliding", 1.0, [0.02; 3], [5.0, 0.1], [1.0, 0.0, 0.0], 0.0);
            text += &contact(
                "ground",
                0.0,
                "sliding",
                &[[0.1, 0.0], [-0.1, 0.1], [-0.1, -0.1]],
                0.1,
            );
        }
        for method in LOCATING {
            let spin = end(&text, method, 0.3).1.v[5];
            assert!(spin.abs() < 1e-9, "{method}, {slides}: {spin}");
        }
        turned.push(end(&text, "moreau-jean", 0.3).1.v[5]);
    }
    assert!((turned[0] - turned[1]).abs() < 1e-9, "{turned:?}");
}
