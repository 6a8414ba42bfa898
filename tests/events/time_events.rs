//! Moments of which a system says that it is not smooth there.

use liedae::integrator::MethodOptions;
use liedae::prelude::*;
use liedae::system::{Events, Wrapped, Wrapper};
use std::error::Error;
use std::ops::ControlFlow;

/// When the load is switched on.
const SWITCH: f64 = 5.0;

/// A mass of 1 kg on a spring of 1 N/m, at rest until a load of 1 N is switched on.
struct Switched(Box<dyn System>);

impl Wrapper for Switched {
    type Inner = dyn System;

    fn inner(&self) -> &Self::Inner {
        self.0.as_ref()
    }
    fn inner_mut(&mut self) -> &mut Self::Inner {
        self.0.as_mut()
    }
    fn events(&mut self) -> Option<&mut dyn Events> {
        Some(self)
    }
}

impl Events for Switched {
    fn descriptions(&mut self) -> &[EventDescription] {
        &[]
    }
    fn time_events(&mut self) -> &[f64] {
        &[SWITCH]
    }
}

fn switched() -> Result<Wrapped<Switched>, Box<dyn Error>> {
    let mass = liedae::model([0.0], [0.0])
        .mass(1.0)
        .force(|t, [q], _v| {
            let load = if t.value() >= SWITCH { 1.0 } else { 0.0 };
            [load - q]
        })
        .build()?;
    Ok(Wrapped(Switched(Box::new(mass))))
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
        let mut system = switched()?;
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
