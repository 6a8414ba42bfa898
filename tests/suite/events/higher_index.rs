//! Variables of index 2 at a start and behind a jump.

use liedae::integrator::MethodOptions;
use liedae::prelude::*;
use liedae::solve::{Recorder, solve_observed};

/// A tank whose level is held by its outflow F, of index 2: F is the feed, 1 + sin(t/10), and 3 + sin(t/10) from 5 min on.
struct HeldLevel {
    guess: f64,
}

fn outflow(t: f64) -> f64 {
    (0.1 * t).sin() + if t > 5.0 { 3.0 } else { 1.0 }
}

impl FirstOrderModel for HeldLevel {
    fn dimension(&self) -> usize {
        2
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![2.0, self.guess]
    }
    fn initial_modes(&self) -> Vec<i32> {
        vec![0]
    }
    fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
        self.rate_in_mode(t, y, &[0], rate);
    }
    fn rate_in_mode<S: Scalar>(&self, t: S, y: &[S], mode: &[i32], rate: &mut [S]) {
        let feed = if mode[0] == 1 { 3.0 } else { 1.0 };
        rate[0] = ((t * 0.1).sin() + feed - y[1]) / 0.5;
        rate[1] = y[0] - 2.0;
    }
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        Some(vec![(0, 0, 1.0)])
    }
    fn index(&self) -> Vec<u8> {
        vec![0, 2]
    }
    fn time_events(&self) -> Vec<f64> {
        vec![5.0]
    }
    fn handle_time_event(
        &self,
        _event: usize,
        _t: f64,
        _y: &mut [f64],
        mode: &mut [i32],
    ) -> EventAction {
        mode[0] = 1;
        EventAction::Restart
    }
    fn events(&self) -> Vec<EventDescription> {
        vec![EventDescription::new("high", "outflow", Direction::Rising)]
    }
    fn event_functions(&self, _t: f64, y: &[f64], out: &mut [f64]) {
        out[0] = y[1] - 2.5;
    }
}

#[test]
fn the_outflow_jumps_with_the_feed() -> Result<(), Box<dyn std::error::Error>> {
    let times = vec![0.0, 1e-6, 1e-3, 0.1, 4.9, 5.0 + 1e-6, 5.001, 5.01, 5.1, 9.0];
    for name in ["radau5", "bdf", "bdf-lie", "backward-euler"] {
        for guess in [1.0, 7.0] {
            for tolerance in [1e-4, 1e-6] {
                let mut system = Automatic::new(FirstOrder::new(HeldLevel { guess })?);
                let method = crate::known_methods().build(name, &MethodOptions::default())?;
                let options = Options::adaptive(10.0, tolerance, tolerance);
                let mut recorder = Recorder::new(times.clone());
                solve_observed(&mut system, method.as_ref(), &options, &mut recorder)?;
                assert_eq!(recorder.states.len(), times.len());
                for state in &recorder.states {
                    let (found, right) = (state.x[1], outflow(state.t));
                    assert!(
                        (found - right).abs() < 30.0 * tolerance,
                        "{name}, guess {guess}, {tolerance:e}, t = {}: {found} and {right}",
                        state.t
                    );
                }
            }
        }
    }
    Ok(())
}

/// A level of this size that is held by an outflow of 1 from this time on, and a second tank that nothing flows through at first.
struct TwoTanks {
    level: f64,
    start: f64,
    guess: f64,
}

impl FirstOrderModel for TwoTanks {
    fn dimension(&self) -> usize {
        4
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![self.level, 1.0, self.guess, 0.0]
    }
    fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
        let since = t - self.start;
        rate[0] = -y[2] + 1.0;
        rate[1] = since * 3.0 - y[3];
        rate[2] = y[0] - self.level;
        rate[3] = y[1] - 1.0;
    }
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        Some(vec![(0, 0, 1.0), (1, 1, 1.0)])
    }
    fn index(&self) -> Vec<u8> {
        vec![0, 0, 2, 2]
    }
}

/// What is right stays as it is, far from t = 0 and beside large values too, and a guess is mended beside a variable that begins at zero.
#[test]
fn right_starts_stay() -> Result<(), Box<dyn std::error::Error>> {
    let cases = [
        (1.0, 0.0, 7.0),
        (1.0, 0.0, 1.0),
        (1e6, 0.0, 1.0),
        (1e3, 1e7, 1.0),
        (1.0, 1e9, 1.0),
    ];
    for (level, start, guess) in cases {
        for tolerance in [1e-3, 1e-6] {
            let model = TwoTanks {
                level,
                start,
                guess,
            };
            let mut system = Automatic::new(FirstOrder::new(model)?);
            let method = crate::known_methods().build("radau5", &MethodOptions::default())?;
            let mut recorder = Recorder::new(vec![start]);
            let mut state = system.initial_state();
            state.t = start;
            let options = Options::adaptive(start + 10.0, tolerance, tolerance);
            liedae::solve::solve_from(
                &mut system,
                method.as_ref(),
                state,
                &options,
                &mut recorder,
            )?;
            let found = &recorder.states[0].x;
            assert!(
                (found[2] - 1.0).abs() < 1e-5,
                "{level}, {start}, {guess}: {found:?}"
            );
            assert!(
                found[3].abs() < 1e-5,
                "{level}, {start}, {guess}: {found:?}"
            );
        }
    }
    Ok(())
}

/// A <-> B with 10¹²/s and 10¹¹/s, and a run of 10⁴ s: the first step does not hide the transient.
struct FastEquilibrium;

impl FirstOrderModel for FastEquilibrium {
    fn dimension(&self) -> usize {
        3
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![1.0, 0.0, 0.0]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        let exchanged = y[0] * 1e12 - y[1] * 1e11;
        let consumed = y[1] * 1e-3;
        rate[0] = -exchanged;
        rate[1] = exchanged - consumed;
        rate[2] = consumed;
    }
}

#[test]
fn a_first_step_shows_the_transient() -> Result<(), Box<dyn std::error::Error>> {
    let times = vec![1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7];
    for name in ["radau5", "bdf", "bdf-lie"] {
        for tolerance in [1e-4, 1e-6] {
            let mut system = Automatic::new(FirstOrder::new(FastEquilibrium)?);
            let method = crate::known_methods().build(name, &MethodOptions::default())?;
            let options = Options::adaptive(1e4, tolerance, tolerance);
            let mut recorder = Recorder::new(times.clone());
            solve_observed(&mut system, method.as_ref(), &options, &mut recorder)?;
            for state in &recorder.states {
                let right = (1.0 + 10.0 * (-1.1e12 * state.t).exp()) / 11.0;
                let off = (state.x[0] - right).abs();
                assert!(
                    off < 100.0 * tolerance,
                    "{name}, {tolerance:e}, {:e}: {off:e}",
                    state.t
                );
            }
        }
    }
    Ok(())
}
