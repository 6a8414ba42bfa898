//! Algebraic equations of E x' = d: how they are judged, whatever their units, and solved at starts and behind jumps.

use crate::known_methods;
use liedae::integrator::MethodOptions;
use liedae::prelude::*;
use liedae::solve::{SolveError, SolveErrorKind, StopReason};
use liedae::system::{
    Consistency, ConsistencyError, Evaluator, FirstOrder, FirstOrderModel, check_consistency,
    project_initial_state,
};

const METHODS: [&str; 4] = ["radau5", "bdf", "bdf-lie", "backward-euler"];

fn run(
    model: impl FirstOrderModel,
    method: &str,
    options: &Options,
) -> Result<Solution, SolveError> {
    let mut system = Automatic::new(FirstOrder::new(model).expect("well stated"));
    let method = known_methods()
        .build(method, &MethodOptions::default())
        .expect("registered");
    solve(&mut system, method.as_ref(), options)
}

/// A cell that is discharged: x' = -0.2 x - 0.8 from 1, 0 = k (v - (3 + x + 0.5 tanh 5 x)). An event at v = 2.9.
struct Cell {
    unit: f64,
    action: EventAction,
}

impl FirstOrderModel for Cell {
    fn dimension(&self) -> usize {
        2
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![1.0, 4.0 + 0.5 * 5_f64.tanh()]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        rate[0] = -y[0] * 0.2 - 0.8;
        rate[1] = (y[1] - (y[0] + 3.0 + (y[0] * 5.0).tanh() * 0.5)) * self.unit;
    }
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        Some(vec![(0, 0, 1.0)])
    }
    fn index(&self) -> Vec<u8> {
        vec![0, 1]
    }
    fn events(&self) -> Vec<EventDescription> {
        vec![EventDescription::new("cut-off", "v", Direction::Falling)]
    }
    fn event_functions(&self, _t: f64, y: &[f64], out: &mut [f64]) {
        out[0] = y[1] - 2.9;
    }
    fn handle_event(&self, _event: usize, _t: f64, _y: &mut [f64]) -> EventAction {
        self.action
    }
}

/// x where v = 2.9, by bisection.
fn charge_at_cut_off() -> f64 {
    let (mut low, mut high) = (-1.0, 1.0);
    for _ in 0..60 {
        let x: f64 = 0.5 * (low + high);
        if x + 0.1 + 0.5 * (5.0 * x).tanh() > 0.0 {
            high = x;
        } else {
            low = x;
        }
    }
    0.5 * (low + high)
}

#[test]
fn a_run_stops_and_goes_on_at_its_own_event_whatever_the_unit_of_a_row() {
    let charge = charge_at_cut_off();
    // x = 5 e^(-t/5) - 4.
    let moment = 5.0 * (5.0 / (4.0 + charge)).ln();
    for unit in [1e-9, 1e-3, 1.0, 1e3, 1e6, 1e9] {
        for method in METHODS {
            for tolerance in [1e-2, 1e-4, 1e-6] {
                for action in [EventAction::Stop, EventAction::Restart] {
                    let options = Options::adaptive(2.0, tolerance, tolerance);
                    let case = format!("{method} {tolerance:e}, row times {unit:e}, {action:?}");
                    let found = run(Cell { unit, action }, method, &options);
                    let found = found.unwrap_or_else(|error| panic!("{case}: {error}"));
                    let error = (found.events[0].t - moment).abs();
                    assert!(error < tolerance.sqrt(), "{case}: {error:e}");
                    if action == EventAction::Stop {
                        assert_eq!(found.reason, StopReason::Event);
                        assert!((found.state.x[1] - 2.9).abs() < 1e-9, "{case}");
                        assert_eq!(found.state.t, found.events[0].t);
                    }
                }
            }
        }
    }
}

/// A current through a resistor at 230 V: i is determined by u / r, with rows times `unit`.
struct Supply {
    current: f64,
    unit: f64,
}

const RESISTANCE: f64 = 2.3e8;

impl FirstOrderModel for Supply {
    fn dimension(&self) -> usize {
        3
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![230.0, self.current, 0.0]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        rate[0] = -y[0];
        rate[1] = (y[1] - y[0] / RESISTANCE) * self.unit;
        // What no current flows through.
        rate[2] = y[2] * self.unit;
    }
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        Some(vec![(0, 0, 1.0)])
    }
    fn index(&self) -> Vec<u8> {
        vec![0, 1, 1]
    }
}

