//! Algebraic variables of a first-order system jump: a short circuit in a network of nine buses, and a node between capacitors.
//!
//! Three machines with classical models, constant admittances (Anderson, Fouad, Power System Control and Stability, 2nd ed.,
//! doi:10.1109/9780470545577, example 2.6). Voltages behind the fault are those of the linear network; the end at 2 s is from an independent
//! program (classical differential equations with eliminated voltages, tolerance 1e-12).

use crate::known_methods;
use liedae::integrator::MethodOptions;
use liedae::prelude::*;
use liedae::system::{FirstOrder, FirstOrderModel};
use std::f64::consts::PI;
use std::ops::ControlFlow;

const BUSES: usize = 9;
const FAULT: f64 = 0.1;
const CLEARED: f64 = 0.183;

/// Upper triangle of the admittance matrix before the fault: row, column, conductance, susceptance.
const NETWORK: [(usize, usize, f64, f64); 18] = [
    (0, 0, 0.0, -33.808479532163744),
    (0, 3, 0.0, 17.36111111111111),
    (1, 1, 0.0, -24.347245409015024),
    (1, 6, 0.0, 16.0),
    (2, 2, 0.0, -22.58056621781634),
    (2, 8, 0.0, 17.064846416382252),
    (3, 3, 3.3073789620253065, -39.30888872611897),
    (3, 4, -1.36518771331058, 11.60409556313993),
    (3, 5, -1.9421912487147266, 10.510682051867931),
    (4, 4, 3.813865120876721, -17.84265930775852),
    (4, 6, -1.1876043792911484, 5.975134533308591),
    (5, 5, 4.101768611267114, -16.133449755605547),
    (5, 8, -1.2820091384241148, 5.588244962361526),
    (6, 6, 2.8047268525372844, -35.44561313021703),
    (6, 7, -1.617122473246136, 13.697978596908444),
    (7, 7, 3.7411526189985085, -23.642378955973413),
    (7, 8, -1.1550874808900968, 9.784270426363173),
    (8, 8, 2.437096619314212, -32.153861805106956),
];

/// Bus 7, number 6, is short-circuited through a small impedance.
const SHORT: [(usize, usize, f64, f64); 1] = [(6, 6, 1002.8047268525373, -35.44561313021703)];

/// The line from bus 5 to bus 7 is gone.
const TRIPPED: [(usize, usize, f64, f64); 3] = [
    (4, 4, 2.6262607415855728, -12.020524774449928),
    (4, 6, 0.0, 0.0),
    (6, 6, 1.617122473246136, -29.62347859690844),
];

const REACTANCE: [f64; 3] = [0.0608, 0.1198, 0.1813];
const INERTIA: [f64; 3] = [23.64, 6.4, 3.01];
const VOLTAGE: [f64; 3] = [1.0566, 1.0502, 1.017];
const POWER: [f64; 3] = [0.7161317027441284, 1.6297926307301402, 0.8503784490356314];

/// Angles and speeds of three machines, real and imaginary parts of nine voltages.
const START: [f64; 24] = [
    0.039648644617555184,
    0.3443796413572611,
    0.2299506196087569,
    0.0,
    0.0,
    0.0,
    1.0399676475754853,
    1.0115809045726487,
    1.0216031933438632,
    1.0249973642999828,
    0.9932013043430071,
    1.010547345379015,
    1.0236026695350575,
    1.0157995359326506,
    1.0317436184919413,
    1.4104937514635195e-05,
    0.1653128347179495,
    0.08345367090185458,
    -0.039650010892567394,
    -0.06923047720483269,
    -0.06507792511785748,
    0.0665815449862814,
    0.01295104680638441,
    0.03550362363346559,
];
const BEHIND_FAULT: [f64; 18] = [
    0.851825282072848,
    0.3405397032676358,
    0.6176222537697647,
    0.6586148630580047,
    0.41747201840874404,
    0.5910049590655391,
    0.0024773690517196733,
    0.20595451176730428,
    0.49718748278412983,
    -0.007321772513191497,
    0.11449414621005913,
    0.07014344377036268,
    -0.0539356669807846,
    -0.07735453686226472,
    -0.060404355486269434,
    -0.010749397542837253,
    -0.006953539339837576,
    0.017891249177619424,
];
const END: [f64; 24] = [
    5.450002658992983,
    5.93077138722512,
    5.7096866385299165,
    5.94726268818255,
    2.077220330207838,
    3.8553285665596864,
    0.6458501408987434,
    0.8902952459074628,
    0.7773269502898571,
    0.584518954439615,
    0.4782242594414281,
    0.5941723386477823,
    0.8405447117283373,
    0.7696244026240052,
    0.7524515200403736,
    -0.7904259948076711,
    -0.495779678295455,
    -0.6461523798002744,
    -0.7984428139584451,
    -0.8088806770724236,
    -0.7754524394969265,
    -0.5653164321700148,
    -0.6350920677042846,
    -0.6766497024418674,
];

/// When the network changes: by the time, or by a mode that the moments change.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Switched {
    ByTime,
    ByMode,
}

struct Network {
    switched: Switched,
    /// Rows of the network are multiplied by this.
    unit: f64,
    admittances: [Vec<(usize, usize, f64, f64)>; 3],
}

impl Network {
    fn new(switched: Switched, unit: f64) -> Self {
        let with = |changes: &[(usize, usize, f64, f64)]| {
            let changed = NETWORK.map(|entry| {
                let same = changes
                    .iter()
                    .find(|change| (change.0, change.1) == (entry.0, entry.1));
                *same.unwrap_or(&entry)
            });
            let mirrored = changed.into_iter().filter(|&(i, j, ..)| i != j);
            let mirrored = mirrored.map(|(i, j, g, b)| (j, i, g, b));
            changed.into_iter().chain(mirrored).collect()
        };
        Self {
            switched,
            unit,
            admittances: [with(&[]), with(&SHORT), with(&TRIPPED)],
        }
    }

