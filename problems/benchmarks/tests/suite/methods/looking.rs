//! Looking does not change a run: observed or not, with samples or without, all methods take the same steps on all kinds
//! of problems, count the same work and end in the same state, bit for bit.

use crate::common::build as problem;
use liedae::integrator::{MethodEntry, MethodOptions};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Observer, Options, Silent, Statistics, StepView, solve_observed};
use liedae::system::{
    Automatic, Layout, MatrixMut, Model, Point, State, System, output_names, output_values,
};
use liedae_problems::ProblemRegistry;
use std::ops::ControlFlow;

/// The N-four-bar: windows of unit rods that fall through the flat position, where the rank of the constraints drops.
struct Windows(usize);

impl Model for Windows {
    fn layout(&self) -> Layout {
        let points = self.0 + 1;
        Layout::dense(Manifold::euclidean(2 * points)).with_position_rows(points + self.0)
    }
    fn initial_state(&self) -> State {
        let points = 0..=self.0;
        State {
            q: points
                .clone()
                .flat_map(|index| [index as f64, 1.0])
                .collect(),
            v: points.flat_map(|_| [1.0, 0.0]).collect(),
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for index in 0..2 * (self.0 + 1) {
            mass[(index, index)] = S::constant(1.0);
        }
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        for force in force.iter_mut().skip(1).step_by(2) {
            *force = S::constant(-9.81);
        }
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let point = |index: usize| [at.q[2 * index], at.q[2 * index + 1]];
        let unit = |x: S, y: S| (x * x + y * y - S::constant(1.0)) * 0.5;
        let (pillars, beams) = g.split_at_mut(self.0 + 1);
        for (index, g) in pillars.iter_mut().enumerate() {
            let [x, y] = point(index);
            *g = unit(x - S::constant(index as f64), y);
        }
        for (index, g) in beams.iter_mut().enumerate() {
            let ([x0, y0], [x1, y1]) = (point(index), point(index + 1));
            *g = unit(x1 - x0, y1 - y0);
        }
    }
}

/// How somebody looks at a run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Look {
    /// Into every step.
    Within,
    /// At complete states.
    AtEnds,
    /// Into some steps only, as one who wants a few samples.
    AtTimes,
}

struct Looking {
    look: Look,
    outputs: Vec<f64>,
    sum: f64,
}

impl Observer for Looking {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let count = match self.look {
            Look::Within => 3,
            Look::AtTimes if step.from.t % 0.1 < 0.05 => 1,
            Look::AtTimes | Look::AtEnds => 0,
        };
        for index in 0..=count {
            let share = index as f64 / count.max(1) as f64;
            let t = step.from.t + share * (step.to.t - step.from.t);
            let (state, system) = step.at_with_system(t);
            // Where the equations of motion are singular outputs may fail; that is the observer's business.
            let system = system.system();
            self.outputs.resize(output_names(system).len(), 0.0);
            let _ = output_values(system, state, &mut self.outputs);
            self.sum += state.lambda.iter().chain(&state.q).sum::<f64>();
        }
        ControlFlow::Continue(())
    }
    fn wants_dense_output(&self) -> bool {
        self.look != Look::AtEnds
    }
    fn wants_complete_states(&self) -> bool {
        true
    }
}

/// Steps, evaluations and linear algebra of a run.
fn counts(statistics: &Statistics) -> [usize; 11] {
    let (evaluations, work) = (statistics.evaluations, statistics.work);
    [
        statistics.accepted,
        statistics.rejected.total(),
        statistics.repeated,
        statistics.inner,
        evaluations.force,
        evaluations.constraint,
        evaluations.jacobian,
        evaluations.mass,
        work.factorizations,
        work.solves,
        work.newton_iterations,
    ]
}

/// Counts and the bits of the end state, or the error and as much of the last good state as it promises.
fn outcome(
    system: &mut dyn System,
    entry: MethodEntry,
    options: &Options,
    observer: &mut dyn Observer,
) -> (String, [usize; 11], Vec<u64>) {
    let method = liedae_contact::methods()
        .build(entry.method.name, &MethodOptions::default())
        .expect("defaults");
    let bits =
        |parts: &[&[f64]]| -> Vec<u64> { parts.concat().into_iter().map(f64::to_bits).collect() };
    match solve_observed(system, method.as_ref(), options, observer) {
        Ok(solution) => {
            let state = &solution.state;
            let parts = [
                &[state.t][..],
                &state.q,
                &state.v,
                &state.x,
                &state.z,
                &state.lambda,
                &state.acceleration,
            ];
            (
                format!("{:?}, {} events", solution.reason, solution.events.len()),
                counts(&solution.statistics),
                bits(&parts),
            )
        }
        Err(error) => {
            let state = error.state.as_ref().map_or(Vec::new(), |state| {
                bits(&[&[state.t][..], &state.q, &state.v, &state.x])
            });
            (error.kind.to_string(), counts(&error.statistics), state)
        }
    }
}

