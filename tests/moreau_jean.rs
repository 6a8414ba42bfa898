//! Captured events: impacts, accumulation, friction, joints and redundant contacts with the Moreau-Jean scheme.

mod common;

use common::{Pendulum, SlidingBlock};
use liedae::integrator::{
    ContactImpulse, ImpactError, Integrator, MethodOptions, MoreauJean, NewtonOptions, StepError,
    build,
};
use liedae::manifold::{Factor, Manifold};
use liedae::scalar::Scalar;
use liedae::solve::{
    Observer, Options, Silent, SolveErrorKind, StepView, solve, solve_from, solve_observed,
};
use liedae::system::{
    Automatic, Contact, DynamicsError, EvaluationError, Function, Layout, MatrixMut, Model, Point,
    State, System,
};
use std::ops::ControlFlow;

const GRAVITY: f64 = 9.81;

/// All states of a run, and the energies that the system gives for them.
#[derive(Default)]
struct Trace {
    states: Vec<State>,
    energies: Vec<f64>,
}

impl Observer for Trace {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let state = step.to.clone();
        let energy = step.system().system().energy(&state);
        self.energies.extend(energy);
        self.states.push(state);
        ControlFlow::Continue(())
    }
}

impl Trace {
    fn last(&self) -> &State {
        self.states.last().expect("steps were taken")
    }
    /// The largest rise of the energy in a step.
    fn rise(&self) -> f64 {
        assert_eq!(self.energies.len(), self.states.len());
        let rises = self.energies.windows(2).map(|pair| pair[1] - pair[0]);
        rises.fold(0.0, f64::max)
    }
}

fn trace<M: Model>(model: M, t_end: f64, h: f64) -> Trace {
    trace_with(model, MoreauJean::DEFAULT_THETA, t_end, h).0
}

fn trace_with<M: Model>(model: M, theta: f64, t_end: f64, h: f64) -> (Trace, Vec<ContactImpulse>) {
    let mut trace = Trace::default();
    let mut method = MoreauJean::new(theta, NewtonOptions::default());
    let mut system = Automatic::new(model);
    solve_observed(
        &mut system,
        &mut method,
        &Options::fixed(t_end, h),
        &mut trace,
    )
    .expect("solved");
    (trace, method.contact_impulses().to_vec())
}

/// Slope of log error over log h.
fn slope(steps: &[f64], errors: &[f64]) -> f64 {
    let n = steps.len() as f64;
    let (x, y): (Vec<f64>, Vec<f64>) = steps
        .iter()
        .zip(errors)
        .map(|(h, error)| (h.ln(), error.ln()))
        .unzip();
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let top: f64 = x.iter().zip(&y).map(|(x, y)| (x - mx) * (y - my)).sum();
    top / x.iter().map(|x| (x - mx).powi(2)).sum::<f64>()
}

/// Point masses on one vertical line, each with its own height; gaps chosen by the caller.
struct Line<G> {
    heights: Vec<f64>,
    speeds: Vec<f64>,
    gravity: f64,
    restitution: f64,
    contacts: usize,
    gap: G,
}

trait Gap {
    fn gap<S: Scalar>(&self, contact: usize, q: &[S]) -> S;
}

struct Floor;
impl Gap for Floor {
    fn gap<S: Scalar>(&self, contact: usize, q: &[S]) -> S {
        q[contact]
    }
}

struct Neighbours;
impl Gap for Neighbours {
    fn gap<S: Scalar>(&self, contact: usize, q: &[S]) -> S {
        q[contact + 1] - q[contact] - 1.0
    }
}

struct Undefined;
impl Gap for Undefined {
    fn gap<S: Scalar>(&self, _contact: usize, q: &[S]) -> S {
        (q[0] - 0.5).sqrt()
    }
}

