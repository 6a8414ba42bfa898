//! Where events are found: none missed, in order, together, at the moment that the method itself gives.

use liedae::integrator::{Integrator, MethodOptions};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, Silent, Solution, solve, solve_from};
use liedae::system::{
    Automatic, Direction, EventAction, EventDescription, Layout, MatrixMut, Model, ModelEvents,
    Point, State,
};

/// A particle q'' = a - k q, with event functions and handler to choose.
#[derive(Clone)]
struct Particle<F, H> {
    start: [f64; 2],
    force: f64,
    stiffness: f64,
    directions: Vec<Direction>,
    functions: F,
    handler: H,
}

impl<F, H> Model for Particle<F, H>
where
    F: Fn(&Point, &mut [f64]),
    H: Fn(usize, &mut State) -> EventAction,
{
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(1))
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![self.start[0]],
            v: vec![self.start[1]],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = S::constant(self.force) - S::constant(self.stiffness) * at.q[0];
    }
    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl<F, H> ModelEvents for Particle<F, H>
where
    F: Fn(&Point, &mut [f64]),
    H: Fn(usize, &mut State) -> EventAction,
{
    fn descriptions(&self) -> Vec<EventDescription> {
        let describe = |(index, &direction): (usize, &Direction)| {
            EventDescription::new("event", index.to_string(), direction)
        };
        self.directions.iter().enumerate().map(describe).collect()
    }
    fn event_functions(&self, at: &Point, out: &mut [f64]) {
        (self.functions)(at, out);
    }
    fn handle_event(&self, event: usize, state: &mut State) -> EventAction {
        (self.handler)(event, state)
    }
}

fn method(name: &str) -> Box<dyn Integrator> {
    crate::known_methods()
        .build(name, &MethodOptions::default())
        .expect("registered")
}

fn times(solution: &Solution) -> Vec<f64> {
    solution.events.iter().map(|event| event.t).collect()
}

/// Numbers between 0 and 1, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

const METHODS: [&str; 6] = ["hem5", "mdop5", "dop853", "phem56", "rk4", "extrapolation"];

#[test]
fn no_dip_of_a_parabola_is_missed() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for number in 0..6000 {
        let depth = 10.0_f64.powf(numbers.between(-12.0, 0.0));
        let half = depth.sqrt();
        let place = numbers.between(half + 0.01, half + 1.0);
        let end = place + half + numbers.between(0.01, 0.5);
        let step = end * numbers.between(0.02, 1.1);
        let direction = [Direction::Falling, Direction::Rising, Direction::Both][number % 3];
        let particle = Particle {
            start: [place * place - depth, -2.0 * place],
            force: 2.0,
            stiffness: 0.0,
            directions: vec![direction],
            functions: |at: &Point, out: &mut [f64]| out[0] = at.q[0],
            handler: |_, _: &mut State| EventAction::Continue,
        };
        let name = METHODS[number % METHODS.len()];
        let options = Options::fixed(end, step);
        let solution = solve(
            &mut Automatic::new(particle),
            method(name).as_ref(),
            &options,
        )
        .expect("solved");
        let expected: &[f64] = match direction {
            Direction::Falling => &[place - half],
            Direction::Rising => &[place + half],
            Direction::Both => &[place - half, place + half],
        };
        let found = times(&solution);
        assert_eq!(
            found.len(),
            expected.len(),
            "{name}, number {number}: depth {depth:e} at {place}, step {step}: {found:?}"
        );
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found - expected).abs() < 1e-11 + 2e-14 / half,
                "{name}: {found} for {expected}, depth {depth:e}"
            );
        }
    }
}

