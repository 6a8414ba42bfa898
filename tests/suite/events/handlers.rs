//! Events: what a jump leaves behind, what is found again, what accumulates, what a handler may do.

use crate::common::{Bouncer, Pendulum};
use liedae::integrator::{MethodOptions, Projection};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{
    Driver, Options, Recorder, Silent, Solution, SolveError, SolveErrorKind, StepControl,
    StopReason, solve, solve_observed,
};
use liedae::system::{
    Automatic, Direction, EventAction, EventDescription, Layout, MatrixMut, Model, ModelEvents,
    Point, State, System,
};

/// A particle moving at unit speed, with event functions and handlers to choose.
struct Particle<F, H> {
    directions: Vec<Direction>,
    functions: F,
    handler: H,
}

impl<F, H> Model for Particle<F, H>
where
    F: Fn(&Point, &mut [f64]),
    H: Fn(usize, &mut State) -> EventAction,
{
    fn layout(&self) -> Layout {
        let mut layout = Layout::dense(Manifold::euclidean(1)).with_differential_states(1);
        layout.modes = 1;
        layout
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
    fn force<S: Scalar>(&self, _at: &Point<S>, _force: &mut [S]) {}
    fn differential_rate<S: Scalar>(&self, _at: &Point<S>, rate: &mut [S]) {
        rate[0] = S::constant(1.0);
    }
    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl<F, H> ModelEvents for Particle<F, H>
where
    F: Fn(&Point, &mut [f64]),
    H: Fn(usize, &mut State) -> EventAction,
{
    fn descriptions(&self) -> Vec<EventDescription> {
        let describe = |(index, &direction): (usize, &Direction)| {
            EventDescription::new("event", index.to_string(), direction)
        };
        self.directions.iter().enumerate().map(describe).collect()
    }
    fn event_functions(&self, at: &Point, out: &mut [f64]) {
        (self.functions)(at, out);
    }
    fn handle_event(&self, event: usize, state: &mut State) -> EventAction {
        (self.handler)(event, state)
    }
}

fn each_method(options: &Options, test: impl Fn(&str, &Options)) {
    for entry in crate::methods() {
        test(entry.method.name, options);
    }
}

fn run(system: &mut dyn System, method: &str, options: &Options) -> Result<Solution, SolveError> {
    solve(
        system,
        crate::known_methods()
            .build(method, &MethodOptions::default())
            .expect("registered")
            .as_ref(),
        options,
    )
}

fn event_times(solution: &Solution) -> Vec<f64> {
    solution.events.iter().map(|event| event.t).collect()
}

#[test]
fn events_beyond_a_jump_are_not_invented_and_not_lost() {
    // Function 1 falls through 0.7 - q at 0.7 but only rising counts; function 0 restarts at 0.5.
    each_method(&Options::fixed(2.0, 1.0), |method, options| {
        let particle = Particle {
            directions: vec![Direction::Rising, Direction::Rising],
            functions: |at: &Point, out: &mut [f64]| {
                out[0] = at.q[0] - 0.5;
                out[1] = 0.7 - at.q[0];
            },
            handler: |_, _: &mut State| EventAction::Restart,
        };
        let solution = run(&mut Automatic::new(particle), method, options).unwrap();
        assert_eq!(solution.events.len(), 1, "{method}: {:?}", solution.events);
        assert!((solution.events[0].t - 0.5).abs() < 1e-9, "{method}");

        // Both count: the second is found after the first.
        let particle = Particle {
            directions: vec![Direction::Both, Direction::Both],
            functions: |at: &Point, out: &mut [f64]| {
                out[0] = at.q[0] - 0.5;
                out[1] = 0.7 - at.q[0];
            },
            handler: |_, _: &mut State| EventAction::Restart,
        };
        let times = event_times(&run(&mut Automatic::new(particle), method, options).unwrap());
        assert_eq!(times.len(), 2, "{method}: {times:?}");
        assert!((times[1] - 0.7).abs() < 1e-9, "{method}");
    });
}

#[test]
fn simultaneous_events_are_handled_together() {
    each_method(&Options::fixed(2.0, 0.3), |method, options| {
        let particle = Particle {
            directions: vec![Direction::Both; 3],
            functions: |at: &Point, out: &mut [f64]| {
                out.copy_from_slice(&[at.q[0] - 1.0, 2.0 * (at.q[0] - 1.0), 1.0 - at.q[0]]);
            },
            handler: |_, _: &mut State| EventAction::Restart,
        };
        let times = event_times(&run(&mut Automatic::new(particle), method, options).unwrap());
        assert_eq!(times.len(), 3, "{method}: {times:?}");
        assert!(
            times.iter().all(|t| (t - 1.0).abs() < 1e-11),
            "{method}: {times:?}"
        );
    });
}

#[test]
fn a_function_that_depends_on_the_mode_does_not_fire_for_ever() {
    // A thermostat: the velocity reverses at q = 1 going up and at q = 0 going down, one function for both.
    each_method(&Options::fixed(5.5, 0.01), |method, options| {
        let particle = Particle {
            directions: vec![Direction::Both],
            functions: |at: &Point, out: &mut [f64]| {
                out[0] = if at.mode[0] == 0 {
                    at.q[0] - 1.0
                } else {
                    at.q[0]
                };
            },
            handler: |_, state: &mut State| {
                state.mode[0] = 1 - state.mode[0];
                state.v[0] = -state.v[0];
                EventAction::Restart
            },
        };
        let times = event_times(&run(&mut Automatic::new(particle), method, options).unwrap());
        assert_eq!(times.len(), 5, "{method}: {times:?}");
        for (index, t) in times.iter().enumerate() {
            assert!((t - (index + 1) as f64).abs() < 1e-6, "{method}: {times:?}");
        }
    });
}

#[test]
fn a_bounce_watched_in_both_directions_happens_once() {
    struct Both(Bouncer);
    impl Model for Both {
        fn layout(&self) -> Layout {
            self.0.layout()
        }
        fn initial_state(&self) -> State {
            self.0.initial_state()
        }
        fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
            self.0.mass_matrix(at, mass);
        }
        fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
            self.0.force(at, force);
        }

        fn events(&self) -> Option<&dyn ModelEvents> {
            Some(self)
        }
    }

    impl ModelEvents for Both {
        fn descriptions(&self) -> Vec<EventDescription> {
            vec![EventDescription::new("bounce", "floor", Direction::Both)]
        }

        fn event_functions(&self, at: &Point, out: &mut [f64]) {
            self.0.event_functions(at, out);
        }

        fn handle_event(&self, event: usize, state: &mut State) -> EventAction {
            self.0.handle_event(event, state)
        }
    }
    let mut system = Automatic::new(Both(Bouncer { restitution: 1.0 }));
    let solution = run(&mut system, "hem5", &Options::adaptive(2.0, 1e-9, 1e-9)).unwrap();
    assert_eq!(solution.events.len(), 2, "{:?}", solution.events);
}

