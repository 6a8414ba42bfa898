//! Analyses of mechanisms beside closed forms and published facts.

use liedae::analysis::{
    AnalysisError, EquilibriumOptions, Mode, Turning, kinematic_analysis, linearize, mobility,
    static_equilibrium,
};
use liedae::prelude::*;
use liedae::system::{Evaluator, total_energy};
use liedae_multibody::{
    BodyId, Frame, Joint, MultibodyBuilder, MultibodySystem, RigidBody, RotationalSpring,
    TranslationalSpring, Vector3, Wrench,
};
use liedae_problems::ProblemRegistry;
use nalgebra::Rotation3;

const G: f64 = 9.81;

fn close(found: f64, expected: f64, bound: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= bound * (1.0 + expected.abs()),
        "{found} beside {expected}"
    );
}

/// Angular frequencies of all that swings.
fn frequencies(modes: &[Mode]) -> Vec<f64> {
    let all = modes.iter().map(|mode| mode.eigenvalue.im);
    all.filter(|&frequency| frequency > 0.0).collect()
}

const MASS: f64 = 2.0;
const ARM: f64 = 0.4;
/// About the centre of mass: across and along the axis.
const INERTIA: [f64; 2] = [0.05, 0.03];

/// About the tip, across the axis.
fn across() -> f64 {
    INERTIA[0] + MASS * ARM * ARM
}

/// A top on a spherical joint at the origin, inclined by an angle, that turns about its axis with `spin` in all and precesses.
fn top(angle: f64, spin: f64, precession: f64, round: bool) -> MultibodySystem {
    let turn = Rotation3::from_axis_angle(&Vector3::x_axis(), angle).into_inner();
    let axis = turn * Vector3::z();
    // The part of the precession across the axis comes on top of the spin.
    let vertical = Vector3::z();
    let omega = axis * spin + (vertical - axis * axis.dot(&vertical)) * precession;
    let centre = axis * ARM;
    let other = if round { INERTIA[0] } else { 1.3 * INERTIA[0] };
    let body = RigidBody::new("top", MASS, [INERTIA[0], other, INERTIA[1]])
        .at(centre)
        .rotated(turn)
        .moving(omega.cross(&centre), turn.transpose() * omega);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -G]);
    let body = mechanism.add_body(body);
    mechanism.add_joint(Joint::spherical("tip", BodyId::GROUND, body, [0.0; 3]));
    mechanism.build().expect("a top")
}

/// Steady precession: I₁ cos θ Ω² - p Ω + m g l = 0 with p = I₃ ω₃; nutation about it: ν² = Ω² sin² θ + (p/I₁ - 2 Ω cos θ)².
#[test]
fn a_top_precesses_steadily_and_nutates() {
    let (angle, spin) = (1.1_f64, 90.0);
    let (sine, cosine) = angle.sin_cos();
    let (own, weight) = (INERTIA[1] * spin, MASS * G * ARM);
    let root = (own * own - 4.0 * across() * cosine * weight).sqrt();
    for precession in [own - root, own + root].map(|part| part / (2.0 * across() * cosine)) {
        let mut steady = top(angle, spin, precession, true);
        let state = steady.initial_state();
        let mut system = Evaluator::new(&mut steady);
        let turning = Turning::of(&mut system, &state, [0.0, 0.0, precession]);
        let small = linearize(&mut system, &state, turning.as_ref()).expect("steady");
        let modes = small.modes().expect("modes");
        let nutation = (precession * sine).hypot(own / across() - 2.0 * precession * cosine);
        let found = frequencies(&modes);
        assert_eq!(found.len(), 1, "{found:?}");
        close(found[0], nutation, 1e-9);
        assert!(small.is_stable().expect("eigenvalues"));
        // In another frame, or in none, it does not stand still.
        for rate in [0.0, 1.1 * precession] {
            let turning = Turning::of(&mut system, &state, [0.0, 0.0, rate]);
            let refused = linearize(&mut system, &state, turning.as_ref());
            assert!(
                matches!(refused, Err(AnalysisError::Unsteady { .. })),
                "{refused:?}"
            );
        }
        // Nor does it precess at another speed.
        let mut other = top(angle, spin, 1.01 * precession, true);
        let state = other.initial_state();
        let mut system = Evaluator::new(&mut other);
        let turning = Turning::of(&mut system, &state, [0.0, 0.0, 1.01 * precession]);
        let refused = linearize(&mut system, &state, turning.as_ref());
        assert!(
            matches!(refused, Err(AnalysisError::Unsteady { .. })),
            "{refused:?}"
        );
    }
}

