//! Jacobian, velocity level and acceleration level of every basic constraint and joint against duals.

use super::super::MultibodySystem;
use super::super::ball_joint::BallJoint;
use super::super::connection::{Connection, column};
use super::super::custom::{Evaluate, Own};
use super::super::kinematics::{Kinematics, VELOCITIES};
use super::super::row_entries::{POINT_ENTRIES, RowEntries};
use super::{Random, balls_alone, difference, everything, load_multipliers, of_either_kind};
use liedae::scalar::{Dual, Scalar, Taylor2};
use liedae::system::{
    Point, SecondDerivatives, State, System, Wrapped, Wrapper, acceleration_constraint_jacobian,
    geometric_stiffness, velocity_constraint_jacobian,
};

/// g of all joints, for any number type.
fn residuals<S: Scalar>(system: &MultibodySystem, t: S, q: &[S]) -> Vec<S>
where
    dyn Own: Evaluate<S>,
{
    let mut out = vec![S::constant(0.0); system.layout.rows()];
    for connection in &system.connections {
        connection.residual(t, q, &mut out);
    }
    out
}

/// g along r + s r', A exp(s hat ω), t + s.
fn along_curve(system: &MultibodySystem, at: &Point) -> Vec<Taylor2> {
    let space = &system.layout.space;
    let u: Vec<Taylor2> = at.v.iter().map(|&v| Taylor2::new(0.0, v, 0.0)).collect();
    let mut q = vec![Taylor2::constant(0.0); space.coordinates()];
    space.displace(at.q, &u, &mut q);
    residuals(system, Taylor2::variable(at.t), &q)
}

#[test]
fn jacobian_is_the_dual_derivative() {
    for seed in 1..11 {
        let mut system = of_either_kind(seed);
        let state = system.initial_state();
        let at = state.point();
        let pattern = system.layout.jacobian.clone();
        let mut values = vec![f64::NAN; pattern.nnz()];
        system
            .constraint_jacobian(&at, &mut values)
            .expect("finite");
        let mut dense = vec![0.0; pattern.rows() * 12];
        pattern.to_dense_into(&values, &mut dense);
        let u: [Dual<12>; 12] = std::array::from_fn(|index| Dual::variable(0.0, index));
        let mut q = vec![Dual::constant(0.0); 24];
        system.layout.space.displace(at.q, &u, &mut q);
        for (row, g) in residuals(&system, Dual::constant(at.t), &q)
            .iter()
            .enumerate()
        {
            let found = &dense[12 * row..12 * (row + 1)];
            assert!(
                difference(found, &g.gradient) < 1e-13,
                "row {row}: {found:?} {:?}",
                g.gradient
            );
        }
    }
}

#[test]
fn velocity_and_acceleration_level_are_time_derivatives() {
    for seed in 1..11 {
        let mut system = of_either_kind(seed);
        let state = system.initial_state();
        let at = state.point();
        let curve = along_curve(&system, &at);
        let mut level = vec![f64::NAN; system.layout.rows()];
        system.position_constraint(&at, &mut level).expect("finite");
        let expected: Vec<f64> = curve.iter().map(|g| g.value).collect();
        assert!(difference(&level, &expected) < 1e-13);
        system.velocity_constraint(&at, &mut level).expect("finite");
        let expected: Vec<f64> = curve.iter().map(|g| g.first).collect();
        assert!(
            difference(&level, &expected) < 1e-11,
            "{level:?} {expected:?}"
        );
        system.acceleration_bias(&at, &mut level).expect("finite");
        let expected: Vec<f64> = curve.iter().map(|g| g.second).collect();
        for (row, (found, wanted)) in level.iter().zip(&expected).enumerate() {
            assert!(
                (found - wanted).abs() < 1e-11 * (1.0 + wanted.abs()),
                "row {row}: {found} {wanted}"
            );
        }
    }
}

/// The system without its own second derivatives: those of the framework, by differences.
pub struct ByDifferences<T>(pub T);

