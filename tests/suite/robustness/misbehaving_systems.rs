//! Systems that do what they should not: what a run of them must end in.

use liedae::integrator::MethodOptions;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, Solution, SolveError, solve};
use liedae::system::{
    Automatic, Direction, EvaluationError, EventAction, EventDescription, EventResponse, Events,
    Layout, MatrixMut, Model, ModelEvents, Outputs, Point, RatesJacobian, State, System,
};

/// What is wrong with a pendulum of length and mass 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    TimeEvent,
    Contradiction,
    NaN,
    Jump,
    Asymmetric,
    Negative,
    Indefinite,
    Chatter,
    ChatterWithRestarts,
}

/// All faults and what they are.
pub const FAULTS: [(Fault, &str); 9] = [
    (
        Fault::TimeEvent,
        "a time event at t = 0.1 with the default handler, nothing wrong",
    ),
    (
        Fault::Contradiction,
        "a second row is the first until t = 0.2, and then contradicts it",
    ),
    (Fault::NaN, "the constraint is NaN from t = 0.3 on"),
    (Fault::Jump, "the constraint jumps by 0.1 at t = 0.3"),
    (Fault::Asymmetric, "the mass matrix is not symmetric"),
    (Fault::Negative, "a mass is negative"),
    (
        Fault::Indefinite,
        "the mass matrix is indefinite, its diagonal positive",
    ),
    (
        Fault::Chatter,
        "an event function with 1e9 roots in a second",
    ),
    (
        Fault::ChatterWithRestarts,
        "the same, and every event starts the method anew",
    ),
];

#[derive(Clone, Copy)]
struct Pendulum(Fault);

impl Model for Pendulum {
    fn layout(&self) -> Layout {
        let rows = if self.0 == Fault::Contradiction { 2 } else { 1 };
        Layout::dense(Manifold::euclidean(2)).with_position_rows(rows)
    }

    fn initial_state(&self) -> State {
        State {
            q: vec![1.0, 0.0],
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = S::constant(if self.0 == Fault::Negative { -1.0 } else { 1.0 });
        if matches!(self.0, Fault::Asymmetric | Fault::Indefinite) {
            mass[(0, 1)] = S::constant(2.0);
        }
        if self.0 == Fault::Indefinite {
            mass[(1, 0)] = S::constant(2.0);
        }
    }

    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-9.81);
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = (at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0) * 0.5;
        match self.0 {
            Fault::Contradiction => {
                g[1] = g[0];
                if at.t.value() > 0.2 {
                    g[1] += at.t - 0.2;
                }
            }
            Fault::NaN if at.t.value() > 0.3 => g[0] *= f64::NAN,
            Fault::Jump if at.t.value() > 0.3 => g[0] += 0.1,
            _ => {}
        }
    }

    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl ModelEvents for Pendulum {
    fn time_events(&self) -> Vec<f64> {
        if self.0 == Fault::TimeEvent {
            vec![0.1]
        } else {
            Vec::new()
        }
    }

    fn descriptions(&self) -> Vec<EventDescription> {
        if matches!(self.0, Fault::Chatter | Fault::ChatterWithRestarts) {
            vec![EventDescription::new("tick", "a clock", Direction::Both)]
        } else {
            Vec::new()
        }
    }

    fn event_functions(&self, at: &Point, out: &mut [f64]) {
        out[0] = (1e9 * at.t).sin();
    }

    fn handle_event(&self, _event: usize, _state: &mut State) -> EventAction {
        if self.0 == Fault::ChatterWithRestarts {
            EventAction::Restart
        } else {
            EventAction::Continue
        }
    }
}

pub fn run(fault: Fault, method: &str, adaptive: bool) -> Result<Solution, SolveError> {
    let integrator = crate::known_methods()
        .build(method, &MethodOptions::default())
        .expect("a registered method");
    let mut options = if adaptive {
        Options::adaptive(0.5, 1e-6, 1e-6)
    } else {
        Options::fixed(0.5, 1e-3)
    };
    options.max_steps = 200_000;
    solve(
        &mut Automatic::new(Pendulum(fault)),
        integrator.as_ref(),
        &options,
    )
}

