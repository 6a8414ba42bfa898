//! Every mistake of a user ends in a clear error, never in a panic, a hang or a wrong answer.

use crate::common::{Pendulum, Sleigh};
use liedae::control::{PerComponent, ToleranceError, Tolerances};
use liedae::integrator::{MethodOptions, StepError};
use liedae::linalg::KktError;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{
    Options, OptionsError, Silent, SolveError, SolveErrorKind, StepControl, solve, solve_from,
};
use liedae::system::{
    Automatic, Consistency, ConsistencyError, DynamicsError, EvaluationError, Evaluator,
    FirstOrder, FirstOrderError, FirstOrderModel, Function, Layout, MatrixMut, Model, ModelEvents,
    Point, State, System, check_consistency, check_system, project_initial_state,
};

fn run<M: Model>(
    model: M,
    method: &str,
    options: &Options,
) -> Result<liedae::solve::Solution, SolveError> {
    let integrator = crate::known_methods()
        .build(method, &MethodOptions::default())
        .expect("a registered method");
    solve(&mut Automatic::new(model), integrator.as_ref(), options)
}

fn each_method(test: impl Fn(&str, bool)) {
    for entry in crate::methods() {
        for adaptive in [false, true] {
            if !adaptive || entry.method.is_adaptive() {
                test(entry.method.name, adaptive);
            }
        }
    }
}

fn options(adaptive: bool) -> Options {
    if adaptive {
        Options::adaptive(0.5, 1e-5, 1e-5)
    } else {
        Options::fixed(0.5, 1e-3)
    }
}

#[test]
fn options_that_cannot_be_run() {
    each_method(|method, _| {
        let kind = |options: &Options| run(Pendulum, method, options).unwrap_err().kind;
        for step in [0.0, -1e-3, f64::NAN, f64::INFINITY] {
            let found = kind(&Options::fixed(1.0, step));
            assert!(
                matches!(found, SolveErrorKind::Options(OptionsError::Step(_))),
                "{method}: {found}"
            );
        }
        let found = kind(&Options::fixed(-1.0, 0.1));
        assert!(
            matches!(
                found,
                SolveErrorKind::Options(OptionsError::Backwards { .. })
            ),
            "{found}"
        );
        for t_end in [f64::NAN, f64::INFINITY] {
            assert!(matches!(
                kind(&Options::fixed(t_end, 0.1)),
                SolveErrorKind::Options(OptionsError::EndTime(_))
            ));
        }
        for stop in [f64::NAN, f64::INFINITY] {
            let options = Options {
                stops: vec![0.1, stop],
                ..Options::fixed(1.0, 0.1)
            };
            let text = kind(&options).to_string();
            assert!(text.starts_with("a stop must be"), "{method}: {text}");
        }
        for bound in [f64::NAN, -1e-8] {
            for place in 0..3 {
                let mut bounds = [1e-8; 3];
                bounds[place] = bound;
                let [position, velocity, algebraic] = bounds;
                let options = Options {
                    consistency: Consistency {
                        position,
                        velocity,
                        algebraic,
                    },
                    ..Options::fixed(1.0, 0.1)
                };
                let text = kind(&options).to_string();
                assert!(
                    text.starts_with("the consistency tolerance"),
                    "{method}: {text}"
                );
            }
        }
        if !crate::known_methods()
            .find(method)
            .expect("registered")
            .method
            .is_adaptive()
        {
            let found = kind(&Options::adaptive(1.0, 1e-6, 1e-6));
            assert!(
                matches!(
                    found,
                    SolveErrorKind::Options(OptionsError::NoEstimate { .. })
                ),
                "{method}: {found}"
            );
            return;
        }
        for (relative, absolute) in [(-1e-6, 1e-6), (1e-6, -1.0), (f64::NAN, 1e-6)] {
            let found = kind(&Options::adaptive(1.0, relative, absolute));
            let expected = OptionsError::Tolerance(ToleranceError::Invalid {
                which: "relative",
                value: 0.0,
            });
            assert_eq!(
                std::mem::discriminant(&found),
                std::mem::discriminant(&SolveErrorKind::Options(expected)),
                "{found}"
            );
        }
        let found = kind(&Options::adaptive(1.0, 0.0, 0.0));
        assert!(
            matches!(
                found,
                SolveErrorKind::Options(OptionsError::Tolerance(ToleranceError::Zero {
                    component: 0
                }))
            ),
            "{found}"
        );
        let tolerances = Tolerances {
            relative: PerComponent::Each(vec![1e-6; 3]),
            absolute: 1e-6.into(),
        };
        let control = StepControl::Adaptive {
            tolerances,
            controller: None,
            initial_step: None,
        };
        let found = kind(&Options::new(1.0, control));
        assert!(matches!(
            found,
            SolveErrorKind::Options(OptionsError::Tolerance(ToleranceError::Length {
                found: 3,
                expected: 4,
                ..
            }))
        ));
    });
}