impl<G: Gap> Model for Line<G> {
    fn layout(&self) -> Layout {
        Layout::unconstrained(Manifold::euclidean(self.heights.len()))
    }
    fn initial_state(&self) -> State {
        State {
            q: self.heights.clone(),
            v: self.speeds.clone(),
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for index in 0..self.heights.len() {
            mass[(index, index)] = S::constant(1.0);
        }
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force.fill(S::constant(-self.gravity));
    }
    fn contacts(&self) -> Vec<Contact> {
        (0..self.contacts)
            .map(|index| Contact::new(format!("contact {index}"), self.restitution))
            .collect()
    }
    fn gap<S: Scalar>(&self, contact: usize, at: &Point<S>) -> S {
        self.gap.gap(contact, at.q)
    }
    fn energy(&self, at: &Point) -> Option<f64> {
        let energies = at.q.iter().zip(at.v);
        Some(energies.map(|(q, v)| 0.5 * v * v + self.gravity * q).sum())
    }
}

fn ball(restitution: f64) -> Line<Floor> {
    Line {
        heights: vec![1.0],
        speeds: vec![0.0],
        gravity: GRAVITY,
        restitution,
        contacts: 1,
        gap: Floor,
    }
}

/// Height of a ball dropped from 1 m: impacts at t1 (1 + 2 e + 2 e² ...).
fn ball_height(restitution: f64, t: f64) -> f64 {
    let first = (2.0 / GRAVITY).sqrt();
    if t < first {
        return 1.0 - 0.5 * GRAVITY * t * t;
    }
    let (mut start, mut speed) = (first, GRAVITY * first * restitution);
    while speed > 1e-14 {
        let since = t - start;
        if since < 2.0 * speed / GRAVITY {
            return speed * since - 0.5 * GRAVITY * since * since;
        }
        start += 2.0 * speed / GRAVITY;
        speed *= restitution;
    }
    0.0
}

#[test]
fn a_ball_bounces_accumulates_and_rests() {
    // Accumulation at sqrt(2/g) (1 + e)/(1 - e).
    for (restitution, accumulation) in [(0.8, 4.063_712_768_871_578), (0.5, 1.354_570_922_957_192)]
    {
        let t_end = accumulation + 1.0;
        let steps = [4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4];
        let mut errors = Vec::new();
        for h in steps {
            let run = trace(ball(restitution), t_end, h);
            let error = |state: &State| h * (state.q[0] - ball_height(restitution, state.t)).abs();
            errors.push(run.states.iter().map(error).sum::<f64>());
            assert!(run.states.iter().all(|state| state.q[0] >= -1e-14));
            assert!(
                run.rise() < 1e-13,
                "e = {restitution}, h = {h}: {:e}",
                run.rise()
            );
            if h < 2e-3 {
                let last = run.last();
                println!(
                    "e = {restitution}, h = {h}: rests at {:e}, {:e}",
                    last.q[0], last.v[0]
                );
                assert!(
                    last.q[0].abs() < 1e-12 && last.v[0].abs() < 1e-12,
                    "{last:?}"
                );
            }
        }
        let order = slope(&steps, &errors);
        println!("e = {restitution}: L1 errors {errors:?}, order {order:.2}");
        assert!((0.8..1.3).contains(&order), "{order}");
        assert!(errors[4] < 2e-3, "{errors:?}");
    }
}

#[test]
fn a_resting_ball_is_still_and_its_impulse_is_its_weight() {
    let at_rest = Line {
        heights: vec![0.0],
        ..ball(0.8)
    };
    let (run, impulses) = trace_with(at_rest, 0.5, 1.0, 1e-2);
    assert!(
        run.states
            .iter()
            .all(|state| state.q[0] == 0.0 && state.v[0].abs() < 1e-16)
    );
    assert!(
        (impulses[0].normal - GRAVITY * 1e-2).abs() < 1e-15,
        "{impulses:?}"
    );
}

/// The block stops at v0/(μ g) = 0.6796 s after as many metres.
#[test]
fn a_sliding_block_stops() {
    let stop = 0.679_578_661_230_037_4;
    let steps = [8e-3, 4e-3, 2e-3, 1e-3];
    for h in steps {
        let block = SlidingBlock {
            height: 0.0,
            speed: 2.0,
            restitution: 0.0,
            friction: 0.3,
        };
        let run = trace(block, 1.0, h);
        let sticking = run.states.iter().position(|state| state.v[0].abs() < 1e-9);
        let at = &run.states[sticking.expect("it stops")];
        println!("h = {h}: stops at {} s, {} m", at.t, run.last().q[0]);
        assert!((at.t - stop).abs() <= 1.01 * h);
        assert!((run.last().q[0] - stop).abs() < h * h + 1e-9);
        assert!(run.last().v.iter().all(|v| v.abs() < 1e-9));
        assert!(run.rise() < 1e-12, "{:e}", run.rise());
    }
}

/// A disc of radius 0.1 m with friction 0.2 on the floor y = 0: (x, y, angle).
struct Disc;

impl Model for Disc {
    fn layout(&self) -> Layout {
        Layout::unconstrained(Manifold::euclidean(3))
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![0.0, 0.1, 0.0],
            v: vec![3.0, 0.0, -20.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.5);
        mass[(1, 1)] = S::constant(1.5);
        mass[(2, 2)] = S::constant(1.5 * 0.01 / 2.0);
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-1.5 * GRAVITY);
    }
    fn contacts(&self) -> Vec<Contact> {
        vec![Contact::new("floor", 0.0).with_planar_friction(0.2)]
    }
    fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S {
        at.q[1] - 0.1
    }
    fn sliding_velocity<S: Scalar>(&self, _contact: usize, at: &Point<S>, sliding: &mut [S]) {
        sliding[0] = at.v[0] - at.v[2] * 0.1;
    }
}

