//! Differential and algebraic variables between steps: within the tolerance, converging with it, at the order of the method.

use crate::common::HeatedPendulum;
use liedae::integrator::{Kind, MethodOptions};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Observer, Options, Recorder, StepView, solve, solve_observed};
use liedae::system::{
    Automatic, Direction, EventAction, EventDescription, FirstOrder, FirstOrderModel, Layout,
    MatrixMut, Model, Point, State, System,
};
use std::ops::ControlFlow;

/// First-order systems with closed solutions.
#[derive(Clone, Copy, Debug, PartialEq)]
enum First {
    /// y' = -y.
    Ordinary,
    /// y1' = -y2, 0 = y1 - y2.
    Algebraic,
    /// Only y1 - y2 has a rate, as a voltage across a capacitor has.
    Difference,
    /// y2 is the rate of y1, which is given.
    SecondIndex,
    /// y1' = -1, 0 = y2 - tanh(20 (y1 - 1/2)): y2 moves while errors of y1 vanish.
    Step,
    /// A diode clipper: C v' = (sin t - v)/R - i, 0 = i - 2 I sinh(v/V).
    Clipper,
}

impl FirstOrderModel for First {
    fn dimension(&self) -> usize {
        if *self == Self::Ordinary { 1 } else { 2 }
    }
    fn initial_value(&self) -> Vec<f64> {
        self.exact(0.0).unwrap_or_else(|| vec![0.0; 2])
    }
    fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
        match self {
            Self::Ordinary => rate[0] = -y[0],
            Self::Algebraic => {
                rate[0] = -y[1];
                rate[1] = y[0] - y[1];
            }
            Self::Difference => {
                rate[0] = y[1] - y[0];
                rate[1] = y[0] - y[1] + (y[0] + y[1] - t.sin());
            }
            Self::SecondIndex => {
                rate[0] = y[1];
                rate[1] = y[0] - t.sin();
            }
            Self::Step => {
                rate[0] = S::constant(-1.0);
                rate[1] = y[1] - ((y[0] - 0.5) * 20.0).tanh();
            }
            Self::Clipper => {
                rate[0] = (t.sin() * 2.0 - y[0]) * 10.0 - y[1];
                let ratio = y[0] * 20.0;
                rate[1] = y[1] - (ratio.exp() - (-ratio).exp()) * 1e-4;
            }
        }
    }
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        match self {
            Self::Ordinary => None,
            Self::Difference => Some(vec![(0, 0, 1.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 1.0)]),
            _ => Some(vec![(0, 0, 1.0)]),
        }
    }
    fn index(&self) -> Vec<u8> {
        match self {
            Self::Ordinary => vec![0],
            Self::Difference => vec![1, 1],
            Self::SecondIndex => vec![1, 2],
            _ => vec![0, 1],
        }
    }
    fn events(&self) -> Vec<EventDescription> {
        match self {
            Self::Step => vec![EventDescription::new("cut", "y2", Direction::Falling)],
            _ => Vec::new(),
        }
    }
    fn event_functions(&self, _t: f64, y: &[f64], out: &mut [f64]) {
        if *self == Self::Step {
            out[0] = y[1] - 0.95;
        }
    }
    fn handle_event(&self, _event: usize, _t: f64, _y: &mut [f64]) -> EventAction {
        EventAction::Continue
    }
}

impl First {
    fn exact(self, t: f64) -> Option<Vec<f64>> {
        let decay = (-t).exp();
        Some(match self {
            Self::Ordinary => vec![decay],
            Self::Algebraic => vec![decay, decay],
            // (y1 - y2)' = -(y1 - y2), y1 + y2 = sin t.
            Self::Difference => vec![0.5 * (t.sin() + decay), 0.5 * (t.sin() - decay)],
            Self::SecondIndex => vec![t.sin(), t.cos()],
            Self::Step => vec![1.0 - t, (20.0 * (0.5 - t)).tanh()],
            Self::Clipper => return None,
        })
    }

