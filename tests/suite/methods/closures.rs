//! What closures state is what a [`Model`] states: the same numbers, derivatives, steps.

use crate::common::{Bouncer, Pendulum, Sleigh};
use crate::methods;
use liedae::prelude::*;
use liedae::scalar::Traced;
use liedae::solve::SolveError;
use liedae::system::{
    Direction, EvaluationError, EventAction, EventDescription, KeptNumber, RatesJacobian,
    acceleration_constraint_jacobian, geometric_stiffness, output_names, output_values,
    total_energy, velocity_constraint_jacobian,
};
use std::cell::Cell;

/// Nothing physical: every part that closures may state, and every function of a scalar.
struct Entangled;

fn all_functions<S: Scalar>(a: S, b: S) -> S {
    let (sin, cos) = a.sin_cos();
    let positive = a * a + 0.5;
    let small = b.tanh() * 0.5;
    let mut sum = sin * cos - a.tan() + small.asin() / small.acos() + a.atan() + a.atan2(positive);
    sum += positive.sqrt() + (a * 0.1).exp() - positive.ln() + a.powi(3) - positive.powf(1.3);
    sum -= a.abs() * (a * 0.1).sinh() + (a * 0.1).cosh() + positive.recip() + a.hypot(b);
    sum *= a.min(b) - a.max(b) + positive % S::constant(0.3);
    sum /= -positive;
    // Constants on either side, of scalars too.
    let two = S::constant(2.0);
    let mut mixed = two + b - (two - b) * (two * b) + two / positive - b / two;
    mixed += 1.0;
    mixed -= 0.25;
    mixed *= 3.0;
    mixed /= 7.0;
    mixed -= a / S::constant(3.0) + S::constant(5.0) / positive;
    // Each evaluation follows its own branch.
    if a > b { sum + mixed } else { sum * mixed }
}

impl Model for Entangled {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(4))
            .with_position_rows(2)
            .with_velocity_rows(1)
            .with_differential_states(2)
    }
    fn initial_state(&self) -> State {
        State {
            t: 0.3,
            q: vec![0.4, -0.7, 0.2, 1.1],
            v: vec![0.5, 0.1, -0.3, 0.9],
            x: vec![0.25, -0.5],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        for (i, q) in at.q.iter().enumerate() {
            mass[(i, i)] = *q * *q + 2.0 + at.t;
        }
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        for (i, f) in force.iter_mut().enumerate() {
            *f = all_functions(at.q[i], at.v[i]) + all_functions(at.t, at.q[3 - i]);
        }
        force[0] += at.x[0] * at.x[1];
        force[3] += -at.v[2];
    }
    fn differential_rate<S: Scalar>(&self, at: &Point<S>, rate: &mut [S]) {
        rate[0] = at.x[1] * at.q[0].sin();
        rate[1] = at.v[1] - at.x[0];
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = all_functions(at.q[1], at.q[2]) * at.t;
        g[1] = at.q[0] * at.q[3];
    }
    fn velocity_constraint<S: Scalar>(&self, at: &Point<S>, b: &mut [S]) {
        b[0] = at.v[1] * at.q[2].cos() - at.v[0] * at.q[2].sin() + at.t;
    }
}

fn entangled_by_closures() -> impl System {
    liedae::model([0.4, -0.7, 0.2, 1.1], [0.5, 0.1, -0.3, 0.9])
        .starting_at(0.3)
        .mass_matrix(|t, q| {
            let mut mass = [[Traced::from(0.0); 4]; 4];
            for i in 0..4 {
                mass[i][i] = q[i] * q[i] + 2.0 + t;
            }
            mass
        })
        .force(|t, q, v| {
            std::array::from_fn::<_, 4, _>(|i| {
                all_functions(q[i], v[i]) + all_functions(t, q[3 - i])
            })
        })
        .force_with_states([0.25, -0.5], |_, q, v, [a, b]| {
            let zero = Traced::from(0.0);
            ([a * b, zero, zero, zero], [b * q[0].sin(), v[1] - a])
        })
        .force(|_, _, [.., v, _]| [0.0.into(), 0.0.into(), 0.0.into(), -v])
        .constraint(|t, q| [all_functions(q[1], q[2]) * t])
        .constraint(|_, q| [q[0] * q[3]])
        .velocity_constraint(|t, q, v| [v[1] * q[2].cos() - v[0] * q[2].sin() + t])
        .build()
        .expect("complete")
}

