//! Rows with several solutions: behind a jump and from a guess, the one that it is connected with; and stated bounds, which tell solutions
//! apart.

use liedae::integrator::MethodOptions;
use liedae::prelude::*;
use liedae::system::{Evaluator, Property, project_initial_state};

/// Runs a model with a method.
fn run(
    model: impl FirstOrderModel,
    name: &str,
    options: &Options,
) -> Result<Solution, Box<dyn std::error::Error>> {
    let mut system = Automatic::new(FirstOrder::new(model)?);
    let method = MethodRegistry::standard().build(name, &MethodOptions::default())?;
    Ok(solve(&mut system, method.as_ref(), options)?)
}

const WATER: f64 = 1e-14;
const ACID: f64 = 0.1;
const DISSOCIATION: f64 = 1.8e-5;

/// Acetic acid of 0.1 mol/L, to which 10 mmol/L of NaOH are added at 1 min: 0 = Na + H - Kw/H - A Ka/(H + Ka), with poles at H = 0 and
/// H = -Ka, and a root of no meaning below each.
struct Titration {
    sodium: f64,
    guess: f64,
    added: f64,
    /// Whether it is stated that H is not negative.
    bounded: bool,
}

impl FirstOrderModel for Titration {
    fn dimension(&self) -> usize {
        2
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![self.sodium, self.guess]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        rate[0] = S::constant(0.0);
        let acetate = (y[1] + DISSOCIATION).recip() * (ACID * DISSOCIATION);
        rate[1] = y[0] + y[1] - y[1].recip() * WATER - acetate;
    }
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        Some(vec![(0, 0, 1.0)])
    }
    fn index(&self) -> Vec<u8> {
        vec![0, 1]
    }
    fn time_events(&self) -> Vec<f64> {
        vec![1.0]
    }
    fn handle_time_event(
        &self,
        _event: usize,
        _t: f64,
        y: &mut [f64],
        _mode: &mut [i32],
    ) -> EventAction {
        y[0] += self.added;
        EventAction::Restart
    }
    fn properties(&self) -> Vec<Property> {
        let bounded = self.bounded.then(|| Property::not_negative("H"));
        bounded.into_iter().collect()
    }
    fn property_values(&self, _t: f64, y: &[f64], out: &mut [f64]) {
        out[0] = y[1];
    }
}

/// H by bisection: the balance rises with H from minus infinity.
fn hydrogen(sodium: f64) -> f64 {
    let balance = |h: f64| sodium + h - WATER / h - ACID * DISSOCIATION / (h + DISSOCIATION);
    let (mut low, mut high) = (1e-16_f64, 1.0_f64);
    for _ in 0..200 {
        let middle = (low * high).sqrt();
        if balance(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low * high).sqrt()
}

#[test]
fn a_pulse_keeps_the_branch() -> Result<(), Box<dyn std::error::Error>> {
    for added in [1e-3, 0.01, 0.05, 0.09] {
        for name in ["radau5", "bdf", "bdf-lie", "backward-euler"] {
            let start = Titration {
                sodium: 0.0,
                guess: hydrogen(0.0),
                added,
                bounded: false,
            };
            let options = Options::adaptive(2.0, 1e-6, 1e-12);
            let end = run(start, name, &options)?.state.x[1];
            let right = hydrogen(added);
            assert!(
                (end - right).abs() < 1e-6 * right,
                "{name}, {added}: {end:e}, {right:e}"
            );
        }
    }
    Ok(())
}

/// From an acid into a base H falls by nine powers of ten, past a pole that is narrower than the last one: only the bound tells the roots
/// apart.
#[test]
fn a_stated_bound_keeps_the_branch() -> Result<(), Box<dyn std::error::Error>> {
    for added in [0.09, 0.0999, 0.1, 0.1001, 0.11, 0.2] {
        for absolute in [1e-4, 1e-8, 1e-12] {
            for name in ["radau5", "bdf", "bdf-lie", "backward-euler"] {
                let start = Titration {
                    sodium: 0.0,
                    guess: hydrogen(0.0),
                    added,
                    bounded: true,
                };
                let options = Options::adaptive(2.0, 1e-6, absolute);
                let case = format!("{name}, {added}, {absolute:e}");
                let found =
                    run(start, name, &options).unwrap_or_else(|error| panic!("{case}: {error}"));
                let (end, right) = (found.state.x[1], hydrogen(added));
                assert!(
                    (end - right).abs() < 1e-5 * right,
                    "{case}: {end:e}, {right:e}"
                );
            }
        }
    }
    Ok(())
}

/// A salt that precipitates where A and B are added: (A - S)(B - S) = K, whose second root lies above both. Where K is small,
/// steps that are accurate enough go over to it.
struct Precipitation {
    product: f64,
}

impl FirstOrderModel for Precipitation {
    fn dimension(&self) -> usize {
        3
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![1e-3, 2e-4, self.solid(1e-3, 2e-4)]
    }
    fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
        let [a, b, solid] = [y[0], y[1], y[2]];
        rate[0] = -(a - solid) * 0.2;
        rate[1] = (t * 0.3).sin() * 4e-4 + 3e-4 - (b - solid) * 0.2;
        rate[2] = (a - solid) * (b - solid) - self.product;
    }
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        Some(vec![(0, 0, 1.0), (1, 1, 1.0)])
    }
    fn index(&self) -> Vec<u8> {
        vec![0, 0, 1]
    }
    fn properties(&self) -> Vec<Property> {
        vec![Property::not_negative("A"), Property::not_negative("B")]
    }
    fn property_values(&self, _t: f64, y: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[y[0] - y[2], y[1] - y[2]]);
    }
}

