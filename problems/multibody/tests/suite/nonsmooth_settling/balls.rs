//! Bouncing balls at every location tolerance: an impact at t_1 = √(2 h / g), a limit at t_1 (1 + e) / (1 - e).

use liedae::integrator::MethodOptions;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, solve};
use liedae::system::{Layout, MatrixMut, Model, Point, State};
use liedae_contact::{
    Accumulation, Contact, ContactEvent, ContactModel, NonsmoothOptions, NonsmoothSystem,
    with_contacts,
};

const G: f64 = 9.81;

/// Balls side by side above a floor: their heights and restitutions.
struct Balls(Vec<[f64; 2]>);

impl Model for Balls {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(self.0.len()))
    }
    fn initial_state(&self) -> State {
        State {
            q: self.0.iter().map(|ball| ball[0]).collect(),
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for ball in 0..self.0.len() {
            mass[(ball, ball)] = S::constant(1.0);
        }
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force.fill(S::constant(-G));
    }

    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Balls {
    fn contacts(&self) -> Vec<Contact> {
        let contacts = self.0.iter().enumerate();
        contacts
            .map(|(ball, [_, e])| Contact::new(format!("ball {ball}"), *e))
            .collect()
    }
    fn gap<S: Scalar>(&self, contact: usize, at: &Point<S>) -> S {
        at.q[contact]
    }
}

/// Runs to one second behind the last limit; every ball is at rest there, and its limit is that of the closed form to
/// within `accuracy` in s.
fn come_to_rest(
    balls: &[[f64; 2]],
    method: &str,
    tolerance: f64,
    accumulation: Accumulation,
    accuracy: f64,
) {
    let limits: Vec<f64> = balls
        .iter()
        .map(|[h, e]| (2.0 * h / G).sqrt() * (1.0 + e) / (1.0 - e))
        .collect();
    let nonsmooth = NonsmoothOptions {
        accumulation,
        ..NonsmoothOptions::default()
    };
    let mut system = NonsmoothSystem::new(with_contacts(Balls(balls.to_vec())), nonsmooth).unwrap();
    let integrator = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .unwrap();
    let end = limits.iter().fold(0.0_f64, |end, &limit| end.max(limit)) + 1.0;
    let mut options = Options::adaptive(end, 1e-6, 1e-6);
    options.event_tolerance = tolerance;
    let case = format!("{balls:?} {method} {tolerance:e} {accumulation:?}");
    let solution = solve(&mut system, integrator.as_ref(), &options)
        .unwrap_or_else(|error| panic!("{case}: {error}"));
    assert!(
        solution.events.len() < 200,
        "{case}: {} events",
        solution.events.len()
    );
    assert!(solution.state.v.iter().all(|&v| v == 0.0), "{case}");
    assert!(solution.state.q.iter().all(|q| q.abs() < 1e-12), "{case}");
    for event in solution.events.iter().filter_map(ContactEvent::of) {
        let rise = event.velocity_after.powi(2) - event.velocity_before.powi(2);
        assert!(rise <= 0.0, "{case}: {rise:e}");
    }
    for (ball, &limit) in limits.iter().enumerate() {
        let mut of_ball = solution.events.iter();
        let label = format!("ball {ball}");
        let Some(found) =
            of_ball.find(|event| event.kind == "accumulation" && event.label == label)
        else {
            panic!("{case}: ball {ball} has no limit");
        };
        let error = found.t - limit;
        assert!(error.abs() < accuracy, "{case}: {error:e}");
    }
}

#[test]
fn a_ball_comes_to_rest_at_every_location_tolerance() {
    for exponent in 4..=14 {
        for e in [0.2, 0.5, 0.8, 0.9] {
            let tolerance = 10.0_f64.powi(-exponent);
            come_to_rest(
                &[[1.0, e]],
                "hem5",
                tolerance,
                Accumulation::default(),
                1e-9,
            );
        }
    }
}

#[test]
fn so_it_does_with_other_methods() {
    for method in ["mdop5", "generalized-alpha-stabilized", "radau5"] {
        for tolerance in [1e-4, 1e-7, 1e-12] {
            come_to_rest(
                &[[1.0, 0.8]],
                method,
                tolerance,
                Accumulation::default(),
                1e-9,
            );
        }
    }
}

#[test]
fn two_balls_of_different_periods() {
    for exponent in 4..=14 {
        let tolerance = 10.0_f64.powi(-exponent);
        // What is nearer to each other than the tolerance is handled together.
        let bound = 1e-9_f64.max(10.0 * tolerance);
        let balls = [[1.0, 0.8], [0.3, 0.3]];
        come_to_rest(&balls, "hem5", tolerance, Accumulation::default(), bound);
    }
}

/// What cannot be located is not resolved either.
#[test]
fn resolving_every_impact_comes_to_an_end() {
    for tolerance in [1e-4, 1e-7, 1e-12] {
        come_to_rest(
            &[[1.0, 0.5]],
            "hem5",
            tolerance,
            Accumulation::Resolve,
            1e-9,
        );
    }
}
