//! Events that change the layout of the system.

use liedae::control::{PerComponent, Tolerances};
use liedae::integrator::{Hem5, MethodOptions, Projection};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{
    Driver, EventRecord, Observer, Options, Silent, SolveErrorKind, StepControl, StepView,
    StopReason, solve, solve_observed,
};
use liedae::system::{
    Automatic, Direction, EvaluationError, EventAction, EventDescription, EventReport,
    EventResponse, Events, Layout, MatrixMut, Model, Point, Quantity, RatesJacobian, State, System,
};
use std::ops::ControlFlow;

/// A point mass in the plane, free or on a rod of length 1 m.
struct Mass {
    held: bool,
}

impl Model for Mass {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2)).with_position_rows(usize::from(self.held))
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![0.6, 0.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-10.0);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        if self.held {
            g[0] = (at.q[0] * at.q[0] + at.q[1] * at.q[1] - S::constant(1.0)) * S::constant(0.5);
        }
    }
}

/// It falls freely until it is 1 m from the origin; there it is caught, and let go again at t = 0.6 s.
struct Caught {
    free: Automatic<Mass>,
    held: Automatic<Mass>,
    is_held: bool,
    descriptions: Vec<EventDescription>,
}

impl Caught {
    fn new() -> Self {
        let catch = EventDescription::new("reach", "rod", Direction::Rising);
        Self {
            free: Automatic::new(Mass { held: false }),
            held: Automatic::new(Mass { held: true }),
            is_held: false,
            descriptions: vec![catch],
        }
    }
    fn now(&self) -> &Automatic<Mass> {
        if self.is_held { &self.held } else { &self.free }
    }
    fn now_mut(&mut self) -> &mut Automatic<Mass> {
        if self.is_held {
            &mut self.held
        } else {
            &mut self.free
        }
    }
}

type Done = Result<(), EvaluationError>;

impl System for Caught {
    fn layout(&self) -> &Layout {
        self.now().layout()
    }
    fn initial_state(&self) -> State {
        self.now().initial_state()
    }
    fn mass_matrix(&mut self, at: &Point, out: &mut [f64]) -> Done {
        self.now_mut().mass_matrix(at, out)
    }
    fn rates(&mut self, at: &Point, out: &mut [f64]) -> Done {
        self.now_mut().rates(at, out)
    }
    fn rates_jacobian(&mut self, at: &Point, out: &mut RatesJacobian) -> Done {
        self.now_mut().rates_jacobian(at, out)
    }
    fn position_constraint(&mut self, at: &Point, out: &mut [f64]) -> Done {
        self.now_mut().position_constraint(at, out)
    }
    fn velocity_constraint(&mut self, at: &Point, out: &mut [f64]) -> Done {
        self.now_mut().velocity_constraint(at, out)
    }
    fn constraint_jacobian(&mut self, at: &Point, out: &mut [f64]) -> Done {
        self.now_mut().constraint_jacobian(at, out)
    }
    fn acceleration_bias(&mut self, at: &Point, out: &mut [f64]) -> Done {
        self.now_mut().acceleration_bias(at, out)
    }

    fn events(&mut self) -> Option<&mut dyn Events> {
        Some(self)
    }
}

impl Events for Caught {
    fn descriptions(&mut self) -> &[EventDescription] {
        &self.descriptions
    }

    fn event_functions(&mut self, at: &Point, out: &mut [f64]) -> Done {
        for slot in out {
            *slot = at.q[0].hypot(at.q[1]) - 1.0;
        }
        Ok(())
    }

    fn handle_events(
        &mut self,
        _events: &[usize],
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        let radial = state.q[0] * state.v[0] + state.q[1] * state.v[1];
        for (v, q) in state.v.iter_mut().zip(&state.q) {
            *v -= radial * q;
        }
        state.lambda = vec![0.0];
        self.is_held = true;
        self.descriptions.clear();
        Ok(EventResponse {
            action: EventAction::Restructure,
            reports: Some(vec![EventReport {
                quantities: vec![Quantity {
                    name: "impulse",
                    value: radial,
                    unit: "N s",
                }],
                ..EventReport::new("catch", "mass")
            }]),
        })
    }

    fn time_events(&mut self) -> &[f64] {
        &[0.6]
    }

    fn handle_time_event(
        &mut self,
        _event: usize,
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        state.lambda.clear();
        self.is_held = false;
        Ok(EventAction::Restructure.into())
    }
}

/// Checks that states and system fit together in every view.
#[derive(Default)]
struct Shapes {
    rows: Vec<usize>,
    dense: bool,
}

impl Observer for Shapes {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let rows = step.system().layout().rows();
        assert_eq!(step.from.lambda.len(), rows);
        assert_eq!(step.to.lambda.len(), rows);
        let middle = 0.5 * (step.from.t + step.to.t);
        assert_eq!(step.at(middle).lambda.len(), rows);
        if self.rows.last() != Some(&rows) {
            self.rows.push(rows);
        }
        ControlFlow::Continue(())
    }
    fn wants_dense_output(&self) -> bool {
        self.dense
    }
}

