//! What tests of both kinds of flexible bodies need.

use liedae::integrator::MethodOptions;
use liedae::scalar::{Scalar, Taylor2};
use liedae::solve::{Observer, Options, Solution, StepView, solve, solve_observed};
use liedae::system::System;
use liedae_multibody::{
    BodyId, Drive, Joint, Motion, MultibodyBuilder, MultibodySystem, RigidBody,
};
use std::f64::consts::TAU;
use std::ops::ControlFlow;

/// The methods that run all mechanisms here.
pub const METHODS: [&str; 6] = [
    "hem5",
    "mdop5",
    "radau5",
    "generalized-alpha-stabilized",
    "bdf",
    "half-implicit",
];

/// Runs a method with its defaults.
pub fn run(system: &mut dyn System, method: &str, options: &Options) -> Solution {
    let built = liedae_contact::methods().build(method, &MethodOptions::default());
    let solution = solve(system, built.expect("there is one").as_ref(), options);
    solution.unwrap_or_else(|error| panic!("{method}: {error}"))
}

/// Asserts that a number is this one but for a part of it.
pub fn assert_near(found: f64, expected: f64, part: f64) {
    let error = found / expected - 1.0;
    assert!(error.abs() < part, "{found} is not {expected}: {error:.2e}");
}

/// The slopes of errors that fall with the size of elements, which is halved each time.
pub fn orders(errors: &[f64]) -> Vec<f64> {
    errors
        .windows(2)
        .map(|pair| (pair[0] / pair[1]).log2())
        .collect()
}

/// The angle of the spin-up manoeuvre (Simo and Vu-Quoc 1986, doi:10.1115/1.3171871): within 15 s the rate rises smoothly to 6 rad/s.
pub fn spin_up(t: Taylor2) -> Taylor2 {
    let (rate, time) = (6.0, 15.0);
    if t.value < time {
        let turn = t * (TAU / time);
        (t * t * 0.5 + (turn.cos() - 1.0) * (time / TAU).powi(2)) * (rate / time)
    } else {
        (t - 0.5 * time) * rate
    }
}

/// How the end of a beam moves relative to a frame that turns as the motor does.
pub struct Shadow {
    end: BodyId,
    /// How far it lags behind at most.
    lag: f64,
    /// Extensions and deflections after the manoeuvre.
    after: Vec<[f64; 2]>,
}

impl Observer for Shadow {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let Some(place) = self.end.index() else {
            return ControlFlow::Break(());
        };
        let (x, y) = (step.to.q[12 * place], step.to.q[12 * place + 1]);
        let (sine, cosine) = spin_up(Taylor2::variable(step.to.t)).value.sin_cos();
        let across = y * cosine - x * sine;
        self.lag = self.lag.max(-across);
        if step.to.t > 15.0 {
            self.after.push([x * cosine + y * sine - 10.0, across]);
        }
        ControlFlow::Continue(())
    }
}

impl Shadow {
    /// Follows the manoeuvre by RADAU5 for 20 s, and asserts that what is left of its vibrations swings about zero.
    pub fn follow(system: &mut MultibodySystem, end: BodyId) -> Self {
        let mut shadow = Self {
            end,
            lag: 0.0,
            after: Vec::new(),
        };
        let method = liedae_contact::methods().build("radau5", &MethodOptions::default());
        let options = Options::adaptive(20.0, 1e-6, 1e-6);
        let method = method.expect("there is one");
        solve_observed(system, method.as_ref(), &options, &mut shadow).expect("succeeds");
        assert!(shadow.after.iter().all(|seen| seen[1].abs() < 4e-3));
        shadow
    }

    /// The mean extension after the manoeuvre, in m.
    fn extension(&self) -> f64 {
        self.after.iter().map(|seen| seen[0]).sum::<f64>() / self.after.len() as f64
    }

    /// Prints lag and extension, and asserts that the lag is that of 20 geometrically exact elements but for a part of
    /// it, and the extension this one but for a part of it.
    pub fn check(&self, by: &str, lag: f64, (extension, part): (f64, f64)) {
        let found = self.extension();
        println!(
            "{by}, spin-up: lag {:.5} m, extension {found:.5e} m",
            self.lag
        );
        assert_near(self.lag, 0.57383, lag);
        assert_near(found, extension, part);
    }
}

/// A four-bar linkage whose crank turns with 4 rad/s, and its rocker. Its coupler lies from the first to the second of
/// these points, moves with the velocity, and has these bodies at its ends.
pub fn four_bar(
    coupler: impl FnOnce(&mut MultibodyBuilder, [[f64; 3]; 2], [f64; 3]) -> [BodyId; 2],
) -> (MultibodySystem, BodyId) {
    let (y, rate) = ([0.0, 1.0, 0.0], 4.0);
    let (head, joint, foot) = ([0.0, 0.0, 0.2], [0.8, 0.0, 0.2], [0.8, 0.0, -0.2]);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    // Crank of 0.2 m and rocker of 0.4 m stand upright, the coupler is level: all of it moves like its ends.
    let crank = RigidBody::new("crank", 0.5, [1e-2; 3]).at([0.0, 0.0, 0.1]);
    let crank = mechanism.add_body(crank.moving([0.1 * rate, 0.0, 0.0], [0.0, rate, 0.0]));
    let [start, end] = coupler(&mut mechanism, [head, joint], [0.2 * rate, 0.0, 0.0]);
    let spin = 0.5 * rate;
    let rocker = RigidBody::new("rocker", 0.5, [1e-2; 3]).at([0.8, 0.0, 0.0]);
    let rocker = rocker.moving([0.2 * spin, 0.0, 0.0], [0.0, spin, 0.0]);
    let rocker = mechanism.add_body(rocker);
    let pivot = Joint::revolute("pivot", BodyId::GROUND, crank, [0.0; 3], y);
    let pivot = mechanism.add_joint(pivot);
    mechanism.add_joint(Joint::revolute("head", crank, start, head, y));
    mechanism.add_joint(Joint::revolute("joint", end, rocker, joint, y));
    mechanism.add_joint(Joint::revolute("foot", BodyId::GROUND, rocker, foot, y));
    mechanism.add_drive("motor", pivot, Drive::Angle(Motion::linear(0.0, rate)));
    (mechanism.build().expect("consistent"), rocker)
}
