//! Mechanisms in the plane as files.

use super::example;
use liedae::prelude::*;
use liedae::system::named_outputs;
use liedae_contact::{NonsmoothSystem, with_contacts};
use liedae_multibody::file::{MechanismFile, PlaneMechanismFile};

fn end(text: &str, method: &str) -> Vec<(String, f64)> {
    let file = PlaneMechanismFile::read(text).expect("a file");
    let mechanism = file.mechanism(text).expect("a mechanism");
    let mut system: Box<dyn System> = match mechanism.needs_layer() {
        true => {
            let system = NonsmoothSystem::new(with_contacts(mechanism), file.nonsmooth_options());
            Box::new(system.expect("admissible"))
        }
        false => Box::new(Automatic::new(mechanism)),
    };
    let registry = liedae_contact::methods();
    let method = registry.build(method, &MethodOptions::default());
    let options = match method.as_ref().expect("a method").method().captures_events {
        true => Options::fixed(file.t_end, 1e-4 * file.t_end),
        false => Options::adaptive(file.t_end, 1e-9, 1e-9),
    };
    let found = solve(
        system.as_mut(),
        method.expect("a method").as_ref(),
        &options,
    );
    let state = found.expect("a run").state;
    named_outputs(system.as_mut(), &state).expect("outputs")
}

/// Every kind of joint, drive and force that has a closed form in a line.
const PARTS: &str = r#"
plane = true
gravity = [0.0, -10.0]
t_end = 0.5

[[bodies]]
name = "wheel"
mass = 2.0
inertia = 0.5
[[bodies]]
name = "pinion"
mass = 1.0
inertia = 0.125
position = [1.0, 0.0]
[[bodies]]
name = "bob"
mass = 2.0
inertia = 0.0
position = [3.0, 0.0]
[[bodies]]
name = "slide"
mass = 1.0
inertia = 0.1
position = [0.0, 5.0]
velocity = [0.6, 0.0]
[[bodies]]
name = "ball"
mass = 1.0
inertia = 0.0
position = [6.0, 1.0]

[[joints]]
name = "axle"
kind = "revolute"
bodies = ["ground", "wheel"]
[[joints]]
name = "axis"
kind = "revolute"
bodies = ["ground", "pinion"]
points = [[1.0, 0.0], [0.0, 0.0]]
[[joints]]
name = "mesh"
kind = "gear"
bodies = ["wheel", "pinion"]
ratio = 0.5
[[joints]]
name = "rail"
kind = "point-on-line"
bodies = ["slide", "ground"]
points = [[0.0, 0.0], [0.0, 5.0]]
direction = [1.0, 0.0]
[[joints]]
name = "upright"
kind = "angle"
bodies = ["slide", "ground"]
[[joints]]
name = "feed"
kind = "slide-drive"
bodies = ["slide", "ground"]
points = [[0.0, 0.0], [0.0, 5.0]]
direction = [1.0, 0.0]
motion = { harmonic = { amplitude = 0.2, rate = 3.0 } }

[[forces]]
kind = "torque"
bodies = ["wheel", "ground"]
torque = 2.0
until = 0.25
[[forces]]
kind = "constant"
bodies = ["bob", "ground"]
force = [3.0, 20.0]

[[contacts]]
name = "floor"
bodies = ["ground", "ball"]
restitution = 0.5
pair = { disc-on-line = { point = [0.0, 0.0], normal = [0.0, 2.0], centre = [0.0, 0.0], radius = 0.2 } }

[[outputs]]
name = "turn"
body = "pinion"
quantity = "angle"
[[outputs]]
name = "push"
body = "bob"
quantity = "vx"
[[outputs]]
name = "fed"
body = "slide"
point = [0.5, 0.0]
quantity = "x"
[[outputs]]
name = "effort"
joint = "feed"
quantity = "effort"
[[outputs]]
name = "height"
body = "ball"
quantity = "y"
"#;

#[test]
fn parts_move_as_closed_forms_say() {
    // Reduced to the wheel: 0.5 + 0.125 · 4 kg m²; 0.25 s of 2 N m, then 0.25 s of coasting.
    let rate = 2.0 * 0.25 / (0.5 + 0.125 * 4.0);
    let wheel = 0.5 * rate * 0.25 + rate * 0.25;
    // It falls 0.8 m in 0.4 s, and rebounds with 2 m/s.
    let height = 0.2 + 2.0 * 0.1 - 5.0 * 0.1 * 0.1;
    let fed = 0.2 * 1.5_f64.sin();
    let expected = [
        ("turn", -2.0 * wheel),
        ("push", 1.5 * 0.5),
        ("fed", fed + 0.5),
        // m x'' with the sign of the multiplier of the drive, a force on body 1.
        ("effort", -9.0 * fed),
        ("height", height),
    ];
    for method in ["mdop5", "radau5", "bdf", "moreau-jean"] {
        let found = end(PARTS, method);
        let tolerance = if method == "moreau-jean" { 2e-3 } else { 1e-6 };
        for (name, expected) in expected {
            let value = found.iter().find(|(other, _)| other == name);
            let value = value.expect("an output").1;
            let off = (value - expected).abs();
            assert!(off < tolerance, "{method}: {name} is {value}, {expected}");
        }
    }
}