    fn system(self) -> Automatic<FirstOrder<Self>> {
        Automatic::new(FirstOrder::new(self).expect("well stated"))
    }
}

/// Largest errors over 1 + |value| within steps, of each component, against `exact`.
struct Errors<'e> {
    exact: &'e mut dyn FnMut(f64) -> Vec<f64>,
    values: fn(&State) -> Vec<f64>,
    ends: f64,
    between: f64,
    steps: usize,
}

impl Errors<'_> {
    fn error(&mut self, state: &State) -> f64 {
        let exact = (self.exact)(state.t);
        let found = (self.values)(state);
        assert_eq!(found.len(), exact.len());
        let errors = found
            .iter()
            .zip(&exact)
            .map(|(a, b)| (a - b).abs() / (1.0 + b.abs()));
        errors.fold(
            0.0,
            |largest, error| if error <= largest { largest } else { error },
        )
    }
}

impl Observer for Errors<'_> {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let (from, to) = (step.from.t, step.to.t);
        let end = self.error(step.to);
        self.ends = self.ends.max(end);
        self.steps += 1;
        for part in 1..8 {
            let sample = step.at(from + (to - from) * f64::from(part) / 8.0).clone();
            let error = self.error(&sample);
            assert!(!error.is_nan());
            self.between = self.between.max(error);
        }
        ControlFlow::Continue(())
    }
    fn wants_dense_output(&self) -> bool {
        true
    }
}

/// Errors over the tolerance at the ends of steps and between them.
fn in_tolerances(
    system: &mut dyn System,
    method: &str,
    (t_end, tolerance): (f64, f64),
    values: fn(&State) -> Vec<f64>,
    exact: &mut dyn FnMut(f64) -> Vec<f64>,
) -> [f64; 2] {
    let integrator = crate::known_methods()
        .build(method, &MethodOptions::default())
        .expect("registered");
    let mut errors = Errors {
        exact,
        values,
        ends: 0.0,
        between: 0.0,
        steps: 0,
    };
    let options = Options::adaptive(t_end, tolerance, tolerance);
    let solution = solve_observed(system, integrator.as_ref(), &options, &mut errors);
    if let Err(error) = solution {
        panic!("{method} at {tolerance:e}: {error}");
    }
    [errors.ends / tolerance, errors.between / tolerance]
}

/// Tolerances at which the methods of first and second order take some hundred steps, and the others of the table.
fn tolerances(method: &str) -> &'static [f64] {
    match method {
        "bdf-lie" | "backward-euler" => &[1e-4, 1e-6],
        _ => &[1e-4, 1e-6, 1e-8, 1e-10],
    }
}

const FIRST_ORDER_METHODS: [&str; 4] = ["radau5", "bdf", "bdf-lie", "backward-euler"];

#[test]
fn first_order_systems_are_within_the_tolerance_between_steps() {
    let mut far = Vec::new();
    for problem in [
        First::Ordinary,
        First::Algebraic,
        First::Difference,
        First::SecondIndex,
        First::Step,
    ] {
        for method in FIRST_ORDER_METHODS {
            for &tolerance in tolerances(method) {
                let t_end = if problem == First::Step { 1.0 } else { 5.0 };
                let [ends, between] = in_tolerances(
                    &mut problem.system(),
                    method,
                    (t_end, tolerance),
                    |state| state.x.clone(),
                    &mut |t| problem.exact(t).expect("closed"),
                );
                println!(
                    "{problem:?} {method} {tolerance:e}: {ends:.2} tolerances at ends, {between:.2} between"
                );
                // Errors of first order add up.
                if between > ends.mul_add(2.0, 50.0) {
                    far.push(format!("{problem:?} {method} {tolerance:e}: {between}"));
                }
            }
        }
    }
    assert!(far.is_empty(), "{far:#?}");
}

/// A state and an algebraic variable of a `Model`.
struct Variables {
    steep: bool,
}

