//! A ball above a floor: impacts against closed forms, past their accumulation.

use liedae::integrator::{MethodOptions, build};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, Silent, solve};
use liedae::system::{Automatic, Contact, Layout, MatrixMut, Model, Point, State, System};
use liedae_problems::nonsmooth::{Accumulation, NonsmoothOptions, NonsmoothSystem, solve_hybrid};

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
    for (restitution, limit) in [(0.8, 4.06371276887157814), (0.5, 1.35457092295719271)] {
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

/// The event-capturing scheme takes over before the limit and gives back at rest.
#[test]
fn the_hybrid_scheme_passes_the_limit() {
    let accumulation = Accumulation::Capture {
        remaining: 1e-3,
        step: 1e-6,
    };
    let options = NonsmoothOptions {
        accumulation,
        ..NonsmoothOptions::default()
    };
    let mut system = NonsmoothSystem::new(Automatic::new(Ball(0.8)), options).unwrap();
    let mut integrator = build("hem5", &MethodOptions::default()).unwrap();
    let state = system.initial_state();
    let options = Options::adaptive(8.5, 1e-10, 1e-10);
    let solution =
        solve_hybrid(&mut system, &mut *integrator, state, &options, &mut Silent).unwrap();
    println!(
        "{:?} {:?} {:?}",
        solution.state,
        solution.events.last(),
        solution.statistics
    );
    let find = |kind: &str| solution.events.iter().find(|event| event.kind == kind);
    let (capture, resume) = (find("capture").unwrap().t, find("resume").unwrap().t);
    assert!(capture < 4.063_712_768 && 4.063_712_768 - capture < 1e-3);
    assert!(
        resume > capture && resume - capture < 3e-3,
        "{capture} {resume}"
    );
    assert_eq!(solution.state.t, 8.5);
    assert!(solution.state.q[0].abs() < 1e-12 && solution.state.v[0].abs() < 1e-12);
    assert!(
        solution.statistics.accepted < 10_000,
        "{:?}",
        solution.statistics
    );
}

#[test]
fn contacts_are_not_overlooked() {
    let mut system = Automatic::new(Ball(0.8));
    let mut integrator = build("hem5", &MethodOptions::default()).unwrap();
    let error = solve(
        &mut system,
        &mut *integrator,
        &Options::adaptive(1.0, 1e-6, 1e-6),
    )
    .unwrap_err();
    assert!(error.to_string().contains("moreau-jean"), "{error}");
}

/// First-order convergence of the event-capturing scheme through the same wrapper, in an averaged norm.
#[test]
fn the_capturing_scheme_runs_on_the_same_system() {
    let mut errors = Vec::new();
    for step in [4e-3, 2e-3, 1e-3, 5e-4] {
        let mut system =
            NonsmoothSystem::new(Automatic::new(Ball(0.5)), NonsmoothOptions::default()).unwrap();
        let mut integrator = build("moreau-jean", &MethodOptions::default()).unwrap();
        let solution = solve(&mut system, &mut *integrator, &Options::fixed(1.2, step)).unwrap();
        assert!(solution.events.is_empty());
        errors.push((solution.state.q[0] - exact(0.5, 1.2)).abs());
    }
    println!("{errors:?}");
    assert!(errors[3] < 2e-3);
}

fn exact(e: f64, t: f64) -> f64 {
    let first = (2.0 / 9.81f64).sqrt();
    let (mut start, mut rebound) = (first, e * 9.81 * first);
    while start + 2.0 * rebound / 9.81 < t {
        start += 2.0 * rebound / 9.81;
        rebound *= e;
    }
    rebound * (t - start) - 0.5 * 9.81 * (t - start).powi(2)
}
