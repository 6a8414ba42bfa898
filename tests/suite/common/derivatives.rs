//! Derivatives of a mechanism against differences, its forces against Lagrange's equations, and what free flight keeps.

use liedae::system::{
    Point, RatesJacobian, SecondDerivatives, State, System, Wrapped, Wrapper,
    acceleration_constraint_jacobian, geometric_stiffness, velocity_constraint_jacobian,
};
use liedae_multibody::{MultibodySystem, Vector3};

/// Moves a state to where it satisfies no row, with some velocities, multipliers and accelerations.
pub fn disturbed(system: &MultibodySystem) -> State {
    let mut state = system.initial_state();
    let size = state.v.len();
    let shift: Vec<f64> = (0..size).map(|k| 0.03 * (2.3 * k as f64).cos()).collect();
    let start = state.q.clone();
    system.layout().space.displace(&start, &shift, &mut state.q);
    for (index, lambda) in state.lambda.iter_mut().enumerate() {
        *lambda = 1.0 - 0.37 * index as f64;
    }
    for (index, a) in state.acceleration.iter_mut().enumerate() {
        *a = 0.29 * index as f64 - 1.1;
    }
    for (index, v) in state.v.iter_mut().enumerate() {
        *v += 0.1 * (1.9 * index as f64).sin();
    }
    state
}

/// The derivative of a function along a displacement of the configuration and a change of the velocity, by differences of the
/// sixth order.
fn slope(
    system: &mut MultibodySystem,
    state: &State,
    [moved, faster]: [&[f64]; 2],
    size: usize,
    mut function: impl FnMut(&mut MultibodySystem, &Point, &mut [f64]),
) -> Vec<f64> {
    let step = 4e-3;
    let mut sum = vec![0.0; size];
    for (distance, weight) in [(1.0, 45.0), (2.0, -9.0), (3.0, 1.0)] {
        for side in [-1.0, 1.0] {
            let way = side * distance * step;
            let mut there = state.clone();
            let local: Vec<f64> = moved.iter().map(|part| part * way).collect();
            let space = system.layout().space.clone();
            space.displace(&state.q, &local, &mut there.q);
            for (v, part) in there.v.iter_mut().zip(faster) {
                *v += part * way;
            }
            let mut values = vec![f64::NAN; size];
            function(system, &there.point(), &mut values);
            for (sum, value) in sum.iter_mut().zip(values) {
                *sum += side * weight * value / (60.0 * step);
            }
        }
    }
    sum
}

fn assert_same(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len());
    let size = expected
        .iter()
        .fold(1.0_f64, |size, part| size.max(part.abs()));
    for (index, (found, wanted)) in found.iter().zip(expected).enumerate() {
        // A NaN is no number below the tolerance.
        let close = (found - wanted).abs() < tolerance * size;
        assert!(close, "{what} {index}: {found} {wanted}");
    }
    assert!(expected.iter().any(|part| part.abs() > 0.1), "{what}");
}

fn unit(size: usize, direction: usize) -> Vec<f64> {
    let mut unit = vec![0.0; size];
    unit[direction] = 1.0;
    unit
}

/// G, ∂f/∂q and ∂f/∂v are the derivatives of the rows and forces.
pub fn check_first(mut system: MultibodySystem, state: &State) {
    let layout = system.layout().clone();
    let (size, rows) = (layout.dimension(), layout.rows());
    let still = vec![0.0; size];
    let mut jacobian = vec![f64::NAN; layout.jacobian.nnz()];
    system
        .constraint_jacobian(&state.point(), &mut jacobian)
        .expect("finite");
    let mut rates = RatesJacobian::new(&layout);
    system
        .rates_jacobian(&state.point(), &mut rates)
        .expect("finite");
    let column = |pattern: &liedae::linalg::Pattern, values: &[f64], wanted: usize| {
        let mut dense = vec![0.0; pattern.rows()];
        for (row, column, place) in pattern.iter().filter(|entry| entry.1 == wanted) {
            assert_eq!(column, wanted);
            dense[row] = values[place];
        }
        dense
    };
    let mut all = [Vec::new(), Vec::new(), Vec::new()];
    let mut expected = all.clone();
    for direction in 0..size {
        let unit = unit(size, direction);
        all[0].extend(column(&layout.jacobian, &jacobian, direction));
        expected[0].extend(slope(
            &mut system,
            state,
            [&unit, &still],
            rows,
            |system, at, out| {
                system.position_constraint(at, out).expect("finite");
            },
        ));
        for (part, values, way) in [
            (1, &rates.by_position, [&unit, &still]),
            (2, &rates.by_velocity, [&still, &unit]),
        ] {
            all[part].extend(column(&layout.rates, values, direction));
            let way = way.map(Vec::as_slice);
            expected[part].extend(slope(&mut system, state, way, size, |system, at, out| {
                system.rates(at, out).expect("finite");
            }));
        }
    }
    for ((found, expected), what) in all.iter().zip(&expected).zip(["G", "∂f/∂q", "∂f/∂v"])
    {
        assert_same(found, expected, 1e-8, what);
    }
}