/// The upright top: I₁ s² ∓ p s + m g l = 0, slow precession and fast nutation, as seen by an observer at rest.
#[test]
fn a_sleeping_top_has_its_two_frequencies_in_the_world() {
    let spin = 120.0;
    let (own, weight) = (INERTIA[1] * spin, MASS * G * ARM);
    let root = (own * own - 4.0 * across() * weight).sqrt();
    let expected = [own - root, own + root].map(|part| part / (2.0 * across()));
    let mut sleeping = top(0.0, spin, 0.0, true);
    let state = sleeping.initial_state();
    let mut system = Evaluator::new(&mut sleeping);
    let turning = Turning::of(&mut system, &state, [0.0; 3]);
    let modes = linearize(&mut system, &state, turning.as_ref()).and_then(|small| small.modes());
    let found = frequencies(&modes.expect("modes"));
    assert_eq!(found.len(), 2, "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        close(*found, expected, 1e-9);
    }
    // Velocities in the spinning body beside positions in the world: coefficients that turn.
    let refused = linearize(&mut system, &state, None);
    assert!(
        matches!(refused, Err(AnalysisError::Periodic { .. })),
        "{refused:?}"
    );
    let mut oval = top(0.0, spin, 0.0, false);
    let state = oval.initial_state();
    let mut system = Evaluator::new(&mut oval);
    let turning = Turning::of(&mut system, &state, [0.0; 3]);
    let refused = linearize(&mut system, &state, turning.as_ref());
    assert!(
        matches!(refused, Err(AnalysisError::Periodic { .. })),
        "{refused:?}"
    );
}

/// The catalogue's top, its axis level: Ω = m g l / p, ν² = Ω² + (p/I₁)².
#[test]
fn the_catalogues_top_precesses_level() {
    let problems = ProblemRegistry::standard();
    let entry = problems.lookup("heavy-top").expect("a top");
    let own = 0.46875 * 150.0;
    let precession = 15.0 * 9.81 / own;
    for group in [0, 2] {
        let settings = [format!("precession={precession}"), format!("group={group}")];
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        let mut problem = entry.build_with(&settings).expect("a top");
        let state = problem.system.initial_state();
        let mut system = Evaluator::new(problem.system.as_mut());
        let turning = Turning::of(&mut system, &state, [0.0, 0.0, precession]);
        let small = linearize(&mut system, &state, turning.as_ref()).expect("steady");
        let found = frequencies(&small.modes().expect("modes"));
        assert_eq!(found.len(), 1, "{found:?}");
        close(found[0], precession.hypot(own / (0.234375 + 15.0)), 1e-9);
    }
}