#[test]
fn a_disc_with_backspin_slides_and_then_rolls() {
    let h = 1e-3;
    let run = trace(Disc, 1.2, h);
    let slip = |state: &State| (state.v[0] - 0.1 * state.v[2]).abs();
    let rolling = run.states.iter().position(|state| slip(state) < 1e-9);
    let at = &run.states[rolling.expect("it rolls")];
    println!(
        "rolls from {} s at {} m/s, {} rad/s",
        at.t, at.v[0], at.v[2]
    );
    assert!((at.t - 0.849_473_326_537_546_7).abs() <= 1.01 * h);
    let last = run.last();
    assert!((last.v[0] - 4.0 / 3.0).abs() < 1e-8, "{last:?}");
    assert!((last.v[2] - 40.0 / 3.0).abs() < 1e-7, "{last:?}");
}

/// A point mass at the end of a massless rod with its angle as a third coordinate, and a wall at x = 0.
struct WallPendulum {
    copies: usize,
}

const WALL_RESTITUTION: f64 = 0.7;

impl Model for WallPendulum {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(3), 2 * self.copies, 0, 0, 0)
    }
    fn initial_state(&self) -> State {
        let angle = std::f64::consts::FRAC_PI_3;
        State {
            q: vec![angle.sin(), -angle.cos(), angle],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-GRAVITY);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        for rows in g.chunks_exact_mut(2) {
            rows[0] = at.q[0] - at.q[2].sin();
            rows[1] = at.q[1] + at.q[2].cos();
        }
    }
    fn contacts(&self) -> Vec<Contact> {
        vec![Contact::new("wall", WALL_RESTITUTION)]
    }
    fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S {
        at.q[0]
    }
    fn energy(&self, at: &Point) -> Option<f64> {
        Some(0.5 * (at.v[0] * at.v[0] + at.v[1] * at.v[1]) + GRAVITY * at.q[1])
    }
}

/// Period of a pendulum of length 1 by the arithmetic-geometric mean.
fn period(amplitude: f64) -> f64 {
    let (mut a, mut b) = (1.0_f64, (0.5 * amplitude).cos());
    for _ in 0..30 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    2.0 * std::f64::consts::PI / GRAVITY.sqrt() / a
}

