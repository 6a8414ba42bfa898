//! Projections hold the energy of systems that keep it, beside the constraints.

use crate::common::{HeavyTop, Pendulum, Sleigh, TopGroup};
use liedae::control::{ErrorNorm, Tolerances};
use liedae::integrator::{
    Attempt, Integrator, Kind, Method, MethodOptions, Orders, Projection, StepError, StepSizes,
    Stepper,
};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Observer, Options, Solution, StepView, solve, solve_observed};
use liedae::system::{
    AccelerationSolver, Automatic, Evaluator, Layout, MatrixMut, Model, Point, Projector, State,
    System,
};
use std::ops::ControlFlow;

/// The methods that project.
const METHODS: [&str; 5] = ["hem5", "phem56", "mdop5", "dop853", "extrapolation"];

/// Hénon and Heiles' star in a galaxy: no constraints at all.
struct HenonHeiles;

impl Model for HenonHeiles {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2))
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![0.0, 0.1],
            v: vec![0.5, 0.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let [x, y] = [at.q[0], at.q[1]];
        force[0] = -x - x * y * 2.0;
        force[1] = -y - x * x + y * y;
    }
    fn energy(&self, at: &Point) -> Option<f64> {
        let [x, y] = [at.q[0], at.q[1]];
        let kinetic = 0.5 * (at.v[0] * at.v[0] + at.v[1] * at.v[1]);
        Some(kinetic + 0.5 * (x * x + y * y) + x * x * y - y * y * y / 3.0)
    }
}

/// The largest deviation of the energy, and the largest violation at position and velocity level.
#[derive(Default)]
struct Watcher {
    first: Option<f64>,
    energy: f64,
    violation: f64,
    projector: Option<Projector>,
}

impl Observer for Watcher {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let state = step.to.clone();
        let system = step.system();
        let energy = system.energy(&state.point()).unwrap().expect("known");
        let first = *self.first.get_or_insert(energy);
        self.energy = larger(self.energy, (energy - first).abs() / first.abs().max(1.0));
        let projector = &mut self.projector;
        let projector =
            projector.get_or_insert_with(|| Projector::new(system.layout()).expect("a layout"));
        let violation = projector.violation(system, &state).expect("finite");
        self.violation = larger(
            self.violation,
            violation.position.max(violation.velocity / 100.0),
        );
        ControlFlow::Continue(())
    }
}

/// A NaN wins.
fn larger(largest: f64, value: f64) -> f64 {
    if value > largest || value.is_nan() {
        value
    } else {
        largest
    }
}

fn watch(
    system: &mut dyn System,
    method: &str,
    projection: Projection,
    options: &Options,
) -> (Watcher, Solution) {
    let choice = MethodOptions {
        projection: Some(projection),
        ..MethodOptions::default()
    };
    let method = crate::known_methods()
        .build(method, &choice)
        .expect("registered");
    let mut watcher = Watcher::default();
    let solution = solve_observed(system, method.as_ref(), options, &mut watcher);
    let solution = solution.unwrap_or_else(|error| panic!("{}: {error}", method.method().name));
    (watcher, solution)
}

fn systems() -> Vec<(&'static str, Box<dyn System>, f64)> {
    let top = |group| Box::new(Automatic::new(HeavyTop(group)).keeping_energy());
    vec![
        (
            "pendulum",
            Box::new(Automatic::new(Pendulum).keeping_energy()),
            20.0,
        ),
        (
            "star",
            Box::new(Automatic::new(HenonHeiles).keeping_energy()),
            100.0,
        ),
        (
            "sleigh",
            Box::new(Automatic::new(Sleigh).keeping_energy()),
            10.0,
        ),
        ("top, matrix", top(TopGroup::Matrix), 1.0),
        ("top, quaternion", top(TopGroup::Quaternion), 1.0),
        ("top, SE(3)", top(TopGroup::RigidMotion), 1.0),
    ]
}

