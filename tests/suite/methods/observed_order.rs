//! Halve the step, fit the slope: the order of every method, in q and v separately.

use super::orders::{check, errors, pendulum_reference, tight};
use crate::order_tests;

use crate::common::{HeatedPendulum, HeavyTop, Pendulum, TopGroup};
use liedae::integrator::{Extrapolation, MethodOptions, Projection};
use liedae::solve::{Options, convergence, solve};
use liedae::system::{Automatic, System};

order_tests! {
    half_implicit: "half-implicit", 1.0 +- 0.05, [4e-3, 2e-3, 1e-3, 5e-4];
    half_implicit_newton: "half-implicit-newton", 1.0 +- 0.05, [4e-3, 2e-3, 1e-3, 5e-4];
    backward_euler: "backward-euler", 1.0 +- 0.05, [4e-3, 2e-3, 1e-3, 5e-4];
    hem5: "hem5", 5.0 +- 0.3, [0.04, 0.02, 0.01];
    mdop5: "mdop5", 5.0 +- 0.3, [0.04, 0.02, 0.01];
    rattle: "rattle", 2.0 +- 0.05, [4e-3, 2e-3, 1e-3, 5e-4];
    half_implicit2: "half-implicit2", 2.0 +- 0.05, [4e-3, 2e-3, 1e-3, 5e-4];
    extrapolation: "extrapolation", 8.0 +- 0.5, [0.2, 0.1, 0.05];
    dopri5: "dopri5", 5.0 +- 0.6, [0.04, 0.02, 0.01];
    dop853: "dop853", 8.0 +- 0.6, [0.2, 0.1];
    phem56: "phem56", 5.0 +- 0.6, [0.04, 0.02, 0.01];
    generalized_alpha: "generalized-alpha", 2.0 +- 0.05, [8e-3, 4e-3, 2e-3, 1e-3];
    generalized_alpha_velocity: "generalized-alpha-velocity", 2.0 +- 0.05, [8e-3, 4e-3, 2e-3, 1e-3];
    generalized_alpha_stabilized: "generalized-alpha-stabilized", 2.0 +- 0.05, [8e-3, 4e-3, 2e-3, 1e-3];
    radau5: "radau5", 5.0 +- 0.3, [0.04, 0.03, 0.02];
    state_space_abm: "state-space-abm", 2.0 +- 0.1, [2e-3, 1e-3, 5e-4];
    rk4: "rk4", 4.0 +- 0.2, [0.02, 0.01, 0.005];
    state_space_newmark: "state-space-newmark", 2.0 +- 0.1, [8e-3, 4e-3, 2e-3];
    state_space_fv: "state-space-fv", 2.0 +- 0.1, [8e-3, 4e-3, 2e-3];
    sdirk4: "sdirk4", 4.0 +- 0.2, [0.02, 0.01, 0.005];
    bdf: "bdf", 5.0 +- 0.4, [0.02, 0.01];
    bdf_lie: "bdf-lie", 2.0 +- 0.1, [0.01, 0.005, 0.0025];
}

#[test]
fn the_heavy_top_agrees_with_the_binary128_reference_on_every_group() {
    // Centre of mass at t = 2 by Taylor integration in binary128 on minimal coordinates.
    let reference = [
        -0.15041682274564176,
        -0.7241655916368957,
        -0.6730222695604441,
    ];
    for group in [
        TopGroup::Matrix,
        TopGroup::Quaternion,
        TopGroup::RigidMotion,
    ] {
        for method in ["hem5", "mdop5"] {
            let mut system = Automatic::new(HeavyTop(group));
            let integrator = crate::known_methods()
                .build(method, &MethodOptions::default())
                .expect("a registered method");
            let options = Options::adaptive(2.0, 1e-10, 1e-10);
            let solution = solve(&mut system, integrator.as_ref(), &options).expect("solved");
            let error = (0..3)
                .map(|i| (solution.state.q[i] - reference[i]).abs())
                .fold(0.0, f64::max);
            println!(
                "{group:?} {method}: error {error:e}, {} steps",
                solution.statistics.accepted
            );
            assert!(error < 1e-7, "{group:?} {method}: {error:e}");
        }
    }
}

#[test]
fn row_j_of_the_extrapolation_has_order_2j() {
    let reference = pendulum_reference(1.0);
    for (rows, steps) in [(2, [0.04, 0.02, 0.01]), (3, [0.1, 0.05, 0.025])] {
        let mut system = Automatic::new(Pendulum);
        let method = Extrapolation::with_rows(Projection::default(), rows);
        let found = convergence(&mut system, &method, &steps, &reference).expect("solved");
        check(
            &format!("{rows} rows"),
            [found.order_q(), found.order_v()],
            2.0 * rows as f64,
            0.5,
        );
    }
}

/// Differential states and algebraic variables that depend on multipliers take part, order and all.
#[test]
fn friction_and_heat_keep_the_order() {
    let make = || Box::new(Automatic::new(HeatedPendulum)) as Box<dyn System>;
    let reference = tight(make(), "mdop5", 1.0);
    for (method, expected, steps) in [
        ("rattle", 2.0, [4e-3, 2e-3, 1e-3]),
        ("half-implicit2", 2.0, [4e-3, 2e-3, 1e-3]),
        ("extrapolation", 8.0, [0.2, 0.1, 0.05]),
    ] {
        let found = errors(&make, method, &steps, &reference);
        for (name, order) in [
            ("q", found.order_q()),
            ("v", found.order_v()),
            ("x", found.order_x()),
        ] {
            println!("{method}: order {order:.3} in {name}");
            assert!(
                order > 0.9 * expected,
                "{method}: order {order:.3} in {name}"
            );
        }
    }
}
