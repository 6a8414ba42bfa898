//! Force elements: derivatives against differences, energy against work, angles over many turns.

use super::super::*;
use super::{Random, load_multipliers};
use liedae::scalar::Scalar;
use liedae::system::{Evaluator, Point, RatesJacobian, State, System};
use nalgebra::Vector3;

/// A force that depends on everything, written generically.
struct Wind;

impl PairForce for Wind {
    fn wrenches<S: Scalar>(&self, t: f64, [one, two]: &[Kinematics<S>; 2]) -> [Wrench<S>; 2] {
        let relative = two.velocity - one.velocity;
        let speed = (relative.dot(&relative) + 0.1).sqrt();
        let push = relative * (speed * -0.3) + two.direction(&Vector3::new(t.sin(), 1.0, 0.0));
        let twist = one.angular_velocity().cross(&two.angular_velocity());
        [
            one.force_at(&two.position, &-push) + one.torque(&twist),
            two.force_at(&one.point(&Vector3::x()), &push),
        ]
    }
}

/// Every force element on two random bodies.
fn all_forces(seed: u64, turns: bool) -> MultibodySystem {
    let mut random = Random::new(seed);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 1.0, -9.81]);
    let one = mechanism.add_body(random.body("one"));
    let two = mechanism.add_body(random.body("two"));
    let hinge = mechanism.add_joint(Joint::revolute(
        "hinge",
        one,
        two,
        random.vector(),
        random.unit(),
    ));
    let wheel = mechanism.add_joint(Joint::cylindrical(
        "wheel",
        BodyId::GROUND,
        two,
        random.vector(),
        random.unit(),
    ));
    let slide = mechanism.add_joint(Joint::translational(
        "slide",
        one,
        two,
        random.vector(),
        random.unit(),
    ));
    let points = |random: &mut Random| {
        [
            Frame::local_point(random.vector()),
            Frame::local_point(random.vector()),
        ]
    };
    mechanism.add_spring(
        TranslationalSpring::new("spring", [one, two], points(&mut random), 30.0, 0.4)
            .with_damping(2.0)
            .with_actuator(|t, l, rate| l * l * (5.0 * t.cos()) + rate.tanh() * 3.0),
    );
    mechanism.add_spring(TranslationalSpring::new(
        "stay",
        [two, BodyId::GROUND],
        points(&mut random),
        11.0,
        1.0,
    ));
    let torsion = |name: &str, joint| {
        let spring = RotationalSpring::new(name, joint, 7.0, 0.2)
            .with_damping(0.8)
            .with_actuator(|_, angle, rate| angle.sin() * rate);
        if turns { spring } else { spring.wrapping() }
    };
    mechanism.add_rotational_spring(torsion("torsion", hinge));
    mechanism.add_rotational_spring(torsion("windup", wheel));
    mechanism.add_rotational_spring(RotationalSpring::new("plain", wheel, 2.0, 0.1));
    mechanism.add_force("wind", one, two, Wind);
    mechanism.add_force("breeze", BodyId::GROUND, one, Wind);
    mechanism.add_force_closure("thrust", BodyId::GROUND, two, |t, [_, body]| {
        let along = body.direction(&Vector3::new(t, 1.0, 0.0)) * body.omega.x;
        [
            Wrench::zero(),
            body.force_at(&body.point(&Vector3::y()), &along),
        ]
    });
    mechanism.add_friction(Friction::new("rub", slide, 0.3, NormalForce::Full).reversing());
    let scrape = Friction::new("scrape", wheel, 0.2, NormalForce::Component([0.6, 0.8]));
    mechanism.add_friction(scrape.reversing().starting(-1));
    mechanism.build_unchecked().expect("assembles")
}

fn rates(system: &mut MultibodySystem, at: &Point) -> Vec<f64> {
    let mut out = vec![f64::NAN; system.layout.rate_count()];
    system.rates(at, &mut out).expect("finite");
    out
}