/// Two equal cranks of 0.5 m that hang from the ground and carry a coupler.
fn parallelogram(spring: Option<f64>) -> MultibodySystem {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, -G, 0.0]);
    let (length, width) = (0.5, 0.8);
    let bar = |name: &str, mass: f64, x: f64, y: f64| {
        RigidBody::new(name, mass, [0.02, 0.02, 0.02]).at([x, y, 0.0])
    };
    let left = mechanism.add_body(bar("left", 1.5, 0.0, -0.5 * length));
    let right = mechanism.add_body(bar("right", 1.5, width, -0.5 * length));
    let coupler = mechanism.add_body(bar("coupler", 4.0, 0.5 * width, -length));
    let axis = [0.0, 0.0, 1.0];
    let mut joint = |name: &str, one, two, x, y| {
        mechanism.add_joint(Joint::revolute(name, one, two, [x, y, 0.0], axis))
    };
    let pivot = joint("left pivot", BodyId::GROUND, left, 0.0, 0.0);
    joint("right pivot", BodyId::GROUND, right, width, 0.0);
    joint("left pin", left, coupler, 0.0, -length);
    joint("right pin", right, coupler, width, -length);
    if let Some(free_angle) = spring {
        mechanism.add_rotational_spring(RotationalSpring::new("torsion", pivot, 30.0, free_angle));
    }
    mechanism.build().expect("a parallelogram")
}

#[test]
fn a_four_bar_hangs_and_swings_as_a_pendulum() {
    let mut linkage = parallelogram(None);
    let state = linkage.initial_state();
    let mut system = Evaluator::new(&mut linkage);
    // The coupler does not turn: (m + 2 m_c/2) g l / (m l² + 2 (J + m_c l²/4)).
    let square = (4.0 + 1.5) * G * 0.5 / (4.0 * 0.25 + 2.0 * (0.02 + 1.5 * 0.0625));
    let modes = linearize(&mut system, &state, None).and_then(|small| small.modes());
    let modes = modes.expect("modes");
    assert_eq!(modes.len(), 1);
    close(modes[0].eigenvalue.im, square.sqrt(), 1e-12);
    let name = system
        .system()
        .labels()
        .and_then(|labels| labels.velocity(5));
    assert_eq!(name.as_deref(), Some("body 'left': rotation about its z"));
    // Both cranks turn alike, the coupler moves along x and does not turn.
    let shape = |velocity: usize| modes[0].shape[velocity][0];
    close(shape(11) / shape(5), 1.0, 1e-12);
    close(shape(12) / shape(5), 0.5, 1e-12);
    close(shape(17), 0.0, 1e-12);
    // A plane loop of revolutes in space: three rows too many.
    let found = mobility(&mut system, &state).expect("ranks");
    assert_eq!((found.freedom, found.redundant.len()), (1, 3));
    assert!(!found.is_singular());
}

/// k (θ - θ₀) + (m + m_c) g l sin θ = 0: θ₀ is chosen for θ = 0.9.
#[test]
fn a_four_bar_rests_where_its_spring_holds_it() {
    let angle = 0.9_f64;
    let free = angle + (4.0 + 1.5) * G * 0.5 * angle.sin() / 30.0;
    let mut linkage = parallelogram(Some(free));
    let start = linkage.initial_state();
    let mut system = Evaluator::new(&mut linkage);
    let rest = static_equilibrium(&mut system, &start, &EquilibriumOptions::default());
    let state = rest.expect("rest").state;
    // The coupler's centre.
    close(state.q[24], 0.4 + 0.5 * angle.sin(), 1e-10);
    close(state.q[25], -0.5 * angle.cos(), 1e-10);
}