#[test]
fn energy_and_constraints_hold_to_round_off() {
    for tolerance in [1e-3, 1e-6, 1e-9] {
        for method in METHODS {
            for (name, mut system, t_end) in systems() {
                let options = Options::adaptive(t_end, tolerance, tolerance);
                let every = Projection::EveryStep;
                let (seen, _) = watch(system.as_mut(), method, every, &options);
                println!(
                    "{method:<13} {name:<16} {tolerance:e}: energy {:.1e}, constraints {:.1e}",
                    seen.energy, seen.violation
                );
                assert!(
                    seen.energy < 1e-13 && seen.violation < 1e-13,
                    "{method} {name} {tolerance:e}: {:e} {:e}",
                    seen.energy,
                    seen.violation
                );
            }
        }
    }
}

#[test]
fn other_rules_leave_the_energy_alone() {
    for method in METHODS {
        let options = Options::adaptive(20.0, 1e-5, 1e-5);
        let mut system = Automatic::new(Pendulum).keeping_energy();
        let (kept, ours) = watch(&mut system, method, Projection::Constraints, &options);
        let mut system = Automatic::new(Pendulum);
        let (free, theirs) = watch(&mut system, method, Projection::EveryStep, &options);
        assert!(kept.energy > 1e-9, "{method}: {:e}", kept.energy);
        assert_eq!((kept.energy, ours.state), (free.energy, theirs.state));
        let mut system = Automatic::new(Pendulum).keeping_energy();
        let (never, _) = watch(&mut system, method, Projection::Never, &options);
        assert!(never.energy > 1e-9, "{method}: {:e}", never.energy);
    }
}

/// Times of passing the lowest point: without the energy the error of the period grows with t, with it less.
#[test]
fn the_period_gains_from_it() {
    for method in METHODS {
        let error = |projection| {
            let mut system = Automatic::new(Pendulum).keeping_energy();
            let options = Options::adaptive(100.0, 1e-7, 1e-7);
            let (_, solution) = watch(&mut system, method, projection, &options);
            let mut system = Automatic::new(Pendulum);
            let tight = Options::adaptive(100.0, 1e-13, 1e-13);
            let (_, exact) = watch(&mut system, "dop853", Projection::EveryStep, &tight);
            let distance = solution.state.q.iter().zip(&exact.state.q);
            distance.fold(0.0, |sum, (a, b)| larger(sum, (a - b).abs()))
        };
        let [free, kept] = [Projection::Constraints, Projection::EveryStep].map(error);
        println!("{method}: {free:.1e} without, {kept:.1e} with the energy");
        assert!(kept < free, "{method}: {kept:e} with, {free:e} without");
    }
}

/// What rests in equilibrium has nothing that could change its energy, and needs nothing.
#[test]
fn rest_stays_rest() {
    struct Hanging;
    impl Model for Hanging {
        fn layout(&self) -> Layout {
            Pendulum.layout()
        }
        fn initial_state(&self) -> State {
            State {
                q: vec![0.0, -1.0],
                v: vec![0.0, 0.0],
                ..Pendulum.initial_state()
            }
        }
        fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
            Pendulum.mass_matrix(at, mass);
        }
        fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
            Pendulum.force(at, force);
        }
        fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
            Pendulum.position_constraint(at, g);
        }
        fn energy(&self, at: &Point) -> Option<f64> {
            Pendulum.energy(at)
        }
    }
    for method in METHODS {
        let mut system = Automatic::new(Hanging).keeping_energy();
        let options = Options::adaptive(10.0, 1e-8, 1e-8);
        let (_, solution) = watch(&mut system, method, Projection::EveryStep, &options);
        assert!(solution.state.q[0].abs() < 1e-14 && solution.state.v[0].abs() < 1e-14);
    }
}

