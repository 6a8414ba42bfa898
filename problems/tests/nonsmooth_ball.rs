//! A ball above a floor: impacts against closed forms, past their accumulation.

use liedae::integrator::{MethodOptions, build};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, solve};
use liedae::system::{Automatic, Contact, Layout, MatrixMut, Model, Point, State};
use liedae_problems::nonsmooth::{NonsmoothOptions, NonsmoothSystem};

struct Ball(f64);

impl Model for Ball {
    fn layout(&self) -> Layout {
        Layout::unconstrained(Manifold::euclidean(1))
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![1.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[0] = S::constant(-9.81);
    }
    fn contacts(&self) -> Vec<Contact> {
        vec![Contact::new("floor", self.0)]
    }
    fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S {
        at.q[0]
    }
}

#[test]
fn impacts_and_their_limit() {
    for (restitution, limit) in [(0.8, 4.063_712_768_871_578), (0.5, 1.354_570_922_957_192_7)] {
        for method in ["hem5", "mdop5", "dop853", "phem56"] {
            let mut system = NonsmoothSystem::new(
                Automatic::new(Ball(restitution)),
                NonsmoothOptions::default(),
            )
            .unwrap();
            let mut integrator = build(method, &MethodOptions::default()).unwrap();
            let clock = std::time::Instant::now();
            let solution = solve(
                &mut system,
                &mut *integrator,
                &Options::adaptive(8.5, 1e-10, 1e-10),
            )
            .unwrap();
            let first = (2.0 / 9.81f64).sqrt();
            let mut t = first;
            let mut rebound = restitution * 9.81 * first;
            let mut worst: f64 = 0.0;
            for event in solution
                .events
                .iter()
                .filter(|event| event.kind == "impact")
            {
                worst = worst.max((event.t - t).abs());
                t += 2.0 * rebound / 9.81;
                rebound *= restitution;
            }
            let end = solution
                .events
                .iter()
                .find(|event| event.kind == "accumulation")
                .unwrap();
            println!(
                "{method} {restitution} {} events, worst {worst:e}, limit {:e}, {:?} {} {:?} {:?}",
                solution.events.len(),
                end.t - limit,
                clock.elapsed(),
                solution.statistics.accepted,
                solution.state.q,
                solution.state.v
            );
            assert!((end.t - limit).abs() < 1e-9);
        }
    }
}
