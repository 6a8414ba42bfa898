//! The adder's equations and its transistors as tables.

use super::super::shichman_hodges::{COLUMNS, LAWS, constants, with_pulses};
use super::circuit::{Circuit, Placed, Terminal};
use super::{C_BULK, C_GATE, C_OUTPUT, PULSES, R_BULK, R_GATE, SATURATION};
use crate::{Cell, Formulation};

/// Names of the inputs, in the order of [`circuit::Input`](super::circuit::Input).
const INPUTS: [&str; 5] = ["notA0", "notB0", "notA1", "notB1", "carry"];

/// What a terminal is connected to: the number of a node, or a name.
fn name(terminal: Terminal) -> Cell {
    match terminal {
        Terminal::Node(node) => (node + 1).into(),
        Terminal::Input(input) => INPUTS[input as usize].into(),
        Terminal::Ground => "ground".into(),
        Terminal::Supply => "supply".into(),
    }
}

/// The row of a transistor: its data, its own nodes, and what it is connected to.
fn row(index: usize, transistor: &Placed) -> Vec<Cell> {
    let mut row = transistor.kind.row(&(index + 1).to_string()).to_vec();
    row.extend(transistor.nodes().map(|node| Cell::from(node + 1)));
    row.extend([transistor.gate, transistor.source, transistor.drain].map(name));
    row
}

pub(super) fn formulation(circuit: &Circuit) -> Formulation {
    let own = [
        "Time in the unit of the test set's scaled ns, voltages in V.",
        "qj(u) = CB u / sqrt(1 - u / phiB) if u <= 0, else CB u (1 + u / (2 phiB))",
        "Each transistor has four nodes S, D, BS, BD of its own and is connected to a gate, a source and a drain, whose voltages are \
         uG, uA and uB: those of nodes, by number, of inputs, of the ground or of the supply.",
        "i = ids(U_D - U_S, uG - U_S, U_BS - uA, uG - U_D, U_BD - uB)",
        "Each transistor adds to the currents: (uA - U_S) / RG - i at S, (uB - U_D) / RG + i at D, (VBB - U_BS) / RB + j(U_BS - uA) at BS, \
         (VBB - U_BD) / RB + j(U_BD - uB) at BD, -(uA - U_S) / RG - j(U_BS - uA) at the node of its source and \
         -(uB - U_D) / RG - j(U_BD - uB) at that of its drain, where these are nodes.",
        "Each transistor adds to the charges: CG (U_S - uG) at S, CG (U_D - uG) at D, qj(U_BS - uA) at BS, qj(U_BD - uB) at BD, \
         -CG (U_S - uG) - CG (U_D - uG) at the node of its gate, -qj(U_BS - uA) at that of its source and -qj(U_BD - uB) at that of \
         its drain, where these are nodes.",
        "The outputs add CL U_n to the charges of their nodes n.",
    ];
    let constants = constants(SATURATION, [R_GATE, R_BULK], [C_GATE, C_BULK, C_OUTPUT]);
    let ends = ["S", "D", "BS", "BD", "gate", "source", "drain"];
    let transistors = circuit.transistors.iter().enumerate();
    let sums = circuit.sums.iter().map(|&sum| [name(sum)]);
    let formulation = Formulation::new(LAWS.into_iter().chain(own)).with_constants(constants);
    with_pulses(formulation, &PULSES, &INPUTS)
        .with_table(
            "transistors",
            COLUMNS.into_iter().chain(ends),
            transistors.map(|(index, transistor)| row(index, transistor)),
        )
        .with_table("outputs", ["node"], sums)
}
