//! Contacts that open, and friction that ends.

use super::run::{Errors, METHODS, run, struck};

#[test]
fn bead_leaves_the_sphere() {
    for (speed, t, leaving) in [
        (0.5, 0.754_238_838_002_552, 2.573_583_752_927_682),
        (1.0, 0.527_002_185_637_040_5, 2.621_704_280_298_091),
    ] {
        let name = format!("sphere-takeoff v0={speed}");
        for method in METHODS {
            let run = run(method, "sphere-takeoff", &[&format!("speed={speed}")], None);
            let mut errors = Errors::new(&name, method);
            let release = run.first("release", "sphere");
            errors.time(release.t, t);
            let [_, after] = run.jump(release.t);
            errors.velocity(after.state.v[0].hypot(after.state.v[1]), leaving, leaving);
            errors.check();
            assert_eq!(run.solution.events.len(), 1);
        }
    }
}

#[test]
fn ladder_leaves_the_wall() {
    for method in METHODS {
        let run = run(method, "ladder", &[], None);
        let mut errors = Errors::new("ladder", method);
        let release = run.first("release", "wall");
        errors.time(release.t, 0.494_110_196_464_394_7);
        let turning = 3.078_267_752_469_846_5;
        errors.velocity(run.jump(release.t)[1].state.v[2], turning, turning);
        errors.velocity(run.solution.state.v[0], 0.991_126_107_447_809_9, 1.0);
        errors.check();
        assert_eq!(run.solution.events.len(), 1);
    }
}

#[test]
fn block_takes_off_from_the_shaker() {
    for method in METHODS {
        let run = run(method, "shaker", &[], None);
        let mut errors = Errors::new("shaker", method);
        errors.time(run.first("release", "table").t, 0.025_633_171_126_521_464);
        let impact = run.first("impact", "table");
        errors.time(impact.t, 0.261_828_890_926_892_05);
        let speed = -1.946_149_741_970_243_6;
        errors.velocity(struck(impact).velocity_before, speed, speed);
        errors.velocity(struck(impact).velocity_after, -0.5 * speed, speed);
        errors.check();
    }
}

/// The rope is slack from cos th = -1/3 on, after the integral of 1 / sqrt(g (1 + 2 cos th)); the parabola meets the circle
/// again after 4 v_y / g.
#[test]
fn rope_goes_slack_and_tightens() {
    for method in METHODS {
        let run = run(method, "rope-pendulum", &[], None);
        let mut errors = Errors::new("rope-pendulum", method);
        let slack = 0.482_215_617_234_814_8;
        errors.time(run.first("release", "rope").t, slack);
        errors.time(
            run.first("impact", "rope").t,
            slack + 0.695_166_121_782_911_1,
        );
        let leaving = (9.81_f64 / 3.0).sqrt();
        let after = &run.jump(run.first("release", "rope").t)[1].state.v;
        errors.velocity(after[0].hypot(after[1]), leaving, leaving);
        errors.check();
        assert!(run.energy_rise() < 1e-12);
    }
}

#[test]
fn disc_begins_to_roll() {
    for method in METHODS {
        let run = run(method, "disc-backspin", &[], None);
        let mut errors = Errors::new("disc-backspin", method);
        errors.time(run.first("stick", "floor").t, 5.0 / (3.0 * 0.2 * 9.81));
        let v = &run.solution.state.v;
        errors.velocity(v[0], 4.0 / 3.0, 1.0);
        errors.velocity(v[2], -40.0 / 3.0, 10.0);
        errors.check();
        assert_eq!(run.solution.events.len(), 1);
    }
}

#[test]
fn block_comes_to_rest() {
    for method in METHODS {
        let run = run(method, "sliding-block", &[], None);
        let mut errors = Errors::new("sliding-block", method);
        for corner in ["left", "right"] {
            errors.time(run.first("stick", corner).t, 2.0 / (0.3 * 9.81));
        }
        let place = 4.0 / (2.0 * 0.3 * 9.81);
        errors.velocity(run.solution.state.q[0], place, place);
        errors.check();
        assert!(run.solution.state.v.iter().all(|v| v.abs() < 1e-12));
    }
}
