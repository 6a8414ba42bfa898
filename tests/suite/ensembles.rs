//! Ensembles: results that do not depend on threads, members that fail, ends before the last member.

use liedae::prelude::*;
use liedae::solve::{Cancel, Ensemble, Member, MemberError, Recorder, solve_ensemble};
use liedae::system::StatementError;
use std::cell::Cell;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A point on a rod of 1 m with this mass, let go at an angle below the horizontal.
fn pendulum((angle, mass): (f64, f64)) -> Result<impl System, StatementError> {
    liedae::model([angle.cos(), -angle.sin()], [0.0, 0.0])
        .mass(mass)
        .force(move |_t, _q, [vx, vy]| [vx * -0.1, vy * -0.1 - 9.81 * mass])
        .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
        .build()
}

fn method(name: &str) -> Box<dyn Integrator> {
    let methods = MethodRegistry::standard();
    methods.build(name, &MethodOptions::default()).unwrap()
}

fn on(threads: usize) -> Ensemble {
    Ensemble::default().on_threads(NonZeroUsize::new(threads).unwrap())
}

/// Everything that a run has come to, to the last bit.
fn bits(solution: &Solution) -> (Vec<u64>, String) {
    let state = &solution.state;
    let numbers = state.q.iter().chain(&state.v).chain(&state.lambda);
    let numbers = numbers.chain(&state.acceleration).map(|x| x.to_bits());
    (numbers.collect(), format!("{:?}", solution.statistics))
}

/// Random numbers in [0, 1), drawn one after the other.
fn random() -> impl Iterator<Item = f64> + Send {
    let mut seed = 1_u64;
    std::iter::repeat_with(move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    })
}

#[test]
fn solutions_do_not_depend_on_the_number_of_threads() {
    let count = 23;
    let parameters = || {
        let mut random = random();
        let pairs = std::iter::from_fn(move || Some((random.next()?, 1.0 + random.next()?)));
        pairs.take(count)
    };
    for name in ["hem5", "dop853", "radau5", "bdf", "generalized-alpha"] {
        let method = method(name);
        let options = Options::adaptive(0.7, 1e-6, 1e-6);
        let alone = parameters().map(|parameter| {
            let mut system = pendulum(parameter).unwrap();
            bits(&solve(&mut system, method.as_ref(), &options).unwrap())
        });
        let alone: Vec<_> = alone.collect();
        for threads in [1, 2, 3, 7] {
            let solutions = on(threads).solve(parameters(), pendulum, method.as_ref(), &options);
            let together: Vec<_> = solutions
                .into_iter()
                .map(|run| bits(&run.unwrap()))
                .collect();
            assert_eq!(together, alone, "{name} on {threads} threads");
        }
    }
}

/// More threads than members are of no use, and are not begun: a machine does not have so many.
#[test]
fn there_are_no_more_threads_than_members() {
    let threads = std::sync::Mutex::new(std::collections::HashSet::new());
    let run = |member: usize| {
        threads.lock().unwrap().insert(std::thread::current().id());
        Ok(member)
    };
    for most in [3, 1 << 20, usize::MAX] {
        for members in 0..4 {
            threads.lock().unwrap().clear();
            let seen = on(most).map(0..members, run);
            assert!(seen.into_iter().map(Result::unwrap).eq(0..members));
            assert!(threads.lock().unwrap().len() <= members.max(1));
        }
        // Nobody knows beforehand how many these are.
        let odd = (0..7).filter(|member| member % 2 == 1);
        let seen = on(most.min(64)).map(odd, run);
        assert!(seen.into_iter().map(Result::unwrap).eq([1, 3, 5]));
    }
}

