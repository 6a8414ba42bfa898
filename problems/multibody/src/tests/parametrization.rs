//! Euler parameters and Euler angles against the mechanism itself and against differences.

use super::derivatives::ByDifferences;
use super::*;
use liedae::integrator::{Hem5, Projection};
use liedae::solve::{Options, solve};
use liedae::system::{
    AccelerationSolver, Evaluator, Point, RatesJacobian, System, Wrapped,
    acceleration_constraint_jacobian, geometric_stiffness, total_energy,
    velocity_constraint_jacobian,
};

const BOTH: [Rotation; 2] = [Rotation::EulerParameters, Rotation::EulerAngles];

/// Two random bodies with forces of every kind and independent joints, not satisfied.
fn forced(seed: u64) -> MultibodySystem {
    let mut random = Random::new(seed);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.3, -0.7, -9.0]);
    let one = mechanism.add_body(random.body("one"));
    let two = mechanism.add_body(random.body("two"));
    let mut frame = || {
        let z = random.unit();
        let x = z.cross(&random.unit()).normalize();
        Frame::local(random.vector(), z, x)
    };
    let ball = [frame(), frame()];
    mechanism.add_joint(Joint::new(
        "ball",
        JointKind::Spherical,
        BodyId::GROUND,
        one,
        ball,
    ));
    let tube = [frame(), frame()];
    let tube = mechanism.add_joint(Joint::new("tube", JointKind::Cylindrical, one, two, tube));
    mechanism.add_drive("drive", tube, Drive::Angle(motion()));
    mechanism.add_rotational_spring(RotationalSpring::new("torsion", tube, 3.0, 0.4));
    mechanism.add_friction(Friction::new("friction", tube, 0.3, NormalForce::Full).reversing());
    mechanism.add_spring(TranslationalSpring::new(
        "spring",
        [one, two],
        [frame(), frame()],
        7.0,
        0.6,
    ));
    mechanism.start_time(0.4);
    mechanism.build_unchecked().expect("random joints assemble")
}

/// A state off the rows |p| = 1 and p · p' = 0, with random multipliers and accelerations.
fn anywhere(system: &Parametrized, random: &mut Random) -> State {
    let mut state = system.initial_state();
    for part in state.q.iter_mut().chain(&mut state.v) {
        *part += 0.15 * random.number();
    }
    for part in state.lambda.iter_mut().chain(&mut state.acceleration) {
        *part = 2.0 * random.number();
    }
    for part in state.x.iter_mut().chain(&mut state.z) {
        *part += 1.0 + random.number();
    }
    state
}

/// A function of a system with a vector of values.
type Values<'a> = dyn FnMut(&mut Parametrized, &Point) -> Vec<f64> + 'a;

/// Central differences of fourth order along q + s dq, v + s dv, t + s dt.
fn slope(
    system: &mut Parametrized,
    state: &State,
    [dq, dv]: [&[f64]; 2],
    dt: f64,
    values: &mut Values,
) -> Vec<f64> {
    const H: f64 = 1e-3;
    let mut total = Vec::new();
    for (place, weight) in [(-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)] {
        let mut moved = state.clone();
        let s = place * H;
        moved.t += s * dt;
        for (part, rate) in moved.q.iter_mut().zip(dq).chain(moved.v.iter_mut().zip(dv)) {
            *part += s * rate;
        }
        let found = values(system, &moved.point());
        total.resize(found.len(), 0.0);
        for (sum, value) in total.iter_mut().zip(found) {
            *sum += weight * value / (12.0 * H);
        }
    }
    total
}

fn agree(found: &[f64], wanted: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), wanted.len());
    for (index, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        let error = (found - wanted).abs();
        assert!(
            error < tolerance * (1.0 + wanted.abs()),
            "{what}, entry {index}: {found} {wanted}"
        );
    }
}

