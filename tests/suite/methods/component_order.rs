//! The order in which components are stated is no matter, also where each has a tolerance of its own.

use liedae::control::{PerComponent, Tolerances};
use liedae::integrator::MethodOptions;
use liedae::solve::{Options, Solution, SolveError, StepControl, solve};

/// A pendulum of 1 m that starts horizontally, in the coordinates (x, y) or (y, x).
fn swing(name: &str, swapped: bool) -> Result<Solution, SolveError> {
    let order = |pair: [f64; 2]| if swapped { [pair[1], pair[0]] } else { pair };
    let mut pendulum = liedae::model(order([1.0, 0.0]), [0.0, 0.0])
        .mass(1.0)
        .force(|_t, _q, _v| order([0.0, -9.81]))
        .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
        .build()
        .expect("stated");
    let [x, y] = order([1e-6, 1e-11]);
    let each = PerComponent::Each(vec![x, y, x, y]);
    let options = Options {
        control: StepControl::Adaptive {
            tolerances: Tolerances {
                relative: each.clone(),
                absolute: each,
            },
            controller: None,
            initial_step: None,
        },
        max_steps: 20_000,
        ..Options::adaptive(1.0, 1e-6, 1e-6)
    };
    let methods = crate::known_methods();
    let method = methods.build(name, &MethodOptions::default());
    solve(
        &mut pendulum,
        method.expect("registered").as_ref(),
        &options,
    )
}

#[test]
fn steps_do_not_depend_on_the_order_of_components() {
    let mut compared = 0;
    for name in crate::known_methods().names() {
        let (Ok(one), Ok(other)) = (swing(name, false), swing(name, true)) else {
            continue;
        };
        let steps =
            [&one, &other].map(|run| run.statistics.accepted + run.statistics.rejected.total());
        // Round-off may turn a decision that is near its bound.
        assert!(
            steps[0].abs_diff(steps[1]) * 50 <= steps[0],
            "{name}: {steps:?}"
        );
        let ends = [&one.state.q, &other.state.q];
        assert!((ends[0][0] - ends[1][1]).abs() < 1e-6, "{name}: {ends:?}");
        compared += 1;
    }
    assert!(compared >= 10, "{compared}");
}
