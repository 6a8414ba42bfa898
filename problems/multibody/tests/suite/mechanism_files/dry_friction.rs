//! Dry friction of joints as files state it without a word: it stops what slides and holds what rests, with every method.

use liedae::analysis::{EquilibriumOptions, kinematic_analysis};
use liedae::prelude::*;
use liedae::solve::{Silent, SolveError, solve_from};
use liedae::system::{Evaluator, EventHandling, named_outputs, total_energy};
use liedae_contact::{Contacts, NonsmoothSystem, static_equilibrium};
use liedae_multibody::file::MechanismFile;

/// A block of 1 kg with friction on a straight guide from the origin.
fn block(gravity: [f64; 3], velocity: [f64; 3], axis: [f64; 3], friction: &str) -> String {
    format!(
        r#"gravity = {gravity:?}
t_end = 1.0
[[bodies]]
name = "block"
mass = 1.0
inertia = [0.01, 0.01, 0.01]
velocity = {velocity:?}
[[joints]]
name = "guide"
kind = "translational"
bodies = ["ground", "block"]
point = [0.0, 0.0, 0.0]
axis = {axis:?}
[[frictions]]
name = "rub"
joint = "guide"
{friction}
"#
    )
}

const X: [f64; 3] = [1.0, 0.0, 0.0];
const Z: [f64; 3] = [0.0, 0.0, 1.0];
const REST: [f64; 3] = [0.0; 3];

