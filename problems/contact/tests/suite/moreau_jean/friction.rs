//! Bodies that slide, roll and stick, with closed forms.

use super::sliding_block::SlidingBlock;
use super::support::{GRAVITY, trace, trace_with};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{Layout, MatrixMut, Model, Point, State};
use liedae_contact::{Contact, ContactModel};

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
        Layout::dense(Manifold::euclidean(3))
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

    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Disc {
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
        Layout::dense(Manifold::euclidean(3))
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

    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Puck {
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
