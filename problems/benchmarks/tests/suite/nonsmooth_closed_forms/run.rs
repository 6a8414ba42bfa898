//! Runs of problems with contacts, and how far they are from what is known.

use crate::common::build;
use liedae::integrator::MethodOptions;
use liedae::solve::{EventRecord, Observer, Options, Solution, StepView, solve_observed};
use liedae::system::{State, output_names, output_values, total_energy};
use liedae_contact::ContactEvent;
use std::ops::ControlFlow;

/// The methods that these tests ask.
pub const METHODS: [&str; 4] = ["hem5", "mdop5", "dop853", "phem56"];

/// A state just before or after a jump.
#[derive(Clone, Debug)]
pub struct Side {
    pub state: State,
    pub energy: f64,
}

pub struct Run {
    pub solution: Solution,
    pub jumps: Vec<[Side; 2]>,
    /// Names of the outputs and their values in accepted states.
    pub names: Vec<String>,
    pub outputs: Vec<(f64, Vec<f64>)>,
}

/// Relative and absolute tolerance, unless a test says otherwise.
const TOLERANCE: f64 = 1e-10;

/// Runs a problem to its end, or to another one.
pub fn run(method: &str, name: &str, settings: &[&str], end: Option<f64>) -> Run {
    run_with(method, name, settings, end, TOLERANCE, Vec::new())
}

/// As [`run`] with another tolerance.
pub fn run_within(method: &str, name: &str, end: Option<f64>, tolerance: f64) -> Run {
    run_with(method, name, &[], end, tolerance, Vec::new())
}

/// As [`run`], with outputs at some moments.
pub fn run_with_outputs(
    method: &str,
    name: &str,
    settings: &[&str],
    end: f64,
    stops: Vec<f64>,
) -> Run {
    run_with(method, name, settings, Some(end), TOLERANCE, stops)
}

fn run_with(
    method: &str,
    name: &str,
    settings: &[&str],
    end: Option<f64>,
    tolerance: f64,
    stops: Vec<f64>,
) -> Run {
    let mut problem = build(name, settings);
    let method = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .unwrap();
    let mut options = Options::adaptive(end.unwrap_or(problem.t_end), tolerance, tolerance);
    options.stops.clone_from(&stops);
    let mut watcher = Watcher {
        stops,
        ..Watcher::default()
    };
    let solution = solve_observed(problem.system.as_mut(), &*method, &options, &mut watcher)
        .unwrap_or_else(|error| panic!("{name} {settings:?}: {error}"));
    Run {
        solution,
        jumps: watcher.jumps,
        names: output_names(&mut problem.system).to_vec(),
        outputs: watcher.outputs,
    }
}

#[derive(Default)]
struct Watcher {
    before: Option<Side>,
    jumps: Vec<[Side; 2]>,
    stops: Vec<f64>,
    outputs: Vec<(f64, Vec<f64>)>,
}

impl Observer for Watcher {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let state = step.to.clone();
        let system = step.system().system();
        let side = Side {
            energy: total_energy(system, &state.point()).unwrap(),
            state,
        };
        if self.stops.contains(&side.state.t) {
            let mut values = vec![f64::NAN; output_names(system).len()];
            output_values(system, &side.state, &mut values).unwrap();
            self.outputs.push((side.state.t, values));
        }
        if step.event {
            self.before = Some(side);
        } else if let Some(before) = self.before.take() {
            self.jumps.push([before, side]);
        }
        ControlFlow::Continue(())
    }

    fn wants_complete_states(&self) -> bool {
        !self.stops.is_empty()
    }
}

impl Run {
    /// Events of a kind at a contact.
    pub fn events(&self, kind: &str, label: &str) -> Vec<&EventRecord> {
        let events = self.solution.events.iter();
        events
            .filter(|event| event.kind == kind && (label.is_empty() || event.label == label))
            .collect()
    }

    /// The first event of a kind at a contact.
    pub fn first(&self, kind: &str, label: &str) -> &EventRecord {
        let found = self.events(kind, label).first().copied();
        found.unwrap_or_else(|| panic!("no {kind} of {label}: {:?}", self.solution.events))
    }

    /// The two sides of the jump at a moment.
    pub fn jump(&self, t: f64) -> &[Side; 2] {
        let mut jumps = self.jumps.iter();
        jumps.find(|[_, after]| after.state.t == t).unwrap()
    }

    /// Largest rise of energy at a jump.
    pub fn energy_rise(&self) -> f64 {
        let rises = self.jumps.iter().map(|[a, b]| b.energy - a.energy);
        rises.fold(f64::NEG_INFINITY, f64::max)
    }
}

/// What a contact did.
pub fn struck(event: &EventRecord) -> ContactEvent {
    ContactEvent::of(event).unwrap()
}

/// Largest errors of a run; prints them.
pub struct Errors<'a> {
    problem: &'a str,
    method: &'a str,
    pub time: f64,
    pub velocity: f64,
    pub count: usize,
}

impl<'a> Errors<'a> {
    pub fn new(problem: &'a str, method: &'a str) -> Self {
        Self {
            problem,
            method,
            time: 0.0,
            velocity: 0.0,
            count: 0,
        }
    }

    /// Compares a moment.
    pub fn time(&mut self, found: f64, expected: f64) {
        self.count += 1;
        self.time = self.time.max(distance(found, expected));
    }

    /// Compares a velocity or impulse, relative to a scale.
    pub fn velocity(&mut self, found: f64, expected: f64, scale: f64) {
        self.velocity = self.velocity.max(distance(found, expected) / scale.abs());
    }

    /// Prints a line of the table and holds the errors against 1e-9 s and 1e-8.
    pub fn check(self) {
        self.check_within(1e-9);
    }

    /// Prints a line of the table.
    pub fn print(&self) {
        println!(
            "{:<32} {:<7} {:3} moments, worst time error {:8.1e} s, velocity {:8.1e}",
            self.problem, self.method, self.count, self.time, self.velocity
        );
    }

    pub fn check_within(self, time: f64) {
        self.print();
        assert!(
            self.count > 0 && self.time <= time && self.velocity <= 1e-8,
            "{} {}",
            self.problem,
            self.method
        );
    }
}

/// A NaN is infinitely far.
fn distance(found: f64, expected: f64) -> f64 {
    let distance = (found - expected).abs();
    if distance.is_nan() {
        f64::INFINITY
    } else {
        distance
    }
}

/// Numbers of a table without its header.
pub fn rows(table: &str) -> Vec<Vec<f64>> {
    let lines = table.lines().skip(1);
    lines
        .map(|line| {
            line.split(',')
                .map(|field| field.parse().unwrap())
                .collect()
        })
        .collect()
}
