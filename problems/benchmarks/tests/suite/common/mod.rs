//! What the tests of the problems share.

use liedae::scalar::Scalar;
use liedae::system::{
    AccelerationSolver, Evaluator, Layout, MatrixMut, Model, Point, State, System, named_outputs,
};
use liedae_problems::{Problem, ProblemRegistry};

/// Angles of Andrews' squeezer at t = 0.03 s: the end of the reference trajectory in quadruple precision.
#[allow(clippy::excessive_precision)] // as published
pub const ANDREWS_ANGLES: [f64; 7] = [
    15.810771195153707,
    -15.756371058411839,
    0.040822240119645805,
    -0.53473011634207959,
    0.52440996587995407,
    0.53473011634207959,
    1.0480807410419379,
];

/// Builds a registered problem.
pub fn build(name: &str, settings: &[&str]) -> Problem {
    ProblemRegistry::standard()
        .lookup(name)
        .unwrap()
        .build_with(settings)
        .unwrap_or_else(|error| panic!("{name} {settings:?}: {error}"))
}

/// Fills in accelerations, multipliers and algebraic variables.
pub fn complete(system: &mut dyn System, state: &mut State) {
    let mut solver = AccelerationSolver::new(system.layout()).unwrap();
    let mut evaluator = Evaluator::new(system);
    solver.complete(&mut evaluator, state).unwrap();
}

/// The outputs of a state by name.
pub fn outputs(system: &mut dyn System, state: &State) -> Vec<(String, f64)> {
    named_outputs(system, state).unwrap()
}

/// Largest difference between outputs and reference over shared columns, relative to `1 + |reference|`; a NaN is
/// infinite. Returns the number of columns compared as well.
pub fn compare(
    problem: &mut Problem,
    state: &State,
    absolute: impl Fn(&str) -> f64,
) -> (f64, usize) {
    let found = outputs(problem.system.as_mut(), state);
    let reference = problem.reference.as_ref().unwrap();
    let (mut worst, mut count) = (0.0, 0);
    for (name, value) in found {
        let Some(expected) = reference.value(&name, state.t) else {
            continue;
        };
        count += 1;
        let error = (value - expected).abs() / (absolute(&name) + expected.abs());
        if error.is_nan() {
            return (f64::INFINITY, count);
        }
        if error > worst {
            worst = error;
        }
        assert!(
            error < 1e-3,
            "{} at t = {}: {name} is {value}, reference {expected}",
            problem.name,
            state.t
        );
    }
    (worst, count)
}

/// The same model without its own derivatives, for comparison.
pub struct Plain<M>(pub M);

impl<M: Model> Model for Plain<M> {
    fn layout(&self) -> Layout {
        self.0.layout()
    }
    fn initial_state(&self) -> State {
        self.0.initial_state()
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        self.0.mass_matrix(at, mass);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        self.0.force(at, force);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        self.0.position_constraint(at, g);
    }
}