#[test]
fn the_number_of_rows_may_change() {
    // It falls 0.8 m in 0.4 s and is caught at (0.6, -0.8) with the velocity 4 m/s downwards.
    for entry in crate::methods() {
        let name = entry.method.name;
        for dense in [false, true] {
            let mut system = Caught::new();
            let integrator = crate::known_methods()
                .build(name, &MethodOptions::default())
                .expect("registered");
            let mut shapes = Shapes {
                dense,
                ..Shapes::default()
            };
            let options = if entry.method.fixed_step_by_default {
                Options::fixed(0.8, 1e-3)
            } else {
                Options::adaptive(0.8, 1e-9, 1e-9)
            };
            let solution = solve_observed(&mut system, integrator.as_ref(), &options, &mut shapes)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(shapes.rows, [0, 1, 0], "{name}");
            let [catch, load]: &[EventRecord; 2] =
                solution.events.as_slice().try_into().expect("two events");
            assert_eq!(
                (catch.kind.as_str(), catch.label.as_str()),
                ("catch", "mass")
            );
            assert_eq!((load.kind.as_str(), load.t), ("load", 0.6), "{name}");
            assert_eq!(load.label, "time event 1");
            let low_order = entry.method.orders.q < 3;
            let tolerance = if low_order { 2e-3 } else { 1e-6 };
            assert!((catch.t - 0.4).abs() < tolerance, "{name}: {}", catch.t);
            let impulse = catch.quantity("impulse").expect("a number");
            assert!(
                (impulse - 3.2).abs() < 20.0 * tolerance,
                "{name}: {impulse}"
            );
            // Energy: 16/2 · 0.36 is left after the catch, at a height of -0.8 m.
            let state = &solution.state;
            let energy = 0.5 * (state.v[0].powi(2) + state.v[1].powi(2)) + 10.0 * state.q[1];
            let expected = 0.5 * 16.0 * 0.36 - 8.0;
            assert!(
                (energy - expected).abs() < 50.0 * tolerance,
                "{name}: {energy} for {expected}"
            );
            assert!(solution.statistics.work.factorizations < 1_000_000);
        }
    }
}

#[test]
fn tolerances_per_component_must_fit_the_new_shape() {
    let each = |value: f64| PerComponent::Each(vec![value; 4]);
    let control = StepControl::Adaptive {
        tolerances: Tolerances {
            relative: each(1e-8),
            absolute: each(1e-8),
        },
        controller: None,
        initial_step: None,
    };
    // Two coordinates before and after: these fit.
    let integrator = crate::known_methods()
        .build("hem5", &MethodOptions::default())
        .expect("registered");
    solve(
        &mut Caught::new(),
        integrator.as_ref(),
        &Options::new(0.5, control.clone()),
    )
    .expect("solved");

    let mut options = Options::new(0.5, control);
    options.event_samples = 0;
    let error = solve(&mut Caught::new(), integrator.as_ref(), &options).unwrap_err();
    assert!(matches!(error.kind, SolveErrorKind::Options(_)));
}

/// Stops at the end of the first step that ends behind a time, and counts how often it is asked after that.
struct StopsBehind {
    t: f64,
    asked_again: usize,
    stopped: bool,
}

impl Observer for StopsBehind {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        self.asked_again += usize::from(self.stopped);
        if !self.stopped && step.to.t >= self.t {
            self.stopped = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn who_stops_before_a_new_structure_is_not_asked_behind_it() {
    // The end of a step at an event, and at a time event.
    for (t, event_t) in [(0.4 - 1e-6, 0.4), (0.6, 0.6)] {
        let mut observer = StopsBehind {
            t,
            asked_again: 0,
            stopped: false,
        };
        let method = Hem5::new(Projection::EveryStep);
        let options = Options::adaptive(0.8, 1e-9, 1e-9);
        let solution =
            solve_observed(&mut Caught::new(), &method, &options, &mut observer).expect("solved");
        assert_eq!(solution.reason, StopReason::Observer, "{t}");
        assert!((solution.state.t - event_t).abs() < 1e-6, "{t}");
        assert!(observer.stopped && observer.asked_again == 0, "{t}");
    }
}

#[test]
fn a_run_goes_on_behind_the_stop_of_an_observer() {
    let method = Hem5::new(Projection::EveryStep);
    let options = Options::adaptive(0.8, 1e-9, 1e-9);
    let whole = solve(&mut Caught::new(), &method, &options).expect("solved");
    let mut system = Caught::new();
    let state = system.initial_state();
    let mut driver = Driver::new(&mut system, &method, state, &options).expect("consistent");
    for t in [0.0, 0.1, 0.4 - 1e-6, 0.5, 0.6] {
        let mut observer = StopsBehind {
            t,
            asked_again: 0,
            stopped: false,
        };
        let reason = loop {
            if let Some(reason) = driver.advance(&mut observer).expect("a step") {
                break reason;
            }
        };
        assert_eq!(reason, StopReason::Observer);
    }
    let rest = driver.run(&mut Silent).expect("solved");
    assert_eq!(rest.reason, StopReason::EndTime);
    assert_eq!(rest.state, whole.state);
}
