//! Events that change nothing leave the run as it is.

use liedae::integrator::MethodOptions;
use liedae::prelude::*;

/// The Brusselator, with or without an event of x = 1 that nobody answers.
struct Brusselator {
    watched: bool,
}

impl FirstOrderModel for Brusselator {
    fn dimension(&self) -> usize {
        2
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![1.5, 3.0]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        let product = y[0] * y[0] * y[1];
        rate[0] = product + 1.0 - y[0] * 4.0;
        rate[1] = y[0] * 3.0 - product;
    }
    fn events(&self) -> Vec<EventDescription> {
        let event = EventDescription::new("x = 1", "x", Direction::Both);
        if self.watched {
            vec![event]
        } else {
            Vec::new()
        }
    }
    fn event_functions(&self, _t: f64, y: &[f64], out: &mut [f64]) {
        if self.watched {
            out[0] = y[0] - 1.0;
        }
    }
    fn handle_event(&self, _event: usize, _t: f64, _y: &mut [f64]) -> EventAction {
        EventAction::Continue
    }
}

/// The step is repeated up to the event and once more as a whole: what a method learns from repetitions, such as its order, must not count.
#[test]
fn a_recorded_event_changes_nothing() -> Result<(), Box<dyn std::error::Error>> {
    let mut system = Automatic::new(FirstOrder::new(Brusselator { watched: false })?);
    let method = crate::methods().build("dop853", &MethodOptions::default())?;
    let exact = solve(
        &mut system,
        method.as_ref(),
        &Options::adaptive(20.0, 1e-12, 1e-12),
    )?;
    let mut tried = 0;
    for entry in crate::methods() {
        if !entry.method.is_adaptive() || entry.method.index < 1 && entry.method.name == "auto" {
            continue;
        }
        let name = entry.method.name;
        for tolerance in [1e-6, 1e-9] {
            let run = |watched: bool| {
                let method = (crate::methods().build(name, &MethodOptions::default())).ok()?;
                let mut system = Automatic::new(FirstOrder::new(Brusselator { watched }).ok()?);
                let options = Options {
                    max_steps: 20_000,
                    ..Options::adaptive(20.0, tolerance, tolerance)
                };
                solve(&mut system, method.as_ref(), &options).ok()
            };
            let (Some(alone), Some(watched)) = (run(false), run(true)) else {
                continue;
            };
            assert!(watched.events.len() >= 4, "{name}");
            let error = |run: &Solution| {
                let pairs = run.state.x.iter().zip(&exact.state.x);
                pairs
                    .map(|(found, right)| (found - right).abs())
                    .fold(0.0, f64::max)
            };
            // Matrices that are kept and first guesses follow the repetitions.
            let (own, off) = (error(&alone), error(&watched));
            assert!(
                off <= 2.0 * own + 3.0 * tolerance,
                "{name}, {tolerance:e}: {off:e}, {own:e}"
            );
            let [alone, watched] = [alone, watched].map(|run| run.statistics.accepted as f64);
            assert!(
                (watched / alone - 1.0).abs() < 0.1,
                "{name}, {tolerance:e}: {watched}, {alone}"
            );
            tried += 1;
        }
    }
    assert!(tried >= 12, "{tried}");
    Ok(())
}
