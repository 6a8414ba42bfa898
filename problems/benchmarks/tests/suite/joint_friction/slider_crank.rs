//! The slider-crank in the plane: breakaway, and the registered problem.

use super::runs::{G, METHODS, body, kinds, located, output, rubbing, run, tight, wrap};
use crate::common::build;
use liedae::integrator::MethodOptions;
use liedae::solve::{Observer, Options, StepView, solve_observed};
use liedae::system::{output_names, output_values};
use liedae_multibody::plane::{Motion, PlaneForce, PlaneFriction, PlaneJoint, PlaneMechanism};
use std::ops::ControlFlow;

const MU: f64 = 0.25;
const CRANK: f64 = 0.1;
const ROD: f64 = 0.3;
const ROD_MASS: f64 = 0.5;
const SLIDER_MASS: f64 = 2.0;
const RATE: f64 = 3.0;

/// Torques on the crank at an angle: that of balance, and those that tear the slider loose forwards and backwards.
///
/// With F_x along the guide from the rod on the slider, the rod d = (d_x, d_y) from crank to slider has
/// F_y = F_x d_y/d_x - m_r g/2; the guide presses with N = m_s g - F_y, and the crank needs
/// T = r (cos θ (F_y + m_r g) - sin θ F_x). Friction holds |F_x| ≤ μ N.
pub fn torques(angle: f64) -> [f64; 3] {
    let (sin, cos) = angle.sin_cos();
    let slope = -CRANK * sin / (ROD * ROD - (CRANK * sin).powi(2)).sqrt();
    let torque = |along: f64| {
        let across = along * slope - 0.5 * ROD_MASS * G;
        CRANK * (cos * (across + ROD_MASS * G) - sin * along)
    };
    let held = MU * (SLIDER_MASS + 0.5 * ROD_MASS) * G;
    [
        torque(0.0),
        torque(held / (1.0 + MU * slope)),
        torque(-held / (1.0 - MU * slope)),
    ]
}

pub fn mechanism(angle: f64, torque: Motion) -> PlaneMechanism {
    let (sin, cos) = angle.sin_cos();
    let pin = [CRANK * cos, CRANK * sin];
    let slider = pin[0] + (ROD * ROD - pin[1] * pin[1]).sqrt();
    let tilt = (-pin[1]).atan2(slider - pin[0]);
    let bodies = vec![
        body("crank", 1.0, [0.0, 0.0, angle], [0.0; 3]),
        body(
            "rod",
            ROD_MASS,
            [0.5 * (pin[0] + slider), 0.5 * pin[1], tilt],
            [0.0; 3],
        ),
        body("slider", SLIDER_MASS, [slider, 0.0, 0.0], [0.0; 3]),
    ];
    let joints = [
        PlaneJoint::Revolute((Some(0), [0.0, 0.0]), (None, [0.0, 0.0])),
        PlaneJoint::Revolute((Some(1), [-0.5 * ROD, 0.0]), (Some(0), [CRANK, 0.0])),
        PlaneJoint::Revolute((Some(2), [0.0, 0.0]), (Some(1), [0.5 * ROD, 0.0])),
        PlaneJoint::PointOnLine((Some(2), [0.0, 0.0]), (None, [0.0, 0.0]), [1.0, 0.0]),
        PlaneJoint::Angle(Some(2), None, 0.0),
    ];
    let mechanism = PlaneMechanism::new(bodies, [0.0, -G])
        .unwrap()
        .with_joints(joints)
        .unwrap()
        .with_forces([PlaneForce::DrivenTorque([Some(0), None], torque)])
        .unwrap();
    rubbing(mechanism, MU, PlaneFriction::Guide(3))
}

#[test]
fn a_growing_torque_tears_the_slider_loose() {
    let mut worst = 0.0_f64;
    for method in METHODS {
        for angle in [0.5, 1.3, 2.4, -1.0] {
            let [balance, forward, backward] = torques(angle);
            for loose in [forward, backward] {
                let rate = RATE * (loose - balance).signum();
                let ramp = Motion::Uniform {
                    start: balance,
                    rate,
                };
                let mut system = wrap(mechanism(angle, ramp)).unwrap();
                let t = (loose - balance) / rate;
                let solution = run(&mut system, method, &tight(t + 0.01));
                // It sticks from the beginning, which is no event.
                assert_eq!(kinds(&solution.events), ["slip"]);
                worst = worst.max((solution.events[0].t - t).abs());
                assert!(solution.state.v[2].abs() > 1e-4);
            }
        }
    }
    println!("moments of breakaway within {worst:.1e} s");
    assert!(worst < 1e-9);
}