/// An energy that is out of reach is left alone, and one that is not finite is an error that says so.
#[test]
fn energies_out_of_reach() {
    let mut system = Automatic::new(Pendulum).keeping_energy();
    let mut state = Pendulum.initial_state();
    let mut evaluator = Evaluator::new(&mut system);
    let mut projector = Projector::keeping_energy(&mut evaluator, &state).unwrap();
    state.q = vec![0.0, -1.0];
    state.v = vec![1.0, 0.0];
    let before = state.clone();
    projector
        .project_energy(&mut evaluator, &mut state, 1e-2)
        .unwrap();
    assert_eq!(state, before);

    struct Unbounded;
    impl Model for Unbounded {
        fn layout(&self) -> Layout {
            HenonHeiles.layout()
        }
        fn initial_state(&self) -> State {
            HenonHeiles.initial_state()
        }
        fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
            HenonHeiles.mass_matrix(at, mass);
        }
        fn force<S: Scalar>(&self, _at: &Point<S>, _force: &mut [S]) {}
        fn energy(&self, at: &Point) -> Option<f64> {
            Some(if at.t > 0.5 { f64::NAN } else { 1.0 })
        }
        fn keeps_energy(&self) -> bool {
            true
        }
    }
    let method = crate::known_methods()
        .build("mdop5", &MethodOptions::default())
        .unwrap();
    let mut system = Automatic::new(Unbounded);
    let options = Options::adaptive(1.0, 1e-6, 1e-6);
    let error = solve_observed(
        &mut system,
        method.as_ref(),
        &options,
        &mut Watcher::default(),
    )
    .unwrap_err();
    assert!(error.to_string().contains("energy"), "{error}");
}

/// Weights of equal mass over a pulley, one of them on a spring: their potentials cancel, and leave round-off that is more than
/// the energy of a small oscillation. It must not become motion.
#[test]
fn round_off_is_no_motion() {
    const AMPLITUDE: f64 = 1e-6;
    const HEIGHT: f64 = 10.0;
    const GRAVITY: f64 = 9.81;
    struct Pulley;
    impl Model for Pulley {
        fn layout(&self) -> Layout {
            Layout::dense(Manifold::euclidean(2)).with_position_rows(1)
        }
        fn initial_state(&self) -> State {
            let height = HEIGHT + AMPLITUDE;
            State {
                q: vec![height, -height],
                ..self.layout().state()
            }
        }
        fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
            mass[(0, 0)] = S::constant(1.0);
            mass[(1, 1)] = S::constant(1.0);
        }
        fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
            force[0] = -at.q[0] + HEIGHT - GRAVITY;
            force[1] = S::constant(-GRAVITY);
        }
        fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
            g[0] = at.q[0] + at.q[1];
        }
        fn energy(&self, at: &Point) -> Option<f64> {
            let weights = at.q.iter().zip(at.v);
            let weights = weights.map(|(q, v)| 0.5 * v * v + GRAVITY * q);
            Some(weights.sum::<f64>() + 0.5 * (at.q[0] - HEIGHT).powi(2))
        }
    }
    for method in METHODS {
        let mut system = Automatic::new(Pulley).keeping_energy();
        let options = Options::adaptive(100.0, 1e-10, 1e-14);
        let (_, solution) = watch(&mut system, method, Projection::EveryStep, &options);
        let exact = AMPLITUDE * (0.5f64.sqrt() * 100.0).cos();
        let error = (solution.state.q[0] - HEIGHT - exact) / AMPLITUDE;
        println!("{method}: {error:.1e} of the amplitude");
        assert!(error.abs() < 1e-5, "{method}: {error:e}");
    }
}

/// The last stage of a step is the first one of the next, also where the energy is held.
#[test]
fn the_first_stage_stays_the_last() {
    let stages = |projection| {
        let mut system = Automatic::new(HenonHeiles).keeping_energy();
        let options = Options::adaptive(100.0, 1e-6, 1e-6);
        let (_, run) = watch(&mut system, "mdop5", projection, &options);
        let statistics = run.statistics;
        let tries = statistics.accepted + statistics.rejected.error_test;
        statistics.work.solves as f64 / tries as f64
    };
    let [free, held] = [Projection::Never, Projection::EveryStep].map(stages);
    println!("{free:.2} solutions per step, {held:.2} with the energy held");
    // One more, for the direction of the projection.
    assert!(free < 6.1 && held < 7.1, "{free} {held}");
}

