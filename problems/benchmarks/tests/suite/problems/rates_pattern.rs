//! Rates depend on what their pattern says and on nothing else: several columns are differentiated in one evaluation, so that
//! an entry outside of the pattern would be added to another one.

use crate::common::build;
use liedae::system::{Point, RatesJacobian, State, System};
use liedae_problems::ProblemRegistry;

/// Larger systems are left out for the time that differences take.
const LARGEST: usize = 60;

fn rates(system: &mut dyn System, at: &Point) -> Vec<f64> {
    let mut out = vec![0.0; system.layout().rate_count()];
    system.rates(at, &mut out).unwrap();
    out
}

/// Moves one column of (q, x, z), or of v.
fn moved(system: &dyn System, state: &State, column: usize, by_velocity: bool, step: f64) -> State {
    let layout = system.layout();
    let (dimension, differential) = (layout.dimension(), layout.differential);
    let mut moved = state.clone();
    if by_velocity {
        moved.v[column] += step;
    } else if column < dimension {
        let mut displacement = vec![0.0; dimension];
        displacement[column] = step;
        layout.space.retract(&state.q, &displacement, &mut moved.q);
    } else if column < dimension + differential {
        moved.x[column - dimension] += step;
    } else {
        moved.z[column - dimension - differential] += step;
    }
    moved
}

#[test]
fn derivatives_lie_within_their_pattern() {
    let mut compared = 0;
    for entry in ProblemRegistry::standard() {
        let mut problem = build(entry.name, &[]);
        let system = problem.system.as_mut();
        let layout = system.layout().clone();
        let (dimension, count) = (layout.dimension(), layout.rate_count());
        if layout.rates.is_dense() || count > LARGEST {
            continue;
        }
        let mut state = system.initial_state();
        let start = state.q.clone();
        let wave = |index: usize| (1.0 + 1.7 * index as f64).sin();
        let displacement: Vec<f64> = (0..dimension).map(|index| 0.02 * wave(index)).collect();
        layout.space.retract(&start, &displacement, &mut state.q);
        for (index, v) in state.v.iter_mut().enumerate() {
            *v += wave(index + 3);
        }
        let mut found = RatesJacobian::new(&layout);
        system.rates_jacobian(&state.point(), &mut found).unwrap();
        for by_velocity in [false, true] {
            let (values, columns) = if by_velocity {
                (&found.by_velocity, dimension)
            } else {
                (&found.by_position, count)
            };
            let difference = |system: &mut dyn System, column: usize, step: f64| {
                let [ahead, behind] = [step, -step]
                    .map(|step| moved(system, &state, column, by_velocity, step))
                    .map(|state| rates(system, &state.point()));
                let pairs = ahead.iter().zip(&behind);
                pairs
                    .map(|(a, b)| (a - b) / (2.0 * step))
                    .collect::<Vec<f64>>()
            };
            let all: Vec<Vec<f64>> = (0..columns)
                .map(|column| {
                    let near = difference(system, column, 1e-5);
                    let far = difference(system, column, 2e-5);
                    let pairs = near.iter().zip(&far);
                    pairs.map(|(near, far)| (4.0 * near - far) / 3.0).collect()
                })
                .collect();
            // Round-off of a rate in its differences is relative to the rate.
            let size = rates(system, &state.point())
                .iter()
                .chain(all.iter().flatten())
                .fold(1.0, |max: f64, value| max.max(value.abs()));
            for (column, derivatives) in all.iter().enumerate() {
                for (row, derivative) in derivatives.iter().enumerate() {
                    let position = layout.rates.position(row, column);
                    let own = position.map_or(0.0, |position| values[position]);
                    assert!(
                        (own - derivative).abs() <= 1e-6 * size,
                        "{}, rate {row} by {column} (velocity: {by_velocity}): {own} and {derivative}",
                        entry.name
                    );
                }
            }
        }
        compared += 1;
    }
    assert!(compared > 20, "{compared} systems");
}
