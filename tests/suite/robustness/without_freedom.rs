//! Systems that cannot move, and systems of nothing: a run ends at its end, or is refused in words.

use crate::methods;
use liedae::integrator::MethodOptions;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, solve};
use liedae::system::{
    Automatic, FirstOrder, FirstOrderModel, Layout, MatrixMut, Model, Point, State, System,
};

/// Coordinates that as many rows hold, differential states that decay, and algebraic variables that follow them.
struct Held {
    coordinates: usize,
    states: usize,
    variables: usize,
}

impl Model for Held {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(self.coordinates))
            .with_position_rows(self.coordinates)
            .with_differential_states(self.states)
            .with_algebraic_variables(self.variables)
    }
    fn initial_state(&self) -> State {
        State {
            x: vec![1.0; self.states],
            z: vec![1.0; self.variables],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for index in 0..self.coordinates {
            mass[(index, index)] = S::constant(1.0);
        }
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force.fill(S::constant(1.0));
    }
    fn differential_rate<S: Scalar>(&self, at: &Point<S>, rate: &mut [S]) {
        for (rate, &x) in rate.iter_mut().zip(at.x) {
            *rate = -x;
        }
    }
    fn algebraic_residual<S: Scalar>(&self, at: &Point<S>, residual: &mut [S]) {
        for (residual, &z) in residual.iter_mut().zip(at.z) {
            *residual = z - 1.0;
        }
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g.copy_from_slice(at.q);
    }
}

/// y' = -y with so many unknowns.
struct Decay(usize);

impl FirstOrderModel for Decay {
    fn dimension(&self) -> usize {
        self.0
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![1.0; self.0]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        for (rate, &y) in rate.iter_mut().zip(y) {
            *rate = -y;
        }
    }
}

type Make = Box<dyn Fn() -> Box<dyn System>>;

#[test]
fn what_cannot_move_ends_no_method() {
    let mut done = 0;
    let mut cases: Vec<(String, Make)> = Vec::new();
    for (coordinates, states, variables) in [
        (0, 0, 0),
        (1, 0, 0),
        (3, 0, 0),
        (0, 2, 0),
        (2, 1, 0),
        (0, 0, 1),
        (1, 0, 1),
        (0, 1, 1),
        (2, 1, 1),
    ] {
        let name = format!("{coordinates} coordinates, {states} states, {variables} variables");
        let make = move || -> Box<dyn System> {
            Box::new(Automatic::new(Held {
                coordinates,
                states,
                variables,
            }))
        };
        cases.push((name, Box::new(make)));
    }
    for size in [0, 1] {
        let make = move || -> Box<dyn System> {
            Box::new(Automatic::new(
                FirstOrder::new(Decay(size)).expect("well stated"),
            ))
        };
        cases.push((format!("{size} unknowns of first order"), Box::new(make)));
    }
    for (name, make) in &cases {
        for entry in methods().entries() {
            let method = methods()
                .build(entry.method.name, &MethodOptions::default())
                .expect("defaults");
            for options in [
                Options::adaptive(1.0, 1e-5, 1e-5),
                Options::fixed(1.0, 0.01),
            ] {
                let Ok(solution) = solve(make().as_mut(), method.as_ref(), &options) else {
                    continue;
                };
                let state = &solution.state;
                assert_eq!(state.t, 1.0, "{name}, {}", entry.method.name);
                for x in &state.x {
                    let error = (x - (-1.0_f64).exp()).abs();
                    assert!(error < 0.02, "{name}, {}: {error}", entry.method.name);
                }
                assert!(state.q.iter().all(|q| q.abs() < 1e-9));
                done += 1;
            }
        }
    }
    assert!(done > 200, "{done} runs were done");
}