#[test]
fn accumulating_impacts_end_in_an_error_that_names_them() {
    for method in ["hem5", "mdop5", "dop853", "phem56"] {
        let mut system = Automatic::new(Bouncer { restitution: 0.5 });
        let error = run(&mut system, method, &Options::adaptive(3.0, 1e-9, 1e-9)).unwrap_err();
        let SolveErrorKind::Accumulation { event, .. } = &error.kind else {
            panic!("{method}: {error}");
        };
        // The accumulation point of e = 1/2 is sqrt(2/g) (1 + e) / (1 - e).
        let limit = (2.0_f64 / 9.81).sqrt() * 3.0;
        assert!(
            (event.t - limit).abs() < 1e-6,
            "{method}: {} for {limit}",
            event.t
        );
        assert_eq!(event.label, "floor");
    }
}

#[test]
fn dense_output_up_to_an_event_is_that_of_the_step() {
    each_method(&Options::fixed(2.0, 0.4), |method, options| {
        let particle = Particle {
            directions: vec![Direction::Rising],
            functions: |at: &Point, out: &mut [f64]| out[0] = at.q[0] - 1.45,
            handler: |_, state: &mut State| {
                state.v[0] = 0.0;
                EventAction::Restart
            },
        };
        let mut system = Automatic::new(particle);
        let mut recorder = Recorder::equidistant(0.0, 2.0, 41);
        let integrator = crate::known_methods()
            .build(method, &MethodOptions::default())
            .unwrap();
        solve_observed(&mut system, integrator.as_ref(), options, &mut recorder).unwrap();
        assert_eq!(recorder.states.len(), 41);
        for state in &recorder.states {
            assert!(
                (state.x[0] - state.t).abs() < 1e-9,
                "{method}: x = {} at {}",
                state.x[0],
                state.t
            );
            assert!(
                (state.q[0] - state.t.min(1.45)).abs() < 1e-6,
                "{method}: q = {} at {}",
                state.q[0],
                state.t
            );
        }
    });
}

/// The pendulum, stopped by an event at its lowest point.
struct StopsAtTheBottom;

impl Model for StopsAtTheBottom {
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

impl ModelEvents for StopsAtTheBottom {
    fn descriptions(&self) -> Vec<EventDescription> {
        vec![EventDescription::new("bottom", "bob", Direction::Falling)]
    }

    fn event_functions(&self, at: &Point, out: &mut [f64]) {
        out[0] = at.q[0];
    }

