//! Derivatives of contact rows against differences, over all registered problems with contacts: of open contacts at random
//! states, and of the whole equations wherever contacts have closed in a run.

use crate::common::build;
use crate::random::Random;
use liedae::integrator::MethodOptions;
use liedae::manifold::Manifold;
use liedae::solve::{Observer, Options, StepView, solve_observed};
use liedae::system::{
    EvaluationError, Point, RatesJacobian, State, System, acceleration_constraint_jacobian,
    geometric_stiffness, velocity_constraint_jacobian,
};
use liedae_contact::{Contact, UnilateralConstraints};
use liedae_problems::ProblemRegistry;
use std::ops::ControlFlow;

/// Contacts without derivatives of their own: those of the trait remain.
struct WithoutDerivatives<'a>(&'a mut dyn UnilateralConstraints);

impl UnilateralConstraints for WithoutDerivatives<'_> {
    fn contacts(&self) -> &[Contact] {
        self.0.contacts()
    }
    fn space(&self) -> &Manifold {
        self.0.space()
    }
    fn gap(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        self.0.gap(contact, at)
    }
    fn gap_rate(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        self.0.gap_rate(contact, at)
    }
    fn gap_jacobian(
        &mut self,
        contact: usize,
        at: &Point,
        row: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.0.gap_jacobian(contact, at, row)
    }
    fn gap_bias(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        self.0.gap_bias(contact, at)
    }
    fn sliding_velocity(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.0.sliding_velocity(contact, at, out)
    }
    fn sliding_jacobian(
        &mut self,
        contact: usize,
        at: &Point,
        rows: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.0.sliding_jacobian(contact, at, rows)
    }
    fn sliding_bias(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.0.sliding_bias(contact, at, out)
    }
}

/// Numbers between -1 and 1, the same ones in every run.
struct Numbers(Random);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0.between(-1.0, 1.0)
    }

    fn fill(&mut self, out: &mut [f64], size: f64) {
        out.fill_with(|| size * self.next());
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |max, value| max.max(value.abs()))
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    let bound = tolerance * (1.0 + largest(expected));
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        // Not a number is not close.
        assert!(
            (found - expected).abs() <= bound,
            "{what}, entry {index}: {found} instead of {expected}"
        );
    }
}

/// The derivatives of one contact: stiffness of its forces, gradients of velocities and of accelerations.
fn derivatives(
    contacts: &mut dyn UnilateralConstraints,
    contact: usize,
    state: &State,
) -> [Vec<f64>; 4] {
    let law = &contacts.contacts()[contact];
    let columns = law.acts_on(state.v.len()).len();
    let rows = 1 + law.tangents;
    let forces = [1.3, -0.7, 0.4];
    let gradients = || vec![f64::NAN; rows * columns];
    let at = state.point();
    let mut stiffness = vec![f64::NAN; columns * columns];
    let forces = &forces[..rows];
    contacts
        .force_stiffness(contact, &at, forces, &mut stiffness)
        .unwrap();
    let mut velocity = gradients();
    contacts
        .velocity_gradients(contact, &at, &mut velocity)
        .unwrap();
    let (mut by_position, mut by_velocity) = (gradients(), gradients());
    let a = &state.acceleration;
    contacts
        .acceleration_gradients(contact, &at, a, &mut by_position, &mut by_velocity)
        .unwrap();
    [stiffness, velocity, by_position, by_velocity]
}

