//! Frames of beams.

use super::assert_near;
use liedae::analysis::linearize;
use liedae::system::{Evaluator, System};
use liedae_multibody::{Beam, BodyId, Joint, MultibodyBuilder, MultibodySystem, Section};

/// Two columns of 1 m, clamped at their feet, and a girder of 1 m that is welded to them. Members hardly stretch, and bend easily in the
/// plane of the frame only.
fn portal(count: usize) -> MultibodySystem {
    let (rigid, stiff) = (f64::INFINITY, 1e3);
    let section = Section::new(
        [1e6, rigid, rigid, stiff, 1.0, stiff],
        1.0,
        [1e-3, 1e-6, 1e-3],
    );
    let corners = [
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
        [1.0, 0.0, 0.0],
    ];
    let mut mechanism = MultibodyBuilder::new();
    let mut before = BodyId::GROUND;
    for (name, ends) in ["left", "girder", "right"]
        .into_iter()
        .zip(corners.windows(2))
    {
        let beam = Beam::straight(name, section.clone(), ends[0], ends[1], count);
        let nodes = mechanism.add_beam(beam);
        mechanism.add_joint(Joint::fixed(name, before, nodes.start(), ends[0]));
        before = nodes.end();
    }
    mechanism.add_joint(Joint::fixed("foot", before, BodyId::GROUND, corners[3]));
    mechanism.build().expect("consistent")
}

/// What vanishes at the numbers λ of a frame of equal Bernoulli beams of length L that do not stretch, ω² = λ⁴ E I / (ρ
/// A L⁴): where it sways to one side, where it bends symmetrically, and where its members swing while their joints
/// stand still. From the dynamic stiffnesses of a beam (Clough and Penzien, Dynamics of Structures, ch. 18), multiplied
/// by D = 1 - cos λ cosh λ.
fn characteristic(lambda: f64) -> [f64; 3] {
    let ((s, c), (sh, ch)) = (lambda.sin_cos(), (lambda.sinh(), lambda.cosh()));
    let d = 1.0 - c * ch;
    let turning = lambda * (s * ch - c * sh);
    let carried = lambda * (sh - s);
    let shifting = lambda.powi(3) * (s * ch + c * sh);
    let coupled = lambda.powi(2) * s * sh;
    // Half of the girder moves with each column.
    let swaying = (shifting - 0.5 * lambda.powi(4) * d) * (2.0 * turning + carried);
    [
        (swaying - coupled * coupled) / d,
        2.0 * turning - carried,
        d,
    ]
}

/// The lowest numbers λ² of a frame, which are its frequencies in units of sqrt(E I / (ρ A L⁴)).
fn exact() -> Vec<f64> {
    let mut found = Vec::new();
    let step = 0.01;
    for which in [0, 1, 2] {
        let value = |lambda: f64| characteristic(lambda)[which];
        for low in (100..780).map(|index| f64::from(index) * step) {
            let (mut low, mut high) = (low, low + step);
            if value(low).signum() == value(high).signum() {
                continue;
            }
            for _ in 0..50 {
                let middle = 0.5 * (low + high);
                match value(middle).signum() == value(low).signum() {
                    true => low = middle,
                    false => high = middle,
                }
            }
            found.push(low * low);
        }
    }
    found.sort_by(f64::total_cmp);
    found
}

#[test]
fn a_portal_frame_has_its_modes() {
    let exact = exact();
    let mut system = portal(16);
    let state = system.initial_state();
    let linear = linearize(&mut Evaluator::new(&mut system), &state, None).expect("at rest");
    let modes = linear.modes().expect("eigenvalues");
    for (mode, exact) in modes.iter().zip(&exact).take(4) {
        assert_near(mode.eigenvalue.im, *exact, 1e-4);
    }
}
