//! A ball above a floor: impacts against closed forms, past their accumulation.

use liedae::integrator::MethodOptions;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, Silent, Solution, solve};
use liedae::system::{Automatic, Layout, MatrixMut, Model, Point, State, System};
use liedae_contact::{
    Accumulation, Contact, ContactModel, NonsmoothOptions, NonsmoothSystem, solve_hybrid,
    with_contacts,
};

struct Ball(f64);

impl Model for Ball {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(1))
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

    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Ball {
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
                with_contacts(Ball(restitution)),
                NonsmoothOptions::default(),
            )
            .unwrap();
            let integrator = liedae_contact::methods()
                .build(method, &MethodOptions::default())
                .unwrap();
            let clock = std::time::Instant::now();
            let solution = solve(
                &mut system,
                &*integrator,
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
            // At rest the floor is a row, and has its name.
            let row = system.labels().and_then(|labels| labels.row(0));
            assert_eq!(row.as_deref(), Some("contact 'floor': gap"));
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
    let mut system = NonsmoothSystem::new(with_contacts(Ball(0.8)), options).unwrap();
    let integrator = liedae_contact::methods()
        .build("hem5", &MethodOptions::default())
        .unwrap();
    let state = system.initial_state();
    let options = Options::adaptive(8.5, 1e-10, 1e-10);
    let solution = solve_hybrid(&mut system, &*integrator, state, &options, &mut Silent).unwrap();
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

/// Events of a kind.
fn moments(solution: &Solution, kind: &str) -> Vec<f64> {
    let events = solution.events.iter().filter(|event| event.kind == kind);
    events.map(|event| event.t).collect()
}

fn run_hybrid<M: ContactModel + 'static>(
    ball: M,
    remaining: f64,
    step: f64,
    t_end: f64,
) -> Solution {
    let accumulation = Accumulation::Capture { remaining, step };
    let options = NonsmoothOptions {
        accumulation,
        ..NonsmoothOptions::default()
    };
    let mut system = NonsmoothSystem::new(with_contacts(ball), options).unwrap();
    let integrator = liedae_contact::methods()
        .build("hem5", &MethodOptions::default())
        .unwrap();
    let state = system.initial_state();
    let options = Options::adaptive(t_end, 1e-10, 1e-10);
    solve_hybrid(&mut system, &*integrator, state, &options, &mut Silent).unwrap()
}

/// However early the event-capturing scheme takes over, it does so once and gives back behind the limit.
#[test]
fn capturing_lasts_until_the_limit_has_passed() {
    let limit = 4.063_712_768_871_578;
    for (remaining, step) in [(1e-2, 5e-6), (1e-2, 1e-4), (0.2, 1e-4), (1e-4, 1e-7)] {
        let solution = run_hybrid(Ball(0.8), remaining, step, 4.5);
        let [capture] = moments(&solution, "capture")[..] else {
            panic!("{remaining} {step}: {:?}", moments(&solution, "capture"));
        };
        let [resume] = moments(&solution, "resume")[..] else {
            panic!("{:?}", solution.events);
        };
        assert!(capture < limit && limit - capture < remaining, "{capture}");
        assert!(resume > limit, "{remaining} {step}: {resume}");
        println!("{remaining} {step}: {:e}", resume - limit);
        // Impacts are late by up to a step each, and 41 more steps reduce what is left to the threshold of 1e-7 m/s.
        assert!(
            resume - limit < 200.0 * step,
            "{remaining} {step}: {resume}"
        );
        assert!(solution.state.q[0].abs() < 1e-12 && solution.state.v[0] == 0.0);
    }
}

/// A ball that is lifted off the floor shortly before its impacts accumulate.
struct Lifted;

impl Model for Lifted {
    fn layout(&self) -> Layout {
        Ball(0.8).layout()
    }
    fn initial_state(&self) -> State {
        Ball(0.8).initial_state()
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        Ball(0.8).mass_matrix(at, mass);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let lifts = (4.06..4.1).contains(&at.t.value());
        force[0] = S::constant(if lifts { 10.0 } else { -9.81 });
    }

    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Lifted {
    fn contacts(&self) -> Vec<Contact> {
        Ball(0.8).contacts()
    }
    fn gap<S: Scalar>(&self, contact: usize, at: &Point<S>) -> S {
        Ball(0.8).gap(contact, at)
    }
}

#[test]
fn capturing_ends_when_a_flight_is_long_again() {
    let solution = run_hybrid(Lifted, 1e-2, 5e-6, 4.3);
    let (captures, resumes) = (moments(&solution, "capture"), moments(&solution, "resume"));
    assert!(captures[0] < 4.06, "{captures:?}");
    // In flight since the lift began, or the last impact of a few more ones, and for 1e-2 s.
    assert!(resumes[0] > 4.07 && resumes[0] < 4.08, "{resumes:?}");
    // The fall from there ends with impacts that are located again.
    let impacts = moments(&solution, "impact");
    assert!(impacts.iter().any(|&t| t > 4.1), "{impacts:?}");
}

/// A ball whose model does not say that it has contacts.
struct Unsaid;

impl Model for Unsaid {
    fn layout(&self) -> Layout {
        Ball(0.8).layout()
    }
    fn initial_state(&self) -> State {
        Ball(0.8).initial_state()
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        Ball(0.8).mass_matrix(at, mass);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        Ball(0.8).force(at, force);
    }
}

impl ContactModel for Unsaid {
    fn contacts(&self) -> Vec<Contact> {
        Ball(0.8).contacts()
    }
    fn gap<S: Scalar>(&self, contact: usize, at: &Point<S>) -> S {
        Ball(0.8).gap(contact, at)
    }
}

/// No run begins in which a ball falls through its floor: whatever wrapper is forgotten, it is named.
#[test]
fn contacts_are_not_overlooked() {
    let nonsmooth = |model| NonsmoothSystem::new(model, NonsmoothOptions::default()).unwrap();
    let cases: [(Box<dyn System>, &[&str], &str); 4] = [
        (Box::new(with_contacts(Ball(0.8))), &["hem5"], "moreau-jean"),
        (
            Box::new(Automatic::new(Ball(0.8))),
            &["hem5", "moreau-jean"],
            "needs_layer",
        ),
        (
            Box::new(with_contacts(Unsaid)),
            &["moreau-jean"],
            "needs_layer",
        ),
        (
            Box::new(nonsmooth(with_contacts(Unsaid))),
            &["hem5", "moreau-jean"],
            "needs_layer",
        ),
    ];
    for (mut system, methods, remedy) in cases {
        for name in methods {
            let method = liedae_contact::methods()
                .build(name, &MethodOptions::default())
                .unwrap();
            let options = match method.method().is_adaptive() {
                true => Options::adaptive(1.0, 1e-6, 1e-6),
                false => Options::fixed(1.0, 1e-3),
            };
            let error = solve(system.as_mut(), &method, &options).unwrap_err();
            println!("{name}: {error}");
            assert!(error.to_string().contains(remedy), "{error}");
        }
    }
}

/// First-order convergence of the event-capturing scheme through the same wrapper, in an averaged norm.
#[test]
fn the_capturing_scheme_runs_on_the_same_system() {
    let mut errors = Vec::new();
    for step in [4e-3, 2e-3, 1e-3, 5e-4] {
        let mut system =
            NonsmoothSystem::new(with_contacts(Ball(0.5)), NonsmoothOptions::default()).unwrap();
        let integrator = liedae_contact::methods()
            .build("moreau-jean", &MethodOptions::default())
            .unwrap();
        let solution = solve(&mut system, &*integrator, &Options::fixed(1.2, step)).unwrap();
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