/// Bars of 1 kg and 1 m one below the other, pulled sideways at the end: tan θᵢ = F / ((n - i + 1/2) m g).
#[test]
fn a_chain_that_is_pulled_sideways_hangs_by_its_weights() {
    let (count, pull) = (4, 12.0);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -G]);
    let mut above = BodyId::GROUND;
    for link in 0..count {
        let height = -(link as f64);
        let bar = RigidBody::new(format!("bar {link}"), 1.0, [0.1, 0.1, 0.01]);
        let bar = mechanism.add_body(bar.at([0.0, 0.0, height - 0.5]));
        let place = [0.0, 0.0, height];
        mechanism.add_joint(Joint::spherical(format!("joint {link}"), above, bar, place));
        above = bar;
    }
    let end = Vector3::new(0.0, 0.0, -0.5);
    mechanism.add_force_closure("pull", BodyId::GROUND, above, move |_t, [_, last]| {
        let point = last.point(&end);
        let force = Vector3::new(pull, 0.0, 0.0).map(Scalar::constant);
        [Wrench::zero(), last.force_at(&point, &force)]
    });
    let mut chain = mechanism.build().expect("a chain");
    let start = chain.initial_state();
    let mut system = Evaluator::new(&mut chain);
    let rest = static_equilibrium(&mut system, &start, &EquilibriumOptions::default());
    let state = rest.expect("rest").state;
    let (mut x, mut z) = (0.0, 0.0);
    for link in 0..count {
        let angle = (pull / ((count - 1 - link) as f64 + 0.5) / G).atan();
        let (sine, cosine) = angle.sin_cos();
        close(state.q[12 * link], x + 0.5 * sine, 1e-10);
        close(state.q[12 * link + 2], z - 0.5 * cosine, 1e-10);
        (x, z) = (x + sine, z - cosine);
    }
}

/// Two bars of length l, from a pivot to a hinge that carries a weight W and on to a slider that a spring pulls back:
/// (W + m g)/(2 tan φ) = k (2 l cos φ - s₀), since each bar gives half of its weight to the hinge.
#[test]
fn a_toggle_rests_between_its_load_and_its_spring() {
    let (length, bar, load, stiffness, angle) = (0.7, 0.5, 40.0, 900.0, 0.6_f64);
    let thrust = (load + bar * G) / (2.0 * angle.tan());
    let free = 2.0 * length * angle.cos() - thrust / stiffness;
    // From another angle.
    let (sine, cosine) = 0.9_f64.sin_cos();
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, -G, 0.0]);
    let turned = |angle: f64| Rotation3::from_axis_angle(&Vector3::z_axis(), angle).into_inner();
    let beam = |name: &str, x: f64, angle: f64| {
        RigidBody::new(name, bar, [0.001, 0.02, 0.02])
            .at([x, 0.5 * length * sine, 0.0])
            .rotated(turned(angle))
    };
    let one = mechanism.add_body(beam("rising bar", 0.5 * length * cosine, 0.9));
    let two = mechanism.add_body(beam("falling bar", 1.5 * length * cosine, -0.9));
    let foot = [2.0 * length * cosine, 0.0, 0.0];
    let slider = mechanism.add_body(RigidBody::new("slider", 1.0, [0.01; 3]).at(foot));
    let axis = [0.0, 0.0, 1.0];
    let hinge = [length * cosine, length * sine, 0.0];
    mechanism.add_joint(Joint::revolute(
        "pivot",
        BodyId::GROUND,
        one,
        [0.0; 3],
        axis,
    ));
    mechanism.add_joint(Joint::revolute("hinge", one, two, hinge, axis));
    mechanism.add_joint(Joint::revolute("pin", two, slider, foot, axis));
    let along = [1.0, 0.0, 0.0];
    mechanism.add_joint(Joint::translational(
        "rail",
        BodyId::GROUND,
        slider,
        foot,
        along,
    ));
    let tip = Vector3::new(0.5 * length, 0.0, 0.0);
    mechanism.add_force_closure("load", BodyId::GROUND, one, move |_t, [_, bar]| {
        let force = Vector3::new(0.0, -load, 0.0).map(Scalar::constant);
        [Wrench::zero(), bar.force_at(&bar.point(&tip), &force)]
    });
    let ends = [[0.0; 3], foot].map(Frame::world_point);
    mechanism.add_spring(TranslationalSpring::new(
        "spring",
        [BodyId::GROUND, slider],
        ends,
        stiffness,
        free,
    ));
    let mut toggle = mechanism.build().expect("a toggle");
    let start = toggle.initial_state();
    let mut system = Evaluator::new(&mut toggle);
    let rest = static_equilibrium(&mut system, &start, &EquilibriumOptions::default());
    let state = rest.expect("rest").state;
    close(state.q[24], 2.0 * length * angle.cos(), 1e-10);
    let stable = linearize(&mut system, &state, None).and_then(|small| small.is_stable());
    assert_eq!(stable, Ok(true));
    // Downhill from the start.
    let energy = |system: &mut Evaluator, state: &State| {
        total_energy(system.system(), &state.point()).expect("an energy")
    };
    assert!(energy(&mut system, &state) < energy(&mut system, &start));
}

