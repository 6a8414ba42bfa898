//! Forces with states: derivatives against differences, names and values, and everything that can be wrong with one.

use super::super::*;
use super::{Random, load_multipliers};
use liedae::scalar::Scalar;
use liedae::system::{Evaluator, System, check_system, output_names, output_values};
use nalgebra::Vector3;

/// Two states that everything depends on: time, both bodies, each other.
struct Servo {
    start: [f64; 2],
}

impl StateForce<2> for Servo {
    fn states(&self) -> [(&'static str, f64); 2] {
        [("current", self.start[0]), ("integral", self.start[1])]
    }

    fn evaluate<S: Scalar>(
        &self,
        t: f64,
        [one, two]: &[Kinematics<S>; 2],
        [current, integral]: &[S; 2],
    ) -> ([Wrench<S>; 2], [S; 2]) {
        let d = two.point(&Vector3::x()) - one.position;
        let spin = two.omega.dot(&two.omega) + one.velocity.x;
        let push = one.direction(&Vector3::y()) * ((*current * *current + d.x) * t.cos());
        let wrenches = [
            one.torque(&(push * *integral)),
            two.force_at(&two.point(&Vector3::z()), &-push),
        ];
        let rates = [
            -*current * 3.0 + d.dot(&d) + spin * *integral,
            (*current * two.rotation[(0, 1)]).sin() + one.omega.y,
        ];
        (wrenches, rates)
    }

    fn potential(&self, _t: f64, _bodies: &[Kinematics; 2], [current, _]: &[f64; 2]) -> f64 {
        current * current
    }
}

/// A mechanism with forces of all kinds that have states.
fn mechanism(seed: u64) -> MultibodySystem {
    let mut random = Random::new(seed);
    let mut mechanism = MultibodyBuilder::new();
    let one = mechanism.add_body(random.body("one"));
    let two = mechanism.add_body(random.body("two"));
    let (point, axis) = (random.vector(), random.unit());
    let wheel = mechanism.add_joint(Joint::cylindrical(
        "wheel",
        BodyId::GROUND,
        two,
        point,
        axis,
    ));
    mechanism.add_state_force("first", one, two, Servo { start: [0.4, -0.3] });
    mechanism.add_rotational_spring(RotationalSpring::new("windup", wheel, 3.0, 0.1));
    mechanism.add_state_force("second", BodyId::GROUND, two, Servo { start: [0.7, 0.9] });
    mechanism.add_state_force("third", one, BodyId::GROUND, Servo { start: [0.1, 0.2] });
    mechanism.add_friction(Friction::new("rub", wheel, 0.2, NormalForce::Full).reversing());
    mechanism.start_time(0.6);
    mechanism.build_unchecked().expect("assembles")
}

#[test]
fn derivatives_agree_with_differences_in_all_coordinates() {
    for seed in 1..5 {
        for rotation in Rotation::ALL {
            let mut system = mechanism(seed).with_rotation(rotation).expect("fits");
            let mut state = system.initial_state();
            load_multipliers(&mut state, &mut Random::new(seed + 3));
            state.z = vec![4.0];
            let report = check_system(system.as_mut(), &state).expect("can be checked");
            assert!(
                report.faults.is_empty(),
                "{rotation:?}: {:?}",
                report.faults
            );
        }
    }
}

#[test]
fn states_have_names_and_initial_values() {
    let system = mechanism(1);
    let names = [
        "windup.angle",
        "first.current",
        "first.integral",
        "second.current",
        "second.integral",
        "third.current",
        "third.integral",
    ];
    let description = system.describe();
    assert_eq!(description.states, names);
    assert_eq!(description.forces, 5);
    assert!(
        description
            .to_string()
            .contains("states: windup.angle, first.current")
    );
    let state = System::initial_state(&system);
    assert_eq!(state.x[1..], [0.4, -0.3, 0.7, 0.9, 0.1, 0.2]);
    let now = Snapshot::new(&system, &state);
    assert_eq!(now.force_states("second"), [0.7, 0.9]);
    assert!(now.force_states("nobody").is_empty() && now.force_states("windup").is_empty());
    // Without probes the states are outputs.
    let mut system = system;
    assert!(output_names(&mut system).ends_with(&names.map(str::to_owned)[1..]));
    let mut outputs = vec![f64::NAN; output_names(&mut system).len()];
    output_values(&mut system, &state, &mut outputs).expect("finite");
    assert_eq!(outputs[outputs.len() - 6..], state.x[1..]);
    let stored: f64 = [0.4_f64, 0.7, 0.1]
        .iter()
        .map(|current| current * current)
        .sum();
    let (_, potential) = system.energies(&state.point());
    let torsion = 1.5 * (state.x[0] - 0.1_f64).powi(2);
    assert!((potential - stored - torsion).abs() < 1e-12);
}

/// A decay that is wrong in the way that is asked for.
struct Decay<const STATES: usize> {
    names: [&'static str; STATES],
    start: f64,
    rate: f64,
}

impl<const STATES: usize> StateForce<STATES> for Decay<STATES> {
    fn states(&self) -> [(&'static str, f64); STATES] {
        self.names.map(|name| (name, self.start))
    }
    fn evaluate<S: Scalar>(
        &self,
        _t: f64,
        _bodies: &[Kinematics<S>; 2],
        x: &[S; STATES],
    ) -> ([Wrench<S>; 2], [S; STATES]) {
        ([Wrench::zero(); 2], x.map(|x| x.ln() * self.rate))
    }
}

fn build<const STATES: usize>(
    names: [&'static str; STATES],
    [start, rate]: [f64; 2],
    second: BodyId,
) -> Result<MultibodySystem, AssemblyError> {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.add_body(RigidBody::new("bar", 1.0, [1.0; 3]));
    let force = Decay { names, start, rate };
    mechanism.add_state_force("decay", BodyId::GROUND, second, force);
    mechanism.build()
}

#[test]
fn forces_with_states_are_checked() {
    let bar = BodyId(Some(0));
    let error = |result: Result<MultibodySystem, AssemblyError>| {
        let error = result.err().expect("must fail");
        assert!(error.to_string().contains("decay"), "{error}");
        error
    };
    assert!(build(["a"], [1.0, 1.0], bar).is_ok());
    assert!(matches!(
        error(build([], [1.0, 1.0], bar)),
        AssemblyError::NoStates { .. }
    ));
    assert!(matches!(
        error(build(["a", "b", "a"], [1.0, 1.0], bar)),
        AssemblyError::DuplicateName { kind: "state", .. }
    ));
    for numbers in [
        [f64::NAN, 1.0],
        [f64::INFINITY, 1.0],
        [1.0, f64::NAN],
        [-1.0, 1.0],
    ] {
        assert!(matches!(
            error(build(["a"], numbers, bar)),
            AssemblyError::NotFinite { .. }
        ));
    }
    assert!(matches!(
        error(build(["a"], [1.0, 1.0], BodyId(Some(3)))),
        AssemblyError::UnknownBody { body: 3, .. }
    ));
    assert!(matches!(
        error(build(["a"], [1.0, 1.0], BodyId::GROUND)),
        AssemblyError::SameBody { .. }
    ));
    let mut mechanism = MultibodyBuilder::new();
    let bar = mechanism.add_body(RigidBody::new("bar", 1.0, [1.0; 3]));
    for _ in 0..2 {
        mechanism.add_state_force("decay", BodyId::GROUND, bar, Servo { start: [0.0; 2] });
    }
    assert!(matches!(
        error(mechanism.build()),
        AssemblyError::DuplicateName { kind: "force", .. }
    ));
}

#[test]
fn a_force_that_fails_is_named() {
    let mut system = build(["a"], [1.0, 1.0], BodyId(Some(0))).expect("assembles");
    let mut state = system.initial_state();
    state.x[0] = -1.0;
    let mut rates = vec![0.0; system.layout.rate_count()];
    let mut evaluator = Evaluator::new(&mut system);
    let error = evaluator
        .rates(&state.point(), &mut rates)
        .expect_err("ln of -1");
    assert!(error.to_string().contains("'decay'"), "{error}");
}
