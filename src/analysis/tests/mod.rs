//! Analyses against closed forms.

mod coupled;
mod natural;
mod slender;
mod spectrum;
mod stability;

use super::*;
use crate::manifold::{Factor, Manifold};
use crate::model;
use crate::scalar::Scalar;
use crate::system::{Automatic, Evaluator, Layout, MatrixMut, Model, Point, State, System};

const G: f64 = 9.81;

fn frequencies(found: &[Mode]) -> Vec<f64> {
    found.iter().map(|mode| mode.eigenvalue.im).collect()
}

fn assert_close(found: &[f64], expected: &[f64], bound: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?} beside {expected:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() <= bound * (1.0 + expected.abs()),
            "{found} beside {expected}"
        );
    }
}

/// Two point masses on rods of 1 m, from an angle each.
fn double_pendulum(first: f64, second: f64) -> impl System {
    let (x, y) = (first.sin(), -first.cos());
    model([x, y, x + second.sin(), y - second.cos()], [0.0; 4])
        .mass(1.0)
        .force(|_t, _q, _v| [0.0, -G, 0.0, -G])
        .constraint(|_t, [x, y, a, b]| {
            [
                x * x + y * y - 1.0,
                (a - x) * (a - x) + (b - y) * (b - y) - 1.0,
            ]
        })
        .build()
        .expect("a double pendulum")
}

#[test]
fn a_double_pendulum_hangs_and_swings() {
    let mut pendulum = double_pendulum(2.0, -1.0);
    let start = pendulum.initial_state();
    let mut system = Evaluator::new(&mut pendulum);
    let rest =
        static_equilibrium(&mut system, &start, &EquilibriumOptions::default()).expect("rest");
    assert_close(&rest.state.q, &[0.0, -1.0, 0.0, -2.0], 1e-9);
    let modes = linearize(&mut system, &rest.state, None).and_then(|small| small.modes());
    let modes = modes.expect("modes");
    let root = 2.0_f64.sqrt();
    let expected = [(G * (2.0 - root)).sqrt(), (G * (2.0 + root)).sqrt()];
    assert_close(&frequencies(&modes), &expected, 1e-8);
    // Shapes: angles 1 : ±√2, so that the tips move as 1 + √2 and 1 - √2.
    let ratio = |mode: &Mode| mode.shape[2][0] / mode.shape[0][0];
    assert_close(
        &[ratio(&modes[0]), ratio(&modes[1])],
        &[1.0 + root, 1.0 - root],
        1e-7,
    );
}

#[test]
fn upside_down_it_is_unstable() {
    let mut pendulum = double_pendulum(std::f64::consts::PI, std::f64::consts::PI);
    let start = pendulum.initial_state();
    let mut system = Evaluator::new(&mut pendulum);
    let small = linearize(&mut system, &start, None).expect("at rest");
    assert!(!small.is_stable().expect("eigenvalues"));
    let growth: Vec<f64> = small
        .modes()
        .expect("modes")
        .iter()
        .map(|mode| mode.eigenvalue.re)
        .collect();
    let root = 2.0_f64.sqrt();
    let [slow, fast] = [(G * (2.0 - root)).sqrt(), (G * (2.0 + root)).sqrt()];
    assert_close(&growth, &[slow, -slow, fast, -fast], 1e-8);
}

#[test]
fn damped_oscillators_have_their_ratios() {
    let mut masses = model([0.0, 0.0], [0.0, 0.0])
        .mass(2.0)
        .force(|_t, [x, y], [u, v]| [x * -8.0 - u * 0.8, y * -2.0 - v * 8.0])
        .build()
        .expect("oscillators");
    let start = masses.initial_state();
    let small = linearize(&mut Evaluator::new(&mut masses), &start, None).expect("at rest");
    let modes = small.modes().expect("modes");
    // x: ω = 2, ζ = 0.1; y: s² + 4 s + 1 = 0.
    let swinging = modes
        .iter()
        .find(|mode| mode.eigenvalue.im > 0.0)
        .expect("one swings");
    assert_close(
        &[
            swinging.eigenvalue.magnitude(),
            swinging.eigenvalue.damping_ratio(),
        ],
        &[2.0, 0.1],
        1e-12,
    );
    let mut decays: Vec<f64> = modes
        .iter()
        .filter(|mode| mode.eigenvalue.im == 0.0)
        .map(|mode| mode.eigenvalue.re)
        .collect();
    decays.sort_by(f64::total_cmp);
    assert_close(
        &decays,
        &[-2.0 - 3.0_f64.sqrt(), -2.0 + 3.0_f64.sqrt()],
        1e-12,
    );
}

/// A symmetric top about its tip, on SO(3).
struct Top {
    spin: f64,
}

const ACROSS: f64 = 0.4;
const ALONG: f64 = 0.1;
const WEIGHT: f64 = 3.0;

