//! Random mechanisms that one method could do and others could not: all methods end alike.

use super::dry_friction::{LOCATING, all_methods, end, run, system};
use liedae::integrator::MethodOptions;
use liedae::prelude::*;

/// The first coordinate of a body at the end of a run.
fn position_x(text: &str, method: &str, t_end: f64, body: usize) -> f64 {
    end(text, method, t_end).1.q[12 * body]
}

/// Runs a file with all methods; the configurations at the end differ by less than this.
fn alike(text: &str, t_end: f64, bound: f64) {
    alike_among(&all_methods(), text, t_end, bound);
}

/// The same with some methods.
fn alike_among(methods: &[&str], text: &str, t_end: f64, bound: f64) {
    let mut first: Option<Vec<f64>> = None;
    for method in methods {
        let q = end(text, method, t_end).1.q;
        let known = first.get_or_insert_with(|| q.clone());
        let differences = known.iter().zip(&q).map(|(a, b)| (a - b).abs());
        let largest = differences.fold(0.0, f64::max);
        assert!(largest < bound, "{method}: {largest:e}");
    }
}

/// These methods take less than so many steps.
fn take_few_steps(methods: &[&str], text: &str, t_end: f64, most: usize) {
    for method in methods {
        let found = run(system(text).as_mut(), method, t_end);
        let steps = found.expect(method).statistics.accepted;
        assert!(steps < most, "{method}: {steps}");
    }
}

#[test]
fn friction_beside_redundant_loops() {
    let idle = include_str!("found/idle-friction-beside-a-loop.toml");
    alike(idle, 1.0, 1e-12);
    alike(include_str!("found/contacts-on-a-loop.toml"), 0.4, 1e-4);
    alike(include_str!("found/bearing-of-a-beam.toml"), 0.4, 1e-4);
}

/// A contact in a mechanism that cannot move, with a bearing that rubs: no force balances the round-off along its normal.
#[test]
fn contacts_that_joints_hold_beside_a_bearing() {
    alike(include_str!("found/held-contacts.toml"), 0.32, 1e-9);
}

/// Where another contact strikes, the round-off of a held one is no approach that impulses have to stop.
#[test]
fn contacts_that_joints_hold_beside_an_impact() {
    alike(
        include_str!("found/held-beside-an-impact.toml"),
        0.858,
        1e-6,
    );
    alike(include_str!("found/held-in-a-loop.toml"), 0.9, 1e-3);
}

/// A bearing that is about to slip, held by the floor as well: it slipped and stuck in turn.
#[test]
fn a_joint_at_its_limit_beside_a_contact() {
    alike(include_str!("found/joint-at-its-limit.toml"), 0.85, 1e-4);
}

/// Bearings of a loop that nothing can move, beside a contact: their friction moves nothing, and what it would move is round-off.
#[test]
fn a_locked_loop_beside_a_contact() {
    let text = include_str!("found/locked-loop-beside-a-contact.toml");
    alike(text, 0.702, 1e-9);
}

/// A contact and joints that are all at their limits, and accelerate by less than the threshold: the event that looked at it found the
/// same again and again.
#[test]
fn a_mechanism_at_all_its_limits() {
    alike(include_str!("found/at-all-limits.toml"), 0.895, 2e-3);
    alike(include_str!("found/arm-at-its-limit.toml"), 0.58, 2e-3);
}

/// A loop with a redundant row, and another one at an angle of less than 1e-3 to the others, which carries a force all the same: multipliers
/// of least norm had lost it, and with them `bdf` its history.
#[test]
fn rows_that_nearly_depend_keep_their_force() {
    let text = include_str!("found/near-a-second-redundancy.toml");
    alike(text, 0.1, 1e-5);
    take_few_steps(&["bdf", "radau5"], text, 0.1, 100);
}

/// A mechanism locks itself within a step of an implicit method, whose end has no forces.
#[test]
fn a_mechanism_locks_itself_within_a_step() {
    let text = include_str!("found/locks-itself-within-a-step.toml");
    alike(text, 0.953, 1e-2);
}

/// Balls on arms whose cones of friction hold forces through the axis.
#[test]
fn arms_that_wedge_themselves() {
    alike(include_str!("found/wedged-arm.toml"), 0.72, 1e-4);
    alike(include_str!("found/wedged-rebound.toml"), 0.9, 1e-3);
}

