//! What outputs are said to be is what their values are.

use super::dry_friction::{end, system};
use liedae::prelude::*;
use liedae::system::{AccelerationSolver, Evaluator, named_outputs, output_definitions};
use liedae_multibody::file::PlaneMechanismFile;

/// A top that is turned by a quarter about x: its y is the world's z, and its z the world's -y.
const TOP: &str = r#"gravity = [0.0, 0.0, -10.0]
t_end = 1.0
[[bodies]]
name = "top"
mass = 3.0
inertia = [0.1, 0.2, 0.3]
position = [0.5, 0.25, 0.125]
rotation = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
velocity = [4.0, 5.0, 6.0]
angular_velocity = [1.0, 2.0, 3.0]
"#;

/// Names, definitions and values at the start, with accelerations and multipliers.
fn defined(system: &mut dyn System) -> Vec<(String, String, f64)> {
    let mut state = system.initial_state();
    let mut solver = AccelerationSolver::new(system.layout()).expect("a solver");
    let completed = solver.complete(&mut Evaluator::new(system), &mut state);
    completed.expect("accelerations");
    with_definitions(system, &state)
}

fn with_definitions(system: &mut dyn System, state: &State) -> Vec<(String, String, f64)> {
    let definitions = output_definitions(system);
    let values = named_outputs(system, state).expect("outputs");
    assert_eq!(definitions.len(), values.len());
    let both = values.into_iter().zip(definitions);
    both.map(|((name, value), definition)| (name, definition.expect("a definition"), value))
        .collect()
}

/// The value of the output that is defined so.
fn value(outputs: &[(String, String, f64)], definition: &str) -> f64 {
    let mut found = outputs.iter().filter(|(_, own, _)| own == definition);
    let (_, _, value) = found
        .next()
        .unwrap_or_else(|| panic!("`{definition}` is none of {outputs:?}"));
    assert!(found.next().is_none(), "`{definition}` is defined twice");
    *value
}

#[test]
fn bodies_turn_about_axes_of_their_own_unless_a_file_states_outputs() {
    let usual = defined(system(TOP).as_mut());
    for (axis, numbers) in
        ["x", "y", "z"]
            .into_iter()
            .zip([[0.5, 4.0, 1.0], [0.25, 5.0, 2.0], [0.125, 6.0, 3.0]])
    {
        let definitions = [
            format!("{axis} of the centre of mass of top in the fixed frame, m"),
            format!("velocity of the centre of mass of top along {axis} of the fixed frame, m/s"),
            format!("angular velocity of top about {axis} of its own frame, rad/s"),
        ];
        assert_eq!(definitions.map(|words| value(&usual, &words)), numbers);
    }
    let stated = TOP.to_owned()
        + r#"outputs = [
    { name = "turn", body = "top", quantity = "omega-z" },
    { name = "tip", body = "top", point = [0.0, 1.0, 0.0], quantity = "z" },
]
"#;
    // Outputs stand in front of the tables.
    let (head, outputs) = stated.split_at(TOP.len());
    let stated = defined(system(&format!("{outputs}{head}")).as_mut());
    let turn = "angular velocity of top about z of the fixed frame, rad/s";
    let tip = "z of the point (0, 1, 0) m of top, in its own frame from the centre of mass, in the fixed frame, m";
    assert_eq!([turn, tip].map(|words| value(&stated, words)), [2.0, 1.125]);
}

#[test]
fn reactions_act_on_the_second_body() {
    for (bodies, sign) in [(["ground", "top"], 1.0), (["top", "ground"], -1.0)] {
        let text = format!(
            r#"outputs = [
    {{ name = "load", joint = "bracket", quantity = "force-z" }},
    {{ name = "moment", joint = "bracket", quantity = "torque-y" }},
]
{}[[joints]]
name = "bracket"
kind = "fixed"
bodies = {bodies:?}
point = [0.0, 0.25, 0.125]
"#,
            // At rest.
            TOP.replace("[4.0, 5.0, 6.0]", "[0.0, 0.0, 0.0]")
                .replace("[1.0, 2.0, 3.0]", "[0.0, 0.0, 0.0]")
        );
        let outputs = defined(system(&text).as_mut());
        let load = "force of joint bracket on its body 2 along z of the fixed frame, N";
        assert!((value(&outputs, load) - sign * 30.0).abs() < 1e-9);
        // The weight pulls half a metre off: about -y, that of the bracket against it.
        let moment = "torque of joint bracket on its body 2 about the joint's point there, about y of the fixed frame, N m";
        assert!((value(&outputs, moment) + sign * 15.0).abs() < 1e-9);
    }
}

#[test]
fn friction_is_against_the_sliding_velocity() {
    for speed in [2.0_f64, -2.0] {
        let text = format!(
            r#"gravity = [0.0, 0.0, -10.0]
t_end = 1.0
[[bodies]]
name = "block"
mass = 1.0
inertia = [0.01, 0.01, 0.01]
velocity = [{speed:?}, 0.0, 0.0]
[[joints]]
name = "guide"
kind = "translational"
bodies = ["ground", "block"]
point = [0.0, 0.0, 0.0]
axis = [1.0, 0.0, 0.0]
[[frictions]]
name = "rub"
joint = "guide"
coefficient = 0.3
"#
        );
        let (mut system, end) = end(&text, "hem5", 0.1);
        let outputs = with_definitions(system.as_mut(), &end);
        let normal = "normal force of the joint guide, the sum over its supports of magnitudes, N";
        assert!((value(&outputs, normal) - 10.0).abs() < 1e-6);
        let friction = "friction force of the joint guide in the direction of its sliding velocity, negative where that is positive, N";
        assert!((value(&outputs, friction) + 1.5 * speed).abs() < 1e-6);
    }
}

#[test]
fn angles_in_the_plane_are_counter_clockwise() {
    let text = r#"plane = true
gravity = [0.0, 0.0]
t_end = 1.0
[[bodies]]
name = "disk"
mass = 1.0
inertia = 0.5
position = [3.0, 4.0]
angle = 0.5
velocity = [5.0, 6.0]
angular_velocity = 7.0
"#;
    let read = |text: &str| {
        let file = PlaneMechanismFile::read(text).expect("a file");
        let mechanism = file.mechanism(text).expect("a mechanism");
        defined(&mut Automatic::new(mechanism))
    };
    let usual = read(text);
    let of = |words: &str| value(&usual, words);
    assert_eq!(
        of("y of the centre of mass of disk in the fixed frame, m"),
        4.0
    );
    let angle = "angle of disk in the fixed frame, positive counter-clockwise, rad";
    assert_eq!(of(angle), 0.5);
    // A point on the disk's x goes where its angle says.
    let point =
        "[[outputs]]\nname = \"rim\"\nbody = \"disk\"\npoint = [1.0, 0.0]\nquantity = \"vy\"\n";
    let stated = read(&(text.to_owned() + point));
    let rim = "velocity of the point (1, 0) m of disk, in its own frame from the centre of mass, along y of the fixed frame, m/s";
    assert!((value(&stated, rim) - (6.0 + 7.0 * 0.5_f64.cos())).abs() < 1e-12);
}