impl Precipitation {
    /// The root below A and B.
    fn solid(&self, a: f64, b: f64) -> f64 {
        let half = 0.5 * (a + b);
        // Without the loss of digits where K is small.
        (a * b - self.product) / (half + (0.25 * (a - b).powi(2) + self.product).sqrt())
    }
}

#[test]
fn steps_keep_the_branch_of_a_stated_bound() -> Result<(), Box<dyn std::error::Error>> {
    for product in [1e-8, 1e-9, 1e-10] {
        let run_to = |name: &str, tolerance: f64| {
            let options = Options::adaptive(30.0, tolerance, 1e-3 * tolerance);
            run(Precipitation { product }, name, &options)
        };
        let right = run_to("radau5", 1e-10)?.state.x;
        for tolerance in [1e-3, 1e-4, 1e-6, 1e-8] {
            for name in ["radau5", "bdf"] {
                let case = format!("{name}, {product:e}, {tolerance:e}");
                let found =
                    run_to(name, tolerance).unwrap_or_else(|error| panic!("{case}: {error}"));
                let solid = found.state.x[2];
                let [a, b] = [found.state.x[0], found.state.x[1]];
                let of_end = Precipitation { product }.solid(a, b);
                for right in [right[2], of_end] {
                    let error = (solid - right).abs() / right;
                    assert!(error < 10.0 * tolerance, "{case}: {solid:e}, {right:e}");
                }
                assert!(found.violated.is_empty(), "{case}: {:?}", found.violated);
            }
        }
    }
    Ok(())
}

/// Michaelis and Menten's rate of an enzyme, S' = -V S/(K + S), with a pole at -K: eleven absolute tolerances below zero.
struct Enzyme;

const HALF: f64 = 1.1e-5;

impl FirstOrderModel for Enzyme {
    fn dimension(&self) -> usize {
        1
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![1e-3]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        rate[0] = -y[0] * 1e-5 / (y[0] + HALF);
    }
    fn properties(&self) -> Vec<Property> {
        vec![Property::not_negative("substrate")]
    }
    fn property_values(&self, _t: f64, y: &[f64], out: &mut [f64]) {
        out[0] = y[0];
    }
}

/// Without the bound 5 of these 15 runs end near -2e-3.
#[test]
fn steps_do_not_pass_a_pole_behind_a_stated_bound() -> Result<(), Box<dyn std::error::Error>> {
    for name in ["radau5", "bdf", "dopri5", "dop853", "hem5"] {
        for absolute in [1e-5, 1e-6, 1e-7] {
            let options = Options::adaptive(300.0, 1e-4, absolute);
            let found = run(Enzyme, name, &options)?;
            // What is left after 300 s is less than 1e-9.
            let left = found.state.x[0];
            assert!(left.abs() < absolute, "{name}, {absolute:e}: {left:e}");
        }
    }
    Ok(())
}

/// A bound that no solution keeps: y' = -1 from 1 on.
struct Draining;

impl FirstOrderModel for Draining {
    fn dimension(&self) -> usize {
        1
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![1.0]
    }
    fn rate<S: Scalar>(&self, _t: S, _y: &[S], rate: &mut [S]) {
        rate[0] = S::constant(-1.0);
    }
    fn properties(&self) -> Vec<Property> {
        vec![Property::not_negative("level")]
    }
    fn property_values(&self, _t: f64, y: &[f64], out: &mut [f64]) {
        out[0] = y[0];
    }
}

#[test]
fn a_bound_that_is_stated_wrong_ends_no_run() -> Result<(), Box<dyn std::error::Error>> {
    for name in ["radau5", "bdf", "dop853", "hem5"] {
        let found = run(Draining, name, &Options::adaptive(2.0, 1e-6, 1e-6))?;
        assert!((found.state.x[0] + 1.0).abs() < 1e-6, "{name}");
        let violated = &found.violated[0];
        assert!(violated.name == "level" && violated.value < -0.9, "{name}");
        let tried = found.statistics.accepted + found.statistics.rejected.error_test;
        assert!(tried < 100, "{name}: {tried}");
    }
    Ok(())
}