/// Impact times and the angle at the given times, by RK4 between impacts of which the times are closed forms.
fn wall_angles(times: &[f64]) -> Vec<f64> {
    let angle = std::f64::consts::FRAC_PI_3;
    let mut drop = 1.0 - angle.cos();
    let mut next_impact = period(angle) / 4.0;
    let (mut t, mut theta, mut omega) = (0.0, angle, 0.0);
    let rk4 = |theta: f64, omega: f64, h: f64| {
        let f = |theta: f64, omega: f64| (omega, -GRAVITY * theta.sin());
        let k1 = f(theta, omega);
        let k2 = f(theta + 0.5 * h * k1.0, omega + 0.5 * h * k1.1);
        let k3 = f(theta + 0.5 * h * k2.0, omega + 0.5 * h * k2.1);
        let k4 = f(theta + h * k3.0, omega + h * k3.1);
        (
            theta + h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0),
            omega + h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1),
        )
    };
    let mut angles = Vec::new();
    for &time in times {
        while next_impact < time {
            drop *= WALL_RESTITUTION * WALL_RESTITUTION;
            (t, theta, omega) = (next_impact, 0.0, (2.0 * GRAVITY * drop).sqrt());
            next_impact += period((1.0 - drop).acos()) / 2.0;
        }
        (theta, omega) = rk4(theta, omega, time - t);
        t = time;
        angles.push(theta);
    }
    angles
}

#[test]
fn a_jointed_pendulum_hits_a_wall() {
    let steps = [8e-3, 4e-3, 2e-3, 1e-3, 5e-4];
    let mut errors = Vec::new();
    for h in steps {
        let run = trace(WallPendulum { copies: 1 }, 4.0, h);
        let times: Vec<f64> = run.states.iter().map(|state| state.t).collect();
        let exact = wall_angles(&times);
        let error: f64 = run
            .states
            .iter()
            .zip(exact)
            .map(|(state, exact)| h * (state.q[2] - exact).abs())
            .sum();
        errors.push(error);
        let mut worst = [0.0_f64; 3];
        for State { q, v, .. } in &run.states {
            worst[0] = worst[0].max((q[0] - q[2].sin()).abs());
            worst[1] = worst[1].max((v[0] - q[2].cos() * v[2]).abs());
            worst[2] = worst[2].max(-q[0]);
        }
        println!(
            "h = {h}: L1 error {error:e}, rows {worst:?}, energy rise {:e}",
            run.rise()
        );
        assert!(
            worst[0] < 1e-13 && worst[1] < 1e-9 && worst[2] < 1e-14,
            "{worst:?}"
        );
    }
    let order = slope(&steps, &errors);
    println!("order {order:.2}");
    assert!((0.8..1.4).contains(&order), "{order} {errors:?}");

    // Joints stated twice do not matter.
    let (once, twice) = (
        trace(WallPendulum { copies: 1 }, 1.0, 2e-3),
        trace(WallPendulum { copies: 2 }, 1.0, 2e-3),
    );
    for (a, b) in once.last().q.iter().zip(&twice.last().q) {
        assert!((a - b).abs() < 1e-9, "{a} and {b}");
    }
}

#[test]
fn three_touching_balls_share_the_impact_as_moreau_has_it() {
    for (restitution, expected) in [
        (1.0, [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]),
        (0.0, [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]),
    ] {
        let balls = Line {
            heights: vec![0.0, 1.0, 2.0],
            speeds: vec![1.0, 0.0, 0.0],
            gravity: 0.0,
            restitution,
            contacts: 2,
            gap: Neighbours,
        };
        let run = trace(balls, 1e-2, 1e-3);
        for (found, expected) in run.states[1].v.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14, "{:?}", run.states[1].v);
        }
        for (found, expected) in run.last().v.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-13, "{:?}", run.last().v);
        }
    }
}

