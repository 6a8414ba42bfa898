//! Mechanisms of these tests, and runs of them.

use liedae::integrator::MethodOptions;
use liedae::solve::{EventRecord, Options, Solution, solve};
use liedae::system::{System, output_names, output_values};
use liedae_contact::{NonsmoothError, NonsmoothOptions, NonsmoothSystem, with_contacts};
use liedae_multibody::plane::{
    PlaneBodyData, PlaneForce, PlaneFriction, PlaneJoint, PlaneMechanism,
};

/// The methods that are held against closed forms.
pub const METHODS: [&str; 4] = ["hem5", "mdop5", "dop853", "phem56"];

pub const G: f64 = 9.81;

pub type Wrapped = NonsmoothSystem;

pub fn body(name: &str, mass: f64, position: [f64; 3], velocity: [f64; 3]) -> PlaneBodyData {
    PlaneBodyData {
        name: name.to_owned(),
        mass,
        inertia: 0.01 * mass,
        position,
        velocity,
    }
}

/// A body in a horizontal guide, its centre of mass `height` above the point that slides.
pub fn guided(
    mass: f64,
    [x, speed]: [f64; 2],
    height: f64,
    forces: impl IntoIterator<Item = PlaneForce>,
) -> PlaneMechanism {
    let block = body("block", mass, [x, height, 0.0], [speed, 0.0, 0.0]);
    let joints = [
        // The length of the direction must not matter.
        PlaneJoint::PointOnLine((Some(0), [0.0, -height]), (None, [0.0, 0.0]), [2.0, 0.0]),
        PlaneJoint::Angle(Some(0), None, 0.0),
    ];
    PlaneMechanism::new(vec![block], [0.0, -G])
        .unwrap()
        .with_joints(joints)
        .unwrap()
        .with_forces(forces)
        .unwrap()
}

pub fn rubbing(mechanism: PlaneMechanism, mu: f64, friction: PlaneFriction) -> PlaneMechanism {
    mechanism.with_friction("guide", mu, friction).unwrap()
}

pub fn wrap(mechanism: PlaneMechanism) -> Result<Wrapped, NonsmoothError> {
    NonsmoothSystem::new(with_contacts(mechanism), NonsmoothOptions::default())
}

pub fn run(system: &mut dyn System, method: &str, options: &Options) -> Solution {
    let method = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .unwrap();
    let name = method.method().name;
    solve(system, method.as_ref(), options).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub fn tight(end: f64) -> Options {
    Options::adaptive(end, 1e-10, 1e-10)
}

/// All methods that leave events to the driver, each with its own kind of steps.
pub fn located(end: f64, step: f64) -> impl Iterator<Item = (&'static str, Options)> {
    let all = liedae_contact::methods()
        .into_iter()
        .map(|entry| entry.method);
    all.filter(|method| !method.captures_events)
        .map(move |method| {
            let options = if method.is_adaptive() {
                Options::adaptive(end, 1e-6, 1e-6)
            } else {
                Options::fixed(end, step)
            };
            (method.name, options)
        })
}

/// Kinds of events, in their order.
pub fn kinds(events: &[EventRecord]) -> Vec<&str> {
    events.iter().map(|event| event.kind.as_str()).collect()
}

/// The value of an output at a complete state.
pub fn output(system: &mut dyn System, solution: &Solution, name: &str) -> f64 {
    let mut values = vec![f64::NAN; output_names(system).len()];
    output_values(system, &solution.state, &mut values).unwrap();
    let index = output_names(system).iter().position(|other| other == name);
    values[index.unwrap_or_else(|| panic!("no output {name}"))]
}
