//! The event-capturing scheme, which solves for friction in joints itself: closed forms.

use super::runs::{G, body, guided, rubbing, run as located, tight, wrap};
use super::{block, jam, slider_crank};
use liedae::integrator::NewtonOptions;
use liedae::solve::{Observer, Options, StepView, log_log_slope, solve_observed};
use liedae::system::{State, System, total_energy};
use liedae_contact::capturing::{ImpulseGauge, JointImpulse, MoreauJean};
use liedae_contact::{Contact, with_contacts};
use liedae_multibody::plane::geometry::{DiscOnLine, HalfPlane};
use liedae_multibody::plane::{
    Motion, PlaneForce, PlaneFriction, PlaneJoint, PlaneMechanism, PlanePairing,
};
use std::ops::ControlFlow;

/// States and energies of all steps.
#[derive(Default)]
pub struct Trace {
    pub states: Vec<State>,
    energies: Vec<f64>,
}

impl Observer for Trace {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let state = step.to.clone();
        self.energies
            .extend(total_energy(step.system().system(), &state.point()));
        self.states.push(state);
        ControlFlow::Continue(())
    }
}

impl Trace {
    fn last(&self) -> &State {
        self.states.last().unwrap()
    }

    /// The largest rise of the energy in a step.
    fn rise(&self) -> f64 {
        assert_eq!(self.states.len(), self.energies.len());
        let rises = self.energies.windows(2).map(|pair| pair[1] - pair[0]);
        rises.fold(0.0, f64::max)
    }
}

/// A run, and what the joints do in its last step.
fn run(system: &mut dyn System, theta: f64, end: f64, h: f64) -> (Trace, Vec<JointImpulse>) {
    let mut trace = Trace::default();
    let gauge = ImpulseGauge::default();
    let method = MoreauJean::new(theta, NewtonOptions::default()).measuring_impulses(&gauge);
    solve_observed(system, &method, &Options::fixed(end, h), &mut trace)
        .unwrap_or_else(|error| panic!("{error}"));
    (trace, gauge.joints())
}

fn captured(mechanism: PlaneMechanism, end: f64, h: f64) -> (Trace, Vec<JointImpulse>) {
    run(&mut with_contacts(mechanism), 0.5, end, h)
}

#[test]
fn a_block_on_a_spring_stops_and_stays() {
    let (_, x) = block::expected();
    for (theta, least) in [(0.5, 1.5), (1.0, 0.9)] {
        let mut errors = Vec::new();
        for h in [4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4] {
            let mut system = with_contacts(block::on_spring());
            let (trace, joints) = run(&mut system, theta, 1.2, h);
            let last = trace.last();
            let rests = trace.states.iter().filter(|state| state.t > 1.0);
            let mut creep = 0.0_f64;
            for state in rests {
                creep = creep.max((state.q[0] - last.q[0]).abs());
                assert!(state.v[0].abs() < 1e-13, "{state:?}");
            }
            println!(
                "theta = {theta}, h = {h}: place within {:.1e} m, creep {creep:.1e} m, energy rises by {:.1e} J",
                (last.q[0] - x).abs(),
                trace.rise()
            );
            assert!(creep < 1e-15 && trace.rise() < 1e-14);
            assert!((joints[0].normal - G * h).abs() < 1e-9 * h);
            assert!((joints[0].friction - 100.0 * last.q[0] * h).abs() < 1e-9 * h);
            errors.push((h, (last.q[0] - x).abs()));
        }
        let order = log_log_slope(errors);
        println!("theta = {theta}: order {order:.2}");
        assert!(order > least, "{order}");
    }
}

/// Rest until the torque has reached its closed form, and motion from the next step on.
#[test]
fn a_growing_torque_tears_the_slider_loose() {
    let (h, rate) = (1e-3, 3.0);
    for angle in [0.5, 1.3, 2.4, -1.0] {
        let [balance, forward, backward] = slider_crank::torques(angle);
        for loose in [forward, backward] {
            let rate = rate * (loose - balance).signum();
            let ramp = Motion::Uniform {
                start: balance,
                rate,
            };
            let t = (loose - balance) / rate;
            let (trace, _) = captured(slider_crank::mechanism(angle, ramp), t + 20.0 * h, h);
            let speed = |state: &State| state.v.iter().fold(0.0_f64, |max, v| max.max(v.abs()));
            let moves = trace.states.iter().find(|state| speed(state) > 1e-9);
            let moves = moves.expect("it moves").t;
            let at_rest = trace.states.iter().filter(|state| state.t < t);
            let creep = at_rest.map(speed).fold(0.0, f64::max);
            println!("angle {angle}: loose at {t:.6} s, moves at {moves:.6} s, before {creep:.1e}");
            assert!(moves > t && moves < t + 1.6 * h && creep < 1e-12);
        }
    }
}