/// A tank that runs empty at 1 s, where an event stops the outflow: the step that passes zero ends at the event, and no shorter ones are tried.
struct Tank;

impl FirstOrderModel for Tank {
    fn dimension(&self) -> usize {
        1
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![1.0]
    }
    fn initial_modes(&self) -> Vec<i32> {
        vec![1]
    }
    fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
        self.rate_in_mode(t, y, &[1], rate);
    }
    fn rate_in_mode<S: Scalar>(&self, _t: S, _y: &[S], mode: &[i32], rate: &mut [S]) {
        rate[0] = S::constant(-f64::from(mode[0]));
    }
    fn events(&self) -> Vec<EventDescription> {
        vec![EventDescription::new("empty", "tank", Direction::Falling)]
    }
    fn event_functions(&self, _t: f64, y: &[f64], out: &mut [f64]) {
        out[0] = y[0];
    }
    fn handle_event_in_mode(
        &self,
        _event: usize,
        _t: f64,
        y: &mut [f64],
        mode: &mut [i32],
    ) -> EventAction {
        (y[0], mode[0]) = (0.0, 0);
        EventAction::Restart
    }
    fn properties(&self) -> Vec<Property> {
        vec![Property::not_negative("level")]
    }
    fn property_values(&self, _t: f64, y: &[f64], out: &mut [f64]) {
        out[0] = y[0];
    }
}

#[test]
fn an_event_keeps_a_bound_by_itself() -> Result<(), Box<dyn std::error::Error>> {
    for name in ["radau5", "bdf", "dop853", "hem5"] {
        let found = run(Tank, name, &Options::adaptive(2.0, 1e-6, 1e-6))?;
        assert!(
            found.state.x[0] == 0.0 && found.violated.is_empty(),
            "{name}"
        );
        assert!((found.events[0].t - 1.0).abs() < 1e-9, "{name}");
        assert_eq!(found.statistics.rejected.error_test, 0, "{name}");
    }
    Ok(())
}

#[test]
fn a_guess_finds_the_root_on_its_side() -> Result<(), Box<dyn std::error::Error>> {
    for sodium in [0.0, 0.01, 0.05, 0.0999] {
        for guess in [1e-3, 1e-4, 1e-5, 1e-7] {
            let model = Titration {
                sodium,
                guess,
                added: 0.0,
                bounded: false,
            };
            let mut system = Automatic::new(FirstOrder::new(model)?);
            let mut state = system.initial_state();
            project_initial_state(&mut Evaluator::new(&mut system), &mut state)?;
            let (found, right) = (state.x[1], hydrogen(sodium));
            assert!(
                (found - right).abs() < 1e-6 * right,
                "{sodium}, {guess:e}: {found:e}, {right:e}"
            );
        }
    }
    Ok(())
}

/// A pump that starts at 1 min, and the flow q through what it pushes against: p = |q| q + L q, with a slope of nearly zero where there is no
/// flow yet; and a check valve, whose slope jumps there.
struct Pump {
    pressure: f64,
    laminar: f64,
    backward: f64,
}

impl FirstOrderModel for Pump {
    fn dimension(&self) -> usize {
        2
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![0.0, 0.0]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        let flow = y[1];
        let resistance = if flow.value() < 0.0 {
            self.backward
        } else {
            1.0
        };
        let size = if flow.value() < 0.0 { -flow } else { flow };
        rate[0] = S::constant(0.0);
        rate[1] = size * flow + flow * (self.laminar * resistance) - y[0];
    }
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        Some(vec![(0, 0, 1.0)])
    }
    fn index(&self) -> Vec<u8> {
        vec![0, 1]
    }
    fn time_events(&self) -> Vec<f64> {
        vec![1.0]
    }
    fn handle_time_event(
        &self,
        _event: usize,
        _t: f64,
        y: &mut [f64],
        _mode: &mut [i32],
    ) -> EventAction {
        y[0] = self.pressure;
        EventAction::Restart
    }
}

/// Neither strong curvature nor a kink between the state before and the solution ends a run.
#[test]
fn kinks_and_curvature_are_passed() -> Result<(), Box<dyn std::error::Error>> {
    for pressure in [0.5, -0.5, 2.0, 10.0, 5e4] {
        for laminar in [1e-3, 0.1, 1.0] {
            for backward in [1.0, 10.0, 100.0] {
                let model = Pump {
                    pressure,
                    laminar,
                    backward,
                };
                let options = Options::adaptive(2.0, 1e-6, 1e-9);
                let end = run(model, "radau5", &options)?.state.x[1];
                let slope = laminar * if pressure < 0.0 { backward } else { 1.0 };
                let size = 0.5 * ((slope * slope + 4.0 * pressure.abs()).sqrt() - slope);
                let right = size * pressure.signum();
                assert!(
                    (end - right).abs() < 1e-6 * size,
                    "{pressure}, {laminar}: {end}, {right}"
                );
            }
        }
    }
    Ok(())
}
