//! The mechanisms in rotation matrices, Euler parameters and Euler angles: the same motion.

use crate::common::{build, compare, complete};
use liedae::integrator::{Hem5, MethodOptions, Projection};
use liedae::solve::{Options, SolveErrorKind, convergence, solve};
use liedae::system::{Function, total_energy};
use liedae_multibody::{BodyId, Joint, MultibodyBuilder, RigidBody, Rotation};

#[test]
fn references_hold_in_all_coordinates() {
    for (name, settings, until, allowed) in [
        ("double-pendulum", &[][..], 8.0, 1e-9),
        ("slider-crank", &[], 1.0, 1e-10),
        ("slider-crank", &["mu=0.2"], 1.03, 1e-10),
        ("four-link", &[], 2.0, 1e-10),
        ("chain", &["n=1"], 1.0, 1e-10),
        ("chain", &["n=2"], 1.0, 1e-10),
        ("chain", &["n=8"], 1.0, 1e-10),
    ] {
        for rotation in ["rotation=0", "rotation=1", "rotation=2"] {
            let settings: Vec<_> = settings.iter().copied().chain([rotation]).collect();
            let mut problem = build(name, &settings);
            let options = Options::adaptive(until, 1e-10, 1e-10);
            let method = Hem5::new(Projection::EveryStep);
            let solution = solve(problem.system.as_mut(), &method, &options)
                .unwrap_or_else(|error| panic!("{name} {settings:?}: {error}"));
            let mut state = solution.state;
            complete(problem.system.as_mut(), &mut state);
            let (error, columns) = compare(&mut problem, &state, |_| 1.0);
            println!(
                "{name} {settings:?}: {columns} columns within {error:e}, {} steps",
                solution.statistics.accepted
            );
            assert!(
                columns > 15 && error < allowed,
                "{name} {settings:?}: {error:e}"
            );
        }
    }
}

/// Observed orders on the chain of two links, whose multipliers, spins and constraints are all at work.
#[test]
fn methods_keep_their_orders() {
    for rotation in ["rotation=0", "rotation=1", "rotation=2"] {
        let mut system = build("chain", &["n=2", rotation]).system;
        let method = Hem5::new(Projection::EveryStep);
        let reference = solve(
            system.as_mut(),
            &method,
            &Options::adaptive(0.5, 1e-12, 1e-12),
        )
        .unwrap()
        .state;
        for (name, expected, steps) in [
            ("half-implicit", 1.0, [2e-3, 1e-3, 5e-4]),
            ("half-implicit-newton", 1.0, [2e-3, 1e-3, 5e-4]),
            ("backward-euler", 1.0, [2e-3, 1e-3, 5e-4]),
            ("hem5", 5.0, [2e-2, 1e-2, 5e-3]),
            ("mdop5", 5.0, [2e-2, 1e-2, 5e-3]),
        ] {
            let method = liedae_contact::methods()
                .build(name, &MethodOptions::default())
                .expect("known");
            let found = convergence(system.as_mut(), method.as_ref(), &steps, &reference)
                .unwrap_or_else(|error| panic!("{rotation}, {name}: {error}"));
            let orders = [found.order_q(), found.order_v()];
            println!("{rotation}, {name}: orders {orders:.3?}");
            for order in orders {
                assert!(
                    (order - expected).abs() < 0.25 * expected.sqrt(),
                    "{rotation}, {name}: {orders:?}"
                );
            }
        }
    }
}

/// A bar on a revolute joint about y, released horizontally: at rest nothing tells that its axis will pass the pole.
fn released() -> MultibodyBuilder {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let bar = mechanism.add_body(RigidBody::new("bar", 1.0, [0.01, 0.4, 0.4]).at([1.0, 0.0, 0.0]));
    mechanism.add_joint(Joint::revolute(
        "pivot",
        BodyId::GROUND,
        bar,
        [0.0; 3],
        [0.0, 1.0, 0.0],
    ));
    mechanism
}

#[test]
fn euler_angles_at_their_singularity_are_an_error() {
    let run = |rotation| {
        let mut system = released().build().unwrap().with_rotation(rotation).unwrap();
        let method = Hem5::new(Projection::EveryStep);
        let options = Options::adaptive(2.0, 1e-8, 1e-8);
        solve(system.as_mut(), &method, &options).map(|solution| {
            let state = solution.state;
            total_energy(&mut system, &state.point()).unwrap()
        })
    };
    for rotation in [Rotation::Matrices, Rotation::EulerParameters] {
        let energy = run(rotation).unwrap();
        assert!(energy.abs() < 1e-6, "{rotation:?}: {energy:e}");
    }
    let error = run(Rotation::EulerAngles).unwrap_err();
    println!("{error}");
    let words = error.to_string();
    assert!(
        words.contains("'bar'") && words.contains("Euler parameters"),
        "{words}"
    );
    assert!(!matches!(error.kind, SolveErrorKind::Options(_)));

    let mut system = released()
        .build()
        .unwrap()
        .with_rotation(Rotation::EulerAngles)
        .unwrap();
    let mut state = system.initial_state();
    // The second angle is theta.
    state.q[4] = 1e-4;
    let mut mass = vec![0.0; system.layout().mass.nnz()];
    let error = system.mass_matrix(&state.point(), &mut mass).unwrap_err();
    let function = Function::Mass;
    assert!(
        matches!(error, liedae::system::EvaluationError::Failed { function: found, .. } if found == function)
    );
    state.q[4] = 1e-2;
    assert!(system.mass_matrix(&state.point(), &mut mass).is_ok());
}