/// A spring of 100 N/m between the block and the origin, stretched by `stretch` at the start.
fn spring(stretch: f64) -> String {
    format!(
        r#"[[springs]]
name = "spring"
bodies = ["ground", "block"]
points = [[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
stiffness = 100.0
free_length = {}
"#,
        1.0 - stretch
    )
}

/// As a run is made of a file.
pub fn system(text: &str) -> Box<dyn System> {
    let file = MechanismFile::read(text).expect("a file");
    let mut system = file.system(text).expect("a mechanism");
    match system.unilateral().is_some() || system.joint_friction().is_some() {
        true => {
            let system = NonsmoothSystem::new(system, file.nonsmooth_options());
            Box::new(system.expect("admissible"))
        }
        false => Box::new(system),
    }
}

/// A run with a method as it is usually run: what it does in 1e-4 of the span by fixed steps, or by tolerances.
pub fn run(system: &mut dyn System, name: &str, t_end: f64) -> Result<Solution, SolveError> {
    let registry = liedae_contact::methods();
    let method = registry.build(name, &MethodOptions::default());
    let method = method.expect("a method");
    let options = match name {
        "moreau-jean" => Options::fixed(t_end, 1e-3 * t_end),
        _ => Options::adaptive(t_end, 1e-6, 1e-6),
    };
    solve(system, method.as_ref(), &options)
}

/// The system of a file and its state behind a run that succeeds.
pub fn end(text: &str, method: &str, t_end: f64) -> (Box<dyn System>, State) {
    let mut system = system(text);
    let found = run(system.as_mut(), method, t_end);
    let state = found
        .unwrap_or_else(|error| panic!("{method}: {error}"))
        .state;
    (system, state)
}

/// Methods that locate events, those for files with contacts.
pub const LOCATING: [&str; 6] = [
    "hem5",
    "phem56",
    "dop853",
    "radau5",
    "bdf",
    "generalized-alpha",
];

/// Those, another explicit one, and the one that captures events.
pub fn all_methods() -> Vec<&'static str> {
    [&LOCATING[..], &["mdop5", "moreau-jean"]].concat()
}

/// What is left of the position, the velocity and the energy at the end.
struct Expected {
    text: String,
    t_end: f64,
    along: usize,
    position: f64,
    velocity: f64,
    energy: f64,
}

fn expected() -> Vec<Expected> {
    let case = |text: String, t_end, along, [position, velocity, energy]: [f64; 3]| Expected {
        text,
        t_end,
        along,
        position,
        velocity,
        energy,
    };
    let rubs = "coefficient = 0.2";
    let steep = "coefficient = 0.5";
    // At an angle of 0.1 rad friction holds; at 0.6 rad the block comes back.
    let slope = |angle: f64| [angle.cos(), 0.0, angle.sin()];
    let back = {
        let (sin, cos) = 0.6_f64.sin_cos();
        let (up, down) = (10.0 * (sin + 0.2 * cos), 10.0 * (sin - 0.2 * cos));
        let (turn, top) = (2.0 / up, 2.0 / up);
        let rest = 1.0 - turn;
        [top - 0.5 * down * rest * rest, -down * rest]
    };
    let downhill = [-0.5 * 7.31, -7.31, 0.5 * 7.31 * 7.31 - 9.81 * 0.5 * 7.31];
    vec![
        // It coasts to rest after 1 s and 1 m.
        case(
            block([0.0, 0.0, -10.0], [2.0, 0.0, 0.0], X, rubs),
            3.0,
            0,
            [1.0, 0.0, 0.0],
        ),
        // v² / (2 μ g).
        case(
            block([0.0, 0.0, -9.81], [-1.0, 0.0, 0.0], X, rubs),
            2.0,
            0,
            [-1.0 / (2.0 * 0.2 * 9.81), 0.0, 0.0],
        ),
        case(
            block([0.0, 0.0, -9.81], REST, X, rubs),
            2.0,
            0,
            [0.0, 0.0, 0.0],
        ),
        // It falls along a vertical guide, against which 5 N press it: 9.81 - 0.5 * 5 m/s².
        case(block([5.0, 0.0, -9.81], REST, Z, steep), 1.0, 2, downhill),
        // The same with the axis upside down.
        case(
            block([5.0, 0.0, -9.81], REST, [0.0, 0.0, -1.0], steep),
            1.0,
            2,
            downhill,
        ),
        // Nothing presses: it falls freely.
        case(
            block([0.0, 0.0, -10.0], REST, Z, steep),
            1.0,
            2,
            [-5.0, -10.0, 0.0],
        ),
        // 3 N draw it, 2 N hold it back.
        case(
            block([3.0, 0.0, -10.0], REST, X, rubs),
            1.0,
            0,
            [0.5, 1.0, 0.5 - 1.5],
        ),
        // 1 N does not move it.
        case(
            block([1.0, 0.0, -10.0], REST, X, rubs),
            1.0,
            0,
            [0.0, 0.0, 0.0],
        ),
        case(
            block([0.0, 0.0, -10.0], REST, slope(0.1), rubs),
            1.0,
            0,
            [0.0, 0.0, 0.0],
        ),
        // Up a slope and back.
        case(
            block(
                [0.0, 0.0, -10.0],
                slope(0.6).map(|part| 2.0 * part),
                slope(0.6),
                rubs,
            ),
            1.0,
            0,
            [
                back[0] * 0.6_f64.cos(),
                back[1] * 0.6_f64.cos(),
                0.5 * back[1] * back[1] + 10.0 * back[0] * 0.6_f64.sin(),
            ],
        ),
        // From 0.09 m a spring draws it to -0.05 m and to 0.01 m, where 1 N does not move it any more.
        case(
            block([0.0, 0.0, -10.0], REST, X, rubs) + &spring(0.09),
            2.0,
            0,
            [-0.08, 0.0, 0.5 * 100.0 * 1e-4],
        ),
    ]
}

#[test]
fn joints_stop_and_hold_with_every_method() {
    let mut wrong = Vec::new();
    for (index, case) in expected().iter().enumerate() {
        for name in liedae_contact::methods().names() {
            let mut system = system(&case.text);
            let solution = match run(system.as_mut(), name, case.t_end) {
                Ok(solution) => solution,
                Err(error) => {
                    wrong.push(format!("{index}, {name}: {}", error.kind));
                    continue;
                }
            };
            let tolerance = match name {
                "half-implicit" | "half-implicit-newton" | "backward-euler" | "moreau-jean" => 2e-2,
                _ => 1e-4,
            };
            let state = solution.state;
            let energy = total_energy(system.as_mut(), &state.point()).expect("it has one");
            let found = [state.q[case.along], state.v[case.along], energy];
            let right = [case.position, case.velocity, case.energy];
            // An energy is a sum of kinetic and potential energies.
            let kinetic = 0.5 * case.velocity * case.velocity;
            let sizes = [case.position.abs(), case.velocity.abs(), kinetic];
            let wide = |index: usize| tolerance * (1.0 + sizes[index]);
            if (0..3).any(|index| (found[index] - right[index]).abs() > wide(index)) {
                wrong.push(format!("{index}, {name}: {found:?} instead of {right:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A slider that a floor holds in its guide, with friction of none: its velocity is round-off, and has no direction.
#[test]
fn round_off_does_not_reverse() {
    let held = r#"gravity = [0.0, 0.0, -9.81]
t_end = 2.0
[[bodies]]
name = "slider"
mass = 1.0
inertia = [0.01, 0.01, 0.01]
[[bodies]]
name = "arm"
mass = 1.0
inertia = [0.01, 0.01, 0.01]
position = [0.3, 0.0, 0.0]
[[joints]]
name = "guide"
kind = "translational"
bodies = ["ground", "slider"]
point = [0.0, 0.0, 0.0]
axis = [0.0, 0.6, 0.8]
[[joints]]
name = "pin"
kind = "revolute"
bodies = ["slider", "arm"]
point = [0.0, 0.0, 0.0]
axis = [0.0, 1.0, 0.0]
[[contacts]]
name = "floor"
surfaces = [
  { body = "ground", frame = { in = "world", point = [0.0, 0.0, -0.15], z = [0.0, 0.0, 1.0] }, shape = "half-space" },
  { body = "slider", frame = { point = [0.0, 0.0, 0.0] }, shape = { sphere = 0.05 } },
]
[[frictions]]
name = "rub"
joint = "guide"
"#;
    for coefficient in ["0.0", "0.2"] {
        for name in ["hem5", "mdop5", "radau5", "bdf", "generalized-alpha"] {
            let mut system = system(&format!("{held}coefficient = {coefficient}\n"));
            let solution = run(system.as_mut(), name, 2.0).expect(name);
            let records = &solution.events;
            assert!(records.len() < 6, "{name}: {records:?}");
            let end = solution.state;
            if coefficient == "0.0" {
                assert!((end.q[2] + 0.1).abs() < 1e-9, "{name}: {}", end.q[2]);
            }
            assert!(end.v[2].abs() < 1e-6, "{name}: {}", end.v[2]);
        }
    }
}

/// Friction that reverses only ends where it would push, with the cure in its words, and else is what sticking friction is.
#[test]
fn friction_that_only_reverses_does_not_push() {
    let only = |more: &str| format!("coefficient = 0.2\nsticks = false\n{more}");
    let methods = || {
        let names = liedae_contact::methods();
        names.names().collect::<Vec<_>>()
    };
    // It comes to rest on the way, or begins there.
    for (velocity, gravity, more) in [
        (2.0, 0.0, ""),
        (-2.0, 0.0, ""),
        (0.0, 0.0, ""),
        (0.0, 1.0, ""),
        (0.0, -1.0, "initial_direction = 1"),
        (0.0, -3.0, "initial_direction = 1"),
    ] {
        let text = block([gravity, 0.0, -10.0], [velocity, 0.0, 0.0], X, &only(more));
        for name in methods() {
            let error = run(system(&text).as_mut(), name, 3.0).expect_err(name);
            let said = error.kind.to_string();
            assert!(
                said.contains("'rub'")
                    && said.contains("'guide'")
                    && said.contains("sticks = false"),
                "{name}, {velocity}, {gravity}: {said}"
            );
        }
    }
    // Forces carry it on at rest, whichever way, and through its reversal.
    for (gravity, velocity, more) in [
        (3.0, 0.0, ""),
        (-3.0, 0.0, ""),
        (-3.0, 0.0, "initial_direction = -1"),
        (-3.0, 1.0, ""),
        (3.0, -1.0, "initial_direction = -1"),
    ] {
        let [alone, sticks] = [only(more), "coefficient = 0.2".to_owned()].map(|friction| {
            let text = block([gravity, 0.0, -10.0], [velocity, 0.0, 0.0], X, &friction);
            let mut system = system(&text);
            run(system.as_mut(), "radau5", 1.0).expect("it moves").state
        });
        assert!(
            (alone.q[0] - sticks.q[0]).abs() < 1e-6,
            "{gravity} {velocity}"
        );
        assert!(
            (alone.v[0] - sticks.v[0]).abs() < 1e-6,
            "{gravity} {velocity}"
        );
    }
}

/// A state may begin with another velocity than that of the file: friction follows it.
#[test]
fn directions_are_those_of_the_state_that_a_run_begins_with() {
    let text = block(
        [0.0, 0.0, -10.0],
        [2.0, 0.0, 0.0],
        X,
        "coefficient = 0.2\nsticks = false",
    );
    let mut system = system(&text);
    let mut start = system.initial_state();
    start.v[0] = -2.0;
    let registry = liedae_contact::methods();
    let method = registry.build("radau5", &MethodOptions::default());
    let end = solve_from(
        system.as_mut(),
        method.expect("a method").as_ref(),
        start,
        &Options::adaptive(0.5, 1e-8, 1e-8),
        &mut Silent,
    );
    assert!((end.expect("it slides").state.v[0] + 1.0).abs() < 1e-6);
}

/// A drive that begins without an acceleration: friction is against what it begins to move, from rest on and behind a dwell.
#[test]
fn drives_leave_rest_against_friction() {
    for (polynomial, t_end, effort) in [
        // a = 6 t, and 2 N of friction.
        ("[0.0, 0.0, 0.0, 1.0]", 0.5, 5.0),
        ("[0.0, 0.0, 0.0, -1.0]", 0.5, -5.0),
        // x = (t - 1)³ + 1 comes to rest at 1 s, and goes on: a = 6 (t - 1).
        ("[0.0, 3.0, -3.0, 1.0]", 1.5, 5.0),
        // x = 1 - (t - 1)⁴ comes to rest and back: a = -12 (t - 1)².
        ("[0.0, 4.0, -6.0, 4.0, -1.0]", 1.5, -5.0),
        // At rest.
        ("[0.0]", 0.5, 0.0),
    ] {
        let speed = if polynomial.starts_with("[0.0, 3") {
            3.0
        } else if polynomial.starts_with("[0.0, 4") {
            4.0
        } else {
            0.0
        };
        let text = block([0.0, 0.0, -10.0], [speed, 0.0, 0.0], X, "coefficient = 0.2")
            + &format!(
                "[[drives]]\nname = \"motor\"\njoint = \"guide\"\ntranslation = {{ polynomial = {polynomial} }}\n\
                 [[outputs]]\nname = \"effort\"\njoint = \"motor\"\nquantity = \"effort\"\n"
            );
        for name in [
            "hem5",
            "radau5",
            "bdf",
            "generalized-alpha-stabilized",
            "moreau-jean",
        ] {
            let mut system = system(&text);
            let state = run(system.as_mut(), name, t_end).expect(name).state;
            let outputs = named_outputs(system.as_mut(), &state).expect("outputs");
            let found = outputs
                .iter()
                .find(|(name, _)| name == "effort")
                .expect("one")
                .1;
            assert!(
                (found - effort).abs() < 2e-2,
                "{polynomial}, {name}: {found}"
            );
        }
    }
}

#[test]
fn equilibria_hold_by_friction() {
    let rubs = "coefficient = 0.2";
    let (sin, cos) = 0.1_f64.sin_cos();
    let at_rest = |text: &str| -> Result<f64, String> {
        let mut system = system(text);
        let mut start = system.initial_state();
        let handling = EventHandling::Located { tolerance: 0.0 };
        system
            .prepare(&mut start, handling)
            .map_err(|error| error.to_string())?;
        let rest = static_equilibrium(system.as_mut(), &start, &EquilibriumOptions::default());
        let rest = rest.map_err(|error| error.to_string())?;
        assert!(rest.state.v.iter().all(|&v| v == 0.0));
        Ok(rest.state.q[0])
    };
    let level = [0.0, 0.0, -10.0];
    for (text, position) in [
        (block(level, REST, X, rubs), 0.0),
        // Let go from its start without velocity.
        (block(level, [2.0, 0.0, 0.0], X, rubs), 0.0),
        (block(level, REST, [cos, 0.0, sin], rubs), 0.0),
        // The spring pulls by 9 N until 2 N are left.
        (block(level, REST, X, rubs) + &spring(0.09), -0.07),
        (block(level, REST, X, rubs) + &spring(-0.09), 0.07),
        (block(level, REST, X, rubs) + &spring(0.015), 0.0),
        (
            block(level, REST, X, "coefficient = 0.0") + &spring(0.09),
            -0.09,
        ),
    ] {
        let found = at_rest(&text).expect("it rests");
        assert!(
            (found - position).abs() < 1e-8,
            "{found} instead of {position}"
        );
    }
    let steep = block(level, REST, [0.6, 0.0, 0.8], rubs);
    assert!(
        at_rest(&steep)
            .expect_err("it slides")
            .contains("no equilibrium")
    );
    let only = block(level, REST, X, "coefficient = 0.2\nsticks = false");
    assert!(
        at_rest(&only)
            .expect_err("it would push")
            .contains("sticks = false")
    );
}

/// The effort of a drive that moves a block of 2 kg by 0.3 sin 4t along its guide.
#[test]
fn inverse_dynamics_takes_friction_of_the_moment() {
    let text = r#"gravity = [0.0, 0.0, -9.81]
t_end = 2.0
[[bodies]]
name = "block"
mass = 2.0
inertia = [0.01, 0.01, 0.01]
velocity = [1.2, 0.0, 0.0]
[[joints]]
name = "guide"
kind = "translational"
bodies = ["ground", "block"]
point = [0.0, 0.0, 0.0]
axis = [1.0, 0.0, 0.0]
[[drives]]
name = "travel"
joint = "guide"
translation = { harmonic = { amplitude = 0.3, rate = 4.0 } }
[[frictions]]
name = "rub"
joint = "guide"
coefficient = 0.1
[[outputs]]
name = "effort"
quantity = "effort"
joint = "travel"
"#;
    let mut mechanism = system(text);
    let mut state = mechanism.initial_state();
    for t in [0.0, 0.5, 1.0, 1.5, 2.0] {
        let mut evaluator = Evaluator::new(mechanism.as_mut());
        let motion = kinematic_analysis(&mut evaluator, &state, &[t]).expect("it is prescribed");
        state = motion.into_iter().next_back().expect("one time");
        let outputs = named_outputs(mechanism.as_mut(), &state).expect("outputs");
        let effort = outputs.iter().find(|(name, _)| name == "effort");
        let (found, velocity) = (effort.expect("stated").1, (4.0 * t).cos());
        let wanted = -2.0 * 0.3 * 16.0 * (4.0 * t).sin() + 0.1 * 2.0 * 9.81 * velocity.signum();
        assert!((found - wanted).abs() < 1e-6, "{t}: {found}, {wanted}");
    }
}
