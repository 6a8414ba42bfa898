//! Events of systems with redundant constraint rows: found where they are without these rows, also where rows come and go.

use liedae::integrator::MethodEntry;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Observer, Options, Solution, StepView, solve_observed};
use liedae::system::{
    Automatic, Direction, EvaluationError, EventAction, EventDescription, EventResponse, Events,
    Layout, MatrixMut, Model, Point, RatesJacobian, State, System,
};
use std::ops::ControlFlow;

/// A heavy point on a sphere, which is stated once or in three ways.
struct OnSphere {
    rows: usize,
}

impl Model for OnSphere {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(3)).with_position_rows(self.rows)
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![0.6, 0.0, -0.8],
            v: vec![0.4, 1.0, 0.3],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for (index, size) in [1.0, 1.3, 0.7].into_iter().enumerate() {
            mass[(index, index)] = S::constant(size);
        }
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = at.v[1] * 0.3;
        force[1] = S::constant(-1.0) - at.v[0] * 0.3;
        force[2] = S::constant(-9.81);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let square = at.q[0] * at.q[0] + at.q[1] * at.q[1] + at.q[2] * at.q[2];
        g[0] = square - 1.0;
        if self.rows == 3 {
            g[1] = square.sqrt() - 1.0;
            g[2] = (square - 1.0) * (at.q[0] * 0.5 + 1.0);
        }
    }
}

/// What happens to the rows when the velocity jumps.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rows {
    One,
    Three,
    /// One becomes three, three become one.
    Exchanged,
}

/// The velocity jumps where q0 crosses 0.1 and then -0.3. Further events, which change nothing: q1 crosses 0.2, and a multiplier of least
/// norm crosses a value.
struct Jumping {
    models: [Automatic<OnSphere>; 2],
    now: usize,
    jumps: usize,
    rows: Rows,
    descriptions: [EventDescription; 3],
}

impl Jumping {
    fn new(rows: Rows) -> Self {
        let model = |rows| Automatic::new(OnSphere { rows });
        let describe = |label: &str| EventDescription::new("crossing", label, Direction::Both);
        Self {
            models: [model(1), model(3)],
            now: usize::from(rows == Rows::Three),
            jumps: 0,
            rows,
            descriptions: [
                describe("jump"),
                describe("place"),
                describe("force").of_multipliers(),
            ],
        }
    }
    fn model(&mut self) -> &mut Automatic<OnSphere> {
        &mut self.models[self.now]
    }
}

/// All gradients are multiples of q.
fn multiples(x: f64) -> [f64; 3] {
    [2.0, 1.0, 2.0 + x]
}

type Done = Result<(), EvaluationError>;

impl System for Jumping {
    fn layout(&self) -> &Layout {
        self.models[self.now].layout()
    }
    fn initial_state(&self) -> State {
        self.models[self.now].initial_state()
    }
    fn mass_matrix(&mut self, at: &Point, out: &mut [f64]) -> Done {
        self.model().mass_matrix(at, out)
    }
    fn rates(&mut self, at: &Point, out: &mut [f64]) -> Done {
        self.model().rates(at, out)
    }
    fn rates_jacobian(&mut self, at: &Point, out: &mut RatesJacobian) -> Done {
        self.model().rates_jacobian(at, out)
    }
    fn position_constraint(&mut self, at: &Point, out: &mut [f64]) -> Done {
        self.model().position_constraint(at, out)
    }
    fn velocity_constraint(&mut self, at: &Point, out: &mut [f64]) -> Done {
        self.model().velocity_constraint(at, out)
    }
    fn constraint_jacobian(&mut self, at: &Point, out: &mut [f64]) -> Done {
        self.model().constraint_jacobian(at, out)
    }
    fn acceleration_bias(&mut self, at: &Point, out: &mut [f64]) -> Done {
        self.model().acceleration_bias(at, out)
    }

    fn events(&mut self) -> Option<&mut dyn Events> {
        Some(self)
    }
}

impl Events for Jumping {
    fn descriptions(&mut self) -> &[EventDescription] {
        &self.descriptions
    }

    fn event_functions(&mut self, at: &Point, out: &mut [f64]) -> Done {
        let multiples = multiples(at.q[0]);
        let squares: f64 = multiples.iter().map(|multiple| multiple * multiple).sum();
        // The first multiplier, from that of the single row where there is no other.
        let first = if self.now == 1 {
            at.lambda[0]
        } else {
            4.0 * at.lambda[0] / squares
        };
        let place = [0.1, -0.3, -2.0][self.jumps];
        out.copy_from_slice(&[at.q[0] - place, at.q[1] - 0.2, first + FORCE]);
        Ok(())
    }