#[test]
fn constraint_levels_are_derivatives_of_the_constraints() {
    for (seed, rotation) in (1..6).flat_map(|seed| BOTH.map(|rotation| (seed, rotation))) {
        let mut random = Random::new(seed + 100);
        let mut system = Parametrized::new(everything(seed), rotation).expect("fits");
        let state = anywhere(&system, &mut random);
        let (at, rows) = (state.point(), system.layout().rows());
        let still = vec![0.0; state.v.len()];
        let mut position = |system: &mut Parametrized, at: &Point| {
            let mut out = vec![f64::NAN; rows];
            system.position_constraint(at, &mut out).expect("finite");
            out
        };
        let pattern = system.layout().jacobian.clone();
        let mut values = vec![f64::NAN; pattern.nnz()];
        system
            .constraint_jacobian(&at, &mut values)
            .expect("finite");
        let (mut unit, mut column) = (still.clone(), vec![0.0; rows]);
        for index in 0..unit.len() {
            unit[index] = 1.0;
            pattern.multiply(&values, &unit, &mut column);
            let wanted = slope(&mut system, &state, [&unit, &still], 0.0, &mut position);
            agree(&column, &wanted, 1e-8, "Jacobian");
            unit[index] = 0.0;
        }
        let mut rate = |system: &mut Parametrized, at: &Point| {
            let mut out = vec![f64::NAN; rows];
            system.velocity_constraint(at, &mut out).expect("finite");
            out
        };
        let wanted = slope(&mut system, &state, [&state.v, &still], 1.0, &mut position);
        agree(&rate(&mut system, &at), &wanted, 1e-6, "velocity level");
        let mut bias = vec![f64::NAN; rows];
        system.acceleration_bias(&at, &mut bias).expect("finite");
        let wanted = slope(&mut system, &state, [&state.v, &still], 1.0, &mut rate);
        agree(&bias, &wanted, 1e-5, "bias");
    }
}

#[test]
fn derivatives_of_the_rates_are_exact() {
    for (seed, rotation) in (1..6).flat_map(|seed| BOTH.map(|rotation| (seed, rotation))) {
        let mut random = Random::new(seed + 200);
        let mut system = Parametrized::new(forced(seed), rotation).expect("fits");
        let state = anywhere(&system, &mut random);
        let layout = system.layout().clone();
        let mut exact = RatesJacobian::new(&layout);
        system
            .rates_jacobian(&state.point(), &mut exact)
            .expect("finite");
        let mut rates = |system: &mut Parametrized, at: &Point| {
            let mut out = vec![f64::NAN; layout.rate_count()];
            system.rates(at, &mut out).expect("finite");
            out
        };
        let still = vec![0.0; state.v.len()];
        let (mut unit, mut column) = (still.clone(), vec![0.0; layout.rate_count()]);
        let mut all = column.clone();
        for index in 0..unit.len() {
            (unit[index], all[index]) = (1.0, 1.0);
            let by_q = slope(&mut system, &state, [&unit, &still], 0.0, &mut rates);
            layout.rates.multiply(&exact.by_position, &all, &mut column);
            agree(&column, &by_q, 1e-7, "by position");
            let by_v = slope(&mut system, &state, [&still, &unit], 0.0, &mut rates);
            layout.rates.multiply(&exact.by_velocity, &all, &mut column);
            agree(&column, &by_v, 1e-7, "by velocity");
            (unit[index], all[index]) = (0.0, 0.0);
        }
        let base = rates(&mut system, &state.point());
        for index in 0..layout.differential + layout.algebraic {
            let mut moved = state.clone();
            let mut parts = moved.x.iter_mut().chain(&mut moved.z);
            *parts.nth(index).expect("within") += 1e-4;
            let wanted: Vec<f64> = rates(&mut system, &moved.point())
                .iter()
                .zip(&base)
                .map(|(a, b)| (a - b) / 1e-4)
                .collect();
            all[layout.dimension() + index] = 1.0;
            layout.rates.multiply(&exact.by_position, &all, &mut column);
            agree(&column, &wanted, 1e-6, "by a further state");
            all[layout.dimension() + index] = 0.0;
        }
        for row in 0..layout.rows() {
            let mut moved = state.clone();
            moved.lambda[row] += 1e-6;
            let ahead = rates(&mut system, &moved.point());
            moved.lambda[row] -= 2e-6;
            let behind = rates(&mut system, &moved.point());
            for z in 0..layout.algebraic {
                let index = layout.dimension() + layout.differential + z;
                let wanted = (ahead[index] - behind[index]) / 2e-6;
                let found = exact.by_multiplier[layout.rows() * z + row];
                agree(&[found], &[wanted], 1e-7, "by a multiplier");
            }
        }
    }
}