#[test]
fn redundant_contacts_keep_a_block_still() {
    for friction in [0.0, 0.4] {
        let block = SlidingBlock {
            height: 0.0,
            speed: 0.0,
            restitution: 0.3,
            friction,
        };
        let (run, impulses) = trace_with(block, 0.5, 1.0, 1e-2);
        for state in &run.states {
            assert!(state.q.iter().all(|q| q.abs() < 1e-12), "{state:?}");
            assert!(state.v.iter().all(|v| v.abs() < 1e-9), "{state:?}");
        }
        let total: f64 = impulses.iter().map(|impulse| impulse.normal).sum();
        println!("friction {friction}: {impulses:?}");
        assert!((total - 2.0 * GRAVITY * 1e-2).abs() < 1e-8);
        if friction == 0.0 {
            let third = total / 3.0;
            assert!(
                impulses
                    .iter()
                    .all(|impulse| (impulse.normal - third).abs() < 1e-12)
            );
        }
    }
}

/// A point mass on the floor z = 0 with friction in space.
struct Puck;

impl Model for Puck {
    fn layout(&self) -> Layout {
        Layout::unconstrained(Manifold::euclidean(3))
    }
    fn initial_state(&self) -> State {
        State {
            v: vec![1.2, 1.6, 0.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for index in 0..3 {
            mass[(index, index)] = S::constant(0.7);
        }
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[2] = S::constant(-0.7 * GRAVITY);
    }
    fn contacts(&self) -> Vec<Contact> {
        vec![
            Contact::new("floor", 0.0).with_spatial_friction(0.3),
            // A wall far away without friction.
            Contact::new("wall", 0.5),
        ]
    }
    fn gap<S: Scalar>(&self, contact: usize, at: &Point<S>) -> S {
        if contact == 0 {
            at.q[2]
        } else {
            -at.q[1] + 0.25
        }
    }
    fn sliding_velocity<S: Scalar>(&self, _contact: usize, at: &Point<S>, sliding: &mut [S]) {
        sliding.copy_from_slice(&at.v[..2]);
    }
}

#[test]
fn a_puck_slides_into_a_wall_and_stops_against_its_velocity() {
    let (weight, h) = (0.3 * GRAVITY, 1e-3);
    let run = trace(Puck, 1.0, h);
    // Straight to the wall, the direction (0.6, 0.8) kept exactly.
    let wall = run.states.iter().position(|state| state.v[1] < 0.0);
    let wall = wall.expect("it reaches the wall");
    for state in &run.states[..wall] {
        let speed = 2.0 - weight * state.t;
        assert!((state.v[0] - 0.6 * speed).abs() < 1e-9, "{state:?}");
        assert!((state.v[1] - 0.8 * speed).abs() < 1e-9, "{state:?}");
    }
    // Path 0.25/0.8 = 2 t - μ g t²/2.
    let contact = (2.0 - (4.0 - 2.0 * weight * 0.3125).sqrt()) / weight;
    assert!((run.states[wall].t - contact).abs() < 2.0 * h);
    // From there straight on with the reflected velocity to the stop.
    let speed = 2.0 - weight * contact;
    let (vx, vy) = (0.6 * speed, -0.4 * speed);
    let after = vx.hypot(vy);
    let (stop, path) = (contact + after / weight, after * after / (2.0 * weight));
    let last = run.last();
    let stopped = run.states.iter().position(|state| state.v[0].abs() < 1e-9);
    let stopped = run.states[stopped.expect("it stops")].t;
    println!("wall {contact}, stop {stop} found {stopped}, {:?}", last.q);
    assert!((stopped - stop).abs() < 3.0 * h);
    assert!(
        (last.q[0] - (0.1875 + path * vx / after)).abs() < 5.0 * h,
        "{:?}",
        last.q
    );
    assert!(
        (last.q[1] - (0.25 + path * vy / after)).abs() < 5.0 * h,
        "{:?}",
        last.q
    );
}

/// A box on R³ x SO(3) or SE(3) above the plane z = 0, its eight corners with friction.
struct DroppedBox {
    group: Factor,
    friction: f64,
    restitution: f64,
}

const HALF: [f64; 3] = [0.3, 0.2, 0.1];
const BOX_MASS: f64 = 1.5;

impl DroppedBox {
    fn inertia(axis: usize) -> f64 {
        let [a, b] = [HALF[(axis + 1) % 3], HALF[(axis + 2) % 3]];
        BOX_MASS / 3.0 * (a * a + b * b)
    }
    fn corner(contact: usize) -> [f64; 3] {
        std::array::from_fn(|axis| {
            if contact >> axis & 1 == 1 {
                HALF[axis]
            } else {
                -HALF[axis]
            }
        })
    }
    fn is_rigid_motion(&self) -> bool {
        self.group == Factor::RigidMotion
    }
}

impl Model for DroppedBox {
    fn layout(&self) -> Layout {
        Layout::unconstrained(Manifold::new(if self.is_rigid_motion() {
            vec![Factor::RigidMotion]
        } else {
            vec![Factor::Euclidean(3), Factor::Rotation]
        }))
    }
    fn initial_state(&self) -> State {
        let mut state = self.layout().state();
        let tilt = liedae::manifold::rotation::exp(&[0.5, 0.3, 0.2]);
        state.q[2] = 0.6;
        state.q[3..].copy_from_slice(&tilt);
        state.v[3..].copy_from_slice(&[1.0, -2.0, 0.5]);
        state
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for axis in 0..3 {
            mass[(axis, axis)] = S::constant(BOX_MASS);
            mass[(3 + axis, 3 + axis)] = S::constant(Self::inertia(axis));
        }
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let (v, w) = (&at.v[..3], &at.v[3..]);
        for axis in 0..3 {
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            if self.is_rigid_motion() {
                // Velocities in the body frame.
                let turning = w[i] * v[j] - w[j] * v[i];
                force[axis] = -(turning + at.q[9 + axis] * GRAVITY) * BOX_MASS;
            }
            let difference = Self::inertia(i) - Self::inertia(j);
            force[3 + axis] = w[i] * w[j] * difference;
        }
        if !self.is_rigid_motion() {
            force[2] = S::constant(-BOX_MASS * GRAVITY);
        }
    }
    fn contacts(&self) -> Vec<Contact> {
        (0..8)
            .map(|corner| {
                Contact::new(format!("corner {corner}"), self.restitution)
                    .with_spatial_friction(self.friction)
            })
            .collect()
    }
    fn gap<S: Scalar>(&self, contact: usize, at: &Point<S>) -> S {
        let corner = Self::corner(contact);
        at.q[9] * corner[0] + at.q[10] * corner[1] + at.q[11] * corner[2] + at.q[2]
    }
    fn sliding_velocity<S: Scalar>(&self, contact: usize, at: &Point<S>, sliding: &mut [S]) {
        let (corner, w) = (Self::corner(contact), &at.v[3..]);
        let mut local: [S; 3] = std::array::from_fn(|axis| {
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            w[i] * corner[j] - w[j] * corner[i]
        });
        if self.is_rigid_motion() {
            for (local, &v) in local.iter_mut().zip(at.v) {
                *local += v;
            }
        }
        for (axis, slot) in sliding.iter_mut().enumerate() {
            let row = &at.q[3 + 3 * axis..6 + 3 * axis];
            *slot = row[0] * local[0] + row[1] * local[1] + row[2] * local[2];
            if !self.is_rigid_motion() {
                *slot += at.v[axis];
            }
        }
    }
    fn energy(&self, at: &Point) -> Option<f64> {
        let kinetic: f64 = (0..3)
            .map(|axis| {
                BOX_MASS * at.v[axis].powi(2) + Self::inertia(axis) * at.v[3 + axis].powi(2)
            })
            .sum();
        Some(0.5 * kinetic + BOX_MASS * GRAVITY * at.q[2])
    }
}

#[test]
fn a_box_falls_on_its_corners_and_comes_to_rest() {
    let mut ends = Vec::new();
    for group in [Factor::Rotation, Factor::RigidMotion] {
        for friction in [0.0, 0.4] {
            let dropped = DroppedBox {
                group,
                friction,
                restitution: 0.0,
            };
            let mut system = Automatic::new(DroppedBox { ..dropped });
            let run = trace(dropped, 2.0, 2e-3);
            let mut deepest = 0.0_f64;
            for state in &run.states {
                let unilateral = system.unilateral().expect("it has contacts");
                for corner in 0..8 {
                    let gap = unilateral.gap(corner, &state.point()).expect("a number");
                    deepest = deepest.max(-gap);
                }
            }
            let last = run.last();
            let speed = last.v.iter().fold(0.0_f64, |max, v| max.max(v.abs()));
            println!(
                "{group:?}, friction {friction}: deepest {deepest:e}, energy {:?} to {:?}, largest rise {:e}, {:?}, speed {speed:e}",
                run.energies.first(),
                run.energies.last(),
                run.rise(),
                &last.q[..3]
            );
            assert!(deepest < 1e-13, "{deepest:e}");
            // Both groups integrate free flight to second order; impacts gain nothing.
            assert!(run.rise() < 1e-6, "{:e}", run.rise());
            // It lies on its largest face.
            assert!((last.q[2] - HALF[2]).abs() < 1e-12, "{:?}", last.q);
            if friction > 0.0 {
                assert!(speed < 1e-12, "{speed:e}");
                ends.push(last.q.clone());
            }
        }
    }
    for (a, b) in ends[0].iter().zip(&ends[1]) {
        assert!((a - b).abs() < 1e-2, "{a} and {b}");
    }
}

/// A mass held by a joint in front of a wall that moves towards it.
struct Squeezed;

impl Model for Squeezed {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(1), 1, 0, 0, 0)
    }
    fn initial_state(&self) -> State {
        self.layout().state()
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, _force: &mut [S]) {}
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = at.q[0];
    }
    fn contacts(&self) -> Vec<Contact> {
        vec![Contact::new("press", 0.0)]
    }
    fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S {
        at.q[0] + 0.1 - at.t
    }
}

