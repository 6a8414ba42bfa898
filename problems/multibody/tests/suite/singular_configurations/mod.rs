//! Motion through configurations in which the rank of the constraint Jacobian drops: every method goes on along its branch, or says
//! what stopped it.
//!
//! `cargo test --release -p liedae-multibody --test suite singular_configurations -- --ignored --nocapture` prints a table with
//! all methods, tolerances, steps and numbers of windows, in parts (`table_of_loops` to `table_of_ten_windows`).

mod linkages;
mod mechanisms;
mod regular;

use liedae::integrator::{Method, MethodOptions};
use liedae::solve::{
    Observer, Options, Solution, SolveError, SolveErrorKind, StepControl, StepView, solve,
    solve_observed,
};
use mechanisms::{Case, four_bars, parallelogram, parallelogram_from, slider_crank};
use std::ops::ControlFlow;

/// Tolerance or constant step.
#[derive(Clone, Copy, Debug)]
enum Level {
    Tolerance(f64),
    Step(f64),
}

impl Level {
    fn applies_to(self, method: &Method) -> bool {
        match self {
            Self::Tolerance(_) => method.is_adaptive(),
            Self::Step(_) => method.fixed_step_by_default,
        }
    }

    /// A thousand tolerances, or what an order promises: with factors of smooth runs of these mechanisms, where backward Euler damps
    /// the motion and the slider-crank turns by 0.05 rad in a step of 1e-2 s.
    fn bound(self, method: &Method) -> f64 {
        let order = f64::from(method.orders.q);
        let factor = match (method.name, self) {
            ("backward-euler", _) => 500.0,
            (_, Self::Step(_)) if method.orders.q > 1 => 2000.0,
            _ => 100.0,
        };
        match self {
            Self::Tolerance(tolerance) => {
                (factor * tolerance.powf(order / (order + 1.0))).max(1000.0 * tolerance)
            }
            // Crossings are asked for 1e-9.
            Self::Step(step) => (factor * step.powf(order)).max(1e-8),
        }
    }
}

fn run(case: &Case, method: &str, level: Level, steps: usize) -> Result<Solution, SolveError> {
    let mut options = match level {
        Level::Tolerance(tolerance) => Options::adaptive(case.t_end, tolerance, tolerance),
        Level::Step(step) => Options::fixed(case.t_end, step),
    };
    // It starts anew behind every singular configuration, by small steps that count.
    options.max_steps = if method == "bdf-lie" {
        20 * steps
    } else {
        steps
    };
    let mut system = case.system();
    let method = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .expect("registered");
    solve(system.as_mut(), method.as_ref(), &options)
}

fn line(
    case: &Case,
    method: &Method,
    level: Level,
    result: &Result<Solution, SolveError>,
) -> String {
    let what = format!(
        "{:30} {:28} {:16}",
        case.name,
        method.name,
        format!("{level:?}")
    );
    match result {
        Ok(solution) => format!(
            "{what} error {:8.1e} (bound {:.0e}), {} steps, {} rejected, {} singular",
            case.error(&solution.state),
            level.bound(method),
            solution.statistics.accepted,
            solution.statistics.rejected.total(),
            solution.events.len(),
        ),
        Err(error) => format!("{what} {error}"),
    }
}

/// What is wrong with a result, if anything is.
fn objection(
    case: &Case,
    method: &Method,
    level: Level,
    result: &Result<Solution, SolveError>,
) -> bool {
    match result {
        Ok(solution) => {
            let error = case.error(&solution.state);
            error.is_nan() || error > level.bound(method)
        }
        Err(error) => !matches!(error.kind, SolveErrorKind::Singular { .. }),
    }
}

fn check(cases: &[Case], levels: &[Level], steps: usize, applies: impl Fn(&Method) -> bool) {
    let mut objections = Vec::new();
    for case in cases {
        for entry in liedae_contact::methods()
            .into_iter()
            .filter(|entry| applies(entry.method))
        {
            for &level in levels {
                if !level.applies_to(entry.method) {
                    continue;
                }
                let result = run(case, entry.method.name, level, steps);
                let line = line(case, entry.method, level, &result);
                println!("{line}");
                if objection(case, entry.method, level, &result) {
                    objections.push(line);
                }
            }
        }
    }
    assert!(objections.is_empty(), "\n{}", objections.join("\n"));
}