/// A method that starts anew because rows have changed keeps the energy that it had; where the state has jumped it is told so.
#[test]
fn only_jumps_change_the_energy() {
    for name in METHODS {
        let method = crate::known_methods()
            .build(name, &MethodOptions::default())
            .expect("registered");
        let mut system = Automatic::new(Pendulum).keeping_energy();
        let mut system = Evaluator::new(&mut system);
        let mut norm = ErrorNorm::new(&Tolerances::default(), system.layout()).expect("a norm");
        let mut from = Pendulum.initial_state();
        from.v = vec![0.6 * from.q[1], -0.6 * from.q[0]];
        let mut solver = AccelerationSolver::new(system.layout()).expect("a layout");
        solver.complete(&mut system, &mut from).expect("complete");
        let mut stepper = method
            .start(&mut system, &from, StepSizes::Constant)
            .expect("started");
        let kept = system.energy(&from.point()).unwrap().expect("known");

        for v in &mut from.v {
            *v *= 1.01;
        }
        solver.complete(&mut system, &mut from).expect("complete");
        let jumped = system.energy(&from.point()).unwrap().expect("known");
        stepper.restart(&mut system, &from).expect("started anew");
        for (wanted, other) in [(kept, jumped), (jumped, kept)] {
            let h = 1e-3;
            let mut to = from.clone();
            to.t += h;
            stepper
                .step(&mut system, &from, h, &mut norm, &mut to)
                .expect("a step");
            stepper
                .accept(&mut system, &from, h, &mut to)
                .expect("accepted");
            let energy = system.energy(&to.point()).unwrap().expect("known");
            println!("{name}: {energy} of {wanted}, not {other}");
            assert!((energy - wanted).abs() < 1e-12);
            assert!((wanted - other).abs() > 1e-4);
            stepper.restart(&mut system, &from).expect("started anew");
            let projector = stepper.energy_projector().expect("it keeps the energy");
            projector.keep_energy(&mut system, &from).expect("told");
        }
    }
}

/// Euler's method of somebody's own, which projects onto the energy and leaves it to the driver to say which.
struct Euler;

static EULER: Method = Method::new("own-euler", Kind::Explicit, Orders::all(1));

struct EulerStepper {
    projector: Projector,
    accelerations: AccelerationSolver,
    displacement: Vec<f64>,
}

impl Integrator for Euler {
    fn method(&self) -> &'static Method {
        &EULER
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        _sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        let layout = system.layout();
        let linear = |source| StepError::linear(state.t, source);
        Ok(Box::new(EulerStepper {
            projector: Projector::new(layout).map_err(linear)?,
            accelerations: AccelerationSolver::new(layout).map_err(linear)?,
            displacement: vec![0.0; layout.dimension()],
        }))
    }
}

impl Stepper for EulerStepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        _norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        for (index, u) in self.displacement.iter_mut().enumerate() {
            *u = h * from.v[index];
            to.v[index] = from.v[index] + h * from.acceleration[index];
        }
        let space = &system.layout().space;
        space.retract(&from.q, &self.displacement, &mut to.q);
        Ok(Attempt::without_estimate())
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        _from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        self.projector.project_energy(system, to, h)?;
        Ok(self.accelerations.complete(system, to)?)
    }

    fn energy_projector(&mut self) -> Option<&mut Projector> {
        Some(&mut self.projector)
    }
}

#[test]
fn methods_of_ones_own_are_told_the_energy_at_the_start() {
    let energy = |state: &State| HenonHeiles.energy(&state.point()).expect("known");
    let kept = energy(&HenonHeiles.initial_state());
    let options = Options::fixed(5.0, 1e-2);
    let free = solve(&mut Automatic::new(HenonHeiles), &Euler, &options).expect("solved");
    assert!((energy(&free.state) - kept).abs() > 1e-3);
    let mut keeping = Automatic::new(HenonHeiles).keeping_energy();
    let held = solve(&mut keeping, &Euler, &options).expect("solved");
    assert!((energy(&held.state) - kept).abs() < 1e-12);
}
