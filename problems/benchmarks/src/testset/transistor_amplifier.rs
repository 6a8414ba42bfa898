//! A transistor amplifier: capacitors between nodes make M singular.

use super::published::{SOURCE, Statement, names};
use crate::{Cell, Formulation, Parameters, Problem, ProblemEntry, ProblemError};
use liedae::scalar::Scalar;
use liedae::system::FirstOrderModel;
use std::f64::consts::PI;

pub(crate) const TRANSISTOR_AMPLIFIER: ProblemEntry = ProblemEntry {
    name: "transistor-amplifier",
    title: "transistor amplifier, eight node voltages, index 1 with singular M",
    description: "Two transistors amplify a signal of 100 Hz. Kirchhoff's law at each node; M holds the five capacitors, \
                  three of which lie between two nodes, so that M has rank 5 without an empty row.",
    source: "Test Set for IVP Solvers, `transamp`; Hairer, Lubich and Roche 1989, p. 108; after K. H. Beckers",
    parameters: &[],
    build,
};

const SUPPLY: f64 = 6.0;
const THERMAL_VOLTAGE: f64 = 0.026;
const AMPLIFICATION: f64 = 0.99;
const SATURATION: f64 = 1e-6;
const R0: f64 = 1000.0;
/// All other resistors.
const R: f64 = 9000.0;
/// Amplitude and angular frequency of the signal.
const SIGNAL: f64 = 0.1;
const FREQUENCY: f64 = 200.0 * PI;

/// Node, the other node or the ground, capacitance in F.
const CAPACITORS: [(usize, Option<usize>, f64); 5] = [
    (2, None, 2e-6),
    (5, None, 4e-6),
    (0, Some(1), 1e-6),
    (3, Some(4), 3e-6),
    (6, Some(7), 5e-6),
];

/// The node voltages U1 to U8.
struct TransistorAmplifier;

impl FirstOrderModel for TransistorAmplifier {
    fn dimension(&self) -> usize {
        8
    }

    /// No current flows through the capacitors and no signal has arrived.
    fn initial_value(&self) -> Vec<f64> {
        let half = SUPPLY / 2.0;
        vec![0.0, half, half, SUPPLY, half, half, SUPPLY, 0.0]
    }

    fn rate<S: Scalar>(&self, t: S, u: &[S], rate: &mut [S]) {
        let signal = (t * FREQUENCY).sin() * SIGNAL;
        // The current through the emitter of a transistor.
        let emitter =
            |base: S, emitter: S| (((base - emitter) / THERMAL_VOLTAGE).exp() - 1.0) * SATURATION;
        let first = emitter(u[1], u[2]);
        let second = emitter(u[4], u[5]);
        let base_current = 1.0 - AMPLIFICATION;
        rate[0] = (u[0] - signal) / R0;
        rate[1] = u[1] / R + (u[1] - SUPPLY) / R + first * base_current;
        rate[2] = u[2] / R - first;
        rate[3] = (u[3] - SUPPLY) / R + first * AMPLIFICATION;
        rate[4] = u[4] / R + (u[4] - SUPPLY) / R + second * base_current;
        rate[5] = u[5] / R - second;
        rate[6] = (u[6] - SUPPLY) / R + second * AMPLIFICATION;
        rate[7] = u[7] / R;
    }

    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        let mut entries = Vec::new();
        for (node, other, capacitance) in CAPACITORS {
            entries.push((node, node, -capacitance));
            if let Some(other) = other {
                entries.extend([
                    (node, other, capacitance),
                    (other, node, capacitance),
                    (other, other, -capacitance),
                ]);
            }
        }
        Some(entries)
    }

    /// Only the differences of the voltages at the ends of a capacitor are differential; U3 and U6 have one of their own.
    fn index(&self) -> Vec<u8> {
        vec![1, 1, 0, 1, 1, 0, 1, 1]
    }

    fn names(&self) -> Vec<String> {
        names(&["U1", "U2", "U3", "U4", "U5", "U6", "U7", "U8"])
    }
}

fn formulation() -> Formulation {
    let capacitors = CAPACITORS.map(|(node, other, capacitance)| {
        let other = other.map_or("ground".into(), |other| Cell::from(other + 1));
        [Cell::from(node + 1), other, capacitance.into()]
    });
    Formulation::new([
        "Node voltages u = (U1, ..., U8) in V, time in s: M u' = f(t, u).",
        "A capacitor C between nodes i and j adds -C to M_ii and M_jj and C to M_ij and M_ji, one between node i and the ground -C to M_ii; M has no other entries.",
        "I(a, b) = beta (exp((a - b) / UF) - 1) is the current through the emitter of a transistor with base a and emitter b.",
        "f_1 = (U1 - Ue(t)) / R0, Ue(t) = A sin(w t)",
        "f_2 = U2 / R + (U2 - Ub) / R + (1 - alpha) I(U2, U3)",
        "f_3 = U3 / R - I(U2, U3)",
        "f_4 = (U4 - Ub) / R + alpha I(U2, U3)",
        "f_5 = U5 / R + (U5 - Ub) / R + (1 - alpha) I(U5, U6)",
        "f_6 = U6 / R - I(U5, U6)",
        "f_7 = (U7 - Ub) / R + alpha I(U5, U6)",
        "f_8 = U8 / R",
    ])
    .with_constants([
        ("Ub", SUPPLY, "V"),
        ("UF", THERMAL_VOLTAGE, "V"),
        ("alpha", AMPLIFICATION, "1"),
        ("beta", SATURATION, "A"),
        ("R0", R0, "Ohm"),
        ("R", R, "Ohm"),
        ("A", SIGNAL, "V"),
        ("w", FREQUENCY, "rad/s"),
    ])
    .with_table("capacitors", ["node", "other node", "C (F)"], capacitors)
}

fn build(_parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Statement {
        entry: &TRANSISTOR_AMPLIFIER,
        source: Some(SOURCE),
        t_end: 0.2,
        default_step: 1e-5,
        main_output: "U8",
        order_study_end: None,
        absolute_scale: 1.0,
        formulation: formulation(),
        unit: "V",
    };
    statement.first_order(TransistorAmplifier)
}