fn small_cases() -> Vec<Case> {
    let mut cases = vec![slider_crank(), parallelogram(false), parallelogram(true)];
    for n in [1, 2] {
        cases.extend([four_bars(n, false), four_bars(n, true)]);
    }
    cases
}

#[test]
fn every_method_keeps_to_its_branch() {
    let levels = [Level::Tolerance(1e-6), Level::Step(1e-3)];
    check(&small_cases(), &levels, 100_000, |_| true);
}

#[test]
fn methods_of_high_order_pass_at_tight_tolerances() {
    let levels = [1e-4, 1e-8, 1e-10].map(Level::Tolerance);
    check(&small_cases(), &levels, 10_000, |method| {
        method.orders.q >= 5 && !matches!(method.name, "bdf")
    });
}

/// Rows out of the plane of the motion consist of round-off: dependent ones contradict each other by 1e-19.
#[test]
fn long_steps_pass_ten_windows_in_space() {
    let case = four_bars(10, true);
    for entry in liedae_contact::methods() {
        let level = Level::Step(1e-2);
        if level.applies_to(entry.method) {
            let result = run(&case, entry.method.name, level, 10_000);
            let line = line(&case, entry.method, level, &result);
            assert!(result.is_ok(), "{line}");
            assert!(!objection(&case, entry.method, level, &result), "{line}");
        }
    }
}

#[test]
fn the_event_says_when_and_which_rows() {
    let case = four_bars(1, false);
    let solution = run(&case, "hem5", Level::Tolerance(1e-10), 10_000).expect("solved");
    let events = &solution.events;
    assert_eq!(events.len(), case.passes, "{events:?}");
    for event in events {
        assert_eq!(event.kind, "singular");
        assert!(
            event.label.starts_with("constraint rows 0"),
            "{}",
            event.label
        );
    }
    assert!((events[0].t - 0.708_45).abs() < 5e-5, "{}", events[0].t);
}

/// Moments against those of the one equation in the angle of the cranks.
#[test]
fn the_moment_is_located() {
    let (start, t_end) = ([0.3, 2.0], 1.5);
    let flat = mechanisms::flat_moments(start, t_end);
    let (tight, constant) = (Level::Tolerance(1e-10), Level::Step(1e-3));
    for (method, level, bound) in [
        ("hem5", tight, 2e-8),
        ("mdop5", tight, 2e-8),
        ("dop853", tight, 2e-8),
        ("radau5", tight, 2e-8),
        ("bdf", tight, 2e-8),
        // The motion itself is off by as much.
        ("generalized-alpha", constant, 1e-5),
        ("rattle", constant, 1e-5),
    ] {
        let case = parallelogram_from(start, t_end, 2, false);
        let solution = run(&case, method, level, 20_000).expect("solved");
        let events = &solution.events;
        assert_eq!(events.len(), flat.len(), "{method} {level:?}");
        for (event, flat) in events.iter().zip(&flat) {
            let error = (event.t - flat).abs();
            println!("{method} {level:?}: {error:.1e} s");
            assert!(error < bound, "{method} {level:?}: {error:.1e} s");
        }
    }
}

/// Staggered velocities are handed over as those of the moment, and taken back: over many turns half-implicit Euler is as exact as for the
/// one equation in the angle of the cranks, which passes nothing. In Cartesian coordinates there are errors of second order besides.
#[test]
fn half_implicit_methods_keep_their_digits_over_many_crossings() {
    for start in [[0.3, 6.0], [1.2, 9.0]] {
        let case = parallelogram_from(start, 10.0, 0, false);
        for method in [
            "half-implicit",
            "half-implicit-newton",
            "half-implicit2",
            "rattle",
        ] {
            for step in [1e-3, 5e-4] {
                let plain = mechanisms::parallelogram_error(start, 10.0, method, step);
                let solution = run(&case, method, Level::Step(step), 100_000).expect("solved");
                let (error, events) = (case.error(&solution.state), solution.events.len());
                let what =
                    format!("{method} {start:?} h = {step:.0e}: {error:.1e}, not {plain:.1e}");
                println!("{what}, {events} crossings");
                assert!(events > 20, "{what}: {events}");
                assert!(error < 1.2 * plain + 2e3 * step * step, "{what}");
            }
        }
    }
}

