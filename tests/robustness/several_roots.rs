//! Rows with several solutions: behind a jump and from a guess, the one that it is connected with.

use liedae::integrator::MethodOptions;
use liedae::prelude::*;
use liedae::system::{Evaluator, project_initial_state};

const WATER: f64 = 1e-14;
const ACID: f64 = 0.1;
const DISSOCIATION: f64 = 1.8e-5;

/// Acetic acid of 0.1 mol/L, to which 10 mmol/L of NaOH are added at 1 min: 0 = Na + H - Kw/H - A Ka/(H + Ka), with poles at H = 0 and
/// H = -Ka, and a root of no meaning below each.
struct Titration {
    sodium: f64,
    guess: f64,
    added: f64,
}

impl FirstOrderModel for Titration {
    fn dimension(&self) -> usize {
        2
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![self.sodium, self.guess]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        rate[0] = S::constant(0.0);
        let acetate = (y[1] + DISSOCIATION).recip() * (ACID * DISSOCIATION);
        rate[1] = y[0] + y[1] - y[1].recip() * WATER - acetate;
    }
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        Some(vec![(0, 0, 1.0)])
    }
    fn index(&self) -> Vec<u8> {
        vec![0, 1]
    }
    fn time_events(&self) -> Vec<f64> {
        vec![1.0]
    }
    fn handle_time_event(
        &self,
        _event: usize,
        _t: f64,
        y: &mut [f64],
        _mode: &mut [i32],
    ) -> EventAction {
        y[0] += self.added;
        EventAction::Restart
    }
}

/// H by bisection: the balance rises with H from minus infinity.
fn hydrogen(sodium: f64) -> f64 {
    let balance = |h: f64| sodium + h - WATER / h - ACID * DISSOCIATION / (h + DISSOCIATION);
    let (mut low, mut high) = (1e-16_f64, 1.0_f64);
    for _ in 0..200 {
        let middle = (low * high).sqrt();
        if balance(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low * high).sqrt()
}

#[test]
fn a_pulse_keeps_the_branch() -> Result<(), Box<dyn std::error::Error>> {
    for added in [1e-3, 0.01, 0.05, 0.09] {
        for name in ["radau5", "bdf", "bdf-lie", "backward-euler"] {
            let start = Titration {
                sodium: 0.0,
                guess: hydrogen(0.0),
                added,
            };
            let mut system = Automatic::new(FirstOrder::new(start)?);
            let method = MethodRegistry::standard().build(name, &MethodOptions::default())?;
            let options = Options::adaptive(2.0, 1e-6, 1e-12);
            let end = solve(&mut system, method.as_ref(), &options)?.state.x[1];
            let right = hydrogen(added);
            assert!(
                (end - right).abs() < 1e-6 * right,
                "{name}, {added}: {end:e}, {right:e}"
            );
        }
    }
    Ok(())
}

#[test]
fn a_guess_finds_the_root_on_its_side() -> Result<(), Box<dyn std::error::Error>> {
    for sodium in [0.0, 0.01, 0.05, 0.0999] {
        for guess in [1e-3, 1e-4, 1e-5, 1e-7] {
            let model = Titration {
                sodium,
                guess,
                added: 0.0,
            };
            let mut system = Automatic::new(FirstOrder::new(model)?);
            let mut state = system.initial_state();
            project_initial_state(&mut Evaluator::new(&mut system), &mut state)?;
            let (found, right) = (state.x[1], hydrogen(sodium));
            assert!(
                (found - right).abs() < 1e-6 * right,
                "{sodium}, {guess:e}: {found:e}, {right:e}"
            );
        }
    }
    Ok(())
}

/// A pump that starts at 1 min, and the flow q through what it pushes against: p = |q| q + L q, with a slope of nearly zero where there is no
/// flow yet; and a check valve, whose slope jumps there.
struct Pump {
    pressure: f64,
    laminar: f64,
    backward: f64,
}

impl FirstOrderModel for Pump {
    fn dimension(&self) -> usize {
        2
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![0.0, 0.0]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        let flow = y[1];
        let resistance = if flow.value() < 0.0 {
            self.backward
        } else {
            1.0
        };
        let size = if flow.value() < 0.0 { -flow } else { flow };
        rate[0] = S::constant(0.0);
        rate[1] = size * flow + flow * (self.laminar * resistance) - y[0];
    }
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        Some(vec![(0, 0, 1.0)])
    }
    fn index(&self) -> Vec<u8> {
        vec![0, 1]
    }
    fn time_events(&self) -> Vec<f64> {
        vec![1.0]
    }
    fn handle_time_event(
        &self,
        _event: usize,
        _t: f64,
        y: &mut [f64],
        _mode: &mut [i32],
    ) -> EventAction {
        y[0] = self.pressure;
        EventAction::Restart
    }
}

/// Neither strong curvature nor a kink between the state before and the solution ends a run.
#[test]
fn kinks_and_curvature_are_passed() -> Result<(), Box<dyn std::error::Error>> {
    for pressure in [0.5, -0.5, 2.0, 10.0, 5e4] {
        for laminar in [1e-3, 0.1, 1.0] {
            for backward in [1.0, 10.0, 100.0] {
                let model = Pump {
                    pressure,
                    laminar,
                    backward,
                };
                let mut system = Automatic::new(FirstOrder::new(model)?);
                let method =
                    MethodRegistry::standard().build("radau5", &MethodOptions::default())?;
                let options = Options::adaptive(2.0, 1e-6, 1e-9);
                let end = solve(&mut system, method.as_ref(), &options)?.state.x[1];
                let slope = laminar * if pressure < 0.0 { backward } else { 1.0 };
                let size = 0.5 * ((slope * slope + 4.0 * pressure.abs()).sqrt() - slope);
                let right = size * pressure.signum();
                assert!(
                    (end - right).abs() < 1e-6 * size,
                    "{pressure}, {laminar}: {end}, {right}"
                );
            }
        }
    }
    Ok(())
}