/// All functions of a system at its initial state, with multipliers and accelerations that are no accident.
fn all_values(system: &mut dyn System) -> Vec<(&'static str, Vec<f64>)> {
    let mut state = system.initial_state();
    for (i, lambda) in state.lambda.iter_mut().enumerate() {
        *lambda = 0.7 - 1.1 * i as f64;
    }
    let acceleration = [0.3, -0.9, 1.7, 0.2];
    let at = state.point();
    let layout = system.layout().clone();
    let entries = |count: usize| vec![f64::NAN; count];
    let mut mass = entries(layout.mass.nnz());
    system.mass_matrix(&at, &mut mass).expect("mass");
    let mut rates = entries(layout.rate_count());
    system.rates(&at, &mut rates).expect("rates");
    let mut by = RatesJacobian::new(&layout);
    system.rates_jacobian(&at, &mut by).expect("Jacobian");
    let [mut position, mut velocity, mut bias] = [0; 3].map(|_| entries(layout.rows()));
    position.truncate(layout.position_rows);
    system.position_constraint(&at, &mut position).expect("g");
    system.velocity_constraint(&at, &mut velocity).expect("b");
    system.acceleration_bias(&at, &mut bias).expect("bias");
    let [mut jacobian, mut turning, mut by_q, mut by_v] =
        [0; 4].map(|_| entries(layout.jacobian.nnz()));
    system.constraint_jacobian(&at, &mut jacobian).expect("G");
    let mut stiffness = entries(layout.stiffness_pattern().expect("fits").nnz());
    geometric_stiffness(system, &at, &acceleration, &mut stiffness).expect("stiffness");
    velocity_constraint_jacobian(system, &at, &mut turning).expect("level");
    acceleration_constraint_jacobian(system, &at, &acceleration, &mut by_q, &mut by_v)
        .expect("level");
    vec![
        ("mass", mass),
        ("rates", rates),
        ("rates by position", by.by_position),
        ("rates by velocity", by.by_velocity),
        ("position rows", position),
        ("velocity rows", velocity),
        ("bias", bias),
        ("Jacobian", jacobian),
        ("stiffness", stiffness),
        ("velocity level", turning),
        ("acceleration level by position", by_q),
        ("acceleration level by velocity", by_v),
    ]
}

#[test]
fn every_derivative_is_that_of_the_same_generic_functions() {
    let expected = all_values(&mut Automatic::new(Entangled));
    let mut system = entangled_by_closures();
    // The second time memory is reused.
    for _ in 0..2 {
        for ((name, found), (_, expected)) in all_values(&mut system).iter().zip(&expected) {
            assert!(expected.iter().all(|value| value.is_finite()), "{name}");
            assert!(expected.iter().any(|value| *value != 0.0), "{name}");
            // A constant has derivatives of zero there and none here, which rounds alike.
            assert_eq!(found, expected, "{name}");
        }
    }
}

fn pendulum() -> impl System {
    liedae::model([1.0, 0.0], [0.0, 0.5])
        .mass(1.0)
        .force(|_, _, _| [0.0, -9.81])
        .constraint(|_, [x, y]| [(x * x + y * y - 1.0) * 0.5])
        .energy(|_, [_, y], [u, v]| 0.5 * (u * u + v * v) + 9.81 * y)
        .build()
        .expect("complete")
}

fn sleigh() -> impl System {
    liedae::model([0.0; 3], [1.0, 0.0, 2.0])
        .mass([1.0; 3])
        .force(|_, _, _| [0.0; 3])
        .velocity_constraint(|_, q, v| [v[1] * q[2].cos() - v[0] * q[2].sin()])
        .build()
        .expect("complete")
}

