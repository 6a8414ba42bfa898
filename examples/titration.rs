//! A first-order system M y' = f(t, y) with an algebraic equation and pulses: acetic acid, to which sodium hydroxide is added.
//!
//! ```sh
//! cargo run --release --example titration
//! ```

use liedae::integrator::Radau5;
use liedae::prelude::*;
use liedae::solve::Recorder;
use std::error::Error;

/// y = (Na, pH): sodium in mol/L, which drops bring in, and the pH by which charges are balanced.
struct Beaker;

/// Ion product of water in mol²/L², dissociation constant and concentration of the acid in mol/L.
const WATER: f64 = 1e-14;
const DISSOCIATION: f64 = 1.8e-5;
const ACID: f64 = 0.1;

/// A drop falls every second minute.
const DROP: f64 = 0.02;

impl FirstOrderModel for Beaker {
    fn dimension(&self) -> usize {
        2
    }

    fn initial_value(&self) -> Vec<f64> {
        // The pH is a guess: the run solves for it.
        vec![0.0, 3.0]
    }

    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        // H = 10^-pH is positive whatever the pH: no root of the balance without a meaning.
        let hydrogen = (y[1] * -std::f64::consts::LN_10).exp();
        let acetate = (hydrogen + DISSOCIATION).recip() * (ACID * DISSOCIATION);
        rate[0] = S::constant(0.0);
        rate[1] = y[0] + hydrogen - hydrogen.recip() * WATER - acetate;
    }

    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        // Na' = rate[0] and 0 = rate[1].
        Some(vec![(0, 0, 1.0)])
    }

    fn index(&self) -> Vec<u8> {
        vec![0, 1]
    }

    fn time_events(&self) -> Vec<f64> {
        (1..=6).map(|drop| 2.0 * f64::from(drop)).collect()
    }

    fn handle_time_event(
        &self,
        _event: usize,
        _t: f64,
        y: &mut [f64],
        _mode: &mut [i32],
    ) -> EventAction {
        y[0] += DROP;
        EventAction::Restart
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut beaker = Automatic::new(FirstOrder::new(Beaker)?);
    let mut options = Options::adaptive(13.0, 1e-8, 1e-8);
    // The first value is a guess: it need not balance the charges.
    options.consistency.algebraic = f64::INFINITY;
    let mut recorder = Recorder::new((0..7).map(|drop| 1.0 + 2.0 * f64::from(drop)).collect());
    solve_observed(&mut beaker, &Radau5::default(), &options, &mut recorder)?;
    for state in &recorder.states {
        println!("{:.2} mol/L of NaOH: pH {:.3}", state.x[0], state.x[1]);
    }
    Ok(())
}