#[test]
fn all_methods_agree_on_the_example() {
    let text = example("plane-slider-crank.toml");
    let reference = end(&text, "radau5");
    for method in ["mdop5", "hem5", "bdf"] {
        for ((name, value), (_, expected)) in end(&text, method).iter().zip(&reference) {
            let off = (value - expected).abs();
            assert!(
                off < 1e-5 * (1.0 + expected.abs()),
                "{method}: {name} {off:e}"
            );
        }
    }
}

/// What is wrong is said with its line, its table and what was expected.
#[test]
fn mistakes_are_said_with_their_place() {
    for (from, to, place, words) in [
        (
            "plane = true",
            "plane = false",
            "line 2, plane",
            "expected `true`",
        ),
        ("mass = 2.0", "mass = -2.0", "bodies[0]", "its mass is -2"),
        (
            "bodies = [\"ground\", \"wheel\"]",
            "bodies = [\"ground\", \"wheal\"]",
            "joints[0].bodies",
            "there is no body `wheal`",
        ),
        (
            "name = \"axis\"",
            "name = \"axle\"",
            "joints[1].name",
            "the joint `axle` is there already",
        ),
        (
            "ratio = 0.5\n",
            "",
            "joints[2].kind",
            "the kind `gear` needs `ratio`",
        ),
        (
            "ratio = 0.5\n",
            "ratio = 0.5\npoints = [[0.0, 0.0], [0.0, 0.0]]\n",
            "joints[2].points",
            "the kind `gear` has no `points`",
        ),
        (
            "[\"wheel\", \"pinion\"]",
            "[\"ground\", \"pinion\"]",
            "joints[2].bodies",
            "the ground does not turn",
        ),
        (
            "direction = [1.0, 0.0]\n[[joints]]",
            "direction = [0.0, 0.0]\n[[joints]]",
            "joints[3].direction",
            "it has no direction",
        ),
        (
            "{ harmonic = { amplitude = 0.2, rate = 3.0 } }",
            "{ polynomial = [0.0, 0.6, 1.0] }",
            "joints[5].motion",
            "degree 1 at most",
        ),
        (
            "torque = 2.0\n",
            "",
            "forces[0].kind",
            "the kind `torque` needs `torque` or `motion`",
        ),
        (
            "bodies = [\"wheel\", \"ground\"]\ntorque",
            "bodies = [\"bob\", \"ground\"]\ntorque",
            "forces[0]",
            "point mass",
        ),
        (
            "radius = 0.2 }",
            "radius = -0.2 }",
            "contacts[0].pair",
            "the radius of a disc",
        ),
        (
            "restitution = 0.5",
            "restitution = -0.5",
            "contacts[0].name",
            "restitution",
        ),
        (
            "quantity = \"vx\"",
            "quantity = \"effort\"",
            "outputs[1].quantity",
            "bodies do not have it",
        ),
        (
            "joint = \"feed\"",
            "joint = \"food\"",
            "outputs[3].joint",
            "there is no joint `food`",
        ),
        (
            "velocity = [0.6, 0.0]",
            "velocity = [0.5, 0.0]",
            "joints[5].name",
            "the initial velocities violate joint `feed` by 1e-1",
        ),
        (
            "position = [1.0, 0.0]",
            "position = [1.0, 0.1]",
            "joints[1].name",
            "the initial positions violate joint `axis`",
        ),
        (
            "gravity = [0.0, -10.0]",
            "gravity = [0.0, 0.0, -10.0]",
            "line 3, gravity",
            "there are 3 entries: expected 2",
        ),
        (
            "bodies = [\"ground\", \"wheel\"]",
            "bodies = [\"ground\", \"wheel\", \"bob\"]",
            "joints[0].bodies",
            "there are 3 entries",
        ),
        (
            "[\"wheel\", \"pinion\"]",
            "[\"wheel\", \"wheel\"]",
            "joints[2].bodies",
            "both are `wheel`",
        ),
        (
            "ratio = 0.5",
            "ratio = 0.0",
            "joints[2].ratio",
            "another number than 0",
        ),
        (
            "ratio = 0.5",
            "ratio = nan",
            "joints[2].ratio",
            "finite numbers",
        ),
        (
            "until = 0.25",
            "until = -0.25",
            "forces[0].until",
            "behind the start",
        ),
        (
            "until = 0.25",
            "motion = { constant = 1.0 }",
            "forces[0].motion",
            "a `torque` as well",
        ),
        (
            "name = \"push\"",
            "name = \"floor.gap\"",
            "outputs[1].name",
            "outputs of such names",
        ),
        (
            "joint = \"feed\"",
            "joint = \"axle\"",
            "outputs[3].quantity",
            "no drive",
        ),
        (
            "quantity = \"angle\"",
            "quantity = \"angle\"\npoint = [0.1, 0.0]",
            "outputs[0].point",
            "turn alike",
        ),
        (
            "name = \"bob\"",
            "name = \"\"",
            "bodies[2].name",
            "the name is empty",
        ),
        (
            "t_end = 0.5",
            "t_end = 0.0",
            "t_end",
            "expected a positive time",
        ),
        (
            "t_end = 0.5",
            "t_end = 0.5\nt_start = 1.0",
            "t_start",
            "unknown field",
        ),
    ] {
        assert!(PARTS.contains(from), "{from}");
        let text = PARTS.replacen(from, to, 1);
        let made = PlaneMechanismFile::read(&text).and_then(|file| file.mechanism(&text));
        let said = match made {
            Ok(_) => panic!("{from} -> {to} is accepted"),
            Err(error) => error.to_string(),
        };
        assert!(said.contains(place) && said.contains(words), "{to}: {said}");
    }
}