/// Rates and biases of the rows are their derivatives by time.
pub fn check_levels(mut system: MultibodySystem, state: &State) {
    let rows = system.layout().rows();
    let v = state.v.clone();
    let still = vec![0.0; v.len()];
    let levels: [fn(&mut MultibodySystem, &Point, &mut [f64]); 3] = [
        |system, at, out| system.position_constraint(at, out).expect("finite"),
        |system, at, out| system.velocity_constraint(at, out).expect("finite"),
        |system, at, out| system.acceleration_bias(at, out).expect("finite"),
    ];
    for (level, what) in [(0, "velocities"), (1, "accelerations")] {
        let expected = slope(&mut system, state, [&v, &still], rows, levels[level]);
        let mut found = vec![f64::NAN; rows];
        levels[level + 1](&mut system, &state.point(), &mut found);
        assert_same(&found, &expected, 1e-8, what);
    }
}

/// The system without its own second derivatives: those of the framework, by differences.
struct ByDifferences(MultibodySystem);

impl Wrapper for ByDifferences {
    type Inner = MultibodySystem;
    fn inner(&self) -> &MultibodySystem {
        &self.0
    }
    fn inner_mut(&mut self) -> &mut MultibodySystem {
        &mut self.0
    }
    fn second_derivatives(&mut self) -> Option<&mut dyn SecondDerivatives> {
        None
    }
}

/// Second derivatives are those that the framework finds by differences.
pub fn check_second(mut system: MultibodySystem, state: &State) {
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
        assert_same(exact, approximate, 1e-7, &format!("part {part}"));
    }
}

/// f = -∂V/∂q + ∂T/∂q - dM/dt v in the quasi-velocities (r', ω, and those of the bodies' own coordinates), without
/// damping: for ω of the first so many bodies with the gyroscopic term -ω × ∂T/∂ω.
pub fn check_lagrange(mut system: MultibodySystem, bodies: usize) {
    let state = system.initial_state();
    let layout = system.layout().clone();
    let size = layout.dimension();
    let v = state.v.clone();
    let still = vec![0.0; size];
    let mut expected = vec![0.0; size];
    for (direction, slot) in expected.iter_mut().enumerate() {
        let unit = unit(size, direction);
        let way = [unit.as_slice(), still.as_slice()];
        let lagrangian = slope(&mut system, &state, way, 1, |system, at, out| {
            let (kinetic, potential) = system.energies(at);
            out[0] = kinetic - potential;
        });
        *slot += lagrangian[0];
    }
    let momenta = |system: &mut MultibodySystem, at: &Point, out: &mut [f64]| {
        let mut mass = vec![f64::NAN; layout.mass.nnz()];
        system.mass_matrix(at, &mut mass).expect("finite");
        out.fill(0.0);
        for (row, column, place) in layout.mass.iter() {
            out[row] += mass[place] * v[column];
        }
    };
    // Along the motion with these velocities.
    let change = slope(&mut system, &state, [&v, &still], size, momenta);
    let mut own = vec![0.0; size];
    momenta(&mut system, &state.point(), &mut own);
    for (slot, change) in expected.iter_mut().zip(change) {
        *slot -= change;
    }
    for body in 0..bodies {
        let three = |from: &[f64]| Vector3::from_column_slice(&from[6 * body + 3..][..3]);
        let gyroscopic = three(&v).cross(&three(&own));
        for axis in 0..3 {
            expected[6 * body + 3 + axis] -= gyroscopic[axis];
        }
    }
    let mut found = vec![f64::NAN; size];
    system.rates(&state.point(), &mut found).expect("finite");
    assert_same(&found, &expected, 1e-9, "force");
}

/// Energy, momentum and angular momentum about the origin.
pub fn invariants(system: &mut MultibodySystem, state: &State) -> Vec<f64> {
    let (kinetic, potential) = system.energies(&state.point());
    let spatial = system.spatial().expect("it is in space");
    let momentum = spatial.momentum(&state.point());
    let momenta = momentum.linear.into_iter().chain(momentum.angular);
    std::iter::once(kinetic + potential)
        .chain(momenta)
        .collect()
}