#[test]
fn second_derivatives_agree_with_differences() {
    for (seed, rotation) in (1..6).flat_map(|seed| BOTH.map(|rotation| (seed, rotation))) {
        let mut random = Random::new(seed + 300);
        let mut system = Parametrized::new(everything(seed), rotation).expect("fits");
        let state = anywhere(&system, &mut random);
        let (at, a) = (state.point(), &state.acceleration);
        let entries = system.layout().jacobian.nnz();
        let stiffness = system.layout().stiffness_pattern().expect("fits").nnz();
        let mut exact = [stiffness, entries, entries, entries].map(|length| vec![f64::NAN; length]);
        let mut approximate = exact.clone();
        let fill = |system: &mut dyn System, out: &mut [Vec<f64>; 4]| {
            let [stiffness, rate, by_position, by_velocity] = out;
            geometric_stiffness(system, &at, a, stiffness)?;
            velocity_constraint_jacobian(system, &at, rate)?;
            acceleration_constraint_jacobian(system, &at, a, by_position, by_velocity)
        };
        fill(&mut system, &mut exact).expect("finite");
        fill(&mut Wrapped(ByDifferences(system)), &mut approximate).expect("finite");
        for (part, (exact, approximate)) in exact.iter().zip(&approximate).enumerate() {
            // Differences are good to eight digits of the largest terms of a row.
            let largest = approximate.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
            for (index, (found, wanted)) in exact.iter().zip(approximate).enumerate() {
                assert!(
                    (found - wanted).abs() < 1e-8 * largest,
                    "{rotation:?}, seed {seed}, part {part}, entry {index}: {found} {wanted}"
                );
            }
            assert!(largest > 2.0, "part {part}");
        }
    }
}

#[test]
fn accelerations_and_reactions_are_those_of_the_mechanism() {
    for (seed, rotation) in (1..20).flat_map(|seed| BOTH.map(|rotation| (seed, rotation))) {
        let mut own = forced(seed);
        let mut expected = own.initial_state();
        let mut solver = AccelerationSolver::new(own.layout()).expect("fits");
        solver
            .complete(&mut Evaluator::new(&mut own), &mut expected)
            .expect("regular");
        let mut system = Parametrized::new(own, rotation).expect("fits");
        let mut state = system.initial_state();
        let mut solver = AccelerationSolver::new(system.layout()).expect("fits");
        solver
            .complete(&mut Evaluator::new(&mut system), &mut state)
            .expect("regular");
        let joints = expected.lambda.len();
        let found = system.in_matrices(&state);
        agree(&found.q, &expected.q, 1e-14, "configuration");
        agree(&found.v, &expected.v, 1e-13, "velocity");
        agree(
            &found.acceleration,
            &expected.acceleration,
            1e-10,
            "acceleration",
        );
        agree(&found.lambda, &expected.lambda, 1e-10, "multipliers");
        agree(&found.z, &expected.z, 1e-10, "normal force");
        // The rows |p| = 1 pull at nothing.
        agree(
            &state.lambda[joints..],
            &vec![0.0; state.lambda.len() - joints],
            1e-10,
            "norms",
        );
        let norms = usize::from(rotation == Rotation::EulerParameters) * 2;
        assert_eq!(state.lambda.len() - joints, norms);
    }
}

#[test]
fn charts_invert_themselves() {
    for (seed, rotation) in (1..40).flat_map(|seed| BOTH.map(|rotation| (seed, rotation))) {
        let own = everything(seed);
        let wanted = own.initial_state();
        let mut system = Parametrized::new(own, rotation).expect("fits");
        let state = system.initial_state();
        let found = system.in_matrices(&state);
        agree(&found.q, &wanted.q, 1e-13, "configuration");
        agree(&found.v, &wanted.v, 1e-12, "velocity");
    }
}

#[test]
fn the_energy_is_kept_in_all_coordinates() {
    for rotation in Rotation::ALL {
        let mut mechanism = MultibodyBuilder::new();
        mechanism.gravity([0.0, 0.0, -9.81]).keep_energy();
        let bar =
            mechanism.add_body(RigidBody::new("bar", 1.0, [0.1, 0.2, 0.25]).at([0.5, 0.0, 0.0]));
        let pivot = Joint::spherical("pivot", BodyId::GROUND, bar, [0.0; 3]);
        mechanism.add_joint(pivot);
        let mut system = mechanism.build().unwrap().with_rotation(rotation).unwrap();
        let start = system.initial_state();
        let before = total_energy(&mut system, &start.point()).unwrap();
        let options = Options::adaptive(2.0, 1e-4, 1e-4);
        let end = solve(&mut system, &Hem5::new(Projection::EveryStep), &options).unwrap();
        let after = total_energy(&mut system, &end.state.point()).unwrap();
        assert!(
            (after - before).abs() < 1e-13,
            "{rotation:?}: {:e}",
            after - before
        );
    }
}
