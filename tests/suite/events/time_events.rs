//! Moments of which a system says that it is not smooth there.

use super::announced::announced;
use liedae::integrator::MethodOptions;
use liedae::prelude::*;
use std::error::Error;
use std::ops::ControlFlow;

/// When the load is switched on.
const SWITCH: f64 = 5.0;

/// A mass of 1 kg on a spring of 1 N/m, at rest until a load of 1 N is switched on.
fn switched() -> Result<impl System, Box<dyn Error>> {
    Ok(liedae::model([0.0], [0.0])
        .mass(1.0)
        .force(|t, [q], _v| {
            let load = if t.value() >= SWITCH { 1.0 } else { 0.0 };
            [load - q]
        })
        .build()?)
}

/// How far the mass is from its rest before the load, and at which times it has been looked at.
#[derive(Default)]
struct Before {
    largest: f64,
    ends: Vec<f64>,
}

impl Observer for Before {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let (from, to) = (step.from.t, step.to.t);
        self.ends.push(to);
        if from < SWITCH {
            self.largest = self.largest.max(step.to.acceleration[0].abs());
            for part in 0..=20 {
                let t = from + f64::from(part) / 20.0 * (to - from);
                self.largest = self.largest.max(step.at(t).q[0].abs());
            }
        }
        ControlFlow::Continue(())
    }
    fn wants_dense_output(&self) -> bool {
        true
    }
    fn wants_complete_states(&self) -> bool {
        true
    }
}

/// The step before sees the forces before, the step behind those behind; no step has to find the moment by getting shorter.
#[test]
fn a_load_that_is_switched_on_costs_no_steps() -> Result<(), Box<dyn Error>> {
    for entry in crate::known_methods() {
        let name = entry.method.name;
        let method = crate::known_methods().build(name, &MethodOptions::default())?;
        let fixed = method.method().fixed_step_by_default;
        let options = if fixed {
            Options::fixed(10.0, 1e-3)
        } else {
            Options::adaptive(10.0, 1e-8, 1e-8)
        };
        let mut before = Before::default();
        let mut system = announced(switched()?, &[SWITCH], &[]);
        let solution =
            liedae::solve::solve_observed(&mut system, method.as_ref(), &options, &mut before)?;
        assert_eq!(before.largest, 0.0, "{name}");
        assert!(before.ends.contains(&SWITCH), "{name}: {:?}", before.ends);
        assert_eq!(solution.statistics.rejected.total(), 0, "{name}");
        let exact = 1.0 - SWITCH.cos();
        let error = (solution.state.q[0] - exact).abs();
        assert!(error < if fixed { 5e-3 } else { 1e-5 }, "{name}: {error:e}");
    }
    Ok(())
}

/// A mass that is led along by a row, from rest to 1 m/s at once: no substep may ask for the row of afterwards.
#[test]
fn rows_that_jump_at_a_known_moment_are_those_before_until_then() -> Result<(), Box<dyn Error>> {
    for name in ["hem5", "phem56", "mdop5", "radau5", "extrapolation"] {
        let method = crate::known_methods().build(name, &MethodOptions::default())?;
        let led = liedae::model([0.0, 0.0], [0.0, 1.0])
            .mass([1.0, 1.0])
            .force(|_t, [_, q], _v| [q * 0.0, -q])
            .constraint(|t, [q, _]| {
                let led = if t.value() >= SWITCH {
                    t - SWITCH
                } else {
                    t * 0.0
                };
                [q - led]
            })
            .build()?;
        let mut led = announced(led, &[SWITCH], &[]);
        led.0.velocity = Some(1.0);
        let options = Options::adaptive(10.0, 1e-8, 1e-8);
        let solution = solve(&mut led, method.as_ref(), &options)?;
        assert!((solution.state.q[0] - 5.0).abs() < 1e-6, "{name}");
        let error = (solution.state.q[1] - 10.0_f64.sin()).abs();
        assert!(error < 1e-5, "{name}: {error:e}");
        let rejected = solution.statistics.rejected.total();
        assert!(rejected < 8, "{name}: {rejected}");
    }
    Ok(())
}

