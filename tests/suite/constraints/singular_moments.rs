//! Events, stops and starts upon or beside a singular configuration: every method goes on along its branch.

use liedae::integrator::{MethodEntry, MethodOptions};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, Solution, SolveError, SolveErrorKind, solve};
use liedae::system::{
    Automatic, Direction, EventAction, EventDescription, Layout, MatrixMut, Model, ModelEvents,
    Point, State,
};

const GRAVITY: f64 = 9.81;
const LENGTH: f64 = 0.8;
const BASE: f64 = 1.1;
const DECAY: f64 = 10.0;

/// What happens where the rods lie flat.
#[derive(Clone, Copy, Debug, PartialEq)]
enum AtFlat {
    Nothing,
    /// An event that the run only records.
    Seen,
    /// An event after which the method starts anew.
    Restart,
}

/// A parallelogram of two rods without mass that carry a point mass each, with a coupler between them: flat at an angle of π/2. Only
/// the first mass is heavy, so that the coupler has to drag the second one along; something decays beside it.
#[derive(Clone)]
struct Parallelogram {
    start: [f64; 2],
    at_flat: AtFlat,
    time_event: Option<f64>,
}

impl Parallelogram {
    fn new(start: [f64; 2]) -> Self {
        Self {
            start,
            at_flat: AtFlat::Nothing,
            time_event: None,
        }
    }
}

impl Model for Parallelogram {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(4))
            .with_position_rows(3)
            .with_differential_states(1)
    }
    fn initial_state(&self) -> State {
        let [angle, rate] = self.start;
        let (sin, cos) = angle.sin_cos();
        let (x, y) = (LENGTH * sin, LENGTH * cos);
        State {
            q: vec![x, y, BASE + x, y],
            v: vec![y * rate, -x * rate, y * rate, -x * rate],
            x: vec![1.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for (index, value) in [1.5, 1.5, 0.5, 0.5].into_iter().enumerate() {
            mass[(index, index)] = S::constant(value);
        }
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-2.0 * GRAVITY);
    }
    fn differential_rate<S: Scalar>(&self, at: &Point<S>, rate: &mut [S]) {
        rate[0] = at.x[0] * -DECAY;
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let half = |x: S, y: S, length: f64| (x * x + y * y - length * length) * 0.5;
        let q = at.q;
        g[0] = half(q[0], q[1], LENGTH);
        g[1] = half(q[2] - BASE, q[3], LENGTH);
        g[2] = half(q[2] - q[0], q[3] - q[1], BASE);
    }

    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl ModelEvents for Parallelogram {
    fn descriptions(&self) -> Vec<EventDescription> {
        match self.at_flat {
            AtFlat::Nothing => vec![],
            _ => vec![EventDescription::new("pose", "flat", Direction::Both)],
        }
    }

    fn event_functions(&self, at: &Point, out: &mut [f64]) {
        if let [flat] = out {
            *flat = at.q[1];
        }
    }

    fn handle_event(&self, _event: usize, _state: &mut State) -> EventAction {
        match self.at_flat {
            AtFlat::Restart => EventAction::Restart,
            _ => EventAction::Continue,
        }
    }

    fn time_events(&self) -> Vec<f64> {
        self.time_event.into_iter().collect()
    }
}

struct Pendulum([f64; 2]);

impl Model for Pendulum {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(1))
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![self.0[0]],
            v: vec![self.0[1]],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = at.q[0].sin() * (GRAVITY / LENGTH);
    }

    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl ModelEvents for Pendulum {
    fn descriptions(&self) -> Vec<EventDescription> {
        vec![EventDescription::new("pose", "flat", Direction::Rising)]
    }

    fn event_functions(&self, at: &Point, out: &mut [f64]) {
        out[0] = at.q[0] - std::f64::consts::FRAC_PI_2;
    }
}

/// Angle and rate at the end, and when the rods have been flat.
fn truth(start: [f64; 2], t_end: f64) -> ([f64; 2], Option<f64>) {
    let method = crate::known_methods()
        .build("dop853", &MethodOptions::default())
        .expect("registered");
    let mut system = Automatic::new(Pendulum(start));
    let options = Options::adaptive(t_end, 1e-13, 1e-13);
    let solution = solve(&mut system, method.as_ref(), &options).expect("solved");
    let flat = solution.events.first().map(|event| event.t);
    ([solution.state.q[0], solution.state.v[0]], flat)
}

fn run(entry: MethodEntry, model: &Parallelogram, t_end: f64) -> Result<Solution, SolveError> {
    let options = if entry.method.fixed_step_by_default {
        Options::fixed(t_end, 1e-3)
    } else {
        Options::adaptive(t_end, 1e-8, 1e-8)
    };
    let mut system = Automatic::new(model.clone());
    let method = entry.default_method();
    solve(&mut system, method.as_ref(), &options)
}