/// Forces within narrow cones, where the last steps to them change the objective by less than its round-off.
#[test]
fn forces_within_narrow_cones() {
    alike(include_str!("found/tight-cones.toml"), 0.873, 1e-3);
}

/// The reaction of a joint that rubs changes its sign within steps of 1 ms: the iteration goes to and fro between both sides, and shorter
/// steps do not.
#[test]
fn fixed_steps_that_are_halved() {
    alike(include_str!("found/halved-steps.toml"), 0.484, 1e-4);
}

/// A ball that comes to rest with a joint: explicit methods crept on, shaken by their own errors, in steps of 10 µs.
#[test]
fn a_ball_that_creeps_comes_to_rest() {
    let text = include_str!("found/creeping-ball.toml");
    alike(text, 0.833, 3e-3);
    take_few_steps(&["hem5", "phem56", "mdop5", "dop853"], text, 0.833, 2000);
}

/// The feet of a body come to rest together, whoever of them carries how much: explicit methods crept on with steps of 2 µs.
#[test]
fn three_feet_come_to_rest() {
    let text = include_str!("found/three-feet.toml");
    alike(text, 0.3, 2e-5);
    take_few_steps(&["hem5", "phem56", "mdop5"], text, 0.3, 1500);
}

/// A slip is slow though the body is heavy and rolls on: friction of 883 N times the toe-in cannot stop 101 kg at 0.21 m/s. The cart
/// as one equation of motion, by the classical Runge-Kutta method with 400,000 steps: 12.5344592 m after 90 s.
#[test]
fn a_slow_slip_of_a_cart_that_rolls_goes_on() {
    let text = include_str!("found/towed-cart.toml");
    for method in ["radau5", "bdf"] {
        let x = position_x(text, method, 90.0, 3);
        assert!((x - 12.534_459_2).abs() < 1e-5, "{method}: {x}");
    }
}

/// What slides slowly under a force that swings slides on where it does not come to rest: the velocity of the box on the slope is at
/// least 2 mm/s, and the belt is never as slow as the box.
#[test]
fn slow_sliding_under_a_force_that_swings_goes_on() {
    for method in ["radau5", "bdf", "hem5", "mdop5"] {
        let x = position_x(include_str!("found/shaken-slope.toml"), method, 2.0, 1);
        assert!((x - 5.911_8e-3).abs() < 1e-5, "{method}: {x}");
        let x = position_x(include_str!("found/held-on-a-belt.toml"), method, 2.0, 2);
        assert!(x.abs() < 1e-9, "{method}: {x}");
    }
}

/// Friction of a beginning and that of sliding alternated at the threshold between them, in steps of 2 ns.
#[test]
fn sliding_goes_on_at_the_threshold() {
    alike(
        include_str!("found/slides-at-the-threshold.toml"),
        0.346,
        3e-5,
    );
}

/// Round-off of a body at rest is no motion that an impact elsewhere has to stop.
#[test]
fn what_rests_beside_an_impact() {
    let text = include_str!("found/rests-beside-an-impact.toml");
    alike_among(&["radau5", "mdop5"], text, 0.55, 1e-4);
}

/// What is left of a gap that closes without an impact is no motion: with constant steps impacts went on for ever.
#[test]
fn gaps_close_without_an_impact() {
    let text = include_str!("found/closes-without-an-impact.toml");
    alike(text, 0.826, 1e-4);
    let mut system = system(text);
    let method = liedae_contact::methods().build("generalized-alpha", &MethodOptions::default());
    let method = method.expect("a method");
    let run = solve(
        system.as_mut(),
        method.as_ref(),
        &Options::fixed(0.826, 1e-3),
    );
    let events = run.expect("a run").events.len();
    assert!(events < 1000, "{events}");
}

/// Accelerations that are zero, sums of terms of 1e6 rad/s²: corrections of Newton's method do not fall below round-off.
#[test]
fn a_locked_loop_under_load() {
    alike(include_str!("found/locked-under-load.toml"), 0.8, 1e-5);
}

/// Joints let a ball on the floor move in one direction: friction holds it along that direction, and has no part across it, which would
/// change what presses the joints. (`moreau-jean` has one, at the limit of the cone.)
#[test]
fn friction_holds_along_the_only_direction() {
    let text = include_str!("found/sticks-in-one-direction.toml");
    let methods = [&LOCATING[..], &["mdop5"]].concat();
    alike_among(&methods, text, 0.42, 1e-3);
}