/// What a result must be: `None` if it is as it should be.
pub fn objection(fault: Fault, result: &Result<Solution, SolveError>) -> Option<String> {
    let named: &[&str] = match fault {
        Fault::TimeEvent => {
            return match result {
                Ok(solution) => {
                    let error = (solution.state.q[0] - reference()).abs();
                    (error.is_nan() || error > 0.02).then(|| format!("off by {error:.1e}"))
                }
                Err(error) => Some(error.to_string()),
            };
        }
        Fault::Contradiction => &[
            "row 1",
            "[1]",
            "rows [0",
            "redundant",
            "singular configuration",
        ],
        Fault::NaN => &[
            "position constraint",
            "velocity constraint",
            "acceleration bias",
            "constraint Jacobian",
            "geometric stiffness",
        ],
        Fault::Jump => &[
            "discontinuity",
            "projection",
            "did not converge",
            "violated",
            "singular",
        ],
        Fault::Asymmetric => &["not symmetric", "(0, 1)"],
        Fault::Negative | Fault::Indefinite => &["indefinite"],
        Fault::Chatter | Fault::ChatterWithRestarts => &["a clock", "steps were not enough"],
    };
    match result {
        Ok(solution) => {
            let State { q, t, .. } = &solution.state;
            let sphere = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
            match fault {
                // Methods that solve for positions follow a jump of the row.
                Fault::Jump => {
                    ((sphere + 0.1).abs() > 0.02).then(|| format!("g = {:.1e}", sphere + 0.1))
                }
                // Methods that look at no events pass them.
                Fault::Chatter | Fault::ChatterWithRestarts if solution.events.is_empty() => None,
                _ => Some(format!("done at t = {t}")),
            }
        }
        Err(error) => {
            let text = error.to_string();
            (!named.iter().any(|word| text.contains(word))).then_some(text)
        }
    }
}

/// The angle of the pendulum, an equation of its own without constraints.
struct Angle;

impl Model for Angle {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(1))
    }

    fn initial_state(&self) -> State {
        self.layout().state()
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = at.q[0].cos() * -9.81;
    }
}

fn reference() -> f64 {
    let integrator = crate::known_methods()
        .build("dop853", &MethodOptions::default())
        .expect("registered");
    let options = Options::adaptive(0.5, 1e-12, 1e-12);
    let solution = solve(&mut Automatic::new(Angle), integrator.as_ref(), &options);
    solution.expect("solved").state.q[0].cos()
}

/// A pendulum in a shell that grows by a mode when its event is handled, and does not say so.
pub struct Growing {
    inner: Automatic<Pendulum>,
    layout: Layout,
    grown: bool,
    during_time_event: bool,
    descriptions: Vec<EventDescription>,
}

impl Growing {
    pub fn new(during_time_event: bool) -> Self {
        let description = EventDescription::new("level", "the bob", Direction::Both);
        Self {
            inner: Automatic::new(Pendulum(Fault::Jump)),
            layout: Pendulum(Fault::Jump).layout(),
            grown: false,
            during_time_event,
            descriptions: if during_time_event {
                Vec::new()
            } else {
                vec![description]
            },
        }
    }

    fn grow(&mut self) -> EventResponse {
        self.grown = true;
        self.layout = Layout::dense(Manifold::euclidean(3)).with_position_rows(2);
        EventAction::Restart.into()
    }
}

impl System for Growing {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn initial_state(&self) -> State {
        self.inner.initial_state()
    }
    fn mass_matrix(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.inner.mass_matrix(at, out)
    }
    fn rates(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.inner.rates(at, out)
    }
    fn rates_jacobian(
        &mut self,
        at: &Point,
        out: &mut RatesJacobian,
    ) -> Result<(), EvaluationError> {
        self.inner.rates_jacobian(at, out)
    }
    fn position_constraint(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.inner.position_constraint(at, out)
    }
    fn velocity_constraint(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.inner.velocity_constraint(at, out)
    }
    fn constraint_jacobian(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.inner.constraint_jacobian(at, out)
    }
    fn acceleration_bias(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.inner.acceleration_bias(at, out)
    }
    fn outputs(&mut self) -> Option<&mut dyn Outputs> {
        self.inner.outputs()
    }

    fn events(&mut self) -> Option<&mut dyn Events> {
        Some(self)
    }
}

impl Events for Growing {
    fn descriptions(&mut self) -> &[EventDescription] {
        &self.descriptions
    }

    fn event_functions(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        out[0] = at.q[1] + 0.05;
        Ok(())
    }

    fn handle_events(
        &mut self,
        _events: &[usize],
        _state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        Ok(self.grow())
    }

    fn time_events(&mut self) -> &[f64] {
        if self.during_time_event { &[0.1] } else { &[] }
    }

    fn handle_time_event(
        &mut self,
        _event: usize,
        _state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        Ok(self.grow())
    }
}

#[test]
fn a_structure_that_changes_without_a_word_is_an_error() {
    for entry in crate::methods() {
        for during_time_event in [true, false] {
            if entry.method.captures_events && !during_time_event {
                continue;
            }
            let method = entry.method.name;
            let integrator = crate::known_methods()
                .build(method, &MethodOptions::default())
                .expect("registered");
            let mut system = Growing::new(during_time_event);
            let options = Options::fixed(0.3, 1e-2);
            let error = solve(&mut system, integrator.as_ref(), &options).expect_err("a change");
            let text = error.to_string();
            assert!(text.contains("Restructure"), "{method}: {text}");
            assert!(text.contains("coordinates from 2 to 3"), "{method}: {text}");
        }
    }
}