fn bouncer() -> impl System {
    let hits = EventDescription::new("bounce", "floor", Direction::Falling);
    let bounce = |state: &mut State| {
        state.v[0] *= -0.8;
        EventAction::Restart
    };
    liedae::model([1.0], [0.0])
        .mass([[1.0]])
        .force(|_, _, _| [-9.81])
        .event(hits, |at| at.q[0], bounce)
        .build()
        .expect("complete")
}

#[test]
fn every_method_takes_the_same_steps() {
    type Pair = (&'static str, Box<dyn System>, Box<dyn System>);
    let pairs: [fn() -> Pair; 3] = [
        || {
            let generic = Automatic::new(Pendulum);
            ("pendulum", Box::new(generic), Box::new(pendulum()))
        },
        || {
            let generic = Automatic::new(Sleigh);
            ("sleigh", Box::new(generic), Box::new(sleigh()))
        },
        || {
            let generic = Automatic::new(Bouncer { restitution: 0.8 });
            ("ball", Box::new(generic), Box::new(bouncer()))
        },
    ];
    for entry in methods() {
        let method = entry.default_method();
        let options = match entry.method.is_adaptive() {
            true => Options::adaptive(0.7, 1e-6, 1e-6),
            false => Options::fixed(0.7, 1e-3),
        };
        for pair in pairs {
            let (name, mut generic, mut closures) = pair();
            let [expected, found] = [&mut generic, &mut closures]
                .map(|system| solve(system.as_mut(), method.as_ref(), &options).expect("solved"));
            let case = format!("{} on the {name}", entry.method.name);
            assert_eq!(found, expected, "{case}");
            assert!(found.statistics.accepted > 1, "{case}");
            assert_eq!(
                output_names(&mut closures),
                output_names(&mut generic),
                "{case}"
            );
        }
    }
}

#[test]
fn what_is_missing_or_wrong_is_named() {
    let complete = || {
        liedae::model([1.0, 0.0], [0.0, 0.0])
            .mass(1.0)
            .force(|_, _, _| [0.0; 2])
    };
    let nan = f64::NAN;
    let massless = liedae::model([1.0], [0.0]).force(|_, _, _| [0.0]);
    let forceless = liedae::model([1.0], [0.0]).mass(1.0);
    let cases = [
        (massless.build(), "no mass"),
        (forceless.build(), "no force"),
        (complete().mass(1.0).build(), "2 times"),
        (complete().starting_at(nan).build(), "initial time"),
        (
            complete()
                .force_with_states([0.0, nan], |_, _, _, x| ([0.0; 2], x))
                .build(),
            "entry 1 of the initial differential states is NaN",
        ),
        (
            liedae::model([nan], [0.0])
                .mass(1.0)
                .force(|_, _, _| [0.0])
                .build(),
            "initial position",
        ),
        (
            liedae::model([0.0], [f64::INFINITY])
                .mass(1.0)
                .force(|_, _, _| [0.0])
                .build(),
            "initial velocity is inf",
        ),
        (
            liedae::model([0.0; 2], [0.0; 2])
                .mass([1.0, nan])
                .force(|_, _, _| [0.0; 2])
                .build(),
            "entry 3 of the mass matrix",
        ),
        (
            liedae::model([0.0; 2], [0.0; 2])
                .mass([[1.0, 0.5], [0.25, 1.0]])
                .force(|_, _, _| [0.0; 2])
                .build(),
            "0.5 at (0, 1) and 0.25 at (1, 0)",
        ),
        (
            complete()
                .output("x", |state| state.q[0])
                .output("x", |state| state.q[1])
                .build(),
            "two outputs `x`",
        ),
    ];
    for (system, message) in cases {
        let error = system.err().expect(message);
        assert!(error.to_string().contains(message), "{error}");
    }
    assert!(complete().build().is_ok());

    // What only shows in a run is an error of the run.
    let mut system = complete()
        .constraint(|_, [x, y]| [(x * x + y * y - 4.0).sqrt()])
        .build()
        .expect("complete");
    let method = methods().build("hem5", &MethodOptions::default());
    let options = Options::adaptive(1.0, 1e-6, 1e-6);
    let error = solve(&mut system, method.expect("registered").as_ref(), &options);
    let error = error.expect_err("no number").to_string();
    assert!(error.contains("Jacobian is not finite"), "{error}");
}

#[test]
fn outputs_and_energy_are_those_stated() {
    let mut system = liedae::model([3.0, 4.0], [1.0, 2.0])
        .mass(1.0)
        .force(|_, _, _| [0.0; 2])
        .energy(|t, [x, _], [_, v]| 100.0 * t + x * v)
        .output("radius", |state| state.q[0].hypot(state.q[1]))
        .output("speed", |state| state.v[1])
        .starting_at(2.0)
        .build()
        .expect("complete");
    let state = system.initial_state();
    let mut out = [0.0; 2];
    output_values(&mut system, &state, &mut out).expect("outputs");
    assert_eq!(output_names(&mut system), ["radius", "speed"]);
    assert_eq!(out, [5.0, 2.0]);
    assert_eq!(total_energy(&mut system, &state.point()), Some(206.0));
}

/// ∂f/∂q of a system with one coordinate, if it can be evaluated.
fn try_slope(system: &mut dyn System) -> Result<f64, EvaluationError> {
    let mut by = RatesJacobian::new(system.layout());
    let state = system.initial_state();
    system.rates_jacobian(&state.point(), &mut by)?;
    Ok(by.by_position[0])
}

fn slope(system: &mut dyn System) -> f64 {
    try_slope(system).expect("finite")
}

#[test]
fn numbers_of_another_evaluation_are_constants() {
    // Recordings within a recording do not disturb it.
    let outer = liedae::model([3.0], [0.0]).mass(1.0).force(|_, [x], _| {
        let before = x * x;
        let mut inner = liedae::model([0.5], [0.0])
            .mass(1.0)
            // Both of this recording and of the one around it.
            .force(move |_, [y], _| [before * y * y])
            .build()
            .expect("complete");
        assert_eq!(slope(&mut inner), 9.0);
        [before * x]
    });
    assert_eq!(slope(&mut outer.build().expect("complete")), 27.0);

    // How a number that was kept came about is not known any more.
    let kept = Cell::new(Traced::from(1.0));
    let keeping = liedae::model([2.0], [0.0]).mass(1.0).force(|_, [x], _| {
        let last = kept.replace(x * 5.0);
        [last * x]
    });
    let mut keeping = keeping.build().expect("complete");
    assert_eq!(slope(&mut keeping), 1.0);
    assert_eq!(kept.get(), Traced::from(10.0));
    assert!(try_slope(&mut keeping).is_err());
}

/// Whether an error, or what it is because of, is that a closure has kept a number.
fn names_kept_number(error: &SolveError) -> bool {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        if let Some(EvaluationError::Foreign(foreign)) = error.downcast_ref() {
            return foreign.downcast_ref::<KeptNumber>().is_some();
        }
        cause = error.source();
    }
    error.to_string().contains(&KeptNumber.to_string())
}

