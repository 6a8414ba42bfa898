//! Friction in joints that hold the same directions: rigid bodies do not determine what presses each of them, and every method takes the
//! reactions of least norm.

use super::dry_friction::end;
use liedae::system::{EventHandling, System, named_outputs};
use liedae_contact::NonsmoothSystem;
use liedae_multibody::file::MechanismFile;

/// A wheel of 12 kg on a shaft along x that turns with 20 rad/s in two bearings, at these places.
fn shaft(places: [f64; 2], more: &str) -> String {
    let bearing = |name: &str, x: f64| {
        format!(
            r#"[[joints]]
name = "{name}"
kind = "revolute"
bodies = ["ground", "wheel"]
point = [{x:?}, 0.0, 0.0]
axis = [1.0, 0.0, 0.0]
[[bearings]]
name = "rub-{name}"
joint = "{name}"
coefficient = 0.1
radius = 0.02
{more}
"#
        )
    };
    let [a, b] = places;
    format!(
        r#"gravity = [0.0, 0.0, -9.81]
t_end = 2.0
[[bodies]]
name = "wheel"
mass = 12.0
inertia = [0.3, 0.2, 0.2]
angular_velocity = [20.0, 0.0, 0.0]
{}{}"#,
        bearing("a", a),
        bearing("b", b)
    )
}

/// A crank-rocker of four parallel revolutes with friction in one of them, whose collar is pressed by moments that nothing determines.
const FOUR_BAR: &str = r#"gravity = [0.9, 1.3, -9.81]
t_end = 0.7
step = 0.001
[[bodies]]
name = "crank"
mass = 1.6
inertia = [0.06, 0.08, 0.06]
position = [0.11, 0.0, 0.35]
[[bodies]]
name = "coupler"
mass = 1.0
inertia = [0.011, 0.012, 0.011]
position = [1.075, 0.0, 0.85]
[[bodies]]
name = "rocker"
mass = 1.8
inertia = [0.04, 0.04, 0.04]
position = [1.645, 0.0, 0.5]
[[joints]]
name = "p0"
kind = "revolute"
bodies = ["ground", "crank"]
point = [0.0, 0.0, 0.0]
axis = [0.0, 1.0, 0.0]
[[joints]]
name = "p1"
kind = "revolute"
bodies = ["crank", "coupler"]
point = [0.22, 0.0, 0.7]
axis = [0.0, 1.0, 0.0]
[[joints]]
name = "p2"
kind = "revolute"
bodies = ["coupler", "rocker"]
point = [1.93, 0.0, 1.0]
axis = [0.0, 1.0, 0.0]
[[joints]]
name = "p3"
kind = "revolute"
bodies = ["rocker", "ground"]
point = [1.36, 0.0, 0.0]
axis = [0.0, 1.0, 0.0]
[[bearings]]
name = "rub"
joint = "p0"
coefficient = 0.17
radius = 0.016
span = 0.12
collar = 0.024
"#;

/// Methods of every kind.
const METHODS: [&str; 12] = [
    "hem5",
    "mdop5",
    "dopri5",
    "dop853",
    "phem56",
    "radau5",
    "bdf",
    "extrapolation",
    "generalized-alpha",
    "rattle",
    "half-implicit",
    "moreau-jean",
];

#[test]
fn a_shaft_in_two_bearings_is_braked_by_half_its_weight_in_each() {
    // Symmetric bearings share alike, whatever else joints are; both together are pressed by the weight, wherever they are.
    for (places, more) in [
        ([-0.1, 0.1], ""),
        ([-0.3, 0.3], ""),
        ([-0.1, 0.1], "span = 0.05"),
    ] {
        let text = shaft(places, more);
        for method in METHODS {
            let (mut system, state) = end(&text, method, 2.0);
            // μ m g r / J.
            let rate = 20.0 - 0.1 * 12.0 * 9.81 * 0.02 / 0.3 * 2.0;
            let off = (state.v[3] - rate).abs();
            assert!(off < 1e-4, "{method} {more}: {}, {rate}", state.v[3]);
            let outputs = named_outputs(system.as_mut(), &state).expect("outputs");
            for (name, value) in outputs {
                if name.ends_with(".normal") {
                    assert!((value - 58.86).abs() < 1e-4, "{method} {name}: {value}");
                }
            }
        }
    }
}

#[test]
fn a_shaft_that_comes_to_rest_stays() {
    let text = shaft([-0.1, 0.1], "").replace("20.0, 0.0, 0.0", "1.0, 0.0, 0.0");
    for method in METHODS {
        let (_, state) = end(&text, method, 2.0);
        // ω² / (2 α).
        let turned = 0.5 / (0.1 * 12.0 * 9.81 * 0.02 / 0.3);
        assert!(state.v[3].abs() < 1e-9, "{method}: {}", state.v[3]);
        let [sin, cos] = [state.q[10], state.q[7]];
        assert!(
            (sin.atan2(cos) - turned).abs() < 3e-3,
            "{method}: {}",
            sin.atan2(cos)
        );
    }
}

#[test]
fn a_four_bar_with_a_wide_bearing_moves_alike_with_every_method() {
    let (_, reference) = end(FOUR_BAR, "dop853", 0.7);
    for method in METHODS {
        let (_, state) = end(FOUR_BAR, method, 0.7);
        let off = state.v.iter().zip(&reference.v).map(|(a, b)| (a - b).abs());
        let off = off.fold(0.0, f64::max);
        assert!(off < 5e-3, "{method}: {off:e}");
    }
}

#[test]
fn joints_whose_reactions_are_not_determined_are_named() {
    let named = |text: &str| -> Vec<String> {
        let file = MechanismFile::read(text).expect("a file");
        let system = file.system(text).expect("a mechanism");
        let mut system = NonsmoothSystem::new(system, file.nonsmooth_options()).expect("a start");
        let mut state = system.initial_state();
        let handling = EventHandling::Located { tolerance: 1e-12 };
        system
            .prepare(&mut state, handling)
            .expect("it is prepared");
        let names = system.joints_with_shared_reactions();
        names.into_iter().map(str::to_owned).collect()
    };
    assert_eq!(named(FOUR_BAR), ["p0"]);
    assert_eq!(named(&shaft([-0.1, 0.1], "")), ["a", "b"]);
    // In the plane what presses across is determined.
    let narrow = FOUR_BAR.replace("span = 0.12\ncollar = 0.024\n", "");
    assert!(named(&narrow).is_empty());
}