/// The longest step, and the largest distance of the pins of a parallelogram from the circles on which they turn and of its coupler from
/// the level, on dense output, where it is nearly flat and elsewhere.
#[derive(Default)]
struct Circles {
    flat: f64,
    elsewhere: f64,
    longest: f64,
}

impl Observer for Circles {
    fn observe(&mut self, view: &mut StepView) -> ControlFlow<()> {
        let (from, to) = (view.from.t, view.to.t);
        self.longest = self.longest.max(to - from);
        for sample in 0..10 {
            let t = from + (to - from) * f64::from(sample) / 10.0;
            let q = &view.at(t).q;
            // Centres of the cranks, and the angle of the coupler.
            let radius = |x: f64, y: f64| (x.hypot(y) - 0.3).abs();
            let errors = [radius(q[0], q[1]), radius(q[3] - 1.3, q[4]), q[8].abs()];
            let worst = if q[1].abs() < 0.03 {
                &mut self.flat
            } else {
                &mut self.elsewhere
            };
            *worst = errors.into_iter().fold(*worst, f64::max);
        }
        ControlFlow::Continue(())
    }

    fn wants_dense_output(&self) -> bool {
        true
    }
}

#[test]
fn steps_across_are_as_long_as_asked_for_and_interpolated_well() {
    let case = parallelogram(false);
    let tight = Options::adaptive(case.t_end, 1e-9, 1e-9);
    let short = Options {
        max_step: 0.01,
        ..tight.clone()
    };
    let runs = [
        ("hem5", tight, 1e-9),
        ("hem5", short, 1e-9),
        ("rattle", Options::fixed(case.t_end, 1e-3), 1e-9),
        ("half-implicit", Options::fixed(case.t_end, 1e-3), 1e-9),
        ("generalized-alpha", Options::fixed(case.t_end, 7e-3), 1e-8),
    ];
    for (method, options, bound) in runs {
        let longest = match options.control {
            StepControl::Fixed(step) => step,
            StepControl::Adaptive { .. } => options.max_step,
        };
        let mut circles = Circles::default();
        let mut system = case.system();
        let integrator = liedae_contact::methods()
            .build(method, &MethodOptions::default())
            .expect("registered");
        let (system, integrator) = (system.as_mut(), integrator.as_ref());
        let solution = solve_observed(system, integrator, &options, &mut circles).expect("solved");
        println!(
            "{method}: off by {:.1e} where it is flat, {:.1e} elsewhere; longest step {:.1e}",
            circles.flat, circles.elsewhere, circles.longest
        );
        assert_eq!(solution.events.len(), case.passes);
        assert!(
            circles.longest <= longest * (1.0 + 1e-9),
            "{method}: {:e}",
            circles.longest
        );
        // Across as well as elsewhere.
        assert!(
            circles.flat < circles.elsewhere.max(bound),
            "{method}: {:e}",
            circles.flat
        );
    }
}

fn table(cases: &[Case]) {
    let tolerances = [1e-4, 1e-6, 1e-8, 1e-10].map(Level::Tolerance);
    let steps = [1e-2, 1e-3, 1e-4].map(Level::Step);
    let levels: Vec<Level> = tolerances.into_iter().chain(steps).collect();
    // Methods of order 1 need half a million steps for 1e-10.
    check(cases, &levels, 3_000_000, |_| true);
}

#[test]
#[ignore = "a part of the whole table: minutes"]
fn table_of_loops() {
    table(&[slider_crank(), parallelogram(false), parallelogram(true)]);
}

#[test]
#[ignore = "a part of the whole table: minutes"]
fn table_of_one_window() {
    table(&[four_bars(1, false), four_bars(1, true)]);
}

#[test]
#[ignore = "a part of the whole table: minutes"]
fn table_of_two_windows() {
    table(&[four_bars(2, false), four_bars(2, true)]);
}

#[test]
#[ignore = "a part of the whole table: an hour"]
fn table_of_five_windows() {
    table(&[four_bars(5, false), four_bars(5, true)]);
}

#[test]
#[ignore = "a part of the whole table: an hour"]
fn table_of_ten_windows() {
    table(&[four_bars(10, false), four_bars(10, true)]);
}