    fn handle_events(
        &mut self,
        events: &[usize],
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        if !events.contains(&0) {
            return Ok(EventAction::Continue.into());
        }
        self.jumps += 1;
        for v in &mut state.v {
            *v *= 0.8;
        }
        if self.rows != Rows::Exchanged {
            return Ok(EventAction::Restart.into());
        }
        self.now = 1 - self.now;
        state.lambda.clear();
        state.lambda.resize(self.layout().rows(), 0.0);
        Ok(EventAction::Restructure.into())
    }
}

const FORCE: f64 = 1.6;

/// Looks at the multipliers of complete states.
#[derive(Default)]
struct LeastNorm {
    worst: f64,
    seen: usize,
}

impl Observer for LeastNorm {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        for state in [step.from, step.to] {
            if let [l, m, n] = state.lambda[..] {
                let [a, b, c] = multiples(state.q[0]);
                let dependence = f64::max((l * b - m * a).abs(), (l * c - n * a).abs());
                self.worst = self.worst.max(dependence);
                self.seen += 1;
            }
        }
        // All rows are shown to observers.
        let rows = step.to.lambda.len();
        let mut jacobian = vec![0.0; 3 * rows];
        let at = step.to.clone();
        let shown = step
            .system()
            .constraint_jacobian(&at.point(), &mut jacobian);
        assert!(shown.is_ok() && jacobian.chunks(3).all(|row| row[2] != 0.0));
        ControlFlow::Continue(())
    }
    fn wants_dense_output(&self) -> bool {
        true
    }
}

fn run(rows: Rows, entry: MethodEntry, options: &Options) -> (Solution, LeastNorm) {
    let integrator = entry.default_method();
    let mut observer = LeastNorm::default();
    let mut system = Jumping::new(rows);
    let solution = solve_observed(&mut system, integrator.as_ref(), options, &mut observer);
    let solution =
        solution.unwrap_or_else(|error| panic!("{} {rows:?}: {}", entry.method.name, error.kind));
    (solution, observer)
}

/// Largest difference of the times of events.
fn difference(found: &Solution, reference: &Solution, what: &str) -> f64 {
    let labels = |solution: &Solution| -> Vec<String> {
        let labels = solution.events.iter().map(|event| event.label.clone());
        labels.collect()
    };
    assert_eq!(labels(found), labels(reference), "{what}");
    let pairs = found.events.iter().zip(&reference.events);
    pairs.fold(0.0, |max, (a, b)| f64::max(max, (a.t - b.t).abs()))
}

#[test]
fn events_are_found_as_without_redundant_rows() {
    const END: f64 = 1.5;
    let hem5 = crate::known_methods().find("hem5").expect("registered");
    let (reference, _) = run(Rows::One, hem5, &Options::adaptive(END, 1e-12, 1e-12));
    println!("{:?}", reference.events);
    assert!(reference.events.iter().any(|event| event.label == "force"));
    for entry in crate::methods() {
        let (name, method) = (entry.method.name, &entry.method);
        if method.captures_events {
            continue;
        }
        for is_adaptive in [false, true] {
            if is_adaptive && !method.is_adaptive() {
                continue;
            }
            let options = if is_adaptive {
                Options::adaptive(END, 1e-6, 1e-6)
            } else {
                Options::fixed(END, 1e-2)
            };
            let (plain, _) = run(Rows::One, entry, &options);
            let plain = difference(&plain, &reference, name);
            for rows in [Rows::Three, Rows::Exchanged] {
                let (found, observer) = run(rows, entry, &options);
                let found = difference(&found, &reference, name);
                println!(
                    "{name} {rows:?} adaptive {is_adaptive}: {plain:.1e} {found:.1e} {:.1e} {}",
                    observer.worst, observer.seen
                );
                assert!(
                    found <= 2.0 * plain + 1e-11,
                    "{name} {rows:?}: {found:e}, not {plain:e}"
                );
                // Gradients are parallel on the sphere only, which some methods leave by their drift.
                assert!(
                    observer.seen > 0 && observer.worst < 1e-3,
                    "{name} {rows:?}: {:e}",
                    observer.worst
                );
            }
        }
    }
}