/// What a load lets jump beyond its limit is an event, whatever the time event is answered with.
#[test]
fn functions_that_jump_at_a_known_moment_have_events() -> Result<(), Box<dyn Error>> {
    for name in ["hem5", "mdop5", "dop853", "radau5", "extrapolation"] {
        for action in [EventAction::Restart, EventAction::Continue] {
            for function in [(|at| at.t - SWITCH + 2e-15) as fn(&Point) -> f64, |at| {
                if at.t >= SWITCH { 1.0 } else { -1.0 }
            }] {
                let method = crate::known_methods().build(name, &MethodOptions::default())?;
                let mass = liedae::model([0.0], [1.0])
                    .mass(1.0)
                    .force(|_t, [q], _v| [-q])
                    .build()?;
                let mut mass = announced(mass, &[SWITCH], &[function]);
                mass.0.action = action;
                let options = Options::adaptive(10.0, 1e-8, 1e-8);
                solve(&mut mass, method.as_ref(), &options)?;
                let found = &mass.0.events_handled_at;
                assert_eq!(found.len(), 1, "{name}, {action:?}: {found:?}");
                assert!((found[0] - SWITCH).abs() < 1e-9, "{name}: {found:?}");
            }
        }
    }
    Ok(())
}

/// Moments beside each other, and beside the end of the run, are handled behind them, not before.
#[test]
fn moments_apart_by_round_off_are_handled_in_time() -> Result<(), Box<dyn Error>> {
    let spacing = SWITCH * f64::EPSILON;
    for name in ["hem5", "mdop5", "extrapolation"] {
        for (others, end) in [
            (vec![], 10.0),
            (vec![SWITCH + 8.0 * spacing], 10.0),
            (vec![SWITCH + 20.0 * spacing], 10.0),
            (vec![SWITCH + 30.0 * spacing], 10.0),
            (vec![], SWITCH + 8.0 * spacing),
            (vec![], SWITCH),
        ] {
            let method = crate::known_methods().build(name, &MethodOptions::default())?;
            let moments: Vec<f64> = [SWITCH].into_iter().chain(others).collect();
            let mut loaded = announced(switched()?, &moments, &[]);
            let options = Options::adaptive(end, 1e-8, 1e-8);
            let solution = solve(&mut loaded, method.as_ref(), &options)?;
            let handled = &loaded.0.moments_handled_at;
            assert_eq!(handled.len(), moments.len(), "{name}: {handled:?}");
            for (handled, moment) in handled.iter().zip(&moments) {
                assert!(handled >= moment, "{name}: {handled:e} {moment:e}");
            }
            assert_eq!(solution.state.t, end, "{name}");
            assert_eq!(solution.statistics.rejected.total(), 0, "{name} to {end}");
        }
    }
    Ok(())
}

/// Looking does not change how a run ends upon a moment.
#[test]
fn the_end_of_a_run_upon_a_moment_has_the_load() -> Result<(), Box<dyn Error>> {
    for entry in crate::known_methods() {
        let name = entry.method.name;
        let method = crate::known_methods().build(name, &MethodOptions::default())?;
        let options = if entry.method.fixed_step_by_default {
            Options::fixed(SWITCH, 1e-2)
        } else {
            Options::adaptive(SWITCH, 1e-8, 1e-8)
        };
        let mut system = announced(switched()?, &[SWITCH], &[]);
        let alone = solve(&mut system, method.as_ref(), &options)?;
        let mut before = Before::default();
        let watched =
            liedae::solve::solve_observed(&mut system, method.as_ref(), &options, &mut before)?;
        assert_eq!(alone.state.acceleration, [1.0], "{name}");
        assert_eq!(watched.state, alone.state, "{name}");
    }
    Ok(())
}
