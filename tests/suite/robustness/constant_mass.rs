//! Mass matrices that are said to be constant are evaluated once, are believed only where they are, and may change at events.

use liedae::integrator::{Dopri5, Method, MethodOptions};
use liedae::prelude::*;
use liedae::solve::StopReason;
use liedae::system::{
    AccelerationSolver, EvaluationError, Evaluator, EventAction, EventDescription, ModelEvents,
    Wrapped, Wrapper,
};
use std::cell::Cell;

fn options() -> Options {
    Options::adaptive(1.0, 1e-6, 1e-6)
}

/// Steps of 10 ms for methods that have constant ones, this tolerance for others.
fn options_for(method: &Method, t_end: f64, tolerance: f64) -> Options {
    if method.fixed_step_by_default {
        Options::fixed(t_end, 0.01)
    } else {
        Options::adaptive(t_end, tolerance, tolerance)
    }
}

#[test]
fn statements_change_no_bit() {
    let stated = |constant: bool| {
        let pendulum = liedae::model([0.6, -0.8], [0.0, 0.0])
            .force(|_t, _q, _v| [0.0, -9.81])
            .constraint(|_t, [x, y]| [x * x + y * y - 1.0]);
        let pendulum = if constant {
            pendulum.mass([2.0, 2.0])
        } else {
            pendulum.mass_matrix(|_t, _q| [[2.0, 0.0], [0.0, 2.0]])
        };
        pendulum.build().expect("a system")
    };
    for entry in crate::known_methods().entries() {
        let method = entry.default_method();
        let name = method.method().name;
        let options = options_for(method.method(), 0.5, 1e-5);
        let [known, asked] = [true, false].map(|constant| {
            solve(&mut stated(constant), method.as_ref(), &options).map(|run| {
                let evaluations = run.statistics.evaluations;
                (run.state, run.statistics.accepted, evaluations.mass)
            })
        });
        match (known, asked) {
            (Ok(known), Ok(asked)) => {
                assert_eq!((&known.0, known.1), (&asked.0, asked.1), "{name}");
                assert!((1..=2).contains(&known.2), "{name}: {} masses", known.2);
            }
            (known, asked) => assert_eq!(known.is_ok(), asked.is_ok(), "{name}"),
        }
    }
}

/// A wrapper hands the layout of its system on, and changes the mass: by the place, the time or the velocity.
struct Heavier<S> {
    inner: S,
    by: Change,
}

type Change = fn(&Point) -> f64;

impl<S: System> Wrapper for Heavier<S> {
    type Inner = S;
    fn inner(&self) -> &S {
        &self.inner
    }
    fn inner_mut(&mut self) -> &mut S {
        &mut self.inner
    }
    fn mass_matrix(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.inner.mass_matrix(at, out)?;
        out[0] += (self.by)(at);
        Ok(())
    }
}

/// An oscillator of 1 kg, and more.
fn heavier(by: Change) -> Wrapped<Heavier<impl System>> {
    let inner = (liedae::model([1.0], [0.0]).mass(1.0))
        .force(|_t, [x], _v| [x * -100.0])
        .build()
        .expect("a system");
    Wrapped(Heavier { inner, by })
}

#[test]
fn masses_that_change_are_refused() {
    let changes: [(Change, Option<&str>); 7] = [
        (|at| 0.1 * at.q[0], Some("is constant")),
        (|at| 0.1 * at.t, Some("is constant")),
        (|at| 1e-12 * at.t, Some("is constant")),
        (|at| 0.1 * at.v[0] * at.v[0], Some("is constant")),
        (|_| 3.0, None),
        // What is not defined but at the start, and what changes later, show at the end.
        (
            |at| if at.t > 0.0 { f64::NAN } else { 0.0 },
            Some("mass matrix is not finite"),
        ),
        (|at| if at.t > 0.5 { 1.0 } else { 0.0 }, Some("is constant")),
    ];
    for (number, (by, reason)) in changes.into_iter().enumerate() {
        let run = solve(&mut heavier(by), &Dopri5::default(), &options());
        match (run, reason) {
            (Ok(_), None) => {}
            (Err(error), Some(reason)) => {
                assert!(
                    error.to_string().contains(reason),
                    "change {number}: {error}"
                );
            }
            (run, _) => panic!("change {number}: {:?}", run.map(|run| run.reason)),
        }
    }
}

