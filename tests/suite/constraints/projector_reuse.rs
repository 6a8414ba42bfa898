//! A projector that has been used is as good as a new one.

use crate::common::Pendulum;
use liedae::system::{Automatic, Evaluator, Projector, State, System};

#[derive(Clone, Copy, Debug)]
enum Step {
    Position { refresh: bool },
    Velocity,
    Violation,
}

/// Does a step, and tells all numbers that come of it.
fn run(projector: &mut Projector, system: &mut dyn System, step: Step, state: &State) -> Vec<f64> {
    let mut evaluator = Evaluator::new(system);
    let mut state = state.clone();
    match step {
        Step::Position { refresh } => {
            let done = projector.project_position(&mut evaluator, &mut state, refresh);
            let mut numbers = state.q.clone();
            numbers.push(done.expect("it converges") as f64);
            numbers
        }
        Step::Velocity => {
            (projector.project_velocity(&mut evaluator, &mut state)).expect("a regular matrix");
            state.v
        }
        Step::Violation => {
            let seen = projector.violation(&mut evaluator, &state).expect("finite");
            vec![seen.position, seen.velocity, seen.acceleration]
        }
    }
}

#[test]
fn what_was_projected_before_changes_nothing() {
    let mut pendulum = Automatic::new(Pendulum);
    let layout = Evaluator::new(&mut pendulum).layout().clone();
    let mut used = Projector::new(&layout).expect("a layout");
    let start = pendulum.initial_state();
    let sequence = [
        Step::Velocity,
        Step::Violation,
        Step::Velocity,
        Step::Position { refresh: true },
        Step::Violation,
        Step::Velocity,
        Step::Position { refresh: false },
        Step::Velocity,
    ];
    for (number, step) in sequence.into_iter().enumerate() {
        let mut state = start.clone();
        for (index, value) in state.q.iter_mut().chain(&mut state.v).enumerate() {
            *value += 1e-3 * (1.0 + (7 * number + 3 * index) as f64).sin();
        }
        let mut new = Projector::new(&layout).expect("a layout");
        let expected = run(&mut new, &mut pendulum, step, &state);
        // Twice: the second time the factorization is there.
        for _ in 0..2 {
            used.forget();
            let found = run(&mut used, &mut pendulum, step, &state);
            assert_eq!(found, expected, "{number}: {step:?}");
        }
    }
}
