//! Point masses on one line: bouncing, resting and touching balls.

use super::support::{GRAVITY, slope, trace, trace_with};
use liedae::integrator::Integrator;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, Silent, solve, solve_from};
use liedae::system::{Layout, MatrixMut, Model, Point, State};
use liedae_contact::capturing::MoreauJean;
use liedae_contact::{Contact, ContactModel, with_contacts};

/// Point masses on one vertical line, each with its own height; gaps chosen by the caller.
pub struct Line<G> {
    pub heights: Vec<f64>,
    pub speeds: Vec<f64>,
    pub gravity: f64,
    pub restitution: f64,
    pub contacts: usize,
    pub gap: G,
}

pub trait Gap {
    fn gap<S: Scalar>(&self, contact: usize, q: &[S]) -> S;
}

pub struct Floor;
impl Gap for Floor {
    fn gap<S: Scalar>(&self, contact: usize, q: &[S]) -> S {
        q[contact]
    }
}

pub struct Neighbours;
impl Gap for Neighbours {
    fn gap<S: Scalar>(&self, contact: usize, q: &[S]) -> S {
        q[contact + 1] - q[contact] - 1.0
    }
}

impl<G: Gap> Model for Line<G> {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(self.heights.len()))
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
    fn energy(&self, at: &Point) -> Option<f64> {
        let energies = at.q.iter().zip(at.v);
        Some(energies.map(|(q, v)| 0.5 * v * v + self.gravity * q).sum())
    }

    fn needs_layer(&self) -> bool {
        true
    }
}

impl<G: Gap> ContactModel for Line<G> {
    fn contacts(&self) -> Vec<Contact> {
        (0..self.contacts)
            .map(|index| Contact::new(format!("contact {index}"), self.restitution))
            .collect()
    }
    fn gap<S: Scalar>(&self, contact: usize, at: &Point<S>) -> S {
        self.gap.gap(contact, at.q)
    }
}

pub fn ball(restitution: f64) -> Line<Floor> {
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
fn a_run_can_be_resumed_and_gives_the_same() {
    let options = |t_end| Options::fixed(t_end, 1e-3);
    let method = MoreauJean::default();
    let whole = solve(&mut with_contacts(ball(0.5)), &method, &options(1.0)).expect("solved");
    let mut system = with_contacts(ball(0.5));
    let half = solve(&mut system, &method, &options(0.5)).expect("solved");
    let rest =
        solve_from(&mut system, &method, half.state, &options(1.0), &mut Silent).expect("solved");
    assert!((whole.state.q[0] - rest.state.q[0]).abs() < 1e-9);
    assert_eq!(method.method().name, "moreau-jean");
}
