//! Limits of a run: they hold for the steps that methods take within steps, too; no step becomes shorter than makes sense.

use liedae::integrator::{Bdf, BdfLie, Integrator, MethodOptions, NewtonOptions};
use liedae::scalar::Scalar;
use liedae::solve::{Options, Solution, SolveError, SolveErrorKind, solve};
use liedae::system::{
    Automatic, Clock, Deadline, Evaluator, FirstOrder, FirstOrderModel, LimitReached,
};
use std::time::Duration;

/// Van der Pol's equation, stiff.
struct VanDerPol;

impl FirstOrderModel for VanDerPol {
    fn dimension(&self) -> usize {
        2
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![2.0, 0.0]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        rate[0] = y[1];
        rate[1] = (S::constant(1.0) - y[0] * y[0]) * y[1] * 1000.0 - y[0];
    }
}

fn system() -> Automatic<FirstOrder<VanDerPol>> {
    Automatic::new(FirstOrder::new(VanDerPol).expect("well stated"))
}

#[test]
fn steps_within_steps_count() {
    let tolerances = Options::adaptive(2000.0, 1e-11, 1e-11);
    let constant = Options::fixed(2000.0, 0.1);
    let newton = NewtonOptions::default;
    let runs: [(Box<dyn Integrator>, Options); 3] = [
        (Box::new(BdfLie::new(None, newton())), tolerances),
        (Box::new(BdfLie::new(None, newton())), constant.clone()),
        (Box::new(Bdf::new(None, newton())), constant),
    ];
    for (method, mut options) in runs {
        options.max_steps = 40;
        let error = solve(&mut system(), method.as_ref(), &options).expect_err("too many steps");
        let statistics = &error.statistics;
        assert!(statistics.inner > 20, "{statistics:?}");
        let taken = statistics.accepted + statistics.rejected.total() + statistics.inner;
        assert!((39..=40).contains(&taken), "{statistics:?}");
        let expected = SolveErrorKind::TooManySteps {
            t: error.state.as_ref().map_or(f64::NAN, |state| state.t),
            steps: 40,
            inner: statistics.inner,
        };
        assert_eq!(error.kind, expected);
    }
}

#[test]
fn wall_time_ends_runs_and_steps_within_steps() {
    let mut options = Options::adaptive(2000.0, 1e-6, 1e-6);
    options.time_limit = Some(Duration::ZERO);
    let method = Bdf::new(None, NewtonOptions::default());
    let error = solve(&mut system(), &method, &options).expect_err("out of time");
    let limit = Duration::ZERO;
    assert_eq!(
        error.kind,
        SolveErrorKind::OutOfTime {
            t: 0.0,
            limit,
            clock: "wall time"
        }
    );

    let mut system = system();
    let mut evaluator = Evaluator::new(&mut system);
    assert_eq!(evaluator.begin_inner_step(), Ok(()));
    evaluator.allow(5, Deadline::after(Duration::ZERO, Clock::default()));
    assert_eq!(evaluator.begin_inner_step(), Err(LimitReached::Time));
    evaluator.allow(1, None);
    assert_eq!(evaluator.begin_inner_step(), Ok(()));
    assert_eq!(evaluator.begin_inner_step(), Err(LimitReached::Steps));
    assert_eq!(evaluator.inner_steps(), 2);
}

#[test]
fn a_clock_that_stands_still_never_ends_a_run() {
    let clock = Clock::new("standing time", || Duration::ZERO);
    let options = Options {
        time_limit: Some(Duration::from_nanos(1)),
        clock,
        ..Options::adaptive(0.1, 1e-4, 1e-4)
    };
    let method = Bdf::default();
    assert!(solve(&mut system(), &method, &options).is_ok());
}

/// y' = -y - y³, and nothing but NaN behind `wall`.
struct Decay {
    wall: f64,
}

impl FirstOrderModel for Decay {
    fn dimension(&self) -> usize {
        1
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![1.0]
    }
    fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
        rate[0] = if t > S::constant(self.wall) {
            S::constant(f64::NAN)
        } else {
            -(y[0] + y[0] * y[0] * y[0])
        };
    }
}

fn decay(method: &str, wall: f64, t_end: f64) -> Result<Solution, SolveError> {
    let mut system = Automatic::new(FirstOrder::new(Decay { wall }).expect("well stated"));
    let method = crate::known_methods()
        .build(method, &MethodOptions::default())
        .expect("a registered method");
    let mut options = Options::adaptive(t_end, 1e-6, 1e-6);
    options.max_steps = 4000;
    solve(&mut system, method.as_ref(), &options)
}

/// Squares of what a first guess of 1e78 s leads to are infinite.
#[test]
fn first_steps_do_not_follow_from_overflow() {
    for method in ["radau5", "bdf", "backward-euler"] {
        let solution = decay(method, f64::INFINITY, 1e90).expect("solved");
        assert!(solution.state.x[0].abs() < 1e-2, "{method}");
    }
}

#[test]
fn steps_at_time_zero_do_not_fall_to_the_smallest_number() {
    for method in ["radau5", "bdf", "dopri5"] {
        let error = decay(method, 0.0, 1.0).expect_err("no step can be taken");
        let rejected = error.statistics.rejected.total();
        assert!((10..200).contains(&rejected), "{method}: {rejected}");
        match error.kind {
            SolveErrorKind::StepTooSmall { step, cause, .. } => {
                assert!(step > 1e-50, "{method}: {step:e}");
                assert!(cause.is_some(), "{method}");
            }
            other => panic!("{method}: {other}"),
        }
    }
}
