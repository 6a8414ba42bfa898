//! Runs of event-driven methods.

use liedae::integrator::MethodOptions;
use liedae::solve::{EventRecord, Options, Solution, solve};
use liedae::system::{output_names, output_values};
use liedae_contact::{ContactModel, NonsmoothOptions, NonsmoothSystem, with_contacts};

/// How much is asked for, and how far from the truth it may end.
pub const TOLERANCE: f64 = 1e-10;
pub const CLOSE: f64 = 1e-8;

/// A run, with the outputs at its end.
pub struct Run {
    pub solution: Solution,
    names: Vec<String>,
    outputs: Vec<f64>,
}

/// Runs a model with a method from its initial state.
pub fn run(model: impl ContactModel + 'static, method: &str, options: &Options) -> Run {
    let mut system = NonsmoothSystem::new(with_contacts(model), NonsmoothOptions::default())
        .unwrap_or_else(|error| panic!("{method}: {error}"));
    let integrator = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .expect("registered");
    let solution = solve(&mut system, integrator.as_ref(), options)
        .unwrap_or_else(|error| panic!("{method}: {error}"));
    let names = output_names(&mut system).to_vec();
    let mut outputs = vec![0.0; names.len()];
    output_values(&mut system, &solution.state, &mut outputs).expect("finite");
    Run {
        solution,
        names,
        outputs,
    }
}

impl Run {
    /// Outputs at the end, by their names.
    pub fn outputs(&self, names: &[&str]) -> Vec<f64> {
        let place = |name: &&str| self.names.iter().position(|other| other == name);
        let places = names.iter().map(|name| place(name).expect("an output"));
        places.map(|place| self.outputs[place]).collect()
    }

    /// What happened, as `kind label`, with its time.
    pub fn events(&self) -> Vec<(String, f64)> {
        let name = |event: &EventRecord| (format!("{} {}", event.kind, event.label), event.t);
        self.solution.events.iter().map(name).collect()
    }
}

/// The largest difference; NaN counts.
pub fn distance(found: &[f64], expected: &[f64]) -> f64 {
    let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
    let largest = |most: f64, next: f64| if next <= most { most } else { next };
    differences.fold(0.0, largest)
}
