//! A NAND gate in field-effect transistors, with charges that depend on voltages.

use super::published::{SOURCE, Statement, numbered};
use super::shichman_hodges::{self, BARRIER, BULK, SUPPLY, Transistor, pulse};
use crate::{Formulation, Parameters, Problem, ProblemEntry, ProblemError};
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

/// Delay, duration and period of the inputs' pulses.
const PULSES: [[f64; 3]; 2] = [[5.0, 5.0, 20.0], [15.0, 15.0, 40.0]];

fn inputs<S: Scalar>(t: S) -> [S; 2] {
    PULSES.map(|shape| pulse(t, shape))
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

fn formulation() -> Formulation {
    let own = [
        "Time in ns, voltages in V, currents in the unit of the gains times V^2. Inputs V1 and V2. ids(...) of transistor n is named ids_n, j(u) as above.",
        "qj(u) = CB 2 phiB (1 - sqrt(1 - u / phiB)) if u <= 0, else CB (u + u^2 / (4 phiB))",
        "charges of the nodes:",
        "Q1 = CG (U1 - U5)",
        "Q2 = CG (U2 - U5)",
        "Q3 = qj(U3 - U5)",
        "Q4 = qj(U4 - VDD)",
        "Q5 = CL U5 - Q1 - Q2 - qj(U3 - U5) - qj(U9 - U5)",
        "Q6 = CG (U6 - V1)",
        "Q7 = CG (U7 - V1)",
        "Q8 = qj(U8 - U10)",
        "Q9 = qj(U9 - U5)",
        "Q10 = CL U10 - qj(U8 - U10) - qj(U14 - U10)",
        "Q11 = CG (U11 - V2)",
        "Q12 = CG (U12 - V2)",
        "Q13 = qj(U13)",
        "Q14 = qj(U14 - U10)",
        "currents:",
        "ids_1 = ids(U2 - U1, U5 - U1, U3 - U5, U5 - U2, U4 - VDD) of the depletion transistor",
        "ids_2 = ids(U7 - U6, V1 - U6, U8 - U10, V1 - U7, U9 - U5) of the enhancement transistor",
        "ids_3 = ids(U12 - U11, V2 - U11, U13, V2 - U12, U14 - U10) of the enhancement transistor",
        "Q1' = (U5 - U1) / RG - ids_1",
        "Q2' = (VDD - U2) / RG + ids_1",
        "Q3' = (VBB - U3) / RB + j(U3 - U5)",
        "Q4' = (VBB - U4) / RB + j(U4 - VDD)",
        "Q5' = (U1 - U5) / RG + (U7 - U5) / RG - j(U3 - U5) - j(U9 - U5)",
        "Q6' = (U10 - U6) / RG - ids_2",
        "Q7' = (U5 - U7) / RG + ids_2",
        "Q8' = (VBB - U8) / RB + j(U8 - U10)",
        "Q9' = (VBB - U9) / RB + j(U9 - U5)",
        "Q10' = (U6 - U10) / RG + (U12 - U10) / RG - j(U8 - U10) - j(U14 - U10)",
        "Q11' = (0 - U11) / RG - ids_3",
        "Q12' = (U10 - U12) / RG + ids_3",
        "Q13' = (VBB - U13) / RB + j(U13)",
        "Q14' = (VBB - U14) / RB + j(U14 - U10)",
    ];
    let constants =
        shichman_hodges::constants(SATURATION, [R_GATE, R_BULK], [C_GATE, C_BULK, C_LOAD]);
    let transistors = [DEPLETION.row("depletion"), ENHANCEMENT.row("enhancement")];
    let formulation = Formulation::new(shichman_hodges::LAWS.into_iter().chain(own))
        .with_constants(constants)
        .with_table("transistors", shichman_hodges::COLUMNS, transistors);
    shichman_hodges::with_pulses(formulation, &PULSES, &["V1", "V2"])
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
        formulation: formulation(),
        unit: "V for U, unit of charge of the test set for Q",
    };
    statement.first_order(NandGate)
}
