//! RADAU5: orders of its formulations, stiff and differential-algebraic first-order systems, dense output.

use crate::common::{AnglePendulum, HeavyTop, Pendulum, TopGroup};
use liedae::control::{PerComponent, Tolerances};
use liedae::integrator::{Integrator, MethodOptions, NewtonOptions, Radau5};
use liedae::scalar::Scalar;
use liedae::solve::{
    Observer, Options, Recorder, Silent, StepControl, StepView, convergence, solve, solve_from,
    solve_observed,
};
use liedae::system::{
    Automatic, FirstOrder, FirstOrderModel, Formulation, Model, Property, State, System,
};
use std::ops::ControlFlow;

const BAUMGARTE: Formulation = Formulation::Baumgarte {
    alpha: 10.0,
    beta: 10.0,
};

fn with(formulation: Formulation) -> Radau5 {
    Radau5::new(Some(formulation), NewtonOptions::default())
}

/// The pendulum at `t` with its multiplier, from the ODE in its angle.
fn pendulum_reference(t: f64) -> State {
    let mut system = Automatic::new(AnglePendulum);
    let method = crate::known_methods()
        .build("mdop5", &MethodOptions::default())
        .expect("registered");
    let options = Options::adaptive(t, 1e-13, 1e-13);
    let solution = solve(&mut system, method.as_ref(), &options).expect("solved");
    let (theta, omega) = (solution.state.q[0], solution.state.v[0]);
    State {
        t,
        q: vec![theta.sin(), -theta.cos()],
        v: vec![omega * theta.cos(), omega * theta.sin()],
        lambda: vec![-omega * omega - 9.81 * theta.cos()],
        ..Pendulum.initial_state()
    }
}

#[test]
fn orders_of_the_formulations_on_the_pendulum() {
    let reference = pendulum_reference(1.0);
    for (formulation, expected) in [
        (Formulation::Index1, [5.0, 5.0, 5.0]),
        (BAUMGARTE, [5.0, 5.0, 5.0]),
        (Formulation::Index2, [5.0, 5.0, 5.0]),
        (Formulation::StabilizedIndex2, [5.0, 5.0, 5.0]),
        (Formulation::Index3, [5.0, 3.0, 3.0]),
    ] {
        let mut system = Automatic::new(Pendulum);
        let method = with(formulation);
        let steps = [0.04, 0.02, 0.01];
        let found = convergence(&mut system, &method, &steps, &reference).expect("solved");
        let orders = [found.order_q(), found.order_v(), found.order_lambda()];
        println!("{formulation}: {orders:.2?}, expected {expected:?}");
        // At index 3 the errors of order 3 in v are normal to the constraint, hence to v, so that |v|² in λ of the
        // pendulum does not see them; on other systems λ has the order that is stated.
        let lucky = formulation == Formulation::Index3;
        for (index, (order, expected)) in orders.into_iter().zip(expected).enumerate() {
            let above = if lucky && index == 2 { f64::MAX } else { 0.3 };
            assert!(
                order > expected - 0.3 && order < expected + above,
                "{formulation}: {orders:.2?}"
            );
        }
        let stated = method.method().orders;
        let stated = [stated.q, stated.v, stated.lambda].map(f64::from);
        assert_eq!(stated, expected, "{formulation}");
    }
}

#[test]
fn who_looks_at_a_run_does_not_change_it() {
    struct Looking(bool);
    impl Observer for Looking {
        fn observe(&mut self, _: &mut StepView) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn wants_complete_states(&self) -> bool {
            self.0
        }
    }
    for formulation in [
        Formulation::Index2,
        Formulation::StabilizedIndex2,
        Formulation::Index3,
    ] {
        let ends = [false, true].map(|looks| {
            let options = Options::adaptive(1.0, 1e-6, 1e-6);
            let mut system = Automatic::new(Pendulum);
            let method = with(formulation);
            solve_observed(&mut system, &method, &options, &mut Looking(looks)).expect("solved")
        });
        assert!(ends[0].statistics.accepted > 10);
        let [unseen, seen] = ends.map(|end| end.state);
        assert_eq!((unseen.q, unseen.v), (seen.q, seen.v), "{formulation}");
        assert_eq!(unseen.lambda, seen.lambda, "{formulation}");
    }
}

