//! Newton iterations end where round-off allows no more, however many bodies there are and however ill-conditioned the
//! constraints.

use crate::common::build;
use liedae::integrator::MethodOptions;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, solve};
use liedae::system::{Automatic, Layout, MatrixMut, Model, Point, State};

/// Methods that iterate in every step, with constant ones of 1 ms. Those of the state-space form work with dense matrices.
const FIXED: [&str; 10] = [
    "half-implicit",
    "half-implicit-newton",
    "half-implicit2",
    "rattle",
    "backward-euler",
    "generalized-alpha",
    "generalized-alpha-velocity",
    "generalized-alpha-stabilized",
    "moreau-jean",
    "radau5",
];

#[test]
fn long_chains_need_no_other_tolerance() {
    for (links, steps) in [("n=16", 20), ("n=256", 20), ("n=1024", 8)] {
        for name in FIXED {
            let mut problem = build("chain", &[links]);
            let integrator = liedae_contact::methods()
                .build(name, &MethodOptions::default())
                .expect("registered");
            let options = Options::fixed(1e-3 * f64::from(steps), 1e-3);
            let run = solve(problem.system.as_mut(), integrator.as_ref(), &options);
            let work = run.unwrap_or_else(|error| panic!("{name}, {links}: {error}"));
            let iterations = work.statistics.work.newton_iterations as f64 / f64::from(steps);
            println!("{name:30} {links:7} {iterations:5.2} iterations per step");
        }
    }
}

/// A slider-crank whose crank and rod, plane bodies of unit mass and length, are as long as each other: (x, y, angle) of
/// each. It falls through the configuration in which the slider is in the axis of the crank, where the rank of the
/// constraints drops.
struct EqualLengths;

/// Moment of inertia of a rod about its middle.
const INERTIA: f64 = 1.0 / 12.0;

impl Model for EqualLengths {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(6)).with_position_rows(5)
    }
    fn initial_state(&self) -> State {
        let angle = 0.25 * std::f64::consts::PI;
        let (half_sin, half_cos) = (0.5 * angle.sin(), 0.5 * angle.cos());
        let speed = 4.0;
        State {
            q: vec![half_cos, half_sin, angle, 3.0 * half_cos, half_sin, -angle],
            v: vec![
                -speed * half_sin,
                speed * half_cos,
                speed,
                -3.0 * speed * half_sin,
                speed * half_cos,
                -speed,
            ],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for (index, size) in [1.0, 1.0, INERTIA, 1.0, 1.0, INERTIA]
            .into_iter()
            .enumerate()
        {
            mass[(index, index)] = S::constant(size);
        }
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-9.81);
        force[4] = S::constant(-9.81);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let q = at.q;
        let half = |angle: S| [angle.cos() * 0.5, angle.sin() * 0.5];
        let ([c, s], [d, t]) = (half(q[2]), half(q[5]));
        g[0] = q[0] - c;
        g[1] = q[1] - s;
        g[2] = q[3] - d - q[0] - c;
        g[3] = q[4] - t - q[1] - s;
        g[4] = q[4] + t;
    }
}

/// Beside the singular configuration the round-off of the constraints moves multipliers by parts of themselves: no correction
/// falls below a tolerance, although the constraints and forces hold as well as they can.
#[test]
fn iterations_end_beside_a_singular_configuration() {
    let explicit = liedae_contact::methods()
        .build("hem5", &MethodOptions::default())
        .expect("registered");
    let options = Options::fixed(0.5, 1e-3);
    let exact = solve(
        &mut Automatic::new(EqualLengths),
        explicit.as_ref(),
        &options,
    );
    let angle = exact.expect("solved").state.q[2];
    for (name, steps) in [
        ("half-implicit", &[1e-2, 1e-3, 1e-4][..]),
        ("half-implicit-newton", &[1e-2, 1e-3, 1e-4]),
        ("backward-euler", &[1e-2, 1e-3, 1e-4]),
        ("generalized-alpha", &[1e-2, 1e-3, 1e-4]),
        ("generalized-alpha-velocity", &[1e-2, 1e-3, 1e-4]),
        ("generalized-alpha-stabilized", &[1e-2, 1e-3]),
    ] {
        for &step in steps {
            let integrator = liedae_contact::methods()
                .build(name, &MethodOptions::default())
                .expect("registered");
            let options = Options::fixed(0.5, step);
            let mut system = Automatic::new(EqualLengths);
            let run = solve(&mut system, integrator.as_ref(), &options);
            let run = run.unwrap_or_else(|error| panic!("{name}, {step:e}: {error}"));
            let error = (run.state.q[2] - angle).abs();
            println!("{name:30} {step:e}: error {error:.1e}");
            assert!(error < 2.0 * step, "{name}, {step:e}: {:?}", run.state.q);
        }
    }
}

/// Andrews' squeezer turns at 1e3 rad/s; its slow bodies inherit the round-off of that through the constraints at velocity
/// level, more than a tolerance of 1e-9 asks of them.
#[test]
fn estimates_end_at_the_round_off_of_the_constraints() {
    let mut problem = build("andrews", &[]);
    let integrator = liedae_contact::methods()
        .build("generalized-alpha-stabilized", &MethodOptions::default())
        .expect("registered");
    let options = Options::adaptive(0.0215, 1e-9, 1e-9);
    let run = solve(problem.system.as_mut(), integrator.as_ref(), &options).expect("runs");
    let steps = run.statistics.accepted;
    // Without a floor the steps shrink to nothing at t = 0.02145.
    assert!(steps < 300_000, "{steps} steps");
}