/// The pads press with m g / 2 ± P a / l.
#[test]
fn a_drawer_moves_or_jams() {
    let (weight, critical) = (jam::MASS * G, jam::LENGTH / (2.0 * jam::MU));
    let speed = |share: f64, height: f64| {
        let drawer = jam::pulled(share * jam::MU * weight, height, 0.0);
        captured(drawer, 0.1, 1e-2).0.last().v[0]
    };
    for sign in [1.0, -1.0] {
        for height in [0.0, 0.5 * critical, 0.99 * critical, -0.5 * critical] {
            assert!(speed(sign * 0.999, height).abs() < 1e-14);
            let moved = sign * speed(sign * 1.001, height);
            assert!((moved - 0.001 * jam::MU * G * 0.1).abs() < 1e-12, "{moved}");
        }
        for share in [0.5, 2.0, 100.0] {
            assert!(speed(sign * share, 1.01 * critical).abs() < 1e-12);
        }
    }
    // Sliding that locks itself, for which no friction force exists, stops at once.
    let pads = PlaneFriction::TwoPads {
        line: 0,
        angle: 1,
        length: jam::LENGTH,
    };
    let slider = |height: f64| {
        let mechanism = rubbing(guided(jam::MASS, [0.0, 1.0], height, []), jam::MU, pads);
        captured(mechanism, 0.1, 1e-2).0
    };
    assert!((slider(0.95 * critical).last().v[0] - (1.0 - jam::MU * G * 0.1)).abs() < 1e-9);
    let locked = slider(1.05 * critical);
    assert!(locked.states[1].v[0].abs() < 1e-12 && locked.rise() < 1e-12);
}

const PIN: f64 = 0.4;
const RADIUS: f64 = 0.05;

/// A body of 2 kg and 0.02 kg m² with a pin of radius 0.05 m at the origin, its centre of mass 0.3 m or nothing away.
fn on_a_pin(arm: f64, angle: f64, rate: f64) -> PlaneMechanism {
    let (sin, cos) = angle.sin_cos();
    let position = [arm * sin, -arm * cos, angle];
    let velocity = [arm * cos * rate, arm * sin * rate, rate];
    let joints = [PlaneJoint::Revolute(
        (Some(0), [0.0, arm]),
        (None, [0.0; 2]),
    )];
    let pin = PlaneFriction::Pin {
        joint: 0,
        radius: RADIUS,
    };
    let mechanism = PlaneMechanism::new(vec![body("body", 2.0, position, velocity)], [0.0, -G]);
    rubbing(mechanism.unwrap().with_joints(joints).unwrap(), PIN, pin)
}

/// The pin's friction is a torque of μ r m g: the flywheel slows down evenly.
#[test]
fn a_flywheel_stops_on_its_pin() {
    let rate = PIN * RADIUS * G / 0.01;
    for speed in [10.0, -10.0] {
        for h in [1e-2, 1e-3] {
            let (trace, _) = captured(on_a_pin(0.0, 0.3, speed), 1.0, h);
            let stop = speed.abs() / rate;
            let mut worst = 0.0_f64;
            for state in trace.states.iter().filter(|state| state.t < stop) {
                let expected = speed.signum() * (speed.abs() - rate * state.t);
                worst = worst.max((state.v[2] - expected).abs());
            }
            let angle = 0.3 + speed.signum() * 0.5 * speed * speed / rate;
            let found = trace.last().q[2];
            println!(
                "h = {h}: speed within {worst:.1e}, angle within {:.1e}",
                found - angle
            );
            assert!(worst < 1e-11 && (found - angle).abs() < h * h * rate);
            assert!(trace.last().v[2].abs() < 1e-12 && trace.rise() < 1e-13);
        }
    }
}

