//! Flexible bodies with linear modes against closed forms, differences and geometrically exact beams.

mod contacts;
mod derivatives;
mod motions;
mod rest;
mod statement;
mod vibrations;

use liedae::integrator::MethodOptions;
use liedae::scalar::Scalar;
use liedae::solve::{Options, Solution, solve};
use liedae::system::System;
use liedae_multibody::{
    BeamEnds, Kinematics, ModalBeam, ModalModel, PairForce, Section, Vector3, Wrench,
};

/// The methods that run all mechanisms here.
pub const METHODS: [&str; 6] = [
    "hem5",
    "mdop5",
    "radau5",
    "generalized-alpha-stabilized",
    "bdf",
    "half-implicit",
];

/// A force and a moment that keep their directions in the world.
#[derive(Clone, Copy)]
pub struct DeadLoad {
    /// At the origin of the second body, in N.
    pub force: [f64; 3],
    /// In N m.
    pub moment: [f64; 3],
}

impl PairForce for DeadLoad {
    fn wrenches<S: Scalar>(&self, _t: f64, [_, body]: &[Kinematics<S>; 2]) -> [Wrench<S>; 2] {
        let [force, moment] =
            [self.force, self.moment].map(|load| Vector3::from(load).map(S::constant));
        let wrench = body.force_at(&body.position, &force) + body.torque(&moment);
        [Wrench::zero(), wrench]
    }
}

/// A soft beam of 1.2 m with all kinds of modes, that bends differently in both directions.
pub fn soft(ends: BeamEnds) -> ModalModel {
    let section = Section::new([900.0, 1e9, 1e9, 3.0, 4.0, 7.0], 1.3, [5e-3, 2e-3, 3e-3]);
    let beam = ModalBeam::new(section, 1.2, 6, ends);
    let beam = beam
        .with_bending([2, 3])
        .with_stretching(1)
        .with_twisting(1);
    let model = beam.model().expect("a beam");
    model.with_retardation(1e-3).expect("positive")
}

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