impl<T: System> Wrapper for ByDifferences<T> {
    type Inner = T;
    fn inner(&self) -> &T {
        &self.0
    }
    fn inner_mut(&mut self) -> &mut T {
        &mut self.0
    }
    fn second_derivatives(&mut self) -> Option<&mut dyn SecondDerivatives> {
        None
    }
}

#[test]
fn second_derivatives_agree_with_differences() {
    for seed in 1..11 {
        let mut system = of_either_kind(seed);
        let mut state = system.initial_state();
        for (index, lambda) in state.lambda.iter_mut().enumerate() {
            *lambda = 1.0 - 0.37 * index as f64;
        }
        for (index, a) in state.acceleration.iter_mut().enumerate() {
            *a = 0.29 * index as f64 - 1.1;
        }
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
            for (index, (found, wanted)) in exact.iter().zip(approximate).enumerate() {
                let error = (found - wanted).abs();
                assert!(
                    error < 2e-7 * (1.0 + wanted.abs()),
                    "seed {seed}, part {part}, entry {index}: {found} {wanted}"
                );
            }
            assert!(
                approximate.iter().any(|value| value.abs() > 0.1),
                "part {part}"
            );
        }
    }
}

#[test]
fn every_row_depends_on_something() {
    // A Jacobian of zeros would agree with duals of a residual that is constant by mistake.
    let mut system = everything(3);
    let state = system.initial_state();
    let pattern = system.layout.jacobian.clone();
    let mut values = vec![0.0; pattern.nnz()];
    system
        .constraint_jacobian(&state.point(), &mut values)
        .expect("finite");
    for row in 0..pattern.rows() {
        let norm: f64 = values[pattern.row_range(row)]
            .iter()
            .map(|entry| entry * entry)
            .sum();
        assert!(norm > 1e-6, "row {row}");
    }
}

/// The pattern of the reactions' stiffness has all that is there, and no more.
#[test]
fn couplings_are_where_second_derivatives_are() {
    for seed in 1..4 {
        let system = everything(seed);
        let state = system.initial_state();
        let joints = system.connections.iter();
        for joint in joints.filter(|joint| joint.own().is_none()) {
            let [one, two] = joint.kinematics(&state.q, &[]);
            let moved: [Kinematics<Dual<12>>; 2] = [one.displaced(0), two.displaced(6)];
            let sides = joint.sides_with_axes(&moved);
            for row in &joint.rows {
                let gradient = row.gradient(state.t, &sides);
                let couplings = row.constraint.couplings();
                for (side, body) in moved.iter().enumerate() {
                    for (index, entry) in column(&gradient, side, &body.rotation).iter().enumerate()
                    {
                        let coupled = couplings[2 * side + index / 3];
                        for (part, coupled) in entry.gradient.chunks(3).zip(coupled) {
                            let size = part.iter().fold(0.0_f64, |max, v| max.max(v.abs()));
                            assert!(coupled || size < 1e-14, "{:?} {size}", row.constraint);
                        }
                    }
                }
            }
            // And what is said of it is so somewhere.
            let all = joint.rows.iter().map(|row| row.constraint.couplings());
            assert!(
                all.flatten().flatten().any(|coupled| coupled),
                "{}",
                joint.name
            );
        }
    }
}