/// Bricard's linkage of the multibody benchmark library (IFToMM, problem A03): five rods of 1 m along edges of a cube, six revolutes.
#[test]
fn bricards_loop_has_one_row_too_many() {
    let corners = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, -1.0, 0.0],
        [1.0, -1.0, 1.0],
        [0.0, -1.0, 1.0],
        [0.0, 0.0, 1.0],
    ]
    .map(Vector3::from);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, -G, 0.0]);
    let mut bodies = vec![BodyId::GROUND];
    for (rod, ends) in corners.windows(2).enumerate() {
        let rod = RigidBody::new(format!("rod {}", rod + 1), 1.0, [0.1; 3]);
        bodies.push(mechanism.add_body(rod.at((ends[0] + ends[1]) * 0.5)));
    }
    bodies.push(BodyId::GROUND);
    for (joint, pair) in bodies.windows(2).enumerate() {
        let before = corners[(joint + 5) % 6] - corners[joint];
        let after = corners[(joint + 1) % 6] - corners[joint];
        // Each axis stands at right angles on both rods.
        let (place, axis) = (corners[joint], before.cross(&after));
        let name = format!("joint {}", joint + 1);
        mechanism.add_joint(Joint::revolute(name, pair[0], pair[1], place, axis));
    }
    let mut linkage = mechanism.build().expect("a linkage");
    let state = linkage.initial_state();
    let mut system = Evaluator::new(&mut linkage);
    let found = mobility(&mut system, &state).expect("ranks");
    assert_eq!((found.rows, found.velocities), (30, 30));
    assert_eq!((found.freedom, found.rank, found.rank_nearby), (1, 29, 29));
    let [redundancy] = &found.redundant[..] else {
        panic!("{:?}", found.redundant);
    };
    // Rows of the joint that closes the loop come last.
    let name = redundancy.row.to_string();
    assert!(name.starts_with("joint 'joint 5' (revolute): "), "{name}");
    // All six joints take part in it.
    for joint in 1..=6 {
        let start = format!("joint 'joint {joint}'");
        let mut rows = redundancy.follows_from.iter();
        assert!(
            rows.any(|(row, _)| row.to_string().starts_with(&start)) || joint == 5,
            "{start}"
        );
    }
    println!("{name} follows from {} rows", redundancy.follows_from.len());
}

/// Inverse dynamics of the driven four-link (Fang et al. 2022) beside a run: reactions of all joints and the torque of the drive.
#[test]
fn the_four_links_drive_needs_what_a_run_says() {
    let problems = ProblemRegistry::standard();
    let entry = problems.lookup("four-link").expect("a four-link");
    let mut problem = entry.build_with(&[]).expect("a four-link");
    let start = problem.system.initial_state();
    let times = [0.7, 1.6, 2.9];
    let motion = kinematic_analysis(&mut Evaluator::new(problem.system.as_mut()), &start, &times)
        .expect("driven");
    let method = liedae_contact::methods()
        .build("hem5", &MethodOptions::default())
        .expect("a method");
    for led in &motion {
        let options = Options::adaptive(led.t, 1e-11, 1e-11);
        let run = solve(problem.system.as_mut(), method.as_ref(), &options).expect("a run");
        let largest = led
            .lambda
            .iter()
            .fold(0.0, |m: f64, part| m.max(part.abs()));
        for (found, run) in led.lambda.iter().zip(&run.state.lambda) {
            assert!(
                (found - run).abs() <= 1e-8 * largest,
                "t = {}: {found} beside {run}",
                led.t
            );
        }
    }
}