#[test]
fn a_member_that_fails_ends_no_other() {
    let make = |member: usize| {
        if member == 2 {
            return Err("no such pendulum".to_owned());
        }
        assert_ne!(member, 3, "nobody makes this one");
        let model = liedae::model([1.0], [0.0]).mass(1.0);
        let model = model.force(move |t, [x], _v| match member {
            5 if t.value() > 0.1 => [x * f64::NAN],
            7 if t.value() > 0.1 => panic!("force {member} gives up"),
            _ => [-x],
        });
        model.build().map_err(|error| error.to_string())
    };
    let method = method("dop853");
    let options = Options::adaptive(1.0, 1e-9, 1e-9);
    for threads in [1, 3] {
        let results = on(threads).solve(0..9, make, method.as_ref(), &options);
        assert_eq!(results.len(), 9);
        for (member, result) in results.into_iter().enumerate() {
            match (member, result) {
                (2, Err(error)) => assert_eq!(error.to_string(), "no such pendulum"),
                (3, Err(MemberError::Panicked(words))) => assert!(words.contains("nobody makes")),
                (5, Err(MemberError::Solve(error))) => {
                    assert!(error.to_string().contains("not finite"), "{error}");
                    assert!(error.state.unwrap().t > 0.0);
                }
                (7, Err(error)) => assert_eq!(error.to_string(), "it panicked: force 7 gives up"),
                (_, result) => {
                    assert!((result.unwrap().state.q[0] - 1.0_f64.cos()).abs() < 1e-8);
                }
            }
        }
    }
}

#[test]
fn members_have_states_and_options_of_their_own() {
    let make = |&(speed, t_end): &(f64, f64)| {
        let system = pendulum((1.5, 1.0))?;
        let state = State {
            v: vec![speed * 1.5_f64.sin(), speed * 1.5_f64.cos()],
            ..system.initial_state()
        };
        let options = Options::adaptive(t_end, 1e-9, 1e-9);
        Ok::<_, StatementError>(Member::new(system).from_state(state).with_options(options))
    };
    let members = [(0.0, 0.5), (0.2, 0.5), (0.0, 0.25), (0.0, f64::NAN)];
    let method = method("hem5");
    let results = solve_ensemble(&members, make, method.as_ref(), &Options::fixed(9.0, 1.0));
    let ends: Vec<_> = results[..3]
        .iter()
        .map(|run| &run.as_ref().unwrap().state)
        .collect();
    assert_eq!([ends[0].t, ends[1].t, ends[2].t], [0.5, 0.5, 0.25]);
    assert!((ends[0].q[0] - ends[1].q[0]).abs() > 0.01);
    assert!(matches!(&results[3], Err(MemberError::Solve(_))));
}