/// The stiffness of a joint in closed form is the derivative of its forces and moments by duals.
#[test]
fn stiffness_is_the_dual_derivative() {
    for seed in 1..4 {
        let system = everything(seed);
        let mut state = system.initial_state();
        load_multipliers(&mut state, &mut Random::new(seed));
        let pattern = system.layout.stiffness_pattern().expect("fits");
        for joint in &system.connections {
            let [one, two] = joint.kinematics(&state.q, &[]);
            let moved: [Kinematics<Dual<12>>; 2] = [one.displaced(0), two.displaced(6)];
            let sides = joint.sides_with_axes(&moved);
            let mut expected = [0.0; 12 * 12];
            for (row, &lambda) in joint.rows.iter().zip(&state.lambda[joint.range()]) {
                let gradient = row.gradient(state.t, &sides);
                for (side, own) in moved.iter().enumerate() {
                    let Some(body) = joint.bodies[side] else {
                        continue;
                    };
                    let entries = column(&gradient, side, &own.rotation);
                    for (index, entry) in entries.iter().enumerate() {
                        for (by, slope) in entry.gradient.iter().enumerate() {
                            if let Some(other) = joint.bodies[by / 6] {
                                let place = 12 * (6 * body + index) + 6 * other + by % 6;
                                expected[place] -= lambda * slope;
                            }
                        }
                    }
                }
            }
            let mut values = vec![0.0; pattern.nnz()];
            joint.subtract_stiffness(state.t, &state.q, &state.lambda, &mut values);
            let mut found = [0.0; 12 * 12];
            pattern.to_dense_into(&values, &mut found);
            assert!(difference(&found, &expected) < 1e-12, "{}", joint.name);
        }
    }
}

/// Joints of two points have their equations in closed form, too.
#[test]
fn closed_forms_are_the_general_equations() {
    let system = everything(2);
    let state = system.initial_state();
    let mut general = vec![0.0; system.layout.rows()];
    let mut closed = general.clone();
    for joint in &system.connections {
        joint.residual(state.t, &state.q, &mut general);
        joint.residual_at(state.t, &state.q, &mut closed);
    }
    assert!(system.connections.iter().any(Connection::joins_points));
    assert!(difference(&general, &closed) < 1e-13);
}

/// Packed ball joints are the ball joints that they were made of, at all levels, on the ground as between bodies of any order.
#[test]
fn packed_ball_joints_are_the_general_equations() {
    let mut packed = 0;
    for seed in 1..7 {
        let system = if seed < 4 {
            everything(seed)
        } else {
            balls_alone(seed)
        };
        let State { t, q, v, .. } = system.initial_state();
        let rows = || vec![0.0; system.layout().rows()];
        let entries = || vec![0.0; system.layout().jacobian.nnz()];
        for joint in &system.connections {
            let Some(ball) = BallJoint::new(joint) else {
                continue;
            };
            packed += 1;
            let (mut found, mut expected) = (rows(), rows());
            ball.residual(&q, 1.0, &mut found);
            joint.residual(t, &q, &mut expected);
            assert!(difference(&found, &expected) < 1e-13);
            ball.rate(&q, &v, &mut found);
            joint.rate(t, &q, &v, &mut expected);
            assert!(difference(&found, &expected) < 1e-13);
            ball.bias(&q, &v, &mut found);
            joint.bias(t, &q, &v, &mut expected);
            assert!(difference(&found, &expected) < 1e-13);
            let (mut found, mut expected) = (entries(), entries());
            match system.row_entries {
                RowEntries::All => ball.jacobian::<VELOCITIES>(&q, &mut found),
                RowEntries::Points => ball.jacobian::<POINT_ENTRIES>(&q, &mut found),
            }
            joint.jacobian(t, &q, &mut expected);
            assert!(difference(&found, &expected) < 1e-13);
            assert!(found.iter().any(|entry| *entry != 0.0));
        }
        assert_eq!(
            system.balls.len() + system.others.len(),
            system.connections.len()
        );
    }
    assert!(packed > 15, "{packed}");
}

/// Rows of ball joints have four entries for each body as long as there are no others.
#[test]
fn ball_joints_alone_have_short_rows() {
    for seed in 1..4 {
        let (short, mixed) = (balls_alone(seed), everything(seed));
        assert_eq!(short.layout.jacobian.nnz(), (2 + 2 + 1 + 1) * 3 * 4);
        let widths = (0..mixed.layout.jacobian.rows()).map(|row| mixed.layout.jacobian.row(row));
        assert!(
            widths
                .into_iter()
                .all(|columns| columns.len() % VELOCITIES == 0)
        );
    }
}