/// Of a heavy body beside a light one the light one is what changes.
#[test]
fn small_masses_beside_large_ones_are_compared_by_themselves() {
    struct Pair;
    impl Model for Pair {
        fn layout(&self) -> Layout {
            Layout::dense(Manifold::euclidean(2)).with_constant_mass()
        }
        fn initial_state(&self) -> State {
            self.layout().state()
        }
        fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
            mass[(0, 0)] = S::constant(1e8);
            mass[(1, 1)] = at.q[1] * 1e-6 + 1.0;
        }
        fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
            force[1] = S::constant(1.0);
        }
    }
    let run = solve(&mut Automatic::new(Pair), &Dopri5::default(), &options());
    let error = run.expect_err("the second mass changes").to_string();
    assert!(error.contains("entry (1, 1)"), "{error}");
}

#[test]
fn without_a_second_place_masses_are_asked_for_everywhere() {
    // Known at rest only.
    let mut system = heavier(|at| if at.v[0] == 0.0 { at.q[0] } else { f64::NAN });
    let mut state = system.initial_state();
    let mut evaluator = Evaluator::new(&mut system);
    for place in [1.0, 2.0, 3.0] {
        state.q[0] = place;
        let mut mass = [0.0];
        evaluator
            .mass_matrix(&state.point(), &mut mass)
            .expect("at rest");
        assert_eq!(mass, [1.0 + place]);
    }
    assert_eq!(evaluator.evaluations().mass, 3);
}

/// A cart that is pulled with 1 N, and loaded after 1 s: 1 kg becomes 4 kg.
struct Cart {
    mass: Cell<f64>,
    answer: EventAction,
}

impl Model for Cart {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(1)).with_constant_mass()
    }
    fn initial_state(&self) -> State {
        self.layout().state()
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(self.mass.get());
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[0] = S::constant(1.0);
    }
    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl ModelEvents for Cart {
    fn descriptions(&self) -> Vec<EventDescription> {
        Vec::new()
    }
    fn time_events(&self) -> Vec<f64> {
        vec![1.0]
    }
    fn handle_time_event(&self, _event: usize, _state: &mut State) -> EventAction {
        self.mass.set(4.0);
        self.answer
    }
}

#[test]
fn events_may_change_masses() {
    for name in [
        "dopri5",
        "hem5",
        "radau5",
        "generalized-alpha",
        "half-implicit",
        "rattle",
    ] {
        let method = (crate::known_methods())
            .build(name, &MethodOptions::default())
            .expect("registered");
        let options = options_for(method.method(), 3.0, 1e-8);
        for answer in [EventAction::Restart, EventAction::Continue] {
            let mut cart = Automatic::new(Cart {
                mass: Cell::new(1.0),
                answer,
            });
            let run = solve(&mut cart, method.as_ref(), &options).expect("solved");
            assert_eq!(run.reason, StopReason::EndTime);
            // 1 s at 1 m/s², 2 s at 1/4. Who lets the run go on says that it is smooth: a multistep formula sees the load some steps late.
            let bound = if answer == EventAction::Restart {
                1e-9
            } else {
                0.02
            };
            let speed = run.state.v[0];
            assert!(
                (speed - 1.5).abs() < bound,
                "{name}, {answer:?}: {speed} m/s"
            );
        }
    }
}

/// A solver keeps the factors of a constant matrix, but not for another one: of another system, or of the same one later.
#[test]
fn factors_belong_to_the_matrix_that_they_were_made_of() {
    let stated = |mass: f64| {
        (liedae::model([1.0], [0.0]).mass(mass))
            .force(|_t, [x], _v| [x * -100.0])
            .build()
            .expect("a system")
    };
    let (mut light, mut heavy) = (stated(1.0), stated(4.0));
    let state = light.initial_state();
    let mut solver = AccelerationSolver::new(light.layout()).expect("a solver");
    let mut light = Evaluator::new(&mut light);
    let mut heavy = Evaluator::new(&mut heavy);
    let mut acceleration = |evaluator: &mut Evaluator, load_left: bool| {
        let (at, mut found) = (state.point(), [0.0]);
        if load_left {
            solver.load_left(evaluator, &at).expect("loaded");
        } else {
            solver.load_index_one(evaluator, &at).expect("loaded");
        }
        solver
            .solve(evaluator, &at, &mut found, &mut [], &mut [])
            .expect("solved");
        found[0]
    };
    for _ in 0..2 {
        assert_eq!(acceleration(&mut light, false), -100.0);
        assert_eq!(acceleration(&mut light, false), -100.0);
        assert_eq!(acceleration(&mut heavy, false), -25.0);
        assert_eq!(acceleration(&mut light, false), -100.0);
        assert_eq!(acceleration(&mut heavy, true), -25.0);
    }
    assert_eq!(light.evaluations().mass, 1);
    light.forget_constants();
    assert_eq!(acceleration(&mut light, false), -100.0);
    assert_eq!(light.evaluations().mass, 2);
}
