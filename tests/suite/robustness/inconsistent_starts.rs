//! A step may end beside the constraints by the tolerance of its Newton iterations: the run goes on.

use liedae::integrator::{MethodOptions, MethodRegistry};
use liedae::solve::{Options, solve};
use liedae::system::{Formulation, State};

/// A bead of 0.1 kg on the wire y = a x², from x = 1 m, after 5 s.
fn bead(method: &str, formulation: Option<Formulation>, tolerance: f64) -> State {
    let a = 2.0;
    let mut system = liedae::model([1.0, a], [0.0, 0.0])
        .mass(0.1)
        .force(|_t, _q, _v| [0.0, -0.981])
        .constraint(move |_t, [x, y]| [y - x * x * a])
        .build()
        .expect("a system");
    let options = MethodOptions {
        formulation,
        ..MethodOptions::default()
    };
    let method = MethodRegistry::standard()
        .build(method, &options)
        .expect("a method");
    let options = Options::adaptive(5.0, tolerance, tolerance);
    solve(&mut system, method.as_ref(), &options)
        .expect("a run")
        .state
}

#[test]
fn an_error_estimate_that_does_not_fall_is_that_of_a_start_beside_the_constraints() {
    let truth = bead("hem5", None, 1e-11);
    // The first step is small and converges at once; the second is eight times as long, and its single iteration leaves |G v| = 0.03.
    for (formulation, tolerance) in [
        (Formulation::Index2, 1e-3),
        (Formulation::Index2, 3e-4),
        (Formulation::Index3, 3e-4),
        (Formulation::Index3, 1e-4),
    ] {
        let end = bead("radau5", Some(formulation), tolerance);
        let error = (end.q[0] - truth.q[0]).hypot(end.q[1] - truth.q[1]);
        assert!(
            error < 1000.0 * tolerance,
            "{formulation} at {tolerance:e}: {error:e}"
        );
    }
}
