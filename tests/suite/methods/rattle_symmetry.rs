//! RATTLE is symmetric: with velocities reversed it runs back to where it came from.

use crate::common::{HeavyTop, Sleigh, TopGroup};
use liedae::integrator::MethodOptions;
use liedae::solve::{Observer, Options, StepView, solve, solve_from};
use liedae::system::{Automatic, State, System};
use std::ops::ControlFlow;

struct Blind;

impl Observer for Blind {
    fn observe(&mut self, _step: &mut StepView) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

fn distance_after_return(system: &mut dyn System, method: &str) -> f64 {
    let options = Options::fixed(0.1, 1e-3);
    let integrator = crate::known_methods()
        .build(method, &MethodOptions::default())
        .expect("registered");
    let start = system.initial_state();
    let turn = solve(system, integrator.as_ref(), &options).expect("solved");
    let reversed = State {
        t: 0.0,
        v: turn.state.v.iter().map(|v| -v).collect(),
        ..turn.state
    };
    let end = solve_from(system, integrator.as_ref(), reversed, &options, &mut Blind)
        .expect("solved")
        .state;
    let q = start.q.iter().zip(&end.q).map(|(a, b)| (a - b).abs());
    let v = start.v.iter().zip(&end.v).map(|(a, b)| (a + b).abs());
    q.chain(v).fold(0.0, |max, distance| {
        if distance.is_nan() {
            distance
        } else {
            f64::max(max, distance)
        }
    })
}

#[test]
fn rattle_returns_along_its_path_and_the_explicit_kicks_do_not() {
    for group in [
        TopGroup::Matrix,
        TopGroup::Quaternion,
        TopGroup::RigidMotion,
    ] {
        let mut top = Automatic::new(HeavyTop(group));
        let distance = distance_after_return(&mut top, "rattle");
        println!("{group:?}: {distance:e} after 100 steps forth and 100 back");
        assert!(distance < 1e-10, "{group:?}: {distance:e}");
        // Gyroscopic forces at extrapolated velocities break the symmetry: the test can tell.
        let distance = distance_after_return(&mut top, "half-implicit2");
        assert!(distance > 1e-6, "{group:?}: {distance:e}");
    }
    let distance = distance_after_return(&mut Automatic::new(Sleigh), "rattle");
    assert!(distance < 1e-10, "sleigh: {distance:e}");
}
