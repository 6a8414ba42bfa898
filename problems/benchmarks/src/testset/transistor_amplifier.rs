//! A transistor amplifier: capacitors between nodes make M singular.

use super::published::{SOURCE, Statement, names};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
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
        let signal = (t * (200.0 * PI)).sin() * 0.1;
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
        let mut entries = vec![(2, 2, -2e-6), (5, 5, -4e-6)];
        for (node, capacitance) in [(0, 1e-6), (3, 3e-6), (6, 5e-6)] {
            let other = node + 1;
            entries.extend([
                (node, node, -capacitance),
                (node, other, capacitance),
                (other, node, capacitance),
                (other, other, -capacitance),
            ]);
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

fn build(_parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Statement {
        entry: &TRANSISTOR_AMPLIFIER,
        source: Some(SOURCE),
        t_end: 0.2,
        default_step: 1e-5,
        main_output: "U8",
        order_study_end: None,
        absolute_scale: 1.0,
    };
    statement.first_order(TransistorAmplifier)
}
