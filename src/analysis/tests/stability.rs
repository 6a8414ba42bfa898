//! Slow motions beside fast ones, and free ones.

use crate::analysis::{Eigenvalue, linearize};
use crate::model;
use crate::system::{Evaluator, System};

fn eigenvalues(system: &mut dyn System) -> (Vec<Eigenvalue>, bool) {
    let start = system.initial_state();
    let small = linearize(&mut Evaluator::new(system), &start, None).expect("at rest");
    let modes = small.modes().expect("modes");
    let stable = small.is_stable().expect("modes");
    (modes.iter().map(|mode| mode.eigenvalue).collect(), stable)
}

#[test]
fn slow_growth_beside_a_fast_oscillation_is_seen() {
    for fast in [1e2, 1e5, 1e7] {
        let mut masses = model([0.0, 0.0], [0.0, 0.0])
            .mass(1.0)
            .force(move |_t, [x, y], [u, v]| [-x + u * 0.02, -y * (fast * fast) - v * (0.1 * fast)])
            .build()
            .expect("oscillators");
        let (found, stable) = eigenvalues(&mut masses);
        assert!(!stable, "{found:?}");
        assert!((found[0].re - 0.01).abs() < 1e-6, "{found:?}");
    }
}

#[test]
fn a_slow_oscillation_beside_a_stiff_spring_is_no_free_motion() {
    for stiff in [1e6, 1e10, 1e14] {
        let mut masses = model([0.0, 0.0], [0.0, 0.0])
            .mass(1.0)
            .force(move |_t, [x, y], [u, v]| {
                let pull = (y - x) + (v - u) * 1e-3;
                [-x * stiff + pull, -pull]
            })
            .build()
            .expect("two masses");
        let (found, stable) = eigenvalues(&mut masses);
        // s² + 1e-3 s + 1 = 0, and the first mass gives way by 1 / stiff.
        let expected = (1.0_f64 - 0.25e-6).sqrt();
        assert!(
            stable && (found[0].im - expected).abs() < 2.0 / stiff + 1e-7,
            "{found:?}"
        );
        assert!((found[0].re + 0.5e-3).abs() < 1e-7, "{found:?}");
    }
}

#[test]
fn a_pair_that_nothing_holds_has_one_free_motion() {
    for mass in [0.7, 1.0, 3.3] {
        let mut pair = model([0.0, 0.0], [0.0, 0.0])
            .mass(mass)
            .force(|_t, [x, y], [u, v]| {
                let pull = (y - x) * 10.0 + (v - u) * 0.1;
                [pull, -pull]
            })
            .build()
            .expect("a pair");
        let (found, stable) = eigenvalues(&mut pair);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(stable && found[0] == Eigenvalue::default());
        let square = 20.0 / mass;
        assert!((found[1].magnitude() - square.sqrt()).abs() < 1e-12);
    }
}