/// All methods, by tolerance where they can. Returns how many runs reached the end.
fn compare(
    name: &str,
    make: &dyn Fn() -> (Box<dyn System>, f64, f64),
    tolerance: f64,
    steps: usize,
) -> usize {
    let mut ended = 0;
    for entry in liedae_contact::methods() {
        let (mut system, t_end, step) = make();
        let mut options = if entry.method.is_adaptive() {
            Options::adaptive(t_end, tolerance, tolerance)
        } else {
            Options::fixed(t_end, step)
        };
        options.max_steps = steps;
        let unseen = outcome(system.as_mut(), entry, &options, &mut Silent);
        ended += usize::from(unseen.0.starts_with("EndTime"));
        for look in [Look::Within, Look::AtEnds, Look::AtTimes] {
            let (mut system, _, _) = make();
            let mut observer = Looking {
                look,
                outputs: Vec::new(),
                sum: 0.0,
            };
            let seen = outcome(system.as_mut(), entry, &options, &mut observer);
            let method = entry.method.name;
            assert_eq!(unseen.0, seen.0, "{name}, {method}, {look:?}: how it ended");
            assert_eq!(unseen.1, seen.1, "{name}, {method}, {look:?}: counts");
            assert!(
                unseen.2 == seen.2,
                "{name}, {method}, {look:?}: the state after {:?} steps differs",
                seen.1
            );
        }
    }
    ended
}

/// A registered problem over this share of its time span, at most so many steps. Returns how many methods reached its end.
fn registered(name: &str, settings: &[&str], share: f64, steps: usize) -> usize {
    let make = || {
        let problem = problem(name, settings);
        let start = problem.system.initial_state().t;
        let t_end = start + share * (problem.t_end - start);
        (problem.system, t_end, problem.default_step)
    };
    let ended = compare(name, &make, 1e-5, steps);
    println!("{name}: {ended} methods reached the end");
    ended
}

#[test]
fn smooth_mechanisms() {
    for (name, settings, share) in [
        ("pendulum", &[][..], 0.1),
        ("heavy-top", &[], 0.05),
        ("free-rigid-body", &[], 0.05),
        ("rolling-disk", &[], 0.1),
        ("slider-crank", &[], 0.1),
        ("four-link", &[], 0.1),
        // The dense and the block elimination.
        ("chain", &["n=3"], 0.05),
        ("chain", &["n=30"], 0.005),
        ("andrews", &[], 0.05),
        ("stiff-double-pendulum", &[], 0.05),
    ] {
        assert!(registered(name, settings, share, 300) > 0, "{name}");
    }
}

#[test]
fn first_order_systems() {
    for (name, share) in [
        ("robertson", 1e-3),
        ("hires", 0.1),
        ("transistor-amplifier", 0.02),
        ("car-axis", 0.05),
        ("wheelset", 0.02),
    ] {
        assert!(registered(name, &[], share, 300) > 0, "{name}");
    }
}

#[test]
fn contacts() {
    for (name, share) in [
        ("bouncing-ball", 0.6),
        ("pendulum-wall", 0.5),
        ("rocking-block", 0.5),
        ("cam-follower", 0.1),
        ("sliding-block", 0.5),
        ("slider-crank-friction", 0.1),
        ("double-pendulum-wall", 0.2),
        ("cam-rocker-valve", 0.1),
    ] {
        assert!(registered(name, &[], share, 300) > 0, "{name}");
    }
}

/// A run that does not reach the end of the time span stops at the same step in the same state.
#[test]
#[ignore = "all methods on all problems: five minutes"]
fn all_problems() {
    let problems = ProblemRegistry::standard();
    for entry in problems.entries() {
        registered(entry.name, &[], 1.0, 1000);
    }
    println!("{} problems", problems.entries().len());
}

#[test]
fn singular_configurations() {
    for (windows, tolerance) in [(1, 1e-4), (1, 1e-8), (2, 1e-6), (5, 1e-6)] {
        let make = || {
            let system: Box<dyn System> = Box::new(Automatic::new(Windows(windows)));
            (system, 1.5, 1e-2)
        };
        let name = format!("{windows} windows at {tolerance:e}");
        let ended = compare(&name, &make, tolerance, 1000);
        println!("{name}: {ended} methods reached the end");
    }
}