/// What a closure keeps for its next call, or takes to another thread, is found by every method, whether it evaluates forces and
/// constraints by numbers or by derivatives.
#[test]
fn numbers_that_closures_keep_are_named_by_every_method() {
    let start = || liedae::model([1.0, 0.0], [0.0, 0.5]).mass(1.0);
    let (kept, known) = (Cell::new(Traced::from(0.0)), Cell::new(Traced::from(0.0)));
    let mut cases: Vec<(&str, Box<dyn System + '_>)> = Vec::new();
    let force = start().force(|_, [x, y], _| [kept.replace(x) * -1.0, -y]);
    cases.push(("a force", Box::new(force.build().expect("complete"))));
    // What is given on as it was given.
    let same = start().force(|_, [x, y], _| [-x, kept.replace(y)]);
    cases.push(("a result", Box::new(same.build().expect("complete"))));
    let constraint = start()
        .force(|_, _, _| [0.0, -9.81])
        .constraint(|_, [x, y]| [x * x + known.replace(y) * y - 1.0]);
    cases.push((
        "a constraint",
        Box::new(constraint.build().expect("complete")),
    ));
    let mass = liedae::model([1.0, 0.0], [0.0, 0.5])
        .mass_matrix(|_, [x, y]| {
            let last = kept.replace(x * x);
            let zero = Traced::from(0.0);
            [[last * 0.0 + 1.0 + y * y, zero], [zero, Traced::from(1.0)]]
        })
        .force(|_, [x, y], _| [-x, -y]);
    cases.push(("a mass matrix", Box::new(mass.build().expect("complete"))));
    let elsewhere = start().force(|_, [x, y], _| {
        let square = std::thread::scope(|scope| scope.spawn(|| x * x).join());
        [-x * square.expect("no panic"), -y]
    });
    cases.push(("a thread", Box::new(elsewhere.build().expect("complete"))));
    // Comparisons see it.
    let compared = start().force(|_, [x, y], _| {
        let last = kept.replace(x);
        [if last < x { -x } else { x * -2.0 }, -y]
    });
    cases.push((
        "a comparison",
        Box::new(compared.build().expect("complete")),
    ));
    let mut runs = 0;
    for (what, mut system) in cases {
        for entry in MethodRegistry::standard().entries() {
            let name = entry.method.name;
            let method = MethodRegistry::standard().build(name, &MethodOptions::default());
            let options = match entry.method.is_adaptive() {
                true => Options::adaptive(0.5, 1e-5, 1e-5),
                false => Options::fixed(0.5, 1e-2),
            };
            kept.set(Traced::from(0.0));
            known.set(Traced::from(0.0));
            // The number of a call before the run.
            let _ = try_slope(system.as_mut());
            let error = solve(
                system.as_mut(),
                method.expect("defaults").as_ref(),
                &options,
            )
            .expect_err(name);
            assert!(names_kept_number(&error), "{what}, {name}: {error}");
            runs += 1;
        }
    }
    assert!(runs > 6 * 20, "{runs} runs");
}

/// Calls within calls, and plain numbers that are kept, disturb nobody.
#[test]
fn what_is_no_number_of_another_call_may_be_kept() {
    let count = Cell::new(0.0);
    let largest = Cell::new(f64::NEG_INFINITY);
    let mut system = liedae::model([1.0], [0.0])
        .mass(1.0)
        .force(|_, [x], _| {
            count.set(count.get() + 1.0);
            largest.set(largest.get().max(x.value()));
            let mut inner = liedae::model([0.5], [0.0])
                .mass(1.0)
                .force(move |_, [y], _| [-x * y * 2.0])
                .build()
                .expect("complete");
            let state = inner.initial_state();
            let mut force = [0.0];
            inner.rates(&state.point(), &mut force).expect("finite");
            // The inner force at 1/2 is -x.
            let [inner] = force;
            [-x + (inner - inner)]
        })
        .build()
        .expect("complete");
    for name in ["dopri5", "radau5", "generalized-alpha"] {
        let method = MethodRegistry::standard().build(name, &MethodOptions::default());
        let options = Options::adaptive(1.0, 1e-8, 1e-8);
        let end = solve(&mut system, method.expect("defaults").as_ref(), &options);
        let end = end.expect(name).state;
        assert!(
            (end.q[0] - 1.0_f64.cos()).abs() < 1e-5,
            "{name}: {:?}",
            end.q
        );
    }
    assert!(count.get() > 0.0 && largest.get() >= 1.0);
}

#[test]
fn a_closure_that_panics_leaves_nothing_behind() {
    let armed = Cell::new(true);
    let force = |_, [x]: [Traced; 1], _: [Traced; 1]| {
        let force = x * x;
        assert!(!armed.get(), "as intended");
        [force]
    };
    let system = liedae::model([2.0], [0.0]).mass(1.0).force(force);
    let mut system = system.build().expect("complete");
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| slope(&mut system)));
    assert!(failed.is_err());
    armed.set(false);
    assert_eq!(slope(&mut system), 4.0);
}
