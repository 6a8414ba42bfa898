//! Records of events: as many as asked for, and the number of the others.

use liedae::integrator::Dopri5;
use liedae::prelude::*;
use liedae::scalar::Scalar;
use liedae::solve::{EventRecord, SolveErrorKind};
use liedae::system::{FirstOrder, FirstOrderModel};
use std::ops::ControlFlow;

/// A clock that ticks each second.
struct Clock;

impl FirstOrderModel for Clock {
    fn dimension(&self) -> usize {
        1
    }

    fn initial_value(&self) -> Vec<f64> {
        vec![0.0]
    }

    fn rate<S: Scalar>(&self, _t: S, _y: &[S], rate: &mut [S]) {
        rate[0] = S::constant(1.0);
    }

    fn events(&self) -> Vec<EventDescription> {
        vec![EventDescription::new("tick", "clock", Direction::Rising)]
    }

    fn event_functions(&self, _t: f64, y: &[f64], out: &mut [f64]) {
        out[0] = y[0] - 1.0;
    }

    fn handle_event(&self, _event: usize, _t: f64, y: &mut [f64]) -> EventAction {
        y[0] -= 1.0;
        EventAction::Restart
    }
}

/// Counts ticks, and looks at their moments.
#[derive(Default)]
struct Ticks {
    count: usize,
    error: f64,
    last_step: f64,
}

impl Observer for Ticks {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        self.last_step = step.to.t;
        ControlFlow::Continue(())
    }

    fn event(&mut self, record: &EventRecord) {
        self.count += 1;
        self.error = self.error.max((record.t - self.count as f64).abs());
        assert_eq!(
            (record.kind.as_str(), record.label.as_str()),
            ("tick", "clock")
        );
        // The step up to it has been shown.
        assert!(record.t <= self.last_step);
    }
}

fn run(options: &Options) -> (Result<Solution, liedae::solve::SolveError>, Ticks) {
    let mut system = Automatic::new(FirstOrder::new(Clock).expect("well stated"));
    let mut ticks = Ticks::default();
    let run = solve_observed(&mut system, &Dopri5::default(), options, &mut ticks);
    (run, ticks)
}

#[test]
fn the_first_records_are_kept_and_the_others_counted() {
    for most in [0, 50] {
        let options = Options {
            max_event_records: most,
            ..Options::adaptive(100_000.5, 1e-6, 1e-6)
        };
        let (run, ticks) = run(&options);
        let solution = run.expect("solved");
        assert_eq!((ticks.count, solution.events.len()), (100_000, most));
        assert_eq!(solution.statistics.events_left_out, 100_000 - most);
        assert!(ticks.error < 1e-4, "{:e}", ticks.error);
        for (event, second) in solution.events.iter().zip(1_u32..) {
            assert!((event.t - f64::from(second)).abs() < 1e-9, "{event:?}");
        }
    }
}

#[test]
fn all_records_are_kept_unless_told_otherwise() {
    let (run, ticks) = run(&Options::adaptive(200.5, 1e-6, 1e-6));
    let solution = run.expect("solved");
    let counts = (
        ticks.count,
        solution.events.len(),
        solution.statistics.events_left_out,
    );
    assert_eq!(counts, (200, 200, 0));
}

#[test]
fn a_run_that_fails_counts_them_too() {
    let options = Options {
        max_event_records: 3,
        max_steps: 1000,
        ..Options::adaptive(1e6, 1e-6, 1e-6)
    };
    let (run, ticks) = run(&options);
    let error = run.expect_err("too many steps");
    assert!(
        matches!(error.kind, SolveErrorKind::TooManySteps { .. }),
        "{error}"
    );
    assert_eq!(error.events.len(), 3);
    assert_eq!(error.statistics.events_left_out, ticks.count - 3);
    assert!(ticks.count > 100, "{}", ticks.count);
}
