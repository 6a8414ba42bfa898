//! The forms agree with themselves: Jacobians with differences, starts with the equations.

use super::form::{Form, FormName, Place, form};
use crate::experiment::Case;
use crate::registry::Registry;
use liedae::system::{AccelerationSolver, Evaluator, EventHandling, State};

/// A system at its start, complete.
fn start(evaluator: &mut Evaluator) -> State {
    let mut state = evaluator.system().initial_state();
    let handling = EventHandling::Located { tolerance: 1e-12 };
    evaluator
        .system()
        .prepare(&mut state, handling)
        .expect("prepared");
    if evaluator
        .layout()
        .differential_index
        .iter()
        .all(|&index| index == 0)
    {
        let solver = AccelerationSolver::new(evaluator.layout());
        solver
            .expect("a solver")
            .complete(evaluator, &mut state)
            .expect("complete");
    }
    state
}

fn with_form<R>(
    problem: &str,
    name: FormName,
    work: impl FnOnce(&mut dyn Form, &mut Evaluator, &State) -> R,
) -> R {
    let mut case: Case = Registry::standard()
        .case::<&str>(problem, &[], None)
        .expect("a problem");
    let t_end = case.t_end;
    let mut evaluator = Evaluator::new(case.system());
    let state = start(&mut evaluator);
    let mut form = form(name, &mut evaluator, &state, t_end).expect("a form");
    work(form.as_mut(), &mut evaluator, &state)
}

/// Numbers between -1/2 and 1/2 that look like chance.
fn scattered(index: usize) -> f64 {
    (0.754_877_666 * (index + 1) as f64).fract() - 0.5
}

/// The largest difference between a Jacobian and differences of the equations, by the largest entry of its row.
fn jacobian_error(form: &mut dyn Form, system: &mut Evaluator, state: &State) -> f64 {
    let size = form.size();
    let from = form.start(system, state).expect("a start");
    let t = state.t;
    // Off the solution, so that no term vanishes by chance.
    let shift = |values: Vec<f64>, offset: usize| -> Vec<f64> {
        let values = values.into_iter().enumerate();
        let shifted =
            values.map(|(i, value)| value + 1e-2 * scattered(i + offset) * (value.abs() + 0.1));
        shifted.collect()
    };
    let (y, rate) = (shift(from.y, 0), shift(from.rate, 7));
    let c = if form.is_implicit() { 3.0 } else { 0.0 };
    let mut exact = vec![0.0; size * size];
    let place = Place {
        t,
        y: &y,
        rate: &rate,
    };
    form.jacobian(system, place, c, &mut exact)
        .expect("a Jacobian");
    let mut error = 0.0_f64;
    let largest: Vec<f64> = (0..size)
        .map(|row| {
            (0..size).fold(0.0_f64, |max, column| {
                max.max(exact[column * size + row].abs())
            })
        })
        .collect();
    for column in 0..size {
        let step = 1e-6 * (y[column].abs() + 1e-2);
        let mut at = |sign: f64| {
            let (mut y, mut rate) = (y.clone(), rate.clone());
            y[column] += sign * step;
            if let Some(rate) = rate.get_mut(column) {
                *rate += sign * step * c;
            }
            let mut out = vec![0.0; size];
            let place = Place {
                t,
                y: &y,
                rate: &rate,
            };
            form.evaluate(system, place, &mut out).expect("a value");
            out
        };
        let (above, below) = (at(1.0), at(-1.0));
        // What round-off of the largest value leaves of a difference, also in rows that are zero: a drive fixes its acceleration.
        let values = above
            .iter()
            .fold(0.0_f64, |max, value| max.max(value.abs()));
        let noise = 1e-14 * values / step;
        for row in 0..size {
            let slope = (above[row] - below[row]) / (2.0 * step);
            let difference = (slope - exact[column * size + row]).abs() - noise;
            let difference = difference / (largest[row] + 1e-3);
            error = error.max(difference);
        }
    }
    error
}

#[test]
fn jacobians_are_the_derivatives_of_the_equations() {
    let cases = [
        ("pendulum", FormName::Ode),
        ("pendulum", FormName::Dae1),
        ("pendulum", FormName::Dae2),
        ("andrews", FormName::Ode),
        ("andrews", FormName::Dae1),
        ("andrews", FormName::Dae2),
        ("car-axis", FormName::Ode),
        ("car-axis", FormName::Dae2),
        ("flexible-slider-crank", FormName::Ode),
        ("flexible-slider-crank", FormName::Dae2),
        ("hires", FormName::Ode),
        ("hires", FormName::Dae2),
        ("transistor-amplifier", FormName::Dae1),
    ];
    for (problem, name) in cases {
        let error = with_form(problem, name, jacobian_error);
        assert!(error < 1e-4, "{problem}, {name:?}: {error:e}");
    }
}

#[test]
fn starts_solve_the_equations() {
    let cases = [
        ("pendulum", FormName::Dae1),
        ("andrews", FormName::Dae2),
        ("car-axis", FormName::Dae2),
        ("robertson", FormName::Dae1),
        ("transistor-amplifier", FormName::Dae1),
        ("nand-gate", FormName::Dae1),
    ];
    for (problem, name) in cases {
        let error = with_form(problem, name, |form, system, state| {
            let from = form.start(system, state).expect("a start");
            let mut out = vec![0.0; form.size()];
            let place = Place {
                t: state.t,
                y: &from.y,
                rate: &from.rate,
            };
            form.evaluate(system, place, &mut out).expect("a value");
            let size = from
                .y
                .iter()
                .chain(&from.rate)
                .fold(1.0, |max: f64, value| max.max(value.abs()));
            out.iter().fold(0.0, |max: f64, value| max.max(value.abs())) / size
        });
        assert!(error < 1e-9, "{problem}, {name:?}: {error:e}");
    }
}

#[test]
fn the_derivatives_of_the_transistor_amplifier_are_those_published() {
    // Test Set for IVP Solvers, transistor amplifier, y'(0).
    let published = [51.338775, 51.338775, -24.9757667, -24.9757667, -10.00564453];
    with_form(
        "transistor-amplifier",
        FormName::Dae1,
        |form, system, state| {
            let from = form.start(system, state).expect("a start");
            for (place, value) in [0, 1, 3, 4, 6].into_iter().zip(published) {
                let found = from.rate[place];
                assert!(
                    (found - value).abs() < 1e-3 * value.abs(),
                    "{place}: {found} {value}"
                );
            }
        },
    );
}

#[test]
fn a_system_without_the_form_says_why() {
    let mut case = Registry::standard()
        .case::<&str>("transistor-amplifier", &[], None)
        .expect("a problem");
    let t_end = case.t_end;
    let mut evaluator = Evaluator::new(case.system());
    let state = start(&mut evaluator);
    let words = match form(FormName::Ode, &mut evaluator, &state, t_end) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    assert!(words.contains("singular M"), "{words}");
}