impl Model for Top {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::new([Factor::Rotation]))
    }
    fn initial_state(&self) -> State {
        let mut state = self.layout().state();
        state.v[2] = self.spin;
        state
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for (i, inertia) in [ACROSS, ACROSS, ALONG].into_iter().enumerate() {
            mass[(i, i)] = S::constant(inertia);
        }
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let [wx, wy, wz] = [at.v[0], at.v[1], at.v[2]];
        // J ω × ω, and the weight's moment e₃ × (-m g l Rᵀ e₃).
        let down = [at.q[6], at.q[7]].map(|entry| entry * -WEIGHT);
        force[0] = wy * wz * (ACROSS - ALONG) - down[1];
        force[1] = wz * wx * (ALONG - ACROSS) + down[0];
    }
}

#[test]
fn a_sleeping_top_wakes_below_its_speed() {
    // I₁ ζ'' - i I₃ Ω ζ' - m g l ζ = 0 in the world, ζ turning with -Ω in the body.
    let critical = (4.0 * WEIGHT * ACROSS).sqrt() / ALONG;
    for (factor, stable) in [(0.9, false), (1.3, true)] {
        let spin = factor * critical;
        let mut top = Automatic::new(Top { spin });
        let state = top.initial_state();
        let small = linearize(&mut Evaluator::new(&mut top), &state, None).expect("steady");
        assert_eq!(small.is_stable().expect("eigenvalues"), stable);
        if stable {
            let root = ((ALONG * spin).powi(2) - 4.0 * ACROSS * WEIGHT).sqrt();
            let mut expected =
                [root, -root].map(|root| ((ALONG * spin + root) / (2.0 * ACROSS) - spin).abs());
            expected.sort_by(f64::total_cmp);
            let swinging: Vec<f64> = frequencies(&small.modes().expect("modes"))
                .into_iter()
                .filter(|&frequency| frequency > 0.0)
                .collect();
            assert_close(&swinging, &expected, 1e-9);
        }
    }
}

#[test]
fn a_circular_orbit_is_steady_in_its_frame_only() {
    // μ = 4, r = 1: Ω = 2, and all small motions about it have period 2 π/Ω or none.
    let mut planet = model([1.0, 0.0, 0.0], [0.0, 2.0, 0.0])
        .mass(1.0)
        .force(|_t, [x, y, z], _v| {
            let square = x * x + y * y + z * z;
            let pull = (square * square.sqrt()).recip() * -4.0;
            [x * pull, y * pull, z * pull]
        })
        .build()
        .expect("a planet");
    let state = planet.initial_state();
    let mut system = Evaluator::new(&mut planet);
    let turning = Turning {
        rate: [0.0, 0.0, 2.0],
        vectors: vec![0],
        ..Turning::default()
    };
    let small = linearize(&mut system, &state, Some(&turning)).expect("steady in its frame");
    let found = frequencies(&small.modes().expect("modes"));
    let swinging: Vec<f64> = found.iter().copied().filter(|&f| f > 0.1).collect();
    assert_close(&swinging, &[2.0, 2.0], 1e-9);
    let refused = linearize(&mut system, &state, None);
    assert!(
        matches!(refused, Err(AnalysisError::Unsteady { .. })),
        "{refused:?}"
    );
}

#[test]
fn swinging_through_the_lowest_position_is_not_steady() {
    let mut pendulum = model([0.0], [1.0])
        .mass(1.0)
        .force(|_t, [angle], _v| [angle.sin() * -G])
        .build()
        .expect("a pendulum");
    let state = pendulum.initial_state();
    let refused = linearize(&mut Evaluator::new(&mut pendulum), &state, None);
    assert!(
        matches!(refused, Err(AnalysisError::Unsteady { .. })),
        "{refused:?}"
    );
}

#[test]
fn what_falls_has_no_equilibrium() {
    let mut stone = model([0.0], [0.0])
        .mass(2.0)
        .force(|_t, _q, _v| [-2.0 * G])
        .build()
        .expect("a stone");
    let state = stone.initial_state();
    let found = static_equilibrium(
        &mut Evaluator::new(&mut stone),
        &state,
        &EquilibriumOptions::default(),
    );
    let Err(AnalysisError::NoEquilibrium {
        component: Entry { index: 0, .. },
        remaining,
        ..
    }) = found
    else {
        panic!("{found:?}");
    };
    assert!((remaining - 2.0 * G).abs() < 1e-9);
}

#[test]
fn loops_close_from_far_away_or_say_that_they_cannot() {
    let four_bar = |ground: f64| {
        model([-2.0, 5.0, 7.0, -3.0], [0.0; 4])
            .mass(1.0)
            .force(|_t, _q, _v| [0.0; 4])
            .constraint(move |_t, [x, y, a, b]| {
                [
                    x * x + y * y - 1.0,
                    (a - x) * (a - x) + (b - y) * (b - y) - 9.0,
                    (a - ground) * (a - ground) + b * b - 4.0,
                ]
            })
            .build()
            .expect("a four-bar linkage")
    };
    let mut closes = four_bar(3.0);
    let mut state = closes.initial_state();
    let report = assemble(&mut Evaluator::new(&mut closes), &mut state).expect("it closes");
    assert!(report.before > 10.0 && report.after < 1e-11, "{report:?}");
    // 1 + 3 + 2 m do not reach over 7 m.
    let mut open = four_bar(7.0);
    let mut state = open.initial_state();
    let before = state.clone();
    let refused = assemble(&mut Evaluator::new(&mut open), &mut state);
    assert!(
        matches!(refused, Err(AnalysisError::NotAssembled { .. })),
        "{refused:?}"
    );
    assert_eq!(state, before);
}