/// Lists that are too long are refused in space as well, and a plane mechanism that does not say so gets a hint.
#[test]
fn what_has_no_place_is_not_dropped() {
    let text = "t_end = 1.0\ngravity = [0.0, 0.0, 0.0, -9.81]\nbodies = [{ name = \"b\", mass = 1.0, inertia = [1.0, 1.0, 1.0] }]\n";
    let error = MechanismFile::read(text).expect_err("four components");
    assert_eq!((error.line, error.field.as_str()), (2, "gravity"));
    assert_eq!(error.reason, "there are 4 entries: expected 3");
    let forgotten = PARTS.replace("plane = true\n", "");
    let error = MechanismFile::read(&forgotten).expect_err("two components");
    assert!(error.reason.contains("`plane = true`"), "{error}");
}

/// A bar on a bushing at its end, which pulls alike in all directions.
#[test]
fn a_cartesian_spring_is_written_and_read_alike() {
    use liedae_multibody::plane::{PlaneBodyData, PlaneForce, PlaneMechanism};

    let bar = PlaneBodyData {
        name: "bar".to_owned(),
        mass: 2.0,
        inertia: 0.3,
        position: [0.5, 0.0, 0.0],
        velocity: [0.0, 1.0, 0.0],
    };
    let bushing = |damping: f64| PlaneForce::Cartesian {
        points: [(None, [0.0, 0.0]), (Some(0), [-0.5, 0.0])],
        stiffness: 2000.0,
        damping,
    };
    let mechanism = |damping: f64| -> PlaneMechanism {
        let mechanism = PlaneMechanism::new(vec![bar.clone()], [0.0, -9.81]).expect("a bar");
        let mechanism = mechanism.with_forces([bushing(damping)]);
        mechanism.expect("a mechanism")
    };
    let text = mechanism(3.0).file(0.5).expect("a file");
    let text = text.text().expect("TOML");
    assert!(text.contains("kind = \"cartesian-spring\""), "{text}");
    let read = PlaneMechanismFile::read(&text).and_then(|file| file.mechanism(&text));
    let mut read = Automatic::new(read.expect("a mechanism"));
    let expected = super::bits_of_run(&mut Automatic::new(mechanism(3.0)), "radau5", 0.5);
    assert_eq!(super::bits_of_run(&mut read, "radau5", 0.5), expected);
    // Without damping the energy stays.
    let mut free = Automatic::new(mechanism(0.0));
    let method = liedae_contact::methods();
    let method = method
        .build("radau5", &MethodOptions::default())
        .expect("a method");
    let options = Options::adaptive(0.5, 1e-10, 1e-10);
    let start = free.initial_state();
    let end = solve(&mut free, method.as_ref(), &options)
        .expect("a run")
        .state;
    let mut energy = |state: &State| {
        free.energy()
            .and_then(|energy| energy.total(&state.point()))
    };
    let (first, last) = (energy(&start), energy(&end));
    let drift = first.zip(last).map(|(first, last)| (last - first).abs());
    assert!(
        drift.is_some_and(|drift| drift < 1e-7),
        "{first:?} {last:?}"
    );
}