#[test]
fn orders_of_the_formulations_on_groups() {
    for group in [
        TopGroup::Matrix,
        TopGroup::Quaternion,
        TopGroup::RigidMotion,
    ] {
        let method = crate::known_methods()
            .build("mdop5", &MethodOptions::default())
            .expect("registered");
        let options = Options::adaptive(0.1, 1e-13, 1e-13);
        let mut system = Automatic::new(HeavyTop(group));
        let solution = solve(&mut system, method.as_ref(), &options).expect("solved");
        for formulation in [
            Formulation::Index1,
            BAUMGARTE,
            Formulation::Index2,
            Formulation::StabilizedIndex2,
            Formulation::Index3,
        ] {
            let steps = [2e-3, 1e-3, 5e-4];
            let method = with(formulation);
            let found = convergence(&mut system, &method, &steps, &solution.state).expect("solved");
            let (q, v) = (found.order_q(), found.order_v());
            let errors = found.points.iter().map(|point| point.q);
            println!(
                "{group:?} {formulation}: {q:.2} in q, {v:.2} in v, {:?}",
                errors.collect::<Vec<_>>()
            );
            if formulation != Formulation::Index3 {
                assert!((q - 5.0).abs() < 0.3 && (v - 5.0).abs() < 0.3, "{q} {v}");
            }
        }
    }
}

struct VanDerPol {
    mu: f64,
}

impl FirstOrderModel for VanDerPol {
    fn dimension(&self) -> usize {
        2
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![2.0, 0.0]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        rate[0] = y[1];
        rate[1] = (S::constant(1.0) - y[0] * y[0]) * y[1] * self.mu - y[0];
    }
}

#[test]
fn van_der_pol_arrives_at_the_published_reference() {
    // IVP test set, vdpol with μ = 1000.
    let reference = [0.170_616_773_217_048_3e1, -0.892_809_701_024_797_5e-3];
    for (tolerance, allowed) in [(1e-4, 1e-3), (1e-6, 1e-4), (1e-8, 1e-6), (1e-10, 1e-7)] {
        let model = FirstOrder::new(VanDerPol { mu: 1000.0 }).expect("fits");
        let options = Options::adaptive(2000.0, tolerance, tolerance);
        let method = with(Radau5::DEFAULT_FORMULATION);
        let solution = solve(&mut Automatic::new(model), &method, &options).expect("solved");
        let pairs = reference.iter().zip(&solution.state.x);
        let error = pairs.map(|(a, b)| ((a - b) / a).abs()).fold(0.0, f64::max);
        let statistics = &solution.statistics;
        println!(
            "{tolerance:e}: error {error:.1e}, {} accepted, {:?}",
            statistics.accepted, statistics.rejected
        );
        assert!(error < allowed, "{tolerance:e}: {error:e}");
        assert!(statistics.accepted < 1700);
    }
}

/// The pendulum in Cartesian coordinates as a first-order DAE of this index.
struct FirstOrderPendulum {
    index: u8,
}

impl FirstOrderModel for FirstOrderPendulum {
    fn dimension(&self) -> usize {
        5
    }
    fn initial_value(&self) -> Vec<f64> {
        let speed = crate::common::PENDULUM_SPEED;
        vec![1.0, 0.0, 0.0, speed, -speed * speed]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        let [x, y, u, v, lambda] = [y[0], y[1], y[2], y[3], y[4]];
        rate[0] = u;
        rate[1] = v;
        rate[2] = x * lambda;
        rate[3] = y * lambda - 9.81;
        rate[4] = match self.index {
            3 => (x * x + y * y - 1.0) * 0.5,
            2 => x * u + y * v,
            _ => u * u + v * v + (x * x + y * y) * lambda - y * 9.81,
        };
    }
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        Some((0..4).map(|row| (row, row, 1.0)).collect())
    }
    fn index(&self) -> Vec<u8> {
        match self.index {
            3 => vec![1, 1, 2, 2, 3],
            2 => vec![1, 1, 1, 1, 2],
            _ => vec![1, 1, 1, 1, 1],
        }
    }
}

#[test]
fn first_order_systems_of_every_index() {
    let reference = pendulum_reference(1.0);
    for (index, allowed) in [(1, 1e-7), (2, 1e-6), (3, 1e-4)] {
        let model = FirstOrder::new(FirstOrderPendulum { index }).expect("fits");
        let method = with(Radau5::DEFAULT_FORMULATION);
        let options = Options::adaptive(1.0, 1e-8, 1e-8);
        let solution = solve(&mut Automatic::new(model), &method, &options).expect("solved");
        let exact = reference.q.iter().chain(&reference.v);
        let error = exact
            .zip(&solution.state.x)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        println!(
            "index {index}: error {error:.1e} in {} steps, {:?}",
            solution.statistics.accepted, solution.statistics.rejected
        );
        assert!(error < allowed, "index {index}: {error:e}");
    }
}

