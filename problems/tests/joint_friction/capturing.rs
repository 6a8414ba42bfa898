//! The event-capturing scheme, which sees joints with friction itself.

use super::runs::{G, body, guided, rubbing};
use liedae::integrator::{MoreauJean, NewtonOptions};
use liedae::solve::{Observer, Options, StepView, solve_observed};
use liedae::system::{Automatic, State, System};
use liedae_problems::nonsmooth::plane_mechanism::{
    PlaneForce, PlaneFriction, PlaneJoint, PlaneMechanism,
};
use std::f64::consts::PI;
use std::ops::ControlFlow;

/// States and energies of all steps.
#[derive(Default)]
struct Trace {
    states: Vec<State>,
    energies: Vec<f64>,
}

impl Observer for Trace {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let state = step.to.clone();
        self.energies.extend(step.system().system().energy(&state));
        self.states.push(state);
        ControlFlow::Continue(())
    }
}

fn captured(system: &mut dyn System, theta: f64, end: f64, h: f64) -> Trace {
    let mut trace = Trace::default();
    let mut method = MoreauJean::new(theta, NewtonOptions::default());
    solve_observed(system, &mut method, &Options::fixed(end, h), &mut trace)
        .unwrap_or_else(|error| panic!("{error}"));
    trace
}

const MU: f64 = 0.3;
const STIFFNESS: f64 = 100.0;
const START: f64 = 0.2;

fn on_spring() -> PlaneMechanism {
    let spring = PlaneForce::Spring {
        points: [(None, [-1.0, 0.0]), (Some(0), [0.0, 0.0])],
        stiffness: STIFFNESS,
        damping: 0.0,
        free_length: 1.0,
    };
    rubbing(
        guided(1.0, [START, 0.0], 0.0, [spring]),
        MU,
        PlaneFriction::Guide(0),
    )
}

#[test]
fn a_block_on_a_spring() {
    for theta in [0.5, 1.0] {
        for h in [8e-3, 4e-3, 2e-3, 1e-3, 5e-4] {
            let trace = captured(&mut Automatic::new(on_spring()), theta, 2.0, h);
            let last = trace.states.last().unwrap();
            let rise = trace
                .energies
                .windows(2)
                .map(|pair| pair[1] - pair[0])
                .fold(0.0, f64::max);
            println!("{theta} {h}: {:?} {:?} rise {rise:e}", last.q, last.v);
        }
    }
    let _ = (G, PI, body as usize);
    let _ = |j: PlaneJoint| j;
}