#[test]
fn a_start_that_is_wrong_by_a_microampere_is_refused_and_can_be_projected() {
    for unit in [1e-6, 1.0, 1e6] {
        let supply = |current| Supply { current, unit };
        let options = Options::adaptive(1.0, 1e-6, 1e-10);
        run(supply(1e-6), "radau5", &options).expect("consistent");
        let error = run(supply(1.9e-6), "radau5", &options).expect_err("wrong by 0.9e-6 A");
        let SolveErrorKind::Initial(ConsistencyError::Algebraic {
            rows,
            residual,
            terms,
        }) = &error.kind
        else {
            panic!("{error}");
        };
        assert_eq!(rows, &[1]);
        assert!((residual / unit - 0.9e-6).abs() < 1e-12 && (terms / unit - 2.9e-6).abs() < 1e-12);
        assert!(
            error.to_string().contains("project_initial_state"),
            "{error}"
        );

        // As much as one allows passes, and is solved for.
        let consistency = Consistency {
            algebraic: 0.5,
            ..Consistency::default()
        };
        let options = Options {
            consistency,
            ..options
        };
        let found = run(supply(1.9e-6), "radau5", &options).expect("near enough");
        let expected = 1e-6 * (-1.0_f64).exp();
        assert!(
            (found.state.x[1] - expected).abs() < 1e-11,
            "{:?}",
            found.state.x
        );

        let mut system = Automatic::new(FirstOrder::new(supply(0.0)).expect("well stated"));
        let mut state = system.initial_state();
        let mut evaluator = Evaluator::new(&mut system);
        let report = project_initial_state(&mut evaluator, &mut state).expect("projected");
        assert!((report.algebraic - 1.0).abs() < 1e-12);
        assert!((state.x[1] - 1e-6).abs() < 1e-20 && state.x[0] == 230.0 && state.x[2] == 0.0);
        check_consistency(&mut evaluator, &state, Consistency::default()).expect("consistent");
    }
}

/// Two nodes with a capacitor between them and a resistor to ground each; a source of 1 A at the first node from t = 1/2 on.
struct Nodes {
    start: [f64; 2],
}

impl FirstOrderModel for Nodes {
    fn dimension(&self) -> usize {
        2
    }
    fn initial_value(&self) -> Vec<f64> {
        self.start.to_vec()
    }
    fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
        let source = if t.value() >= 0.5 { 1.0 } else { 0.0 };
        rate[0] = -y[0] + source;
        rate[1] = -y[1] * 2.0;
    }
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        Some(vec![(0, 0, 1.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 1.0)])
    }
    fn index(&self) -> Vec<u8> {
        vec![1, 1]
    }
    fn time_events(&self) -> Vec<f64> {
        vec![0.5]
    }
}

/// The sum of both rows is algebraic: -y1 - 2 y2 + i = 0. The voltage of the capacitor is what stays.
#[test]
fn rows_that_cancel_only_when_they_are_combined_are_judged_and_solved() {
    for method in METHODS {
        let options = Options::adaptive(1.0, 1e-8, 1e-8);
        let nodes = |start| Nodes { start };
        let error = run(nodes([1.0, 0.5]), method, &options).expect_err("the sum is -2");
        let SolveErrorKind::Initial(ConsistencyError::Algebraic { rows, .. }) = &error.kind else {
            panic!("{error}");
        };
        assert_eq!(rows, &[0, 1]);

        let mut system = Automatic::new(FirstOrder::new(nodes([1.0, 0.5])).expect("well stated"));
        let mut state = system.initial_state();
        project_initial_state(&mut Evaluator::new(&mut system), &mut state).expect("projected");
        // w = y1 - y2 = 1/2 stays: y2 = -w / 3.
        assert!((state.x[0] - 1.0 / 3.0).abs() < 1e-15 && (state.x[1] + 1.0 / 6.0).abs() < 1e-15);

        // w' = -y1 + i = -2/3 w + 2/3 i.
        let found = run(nodes([1.0, -0.5]), method, &options).expect("consistent");
        let before = 1.5 * (-1.0_f64 / 3.0).exp();
        let w = 1.0 + (before - 1.0) * (-1.0_f64 / 3.0).exp();
        let expected = [(1.0 + 2.0 * w) / 3.0, (1.0 - w) / 3.0];
        let allowed = if method == "backward-euler" {
            2e-4
        } else {
            1e-6
        };
        for (found, expected) in found.state.x.iter().zip(expected) {
            assert!(
                (found - expected).abs() < allowed,
                "{method}: {found} {expected}"
            );
        }
    }
}

/// u' = f(u, w, s), 0 = g(u, w, s) with x = Q⁻¹ (u, w) and rows mixed by P: E = P diag(1, 0) Q, d = P (f, g). The switch s jumps from 0
/// to 1 at t = 1/2.
struct Mixed {
    differential: usize,
    p: Vec<Vec<f64>>,
    q: Vec<Vec<f64>>,
    start: Vec<f64>,
}

fn numbers(seed: &mut u64) -> f64 {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
}

