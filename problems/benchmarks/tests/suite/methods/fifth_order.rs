//! HEM5 and MDOP5 have order 5 in q and v on registered problems, with and without a Lie group.

use crate::common::build;
use liedae::integrator::{Hem5, MethodOptions, Projection};
use liedae::solve::{Options, convergence, solve};

#[test]
fn order_five_in_configuration_and_velocity() {
    for (name, settings, t_end, steps) in [
        ("pendulum", &[][..], 1.0, [0.04, 0.02, 0.01]),
        ("heavy-top", &["group=0"], 0.1, [2e-3, 1e-3, 5e-4]),
        ("heavy-top", &["group=1"], 0.1, [2e-3, 1e-3, 5e-4]),
        ("heavy-top", &["group=2"], 0.1, [2e-3, 1e-3, 5e-4]),
    ] {
        let mut problem = build(name, settings);
        let tight = Options::adaptive(t_end, 1e-13, 1e-13);
        let reference = solve(
            problem.system.as_mut(),
            &Hem5::new(Projection::EveryStep),
            &tight,
        )
        .expect("solved")
        .state;
        for name in ["hem5", "mdop5"] {
            let integrator = liedae_contact::methods()
                .build(name, &MethodOptions::default())
                .expect("registered");
            let found = convergence(
                problem.system.as_mut(),
                integrator.as_ref(),
                &steps,
                &reference,
            )
            .expect("solved");
            let (q, v, lambda) = (found.order_q(), found.order_v(), found.order_lambda());
            println!(
                "{} {settings:?} {name}: order {q:.2} in q, {v:.2} in v, {lambda:.2} in λ",
                problem.name
            );
            assert!((q - 5.0).abs() <= 0.3 && (v - 5.0).abs() <= 0.3, "{q} {v}");
        }
    }
}

#[test]
fn tops_reach_reference_accuracy_with_both_methods() {
    for (name, settings) in [
        ("heavy-top", &["group=0"][..]),
        ("heavy-top", &["group=1"]),
        ("heavy-top", &["group=2"]),
        ("free-rigid-body", &["group=0"]),
        ("free-rigid-body", &["group=1"]),
    ] {
        for name_of_method in ["hem5", "mdop5"] {
            let mut problem = build(name, settings);
            let integrator = liedae_contact::methods()
                .build(name_of_method, &MethodOptions::default())
                .expect("registered");
            let options = Options::adaptive(problem.t_end, 1e-10, 1e-10);
            let solution =
                solve(problem.system.as_mut(), integrator.as_ref(), &options).expect("solved");
            let (error, columns) = crate::common::compare(&mut problem, &solution.state, |_| 10.0);
            println!(
                "{name} {settings:?} {name_of_method}: {columns} columns within {error:.1e} of 10 + |reference|"
            );
            assert!(
                error < if name_of_method == "hem5" { 2e-8 } else { 2e-7 },
                "{name} {settings:?} {name_of_method}: {error:e}"
            );
        }
    }
}
