//! Every controller with every method that estimates its error.

use crate::common::{AnglePendulum, Pendulum};
use liedae::control::{ControllerKind, FilterGains, Limits, Tolerances, controllers};
use liedae::integrator::{MethodEntry, MethodOptions, StepError};
use liedae::solve::{
    Options, OptionsError, Solution, SolveError, SolveErrorKind, StepControl, solve,
};
use liedae::system::Automatic;

const T_END: f64 = 2.0;

/// Evaluations of forces compared with those under the method's own controller. Not steps: those of `extrapolation`, whose
/// order is chosen anew for each, cost between 6 and 42; with its 11 steps here a PID is still settling (24 steps for 1.2
/// times the evaluations), over 20 s it takes 101 tries for 97.
const MORE_WORK: f64 = 1.5;

/// Error at the end compared with that under the method's own controller, and at least this part of the tolerance.
const MORE_ERROR: f64 = 5.0;

fn run(
    entry: MethodEntry,
    tolerance: f64,
    controller: Option<ControllerKind>,
) -> Result<Solution, SolveError> {
    let mut system = Automatic::new(Pendulum);
    let integrator = entry.default_method();
    let control = StepControl::Adaptive {
        tolerances: Tolerances::uniform(tolerance, tolerance),
        controller,
        initial_step: None,
    };
    let mut options = Options::new(T_END, control);
    options.max_steps = 200_000;
    solve(&mut system, integrator.as_ref(), &options)
}

/// x, y and their rates at the end, from the angle.
fn truth() -> [f64; 4] {
    let mut system = Automatic::new(AnglePendulum);
    let integrator = crate::known_methods()
        .build("mdop5", &MethodOptions::default())
        .expect("registered");
    let options = Options::adaptive(T_END, 1e-12, 1e-12);
    let end = solve(&mut system, integrator.as_ref(), &options)
        .expect("solved")
        .state;
    let ((sine, cosine), rate) = (end.q[0].sin_cos(), end.v[0]);
    [sine, -cosine, cosine * rate, sine * rate]
}

fn error(solution: &Solution, truth: &[f64; 4]) -> f64 {
    let state = &solution.state;
    assert!(state.is_finite());
    let found = state.q.iter().chain(&state.v);
    found
        .zip(truth)
        .map(|(found, truth)| (found - truth).powi(2))
        .sum::<f64>()
        .sqrt()
}

#[test]
fn every_controller_runs_with_every_adaptive_method() {
    let truth = truth();
    let mut pairs = 0;
    for entry in crate::methods() {
        let method = entry.method;
        if !method.is_adaptive() {
            continue;
        }
        let tolerance = if method.orders.q < 3 { 1e-4 } else { 1e-6 };
        let own = match run(entry, tolerance, None) {
            Ok(own) => own,
            Err(SolveError {
                kind: SolveErrorKind::Step(StepError::Unsupported { .. }),
                ..
            }) => continue,
            Err(error) => panic!("{}: {error}", method.name),
        };
        let work = |solution: &Solution| solution.statistics.evaluations.force;
        let own_error = error(&own, &truth);
        for controller in controllers() {
            let case = format!("{} under {}", method.name, controller.name);
            let kind = controller.kind_for(method.controller);
            let solution =
                run(entry, tolerance, Some(kind)).unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!(solution.state.t, T_END, "{case}");
            let (found, own_work) = (work(&solution), work(&own));
            assert!(
                (found as f64) < MORE_WORK * own_work as f64,
                "{case}: {found} evaluations instead of {own_work}"
            );
            let error = error(&solution, &truth);
            assert!(
                error < MORE_ERROR * own_error.max(tolerance),
                "{case}: error {error:e} instead of {own_error:e}"
            );
            pairs += 1;
        }
    }
    assert!(pairs >= 4 * controllers().len(), "only {pairs} pairs");
}

#[test]
fn weights_and_limits_that_cannot_work_are_refused() {
    let limits = Limits::default();
    let broken = Limits {
        shrink: 1.5,
        ..limits
    };
    let pid = FilterGains::PID;
    for (kind, expected) in [
        (
            ControllerKind::Filter(limits, FilterGains::h211b(0.0), None),
            OptionsError::Gains,
        ),
        (
            ControllerKind::Filter(limits, FilterGains::pid(0.4, -0.1, 0.0), None),
            OptionsError::Gains,
        ),
        (
            ControllerKind::Filter(limits, pid, Some(0.0)),
            OptionsError::Gains,
        ),
        (
            ControllerKind::Filter(broken, pid, None),
            OptionsError::Limits,
        ),
        (ControllerKind::Predictive(broken), OptionsError::Limits),
    ] {
        let entry = crate::methods()
            .into_iter()
            .find(|entry| entry.method.is_adaptive())
            .expect("an adaptive method");
        let error = run(entry, 1e-6, Some(kind)).expect_err("refused");
        assert!(
            matches!(&error.kind, SolveErrorKind::Options(found) if *found == expected),
            "{kind:?}: {error}"
        );
    }
}