#[test]
fn the_registered_problem_sticks_slips_and_reverses() {
    for settings in [&[][..], &["model=1"], &["mu=0.6"], &["mu=1"]] {
        let mut runs = Vec::new();
        for (method, tolerance) in [
            ("hem5", 1e-9),
            ("mdop5", 1e-9),
            ("generalized-alpha-stabilized", 1e-5),
        ] {
            let mut problem = build("slider-crank-friction", settings);
            let options = Options::adaptive(problem.t_end, tolerance, tolerance);
            let solution = run(problem.system.as_mut(), method, &options);
            println!(
                "{settings:?} {method}: {} steps, {} events",
                solution.statistics.accepted,
                solution.events.len()
            );
            for event in &solution.events {
                println!("    {:.9} {}", event.t, event.kind);
            }
            assert!(solution.events.len() < 40);
            runs.push(solution);
        }
        let names = kinds(&runs[0].events);
        for kind in ["reversal", "stick", "slip"] {
            assert!(names.contains(&kind), "{settings:?}: {names:?}");
        }
        for (index, within) in [(1, 1e-5), (2, 2e-2)] {
            assert_eq!(kinds(&runs[index].events), names);
            for (a, b) in runs[0].events.iter().zip(&runs[index].events) {
                assert!((a.t - b.t).abs() < within, "{a:?} {b:?}");
            }
        }
    }
}

/// Friction is on its limit against sliding, and below while nothing slides.
struct Cone {
    mu: f64,
    places: [usize; 2],
    values: Vec<f64>,
    slid: usize,
    stuck: usize,
}

impl Observer for Cone {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let state = step.to.clone();
        let system = step.system().system();
        output_values(system, &state, &mut self.values).unwrap();
        let [normal, friction] = self.places.map(|place| self.values[place]);
        let joints = liedae_contact::joint_friction(system).unwrap();
        let velocity = joints.joint_velocity(0, &state.point()).unwrap();
        let (limit, t) = (self.mu * normal, state.t);
        assert!(
            limit >= 0.0 && friction.abs() < limit + 1e-8,
            "{t}: {friction} {limit}"
        );
        if velocity.abs() > 1e-6 {
            self.slid += 1;
            let expected = -velocity.signum() * limit;
            assert!(
                (friction - expected).abs() < 1e-8,
                "{t}: {friction} {expected}"
            );
        } else {
            self.stuck += 1;
        }
        ControlFlow::Continue(())
    }

    fn wants_complete_states(&self) -> bool {
        true
    }
}

#[test]
fn friction_stays_within_its_limit() {
    for settings in [["mu=0.3", "model=0"], ["mu=0.3", "model=1"]] {
        let mut problem = build("slider-crank-friction", &settings);
        let names = output_names(&mut problem.system).to_vec();
        let place = |name: &str| names.iter().position(|other| other == name).unwrap();
        let mut cone = Cone {
            mu: 0.3,
            places: ["guide.normal", "guide.friction"].map(place),
            values: vec![0.0; names.len()],
            slid: 0,
            stuck: 0,
        };
        let method = liedae_contact::methods()
            .build("dop853", &MethodOptions::default())
            .unwrap();
        let options = Options::adaptive(problem.t_end, 1e-8, 1e-8);
        solve_observed(
            problem.system.as_mut(),
            method.as_ref(),
            &options,
            &mut cone,
        )
        .unwrap();
        println!(
            "{settings:?}: {} states slide, {} do not",
            cone.slid, cone.stuck
        );
        assert!(cone.slid > 50 && cone.stuck > 10);
    }
}

/// The pads lie behind the pin: the forces on them, of opposite signs, add up to more than the normal force.
#[test]
fn pads_press_more_than_the_normal_force() {
    let normal = |model: &str| {
        let mut problem = build("slider-crank-friction", &[model]);
        let solution = run(problem.system.as_mut(), "hem5", &tight(0.2));
        output(problem.system.as_mut(), &solution, "guide.normal")
    };
    let (whole, pads) = (normal("model=0"), normal("model=1"));
    assert!(pads > 1.01 * whole, "{pads} {whole}");
}

#[test]
fn every_method_that_locates_events_runs_the_registered_problem() {
    for (method, options) in located(0.6, 1e-3) {
        let mut problem = build("slider-crank-friction", &[]);
        let solution = run(problem.system.as_mut(), method, &options);
        println!("{method}: {:?}", kinds(&solution.events));
        assert_eq!(
            kinds(&solution.events).first(),
            Some(&"reversal"),
            "{method}"
        );
        assert!(solution.events.len() < 20, "{method}");
    }
}