/// Central difference of the rates along one direction of the state.
fn slope(
    system: &mut MultibodySystem,
    state: &State,
    change: impl Fn(&mut State, f64, &MultibodySystem),
) -> Vec<f64> {
    const STEP: f64 = 1e-6;
    let [ahead, behind] = [STEP, -STEP].map(|step| {
        let mut moved = state.clone();
        change(&mut moved, step, system);
        rates(system, &moved.point())
    });
    ahead
        .iter()
        .zip(&behind)
        .map(|(a, b)| (a - b) / (2.0 * STEP))
        .collect()
}

#[test]
fn rates_jacobian_agrees_with_differences() {
    for (seed, turns) in [(1, false), (2, true), (3, true), (4, false)] {
        let mut system = all_forces(seed, turns);
        let mut state = system.initial_state();
        state.t = 0.7;
        let mut random = Random::new(seed + 20);
        load_multipliers(&mut state, &mut random);
        state.z = vec![3.0, 5.0];
        let layout = system.layout.clone();
        let (dimension, total) = (layout.dimension(), layout.rate_count());
        let mut jacobian = RatesJacobian::new(&layout);
        system
            .rates_jacobian(&state.point(), &mut jacobian)
            .expect("finite");
        let dense = |values: &[f64]| {
            let mut dense = vec![0.0; total * total];
            layout.rates.to_dense_into(values, &mut dense);
            dense
        };
        let (by_position, by_velocity) =
            (dense(&jacobian.by_position), dense(&jacobian.by_velocity));
        let check = |found: &[f64], column: usize, expected: &[f64]| {
            for (row, wanted) in expected.iter().enumerate() {
                let entry = found[row * total + column];
                assert!(
                    (entry - wanted).abs() < 1e-6 * (1.0 + wanted.abs()),
                    "({row}, {column}): {entry} {wanted}"
                );
            }
        };
        for column in 0..total {
            let expected = slope(&mut system, &state, |state, step, system| {
                if column < dimension {
                    let mut u = vec![0.0; dimension];
                    u[column] = step;
                    let from = state.q.clone();
                    system.layout.space.retract(&from, &u, &mut state.q);
                } else if column < dimension + system.layout.differential {
                    state.x[column - dimension] += step;
                } else {
                    state.z[column - dimension - system.layout.differential] += step;
                }
            });
            check(&by_position, column, &expected);
        }
        for column in 0..dimension {
            let expected = slope(&mut system, &state, |state, step, _| {
                state.v[column] += step
            });
            check(&by_velocity, column, &expected);
        }
        for row in 0..layout.rows() {
            let expected = slope(&mut system, &state, |state, step, _| {
                state.lambda[row] += step
            });
            for (index, wanted) in expected[dimension + layout.differential..]
                .iter()
                .enumerate()
            {
                let entry = jacobian.by_multiplier[index * layout.rows() + row];
                assert!((entry - wanted).abs() < 1e-8, "{entry} {wanted}");
            }
            // Forces must not depend on multipliers but through z.
            assert!(expected[..dimension].iter().all(|entry| *entry == 0.0));
        }
    }
}