/// A pendulum that says so about its steps.
pub struct Limited(pub f64);

impl Model for Limited {
    fn layout(&self) -> Layout {
        Pendulum.layout()
    }
    fn initial_state(&self) -> State {
        Pendulum.initial_state()
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        Pendulum.mass_matrix(at, mass);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        Pendulum.force(at, force);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        Pendulum.position_constraint(at, g);
    }

    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl ModelEvents for Limited {
    fn largest_step(&self) -> f64 {
        self.0
    }
}

#[test]
fn a_largest_step_that_is_no_step_is_named() {
    each_method(|method, adaptive| {
        for limit in [0.0, -1.0, f64::NAN] {
            let error = run(Limited(limit), method, &options(adaptive)).unwrap_err();
            assert!(
                matches!(
                    error.kind,
                    SolveErrorKind::Options(OptionsError::LargestStep(found)) if found.to_bits() == limit.to_bits()
                ),
                "{method}: {error}"
            );
            assert!(error.to_string().contains("largest_step() is"), "{error}");
        }
        let solution = run(Limited(1e-2), method, &options(adaptive)).unwrap();
        assert!(
            solution.statistics.largest_step <= 1e-2 * (1.0 + 1e-12),
            "{method}"
        );
        run(Limited(f64::INFINITY), method, &options(adaptive)).unwrap();
    });
}

#[test]
fn an_infinite_consistency_tolerance_lets_any_violation_pass_and_nan_none() {
    let mut state = Pendulum.initial_state();
    state.v = vec![0.3, 0.5];
    let mut system = Automatic::new(Pendulum);
    let mut check = |velocity: f64| {
        let tolerance = Consistency {
            position: 1e-8,
            velocity,
            ..Consistency::default()
        };
        check_consistency(&mut Evaluator::new(&mut system), &state, tolerance)
    };
    assert!(check(f64::INFINITY).is_ok());
    assert!(matches!(
        check(f64::NAN),
        Err(ConsistencyError::Velocity { .. })
    ));
}

#[test]
fn inconsistent_initial_values_name_the_row_and_can_be_projected() {
    let mut state = Pendulum.initial_state();
    state.v = vec![0.3, 0.5];
    let mut system = Automatic::new(Pendulum);
    let integrator = crate::known_methods()
        .build("hem5", &MethodOptions::default())
        .unwrap();
    let error = solve_from(
        &mut system,
        integrator.as_ref(),
        state.clone(),
        &options(true),
        &mut Silent,
    )
    .unwrap_err();
    let SolveErrorKind::Initial(ConsistencyError::Velocity { rows }) = &error.kind else {
        panic!("{error}");
    };
    assert_eq!(rows[0].0, 0);
    assert!((rows[0].1 - 0.3).abs() < 1e-15);
    assert!(error.to_string().contains("project_initial_state"));

    state.q = vec![1.1, 0.2];
    let error = solve_from(
        &mut system,
        integrator.as_ref(),
        state.clone(),
        &options(true),
        &mut Silent,
    )
    .unwrap_err();
    assert!(
        matches!(
            error.kind,
            SolveErrorKind::Initial(ConsistencyError::Position { .. })
        ),
        "{error}"
    );

    let report = project_initial_state(&mut Evaluator::new(&mut system), &mut state).unwrap();
    assert!(
        report.before.position > 0.1
            && report.after.position < 1e-14
            && report.after.velocity < 1e-14
    );
    solve_from(
        &mut system,
        integrator.as_ref(),
        state,
        &options(true),
        &mut Silent,
    )
    .unwrap();
}

#[test]
fn states_of_the_wrong_shape_or_with_nan() {
    let mut system = Automatic::new(Pendulum);
    let integrator = crate::known_methods()
        .build("mdop5", &MethodOptions::default())
        .unwrap();
    let mut attempt = |state: State| {
        let result = solve_from(
            &mut system,
            integrator.as_ref(),
            state,
            &options(true),
            &mut Silent,
        );
        match result.unwrap_err().kind {
            SolveErrorKind::Initial(error) => error,
            other => panic!("{other}"),
        }
    };
    let good = Pendulum.initial_state();
    let short = State {
        v: vec![0.0],
        ..good.clone()
    };
    assert_eq!(
        attempt(short),
        ConsistencyError::Length {
            part: "velocity",
            found: 1,
            expected: 2
        }
    );
    let nan = State {
        q: vec![1.0, f64::NAN],
        ..good.clone()
    };
    assert_eq!(
        attempt(nan),
        ConsistencyError::NonFinite {
            part: "configuration",
            index: 1
        }
    );
    let wrong_mode = State {
        mode: vec![1],
        ..good
    };
    assert_eq!(
        attempt(wrong_mode),
        ConsistencyError::Length {
            part: "modes",
            found: 1,
            expected: 0
        }
    );
}

/// A mass whose force becomes NaN at t = 0.2.
pub struct NanForce;

impl Model for NanForce {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(1))
    }
    fn initial_state(&self) -> State {
        State {
            v: vec![1.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = (S::constant(0.2) - at.t).sqrt();
    }
}

#[test]
fn nan_from_a_force_is_an_error_that_names_the_force_and_the_time() {
    each_method(|method, adaptive| {
        let error = run(NanForce, method, &options(adaptive)).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("force") && text.contains("not finite"),
            "{method}: {text}"
        );
        let state = error.state.expect("the last good state");
        assert!(
            state.is_finite() && state.t > 0.15 && state.t < 0.2011,
            "{method}: stopped at {}",
            state.t
        );
    });
}

