//! A block on a plate that moves on a circle and does not turn.

use super::run::{CLOSE, TOLERANCE, distance, run};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::Options;
use liedae::system::{Layout, MatrixMut, Model, Point, State};
use liedae_contact::{Contact, ContactModel, ContactStatus};

const GRAVITY: f64 = 9.81;
const FRICTION: f64 = 0.25;
const RADIUS: f64 = 0.4;

/// The angle of the plate is `phase` + `rate` t + `growth` t²/2. Coordinates of the block: horizontal ones, height.
#[derive(Clone, Copy)]
struct Block {
    phase: f64,
    rate: f64,
    growth: f64,
    /// Of the block.
    position: [f64; 2],
    velocity: [f64; 2],
}

impl Block {
    /// Rests on the plate at the start.
    fn at_rest(rate: f64, growth: f64) -> Self {
        Self {
            phase: 0.0,
            rate,
            growth,
            position: [0.3, -0.2],
            velocity: [0.0, RADIUS * rate],
        }
    }
}

impl Model for Block {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(3))
    }
    fn initial_state(&self) -> State {
        let ([x, y], [vx, vy]) = (self.position, self.velocity);
        State {
            q: vec![x, y, 0.0],
            v: vec![vx, vy, 0.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for index in 0..3 {
            mass[(index, index)] = S::constant(1.3);
        }
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[2] = S::constant(-1.3 * GRAVITY);
    }
    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Block {
    fn contacts(&self) -> Vec<Contact> {
        vec![Contact::new("plate", 0.0).with_spatial_friction(FRICTION)]
    }
    fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S {
        at.q[2]
    }
    fn sliding_velocity<S: Scalar>(&self, _contact: usize, at: &Point<S>, sliding: &mut [S]) {
        let (rate, growth) = (S::constant(self.rate), S::constant(self.growth));
        let half = S::constant(0.5);
        let angle = S::constant(self.phase) + rate * at.t + half * growth * at.t * at.t;
        let speed = S::constant(RADIUS) * (rate + growth * at.t);
        sliding[0] = at.v[0] + speed * angle.sin();
        sliding[1] = at.v[1] - speed * angle.cos();
    }
}

#[test]
fn it_sticks_below_the_limit() {
    // ω² r = 0.99 μ g.
    let rate = (0.99 * FRICTION * GRAVITY / RADIUS).sqrt();
    for method in ["hem5", "radau5"] {
        let block = Block::at_rest(rate, 0.0);
        let found = run(block, method, &Options::adaptive(3.0, TOLERANCE, TOLERANCE));
        let (s, c) = (3.0 * rate).sin_cos();
        let place = [0.3 + RADIUS * (c - 1.0), -0.2 + RADIUS * s, 0.0];
        let error = distance(&found.solution.state.q, &place);
        println!("{method}: {error:.1e} m");
        assert!(error < CLOSE && found.solution.events.is_empty());
        assert_eq!(found.solution.state.mode, [ContactStatus::Sticking.mode()]);
    }
}

/// The plate turns faster and faster: the block slips when the length of the acceleration reaches μ g. From then on sliding is
/// slow, and its direction turns with the plate's acceleration.
#[test]
fn it_slips_beyond_the_limit() {
    let growth = 1.5;
    let limit = FRICTION * GRAVITY;
    let slips = ((limit / (RADIUS * growth)).powi(2) - 1.0).powf(0.25) / growth.sqrt();
    let end = slips + 0.5;
    let runs = ["radau5", "bdf", "hem5", "mdop5"].map(|method| {
        let block = Block::at_rest(0.0, growth);
        let found = run(block, method, &Options::adaptive(end, TOLERANCE, TOLERANCE));
        let events = found.events();
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!(events[0].0, "slip plate");
        let moment = (events[0].1 - slips).abs();
        println!(
            "{method}: moment {moment:.1e} s, {} steps",
            found.solution.statistics.accepted
        );
        assert!(moment < CLOSE);
        found
    });
    for other in &runs[1..] {
        let place = distance(&runs[0].solution.state.q, &other.solution.state.q);
        let velocity = distance(&runs[0].solution.state.v, &other.solution.state.v);
        println!("apart {place:.1e} m, {velocity:.1e} m/s");
        assert!(place < CLOSE && velocity < CLOSE);
    }
}

/// Far beyond the limit the block moves on a circle of its own with ω² ρ = μ g: friction points to its centre, and the plate is ahead
/// by the angle with cos ψ = ρ / r. The direction of sliding makes whole turns.
#[test]
fn it_slides_on_a_circle_of_its_own() {
    let rate = 4.0_f64;
    let own = FRICTION * GRAVITY / (rate * rate);
    let block = Block {
        phase: (own / RADIUS).acos(),
        rate,
        growth: 0.0,
        position: [own, 0.0],
        velocity: [0.0, own * rate],
    };
    for method in ["hem5", "mdop5", "radau5", "bdf"] {
        let found = run(block, method, &Options::adaptive(5.0, TOLERANCE, TOLERANCE));
        let (s, c) = (5.0 * rate).sin_cos();
        let place = distance(&found.solution.state.q, &[own * c, own * s, 0.0]);
        let velocity = [-own * rate * s, own * rate * c, 0.0];
        let velocity = distance(&found.solution.state.v, &velocity);
        println!(
            "{method}: {place:.1e} m, {velocity:.1e} m/s, {} steps",
            found.solution.statistics.accepted
        );
        assert!(place < CLOSE && velocity < CLOSE);
        assert!(found.solution.events.is_empty());
    }
}