    fn evaluate<S: Scalar>(&self, network: usize, y: &[S], rate: &mut [S]) {
        let (real, imaginary) = y[6..].split_at(BUSES);
        let (rate, currents) = rate.split_at_mut(6);
        currents.fill(S::constant(0.0));
        for &(i, j, g, b) in &self.admittances[network] {
            let (re, im) = (
                real[j] * g - imaginary[j] * b,
                imaginary[j] * g + real[j] * b,
            );
            currents[i] += re;
            currents[BUSES + i] += im;
        }
        for machine in 0..3 {
            let (sin, cos) = y[machine].sin_cos();
            let admittance = VOLTAGE[machine] / REACTANCE[machine];
            let power = (sin * real[machine] - cos * imaginary[machine]) * admittance;
            currents[machine] -= sin * admittance;
            currents[BUSES + machine] += cos * admittance;
            rate[machine] = y[3 + machine];
            rate[3 + machine] =
                (S::constant(POWER[machine]) - power) * (60.0 * PI / INERTIA[machine]);
        }
        for current in currents {
            *current *= self.unit;
        }
    }
}

impl FirstOrderModel for Network {
    fn dimension(&self) -> usize {
        24
    }
    fn initial_value(&self) -> Vec<f64> {
        START.to_vec()
    }
    fn initial_modes(&self) -> Vec<i32> {
        match self.switched {
            Switched::ByTime => Vec::new(),
            Switched::ByMode => vec![0],
        }
    }
    fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
        let t = t.value();
        let network = usize::from(t >= FAULT) + usize::from(t >= CLEARED);
        self.evaluate(network, y, rate);
    }
    fn rate_in_mode<S: Scalar>(&self, t: S, y: &[S], mode: &[i32], rate: &mut [S]) {
        match mode.first() {
            Some(&mode) => self.evaluate(mode as usize, y, rate),
            None => self.rate(t, y, rate),
        }
    }
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        Some((0..6).map(|state| (state, state, 1.0)).collect())
    }
    fn index(&self) -> Vec<u8> {
        (0..24).map(|unknown| u8::from(unknown >= 6)).collect()
    }
    fn output_names(&self) -> Vec<String> {
        vec!["v7".to_owned()]
    }
    fn outputs(&self, _t: f64, y: &[f64], _mode: &[i32], out: &mut [f64]) {
        out[0] = y[12].hypot(y[21]);
    }
    fn time_events(&self) -> Vec<f64> {
        vec![FAULT, CLEARED]
    }
    fn handle_time_event(
        &self,
        event: usize,
        _t: f64,
        _y: &mut [f64],
        mode: &mut [i32],
    ) -> EventAction {
        if let Some(mode) = mode.first_mut() {
            *mode = event as i32 + 1;
        }
        EventAction::Restart
    }
}

/// The states right behind the moments.
#[derive(Default)]
struct Behind(Vec<State>);

impl Observer for Behind {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        if step.from.t == step.to.t && step.to.t > 0.0 {
            self.0.push(step.to.clone());
        }
        ControlFlow::Continue(())
    }
}

/// The largest difference in units of the tolerance.
fn in_tolerances(found: &[f64], expected: &[f64], tolerance: f64) -> f64 {
    let pairs = found.iter().zip(expected);
    let errors = pairs.map(|(found, expected)| {
        (found - expected).abs() / (tolerance + tolerance * expected.abs())
    });
    errors.fold(0.0, f64::max)
}

#[test]
fn voltages_jump_at_a_fault_and_at_its_end() {
    for (method, tolerance, allowed) in [
        ("radau5", 1e-6, 100.0),
        ("radau5", 1e-9, 100.0),
        ("bdf", 1e-6, 100.0),
        ("bdf", 1e-9, 300.0),
        ("bdf-lie", 1e-4, 100.0),
        ("backward-euler", 1e-4, 1e4),
    ] {
        for switched in [Switched::ByTime, Switched::ByMode] {
            for unit in [1e-6, 1.0, 1e6] {
                let network = FirstOrder::new(Network::new(switched, unit)).expect("well stated");
                let mut system = Automatic::new(network);
                let method = known_methods()
                    .build(method, &MethodOptions::default())
                    .expect("registered");
                let name = method.method().name;
                let options = Options::adaptive(2.0, tolerance, tolerance);
                let mut behind = Behind::default();
                let found = solve_observed(&mut system, method.as_ref(), &options, &mut behind);
                let found =
                    found.unwrap_or_else(|error| panic!("{name} {switched:?} {unit:e}: {error}"));
                assert_eq!(found.events.len(), 2);
                // The angles at the fault are those of the start: the voltages are exact.
                let states = &behind.0;
                let fault = states.iter().find(|state| state.t == FAULT).expect("shown");
                let error = in_tolerances(&fault.x[6..], &BEHIND_FAULT, 1e-9);
                assert!(
                    error < 1.0,
                    "{name} {switched:?} {unit:e} at the fault: {error}"
                );
                let error = in_tolerances(&found.state.x, &END, tolerance);
                assert!(
                    error < allowed,
                    "{name} {switched:?} {unit:e} at {tolerance:e}: {error}"
                );
                let mut voltage = [0.0];
                liedae::system::output_values(&mut system, &found.state, &mut voltage)
                    .expect("an output");
                assert!((voltage[0] - END[12].hypot(END[21])).abs() < 1e-2);
            }
        }
    }
}