#[test]
fn rows_of_every_contact_at_random_states() {
    let mut numbers = Numbers(Random(1));
    let mut compared = 0;
    for entry in ProblemRegistry::standard() {
        let mut problem = build(entry.name, &[]);
        let space = problem.system.layout().space.clone();
        let initial = problem.system.initial_state();
        let Some(contacts) = liedae_contact::unilateral(problem.system.as_mut()) else {
            continue;
        };
        let mut displacement = vec![0.0; space.dimension()];
        for sample in 0..4 {
            let mut state = initial.clone();
            state.t = 0.1 * f64::from(sample);
            numbers.fill(&mut displacement, 0.3);
            space.retract(&initial.q, &displacement, &mut state.q);
            numbers.fill(&mut state.v, 1.0);
            numbers.fill(&mut state.acceleration, 1.0);
            for contact in 0..contacts.contacts().len() {
                if !contacts
                    .gap(contact, &state.point())
                    .is_ok_and(f64::is_finite)
                {
                    continue;
                }
                let found = derivatives(contacts, contact, &state);
                let expected = derivatives(&mut WithoutDerivatives(contacts), contact, &state);
                let names = [
                    "stiffness",
                    "velocity",
                    "acceleration by q",
                    "acceleration by v",
                ];
                let label = contacts.contacts()[contact].label.clone();
                for ((found, expected), name) in found.iter().zip(&expected).zip(names) {
                    let what = format!("{}, {label}, {name}", entry.name);
                    assert_close(found, expected, 1e-5, &what);
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 300, "{compared} comparisons");
}

type Vectorial<'a> = dyn FnMut(&mut dyn System, &Point) -> Vec<f64> + 'a;

/// The derivative by the configuration, column by column, from differences of fourth order: some clearances are so small that
/// those of second order say nothing.
fn by_position(system: &mut dyn System, at: &Point, function: &mut Vectorial) -> Vec<Vec<f64>> {
    let space = system.layout().space.clone();
    let mut q = at.q.to_vec();
    let mut displacement = vec![0.0; space.dimension()];
    let mut columns = Vec::new();
    for column in 0..space.dimension() {
        let mut difference = |step: f64| {
            let mut end = |step: f64| {
                displacement[column] = step;
                space.retract(at.q, &displacement, &mut q);
                displacement[column] = 0.0;
                function(system, &Point { q: &q, ..*at })
            };
            let (ahead, behind) = (end(step), end(-step));
            let pairs = ahead.iter().zip(&behind);
            pairs
                .map(|(a, b)| (a - b) / (2.0 * step))
                .collect::<Vec<f64>>()
        };
        let (near, far) = (difference(1e-6), difference(2e-6));
        let pairs = near.iter().zip(&far);
        columns.push(pairs.map(|(near, far)| (4.0 * near - far) / 3.0).collect());
    }
    columns
}

/// Compares the entries of a pattern.
fn compare(
    pattern: impl Iterator<Item = (usize, usize, usize)>,
    found: &[f64],
    columns: &[Vec<f64>],
    what: &str,
) {
    let (mut own, mut expected) = (Vec::new(), Vec::new());
    for (row, column, position) in pattern {
        if let Some(values) = columns.get(column) {
            own.push(found[position]);
            expected.push(values[row]);
        }
    }
    assert_close(&own, &expected, 1e-6, what);
}

/// Compares all that a system gives to implicit methods.
fn compare_equations(system: &mut dyn System, state: &State, name: &str) {
    let layout = system.layout().clone();
    let at = state.point();
    let a = &state.acceleration;

    let mut forces = |system: &mut dyn System, at: &Point| {
        let mut forces = vec![0.0; a.len()];
        let mut mass = vec![0.0; layout.mass.nnz()];
        system.mass_matrix(at, &mut mass).unwrap();
        layout.mass.multiply(&mass, a, &mut forces);
        let mut jacobian = vec![0.0; layout.jacobian.nnz()];
        system.constraint_jacobian(at, &mut jacobian).unwrap();
        layout
            .jacobian
            .multiply_transpose_add(&jacobian, -1.0, at.lambda, &mut forces);
        forces
    };
    let expected = by_position(system, &at, &mut forces);
    let pattern = layout.stiffness_pattern().unwrap();
    let mut found = vec![f64::NAN; pattern.nnz()];
    geometric_stiffness(system, &at, a, &mut found).unwrap();
    compare(
        pattern.iter(),
        &found,
        &expected,
        &format!("{name}, geometric stiffness"),
    );

    let mut velocities = |system: &mut dyn System, at: &Point| {
        let mut out = vec![0.0; layout.rows()];
        system.velocity_constraint(at, &mut out).unwrap();
        out
    };
    let expected = by_position(system, &at, &mut velocities);
    let mut found = vec![f64::NAN; layout.jacobian.nnz()];
    velocity_constraint_jacobian(system, &at, &mut found).unwrap();
    compare(
        layout.jacobian.iter(),
        &found,
        &expected,
        &format!("{name}, velocity rows"),
    );

    let mut accelerations = |system: &mut dyn System, at: &Point| {
        let mut out = vec![0.0; layout.rows()];
        system.acceleration_bias(at, &mut out).unwrap();
        let mut jacobian = vec![0.0; layout.jacobian.nnz()];
        system.constraint_jacobian(at, &mut jacobian).unwrap();
        layout.jacobian.multiply_add(&jacobian, 1.0, a, &mut out);
        out
    };
    let expected = by_position(system, &at, &mut accelerations);
    let mut by_velocity = vec![f64::NAN; layout.jacobian.nnz()];
    acceleration_constraint_jacobian(system, &at, a, &mut found, &mut by_velocity).unwrap();
    compare(
        layout.jacobian.iter(),
        &found,
        &expected,
        &format!("{name}, acceleration rows"),
    );

    let mut rates = |system: &mut dyn System, at: &Point| {
        let mut out = vec![0.0; layout.rate_count()];
        system.rates(at, &mut out).unwrap();
        out
    };
    let expected = by_position(system, &at, &mut rates);
    let mut found = RatesJacobian::new(&layout);
    system.rates_jacobian(&at, &mut found).unwrap();
    compare(
        layout.rates.iter(),
        &found.by_position,
        &expected,
        &format!("{name}, rates"),
    );
}

/// Compares the equations whenever contacts do what they have not done before.
struct Comparison {
    name: &'static str,
    open: usize,
    seen: Vec<Vec<i32>>,
    steps: usize,
}

impl Observer for Comparison {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        self.steps += 1;
        let (state, moves) = (step.to.clone(), step.to.t > step.from.t);
        let system = step.system().system();
        let closed = system.layout().rows() > self.open;
        // At events profiles may pass from one piece to the next, where the curvature jumps.
        if closed && moves && !self.seen.contains(&state.mode) {
            self.seen.push(state.mode.clone());
            compare_equations(system, &state, self.name);
        }
        if self.seen.len() == 4 || self.steps > 400 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
    fn wants_complete_states(&self) -> bool {
        true
    }
}

#[test]
fn equations_of_closed_contacts() {
    let mut compared = 0;
    for entry in ProblemRegistry::standard() {
        let mut problem = build(entry.name, &[]);
        let system = problem.system.as_mut();
        if liedae_contact::unilateral(system).is_none() {
            continue;
        }
        let mut comparison = Comparison {
            name: entry.name,
            open: system.layout().rows(),
            seen: Vec::new(),
            steps: 0,
        };
        let options = Options::adaptive(problem.t_end, 1e-4, 1e-4);
        let integrator = liedae_contact::methods()
            .build("hem5", &MethodOptions::default())
            .unwrap();
        // Runs that end early have shown what they have shown.
        let ended = solve_observed(system, integrator.as_ref(), &options, &mut comparison);
        println!(
            "{}: {} compared, {}",
            entry.name,
            comparison.seen.len(),
            ended.is_ok()
        );
        compared += comparison.seen.len();
    }
    assert!(compared > 30, "{compared} comparisons");
}