/// At rest the pin carries m g, whatever the angle φ: it holds the pendulum while |sin φ| <= μ r / l, and lets it swing
/// until it comes to rest within these bounds.
#[test]
fn a_pendulum_rests_where_its_pin_holds_it() {
    const ARM: f64 = 0.3;
    let bound = (PIN * RADIUS / ARM).asin();
    for sign in [1.0, -1.0] {
        let (held, joints) = captured(on_a_pin(ARM, sign * 0.999 * bound, 0.0), 2.0, 1e-2);
        let (first, last) = (&held.states[0], held.last());
        assert!((last.q[2] - first.q[2]).abs() < 1e-13 && last.v[2].abs() < 1e-13);
        assert!((joints[0].normal - 2.0 * G * 1e-2).abs() < 1e-12);
        let (loose, _) = captured(on_a_pin(ARM, sign * 1.001 * bound, 0.0), 0.05, 1e-2);
        assert!(sign * loose.last().v[2] < -1e-6);
    }
    let exact = located(
        &mut wrap(on_a_pin(ARM, 1.2, 0.0)).unwrap(),
        "hem5",
        &tight(6.0),
    );
    let exact = exact.state.q[2];
    assert!(exact.abs() < bound);
    let mut errors = Vec::new();
    for h in [8e-3, 4e-3, 2e-3, 1e-3] {
        let (trace, _) = captured(on_a_pin(ARM, 1.2, 0.0), 6.0, h);
        let last = trace.last();
        let error = (last.q[2] - exact).abs();
        println!(
            "h = {h}: rests at {:.6} rad, differs by {error:.1e}, energy rises by {:.1e} J",
            last.q[2],
            trace.rise()
        );
        assert!(last.q[2].abs() < bound && last.v[2].abs() < 1e-13 && trace.rise() < 1e-14);
        errors.push((h, error));
    }
    let order = log_log_slope(errors);
    println!("order {order:.2}");
    assert!(order > 0.9, "{order}");
}

/// A bead on a rod that turns, pressed by a torque on two pads: friction of 6 mN holds it against 2 mN.
#[test]
fn a_bead_on_a_turning_rod_does_not_creep() {
    let (rate, place) = (2.0, 0.5);
    let bead = || {
        let bodies = vec![
            body("rod", 400.0, [0.0; 3], [0.0, 0.0, rate]),
            body("bead", 1e-3, [place, 0.0, 0.0], [0.0, rate * place, rate]),
        ];
        let joints = [
            PlaneJoint::Revolute((Some(0), [0.0; 2]), (None, [0.0; 2])),
            PlaneJoint::PointOnLine((Some(1), [0.0; 2]), (Some(0), [0.0; 2]), [1.0, 0.0]),
            PlaneJoint::Angle(Some(1), Some(0), 0.0),
        ];
        let pads = PlaneFriction::TwoPads {
            line: 1,
            angle: 2,
            length: 0.1,
        };
        let press = PlaneForce::Torque([Some(1), Some(0)], 1e-3);
        let mechanism = PlaneMechanism::new(bodies, [0.0, 0.0]).unwrap();
        let mechanism = mechanism.with_joints(joints).unwrap();
        rubbing(mechanism.with_forces([press]).unwrap(), 0.3, pads)
    };
    let mut errors = Vec::new();
    for h in [2e-2, 1e-2, 5e-3] {
        let (trace, joints) = captured(bead(), 2.0, h);
        let radius = |state: &State| state.q[3].hypot(state.q[4]);
        let creep = radius(trace.last()) - place;
        let (sin, cos) = trace.last().q[2].sin_cos();
        let slip = trace.last().v[3] * cos + trace.last().v[4] * sin;
        println!(
            "h = {h}: creep {creep:.1e} m, slip {slip:.1e} m/s, {:?}",
            joints[0]
        );
        assert!(slip.abs() < 1e-12);
        errors.push((h, creep.abs()));
    }
    let order = log_log_slope(errors);
    println!("order {order:.2}");
    assert!(order > 1.9, "{order}");
}

