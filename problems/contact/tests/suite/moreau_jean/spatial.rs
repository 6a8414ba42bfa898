//! Friction in space against closed forms, and against friction in the plane.

use super::bodies::{Bodies, Body, Pair, bottom};
use super::support::{GRAVITY, trace};
use liedae::system::State;

/// Rᵀ-turned spin of a body as a vector of the world.
fn spin(state: &State) -> [f64; 3] {
    let r = &state.q[3..12];
    std::array::from_fn(|i| (0..3).map(|j| r[3 * i + j] * state.v[3 + j]).sum())
}

/// A ball that slides and spins about all axes keeps its sliding direction, rolls after 2 |u| / (7 μ g) with the
/// velocity v - 2/7 u, and spins on about the vertical.
#[test]
fn a_spinning_ball_slides_straight_and_then_rolls() {
    let (radius, mu) = (0.1, 0.3);
    let start = Body {
        velocity: [2.0, 0.5, 0.0],
        spin: [10.0, -15.0, 7.0],
        ..Body::ball(1.3, radius, [0.0, 0.0, radius])
    };
    let u = [2.0 + 15.0 * radius, 0.5 + 10.0 * radius];
    let speed = u[0].hypot(u[1]);
    let rolls = 2.0 * speed / (7.0 * mu * GRAVITY);
    let mut errors = Vec::new();
    for h in [2e-3, 1e-3] {
        let model = Bodies {
            bodies: vec![start.clone()],
            pairs: vec![Pair::BallFloor(0, radius)],
            restitution: 0.0,
            friction: mu,
            slope: 0.0,
            planar: false,
        };
        let run = trace(model, 1.0, h);
        let mut worst = 0.0_f64;
        for state in &run.states {
            let share = (state.t / rolls).min(1.0) * 2.0 / 7.0;
            if (state.t - rolls).abs() < h {
                continue;
            }
            let w = spin(state);
            for (axis, u) in u.iter().enumerate() {
                let expected = start.velocity[axis] - share * u;
                worst = worst.max((state.v[axis] - expected).abs());
            }
            worst = worst.max((w[2] - 7.0).abs());
            if state.t > rolls {
                let slip = (state.v[0] - radius * w[1]).hypot(state.v[1] + radius * w[0]);
                assert!(slip < 1e-3, "{slip:e}");
            }
        }
        println!("h = {h}: error {worst:e}, energy rise {:e}", run.rise());
        assert!(run.rise() < 1e-12, "{:e}", run.rise());
        errors.push(worst);
    }
    assert!(
        errors[1] < 1e-3 && errors[1] < 0.6 * errors[0],
        "{errors:?}"
    );
}

const HALF: [f64; 3] = [0.2, 0.15, 0.1];

fn on_slope(slope: f64, friction: f64, planar: bool) -> Bodies {
    Bodies {
        bodies: vec![Body::cuboid(2.0, HALF, [0.0, 0.0, HALF[2]])],
        pairs: bottom(HALF).map(|arm| Pair::PointFloor(0, arm)).to_vec(),
        restitution: 0.0,
        friction,
        slope,
        planar,
    }
}

/// tan α = μ separates rest from x = g (sin α - μ cos α) t²/2.
#[test]
fn a_box_on_an_incline_sticks_or_slides() {
    for mu in [0.2, 0.5, 0.9] {
        for planar in [false, true] {
            let h = 1e-2;
            let limit = f64::atan(mu);
            let run = trace(on_slope(limit - 1e-6, mu, planar), 1.0, h);
            let still = run.last();
            let speed = still.v.iter().fold(0.0_f64, |max, v| max.max(v.abs()));
            println!("mu {mu}, planar {planar}: x {:e}, {speed:e}", still.q[0]);
            assert!(still.q[0].abs() < 1e-9 && speed < 1e-9, "{still:?}");
            for excess in [1e-6, 1e-2] {
                let slope = limit + excess;
                let run = trace(on_slope(slope, mu, planar), 1.0, h);
                let x = 0.5 * GRAVITY * (slope.sin() - mu * slope.cos());
                let found = run.last().q[0];
                println!("mu {mu}, planar {planar}: x {found} of {x}");
                assert!((found - x).abs() < 1e-8, "{found} {x}");
            }
        }
    }
}

/// A box thrown within a plane of symmetry: friction in one direction and in two is the same.
#[test]
fn friction_in_the_plane_and_in_space_agree() {
    let thrown = |planar| {
        let mut model = on_slope(0.0, 0.4, planar);
        model.bodies[0].at[2] += 0.1;
        model.bodies[0].velocity = [1.0, 0.0, 0.0];
        model.bodies[0].spin = [0.0, 1.5, 0.0];
        trace(model, 1.0, 1e-3)
    };
    let (plane, space) = (thrown(true), thrown(false));
    let mut worst = 0.0_f64;
    for (a, b) in plane.states.iter().zip(&space.states) {
        for (a, b) in a.q.iter().zip(&b.q) {
            worst = worst.max((a - b).abs());
        }
    }
    println!(
        "largest difference {worst:e}, ends at {:?}",
        &plane.last().q[..3]
    );
    assert!(worst < 1e-7, "{worst:e}");
    assert!(plane.last().v.iter().all(|v| v.abs() < 1e-9));
}