#[test]
fn springs_and_gravity_change_energy_by_their_work() {
    let mut random = Random::new(31);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([1.0, 0.0, -9.81]);
    let one = mechanism.add_body(random.body("one"));
    let two = mechanism.add_body(random.body("two"));
    let hinge = mechanism.add_joint(Joint::revolute(
        "hinge",
        one,
        two,
        [0.0; 3],
        [0.0, 0.0, 1.0],
    ));
    let points = [
        Frame::local_point([1.0, 0.0, 0.0]),
        Frame::world_point([0.3, 2.0, 0.0]),
    ];
    mechanism.add_spring(TranslationalSpring::new(
        "spring",
        [one, two],
        points,
        40.0,
        0.5,
    ));
    mechanism.add_rotational_spring(RotationalSpring::new("torsion", hinge, 5.0, 0.3));
    let mut system = mechanism.build_unchecked().expect("assembles");
    // Torsion works by z1, the angle by the projections: they agree where the axes coincide, as they do at assembly.
    let mut state = system.initial_state();
    let hinge_spin = Vector3::new(0.0, 0.0, 1.3);
    for (body, extra) in [(0, Vector3::zeros()), (1, hinge_spin)] {
        let a = Kinematics::read(Some(body), &state.q, &[]).rotation;
        let omega = a.tr_mul(&(Vector3::new(0.5, -0.2, 0.7) + extra));
        state.v[6 * body + 3..6 * body + 6].copy_from_slice(omega.as_slice());
    }
    let power: f64 = rates(&mut system, &state.point())
        .iter()
        .zip(&state.v)
        .map(|(force, v)| force * v)
        .sum();
    let energy_at = |s: f64| {
        let mut moved = state.clone();
        let u: Vec<f64> = state.v.iter().map(|v| v * s).collect();
        system.layout.space.retract(&state.q, &u, &mut moved.q);
        system.energies(&moved.point()).1
    };
    let rate = (energy_at(1e-5) - energy_at(-1e-5)) / 2e-5;
    assert!((rate + power).abs() < 1e-6, "{rate} {power}");
}

#[test]
fn an_angle_that_counts_turns_is_exact_and_unbounded() {
    let build = |counting: bool| {
        let mut mechanism = MultibodyBuilder::new();
        let wheel = mechanism.add_body(RigidBody::new("wheel", 1.0, [1.0, 1.0, 2.0]));
        let axle = mechanism.add_joint(Joint::revolute(
            "axle",
            BodyId::GROUND,
            wheel,
            [0.0; 3],
            [0.0, 0.0, 1.0],
        ));
        let spring = RotationalSpring::new("spring", axle, 3.0, 0.0);
        mechanism.add_rotational_spring(if counting { spring } else { spring.wrapping() });
        mechanism.build().expect("consistent")
    };
    let turned = |system: &MultibodySystem, angle: f64| {
        let mut state = system.initial_state();
        let from = state.q.clone();
        system
            .layout
            .space
            .retract(&from, &[0.0, 0.0, 0.0, 0.0, 0.0, angle], &mut state.q);
        state
    };
    let mut system = build(true);
    for angle in [0.1, 3.0, 3.3, -40.0, 1000.5] {
        let mut state = turned(&system, angle);
        state.x[0] = angle + 0.8;
        let torque = rates(&mut system, &state.point())[5];
        assert!((torque + 3.0 * angle).abs() < 1e-9, "{angle}: {torque}");
    }
    let mut system = build(false);
    for (angle, shown) in [(0.1, 0.1), (3.0, 3.0), (3.3, 3.3 - std::f64::consts::TAU)] {
        let torque = {
            let state = turned(&system, angle);
            rates(&mut system, &state.point())[5]
        };
        assert!((torque + 3.0 * shown).abs() < 1e-12, "{angle}: {torque}");
    }
}

#[test]
fn coincident_points_of_a_spring_and_of_a_distance_are_reported_not_nan() {
    let mut mechanism = MultibodyBuilder::new();
    let ball = mechanism.add_body(RigidBody::new("ball", 1.0, [1.0; 3]));
    let points = [Frame::world_point([0.0; 3]), Frame::local_point([0.0; 3])];
    mechanism.add_spring(TranslationalSpring::new(
        "spring",
        [BodyId::GROUND, ball],
        points,
        1.0,
        1.0,
    ));
    mechanism.add_joint(Joint::distance(
        "rod",
        BodyId::GROUND,
        ball,
        [0.0; 3],
        [1.0, 0.0, 0.0],
    ));
    let mut system = mechanism.build().expect("consistent");
    let mut state = system.initial_state();
    assert!(
        rates(&mut system, &state.point())
            .iter()
            .all(|force| *force == 0.0)
    );
    state.q[0] = -1.0;
    let at = state.point();
    let mut evaluator = Evaluator::new(&mut system);
    let error = evaluator
        .constraint_jacobian(&at, &mut [0.0; 6])
        .expect_err("no direction");
    assert!(error.to_string().contains("'rod' coincide"), "{error}");
}