#[test]
fn no_crossing_of_waves_is_missed() {
    let mut numbers = Numbers(0xd1b5_4a32_d192_ed03);
    let mut total = 0;
    for number in 0..4000 {
        let (a, b) = (numbers.between(0.0, 6.3), numbers.between(0.0, 6.3));
        let (slow, fast) = (numbers.between(0.5, 3.0), numbers.between(3.0, 9.0));
        let wave = move |t: f64| (slow * t + a).sin() + 0.4 * (fast * t + b).sin();
        let particle = Particle {
            start: [0.0, 1.0],
            force: 0.0,
            stiffness: 0.0,
            directions: vec![Direction::Both],
            functions: move |at: &Point, out: &mut [f64]| out[0] = wave(at.t),
            handler: |_, _: &mut State| EventAction::Continue,
        };
        let (end, grid) = (3.0, 3000);
        let options = Options::fixed(end, numbers.between(0.05, 0.6));
        let name = METHODS[number % METHODS.len()];
        let solution = solve(
            &mut Automatic::new(particle),
            method(name).as_ref(),
            &options,
        )
        .expect("solved");
        let value = |index: usize| wave(end * index as f64 / f64::from(grid));
        let seen = (0..grid as usize).filter(|&index| value(index) * value(index + 1) < 0.0);
        let (seen, found) = (seen.count(), times(&solution));
        assert!(found.len() >= seen, "{name}: {found:?} for {seen}");
        assert!(found.iter().all(|&t| wave(t).abs() < 1e-10), "{found:?}");
        assert!(found.windows(2).all(|pair| pair[0] < pair[1]));
        total += seen;
    }
    assert!(total > 4000, "{total}");
}

#[test]
fn events_of_one_step_come_in_order_and_those_of_one_moment_together() {
    for name in METHODS {
        let particle = Particle {
            start: [0.0, 1.0],
            force: 0.0,
            stiffness: 0.0,
            directions: vec![Direction::Both; 4],
            functions: |at: &Point, out: &mut [f64]| {
                let q = at.q[0];
                out.copy_from_slice(&[q - 0.7, q - 0.3, 3.0 * (0.3 - q), (q - 0.5) * (q - 0.9)]);
            },
            handler: |_, _: &mut State| EventAction::Continue,
        };
        let options = Options::fixed(1.0, 1.0);
        let solution = solve(
            &mut Automatic::new(particle),
            method(name).as_ref(),
            &options,
        )
        .expect("solved");
        let labels: Vec<&str> = (solution.events.iter())
            .map(|event| event.label.as_str())
            .collect();
        assert_eq!(labels, ["1", "2", "3", "0", "3"], "{name}");
        let found = times(&solution);
        for (found, expected) in found.iter().zip([0.3, 0.3, 0.5, 0.7, 0.9]) {
            assert!((found - expected).abs() < 1e-11, "{name}: {found}");
        }
        assert_eq!(found[0], found[1], "{name}");
        assert!(solution.statistics.repeated > 0);
        assert_eq!(solution.statistics.accepted, 1);
    }
}

#[test]
fn a_function_that_leaves_its_root_and_returns_within_the_step_is_found() {
    for name in METHODS {
        for speed in [1e-6, 1e-3, 0.1] {
            let particle = Particle {
                start: [0.0, speed],
                force: -10.0,
                stiffness: 0.0,
                directions: vec![Direction::Falling],
                functions: |at: &Point, out: &mut [f64]| out[0] = at.q[0],
                handler: |_, _: &mut State| EventAction::Stop,
            };
            let options = Options::fixed(1.0, 0.3);
            let solution = solve(
                &mut Automatic::new(particle),
                method(name).as_ref(),
                &options,
            )
            .expect("solved");
            let (found, expected) = (times(&solution), 0.2 * speed);
            assert_eq!(found.len(), 1, "{name} {speed}");
            assert!((found[0] - expected).abs() < 2e-12, "{name}: {found:?}");
        }
    }
}

#[test]
fn moments_have_the_accuracy_of_the_method() {
    // q = cos t falls through 0.3; the next time, with a velocity that the event has not changed, one period later.
    for name in METHODS {
        let particle = Particle {
            start: [1.0, 0.0],
            force: 0.0,
            stiffness: 1.0,
            directions: vec![Direction::Falling],
            functions: |at: &Point, out: &mut [f64]| out[0] = at.q[0] - 0.3,
            handler: |_, _: &mut State| EventAction::Restart,
        };
        let options = Options::adaptive(2.0, 1e-10, 1e-10);
        let solution = solve(
            &mut Automatic::new(particle),
            method(name).as_ref(),
            &options,
        )
        .expect("solved");
        let found = times(&solution);
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        let error = (found[0] - 0.3_f64.acos()).abs();
        assert!(error < 1e-9, "{name}: {error:e}");
    }
}