#[test]
fn the_collocation_polynomial_is_the_solution_between_the_ends_of_the_last_step() {
    let method = with(Formulation::Index2);
    let (t_end, h) = (1.0, 0.01);
    let middle = t_end - 0.5 * h;
    let mut system = Automatic::new(Pendulum);
    let mut recorder = Recorder::new(vec![middle, t_end]);
    let options = Options::fixed(t_end, h);
    let solution = solve_observed(&mut system, &method, &options, &mut recorder).expect("solved");
    let [state, end] = &recorder.states[..] else {
        panic!("two states")
    };
    for (a, b) in end.q.iter().zip(&solution.state.q) {
        assert!((a - b).abs() < 1e-14);
    }
    let reference = pendulum_reference(middle);
    assert_eq!(state.t, middle);
    for (a, b) in state
        .q
        .iter()
        .chain(&state.v)
        .zip(reference.q.iter().chain(&reference.v))
    {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
}

/// y_i' = -s_i (y_i - cos t) + (y_{i+1} - y_i) / 10, of as many equations as are asked for, some of them stiff; the last one of several
/// rests.
struct Relaxation(usize);

impl Relaxation {
    fn moving(&self) -> usize {
        (self.0 - 1).max(1)
    }
}

impl FirstOrderModel for Relaxation {
    fn dimension(&self) -> usize {
        self.0
    }
    fn initial_value(&self) -> Vec<f64> {
        let mut start = vec![1.0; self.moving()];
        start.resize(self.0, 0.0);
        start
    }
    fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
        let moving = self.moving();
        for i in 0..moving {
            let stiffness = 10.0_f64.powi((i % 4) as i32);
            let next = y[(i + 1) % moving];
            rate[i] = (y[i] - t.cos()) * -stiffness + (next - y[i]) * 0.1;
        }
        if moving < self.0 {
            rate[moving] = y[moving] * 0.5;
        }
    }
}

/// Matrices of up to three equations, of whole and of broken columns, and too large ones take ways of their own.
#[test]
fn any_number_of_equations_is_solved() {
    for count in [1, 2, 3, 4, 5, 7, 8, 9, 11, 16, 17, 40, 121] {
        let end = |name: &str, tolerance: f64| {
            let method = crate::known_methods()
                .build(name, &MethodOptions::default())
                .expect("registered");
            let mut system = Automatic::new(FirstOrder::new(Relaxation(count)).expect("fits"));
            let options = Options::adaptive(2.0, tolerance, 1e-3 * tolerance);
            let run = solve(&mut system, method.as_ref(), &options);
            run.unwrap_or_else(|error| panic!("{name}, {count}: {error}"))
                .state
                .x
        };
        let reference = end("dopri5", 1e-10);
        for name in ["radau5", "bdf"] {
            let found = end(name, 1e-7);
            if count > 1 {
                assert_eq!(found[count - 1], 0.0, "{name}, {count}");
            }
            for (found, expected) in found.iter().zip(&reference) {
                let error = (found - expected).abs();
                assert!(error < 1e-5, "{name}, {count}: {error:.1e}");
            }
        }
    }
}

/// A component that does not move needs no absolute tolerance.
#[test]
fn what_rests_has_no_error() {
    let absolute = [vec![1e-9; 3], vec![0.0]].concat();
    let control = StepControl::Adaptive {
        tolerances: Tolerances {
            relative: PerComponent::Uniform(1e-6),
            absolute: PerComponent::Each(absolute),
        },
        controller: None,
        initial_step: None,
    };
    let mut system = Automatic::new(FirstOrder::new(Relaxation(4)).expect("fits"));
    let method = with(Formulation::Index1);
    let run = solve(&mut system, &method, &Options::new(1.0, control)).expect("solved");
    assert_eq!(run.state.x[3], 0.0);
}

/// A sum that vanishes at a rate of 2e13 beside a difference that falls like e^-t: α I - J has pivots whose quotient is near round-off,
/// which small matrices leave to the solver that decides about rank.
struct NearlyDependent;

impl FirstOrderModel for NearlyDependent {
    fn dimension(&self) -> usize {
        2
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![0.5, -0.5]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        let (sum, difference) = (y[0] + y[1], y[0] - y[1]);
        rate[0] = sum * -1e13 - difference * 0.5;
        rate[1] = sum * -1e13 + difference * 0.5;
    }
}

