//! A NAND gate in field-effect transistors, with charges that depend on voltages.

use super::published::{SOURCE, Statement, numbered};
use super::shichman_hodges::{self, BARRIER, BULK, SUPPLY, Transistor, pulse};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use liedae::scalar::Scalar;
use liedae::system::FirstOrderModel;

pub(crate) const NAND_GATE: ProblemEntry = ProblemEntry {
    name: "nand-gate",
    title: "NAND gate, three field-effect transistors, charges and voltages of 14 nodes, index 1",
    description: "The published equations C(U) U' = f are stated with the charges of the nodes, Q' = f and 0 = Q - Q(U, t), \
                  so that M is constant and the inputs' slopes, which jump every 5 ns, do not occur. Time in ns, \
                  voltages in V, charges in the unit of the published capacitances times V. Runs land on the kinks.",
    source: "Test Set for IVP Solvers, `nand`; Guenther and Rentrop 1993, 1995; transistors by Shichman and Hodges",
    parameters: &[],
    build,
};

const NODES: usize = 14;
const R_GATE: f64 = 4.0;
const R_BULK: f64 = 10.0;
const C_GATE: f64 = 0.6e-4;
const C_BULK: f64 = 2.4e-5;
const C_LOAD: f64 = 0.5e-4;
const SATURATION: f64 = 1e-14;

/// Charges Q1 to Q14 and voltages U1 to U14 of the nodes.
struct NandGate;

const DEPLETION: Transistor = Transistor::depletion(5.35e-4);

/// The smaller gain of a reversed current is that of the test set's code, whose end values need it.
const ENHANCEMENT: Transistor = Transistor::enhancement([1.748e-3, 1.748e-4]);

/// Current of the junction between bulk and source or drain.
fn junction<S: Scalar>(voltage: S) -> S {
    shichman_hodges::junction(SATURATION, voltage)
}

/// Charge of a junction, the integral of its capacitance C / sqrt(1 - V / 0.87), continued linearly for V > 0.
fn junction_charge<S: Scalar>(voltage: S) -> S {
    if voltage.value() <= 0.0 {
        let root = (-voltage / BARRIER + 1.0).sqrt();
        (S::constant(1.0) - root) * (2.0 * BARRIER * C_BULK)
    } else {
        (voltage + voltage * voltage / (4.0 * BARRIER)) * C_BULK
    }
}

fn inputs<S: Scalar>(t: S) -> [S; 2] {
    [pulse(t, [5.0, 5.0, 20.0]), pulse(t, [15.0, 15.0, 40.0])]
}

/// The charges of the nodes.
fn charges<S: Scalar>(t: S, u: &[S]) -> [S; NODES] {
    let [v1, v2] = inputs(t);
    let gate = |voltage: S| voltage * C_GATE;
    let b3 = junction_charge(u[2] - u[4]);
    let b8 = junction_charge(u[7] - u[9]);
    let b9 = junction_charge(u[8] - u[4]);
    let b14 = junction_charge(u[13] - u[9]);
    let (g1, g2) = (gate(u[0] - u[4]), gate(u[1] - u[4]));
    [
        g1,
        g2,
        b3,
        junction_charge(u[3] - SUPPLY),
        u[4] * C_LOAD - g1 - g2 - b3 - b9,
        gate(u[5] - v1),
        gate(u[6] - v1),
        b8,
        b9,
        u[9] * C_LOAD - b8 - b14,
        gate(u[10] - v2),
        gate(u[11] - v2),
        junction_charge(u[12]),
        b14,
    ]
}

/// The currents into the nodes.
fn currents<S: Scalar>(t: S, u: &[S], out: &mut [S]) {
    let [v1, v2] = inputs(t);
    let gate = |from: S, to: S| (to - from) / R_GATE;
    let bulk = |from: S| (-from + BULK) / R_BULK;
    let supply = S::constant(SUPPLY);
    let ground = S::constant(0.0);
    let load = DEPLETION.current([
        u[1] - u[0],
        u[4] - u[0],
        u[2] - u[4],
        u[4] - u[1],
        u[3] - supply,
    ]);
    let first = ENHANCEMENT.current([u[6] - u[5], v1 - u[5], u[7] - u[9], v1 - u[6], u[8] - u[4]]);
    let second = ENHANCEMENT.current([u[11] - u[10], v2 - u[10], u[12], v2 - u[11], u[13] - u[9]]);
    let (j3, j8) = (junction(u[2] - u[4]), junction(u[7] - u[9]));
    let (j9, j14) = (junction(u[8] - u[4]), junction(u[13] - u[9]));
    let values = [
        gate(u[0], u[4]) - load,
        gate(u[1], supply) + load,
        bulk(u[2]) + j3,
        bulk(u[3]) + junction(u[3] - supply),
        gate(u[4], u[0]) + gate(u[4], u[6]) - j3 - j9,
        gate(u[5], u[9]) - first,
        gate(u[6], u[4]) + first,
        bulk(u[7]) + j8,
        bulk(u[8]) + j9,
        gate(u[9], u[5]) + gate(u[9], u[11]) - j8 - j14,
        gate(u[10], ground) - second,
        gate(u[11], u[9]) + second,
        bulk(u[12]) + junction(u[12]),
        bulk(u[13]) + j14,
    ];
    out.copy_from_slice(&values);
}

impl FirstOrderModel for NandGate {
    fn dimension(&self) -> usize {
        2 * NODES
    }

    fn initial_value(&self) -> Vec<f64> {
        let inner = 3.62385;
        let u = [
            5.0, 5.0, BULK, BULK, 5.0, inner, 5.0, BULK, BULK, inner, 0.0, inner, BULK, BULK,
        ];
        charges(0.0, &u).into_iter().chain(u).collect()
    }

    fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
        let (q, u) = y.split_at(NODES);
        let (currents_in, residual) = rate.split_at_mut(NODES);
        currents(t, u, currents_in);
        for ((residual, &q), charge) in residual.iter_mut().zip(q).zip(charges(t, u)) {
            *residual = q - charge;
        }
    }

    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        Some((0..NODES).map(|node| (node, node, 1.0)).collect())
    }

    fn index(&self) -> Vec<u8> {
        [[0; NODES], [1; NODES]].concat()
    }

    fn names(&self) -> Vec<String> {
        numbered("Q", NODES).chain(numbered("U", NODES)).collect()
    }

    fn time_events(&self) -> Vec<f64> {
        (1..16).map(|kink| 5.0 * f64::from(kink)).collect()
    }
}

fn build(_parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Statement {
        entry: &NAND_GATE,
        source: Some(SOURCE),
        t_end: 80.0,
        default_step: 0.01,
        main_output: "U5",
        order_study_end: Some(5.0),
        absolute_scale: 1.0,
    };
    statement.first_order(NandGate)
}