/// A point mass on a string of length 1 m; the event is the moment at which the string goes slack.
struct MassOnString;

const GRAVITY: f64 = 9.81;

impl Model for MassOnString {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2)).with_position_rows(1)
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![0.0, -1.0],
            v: vec![2.0 * GRAVITY.sqrt(), 0.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-GRAVITY);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = (at.q[0] * at.q[0] + at.q[1] * at.q[1] - S::constant(1.0)) * S::constant(0.5);
    }

    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl ModelEvents for MassOnString {
    fn descriptions(&self) -> Vec<EventDescription> {
        vec![EventDescription::new("slack", "string", Direction::Rising).of_multipliers()]
    }

    fn event_functions(&self, at: &Point, out: &mut [f64]) {
        out[0] = at.lambda[0];
    }

    fn handle_event(&self, _event: usize, _state: &mut State) -> EventAction {
        EventAction::Stop
    }
}

#[test]
fn a_multiplier_is_followed_to_its_root() {
    // With v₀² = 4 g the string carries v²/l + g cos θ = 2 g + 3 g cos θ; t = ∫ dθ/ω by Simpson's rule.
    let angle = (-2.0_f64 / 3.0).acos();
    let count = 20_000;
    let rate = |theta: f64| 1.0 / (4.0 * GRAVITY - 2.0 * GRAVITY * (1.0 - theta.cos())).sqrt();
    let terms = (0..=count).map(|index| {
        let weight = match index {
            0 => 1.0,
            index if index == count => 1.0,
            index if index % 2 == 1 => 4.0,
            _ => 2.0,
        };
        weight * rate(angle * f64::from(index) / f64::from(count))
    });
    let expected = terms.sum::<f64>() * angle / f64::from(count) / 3.0;
    for name in ["hem5", "mdop5", "dop853", "phem56"] {
        let options = Options::adaptive(2.0, 1e-11, 1e-11);
        let mut system = Automatic::new(MassOnString);
        let start = MassOnString.initial_state();
        let integrator = method(name);
        let solution = solve_from(
            &mut system,
            integrator.as_ref(),
            start,
            &options,
            &mut Silent,
        )
        .expect("solved");
        let found = times(&solution);
        assert_eq!(found.len(), 1, "{name}");
        let error = (found[0] - expected).abs();
        assert!(error < 1e-9, "{name}: {error:e}");
        assert!(solution.state.lambda[0].abs() < 1e-8, "{name}");
    }
}

/// Right after the start the first function rises, comes back, dips below zero and rises again before the first sample of a step
/// of 1 s, at both ends of which it rises; the second function ends the run within that step.
#[test]
fn a_dip_between_the_start_and_the_first_sample_is_seen_before_a_later_event() {
    let particle = || Particle {
        start: [0.0, 1.0],
        force: 0.0,
        stiffness: 0.0,
        directions: vec![Direction::Falling, Direction::Rising],
        functions: |at: &Point, out: &mut [f64]| {
            let q = at.q[0];
            out[0] = q * (q - 0.03) * (q - 0.09);
            out[1] = q - 0.3;
        },
        handler: |_, _: &mut State| EventAction::Stop,
    };
    for name in ["rk4", "hem5", "dop853", "half-implicit"] {
        let method = crate::known_methods().build(name, &MethodOptions::default());
        let method = method.expect("registered");
        let mut system = Automatic::new(particle());
        let solution = solve(&mut system, method.as_ref(), &Options::fixed(1.0, 1.0)).expect(name);
        assert!(
            (solution.state.t - 0.03).abs() < 1e-9,
            "{name}: {}",
            solution.state.t
        );
    }
}

