//! The time limit holds within steps: a clock that runs out at a chosen evaluation.

use liedae::prelude::*;
use liedae::solve::SolveErrorKind;
use liedae::system::{Clock, FirstOrder, FirstOrderModel};
use std::cell::Cell;
use std::time::Duration;

/// More unknowns than the derivatives of one evaluation.
const UNKNOWNS: usize = 40;

thread_local! {
    /// Evaluations so far, those of derivatives by eight directions at a time among them.
    static EVALUATIONS: Cell<usize> = const { Cell::new(0) };
    /// At which of them the time is over.
    static LAST: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn clock() -> Clock {
    Clock::new("counted time", || {
        let over = EVALUATIONS.get() >= LAST.get();
        Duration::from_secs(u64::from(over))
    })
}

/// Stiff, and full: y_i' = -i y_i + the mean of y.
struct Full;

impl FirstOrderModel for Full {
    fn dimension(&self) -> usize {
        UNKNOWNS
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![1.0; UNKNOWNS]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        // Not so quick that the clock is read at every few evaluations only.
        std::thread::sleep(Duration::from_micros(5));
        EVALUATIONS.set(EVALUATIONS.get() + 1);
        let mean = y.iter().fold(S::constant(0.0), |sum, y| sum + *y) / (UNKNOWNS as f64);
        for (index, (rate, y)) in rate.iter_mut().zip(y).enumerate() {
            *rate = mean - *y * (index as f64 + 1.0);
        }
    }
}

/// Runs until the time is over at this evaluation; how many there were.
fn run(method: &dyn Integrator, last: usize, adaptive: bool) -> (usize, Option<SolveErrorKind>) {
    EVALUATIONS.set(0);
    LAST.set(last);
    let mut system = Automatic::new(FirstOrder::new(Full).expect("a system"));
    let options = if adaptive {
        Options::adaptive(1.0, 1e-6, 1e-6)
    } else {
        Options::fixed(1.0, 0.01)
    };
    let options = Options {
        time_limit: Some(Duration::from_nanos(1)),
        clock: clock(),
        max_steps: if last == 0 { 0 } else { options.max_steps },
        ..options
    };
    let ended = solve(&mut system, method, &options);
    (EVALUATIONS.get(), ended.err().map(|error| error.kind))
}

#[test]
fn runs_end_within_an_evaluation_after_their_time() {
    let registry = MethodRegistry::standard();
    for name in ["radau5", "bdf", "dopri5", "extrapolation", "sdirk4"] {
        let Ok(method) = registry.build(name, &MethodOptions::default()) else {
            panic!("{name} is a method");
        };
        for adaptive in [true, false] {
            if !adaptive && matches!(name, "bdf" | "extrapolation") {
                continue;
            }
            // Evaluations before the first step, which has a limit.
            let (before, _) = run(method.as_ref(), 0, adaptive);
            for last in before + 1..before + 60 {
                let (evaluations, ended) = run(method.as_ref(), last, adaptive);
                assert!(
                    matches!(ended, Some(SolveErrorKind::OutOfTime { .. })),
                    "{name}, {last}: {ended:?}"
                );
                assert!(
                    evaluations <= last + 1,
                    "{name}, adaptive {adaptive}: {evaluations} evaluations, the time was over at {last}"
                );
            }
        }
    }
}