/// Two coordinates of which one has no mass.
pub struct Massless {
    pub constrained: bool,
}

impl Model for Massless {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2)).with_position_rows(usize::from(self.constrained))
    }
    fn initial_state(&self) -> State {
        self.layout().state()
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[0] = S::constant(1.0);
        force[1] = S::constant(2.0);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        if self.constrained {
            g[0] = at.q[0] - at.q[1];
        }
    }
}

#[test]
fn a_singular_mass_matrix_is_an_error_unless_constraints_make_up_for_it() {
    each_method(|method, adaptive| {
        let error = run(Massless { constrained: false }, method, &options(adaptive)).unwrap_err();
        let SolveErrorKind::Step(StepError::Dynamics(DynamicsError::Linear { source, .. })) =
            &error.kind
        else {
            panic!("{method}: {error}");
        };
        assert!(
            matches!(source, KktError::Singular { .. }),
            "{method}: {error}"
        );
        // q1 = q2 and mass 1 under a force of 3 in all: q = 3 t² / 2.
        let solution = run(Massless { constrained: true }, method, &options(adaptive)).unwrap();
        assert!(
            (solution.state.q[1] - 1.5 * 0.25).abs() < 0.02,
            "{method}: {:?}",
            solution.state.q
        );
    });
}

/// The pendulum with its constraint stated twice.
pub struct Redundant {
    pub contradictory: bool,
}

impl Model for Redundant {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2)).with_position_rows(2)
    }
    fn initial_state(&self) -> State {
        State {
            q: Pendulum.initial_state().q,
            v: Pendulum.initial_state().v,
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        Pendulum.mass_matrix(at, mass);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        Pendulum.force(at, force);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        Pendulum.position_constraint(at, &mut g[..1]);
        g[1] = g[0];
        if self.contradictory {
            g[1] += at.t * at.t;
        }
    }
}

#[test]
fn redundant_rows_share_the_multiplier_and_contradictory_rows_are_an_error() {
    each_method(|method, adaptive| {
        let once = run(Pendulum, method, &options(adaptive)).unwrap();
        let twice = run(
            Redundant {
                contradictory: false,
            },
            method,
            &options(adaptive),
        )
        .unwrap();
        // RADAU5 weighs multipliers, which are half as large here: with tolerances it takes other steps, and so does a method
        // that starts with it.
        let (same_q, same_lambda) = if adaptive && matches!(method, "radau5" | "bdf") {
            (1e-6, 1e-4)
        } else {
            (1e-9, 1e-6)
        };
        for (a, b) in once.state.q.iter().zip(&twice.state.q) {
            assert!((a - b).abs() < same_q, "{method}: {a} and {b}");
        }
        let half = 0.5 * once.state.lambda[0];
        for lambda in &twice.state.lambda {
            assert!(
                (lambda - half).abs() < same_lambda * half.abs(),
                "{method}: {lambda} for {half}"
            );
        }
        let error = run(
            Redundant {
                contradictory: true,
            },
            method,
            &options(adaptive),
        )
        .unwrap_err();
        assert!(
            error.to_string().contains("contradict"),
            "{method}: {error}"
        );
    });
}