    fn handle_event(&self, _event: usize, _state: &mut State) -> EventAction {
        EventAction::Stop
    }
}

#[test]
fn a_stop_returns_the_state_of_its_moment_and_can_be_gone_beyond() {
    for projection in [Projection::EveryStep, Projection::Never] {
        for method in ["hem5", "mdop5", "dop853", "phem56"] {
            let options = Options::adaptive(1.0, 1e-9, 1e-9);
            let choice = MethodOptions {
                projection: Some(projection),
                ..MethodOptions::default()
            };
            let integrator = crate::known_methods().build(method, &choice).unwrap();
            let mut system = Automatic::new(StopsAtTheBottom);
            let solution = solve(&mut system, integrator.as_ref(), &options).unwrap();
            assert_eq!(solution.reason, StopReason::Event);
            // At the bottom the rod carries weight and centrifugal force: G = q = (0, -1), λ = -(g + v²).
            let expected = -(9.81 + solution.state.v[0].powi(2));
            assert!(
                (solution.state.lambda[0] - expected).abs() < 1e-6,
                "{method}: {:?}",
                solution.state.lambda
            );

            let whole = run(&mut Automatic::new(Pendulum), method, &options).unwrap();
            let mut driver = Driver::new(
                &mut system,
                integrator.as_ref(),
                StopsAtTheBottom.initial_state(),
                &options,
            )
            .unwrap();
            while driver.advance(&mut Silent).unwrap() != Some(StopReason::EndTime) {}
            let state = driver.state();
            assert!(
                (state.q[0] - whole.state.q[0]).abs() < 1e-6,
                "{method} {projection:?}: {:?}",
                state.q
            );
        }
    }
}

#[test]
fn handlers_that_break_the_state_are_named() {
    let outcomes: [fn(&mut State); 4] = [
        |state| state.v.push(0.0),
        |state| state.mode.clear(),
        |state| state.q[0] = f64::NAN,
        |state| state.x.clear(),
    ];
    for spoil in outcomes {
        each_method(&Options::fixed(2.0, 0.3), |method, options| {
            let particle = Particle {
                directions: vec![Direction::Rising],
                functions: |at: &Point, out: &mut [f64]| out[0] = at.q[0] - 1.0,
                handler: |_, state: &mut State| {
                    spoil(state);
                    EventAction::Restart
                },
            };
            let error = run(&mut Automatic::new(particle), method, options).unwrap_err();
            assert!(
                matches!(error.kind, SolveErrorKind::Jump { .. }),
                "{method}: {error}"
            );
        });
    }
}

/// A mass under a force that a mode switches on at t = 0.5.
struct SwitchedLoad;

impl Model for SwitchedLoad {
    fn layout(&self) -> Layout {
        let mut layout = Layout::dense(Manifold::euclidean(1));
        layout.modes = 1;
        layout
    }
    fn initial_state(&self) -> State {
        self.layout().state()
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = S::constant(100.0 * f64::from(at.mode[0]));
    }

    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl ModelEvents for SwitchedLoad {
    fn time_events(&self) -> Vec<f64> {
        vec![0.5]
    }

    fn handle_time_event(&self, _event: usize, state: &mut State) -> EventAction {
        state.mode[0] = 1;
        EventAction::Restart
    }
}

#[test]
fn a_load_switched_at_a_time_event_is_exact() {
    for entry in crate::methods() {
        for options in [Options::fixed(1.0, 0.1), Options::adaptive(1.0, 1e-6, 1e-6)] {
            let adaptive = matches!(options.control, StepControl::Adaptive { .. });
            if adaptive && !entry.method.is_adaptive() {
                continue;
            }
            let solution = run(
                &mut Automatic::new(SwitchedLoad),
                entry.method.name,
                &options,
            )
            .unwrap();
            let error = (solution.state.q[0] - 12.5).abs();
            // Methods of variable order start with the first.
            let tolerance = if entry.method.name == "bdf" {
                1e-5
            } else if entry.method.orders.q == 5 {
                1e-10
            } else {
                6.0
            };
            assert!(
                error < tolerance,
                "{}: q = {}",
                entry.method.name,
                solution.state.q[0]
            );
            assert!(
                (solution.state.v[0] - 50.0).abs() < 1e-6,
                "{}: v = {}",
                entry.method.name,
                solution.state.v[0]
            );
        }
    }
}

#[test]
fn stops_that_differ_by_round_off_are_one() {
    let mut options = Options::fixed(1.0, 0.05);
    options.stops = vec![0.3, 0.1 + 0.2, 1.0 - 1e-16, 0.3 - 1e-17];
    each_method(&options, |method, options| {
        let solution = run(&mut Automatic::new(Pendulum), method, options).unwrap();
        assert_eq!(solution.state.t, 1.0, "{method}");
    });
}
