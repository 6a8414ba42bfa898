//! Masses on a line: gaps and forces that are linear in positions and simple in time.

use liedae::integrator::MethodOptions;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{EventRecord, Options, Solution, SolveError, solve};
use liedae::system::{
    Direction, EventAction, EventDescription, Layout, MatrixMut, Model, ModelEvents, Point, State,
};
use liedae_contact::{Contact, ContactModel, NonsmoothOptions, NonsmoothSystem, with_contacts};

/// c + r t + a sin(w t + p)
#[derive(Clone, Copy, Default)]
pub struct InTime {
    pub constant: f64,
    pub rate: f64,
    pub amplitude: f64,
    pub frequency: f64,
    pub phase: f64,
}

impl InTime {
    pub fn constant(constant: f64) -> Self {
        Self {
            constant,
            ..Self::default()
        }
    }

    pub fn at<S: Scalar>(&self, t: S) -> S {
        let wave = (t * self.frequency + self.phase).sin() * self.amplitude;
        t * self.rate + wave + self.constant
    }
}

/// Masses with their initial position and velocity, forces, and gaps Σ a_i q_i + f(t).
#[derive(Clone, Default)]
pub struct Line {
    pub masses: Vec<[f64; 3]>,
    pub forces: Vec<InTime>,
    pub contacts: Vec<(Contact, Vec<f64>, InTime)>,
    /// A load that pushes the first mass with 1 N from each of these moments on.
    pub loads: Vec<f64>,
    /// Heights of the first mass at which it has an event of its own, and the answer to it.
    pub marks: Vec<(f64, EventAction)>,
}

impl Line {
    /// A ball of 1 kg above a floor, under a constant force.
    pub fn ball(e: f64, start: [f64; 2], force: f64) -> Self {
        Self {
            masses: vec![[1.0, start[0], start[1]]],
            forces: vec![InTime::constant(force)],
            contacts: vec![(Contact::new("floor", e), vec![1.0], InTime::default())],
            ..Self::default()
        }
    }
}

impl Model for Line {
    fn layout(&self) -> Layout {
        let mut layout = Layout::dense(Manifold::euclidean(self.masses.len()));
        layout.modes = self.loads.len();
        layout
    }
    fn initial_state(&self) -> State {
        State {
            q: self.masses.iter().map(|mass| mass[1]).collect(),
            v: self.masses.iter().map(|mass| mass[2]).collect(),
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, matrix: &mut MatrixMut<S>) {
        for (index, mass) in self.masses.iter().enumerate() {
            matrix[(index, index)] = S::constant(mass[0]);
        }
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        for (slot, applied) in force.iter_mut().zip(&self.forces) {
            *slot = applied.at(at.t);
        }
        for &mode in at.mode.iter().take(self.loads.len()) {
            force[0] += S::constant(f64::from(mode));
        }
    }
    fn energy(&self, at: &Point) -> Option<f64> {
        let masses = self.masses.iter().zip(at.v);
        let kinetic: f64 = masses.map(|(mass, v)| 0.5 * mass[0] * v * v).sum();
        let forces = self.forces.iter().zip(at.q);
        Some(kinetic - forces.map(|(force, q)| force.constant * q).sum::<f64>())
    }
    fn needs_layer(&self) -> bool {
        true
    }

    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl ModelEvents for Line {
    fn time_events(&self) -> Vec<f64> {
        self.loads.clone()
    }

    fn handle_time_event(&self, event: usize, state: &mut State) -> EventAction {
        state.mode[event] += 1;
        EventAction::Restart
    }

    fn descriptions(&self) -> Vec<EventDescription> {
        let marks = self.marks.iter();
        marks
            .map(|(height, _)| EventDescription::new("mark", height.to_string(), Direction::Both))
            .collect()
    }

    fn event_functions(&self, at: &Point, out: &mut [f64]) {
        for (slot, (height, _)) in out.iter_mut().zip(&self.marks) {
            *slot = at.q[0] - height;
        }
    }

    fn handle_event(&self, event: usize, _state: &mut State) -> EventAction {
        self.marks[event].1
    }
}

impl ContactModel for Line {
    fn contacts(&self) -> Vec<Contact> {
        self.contacts.iter().map(|(law, ..)| law.clone()).collect()
    }
    fn gap<S: Scalar>(&self, contact: usize, at: &Point<S>) -> S {
        let (_, factors, moving) = &self.contacts[contact];
        let terms = factors.iter().zip(at.q);
        terms.fold(moving.at(at.t), |sum, (&factor, &q)| sum + q * factor)
    }
}

/// The whole system with its contacts.
pub fn system(line: Line, options: NonsmoothOptions) -> NonsmoothSystem {
    NonsmoothSystem::new(with_contacts(line), options).unwrap()
}

pub fn run_with(
    line: Line,
    method: &str,
    nonsmooth: NonsmoothOptions,
    options: &Options,
) -> Result<Solution, SolveError> {
    let method = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .unwrap();
    solve(&mut system(line, nonsmooth), method.as_ref(), options)
}

pub fn run(line: Line, options: &Options) -> Result<Solution, SolveError> {
    run_with(line, "hem5", NonsmoothOptions::default(), options)
}

pub fn tight(end: f64) -> Options {
    Options::adaptive(end, 1e-10, 1e-10)
}

/// Kinds and moments of all events.
pub fn kinds(solution: &Solution) -> Vec<(&str, f64)> {
    let events = solution.events.iter();
    events.map(|event| (event.kind.as_str(), event.t)).collect()
}

pub fn impacts(solution: &Solution) -> Vec<&EventRecord> {
    let events = solution.events.iter();
    events.filter(|event| event.kind == "impact").collect()
}