#[derive(Default)]
struct BadFirstOrder {
    index: Vec<u8>,
    mass: Option<Vec<(usize, usize, f64)>>,
    dependencies: Option<Vec<(usize, usize)>>,
}

impl FirstOrderModel for BadFirstOrder {
    fn dimension(&self) -> usize {
        2
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![1.0, 1.0]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        rate[0] = -y[0];
        rate[1] = y[0] - y[1];
    }
    fn index(&self) -> Vec<u8> {
        self.index.clone()
    }
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        self.mass.clone()
    }
    fn dependencies(&self) -> Option<Vec<(usize, usize)>> {
        self.dependencies.clone()
    }
}

/// y1' = -y1, y2' = y1 - y2, with these dependencies.
fn dependent(entries: &[(usize, usize)]) -> Result<FirstOrder<BadFirstOrder>, FirstOrderError> {
    FirstOrder::new(BadFirstOrder {
        index: vec![0, 0],
        dependencies: Some(entries.to_vec()),
        ..BadFirstOrder::default()
    })
}

#[test]
fn dependencies_outside_are_refused_and_missing_ones_are_found() {
    assert!(matches!(
        dependent(&[(0, 0), (usize::MAX, 0)]).err(),
        Some(FirstOrderError::Entry {
            matrix: "the derivative of f",
            row: usize::MAX,
            ..
        })
    ));
    for (entries, is_complete) in [
        ([(0, 0), (1, 0), (1, 1)].as_slice(), true),
        (&[(0, 0), (1, 1)], false),
        (&[], false),
    ] {
        let mut system = Automatic::new(dependent(entries).unwrap());
        let state = system.initial_state();
        let report = check_system(&mut system, &state).unwrap();
        assert_eq!(report.faults.is_empty(), is_complete, "{entries:?}");
    }
}

#[test]
fn first_order_systems_are_checked_and_explicit_methods_refuse_algebraic_rows() {
    let wrong = FirstOrder::new(BadFirstOrder {
        index: vec![0],
        ..BadFirstOrder::default()
    });
    assert!(matches!(
        wrong.err(),
        Some(FirstOrderError::Length {
            found: 1,
            expected: 2,
            ..
        })
    ));
    let wrong = FirstOrder::new(BadFirstOrder {
        index: vec![0, 0],
        mass: Some(vec![(0, 2, 1.0)]),
        ..BadFirstOrder::default()
    });
    assert!(matches!(
        wrong.err(),
        Some(FirstOrderError::Entry {
            matrix: "M",
            column: 2,
            ..
        })
    ));

    // y1' = -y1, 0 = y1 - y2: index 1.
    let dae = || {
        FirstOrder::new(BadFirstOrder {
            index: vec![0, 1],
            mass: Some(vec![(0, 0, 1.0)]),
            ..BadFirstOrder::default()
        })
        .unwrap()
    };
    for entry in crate::methods() {
        let result = run(dae(), entry.method.name, &Options::fixed(1.0, 1e-3));
        if ["backward-euler", "radau5", "bdf", "bdf-lie"].contains(&entry.method.name) {
            let solution = result.unwrap();
            let exact = (-1.0_f64).exp();
            assert!(
                solution.state.x.iter().all(|x| (x - exact).abs() < 1e-3),
                "{:?}",
                solution.state.x
            );
        } else {
            let error = result.unwrap_err();
            assert!(
                matches!(
                    error.kind,
                    SolveErrorKind::Step(StepError::Unsupported { .. })
                ),
                "{error}"
            );
            assert!(error.to_string().contains("radau5"));
        }
    }
}

#[test]
fn a_step_limit_ends_the_run() {
    let mut limited = options(false);
    limited.max_steps = 10;
    let error = run(Sleigh, "hem5", &limited).unwrap_err();
    assert!(matches!(
        error.kind,
        SolveErrorKind::TooManySteps { steps: 10, .. }
    ));
    assert_eq!(error.statistics.accepted, 10);
}

#[test]
fn functions_that_fail_are_named() {
    let error = EvaluationError::NonFinite {
        function: Function::ConstraintJacobian,
        t: 1.5,
        index: 3,
    };
    assert_eq!(
        error.to_string(),
        "the constraint Jacobian is not finite at t = 1.5 (entry 3): check its formula there, or the state it was given"
    );
}