/// In the second step a function comes and goes before another one ends the run, be it early or late in the step.
#[test]
fn an_early_crossing_hides_nothing_before_it() {
    let mut numbers = Numbers(0x1234_5678_9abc_def1);
    for number in 0..3000 {
        let last = 1.0 + numbers.between(0.02, 1.0);
        let place = 1.0 + (last - 1.0) * numbers.between(0.1, 0.9);
        let widest = (place - 1.0).min(last - place);
        let half = widest * 10.0_f64.powf(numbers.between(-4.0, -0.1));
        let particle = Particle {
            start: [0.0, 1.0],
            force: 0.0,
            stiffness: 0.0,
            directions: vec![Direction::Rising, Direction::Falling],
            functions: move |at: &Point, out: &mut [f64]| {
                let q = at.q[0];
                out[0] = q - last;
                out[1] = (q - place + half) * (q - place - half);
            },
            handler: |_, _: &mut State| EventAction::Stop,
        };
        let name = METHODS[number % METHODS.len()];
        let mut system = Automatic::new(particle);
        let options = Options::fixed(3.0, 1.0);
        let solution = solve(&mut system, method(name).as_ref(), &options).expect(name);
        let (found, expected) = (solution.state.t, place - half);
        assert!(
            (found - expected).abs() < 1e-11 + 2e-14 / half,
            "{name}: {found} for {expected}, before {last}"
        );
    }
}

/// One of two functions crosses just before a sample, the other just behind it.
#[test]
fn crossings_beside_a_sample_happen_together() {
    for sample in 1..8 {
        let index = f64::from(sample);
        let turns = index * 0.618_033_988_749_894_9;
        let place = 1.0 + (index + 0.4 * (turns.fract() - 0.5)) / 8.0;
        for distance in [0.0, 1e-14, 2e-13] {
            let particle = Particle {
                start: [0.0, 1.0],
                force: 0.0,
                stiffness: 0.0,
                directions: vec![Direction::Falling, Direction::Rising],
                functions: move |at: &Point, out: &mut [f64]| {
                    out[0] = place + distance - at.q[0];
                    out[1] = 2.0 * (at.q[0] - (place - distance));
                },
                handler: |_, _: &mut State| EventAction::Restart,
            };
            for name in METHODS {
                let mut system = Automatic::new(particle.clone());
                let options = Options::fixed(4.0, 1.0);
                let solution = solve(&mut system, method(name).as_ref(), &options).expect(name);
                let labels: Vec<&str> = (solution.events.iter())
                    .map(|event| event.label.as_str())
                    .collect();
                assert_eq!(labels, ["0", "1"], "{name}: {sample}, {distance:e}");
                let found = times(&solution);
                assert!(found[0] == found[1] && (found[0] - place).abs() < 1e-12);
            }
        }
    }
}

/// Steps are long for an oscillation, so that dense output crosses levels which no repeated step reaches: what crosses behind in the
/// same step is found.
#[test]
fn behind_a_crossing_that_is_none_the_search_goes_on() {
    let mut numbers = Numbers(0x0fed_cba9_8765_4321);
    let (mut seen, mut unseen) = (0, 0);
    for number in 0..2000 {
        let (level, last) = (numbers.between(0.97, 1.01), numbers.between(1.5, 2.2));
        // The top of sin(t + 0.22) is at t = 1.35, early in the second step.
        let particle = Particle {
            start: [0.22_f64.sin(), 0.22_f64.cos()],
            force: 0.0,
            stiffness: 1.0,
            directions: vec![Direction::Rising; 2],
            functions: move |at: &Point, out: &mut [f64]| {
                out[0] = at.q[0] - level;
                out[1] = at.t - last;
            },
            handler: |event: usize, _: &mut State| match event {
                0 => EventAction::Continue,
                _ => EventAction::Stop,
            },
        };
        let name = METHODS[number % METHODS.len()];
        let mut system = Automatic::new(particle);
        let options = Options::fixed(6.0, 1.2);
        let solution = solve(&mut system, method(name).as_ref(), &options).expect(name);
        assert!((solution.state.t - last).abs() < 1e-11, "{name}: {last}");
        let events = solution.events.len();
        (seen, unseen) = (
            seen + usize::from(events > 1),
            unseen + usize::from(events == 1),
        );
    }
    assert!(seen > 100 && unseen > 100, "{seen}, {unseen}");
}