#[test]
fn results_are_seen_in_order_and_few_of_them_wait() {
    let method = method("dop853");
    let options = Options::adaptive(0.2, 1e-6, 1e-6);
    for threads in [1, 2, 5] {
        let drawn = AtomicUsize::new(0);
        // Without end: breaking is the only way out.
        let parameters = random().inspect(|_| {
            drawn.fetch_add(1, Ordering::Relaxed);
        });
        let mut next = 0;
        let make = |angle| pendulum((angle, 1.0));
        on(threads).solve_each(
            parameters,
            make,
            method.as_ref(),
            &options,
            |member, run| {
                assert_eq!((member, run.is_ok()), (next, true));
                next += 1;
                assert!(drawn.load(Ordering::Relaxed) <= next + 64 * threads);
                if next < 300 {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            },
        );
        assert_eq!(next, 300);
    }
    let none = solve_ensemble([], |()| pendulum((0.0, 1.0)), method.as_ref(), &options);
    assert!(none.is_empty());
}

#[test]
fn runs_of_ones_own_return_anything() {
    let method = method("hem5");
    let options = Options::adaptive(1.0, 1e-6, 1e-6);
    let lowest = |angle: f64| {
        // Not to be sent anywhere.
        let calls = Cell::new(0);
        let mut system = pendulum((angle, 1.0)).map_err(MemberError::own)?;
        let mut recorder = Recorder::equidistant(0.0, 1.0, 21);
        solve_observed(&mut system, method.as_ref(), &options, &mut recorder)?;
        let heights = recorder.states.iter().map(|state| {
            calls.set(calls.get() + 1);
            state.q[1]
        });
        let lowest = heights.fold(f64::INFINITY, f64::min);
        Ok((lowest, calls.get()))
    };
    let results = on(2).map([0.1, 0.2, 0.3], lowest);
    for result in results {
        let (lowest, calls) = result.unwrap();
        assert!(lowest < -0.9 && calls == 21);
    }
    // Errors of one's own are found again.
    let refused = on(2).map(0..1, |_| -> Result<(), _> {
        Err(MemberError::own(StatementError::NoMass))
    });
    let Err(MemberError::Foreign(error)) = &refused[0] else {
        panic!("{refused:?}");
    };
    assert_eq!(error.downcast_ref(), Some(&StatementError::NoMass));
}

/// Says when the system that owns it is gone, and so its run is over.
struct Ended(Arc<AtomicBool>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_cancelled_ensemble_stops_within_its_runs() {
    let method = method("dop853");
    // Nobody waits for the end of this.
    let options = Options::fixed(1e9, 1e-3);
    for threads in [1, 2] {
        let cancel = Cancel::default();
        let first_is_over = Arc::new(AtomicBool::new(false));
        let make = |member: usize| {
            let cancel = cancel.clone();
            let first_is_over = Arc::clone(&first_is_over);
            let ended = (member == 0).then(|| Ended(Arc::clone(&first_is_over)));
            let model = liedae::model([1.0], [0.0]).mass(1.0);
            let model = model.force(move |t, [x], _v| {
                let _kept = &ended;
                // The scheduler may let the second run overtake the first.
                if member == 1 && t.value() > 0.1 && first_is_over.load(Ordering::Relaxed) {
                    cancel.cancel();
                }
                [-x]
            });
            model.build()
        };
        let short = |member: usize| -> Result<_, StatementError> {
            let end = if member == 0 { 0.01 } else { 1e9 };
            Ok(Member::new(make(member)?).with_options(Options::fixed(end, 1e-3)))
        };
        let ensemble = on(threads).cancelled_by(&cancel);
        let results = ensemble.solve(0.., short, method.as_ref(), &options);
        assert!(
            (2..=threads + 1).contains(&results.len()),
            "{}",
            results.len()
        );
        assert!(results[0].is_ok());
        for result in &results[1..] {
            assert!(matches!(result, Err(MemberError::Cancelled { t }) if *t < 1e9));
        }
        assert!(
            ensemble
                .solve(0.., short, method.as_ref(), &options)
                .is_empty()
        );
    }
}

#[test]
fn whoever_sees_the_results_may_stop_runs_without_end() {
    let method = method("dop853");
    for threads in [2, 3] {
        let make = |member: usize| -> Result<_, StatementError> {
            let end = if member == 0 { 0.1 } else { 1e9 };
            let system = pendulum((0.5, 1.0))?;
            Ok(Member::new(system).with_options(Options::fixed(end, 1e-3)))
        };
        let options = Options::fixed(1.0, 1e-3);
        let mut seen = Vec::new();
        on(threads).solve_each(0.., make, method.as_ref(), &options, |member, run| {
            seen.push((member, run.is_ok()));
            ControlFlow::Break(())
        });
        assert_eq!(seen, [(0, true)]);
    }
}

#[test]
fn panics_of_parameters_and_of_who_sees_them_hang_nothing() {
    for threads in [1, 3] {
        let parameters = (0..10).inspect(|&member| assert!(member < 4, "no more numbers"));
        let results = on(threads).map(parameters, Ok);
        let values: Vec<_> = results.iter().flatten().copied().collect();
        assert_eq!(values, [0, 1, 2, 3]);
        assert!(
            matches!(&results[4..], [Err(MemberError::Panicked(words))] if words == "no more numbers")
        );

        let seeing = AssertUnwindSafe(|| {
            on(threads).map_each(0.., Ok, |member: usize, _| {
                assert!(member < 5, "enough");
                ControlFlow::Continue(())
            });
        });
        let panic = catch_unwind(seeing).unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"enough"));
    }
}