#[test]
fn doubtful_matrices_are_solved() {
    for name in ["radau5", "bdf"] {
        let method = crate::known_methods()
            .build(name, &MethodOptions::default())
            .expect("registered");
        let mut system = Automatic::new(FirstOrder::new(NearlyDependent).expect("fits"));
        let options = Options::adaptive(1.0, 1e-6, 1e-6);
        let run = solve(&mut system, method.as_ref(), &options);
        let x = run
            .unwrap_or_else(|error| panic!("{name}: {error}"))
            .state
            .x;
        let expected = (-1.0_f64).exp();
        assert!((x[0] - x[1] - expected).abs() < 1e-4, "{name}: {x:?}");
        assert!((x[0] + x[1]).abs() < 1e-6, "{name}: {x:?}");
    }
}

/// Robertson's reaction, with what it conserves and what is not negative.
struct Robertson;

impl FirstOrderModel for Robertson {
    fn dimension(&self) -> usize {
        3
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![1.0, 0.0, 0.0]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        let decay = y[0] * 0.04;
        let catalysis = y[1] * y[1] * 3e7;
        let back = y[1] * y[2] * 1e4;
        rate[0] = back - decay;
        rate[1] = decay - catalysis - back;
        rate[2] = catalysis;
    }
    fn properties(&self) -> Vec<Property> {
        let positive = ["y1", "y2", "y3"].map(Property::not_negative);
        std::iter::once(Property::conserved("sum"))
            .chain(positive)
            .collect()
    }
    fn property_values(&self, _t: f64, y: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[y[0] + y[1] + y[2], y[0], y[1], y[2]]);
    }
}

/// From a negative y1 the solution escapes within 1e11 s, however small it is. Tolerances as users state them: y2 a ten-thousandth of
/// the others. The end of the Test Set for IVP Solvers is y1 = 0.2083340149701255e-7.
#[test]
fn robertsons_reaction_does_not_escape_at_loose_absolute_tolerances() {
    let (mut runs, mut steps) = (0, 0);
    for relative in 4..17 {
        for absolute in 10..17 {
            let [relative, absolute] =
                [relative, absolute].map(|k| 10_f64.powf(-0.5 * f64::from(k)));
            let tolerances = Tolerances {
                relative: PerComponent::Uniform(relative),
                absolute: PerComponent::Each(vec![absolute, 1e-4 * absolute, absolute]),
            };
            let control = StepControl::Adaptive {
                tolerances,
                controller: None,
                initial_step: None,
            };
            let mut system = Automatic::new(FirstOrder::new(Robertson).expect("well stated"));
            let method = Radau5::new(None, NewtonOptions::default());
            let case = format!("rtol {relative:.0e}, atol {absolute:.0e}");
            let mut options = Options::new(1e11, control);
            options.max_steps = 100_000;
            let found = solve(&mut system, &method, &options);
            let found = found.unwrap_or_else(|error| panic!("{case}: {error}"));
            let y = &found.state.x;
            assert!(
                y[0] >= 0.0 && (y[0] - 0.2083340149701255e-7).abs() < absolute,
                "{case}: {y:?}"
            );
            assert!((y[0] + y[1] + y[2] - 1.0).abs() < 1e-9, "{case}: {y:?}");
            assert!(found.violated.is_empty(), "{case}: {:?}", found.violated);
            (runs, steps) = (runs + 1, steps + found.statistics.accepted);
        }
    }
    println!("{runs} runs, {steps} steps");
}

/// A start that is negative escapes: the run says so.
#[test]
fn a_solution_that_leaves_its_bounds_says_so() {
    let mut system = Automatic::new(FirstOrder::new(Robertson).expect("well stated"));
    let start = State {
        x: vec![-1e-3, 0.0, 1.001],
        ..system.initial_state()
    };
    let method = Radau5::new(None, NewtonOptions::default());
    let mut options = Options::adaptive(1e11, 1e-6, 1e-10);
    options.max_steps = 100_000;
    let found = solve_from(&mut system, &method, start, &options, &mut Silent).expect("solved");
    let names: Vec<&str> = found
        .violated
        .iter()
        .map(|violated| violated.name.as_str())
        .collect();
    assert_eq!(names, ["y1", "y2"]);
    let y1 = &found.violated[0];
    // It was negative from the start, and is most so at the end.
    assert_eq!((y1.since, y1.t, y1.value), (0.0, 1e11, found.state.x[0]));
    assert_eq!(y1.allowed, [0.0, f64::INFINITY]);
    assert!(
        y1.value < -1e6 && y1.explained < 1e-2 * y1.value.abs(),
        "{y1:?}"
    );
}