fn failure<M: Model>(model: M, method: &mut MoreauJean) -> SolveErrorKind {
    let error = solve(
        &mut Automatic::new(model),
        method,
        &Options::fixed(1.0, 1e-2),
    )
    .unwrap_err();
    println!("{error}");
    error.kind
}

#[test]
fn mistakes_and_contradictions_have_typed_errors() {
    let method = &mut MoreauJean::default();
    let nan = Line {
        gap: Undefined,
        ..Line {
            heights: vec![1.0],
            speeds: vec![0.0],
            gravity: GRAVITY,
            restitution: 0.5,
            contacts: 1,
            gap: Undefined,
        }
    };
    let found = failure(nan, method);
    let SolveErrorKind::Step(StepError::Dynamics(DynamicsError::Evaluation(
        EvaluationError::Failed {
            function, reason, ..
        },
    ))) = &found
    else {
        panic!("{found}");
    };
    assert_eq!(*function, Function::Gap);
    assert!(reason.contains("contact 0"), "{reason}");

    let found = failure(Squeezed, method);
    let SolveErrorKind::Step(StepError::Impact { t, source }) = &found else {
        panic!("{found}");
    };
    assert!((t - 0.1).abs() < 0.02, "{t}");
    assert!(
        matches!(source, ImpactError::Complementarity(_)),
        "{source}"
    );

    let found = failure(ball(1.5), method);
    assert!(
        matches!(found, SolveErrorKind::Step(StepError::Contact(_))),
        "{found}"
    );

    for theta in [0.4, 1.1, f64::NAN] {
        let found = failure(
            ball(0.5),
            &mut MoreauJean::new(theta, NewtonOptions::default()),
        );
        assert!(
            matches!(found, SolveErrorKind::Step(StepError::Theta { .. })),
            "{found}"
        );
    }
    let options = MethodOptions {
        theta: Some(0.75),
        ..MethodOptions::default()
    };
    let mut registered = build("moreau-jean", &options).expect("registered");
    let options = Options::fixed(0.1, 1e-2);
    assert!(
        solve(
            &mut Automatic::new(ball(0.5)),
            registered.as_mut(),
            &options
        )
        .is_ok()
    );
    assert!(MoreauJean::default().contact_impulses().is_empty());
}