impl Mixed {
    /// P and Q are the identity and random numbers; rows are multiplied by up to a thousand or a thousandth.
    fn new(seed: u64, differential: usize, algebraic: usize, mixed: bool) -> Self {
        let size = differential + algebraic;
        let mut seed = seed;
        let mut matrix = |scaled: bool| -> Vec<Vec<f64>> {
            (0..size)
                .map(|row| {
                    let unit = 10_f64.powf(3.0 * numbers(&mut seed));
                    (0..size)
                        .map(|column| {
                            let diagonal = if row == column { 1.0 } else { 0.0 };
                            let beside = 0.5 / size as f64 * numbers(&mut seed);
                            match (mixed, scaled) {
                                (false, _) => diagonal,
                                (true, false) => diagonal + beside,
                                (true, true) => unit * (diagonal + beside),
                            }
                        })
                        .collect()
                })
                .collect()
        };
        let (p, q) = (matrix(true), matrix(false));
        // At s = 0 and u = 0.3 w solves g.
        let mut plain = Self {
            differential,
            p: Vec::new(),
            q: Vec::new(),
            start: vec![0.3; size],
        };
        for _ in 0..200 {
            let mut rate = vec![0.0; size];
            plain.plain(0.0, &plain.start.clone(), &mut rate);
            let algebraic = plain.start.iter_mut().zip(rate).skip(differential);
            for (value, rate) in algebraic {
                *value -= rate / 3.0;
            }
        }
        let q_matrix = nalgebra::DMatrix::from_fn(size, size, |i, j| q[i][j]);
        let start = q_matrix
            .lu()
            .solve(&nalgebra::DVector::from_vec(plain.start))
            .expect("regular");
        Self {
            differential,
            p,
            q,
            start: start.iter().copied().collect(),
        }
    }

    /// f and g: chains of unknowns.
    fn plain<S: Scalar>(&self, switch: f64, y: &[S], rate: &mut [S]) {
        let n = self.differential;
        for (index, slot) in rate.iter_mut().enumerate() {
            let other = y[(index + 1) % y.len()];
            *slot = if index < n {
                -y[index] + other.sin() * 0.5 + switch
            } else {
                y[index] * 3.0 + y[index].powi(3) - y[(index + 1 - n) % n] + (other * 0.5).cos()
                    - 2.0 * switch
            };
        }
    }

    fn product<S: Scalar>(matrix: &[Vec<f64>], vector: &[S]) -> Vec<S> {
        let row = |row: &Vec<f64>| {
            let terms = row.iter().zip(vector).map(|(entry, value)| *value * *entry);
            terms.fold(S::constant(0.0), |sum, term| sum + term)
        };
        matrix.iter().map(row).collect()
    }
}

impl FirstOrderModel for Mixed {
    fn dimension(&self) -> usize {
        self.start.len()
    }
    fn initial_value(&self) -> Vec<f64> {
        self.start.clone()
    }
    fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
        let switch = if t.value() >= 0.5 { 1.0 } else { 0.0 };
        let plain = Self::product(&self.q, y);
        let mut values = plain.clone();
        self.plain(switch, &plain, &mut values);
        rate.copy_from_slice(&Self::product(&self.p, &values));
    }
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        let size = self.start.len();
        let mut entries = Vec::new();
        for row in 0..size {
            for column in 0..size {
                let inner = 0..self.differential;
                entries.push((
                    row,
                    column,
                    inner.map(|k| self.p[row][k] * self.q[k][column]).sum(),
                ));
            }
        }
        Some(entries)
    }
    fn index(&self) -> Vec<u8> {
        vec![1; self.start.len()]
    }
    fn time_events(&self) -> Vec<f64> {
        vec![0.5]
    }
}

/// A system whose rows and unknowns are mixed, without an empty row, ends where the plain one does, jump included.
#[test]
fn mixed_rows_and_unknowns_jump_as_plain_ones_do() {
    let options = Options::adaptive(1.0, 1e-8, 1e-8);
    for seed in 0..12 {
        let (differential, algebraic) = (1 + seed as usize % 3, 1 + seed as usize % 4);
        let plain = Mixed::new(seed, differential, algebraic, false);
        let expected = run(plain, "radau5", &options)
            .expect("the plain system")
            .state
            .x;
        for method in ["radau5", "bdf"] {
            let mixed = Mixed::new(seed, differential, algebraic, true);
            let q = mixed.q.clone();
            let found = run(mixed, method, &options);
            let found = found.unwrap_or_else(|error| panic!("{method} {seed}: {error}"));
            let found = Mixed::product(&q, &found.state.x);
            for (found, expected) in found.iter().zip(&expected) {
                assert!(
                    (found - expected).abs() < 1e-5,
                    "{method} {seed}: {found} {expected}"
                );
            }
        }
    }
}