impl Variables {
    fn exact(&self, t: f64) -> Vec<f64> {
        if self.steep {
            vec![1.0 - t, (20.0 * (0.5 - t)).tanh()]
        } else {
            vec![(-t).exp(); 2]
        }
    }
}

impl Model for Variables {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(0))
            .with_differential_states(1)
            .with_algebraic_variables(1)
    }
    fn initial_state(&self) -> State {
        let [x, z] = [0, 1].map(|at| vec![self.exact(0.0)[at]]);
        State {
            x,
            z,
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, _mass: &mut MatrixMut<S>) {}
    fn force<S: Scalar>(&self, _at: &Point<S>, _force: &mut [S]) {}
    fn differential_rate<S: Scalar>(&self, at: &Point<S>, rate: &mut [S]) {
        rate[0] = if self.steep {
            S::constant(-1.0)
        } else {
            -at.z[0]
        };
    }
    fn algebraic_residual<S: Scalar>(&self, at: &Point<S>, residual: &mut [S]) {
        residual[0] = if self.steep {
            at.z[0] - ((at.x[0] - 0.5) * 20.0).tanh()
        } else {
            at.z[0] - at.x[0]
        };
    }
}

/// Methods that choose their steps by tolerances for a system, by name.
fn adaptive_methods(system: &mut dyn System) -> Vec<&'static str> {
    let mut names = Vec::new();
    for entry in crate::methods() {
        let name = entry.method.name;
        if !entry.method.is_adaptive() {
            continue;
        }
        let integrator = crate::known_methods()
            .build(name, &MethodOptions::default())
            .expect("registered");
        let options = Options::adaptive(1e-3, 1e-3, 1e-3);
        match solve(system, integrator.as_ref(), &options) {
            Ok(_) => names.push(name),
            Err(error) => println!("{name}: {error}"),
        }
    }
    names
}

#[test]
fn algebraic_variables_of_models_are_within_the_tolerance_between_steps() {
    let mut far = Vec::new();
    for steep in [false, true] {
        let model = Variables { steep };
        let methods = adaptive_methods(&mut Automatic::new(Variables { steep }));
        assert!(methods.len() >= 8, "{methods:?}");
        for method in methods {
            let order = crate::known_methods()
                .build(method, &MethodOptions::default())
                .expect("registered")
                .method()
                .orders
                .q;
            let all = [1e-4, 1e-6, 1e-8, 1e-10];
            let (tolerances, t_end) = match order {
                1 => (&all[..1], 1.0),
                2 => (&all[..2], 1.0),
                _ => (&all[..], 1.0),
            };
            for &tolerance in tolerances {
                let [ends, between] = in_tolerances(
                    &mut Automatic::new(Variables { steep }),
                    method,
                    (t_end, tolerance),
                    |state| [&state.x[..], &state.z[..]].concat(),
                    &mut |t| model.exact(t),
                );
                println!(
                    "steep {steep} {method} {tolerance:e}: {ends:.2} tolerances at ends, {between:.2} between"
                );
                // Long steps of extrapolation are more than quintic polynomials can follow, as its documentation says.
                if between > ends.mul_add(2.0, 50.0) && method != "extrapolation" {
                    far.push(format!("steep {steep} {method} {tolerance:e}: {between}"));
                }
            }
        }
    }
    assert!(far.is_empty(), "{far:#?}");
}

/// The crossing is where y2 = 0.95, although no error of y1 makes a step short.
#[test]
fn events_look_at_algebraic_variables_that_hold_their_equations() {
    let moment = 0.5 - 0.95_f64.atanh() / 20.0;
    for method in FIRST_ORDER_METHODS {
        for tolerance in [1e-4, 1e-6] {
            let integrator = crate::known_methods()
                .build(method, &MethodOptions::default())
                .expect("registered");
            let options = Options::adaptive(1.0, tolerance, tolerance);
            let solution = solve(&mut First::Step.system(), integrator.as_ref(), &options);
            let events = solution.expect("solved").events;
            assert_eq!(events.len(), 1, "{method} {tolerance:e}");
            let error = (events[0].t - moment).abs();
            assert!(error < 1e-8, "{method} {tolerance:e}: {error:e}");
        }
    }
}