/// A mass on a stiff spring above a floor.
struct Oscillator;

impl Model for Oscillator {
    fn layout(&self) -> Layout {
        Layout::unconstrained(Manifold::euclidean(1))
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![1e-3],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        // A cubic spring, so that the iteration has something to do.
        let q = at.q[0];
        force[0] = (q * q * q * 1e5 + q) * -1e8;
    }
    fn energy(&self, at: &Point) -> Option<f64> {
        let q = at.q[0];
        Some(0.5 * at.v[0] * at.v[0] + 1e8 * (0.25e5 * q.powi(4) + 0.5 * q * q))
    }
}

#[test]
fn stiff_springs_are_stable_and_theta_one_damps_them() {
    let h = 1e-2;
    let (ringing, _) = trace_with(Oscillator, 0.5, 1.0, h);
    let amplitude = ringing
        .states
        .iter()
        .fold(0.0_f64, |max, s| max.max(s.q[0].abs()));
    let (damped, _) = trace_with(Oscillator, 1.0, 1.0, h);
    println!(
        "theta 1/2: largest {amplitude:e}; theta 1: {:?}",
        damped.last().q
    );
    assert!(amplitude < 1.1e-3, "{amplitude:e}");
    assert!(damped.last().q[0].abs() < 1e-12);
    assert!(damped.rise() <= 0.0);
}