/// A ball falls onto a block that slides: the impulse P = m (1 + e) u of the contact presses the guide, whose friction
/// takes the impulse μ P from the block.
#[test]
fn impacts_press_the_guide() {
    let (ball, e, drop) = (0.5, 0.4, 0.5);
    for (speed, sticks) in [(2.0, false), (-2.0, false), (1.05, true)] {
        let mut errors = Vec::new();
        for h in [4e-3, 2e-3, 1e-3, 5e-4] {
            let bodies = vec![
                body("block", 2.0, [0.0; 3], [speed, 0.0, 0.0]),
                body("ball", ball, [0.3, 0.1 + drop, 0.0], [0.0; 3]),
            ];
            let joints = [
                PlaneJoint::PointOnLine((Some(0), [0.0; 2]), (None, [0.0; 2]), [1.0, 0.0]),
                PlaneJoint::Angle(Some(0), None, 0.0),
            ];
            let top = HalfPlane::new([0.0, 0.1], [0.0, 1.0]).unwrap();
            let top = PlanePairing::DiscOnLine(DiscOnLine::point(top, [0.0, 0.0]).unwrap());
            let mechanism = PlaneMechanism::new(bodies, [0.0, -G])
                .unwrap()
                .with_joints(joints)
                .unwrap()
                .with_contact(Contact::new("top", e), [Some(0), Some(1)], top)
                .unwrap();
            let mechanism = rubbing(mechanism, block::MU, PlaneFriction::Guide(0));
            let t = (2.0_f64 * drop / G).sqrt();
            let end = t + 0.02;
            let (trace, _) = captured(mechanism, end, h);
            let impulse = ball * (1.0 + e) * G * t;
            let slowed = speed.abs() - block::MU * (G * end + impulse / 2.0);
            let found = trace.last().v[0];
            assert!(trace.rise() < 1e-13, "{:e}", trace.rise());
            if sticks {
                assert!(slowed < 0.0 && found.abs() < 1e-13);
            } else {
                errors.push((h, (found - speed.signum() * slowed).abs()));
            }
        }
        println!("{speed} m/s: {errors:?}");
        assert!(errors.iter().all(|(h, error)| *error < 2.0 * h));
    }
}

/// Two guides hold the same motion: the load is what both can carry, and no more.
#[test]
fn joints_share_what_one_cannot_hold() {
    let twice = |share: f64| {
        let limit = 1.5 * block::MU * 2.0 * G;
        let pull = PlaneForce::Constant((Some(0), [0.0, 0.0]), [share * limit, 0.0]);
        let mechanism = guided(2.0, [0.0, 0.0], 0.0, [pull]);
        let both = [("first", block::MU), ("second", 0.5 * block::MU)];
        let mechanism = both.into_iter().fold(mechanism, |mechanism, (name, mu)| {
            let guide = PlaneFriction::Guide(0);
            mechanism.with_friction(name, mu, guide).unwrap()
        });
        captured(mechanism, 0.1, 1e-2).0.last().v[0] / (0.05 * limit)
    };
    for sign in [1.0, -1.0] {
        for share in [0.3, 0.8, 0.999] {
            assert!(twice(sign * share).abs() < 1e-12);
        }
        let found = twice(sign * 1.2);
        assert!((found - sign * 0.2).abs() < 1e-9, "{found}");
    }
}

/// A slider on two guides that hold the same: with rows stated twice its friction is that of multipliers of least norm,
/// as between located events.
#[test]
fn redundant_joints_rub_by_multipliers_of_least_norm() {
    let slider = |copies: usize| {
        let joints = (0..copies).flat_map(|_| {
            let line = PlaneJoint::PointOnLine((Some(0), [0.0; 2]), (None, [0.0; 2]), [1.0, 0.0]);
            [line, PlaneJoint::Angle(Some(0), None, 0.0)]
        });
        let block = body("block", 2.0, [0.0; 3], [1.0, 0.0, 0.0]);
        let mechanism = PlaneMechanism::new(vec![block], [0.0, -G]).unwrap();
        let mechanism = mechanism.with_joints(joints).unwrap();
        rubbing(mechanism, block::MU, PlaneFriction::Guide(0))
    };
    for copies in [1, 2, 3] {
        let (trace, joints) = captured(slider(copies), 0.1, 1e-2);
        let expected = 1.0 - block::MU * G * 0.1 / copies as f64;
        assert!((trace.last().v[0] - expected).abs() < 1e-10);
        assert!((joints[0].normal - 2.0 * G * 1e-2 / copies as f64).abs() < 1e-10);
    }
}