#[test]
fn a_flat_four_bar_is_singular() {
    // 1 + 3 = 2 + 2: the parallel to the ground is a configuration from which two branches lead.
    let mut flat = model([1.0, 0.0, 4.0, 0.0], [0.0; 4])
        .mass(1.0)
        .force(|_t, _q, _v| [0.0; 4])
        .constraint(|_t, [x, y, a, b]| {
            [
                x * x + y * y - 1.0,
                (a - x) * (a - x) + (b - y) * (b - y) - 9.0,
                (a - 2.0) * (a - 2.0) + b * b - 4.0,
            ]
        })
        .build()
        .expect("a four-bar linkage");
    let state = flat.initial_state();
    let found = mobility(&mut Evaluator::new(&mut flat), &state).expect("ranks");
    assert_eq!((found.freedom, found.rank, found.rank_nearby), (2, 2, 3));
    assert!(found.is_singular());
    assert_eq!(found.redundant[0].row.index, 2);
}

#[test]
fn a_crank_that_is_driven_follows_its_drive() {
    // Crank of 1 m, rod of 2 m, a slider of 3 kg on the x-axis, turned with 2 rad/s.
    let mut crank = model([1.0, 0.0, 3.0], [0.0, 2.0, 0.0])
        .mass_matrix(|_t, _q| [[1e-9, 0.0, 0.0], [0.0, 1e-9, 0.0], [0.0, 0.0, 3.0]])
        .force(|_t, _q, _v| [0.0; 3])
        .constraint(|t, [x, y, s]| {
            [
                x - (t * 2.0).cos(),
                y - (t * 2.0).sin(),
                (s - x) * (s - x) + y * y - 4.0,
            ]
        })
        .build()
        .expect("a slider-crank");
    let start = crank.initial_state();
    let times: Vec<f64> = (1..=20).map(|k| 0.3 * f64::from(k)).collect();
    let motion =
        kinematic_analysis(&mut Evaluator::new(&mut crank), &start, &times).expect("driven");
    for state in &motion {
        let (sine, cosine) = (2.0 * state.t).sin_cos();
        let root = (4.0 - sine * sine).sqrt();
        assert_close(&[state.q[2]], &[cosine + root], 1e-12);
        assert_close(
            &[state.v[2]],
            &[-2.0 * sine - 2.0 * sine * cosine / root],
            1e-11,
        );
    }
    let mut free = model([1.0, 0.0], [0.0, 0.0])
        .mass(1.0)
        .force(|_t, _q, _v| [0.0, 0.0])
        .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
        .build()
        .expect("a pendulum");
    let start = free.initial_state();
    let refused = kinematic_analysis(&mut Evaluator::new(&mut free), &start, &[1.0]);
    assert!(
        matches!(
            refused,
            Err(AnalysisError::NotPrescribed { freedom: 1, .. })
        ),
        "{refused:?}"
    );
}

#[test]
fn actuators_are_judged() {
    let mut mass = model([0.0, 0.0], [0.0, 0.0])
        .mass(1.0)
        .force(|_t, _q, _v| [0.0, 0.0])
        .build()
        .expect("a mass");
    let mut wanted = mass.initial_state();
    wanted.acceleration = vec![1.0, 2.0];
    let mut system = Evaluator::new(&mut mass);
    let refused = inverse_dynamics(&mut system, &wanted, &[&[1.0, 0.0]]);
    assert!(
        matches!(
            refused,
            Err(AnalysisError::NotActuated {
                component: Entry { index: 1, .. },
                ..
            })
        ),
        "{refused:?}"
    );
    let refused = inverse_dynamics(
        &mut system,
        &wanted,
        &[&[1.0, 0.0], &[0.0, 1.0], &[1.0, 1.0]],
    );
    assert_eq!(
        refused,
        Err(AnalysisError::RedundantActuators { excess: 1 })
    );
    let refused = inverse_dynamics(&mut system, &wanted, &[&[1.0]]);
    assert!(
        matches!(refused, Err(AnalysisError::Length { .. })),
        "{refused:?}"
    );
}

#[test]
fn empty_systems_have_answers() {
    let mut free = model([0.0], [0.0])
        .mass(1.0)
        .force(|_t, _q, _v| [0.0])
        .build()
        .expect("a free mass");
    let mut state = free.initial_state();
    let mut system = Evaluator::new(&mut free);
    let found = mobility(&mut system, &state).expect("no rows");
    assert_eq!(
        (found.freedom, found.rank, found.redundant.len()),
        (1, 0, 0)
    );
    assert_eq!(
        assemble(&mut system, &mut state)
            .expect("nothing to close")
            .iterations,
        0
    );
    let modes = linearize(&mut system, &state, None).and_then(|small| small.modes());
    assert_eq!(frequencies(&modes.expect("one free motion")), [0.0]);
}
