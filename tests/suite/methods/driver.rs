//! The driver: stops, events, dense output, observers, statistics, resumption.

use crate::common::{Bouncer, HeavyTop, Pendulum, TopGroup};
use liedae::integrator::{DenseOutput, Hem5, MethodOptions, Projection};
use liedae::solve::{
    Driver, Observer, Options, Recorder, Silent, StepView, StopReason, solve, solve_from,
    solve_observed,
};
use liedae::system::{Automatic, Model, System};
use std::ops::ControlFlow;

#[derive(Default)]
struct Times(Vec<f64>);

impl Observer for Times {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        if step.to.t > step.from.t {
            assert_eq!(self.0.last().copied().unwrap_or(0.0), step.from.t);
            self.0.push(step.to.t);
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn fixed_steps_stay_on_their_grid_and_never_end_in_a_sliver() {
    let run = |t_end: f64, step: f64, stops: Vec<f64>| {
        let mut times = Times::default();
        let mut options = Options::fixed(t_end, step);
        options.stops = stops;
        let integrator = crate::known_methods()
            .build("half-implicit", &MethodOptions::default())
            .unwrap();
        solve_observed(
            &mut Automatic::new(Pendulum),
            integrator.as_ref(),
            &options,
            &mut times,
        )
        .unwrap();
        times.0
    };
    let times = run(1.0, 1e-3, vec![]);
    assert_eq!(times.len(), 1000);
    assert!(
        times
            .iter()
            .enumerate()
            .all(|(i, t)| (t - (i + 1) as f64 * 1e-3).abs() < 1e-15)
    );
    assert_eq!(times.last(), Some(&1.0));
    // 1.05 / 0.1: the sliver is spread over the last two steps.
    let times = run(1.05, 0.1, vec![]);
    assert_eq!(times.len(), 11);
    assert!((times[10] - times[9] - 0.075).abs() < 1e-12);
    // A stop is landed on exactly.
    let times = run(1.0, 0.1, vec![0.333]);
    assert!(times.contains(&0.333) && times.contains(&1.0));
    let smallest = times
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .fold(f64::INFINITY, f64::min);
    assert!(smallest > 0.01, "sliver of {smallest}");
}

#[test]
fn adaptive_runs_land_on_stops_and_on_the_end() {
    for entry in crate::methods()
        .into_iter()
        .filter(|entry| entry.method.is_adaptive())
    {
        let mut times = Times::default();
        let mut options = Options::adaptive(0.7, 1e-4, 1e-4);
        options.stops = vec![0.1, 0.25, 5.0];
        let integrator = crate::known_methods()
            .build(entry.method.name, &MethodOptions::default())
            .unwrap();
        solve_observed(
            &mut Automatic::new(Pendulum),
            integrator.as_ref(),
            &options,
            &mut times,
        )
        .unwrap();
        assert!(
            times.0.contains(&0.1) && times.0.contains(&0.25),
            "{}",
            entry.method.name
        );
        assert_eq!(times.0.last(), Some(&0.7));
    }
}

#[test]
fn impacts_are_located_and_the_energy_is_exact() {
    // e = 1: impacts at sqrt(2/g) (1 + 2 k).
    let first = (2.0_f64 / 9.81).sqrt();
    for entry in crate::methods() {
        let mut system = Automatic::new(Bouncer { restitution: 1.0 });
        let integrator = crate::known_methods()
            .build(entry.method.name, &MethodOptions::default())
            .unwrap();
        let options = if entry.method.fixed_step_by_default {
            Options::fixed(5.0, 1e-4)
        } else {
            Options::adaptive(5.0, 1e-10, 1e-10)
        };
        let solution = solve(&mut system, integrator.as_ref(), &options).unwrap();
        let expected = ((5.0 / first - 1.0) / 2.0).floor() as usize + 1;
        assert_eq!(solution.events.len(), expected, "{}", entry.method.name);
        let tolerance = if entry.method.orders.q == 1 {
            1e-2
        } else {
            1e-9
        };
        for (index, event) in solution.events.iter().enumerate() {
            let exact = first * (1 + 2 * index) as f64;
            assert!(
                (event.t - exact).abs() < tolerance,
                "{}: {} for {exact}",
                entry.method.name,
                event.t
            );
            assert_eq!(event.kind, "bounce");
        }
    }
}

#[test]
fn dense_output_has_the_accuracy_that_it_states() {
    for entry in crate::methods() {
        let samples = 7;
        let interpolated = |h: f64| {
            let mut recorder = Recorder::equidistant(0.0, 0.0123 * 7.0, samples);
            let integrator = crate::known_methods()
                .build(entry.method.name, &MethodOptions::default())
                .unwrap();
            let mut system = Automatic::new(HeavyTop(TopGroup::Matrix));
            solve_observed(
                &mut system,
                integrator.as_ref(),
                &Options::fixed(0.1, h),
                &mut recorder,
            )
            .unwrap();
            recorder.states
        };
        let exact = {
            let mut options = Options::adaptive(0.1, 1e-12, 1e-12);
            options.max_step = 2e-4;
            let mut recorder = Recorder::equidistant(0.0, 0.0123 * 7.0, samples);
            let mut system = Automatic::new(HeavyTop(TopGroup::Matrix));
            solve_observed(
                &mut system,
                &Hem5::new(Projection::EveryStep),
                &options,
                &mut recorder,
            )
            .unwrap();
            recorder.states
        };
        let error = |h: f64| {
            let states = interpolated(h);
            assert_eq!(states.len(), samples);
            let pairs = states.iter().zip(&exact);
            pairs
                .map(|(a, b)| {
                    assert_eq!(a.t, b.t);
                    let difference =
                        a.q.iter()
                            .zip(&b.q)
                            .chain(a.v.iter().zip(&b.v))
                            .map(|(x, y)| (x - y).abs());
                    difference.fold(0.0, f64::max)
                })
                .fold(0.0, f64::max)
        };
        let h = match (entry.method.dense_output, entry.method.orders.q) {
            (DenseOutput::Own, 8..) => 1e-2,
            (_, 5..) => 2e-3,
            _ => 1e-3,
        };
        let (coarse, fine) = (error(h), error(0.5 * h));
        let order = (coarse / fine).log2();
        println!(
            "{}: dense output errors {coarse:e}, {fine:e}, order {order:.2}",
            entry.method.name
        );
        let expected = match entry.method.dense_output {
            DenseOutput::Cubic | DenseOutput::LinearVelocity => 0.9,
            // Of the endpoints, or of the polynomial where they are better.
            DenseOutput::Quintic => (f64::from(entry.method.orders.q) - 0.5).min(4.5),
            // The least of them are polynomials of degree 3; tests/suite/methods/dense_output.rs looks at each.
            DenseOutput::Own => 3.7,
        };
        assert!(
            order > expected,
            "{}: order {order:.2} of dense output",
            entry.method.name
        );
    }
}

#[test]
fn observers_stop_runs_and_runs_resume() {
    struct StopAfter(usize);
    impl Observer for StopAfter {
        fn observe(&mut self, _step: &mut StepView) -> ControlFlow<()> {
            self.0 -= 1;
            if self.0 == 0 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        }
    }
    let options = Options::adaptive(1.0, 1e-8, 1e-8);
    let method = Hem5::new(Projection::EveryStep);
    let mut system = Automatic::new(Pendulum);
    let half = solve_observed(&mut system, &method, &options, &mut StopAfter(5)).unwrap();
    assert_eq!(half.reason, StopReason::Observer);
    assert!(half.state.t > 0.0 && half.state.t < 1.0);
    let rest = solve_from(&mut system, &method, half.state, &options, &mut Silent).unwrap();
    let whole = solve(&mut system, &method, &options).unwrap();
    assert_eq!(rest.reason, StopReason::EndTime);
    assert!((rest.state.q[0] - whole.state.q[0]).abs() < 1e-7);

    // The driver itself stops anywhere and goes on.
    let state = Pendulum.initial_state();
    let mut driver = Driver::new(&mut system, &method, state, &options).unwrap();
    for _ in 0..4 {
        assert_eq!(driver.advance(&mut Silent).unwrap(), None);
    }
    assert_eq!(driver.statistics().accepted, 4);
    assert_eq!(driver.run(&mut Silent).unwrap().state, whole.state);
}

#[test]
fn an_empty_interval_returns_the_completed_initial_state() {
    let mut system = Automatic::new(Pendulum);
    let solution = solve(
        &mut system,
        &Hem5::new(Projection::Never),
        &Options::adaptive(0.0, 1e-6, 1e-6),
    )
    .unwrap();
    assert_eq!(solution.statistics.accepted, 0);
    // λ = (v² - g·q) / r² along the rod, with G = q.
    let expected = -crate::common::PENDULUM_SPEED.powi(2);
    assert!((solution.state.lambda[0] - expected).abs() < 1e-14);
    assert_eq!(solution.state.q, system.initial_state().q);
}