#[test]
fn theta_above_one_half_has_order_one_on_smooth_motions() {
    let steps = [4e-3, 2e-3, 1e-3];
    let mut reference = build("mdop5", &MethodOptions::default()).expect("registered");
    let exact = solve(
        &mut Automatic::new(Pendulum),
        reference.as_mut(),
        &Options::adaptive(1.0, 1e-12, 1e-12),
    )
    .expect("solved")
    .state;
    let errors: Vec<f64> = steps
        .iter()
        .map(|&h| {
            let mut method = MoreauJean::new(0.75, NewtonOptions::default());
            let found = solve(
                &mut Automatic::new(Pendulum),
                &mut method,
                &Options::fixed(1.0, h),
            )
            .expect("solved");
            (found.state.q[0] - exact.q[0]).abs()
        })
        .collect();
    let order = slope(&steps, &errors);
    println!("theta = 0.75: order {order:.3}");
    assert!((order - 1.0).abs() < 0.05, "{order}");
}

#[test]
fn a_run_can_be_resumed_and_gives_the_same() {
    let options = |t_end| Options::fixed(t_end, 1e-3);
    let mut method = MoreauJean::default();
    let whole = solve(&mut Automatic::new(ball(0.5)), &mut method, &options(1.0)).expect("solved");
    let mut system = Automatic::new(ball(0.5));
    let half = solve(&mut system, &mut method, &options(0.5)).expect("solved");
    let rest = solve_from(
        &mut system,
        &mut method,
        half.state,
        &options(1.0),
        &mut Silent,
    )
    .expect("solved");
    assert!((whole.state.q[0] - rest.state.q[0]).abs() < 1e-9);
    assert_eq!(method.method().name, "moreau-jean");
}