/// In the clipper the current has a time constant of its own right after the start; samples of the first steps are on its equation.
#[test]
fn algebraic_rows_hold_at_samples() {
    for method in FIRST_ORDER_METHODS {
        let integrator = crate::known_methods()
            .build(method, &MethodOptions::default())
            .expect("registered");
        let mut recorder = Recorder::equidistant(0.0, 6.0, 601);
        let options = Options::adaptive(6.0, 1e-4, 1e-4);
        let mut system = First::Clipper.system();
        solve_observed(&mut system, integrator.as_ref(), &options, &mut recorder).expect("solved");
        // The end of the run is an accepted state, whose rows hold to the tolerance only.
        let (end, samples) = recorder.states.split_last().expect("recorded");
        assert_eq!(end.t, 6.0);
        for state in samples {
            let [v, i] = [state.x[0], state.x[1]];
            let law = 1e-4 * ((20.0 * v).exp() - (-20.0 * v).exp());
            let error = (i - law).abs() / (1.0 + i.abs());
            assert!(error < 1e-8, "{method} {}: {i} {law}", state.t);
        }
    }
}

/// Friction z and multiplier λ of a pendulum: rows and constraint of the index-1 form hold at samples of explicit methods.
#[test]
fn friction_and_multipliers_are_within_the_tolerance_between_steps() {
    let reference = |times: Vec<f64>| {
        // A run that ends at each of them.
        let integrator = crate::known_methods()
            .build("dop853", &MethodOptions::default())
            .expect("registered");
        let mut system = Automatic::new(HeatedPendulum);
        let values = times.into_iter().map(|t| {
            let options = Options::adaptive(t, 1e-13, 1e-13);
            solve(&mut system, integrator.as_ref(), &options)
                .expect("solved")
                .state
        });
        values.collect::<Vec<State>>()
    };
    let times: Vec<f64> = (1..40).map(|part| 0.05 * f64::from(part)).collect();
    let exact = reference(times.clone());
    let mut far = Vec::new();
    for method in adaptive_methods(&mut Automatic::new(HeatedPendulum)) {
        let integrator = crate::known_methods()
            .build(method, &MethodOptions::default())
            .expect("registered");
        let tolerance = 1e-6;
        let mut recorder = Recorder::new(times.clone());
        let options = Options::adaptive(2.0, tolerance, tolerance);
        let mut system = Automatic::new(HeatedPendulum);
        solve_observed(&mut system, integrator.as_ref(), &options, &mut recorder).expect("solved");
        let mut worst = [0.0_f64; 5];
        for (found, exact) in recorder.states.iter().zip(&exact) {
            let parts = [
                (&found.q, &exact.q),
                (&found.v, &exact.v),
                (&found.x, &exact.x),
                (&found.z, &exact.z),
                (&found.lambda, &exact.lambda),
            ];
            for (worst, (found, exact)) in worst.iter_mut().zip(parts) {
                for (a, b) in found.iter().zip(exact) {
                    *worst = worst.max((a - b).abs() / (1.0 + b.abs()) / tolerance);
                }
            }
        }
        println!("{method}: tolerances in q, v, x, z, λ {worst:.2?}");
        let high = integrator.method().orders.q >= 3;
        let implicit = integrator.method().kind == Kind::Implicit;
        // Long steps of extrapolation are more than quintic polynomials can follow, as its documentation says.
        if high && method != "extrapolation" {
            let [q, v, x, z, lambda] = worst;
            let bound = if implicit { 300.0 } else { 100.0 };
            if q.max(v).max(x) > 100.0 || z.max(lambda) > bound {
                far.push(format!("{method}: {worst:?}"));
            }
        }
    }
    assert!(far.is_empty(), "{far:#?}");
}