/// The largest error of a position, a velocity or of what decays.
fn error(state: &State, [angle, rate]: [f64; 2]) -> f64 {
    let (sin, cos) = angle.sin_cos();
    let (x, y) = (LENGTH * sin, LENGTH * cos);
    let q = [x, y, BASE + x, y];
    let v = [y * rate, -x * rate, y * rate, -x * rate];
    let found = state.q.iter().chain(&state.v).chain(&state.x);
    let expected = q.into_iter().chain(v).chain([(-DECAY * state.t).exp()]);
    let errors = found.zip(expected).map(|(found, e)| (found - e).abs());
    errors.fold(0.0, |max, e| if e > max || e.is_nan() { e } else { max })
}

/// What all methods make of a model; what is neither right nor said goes into `objections`.
fn check(what: &str, model: &Parallelogram, t_end: f64, objections: &mut Vec<String>) {
    let (end, flat) = truth(model.start, t_end);
    for entry in crate::methods() {
        let bound = match entry.method.name {
            "backward-euler" => 0.5,
            _ if entry.method.fixed_step_by_default => {
                1000.0 * 1e-3_f64.powi(entry.method.orders.q.into())
            }
            _ => 1e-5,
        }
        .max(1e-6);
        let name = entry.method.name;
        match run(entry, model, t_end) {
            Ok(solution) => {
                let error = error(&solution.state, end);
                let mut wrong = error.is_nan() || error > bound;
                let seen = solution.events.iter().find(|event| event.label == "flat");
                if let (Some(flat), AtFlat::Seen | AtFlat::Restart) = (flat, model.at_flat) {
                    wrong |= seen.is_none_or(|event| (event.t - flat).abs() > bound);
                }
                let passed = solution.events.iter();
                let passed = passed.filter(|event| event.kind == "singular").count();
                if wrong || passed > 1 {
                    let events = &solution.events;
                    objections.push(format!("{what}: {name}: error {error:.1e}, {events:?}"));
                }
            }
            Err(error) => objections.push(format!("{what}: {name}: {}", error.kind)),
        }
    }
}

const START: [f64; 2] = [0.4, 1.0];
const T_END: f64 = 0.9;

/// Distances from the singular configuration in s.
const BESIDE: [f64; 9] = [-1e-2, -1e-4, -1e-7, 0.0, 1e-7, 1e-5, 1e-3, 5e-3, 2e-2];

#[test]
fn events_at_the_flat_configuration() {
    let mut objections = Vec::new();
    for at_flat in [AtFlat::Nothing, AtFlat::Seen, AtFlat::Restart] {
        let model = Parallelogram {
            at_flat,
            ..Parallelogram::new(START)
        };
        check(&format!("{at_flat:?}"), &model, T_END, &mut objections);
    }
    assert!(objections.is_empty(), "\n{}", objections.join("\n"));
}

#[test]
fn ends_beside_the_flat_configuration() {
    let flat = truth(START, T_END).1.expect("flat");
    let mut objections = Vec::new();
    for beside in BESIDE {
        let what = format!("end {beside:.0e} s behind");
        check(
            &what,
            &Parallelogram::new(START),
            flat + beside,
            &mut objections,
        );
    }
    assert!(objections.is_empty(), "\n{}", objections.join("\n"));
}

#[test]
fn time_events_beside_the_flat_configuration() {
    let flat = truth(START, T_END).1.expect("flat");
    let mut objections = Vec::new();
    for beside in BESIDE {
        let model = Parallelogram {
            time_event: Some(flat + beside),
            ..Parallelogram::new(START)
        };
        let what = format!("time event {beside:.0e} s behind");
        check(&what, &model, T_END, &mut objections);
    }
    assert!(objections.is_empty(), "\n{}", objections.join("\n"));
}

#[test]
fn starts_beside_the_flat_configuration() {
    let mut objections = Vec::new();
    for beside in [-1e-1, -1e-2, -1e-4, -1e-7, 0.0, 1e-7, 1e-4, 1e-2, 1e-1] {
        let start = [std::f64::consts::FRAC_PI_2 + beside, 2.0];
        let what = format!("start {beside:.0e} rad behind");
        check(&what, &Parallelogram::new(start), 0.3, &mut objections);
    }
    assert!(objections.is_empty(), "\n{}", objections.join("\n"));
}

/// At rest upon it both branches are as good.
#[test]
fn a_start_at_rest_upon_the_flat_configuration_is_refused() {
    let model = Parallelogram::new([std::f64::consts::FRAC_PI_2, 0.0]);
    for entry in crate::methods() {
        let error = run(entry, &model, 0.3).expect_err(entry.method.name);
        let kind = &error.kind;
        let named = matches!(kind, SolveErrorKind::Singular { t: 0.0, .. });
        assert!(named, "{}: {kind}", entry.method.name);
    }
}
