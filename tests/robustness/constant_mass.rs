//! Mass matrices that are said to be constant are evaluated once, are believed only where they are, and may change at events.

use liedae::integrator::MethodOptions;
use liedae::prelude::*;
use liedae::solve::{SolveErrorKind, StopReason};
use liedae::system::{
    ConsistencyError, EvaluationError, EventAction, EventDescription, ModelEvents, Wrapped, Wrapper,
};
use std::cell::Cell;

fn options() -> Options {
    Options::adaptive(1.0, 1e-6, 1e-6)
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
        let options = if method.method().fixed_step_by_default {
            Options::fixed(0.5, 0.01)
        } else {
            Options::adaptive(0.5, 1e-5, 1e-5)
        };
        let [known, asked] = [true, false].map(|constant| {
            solve(&mut stated(constant), method.as_ref(), &options).map(|run| {
                let evaluations = run.statistics.evaluations;
                (run.state, run.statistics.accepted, evaluations.mass)
            })
        });
        match (known, asked) {
            (Ok(known), Ok(asked)) => {
                assert_eq!((&known.0, known.1), (&asked.0, asked.1), "{name}");
                assert!(known.2 <= 2, "{name}: {} masses", known.2);
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

#[test]
fn masses_that_change_are_refused() {
    let changes: [(Change, bool); 5] = [
        (|at| 0.1 * at.q[0], false),
        (|at| 0.1 * at.t, false),
        (|at| 0.1 * at.v[0] * at.v[0], false),
        (|_| 3.0, true),
        // Not defined but at the start: nothing is seen there, and nothing held against it.
        (|at| if at.t > 0.0 { f64::NAN } else { 0.0 }, true),
    ];
    for (number, (by, right)) in changes.into_iter().enumerate() {
        let inner = (liedae::model([1.0], [0.0]).mass(1.0))
            .force(|_t, [x], _v| [x * -100.0])
            .build()
            .expect("a system");
        let mut system = Wrapped(Heavier { inner, by });
        let run = solve(
            &mut system,
            &liedae::integrator::Dopri5::default(),
            &options(),
        );
        match run {
            Ok(_) => assert!(right, "change {number}"),
            Err(error) => {
                assert!(!right, "change {number}: {error}");
                assert!(
                    matches!(
                        error.kind,
                        SolveErrorKind::Initial(ConsistencyError::ChangingMass { row: 0, .. })
                    ),
                    "{error}"
                );
            }
        }
    }
}

/// A cart that is pulled with 1 N, and loaded after 1 s: 1 kg becomes 4 kg.
struct Cart {
    mass: Cell<f64>,
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
        EventAction::Restart
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
        let options = if method.method().fixed_step_by_default {
            Options::fixed(3.0, 0.01)
        } else {
            Options::adaptive(3.0, 1e-8, 1e-8)
        };
        let mut cart = Automatic::new(Cart {
            mass: Cell::new(1.0),
        });
        let run = solve(&mut cart, method.as_ref(), &options).expect("solved");
        assert_eq!(run.reason, StopReason::EndTime);
        // 1 s at 1 m/s², 2 s at 1/4.
        let speed = run.state.v[0];
        assert!((speed - 1.5).abs() < 1e-9, "{name}: {speed} m/s");
    }
}
