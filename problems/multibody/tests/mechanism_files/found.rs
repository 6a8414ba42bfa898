//! Random mechanisms that one method could do and others could not: all methods end alike.

use super::dry_friction::{LOCATING, end};

/// Runs a file with all methods; the configurations at the end differ by less than this.
fn alike(text: &str, t_end: f64, bound: f64) {
    let mut first: Option<Vec<f64>> = None;
    for method in LOCATING.into_iter().chain(["mdop5", "moreau-jean"]) {
        let q = end(text, method, t_end).1.q;
        let known = first.get_or_insert_with(|| q.clone());
        let differences = known.iter().zip(&q).map(|(a, b)| (a - b).abs());
        let largest = differences.fold(0.0, f64::max);
        assert!(largest < bound, "{method}: {largest:e}");
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
    for method in ["hem5", "phem56", "mdop5", "dop853"] {
        let mut system = super::dry_friction::system(text);
        let solution = super::dry_friction::run(system.as_mut(), method, 0.833).expect(method);
        let steps = solution.statistics.accepted;
        assert!(steps < 2000, "{method}: {steps}");
    }
}
